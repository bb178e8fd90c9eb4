// SPDX-License-Identifier: GPL-2.0
/*
 * Merges the records of several CPUs by time. Each CPU's next record sits in
 * a heap, so that a record costs the logarithm of the CPUs that have any.
 * It neither prints nor knows files.
 */
#include <linux/cpumask.h>
#include <linux/ring_buffer.h>
#include <linux/slab.h>

#include "reader/internal.h"

/*
 * CPUs without a record are asked again before each record, a few at a time:
 * on large machines most of them stay idle.
 */
#define IDLE_POLLS	4

/* Formats that are changed for printing start with room for this. */
#define FMT_ROOM	128

static struct trace_source *source_at(struct trace_reader *reader, unsigned int i)
{
	return &reader->sources[reader->order[i]];
}

/* Equal times: the lower CPU first, so that output repeats. */
static bool earlier(const struct trace_source *a, const struct trace_source *b)
{
	return a->ts != b->ts ? a->ts < b->ts : a->cpu < b->cpu;
}

static void sift_down(struct trace_reader *reader, unsigned int i)
{
	unsigned int child;

	for (; (child = 2 * i + 1) < reader->nr_live; i = child) {
		if (child + 1 < reader->nr_live &&
		    earlier(source_at(reader, child + 1), source_at(reader, child)))
			child++;
		if (!earlier(source_at(reader, child), source_at(reader, i)))
			return;
		swap(reader->order[i], reader->order[child]);
	}
}

static void sift_up(struct trace_reader *reader, unsigned int i)
{
	unsigned int parent;

	for (; i; i = parent) {
		parent = (i - 1) / 2;
		if (!earlier(source_at(reader, i), source_at(reader, parent)))
			return;
		swap(reader->order[i], reader->order[parent]);
	}
}

/* Look at the next record of a CPU. False: there is none. */
static bool source_load(struct trace_reader *reader, struct trace_source *source)
{
	if (source->iter) {
		source->event = ring_buffer_iter_peek(source->iter, &source->ts);
		source->lost = ring_buffer_iter_lost(source->iter, &source->lost_since);
	} else {
		struct trace_buffer *buffer = reader->iter.array_buffer->buffer;

		source->event = ring_buffer_peek(buffer, source->cpu, &source->ts,
						 &source->lost);
		if (source->event && source->lost)
			source->lost_since = ring_buffer_read_stamp(buffer, source->cpu);
	}
	return source->event;
}

/* The heap's first has changed. */
static void reload_first(struct trace_reader *reader)
{
	if (!source_load(reader, source_at(reader, 0))) {
		reader->nr_live--;
		swap(reader->order[0], reader->order[reader->nr_live]);
	}
	sift_down(reader, 0);
}

static void poll_idle(struct trace_reader *reader, unsigned int polls)
{
	unsigned int i;

	while (polls-- && reader->nr_live < reader->nr) {
		i = reader->next_idle++;
		if (i < reader->nr_live || i >= reader->nr) {
			i = reader->nr_live;
			reader->next_idle = i + 1;
		}
		if (source_load(reader, source_at(reader, i))) {
			swap(reader->order[i], reader->order[reader->nr_live]);
			sift_up(reader, reader->nr_live++);
		}
	}
}

static void settle(struct trace_reader *reader)
{
	if (reader->handed_out) {
		reader->handed_out = false;
		/* A consuming reader has moved on, or wants the same again. */
		if (source_at(reader, 0)->iter)
			ring_buffer_iter_advance(source_at(reader, 0)->iter);
		reload_first(reader);
	}
	poll_idle(reader, reader->nr_live ? IDLE_POLLS : reader->nr);
}

bool trace_iter_next(struct trace_iterator *iter)
{
	struct trace_reader *reader = trace_reader_of(iter);
	const struct trace_source *first;

	settle(reader);
	if (!reader->nr_live) {
		iter->ent = NULL;
		iter->lost_events = 0;
		return false;
	}
	first = source_at(reader, 0);
	iter->ent = ring_buffer_event_body(first->event);
	iter->ent_size = ring_buffer_event_length(first->event);
	iter->cpu = first->cpu;
	iter->ts = first->ts;
	iter->lost_events = first->lost;
	reader->print.lost_since = first->lost_since;
	iter->idx++;
	reader->handed_out = true;
	return true;
}

void trace_iter_consume(struct trace_iterator *iter)
{
	unsigned long lost;
	u64 ts;

	ring_buffer_consume(iter->array_buffer->buffer, iter->cpu, &ts, &lost);
}

