// SPDX-License-Identifier: GPL-2.0
/*
 * The consuming reader: it takes sub-buffers out of the ring and hands out their events
 * one by one.  Whole pages are in page.c, iterators, which leave everything in place, in
 * iterate.c.
 *
 * Functions with a struct rb_cpu are called inside of guard(rb_reading), unless they say
 * otherwise.
 */
#include <linux/gfp.h>
#include <linux/prefetch.h>
#include <linux/slab.h>

#include "buffer/internal.h"

/* How often an NMI tries to take the lock, while its owner may run on another CPU. */
#define RB_NMI_TRIES	1000

/**
 * rb_reader_lock_nmi - take a CPU's reader lock in an NMI, or in kdb
 * @cb: the buffer of the CPU
 *
 * A dump in an NMI or in kdb must come to an end, though the owner of the lock may be
 * the context that was interrupted, or may never run again.
 *
 * Context: NMI, or kdb with the other CPUs stopped.
 * Return: true if the lock is taken.  False if the caller reads without it; the CPU
 * records nothing from then on, so that at least no writer changes what is read. In kdb no
 * writer runs, and recording goes on when kdb is left.
 */
bool rb_reader_lock_nmi(struct rb_cpu *cb)
{
	unsigned int tries;

	for (tries = 0; tries < RB_NMI_TRIES; tries++) {
		if (raw_spin_trylock(&cb->reader_lock))
			return true;
		cpu_relax();
	}
	if (!in_dbg_master())
		atomic_inc(&cb->w.disabled);
	return false;
}

/*
 * Bytes of @sub that are committed.  @sub must not lie beyond commit_pos.  It does not
 * look at the memory of @sub, which a reader may give away now.  A caller without
 * rb_cpu::reader_lock gets a moment's view: a writer may open @sub anew.
 */
unsigned int rb_committed(struct rb_cpu *cb, struct rb_sub *sub)
{
	unsigned long pos = smp_load_acquire(&cb->w.commit_pos);	/* RC */
	unsigned long base = READ_ONCE(sub->base);

	if (rb_within(cb, pos, base))
		return pos - base - RB_HDR;
	return READ_ONCE(sub->end);
}

/*
 * From the sub-buffer that would come next (*@base, *@slot) go to the oldest
 * that is still there and has something committed.  False if there is none.
 */
bool rb_oldest_after(struct rb_cpu *cb, unsigned long *base, unsigned int *slot)
{
	for (;;) {
		unsigned long pos = smp_load_acquire(&cb->w.commit_pos);	/* RC */
		unsigned long word, ahead, skip = 1;

		if ((long)(pos - *base) <= (long)RB_HDR)
			return false;
		word = atomic_long_read(&cb->slots[*slot]);
		if (rb_slot_holds(cb, word, *base))
			return true;
		/*
		 * It was overwritten.  Only the last nr sub-buffers, that of commit_pos
		 * included, can still exist: skip to the first of them.
		 */
		ahead = (pos - *base - 1) >> cb->shift;
		if (ahead >= cb->nr)
			skip = ahead - cb->nr + 1;
		*base += skip << cb->shift;
		*slot = (*slot + skip) % cb->nr;
	}
}

/* Make @sub the reader's, which goes on @off bytes behind its beginning. */
void rb_reader_begin(struct rb_cpu *cb, struct rb_sub *sub, unsigned int off)
{
	WRITE_ONCE(cb->reader_begin, cb->read_bytes - off);
	cb->reader_end = cb->read_bytes;
	cb->reader_base = (unsigned long)sub->page->data - cb->reader_begin;
	smp_store_release(&cb->reader, sub);	/* RB, MF */
}

/*
 * Make the oldest unread sub-buffer the reader's, and leave the last one, now
 * the spare, in its slot; or stay, if there is more in it.  False if all is read.
 */
