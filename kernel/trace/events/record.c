// SPDX-License-Identifier: GPL-2.0
/*
 * Recording an event: the hot path that the probes made by
 * <trace/trace_events.h> call: reserve, (they fill in the fields,) commit.
 *
 * Any context, NMI included; no lock, no allocation. Tracepoints call their
 * probes with preemption disabled, so the record stays on one CPU. The
 * trace_event_file outlives its probe (see instance.c).
 */
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/unaligned.h>

#include "buffer/short.h"
#include "events/internal.h"
#include "instance/option.h"
#include "record/context.h"
#include "record/export.h"
#include "record/scratch.h"

/*
 * A record that has to pass a filter is made here and copied to the buffer if
 * it passes: most do not, and taking one back costs more than a copy. Records
 * that are longer, or find no place, go to the buffer and back.
 */
#define SCRATCH_LEN	1008

struct event_place {
	unsigned int	len;
	u8		data[SCRATCH_LEN] __aligned(8);
};

struct event_scratch {
	unsigned int		used;		/* C */
	struct event_place	place[TRACE_CONTEXTS];
};

static DEFINE_PER_CPU(struct event_scratch, event_scratch);

static noinline void *scratch_reserve(struct trace_event_buffer *fbuffer, unsigned long len)
{
	struct event_place *place;

	if (len > SCRATCH_LEN)
		return NULL;
	place = trace_scratch_get(this_cpu_ptr(&event_scratch));
	if (!place)
		return NULL;
	place->len = len;
	tracing_generic_entry_update((struct trace_entry *)place->data,
				     fbuffer->trace_file->event_call->event.type,
				     fbuffer->trace_ctx);
	fbuffer->event = NULL;
	fbuffer->entry = place->data;
	return place->data;
}

/* The record passed (or not): bring it to the buffer. False: nothing is there. */
static bool scratch_commit(struct trace_event_buffer *fbuffer, bool pass)
{
	struct event_place *place = container_of(fbuffer->entry, struct event_place, data[0]);
	void *record = NULL;

	if (pass)
		record = trace_record_reserve(fbuffer->buffer,
					      fbuffer->trace_file->event_call->event.type,
					      place->len, fbuffer->trace_ctx, &fbuffer->event);
	if (record)
		fbuffer->entry = memcpy(record, place->data, place->len);
	trace_scratch_put(this_cpu_ptr(&event_scratch));
	return record;
}

/* True: the filter does not want the record, which is gone. */
static noinline bool filtered_out(struct trace_event_buffer *fbuffer)
{
	struct event_filter *filter = rcu_dereference_sched(fbuffer->trace_file->filter);
	bool pass = filter_match_preds(filter, fbuffer->entry);

	if (!fbuffer->event)
		return !scratch_commit(fbuffer, pass);
	if (!pass)
		ring_buffer_discard_commit(fbuffer->buffer, fbuffer->event);
	return !pass;
}

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
	struct ring_buffer_event *event;

	*buffer = file->tr->array_buffer.buffer;
	trace_record_reserve(*buffer, type, len, trace_ctx, &event);
	return event;
}
EXPORT_SYMBOL_GPL(trace_event_buffer_lock_reserve);

/* Must each record of the event be looked at? */
static __always_inline bool trace_event_special(struct trace_event_file *file,
						struct trace_array *tr)
{
	return unlikely(file->flags & (EVENT_FILE_FL_PID_FILTER | EVENT_FILE_FL_FILTERED)) ||
	       unlikely(trace_option(tr, TRACE_OPT_STACKTRACE | TRACE_OPT_USERSTACKTRACE)) ||
	       static_branch_unlikely(&trace_events_console_key) ||
	       static_branch_unlikely(&trace_export_event_key);
}

/* In any context, whatever is special. */
static noinline void *trace_event_reserve_any(struct trace_event_buffer *fbuffer,
					      struct trace_event_file *file, unsigned long len)
{
	if (unlikely(file->flags & EVENT_FILE_FL_PID_FILTER) &&
	    trace_event_pid_ignored(file))
		return NULL;

	fbuffer->trace_ctx = trace_probe_context();
	fbuffer->trace_file = file;
	fbuffer->buffer = file->tr->array_buffer.buffer;
	fbuffer->regs = NULL;
	fbuffer->writer = NULL;
	if (unlikely(file->flags & EVENT_FILE_FL_FILTERED) && scratch_reserve(fbuffer, len))
		return fbuffer->entry;
	fbuffer->entry = trace_record_reserve(fbuffer->buffer, file->event_call->event.type, len,
					      fbuffer->trace_ctx, &fbuffer->event);
	return fbuffer->entry;
}

