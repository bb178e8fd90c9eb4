/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The writer's short way, for records of a fixed length: inlined into the
 * callback of the function tracer, where a call and the registers around it
 * would be a tenth of everything. It is the one thing above the ring buffer
 * that sees the inside of it; the rest is behind buffer.h.
 */
#ifndef _TRACE_BUFFER_WORDS_H
#define _TRACE_BUFFER_WORDS_H

#include <linux/sched/clock.h>

#include "buffer/buffer.h"
#include "buffer/format.h"
#include "buffer/writer.h"

/* Behind the header of an event, which is four bytes. */
struct rb_words {
	u64		head;
	unsigned long	a, b;
} __packed __aligned(4);

/* write.c */
int rb_write_words_slow(struct trace_buffer *buffer, u64 head,
			unsigned long a, unsigned long b, struct rb_writer *entered);
int rb_published_slow(struct rb_writer *w);

/* The clock of a buffer that was told of no other. With preemption off. */
static __always_inline u64 ring_buffer_fast_clock(void)
{
	return sched_clock_noinstr();
}

/**
 * ring_buffer_write_words - reserve, fill and commit an event of fixed length
 * @buffer: the ring buffer
 * @head: its first eight bytes
 * @a: the long behind them
 * @b: the last long
 * @ts: ring_buffer_fast_clock(), read with preemption off already
 *
 * This is rb_reserve() and rb_commit() for an outermost writer. Until it publishes,
 * it calls nothing, so nobody of its own context can come in, and one level
 * does for all: whoever interrupts it has another. The position and the stamps
 * are loaded after the clock was read; if somebody has written in between, and
 * not in the same nanosecond, the delta is negative, which is wide.
 *
 * The caller reads the clock since that is a call, around which everything
 * here would have to be kept. What only this CPU writes is loaded as it is:
 * the barriers say when.
 *
 * Context: any, with preemption off.
 * Return: 0; -EBUSY where ring_buffer_lock_reserve() returns NULL.
 */
static __always_inline int
ring_buffer_write_words(struct trace_buffer *buffer, u64 head,
			unsigned long a, unsigned long b, u64 ts)
{
	const unsigned int size = rb_size_of(sizeof(struct rb_words));
	struct rb_writer *w = rb_this_writer(buffer);
	struct ring_buffer_event *event;
	u64 delta, last, word;
	struct rb_sub *sub;
	unsigned long pos, off;

	/* data_race: atomic_read() would take an instruction more, and promise the same. */
	if (unlikely(atomic_read(&buffer->state) | data_race(w->disabled.counter) | w->context))
		return rb_write_words_slow(buffer, head, a, b, NULL);
	w->context = BIT(RB_LEVEL_TASK);
	barrier();
	pos = local_read(&w->pos);
	barrier();
	last = w->write_stamp;
	/*
	 * Who came in behind the context's store may have crossed, and left that to
	 * us; who came in before it may have swapped the buffers.
	 */
	if (unlikely(w->crossed || w->before_stamp != last))
		goto slow;
	delta = ts - rb_stamp_time(last);
	if (unlikely(delta > RB_DELTA_MASK))
		goto slow;
	sub = w->tail;
	off = pos - sub->base;
	if (unlikely((unsigned int)off + size > w->limit))
		goto slow;
	word = rb_stamp_word(ts, RB_LEVEL_TASK);
	WRITE_ONCE(w->before_stamp, word);
	if (unlikely(!local_try_cmpxchg(&w->pos, (long *)&pos, pos + size)))
		goto slow;
	WRITE_ONCE(w->write_stamp, word);
	local_inc(&sub->entries);
	event = (void *)sub->page + off;
	rb_set_event(event, size, delta);
	*(struct rb_words *)&event->array[RB_ALWAYS_LONG] = (struct rb_words) { head, a, b };

	pos += size;
	smp_store_release(&w->commit_pos, pos);	/* WC */
	WRITE_ONCE(w->context, 0);
	barrier();
	/* data_race: a byte is there or not. */
	if (unlikely(local_read(&w->pos) != pos || data_race(w->wake)))
		return rb_published_slow(w);
	return 0;
slow:
	return rb_write_words_slow(buffer, head, a, b, w);
}

#endif /* _TRACE_BUFFER_WORDS_H */