static bool rb_read_take_next(struct rb_cpu *cb)
{
	struct rb_sub *spare = cb->reader;
	unsigned long base = spare->base + cb->size;
	unsigned int slot = rb_next_slot(cb, spare->slot);
	unsigned long end;
	struct rb_sub *sub;
	long word;

	/* It is still being written, so it cannot be the spare. */
	if (rb_within(cb, smp_load_acquire(&cb->w.commit_pos), spare->base))	/* RC */
		return false;
	/* It was closed after the caller had looked, and has more in it than that saw. */
	if (rb_reader_off(cb) < READ_ONCE(spare->end))
		return true;
	/*
	 * Compute this before the cmpxchg (RT): after it a writer may reuse the spare and
	 * change spare->first.
	 */
	end = spare->first + rb_sub_entries(spare);
	do {
		if (!rb_oldest_after(cb, &base, &slot))
			return false;
		word = atomic_long_read(&cb->slots[slot]);
		sub = rb_slot_sub(cb, word);
	} while (!rb_slot_holds(cb, word, base) ||
		 !atomic_long_try_cmpxchg(&cb->slots[slot], &word, spare->id)); /* RT */

	cb->lost_events += sub->first - end;
	cb->lost_events += sub->dropped - cb->seen_dropped;
	cb->seen_dropped = sub->dropped;
	/* A resize does not renew rb_sub::slot of the sub-buffers that are complete. */
	if (READ_ONCE(sub->slot) != slot)
		sub->slot = slot;
	WRITE_ONCE(cb->map_flags, 0);
	rb_reader_begin(cb, sub, 0);
	cb->reader_first = cb->read_events;
	cb->reader_stamp = sub->page->time_stamp;
	/* The next sub-buffer of the ring is likely to be read next. */
	word = atomic_long_read(&cb->slots[rb_next_slot(cb, slot)]);
	prefetch(rb_slot_sub(cb, word)->page);
	return true;
}

/* rb_reader_has_data() when what was known to be committed is consumed. */
noinline bool rb_reader_looks_again(struct rb_cpu *cb)
{
	unsigned int committed;

	while (rb_reader_off(cb) >= (committed = rb_committed(cb, cb->reader))) {
		if (!rb_read_take_next(cb))
			return false;
	}
	cb->reader_end = cb->reader_begin + committed;
	return true;
}

/* rb_stamp_after() of a stamp record or padding. */
u64 rb_stamp_record(struct ring_buffer_event *event, u64 stamp)
{
	u64 value = event->time_delta;

	/* Padding has no more than the delta of an event. */
	if (event->type_len == RINGBUF_TYPE_PADDING)
		return stamp + value;
	value += (u64)event->array[0] << RB_DELTA_BITS;
	if (event->type_len == RINGBUF_TYPE_TIME_EXTEND)
		return stamp + value;
	/* The record has 59 bits; the others are those of the time before. */
	value |= stamp & ~RB_STAMP_MASK;
	if (value < stamp && stamp - value > RB_STAMP_MASK / 2)
		value += RB_STAMP_MASK + 1;
	return value;
}

/* Move the reader on by @bytes in its sub-buffer, beyond rb_cpu::reader_end perhaps. */
static void rb_read_advance_reader(struct rb_cpu *cb, unsigned int bytes)
{
	WRITE_ONCE(cb->read_bytes, cb->read_bytes + bytes);
	cb->reader_end = cb->read_bytes;
}

/* Consume events that fit in @len bytes, up to @committed.  Returns the bytes. */
unsigned int rb_consume(struct rb_cpu *cb, unsigned int committed, size_t len)
{
	unsigned int start = rb_reader_off(cb), off = start;
	unsigned long events = 0;
	u64 stamp = cb->reader_stamp;

	while (off < committed) {
		struct ring_buffer_event *event = (void *)cb->reader->page->data + off;
		unsigned int size = rb_event_size(event);

		if (off + size - start > len)
			break;
		stamp = rb_stamp_after(event, stamp);
		if (rb_is_data(event)) {
			events++;
			cb->last_stamp = stamp;
		}
		off += size;
	}
	cb->reader_stamp = stamp;
	WRITE_ONCE(cb->read_events, cb->read_events + events);
	rb_read_advance_reader(cb, off - start);
	return off - start;
}

/*
 * Consume what is left of a sub-buffer that is closed, without a look into it: the
 * time of its last event stays unknown.
 */
void rb_consume_closed(struct rb_cpu *cb, unsigned int committed)
{
	WRITE_ONCE(cb->read_events, cb->reader_first + rb_sub_entries(cb->reader));
	cb->last_stamp = 0;
	rb_read_advance_reader(cb, committed - rb_reader_off(cb));
}

/* Go behind the padding and stamp records that come next.  Returns an event; NULL: none. */
static noinline struct ring_buffer_event *rb_read_skip_records(struct rb_cpu *cb)
{
	struct ring_buffer_event *event;

	while (rb_reader_has_data(cb)) {
		event = rb_reader_event(cb);
		if (rb_is_data(event))
			return event;
		cb->reader_stamp = rb_stamp_after(event, cb->reader_stamp);
		WRITE_ONCE(cb->read_bytes, cb->read_bytes + rb_event_size(event));
	}
	return NULL;
}

