// SPDX-License-Identifier: GPL-2.0
/*
 * The files trace and per_cpu/cpuN/trace: all records, left in place; opening
 * one with O_TRUNC clears it.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>

#include "instance/buffers.h"
#include "instance/file.h"
#include "instance/snapshot.h"
#include "reader/internal.h"

/* The buffer that the file shows: the maximum's, if the tracer keeps one. */
static struct array_buffer *trace_records_of(struct trace_array *tr)
{
	return trace_snapshot_has_max(tr) ? &tr->snapshot : &tr->array_buffer;
}

static int trace_records_truncate(struct trace_array *tr, int cpu)
{
	trace_snapshot_clear_max(tr, cpu);
	if (cpu != RING_BUFFER_ALL_CPUS)
		return trace_array_reset_cpu(tr, cpu);
	return trace_array_empty(tr);
	return 0;
}

static int trace_records_open(struct inode *inode, struct file *file)
{
	struct trace_array *tr = inode->i_private;
	int cpu = trace_inode_cpu(inode), ret;

	ret = trace_array_open(tr);
	if (ret)
		return ret;
	if (trace_file_truncates(file))
		ret = trace_records_truncate(tr, cpu);
	if (!ret && file->f_mode & FMODE_READ)
		ret = trace_listing_open(trace_records_of(tr), cpu, file, NULL);
	if (ret)
		trace_array_put(tr);
	return ret;
}

static int trace_records_release(struct inode *inode, struct file *file)
{
	if (file->f_mode & FMODE_READ)
		trace_listing_release(inode, file);
	trace_array_put(inode->i_private);
	return 0;
}

const struct file_operations trace_fops = {
	.open		= trace_records_open,
	.read_iter	= seq_read_iter,
	.splice_read	= copy_splice_read,
	.write		= trace_file_write_nothing,
	.llseek		= trace_file_llseek,
	.release	= trace_records_release,
};
