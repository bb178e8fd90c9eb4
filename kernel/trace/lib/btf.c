// SPDX-License-Identifier: GPL-2.0
/*
 * Functions by name in the BTF of the kernel and of its modules.
 *
 * BTF is a list of types in no useful order, and a search for a name compares about a hundred
 * thousand of them. So there is an index of the functions for each BTF, a hash table of their
 * numbers. It is made when somebody says that it will be needed, from then on for each module
 * that comes, and stays: records that were printed with it are kept for long.
 *
 * Lookups run under RCU alone, so that a dump can print in NMI. An index of a module is
 * unlinked when the module goes, and it and its reference of the BTF end a grace period
 * later. The module itself, whose name is compared, is freed after another one.
 */
#include <linux/bpf_verifier.h>
#include <linux/btf.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include "lib/btf.h"

/**
 * struct btf_index - the functions of a BTF by their names
 * @rcu: for its end
 * @btf: has a reference
 * @bits: there are so many slots, as a power of two, and half of them are free
 * @ids: numbers of functions, from the slot on that is their name's; 0: free
 */
struct btf_index {
	struct rcu_head	rcu;
	struct btf	*btf;
	unsigned int	bits;
	u32		ids[];
};

/**
 * struct btf_owner - whose functions an index has
 * @list: in btf_owners
 * @rcu: for its end
 * @module: NULL: the kernel
 * @index: NULL: was not needed yet, or there is no memory, or no BTF
 */
struct btf_owner {
	struct list_head		list;
	struct rcu_head			rcu;
	struct module			*module;
	struct btf_index __rcu		*index;
};

static struct btf_owner btf_kernel;

/* Changes, and the making of an index; readers are under RCU. */
static DEFINE_MUTEX(btf_owners_mutex);
static LIST_HEAD(btf_owners);

/* Under btf_owners_mutex: somebody needs indexes; the kernel has come so far as to make some. */
static bool btf_needed, btf_ready;

static u32 btf_slot(const struct btf_index *index, const char *name)
{
	return hash_32(full_name_hash(NULL, name, strlen(name)), index->bits);
}

/* The next slot, behind the last the first one. */
static u32 btf_next_slot(const struct btf_index *index, u32 slot)
{
	return (slot + 1) & (BIT(index->bits) - 1);
}

static const char *btf_type_name(const struct btf *btf, u32 id)
{
	return btf_name_by_offset(btf, btf_type_by_id(btf, id)->name_off);
}

static bool btf_id_is_func(const struct btf *btf, u32 id)
{
	return btf_type_is_func(btf_type_by_id(btf, id));
}

/* A module's BTF goes on where the kernel's ends. */
static u32 btf_first_id(const struct btf *btf)
{
	const struct btf *base = btf_base_btf(btf);

	return base ? btf_nr_types(base) : 1;
}

static u32 btf_count_funcs(const struct btf *btf)
{
	u32 id, end = btf_nr_types(btf), count = 0;

	for (id = btf_first_id(btf); id < end; id++)
		count += btf_id_is_func(btf, id);
	return count;
}

static void btf_index_add(struct btf_index *index, u32 id)
{
	u32 slot = btf_slot(index, btf_type_name(index->btf, id));

	while (index->ids[slot])
		slot = btf_next_slot(index, slot);
	index->ids[slot] = id;
}

/* Make the index of @btf, whose reference goes over to it. NULL: no memory. */
static struct btf_index *btf_index_make(struct btf *btf)
{
	unsigned int bits = order_base_2(btf_count_funcs(btf) + 1) + 1;
	u32 id, end = btf_nr_types(btf);
	struct btf_index *index;

	index = kvzalloc(struct_size(index, ids, BIT(bits)), GFP_KERNEL);
	if (!index)
		return NULL;
	index->btf = btf;
	index->bits = bits;
	for (id = btf_first_id(btf); id < end; id++) {
		if (btf_id_is_func(btf, id))
			btf_index_add(index, id);
		cond_resched();
	}
	return index;
}

/* Give @owner an index if it has BTF that is whole. 0 or -ENOMEM. */
static int btf_owner_index(struct btf_owner *owner)
{
	struct btf_index *index;
	struct btf *btf;

	lockdep_assert_held(&btf_owners_mutex);
	if (rcu_access_pointer(owner->index))
		return 0;
	btf = btf_get_module_btf(owner->module);
	if (IS_ERR_OR_NULL(btf))
		return PTR_ERR(btf) == -ENOMEM ? -ENOMEM : 0;
	index = btf_index_make(btf);
	if (!index) {
		btf_put(btf);
		return -ENOMEM;
	}
	rcu_assign_pointer(owner->index, index);
	return 0;
}

/* Give all owners their indexes that have none. 0 or -ENOMEM: some have none. */
static int btf_index_all(void)
{
	struct btf_owner *owner;
	int ret = 0;

	list_for_each_entry(owner, &btf_owners, list)
		ret = ret ?: btf_owner_index(owner);
	return ret;
}

/**
 * trace_btf_need - functions will be looked up
 *
 * Before the kernel's initcalls have come to file systems, indexes wait for them.
 *
 * Context: task, may sleep; takes btf_owners_mutex.
 * Return: 0 if all is known that there is, which may be nothing; or -ENOMEM.
 */
