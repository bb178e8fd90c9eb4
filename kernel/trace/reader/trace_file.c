// SPDX-License-Identifier: GPL-2.0
/*
 * The files trace and per_cpu/cpuN/trace: all records, left in place; opening
 * one with O_TRUNC clears it. What a line looks like is output/'s matter.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "reader/internal.h"

/* Text gathered before it is copied to user space. */
#define CHUNK	SZ_32K

/*
 * A position counts records, 0 is the header. The reader stands at
 * iter->pos; iter->ent is NULL if there was no record.
 */
static void *trace_start(struct seq_file *m, loff_t *pos)
{
	struct trace_iterator *iter = m->private;
	struct trace_reader *reader = trace_reader_of(iter);
	loff_t at;

	trace_output_read_lock();
	trace_reader_update(reader);

	if (!*pos || *pos != iter->pos) {
		trace_seq_init(&iter->seq);
		iter->leftover = 0;
		iter->idx = -1;
		cpumask_clear(iter->started);
		trace_reader_rewind(reader);
		for (at = 0; at < *pos; at++) {
			if (!trace_iter_next(iter))
				break;
		}
		iter->pos = *pos;
	} else if (!iter->ent) {
		trace_iter_next(iter);
	}
	return *pos && !iter->ent ? NULL : iter;
}

static void *trace_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct trace_iterator *iter = v;

	iter->pos = ++*pos;
	return trace_iter_next(iter) ? iter : NULL;
}

static void trace_stop(struct seq_file *m, void *v)
{
	trace_output_read_unlock();
}

static int trace_show(struct seq_file *m, void *v)
{
	struct trace_iterator *iter = v;

	if (!iter->ent) {
		if (iter->snapshot && ring_buffer_empty(iter->array_buffer->buffer))
			trace_snapshot_print_help(m, iter);
		else
			trace_print_header(m, iter);
		return 0;
	}
	/* A line that did not fit into @m waits in the sequence. */
	if (!iter->leftover &&
	    trace_print_record(iter) == TRACE_TYPE_PARTIAL_LINE) {
		iter->seq.full = 0;
		trace_seq_puts(&iter->seq, "[LINE TOO BIG]\n");
	}
	iter->leftover = trace_print_seq(m, &iter->seq);
	return 0;
}

static const struct seq_operations trace_seq_ops = {
	.start	= trace_start,
	.next	= trace_next,
	.stop	= trace_stop,
	.show	= trace_show,
};

static int start_iterators(struct trace_reader *reader)
{
	struct trace_buffer *buffer = reader->iter.array_buffer->buffer;
	unsigned int i, started = 0;
	struct trace_source source;

	for (i = 0; i < reader->nr; i++) {
		source = reader->sources[i];
		source.iter = ring_buffer_read_start(buffer, source.cpu, GFP_KERNEL);
		/* A CPU that never was online has no buffer. */
		if (source.iter)
			reader->sources[started++] = source;
		else if (cpu_online(source.cpu))
			goto nomem;
	}
	reader->nr = started;
	return 0;
nomem:
	reader->nr = started;
	return -ENOMEM;
}

int trace_file_open_for_read(struct trace_array *tr, int cpu, struct file *file, bool snapshot)
{
	struct trace_reader *reader = trace_reader_alloc(tr, cpu);
	struct seq_file *m;
	int ret;

	if (!reader)
		return -ENOMEM;
	reader->iter.snapshot = snapshot;
	if (snapshot)
		reader->iter.array_buffer = &tr->snapshot;
	reader->time_start = reader->iter.array_buffer->time_start;
	if (trace_option(tr, TRACE_OPT_LATENCY_FMT))
		reader->iter.iter_flags |= TRACE_FILE_LAT_FMT;
	if (ring_buffer_overruns(reader->iter.array_buffer->buffer))
		reader->iter.iter_flags |= TRACE_FILE_ANNOTATE;
	ret = start_iterators(reader);
	if (!ret)
		ret = seq_open(file, &trace_seq_ops);
	if (ret) {
		trace_reader_free(reader);
		return ret;
	}
	m = file->private_data;
	m->private = &reader->iter;
	/* Larger than seq_file's own; without memory it takes its own. */
	m->buf = kvmalloc(CHUNK, GFP_KERNEL_ACCOUNT);
	if (m->buf)
		m->size = CHUNK;
	/* A snapshot does not change while tracing goes on. */
	if (!snapshot && trace_option(tr, TRACE_OPT_PAUSE_ON_TRACE)) {
		reader->paused = true;
		trace_array_stop(tr);
	}
	return 0;
}

static int trace_open(struct inode *inode, struct file *file)
{
	struct trace_array *tr = inode->i_private;
	int cpu = trace_inode_cpu(inode);
	int ret = trace_array_open(tr);

	if (ret)
		return ret;
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		if (cpu == RING_BUFFER_ALL_CPUS)
			trace_array_reset(tr);
		else
			trace_array_reset_cpu(tr, cpu);
	}
	if (file->f_mode & FMODE_READ)
		ret = trace_file_open_for_read(tr, cpu, file, false);
	if (ret)
		trace_array_put(tr);
	return ret;
}

void trace_file_release_read(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;
	struct trace_reader *reader = trace_reader_of(m->private);
	struct trace_array *tr = reader->iter.tr;

	if (reader->paused)
		trace_array_start(tr);
	trace_reader_free(reader);
	seq_release(inode, file);
	trace_snapshot_reader_left(tr);
}

static int trace_release(struct inode *inode, struct file *file)
{
	if (file->f_mode & FMODE_READ)
		trace_file_release_read(inode, file);
	trace_array_put(inode->i_private);
	return 0;
}

/* Only opening with O_TRUNC has an effect; what is written does not matter. */
static ssize_t trace_write(struct file *file, const char __user *ubuf, size_t count,
			   loff_t *ppos)
{
	return count;
}

loff_t trace_file_lseek(struct file *file, loff_t offset, int whence)
{
	if (file->f_mode & FMODE_READ)
		return seq_lseek(file, offset, whence);
	file->f_pos = 0;
	return 0;
}

const struct file_operations trace_fops = {
	.open		= trace_open,
	.read_iter	= seq_read_iter,
	.splice_read	= copy_splice_read,
	.write		= trace_write,
	.llseek		= trace_file_lseek,
	.release	= trace_release,
};
