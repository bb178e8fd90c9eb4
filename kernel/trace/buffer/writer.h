/* SPDX-License-Identifier: GPL-2.0 */
/*
 * buffer/ inside: the data that a writer touches for an event in the common case. short.h
 * inlines a writer into tracers, so they see this header and reserve.h, and nothing else of the
 * inside.
 *
 * POSITIONS
 * ---------
 * A CPU writes one endless stream of sub-buffers of the same size. A position is a byte in that
 * stream, so it tells the sub-buffer and the offset in it; the data of a sub-buffer starts
 * behind its page header. Positions only grow (an event that its writer discards may be taken
 * back within its sub-buffer), and are compared as differences, so they may wrap.
 *
 * LOCKS, by the word that stands beside a member, in all headers of this folder:
 *
 *	constant	nobody changes it after creation
 *	atomic		anybody changes it
 *	mutex		rb_object::mutex, which serializes changes of structure
 *	reader_lock	rb_cpu::reader_lock
 *	CPU's writers	the writers of this CPU change it, with preemption off; each may
 *			interrupt the others at any instruction
 *	outermost writer  only the outermost writer of this CPU changes it, in its commit
 *	quiesced	a function of rb_quiesced_call() changes it: no writer of this CPU is
 *			active then, and the call holds the mutex and reader_lock
 */
#ifndef _TRACE_BUFFER_WRITER_H
#define _TRACE_BUFFER_WRITER_H

#include <linux/bits.h>
#include <linux/smp.h>
#include <linux/types.h>
#include <asm/local.h>

#include "buffer/stamp.h"
#include "buffer/sub.h"
#include "lib/clock.h"

/* An rb_writer::limit below all events: a sub-buffer was crossed, or events were dropped. */
#define RB_LIMIT_CROSSED	0UL
#define RB_LIMIT_GAP		1UL

/**
 * struct rb_writer - the writers' part of a CPU's buffer
 * @pos: where the next event goes; rb_move_pos() moves it, which is the reservation
 * @tail: sub-buffer of @pos; may lag behind while a crossing is interrupted
 * @before_stamp: stamp of the last event that somebody tried to reserve, and
 *	the level of its writer
 * @write_stamp: the same of the last event reserved
 * @limit: where the sub-buffer of @tail ends, or one before it while a crossing is
 *	interrupted: an event that ends above goes the long way; RB_LIMIT_CROSSED while
 *	the outermost has something crossed to commit; RB_LIMIT_GAP when
 *	events were dropped: the next one crosses, so that the gap lies between two
 *	sub-buffers
 * @context: a bit per active writer
 * @disabled: recording off if not zero, but for RB_CPU_FOLLOW
 * @busy: both in one word; rb_short_enter() lets nobody in if it is not 0
 * @crossed: @pos has left the sub-buffer of @commit_pos, or @follow, or nobody
 *	has committed since a swap, or @swapped
 * @follow: tell the length of the open sub-buffer in its page, always
 * @swapped: there was a swap, and a writer that it has interrupted may have the pointer to
 *	this from before; as long as it is set, @limit stays closed
 * @alone: a writer has been held up, and admits no other of its own level
 * @left: a writer that has interrupted another one has left its commit to that one
 * @wake: somebody waits for any data; a byte of its own
 * @more: both in one word; if it is not 0, the outermost commits the long way
 * @commit_pos: everything below is complete
 * @clock: a copy of the CPU's clock, for writers that call nothing
 * @open: the sub-buffer that ends at an open @limit. It is stored before the limit is opened, and
 *	stays the same until the outermost writer has ended: a writer that has reserved below the
 *	limit finds its sub-buffer here, where others may have moved @tail on
 * @origin: of @open: the address of its memory less its position
 * @commit_sub: sub-buffer of @commit_pos
 * @closed_events: events in sub-buffers that lie before @commit_sub
 * @closed_bytes: bytes of data there
 * @buffer: whose it is; a swap changes it, with interrupts off
 * @event_stamp: stamp of the event being written, by depth: how many other writers are
 *	active that it has interrupted.  The order of the levels does not tell, as
 *	RB_LEVEL_TRANSITION may be outside of any other
 * @depth_level: level of the writer at each depth but 0, where @context tells
 * @nested: depth of ring_buffer_nest_start()
 * @prefix_pos: position of the last event with a stamp record before it
 * @overrun: events overwritten
 * @lost_bytes: bytes overwritten
 * @commit_overrun: events dropped, the ring being full of uncommitted ones
 * @dropped: events dropped, the ring being full and not to be overwritten
 */
