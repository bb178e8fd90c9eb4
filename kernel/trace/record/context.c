// SPDX-License-Identifier: GPL-2.0
/*
 * The context of a record, packed into a word, in any context there is.
 * context.h has the short way for the usual one.
 */
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "record/context.h"

/* Both nibbles of trace_entry.preempt_count stop at what they can hold. */
static unsigned int context_preempt_nibbles(unsigned int count)
{
	unsigned int depth = min(count & PREEMPT_MASK, 0xfU);

#ifdef CONFIG_SMP
	return depth | min_t(unsigned int, current->migration_disabled, 0xf) << 4;
#else
	return depth;
#endif
}

static unsigned int context_interrupt_flags(unsigned int count, unsigned int softirq)
{
	unsigned int flags = 0;

	if (count & NMI_MASK)
		flags |= TRACE_FLAG_NMI;
	if (count & HARDIRQ_MASK)
		flags |= TRACE_FLAG_HARDIRQ;
	if (softirq & SOFTIRQ_OFFSET)
		flags |= TRACE_FLAG_SOFTIRQ;
	/* local_bh_disable() counts in twos. */
	if (softirq >= SOFTIRQ_DISABLE_OFFSET)
		flags |= TRACE_FLAG_BH_OFF;
	return flags;
}

/**
 * tracing_gen_ctx_irq_test - the context of a record, packed
 * @irqs_status: TRACE_FLAG_IRQS_OFF or TRACE_FLAG_IRQS_NOSUPPORT or 0
 *
 * Context: any.
 * Return: flags in bits 16..23, preemption and migration counts in 0..7.
 */
unsigned int tracing_gen_ctx_irq_test(unsigned int irqs_status)
{
	unsigned int count = preempt_count();
	/* Not part of preempt_count() on PREEMPT_RT. */
	unsigned int softirq = softirq_count() & SOFTIRQ_MASK;
	unsigned int flags = irqs_status;

	/* Most records are from plain task context. */
	if ((count & (NMI_MASK | HARDIRQ_MASK)) | softirq)
		flags |= context_interrupt_flags(count, softirq);
	if (tif_need_resched())
		flags |= TRACE_FLAG_NEED_RESCHED;
	if (test_preempt_need_resched())
		flags |= TRACE_FLAG_PREEMPT_RESCHED;

	return flags << 16 | context_preempt_nibbles(count);
}
