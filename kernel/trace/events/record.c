// SPDX-License-Identifier: GPL-2.0
/*
 * Recording an event: the hot path that the probes made by
 * <trace/trace_events.h> call: reserve, (they fill in the fields,) commit.
 *
 * Any context, NMI included; no lock, no allocation. Tracepoints call their
 * probes with preemption disabled, so the record stays on one CPU. The
 * trace_event_file outlives its probe (see instance.c).
 */
#include <linux/trace_events.h>

#include "events/internal.h"

/**
 * trace_event_buffer_lock_reserve - reserve a record of an event
 * @buffer: set to the buffer that the record is in
 * @file: the event of an instance
 * @type: the event's number
 * @len: bytes of the record
 * @trace_ctx: context, from tracing_gen_ctx()
 *
 * Any context, preemption disabled. Return: the record, its common fields
 * filled in, or NULL when nothing is to be recorded.
 */
struct ring_buffer_event *
trace_event_buffer_lock_reserve(struct trace_buffer **buffer, struct trace_event_file *file,
				int type, unsigned long len, unsigned int trace_ctx)
{
	*buffer = file->tr->array_buffer.buffer;
	return trace_reserve(*buffer, type, len, trace_ctx);
}
EXPORT_SYMBOL_GPL(trace_event_buffer_lock_reserve);

/**
 * trace_event_buffer_reserve - reserve a record, the form that probes use
 * @fbuffer: state for trace_event_buffer_commit()
 * @file: the event of an instance
 * @len: bytes of the record
 *
 * Any context; preemption was disabled once by the tracepoint, which the
 * recorded preemption count leaves out. Return: where the fields go, or NULL.
 */
void *trace_event_buffer_reserve(struct trace_event_buffer *fbuffer,
				 struct trace_event_file *file, unsigned long len)
{
	if (unlikely(file->flags & EVENT_FILE_FL_PID_FILTER) &&
	    trace_events_pid_ignored(file->tr))
		return NULL;

	fbuffer->trace_ctx = tracing_gen_ctx_dec();
	fbuffer->trace_file = file;
	fbuffer->buffer = file->tr->array_buffer.buffer;
	fbuffer->event = trace_reserve(fbuffer->buffer, file->event_call->event.type, len,
				       fbuffer->trace_ctx);
	if (unlikely(!fbuffer->event))
		return NULL;
	fbuffer->regs = NULL;
	fbuffer->entry = ring_buffer_event_body(fbuffer->event);
	return fbuffer->entry;
}
EXPORT_SYMBOL_GPL(trace_event_buffer_reserve);

/* Frames that a recorded stack leaves out: commit and the event's probe. */
#define COMMIT_SKIP	2

/**
 * trace_event_buffer_commit - the fields are filled in
 * @fbuffer: from trace_event_buffer_reserve()
 *
 * Any context. The record becomes visible, or, when the event's filter does
 * not want it, disappears.
 */
void trace_event_buffer_commit(struct trace_event_buffer *fbuffer)
{
	struct trace_event_file *file = fbuffer->trace_file;
	struct trace_array *tr = file->tr;

	if (unlikely(file->flags & EVENT_FILE_FL_FILTERED) &&
	    !filter_match_preds(rcu_dereference_sched(file->filter), fbuffer->entry)) {
		ring_buffer_discard_commit(fbuffer->buffer, fbuffer->event);
		return;
	}
	trace_export(fbuffer->event, TRACE_EXPORT_EVENT);
	if (unlikely(trace_option(tr, TRACE_OPT_STACKTRACE | TRACE_OPT_USERSTACKTRACE))) {
		trace_commit_stack(tr, fbuffer->buffer, fbuffer->trace_ctx,
				   fbuffer->regs ? 0 : COMMIT_SKIP, fbuffer->regs);
		/* No tail call: our frame is one of those that are left out. */
		barrier();
		return;
	}
	trace_commit(fbuffer->buffer);
}
EXPORT_SYMBOL_GPL(trace_event_buffer_commit);

/**
 * trace_event_ignore_this_pid - is the current task left out of an event?
 * @file: the event of an instance
 *
 * Any context, preemption disabled. Return: true: record nothing.
 */
bool trace_event_ignore_this_pid(struct trace_event_file *file)
{
	return (file->flags & EVENT_FILE_FL_PID_FILTER) && trace_events_pid_ignored(file->tr);
}
EXPORT_SYMBOL_GPL(trace_event_ignore_this_pid);

/**
 * __trace_trigger_soft_disabled - the slow half of trace_trigger_soft_disabled()
 * @file: the event of an instance
 *
 * Any context, preemption disabled. Return: true: record nothing.
 */
bool __trace_trigger_soft_disabled(struct trace_event_file *file)
{
	return trace_event_ignore_this_pid(file);
}
EXPORT_SYMBOL_GPL(__trace_trigger_soft_disabled);