/* Get the event that is consumed next, its header and its time.  False if there is none. */
static __always_inline bool rb_read_peek(struct rb_cpu *cb, struct ring_buffer_event **event,
					 u32 *header, u64 *ts)
{
	if (!rb_reader_has_data(cb))
		return false;
	*event = rb_reader_event(cb);
	*header = rb_header(*event);
	if (unlikely(rb_header_type(*header) > RINGBUF_TYPE_DATA_TYPE_LEN_MAX)) {
		*event = rb_read_skip_records(cb);
		if (!*event)
			return false;
		*header = rb_header(*event);
	}
	*ts = cb->reader_stamp + rb_header_delta(*header);
	return true;
}

/* Consume @event, which is the next one, has @header and was written at @stamp. */
static __always_inline void rb_read_consume_event(struct rb_cpu *cb,
						  struct ring_buffer_event *event,
						  u32 header, u64 stamp)
{
	unsigned long body = cb->read_bytes + RB_EVENT_HDR;
	unsigned int words = rb_header_type(header);

	/*
	 * The next call needs this sum first of all.  The compiler must not add the length,
	 * which is loaded last, to the constant before it adds that to read_bytes.
	 */
	OPTIMIZER_HIDE_VAR(body);
	WRITE_ONCE(cb->read_bytes, body + (words ? words * 4 : event->array[0]));
	cb->lost_events = 0;
	cb->last_stamp = stamp;
	cb->reader_stamp = stamp;
	WRITE_ONCE(cb->read_events, cb->read_events + 1);
}

/* ring_buffer_peek(), and with @consume ring_buffer_consume().  Takes reader_lock. */
static __always_inline struct ring_buffer_event *
rb_read_event(struct trace_buffer *buffer, int cpu, u64 *ts,
	      unsigned long *lost_events, bool consume)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);
	struct ring_buffer_event *event;
	u32 header;
	u64 stamp;

	if (!cb)
		return NULL;
	guard(rb_reading)(cb);
	if (!rb_read_peek(cb, &event, &header, &stamp)) {
		if (ts)
			*ts = 0;
		return NULL;
	}
	if (ts)
		*ts = stamp;
	if (lost_events)
		*lost_events = cb->lost_events;
	if (consume)
		rb_read_consume_event(cb, event, header, stamp);
	return event;
}

/**
 * ring_buffer_peek - look at the event that would be consumed next
 * @buffer: the ring buffer
 * @cpu: whose
 * @ts: set to its time, 0 if there is none, if not NULL
 * @lost_events: set to the number of events lost before it, if not NULL
 *
 * The event stays where it is until the next call that reads from @cpu. If somebody may
 * change the size of the sub-buffers, it stays as long as preemption is off, from before
 * this call; ring_buffer_peek_copy() is for those who cannot have that.
 *
 * Context: any; the caller keeps other consumers of @cpu out as long as it reads the event.
 * Return: the event, or NULL if there is none.
 */
struct ring_buffer_event *
ring_buffer_peek(struct trace_buffer *buffer, int cpu, u64 *ts,
		 unsigned long *lost_events)
{
	return rb_read_event(buffer, cpu, ts, lost_events, false);
}
EXPORT_SYMBOL_GPL(ring_buffer_peek);

/**
 * ring_buffer_consume - take the next event
 * @buffer: the ring buffer
 * @cpu: whose
 * @ts: set to its time, 0 if there is none, if not NULL
 * @lost_events: set to the number of events lost before it, if not NULL
 *
 * As ring_buffer_peek(), and the next call gives the next event.
 *
 * Context: any; as ring_buffer_peek().
 * Return: the event, or NULL if there is none.
 */
struct ring_buffer_event *
ring_buffer_consume(struct trace_buffer *buffer, int cpu, u64 *ts,
		    unsigned long *lost_events)
{
	return rb_read_event(buffer, cpu, ts, lost_events, true);
}
EXPORT_SYMBOL_GPL(ring_buffer_consume);

/**
 * ring_buffer_peek_copy - copy the event that would be consumed next
 * @buffer: the ring buffer
 * @cpu: whose
 * @data: where to; stays as it is if the event is longer than @size
 * @size: bytes there
 * @ts: set to its time
 * @lost_events: set to the number of events lost before it
 *
 * Unlike what ring_buffer_peek() returns, the copy survives a reset of @buffer,
 * a change of its sub-buffers and an exchange with another buffer.
 *
 * Context: any.
 * Return: bytes of data that the event has, 0 if there is none.
 */
