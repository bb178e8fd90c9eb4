// SPDX-License-Identifier: GPL-2.0
/*
 * Writing while an event is reserved, and the stamp of the one that is being written.
 */
#include "buffer/internal.h"

/**
 * ring_buffer_nest_start - allow to write while an event is reserved
 * @buffer: the ring buffer
 *
 * Between this and ring_buffer_nest_end() the same context may reserve and
 * commit another event.
 *
 * Context: any; preemption is off until ring_buffer_nest_end().
 */
void ring_buffer_nest_start(struct trace_buffer *buffer)
{
	struct rb_cpu *cb;
	unsigned int depth;

	preempt_disable_notrace();
	cb = rb_cpu_of(rb_this_writer(buffer));
	depth = cb->w.nested++;
	barrier();
	if (WARN_ON_ONCE(depth >= RB_NEST_MAX))
		return;
	WRITE_ONCE(cb->w.context, cb->w.context << RB_LEVELS);
}

/**
 * ring_buffer_nest_end - end what ring_buffer_nest_start() began
 * @buffer: the ring buffer
 *
 * Context: any.
 */
void ring_buffer_nest_end(struct trace_buffer *buffer)
{
	struct rb_cpu *cb = rb_cpu_of(rb_this_writer(buffer));
	unsigned int depth = cb->w.nested - 1;

	if (depth < RB_NEST_MAX)
		WRITE_ONCE(cb->w.context, cb->w.context >> RB_LEVELS);
	barrier();
	cb->w.nested = depth;
	preempt_enable_notrace();
}

/**
 * ring_buffer_event_time_stamp - stamp of the event being written
 * @buffer: the ring buffer
 * @event: what the reservation returned
 *
 * Context: any; between reservation and commit of @event.
 * Return: time in the clock of @buffer; 0 if nothing is reserved.
 */
u64 ring_buffer_event_time_stamp(struct trace_buffer *buffer,
				 struct ring_buffer_event *event)
{
	struct rb_cpu *cb = rb_cpu_of(rb_this_writer(buffer));

	if (WARN_ON_ONCE(!cb->w.context))
		return 0;
	return cb->w.event_stamp[rb_depth(cb)];
}
