// SPDX-License-Identifier: GPL-2.0
/*
 * Dispatches: what a site calls. A site's record holds the number of one; it
 * has one target address for its whole life, and a list of calls.
 *
 *   nop    number 0: no ops
 *   own    one ops: the ops' own trampoline, or its direct call's address
 *   set    several ops: a trampoline that calls them one after the other, with
 *          no test. Interned: sites with the same ops share one.
 *   list   the fallback past ftrace_sets_max sets: calls those of all
 *          registered ops whose filters name the site
 *
 * Which sites call what is decided in update.c. Only functions of the hot path
 * (hooks_call_*, and those of call.c) run without ftrace_lock().
 */
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "hooks/internal.h"

/*
 * Sets that have a trampoline of their own, a page of text each. A change of
 * an ops on all sites needs up to as many new ones before the old ones go.
 */
#define FTRACE_SETS_MAX		512

unsigned int ftrace_sets_max = FTRACE_SETS_MAX;		/* fewer in tests */

LIST_HEAD(ftrace_registered);

struct ftrace_dispatch ftrace_dispatch_nop = {
	.flags	= FTRACE_DISPATCH_KEPT,
	.idle	= LIST_HEAD_INIT(ftrace_dispatch_nop.idle),
};

/* By number; [0] is the nop. */
static struct ftrace_dispatch **dispatches;
static u32 nr_slots;
static u32 free_slot = 1;		/* no free slot is before it */

static DEFINE_HASHTABLE(dispatch_sets, 8);
static unsigned int nr_sets;

/* [1] with full registers. Made when there are two ops, and kept. */
static struct ftrace_dispatch *lists[2];

/* The calls of a set that is being looked for; room for every registered ops. */
static struct ftrace_call *wanted;
static unsigned int nr_wanted_max, nr_registered;

/* What may have lost its last site in this change. */
static LIST_HEAD(idle_list);
static unsigned long change = 1;
static bool frozen;			/* text_mutex is held: no new trampolines */

/*
 * Hot path
 */

/* What the trampoline of a set calls. */
static void hooks_call_set(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	const struct ftrace_dispatch *set = container_of(ops, struct ftrace_dispatch, tramp.ops);
	const struct ftrace_call *call = set->calls, *end = call + set->nr;
	ftrace_func_t func;

	do {
		func = READ_ONCE(call->func);
		func(ip, parent_ip, call->ops, fregs);
	} while (++call < end);
}

/* The same for two, which is what most sets have: a loop would cost as much as they do. */
static void hooks_call_pair(unsigned long ip, unsigned long parent_ip,
			    struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	const struct ftrace_dispatch *set = container_of(ops, struct ftrace_dispatch, tramp.ops);
	const struct ftrace_call *call = set->calls;
	ftrace_func_t func;

	func = READ_ONCE(call[0].func);
	func(ip, parent_ip, call[0].ops, fregs);
	func = READ_ONCE(call[1].func);
	func(ip, parent_ip, call[1].ops, fregs);
}

/*
 * What the trampoline of a list calls. An ops cannot go while we are inside of
 * a trampoline, see retire.c. The protection of the assisted call is here once
 * for all, so callbacks are called without it.
 */
void arch_ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *list, struct ftrace_regs *fregs)
{
	int bit = trace_test_and_set_recursion(ip, parent_ip, TRACE_LIST_START);
	struct ftrace_dispatch *own;
	struct ftrace_ops *ops;

	if (bit < 0)
		return;
	list_for_each_entry_rcu(own, &ftrace_registered, list, true) {
		ops = own->calls[0].ops;
		if (!ftrace_ops_traces(ops, ip) || ops->flags & FTRACE_OPS_FL_STUB)
			continue;
		if (!(ops->flags & FTRACE_OPS_FL_RCU) || rcu_is_watching())
			hooks_call_func(ip, parent_ip, ops, fregs);
	}
	trace_clear_recursion(bit);
}

/*
 * Life of a dispatch
 */

static void dispatch_free(struct ftrace_retired *retired)
{
	struct ftrace_dispatch *dispatch = container_of(retired, struct ftrace_dispatch, retired);

	if (dispatch->tramp.ops.trampoline)
		arch_ftrace_trampoline_free(&dispatch->tramp.ops);
	kfree(dispatch);
}

