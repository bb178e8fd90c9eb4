// SPDX-License-Identifier: GPL-2.0
/*
 * Iterators: read without consuming, while writers write and consumers
 * consume.  An iterator copies some events at once, and then looks whether the memory
 * still belongs to the sub-buffer it meant to read; if not, it goes on with the oldest
 * that is left and says so. It shows the events that it has copied, whatever has come of the
 * originals: it takes rb_cpu::reader_lock for a copy, and not for each event.
 *
 * An iteration ends where the buffer ended when it began: otherwise a reader whose own printing
 * is traced would never come to an end.
 */
#include <linux/slab.h>

#include "buffer/internal.h"

/* Bytes that are copied at once, unless one event is longer. */
#define ITER_COPY	1024U

/* No event is shorter, and these bytes tell the length of each. */
#define ITER_SHORTEST	(2 * sizeof(u32))

/**
 * struct ring_buffer_iter - where an iterator is
 * @cb: the CPU's buffer
 * @sub: sub-buffer's descriptor
 * @base: position of the sub-buffer; @sub may have gone on to another
 * @slot: its slot
 * @off: bytes of its data that are done
 * @stamp: time at @off
 * @epoch: of @cb when this began
 * @end: position of what is written behind the last event of the iteration
 * @have: @event is the next event
 * @next: number of the next event, as rb_sub::first counts
 * @dropped: rb_sub::dropped as far as it is told in @lost
 * @lost: events before the next one that the iterator will never see
 * @last_stamp: time of the event before; 0 if there was none
 * @event_ts: time of @event
 * @event_size: bytes of @event in the buffer
 * @event: the next event, in @copy
 * @copied_from: where in the sub-buffer's data @copy begins
 * @copied_to: where it ends; 0: nothing of this sub-buffer was copied
 * @size: bytes of memory for @copy
 * @copy: copy of a part of the sub-buffer's data
 */
struct ring_buffer_iter {
	struct rb_cpu			*cb;
	struct rb_sub			*sub;
	unsigned long			base;
	unsigned int			slot;
	unsigned int			off;
	u64				stamp;
	unsigned int			epoch;
	unsigned long			end;
	bool				have;
	unsigned long			next;
	unsigned long			dropped;
	unsigned long			lost;
	u64				last_stamp;
	u64				event_ts;
	unsigned int			event_size;
	struct ring_buffer_event	*event;
	unsigned int			copied_from;
	unsigned int			copied_to;
	unsigned int			size;
	void				*copy;
};

/* Does the memory still belong to the iterator's sub-buffer? */
static bool iterate_still_there(struct ring_buffer_iter *iter)
{
	struct rb_cpu *cb = iter->cb;
	unsigned long word;

	if (iter->sub == cb->reader)
		return iter->sub->base == iter->base;
	word = atomic_long_read(&cb->slots[iter->slot]);
	return (word & RB_SLOT_ID) == iter->sub->id && rb_slot_holds(cb, word, iter->base);
}

static void iterate_begin(struct ring_buffer_iter *iter)
{
	struct rb_cpu *cb = iter->cb;

	iter->sub = cb->reader;
	iter->base = cb->reader->base;
	iter->slot = cb->reader->slot;
	iter->off = rb_reader_off(cb);
	iter->copied_to = 0;
	iter->stamp = cb->reader_stamp;
	iter->epoch = cb->epoch;
	iter->have = false;
	iter->next = cb->reader->first + cb->read_events - cb->reader_first;
	iter->dropped = cb->seen_dropped;
	iter->lost = cb->lost_events;
	iter->last_stamp = cb->last_stamp;
}

/* Come to a sub-buffer that begins with event @first: the events in between are lost. */
static void iterate_arrive(struct ring_buffer_iter *iter, unsigned long first,
			   unsigned long dropped)
{
	iter->lost += first - iter->next + dropped - iter->dropped;
	iter->next = first;
	iter->dropped = dropped;
	iter->off = 0;
	iter->copied_to = 0;
}

/* Begin an iteration, not just go on at the oldest event. */
static void iterate_start(struct ring_buffer_iter *iter)
{
	iter->end = smp_load_acquire(&iter->cb->w.commit_pos);	/* RC */
	iterate_begin(iter);
}

/*
 * Go to the sub-buffer at @base, whose slot is @slot, or the oldest after it.
 * If there is none, stay.
 */
