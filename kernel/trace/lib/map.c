// SPDX-License-Identifier: GPL-2.0
/*
 * A map that aggregates; map.h tells what for.
 *
 * A table has ELEMENTS, which all CPUs share, and COUNTERS, of which each CPU has its own. An
 * element is a key and the number of the next element in its bucket. It does not change after
 * it has been put into the bucket, and stays there as long as the table. So a hit on a key that
 * is known reads the element, and writes its CPU's counters of that element only.
 *
 * INSERTION. A bucket is a list to whose front elements are added:
 *
 *	n = a free element					(1)
 *	head = bucket						(2) acquire
 *	is the key in an element from head on?  give n back	(3)
 *	n->key = key, n->next = head
 *	cmpxchg(bucket, head, n)				(4) full, or again from (2)
 *
 * Only complete elements can be found: there is no state of an element for which anybody could
 * have to wait. (4) fails if another element came into the bucket since (2), and then the search
 * of (3) goes on from the new head to the one that was looked at before. It may be that an
 * interrupt has inserted the same key meanwhile. So a key has one element at most, and each
 * repetition means that another hit has got on: an insertion is lock-free, and repeats at most
 * as often as there are elements. The acquire of (2), in a search as well, pairs with (4) of the
 * newest element; those before it are covered by the acquire of the CPU that added it.
 *
 * FREE ELEMENTS. The next one that was never taken comes from a counter, which does not move any
 * more when all are taken. An element that is given back was never in a bucket, so nobody else
 * looks at it; its bit in a bitmap tells that it is free. Elements on the way between (1) and (3)
 * are not free: a hit on a new key that comes then may find none, is dropped, and counted. A hit on
 * a key that is in its bucket is never dropped, as it does not look for a free element; and one
 * that finds none looks at the bucket once more.
 *
 * BOOKS. A hit counts itself as seen first, then for its element or as dropped, and then as done:
 *
 *	seen += 1
 *	counters of the element += 1, values; or full += 1	(5) smp_wmb() before
 *	done += 1						(6) smp_wmb() before
 *
 * There are two sets of counters. The offset of the open set is read once by each hit, which then
 * counts everything in that set. A counter is written by its own CPU only, and never goes back.
 *
 * READING copies both sets:
 *
 *	copy the closed set
 *	open = this set						(a)
 *	copy the other set, which is closed now
 *
 * and copies a set of a CPU again until it has only whole hits:
 *
 *	d = done						(b)
 *	copy the other counters					(c) smp_rmb() before
 *	seen == d?						(d) smp_rmb() before
 *
 * The smp_rmb() of (c) pairs with the smp_wmb() of (6): the copy has all of the hits that d counts.
 * The smp_rmb() of (d) pairs with the smp_wmb() of (5): a hit of which the copy has some is counted
 * in seen. If both numbers are equal, these are the same hits. So each hit is in a copy as a whole
 * or not at all, and its books balance: seen = counted + full. A hit that read the offset before
 * (a) may still count in a set that is closed. Each context of a CPU has one such hit at most, so
 * the copying ends; the next reading copies that set, too. A reading waits for a hit that has begun
 * on another CPU, and for no grace period.
 *
 * SPREADS. Each element has a word for each group of buckets that a spread may have: the number of
 * a group that it has got, or 0. A group is 16 counters of each set of each CPU. A hit that finds
 * no group takes a free one, as it takes an element, and puts its number into the word by
 * cmpxchg(); another hit may have been faster, and then it gives its own back. Groups that were
 * put stay. So a hit on a bucket that has a group writes its own CPU's counter only, before (5)'s
 * other counters are done, and belongs to the hit for a reading as a sum does. A maximum is a
 * counter that a cmpxchg() of its own CPU raises; the largest one of all CPUs and sets is read.
 *
 * CLEARING puts a new table in the place of the old one, which is freed when the hits that
 * have begun are done with it. Their hits are cleared as well. A reading has a reference to its
 * table and a mutex of the table, so that clearing waits for no reader.
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

#include "lib/map_table.h"
#include "lib/wait.h"

/* @words: of the key; a caller that knows them spares the loops. */
static __always_inline u32 map_hash(const struct map_table *t, const u64 *key, unsigned int words)
{
	u64 hash = t->seed;

	/* The upper half of a product depends on all of its factor, so that half goes on. */
	for (unsigned int i = 0; i < words; i++)
		hash = ror64((hash ^ key[i]) * GOLDEN_RATIO_64, 32);
	return hash;
}

