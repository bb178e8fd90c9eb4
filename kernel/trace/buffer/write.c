// SPDX-License-Identifier: GPL-2.0
/*
 * The writer: reserve, stamp, commit, discard.
 *
 * This is the whole hot path.  The common case stands in reserve.h and short.h; record/quick.h
 * inlines it into what records functions, calls and events, and ring_buffer_lock_reserve() is
 * the same for all others.  A nested writer, a new sub-buffer, a wide delta, another clock, a
 * lost event and a wakeup are rare, and out of line, in functions whose names end with _any or
 * _slow.
 *
 * A CPU's buffer is written on that CPU only. A softirq, an interrupt or an NMI may write at any
 * instruction of another writer, and is done before that one goes on. rb_writer::context has a bit
 * per active writer; the writer that clears the last one is the outermost. In the common case:
 *
 *	context = the bit, if context, disabled and the buffer's state are 0
 *	ts = clock()
 *	pos = w->pos				  (1)
 *	last = write_stamp
 *	long way, if before_stamp != last, or the delta ts - last does not fit,
 *		or pos + length > limit
 *	before_stamp = ts			  (2)
 *	cmpxchg(w->pos, pos, pos + length)	  (3) or long way
 *	write_stamp = ts			  (4)
 *	... fill in header and data ...
 *	commit_pos = pos + length		  (5) release
 *	context = 0
 *	commit the long way, if another writer has left its commit, or a reader waits
 *
 * The long way reads the clock behind (1), and starts again if (3) fails. With the clock
 * read before (1), an event that was written in between makes the delta negative. Either way (2)
 * is not done if an interrupt has written while the clock was read, which takes most of the time:
 * both stamps are known then, and stay so.
 *
 * Nobody wrote between (1) and (3), or (3) fails: stamps in the buffer are in the order in which
 * the clock was read. A writer that interrupts between (2) and (4) sees before != after and cannot
 * know how far the interrupted one has come; it writes an absolute stamp instead of a delta. If it
 * was between (3) and (4), (4) leaves before != after behind, and the next event is absolute too.
 * Both words have the writer's level beside the time. So they differ even if a writer is
 * interrupted before (2), and then stores the same time as the one that interrupted it.
 *
 * A clock may JUMP BACK, and the stamps do not: an event gets no stamp before the later one of
 * the two words.  A writer that has interrupted another one leaves the latest stamp of all in
 * both words, by rb_keep_stamp().  So it survives in one of them whether the interrupted
 * writer stores the other one next in (2) or in (4).  On 32 bits, where a writer may be
 * interrupted in the midst of a store, only a stamp that both words have is used.
 *
 * CROSSING into the next sub-buffer has steps of which each may be
 * interrupted by a writer that crosses as well:
 *
 *	slot: EMPTY or old DATA -> DATA(d, next)  (A) the first one does it
 *	d->base, d->slot = ...			  (B) same values whoever writes
 *	cmpxchg(w->pos, pos, first of next)	  (C) one wins
 *	header of d, end of the old one		  (D) by the winner
 *	w->limit = RB_LIMIT_CROSSED		  (D) by the winner
 *	w->tail: old -> d			  (E) by the winner or a helper
 *	w->limit = end of the tail		  (F) by the outermost, in its commit
 *
 * Between (C) and (E) `pos` lies beyond the tail; a writer that sees it does (E) first. From (C)
 * to (F) the limit is the end of a sub-buffer before, or closed: a writer that sees it goes the
 * long way, and looks at the tail itself. So nobody has the short way, which publishes and does
 * not look, until what was crossed is committed. Readers look at what (D) writes only when
 * commit_pos is past the sub-buffer's base, and the winner is done with (D) before the outermost
 * commits. A crossing must not overwrite what is not committed: the event is dropped then, and
 * counted as commit overrun.
 *
 * The counter of events in a descriptor is never set back: each use of it starts at entries_base,
 * which is the counter's value at the end of the use before. Between two uses that value does not
 * change, so all writers that store it store the same.
 *
 * COMMIT: if nothing has been crossed, commit_pos = pos is all. Else the outermost walks the
 * crossed sub-buffers in order and numbers them: rb_sub::first is how many events were written
 * before its first. From that a reader knows exactly how many it did not see. The outermost also
 * tells each page how long it is, from what (D) left in the descriptor.
 *
 * Context: any, NMI included; on the CPU whose buffer is written, with preemption off from reserve
 * to commit. No locks.
 */
#include <linux/trace_clock.h>

#include "buffer/internal.h"
#include "buffer/short.h"

/* A writer retries only if it was interrupted by another each time. */
#define RB_RETRIES	1000

static_assert(sizeof(struct ring_buffer_event) == RB_EVENT_HDR);
static_assert(BIT(RB_LEVEL_BITS) >= RB_LEVELS);
static_assert(RB_DEPTHS >> 5 == 0);

/* This context's level: its bit in rb_writer::context. */
static __always_inline unsigned int rb_write_context_level(void)
{
	unsigned long count = preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET);

	if (likely(!count))
		return RB_LEVEL_TASK;
	if (count & NMI_MASK)
		return RB_LEVEL_NMI;
	return count & HARDIRQ_MASK ? RB_LEVEL_IRQ : RB_LEVEL_SOFTIRQ;
}

