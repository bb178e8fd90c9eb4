// SPDX-License-Identifier: GPL-2.0
/*
 * Recording an event: the hot path of the probes that <trace/trace_events.h> makes. A probe
 * reserves a record, fills in the fields, and commits.
 *
 * Context of all: any, NMI included; nothing takes a lock or allocates memory. Tracepoints
 * call their probes with preemption disabled, so that a record stays on one CPU, and so
 * that the trace_event_file stays: it is freed after tracepoint_synchronize_unregister().
 */
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/trace_events.h>

#include "events/draft.h"
#include "events/hit.h"
#include "events/internal.h"
#include "events/quick.h"
#include "record/scratch.h"

/*
 * A record that has to pass a filter is made here, and copied to the buffer if it passes:
 * most do not, and discarding a record costs more than copying one. A record that is
 * longer, or for whose context there is no place left, is made in the buffer, and
 * discarded there. A record that triggers want to see is made here or in a longer place of
 * trigger.c, and never in the buffer: see trigger.h.
 */
#define SCRATCH_LEN	1008

struct event_place {
	struct trace_event_place	head;
	u8				data[SCRATCH_LEN + TRACE_VALUE_SLACK] __aligned(8);
};

/* The index of a place is shifted. */
static_assert(sizeof(struct event_place) == 1024);

/*
 * The ways of a record from its reservation to its commit. The first three have a number in the
 * lower bits of the writer that trace_event_buffer_reserve() leaves for the commit.
 */
enum {
	WAY_FILTERED	= 1,	/* a draft (draft.h), whose place is the rest of the word */
	WAY_COUNTED	= 2,	/* another one */
	WAY_LONG	= 4,	/* all else is in the trace_event_buffer */
	WAY_SHORT	= 0,	/* it is the writer of the ring buffer */
	WAYS		= 7
};

struct event_scratch {
	unsigned int		used;		/* own CPU */
	struct event_place	place[TRACE_CONTEXTS];
};

static DEFINE_PER_CPU(struct event_scratch, event_scratch);

static unsigned long event_record_way(const struct trace_event_buffer *fbuffer)
{
	return (unsigned long)fbuffer->writer & WAYS;
}

/* The place of a record that was made outside of the buffer. */
static struct trace_event_place *event_record_place_of(const struct trace_event_buffer *fbuffer)
{
	return (struct trace_event_place *)fbuffer->entry - 1;
}

/* Begin a record outside of the buffer. Returns the record. */
static __always_inline void *event_record_place_begin(struct trace_event_buffer *fbuffer,
						      struct trace_event_place *place,
						      unsigned long len)
{
	place->len = len;
	fbuffer->event = NULL;
	fbuffer->entry = place + 1;
	tracing_generic_entry_update(fbuffer->entry, fbuffer->trace_file->event_call->event.type,
				     fbuffer->trace_ctx);
	return fbuffer->entry;
}

/* Reserve a record outside of the buffer; NULL if there is no place. */
static noinline void *event_record_scratch_reserve(struct trace_event_buffer *fbuffer,
						   unsigned long len)
{
	struct event_place *place;

	if (len > SCRATCH_LEN)
		return NULL;
	place = trace_scratch_get(this_cpu_ptr(&event_scratch));
	if (!place)
		return NULL;
	place->head.triggers = false;
	place->head.is_long = false;
	return event_record_place_begin(fbuffer, &place->head, len);
}

static void event_record_place_put(const struct trace_event_place *place)
{
	if (place->is_long)
		trace_event_long_put();
	else
		trace_scratch_put(this_cpu_ptr(&event_scratch));
}

/* Copy a record to the buffer, if it passes the filter. False: the buffer has none. */
static bool event_record_scratch_commit(struct trace_event_buffer *fbuffer, bool pass)
{
	struct trace_event_place *place = event_record_place_of(fbuffer);
	void *record = NULL;

	if (pass)
		record = trace_record_reserve(fbuffer->buffer,
					      fbuffer->trace_file->event_call->event.type,
					      place->len, fbuffer->trace_ctx, &fbuffer->event);
	if (record)
		fbuffer->entry = memcpy(record, place + 1, place->len);
	event_record_place_put(place);
	return record;
}

