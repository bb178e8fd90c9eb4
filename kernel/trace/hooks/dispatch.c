// SPDX-License-Identifier: GPL-2.0
/*
 * Dispatches: each site calls one, whose number is in the site's record. A dispatch has one
 * target for its whole life, and an array of calls.
 *
 *   nop    number 0: no ops
 *   own    one ops: its entry calls the ops' callback, or the site calls the
 *	    owner's code (a direct call)
 *   set    several ops: its entry calls them one after the other, with no test, the one
 *	    that was registered last first: changes of the registers by earlier ones stand.
 *	    Interned: sites with the same ops share one
 *   guest  a set past ftrace_sets_max: its sites call the entry of a list, which
 *	    finds the set by the site's address
 *   list   the emergency when there is no memory for a set: calls those of all
 *	    registered ops whose filters name the site
 *
 * Which sites call what is decided in update.c. Only the functions of the hot
 * path (hooks_call_*, arch_ftrace_ops_list_func(), and those of call.c) run
 * without ftrace_lock().
 */
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "hooks/change.h"
#include "hooks/internal.h"

/*
 * Sets that have a trampoline of their own. A change of an ops on all sites needs
 * up to as many new ones before the old ones go.
 */
#define FTRACE_SETS_MAX		512

unsigned int ftrace_sets_max = FTRACE_SETS_MAX;		/* fewer in tests */

LIST_HEAD(ftrace_registered);
static unsigned int nr_registered;

struct ftrace_dispatch ftrace_dispatch_nop = {
	.flags	= FTRACE_DISPATCH_KEPT,
	.idle	= LIST_HEAD_INIT(ftrace_dispatch_nop.idle),
	.noted	= LIST_HEAD_INIT(ftrace_dispatch_nop.noted),
};

/* By number; [0] is the nop. */
struct dispatch_table {
	struct ftrace_retired	retired;
	u32			nr;		/* constant */
	struct ftrace_dispatch	*slots[];	/* RCU */
};

static struct dispatch_table __rcu *dispatch_table;	/* RCU */
static u32 dispatch_free_slot = 1;	/* ftrace_lock(); no free slot is before it */

/* Sets by their calls; how many have a trampoline, and how many are guests. */
static DEFINE_HASHTABLE(dispatch_sets, 8);
static unsigned int nr_trampoline_sets, nr_guests;

/* [1] with full registers. Made when there are two ops, and kept. */
static struct ftrace_dispatch *dispatch_lists[2];

/*
 * Hot path
 *
 * A hit calls this before anything protects it against recursion. A kprobe here, or in a
 * function that is called from here, would hit again: the code that handles its breakpoint is
 * traced, too.
 */

