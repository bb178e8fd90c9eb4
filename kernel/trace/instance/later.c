// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of buffers that are made later. Each CPU has to take an interrupt for a change, so no
 * task makes one that has the lock of all instances. If it needs one, it asks for it, and a work
 * item makes it. Where users shall see it when their write() returns, the write calls
 * trace_buffers_settle() when it has released the lock.
 */
#include <linux/atomic.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "instance/buffers.h"
#include "instance/later.h"
#include "lib/wait.h"

static void later_make_all(struct work_struct *work);

static DEFINE_SPINLOCK(later_lock);		/* later_list */
static LIST_HEAD(later_list);
static atomic_t later_nr = ATOMIC_INIT(0);	/* to be made, or being made; atomic */
static DECLARE_WORK(later_work, later_make_all);

/* Prepare a change, which nobody asks for meanwhile. */
void trace_later_init(struct trace_later *later, struct trace_array *tr,
		      void (*make)(struct trace_array *tr))
{
	INIT_LIST_HEAD(&later->node);
	later->tr = tr;
	later->make = make;
}

static bool later_add(struct trace_later *later)
{
	guard(spinlock)(&later_lock);
	if (!list_empty(&later->node))
		return false;
	list_add_tail(&later->node, &later_list);
	atomic_inc(&later_nr);
	return true;
}

/*
 * Have a change made that begins after this. The instance stays until then; of one that goes
 * already, nobody needs it. The item is not on the queue of waits: these wait for it, and may be
 * as many as that queue runs at a time. Task; takes spinlocks.
 */
void trace_later_ask(struct trace_later *later)
{
	if (trace_array_hold(later->tr))
		return;
	if (later_add(later))
		queue_work(system_unbound_wq, &later_work);
	else
		trace_array_unhold(later->tr);
}

static struct trace_later *later_take(void)
{
	struct trace_later *later;

	guard(spinlock)(&later_lock);
	later = list_first_entry_or_null(&later_list, struct trace_later, node);
	if (later)
		list_del_init(&later->node);
	return later;
}

static void later_make_all(struct work_struct *work)
{
	struct trace_later *later;

	while ((later = later_take())) {
		struct trace_array *tr = later->tr;

		later->make(tr);
		trace_array_unhold(tr);
		atomic_dec(&later_nr);
	}
}

static void later_wait(void *unused)
{
	trace_may_wait();
	flush_work(&later_work);
}

static void later_end(void *unused)
{
}

/**
 * trace_buffers_settle - wait for changes of buffers that this task has asked for
 *
 * If the task is killed, they are made without it.
 *
 * Context: task, may sleep; no lock is held.
 */
void trace_buffers_settle(void)
{
	if (atomic_read(&later_nr))
		trace_wait_call(later_wait, later_end, NULL, TASK_KILLABLE);
}
