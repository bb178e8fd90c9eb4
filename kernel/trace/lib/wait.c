// SPDX-License-Identifier: GPL-2.0
/* Which tasks must not wait for all CPUs, and waits that a signal ends. See wait.h. */
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/completion.h>
#include <linux/init.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "lib/wait.h"

/* There are fewer locks that forbid waits, and each of them has one holder at a time. */
#define WAIT_HOLDERS	4

/* A task changes an entry from NULL to itself, and back. */
static struct task_struct *wait_holders[WAIT_HOLDERS];

/**
 * trace_wait_forbid - the running task must not wait for all CPUs from now on
 *
 * It nests.
 *
 * Context: task.
 */
void trace_wait_forbid(void)
{
	for (int i = 0; i < WAIT_HOLDERS; i++) {
		if (!READ_ONCE(wait_holders[i]) && !cmpxchg(&wait_holders[i], NULL, current))
			return;
	}
	WARN_ON_ONCE(1);
}

/**
 * trace_wait_allow - undo one trace_wait_forbid()
 *
 * Context: the same task.
 */
void trace_wait_allow(void)
{
	for (int i = 0; i < WAIT_HOLDERS; i++) {
		if (READ_ONCE(wait_holders[i]) != current)
			continue;
		WRITE_ONCE(wait_holders[i], NULL);
		return;
	}
	WARN_ON_ONCE(1);
}

/**
 * trace_wait_is_forbidden - must the running task not wait for all CPUs?
 *
 * In early boot no wait takes any time, and none is forbidden.
 *
 * Context: task.
 * Return: true if it must not.
 */
bool trace_wait_is_forbidden(void)
{
	for (int i = 0; rcu_scheduler_active && i < WAIT_HOLDERS; i++) {
		if (READ_ONCE(wait_holders[i]) == current)
			return true;
	}
	return false;
}

/*
 * Waits take as long as the slowest CPU, or as memory of user space, so many of them may be under
 * way. They have a queue of their own: a queue that is shared may be full of work items that wait
 * for tracing, and the waits would keep others from theirs. WQ_MEM_RECLAIM would promise that an
 * item is executed where there is no memory for a thread. No task that frees memory waits for one,
 * and the one thread that it keeps would be asleep in the first item.
 */
static struct workqueue_struct *wait_queue __ro_after_init;

static int __init wait_init(void)
{
	wait_queue = alloc_workqueue("trace_wait", WQ_UNBOUND, WQ_MAX_ACTIVE);
	return wait_queue ? 0 : -ENOMEM;
}
core_initcall(wait_init);

/**
 * trace_wait_queue - queue a work item that waits for all CPUs
 * @work: the item
 *
 * Context: any but NMI, when there are work queues.
 */
void trace_wait_queue(struct work_struct *work)
{
	queue_work(wait_queue ?: system_unbound_wq, work);
}

/* How a wait has ended, which tells who calls the function behind it. */
enum wait_state {
	WAIT_AWAITED,
	WAIT_ENDED,	/* the task does */
	WAIT_LEFT,	/* the task has left before the wait ended, and the work does */
};

/**
 * struct wait_call - a function to be called behind a wait
 * @work:	waits
 * @node:	in wait_calls while @wait is being called; wait_calls_lock
 * @worker:	calls it; wait_calls_lock
 * @wait:	the wait
 * @func:	the function
 * @data:	the argument of both
 * @ended:	the wait has ended
 * @state:	enum wait_state; atomic
 */
struct wait_call {
	struct work_struct	work;
	struct list_head	node;
	struct task_struct	*worker;
	void			(*wait)(void *data);
	void			(*func)(void *data);
	void			*data;
	struct completion	ended;
	atomic_t		state;
};

static DEFINE_SPINLOCK(wait_calls_lock);
static LIST_HEAD(wait_calls);	/* wait_calls_lock */

/* Call the wait, and let trace_wait_call() know of it. */
static void wait_in_worker(struct wait_call *call)
{
	scoped_guard(spinlock, &wait_calls_lock) {
		call->worker = current;
		list_add(&call->node, &wait_calls);
	}
	call->wait(call->data);
	scoped_guard(spinlock, &wait_calls_lock)
		list_del(&call->node);
}

/* Is the running task the worker of a wait, so that the next wait is a part of that one? */
static bool wait_is_part(void)
{
	struct wait_call *call;

	if (!(current->flags & PF_WQ_WORKER))
		return false;
	guard(spinlock)(&wait_calls_lock);
	list_for_each_entry(call, &wait_calls, node) {
		if (call->worker == current)
			return true;
	}
	return false;
}

/* Let one of both be first. False: it was the other one. */
static bool wait_decide(struct wait_call *call, enum wait_state state)
{
	return atomic_cmpxchg(&call->state, WAIT_AWAITED, state) == WAIT_AWAITED;
}

static void wait_call_fn(struct work_struct *work)
{
	struct wait_call *call = container_of(work, struct wait_call, work);

	wait_in_worker(call);
	if (wait_decide(call, WAIT_ENDED)) {
		complete(&call->ended);
	} else {
		call->func(call->data);
		kfree(call);
	}
}

/*
 * No signal reaches a task that exits, nor a worker. Either may have many files and events to
 * close, and the other ones wait for this one.
 */
static bool wait_has_ended(struct wait_call *call, unsigned int state)
{
	if (current->flags & (PF_EXITING | PF_WQ_WORKER))
		return wait_for_completion_timeout(&call->ended, HZ / 10);
	return !wait_for_completion_state(&call->ended, state);
}

/**
 * trace_wait_call - wait, unless a signal comes, and call a function behind the wait
 * @wait: the wait
 * @func: the function, which does not take long
 * @data: the argument of both
 * @state: which signals end the wait of the task: all (TASK_INTERRUPTIBLE), or those that kill it
 *	(TASK_KILLABLE)
 *
 * The task calls the function, as it would without this. If the signal comes meanwhile, or the wait
 * of a task that exits, or of a worker, takes longer than a moment, a work item calls it as soon as
 * it may be. Where memory for that is short, nothing ends the wait.
 *
 * A @wait may call this, too. Nobody waits for its worker but for that wait, so nothing ends the
 * wait that is a part of it.
 *
 * Context: task, may sleep; no lock that @wait or @func takes.
 * Return: 0, the function has been called; -EINTR: it will be.
 */
int trace_wait_call(void (*wait)(void *data), void (*func)(void *data), void *data,
		    unsigned int state)
{
	struct wait_call *call = NULL;

	trace_may_wait();
	/* In early boot there is no queue. */
	if (wait_queue && !wait_is_part())
		call = kmalloc(sizeof(*call), GFP_KERNEL);
	if (!call) {
		wait(data);
		func(data);
		return 0;
	}
	INIT_WORK(&call->work, wait_call_fn);
	call->wait = wait;
	call->func = func;
	call->data = data;
	init_completion(&call->ended);
	atomic_set(&call->state, WAIT_AWAITED);
	queue_work(wait_queue, &call->work);
	if (!wait_has_ended(call, state)) {
		if (wait_decide(call, WAIT_LEFT))
			return -EINTR;
		/* The work item is about to complete it. */
		wait_for_completion(&call->ended);
	}
	kfree(call);
	func(data);
	return 0;
}