/* Called by the trampoline of a set. */
static void hooks_dispatch_call_set(unsigned long ip, unsigned long parent_ip,
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

NOKPROBE_SYMBOL(hooks_dispatch_call_set);

/*
 * As hooks_dispatch_call_set(), for two calls, which most sets have: a loop would cost as much as
 * they do.
 */
static void hooks_dispatch_call_pair(unsigned long ip, unsigned long parent_ip,
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

NOKPROBE_SYMBOL(hooks_dispatch_call_pair);

/*
 * Ask every registered ops for the site, but those with a flag of @without. None of them
 * can go while we are inside of a trampoline, see retire.c. One protection against
 * recursion does for all.
 */
static void hooks_dispatch_call_registered(unsigned long ip, unsigned long parent_ip,
					   struct ftrace_regs *fregs, unsigned long without)
{
	int bit = trace_test_and_set_recursion(ip, parent_ip, TRACE_LIST_START);
	struct ftrace_dispatch *own;
	struct ftrace_ops *ops;
	ftrace_func_t func;

	if (bit < 0)
		return;
	list_for_each_entry_rcu(own, &ftrace_registered, list, true) {
		ops = own->calls[0].ops;
		if (!ftrace_ops_traces(ops, ip) || ops->flags & (FTRACE_OPS_FL_STUB | without))
			continue;
		if (ops->flags & FTRACE_OPS_FL_RCU && !rcu_is_watching())
			continue;
		func = READ_ONCE(ops->func);
		func(ip, ops->flags & FTRACE_OPS_FL_PARENT ? ftrace_parent(parent_ip) : parent_ip,
		     ops, fregs);
	}
	trace_clear_recursion(bit);
}

NOKPROBE_SYMBOL(hooks_dispatch_call_registered);

static nokprobe_inline struct ftrace_dispatch *dispatch_table_get(u32 id)
{
	return READ_ONCE(rcu_dereference_raw(dispatch_table)->slots[id]);
}

/* The flag of the ops that cannot be called with @fregs, as not all registers were saved. */
static __always_inline unsigned long dispatch_without_regs(struct ftrace_regs *fregs)
{
	return IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS) && !ftrace_get_regs(fregs) ?
	       FTRACE_OPS_FL_SAVE_REGS : 0;
}

/*
 * Called by the entry of a list. The site's record has the number of the set that is meant. The
 * number and the set stay valid until no CPU is inside of an entry any more. The acquire of the
 * number pairs with the release in ftrace_patch_sites(): the table that has the slot, the slot
 * and the set are visible. RCU keeps records from being freed; where it does not watch, and for
 * the sites of a list, all ops are asked.
 *
 * A CPU may have come here before the text of the site was changed, by the entry that saves
 * no more than the arguments, and find an ops that has come to the site since then and wants
 * all registers. It is not called: to the others that call the function it is not there yet,
 * either. Callbacks may complete the registers in place, so this is asked before the first.
 */
void arch_ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *list, struct ftrace_regs *fregs)
{
	const struct dyn_ftrace *site = rcu_is_watching() ? ftrace_site_find(ip) : NULL;
	unsigned long without = dispatch_without_regs(fregs);
	const struct ftrace_dispatch *set;
	ftrace_func_t func;
	u32 i;

	/* Before the table: pairs with the release in ftrace_patch_sites(). */
	set = site ? dispatch_table_get(smp_load_acquire(&site->state) & FTRACE_SITE_DISPATCH) :
		     NULL;
	if (!set || READ_ONCE(set->flags) & FTRACE_DISPATCH_LIST) {
		hooks_dispatch_call_registered(ip, parent_ip, fregs, without);
		return;
	}
	without &= set->target.flags;
	for (i = 0; i < set->nr; i++) {
		func = READ_ONCE(set->calls[i].func);
		/* The memory of an ops that was silenced may be gone. */
		if (unlikely(without) && func != ftrace_stub && set->calls[i].ops->flags & without)
			continue;
		func(ip, parent_ip, set->calls[i].ops, fregs);
	}
}

NOKPROBE_SYMBOL(arch_ftrace_ops_list_func);

/*
 * Life of a dispatch
 */

static bool dispatch_has_trampoline(const struct ftrace_dispatch *dispatch)
{
	return dispatch->target.size && !(dispatch->flags & FTRACE_DISPATCH_GUEST);
}

static void dispatch_free(struct ftrace_retired *retired)
{
	struct ftrace_dispatch *dispatch = container_of(retired, struct ftrace_dispatch, retired);

	if (!(dispatch->flags & FTRACE_DISPATCH_GUEST))
		arch_ftrace_target_exit(&dispatch->target);
	kfree(dispatch);
}

static void dispatch_slot_free(u32 id)
{
	struct dispatch_table *table = rcu_dereference_raw(dispatch_table);

	WRITE_ONCE(table->slots[id], NULL);
	dispatch_free_slot = min(dispatch_free_slot, id);
}

/*
 * No CPU is inside of the entry any more, so none has read the number from a record.
 * A lookup of trampolines by address may still hold the node, so the memory is freed
 * after another grace period.
 */
static void dispatch_forget(struct ftrace_retired *retired)
{
	struct ftrace_dispatch *dispatch = container_of(retired, struct ftrace_dispatch, retired);

	guard(ftrace_lock)();
	dispatch_slot_free(dispatch->id);
	if (dispatch_has_trampoline(dispatch))
		ftrace_tramp_remove(&dispatch->tramp);
	retired->free = dispatch_free;
	ftrace_retire(retired);
}