static bool iterate_go_on(struct ring_buffer_iter *iter, unsigned long base, unsigned int slot)
{
	struct rb_cpu *cb = iter->cb;
	long ahead = cb->reader->base - base;
	unsigned long word, first, dropped;
	struct rb_sub *sub;
	u64 stamp;

	if (ahead > 0) {
		/* Consumed in between. */
		iterate_begin(iter);
		return true;
	}
	if (!ahead) {
		iter->sub = cb->reader;
		iter->base = base;
		iter->slot = slot;
		iterate_arrive(iter, cb->reader->first, cb->reader->dropped);
		iter->stamp = cb->reader->page->time_stamp;
		return true;
	}
	do {
		if (!rb_oldest_after(cb, &base, &slot))
			return false;
		word = atomic_long_read(&cb->slots[slot]);
		sub = rb_slot_sub(cb, word);
		stamp = READ_ONCE(sub->page->time_stamp);
		first = READ_ONCE(sub->first);
		dropped = READ_ONCE(sub->dropped);
		smp_rmb();	/* IV */
	} while (!rb_slot_holds(cb, word, base) ||
		 word != atomic_long_read(&cb->slots[slot]));
	iter->sub = sub;
	iter->base = base;
	iter->slot = slot;
	iterate_arrive(iter, first, dropped);
	iter->stamp = stamp;
	return true;
}

/*
 * Copy events from iter->off on. The sub-buffer, if it is still there, is committed up to @len,
 * which is more. Return false if the length of the first event is impossible: it may be
 * anything once the memory has been taken for something else.
 */
static bool iterate_copy(struct ring_buffer_iter *iter, unsigned int len)
{
	const void *from = (const void *)iter->sub->page->data + iter->off;
	unsigned int left = len - iter->off, bytes = min(left, ITER_COPY), size;

	if (left < ITER_SHORTEST || left > iter->size)
		return false;
	/* data_race: a writer may overwrite it now; IV tells whether one did. */
	data_race(memcpy(iter->copy, from, bytes));
	size = rb_event_size(iter->copy);
	if (size < ITER_SHORTEST || size > left)
		return false;
	if (size > bytes) {
		/* data_race, as above */
		data_race(memcpy(iter->copy + bytes, from + bytes, size - bytes));
		bytes = size;
	}
	iter->copied_from = iter->off;
	iter->copied_to = iter->off + bytes;
	smp_rmb();	/* IV, with what the caller looks at next */
	return true;
}

/* Have iter->event be the next event, if it is whole in the copy. */
static bool iterate_find_copied(struct ring_buffer_iter *iter)
{
	while (iter->off + ITER_SHORTEST <= iter->copied_to) {
		struct ring_buffer_event *event = iter->copy + (iter->off - iter->copied_from);
		unsigned int size = rb_event_size(event);
		u64 stamp;

		if (size < ITER_SHORTEST || size > iter->copied_to - iter->off)
			return false;
		stamp = rb_stamp_after(event, iter->stamp);
		if (rb_is_data(event)) {
			iter->event = event;
			iter->event_size = size;
			iter->event_ts = stamp;
			iter->have = true;
			return true;
		}
		iter->stamp = stamp;
		iter->off += size;
	}
	return false;
}

/*
 * Has a consumer taken what the iterator would come to in the reader's sub-buffer?  Its
 * memory may have been given away with it.
 */
static bool iterate_is_consumed(struct ring_buffer_iter *iter)
{
	struct rb_cpu *cb = iter->cb;

	return iter->sub == cb->reader && iter->base == cb->reader->base &&
	       iter->off < rb_reader_off(cb);
}

/* Have iter->event be the next event, copied if need be. Return false if there is none. */
static bool iterate_fetch(struct ring_buffer_iter *iter)
{
	struct rb_cpu *cb = iter->cb;

	if (iter->epoch != cb->epoch)
		iterate_start(iter);
	while (!iter->have && !iterate_find_copied(iter)) {
		unsigned long pos = smp_load_acquire(&cb->w.commit_pos);	/* RC */
		unsigned long until = iter->end - iter->base - RB_HDR;
		bool open = rb_within(cb, pos, iter->base);
		unsigned int len;

		/* A consumed event is not lost. */
		if (iterate_is_consumed(iter)) {
			iterate_begin(iter);
			continue;
		}
		if ((long)(until - iter->off) <= 0)
			return false;
		len = open ? pos - iter->base - RB_HDR : rb_page_len(iter->sub->page);
		if (iter->off >= len && iterate_still_there(iter)) {
			if (open || !iterate_go_on(iter, iter->base + cb->size,
						   rb_next_slot(cb, iter->slot)))
				return false;
			continue;
		}
		len = min(len, until);
		if (!iterate_copy(iter, len) || !iterate_still_there(iter)) {
			/* A copy of what is gone holds no events. */
			iter->copied_to = 0;
			if (!iterate_go_on(iter, iter->base, iter->slot))
				return false;
		}
	}
	return true;
}

static bool iterate_next(struct ring_buffer_iter *iter)
{
	guard(rb_reading)(iter->cb);
	return iterate_fetch(iter);
}

/**
 * ring_buffer_read_start - begin to iterate over a CPU's events
 * @buffer: the ring buffer
 * @cpu: whose
 * @flags: for the allocation
 *
 * Until ring_buffer_read_finish() the size of this CPU's buffer cannot change.
 *
 * Context: task, or as @flags allow.
 * Return: the iterator, NULL if @cpu has no buffer, memory is short, or its size
 * is just changing and @flags do not allow to wait.
 */
