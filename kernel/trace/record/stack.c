// SPDX-License-Identifier: GPL-2.0
/*
 * The record kernel_stack: the callers of the function that writes it.
 */
#include <linux/init.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "record/internal.h"
#include "record/scratch.h"

/* The stack is unwound into this, as the length of its record is not known before. */
struct stack_calls {
	unsigned long	callers[256];
};

/*
 * A place for each context. An event that unwinding or writing the record causes in the same
 * context finds it taken, and gets no stack.
 */
struct stack_scratch {
	unsigned int		used[TRACE_CONTEXTS];	/* own CPU */
	struct stack_calls	place[TRACE_CONTEXTS];
};

static DEFINE_PER_CPU(struct stack_scratch, stack_scratch);

static void stack_record(struct trace_buffer *buffer, unsigned int trace_ctx,
			 const unsigned long *callers, unsigned int nr)
{
	struct trace_stack_entry *entry;
	struct ring_buffer_event *event;

	entry = trace_record_reserve(buffer, TRACE_STACK, struct_size(entry, caller, nr),
				     trace_ctx, &event);
	if (!entry)
		return;
	entry->size = nr;
	memcpy(entry->caller, callers, nr * sizeof(*callers));
	trace_record_commit(buffer);
}

/* Leave out the frames before that whose function goes on at @from, if there is one. */
static unsigned int stack_begin_at(struct stack_calls *calls, unsigned int nr,
				   unsigned long from)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (calls->callers[i] != from)
			continue;
		memmove(calls->callers, calls->callers + i, (nr - i) * sizeof(*calls->callers));
		return nr - i;
	}
	return nr;
}

/* Unwind and write. Without @regs, the caller's caller is the first frame that @skip counts. */
static noinline void stack_write(struct trace_buffer *buffer, unsigned int trace_ctx, int skip,
				 struct pt_regs *regs, unsigned long from)
{
	unsigned int context = interrupt_context_level(), index, nr;
	struct stack_scratch *scratch;
	struct stack_calls *calls;

	if (!rcu_is_watching())
		return;

	preempt_disable_notrace();
	scratch = this_cpu_ptr(&stack_scratch);
	if (trace_scratch_take(&scratch->used[context], 1, &index)) {
		calls = &scratch->place[context];
		if (regs)
			nr = stack_trace_save_regs(regs, calls->callers,
						   ARRAY_SIZE(calls->callers), skip);
		else
			nr = stack_trace_save(calls->callers, ARRAY_SIZE(calls->callers),
					      skip + 2);
		if (from)
			nr = stack_begin_at(calls, nr, from);
		stack_record(buffer, trace_ctx, calls->callers, nr);
		trace_scratch_leave(&scratch->used[context]);
	}
	preempt_enable_notrace();
}

/**
 * trace_stack_write - write the stack of the kernel
 * @buffer: where to
 * @trace_ctx: context, from tracing_gen_ctx()
 * @skip: frames to leave out, 0: the caller is the first one shown
 * @regs: unwind from here, @skip counts from there; may be NULL
 *
 * Nothing is written where RCU is not watching, as the unwinder looks modules up.
 *
 * Context: any.
 */
noinline void trace_stack_write(struct trace_buffer *buffer, unsigned int trace_ctx, int skip,
				struct pt_regs *regs)
{
	stack_write(buffer, trace_ctx, skip, regs, 0);
	/* This is no tail call, so that the frame that is left out is there. */
	barrier();
}

/**
 * trace_stack_write_from - write the stack of the kernel from a function on
 * @buffer: where to
 * @trace_ctx: context, from tracing_gen_ctx()
 * @from: where that function goes on when what it calls returns
 *
 * How many frames are between the function and the caller is the compiler's business: a
 * call at the end of a function may leave none. Where the unwinder does not come to
 * @from, the caller is the first one shown. As with trace_stack_write(), RCU has to watch.
 *
 * Context: any.
 */
noinline void trace_stack_write_from(struct trace_buffer *buffer, unsigned int trace_ctx,
				     unsigned long from)
{
	stack_write(buffer, trace_ctx, 0, NULL, from);
	/* This is no tail call, so that the frame that is left out is there. */
	barrier();
}

/**
 * trace_stack_write_at - trace_stack_write_from(), with a place before @from
 * @buffer: where to
 * @trace_ctx: context, from tracing_gen_ctx()
 * @from: where that function goes on when what it calls returns
 * @place: of trace_stack_here(), in a function between that one and the caller; NULL: not known
 *
 * The unwinder begins there, which spares it the frames that are left out.
 *
 * Context: any.
 */
noinline void trace_stack_write_at(struct trace_buffer *buffer, unsigned int trace_ctx,
				   unsigned long from, const struct trace_stack_place *place)
{
#ifdef arch_ftrace_here
	struct pt_regs regs __uninitialized;

	if (place && place->ip) {
		arch_ftrace_regs_at(&regs, place->ip, place->sp, place->bp);
		stack_write(buffer, trace_ctx, 0, &regs, from);
		return;
	}
#endif
	stack_write(buffer, trace_ctx, 0, NULL, from);
	/* This is no tail call, so that the frame that is left out is there. */
	barrier();
}

/* The callers end with ULONG_MAX where the unwinder stopped early. */
static enum print_line_t stack_text(struct trace_iterator *iter,
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

static const struct trace_kind_field stack_fields[] = {
	TRACE_KIND_FIELD(struct trace_stack_entry, int, size),
	TRACE_KIND_ARRAY(struct trace_stack_entry, unsigned long, caller, 8),
	{ }
};

const struct trace_kind trace_stack_kind = {
	.type		= TRACE_STACK,
	.size		= offsetof(struct trace_stack_entry, caller),
	.name		= "kernel_stack",
	.fields		= stack_fields,
	.print_fmt	= TRACE_STACK_PRINT_FMT,
	.print		= { [TRACE_MODE_TEXT] = stack_text },
};

/**
 * trace_record_init - make the records that this layer writes readable
 *
 * Context: boot, may sleep; first of the layers of tracing.
 */
void __init trace_record_init(void)
{
	WARN_ON(trace_kind_register(&trace_stack_kind) ||
		trace_kind_register(&trace_user_stack_kind) ||
		trace_kind_register(&trace_print_kind));
}
