// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that wait for hits of histograms. There is one queue for all: a task that is woken looks
 * whether its event was hit.
 */
#include <linux/irq_work.h>
#include <linux/wait.h>

#include "events/hist/poll.h"
#include "lib/irq_work.h"

atomic_t trace_hist_polled;

static DECLARE_WAIT_QUEUE_HEAD(poll_queue);

/* Let the tasks look. In task context, or in the irq work. */
void trace_hist_poll_wake(void)
{
	wake_up_all(&poll_queue);
}

static void poll_work_wake(struct irq_work *work)
{
	trace_hist_poll_wake();
}

static DEFINE_IRQ_WORK(poll_work, poll_work_wake);

/* Let the tasks look, from any context; preemption is off. */
void trace_hist_poll_wake_later(void)
{
	/* Pairs with the barrier of poll_wait(): the hit has been counted, or is not waited for. */
	if (wq_has_sleeper(&poll_queue))
		trace_irq_work_queue(&poll_work);
}

/* The task is going to wait; after this it looks for hits. */
void trace_hist_poll_wait(struct file *filp, poll_table *wait)
{
	poll_wait(filp, &poll_queue, wait);
}
