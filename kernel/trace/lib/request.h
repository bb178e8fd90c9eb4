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
#include <linux/percpu.h>

struct trace_request;

/**
 * struct trace_request_call - the call of a function that the hits of a CPU ask for
 * @request:	whose function
 * @asked:	@work is queued, or @timer is started, and the function will be called
 * @work:	calls the function at once, or starts @timer
 * @timer:	calls the function
 */
struct trace_request_call {
	struct trace_request	*request;	/* constant */
	atomic_t		asked;
	struct irq_work		work;
	struct hrtimer		timer;
};

/**
 * struct trace_request - a function that hits ask for
 * @func:	the function; it may be called on two CPUs at a time
 * @mode:	of the timers
 * @called_at:	when @func was called last, see request.c
 * @cpus:	the call of each CPU
 * @offline:	the call of all CPUs that are offline
 */
struct trace_request {
	void				(*func)(struct trace_request *request);	/* constant */
	enum hrtimer_mode		mode;					/* constant */
	atomic_long_t			called_at;
	struct trace_request_call __percpu *cpus;				/* constant */
	struct trace_request_call	offline;
};

int trace_request_init_mode(struct trace_request *request,
			    void (*func)(struct trace_request *request), enum hrtimer_mode mode);
void trace_request_end(struct trace_request *request);
bool trace_request_raise(struct trace_request *request);

/**
 * trace_request_init - prepare a request
 * @request: the request
 * @func: the function that will be called, in an interrupt (on PREEMPT_RT in a softirq)
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM; trace_request_end() is allowed then, too.
 */
static inline int trace_request_init(struct trace_request *request,
				     void (*func)(struct trace_request *request))
{
	return trace_request_init_mode(request, func, IS_ENABLED(CONFIG_PREEMPT_RT) ?
				       HRTIMER_MODE_REL_PINNED_SOFT : HRTIMER_MODE_REL_PINNED);
}

#endif /* _TRACE_LIB_REQUEST_H */
