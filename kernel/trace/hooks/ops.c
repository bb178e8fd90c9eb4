// SPDX-License-Identifier: GPL-2.0
/*
 * Ops come and go: register_ftrace_function() and its kin check what is asked for
 * and wait for callers. attach.c, or static.c, lets functions call the ops.
 */
#include <linux/export.h>
#include <linux/kernel.h>

#include "hooks/dispatch.h"
#include "hooks/internal.h"
#include "hooks/share.h"

/* Can a callback of this kernel have all registers, or the arguments of the function? */
#define OPS_HAVE_REGS	IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS)
#define OPS_HAVE_ARGS	IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)

/* Does an ops with these flags ask for registers that this kernel does not save? */
static bool ops_impossible(unsigned long flags)
{
	bool regs = flags & FTRACE_OPS_FL_SAVE_REGS;

	if (flags & FTRACE_OPS_FL_DELETED || (regs && !OPS_HAVE_REGS))
		return true;
	/* It changes the instruction pointer, so it has to be given it. */
	return flags & FTRACE_OPS_FL_IPMODIFY && !regs && !OPS_HAVE_ARGS;
}

/* Settle the flags of an ops that is about to be registered. */
static int ops_settle_flags(struct ftrace_ops *ops)
{
	unsigned long flags = ops->flags;

	if (flags & FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED) {
		flags &= ~FTRACE_OPS_FL_SAVE_REGS;
		flags |= OPS_HAVE_REGS ? FTRACE_OPS_FL_SAVE_REGS : 0;
	}
	if (ops_impossible(flags))
		return -EINVAL;
	if (flags & FTRACE_OPS_FL_ENABLED)
		return -EBUSY;
	if (flags & FTRACE_OPS_FL_PERMANENT && !ftrace_hooks_on)
		return -EBUSY;
	if (!is_kernel_core_data((unsigned long)ops))
		flags |= FTRACE_OPS_FL_DYNAMIC;
	ops->flags = flags;
	return 0;
}

/* Register @ops, under ftrace_lock(). Errors: see register_ftrace_function(). */
int ftrace_ops_add(struct ftrace_ops *ops)
{
	int ret;

	ftrace_assert_locked();
	if (ftrace_sites_dead())
		return -ENODEV;
	ret = ops_settle_flags(ops);
	if (ret)
		return ret;
	if (!ops->func)
		ops->func = ftrace_stub;
	if (ops->flags & FTRACE_OPS_FL_PARENT)
		ftrace_parents_look();
	return ftrace_ops_attach(ops);
}

/* Unregister @ops, under ftrace_lock(). Errors: see ftrace_ops_unregister_nowait(). */
int ftrace_ops_del(struct ftrace_ops *ops)
{
	ftrace_assert_locked();
	if (!(ops->flags & FTRACE_OPS_FL_ENABLED))
		return ftrace_sites_dead() ? -ENODEV : -EBUSY;
	return ftrace_ops_detach(ops);
}

/* May the memory or the text of @ops go once it is unregistered? */
static bool ops_must_wait(struct ftrace_ops *ops)
{
	return ops->flags & FTRACE_OPS_FL_DYNAMIC || !core_kernel_text((unsigned long)ops->func);
}

/**
 * register_ftrace_function - let the functions of the filters call an ops
 * @ops: the ops
 *
 * Context: task; takes ftrace_lock().
 * Return: 0; -ENODEV: ftrace is dead, or died of this: no function calls the ops, and
 * its memory may go; -EBUSY: is registered already, or an
 * IPMODIFY ops or direct call is in the way, or kernel.ftrace_enabled is off
 * and the ops is permanent; -EINVAL: it wants what the architecture cannot do,
 * or is IPMODIFY without a filter; -ENOMEM; -EAGAIN: the owner of a direct
 * call is busy.
 */
int register_ftrace_function(struct ftrace_ops *ops)
{
	bool modify = ops->flags & FTRACE_OPS_FL_IPMODIFY && !(ops->flags & FTRACE_OPS_FL_ENABLED);
	struct ftrace_share share;
	unsigned int tries = 0;
	int ret;

	ftrace_ops_init(ops);
	do {
		if (modify)
			ftrace_share_begin(&share);
		ret = modify ? ftrace_share_join(&share, ops, NULL) : 0;
		if (!ret) {
			scoped_guard(ftrace_lock)
				ret = ftrace_ops_add(ops);
		}
		if (modify)
			ftrace_share_end(&share);
	} while (modify && ftrace_share_again(ret, &tries));
	/* Patching may have stopped half way, with callers meanwhile. */
	if (ret == -ENODEV && ops_must_wait(ops))
		ftrace_hooks_synchronize();
	return ret;
}
EXPORT_SYMBOL_GPL(register_ftrace_function);

/**
 * ftrace_ops_unregister_nowait - unregister, and let the last callers run
 * @ops: an ops whose memory and callback stay
 *
 * Context: task; takes ftrace_lock().
 * Return: 0; -EBUSY: is not registered; -ENODEV: ftrace is dead, or died of this. The ops is
 * unregistered then as well, and is called no more.
 */
int ftrace_ops_unregister_nowait(struct ftrace_ops *ops)
{
	bool modify = ops->flags & FTRACE_OPS_FL_IPMODIFY && ops->flags & FTRACE_OPS_FL_ENABLED;
	struct ftrace_share share;
	int ret;

	if (modify) {
		ftrace_share_begin(&share);
		ftrace_share_leave(&share, ops);
	}
	scoped_guard(ftrace_lock)
		ret = ftrace_ops_del(ops);
	if (modify)
		ftrace_share_end(&share);
	return ret;
}

/**
 * unregister_ftrace_function - take an ops from all functions
 * @ops: the ops
 *
 * Waits until its last callers have left, unless ops and callback are static
 * parts of the kernel, which cannot go. Most callers do not look at the result, and the memory
 * and the callback may go whatever it is.
 *
 * Context: task, may sleep, as ftrace_hooks_synchronize(); takes ftrace_lock().
 * Return: as ftrace_ops_unregister_nowait().
 */
int unregister_ftrace_function(struct ftrace_ops *ops)
{
	int ret = ftrace_ops_unregister_nowait(ops);

	if (ret != -EBUSY && ops_must_wait(ops))
		ftrace_hooks_synchronize();
	return ret;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_function);

/**
 * ftrace_ops_set_func - give an ops another callback
 * @ops: the ops, registered or not
 * @func: the callback; the old one may still run for a grace period
 *
 * Context: task; takes ftrace_lock().
 */
void ftrace_ops_set_func(struct ftrace_ops *ops, ftrace_func_t func)
{
	guard(ftrace_lock)();
	ftrace_dispatch_set_func(ops, func);
}
