/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waits that end only when other CPUs, or all readers, have done something: grace periods, work
 * items that wait for them, callbacks that have begun, functions and irq work that another CPU
 * calls in an interrupt.
 *
 * A CPU may not do it for minutes: a real-time task spins there, or the host does not let it run.
 * So a task that holds a lock which users of all files need must not wait. The owner of such a
 * lock calls trace_wait_forbid() when it has taken the lock, and trace_wait_allow() before it
 * releases it. All waits of tracing go through this file, or call trace_may_wait() before. A lock
 * that is held meanwhile calls it as well, see trace_buffers_lock().
 *
 * Patching of text is no such wait: it happens under these locks, and ends as soon as each CPU has
 * taken an interrupt. So trace_cpu_call_each(), for those who patch text as well, is none.
 */
#ifndef _TRACE_LIB_WAIT_H
#define _TRACE_LIB_WAIT_H

#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "lib/may_wait.h"

void trace_wait_queue(struct work_struct *work);
int trace_wait_call(void (*wait)(void *data), void (*func)(void *data), void *data,
		    unsigned int state);

/* Wait for readers that have preemption off, or are in RCU. Task, may sleep. */
static inline void trace_wait_rcu(void)
{
	trace_may_wait();
	synchronize_rcu();
}

/* Wait for probes of tracepoints that were unregistered. Task, may sleep. */
static inline void trace_wait_probes(void)
{
	trace_may_wait();
	tracepoint_synchronize_unregister();
}

#endif /* _TRACE_LIB_WAIT_H */