/*
 * Nobody is inside any more, but a lookup by address may be at the node: the
 * memory goes after another grace period.
 */
static void dispatch_forget(struct ftrace_retired *retired)
{
	struct ftrace_dispatch *dispatch = container_of(retired, struct ftrace_dispatch, retired);

	guard(ftrace_lock)();
	if (dispatch->tramp.ops.trampoline)
		ftrace_tramp_remove(&dispatch->tramp);
	retired->free = dispatch_free;
	ftrace_retire(retired);
}

static int slot_alloc(struct ftrace_dispatch *dispatch)
{
	u32 id, more;
	void *slots;

	for (id = free_slot; id < nr_slots && dispatches[id]; id++)
		;
	if (id > FTRACE_SITE_DISPATCH)
		return -ENOSPC;
	if (id >= nr_slots) {
		more = nr_slots ? nr_slots * 2 : 64;
		slots = kvcalloc(more, sizeof(*dispatches), GFP_KERNEL);
		if (!slots)
			return -ENOMEM;
		if (nr_slots)
			memcpy(slots, dispatches, nr_slots * sizeof(*dispatches));
		kvfree(dispatches);
		dispatches = slots;
		nr_slots = more;
		dispatches[0] = &ftrace_dispatch_nop;
		id = max(id, 1);
	}
	dispatches[id] = dispatch;
	dispatch->id = id;
	free_slot = id + 1;
	return 0;
}

static void slot_free(u32 id)
{
	dispatches[id] = NULL;
	free_slot = min(free_slot, id);
}

static struct ftrace_dispatch *dispatch_alloc(const struct ftrace_call *calls, u32 nr,
					      unsigned long flags)
{
	struct ftrace_dispatch *dispatch;
	u32 i;

	dispatch = kzalloc(struct_size(dispatch, calls, nr), GFP_KERNEL);
	if (!dispatch)
		return NULL;
	if (slot_alloc(dispatch)) {
		kfree(dispatch);
		return NULL;
	}
	dispatch->nr = nr;
	dispatch->flags = flags;
	INIT_LIST_HEAD(&dispatch->idle);
	for (i = 0; i < nr; i++) {
		dispatch->calls[i] = calls[i];
		if (calls[i].ops->flags & FTRACE_OPS_FL_SAVE_REGS)
			dispatch->flags |= FTRACE_DISPATCH_REGS;
		if (!(calls[i].ops->flags & FTRACE_OPS_FL_NO_FREGS))
			dispatch->flags |= FTRACE_DISPATCH_FREGS;
		if (calls[i].ops->flags & FTRACE_OPS_FL_IPMODIFY)
			dispatch->flags |= FTRACE_DISPATCH_MODIFY;
		if (calls[i].ops->flags & FTRACE_OPS_FL_DIRECT)
			dispatch->flags |= FTRACE_DISPATCH_DIRECT;
	}
	dispatch->retired.free = dispatch_forget;
	return dispatch;
}

static void dispatch_retire(struct ftrace_dispatch *dispatch)
{
	slot_free(dispatch->id);
	if (!(dispatch->flags & (FTRACE_DISPATCH_OWN | FTRACE_DISPATCH_LIST))) {
		hash_del(&dispatch->node);
		nr_sets--;
	}
	ftrace_retire(&dispatch->retired);
}

/* A trampoline that calls @func for the ops inside of the dispatch. */
static int dispatch_make_tramp(struct ftrace_dispatch *dispatch, ftrace_func_t func)
{
	struct ftrace_ops *ops = &dispatch->tramp.ops;
	int ret;

	ops->func = func;
	ops->flags = FTRACE_OPS_FL_INITIALIZED;
	if (dispatch->flags & FTRACE_DISPATCH_REGS)
		ops->flags |= FTRACE_OPS_FL_SAVE_REGS;
	if (!(dispatch->flags & (FTRACE_DISPATCH_FREGS | FTRACE_DISPATCH_LIST)))
		ops->flags |= FTRACE_OPS_FL_NO_FREGS;
	ret = arch_ftrace_trampoline_create(ops, func);
	if (ret)
		return ret;
	dispatch->target = ops->trampoline;
	ftrace_tramp_add(&dispatch->tramp);
	return 0;
}

