// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that wait for hits of histograms. There is one queue for all: a task that is woken looks
 * whether its event was hit.
 */
#include <linux/init.h>
#include <linux/wait.h>

#include "events/hist/poll.h"
#include "lib/request.h"

atomic_t trace_hist_polled;

static DECLARE_WAIT_QUEUE_HEAD(poll_queue);

/* Let the tasks look. In task context, or in the interrupt of the request. */
void trace_hist_poll_wake(void)
{
	wake_up_all(&poll_queue);
}

static void poll_wake(struct trace_request *request)
{
	trace_hist_poll_wake();
}

static struct trace_request poll_request;

/* Let the tasks look, from any context; preemption is off. */
void trace_hist_poll_wake_later(void)
{
	/* Pairs with the barrier of poll_wait(): the hit has been counted, or is not waited for. */
	if (wq_has_sleeper(&poll_queue))
		trace_request_raise(&poll_request);
}

/* The task is going to wait; after this it looks for hits. */
void trace_hist_poll_wait(struct file *filp, poll_table *wait)
{
	poll_wait(filp, &poll_queue, wait);
}

/* Before there are histograms. */
int __init trace_hist_poll_init(void)
{
	return trace_request_init(&poll_request, poll_wake);
}