struct ring_buffer_iter *
ring_buffer_read_start(struct trace_buffer *buffer, int cpu, gfp_t flags)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);
	struct ring_buffer_iter *iter;

	if (!cb)
		return NULL;
	iter = kzalloc(sizeof(*iter), flags);
	if (!iter)
		return NULL;
	/* First, as it keeps the size of the sub-buffers too. */
	while (!atomic_inc_unless_negative(&cb->resize_disabled)) {
		if (!gfpflags_allow_blocking(flags)) {
			kfree(iter);
			return NULL;
		}
		/* Until the change of sizes is done. */
		mutex_lock(&rb_object(buffer)->mutex);
		mutex_unlock(&rb_object(buffer)->mutex);
	}
	iter->size = READ_ONCE(cb->size);
	iter->copy = kmalloc(iter->size, flags);
	if (!iter->copy) {
		atomic_dec(&cb->resize_disabled);
		kfree(iter);
		return NULL;
	}
	iter->cb = cb;
	ring_buffer_iter_reset(iter);
	return iter;
}
EXPORT_SYMBOL_GPL(ring_buffer_read_start);

/**
 * ring_buffer_read_finish - end an iteration
 * @iter: the iterator, which is freed
 *
 * Context: task; nobody else uses @iter.
 */
void ring_buffer_read_finish(struct ring_buffer_iter *iter)
{
	atomic_dec(&iter->cb->resize_disabled);
	kfree(iter->copy);
	kfree(iter);
}
EXPORT_SYMBOL_GPL(ring_buffer_read_finish);

/**
 * ring_buffer_iter_peek - look at the iterator's next event
 * @iter: the iterator
 * @ts: set to its time, 0 at the end, if not NULL
 *
 * Context: any; @iter has one user at a time.
 * Return: the event, good until the iterator moves; NULL at the end.
 */
struct ring_buffer_event *
ring_buffer_iter_peek(struct ring_buffer_iter *iter, u64 *ts)
{
	if ((iter->epoch != READ_ONCE(iter->cb->epoch) ||
	     (!iter->have && !iterate_find_copied(iter))) && !iterate_next(iter)) {
		if (ts)
			*ts = 0;
		return NULL;
	}
	if (ts)
		*ts = iter->event_ts;
	return iter->event;
}
EXPORT_SYMBOL_GPL(ring_buffer_iter_peek);

/**
 * ring_buffer_iter_advance - go past what ring_buffer_iter_peek() returned
 * @iter: the iterator
 *
 * Context: any.
 */
void ring_buffer_iter_advance(struct ring_buffer_iter *iter)
{
	if (!iter->have && !ring_buffer_iter_peek(iter, NULL))
		return;
	iter->have = false;
	iter->lost = 0;
	iter->next++;
	iter->last_stamp = iter->event_ts;
	iter->stamp = iter->event_ts;
	iter->off += iter->event_size;
}
EXPORT_SYMBOL_GPL(ring_buffer_iter_advance);

/**
 * ring_buffer_iter_reset - begin again at the oldest event
 * @iter: the iterator
 *
 * Context: any.
 */
void ring_buffer_iter_reset(struct ring_buffer_iter *iter)
{
	guard(rb_reading)(iter->cb);
	iterate_start(iter);
}
EXPORT_SYMBOL_GPL(ring_buffer_iter_reset);

/**
 * ring_buffer_iter_extend - iterate over the events, too, that have come since
 * @iter: the iterator
 *
 * An iteration ends with what was written when it began.
 *
 * Context: any; @iter has one user at a time.
 */
void ring_buffer_iter_extend(struct ring_buffer_iter *iter)
{
	iter->end = smp_load_acquire(&iter->cb->w.commit_pos);	/* RC */
}

/**
 * ring_buffer_iter_empty - is an iterator at the end?
 * @iter: the iterator
 *
 * Context: as ring_buffer_iter_peek().
 * Return: 1 if it is, 0 if there is an event.
 */
int ring_buffer_iter_empty(struct ring_buffer_iter *iter)
{
	return !ring_buffer_iter_peek(iter, NULL);
}
EXPORT_SYMBOL_GPL(ring_buffer_iter_empty);

/**
 * ring_buffer_iter_dropped - were events lost before the next one?
 * @iter: the iterator
 *
 * Context: any, while nobody else uses @iter.
 * Return: true if some were, before the one that ring_buffer_iter_peek() has returned.
 */
bool ring_buffer_iter_dropped(struct ring_buffer_iter *iter)
{
	return iter->lost;
}
EXPORT_SYMBOL_GPL(ring_buffer_iter_dropped);

/**
 * ring_buffer_iter_lost - events lost before what ring_buffer_iter_peek() returned
 * @iter: the iterator
 * @since: set to the time of the event before them; 0 if there is none
 *
 * Context: any.
 * Return: how many.
 */
unsigned long ring_buffer_iter_lost(struct ring_buffer_iter *iter, u64 *since)
{
	*since = iter->last_stamp;
	return iter->lost;
}
