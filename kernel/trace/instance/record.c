// SPDX-License-Identifier: GPL-2.0
/*
 * Which stacks the records of an instance get by its options, and notes about a trace in
 * it. record/ writes the stacks.
 */
#include "instance/internal.h"
#include "instance/option.h"
#include "record/text.h"

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
	trace_record_commit(buffer);
	/* Without registers the unwinder begins in this function, whose frame is left out, too. */
	if (trace_option(tr, TRACE_OPT_STACKTRACE))
		trace_stack_write(buffer, trace_ctx, regs ? skip : skip + 1, regs);
	if (trace_option(tr, TRACE_OPT_USERSTACKTRACE))
		trace_user_stack_write(buffer, trace_ctx);
}

/**
 * trace_array_note - say something about a trace in it
 * @tr: the instance
 * @ip: who says it
 * @text: a line
 *
 * Nothing is written while the option trace_printk is off.
 *
 * Context: any.
 */
void trace_array_note(struct trace_array *tr, unsigned long ip, const char *text)
{
	if (trace_option(tr, TRACE_OPT_PRINTK) && !trace_disabled_for_good())
		trace_text_write(tr->array_buffer.buffer, ip, text);
}
