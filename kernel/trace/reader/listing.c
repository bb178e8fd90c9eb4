// SPDX-License-Identifier: GPL-2.0
/*
 * All records of a buffer, left in place, as a seq_file for the files trace and snapshot.
 * output/ prints the lines.
 *
 * A listing ends with the records that were there when it began, no matter how many are written
 * meanwhile. A task that reads on at its end gets the records that have come since.
 */
#include <linux/fs.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "instance/buffers.h"
#include "instance/option.h"
#include "instance/tracer.h"
#include "reader/internal.h"

/* No position: the next read() begins with a search for its own one. */
#define LISTING_NOWHERE	(-1)

/* So many records are searched or printed between two looks at signals: some tens of lines. */
#define LISTING_UNWATCHED	64

/*
 * Is the reader being killed? A large buffer takes minutes to print or to search, and the
 * seq_file goes on as long as there are records. Then the listing ends here for this reader. A
 * reader that is killed still sees LISTING_UNWATCHED records, which is less than one read() of
 * the file copies.
 */
static bool listing_is_killed(struct trace_iterator *iter)
{
	if (likely(iter->pos % LISTING_UNWATCHED))
		return false;
	cond_resched();
	if (likely(!fatal_signal_pending(current)))
		return false;
	iter->pos = LISTING_NOWHERE;
	return true;
}

/* Bytes of text that are gathered before they are copied to user space. */
#define LISTING_CHUNK	SZ_32K

/*
 * Go to position @pos: 0 is the header, N the N-th record. Afterwards iter->pos is @pos,
 * and iter->ent the record there, NULL behind the last one.
 */
static void listing_seek(struct trace_reader *reader, loff_t pos)
{
	struct trace_iterator *iter = &reader->iter;

	trace_seq_init(&iter->seq);
	iter->idx = -1;
	cpumask_clear(iter->started);
	trace_reader_rewind(reader);
	for (iter->pos = 0; iter->pos < pos && trace_iter_next(iter); iter->pos++) {
		if (listing_is_killed(iter))
			return;
	}
	iter->pos = pos;
}

static void *listing_start(struct seq_file *m, loff_t *pos)
{
	struct trace_iterator *iter = m->private;
	struct trace_reader *reader = trace_reader_of(iter);

	trace_tracer_follow(iter);
	trace_types_read_lock();
	trace_reader_update(reader);
	if (!*pos || *pos != iter->pos) {
		listing_seek(reader, *pos);
	} else if (!iter->ent) {
		if (reader->ended)
			trace_reader_extend(reader);
		trace_iter_next(iter);
	}
	reader->ended = *pos && !iter->ent;
	return reader->ended ? NULL : iter;
}

static void *listing_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct trace_iterator *iter = v;

	iter->pos = ++*pos;
	if (listing_is_killed(iter))
		return NULL;
	return trace_iter_next(iter) ? iter : NULL;
}

static void listing_stop(struct seq_file *m, void *v)
{
	trace_types_read_unlock();
}

static void listing_show_top(struct seq_file *m, struct trace_iterator *iter)
{
	struct trace_reader *reader = trace_reader_of(iter);

	if (reader->print_empty && trace_iter_is_empty(iter))
		reader->print_empty(m, iter);
	else
		trace_print_header(m, iter);
}

static void listing_print_record(struct trace_iterator *iter)
{
	if (trace_print_record(iter) != TRACE_TYPE_PARTIAL_LINE)
		return;
	iter->seq.full = 0;
	trace_seq_puts(&iter->seq, "[LINE TOO BIG]\n");
}

/*
 * Print the header or the current record. A line for which @m has no room stays in
 * iter->seq, and the seq_file calls this again once it has more.
 */
static int listing_show(struct seq_file *m, void *v)
{
	struct trace_iterator *iter = v;

	if (iter->ent) {
		if (!trace_seq_used(&iter->seq))
			listing_print_record(iter);
		trace_print_seq(m, &iter->seq);
	} else {
		listing_show_top(m, iter);
	}
	return 0;
}

static const struct seq_operations listing_seq_ops = {
	.start	= listing_start,
	.next	= listing_next,
	.stop	= listing_stop,
	.show	= listing_show,
};

/* Let @reader iterate over the records in @from, for an open file. 0 or -ENOMEM. */
static int listing_setup(struct trace_reader *reader, struct array_buffer *from)
{
	struct trace_iterator *iter = &reader->iter;

	iter->array_buffer = from;
	iter->snapshot = from == &iter->tr->snapshot;
	if (trace_option(iter->tr, TRACE_OPT_LATENCY_FMT))
		iter->iter_flags |= TRACE_FILE_LAT_FMT;
	if (ring_buffer_overruns(from->buffer))
		iter->iter_flags |= TRACE_FILE_ANNOTATE;
	if (trace_reader_iterate(reader, GFP_KERNEL))
		return -ENOMEM;
	/* Iterators keep the sub-buffers from growing, so the room stays enough. */
	return trace_reader_reserve(reader);
}

/**
 * trace_listing_open - open a file over all records
 * @from: of which buffer of the instance
 * @cpu: of which CPU, or RING_BUFFER_ALL_CPUS
 * @file: is read as a seq_file afterwards; keeps a reference to the instance
 * @print_empty: prints instead of the header when there is no record, or NULL
 *
 * Context: open(), may sleep.
 * Return: 0, trace_listing_release() must follow; -ENOMEM.
 */
int trace_listing_open(struct array_buffer *from, int cpu, struct file *file,
		       void (*print_empty)(struct seq_file *m, struct trace_iterator *iter))
{
	struct trace_array *tr = from->tr;
	struct trace_reader *reader = trace_reader_alloc(tr, cpu);
	struct seq_file *m;
	int ret;

	if (!reader)
		return -ENOMEM;
	reader->print_empty = print_empty;
	ret = listing_setup(reader, from) ?: seq_open(file, &listing_seq_ops);
	if (ret) {
		trace_reader_free(reader);
		return ret;
	}
	trace_tracer_attach(&reader->iter, false);
	reader->attached = true;
	m = file->private_data;
	m->private = &reader->iter;
	/* A larger buffer than a seq_file's own, which it allocates if this fails. */
	m->buf = kvmalloc(LISTING_CHUNK, GFP_KERNEL_ACCOUNT);
	if (m->buf)
		m->size = LISTING_CHUNK;
	/* A snapshot does not change while tracing goes on. */
	if (!reader->iter.snapshot && trace_option(tr, TRACE_OPT_PAUSE_ON_TRACE)) {
		reader->paused = true;
		trace_array_stop(tr);
	}
	return 0;
}

/**
 * trace_listing_release - undo trace_listing_open()
 * @inode: of the file
 * @file: the file
 *
 * Context: release(), may sleep.
 */
void trace_listing_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;
	struct trace_reader *reader = trace_reader_of(m->private);
	struct trace_array *tr = reader->iter.tr;

	if (reader->paused)
		trace_array_start(tr);
	trace_tracer_detach(&reader->iter, false);
	trace_reader_free(reader);
	seq_release(inode, file);
	trace_second_buffer_reader_left(tr);
}
