// SPDX-License-Identifier: GPL-2.0
/*
 * Records that every layer writes alike: the common header, and the stack
 * records that follow another record when the instance's options say so.
 */
#include <linux/export.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "instance/internal.h"

/* Contexts that can interrupt each other on a CPU: task, softirq, irq, NMI. */
#define STACK_LEVELS	4
#define STACK_DEPTH	256

/*
 * A stack is unwound before its length is known, so it needs a place of its
 * own: one per CPU and context. A context that comes at a depth where there
 * is none (recursion inside the unwinder) writes no stack.
 */
struct stack_scratch {
	unsigned long	calls[STACK_LEVELS][STACK_DEPTH];
	int		level;		/* this CPU only, preemption off */
	int		user_level;	/* the same, for user stacks */
};

static DEFINE_PER_CPU(struct stack_scratch, stack_scratch);

/* Both nibbles of trace_entry.preempt_count stop at what they can hold. */
static unsigned int preempt_nibbles(unsigned int count)
{
	unsigned int depth = min(count & PREEMPT_MASK, 0xfU);

#ifdef CONFIG_SMP
	return depth | min_t(unsigned int, current->migration_disabled, 0xf) << 4;
#else
	return depth;
#endif
}

static unsigned int interrupt_flags(unsigned int count, unsigned int softirq)
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
		flags |= interrupt_flags(count, softirq);
	if (tif_need_resched())
		flags |= TRACE_FLAG_NEED_RESCHED;
	if (test_preempt_need_resched())
		flags |= TRACE_FLAG_PREEMPT_RESCHED;

	return flags << 16 | preempt_nibbles(count);
}

/**
 * trace_reserve - reserve a record and fill its common header
 * @buffer: the buffer
 * @type: kind of record
 * @len: length of the entry, common header included
 * @trace_ctx: from tracing_gen_ctx()
 *
 * Context: any. trace_commit() must follow on the same CPU.
 * Return: the record; NULL when the buffer is switched off or full, or when
 * this context is inside the buffer already.
 */
struct ring_buffer_event *trace_reserve(struct trace_buffer *buffer, int type,
					unsigned long len, unsigned int trace_ctx)
{
	struct ring_buffer_event *event = ring_buffer_lock_reserve(buffer, len);

	if (event)
		tracing_generic_entry_update(ring_buffer_event_body(event), type, trace_ctx);
	return event;
}

static void write_calls(struct trace_buffer *buffer, unsigned int trace_ctx,
			const unsigned long *calls, unsigned int nr)
{
	struct trace_stack_entry *entry;
	struct ring_buffer_event *event;

	event = trace_reserve(buffer, TRACE_STACK, struct_size(entry, caller, nr), trace_ctx);
	if (!event)
		return;
	entry = ring_buffer_event_body(event);
	entry->size = nr;
	memcpy(entry->caller, calls, nr * sizeof(*calls));
	trace_commit(buffer);
}

/* Always inlined, so that the number of our own frames is known. */
static __always_inline void write_stack(struct trace_buffer *buffer, unsigned int trace_ctx,
					int skip, struct pt_regs *regs)
{
	unsigned long *calls;
	unsigned int nr;
	int level;

	/* The unwinder looks modules up under RCU. */
	if (!rcu_is_watching())
		return;

	preempt_disable_notrace();
	level = __this_cpu_inc_return(stack_scratch.level) - 1;
	/* Interrupts that come from here on find the next place. */
	barrier();
	if (level < STACK_LEVELS) {
		calls = this_cpu_ptr(&stack_scratch)->calls[level];
		if (regs)
			nr = stack_trace_save_regs(regs, calls, STACK_DEPTH, skip);
		else
			nr = stack_trace_save(calls, STACK_DEPTH, skip + 1);
		write_calls(buffer, trace_ctx, calls, nr);
	}
	barrier();
	__this_cpu_dec(stack_scratch.level);
	preempt_enable_notrace();
}

static void write_user_stack(struct trace_buffer *buffer, unsigned int trace_ctx)
{
	struct trace_userstack_entry *entry;
	struct ring_buffer_event *event;

	if (!IS_ENABLED(CONFIG_USER_STACKTRACE_SUPPORT))
		return;
	/* Reading user memory may fault, and an NMI must not fault. */
	if (in_nmi() || !rcu_is_watching())
		return;

	preempt_disable_notrace();
	/* The fault is traced as well: its records get no user stack. */
	if (__this_cpu_inc_return(stack_scratch.user_level) > 1)
		goto out;
	event = trace_reserve(buffer, TRACE_USER_STACK, sizeof(*entry), trace_ctx);
	if (!event)
		goto out;
	entry = ring_buffer_event_body(event);
	entry->tgid = current->tgid;
	memset(entry->caller, 0, sizeof(entry->caller));
	stack_trace_save_user(entry->caller, TRACE_USER_STACK_DEPTH);
	trace_commit(buffer);
out:
	__this_cpu_dec(stack_scratch.user_level);
	preempt_enable_notrace();
}

/**
 * trace_commit_stack - commit a record, and write its stacks if wanted
 * @tr: whose options count
 * @buffer: where the record was reserved
 * @trace_ctx: the record's
 * @skip: frames to leave out, 0: the caller is the first one shown
 * @regs: unwind from here, @skip counts from there; may be NULL
 *
 * Context: any.
 */
noinline void trace_commit_stack(struct trace_array *tr, struct trace_buffer *buffer,
				 unsigned int trace_ctx, int skip, struct pt_regs *regs)
{
	trace_commit(buffer);
	if (trace_option(tr, TRACE_OPT_STACKTRACE))
		write_stack(buffer, trace_ctx, skip, regs);
	if (trace_option(tr, TRACE_OPT_USERSTACKTRACE))
		write_user_stack(buffer, trace_ctx);
}

/**
 * trace_write_stack - write the kernel stack, whatever the options say
 * @tr: where to
 * @trace_ctx: from tracing_gen_ctx()
 * @skip: frames to leave out, 0: the caller is the first one shown
 * @regs: unwind from here, @skip counts from there; may be NULL
 *
 * Context: any.
 */
noinline void trace_write_stack(struct trace_array *tr, unsigned int trace_ctx, int skip,
				struct pt_regs *regs)
{
	write_stack(tr->array_buffer.buffer, trace_ctx, skip, regs);
}

/**
 * trace_dump_stack - write the caller's stack into the trace
 * @skip: frames to leave out, 0: the caller is the first one shown
 *
 * Context: any.
 */
noinline void trace_dump_stack(int skip)
{
	struct trace_array *tr = trace_top_instance();

	if (tr && !trace_disabled_for_good())
		write_stack(tr->array_buffer.buffer, tracing_gen_ctx(), skip, NULL);
}
EXPORT_SYMBOL_GPL(trace_dump_stack);
