/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record/context.h: the context of a record in its common header: task, interrupts,
 * preemption. tracing_gen_ctx() of <linux/trace_events.h> tells it anywhere, by a call
 * of context.c; the functions here tell it inline in the usual case, for hot paths.
 */
#ifndef _TRACE_RECORD_CONTEXT_H
#define _TRACE_RECORD_CONTEXT_H

#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/trace_events.h>

/* Where a struct trace_entry has its parts when it is read as a u64. */
#ifdef CONFIG_CPU_BIG_ENDIAN
enum { ENTRY_PID = 0, ENTRY_COUNT = 32, ENTRY_FLAGS = 40, ENTRY_TYPE = 48 };
#else
enum { ENTRY_TYPE = 0, ENTRY_FLAGS = 16, ENTRY_COUNT = 24, ENTRY_PID = 32 };
#endif
static_assert(sizeof(struct trace_entry) == sizeof(u64) &&
	      offsetof(struct trace_entry, flags) == 2 &&
	      offsetof(struct trace_entry, preempt_count) == 3 &&
	      offsetof(struct trace_entry, pid) == 4);

/**
 * trace_task_context - flags and preemption count in the usual case
 * @held: how many preempt_disable() the count leaves out
 * @flags_at: the bit of *@word where the flags begin
 * @count_at: the bit of *@word where the preemption count begins
 * @word: set to both, and zeroes
 *
 * The usual case is a task with nothing pending, which may have migration
 * enabled and up to 15 preempt_disable(). test_preempt_need_resched() is not
 * asked: but in an NMI, it says yes only where the task's flag does.
 *
 * Context: any, with preemption off.
 * Return: false in other cases: tracing_gen_ctx() knows.
 */
static __always_inline bool trace_task_context(unsigned int held, unsigned int flags_at,
					       unsigned int count_at, u64 *word)
{
	const unsigned int depth_max = IS_ENABLED(CONFIG_PREEMPT_COUNT) ? 0xf : 0;
	unsigned int count = preempt_count() - held;
	unsigned long flags;
	u64 irqs_on;

	if (!IS_ENABLED(CONFIG_TRACE_IRQFLAGS_SUPPORT))
		return false;
	/* Softirqs that are disabled do not count there. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && softirq_count())
		return false;
	/* data_race: one bit, which another CPU may set at any time. */
	if (count & ~depth_max || data_race(current_thread_info()->flags) & _TIF_NEED_RESCHED)
		return false;
#ifdef CONFIG_SMP
	if (current->migration_disabled)
		return false;
#endif
	local_save_flags(flags);
	/* Moved and flipped: most processors have a flag that says on. */
	irqs_on = irqs_disabled_flags(flags) ? 0 : TRACE_FLAG_IRQS_OFF;
	*word = (irqs_on << flags_at) ^ ((u64)TRACE_FLAG_IRQS_OFF << flags_at) ^
		((u64)count << count_at);
	return true;
}

/**
 * trace_task_entry - the whole common header as a word, in the usual case
 * @type: number of the record's kind
 * @entry: set to the header
 *
 * Context: any; the caller has called preempt_disable() once, which is left out.
 * Return: as trace_task_context().
 */
static __always_inline bool trace_task_entry(unsigned int type, u64 *entry)
{
	u64 context;

	if (!trace_task_context(PREEMPT_DISABLE_OFFSET, ENTRY_FLAGS, ENTRY_COUNT, &context))
		return false;
	*entry = context ^ ((u64)type << ENTRY_TYPE) ^ ((u64)(u32)current->pid << ENTRY_PID);
	return true;
}

/**
 * trace_probe_context - tracing_gen_ctx_dec(), without a call in the usual case
 *
 * A tracepoint calls its probes with preemption disabled once, which the count
 * leaves out.
 *
 * Context: any, with preemption off.
 * Return: as tracing_gen_ctx_dec().
 */
static __always_inline unsigned int trace_probe_context(void)
{
	u64 context;

	if (likely(trace_task_context(IS_ENABLED(CONFIG_PREEMPTION), 16, 0, &context)))
		return context;
	return tracing_gen_ctx_dec();
}

#endif /* _TRACE_RECORD_CONTEXT_H */
