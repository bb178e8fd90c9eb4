// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of hits: call a function in an interrupt, at most once per tick. On PREEMPT_RT it is
 * called in a softirq, where it may take locks that sleep: the interrupt starts the timer.
 *
 * The function, the interrupt that calls it, and the timer may be traced themselves, and hit what
 * asks for the very same request. If each of these hits queued an irq_work, one interrupt would
 * follow the other, and nothing else would run on the CPU. So the handler never queues again
 * whatever it does: it starts a timer, and until that has expired a hit does no more than leave a
 * mark, which lets the timer call the function, and start anew.
 *
 *	IDLE	no handler is under way: the next hit queues the irq_work
 *	ASKED	the function will be called by the irq_work or the timer
 *	RESTS	it was called less than a tick ago, and nobody has asked since
 *
 * RQ: the caller of trace_request_raise() makes its stores before it sets ASKED, and the handler
 * takes ASKED away before it calls the function; both with a full barrier. So the function sees
 * the stores of each caller, or is called again.
 *
 * The CPU that has the timer, or the irq_work, may take no interrupt for long. So a hit that finds
 * that the function was not called for two ticks queues another irq_work on its own CPU. If that
 * CPU takes no interrupt either, the function waits for one of the two.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/preempt.h>
#include <linux/timekeeping.h>

#include "lib/irq_work.h"
#include "lib/request.h"

enum request_state {
	REQUEST_IDLE,
	REQUEST_ASKED,
	REQUEST_RESTS,
};

static void request_call(struct trace_request *request)
{
	atomic64_set(&request->called_at, ktime_get_mono_fast_ns());
	atomic_xchg(&request->state, REQUEST_RESTS);	/* RQ */
	request->func(request);
	hrtimer_start(&request->timer, ns_to_ktime(TICK_NSEC), request->mode);
}

static void request_now(struct irq_work *work)
{
	request_call(container_of(work, struct trace_request, work));
}

static void request_late_now(struct irq_work *work)
{
	request_call(container_of(work, struct trace_request, late));
}

/* The function may do what a hard interrupt must not do on PREEMPT_RT: a softirq calls it. */
static void request_call_soon(struct trace_request *request)
{
	hrtimer_start(&request->timer, 0, request->mode);
}

static void request_soon(struct irq_work *work)
{
	request_call_soon(container_of(work, struct trace_request, work));
}

static void request_late_soon(struct irq_work *work)
{
	request_call_soon(container_of(work, struct trace_request, late));
}

/*
 * Another CPU may find meanwhile that this one is late, and start the timer. It is in a tree then,
 * where only hrtimer_start() may change the time. So the timer is started, and not restarted.
 */
static enum hrtimer_restart request_tick_later(struct hrtimer *timer)
{
	struct trace_request *request = container_of(timer, struct trace_request, timer);

	if (atomic_cmpxchg(&request->state, REQUEST_RESTS, REQUEST_IDLE) == REQUEST_ASKED)
		request_call(request);
	return HRTIMER_NORESTART;
}

/* Has the CPU that should call the function not run for a while? True once in two ticks. */
static bool request_is_late(struct trace_request *request)
{
	s64 last = atomic64_read(&request->called_at);
	s64 now = ktime_get_mono_fast_ns();

	return now - last > 2 * TICK_NSEC &&
	       atomic64_cmpxchg(&request->called_at, last, now) == last;
}

/**
 * trace_request_init_mode - prepare a request whose function is called in a certain context
 * @request: the request
 * @func: the function that will be called
 * @mode: HRTIMER_MODE_REL: in an interrupt; HRTIMER_MODE_REL_SOFT: in a softirq, which on
 *	PREEMPT_RT is a thread
 *
 * It is for trace_request_init(), and for tests of the mode that it does not choose here.
 *
 * Context: any.
 */
void trace_request_init_mode(struct trace_request *request,
			     void (*func)(struct trace_request *request), enum hrtimer_mode mode)
{
	request->func = func;
	request->mode = mode;
	atomic_set(&request->state, REQUEST_IDLE);
	atomic64_set(&request->called_at, 0);
	if (mode == HRTIMER_MODE_REL_SOFT) {
		trace_irq_work_init(&request->work, request_soon);
		trace_irq_work_init(&request->late, request_late_soon);
	} else {
		trace_irq_work_init_waking(&request->work, request_now);
		trace_irq_work_init_waking(&request->late, request_late_now);
	}
	hrtimer_init(&request->timer, CLOCK_MONOTONIC, mode);
	request->timer.function = request_tick_later;
}

/**
 * trace_request_end - wait until the function is not called any more
 * @request: the request, which nobody raises any more
 *
 * Context: task, may sleep.
 */
void trace_request_end(struct trace_request *request)
{
	/* The irq_works start the timer, so wait for them first. */
	trace_irq_work_end(&request->work);
	trace_irq_work_end(&request->late);
	hrtimer_cancel(&request->timer);
}

/**
 * trace_request_raise - have the function called soon
 * @request: the request
 *
 * A CPU that goes offline runs no irq_work any more, so another one is asked to call.
 *
 * Context: any, NMI included, not to be preempted; on an offline CPU with interrupts off.
 * Return: true if the function is going to be called; false early in boot, and in an NMI of an
 * offline CPU.
 */
bool trace_request_raise(struct trace_request *request)
{
	bool here = cpu_online(raw_smp_processor_id());
	struct irq_work *work = &request->work;

	if (!trace_irq_work_runs() || (!here && in_nmi()))
		return false;
	/* RQ */
	if (atomic_xchg(&request->state, REQUEST_ASKED) == REQUEST_IDLE)
		atomic64_set(&request->called_at, ktime_get_mono_fast_ns());
	else if (request_is_late(request))
		work = &request->late;
	else
		return true;
	if (!here)
		irq_work_queue_on(work, cpumask_first(cpu_online_mask));
	else
		trace_irq_work_queue(work);
	return true;
}