/*
 * The bit of this level is set.  Either the ring buffer is tracing itself, or an
 * interrupt has come that preempt_count does not show yet.  The two cases cannot be told
 * apart.  So one such writer may enter, at RB_LEVEL_TRANSITION; a second is refused.
 * While rb_writer::alone is set, none may enter: the interrupted writer is retrying
 * because of one already. While a writer queues an irq_work, none may enter either, and that
 * is no recursion to tell of.
 */
static noinline __cold int rb_write_enter_again(struct rb_cpu *cb)
{
	if (cb->w.context & BIT(RB_LEVEL_TRANSITION) || cb->w.alone) {
		if ((cb->w.context & RB_CONTEXT_QUEUES) != RB_CONTEXT_QUEUES)
			rb_note_recursion(_THIS_IP_, _RET_IP_);
		return -1;
	}
	cb->w.context |= BIT(RB_LEVEL_TRANSITION);
	return RB_LEVEL_TRANSITION;
}

/* rb_depth() of any context: the number of bits, less that of the innermost writer. */
noinline unsigned int rb_depth_any(unsigned int context)
{
	unsigned int depth = 0;

	while ((context &= context - 1))
		depth++;
	return depth;
}

/*
 * The level of the innermost writer, which is at @depth.  At depth 0 only its bit is set, and
 * ring_buffer_nest_start() may have moved it.
 */
static __always_inline unsigned int rb_write_level_at(struct rb_cpu *cb, unsigned int depth)
{
	unsigned int context = cb->w.context;

	if (likely(context == BIT(RB_LEVEL_TASK)))
		return RB_LEVEL_TASK;
	return depth ? cb->w.depth_level[depth] : __ffs(context) % RB_LEVELS;
}

/*
 * Set the bit of this context.  Returns its level, or -1: the writer is refused.  From the
 * store of the bit on, a writer that interrupts is one deeper.
 */
static __always_inline int rb_write_enter(struct rb_cpu *cb)
{
	unsigned int context = cb->w.context;
	int level = rb_write_context_level();

	if (unlikely(context & (1U << level))) {
		level = rb_write_enter_again(cb);
		if (level < 0)
			return level;
	} else {
		cb->w.context = context | (1U << level);
	}
	barrier();
	if (context)
		cb->w.depth_level[rb_depth(cb)] = level;
	return level;
}

/*
 * Drop an event and count it.  The next one begins a new sub-buffer, so that a reader knows
 * between which two events the gap is.
 */
static struct rb_sub *rb_write_drop_event(struct rb_cpu *cb, local_t *counter)
{
	rb_news_dropped(cb, counter);
	WRITE_ONCE(cb->w.limit, RB_LIMIT_GAP);
	return NULL;
}

/* Is recording on?  Called if rb_writer::disabled or the buffer's state is not 0. */
static noinline __cold bool rb_write_admit(struct trace_buffer *buffer, struct rb_cpu *cb)
{
	int disabled = rb_cpu_disabled(cb);

	if (atomic_read(&buffer->state) & RB_STATE_DISABLED)
		return false;
	/* Nobody has switched it off, but a change of structure is going on. */
	if (disabled && !(disabled & (RB_CPU_DEAD | (RB_CPU_QUIESCED - 1))))
		rb_write_drop_event(cb, &cb->w.dropped);
	return !disabled;
}

/**
 * struct reservation - what rb_write_reserve_slow() is about to do
 * @pos: position of the event, or of the stamp record before it
 * @ts: stamp
 * @size: bytes of the event without a stamp record
 * @stamp: type of the stamp record before it, or 0
 * @delta: value of the stamp record or the event
 * @level: the writer's
 * @first: it is the first event of a sub-buffer, whose header gets its stamp
 */
struct reservation {
	unsigned long	pos;
	u64		ts;
	unsigned int	size;
	unsigned int	stamp;
	u64		delta;
	unsigned int	level;
	bool		first;
};

/* Step (E) of a crossing. The first writer to do it has done it for all. */
static void rb_write_move_tail(struct rb_cpu *cb, struct rb_sub *old, struct rb_sub *next)
{
	cmpxchg_local(&cb->w.tail, old, next);
}

/*
 * Step (F) of a crossing: the outermost writer has committed all that lies before @tail. It
 * stores where the memory of @tail is, and opens the limit.  A writer that interrupts this may
 * cross once more.  If it does so before the first cmpxchg, that replaces its RB_LIMIT_CROSSED by
 * the end of the old tail.  The tail has changed then, and the second cmpxchg closes the limit
 * again.
 */
static void rb_write_open_limit(struct rb_cpu *cb, struct rb_sub *tail)
{
	unsigned long limit = rb_writer_settle(cb, tail);

	if (READ_ONCE(cb->w.swapped) || READ_ONCE(cb->w.limit) != RB_LIMIT_CROSSED ||
	    cmpxchg_local(&cb->w.limit, RB_LIMIT_CROSSED, limit) != RB_LIMIT_CROSSED)
		return;
	if (unlikely(READ_ONCE(cb->w.tail) != tail))
		cmpxchg_local(&cb->w.limit, limit, RB_LIMIT_CROSSED);
}