static void dispatch_abandon(struct ftrace_dispatch *dispatch)
{
	slot_free(dispatch->id);
	kfree(dispatch);
}

/*
 * Sets and lists
 */

static u32 calls_hash(const struct ftrace_call *calls, u32 nr)
{
	u32 i, hash = nr;

	for (i = 0; i < nr; i++)
		hash = jhash(&calls[i].ops, sizeof(calls[i].ops), hash);
	return hash;
}

static bool calls_equal(const struct ftrace_dispatch *set, const struct ftrace_call *calls, u32 nr)
{
	u32 i;

	if (set->nr != nr)
		return false;
	for (i = 0; i < nr; i++) {
		if (set->calls[i].ops != calls[i].ops)
			return false;
	}
	return true;
}

static struct ftrace_dispatch *set_create(const struct ftrace_call *calls, u32 nr, u32 hash)
{
	struct ftrace_dispatch *set;

	if (nr_sets >= ftrace_sets_max || frozen)
		return NULL;
	set = dispatch_alloc(calls, nr, 0);
	if (!set)
		return NULL;
	if (dispatch_make_tramp(set, nr == 2 ? hooks_call_pair : hooks_call_set)) {
		dispatch_abandon(set);
		return NULL;
	}
	hash_add(dispatch_sets, &set->node, hash);
	nr_sets++;
	/* If no site comes to call it after all. */
	list_add_tail(&set->idle, &idle_list);
	return set;
}

/* The dispatch of these calls, which are in order of registration. */
static struct ftrace_dispatch *dispatch_intern(const struct ftrace_call *calls, u32 nr)
{
	struct ftrace_dispatch *set;
	bool regs = false;
	u32 hash, i;

	if (!nr)
		return &ftrace_dispatch_nop;
	if (nr == 1)
		return calls[0].ops->dispatch;
	hash = calls_hash(calls, nr);
	hash_for_each_possible(dispatch_sets, set, node, hash) {
		if (calls_equal(set, calls, nr))
			return set;
	}
	set = set_create(calls, nr, hash);
	if (set)
		return set;
	for (i = 0; i < nr; i++)
		regs |= calls[i].ops->flags & FTRACE_OPS_FL_SAVE_REGS;
	return lists[regs];
}

/* Two ops are registered: let there be lists, so that a change cannot fail later. */
static int lists_create(void)
{
	struct ftrace_dispatch *list;
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		if (lists[i])
			continue;
		list = dispatch_alloc(NULL, 0, FTRACE_DISPATCH_LIST | FTRACE_DISPATCH_KEPT |
				      (i ? FTRACE_DISPATCH_REGS : 0));
		if (!list)
			return -ENOMEM;
		ret = dispatch_make_tramp(list, arch_ftrace_ops_list_func);
		if (ret) {
			dispatch_abandon(list);
			return ret;
		}
		lists[i] = list;
	}
	return 0;
}

/* Everything that a site at @ip should call, from all filters. */
struct ftrace_dispatch *ftrace_dispatch_compute(unsigned long ip)
{
	struct ftrace_dispatch *own;
	u32 nr = 0;

	ftrace_assert_locked();
	list_for_each_entry(own, &ftrace_registered, list) {
		if (ftrace_ops_traces(own->calls[0].ops, ip))
			wanted[nr++] = own->calls[0];
	}
	return dispatch_intern(wanted, nr);
}

static struct ftrace_dispatch *dispatch_with(struct ftrace_dispatch *old, struct ftrace_ops *ops)
{
	u32 i, nr = 0;

	for (i = 0; i < old->nr; i++) {
		if (old->calls[i].ops == ops)
			return old;
	}
	for (i = 0; i < old->nr && old->calls[i].ops->dispatch->seq < ops->dispatch->seq; i++)
		wanted[nr++] = old->calls[i];
	wanted[nr++] = ops->dispatch->calls[0];
	for (; i < old->nr; i++)
		wanted[nr++] = old->calls[i];
	return dispatch_intern(wanted, nr);
}

static struct ftrace_dispatch *dispatch_without(struct ftrace_dispatch *old, struct ftrace_ops *ops)
{
	u32 i, nr = 0;

	for (i = 0; i < old->nr; i++) {
		if (old->calls[i].ops != ops)
			wanted[nr++] = old->calls[i];
	}
	return dispatch_intern(wanted, nr);
}