static __always_inline bool map_is_key(const struct map_element *element, const u64 *key,
				       unsigned int words)
{
	for (unsigned int i = 0; i < words; i++) {
		if (element->key[i] != key[i])
			return false;
	}
	return true;
}

/* The element of a key in a bucket from element @n up to, without it, @end; 0: there is none. */
static __always_inline u32 map_search_words(const struct map_table *t, u32 n, u32 end,
					    const u64 *key, u32 hash, unsigned int words)
{
	while (n != end) {
		const struct map_element *element = map_element(t, n);

		/* A word is compared as fast as its hash. */
		if ((words == 1 || element->hash == hash) && map_is_key(element, key, words))
			return n;
		n = element->next;
	}
	return 0;
}

static u32 map_search(const struct map_table *t, u32 n, u32 end, const u64 *key, u32 hash)
{
	return map_search_words(t, n, end, key, hash, t->words);
}

/* The element of a key, 0: there is none. */
static __always_inline u32 map_find(const struct map_table *t, const u64 *key, u32 hash,
				    unsigned int words)
{
	/* Pairs with the cmpxchg() in map_insert(). */
	u32 n = smp_load_acquire(&t->buckets[hash & t->mask]);

	return map_search_words(t, n, 0, key, hash, words);
}

static noinline u32 map_find_words(const struct map_table *t, const u64 *key)
{
	return map_find(t, key, map_hash(t, key, t->words), t->words);
}

/* map_find() of a key of any length. Most are one word. */
static __always_inline u32 map_find_any(const struct map_table *t, const u64 *key)
{
	return likely(t->words == 1) ? map_find(t, key, map_hash(t, key, 1), 1) :
				       map_find_words(t, key);
}

/* A free element or group, 0: there is none. */
static u32 map_take(struct map_pool *pool)
{
	unsigned long i;
	unsigned int n;

	/* Each context of each CPU may add one too many, once. */
	if (atomic_read(&pool->taken) < pool->size) {
		n = atomic_fetch_inc(&pool->taken);
		if (n < pool->size)
			return n + 1;
	}
	if (!atomic_read(&pool->nr_spares))
		return 0;
	for_each_set_bit(i, pool->spares, pool->size) {
		if (test_and_clear_bit(i, pool->spares)) {
			atomic_dec(&pool->nr_spares);
			return i + 1;
		}
	}
	return 0;
}

static void map_give_back(struct map_pool *pool, u32 n)
{
	set_bit(n - 1, pool->spares);
	atomic_inc(&pool->nr_spares);
}

/* Put a key into its bucket, of which the search has seen what @seen begins. 0: no place. */
static noinline u32 map_insert(struct map_table *t, u32 *bucket, u32 seen, const u64 *key, u32 hash)
{
	struct map_element *element;
	u32 n = map_take(&t->free), head, found;

	if (!n) {
		/* Pairs with the cmpxchg() of another insertion. */
		head = smp_load_acquire(bucket);
		return map_search(t, head, seen, key, hash);
	}
	element = map_element(t, n);
	element->hash = hash;
	memcpy(element->key, key, t->shape.key_size + t->shape.note_size);
	do {
		/* Pairs with the cmpxchg() of another insertion. */
		head = smp_load_acquire(bucket);
		found = map_search(t, head, seen, key, hash);
		if (found) {
			map_give_back(&t->free, n);
			return found;
		}
		seen = head;
		element->next = head;
	} while (cmpxchg(bucket, head, n) != head);
	return n;
}

/* The counters that a hit on this CPU uses. */
static __always_inline local64_t *map_set(const struct map_table *t)
{
	return t->cpus[raw_smp_processor_id()] + READ_ONCE(t->open);
}

/* Begin a hit, which map_count() or map_refuse() ends. */
static __always_inline void map_begin(local64_t *set)
{
	local64_inc(&set[MAP_SEEN]);
	/* (5) Pairs with the smp_rmb() of (d). */
	smp_wmb();
}

static __always_inline void map_end(local64_t *set)
{
	/* (6) Pairs with the smp_rmb() of (c). */
	smp_wmb();
	local64_inc(&set[MAP_DONE]);
}

