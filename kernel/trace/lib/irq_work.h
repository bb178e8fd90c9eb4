/* SPDX-License-Identifier: GPL-2.0 */
/* lib/: queue irq work from any context, early in boot and on CPUs that go offline as well. */
#ifndef _TRACE_LIB_IRQ_WORK_H
#define _TRACE_LIB_IRQ_WORK_H

#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/smp.h>

/*
 * Early in boot, arm64 has not set up the interprocessor interrupt that runs irq work, and
 * oopses when some is queued.
 */
static inline bool trace_irq_work_runs(void)
{
	return system_state >= SYSTEM_SCHEDULING;
}

/* Would this CPU run irq work? Callers cannot be preempted. */
static inline bool trace_irq_work_runs_here(void)
{
	return trace_irq_work_runs() && cpu_online(raw_smp_processor_id());
}

/**
 * trace_irq_work_queue - queue irq work on this CPU, if it is going to be run
 * @work: the work
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

#endif /* _TRACE_LIB_IRQ_WORK_H */