static void dispatch_table_free(struct ftrace_retired *retired)
{
	kvfree(container_of(retired, struct dispatch_table, retired));
}

/* A table with more slots takes the place of the old one, which readers may still use. */
static int dispatch_table_grow(void)
{
	struct dispatch_table *old = rcu_dereference_raw(dispatch_table), *table;
	u32 nr = old ? old->nr * 2 : 64;

	table = kvzalloc(struct_size(table, slots, nr), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	table->nr = nr;
	table->retired.free = dispatch_table_free;
	table->slots[0] = &ftrace_dispatch_nop;
	if (old)
		memcpy(table->slots, old->slots, old->nr * sizeof(*old->slots));
	rcu_assign_pointer(dispatch_table, table);
	if (old)
		ftrace_retire(&old->retired);
	return 0;
}

static int dispatch_slot_alloc(struct ftrace_dispatch *dispatch)
{
	struct dispatch_table *table = rcu_dereference_raw(dispatch_table);
	u32 id = dispatch_free_slot;

	while (table && id < table->nr && table->slots[id])
		id++;
	if (id > FTRACE_SITE_DISPATCH)
		return -ENOSPC;
	if (!table || id >= table->nr) {
		if (dispatch_table_grow())
			return -ENOMEM;
		table = rcu_dereference_raw(dispatch_table);
	}
	dispatch->id = id;
	dispatch_free_slot = id + 1;
	/* Published by the record that gets the number, see ftrace_patch_sites(). */
	WRITE_ONCE(table->slots[id], dispatch);
	return 0;
}

static struct ftrace_dispatch *dispatch_alloc(const struct ftrace_call *calls, u32 nr,
					      unsigned long flags)
{
	struct ftrace_dispatch *dispatch;
	bool fregs = !nr, inside = nr, view = nr;
	u32 i;

	dispatch = kzalloc(struct_size(dispatch, calls, nr), GFP_KERNEL);
	if (!dispatch)
		return NULL;
	dispatch->nr = nr;
	dispatch->flags = flags;
	dispatch->retired.free = dispatch_forget;
	INIT_LIST_HEAD(&dispatch->idle);
	INIT_LIST_HEAD(&dispatch->noted);
	for (i = 0; i < nr; i++) {
		unsigned long ops_flags = calls[i].ops->flags;

		dispatch->calls[i] = calls[i];
		fregs |= !(ops_flags & FTRACE_OPS_FL_NO_FREGS);
		inside &= !!(ops_flags & FTRACE_OPS_FL_INSIDE);
		view &= !!(ops_flags & (FTRACE_OPS_FL_VIEW | FTRACE_OPS_FL_NO_FREGS));
		dispatch->target.flags |= ops_flags & (FTRACE_OPS_FL_SAVE_REGS |
						       FTRACE_OPS_FL_DIRECT);
		if (ops_flags & FTRACE_OPS_FL_IPMODIFY)
			dispatch->flags |= FTRACE_DISPATCH_MODIFY;
		if (ops_flags & FTRACE_OPS_FL_DIRECT)
			dispatch->flags |= FTRACE_DISPATCH_DIRECT;
	}
	if (!fregs)
		dispatch->target.flags |= FTRACE_OPS_FL_NO_FREGS;
	if (inside)
		dispatch->target.flags |= FTRACE_OPS_FL_INSIDE;
	if (view)
		dispatch->target.flags |= FTRACE_OPS_FL_VIEW;
	if (dispatch_slot_alloc(dispatch)) {
		kfree(dispatch);
		return NULL;
	}
	return dispatch;
}

static void dispatch_retire(struct ftrace_dispatch *dispatch)
{
	if (!(dispatch->flags & (FTRACE_DISPATCH_OWN | FTRACE_DISPATCH_LIST))) {
		hash_del(&dispatch->node);
		if (dispatch->flags & FTRACE_DISPATCH_GUEST)
			nr_guests--;
		else
			nr_trampoline_sets -= dispatch_has_trampoline(dispatch);
	}
	ftrace_retire(&dispatch->retired);
}

/* A dispatch that no site has called. */
static void dispatch_abandon(struct ftrace_dispatch *dispatch)
{
	dispatch_slot_free(dispatch->id);
	kfree(dispatch);
}

/* Let the architecture make an entry that calls @func for @ops, or a direct call. */
static int dispatch_make_entry(struct ftrace_dispatch *dispatch, ftrace_func_t func,
			       struct ftrace_ops *ops)
{
	struct ftrace_target *target = &dispatch->target;
	struct ftrace_ops *tramp = &dispatch->tramp.ops;
	int ret;

	target->func = func;
	target->ops = ops;
	ret = arch_ftrace_target_init(target);
	if (ret || !target->size)
		return ret;
	tramp->func = func;
	tramp->flags = target->flags | FTRACE_OPS_FL_INITIALIZED;
	tramp->trampoline = target->entry;
	tramp->trampoline_size = target->size;
	ftrace_tramp_add(&dispatch->tramp);
	return 0;
}

/*
 * Sets and lists
 */

/*
 * The order of the calls is that of registration, so a sum tells sets apart. It is worked out for
 * each ops that comes to a site, over all that are there.
 */
static u32 dispatch_calls_hash(const struct ftrace_call *calls, u32 nr)
{
	u32 i, hash = 0;

	for (i = 0; i < nr; i++)
		hash += hash_ptr(calls[i].ops, 32);
	return hash;
}

static bool dispatch_calls_equal(const struct ftrace_dispatch *set, const struct ftrace_call *calls,
				 u32 nr)
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

/* A set with an entry of its own, not hashed; NULL without memory. */
static struct ftrace_dispatch *dispatch_set_create(const struct ftrace_call *calls, u32 nr)
{
	struct ftrace_dispatch *set = dispatch_alloc(calls, nr, 0);

	if (!set)
		return NULL;
	if (nr == 2) {
		set->target.pair = set->calls;
		set->target.flags |= FTRACE_OPS_FL_PAIR;
	}
	if (dispatch_make_entry(set, nr == 2 ? hooks_dispatch_call_pair : hooks_dispatch_call_set,
				&set->tramp.ops)) {
		dispatch_abandon(set);
		return NULL;
	}
	nr_trampoline_sets += dispatch_has_trampoline(set);
	return set;
}

/* A set whose sites call the entry of a list, not hashed; NULL without memory. */
static struct ftrace_dispatch *dispatch_guest_create(const struct ftrace_call *calls, u32 nr)
{
	struct ftrace_dispatch *guest = dispatch_alloc(calls, nr, FTRACE_DISPATCH_GUEST);
	bool regs;

	if (!guest)
		return NULL;
	regs = guest->target.flags & FTRACE_OPS_FL_SAVE_REGS;
	guest->target = dispatch_lists[regs]->target;
	nr_guests++;
	return guest;
}

/* The dispatch of these calls, the ops that was registered last first. */
static struct ftrace_dispatch *dispatch_intern(struct ftrace_change *change, u32 nr)
{
	const struct ftrace_call *calls = change->calls;
	struct ftrace_dispatch *set = NULL;
	bool regs = false;
	u32 hash, i;

	if (nr == 1)
		return calls[0].ops->dispatch;
	hash = dispatch_calls_hash(calls, nr);
	hash_for_each_possible(dispatch_sets, set, node, hash) {
		if (dispatch_calls_equal(set, calls, nr))
			return set;
	}
	if (!change->patching && nr_trampoline_sets < ftrace_sets_max)
		set = dispatch_set_create(calls, nr);
	if (!change->patching && !set)
		set = dispatch_guest_create(calls, nr);
	if (set) {
		hash_add(dispatch_sets, &set->node, hash);
		/* It goes at the end of the change if no site calls it by then. */
		list_add_tail(&set->idle, &change->idle);
		return set;
	}
	for (i = 0; i < nr; i++)
		regs |= calls[i].ops->flags & FTRACE_OPS_FL_SAVE_REGS;
	return dispatch_lists[regs];
}

/*
 * Make sets with trampolines in place of guests, when there is room for all of them.
 * The memos of a guest then lead to its set, which its sites are to call instead.
 * Returns whether there is such a guest.
 */
bool ftrace_dispatch_promote(struct ftrace_change *change)
{
	struct ftrace_dispatch *guest, *set;
	struct hlist_node *next;
	bool any = false;
	int bucket;

	ftrace_assert_locked();
	if (!nr_guests || nr_trampoline_sets + nr_guests > ftrace_sets_max)
		return false;
	hash_for_each_safe(dispatch_sets, bucket, next, guest, node) {
		if (!(guest->flags & FTRACE_DISPATCH_GUEST))
			continue;
		set = dispatch_set_create(guest->calls, guest->nr);
		if (!set)
			break;
		hlist_replace_rcu(&guest->node, &set->node);
		INIT_HLIST_NODE(&guest->node);
		guest->memo[0] = set;
		guest->memo[1] = set;
		list_move_tail(&guest->noted, &change->noted);
		list_move_tail(&guest->idle, &change->idle);
		list_add_tail(&set->idle, &change->idle);
		any = true;
	}
	return any;
}

/* Make the lists before a second ops is registered, so that a change cannot fail later. */
static int dispatch_lists_create(void)
{
	struct ftrace_dispatch *list;
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(dispatch_lists); i++) {
		if (dispatch_lists[i])
			continue;
		list = dispatch_alloc(NULL, 0, FTRACE_DISPATCH_LIST | FTRACE_DISPATCH_KEPT);
		if (!list)
			return -ENOMEM;
		list->target.flags |= FTRACE_OPS_FL_DIRECT;
		if (i)
			list->target.flags |= FTRACE_OPS_FL_SAVE_REGS;
		ret = dispatch_make_entry(list, arch_ftrace_ops_list_func, &list->tramp.ops);
		if (ret) {
			dispatch_abandon(list);
			return ret;
		}
		dispatch_lists[i] = list;
	}
	return 0;
}