/* Get a group for a word that has none. 0: there is no free one. */
static noinline u32 map_group_new(struct map_table *t, u32 *place)
{
	u32 n = map_take(&t->free_groups), old = cmpxchg(place, 0, n);

	if (n && old)
		map_give_back(&t->free_groups, n);
	return old ?: n;
}

/* Put a value into its bucket. */
static void map_spread(struct map_table *t, local64_t *set, u32 n, unsigned int spread, u64 value)
{
	unsigned int group, bucket;
	u32 *place;

	bucket = trace_spread_find(value, t->shape.signed_spreads & BIT(spread), &group);
	place = map_places(t, n, spread) + group;
	/* Pairs with the cmpxchg() of map_group_new(). */
	group = smp_load_acquire(place);
	if (!group)
		group = map_group_new(t, place);
	if (group)
		local64_inc(&set[t->groups_0 + group * TRACE_SPREAD_BUCKETS + bucket]);
	else
		local64_inc(&set[MAP_COARSE]);
}

/* Interrupts of this CPU may raise it as well. */
static void map_raise(local64_t *max, u64 value)
{
	s64 old = local64_read(max);

	do {
		if ((u64)old >= value)
			return;
	} while (!local64_try_cmpxchg(max, &old, value));
}

/* The maxima and the spreads of a hit, whose values stand behind those that are added up. */
static void map_fold(struct map_table *t, local64_t *set, u32 n, const u64 *values)
{
	local64_t *max = &set[map_sums(t, n) + 1 + t->shape.values];

	for (unsigned int i = 0; i < t->shape.maxima; i++)
		map_raise(&max[i], *values++);
	for (unsigned int i = 0; i < t->shape.spreads; i++)
		map_spread(t, set, n, i, *values++);
}

/* Count a hit for its element. @nr: values of the map that are added up; @folds: it has others. */
static __always_inline void map_count(struct map_table *t, local64_t *set, u32 n,
				      const u64 *values, unsigned int nr, bool folds)
{
	local64_t *sum = &set[map_sums(t, n)];

	local64_inc(sum);
	for (unsigned int i = 0; i < nr; i++)
		local64_add(values[i], &sum[i + 1]);
	if (folds)
		map_fold(t, set, n, values + nr);
	map_end(set);
}

/* A key did not fit: count the hit, and note the key. The bit is seldom written twice. */
static void map_refuse(struct map_table *t, local64_t *set, u32 hash)
{
	unsigned int bit = hash % t->shape.size;

	local64_inc(&set[MAP_FULL]);
	map_end(set);
	if (!test_bit(bit, t->refused))
		set_bit(bit, t->refused);
}

/* A hit has begun, and not found its key. The number of the key's element now; 0: no place. */
static noinline u32 map_count_new(struct map_table *t, local64_t *set, const u64 *key,
				  const u64 *values)
{
	u32 hash = map_hash(t, key, t->words), *bucket = &t->buckets[hash & t->mask];
	/* Pairs with the cmpxchg() in map_insert(). */
	u32 head = smp_load_acquire(bucket), n = map_search(t, head, 0, key, hash);

	if (!n)
		n = map_insert(t, bucket, head, key, hash);
	if (n)
		map_count(t, set, n, values, t->shape.values, t->shape.maxima || t->shape.spreads);
	else
		map_refuse(t, set, hash);
	return n;
}

/* A hit on a key of one word that is new, as far as the caller has seen. */
static noinline void map_count_new_word(struct map_table *t, local64_t *set, u64 key, u64 value)
{
	map_count_new(t, set, &key, &value);
}

/* A hit on a key of one word. @nr: values of the map, 0 or 1. */
static __always_inline void map_hit_word(struct trace_map *map, u64 key, u64 value,
					 unsigned int nr)
{
	/* Pairs with the smp_store_release() in trace_map_clear(). */
	struct map_table *t = smp_load_acquire(&map->table);
	local64_t *set = map_set(t);
	u32 n;

	map_begin(set);
	n = map_find(t, &key, map_hash(t, &key, 1), 1);
	/* This is a call at the end, so that a hit on a key that is known saves no registers. */
	if (unlikely(!n))
		return map_count_new_word(t, set, key, value);
	map_count(t, set, n, &value, nr, false);
}

