/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lib/: prepare irq work, and queue it from any context, early in boot and on CPUs that go offline
 * as well.
 *
 * On PREEMPT_RT, a thread of each CPU does the irq work that is not hard. The thread of a CPU that
 * goes offline is parked while the CPU is still in cpu_online_mask. Work that the CPU queues from
 * then on, or shortly before, stays pending until the CPU comes back, and meanwhile nobody can
 * queue it anywhere, or wait for it. The CPU itself runs the hard work that it has queued. So on
 * PREEMPT_RT all work of tracing is hard, and nothing else prepares it than the functions here.
 *
 * A handler of hard work is called with interrupts off, and takes no lock that sleeps on
 * PREEMPT_RT. It wakes nobody in a wait queue, and neither makes nor frees memory. It may queue a
 * work item, start a timer and call call_rcu(), whose locks are raw.
 */
#ifndef _TRACE_LIB_IRQ_WORK_H
#define _TRACE_LIB_IRQ_WORK_H

#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "lib/may_wait.h"

/*
 * Early in boot, arm64 has not set up the interprocessor interrupt that runs irq work, and
 * oopses when some is queued.
 */
static inline bool trace_irq_work_runs(void)
{
	return system_state >= SYSTEM_SCHEDULING;
}

/* A variable that is hard irq work. @handler does what the head of this file allows. */
#define DEFINE_TRACE_IRQ_WORK(name, handler) \
	struct irq_work name = IRQ_WORK_INIT_HARD(handler)

/* As DEFINE_TRACE_IRQ_WORK(), for a member. */
static inline void trace_irq_work_init(struct irq_work *work, void (*handler)(struct irq_work *))
{
	*work = IRQ_WORK_INIT_HARD(handler);
}

/* Work whose handler wakes tasks, on kernels where an interrupt may do that. */
static inline void trace_irq_work_init_waking(struct irq_work *work,
					      void (*handler)(struct irq_work *))
{
	WARN_ON_ONCE(IS_ENABLED(CONFIG_PREEMPT_RT));
	*work = IRQ_WORK_INIT(handler);
}

/* As trace_irq_work_init_waking(), of work that the next tick of the CPU runs. */
static inline void trace_irq_work_init_lazy(struct irq_work *work,
					    void (*handler)(struct irq_work *))
{
	WARN_ON_ONCE(IS_ENABLED(CONFIG_PREEMPT_RT));
	*work = IRQ_WORK_INIT_LAZY(handler);
}

/* Would this CPU run irq work? Callers cannot be preempted. */
static inline bool trace_irq_work_runs_here(void)
{
	return trace_irq_work_runs() && cpu_online(raw_smp_processor_id());
}

/**
 * trace_irq_work_queue - queue irq work on this CPU, if it is going to be run
 * @work: the work, which was prepared by a function of this file
 *
 * A CPU takes itself out of cpu_online_mask when it goes offline, and then runs once more what
 * it has queued (smpcfd_dying_cpu()). Work that it queued after that would stay pending, and
 * no other CPU could queue it. Callers cannot be preempted, so the CPU does not go offline
 * between the check and the queueing; an interrupt or NMI in between does both for itself.
 *
 * The handler, and the interrupt that runs it, may hit what queues the work. So callers say what
 * keeps them from queueing again and again, or use lib/request.h, which does that for them.
 *
 * Context: any, NMI included; not to be preempted.
 * Return: true if @work is queued, now or already; false: it was not, and will not be run.
 */
static inline bool trace_irq_work_queue(struct irq_work *work)
{
	if (unlikely(!trace_irq_work_runs_here()))
		return false;
	irq_work_queue(work);
	return true;
}

/**
 * trace_irq_work_end - wait until irq work is not run any more
 * @work: the work, which nobody queues any more but its handler
 *
 * irq_work_sync() spins. A CPU that stands still may have the work, and without preemption the
 * caller's CPU would stand as well. So this sleeps while the work is busy.
 *
 * Context: task, may sleep; no lock that others need, see wait.h.
 */
static inline void trace_irq_work_end(struct irq_work *work)
{
	trace_may_wait();
	while (irq_work_is_busy(work))
		schedule_timeout_uninterruptible(1);
	irq_work_sync(work);
}

#endif /* _TRACE_LIB_IRQ_WORK_H */