/* The tail lags behind, as a crossing writer was interrupted: do step (E) for it. */
static void rb_write_help_crossing(struct rb_cpu *cb, struct rb_sub *tail)
{
	unsigned int slot = rb_next_slot(cb, tail->slot);
	unsigned long word = atomic_long_read(&cb->slots[slot]);

	rb_write_move_tail(cb, tail, rb_slot_sub(cb, word));
}

/* How many events this CPU has dropped, for whatever reason. */
static unsigned long rb_write_all_dropped(struct rb_cpu *cb)
{
	return local_read(&cb->w.dropped) + local_read(&cb->w.commit_overrun);
}

/*
 * Steps (A) and (B) of a crossing: have the slot behind @tail hold the next
 * sub-buffer.  NULL if there is no place; the event is counted as dropped then.
 */
static struct rb_sub *rb_write_open_next(struct rb_cpu *cb, struct rb_sub *tail)
{
	unsigned long base = tail->base + cb->size;
	unsigned long oldest = base - ((unsigned long)cb->nr << cb->shift);
	unsigned int slot = rb_next_slot(cb, tail->slot);
	unsigned long word = atomic_long_read(&cb->slots[slot]);
	struct rb_sub *sub;

	for (;;) {
		unsigned int entries, bytes = 0;
		long opened;

		sub = rb_slot_sub(cb, word);
		entries = rb_sub_all(sub);
		opened = rb_slot_word(cb, sub->id, base);
		if (word == opened)
			break;
		if (word & RB_SLOT_DATA) {
			if (!READ_ONCE(cb->w.buffer->overwrite))
				return rb_write_drop_event(cb, &cb->w.dropped);
			if ((long)(cb->w.commit_pos - oldest) <= (long)cb->size)
				return rb_write_drop_event(cb, &cb->w.commit_overrun);
			/* The page has it as well, but a reader may be giving that away. */
			bytes = READ_ONCE(sub->end);
		}
		/* WO, RT, CR */
		if (!atomic_long_try_cmpxchg(&cb->slots[slot], (long *)&word, opened))
			continue;
		if (word & RB_SLOT_DATA) {
			rb_news_overwritten(cb, entries - sub->entries_base);
			local_add(bytes, &cb->w.lost_bytes);
		}
		WRITE_ONCE(sub->entries_base, entries);
		break;
	}
	WRITE_ONCE(sub->base, base);
	WRITE_ONCE(sub->slot, slot);
	return sub;
}

/*
 * Reserve in the next sub-buffer, whose header gets the event's stamp.  False: another
 * writer came in between, so start again.  *@subp is NULL if there is no place.
 */
static bool rb_write_cross(struct rb_cpu *cb, struct rb_sub *tail, struct reservation *r,
			   struct rb_sub **subp)
{
	unsigned int end = r->pos - tail->base;
	unsigned int size = r->size;
	unsigned long dropped;
	struct rb_sub *sub;

	/* The last one holds if absolute stamps were chosen after the length was checked. */
	if (r->stamp != RINGBUF_TYPE_TIME_STAMP ||
	    !(atomic_read(&cb->w.buffer->state) & RB_STATE_ABS) ||
	    size + RB_STAMP_LEN > cb->size - RB_HDR)
		r->stamp = 0;
	else
		size += RB_STAMP_LEN;
	sub = rb_write_open_next(cb, tail);
	*subp = sub;
	if (!sub)
		return true;
	WRITE_ONCE(cb->w.before_stamp, rb_stamp_word(r->ts, r->level));
	dropped = rb_write_all_dropped(cb);
	/* (C) */
	if (!rb_move_pos(&cb->w, &r->pos, sub->base + RB_HDR + size))
		return false;
	/* (D) */
	WRITE_ONCE(tail->end, end - RB_HDR);
	WRITE_ONCE(sub->dropped, dropped);
	WRITE_ONCE(cb->w.crossed, 1);
	WRITE_ONCE(cb->w.limit, RB_LIMIT_CROSSED);
	barrier();
	rb_write_move_tail(cb, tail, sub);
	/* Events that were dropped since (C) lie behind this one, so the next one crosses. */
	if (unlikely(rb_write_all_dropped(cb) != dropped))
		WRITE_ONCE(cb->w.limit, RB_LIMIT_GAP);
	if (!r->stamp)
		r->delta = 0;
	r->first = true;
	r->pos = sub->base + RB_HDR;
	return true;
}

/* Behind step (4) of a writer that may have interrupted another one. */
static __always_inline void rb_write_stamped(struct rb_cpu *cb, u64 word)
{
	barrier();
	if (unlikely(READ_ONCE(cb->w.before_stamp) != word))
		rb_keep_stamp(cb);
}

/*
 * Decide how the stamp is told: in the event, by a record before it, or, for
 * the first of a sub-buffer, by the header.
 */