static __always_inline void *map_hit(struct trace_map *map, const u64 *key, const u64 *values,
				     bool folds)
{
	/* Pairs with the smp_store_release() in trace_map_clear(). */
	struct map_table *t = smp_load_acquire(&map->table);
	local64_t *set = map_set(t);
	u32 n;

	map_begin(set);
	n = map_find_any(t, key);
	if (likely(n))
		map_count(t, set, n, values, t->shape.values, folds);
	else
		n = map_count_new(t, set, key, values);
	return n ? map_data(t, n) : NULL;
}

/**
 * trace_map_hit_data - count a hit, and add its values
 * @map: the map, without maxima and spreads
 * @key: the key, with zeros where it is shorter than the map's keys; its note behind it
 * @values: as many as the map has
 *
 * Context: any, NMI included; preemption is off, so that the map's synchronize() can wait.
 * Return: the caller's data at the key; NULL: the key is new and has no place. The hit is counted
 * as such.
 */
void *trace_map_hit_data(struct trace_map *map, const u64 *key, const u64 *values)
{
	return map_hit(map, key, values, false);
}

/**
 * trace_map_hit_folds - trace_map_hit_data() for any map
 * @map: the map
 * @key: as there
 * @values: those that are added up, the maxima, then those that are spread
 *
 * Context: as trace_map_hit_data().
 * Return: as trace_map_hit_data().
 */
void *trace_map_hit_folds(struct trace_map *map, const u64 *key, const u64 *values)
{
	return map_hit(map, key, values, true);
}

/**
 * trace_map_hit_word - trace_map_hit() for a map with keys of one word, without notes and values
 * @map: the map
 * @key: the key
 *
 * Context: as trace_map_hit_data().
 */
void trace_map_hit_word(struct trace_map *map, u64 key)
{
	map_hit_word(map, key, 0, 0);
}

/**
 * trace_map_hit_word_sum - trace_map_hit_word() for a map with one value
 * @map: the map
 * @key: the key
 * @value: the value
 *
 * Context: as trace_map_hit_data().
 */
void trace_map_hit_word_sum(struct trace_map *map, u64 key, u64 value)
{
	map_hit_word(map, key, value, 1);
}

/**
 * trace_map_find - find a key without a hit
 * @map: the map
 * @key: the key, as trace_map_hit_data() takes it; there need not be a note behind it
 *
 * Context: any, NMI included; preemption is off.
 * Return: the caller's data at the key; NULL: the map does not know the key.
 */
void *trace_map_find(struct trace_map *map, const u64 *key)
{
	/* Pairs with the smp_store_release() in trace_map_clear(). */
	struct map_table *t = smp_load_acquire(&map->table);
	u32 n = map_find_any(t, key);

	return n ? map_data(t, n) : NULL;
}

/**
 * trace_map_count - add one to a counter of the caller
 * @map: the map
 * @book: which, below the shape's books
 *
 * Context: any, NMI included; preemption is off.
 */
void trace_map_count(struct trace_map *map, unsigned int book)
{
	/* Pairs with the smp_store_release() in trace_map_clear(). */
	struct map_table *t = smp_load_acquire(&map->table);

	local64_inc(t->cpus[raw_smp_processor_id()] + READ_ONCE(t->open) + MAP_BOOKS + book);
}

static void map_table_free(struct map_table *t)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		kvfree(t->cpus[cpu]);
	kvfree(t->refused);
	kvfree(t->free.spares);
	kvfree(t->free_groups.spares);
	kvfree(t->groups);
	kvfree(t->data);
	kvfree(t->elements);
	kvfree(t->buckets);
	kvfree(t);
}

/* Give back a reference to a table. Task, may sleep. */
void trace_map_table_put(struct map_table *t)
{
	if (refcount_dec_and_test(&t->ref))
		map_table_free(t);
}

/* So many tables may wait for hits before those who clear maps wait for them. */
#define MAP_RETIRING_MAX	8

static atomic_t map_retiring = ATOMIC_INIT(0);	/* tables, of all maps */
static DECLARE_WAIT_QUEUE_HEAD(map_retired);

/* The table has been replaced: wait for hits, where nobody waits for this. */
static void map_retire(struct work_struct *work)
{
	struct map_table *t = container_of(work, struct map_table, retire);

	t->shape.synchronize();
	trace_map_table_put(t);
	atomic_dec(&map_retiring);
	wake_up_all(&map_retired);
}

