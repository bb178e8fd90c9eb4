// SPDX-License-Identifier: GPL-2.0
/*
 * Calls with the next tick on PREEMPT_RT; other kernels have all of it in the header.
 *
 * TC: the caller of trace_tick_call_queue() makes its stores before it sets asked, and the timer
 * takes asked away before it calls the function; both with a full barrier. So the function sees
 * the stores of each caller, or is called again. Asked is loaded with acquire before anybody looks
 * at the work and the timer: if the timer has taken it away, the work is seen that started that.
 *
 * The timer is pinned. The timer of an idle CPU would go to another one, which may stand still.
 */
#include <linux/jiffies.h>
#include <linux/preempt.h>

#include "lib/tick_call.h"

static void tick_call_run(struct trace_tick_call *call)
{
	atomic_xchg(&call->asked, 0);	/* TC */
	call->func(&call->work);
}

static void tick_call_start(struct irq_work *work)
{
	struct trace_tick_call *call = container_of(work, struct trace_tick_call, work);

	hrtimer_start(&call->timer, ns_to_ktime(TICK_NSEC), HRTIMER_MODE_REL_PINNED_SOFT);
}

static enum hrtimer_restart tick_call_now(struct hrtimer *timer)
{
	tick_call_run(container_of(timer, struct trace_tick_call, timer));
	/* If the function has asked, the irq work has started the timer. */
	return HRTIMER_NORESTART;
}

/**
 * trace_tick_call_init - prepare a function that is called with the next tick
 * @call: the call
 * @func: the function; it is called with @call->work
 *
 * Context: any.
 */
void trace_tick_call_init(struct trace_tick_call *call, void (*func)(struct irq_work *work))
{
	call->func = func;
	atomic_set(&call->asked, 0);
	trace_irq_work_init(&call->work, tick_call_start);
	hrtimer_init(&call->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_SOFT);
	call->timer.function = tick_call_now;
}

/**
 * trace_tick_call_queue - have the function called
 * @call: the call
 *
 * Between the two steps this CPU runs nobody else, so @asked does not stay without the work.
 *
 * Context: any of a CPU that is online, NMI included.
 */
void trace_tick_call_queue(struct trace_tick_call *call)
{
	preempt_disable_notrace();
	if (!atomic_xchg(&call->asked, 1))	/* TC */
		irq_work_queue(&call->work);
	preempt_enable_notrace();
}

/**
 * trace_tick_call_end - wait until the function is not called any more
 * @call: the call, which nobody queues any more but its function
 *
 * Context: task, may sleep.
 */
void trace_tick_call_end(struct trace_tick_call *call)
{
	/*
	 * The work starts the timer, so the first step ends the work. A function that still ran
	 * may have queued it again. Its interrupt may come, and start the timer, at any time
	 * between the steps, but as long as it was not called again, asked stays set.
	 */
	do {
		trace_irq_work_end(&call->work);
		/* Nobody else takes away what a timer was asked for that does not expire. */
		if (hrtimer_cancel(&call->timer))
			atomic_set(&call->asked, 0);
	} while (trace_tick_call_is_busy(call));
}
