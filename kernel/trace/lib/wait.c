// SPDX-License-Identifier: GPL-2.0
/* Which tasks must not wait for all CPUs, and waits that a signal ends. See wait.h. */
#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/completion.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/slab.h>
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

/**
 * struct wait_call - a function to be called behind a wait
 * @work:	waits, and calls it
 * @wait:	the wait, or NULL
 * @func:	the function
 * @data:	its argument
 * @done:	it has returned
 * @refs:	the work, and the task that waits
 */
struct wait_call {
	struct work_struct	work;
	void			(*wait)(void);
	void			(*func)(void *data);
	void			*data;
	struct completion	done;
	refcount_t		refs;
};

static void wait_call_put(struct wait_call *call)
{
	if (refcount_dec_and_test(&call->refs))
		kfree(call);
}

static void wait_call_fn(struct work_struct *work)
{
	struct wait_call *call = container_of(work, struct wait_call, work);

	if (call->wait)
		call->wait();
	call->func(call->data);
	complete(&call->done);
	wait_call_put(call);
}

/*
 * No signal reaches a task that exits, nor a worker. Either may be closing files, and the other
 * files wait for this one.
 */
static int wait_call_done(struct wait_call *call)
{
	if (current->flags & (PF_EXITING | PF_WQ_WORKER))
		return wait_for_completion_timeout(&call->done, HZ) ? 0 : -EINTR;
	return wait_for_completion_interruptible(&call->done) ? -EINTR : 0;
}

/**
 * trace_wait_call - wait, and call a function
 * @wait: the wait; NULL: @func has its own
 * @func: the function
 * @data: its argument
 *
 * A signal ends the wait of the caller, and the function is called by a work item as soon as it
 * may be. A task that exits, and a worker, wait for a second. Where memory for that is short,
 * nothing ends the wait.
 *
 * Context: task, may sleep; no lock that @func takes.
 * Return: 0, the function has been called; -EINTR: it will be.
 */
int trace_wait_call(void (*wait)(void), void (*func)(void *data), void *data)
{
	struct wait_call *call;
	int ret;

	trace_may_wait();
	/* In early boot there is no work queue. */
	call = rcu_scheduler_active && system_unbound_wq ? kmalloc(sizeof(*call), GFP_KERNEL) :
							    NULL;
	if (!call) {
		if (wait)
			wait();
		func(data);
		return 0;
	}
	INIT_WORK(&call->work, wait_call_fn);
	call->wait = wait;
	call->func = func;
	call->data = data;
	init_completion(&call->done);
	refcount_set(&call->refs, 2);
	queue_work(system_unbound_wq, &call->work);
	ret = wait_call_done(call);
	wait_call_put(call);
	return ret;
}

/* How a wait has ended, which tells who calls the function behind it. */
enum wait_state {
	WAIT_AWAITED,
	WAIT_ENDED,	/* the task does */
	WAIT_LEFT,	/* the task was killed before the wait ended, and the work does */
};

/**
 * struct wait_killable - a wait that a signal may end for the task
 * @work:	waits
 * @wait:	the wait
 * @func:	the function behind it
 * @data:	the argument of both
 * @ended:	it has ended
 * @state:	enum wait_state; atomic
 */
struct wait_killable {
	struct work_struct	work;
	void			(*wait)(void *data);
	void			(*func)(void *data);
	void			*data;
	struct completion	ended;
	atomic_t		state;
};

/* Let one of both be first. False: it was the other one. */
static bool wait_decide(struct wait_killable *w, enum wait_state state)
{
	return atomic_cmpxchg(&w->state, WAIT_AWAITED, state) == WAIT_AWAITED;
}

static void wait_killable_fn(struct work_struct *work)
{
	struct wait_killable *w = container_of(work, struct wait_killable, work);

	w->wait(w->data);
	if (wait_decide(w, WAIT_ENDED)) {
		complete(&w->ended);
	} else {
		w->func(w->data);
		kfree(w);
	}
}

/*
 * In early boot there is no work queue. A worker is not killed, and a work item that waits for
 * another one of its queue may keep that from being begun.
 */
static bool wait_may_be_left(void)
{
	return rcu_scheduler_active && system_unbound_wq && !(current->flags & PF_WQ_WORKER);
}

/* No signal reaches a task that exits, and it may have many files and events to close. */
static bool wait_ended(struct wait_killable *w)
{
	if (current->flags & PF_EXITING)
		return wait_for_completion_timeout(&w->ended, HZ / 10);
	return !wait_for_completion_killable(&w->ended);
}

/**
 * trace_wait_killable - wait, unless the task is killed, and call a function behind the wait
 * @wait: the wait
 * @func: the function
 * @data: the argument of both
 *
 * The task calls the function, as it would without this. If the task is killed meanwhile, or exits
 * and the wait takes longer than a moment, a work item calls it as soon as it may be. Where memory
 * for that is short, nothing ends the wait.
 *
 * Context: task, may sleep; no lock that @wait or @func takes.
 * Return: 0, the function has been called; -EINTR: it will be.
 */
int trace_wait_killable(void (*wait)(void *data), void (*func)(void *data), void *data)
{
	struct wait_killable *w = NULL;

	trace_may_wait();
	if (wait_may_be_left())
		w = kmalloc(sizeof(*w), GFP_KERNEL);
	if (!w) {
		wait(data);
		func(data);
		return 0;
	}
	INIT_WORK(&w->work, wait_killable_fn);
	w->wait = wait;
	w->func = func;
	w->data = data;
	init_completion(&w->ended);
	atomic_set(&w->state, WAIT_AWAITED);
	queue_work(system_unbound_wq, &w->work);
	if (!wait_ended(w)) {
		if (wait_decide(w, WAIT_LEFT))
			return -EINTR;
		/* The work item is about to complete it. */
		wait_for_completion(&w->ended);
	}
	kfree(w);
	func(data);
	return 0;
}
