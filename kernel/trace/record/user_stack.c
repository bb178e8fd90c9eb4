// SPDX-License-Identifier: GPL-2.0
/*
 * The record user_stack: where the current task was in user space.
 */
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>

#include "record/internal.h"
#include "record/scratch.h"

#define USER_PLACES	1

struct user_calls {
	unsigned long	callers[TRACE_USER_STACK_DEPTH];
};

/*
 * Reading user memory may fault, and events of the fault want a user stack as well.
 * They find the only place taken, and get none.
 */
struct user_scratch {
	unsigned int		used;		/* own CPU */
	struct user_calls	place[USER_PLACES];
};

static DEFINE_PER_CPU(struct user_scratch, user_scratch);

/* Unwinding may fault, so it is done before the record is reserved. */
static void user_stack_record(struct trace_buffer *buffer, unsigned int trace_ctx,
			      unsigned long *callers)
{
	unsigned int nr = stack_trace_save_user(callers, TRACE_USER_STACK_DEPTH);
	struct trace_userstack_entry *entry;
	struct ring_buffer_event *event;

	entry = trace_record_reserve(buffer, TRACE_USER_STACK, sizeof(*entry), trace_ctx, &event);
	if (!entry)
		return;
	entry->tgid = current->tgid;
	for (int i = 0; i < TRACE_USER_STACK_DEPTH; i++)
		entry->caller[i] = i < nr ? callers[i] : 0;
	trace_record_commit(buffer);
}

/**
 * trace_user_stack_write - write the stack of the current task in user space
 * @buffer: where to
 * @trace_ctx: context, from tracing_gen_ctx()
 *
 * Nothing is written from an NMI, which must not fault, nor where RCU is not
 * watching, nor by an architecture that cannot unwind user space.
 *
 * Context: any.
 */
void trace_user_stack_write(struct trace_buffer *buffer, unsigned int trace_ctx)
{
	struct user_calls *calls;

	if (!IS_ENABLED(CONFIG_USER_STACKTRACE_SUPPORT) || in_nmi() || !rcu_is_watching())
		return;

	preempt_disable_notrace();
	calls = trace_scratch_get(this_cpu_ptr(&user_scratch));
	if (calls) {
		user_stack_record(buffer, trace_ctx, calls->callers);
		trace_scratch_put(this_cpu_ptr(&user_scratch));
	}
	preempt_enable_notrace();
}

/* The list of callers ends with the record, or with a 0 in it. */
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

const struct trace_kind trace_user_stack_kind = {
	.type		= TRACE_USER_STACK,
	.size		= sizeof(struct trace_userstack_entry),
	.name		= "user_stack",
	.fields		= user_stack_fields,
	.print_fmt	= TRACE_STACK_PRINT_FMT,
	.print		= { [TRACE_MODE_TEXT] = user_stack_text },
};