static void rb_write_choose_stamp(struct trace_buffer *buffer, struct reservation *r,
				  u64 before, u64 last, bool first)
{
	u64 after = rb_stamp_time(last), latest = max(after, rb_stamp_time(before));

	/* A clock may jump back; a buffer's stamps do not. */
	if (r->ts < latest && (IS_ENABLED(CONFIG_64BIT) || before == last))
		r->ts = latest;
	r->first = first;
	r->stamp = 0;
	r->delta = first ? 0 : r->ts - after;
	if ((!first && before != last) || r->delta > RB_STAMP_MASK ||
	    (atomic_read(&buffer->state) & RB_STATE_ABS)) {
		r->stamp = RINGBUF_TYPE_TIME_STAMP;
		r->delta = r->ts & RB_STAMP_MASK;
	} else if (r->delta > RB_DELTA_MASK) {
		r->stamp = RINGBUF_TYPE_TIME_EXTEND;
	}
}

/* Write stamps and headers at a position that was reserved.  Returns the event. */
static struct ring_buffer_event *
rb_write_fill_slow(struct rb_cpu *cb, struct rb_sub *sub, struct reservation *r)
{
	void *at = (void *)sub->page + (r->pos - sub->base);
	u64 word = rb_stamp_word(r->ts, r->level);
	struct ring_buffer_event *event = at;

	if (r->first)
		WRITE_ONCE(sub->page->time_stamp, r->ts);
	WRITE_ONCE(cb->w.write_stamp, word);
	rb_write_stamped(cb, word);
	cb->w.event_stamp[rb_depth(cb)] = r->ts;
	local_inc(&sub->entries);
	if (r->stamp) {
		rb_set_header(event, r->stamp, r->delta & RB_DELTA_MASK);
		event->array[0] = r->delta >> RB_DELTA_BITS;
		event = at + RB_STAMP_LEN;
		cb->w.prefix_pos = r->pos + RB_STAMP_LEN;
		r->delta = 0;
	}
	rb_set_event(event, r->size, r->delta);
	return event;
}

/*
 * Try once to reserve, in any state of the buffer. Return false if another writer came in
 * between. *@event is NULL if there is no place.
 */
static bool rb_write_try_slow(struct trace_buffer *buffer, struct rb_cpu *cb, struct reservation *r,
			      struct ring_buffer_event **event)
{
	unsigned int need;
	struct rb_sub *sub;
	u64 before, last;

	r->pos = READ_ONCE(cb->w.pos);
	barrier();
	last = READ_ONCE(cb->w.write_stamp);
	before = READ_ONCE(cb->w.before_stamp);
	r->ts = rb_clock(buffer);
	barrier();
	/* See (2). */
	if (READ_ONCE(cb->w.pos) != r->pos)
		return false;
	sub = READ_ONCE(cb->w.tail);
	if (!rb_within(cb, r->pos, sub->base)) {
		/* The tail lags behind, or r->pos is old and the tail has gone on. */
		if ((long)(r->pos - sub->base) > 0)
			rb_write_help_crossing(cb, sub);
		return false;
	}
	/* While write_stamp is 0, no event has set the header's stamp. */
	rb_write_choose_stamp(buffer, r, before, last, !last && r->pos == sub->base + RB_HDR);
	need = r->size + (r->stamp ? RB_STAMP_LEN : 0);
	/* The limit may be that of a sub-buffer before, see (F). */
	if (READ_ONCE(cb->w.limit) == RB_LIMIT_GAP || r->pos - sub->base + need > cb->size) {
		if (!rb_write_cross(cb, sub, r, &sub))
			return false;
	} else {
		WRITE_ONCE(cb->w.before_stamp, rb_stamp_word(r->ts, r->level));
		if (!rb_move_pos(&cb->w, &r->pos, r->pos + need))
			return false;
	}
	*event = sub ? rb_write_fill_slow(cb, sub, r) : NULL;
	return true;
}

/*
 * Reserve in any state of the buffer. Return NULL if there is no place, or @length is too long.
 *
 * The clock may be traced itself: its function then writes an event each time it is
 * read, and no try would ever succeed.  So only the first try admits such a writer.
 */
static noinline __cold struct ring_buffer_event *
rb_write_reserve_slow(struct trace_buffer *buffer, struct rb_cpu *cb,
		      unsigned long length, unsigned int level)
{
	struct reservation r = { .level = level };
	struct ring_buffer_event *event = NULL;
	u8 alone = cb->w.alone;
	unsigned int tries = 0;

	/* The longest event has a sub-buffer of its own, and its stamp in the header. */
	if (unlikely(length > rb_max_event_size(buffer, cb->size)))
		return NULL;
	r.size = rb_size_of(length ?: 1);

	while (!rb_write_try_slow(buffer, cb, &r, &event)) {
		if (WARN_ON_ONCE(++tries == RB_RETRIES))
			break;
		WRITE_ONCE(cb->w.alone, 1);
	}
	WRITE_ONCE(cb->w.alone, alone);
	return event;
}

/*
 * Store in the page how many bytes it has.  Only the outermost writer does: another one
 * could store a length to which a writer that interrupted it has added since.
 */
