// SPDX-License-Identifier: GPL-2.0
/*
 * When do callbacks have to ask for the parent of a call? See parent.h.
 *
 * They do from before the first user of returns hooks a function: the users say so by
 * ftrace_parents_hide(). When the last user has gone, and no callback of it can run any more,
 * nobody hooks another return, but tasks may sleep in calls whose returns are hooked. So the
 * callbacks stop asking when no task is in such a call. That is looked for after the grace
 * period of the last user and, if there was such a task, when an ops comes that would ask.
 */
#include <linux/kprobes.h>

#include "hooks/dispatch.h"
#include "hooks/internal.h"

static unsigned int parent_users;	/* ftrace_lock(); of returns */
/*
 * Under ftrace_lock(): a grace period has been asked for and is not over; the last user has left
 * since that was asked for, and wants another one.
 */
static bool parent_waits, parent_again;
static struct ftrace_retired parent_retired;

static void parent_set_hidden(bool hidden)
{
	ftrace_parents_hidden = hidden;
	ftrace_dispatch_choose_entries(FTRACE_OPS_FL_PARENT);
}

/**
 * ftrace_parents_look - stop asking for parents, if nobody hides them any more
 *
 * Context: task, may sleep; ftrace_lock() is held.
 */
void ftrace_parents_look(void)
{
	ftrace_assert_locked();
	if (ftrace_parents_hidden && !parent_users && !parent_waits &&
	    !ftrace_parent_teller->hidden())
		parent_set_hidden(false);
}

static void parent_waited(struct ftrace_retired *retired);

static void parent_wait(void)
{
	parent_waits = true;
	parent_retired.free = parent_waited;
	ftrace_retire(&parent_retired);
}

/* A grace period is over. Users may have come meanwhile, and the last one may have left again. */
static void parent_waited(struct ftrace_retired *retired)
{
	guard(ftrace_lock)();
	parent_waits = false;
	if (parent_again)
		parent_wait();
	parent_again = false;
	ftrace_parents_look();
}

/**
 * ftrace_parents_hide - a user of returns is about to hook some
 * @ops: tells what is hooked; all users give the same
 *
 * Undone by ftrace_parents_show().
 *
 * Context: task, may sleep; ftrace_lock() is held.
 */
void ftrace_parents_hide(const struct ftrace_parent_ops *ops)
{
	ftrace_assert_locked();
	/* Pairs with the acquire in ftrace_parent_real(). Entries that ask are chosen below. */
	smp_store_release(&ftrace_parent_teller, ops);
	parent_users++;
	if (!ftrace_parents_hidden)
		parent_set_hidden(true);
}

/**
 * ftrace_parents_show - a user of returns hooks no more
 *
 * Its callbacks may still run, and hook, until a grace period is over. Hooked returns may be
 * awaited for as long as they like.
 *
 * Context: task, may sleep; ftrace_lock() is held.
 */
void ftrace_parents_show(void)
{
	ftrace_assert_locked();
	if (--parent_users)
		return;
	if (parent_waits)
		parent_again = true;
	else
		parent_wait();
}