/* Everything that a site at @ip should call, from all filters. */
struct ftrace_dispatch *ftrace_dispatch_compute(struct ftrace_change *change, unsigned long ip)
{
	struct ftrace_dispatch *own, *first = NULL;
	u32 nr = 0;

	ftrace_assert_locked();
	list_for_each_entry(own, &ftrace_registered, list) {
		if (!ftrace_ops_traces(own->calls[0].ops, ip))
			continue;
		first = first ?: own;
		if (change->calls)
			change->calls[nr] = own->calls[0];
		nr++;
	}
	if (nr < 2)
		return first ?: &ftrace_dispatch_nop;
	return change->calls ? dispatch_intern(change, nr) : dispatch_lists[true];
}

/* @old and the ops of the change, the one that was registered last first. */
static struct ftrace_dispatch *dispatch_with(struct ftrace_change *change,
					     struct ftrace_dispatch *old)
{
	struct ftrace_dispatch *own = change->ops->dispatch;
	u32 i, nr = 0;

	for (i = 0; i < old->nr; i++) {
		if (old->calls[i].ops == change->ops)
			return old;
	}
	if (!old->nr)
		return own;
	for (i = 0; i < old->nr && old->calls[i].ops->dispatch->seq > own->seq; i++)
		change->calls[nr++] = old->calls[i];
	change->calls[nr++] = own->calls[0];
	for (; i < old->nr; i++)
		change->calls[nr++] = old->calls[i];
	return dispatch_intern(change, nr);
}

