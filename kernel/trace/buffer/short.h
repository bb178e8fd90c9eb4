/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The writer's short way, inlined into what records functions and events, where a
 * call and the registers around it would be a tenth of everything. record/quick.h makes the
 * short way of records of it, and is the one user above the ring buffer; the rest is behind
 * buffer.h.
 *
 * It is for a writer in a task that interrupts no other writer. The functions return false if a
 * writer has to take the long way:
 *
 *	w = rb_this_writer(buffer);
 *	if (!rb_short_enter(buffer, w, false))
 *		go the long way: ring_buffer_reserve_nopreempt()
 *	if (!rb_short_reserve(w, size, rb_short_clock(w, false), &event, &end))
 *		event = rb_short_reserve_any(), fill in ring_buffer_event_body(event),
 *		rb_short_leave(w)
 *	fill in rb_small_body(event); size is rb_size_of() of RB_MAX_SMALL bytes or less
 *	if (!rb_short_commit(w, end))
 *		rb_short_leave(w);
 *
 * That is reserve and commit of write.c. The writer's level is not looked at. Use
 * rb_short_commit() if the caller runs no traced code since rb_short_reserve(): an
 * interrupting writer uses another level. A caller that may run traced code must be in task
 * context and use rb_short_commit_all(). The event has no stamp for ring_buffer_event_time_stamp()
 * and no discard. Preemption is disabled throughout.
 */
#ifndef _TRACE_BUFFER_SHORT_H
#define _TRACE_BUFFER_SHORT_H

#include "buffer/buffer.h"
#include "buffer/reserve.h"

/* write.c */
struct ring_buffer_event *rb_short_reserve_any(struct trace_buffer *buffer, struct rb_writer **w,
					       unsigned long length);
void rb_short_leave(struct rb_writer *w);
void rb_short_finish(struct rb_writer *w);

/* Is the buffer switched off? Then there is no way, and nothing is counted as lost. */
static __always_inline bool rb_short_is_off(struct trace_buffer *buffer)
{
	return atomic_read(&buffer->state) & RB_STATE_DISABLED;
}

/*
 * Enter this CPU's writer @w; false if that is not possible. @called: there need be no
 * valid copy of the clock.
 */
static __always_inline bool
rb_short_enter(struct trace_buffer *buffer, struct rb_writer *w, bool called)
{
	u32 stale = called ? 0 : trace_clock_copy_stale(&w->clock);

	if (rb_is_broken())
		return false;
	/* data_race: atomic_read() would take an instruction more, and promise the same. */
	if (unlikely(data_race(stale | (u32)buffer->state.counter | w->busy)))
		return false;
	w->context = BIT(RB_LEVEL_TASK);
	barrier();
	return true;
}

/* The local clock for rb_short_reserve(). @called: as for rb_short_enter(). */
static __always_inline u64 rb_short_clock(struct rb_writer *w, bool called)
{
	return rb_writer_clock(w, called);
}

/*
 * Reserve an event of @size bytes, at a time that the caller has read a moment ago in the local
 * clock, and set @end to its end. Return false if the writer has to take the long way, or
 * somebody has written since that time.
 */
static __always_inline bool
rb_short_reserve(struct rb_writer *w, unsigned long size, u64 ts,
		 struct ring_buffer_event **event, unsigned long *end)
{
	return likely(rb_reserve_outermost(w, size, ts, RB_LEVEL_TASK, event, end));
}

/* The reserved event is complete. If this returns false, rb_short_leave() has to follow. */
static __always_inline bool rb_short_commit(struct rb_writer *w, unsigned long end)
{
	smp_store_release(&w->commit_pos, end);	/* WC */
	WRITE_ONCE(w->context, 0);
	return likely(!rb_left_more(w));
}

/*
 * As rb_short_commit(), where others may have come in since the reservation, and written behind
 * it.
 */
static __always_inline bool rb_short_commit_all(struct rb_writer *w)
{
	unsigned long end = READ_ONCE(w->pos);

	barrier();
	/* data_race: the flag is this CPU's. */
	if (unlikely(data_race(w->crossed)))
		return false;
	return rb_short_commit(w, end);
}

#endif /* _TRACE_BUFFER_SHORT_H */
