// SPDX-License-Identifier: GPL-2.0
/*
 * Merges the records of several CPUs by time. Each CPU's next record sits in
 * a heap, so that a record costs the logarithm of the CPUs that have any.
 * It neither prints nor knows files.
 *
 * A source with an iterator leaves its records in place, and the iterator
 * keeps a copy of the current one. The records of a source without an iterator are
 * consumed. There the current one is copied into iter->temp, since a reset, a snapshot
 * or a change of the sub-buffers may free it whenever the ring buffer's reader_lock is
 * not held.
 */
#include <linux/ring_buffer.h>
#include <linux/slab.h>

#include "reader/internal.h"

/*
 * CPUs without a record are asked again before each record, a few at a time:
 * on large machines most of them stay idle.
 */
#define READER_IDLE_POLLS	4

static struct trace_source *merge_heap_source(struct trace_reader *reader, unsigned int i)
{
	return &reader->sources[reader->order[i]];
}

/* Of records of the same time that of the lower CPU is first, each time it is read. */
static bool merge_source_is_earlier(const struct trace_source *a, const struct trace_source *b)
{
	return a->ts != b->ts ? a->ts < b->ts : a->cpu < b->cpu;
}

static void merge_heap_sift_down(struct trace_reader *reader, unsigned int i)
{
	unsigned int child;

	for (; (child = 2 * i + 1) < reader->nr_live; i = child) {
		if (child + 1 < reader->nr_live &&
		    merge_source_is_earlier(merge_heap_source(reader, child + 1),
					    merge_heap_source(reader, child)))
			child++;
		if (!merge_source_is_earlier(merge_heap_source(reader, child),
					     merge_heap_source(reader, i)))
			return;
		swap(reader->order[i], reader->order[child]);
	}
}

static void merge_heap_sift_up(struct trace_reader *reader, unsigned int i)
{
	unsigned int parent;

	for (; i; i = parent) {
		parent = (i - 1) / 2;
		if (!merge_source_is_earlier(merge_heap_source(reader, i),
					     merge_heap_source(reader, parent)))
			return;
		swap(reader->order[i], reader->order[parent]);
	}
}

/* Look at the next record of a CPU. False: there is none. */
static bool merge_source_load(struct trace_reader *reader, struct trace_source *source)
{
	if (source->iter) {
		source->event = ring_buffer_iter_peek(source->iter, &source->ts);
		source->lost = ring_buffer_iter_lost(source->iter, &source->lost_since);
	} else {
		source->event = ring_buffer_peek(reader->consumed, source->cpu, &source->ts,
						 &source->lost);
		if (source->event && source->lost)
			source->lost_since = ring_buffer_read_stamp(reader->consumed,
								    source->cpu);
	}
	return source->event;
}

/* Load the next record of the heap's source at @i, and put the source in its place. */
static void merge_heap_reload(struct trace_reader *reader, unsigned int i)
{
	if (!merge_source_load(reader, merge_heap_source(reader, i))) {
		reader->nr_live--;
		swap(reader->order[i], reader->order[reader->nr_live]);
		if (i >= reader->nr_live)
			return;
		/* The source that was moved here from the end may be earlier than its parent. */
		merge_heap_sift_up(reader, i);
	}
	merge_heap_sift_down(reader, i);
}

static void merge_heap_poll_idle(struct trace_reader *reader, unsigned int polls)
{
	unsigned int i;

	while (polls-- && reader->nr_live < reader->nr) {
		i = reader->next_idle++;
		if (i < reader->nr_live || i >= reader->nr) {
			i = reader->nr_live;
			reader->next_idle = i + 1;
		}
		if (merge_source_load(reader, merge_heap_source(reader, i))) {
			swap(reader->order[i], reader->order[reader->nr_live]);
			merge_heap_sift_up(reader, reader->nr_live++);
		}
	}
}

/* Make the heap's first source that of the record that comes next. */
static void merge_heap_settle(struct trace_reader *reader)
{
	if (reader->handed_out) {
		reader->handed_out = false;
		/* If records are consumed, trace_iter_consume() has moved on, or nothing has. */
		if (merge_heap_source(reader, 0)->iter)
			ring_buffer_iter_advance(merge_heap_source(reader, 0)->iter);
		merge_heap_reload(reader, 0);
	}
	merge_heap_poll_idle(reader, reader->nr_live ? READER_IDLE_POLLS : reader->nr);
}

/*
 * Copy the next record of @source, which has no iterator. -ESTALE: it is not the one of
 * the heap any more; -ENOSPC: it needs more room, see trace_reader_reserve().
 */
static int merge_source_copy(struct trace_reader *reader, struct trace_source *source)
{
	struct trace_iterator *iter = &reader->iter;
	unsigned int length;
	u64 ts;

	length = ring_buffer_peek_copy(reader->consumed, source->cpu, iter->temp,
				       iter->temp_size, &ts, &source->lost);
	if (!length || ts != source->ts)
		return -ESTALE;
	/* The sub-buffers have grown since trace_reader_reserve(). */
	if (length > iter->temp_size)
		return -ENOSPC;
	iter->ent = iter->temp;
	iter->ent_size = length;
	return 0;
}