static void rb_write_tell_length(struct rb_cpu *cb, struct rb_sub *sub, unsigned long length)
{
	unsigned long flags = 0;

	if (READ_ONCE(cb->reader) == sub) {
		smp_rmb();	/* MF */
		flags = READ_ONCE(cb->map_flags);
	}
	smp_wmb();	/* ME */
	local_set(&sub->page->commit, length | flags);
	if (likely(!READ_ONCE(cb->w.follow)))
		return;
	smp_mb();	/* ML */
	if (READ_ONCE(cb->reader) == sub)
		rb_set_missed(sub->page, READ_ONCE(cb->map_flags));
}

/* How far the writer may go ahead of the reader. */
#define RB_READER_BEHIND	(ULONG_MAX / 4)

/*
 * If nobody reads, the writer's position comes to be so far ahead of the reader's that
 * their difference wraps, on 32 bits after 2 GiB.  Move the base of the reader's
 * sub-buffer on, by whole rounds of the ring, so that its slot remains right.  A reader
 * may have left the descriptor as its spare meanwhile, and a writer may have opened it:
 * that has changed the base, and the cmpxchg fails.
 */
static void rb_write_reader_follow(struct rb_cpu *cb, unsigned long pos)
{
	unsigned long round = (unsigned long)cb->nr << cb->shift;
	struct rb_sub *reader = READ_ONCE(cb->reader);
	unsigned long base = READ_ONCE(reader->base);

	if (unlikely(pos - base > RB_READER_BEHIND))
		cmpxchg_local(&reader->base, base,
			      base + ((pos - base) / round - 1) * round);
}

/*
 * Has this writer certainly interrupted no other one?  Interrupts are on: where they are off,
 * an interrupt may have come that preempt_count does not know yet, or knows no more.
 */
static bool rb_write_is_plain_task(void)
{
	return rb_write_context_level() == RB_LEVEL_TASK && !irqs_disabled();
}

/*
 * The outermost writer leaves, and something was crossed or somebody waits:
 * number the sub-buffers up to the tail, publish, wake.  Writers that come in
 * between see a context and leave the rest to this one.
 */
static noinline __cold void rb_write_commit_slow(struct rb_cpu *cb, unsigned int context)
{
	struct rb_sub *sub, *tail;
	unsigned long pos, bytes;

	do {
		WRITE_ONCE(cb->w.context, context);
		if (unlikely(READ_ONCE(cb->w.swapped)) && rb_write_is_plain_task())
			WRITE_ONCE(cb->w.swapped, 0);
		WRITE_ONCE(cb->w.crossed, READ_ONCE(cb->w.follow) | READ_ONCE(cb->w.swapped));
		WRITE_ONCE(cb->w.left, 0);
		do {
			barrier();
			pos = READ_ONCE(cb->w.pos);
			barrier();
			tail = READ_ONCE(cb->w.tail);
		} while (!rb_within(cb, pos, tail->base));

		sub = cb->w.commit_sub;
		while (sub != tail) {
			unsigned int slot = rb_next_slot(cb, sub->slot);

			WRITE_ONCE(cb->w.closed_events, cb->w.closed_events + rb_sub_entries(sub));
			WRITE_ONCE(cb->w.closed_bytes, cb->w.closed_bytes + sub->end);
			rb_write_tell_length(cb, sub, sub->end);
			sub = rb_slot_sub(cb, atomic_long_read(&cb->slots[slot]));
			WRITE_ONCE(sub->first, cb->w.closed_events);
		}
		if (unlikely(READ_ONCE(cb->w.follow)))
			rb_write_tell_length(cb, sub, pos - sub->base - RB_HDR);
		if (sub != cb->w.commit_sub) {
			bytes = sub->base - cb->w.commit_sub->base;
			smp_store_release(&cb->w.commit_sub, sub);	/* CS */
			smp_store_release(&cb->w.commit_pos, pos);	/* WC */
			rb_write_reader_follow(cb, pos);
			rb_writer_crossed(cb, bytes);
		} else {
			smp_store_release(&cb->w.commit_pos, pos);	/* WC */
		}
		if (READ_ONCE(cb->w.wake))	/* WK */
			rb_writer_wakes(cb);
		rb_write_open_limit(cb, tail);
		barrier();
		WRITE_ONCE(cb->w.context, 0);
		barrier();
	} while (READ_ONCE(cb->w.pos) != pos);
}

/* One writer leaves; if it is the outermost, what was written is complete. */
static noinline void rb_write_commit_any(struct rb_cpu *cb)
{
	unsigned int context = cb->w.context;
	unsigned long pos;

	if (context & (context - 1)) {
		WRITE_ONCE(cb->w.left, 1);
		WRITE_ONCE(cb->w.context, context & ~(1U << rb_write_level_at(cb, rb_depth(cb))));
		return;
	}
	pos = READ_ONCE(cb->w.pos);
	barrier();
	if (!READ_ONCE(cb->w.crossed)) {
		smp_store_release(&cb->w.commit_pos, pos);	/* WC */
		WRITE_ONCE(cb->w.context, 0);
		if (!rb_left_more(&cb->w))
			return;
	}
	rb_write_commit_slow(cb, context);
}

/*
 * As rb_write_commit_any(), inline for the outermost writer that rb_write_enter_quick() has let
 * in. False if rb_short_leave() has to follow.
 */
static __always_inline bool rb_write_commit_quick(struct rb_writer *w)
{
	return likely(w->context == BIT(RB_LEVEL_TASK)) && likely(rb_short_commit_all(w));
}

