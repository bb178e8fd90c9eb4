// SPDX-License-Identifier: GPL-2.0
/*
 * Direct calls: sites that call their owner's trampoline instead of one of
 * ours. With other ops on the function, the trampoline of the set calls
 * those and goes on to the owner's.
 *
 * A function has one direct call at most. It shares the function with an
 * IPMODIFY ops only if the owner says so (ops->ops_func), as its trampoline
 * then must not call the function by its address. ftrace_direct_mutex keeps
 * direct calls from coming and going while owners are asked.
 */
#include <linux/export.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "hooks/change.h"
#include "hooks/internal.h"
#include "hooks/share.h"

/* In a set or a list: tell the trampoline where to go on. */
static void hooks_direct_call(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	arch_ftrace_set_direct_caller(fregs, READ_ONCE(ops->direct_call));
}

NOKPROBE_SYMBOL(hooks_direct_call);

/**
 * ftrace_find_rec_direct - the direct call at a site
 * @ip: the site
 *
 * Context: any.
 * Return: the address that is called, 0: none.
 */
unsigned long ftrace_find_rec_direct(unsigned long ip)
{
	struct ftrace_dispatch *own;
	struct ftrace_ops *ops;

	guard(preempt_notrace)();
	list_for_each_entry_rcu(own, &ftrace_registered, list, true) {
		ops = own->calls[0].ops;
		if (ops->flags & FTRACE_OPS_FL_DIRECT && ftrace_ops_traces(ops, ip))
			return READ_ONCE(ops->direct_call);
	}
	return 0;
}

/**
 * register_ftrace_direct - let the functions of a filter call an address
 * @ops: an ops without a callback, and with a filter
 * @addr: the owner's trampoline
 *
 * Context: task; takes ftrace_direct_mutex, ftrace_lock().
 * Return: 0; -EINVAL: @ops is in use or names no function; -EBUSY: one of them
 * has a direct call, or an IPMODIFY ops that cannot share it; -ERANGE: no call of a
 * site reaches @addr; -ENODEV, -ENOMEM; what ops->ops_func() says.
 */
int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	int ret;

	if (ops->func || !addr ||
	    !(ops->flags & FTRACE_OPS_FL_INITIALIZED) || ops->flags & FTRACE_OPS_FL_ENABLED ||
	    ftrace_ops_filter_empty(ops, false))
		return -EINVAL;

	scoped_guard(mutex, &ftrace_direct_mutex) {
		guard(ftrace_lock)();
		ops->func = hooks_direct_call;
		ops->direct_call = addr;
		ops->flags |= FTRACE_OPS_FL_DIRECT | FTRACE_OPS_FL_SAVE_ARGS;
		ret = ftrace_ops_add(ops);
	}
	if (!ret)
		return 0;
	/* Patching may have stopped half way, with callers meanwhile. */
	if (ret == -ENODEV)
		ftrace_hooks_synchronize();
	ops->func = NULL;
	ops->direct_call = 0;
	ops->flags &= ~FTRACE_OPS_FL_DIRECT;
	return ret;
}
EXPORT_SYMBOL_GPL(register_ftrace_direct);

static bool direct_registered(const struct ftrace_ops *ops)
{
	return ops->flags & FTRACE_OPS_FL_DIRECT && ops->flags & FTRACE_OPS_FL_ENABLED;
}

/**
 * unregister_ftrace_direct - take a direct call from its functions
 * @ops: the ops
 * @addr: what they call
 * @free_filters: free the filters of @ops as well
 *
 * Waits until its last callers have left. When ftrace is dead, the sites of @ops are patched
 * all the same: the owner's code may go after this.
 *
 * Context: task, may sleep; takes ftrace_direct_mutex, ftrace_lock().
 * Return: 0; -EINVAL: is not registered; -ENODEV: ftrace is dead, and a site whose text is not
 * what it should be may lead to @addr. @ops is unregistered then as well.
 */
