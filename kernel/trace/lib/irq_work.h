/* SPDX-License-Identifier: GPL-2.0 */
/* lib/: irq work from wherever a callback or a writer may be. */
#ifndef _TRACE_LIB_IRQ_WORK_H
#define _TRACE_LIB_IRQ_WORK_H

#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/smp.h>

/**
 * trace_irq_work_queue - queue irq work, if it will be run
 * @work: the work
 *
 * What a CPU queues after it has been taken offline is not run, and keeps all that it queues
 * later from being run. Nor is there irq work as long as one task has not begun to schedule:
 * arm64 makes it with an interprocessor interrupt, of which there is none until then, and
 * oopses.
 *
 * Context: any; not to be preempted.
 * Return: whether it will be run, which it is once if it was queued already.
 */
static inline bool trace_irq_work_queue(struct irq_work *work)
{
	if (unlikely(system_state < SYSTEM_SCHEDULING || !cpu_online(raw_smp_processor_id())))
		return false;
	irq_work_queue(work);
	return true;
}

#endif /* _TRACE_LIB_IRQ_WORK_H */