/* Ask the filter. True: it does not want the record, which was discarded. */
static noinline bool record_filtered_out(struct trace_event_buffer *fbuffer)
{
	struct event_filter *filter = rcu_dereference_sched(fbuffer->trace_file->filter);
	bool pass = filter_match_preds(filter, fbuffer->entry);

	if (!fbuffer->event)
		return !event_record_scratch_commit(fbuffer, pass);
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
 * Context: any, preemption disabled.
 * Return: the record, its common fields filled in; NULL when nothing is recorded.
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

/* Does the instance not want the record, whatever is in it? */
static bool event_record_is_ignored(struct trace_event_file *file)
{
	return (file->flags & EVENT_FILE_FL_SOFT_DISABLED) || trace_event_ignore_this_pid(file);
}

/*
 * Reserve a record that triggers want to see, so that it is made whether it will be recorded or
 * not. If there is no place for it, it is as without triggers.
 */
static noinline void *trace_event_record_reserve_hit(struct trace_event_buffer *fbuffer,
						     unsigned long len)
{
	struct trace_event_file *file = fbuffer->trace_file;
	struct trace_event_place *place;

	if (!event_record_scratch_reserve(fbuffer, len)) {
		place = trace_event_long_get(len);
		if (!place) {
			trace_event_triggers_missed(file);
			if (event_record_is_ignored(file))
				return NULL;
			return trace_record_reserve(fbuffer->buffer, file->event_call->event.type,
						    len, fbuffer->trace_ctx, &fbuffer->event);
		}
		place->is_long = true;
		event_record_place_begin(fbuffer, place, len);
	}
	event_record_place_of(fbuffer)->triggers = true;
	return fbuffer->entry;
}

/* The record of a draft, whose way is known. */
static __always_inline const void *event_record_draft(const struct rb_writer *w, unsigned long way)
{
	return (void *)w - way + offsetof(struct event_place, data);
}

/* Make of a draft what event_record_reserve_special() makes of other records. */
static void event_record_draft_finish(struct trace_event_buffer *fbuffer)
{
	struct event_place *place = (void *)fbuffer->writer - event_record_way(fbuffer);

	place->head.triggers = false;
	place->head.is_long = false;
	fbuffer->writer = (void *)WAY_LONG;
	fbuffer->trace_ctx = trace_probe_context();
	fbuffer->buffer = fbuffer->trace_file->tr->array_buffer.buffer;
	event_record_place_begin(fbuffer, &place->head, place->head.len);
}

/* The members of a hit that a count() uses. */
static __always_inline void event_record_draft_hit(struct trace_event_hit *hit,
						   struct trace_event_file *file,
						   const void *record)
{
	hit->file = file;
	hit->record = record;
	hit->timed = false;
}

/* Show a draft to the triggers of its event, which are several. */
static noinline void event_record_draft_count_all(struct trace_event_file *file,
						  const void *record)
{
	struct trace_event_hit hit __uninitialized;
	struct trace_event_trigger *trigger;

	event_record_draft_hit(&hit, file, record);
	for_each_trace_event_trigger(trigger, file) {
		/* A trigger without came after the probe had begun. */
		if (trigger->count)
			trigger->count(trigger, &hit);
	}
	trace_scratch_leave_cpu(event_scratch);
}

/* Show a draft to the triggers of its event, all of which have a count(). */
static noinline void event_record_draft_count(struct trace_event_file *file, const void *record)
{
	struct trace_event_state *state = container_of(file, struct trace_event_state, file);
	struct trace_event_trigger *trigger = READ_ONCE(state->counter);
	struct trace_event_hit hit __uninitialized;

	if (unlikely(!trigger))
		return event_record_draft_count_all(file, record);
	event_record_draft_hit(&hit, file, record);
	trigger->count(trigger, &hit);
	trace_scratch_leave_cpu(event_scratch);
}

/* Does the filter refuse a draft? Then this is all that there is to do. */
static __always_inline bool event_record_draft_refuse(struct trace_event_buffer *fbuffer,
						      const void *record)
{
	const struct trace_filter_range *range = trace_filter_range_of(fbuffer->trace_file);

	if (unlikely(!range) || trace_filter_range_passes(range, record))
		return false;
	trace_scratch_leave_cpu(event_scratch);
	return true;
}

/* Reserve in any context, on the long way. */
static noinline void *trace_event_record_reserve_any(struct trace_event_buffer *fbuffer,
						     struct trace_event_file *file,
						     unsigned long len)
{
	if (unlikely(file->flags & (EVENT_FILE_FL_PID_FILTER | EVENT_FILE_FL_SOFT_DISABLED)) &&
	    !(file->flags & EVENT_FILE_FL_TRIGGER_COND) && event_record_is_ignored(file))
		return NULL;

	fbuffer->trace_ctx = trace_probe_context();
	fbuffer->trace_file = file;
	fbuffer->buffer = file->tr->array_buffer.buffer;
	fbuffer->regs = NULL;
	fbuffer->writer = (void *)WAY_LONG;
	if (unlikely(file->flags & EVENT_FILE_FL_TRIGGER_COND)) {
		fbuffer->entry = trace_event_record_reserve_hit(fbuffer, len);
		return fbuffer->entry;
	}
	if (unlikely(file->flags & EVENT_FILE_FL_FILTERED) && event_record_scratch_reserve(fbuffer,
											   len))
		return fbuffer->entry;
	fbuffer->entry = trace_record_reserve(fbuffer->buffer, file->event_call->event.type, len,
					      fbuffer->trace_ctx, &fbuffer->event);
	return fbuffer->entry;
}

/*
 * Reserve a draft. The commit goes by the flags that the event has here, also if they change
 * meanwhile.
 */
static __always_inline void *event_record_draft_reserve(struct trace_event_buffer *fbuffer,
							struct trace_event_file *file,
							unsigned long len, unsigned long way)
{
	struct event_place *place;
	unsigned int index;

	if (unlikely(len > SCRATCH_LEN) ||
	    unlikely(!trace_scratch_take_cpu(event_scratch, &index)))
		return trace_event_record_reserve_any(fbuffer, file, len);
	place = this_cpu_ptr(&event_scratch.place[index]);
	((struct trace_entry *)place->data)->pid = current->pid;
	fbuffer->trace_file = file;
	fbuffer->writer = (void *)place + way;
	if (way == WAY_FILTERED) {
		place->head.len = len;
		fbuffer->regs = NULL;
	}
	return place->data;
}

/* Each record of the event has to be looked at, or it is a long one. */
static noinline void *event_record_reserve_special(struct trace_event_buffer *fbuffer,
						   struct trace_event_file *file,
						   unsigned long len)
{
	const unsigned long filtered = EVENT_FILE_FL_FILTERED | EVENT_FILE_FL_TRIGGER_COND |
				       EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_PID_FILTER;
	const unsigned long counted = EVENT_FILE_FL_SOFT_DISABLED | TRACE_EVENT_COUNTED;
	unsigned long flags = READ_ONCE(file->flags);

	if ((flags & filtered) == EVENT_FILE_FL_FILTERED)
		return event_record_draft_reserve(fbuffer, file, len, WAY_FILTERED);
	if (!(~flags & counted))
		return event_record_draft_reserve(fbuffer, file, len, WAY_COUNTED);
	return trace_event_record_reserve_any(fbuffer, file, len);
}

/* The ring buffer could not be entered. */
static noinline void *trace_event_record_reserve_long(struct trace_event_buffer *fbuffer,
						      struct trace_event_file *file,
						      unsigned long len)
{
	preempt_enable_notrace();
	return trace_event_record_reserve_any(fbuffer, file, len);
}

/* The ring buffer was entered, but has no place for the short way. */
static noinline void *trace_event_record_reserve_left(struct trace_event_buffer *fbuffer,
						      struct trace_event_file *file,
						      unsigned long len,
						      struct rb_writer *w)
{
	rb_short_leave(w);
	return trace_event_record_reserve_long(fbuffer, file, len);
}

/**
 * trace_event_buffer_reserve - reserve a record, the form that probes use
 * @fbuffer: state for trace_event_buffer_commit(), see the WAYs
 * @file: the event of an instance
 * @len: bytes of the record
 *
 * The tracepoint has disabled preemption once, which the preemption count in the record
 * leaves out.
 *
 * Context: any, preemption disabled.
 * Return: the record, whose fields are to be filled in; NULL when nothing is recorded.
 */
void *trace_event_buffer_reserve(struct trace_event_buffer *fbuffer,
				 struct trace_event_file *file, unsigned long len)
{
	struct trace_array *tr = file->tr;
	struct trace_quick quick __uninitialized;
	unsigned int trace_ctx;
	void *record;

	if (trace_event_is_special(file, 0))
		return event_record_reserve_special(fbuffer, file, len);
	/* A special record does not pay for moving them to registers that reading a clock keeps. */
	OPTIMIZER_HIDE_VAR(fbuffer);
	OPTIMIZER_HIDE_VAR(file);
	OPTIMIZER_HIDE_VAR(len);
	if (unlikely(len - 1 >= RB_MAX_SMALL))
		return trace_event_record_reserve_any(fbuffer, file, len);
	preempt_disable_notrace();
	if (unlikely(!trace_quick_enter(&quick, tr->array_buffer.buffer,
					TRACE_EVENT_HELD)))
		return trace_event_record_reserve_long(fbuffer, file, len);
	if (unlikely(!trace_quick_reserve(&quick, rb_size_of(len), trace_quick_clock(&quick))))
		return trace_event_record_reserve_left(fbuffer, file, len, quick.writer);
	record = trace_quick_record(&quick);
	trace_ctx = trace_task_context(TRACE_EVENT_HELD, 16, 0);
	trace_entry_fill(record, trace_entry_head(file->event_call->event.type, trace_ctx));
	/* The commit needs no more than this, as nobody looks at the record before it. */
	fbuffer->writer = quick.writer;
	return record;
}
EXPORT_SYMBOL_GPL(trace_event_buffer_reserve);

/* Frames that a recorded stack leaves out: two commits and the event's probe. */
#define COMMIT_SKIP	3

/* Commit a record that is in the buffer. The last @skip frames are those of the commit. */
static __always_inline void event_record_commit_rest(struct trace_event_buffer *fbuffer, int skip)
{
	struct trace_array *tr = fbuffer->trace_file->tr;

	if (static_branch_unlikely(&trace_events_console_key))
		trace_events_console(fbuffer);
	trace_export(fbuffer->event, TRACE_EXPORT_EVENT);
	if (unlikely(trace_option(tr, TRACE_OPT_STACKTRACE | TRACE_OPT_USERSTACKTRACE))) {
		trace_commit_stack(tr, fbuffer->buffer, fbuffer->trace_ctx,
				   fbuffer->regs ? 0 : skip, fbuffer->regs);
		/* This is no tail call, so that the frame that is left out is there. */
		barrier();
		return;
	}
	trace_record_commit(fbuffer->buffer);
}

/*
 * Show a record to the triggers of its event, before anything decides whether it is recorded:
 * they may change that, as traceon does.
 */
static noinline void trace_event_record_commit_hit(struct trace_event_buffer *fbuffer,
						   unsigned long from,
						   const struct trace_stack_place *at)
{
	struct trace_event_place *place = event_record_place_of(fbuffer);
	struct trace_event_file *file = fbuffer->trace_file;
	struct trace_event_hit hit = {
		.file		= file,
		.record		= fbuffer->entry,
		.len		= place->len,
		.trace_ctx	= fbuffer->trace_ctx,
		.regs		= fbuffer->regs,
		.from		= from,
		.place		= *at,
	};
	struct trace_event_afters afters __uninitialized;

	trace_event_triggers_hit(&hit, &afters);
	if (event_record_is_ignored(file)) {
		event_record_place_put(place);
	} else if (!record_filtered_out(fbuffer)) {
		hit.recorded = true;
		event_record_commit_rest(fbuffer, COMMIT_SKIP + 1);
	}
	if (unlikely(afters.nr))
		trace_event_triggers_after(&hit, &afters);
}

/*
 * Commit a record that event_record_reserve_special() has made for a probe at @from. @ip, @sp and
 * @bp are a struct trace_stack_place in the caller.
 */
static noinline void trace_event_record_commit_any(struct trace_event_buffer *fbuffer,
						   unsigned long from, unsigned long ip,
						   unsigned long sp, unsigned long bp)
{
	const struct trace_stack_place at = { .ip = ip, .sp = sp, .bp = bp };

	if (event_record_way(fbuffer) != WAY_LONG)
		event_record_draft_finish(fbuffer);
	/* The filter may have gone since: a record outside of the buffer must get into it. */
	if (unlikely(!fbuffer->event || (fbuffer->trace_file->flags & EVENT_FILE_FL_FILTERED))) {
		if (unlikely(!fbuffer->event) && event_record_place_of(fbuffer)->triggers) {
			trace_event_record_commit_hit(fbuffer, from, &at);
			/* This is no tail call, so that the frame that is left out is there. */
			barrier();
			return;
		}
		if (record_filtered_out(fbuffer))
			return;
	}
	event_record_commit_rest(fbuffer, COMMIT_SKIP);
}

/**
 * trace_event_buffer_commit - commit a record whose fields are filled in
 * @fbuffer: from trace_event_buffer_reserve()
 *
 * When the filter of the event does not want the record, it is discarded instead.
 *
 * Context: any, preemption disabled.
 */
void trace_event_buffer_commit(struct trace_event_buffer *fbuffer)
{
	struct trace_stack_place here __uninitialized;
	struct rb_writer *w = fbuffer->writer;

	if (unlikely((unsigned long)w & WAYS)) {
		if (((unsigned long)w & WAY_FILTERED) &&
		    event_record_draft_refuse(fbuffer, event_record_draft(w, WAY_FILTERED)))
			return;
		if ((unsigned long)w & WAY_COUNTED)
			return event_record_draft_count(fbuffer->trace_file,
							event_record_draft(w, WAY_COUNTED));
		trace_stack_here(&here);
		trace_event_record_commit_any(fbuffer, _RET_IP_, here.ip, here.sp, here.bp);
		/* This is no tail call, so that the frame that is left out is there. */
		barrier();
		return;
	}
	trace_quick_end_all(w);
}
EXPORT_SYMBOL_GPL(trace_event_buffer_commit);

/**
 * trace_event_ignore_this_pid - is the current task left out of an event?
 * @file: the event of an instance
 *
 * Context: any, preemption disabled.
 * Return: true if nothing is recorded.
 */
bool trace_event_ignore_this_pid(struct trace_event_file *file)
{
	return (file->flags & EVENT_FILE_FL_PID_FILTER) && trace_event_pid_ignored(file);
}
EXPORT_SYMBOL_GPL(trace_event_ignore_this_pid);

/* Call the triggers of an event, none of which needs the record. */
static noinline void event_record_no_record(struct trace_event_file *file)
{
	struct trace_event_hit hit = { .file = file };
	struct trace_event_afters afters __uninitialized;

	trace_event_triggers_hit(&hit, &afters);
}

/**
 * __trace_trigger_soft_disabled - the slow half of trace_trigger_soft_disabled()
 * @file: the event of an instance
 *
 * Triggers that need no record are called first: they may switch the event on.
 *
 * Context: any, preemption disabled.
 * Return: true if nothing is recorded.
 */
bool __trace_trigger_soft_disabled(struct trace_event_file *file)
{
	if (file->flags & EVENT_FILE_FL_TRIGGER_MODE) {
		/* The commit calls all of them if one needs the record. */
		if (file->flags & EVENT_FILE_FL_TRIGGER_COND)
			return false;
		event_record_no_record(file);
	}
	return event_record_is_ignored(file);
}
EXPORT_SYMBOL_GPL(__trace_trigger_soft_disabled);