int unregister_ftrace_direct(struct ftrace_ops *ops, unsigned long addr, bool free_filters)
{
	int ret;

	scoped_guard(mutex, &ftrace_direct_mutex) {
		guard(ftrace_lock)();
		if (!direct_registered(ops))
			return -EINVAL;
		ret = ftrace_ops_del(ops);
	}
	/* CPUs inside of a set may still read the address, and others run there. */
	ftrace_hooks_synchronize();

	/* As it was before registering: it may be registered anew. */
	ops->func = NULL;
	ops->direct_call = 0;
	ops->flags &= ~FTRACE_OPS_FL_DIRECT;
	if (free_filters)
		ftrace_free_filter(ops);
	return ret;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_direct);

/*
 * @ask: the owner has to agree to share its functions with the IPMODIFY ops there. When patching
 * has stopped, nobody is asked: the owner modifies the call to get rid of the old address, and
 * an IPMODIFY ops of the site may be gone.
 */
static int direct_modify(struct ftrace_ops *ops, unsigned long addr, bool ask)
{
	struct ftrace_dispatch *own;
	struct ftrace_change change;
	struct ftrace_scope scope;
	int ret;

	lockdep_assert_held_once(&ftrace_direct_mutex);
	guard(ftrace_lock)();
	if (!direct_registered(ops) || !addr)
		return -EINVAL;
	scope = ftrace_ops_scope(ops);
	ask = ask && !ftrace_sites_dead();
	ret = ask ? ftrace_ops_check(ops, &scope, &ftrace_scope_none) : 0;
	if (ret)
		return ret;
	own = ftrace_dispatch_new_direct(ops, addr);
	if (IS_ERR(own))
		return PTR_ERR(own);
	ftrace_change_begin(&change);
	ret = ftrace_update_replace(&change, ops, ops->dispatch, own);
	/*
	 * Sets and lists read the address at each call, so they get it when nothing can fail
	 * any more. After an error own stays: ftrace is dead, and no dispatch is freed then.
	 */
	if (!ret) {
		ftrace_dispatch_take_over(&change, ops, own);
		WRITE_ONCE(ops->direct_call, addr);
	}
	ftrace_change_end(&change);
	return ret;
}

/**
 * modify_ftrace_direct - send the functions of a direct call elsewhere
 * @ops: the ops
 * @addr: the address; the old one may still be entered for a grace period
 *
 * The code at @addr may call the function by its address, even if the code at the old address
 * did not. So the owner is asked, as when it registers, where an IPMODIFY ops is on the
 * function.
 *
 * It works when ftrace is dead: the owner may have to take away what the old address calls.
 *
 * Context: task, may sleep; takes ftrace_direct_mutex, ftrace_lock().
 * Return: 0; -EINVAL: is not registered; -ENODEV: the text of a site is not what it should be;
 * -ENOMEM, -ERANGE; what ops->ops_func() says. Nothing has changed then, and nobody is at @addr.
 */
int modify_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	int ret;

	scoped_guard(mutex, &ftrace_direct_mutex)
		ret = direct_modify(ops, addr, true);
	/* Patching may have stopped half way, with callers meanwhile. */
	if (ret == -ENODEV)
		ftrace_hooks_synchronize();
	return ret;
}
EXPORT_SYMBOL_GPL(modify_ftrace_direct);

/**
 * modify_ftrace_direct_nolock - modify_ftrace_direct() from ops->ops_func()
 * @ops: the ops
 * @addr: the address
 *
 * Context: FTRACE_OPS_CMD_*_SHARE_IPMODIFY_PEER, which holds the mutex: no grace period can
 * be waited for.
 * Return: as modify_ftrace_direct(); but after -ENODEV, @addr may still be entered for a
 * grace period.
 */
int modify_ftrace_direct_nolock(struct ftrace_ops *ops, unsigned long addr)
{
	if (WARN_ON_ONCE(!mutex_is_locked(&ftrace_direct_mutex)))
		return -EINVAL;
	return direct_modify(ops, addr, false);
}
EXPORT_SYMBOL_GPL(modify_ftrace_direct_nolock);
