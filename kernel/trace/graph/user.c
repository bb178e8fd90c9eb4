// SPDX-License-Identifier: GPL-2.0
/*
 * Users of returns come and go. Each has an ftrace_ops of its own, so what a function
 * calls is decided by hooks/ when filters change: one user's entry, or those of several
 * one after the other.
 *
 * A frame names its users by their numbers, and a task may sleep in a function for as
 * long as it likes, so a number gets another owner while frames of the last one are
 * there. Their bits mean nothing then: a frame has the epoch of its entry, each new user
 * begins another one, and is called for the frames since then only.
 *
 * A number is free for others when no callback of its last owner can run, since that would
 * make frames with the number and the epoch of the next one. The last owner itself may have it
 * back at once: such a frame is then of a call that this user was told of. So a user that is
 * switched off and on waits for nobody.
 */
#include <kunit/visibility.h>

#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/wait.h>

#include "graph/graph.h"
#include "graph/internal.h"
#include "hooks/hooks.h"
#include "lib/wait.h"

/* Numbers that a user has, and those whose last user may still be called. */
static unsigned long users_used, users_leaving;		/* ftrace_lock() */
/*
 * Numbers whose grace period has been asked for and is not over. Those whose user has left since
 * that was asked for want another one.
 */
static unsigned long users_retiring, users_again;	/* ftrace_lock() */
static struct ftrace_retired users_retired[GRAPH_USERS];
/* The user that has the number or had it last, which may be gone: it is only compared. */
static const struct fgraph_ops *users_owner[GRAPH_USERS];	/* ftrace_lock() */

/* Woken when a number may be free. */
static DECLARE_WAIT_QUEUE_HEAD(users_freed);

static void user_number_free(struct ftrace_retired *retired);

/* The owner of a number leaves it. */
static void user_number_leave(int idx)
{
	__clear_bit(idx, &users_used);
	__set_bit(idx, &users_leaving);
	if (__test_and_set_bit(idx, &users_retiring)) {
		__set_bit(idx, &users_again);
		return;
	}
	users_retired[idx].free = user_number_free;
	ftrace_retire(&users_retired[idx]);
}

/* A grace period is over. The owner may have come back meanwhile, and have left again. */
static void user_number_free(struct ftrace_retired *retired)
{
	int idx = retired - users_retired;

	scoped_guard(ftrace_lock) {
		__clear_bit(idx, &users_retiring);
		if (!__test_and_clear_bit(idx, &users_again))
			__clear_bit(idx, &users_leaving);
		else if (test_bit(idx, &users_leaving))
			user_number_leave(idx);
	}
	wake_up_all(&users_freed);
}

/* May user_number_take() say something else than -EINPROGRESS? Without the lock, only perhaps. */
static bool user_numbers_changed(void)
{
	unsigned long leaving = READ_ONCE(users_leaving);

	return !leaving || ffz(READ_ONCE(users_used) | leaving) < GRAPH_OTHER_USERS;
}

/* Take a number, the user's last one if nobody else has had it. */
static int user_number_take(const struct fgraph_ops *gops)
{
	int idx;

	for (idx = 0; idx < GRAPH_OTHER_USERS; idx++) {
		if (users_owner[idx] == gops && test_bit(idx, &users_leaving))
			break;
	}
	if (idx == GRAPH_OTHER_USERS)
		idx = ffz(users_used | users_leaving);
	if (idx >= GRAPH_OTHER_USERS)
		return users_leaving ? -EINPROGRESS : -ENOSPC;
	__clear_bit(idx, &users_leaving);
	__set_bit(idx, &users_used);
	users_owner[idx] = gops;
	return idx;
}

static bool user_is_known(const struct fgraph_ops *gops)
{
	int i;

	for (i = 0; i < GRAPH_USERS; i++) {
		if (graph_users[i] == gops)
			return true;
	}
	return false;
}

/* Its functions call it, or, if it has @roots, these do, and others for tasks inside. */
static void user_set_hooks(struct fgraph_ops *gops, struct ftrace_ops *roots)
{
	gops->roots = roots;
	/* Until all sites are patched, see user_hook(). */
	gops->ops.func = ftrace_stub;
	gops->ops.flags &= ~FTRACE_OPS_FL_INSIDE;
	gops->ops.flags |= FTRACE_OPS_FL_VIEW;
	if (!roots)
		return;
	gops->ops.flags |= FTRACE_OPS_FL_INSIDE;
	roots->flags |= FTRACE_OPS_FL_VIEW;
	roots->func = ftrace_stub;
	roots->private = gops;
}