/* @old less the ops of the change. */
static struct ftrace_dispatch *dispatch_without(struct ftrace_change *change,
						struct ftrace_dispatch *old)
{
	u32 i, nr = 0;

	for (i = 0; i < old->nr; i++) {
		if (old->calls[i].ops != change->ops)
			change->calls[nr++] = old->calls[i];
	}
	if (nr == old->nr)
		return old;
	return nr ? dispatch_intern(change, nr) : &ftrace_dispatch_nop;
}

/*
 * Where a site at @ip gets to from @old when the ops of the change comes (@with)
 * or goes. Cheap after the first time in a change.
 */
struct ftrace_dispatch *ftrace_dispatch_step(struct ftrace_change *change,
					     struct ftrace_dispatch *old, bool with,
					     unsigned long ip)
{
	struct ftrace_dispatch *new = old->memo[with];

	if (likely(new))
		return new;
	if (old->flags & FTRACE_DISPATCH_LIST || !change->calls)
		return ftrace_dispatch_compute(change, ip);
	new = with ? dispatch_with(change, old) : dispatch_without(change, old);
	old->memo[with] = new;
	list_move_tail(&old->noted, &change->noted);
	return new;
}

/* Clear all memos, before another ops changes and at the end of a change. */
void ftrace_dispatch_forget_memos(struct ftrace_change *change)
{
	struct ftrace_dispatch *dispatch, *next;

	ftrace_assert_locked();
	list_for_each_entry_safe(dispatch, next, &change->noted, noted) {
		dispatch->memo[0] = NULL;
		dispatch->memo[1] = NULL;
		list_del_init(&dispatch->noted);
	}
}

