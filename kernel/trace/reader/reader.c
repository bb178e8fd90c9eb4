// SPDX-License-Identifier: GPL-2.0
/*
 * Makes readers and frees them, with the memory that merging and printing need, and
 * chooses what they read: which CPUs of which instance, consuming or in place.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/ring_buffer.h>
#include <linux/slab.h>

#include "instance/buffers.h"
#include "instance/tracer.h"
#include "reader/internal.h"

/* The first room for formats that are changed for printing; iter->fmt grows. */
#define READER_FMT_ROOM	128

/**
 * trace_reader_update - follow the instance's clock, its tracer, and names of tasks
 * @reader: prints next
 *
 * A reader that is attached follows the tracer with trace_tracer_follow(). A dump cannot,
 * and takes the current tracer: interrupts are off until it has printed, and
 * trace_tracer_unregister() waits for that.
 *
 * Context: as trace_iter_next().
 */
void trace_reader_update(struct trace_reader *reader)
{
	struct trace_iterator *iter = &reader->iter;

	trace_print_state_renew(&reader->print);
	if (!reader->attached)
		iter->trace = (struct tracer *)READ_ONCE(iter->tr->current_trace);
	if (trace_clock_in_ns(iter->tr))
		iter->iter_flags |= TRACE_FILE_TIME_IN_NS;
	else
		iter->iter_flags &= ~TRACE_FILE_TIME_IN_NS;
}

/**
 * trace_reader_select - have a reader consume other CPUs, or another instance
 * @reader: has no iterators, and was made for all CPUs
 * @tr: the instance
 * @cpu: which CPU, or RING_BUFFER_ALL_CPUS
 *
 * Context: as trace_iter_next().
 */
void trace_reader_select(struct trace_reader *reader, struct trace_array *tr, int cpu)
{
	struct trace_iterator *iter = &reader->iter;
	int c;

	iter->tr = tr;
	iter->array_buffer = &tr->array_buffer;
	iter->cpu_file = cpu;
	iter->idx = -1;
	reader->taken = false;
	reader->nr = 0;
	for_each_possible_cpu(c) {
		if (cpu != RING_BUFFER_ALL_CPUS && cpu != c)
			continue;
		reader->sources[reader->nr].cpu = c;
		reader->sources[reader->nr].iter = NULL;
		reader->order[reader->nr] = reader->nr;
		reader->nr++;
	}
}

/**
 * trace_reader_reserve - have room for a copy of any record
 * @reader: has no current record, or one that was taken and will be handed out again
 *
 * No record is longer than the sub-buffers of the ring buffer are now.
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int trace_reader_reserve(struct trace_reader *reader)
{
	struct trace_iterator *iter = &reader->iter;
	unsigned int size;

	size = ring_buffer_subbuf_size_get(READ_ONCE(iter->array_buffer->buffer));
	if (iter->temp_size >= size || reader->taken)
		return 0;
	kvfree(iter->temp);
	iter->temp = kvmalloc(size, GFP_KERNEL);
	iter->temp_size = iter->temp ? size : 0;
	return iter->temp ? 0 : -ENOMEM;
}

/**
 * trace_reader_iterate - leave the records in place from now on
 * @reader: consumes so far; iter.array_buffer is what to iterate over
 * @gfp: for the iterators
 *
 * Until trace_reader_finish() the buffers of its CPUs keep their size. A CPU that
 * never was online has no buffer, and no records that could be missed.
 *
 * Context: task, may sleep if @gfp says so; kdb with all CPUs stopped.
 * Return: how many CPUs are left out for lack of memory.
 */
unsigned int trace_reader_iterate(struct trace_reader *reader, gfp_t gfp)
{
	const struct array_buffer *from = reader->iter.array_buffer;
	unsigned int i, started = 0, missed = 0;

	for (i = 0; i < reader->nr; i++) {
		struct trace_source source = reader->sources[i];

		source.time_start = READ_ONCE(from->cpu_start)[source.cpu];
		source.iter = ring_buffer_read_start(from->buffer, source.cpu, gfp);
		if (source.iter)
			reader->sources[started++] = source;
		else
			missed += cpu_online(source.cpu);
	}
	reader->nr = started;
	return missed;
}

/**
 * trace_reader_finish - undo trace_reader_iterate()
 * @reader: has no sources afterwards, see trace_reader_select()
 *
 * Context: task, or kdb as there.
 */
void trace_reader_finish(struct trace_reader *reader)
{
	while (reader->nr) {
		struct trace_source *source = &reader->sources[--reader->nr];

		if (source->iter)
			ring_buffer_read_finish(source->iter);
		source->iter = NULL;
	}
}

/**
 * trace_reader_alloc - make a reader of an instance that consumes its records
 * @tr: the instance; the caller has a reference as long as the reader lives
 * @cpu: which CPU, or RING_BUFFER_ALL_CPUS
 *
 * Context: task, may sleep.
 * Return: the reader, NULL without memory.
 */
struct trace_reader *trace_reader_alloc(struct trace_array *tr, int cpu)
{
	struct trace_reader *reader = kvzalloc(sizeof(*reader), GFP_KERNEL);
	struct trace_iterator *iter;
	unsigned int max;

	if (!reader)
		return NULL;
	iter = &reader->iter;
	iter->private = &reader->print;
	mutex_init(&iter->mutex);
	trace_seq_init(&iter->seq);
	trace_seq_init(&iter->tmp_seq);
	reader->print.next_ts = trace_reader_next_ts;
	reader->print.left_out = trace_reader_left_out;

	max = cpu == RING_BUFFER_ALL_CPUS ? num_possible_cpus() : 1;
	reader->sources = kvcalloc(max, sizeof(*reader->sources), GFP_KERNEL);
	reader->order = kvcalloc(max, sizeof(*reader->order), GFP_KERNEL);
	iter->fmt = kmalloc(READER_FMT_ROOM, GFP_KERNEL);
	iter->fmt_size = READER_FMT_ROOM;
	if (!reader->sources || !reader->order || !iter->fmt ||
	    !zalloc_cpumask_var(&iter->started, GFP_KERNEL))
		goto nomem;

	trace_reader_select(reader, tr, cpu);
	if (trace_reader_reserve(reader))
		goto nomem;
	trace_print_state_init(&reader->print);
	trace_reader_update(reader);
	return reader;
nomem:
	trace_reader_free(reader);
	return NULL;
}

/**
 * trace_reader_free - undo trace_reader_alloc()
 * @reader: the reader, with iterators or without
 *
 * Context: task, may sleep.
 */
void trace_reader_free(struct trace_reader *reader)
{
	trace_reader_finish(reader);
	trace_print_state_free(&reader->print);
	free_cpumask_var(reader->iter.started);
	mutex_destroy(&reader->iter.mutex);
	kfree(reader->iter.fmt);
	kvfree(reader->iter.temp);
	kvfree(reader->order);
	kvfree(reader->sources);
	kvfree(reader);
}
