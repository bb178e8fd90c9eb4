/* SPDX-License-Identifier: GPL-2.0 */
/*
 * buffer/ inside, but for short.h: the reservation of a writer on the short way. Its steps are
 * inlined into write.c and, by short.h, into what records functions and events.
 */
#ifndef _TRACE_BUFFER_RESERVE_H
#define _TRACE_BUFFER_RESERVE_H

#include <linux/jump_label.h>
#include <linux/kconfig.h>

#include "buffer/format.h"
#include "buffer/writer.h"

/* startup_test.c: has it found a ring buffer that cannot be trusted? */
#ifdef CONFIG_RING_BUFFER_STARTUP_TEST
DECLARE_STATIC_KEY_FALSE(rb_broken);
# define rb_is_broken()	static_branch_unlikely(&rb_broken)
#else
# define rb_is_broken()	false
#endif

/*
 * Reads the clock of a buffer that was told of no other, for an outermost writer, whose
 * bit is in rb_writer::context.  @called: the copy was not valid a moment ago, so have
 * the next event find a valid one.
 */
static __always_inline u64 rb_writer_clock(struct rb_writer *w, bool called)
{
	if (!called)
		return trace_clock_copied(w->clock);
	trace_clock_copy_update(&w->clock);
	return trace_clock_called();
}

/* Does an event that ends at position @end go beyond @limit? */
static __always_inline bool rb_beyond(unsigned long end, unsigned long limit)
{
	/* Where positions wrap, the end of the last sub-buffer is 0. */
	return IS_ENABLED(CONFIG_64BIT) ? end > limit : end - 1 >= limit;
}

/*
 * Move rb_writer::pos from *@pos to @to.  Returns false, and sets *@pos, if another writer has
 * moved it meanwhile.  Only writers of this CPU do, so the cmpxchg need not be atomic against
 * other CPUs.  It is no compiler barrier on some architectures, so one stands on each side.
 */
static __always_inline bool rb_move_pos(struct rb_writer *w, unsigned long *pos,
					unsigned long to)
{
	barrier();
	if (unlikely(!try_cmpxchg_local(&w->pos, pos, to)))
		return false;
	barrier();
	return true;
}

/**
 * rb_reserve_at - reserve an event at a position on the short way
 * @w: whose bit is in rb_writer::context
 * @pos: rb_writer::pos, loaded before @last
 * @last: rb_writer::write_stamp
 * @size: bytes of the event, by rb_size_of()
 * @ts: its stamp
 * @level: the writer's
 * @is_short: it has come in by rb_short_enter()
 * @event: set to the event
 * @end: set to the position behind the event
 *
 * Words that only this CPU writes are loaded plainly: the barriers around the load of @pos
 * order them.
 *
 * Return: false if the event has to take the long way, or somebody has written meanwhile.
 */
static __always_inline bool
rb_reserve_at(struct rb_writer *w, unsigned long pos, u64 last, unsigned long size, u64 ts,
	      unsigned int level, bool is_short, struct ring_buffer_event **event,
	      unsigned long *end)
{
	struct rb_sub *sub;
	unsigned long to;
	u64 delta, word;
	void *at;

	if (unlikely(w->before_stamp != last))
		return false;
	/* The compiler would keep a copy of it for this comparison. */
	OPTIMIZER_HIDE_VAR(last);
	/* On the short way, the level of a nested writer that was the last makes the delta wide. */
	delta = ts - (is_short ? last : rb_stamp_time(last));
	if (unlikely(delta > RB_DELTA_MASK))
		return false;
	/* Not before: until here a register more is in use. */
	to = pos + size;
	if (unlikely(rb_beyond(to, w->limit)))
		return false;
	word = rb_stamp_word(ts, level);
	WRITE_ONCE(w->before_stamp, word);
	OPTIMIZER_HIDE_VAR(pos);
	if (unlikely(!rb_move_pos(w, &pos, to)))
		return false;
	WRITE_ONCE(w->write_stamp, word);
	/* These two have not changed since the limit was loaded. */
	sub = w->open;
	at = (void *)(to + w->origin);
	OPTIMIZER_HIDE_VAR(at);
	if (is_short)
		/* data_race: readers use the count when the whole sub-buffer is committed. */
		data_race(sub->short_entries++);
	else
		local_inc(&sub->entries);
	*end = to;
	/* The end tells the position, so that it need not be kept as well. */
	*event = at - size;
	rb_set_event(*event, size, delta);
	return true;
}

/**
 * rb_reserve_outermost - the reservation of a writer that interrupts no other
 * @w: whose bit is in rb_writer::context
 * @size: bytes of the event
 * @ts: rb_writer_clock(), read behind the store of the bit
 * @level: the writer's
 * @event: set to the event
 * @end: set to the position behind the event
 *
 * The position and the stamps are loaded after the clock was read; if somebody has
 * written in between, and not in the same nanosecond, the delta is negative, which is
 * wide.
 *
 * A writer that interrupts between the store of the context and the load of the position may
 * cross into another sub-buffer, and leave the commit to this writer: it closes rb_writer::limit,
 * which is loaded after the position, so that this returns false.  An interrupt before that store
 * may swap the buffers: then rb_writer::swapped keeps the limit closed until this writer, which
 * has the pointer from before, has ended.
 *
 * Return: as rb_reserve_at().
 */
static __always_inline bool
rb_reserve_outermost(struct rb_writer *w, unsigned long size, u64 ts, unsigned int level,
		     struct ring_buffer_event **event, unsigned long *end)
{
	unsigned long pos;

	barrier();
	pos = READ_ONCE(w->pos);
	barrier();
	return rb_reserve_at(w, pos, w->write_stamp, size, ts, level, true, event, end);
}

/* After publishing: has another writer left its commit to this one, or does a reader wait? */
static __always_inline bool rb_left_more(struct rb_writer *w)
{
	barrier();
	/* data_race: a byte is there or not. */
	return unlikely(data_race(w->more));
}

#endif /* _TRACE_BUFFER_RESERVE_H */