/* Did a swap come before the bit was set that forbids it? */
static __always_inline bool rb_write_is_swapped(struct trace_buffer *buffer, struct rb_writer *w)
{
	return IS_ENABLED(CONFIG_RING_BUFFER_ALLOW_SWAP) && unlikely(w->buffer != buffer);
}

/*
 * Reserve for a writer that has its bit in rb_writer::context, in any state of the buffer.
 * Returns NULL if nothing can be reserved; the bit is cleared again then.
 *
 * A reset may have begun after the caller had read rb_writer::disabled and before it set its
 * bit, and may still be cleaning the slots; recording is disabled until it is done.  If it is
 * not disabled now, the bit keeps resets out.
 */
static struct ring_buffer_event *
rb_write_reserve_entered(struct trace_buffer *buffer, struct rb_cpu *cb, unsigned long length,
			 unsigned int level)
{
	struct ring_buffer_event *event;

	if (likely(!rb_cpu_disabled(cb)) || rb_write_admit(buffer, cb)) {
		event = rb_write_reserve_slow(buffer, cb, length, level);
		if (likely(event))
			return event;
	}
	rb_keep_stamp(cb);
	rb_write_commit_any(cb);
	return NULL;
}

/* Reserve in any context and any state of the buffer. */
static noinline struct ring_buffer_event *
rb_write_reserve_any(struct trace_buffer *buffer, unsigned long length)
{
	struct ring_buffer_event *event;
	unsigned long pos, end;
	struct rb_cpu *cb;
	int state, special, level;
	bool outermost;
	u64 last, ts;

again:
	/* Not NULL: a CPU gets its buffer before it comes online. */
	cb = rb_cpu_of(rb_this_writer(buffer));
	state = atomic_read(&buffer->state);
	special = (state & ~RB_STATE_CLOCK) | rb_cpu_disabled(cb);
	if (rb_is_broken() || (unlikely(special) && !rb_write_admit(buffer, cb)))
		return NULL;
	outermost = !cb->w.context;
	level = rb_write_enter(cb);
	if (unlikely(level < 0))
		return NULL;
	/* An NMI in the middle of a swap does not come here: it finds the writer disabled. */
	if (rb_write_is_swapped(buffer, &cb->w)) {
		rb_write_commit_any(cb);
		goto again;
	}
	/* Until the bit was set, another clock may have been set, and the buffer reset. */
	state |= atomic_read(&buffer->state);
	special |= state & ~RB_STATE_CLOCK;
	if (likely(!special && length - 1 < RB_MAX_SMALL)) {
		if (unlikely(state))
			ts = rb_clock(buffer);
		else
			ts = outermost ? rb_writer_clock(&cb->w, true) : trace_clock_called();
		barrier();
		pos = READ_ONCE(cb->w.pos);
		barrier();
		last = READ_ONCE(cb->w.write_stamp);
		if (likely(rb_reserve_at(&cb->w, pos, last, rb_size_of(length), ts, level,
					 false, &event, &end))) {
			if (outermost) {
				cb->w.event_stamp[0] = ts;
			} else {
				rb_write_stamped(cb, rb_stamp_word(ts, level));
				cb->w.event_stamp[rb_depth(cb)] = ts;
			}
			return event;
		}
	}
	/* After a reset, rb_reserve_at() fails, since the two stamps differ. */
	return rb_write_reserve_entered(buffer, cb, length, level);
}

/*
 * Enter as the outermost writer @w, inline. Return false if the event has to take the long way.
 * RB_LEVEL_TASK is used in every context. That is safe: no other writer is active, and one that
 * interrupts has another level. Recursion outside of tasks goes one deeper than in a task
 * before it is refused, as the bit of its context is still free.
 */
static __always_inline bool
rb_write_enter_quick(struct trace_buffer *buffer, struct rb_writer *w, unsigned long length)
{
	return likely(length - 1 < RB_MAX_SMALL) && likely(rb_short_enter(buffer, w, false));
}

/* Reserve after rb_write_enter_quick(). Return false if the event has to take the long way. */
static __always_inline bool
rb_write_reserve_quick(struct rb_writer *w, unsigned long length, struct ring_buffer_event **event)
{
	unsigned long end;
	u64 ts;

	ts = rb_writer_clock(w, false);
	w->event_stamp[0] = ts;
	return rb_short_reserve(w, rb_size_of(length), ts, event, &end);
}

/* The long way of ring_buffer_lock_reserve(). */
static noinline struct ring_buffer_event *
rb_write_lock_reserve_any(struct trace_buffer *buffer, unsigned long length)
{
	struct ring_buffer_event *event = rb_write_reserve_any(buffer, length);

	if (unlikely(!event))
		preempt_enable_notrace();
	return event;
}

/**
 * rb_short_reserve_any - reserve where rb_short_reserve() has returned false
 * @buffer: the ring buffer to write to: not that of the writer if a swap, or an exchange of
 *	two buffers, has come since
 * @w: the writer that rb_short_enter() has entered; is set to the one that has the event
 * @length: bytes of data, RB_MAX_SMALL at most
 *
 * Context: as rb_short_enter().
 * Return: the event, and rb_short_leave() has to follow when it is filled in; NULL where
 * ring_buffer_lock_reserve() returns that, and the writer has left.
 */
