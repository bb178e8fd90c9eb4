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
#include <linux/completion.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "hooks/internal.h"

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
		queue_work(system_unbound_wq, &retire_work);
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
	synchronize_rcu_tasks_rude();
	if (IS_ENABLED(CONFIG_PREEMPTION))
		synchronize_rcu_tasks();
}

/* Wait until all that is retired is freed. As ftrace_hooks_synchronize(). */
void ftrace_hooks_drain(void)
{
	bool more;

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

/**
 * struct retire_call - a function to be called when callbacks have ended
 * @work: waits for that, and calls it
 * @func: the function
 * @data: its argument
 * @done: it has returned
 * @refs: the work, and the task that waits
 */
struct retire_call {
	struct work_struct	work;
	void			(*func)(void *data);
	void			*data;
	struct completion	done;
	refcount_t		refs;
};

static void retire_call_put(struct retire_call *call)
{
	if (refcount_dec_and_test(&call->refs))
		kfree(call);
}

static void retire_call_fn(struct work_struct *work)
{
	struct retire_call *call = container_of(work, struct retire_call, work);

	ftrace_hooks_synchronize();
	call->func(call->data);
	complete(&call->done);
	retire_call_put(call);
}

/**
 * ftrace_hooks_call_after - call a function when callbacks that were taken away have ended
 * @func: the function
 * @data: its argument
 *
 * A signal ends the wait, and the function is called by a work item as soon as it may be. Where
 * memory for that is short, nothing ends the wait.
 *
 * Context: task, may sleep, as ftrace_hooks_synchronize(); no lock that @func takes.
 * Return: 0, the function has been called; -EINTR: it will be.
 */
int ftrace_hooks_call_after(void (*func)(void *data), void *data)
{
	struct retire_call *call;
	int ret;

	call = rcu_scheduler_active && system_unbound_wq ? kmalloc(sizeof(*call), GFP_KERNEL) :
							    NULL;
	if (!call) {
		ftrace_hooks_synchronize();
		func(data);
		return 0;
	}
	INIT_WORK(&call->work, retire_call_fn);
	call->func = func;
	call->data = data;
	init_completion(&call->done);
	refcount_set(&call->refs, 2);
	queue_work(system_unbound_wq, &call->work);
	ret = wait_for_completion_interruptible(&call->done);
	retire_call_put(call);
	return ret ? -EINTR : 0;
}