struct rb_writer {
	unsigned long		pos;			/* CPU's writers */
	struct rb_sub		*tail;			/* CPU's writers */
	u64			before_stamp;		/* CPU's writers */
	u64			write_stamp;		/* CPU's writers */
	unsigned long		limit;			/* CPU's writers */
	union {
		struct {
			unsigned int	context;	/* CPU's writers */
			atomic_t	disabled;	/* atomic */
		};
		u64		busy;
	};
	u8			crossed;		/* CPU's writers */
	u8			follow;			/* quiesced */
	u8			swapped;		/* CPU's writers */
	u8			alone;			/* CPU's writers */
	union {
		struct {
			u8	left;			/* CPU's writers */
			u8	wake;			/* atomic */
		};
		u16		more;
	};
	unsigned long		commit_pos;		/* c */
	struct trace_clock_copy	clock;			/* outermost writer, quiesced */
	struct rb_sub		*open;			/* outermost writer, quiesced */
	unsigned long		origin;			/* outermost writer, quiesced */
	struct rb_sub		*commit_sub;		/* c */
	unsigned long		closed_events;		/* c */
	unsigned long		closed_bytes;		/* c */
	struct trace_buffer	*buffer;		/* CPU's writers */
	u64			event_stamp[RB_DEPTHS];	/* CPU's writers */

	unsigned int		nested;			/* CPU's writers */
	u8			depth_level[RB_DEPTHS];	/* CPU's writers */
	unsigned long		prefix_pos;		/* CPU's writers */
	local_t			overrun;		/* CPU's writers */
	local_t			lost_bytes;		/* CPU's writers */
	local_t			commit_overrun;		/* CPU's writers */
	local_t			dropped;		/* CPU's writers */
};

/* trace_buffer::state: a count of who disabled it, and reasons to go slow. */
#define RB_STATE_COUNT		(BIT(20) - 1)
#define RB_STATE_OFF		BIT(20)
#define RB_STATE_CLOCK		BIT(21)
#define RB_STATE_ABS		BIT(22)
#define RB_STATE_DISABLED	(RB_STATE_COUNT | RB_STATE_OFF)

/**
 * struct trace_buffer - a ring buffer, as its writers see it
 * @state: zero if recording is on, by the local clock and without absolute stamps
 * @overwrite: lose the oldest events rather than the newest
 * @order: order of a sub-buffer in pages
 * @clock: reads the time
 * @writers: one per CPU; set before the CPU runs, and never cleared; a swap
 *	exchanges two, on the CPU
 */
struct trace_buffer {
	atomic_t		state;			/* atomic */
	bool			overwrite;		/* READ_ONCE() */
	unsigned int		order;			/* mutex */
	u64			(*clock)(void);		/* atomic */
	struct rb_writer	*writers[];		/* CPU's writers */
};

/* This CPU's writer.  Preemption is off.  It is never NULL: see @writers. */
static __always_inline struct rb_writer *rb_this_writer(struct trace_buffer *buffer)
{
	return buffer->writers[raw_smp_processor_id()];
}

/* The time in the clock of @buffer, which somebody may replace meanwhile. */
static inline u64 rb_clock(struct trace_buffer *buffer)
{
	typeof(buffer->clock) clock = READ_ONCE(buffer->clock);

	return clock();
}

#endif /* _TRACE_BUFFER_WRITER_H */