/*
 * Zeroed memory for a table or a reading, for kvfree(). A user tells how large a map is, and a work
 * item may make more of them. So no task is killed for the memory: NULL, there is none. With the
 * flag for that, kvmalloc() would reclaim and compact for contiguous pages, too, as long as it gets
 * on. So they are tried for once, and single pages as long as that. Task, may sleep.
 */
void *trace_map_memory(size_t n, size_t size, int node)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN;
	size_t bytes = array_size(n, size);
	void *memory = NULL;

	if (bytes == SIZE_MAX || (long)(bytes >> PAGE_SHIFT) > si_mem_available())
		return NULL;
	if (bytes <= KMALLOC_MAX_SIZE)
		memory = kmalloc_node(bytes, gfp | __GFP_NORETRY, node);
	return memory ?: __vmalloc_node(bytes, 1, gfp | __GFP_RETRY_MAYFAIL, node,
					__builtin_return_address(0));
}

static void *map_alloc(struct map_table *t, size_t n, size_t size, int node)
{
	void *memory = trace_map_memory(n, size, node);

	if (memory)
		t->bytes += n * size;
	return memory;
}

static bool map_pool_create(struct map_table *t, struct map_pool *pool, unsigned int size)
{
	pool->size = size;
	pool->spares = map_alloc(t, BITS_TO_LONGS(size), sizeof(long), NUMA_NO_NODE);
	return pool->spares;
}

/* The memory of spreads that all CPUs share. */
static bool map_groups_create(struct map_table *t)
{
	if (!t->shape.spreads)
		return true;
	t->groups = map_alloc(t, size_mul(t->shape.size, t->shape.spreads * t->places),
			      sizeof(u32), NUMA_NO_NODE);
	return t->groups && map_pool_create(t, &t->free_groups, t->shape.groups);
}

/* All memory that hits need. */
static bool map_table_fill(struct map_table *t)
{
	unsigned int size = t->shape.size, cpu;

	t->buckets = map_alloc(t, t->mask + 1, sizeof(u32), NUMA_NO_NODE);
	t->elements = map_alloc(t, size, t->stride, NUMA_NO_NODE);
	t->element_0 = (unsigned long)t->elements - t->stride;
	/* With no data, an address is still told from NULL. */
	t->data = map_alloc(t, size, t->shape.data_size ?: 1, NUMA_NO_NODE);
	t->refused = map_alloc(t, BITS_TO_LONGS(size), sizeof(long), NUMA_NO_NODE);
	if (!t->buckets || !t->elements || !t->data || !t->refused ||
	    !map_pool_create(t, &t->free, size) || !map_groups_create(t))
		return false;
	for_each_possible_cpu(cpu) {
		t->cpus[cpu] = map_alloc(t, 2 * (size_t)t->set, sizeof(local64_t),
					 cpu_to_node(cpu));
		if (!t->cpus[cpu])
			return false;
	}
	return true;
}

static struct map_table *map_table_create(const struct trace_map_shape *shape)
{
	size_t bytes = struct_size_t(struct map_table, cpus, nr_cpu_ids);
	struct map_table *t = kvzalloc(bytes, GFP_KERNEL);

	if (!t)
		return NULL;
	t->bytes = bytes;
	t->shape = *shape;
	t->words = shape->key_size / sizeof(u64);
	t->stride = sizeof(struct map_element) + shape->key_size + shape->note_size;
	t->sums = 1 + shape->values + shape->maxima;
	t->places = TRACE_SPREAD_GROUPS * (shape->signed_spreads ? 2 : 1);
	t->mask = (shape->buckets ?: roundup_pow_of_two(shape->size)) - 1;
	/* Whole cache lines, so that the hits of the two sets share none. */
	t->first = MAP_BOOKS + shape->books;
	t->sums_0 = t->first - t->sums;
	t->set = ALIGN(t->first + shape->size * t->sums, SMP_CACHE_BYTES / sizeof(u64));
	t->groups_0 = t->set - TRACE_SPREAD_BUCKETS;
	if (shape->spreads)
		t->set += shape->groups * TRACE_SPREAD_BUCKETS;
	t->seed = get_random_u64();
	refcount_set(&t->ref, 1);
	mutex_init(&t->mutex);
	INIT_WORK(&t->retire, map_retire);
	if (!map_table_fill(t)) {
		map_table_free(t);
		return NULL;
	}
	return t;
}