/* The dispatch that a site calls now. */
struct ftrace_dispatch *ftrace_dispatch_of(const struct dyn_ftrace *site)
{
	u32 id = ftrace_site_dispatch(site);

	return id ? dispatch_table_get(id) : &ftrace_dispatch_nop;
}

/* The target of the dispatch with this number. */
const struct ftrace_target *ftrace_dispatch_target(u32 id)
{
	ftrace_assert_locked();
	return &dispatch_table_get(id)->target;
}

/* How many ops are registered? */
unsigned int ftrace_dispatch_registered(void)
{
	ftrace_assert_locked();
	return nr_registered;
}

/* A site calls @dispatch from now on. */
void ftrace_dispatch_get(struct ftrace_dispatch *dispatch, unsigned long nr)
{
	dispatch->sites += nr;
}

static void dispatch_may_go(struct ftrace_change *change, struct ftrace_dispatch *dispatch)
{
	if (list_empty(&dispatch->idle))
		list_add_tail(&dispatch->idle, &change->idle);
}

/* A site has stopped calling @dispatch. */
void ftrace_dispatch_put(struct ftrace_change *change, struct ftrace_dispatch *dispatch,
			 unsigned long nr)
{
	dispatch->sites -= nr;
	if (!dispatch->sites)
		dispatch_may_go(change, dispatch);
}