/* Have the iterator show the record of @source; -ESTALE: it is not there any more. */
static int merge_source_show(struct trace_reader *reader, struct trace_source *source)
{
	struct trace_iterator *iter = &reader->iter;

	/* A dump has switched tracing off and prints the record in place: it has no room. */
	if (!source->iter && !reader->print.dump)
		return merge_source_copy(reader, source);
	iter->ent = ring_buffer_event_body(source->event);
	iter->ent_size = ring_buffer_event_length(source->event);
	return 0;
}

static bool reader_merge_consumes(const struct trace_reader *reader)
{
	return reader->nr && !reader->sources[0].iter;
}

/* The record that trace_iter_peek() has taken out of its buffer is the current one again. */
static void reader_merge_hand_out_taken(struct trace_reader *reader)
{
	struct trace_iterator *iter = &reader->iter;

	iter->ent = iter->temp;
	iter->cpu = reader->kept.cpu;
	iter->ts = reader->kept.ts;
	iter->lost_events = reader->kept.lost;
	reader->print.lost_since = reader->kept.lost_since;
}

/**
 * trace_iter_next - go to the next record in the order of time
 * @iter: an iterator that reader/ made, such as a tracer's print callbacks get
 *
 * Fills in @iter's ent, ent_size, cpu, ts and lost_events. A reader that consumes
 * gets the same record again until it calls trace_iter_consume().
 *
 * Context: the owner of @iter; ftrace_dump() calls this in any context.
 * Return: false at the end; a later call looks again.
 */
bool trace_iter_next(struct trace_iterator *iter)
{
	struct trace_reader *reader = trace_reader_of(iter);
	const struct trace_source *first;
	int ret;

	reader->skipped = false;
	if (unlikely(reader->taken)) {
		reader_merge_hand_out_taken(reader);
		return true;
	}
	/* After an exchange by a snapshot, the heap is about the other buffer. */
	if (reader_merge_consumes(reader) &&
	    reader->consumed != READ_ONCE(iter->array_buffer->buffer))
		trace_reader_rewind(reader);
	for (;;) {
		merge_heap_settle(reader);
		ret = reader->nr_live ? merge_source_show(reader, merge_heap_source(reader,
										    0)) : -ENODATA;
		if (ret != -ESTALE)
			break;
		merge_heap_reload(reader, 0);
	}
	if (ret) {
		iter->ent = NULL;
		iter->lost_events = 0;
		return false;
	}
	reader->current_source = reader->order[0];
	first = merge_heap_source(reader, 0);
	iter->cpu = first->cpu;
	iter->ts = first->ts;
	iter->lost_events = first->lost;
	reader->print.lost_since = first->lost_since;
	iter->idx++;
	reader->handed_out = true;
	return true;
}

/**
 * trace_iter_consume - take the current record out of the buffer
 * @iter: as for trace_iter_next(), of a reader that consumes
 *
 * Nothing is taken if the record has gone in the meantime. A record that was skipped
 * goes, too.
 *
 * Context: as trace_iter_next().
 */
void trace_iter_consume(struct trace_iterator *iter)
{
	struct trace_reader *reader = trace_reader_of(iter);

	if (!reader->taken)
		ring_buffer_consume_at(reader->consumed, iter->cpu, iter->ts);
	else if (reader->skipped)
		ring_buffer_consume_at(reader->consumed, iter->cpu, reader->ahead_ts);
	reader->taken = false;
}

/* Have the current record in iter->temp. False: there is no room. */
static bool reader_merge_copy_current(struct trace_iterator *iter)
{
	if (iter->ent == iter->temp)
		return true;
	if (iter->ent_size > iter->temp_size)
		return false;
	iter->ent = memcpy(iter->temp, iter->ent, iter->ent_size);
	return true;
}

/* trace_iter_peek() of a reader that leaves records in place. */
static const struct trace_entry *reader_merge_peek_place(struct trace_reader *reader,
							 unsigned int *size)
{
	const struct trace_source *source = &reader->sources[reader->current_source];

	/* The iterator has one record at a time, and goes on to the next one. */
	merge_heap_settle(reader);
	if (!source->event || source->lost)
		return NULL;
	*size = ring_buffer_event_length(source->event);
	return ring_buffer_event_body(source->event);
}

/*
 * trace_iter_peek() of a reader that consumes: the ring buffer shows the first record of a
 * CPU only, so the current one is taken out of it.
 */