/* Keep the current record while its CPU's iterator moves on. */
static bool keep_current(struct trace_iterator *iter)
{
	void *temp;

	if (iter->temp_size < iter->ent_size) {
		temp = krealloc(iter->temp, iter->ent_size, GFP_KERNEL);
		if (!temp)
			return false;
		iter->temp = temp;
		iter->temp_size = iter->ent_size;
	}
	iter->ent = memcpy(iter->temp, iter->ent, iter->ent_size);
	return true;
}

/* For the latency format; see struct trace_print_state. */
static u64 next_ts(struct trace_iterator *iter)
{
	struct trace_reader *reader = trace_reader_of(iter);

	if (reader->handed_out) {
		/* One that consumes cannot look behind its record. */
		if (!source_at(reader, 0)->iter || !keep_current(iter))
			return iter->ts;
		settle(reader);
	}
	return reader->nr_live ? source_at(reader, 0)->ts : iter->ts;
}

/* Records from before the instance was reset are not part of the trace. */
static void skip_old(struct trace_reader *reader, struct ring_buffer_iter *iter)
{
	u64 ts;

	ring_buffer_iter_reset(iter);
	while (ring_buffer_iter_peek(iter, &ts) && ts < reader->time_start)
		ring_buffer_iter_advance(iter);
}

void trace_reader_rewind(struct trace_reader *reader)
{
	unsigned int i;

	for (i = 0; i < reader->nr; i++) {
		if (reader->sources[i].iter)
			skip_old(reader, reader->sources[i].iter);
	}
	reader->nr_live = 0;
	reader->next_idle = 0;
	reader->handed_out = false;
	reader->iter.ent = NULL;
	reader->iter.lost_events = 0;
	poll_idle(reader, reader->nr);
}

void trace_reader_update(struct trace_reader *reader)
{
	struct trace_iterator *iter = &reader->iter;

	/* Tracers are never freed; an old one prints its records all the same. */
	iter->trace = (struct tracer *)READ_ONCE(iter->tr->current_trace);
	if (trace_clock_in_ns(iter->tr))
		iter->iter_flags |= TRACE_FILE_TIME_IN_NS;
	else
		iter->iter_flags &= ~TRACE_FILE_TIME_IN_NS;
}

void trace_reader_select(struct trace_reader *reader, struct trace_array *tr, int cpu)
{
	struct trace_iterator *iter = &reader->iter;
	int c;

	iter->tr = tr;
	iter->array_buffer = &tr->array_buffer;
	iter->cpu_file = cpu;
	reader->nr = 0;
	for_each_possible_cpu(c) {
		if (cpu != RING_BUFFER_ALL_CPUS && cpu != c)
			continue;
		reader->sources[reader->nr].cpu = c;
		reader->order[reader->nr] = reader->nr;
		reader->nr++;
	}
}

struct trace_reader *trace_reader_alloc(struct trace_array *tr, int cpu)
{
	struct trace_reader *reader = kvzalloc(sizeof(*reader), GFP_KERNEL);
	struct trace_iterator *iter;
	unsigned int max;

	if (!reader)
		return NULL;
	iter = &reader->iter;
	iter->private = &reader->print;
	iter->idx = -1;
	mutex_init(&iter->mutex);
	trace_seq_init(&iter->seq);
	trace_seq_init(&iter->tmp_seq);
	reader->print.next_ts = next_ts;

	max = cpu == RING_BUFFER_ALL_CPUS ? num_possible_cpus() : 1;
	reader->sources = kvcalloc(max, sizeof(*reader->sources), GFP_KERNEL);
	reader->order = kvcalloc(max, sizeof(*reader->order), GFP_KERNEL);
	iter->fmt = kmalloc(FMT_ROOM, GFP_KERNEL);
	iter->fmt_size = FMT_ROOM;
	if (!reader->sources || !reader->order || !iter->fmt ||
	    !zalloc_cpumask_var(&iter->started, GFP_KERNEL)) {
		trace_reader_free(reader);
		return NULL;
	}

	trace_reader_select(reader, tr, cpu);
	trace_print_state_init(&reader->print);
	trace_reader_update(reader);
	return reader;
}

void trace_reader_free(struct trace_reader *reader)
{
	unsigned int i;

	for (i = 0; i < reader->nr; i++) {
		if (reader->sources[i].iter)
			ring_buffer_read_finish(reader->sources[i].iter);
	}
	trace_print_state_free(&reader->print);
	free_cpumask_var(reader->iter.started);
	mutex_destroy(&reader->iter.mutex);
	kfree(reader->iter.fmt);
	kfree(reader->iter.temp);
	kvfree(reader->order);
	kvfree(reader->sources);
	kvfree(reader);
}