int trace_btf_need(void)
{
	guard(mutex)(&btf_owners_mutex);
	btf_needed = true;
	return btf_ready ? btf_index_all() : 0;
}

/*
 * Find the index of the functions of @module, or of the kernel if @module is NULL. The caller
 * holds rcu_read_lock().
 */
static const struct btf_index *btf_find_index(const char *module)
{
	struct btf_owner *owner;

	if (!module)
		return rcu_dereference(btf_kernel.index);
	list_for_each_entry_rcu(owner, &btf_owners, list) {
		if (owner->module && !strcmp(owner->module->name, module))
			return rcu_dereference(owner->index);
	}
	return NULL;
}

/* The number of a function, 0: there is none of that name. */
static u32 btf_find_id(const struct btf_index *index, const char *name)
{
	u32 slot, id;

	for (slot = btf_slot(index, name); (id = index->ids[slot]);
	     slot = btf_next_slot(index, slot)) {
		if (!strcmp(btf_type_name(index->btf, id), name))
			return id;
	}
	return 0;
}

/**
 * trace_btf_find - what BTF knows of a function
 * @name: of the function
 * @module: its name; NULL: a function of the kernel
 * @func: filled
 *
 * BTF has no function whose parameters the compiler has changed, nor those of which there are
 * several with different parameters.
 *
 * Context: any, NMI included, under RCU, as long as @func is used.
 * Return: false: nothing, or trace_btf_need() was not called.
 */
bool trace_btf_find(const char *name, const char *module, struct trace_btf_func *func)
{
	const struct btf_index *index = btf_find_index(module);
	u32 id = index ? btf_find_id(index, name) : 0;

	if (!id)
		return false;
	func->btf = index->btf;
	func->proto = btf_type_by_id(index->btf, btf_type_by_id(index->btf, id)->type);
	return btf_type_is_func_proto(func->proto);
}

/* A structure or union of a BTF, but not of the one that it is based on; NULL: there is none. */
static const struct btf_type *btf_find_struct(const struct btf_index *index, const char *name)
{
	u32 id, end = index ? btf_nr_types(index->btf) : 0;

	for (id = index ? btf_first_id(index->btf) : 0; id < end; id++) {
		const struct btf_type *type = btf_type_by_id(index->btf, id);

		if (btf_type_is_struct(type) && !strcmp(btf_type_name(index->btf, id), name))
			return type;
	}
	return NULL;
}

/**
 * trace_btf_find_struct - find a structure or union by its name
 * @name: the name
 * @module: the name of the module that is looked at first, and then the kernel, and then all
 *	modules; NULL: the kernel is the first
 * @btf: set to the BTF that has it
 *
 * All types are compared with the name, so it is for users who define something.
 *
 * Context: task, under RCU, as long as the type is used; behind trace_btf_need().
 * Return: the type; NULL: there is none.
 */
const struct btf_type *trace_btf_find_struct(const char *name, const char *module,
					     const struct btf **btf)
{
	const struct btf_index *index = btf_find_index(module);
	const struct btf_type *type = btf_find_struct(index, name);
	struct btf_owner *owner;

	list_for_each_entry_rcu(owner, &btf_owners, list) {
		if (type)
			break;
		index = rcu_dereference(owner->index);
		type = btf_find_struct(index, name);
	}
	if (type)
		*btf = index->btf;
	return type;
}

/* A module that has no memory for this is one without BTF. */
static void btf_module_comes(struct module *module)
{
	struct btf_owner *owner = kzalloc(sizeof(*owner), GFP_KERNEL);

	if (!owner)
		return;
	owner->module = module;
	guard(mutex)(&btf_owners_mutex);
	if (btf_needed)
		btf_owner_index(owner);
	list_add_tail_rcu(&owner->list, &btf_owners);
}

static void btf_owner_free(struct btf_owner *owner)
{
	struct btf_index *index = rcu_dereference_protected(owner->index, true);

	if (index) {
		/* The BTF itself stays for a grace period, too. */
		btf_put(index->btf);
		kvfree_rcu(index, rcu);
	}
	kfree_rcu(owner, rcu);
}

static void btf_module_goes(struct module *module)
{
	struct btf_owner *owner, *next;

	guard(mutex)(&btf_owners_mutex);
	list_for_each_entry_safe(owner, next, &btf_owners, list) {
		if (owner->module != module)
			continue;
		list_del_rcu(&owner->list);
		btf_owner_free(owner);
	}
}

static int btf_module_event(struct notifier_block *nb, unsigned long action, void *data)
{
	if (action == MODULE_STATE_COMING)
		btf_module_comes(data);
	else if (action == MODULE_STATE_GOING)
		btf_module_goes(data);
	return NOTIFY_DONE;
}

/* The BTF of a module that comes is read by another notifier, which has no priority. */
static struct notifier_block btf_module_nb = {
	.notifier_call	= btf_module_event,
	.priority	= -1,
};

/**
 * trace_btf_init - indexes can be made from now on
 *
 * Context: once, task, before there are modules.
 * Return: 0, or the errno of register_module_notifier().
 */
int __init trace_btf_init(void)
{
	scoped_guard(mutex, &btf_owners_mutex) {
		list_add_tail_rcu(&btf_kernel.list, &btf_owners);
		btf_ready = true;
		if (btf_needed && btf_index_all())
			pr_warn("tracing: no memory for the names of arguments\n");
	}
	return register_module_notifier(&btf_module_nb);
}