/* The change is written: retire the dispatches that no site calls any more. */
void ftrace_dispatch_sweep(struct ftrace_change *change)
{
	struct ftrace_dispatch *dispatch, *next;

	ftrace_assert_locked();
	list_for_each_entry_safe(dispatch, next, &change->idle, idle) {
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

/* The address that a direct call leads to; 0: @ops has a callback. */
static unsigned long dispatch_ops_direct(const struct ftrace_ops *ops)
{
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	if (ops->flags & FTRACE_OPS_FL_DIRECT)
		return ops->direct_call;
#endif
	return 0;
}

/*
 * Make the dispatch of the sites that have no ops but @ops: they call @func, or @direct if that
 * is not 0. Sets call @func in both cases. Returns ERR_PTR() on an error.
 */
static struct ftrace_dispatch *dispatch_own_create(struct ftrace_ops *ops, ftrace_func_t func,
						   unsigned long direct)
{
	struct ftrace_call call = { .func = func, .ops = ops };
	struct ftrace_dispatch *own;
	int ret;

	own = dispatch_alloc(&call, 1, FTRACE_DISPATCH_OWN | FTRACE_DISPATCH_KEPT);
	if (!own)
		return ERR_PTR(-ENOMEM);
	own->target.direct = direct;
	ret = dispatch_make_entry(own, direct ? NULL : call.func, ops);
	if (!ret)
		return own;
	dispatch_abandon(own);
	return ERR_PTR(ret);
}

/* Give a new ops what its sites will call, and put it on the list. */
int ftrace_dispatch_add_ops(struct ftrace_ops *ops)
{
	static unsigned long seq;
	struct ftrace_dispatch *own;

	ftrace_assert_locked();
	if (nr_registered && dispatch_lists_create())
		return -ENOMEM;
	own = dispatch_own_create(ops, ftrace_ops_entry(ops), dispatch_ops_direct(ops));
	if (IS_ERR(own))
		return PTR_ERR(own);
	own->seq = ++seq;
	ops->dispatch = own;
	nr_registered++;
	list_add_rcu(&own->list, &ftrace_registered);
	return 0;
}

/* The last site has been taken from an ops, or is about to be: let its dispatch go. */
void ftrace_dispatch_del_ops(struct ftrace_change *change, struct ftrace_ops *ops)
{
	struct ftrace_dispatch *own = ops->dispatch;

	ftrace_assert_locked();
	list_del_rcu(&own->list);
	nr_registered--;
	own->flags &= ~FTRACE_DISPATCH_KEPT;
	dispatch_may_go(change, own);
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
 * Make the dispatch for the sites of a registered ops alone, with a direct call that leads to
 * @addr; or ERR_PTR(). Nobody knows of it until ftrace_dispatch_take_over().
 */
struct ftrace_dispatch *ftrace_dispatch_new_direct(struct ftrace_ops *ops, unsigned long addr)
{
	struct ftrace_dispatch *own;

	ftrace_assert_locked();
	/* Some owners have set ops->func to NULL when they come here. */
	own = dispatch_own_create(ops, ops->dispatch->calls[0].func, addr);
	if (!IS_ERR(own))
		own->seq = ops->dispatch->seq;
	return own;
}

/* The sites of @ops call @own: the list node and the place in the order move there. */
void ftrace_dispatch_take_over(struct ftrace_change *change, struct ftrace_ops *ops,
			       struct ftrace_dispatch *own)
{
	struct ftrace_dispatch *old = ops->dispatch;

	ftrace_assert_locked();
	ops->dispatch = own;
	list_replace_rcu(&old->list, &own->list);
	old->flags &= ~FTRACE_DISPATCH_KEPT;
	dispatch_may_go(change, old);
}

/* Let everything that calls something for @ops call @entry. */
static void dispatch_set_entry(struct ftrace_ops *ops, ftrace_func_t entry)
{
	struct ftrace_dispatch *own = ops->dispatch, *set;
	int bucket;
	u32 i;

	WRITE_ONCE(own->calls[0].func, entry);
	if (!own->target.direct) {
		WRITE_ONCE(own->target.func, entry);
		arch_ftrace_target_retarget(&own->target);
	}
	hash_for_each(dispatch_sets, bucket, set, node) {
		for (i = 0; i < set->nr; i++) {
			if (set->calls[i].ops != ops)
				continue;
			WRITE_ONCE(set->calls[i].func, entry);
			if (set->target.pair)
				arch_ftrace_target_retarget(&set->target);
		}
	}
}

/* Let everything that calls @ops call @func. */
void ftrace_dispatch_set_func(struct ftrace_ops *ops, ftrace_func_t func)
{
	ftrace_func_t entry;

	ftrace_assert_locked();
	WRITE_ONCE(ops->func, func);
	entry = ftrace_ops_entry(ops);
	/* Otherwise the entry is one of call.c, which reads ops->func at each call. */
	if (ops->dispatch && ops->dispatch->calls[0].func != entry)
		dispatch_set_entry(ops, entry);
}

/* Choose anew what is called for the registered ops with @flag. */
void ftrace_dispatch_choose_entries(unsigned long flag)
{
	struct ftrace_dispatch *own;
	struct ftrace_ops *ops;

	ftrace_assert_locked();
	list_for_each_entry(own, &ftrace_registered, list) {
		ops = own->calls[0].ops;
		if (ops->flags & flag)
			dispatch_set_entry(ops, ftrace_ops_entry(ops));
	}
}

/*
 * Let sites that cannot be patched any more call nothing for @ops. After a grace period, nobody
 * reads @ops by a dispatch whose call leads to ftrace_stub(), so that it may be freed.
 */
void ftrace_dispatch_silence(struct ftrace_ops *ops)
{
	ftrace_assert_locked();
	dispatch_set_entry(ops, ftrace_stub);
}