static int user_add(struct fgraph_ops *gops, struct ftrace_ops *roots,
		    const struct graph_short *way)
{
	int idx, ret, i;

	ftrace_assert_locked();
	if (ftrace_graph_is_dead() || ftrace_sites_dead())
		return -ENODEV;
	if (user_is_known(gops) || gops->ops.flags & FTRACE_OPS_FL_ENABLED)
		return -EBUSY;
	ret = graph_ahead_want();
	if (ret)
		return ret;
	idx = user_number_take(gops);
	if (idx < 0) {
		graph_spares_unwant();
		return idx;
	}
	gops->idx = idx;
	gops->bit = BIT(idx);
	gops->since = graph_state.epoch + 1;
	gops->way = way;
	gops->sole_return = way ? way->ret : graph_return_user;
	for (i = 0; i < FGRAPH_MISS_NR; i++)
		atomic_long_set(&gops->missed[i], 0);
	user_set_hooks(gops, roots);
	WRITE_ONCE(graph_state.epoch, graph_state.epoch + 1);
	/*
	 * Release: a CPU that sees the new pointer also sees its ->since, which was written
	 * before.
	 */
	smp_store_release(&graph_users[idx], gops);
	return 0;
}

static void user_del(struct fgraph_ops *gops)
{
	int idx = gops->idx;

	ftrace_assert_locked();
	if (WARN_ON_ONCE(!user_is_known(gops)))
		return;
	WRITE_ONCE(graph_users[idx], &graph_no_user);
	user_number_leave(idx);
	graph_spares_unwant();
}

/* May its memory, or the text of its callbacks, go once it is unregistered? */
static bool user_must_wait(const struct fgraph_ops *gops)
{
	return !is_kernel_core_data((unsigned long)gops) ||
	       !core_kernel_text((unsigned long)gops->entryfunc) ||
	       !core_kernel_text((unsigned long)gops->retfunc);
}

/*
 * Hook all entries. The roots are registered first, so they are called after the user's own ops,
 * and a call of a root is reported by exactly one of the two.
 *
 * Patching calls functions that it has just patched. A frame for each of these calls would
 * cost as much as the patching. So both call a stub until all sites are patched, and the
 * user's own ops does again before they are patched back.
 */
static int user_hook(struct fgraph_ops *gops, const struct graph_short *way)
{
	ftrace_func_t func = way ? way->entry : graph_hook_entry;
	struct ftrace_ops *roots = gops->roots;
	int ret = roots ? register_ftrace_function(roots) : 0;

	if (ret)
		return ret;
	ret = register_ftrace_function(&gops->ops);
	if (ret) {
		if (roots)
			ftrace_ops_unregister_nowait(roots);
		return ret;
	}
	ftrace_ops_set_func(&gops->ops, roots ? graph_hook_inside : func);
	if (roots)
		ftrace_ops_set_func(roots, graph_hook_root);
	return 0;
}

static int user_unhook(struct fgraph_ops *gops)
{
	if (gops->roots)
		ftrace_ops_unregister_nowait(gops->roots);
	gops->roots = NULL;
	if (gops->ops.flags & FTRACE_OPS_FL_ENABLED)
		ftrace_ops_set_func(&gops->ops, ftrace_stub);
	return ftrace_ops_unregister_nowait(&gops->ops);
}

/**
 * fgraph_register_as - register_ftrace_graph() for what some functions call, or in short
 * @gops: the user
 * @roots: its filter names these functions; or NULL: @gops has no roots
 * @way: the user's own callbacks, see graph/short.h; or NULL: it has none
 *
 * Only calls of roots are told of until the user says by fgraph_set_inside() that the task
 * is in one. Then all of its functions are, in this task. Other tasks pay little for them.
 *
 * @roots has to stay as long as @gops, and is not to be registered. Its filter may change,
 * but not become empty.
 *
 * This waits for no other CPU, so the caller may hold locks that others need.
 *
 * Context: task, may sleep; takes ftrace_lock().
 * Return: as register_ftrace_graph(); -EINPROGRESS: all numbers that are free belonged to others,
 * whose callbacks may still run; ask again after fgraph_numbers_wait().
 */
int fgraph_register_as(struct fgraph_ops *gops, struct ftrace_ops *roots,
		       const struct graph_short *way)
{
	int ret;

	if (!gops->entryfunc || !gops->retfunc)
		return -EINVAL;
	scoped_guard(ftrace_lock)
		ret = user_add(gops, roots, way);
	if (ret)
		return ret;
	ret = user_hook(gops, way);
	if (ret) {
		scoped_guard(ftrace_lock)
			user_del(gops);
	}
	return ret;
}

