/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record/quick.h: the one short way of records. It is inlined into what records functions, their
 * calls and events, and into nothing else; other files use record.h.
 *
 * A user has a function that fills in a record, and a long function for whatever the short way
 * refuses. The steps, with preemption disabled from the first to the last:
 *
 *	preempt_disable_notrace()
 *	if (!trace_quick_enter(&quick, buffer, held))
 *		return the long function
 *	ts = trace_quick_clock(&quick)
 *	if (!trace_quick_reserve(&quick, size, ts))
 *		return a function that calls trace_quick_reserve_any(), fills in, and calls
 *		rb_short_finish()
 *	fill in trace_quick_record(&quick)
 *	return trace_quick_end(&quick)
 *
 * Each of these functions is the last action of its caller, so the compiler makes a jump of the
 * call, and the short way saves no registers. A user that may run traced code between the
 * reservation and the end is in task context, and ends by trace_quick_end_all().
 */
#ifndef _TRACE_RECORD_QUICK_H
#define _TRACE_RECORD_QUICK_H

#include <linux/preempt.h>

#include "buffer/short.h"
#include "record/context.h"

/**
 * struct trace_quick - a record on the short way
 * @buffer: the ring buffer
 * @writer: this CPU's writer of it
 * @event: from the reservation on
 * @end: of the event
 */
struct trace_quick {
	struct trace_buffer		*buffer;
	struct rb_writer		*writer;
	struct ring_buffer_event	*event;
	unsigned long			end;
};

/*
 * Enter the writer of @buffer. @called: the caller reads the clock by itself, or the copy of it is
 * known to be no good. False: nothing has been done, go the long way.
 */
static __always_inline bool trace_quick_enter_by(struct trace_quick *quick,
						 struct trace_buffer *buffer, unsigned int held,
						 bool called)
{
	if (unlikely(!trace_task_usual(held)))
		return false;
	quick->buffer = buffer;
	quick->writer = rb_this_writer(buffer);
	return likely(rb_short_enter(buffer, quick->writer, called));
}

/**
 * trace_quick_enter - begin to write a record
 * @quick: is filled in
 * @buffer: the ring buffer
 * @held: how many preempt_disable() the record's preemption count leaves out
 *
 * Context: any, with preemption disabled.
 * Return: false if the record has to take the long way. Nothing was done then.
 */
static __always_inline bool trace_quick_enter(struct trace_quick *quick,
					      struct trace_buffer *buffer, unsigned int held)
{
	return trace_quick_enter_by(quick, buffer, held, false);
}

/* The time for trace_quick_reserve(), after trace_quick_enter(). */
static __always_inline u64 trace_quick_clock(struct trace_quick *quick)
{
	return rb_short_clock(quick->writer, false);
}

/**
 * trace_quick_reserve - reserve a record
 * @quick: from trace_quick_enter()
 * @size: bytes of the event, by rb_size_of() of RB_MAX_SMALL bytes at most
 * @ts: the time, read in the local clock since trace_quick_enter() or a moment before
 *
 * Return: false if trace_quick_reserve_any() has to reserve it.
 */
static __always_inline bool trace_quick_reserve(struct trace_quick *quick, unsigned long size,
						u64 ts)
{
	return rb_short_reserve(quick->writer, size, ts, &quick->event, &quick->end);
}

/* The record that was reserved. */
static __always_inline void *trace_quick_record(const struct trace_quick *quick)
{
	return rb_small_body(quick->event);
}

/* The record is complete. False: rb_short_leave() has to follow. Preemption stays disabled. */
static __always_inline bool trace_quick_publish(const struct trace_quick *quick)
{
	return likely(rb_short_commit(quick->writer, quick->end));
}

/* The record is complete, and nothing that was called since the reservation is traced. */
static __always_inline void trace_quick_end(const struct trace_quick *quick)
{
	if (unlikely(!trace_quick_publish(quick)))
		return rb_short_finish(quick->writer);
	preempt_enable_notrace();
}

/* The record of @w is complete. Others may have written behind it, in this context as well. */
static __always_inline void trace_quick_end_all(struct rb_writer *w)
{
	if (unlikely(!rb_short_commit_all(w)))
		return rb_short_finish(w);
	preempt_enable_notrace();
}

/**
 * trace_quick_reserve_any - reserve a record after trace_quick_reserve() has returned false
 * @w: the writer that trace_quick_enter() has entered; is set to the one that has the record
 * @buffer: the ring buffer
 * @length: bytes of the record, RB_MAX_SMALL at most
 *
 * Return: the record, and rb_short_leave() or rb_short_finish() has to follow when it is filled in.
 * NULL: it is lost, and the writer was left.
 */
static inline void *trace_quick_reserve_any(struct rb_writer **w, struct trace_buffer *buffer,
					    unsigned long length)
{
	struct ring_buffer_event *event = rb_short_reserve_any(buffer, w, length);

	return likely(event) ? ring_buffer_event_body(event) : NULL;
}

#endif /* _TRACE_RECORD_QUICK_H */
