// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks without sites (no CONFIG_DYNAMIC_FTRACE): every function calls
 * __fentry__(), which looks whether there is a set of ops, and every function calls
 * all of them. There are no filters, and an ops that needs one is refused.
 *
 * A set never changes but for the callbacks in it: one with an ops more or less
 * takes its place, and the old one is retired as a dispatch is, since those who
 * are inside of it may be anywhere.
 */
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "hooks/change.h"
#include "hooks/internal.h"

struct ftrace_static_set {
	struct ftrace_retired	retired;
	u32			nr;
	struct ftrace_call	calls[] __counted_by(nr);
};

bool ftrace_hooks_on = true;

/* Under ftrace_lock(): the registered ops, the last one first; NULL: none. */
static struct ftrace_static_set *registered;

/* Under RCU: the set that __fentry__() tests: @registered, or NULL while hooks are off. */
struct ftrace_static_set __rcu *ftrace_static_set __read_mostly;

/*
 * Called by __fentry__(). Context: any, also on a CPU whose per-CPU area is not set up yet, or
 * not valid any more. Nothing but ftrace_enabled, which kexec clears, may be read there.
 */
void arch_ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *list, struct ftrace_regs *fregs)
{
	const struct ftrace_static_set *set = rcu_dereference_raw(ftrace_static_set);
	const struct ftrace_call *call;
	ftrace_func_t func;

	if (!set || !READ_ONCE(ftrace_enabled))
		return;
	for (call = set->calls; call < set->calls + set->nr; call++) {
		func = READ_ONCE(call->func);
		func(ip, parent_ip, call->ops, fregs);
	}
}

NOKPROBE_SYMBOL(arch_ftrace_ops_list_func);

static void static_set_free(struct ftrace_retired *retired)
{
	kfree(container_of(retired, struct ftrace_static_set, retired));
}

static struct ftrace_static_set *static_set_alloc(u32 nr, gfp_t gfp)
{
	struct ftrace_static_set *set = kzalloc(struct_size(set, calls, nr), gfp);

	if (set) {
		set->nr = nr;
		set->retired.free = static_set_free;
	}
	return set;
}

/* Pairs with rcu_dereference_raw() in arch_ftrace_ops_list_func(): the set is complete. */
static void static_set_publish(void)
{
	rcu_assign_pointer(ftrace_static_set, ftrace_hooks_on ? registered : NULL);
}

static void static_set_replace(struct ftrace_static_set *set)
{
	struct ftrace_static_set *old = registered;

	registered = set;
	static_set_publish();
	if (old)
		ftrace_retire(&old->retired);
}

/* Let every function call a new ops. 0 or -ENOMEM. */
int ftrace_ops_attach(struct ftrace_ops *ops)
{
	u32 nr = registered ? registered->nr : 0;
	struct ftrace_static_set *set;

	ftrace_assert_locked();
	set = static_set_alloc(nr + 1, GFP_KERNEL);
	if (!set)
		return -ENOMEM;
	set->calls[0] = (struct ftrace_call) { .func = ftrace_ops_entry(ops), .ops = ops };
	if (nr)
		memcpy(&set->calls[1], registered->calls, nr * sizeof(*set->calls));
	ops->flags |= FTRACE_OPS_FL_ENABLED;
	static_set_replace(set);
	return 0;
}

/* No function calls a registered ops any more. Does not fail. */
int ftrace_ops_detach(struct ftrace_ops *ops)
{
	struct ftrace_static_set *set = NULL;
	u32 i, nr = 0;

	ftrace_assert_locked();
	if (registered->nr > 1) {
		/* The owner frees the ops next, so this cannot fail. */
		set = static_set_alloc(registered->nr - 1, GFP_KERNEL | __GFP_NOFAIL);
		for (i = 0; i < registered->nr; i++) {
			if (registered->calls[i].ops != ops)
				set->calls[nr++] = registered->calls[i];
		}
	}
	static_set_replace(set);
	ops->flags &= ~FTRACE_OPS_FL_ENABLED;
	return 0;
}

/* Let functions that call @ops call @func. */
void ftrace_dispatch_set_func(struct ftrace_ops *ops, ftrace_func_t func)
{
	u32 i;

	ftrace_assert_locked();
	WRITE_ONCE(ops->func, func);
	for (i = 0; registered && i < registered->nr; i++) {
		if (registered->calls[i].ops == ops)
			WRITE_ONCE(registered->calls[i].func, ftrace_ops_entry(ops));
	}
}

/* Choose anew what is called for the registered ops with @flag. */
void ftrace_dispatch_choose_entries(unsigned long flag)
{
	struct ftrace_call *call;
	u32 i;

	ftrace_assert_locked();
	for (i = 0; registered && i < registered->nr; i++) {
		call = &registered->calls[i];
		if (call->ops->flags & flag)
			WRITE_ONCE(call->func, ftrace_ops_entry(call->ops));
	}
}

/* Is one of the registered ops permanent? */
bool ftrace_dispatch_permanent(void)
{
	u32 i;

	ftrace_assert_locked();
	for (i = 0; registered && i < registered->nr; i++) {
		if (registered->calls[i].ops->flags & FTRACE_OPS_FL_PERMANENT)
			return true;
	}
	return false;
}

/* All functions call the ops, or nothing. Does not fail. */
int ftrace_update_all(bool on)
{
	ftrace_assert_locked();
	ftrace_hooks_on = on;
	static_set_publish();
	return 0;
}
