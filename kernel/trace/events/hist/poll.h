/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/hist/ inside: tasks that wait in poll() for hits of histograms. While there are none, a
 * hit reads one word for them.
 */
#ifndef _TRACE_EVENTS_HIST_POLL_H
#define _TRACE_EVENTS_HIST_POLL_H

#include <linux/jump_label.h>
#include <linux/poll.h>

/* Open files "hist" that have been polled. */
extern atomic_t trace_hist_polled;

void trace_hist_poll_wake(void);
void trace_hist_poll_wake_later(void);
void trace_hist_poll_wait(struct file *filp, poll_table *wait);

/* A hit has been seen. In any context, preemption is off. */
static inline void trace_hist_poll_hit(void)
{
	if (unlikely(atomic_read(&trace_hist_polled)))
		trace_hist_poll_wake_later();
}

#endif /* _TRACE_EVENTS_HIST_POLL_H */