/*
 * Where a site at @ip gets to from @old when @ops comes (@with) or goes. Cheap
 * after the first time in a change. Creates sets, so not between
 * ftrace_patch_begin() and ftrace_patch_end() the first time.
 */
struct ftrace_dispatch *ftrace_dispatch_step(struct ftrace_dispatch *old, struct ftrace_ops *ops,
					     bool with, unsigned long ip)
{
	struct ftrace_dispatch *new;

	if (likely(old->memo_change[with] == change))
		return old->memo[with];
	if (old->flags & FTRACE_DISPATCH_LIST)
		return ftrace_dispatch_compute(ip);
	new = with ? dispatch_with(old, ops) : dispatch_without(old, ops);
	old->memo[with] = new;
	old->memo_change[with] = change;
	return new;
}

/* What a site calls now. */
struct ftrace_dispatch *ftrace_dispatch_of(const struct dyn_ftrace *site)
{
	u32 id = ftrace_site_dispatch(site);

	return id ? dispatches[id] : &ftrace_dispatch_nop;
}

void ftrace_dispatch_get(struct ftrace_dispatch *dispatch)
{
	dispatch->sites++;
}

void ftrace_dispatch_put(struct ftrace_dispatch *dispatch)
{
	if (!--dispatch->sites && list_empty(&dispatch->idle))
		list_add_tail(&dispatch->idle, &idle_list);
}

/* A change of one ops begins: what the memos say is of another one. */
void ftrace_dispatch_change(void)
{
	ftrace_assert_locked();
	change++;
}

/*
 * Patching begins and ends. In between only those sets are to be had that
 * exist: their trampolines would need text_mutex.
 */
void ftrace_dispatch_freeze(bool on)
{
	ftrace_assert_locked();
	frozen = on;
}

/* A change is written: what no site calls any more may go. */
void ftrace_dispatch_sweep(void)
{
	struct ftrace_dispatch *dispatch, *next;

	ftrace_assert_locked();
	list_for_each_entry_safe(dispatch, next, &idle_list, idle) {
		list_del_init(&dispatch->idle);
		/* When patching stopped, records no longer tell who is called. */
		if (dispatch->sites || dispatch->flags & FTRACE_DISPATCH_KEPT ||
		    ftrace_sites_dead())
			continue;
		dispatch_retire(dispatch);
	}
}

/*
 * Ops
 */

static struct ftrace_dispatch *own_create(struct ftrace_ops *ops)
{
	struct ftrace_call call = { .func = ftrace_ops_entry(ops), .ops = ops };
	struct ftrace_dispatch *own;

	own = dispatch_alloc(&call, 1, FTRACE_DISPATCH_OWN | FTRACE_DISPATCH_KEPT);
	if (!own)
		return NULL;
	if (ops->flags & FTRACE_OPS_FL_DIRECT) {
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
		own->target = ops->direct_call;
#endif
		return own;
	}
	if (arch_ftrace_trampoline_create(ops, call.func)) {
		dispatch_abandon(own);
		return NULL;
	}
	own->target = ops->trampoline;
	/* The trampoline outlives its part of the ops' life. */
	own->tramp.ops.func = call.func;
	own->tramp.ops.flags = ops->flags;
	own->tramp.ops.trampoline = ops->trampoline;
	own->tramp.ops.trampoline_size = ops->trampoline_size;
	ftrace_tramp_add(&own->tramp);
	return own;
}

/* Give a new ops what its sites will call, and put it on the list. 0 or -ENOMEM. */
int ftrace_dispatch_add_ops(struct ftrace_ops *ops)
{
	static unsigned long seq;
	struct ftrace_dispatch *own;
	void *more;

	ftrace_assert_locked();
	if (nr_registered == nr_wanted_max) {
		more = kvmalloc_array(nr_wanted_max * 2 + 8, sizeof(*wanted), GFP_KERNEL);
		if (!more)
			return -ENOMEM;
		kvfree(wanted);
		wanted = more;
		nr_wanted_max = nr_wanted_max * 2 + 8;
	}
	if (nr_registered && lists_create())
		return -ENOMEM;
	own = own_create(ops);
	if (!own)
		return -ENOMEM;
	own->seq = ++seq;
	ops->dispatch = own;
	nr_registered++;
	list_add_tail_rcu(&own->list, &ftrace_registered);
	return 0;
}

