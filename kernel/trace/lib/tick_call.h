/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lib/: call a function with the next tick, where it may wake tasks. Many that ask before the tick
 * need one call.
 *
 * That is lazy irq work, but on PREEMPT_RT, see irq_work.h. There the work is hard, and starts a
 * timer, which calls the function in a softirq. Work that is hard runs at once, so it would come
 * again with each who asks until the tick. It is queued by the first one alone.
 */
#ifndef _TRACE_LIB_TICK_CALL_H
#define _TRACE_LIB_TICK_CALL_H

#include <linux/irq_work.h>

#include "lib/irq_work.h"

#ifdef CONFIG_PREEMPT_RT
#include <linux/atomic.h>
#include <linux/hrtimer.h>

/**
 * struct trace_tick_call - a function that is called with the next tick
 * @work:	starts @timer
 * @timer:	calls @func
 * @asked:	@work is queued, or @timer will call @func
 * @func:	the function
 */
struct trace_tick_call {
	struct irq_work	work;
	struct hrtimer	timer;
	atomic_t	asked;				/* atomic */
	void		(*func)(struct irq_work *work);	/* constant */
};

void trace_tick_call_init(struct trace_tick_call *call, void (*func)(struct irq_work *work));
void trace_tick_call_queue(struct trace_tick_call *call);
void trace_tick_call_end(struct trace_tick_call *call);

/* Is the function called, or going to be? */
static inline bool trace_tick_call_is_busy(struct trace_tick_call *call)
{
	return atomic_read_acquire(&call->asked) ||	/* TC */
	       irq_work_is_busy(&call->work) ||
	       hrtimer_active(&call->timer);
}

#else

struct trace_tick_call {
	struct irq_work	work;
};

/* Prepare @call; @func is called with @call->work. */
static inline void trace_tick_call_init(struct trace_tick_call *call,
					void (*func)(struct irq_work *work))
{
	trace_irq_work_init_lazy(&call->work, func);
}

/* Have the function called. Any context of a CPU that is online, NMI included. */
static inline void trace_tick_call_queue(struct trace_tick_call *call)
{
	irq_work_queue(&call->work);
}

/* Nobody queues it any more, but its function: wait until that is not called. Task, may sleep. */
static inline void trace_tick_call_end(struct trace_tick_call *call)
{
	trace_irq_work_end(&call->work);
}

static inline bool trace_tick_call_is_busy(struct trace_tick_call *call)
{
	return irq_work_is_busy(&call->work);
}

#endif
#endif /* _TRACE_LIB_TICK_CALL_H */
