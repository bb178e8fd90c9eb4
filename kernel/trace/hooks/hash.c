// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of call sites, by address: the filters of an ops, and the copies that
 * are edited before they become one. filter.c changes what the sites of a filter
 * call.
 */
#include <linux/bsearch.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "hooks/internal.h"

#define HASH_MIN_BITS	4

/* The hashes that are filters of some ops: a module that goes leaves them all. */
static LIST_HEAD(ftrace_hashes);

static nokprobe_inline struct ftrace_hash_table *hash_table(const struct ftrace_hash *hash)
{
	return rcu_dereference_raw(hash->table);
}

static nokprobe_inline
unsigned long hash_table_start(const struct ftrace_hash_table *table, unsigned long ip)
{
	return hash_long(ip, table->bits);
}

static nokprobe_inline
unsigned long hash_table_next(const struct ftrace_hash_table *table, unsigned long i)
{
	return (i + 1) & ((1UL << table->bits) - 1);
}

/* The slot of @ip, or NULL. 0 and 1 mark slots without an address, and have no slot. */
static nokprobe_inline unsigned long *hash_table_find(struct ftrace_hash_table *table,
						      unsigned long ip)
{
	unsigned long i, slot;

	/* Half of the slots are free: this ends. */
	for (i = hash_table_start(table, ip); ; i = hash_table_next(table, i)) {
		slot = READ_ONCE(table->slots[i]);
		if (slot == ip)
			return likely(ip > FTRACE_HASH_TOMB) ? &table->slots[i] : NULL;
		if (slot == FTRACE_HASH_FREE)
			return NULL;
	}
}

static void hash_table_insert(struct ftrace_hash_table *table, unsigned long ip)
{
	unsigned long i = hash_table_start(table, ip);

	while (table->slots[i] != FTRACE_HASH_FREE)
		i = hash_table_next(table, i);
	WRITE_ONCE(table->slots[i], ip);
}

static void hash_table_free(struct ftrace_retired *retired)
{
	kvfree(container_of(retired, struct ftrace_hash_table, retired));
}

/**
 * ftrace_hash_alloc - make an empty set
 *
 * Context: task.
 * Return: the set, or NULL without memory.
 */
struct ftrace_hash *ftrace_hash_alloc(void)
{
	struct ftrace_hash *hash = kzalloc(sizeof(*hash), GFP_KERNEL);

	if (hash)
		INIT_LIST_HEAD(&hash->installed);
	return hash;
}

/**
 * ftrace_hash_free - free a set that never became a filter
 * @hash: the set, or NULL
 *
 * Context: task.
 */
void ftrace_hash_free(struct ftrace_hash *hash)
{
	if (!hash)
		return;
	WARN_ON_ONCE(!list_empty(&hash->installed));
	kvfree(hash_table(hash));
	kfree(hash);
}

static void hash_free_retired(struct ftrace_retired *retired)
{
	ftrace_hash_free(container_of(retired, struct ftrace_hash, retired));
}

/* @hash becomes a filter: readers without a lock see it from now on. */
void ftrace_hash_install(struct ftrace_hash *hash)
{
	ftrace_assert_locked();
	list_add(&hash->installed, &ftrace_hashes);
}

/* @hash is no filter any more; free it when the last reader has left. */
void ftrace_hash_retire(struct ftrace_hash *hash)
{
	ftrace_assert_locked();
	if (!hash)
		return;
	list_del_init(&hash->installed);
	hash->retired.free = hash_free_retired;
	ftrace_retire(&hash->retired);
}

/* The address in slot *@i or the next one that has some; 0 past the last. */
unsigned long ftrace_hash_next(const struct ftrace_hash *hash, unsigned long *i)
{
	struct ftrace_hash_table *table = hash_table(hash);
	unsigned long slot;

	while (table && *i < 1UL << table->bits) {
		slot = table->slots[(*i)++];
		if (slot > FTRACE_HASH_TOMB)
			return slot;
	}
	return 0;
}