unsigned int ring_buffer_peek_copy(struct trace_buffer *buffer, int cpu, void *data,
				   unsigned int size, u64 *ts, unsigned long *lost_events)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);
	struct ring_buffer_event *event;
	unsigned int length;
	u32 header;

	if (!cb)
		return 0;
	guard(rb_reading)(cb);
	if (!rb_read_peek(cb, &event, &header, ts))
		return 0;
	*lost_events = cb->lost_events;
	length = ring_buffer_event_length(event);
	if (length <= size)
		memcpy(data, ring_buffer_event_body(event), length);
	return length;
}

/**
 * ring_buffer_consume_at - take the next event if it is of a known time
 * @buffer: the ring buffer
 * @cpu: whose
 * @ts: what ring_buffer_peek() or ring_buffer_peek_copy() told
 *
 * Since then the event may have gone, and another one may be the next.
 *
 * Context: any.
 * Return: true if an event was taken.
 */
bool ring_buffer_consume_at(struct trace_buffer *buffer, int cpu, u64 ts)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);
	struct ring_buffer_event *event;
	u32 header;
	u64 stamp;

	if (!cb)
		return false;
	guard(rb_reading)(cb);
	if (!rb_read_peek(cb, &event, &header, &stamp) || stamp != ts)
		return false;
	rb_read_consume_event(cb, event, header, stamp);
	return true;
}

/**
 * ring_buffer_read_stamp - time of the event that was consumed last
 * @buffer: the ring buffer
 * @cpu: whose
 *
 * If ring_buffer_peek() tells of lost events, they lie between this time and
 * that of the event.
 *
 * Context: any.
 * Return: the time; 0 if none was consumed since the last reset, or it went
 * away in a page that nobody looked into.
 */
u64 ring_buffer_read_stamp(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);

	if (!cb)
		return 0;
	guard(rb_reading)(cb);
	return cb->last_stamp;
}

/*
 * Is all that is committed consumed?  A caller without rb_cpu::reader_lock has preemption
 * off, and gets a moment's view.
 */
bool rb_cpu_empty(struct rb_cpu *cb)
{
	struct rb_sub *reader = smp_load_acquire(&cb->reader);	/* RB */
	unsigned long pos;

	if (rb_reader_off(cb) < rb_committed(cb, reader))
		return false;
	pos = smp_load_acquire(&cb->w.commit_pos);	/* RC */
	return (long)(pos - READ_ONCE(reader->base) - READ_ONCE(cb->size)) <= (long)RB_HDR;
}

/**
 * ring_buffer_empty_cpu - is there nothing to consume from a CPU?
 * @buffer: the ring buffer
 * @cpu: which
 *
 * Context: any.
 * Return: true if there is nothing, or @cpu has no buffer.
 */
bool ring_buffer_empty_cpu(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);

	if (!cb)
		return true;
	guard(rb_reading)(cb);
	return rb_cpu_empty(cb);
}
EXPORT_SYMBOL_GPL(ring_buffer_empty_cpu);

/**
 * ring_buffer_empty - is there nothing to consume at all?
 * @buffer: the ring buffer
 *
 * Context: any; a moment's view of one CPU after the other.
 * Return: true if no CPU has anything.
 */
bool ring_buffer_empty(struct trace_buffer *buffer)
{
	int cpu;

	for_each_cpu(cpu, rb_object(buffer)->cpumask) {
		if (!ring_buffer_empty_cpu(buffer, cpu))
			return false;
	}
	return true;
}
EXPORT_SYMBOL_GPL(ring_buffer_empty);

/**
 * ring_buffer_event_length - how many bytes of data an event has
 * @event: the event, or the stamp record before it
 *
 * Context: any, where the event stays.
 * Return: the number of bytes.
 */
unsigned int ring_buffer_event_length(struct ring_buffer_event *event)
{
	if (event->type_len >= RINGBUF_TYPE_TIME_EXTEND)
		event = (void *)event + RB_STAMP_LEN;
	if (event->type_len)
		return rb_event_size(event) - RB_EVENT_HDR;
	return event->array[0] - sizeof(event->array[0]);
}
EXPORT_SYMBOL_GPL(ring_buffer_event_length);

/**
 * ring_buffer_event_data - the data of an event
 * @event: the event, or the stamp record before it
 *
 * Context: any, where the event stays.
 * Return: where its data begins.
 */
void *ring_buffer_event_data(struct ring_buffer_event *event)
{
	if (likely(event->type_len < RINGBUF_TYPE_TIME_EXTEND))
		return ring_buffer_event_body(event);
	return ring_buffer_event_body((void *)event + RB_STAMP_LEN);
}
EXPORT_SYMBOL_GPL(ring_buffer_event_data);
