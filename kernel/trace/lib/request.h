/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lib/: ask from a hit, in any context, that a function is called in an interrupt. It is called
 * at once, but not again before a tick has passed, however often it was asked for.
 */
#ifndef _TRACE_LIB_REQUEST_H
#define _TRACE_LIB_REQUEST_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>

/**
 * struct trace_request - a function that hits ask for
 * @func:	the function; it may be called on two CPUs at a time
 * @state:	see request.c
 * @called_at:	when @func was called last, ktime_get_mono_fast_ns()
 * @work:	calls @func at once
 * @timer:	calls @func a tick later
 */
struct trace_request {
	void			(*func)(struct trace_request *request);	/* constant */
	atomic_t		state;
	atomic64_t		called_at;
	struct irq_work		work;
	struct hrtimer		timer;
};

void trace_request_init(struct trace_request *request, void (*func)(struct trace_request *request));
void trace_request_end(struct trace_request *request);
bool trace_request_raise(struct trace_request *request);

#endif /* _TRACE_LIB_REQUEST_H */