noinline struct ring_buffer_event *
rb_short_reserve_any(struct trace_buffer *buffer, struct rb_writer **w, unsigned long length)
{
	struct rb_cpu *cb = rb_cpu_of(*w);
	struct ring_buffer_event *event;

	if (likely((*w)->buffer == buffer))
		return rb_write_reserve_entered(buffer, cb, length, RB_LEVEL_TASK);
	/* Writers that have interrupted this one rely on it to commit their events. */
	rb_write_commit_any(cb);
	event = rb_write_reserve_any(buffer, length);
	/* A writer with an open event is not swapped, so this is the one that has reserved. */
	*w = rb_this_writer(buffer);
	return event;
}

/* The rest of ring_buffer_lock_reserve() if it has entered @w, and could not reserve. */
static noinline struct ring_buffer_event *
rb_write_lock_reserve_again(struct trace_buffer *buffer, unsigned long length, struct rb_writer *w)
{
	struct ring_buffer_event *event = rb_short_reserve_any(buffer, &w, length);

	if (unlikely(!event))
		preempt_enable_notrace();
	return event;
}

/**
 * ring_buffer_reserve_nopreempt - ring_buffer_lock_reserve() without the lock
 * @buffer: the ring buffer
 * @length: bytes of data
 *
 * Context: any, with preemption off until ring_buffer_commit_nopreempt().
 * Return: as ring_buffer_lock_reserve().
 */
struct ring_buffer_event *
ring_buffer_reserve_nopreempt(struct trace_buffer *buffer, unsigned long length)
{
	return rb_write_reserve_any(buffer, length);
}

/**
 * ring_buffer_commit_nopreempt - make the event reserved last complete
 * @buffer: the ring buffer
 *
 * Context: any; that of the reservation.
 */
void ring_buffer_commit_nopreempt(struct trace_buffer *buffer)
{
	struct rb_writer *w = rb_this_writer(buffer);

	if (unlikely(!rb_write_commit_quick(w)))
		rb_short_leave(w);
}

/**
 * rb_short_leave - end what rb_short_enter() began, when that takes more
 * @w: this CPU's writer
 *
 * Either its bit is set: then what it has reserved by rb_short_reserve_any(), if anything, is
 * complete, as is what writers that came in between have left to it.  Or its event was
 * published, and another one stands behind that without a commit, or a reader waits.
 *
 * Context: as rb_short_enter().
 */
noinline __cold void rb_short_leave(struct rb_writer *w)
{
	struct rb_cpu *cb = rb_cpu_of(w);

	if (w->context)
		rb_write_commit_any(cb);
	else
		rb_write_commit_slow(cb, 1U << rb_write_context_level());
}

/*
 * A record was published, and there is more to do: another writer has left its commit to this
 * one, or a reader waits. Does that, and enables preemption, so that a tracer's callback can end
 * with a jump here.
 */
noinline __cold void rb_short_finish(struct rb_writer *w)
{
	rb_short_leave(w);
	preempt_enable_notrace();
}

/* The long way of ring_buffer_unlock_commit(). */
static noinline int rb_write_unlock_leave(struct rb_writer *w)
{
	rb_short_leave(w);
	preempt_enable_notrace();
	return 0;
}

/**
 * ring_buffer_lock_reserve - reserve space for an event on this CPU
 * @buffer: the ring buffer
 * @length: bytes of data
 *
 * Preemption is off afterwards, until the commit or the discard.
 *
 * Context: any.
 * Return: the event, its data being at ring_buffer_event_data(); NULL if
 * recording is off, there is no place, @length is too long, or the ring buffer
 * is entered again from the same context.  Preemption is as before then.
 */
struct ring_buffer_event *
ring_buffer_lock_reserve(struct trace_buffer *buffer, unsigned long length)
{
	struct ring_buffer_event *event;
	struct rb_writer *w;

	preempt_disable_notrace();
	w = rb_this_writer(buffer);
	if (unlikely(!rb_write_enter_quick(buffer, w, length)))
		return rb_write_lock_reserve_any(buffer, length);
	if (!rb_write_is_swapped(buffer, w) && likely(rb_write_reserve_quick(w, length, &event)))
		return event;
	return rb_write_lock_reserve_again(buffer, length, w);
}
EXPORT_SYMBOL_GPL(ring_buffer_lock_reserve);

/**
 * ring_buffer_unlock_commit - commit the event reserved last
 * @buffer: the ring buffer
 *
 * Context: any; that of the reservation.
 * Return: 0.
 */
int ring_buffer_unlock_commit(struct trace_buffer *buffer)
{
	struct rb_writer *w = rb_this_writer(buffer);

	if (unlikely(!rb_write_commit_quick(w)))
		return rb_write_unlock_leave(w);
	preempt_enable_notrace();
	return 0;
}
EXPORT_SYMBOL_GPL(ring_buffer_unlock_commit);

/**
 * ring_buffer_write - write a complete event
 * @buffer: the ring buffer
 * @length: bytes of data
 * @data: the data
 *
 * Context: any.
 * Return: 0, or -EBUSY where ring_buffer_lock_reserve() returns NULL.
 */
