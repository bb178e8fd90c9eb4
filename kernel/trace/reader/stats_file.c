// SPDX-License-Identifier: GPL-2.0
/*
 * The files per_cpu/cpuN/stats: the counters of a CPU's buffer, and, if that is kept
 * over a reboot, per_cpu/cpuN/buffer_meta: how its part of the memory is used.
 */
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/time64.h>

#include "instance/buffers.h"
#include "instance/file.h"
#include "reader/internal.h"

static void stats_put_time(struct seq_file *m, struct trace_array *tr, const char *what,
			   u64 ts)
{
	u64 us, secs;
	u32 rest;

	if (!trace_clock_in_ns(tr)) {
		seq_printf(m, "%s ts: %llu\n", what, ts);
		return;
	}
	us = div_u64(ts + NSEC_PER_USEC / 2, NSEC_PER_USEC);
	secs = div_u64_rem(us, USEC_PER_SEC, &rest);
	seq_printf(m, "%s ts: %5llu.%06u\n", what, secs, rest);
}

static int trace_stats_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = trace_seq_file_tr(m);
	struct trace_buffer *buffer = READ_ONCE(tr->array_buffer.buffer);
	int cpu = trace_seq_file_cpu(m);
	unsigned long overrun = ring_buffer_overrun_cpu(buffer, cpu);
	unsigned long commit_overrun = ring_buffer_commit_overrun_cpu(buffer, cpu);
	unsigned long dropped = ring_buffer_dropped_events_cpu(buffer, cpu);

	seq_printf(m, "entries: %lu\n", ring_buffer_entries_cpu(buffer, cpu));
	seq_printf(m, "overrun: %lu\n", overrun);
	seq_printf(m, "commit overrun: %lu\n", commit_overrun);
	seq_printf(m, "bytes: %lu\n", ring_buffer_bytes_cpu(buffer, cpu));
	stats_put_time(m, tr, "oldest event", ring_buffer_oldest_event_ts(buffer, cpu));
	stats_put_time(m, tr, "now", ring_buffer_time_stamp(buffer));
	seq_printf(m, "dropped events: %lu\n", dropped);
	seq_printf(m, "read events: %lu\n", ring_buffer_read_events_cpu(buffer, cpu));
	seq_printf(m, "lost events: %lu\n", overrun + commit_overrun + dropped);
	return 0;
}

static int trace_stats_meta_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = trace_seq_file_tr(m);
	struct ring_buffer_places *places;
	unsigned int i;

	places = ring_buffer_persist_places(tr->array_buffer.buffer, trace_seq_file_cpu(m));
	if (!places)
		return -ENOMEM;
	seq_printf(m, "head_buffer:   %u\n", places->head);
	seq_printf(m, "commit_buffer: %u\n", places->commit);
	seq_printf(m, "subbuf_size:   %u\n", places->size);
	seq_printf(m, "nr_subbufs:    %u\n", places->nr);
	for (i = 0; i < places->nr; i++)
		seq_printf(m, "buffer[%u]:    %u\n", i, places->ids[i]);
	kvfree(places);
	return 0;
}

static int trace_stats_open(struct inode *inode, struct file *file)
{
	return trace_file_open(inode, file, trace_stats_show);
}

static int trace_stats_meta_open(struct inode *inode, struct file *file)
{
	return trace_file_open(inode, file, trace_stats_meta_show);
}

const struct file_operations trace_stats_fops = {
	.open		= trace_stats_open,
	.read		= seq_read,
	.llseek		= trace_file_llseek,
	.release	= trace_file_release,
};

const struct file_operations trace_meta_fops = {
	.open		= trace_stats_meta_open,
	.read		= seq_read,
	.llseek		= trace_file_llseek,
	.release	= trace_file_release,
};
