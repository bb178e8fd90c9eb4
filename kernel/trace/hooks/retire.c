// SPDX-License-Identifier: GPL-2.0
/*
 * Freeing what a callback or a trampoline may still be using, after a grace
 * period and without anybody waiting for it.
 *
 * Traced functions run everywhere: preemptible, with RCU not watching, in NMI.
 * Plain RCU says nothing about them. Two grace periods together do:
 *
 * - A task that was preempted inside of a trampoline, or of a callback that
 *   leaves preemption on: it will go on there, however late. Tasks RCU waits
 *   until every task has given up the CPU by itself, slept or run in user
 *   space; none of these happens inside. Without preemption there is no such
 *   task.
 * - A CPU that is inside right now, with preemption off, in an interrupt, in
 *   the idle task or on its way into user space where RCU does not watch (and
 *   Tasks RCU does not look): Tasks Rude RCU makes every CPU schedule.
 *
 * Filters are read only inside of trampolines, or by lookups with preemption
 * off; the second covers those.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "hooks/internal.h"
#include "lib/wait.h"

static void retire_work_fn(struct work_struct *work);

static LIST_HEAD(retired_list);			/* ftrace_lock() */
/* Objects that are retired and not freed yet, those that the work item has taken too. */
static unsigned int retired_nr;			/* ftrace_lock() */
static DECLARE_WORK(retire_work, retire_work_fn);

static void retire_work_fn(struct work_struct *work)
{
	struct ftrace_retired *retired, *next;
	unsigned int freed = 0;
	LIST_HEAD(list);

	scoped_guard(ftrace_lock)
		list_splice_init(&retired_list, &list);
	if (list_empty(&list))
		return;
	ftrace_hooks_synchronize();
	list_for_each_entry_safe(retired, next, &list, list) {
		retired->free(retired);
		freed++;
		cond_resched();
	}
	scoped_guard(ftrace_lock)
		retired_nr -= freed;
}

/* Call retired->free() later, when nobody who saw the object is inside any more. */
void ftrace_retire(struct ftrace_retired *retired)
{
	ftrace_assert_locked();
	list_add_tail(&retired->list, &retired_list);
	retired_nr++;
	/* In early boot there is no work queue yet: the next call after that queues the work. */
	if (system_unbound_wq)
		trace_wait_queue(&retire_work);
}

/**
 * ftrace_hooks_synchronize - wait until callbacks that were taken away have ended
 *
 * Context: task, may sleep, no lock that a CPU's workers need: not under
 * ftrace_lock() nor cpus_read_lock().
 */
void ftrace_hooks_synchronize(void)
{
	/* In early boot nothing that could be freed has been called. */
	if (!rcu_scheduler_active)
		return;
	might_sleep();
	trace_may_wait();
	synchronize_rcu_tasks_rude();
	if (IS_ENABLED(CONFIG_PREEMPTION))
		synchronize_rcu_tasks();
}

/* For tests: wait until all that is retired is freed. As ftrace_hooks_synchronize(). */
void ftrace_hooks_drain(void)
{
	bool more;

	trace_may_wait();
	do {
		flush_work(&retire_work);
		/*
		 * Objects that are freed in two steps are retired again. The work item may have
		 * taken them from the list once more by now, so the list tells nothing.
		 */
		scoped_guard(ftrace_lock)
			more = retired_nr;
	} while (more);
}