/**
 * fgraph_numbers_wait - wait until a number of users that have left may be free for others
 *
 * It is free when every CPU has scheduled, which SIGKILL need not wait for. Others may take it
 * first, so ask again, and wait again.
 *
 * Context: task, may sleep, as ftrace_hooks_synchronize().
 * Return: 0; -EINTR: the task is being killed.
 */
int fgraph_numbers_wait(void)
{
	trace_may_wait();
	return wait_event_killable(users_freed, user_numbers_changed()) ? -EINTR : 0;
}

/**
 * register_ftrace_graph - let functions call a user at their entries and returns
 * @gops: the user
 *
 * Context: task, may sleep; takes ftrace_lock(). It may wait as fgraph_numbers_wait().
 * Return: 0; -EINVAL: a callback is missing; -EBUSY: is registered already; -ENOSPC:
 * there are GRAPH_OTHER_USERS others; -ENODEV: ftrace is dead, or ftrace_graph_stop() was
 * called; -ENOMEM; -EINTR: it had to wait, and the task is being killed.
 */
int register_ftrace_graph(struct fgraph_ops *gops)
{
	int ret;

	while ((ret = fgraph_register_as(gops, NULL, NULL)) == -EINPROGRESS) {
		ret = fgraph_numbers_wait();
		if (ret)
			break;
	}
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(register_ftrace_graph);

/**
 * fgraph_unregister_nowait - take a user from all functions, and let the last calls run
 * @gops: a user whose memory and callbacks stay until ftrace_hooks_synchronize() has
 *	returned; it may be registered again before
 *
 * Context: task, may sleep; takes ftrace_lock().
 * Return: false if it was not registered.
 */
bool fgraph_unregister_nowait(struct fgraph_ops *gops)
{
	/* Entries end first. */
	if (user_unhook(gops) == -EBUSY)
		return false;
	scoped_guard(ftrace_lock)
		user_del(gops);
	return true;
}

/**
 * fgraph_show_missed - print how many calls a user was not told of, and why
 * @m: where to, a line for each reason
 * @gops: a user, which may have been unregistered
 *
 * Context: any that may print to @m.
 */
void fgraph_show_missed(struct seq_file *m, struct fgraph_ops *gops)
{
	static const char * const reasons[FGRAPH_MISS_NR] = {
		[FGRAPH_MISS_NO_STACK]	= "no-stack",
		[FGRAPH_MISS_FULL]	= "stack-full",
		[FGRAPH_MISS_RECURSION]	= "recursion",
		[FGRAPH_MISS_PAUSED]	= "paused",
		[FGRAPH_MISS_LEFT]	= "no-return",
	};
	int i;

	for (i = 0; i < FGRAPH_MISS_NR; i++)
		seq_printf(m, "%-12s %10lu\n", reasons[i], fgraph_missed(gops, i));
}

/**
 * fgraph_forget_calls - let a user not be told of returns that are awaited now
 * @gops: a user that is registered
 *
 * Its entryfunc returns 0 from before until after this, in all callbacks that begin. Callbacks
 * that have begun are waited for, on both sides of the new epoch: a callback that began before
 * has read the old epoch, whenever it does so, and has ended when the caller goes on. Variables
 * of tasks begin as 0 again.
 *
 * RCU waits for callbacks, since they have preemption disabled. That ends by ticks, even if a
 * CPU does not schedule. Where RCU does not watch, in a CPU that comes or goes, a call may be
 * told of without its return. No memory depends on it.
 *
 * Context: task, may sleep; takes ftrace_lock().
 */
void fgraph_forget_calls(struct fgraph_ops *gops)
{
	trace_wait_rcu();
	scoped_guard(ftrace_lock) {
		WRITE_ONCE(gops->since, graph_state.epoch + 1);
		/* Pairs with the barrier in graph_epoch_entered(), for graph_redate(). */
		smp_store_release(&graph_state.epoch, graph_state.epoch + 1);
	}
	trace_wait_rcu();
}

/**
 * unregister_ftrace_graph - take a user from all functions
 * @gops: the user
 *
 * Returns that are awaited stay so, and it is not told of them. Waits until its callbacks
 * have ended, unless it is a static part of the kernel, which cannot go.
 *
 * Context: task, may sleep, as ftrace_hooks_synchronize(); takes ftrace_lock().
 */
void unregister_ftrace_graph(struct fgraph_ops *gops)
{
	if (fgraph_unregister_nowait(gops) && user_must_wait(gops))
		ftrace_hooks_synchronize();
}
EXPORT_SYMBOL_IF_KUNIT(unregister_ftrace_graph);