static bool map_shape_is_good(const struct trace_map_shape *shape)
{
	return shape->key_size && shape->key_size <= TRACE_MAP_KEY_MAX &&
	       IS_ALIGNED(shape->key_size | shape->note_size, sizeof(u64)) &&
	       shape->note_size <= TRACE_MAP_KEY_MAX &&
	       shape->values + shape->maxima + shape->spreads <= TRACE_MAP_VALUES_MAX &&
	       shape->spreads <= TRACE_MAP_SPREADS_MAX &&
	       shape->groups <= TRACE_MAP_GROUPS_MAX && !shape->groups == !shape->spreads &&
	       shape->data_size <= TRACE_MAP_DATA_MAX &&
	       IS_ALIGNED(shape->data_size, sizeof(u64)) && shape->books <= TRACE_MAP_BOOKS_MAX &&
	       shape->size && shape->size <= TRACE_MAP_SIZE_MAX &&
	       (!shape->buckets || is_power_of_2(shape->buckets)) && shape->synchronize;
}

/**
 * trace_map_create - make a map
 * @shape: what for; it is copied
 *
 * Context: task, may sleep.
 * Return: the map; ERR_PTR(): -EINVAL or -ENOMEM.
 */
struct trace_map *trace_map_create(const struct trace_map_shape *shape)
{
	struct trace_map *map;

	if (WARN_ON_ONCE(!map_shape_is_good(shape)))
		return ERR_PTR(-EINVAL);
	map = kzalloc(sizeof(*map), GFP_KERNEL);
	if (!map)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&map->lock);
	map->table = map_table_create(shape);
	if (!map->table) {
		kfree(map);
		return ERR_PTR(-ENOMEM);
	}
	map->bytes = map->table->bytes;
	return map;
}

/**
 * trace_map_free - undo trace_map_create()
 * @map: the map; NULL or an error: nothing is done. Readings of it stay
 *
 * Context: task, may sleep; each hit has returned, and nobody reads or clears the map.
 */
void trace_map_free(struct trace_map *map)
{
	if (IS_ERR_OR_NULL(map))
		return;
	trace_map_table_put(map->table);
	kfree(map);
}

/**
 * trace_map_bytes - the memory of a map
 * @map: the map
 *
 * Context: task.
 * Return: bytes. While a map is cleared, it has them twice.
 */
size_t trace_map_bytes(const struct trace_map *map)
{
	return sizeof(*map) + map->bytes;
}

/* Get a reference to the table of a map. Task. */
struct map_table *trace_map_get(struct trace_map *map)
{
	guard(spinlock)(&map->lock);
	refcount_inc(&map->table->ref);
	return map->table;
}

/**
 * trace_map_clear - forget all keys and counts
 * @map: the map
 *
 * Hits go on meanwhile. A hit that has begun is forgotten as well, or is the first one that
 * counts again.
 *
 * Context: task, may sleep; does not wait for hits or readings. The caller has the map cleared by
 * one task at a time.
 * Return: 0; -ENOMEM: the map is as it was.
 */
int trace_map_clear(struct trace_map *map)
{
	/* Tables of a map are all of one shape. */
	struct map_table *old = map->table, *t = map_table_create(&old->shape);

	if (!t)
		return -ENOMEM;
	scoped_guard(spinlock, &map->lock) {
		/* Pairs with the smp_load_acquire() in trace_map_hit_data(). */
		smp_store_release(&map->table, t);
	}
	atomic_inc(&map_retiring);
	trace_wait_queue(&old->retire);
	return 0;
}

/**
 * trace_maps_settle - wait until not too many tables of cleared maps wait for hits
 *
 * A map that is cleared again and again while a hit goes on would take all memory. So the task that
 * has cleared one comes here when it has released its locks.
 *
 * Context: task, may sleep; no lock is held that a hit, or its end, may need.
 * Return: 0; -ERESTARTSYS: the task is being killed.
 */
int trace_maps_settle(void)
{
	/* Early in boot no work item runs, and nobody clears often. */
	if (system_state < SYSTEM_SCHEDULING)
		return 0;
	return wait_event_killable(map_retired, atomic_read(&map_retiring) <= MAP_RETIRING_MAX);
}