/* Make room for @more addresses, so that adding them cannot fail. */
static int hash_reserve(struct ftrace_hash *hash, unsigned long more)
{
	struct ftrace_hash_table *old = hash_table(hash), *table;
	unsigned int bits = HASH_MIN_BITS;
	unsigned long i = 0, ip;

	if (old && (hash->used + more) * 2 <= 1UL << old->bits)
		return 0;
	/* Twice the room that is asked for, so that adding one by one stays cheap. */
	while ((hash->count + more) * 4 > 1UL << bits)
		bits++;
	table = kvzalloc(struct_size(table, slots, 1UL << bits), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	table->bits = bits;
	while ((ip = ftrace_hash_next(hash, &i)))
		hash_table_insert(table, ip);

	/* Pairs with rcu_dereference_raw() in hash_table(): readers see all addresses. */
	rcu_assign_pointer(hash->table, table);
	hash->used = hash->count;
	if (old && !list_empty(&hash->installed)) {
		old->retired.free = hash_table_free;
		ftrace_retire(&old->retired);
	} else {
		kvfree(old);
	}
	return 0;
}

/**
 * ftrace_hash_copy - fill an empty set
 * @to: it
 * @from: what it gets, also that it names nothing at all
 *
 * Context: task; the owners keep both still.
 * Return: 0 or -ENOMEM.
 */
int ftrace_hash_copy(struct ftrace_hash *to, const struct ftrace_hash *from)
{
	unsigned long i = 0, ip;

	to->nothing = from->nothing;
	if (!from->count)
		return 0;
	if (hash_reserve(to, from->count))
		return -ENOMEM;
	while ((ip = ftrace_hash_next(from, &i)))
		hash_table_insert(hash_table(to), ip);
	to->count = from->count;
	to->used = from->count;
	return 0;
}

/**
 * ftrace_hash_dup - copy a set
 * @hash: the set, or NULL for an empty one
 *
 * Context: task; the owner keeps @hash still.
 * Return: the copy, or NULL without memory.
 */
struct ftrace_hash *ftrace_hash_dup(const struct ftrace_hash *hash)
{
	struct ftrace_hash *copy = ftrace_hash_alloc();

	if (copy && hash && ftrace_hash_copy(copy, hash)) {
		ftrace_hash_free(copy);
		return NULL;
	}
	return copy;
}

/**
 * ftrace_hash_add - add an address
 * @hash: the set
 * @ip: address of a site; twice is once
 *
 * Context: task.
 * Return: 0 or -ENOMEM.
 */
int ftrace_hash_add(struct ftrace_hash *hash, unsigned long ip)
{
	if (WARN_ON_ONCE(ip <= FTRACE_HASH_TOMB) || ftrace_hash_has(hash, ip))
		return 0;
	if (hash_reserve(hash, 1))
		return -ENOMEM;
	hash_table_insert(hash_table(hash), ip);
	hash->nothing = false;
	hash->used++;
	WRITE_ONCE(hash->count, hash->count + 1);
	return 0;
}

/**
 * ftrace_hash_del - take an address out
 * @hash: the set
 * @ip: address of a site
 *
 * Context: task.
 * Return: was it in?
 */
bool ftrace_hash_del(struct ftrace_hash *hash, unsigned long ip)
{
	struct ftrace_hash_table *table = hash_table(hash);
	unsigned long *slot = table ? hash_table_find(table, ip) : NULL;

	if (!slot)
		return false;
	WRITE_ONCE(*slot, FTRACE_HASH_TOMB);
	WRITE_ONCE(hash->count, hash->count - 1);
	return true;
}

/**
 * ftrace_hash_has - is an address in the set?
 * @hash: the set
 * @ip: any address, also one that no site can have
 *
 * Context: any, also beside a change; a few instructions.
 */
bool ftrace_hash_has(const struct ftrace_hash *hash, unsigned long ip)
{
	struct ftrace_hash_table *table = hash_table(hash);

	return table && hash_table_find(table, ip);
}

NOKPROBE_SYMBOL(ftrace_hash_has);

/**
 * ftrace_hash_clear - take all addresses out of a set that is no filter
 * @hash: the set
 *
 * Context: task.
 */
void ftrace_hash_clear(struct ftrace_hash *hash)
{
	if (WARN_ON_ONCE(!list_empty(&hash->installed)))
		return;
	kvfree(hash_table(hash));
	RCU_INIT_POINTER(hash->table, NULL);
	hash->count = 0;
	hash->used = 0;
	hash->nothing = false;
}

/**
 * ftrace_hash_set_nothing - what does a set without addresses mean as a filter?
 * @hash: the set, which is no filter now; the next address that is added takes this back
 * @nothing: true: no site; false: there is no filter, which means every site
 *
 * Context: task.
 */
void ftrace_hash_set_nothing(struct ftrace_hash *hash, bool nothing)
{
	WARN_ON_ONCE(!list_empty(&hash->installed));
	hash->nothing = nothing;
}

/**
 * ftrace_hash_count - number of addresses in the set
 * @hash: the set
 *
 * Context: any.
 */
unsigned long ftrace_hash_count(const struct ftrace_hash *hash)
{
	return READ_ONCE(hash->count);
}

static int hash_site_cmp(const void *key, const void *elt)
{
	unsigned long ip = *(const unsigned long *)key, at = ftrace_site_ip(elt);

	return ip < at ? -1 : ip > at;
}

/*
 * @count sites go away. A filter that named only them must not turn into one
 * that names everything.
 */
void ftrace_hash_forget(struct ftrace_hash *hash, struct dyn_ftrace *first, unsigned long count)
{
	unsigned long i = 0, ip;
	bool any = false;

	if (hash->count < count) {
		while ((ip = ftrace_hash_next(hash, &i))) {
			if (bsearch(&ip, first, count, sizeof(*first), hash_site_cmp))
				any |= ftrace_hash_del(hash, ip);
		}
	} else {
		for (; i < count; i++)
			any |= ftrace_hash_del(hash, ftrace_site_ip(&first[i]));
	}
	if (any && !hash->count)
		hash->nothing = true;
}

/* As ftrace_hash_forget(), for the filters of all ops. */
void ftrace_hashes_forget(struct dyn_ftrace *first, unsigned long count)
{
	struct ftrace_hash *hash;

	ftrace_assert_locked();
	list_for_each_entry(hash, &ftrace_hashes, installed)
		ftrace_hash_forget(hash, first, count);
}