static const struct trace_entry *reader_merge_peek_taking(struct trace_reader *reader,
							  unsigned int *size)
{
	struct trace_iterator *iter = &reader->iter;
	unsigned long lost;

	if (!reader->taken) {
		ring_buffer_consume_at(reader->consumed, iter->cpu, iter->ts);
		reader->kept = (struct trace_source) {
			.cpu		= iter->cpu,
			.ts		= iter->ts,
			.lost		= iter->lost_events,
			.lost_since	= reader->print.lost_since,
		};
		reader->taken = true;
	}
	*size = ring_buffer_peek_copy(reader->consumed, iter->cpu, reader->ahead,
				      sizeof(reader->ahead), &reader->ahead_ts, &lost);
	return *size && *size <= sizeof(reader->ahead) && !lost ? (void *)reader->ahead : NULL;
}

/**
 * trace_iter_peek - look at the record that follows the current one on its CPU
 * @iter: as for trace_iter_next(), with a current record
 * @size: set to the bytes that the record has
 *
 * @iter->ent may move to a copy.
 *
 * Context: as trace_iter_next().
 * Return: the record, until the next call for @iter; NULL: there is none, records between
 * the two were lost, or it cannot be seen.
 */
const struct trace_entry *trace_iter_peek(struct trace_iterator *iter, unsigned int *size)
{
	struct trace_reader *reader = trace_reader_of(iter);

	if (!reader_merge_copy_current(iter))
		return NULL;
	return reader_merge_consumes(reader) ? reader_merge_peek_taking(reader, size) :
					 reader_merge_peek_place(reader, size);
}

/**
 * trace_iter_skip - the record that trace_iter_peek() has shown is printed with the current one
 * @iter: as for trace_iter_peek(), which was called and is not called again for the
 *	current record
 *
 * Context: as trace_iter_next().
 */
void trace_iter_skip(struct trace_iterator *iter)
{
	struct trace_reader *reader = trace_reader_of(iter);
	unsigned int i = 0;

	if (reader_merge_consumes(reader)) {
		reader->skipped = true;
		return;
	}
	/* Its time is mostly next, so it is one of the first of the heap. */
	while (reader->order[i] != reader->current_source)
		i++;
	ring_buffer_iter_advance(merge_heap_source(reader, i)->iter);
	merge_heap_reload(reader, i);
}

/**
 * trace_reader_next_ts - tell when the record after the current one was written
 * @iter: of a reader
 *
 * For the latency format, see struct trace_print_state. @iter->ent may move to
 * a copy. A reader that consumes cannot look behind its record.
 *
 * Context: as trace_iter_next().
 * Return: the time; that of the current record if there is no other.
 */
u64 trace_reader_next_ts(struct trace_iterator *iter)
{
	struct trace_reader *reader = trace_reader_of(iter);

	if (reader->handed_out) {
		if (reader_merge_consumes(reader) || !reader_merge_copy_current(iter))
			return iter->ts;
		merge_heap_settle(reader);
	}
	return reader->nr_live ? merge_heap_source(reader, 0)->ts : iter->ts;
}

/* Records from before the trace of this CPU began are not part of it. */
static void merge_source_skip_old(struct trace_source *source)
{
	u64 ts;

	ring_buffer_iter_reset(source->iter);
	source->left_out = 0;
	while (ring_buffer_iter_peek(source->iter, &ts) && ts < source->time_start) {
		ring_buffer_iter_advance(source->iter);
		source->left_out++;
	}
}

/**
 * trace_reader_left_out - tell how many records of a CPU are older than the trace
 * @iter: of a reader
 * @cpu: the CPU
 *
 * Context: as trace_iter_next().
 * Return: how many trace_reader_rewind() has left out; 0 for a CPU that the reader does not
 * read.
 */
unsigned long trace_reader_left_out(struct trace_iterator *iter, int cpu)
{
	const struct trace_reader *reader = trace_reader_of(iter);
	unsigned int i;

	for (i = 0; i < reader->nr; i++) {
		if (reader->sources[i].cpu == cpu)
			return reader->sources[i].left_out;
	}
	return 0;
}

/**
 * trace_reader_extend - go on to the records that have come since the rewind
 * @reader: is at the end, with records left in place
 *
 * Context: as trace_iter_next().
 */
void trace_reader_extend(struct trace_reader *reader)
{
	unsigned int i;

	for (i = 0; i < reader->nr; i++) {
		if (reader->sources[i].iter)
			ring_buffer_iter_extend(reader->sources[i].iter);
	}
}

/**
 * trace_reader_rewind - go back to the first record
 * @reader: stands before its oldest record then, or the first that is not consumed
 *
 * Context: as trace_iter_next().
 */
void trace_reader_rewind(struct trace_reader *reader)
{
	unsigned int i;

	for (i = 0; i < reader->nr; i++) {
		if (reader->sources[i].iter)
			merge_source_skip_old(&reader->sources[i]);
	}
	reader->consumed = READ_ONCE(reader->iter.array_buffer->buffer);
	reader->nr_live = 0;
	reader->next_idle = 0;
	reader->handed_out = false;
	reader->iter.ent = NULL;
	reader->iter.lost_events = 0;
	merge_heap_poll_idle(reader, reader->nr);
}
