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

/* Where a struct trace_entry has its parts before the pid when they are read as a u32. */
#ifdef CONFIG_CPU_BIG_ENDIAN
enum { ENTRY_COUNT = 0, ENTRY_FLAGS = 8, ENTRY_TYPE = 16 };
#else
enum { ENTRY_TYPE = 0, ENTRY_FLAGS = 16, ENTRY_COUNT = 24 };
#endif
static_assert(sizeof(struct trace_entry) == sizeof(u64) &&
	      offsetof(struct trace_entry, flags) == 2 &&
	      offsetof(struct trace_entry, preempt_count) == 3 &&
	      offsetof(struct trace_entry, pid) == 4);

/**
 * trace_task_usual - is this a task with nothing pending?
 * @held: how many preempt_disable() the count leaves out
 *
 * It may have migration enabled and up to 15 preempt_disable().
 * test_preempt_need_resched() need not be checked: outside of NMIs it is set only when
 * TIF_NEED_RESCHED is, which is checked.
 *
 * Context: any, with preemption off.
 * Return: true if trace_task_context() tells what there is to tell; else
 * tracing_gen_ctx() does.
 */
static __always_inline bool trace_task_usual(unsigned int held)
{
	const unsigned int depth_max = IS_ENABLED(CONFIG_PREEMPT_COUNT) ? 0xf : 0;

	if (!IS_ENABLED(CONFIG_TRACE_IRQFLAGS_SUPPORT))
		return false;
	/* Softirqs that are disabled do not count there. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && softirq_count())
		return false;
	if ((preempt_count() - held) & ~depth_max)
		return false;
	/* data_race: one bit, which another CPU may set at any time. */
	if (data_race(current_thread_info()->flags) & _TIF_NEED_RESCHED)
		return false;
#ifdef CONFIG_SMP
	if (current->migration_disabled)
		return false;
#endif
	return true;
}

/*
 * The bit of the processor's flags that tells whether interrupts are disabled, if there is one.
 * Each of the patterns tells a bit of its number. For callers that know that a constant
 * comes out.
 */
static __always_inline unsigned int trace_irqs_bit(void)
{
	const bool none = irqs_disabled_flags(0UL);

	return (irqs_disabled_flags(0xaaaaaaaaUL) != none) |
	       (irqs_disabled_flags(0xccccccccUL) != none) << 1 |
	       (irqs_disabled_flags(0xf0f0f0f0UL) != none) << 2 |
	       (irqs_disabled_flags(0xff00ff00UL) != none) << 3 |
	       (irqs_disabled_flags(0xffff0000UL) != none) << 4;
}

/* Does @bit, and no other one, tell it? */
static __always_inline bool trace_irqs_is_bit(unsigned int bit)
{
	const bool none = irqs_disabled_flags(0UL);

	return irqs_disabled_flags(BIT(bit)) != none && irqs_disabled_flags(~BIT(bit)) == none;
}

/**
 * trace_task_context - flags and preemption count where trace_task_usual() is true
 * @held: how many preempt_disable() the count leaves out
 * @flags_at: the bit of the word where the flags begin
 * @count_at: the bit of the word where the preemption count begins
 *
 * Context: a task, with preemption off.
 * Return: both, and zeroes.
 */
static __always_inline u32 trace_task_context(unsigned int held, unsigned int flags_at,
					      unsigned int count_at)
{
	unsigned int count = IS_ENABLED(CONFIG_PREEMPT_COUNT) ? preempt_count() - held : 0;
	const bool none = irqs_disabled_flags(0UL);
	const u32 off = (u32)TRACE_FLAG_IRQS_OFF << flags_at;
	unsigned long flags;
	u32 irqs;

	local_save_flags(flags);
	/*
	 * The processor's flag is moved to its place. Where it says on, it is flipped as well, and
	 * the compiler would move it down first.
	 */
	if (!__builtin_constant_p(none) || !none)
		irqs = (irqs_disabled_flags(flags) ? (u32)TRACE_FLAG_IRQS_OFF : 0) << flags_at;
	else if (trace_irqs_bit() <= flags_at && trace_irqs_is_bit(trace_irqs_bit()))
		irqs = ((u32)flags & BIT(trace_irqs_bit())) << (flags_at - trace_irqs_bit()) ^ off;
	else
		irqs = irqs_disabled_flags(flags) ? off : 0;
	return irqs ^ (count << count_at);
}

/*
 * Make the word that trace_entry_fill() writes before the pid from the result of
 * tracing_gen_ctx().
 */
static __always_inline u32 trace_entry_head(unsigned int type, unsigned int trace_ctx)
{
	return (u32)(u16)type << ENTRY_TYPE ^ (u32)(u8)(trace_ctx >> 16) << ENTRY_FLAGS ^
	       (u32)(u8)trace_ctx << ENTRY_COUNT;
}

/**
 * trace_task_head - the word before the pid, where trace_task_usual() is true
 * @type: number of the record's kind
 *
 * Context: a task; the caller has called preempt_disable() once, which is left out.
 * Return: the type, the flags and the preemption count, for trace_entry_fill().
 */
static __always_inline u32 trace_task_head(unsigned int type)
{
	return trace_task_context(PREEMPT_DISABLE_OFFSET, ENTRY_FLAGS, ENTRY_COUNT) ^
	       type << ENTRY_TYPE;
}

/* Write the common header of a record: @head, which comes from a function above, and the pid. */
static __always_inline void trace_entry_fill(struct trace_entry *entry, u32 head)
{
	pid_t pid = current->pid;

	static_assert(offsetof(struct trace_entry, type) == 0);
	*(u32 *)entry = head;
	entry->pid = pid;
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
	if (likely(trace_task_usual(IS_ENABLED(CONFIG_PREEMPTION))))
		return trace_task_context(IS_ENABLED(CONFIG_PREEMPTION), 16, 0);
	return tracing_gen_ctx_dec();
}

#endif /* _TRACE_RECORD_CONTEXT_H */
