// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of hits: call a function in an interrupt, at most once per tick. On PREEMPT_RT it is
 * called in a softirq, where it may take locks that sleep: the interrupt starts the timer.
 *
 * A CPU may stand still for long: it takes no interrupts, its host does not run it, or, on
 * PREEMPT_RT, a task keeps it from its timers, even in the midst of the function. So no CPU relies
 * on another one. Each has its own call: the irq_work is queued on this CPU alone, and the timer is
 * started there, and pinned. CPUs share the time of the last call, which puts a call off by a tick,
 * and never takes it away. The hit on a CPU that stands still waits for this CPU, or until another
 * one is hit. Hits on CPUs that are offline have a call of their own, which an online CPU does. If
 * that CPU stands still, no hit of an online one waits for it. (If a CPU goes offline before its
 * timer expires, the timer expires on another one. Until then the CPU relies on that.)
 *
 * The function, the interrupt that calls it, and the timer may be traced themselves, and hit what
 * asks for the very same request. If each of these hits led to a call at once, one interrupt would
 * follow the other, and nothing else would run on the CPU. So within a tick of the last call, the
 * interrupt does no more than start the timer. Until that has called the function, hits find that
 * the call is asked for.
 *
 * RQ: the caller of trace_request_raise() makes its stores before it sets asked, and asked is taken
 * away before the function is called; both with a full barrier. So the function sees the stores of
 * each caller, or is called again.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/preempt.h>
#include <linux/timekeeping.h>

#include "lib/irq_work.h"
#include "lib/request.h"

/*
 * Some microseconds are the unit of trace_request::called_at, so that 32 bits of it go round in an
 * hour. A call that comes just an hour after the last one may be put off for nothing. These are no
 * jiffies: a CPU that stands still may be the one that counts these.
 */
#define REQUEST_SHIFT	10

/* Has a tick passed since the last call? Then it is this CPU's turn, and no other one's. */
static bool request_has_turn(struct trace_request *request)
{
	const unsigned long tick = TICK_NSEC >> REQUEST_SHIFT;
	long last = atomic_long_read(&request->called_at);
	unsigned long now = ktime_get_mono_fast_ns() >> REQUEST_SHIFT;

	/* The CPU that has called may have read a clock that is a little ahead of this one's. */
	return now - last + tick >= 2 * tick &&
	       atomic_long_try_cmpxchg(&request->called_at, &last, now);
}

/* Call the function, now or a tick later. In hard irq, or, on PREEMPT_RT, in softirq. */
static void request_call(struct trace_request_call *call)
{
	struct trace_request *request = call->request;

	if (request_has_turn(request)) {
		atomic_xchg(&call->asked, 0);	/* RQ */
		request->func(request);
	} else {
		hrtimer_start(&call->timer, ns_to_ktime(TICK_NSEC), request->mode);
	}
}

static void request_now(struct irq_work *work)
{
	request_call(container_of(work, struct trace_request_call, work));
}

/* The function may do what a hard interrupt must not do on PREEMPT_RT: a softirq calls it. */
static void request_soon(struct irq_work *work)
{
	struct trace_request_call *call = container_of(work, struct trace_request_call, work);

	hrtimer_start(&call->timer, 0, call->request->mode);
}

/*
 * The function may ask, and the irq_work start the timer meanwhile. It is in a tree then, where
 * only hrtimer_start() may change the time. So it is always started, and never restarted.
 */
static enum hrtimer_restart request_timer(struct hrtimer *timer)
{
	request_call(container_of(timer, struct trace_request_call, timer));
	return HRTIMER_NORESTART;
}

static void request_call_init(struct trace_request_call *call, struct trace_request *request)
{
	call->request = request;
	atomic_set(&call->asked, 0);
	if (request->mode == HRTIMER_MODE_REL_PINNED_SOFT)
		trace_irq_work_init(&call->work, request_soon);
	else
		trace_irq_work_init_waking(&call->work, request_now);
	hrtimer_init(&call->timer, CLOCK_MONOTONIC, request->mode);
	call->timer.function = request_timer;
}

/**
 * trace_request_init_mode - prepare a request whose function is called in a certain context
 * @request: the request
 * @func: the function that will be called
 * @mode: HRTIMER_MODE_REL_PINNED: in an interrupt; HRTIMER_MODE_REL_PINNED_SOFT: in a softirq,
 *	which on PREEMPT_RT is a thread
 *
 * It is for trace_request_init(), and for tests of the mode that it does not choose here.
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM; trace_request_end() is allowed then, too.
 */
int trace_request_init_mode(struct trace_request *request,
			    void (*func)(struct trace_request *request), enum hrtimer_mode mode)
{
	int cpu;

	request->func = func;
	request->mode = mode;
	/* The first hit is not put off. */
	atomic_long_set(&request->called_at,
			(ktime_get_mono_fast_ns() - 2 * TICK_NSEC) >> REQUEST_SHIFT);
	request_call_init(&request->offline, request);
	request->cpus = alloc_percpu(struct trace_request_call);
	if (!request->cpus)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		request_call_init(per_cpu_ptr(request->cpus, cpu), request);
	return 0;
}

/* The irq_work starts the timer, so this waits for the work first. */
static void request_call_end(struct trace_request_call *call)
{
	if (irq_work_is_busy(&call->work))
		trace_irq_work_end(&call->work);
	hrtimer_cancel(&call->timer);
}

/**
 * trace_request_end - wait until the function is not called any more
 * @request: the request, which nobody raises any more
 *
 * Context: task, may sleep.
 */
void trace_request_end(struct trace_request *request)
{
	int cpu;

	if (!request->cpus)
		return;
	for_each_possible_cpu(cpu)
		request_call_end(per_cpu_ptr(request->cpus, cpu));
	request_call_end(&request->offline);
	/*
	 * Where ticks alone run irq_works, an end waits for a grace period, after which no handler
	 * is still about to return. One is enough for all.
	 */
	trace_irq_work_end(&request->offline.work);
	free_percpu(request->cpus);
	request->cpus = NULL;
}

/* A CPU that goes offline runs no irq_work any more, so another one is asked to call. */
static bool request_raise_offline(struct trace_request_call *call)
{
	if (!trace_irq_work_runs() || in_nmi())
		return false;
	if (!atomic_xchg(&call->asked, 1))	/* RQ */
		irq_work_queue_on(&call->work, cpumask_first(cpu_online_mask));
	return true;
}

/**
 * trace_request_raise - have the function called soon
 * @request: the request
 *
 * Between the two steps this CPU runs nobody else but what interrupts it, so asked does not stay
 * without the work.
 *
 * Context: any, NMI included, not to be preempted; on an offline CPU with interrupts off.
 * Return: true if the function is going to be called; false early in boot, and in an NMI of an
 * offline CPU.
 */
bool trace_request_raise(struct trace_request *request)
{
	struct trace_request_call *call;

	if (unlikely(!trace_irq_work_runs_here()))
		return request_raise_offline(&request->offline);
	call = raw_cpu_ptr(request->cpus);
	if (!atomic_xchg(&call->asked, 1))	/* RQ */
		irq_work_queue(&call->work);
	return true;
}