/* The last site has been taken from an ops, or is about to be: let its dispatch go. */
void ftrace_dispatch_del_ops(struct ftrace_ops *ops)
{
	struct ftrace_dispatch *own = ops->dispatch;

	ftrace_assert_locked();
	list_del_rcu(&own->list);
	nr_registered--;
	own->flags &= ~FTRACE_DISPATCH_KEPT;
	if (list_empty(&own->idle))
		list_add_tail(&own->idle, &idle_list);
}

/* Is one of the registered ops permanent? */
bool ftrace_dispatch_permanent(void)
{
	struct ftrace_dispatch *own;

	ftrace_assert_locked();
	list_for_each_entry(own, &ftrace_registered, list) {
		if (own->calls[0].ops->flags & FTRACE_OPS_FL_PERMANENT)
			return true;
	}
	return false;
}

/*
 * The direct call of a registered ops has got another address: sets read it at
 * each call, but a site with nothing else has it in its text. The list node
 * and the place in the order move to the new dispatch. 0 or -ENOMEM.
 */
int ftrace_dispatch_new_direct(struct ftrace_ops *ops)
{
	struct ftrace_dispatch *old = ops->dispatch, *own;

	ftrace_assert_locked();
	own = own_create(ops);
	if (!own)
		return -ENOMEM;
	own->seq = old->seq;
	ops->dispatch = own;
	list_replace_rcu(&old->list, &own->list);
	old->flags &= ~FTRACE_DISPATCH_KEPT;
	if (list_empty(&old->idle))
		list_add_tail(&old->idle, &idle_list);
	return 0;
}

/* Let everything that calls @ops call @func. */
void ftrace_dispatch_set_func(struct ftrace_ops *ops, ftrace_func_t func)
{
	struct ftrace_dispatch *set;
	ftrace_func_t entry;
	int bucket;
	u32 i;

	ftrace_assert_locked();
	WRITE_ONCE(ops->func, func);
	entry = ftrace_ops_entry(ops);
	/* An entry that stays the same reads ops->func. */
	if (!ops->dispatch || ops->dispatch->calls[0].func == entry)
		return;
	WRITE_ONCE(ops->dispatch->calls[0].func, entry);
	if (ops->trampoline)
		arch_ftrace_trampoline_retarget(ops, entry);
	hash_for_each(dispatch_sets, bucket, set, node) {
		for (i = 0; i < set->nr; i++) {
			if (set->calls[i].ops == ops)
				WRITE_ONCE(set->calls[i].func, entry);
		}
	}
}

/*
 * What sites/ asks
 */

/**
 * ftrace_dispatch_target - the address that sites call
 * @dispatch: number of a dispatch
 * @ip: the site
 *
 * Context: ftrace_lock().
 * Return: the address, 0 for none.
 */
unsigned long ftrace_dispatch_target(u32 dispatch, unsigned long ip)
{
	ftrace_assert_locked();
	if (!dispatch || WARN_ON_ONCE(dispatch >= nr_slots || !dispatches[dispatch]))
		return 0;
	return dispatches[dispatch]->target;
}

/**
 * ftrace_dispatch_wanted - the dispatch of a site that has just become ready
 * @ip: the site
 *
 * Context: ftrace_lock().
 * Return: number of a dispatch, of which the site now has a reference.
 */
u32 ftrace_dispatch_wanted(unsigned long ip)
{
	struct ftrace_dispatch *dispatch;

	ftrace_assert_locked();
	if (!ftrace_hooks_on)
		return 0;
	dispatch = ftrace_dispatch_compute(ip);
	ftrace_dispatch_get(dispatch);
	return dispatch->id;
}

/**
 * ftrace_dispatch_gone - sites go away with their text
 * @first: record of the first
 * @count: how many follow each other
 *
 * Context: ftrace_lock().
 */
void ftrace_dispatch_gone(struct dyn_ftrace *first, unsigned long count)
{
	unsigned long i;

	ftrace_assert_locked();
	for (i = 0; i < count; i++)
		ftrace_dispatch_put(ftrace_dispatch_of(&first[i]));
	ftrace_hashes_forget(first, count);
	ftrace_dispatch_sweep();
}
