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
#include <linux/kconfig.h>

/**
 * struct trace_request - a function that hits ask for
 * @func:	the function; it may be called on two CPUs at a time
 * @mode:	of @timer
 * @state:	see request.c
 * @called_at:	when @func was called last, or asked for since, ktime_get_mono_fast_ns()
 * @work:	calls @func at once, or has @timer call it
 * @late:	as @work, if that, or @timer, is of a CPU that takes no interrupts
 * @timer:	calls @func a tick later
 */
struct trace_request {
	void			(*func)(struct trace_request *request);	/* constant */
	enum hrtimer_mode	mode;					/* constant */
	atomic_t		state;
	atomic64_t		called_at;
	struct irq_work		work;
	struct irq_work		late;
	struct hrtimer		timer;
};

void trace_request_init_mode(struct trace_request *request,
			     void (*func)(struct trace_request *request), enum hrtimer_mode mode);
void trace_request_end(struct trace_request *request);
bool trace_request_raise(struct trace_request *request);

/**
 * trace_request_init - prepare a request
 * @request: the request
 * @func: the function that will be called, in an interrupt (on PREEMPT_RT in a softirq)
 *
 * Context: any.
 */
static inline void trace_request_init(struct trace_request *request,
				      void (*func)(struct trace_request *request))
{
	trace_request_init_mode(request, func, IS_ENABLED(CONFIG_PREEMPT_RT) ?
				HRTIMER_MODE_REL_SOFT : HRTIMER_MODE_REL);
}

#endif /* _TRACE_LIB_REQUEST_H */