int ring_buffer_write(struct trace_buffer *buffer, unsigned long length, void *data)
{
	struct ring_buffer_event *event;

	event = ring_buffer_lock_reserve(buffer, length);
	if (!event)
		return -EBUSY;
	memcpy(ring_buffer_event_body(event), data, length);
	return ring_buffer_unlock_commit(buffer);
}
EXPORT_SYMBOL_GPL(ring_buffer_write);

/* The sub-buffer of an event that is not committed; NULL: @event is not such a one. */
static struct rb_sub *rb_write_find_sub(struct rb_cpu *cb, struct ring_buffer_event *event)
{
	unsigned long page = (unsigned long)event & ~(cb->size - 1UL);
	struct rb_sub *tail = cb->w.tail;
	struct rb_sub *sub = tail;

	if (likely((unsigned long)sub->page == page))
		return sub;
	for (sub = cb->w.commit_sub; sub != tail;) {
		unsigned int slot = rb_next_slot(cb, sub->slot);

		if ((unsigned long)sub->page == page)
			return sub;
		sub = rb_slot_sub(cb, atomic_long_read(&cb->slots[slot]));
	}
	return NULL;
}

/*
 * Take @event back if it is the last one.  A stamp record before it stays,
 * and the event's delta to it or to the event before gives the stamp that is
 * the last one then.  With absolute stamps each event has its record, which goes
 * too; what the stamp before was is not known then, nor needed.
 *
 * While it is going on, before_stamp differs from write_stamp, so writers
 * that interrupt use absolute stamps.
 */
static bool rb_write_take_back(struct rb_cpu *cb, struct rb_sub *sub,
			       struct ring_buffer_event *event)
{
	unsigned long start = sub->base + ((void *)event - (void *)sub->page);
	unsigned long end = start + rb_event_size(event);
	unsigned int depth = rb_depth(cb), level = rb_write_level_at(cb, depth);
	u64 stamp = cb->w.event_stamp[depth];
	u64 prev = rb_stamp_word(stamp - event->time_delta, level);
	bool known = READ_ONCE(cb->w.write_stamp) == rb_stamp_word(stamp, level), taken;

	if (READ_ONCE(cb->w.pos) != end)
		return false;
	if (cb->w.prefix_pos == start &&
	    (atomic_read(&cb->w.buffer->state) & RB_STATE_ABS)) {
		start -= RB_STAMP_LEN;
		known = false;
	}
	WRITE_ONCE(cb->w.before_stamp,
		   known ? prev : rb_stamp_mark(READ_ONCE(cb->w.write_stamp), RB_MARK_BEFORE));
	cb->w.prefix_pos = 0;
	taken = rb_move_pos(&cb->w, &end, start);
	if (taken && known)
		WRITE_ONCE(cb->w.write_stamp, prev);
	barrier();
	if (unlikely(READ_ONCE(cb->w.before_stamp) != READ_ONCE(cb->w.write_stamp)))
		rb_keep_stamp(cb);
	return taken;
}

/*
 * Have the place of @event, with stamp @stamp, skipped in reading.  Padding
 * with a delta of 0 would mean all up to the end, and 1 would shift the time of
 * what comes behind; so a stamp follows, where there is room for one.
 */
static void rb_write_pad_event(struct ring_buffer_event *event, u64 stamp)
{
	unsigned int size = rb_event_size(event);
	unsigned int delta = event->time_delta;

	if (size == RB_STAMP_LEN) {
		rb_set_header(event, RINGBUF_TYPE_TIME_EXTEND, delta);
		event->array[0] = 0;
		return;
	}
	if (!delta && size >= 2 * RB_STAMP_LEN) {
		struct ring_buffer_event *record;

		size -= RB_STAMP_LEN;
		record = (void *)event + size;
		rb_set_header(record, RINGBUF_TYPE_TIME_STAMP, stamp & RB_DELTA_MASK);
		record->array[0] = (stamp & RB_STAMP_MASK) >> RB_DELTA_BITS;
	}
	rb_set_header(event, RINGBUF_TYPE_PADDING, delta ?: 1);
	event->array[0] = size - RB_EVENT_HDR;
}

/**
 * ring_buffer_discard_commit - drop the event reserved last
 * @buffer: the ring buffer
 * @event: what the reservation returned
 *
 * Takes the place of ring_buffer_unlock_commit().  The event vanishes if
 * nothing was written behind it, else its place is skipped in reading.
 *
 * Context: any; that of the reservation.
 */
void ring_buffer_discard_commit(struct trace_buffer *buffer,
				struct ring_buffer_event *event)
{
	struct rb_cpu *cb = rb_cpu_of(rb_this_writer(buffer));
	struct rb_sub *sub = rb_write_find_sub(cb, event);

	if (!WARN_ON_ONCE(!sub)) {
		local_dec(&sub->entries);
		if (!rb_write_take_back(cb, sub, event))
			rb_write_pad_event(event, cb->w.event_stamp[rb_depth(cb)]);
	}
	ring_buffer_unlock_commit(buffer);
}
EXPORT_SYMBOL_GPL(ring_buffer_discard_commit);