/* The ring buffer was entered, but has something special. */
static noinline void *trace_event_reserve_left(struct trace_event_buffer *fbuffer,
					       struct trace_event_file *file, unsigned long len,
					       struct rb_writer *w)
{
	rb_short_leave(w);
	preempt_enable_notrace();
	return trace_event_reserve_any(fbuffer, file, len);
}

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
	struct trace_array *tr = file->tr;
	struct ring_buffer_event *event;
	struct trace_buffer *buffer;
	unsigned int trace_ctx;
	unsigned long size, end;
	struct rb_writer *w;
	void *record;

	if (trace_event_special(file, tr) || unlikely(len - 1 >= RB_MAX_SMALL) ||
	    unlikely(!trace_task_usual(IS_ENABLED(CONFIG_PREEMPTION))))
		return trace_event_reserve_any(fbuffer, file, len);
	buffer = tr->array_buffer.buffer;
	preempt_disable_notrace();
	w = rb_this_writer(buffer);
	if (unlikely(!rb_short_enter(buffer, w, false))) {
		preempt_enable_notrace();
		return trace_event_reserve_any(fbuffer, file, len);
	}
	size = rb_size_of(len);
	if (unlikely(!rb_short_reserve_stamped(w, size, &event, &end)))
		return trace_event_reserve_left(fbuffer, file, len, w);
	record = rb_small_body(event);
	trace_ctx = trace_task_context(IS_ENABLED(CONFIG_PREEMPTION) + PREEMPT_DISABLE_OFFSET,
				       16, 0);
	put_unaligned(trace_entry_word(file->event_call->event.type, trace_ctx),
		      (u64 *)record);
	fbuffer->trace_ctx = trace_ctx;
	fbuffer->buffer = buffer;
	fbuffer->event = event;
	fbuffer->trace_file = file;
	fbuffer->entry = record;
	fbuffer->regs = NULL;
	fbuffer->writer = w;
	return record;
}
EXPORT_SYMBOL_GPL(trace_event_buffer_reserve);

/* Others have come in, or one waits. */
static noinline void trace_event_commit_left(struct rb_writer *w)
{
	rb_short_leave(w);
	preempt_enable_notrace();
}

/* Frames that a recorded stack leaves out: two commits and the event's probe. */
#define COMMIT_SKIP	3

/* Of a record that trace_event_reserve_any() made. */
static noinline void trace_event_commit_any(struct trace_event_buffer *fbuffer)
{
	struct trace_event_file *file = fbuffer->trace_file;
	struct trace_array *tr = file->tr;

	/* The filter may have come or gone since: a record in scratch must leave it. */
	if (unlikely(!fbuffer->event || (file->flags & EVENT_FILE_FL_FILTERED)) &&
	    filtered_out(fbuffer))
		return;
	if (static_branch_unlikely(&trace_events_console_key))
		trace_events_console(fbuffer);
	trace_export(fbuffer->event, TRACE_EXPORT_EVENT);
	if (unlikely(trace_option(tr, TRACE_OPT_STACKTRACE | TRACE_OPT_USERSTACKTRACE))) {
		trace_commit_stack(tr, fbuffer->buffer, fbuffer->trace_ctx,
				   fbuffer->regs ? 0 : COMMIT_SKIP, fbuffer->regs);
		/* No tail call: our frame is one of those that are left out. */
		barrier();
		return;
	}
	trace_record_commit(fbuffer->buffer);
}

/**
 * trace_event_buffer_commit - the fields are filled in
 * @fbuffer: from trace_event_buffer_reserve()
 *
 * Any context. The record becomes visible, or, when the event's filter does
 * not want it, disappears.
 */
void trace_event_buffer_commit(struct trace_event_buffer *fbuffer)
{
	struct rb_writer *w = fbuffer->writer;

	if (unlikely(!w)) {
		trace_event_commit_any(fbuffer);
		/* No tail call: our frame is one of those that are left out. */
		barrier();
		return;
	}
	if (unlikely(!rb_short_commit_all(w)))
		return trace_event_commit_left(w);
	preempt_enable_notrace();
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
	return (file->flags & EVENT_FILE_FL_PID_FILTER) && trace_event_pid_ignored(file);
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
	return (file->flags & EVENT_FILE_FL_SOFT_DISABLED) || trace_event_ignore_this_pid(file);
}
EXPORT_SYMBOL_GPL(__trace_trigger_soft_disabled);
