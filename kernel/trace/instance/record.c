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

/* User space is told of eight callers; "size" says how many there are. */
#define STACK_PRINT_FMT							\
	"\"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" "			\
	"\"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" "			\
	"\"\\t=> %ps\\n\\t=> %ps\\n\", "					\
	"(void *)REC->caller[0], (void *)REC->caller[1], "		\
	"(void *)REC->caller[2], (void *)REC->caller[3], "		\
	"(void *)REC->caller[4], (void *)REC->caller[5], "		\
	"(void *)REC->caller[6], (void *)REC->caller[7]"
static_assert(TRACE_USER_STACK_DEPTH == 8);

/* A writer may have ended the list early with ULONG_MAX. */
static enum print_line_t kernel_stack_text(struct trace_iterator *iter,
					   const struct trace_printer *printer)
{
	const struct trace_stack_entry *stack = trace_kind_record(iter, struct trace_stack_entry);
	int room = (iter->ent_size - offsetof(struct trace_stack_entry, caller)) / sizeof(long);

	trace_seq_puts(&iter->seq, "<stack trace>\n");
	for (int i = 0; i < min(stack->size, room) && stack->caller[i] != ULONG_MAX; i++) {
		trace_seq_puts(&iter->seq, " => ");
		printer->ip(iter, stack->caller[i]);
		trace_seq_putc(&iter->seq, '\n');
		if (trace_seq_has_overflowed(&iter->seq))
			break;
	}
	return trace_handle_return(&iter->seq);
}

static const struct trace_kind_field kernel_stack_fields[] = {
	TRACE_KIND_FIELD(struct trace_stack_entry, int, size),
	TRACE_KIND_ARRAY(struct trace_stack_entry, unsigned long, caller, 8),
	{ }
};

static const struct trace_kind kernel_stack_kind = {
	.type		= TRACE_STACK,
	.size		= offsetof(struct trace_stack_entry, caller),
	.name		= "kernel_stack",
	.fields		= kernel_stack_fields,
	.print_fmt	= STACK_PRINT_FMT,
	.print		= { [TRACE_MODE_TEXT] = kernel_stack_text },
};

/* Callers end at the first that is 0. */
static enum print_line_t user_stack_text(struct trace_iterator *iter,
					 const struct trace_printer *printer)
{
	const struct trace_userstack_entry *stack =
		trace_kind_record(iter, struct trace_userstack_entry);
	unsigned int nr = 0;

	while (nr < TRACE_USER_STACK_DEPTH && stack->caller[nr])
		nr++;
	trace_seq_puts(&iter->seq, "<user stack trace>\n");
	printer->user_ips(iter, stack->tgid, stack->caller, nr);
	return trace_handle_return(&iter->seq);
}

static const struct trace_kind_field user_stack_fields[] = {
	TRACE_KIND_FIELD(struct trace_userstack_entry, unsigned int, tgid),
	TRACE_KIND_ARRAY(struct trace_userstack_entry, unsigned long, caller, 8),
	{ }
};

static const struct trace_kind user_stack_kind = {
	.type		= TRACE_USER_STACK,
	.size		= sizeof(struct trace_userstack_entry),
	.name		= "user_stack",
	.fields		= user_stack_fields,
	.print_fmt	= STACK_PRINT_FMT,
	.print		= { [TRACE_MODE_TEXT] = user_stack_text },
};

/* At boot: stacks can be read. */
int __init trace_stack_kinds_init(void)
{
	return trace_kind_register(&kernel_stack_kind) ?: trace_kind_register(&user_stack_kind);
}

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
