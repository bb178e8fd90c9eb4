// SPDX-License-Identifier: GPL-2.0
/*
 * The reader's part of an instance: its files, and per_cpu/cpuN/stats, which
 * shows the counters of a CPU's buffer.
 */
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/time64.h>
#include <linux/tracefs.h>

#include "reader/internal.h"

#define MODE_READ	0440
#define MODE_WRITE	0640

static void put_ts(struct trace_seq *s, struct trace_array *tr, const char *what, u64 ts)
{
	u64 us, secs;
	u32 rest;

	if (!trace_clock_in_ns(tr)) {
		trace_seq_printf(s, "%s ts: %llu\n", what, ts);
		return;
	}
	us = div_u64(ts + NSEC_PER_USEC / 2, NSEC_PER_USEC);
	secs = div_u64_rem(us, USEC_PER_SEC, &rest);
	trace_seq_printf(s, "%s ts: %5llu.%06u\n", what, secs, rest);
}

static ssize_t stats_read(struct file *file, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct trace_array *tr = file->private_data;
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	int cpu = trace_inode_cpu(file_inode(file));
	struct trace_seq *s;
	ssize_t ret;

	s = kmalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return -ENOMEM;
	trace_seq_init(s);
	trace_seq_printf(s, "entries: %lu\n", ring_buffer_entries_cpu(buffer, cpu));
	trace_seq_printf(s, "overrun: %lu\n", ring_buffer_overrun_cpu(buffer, cpu));
	trace_seq_printf(s, "commit overrun: %lu\n",
			 ring_buffer_commit_overrun_cpu(buffer, cpu));
	trace_seq_printf(s, "bytes: %lu\n", ring_buffer_bytes_cpu(buffer, cpu));
	put_ts(s, tr, "oldest event", ring_buffer_oldest_event_ts(buffer, cpu));
	put_ts(s, tr, "now", ring_buffer_time_stamp(buffer));
	trace_seq_printf(s, "dropped events: %lu\n",
			 ring_buffer_dropped_events_cpu(buffer, cpu));
	trace_seq_printf(s, "read events: %lu\n", ring_buffer_read_events_cpu(buffer, cpu));
	trace_seq_printf(s, "lost events: %lu\n",
			 ring_buffer_overrun_cpu(buffer, cpu) +
			 ring_buffer_commit_overrun_cpu(buffer, cpu) +
			 ring_buffer_dropped_events_cpu(buffer, cpu));

	ret = simple_read_from_buffer(ubuf, count, ppos, s->buffer, trace_seq_used(s));
	kfree(s);
	return ret;
}

static const struct file_operations stats_fops = {
	.open		= trace_array_generic_open,
	.read		= stats_read,
	.llseek		= generic_file_llseek,
	.release	= trace_array_generic_release,
};

void trace_reader_lock(struct trace_array *tr, int cpu)
{
	struct trace_reader_instance *ri = trace_reader_instance(tr);

	if (cpu == RING_BUFFER_ALL_CPUS) {
		down_write(&ri->all_lock);
	} else {
		down_read(&ri->all_lock);
		mutex_lock(&ri->cpu_locks[cpu]);
	}
}

void trace_reader_unlock(struct trace_array *tr, int cpu)
{
	struct trace_reader_instance *ri = trace_reader_instance(tr);

	if (cpu == RING_BUFFER_ALL_CPUS) {
		up_write(&ri->all_lock);
	} else {
		mutex_unlock(&ri->cpu_locks[cpu]);
		up_read(&ri->all_lock);
	}
}

static void reader_free(struct trace_reader_instance *ri)
{
	free_cpumask_var(ri->pipe_cpus);
	kfree(ri->cpu_locks);
	kfree(ri);
}

static int reader_create(struct trace_array *tr)
{
	struct trace_reader_instance *ri = kzalloc(sizeof(*ri), GFP_KERNEL);
	int cpu;

	if (!ri)
		return -ENOMEM;
	ri->tr = tr;
	init_rwsem(&ri->all_lock);
	ri->cpu_locks = kcalloc(nr_cpu_ids, sizeof(*ri->cpu_locks), GFP_KERNEL);
	if (!ri->cpu_locks || !zalloc_cpumask_var(&ri->pipe_cpus, GFP_KERNEL)) {
		reader_free(ri);
		return -ENOMEM;
	}
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		mutex_init(&ri->cpu_locks[cpu]);
	trace_component_set_data(tr, &trace_reader_component, ri);
	trace_dump_add(ri);
	return 0;
}

static void reader_destroy(struct trace_array *tr)
{
	struct trace_reader_instance *ri = trace_reader_instance(tr);

	trace_dump_remove(ri);
	trace_component_set_data(tr, &trace_reader_component, NULL);
	reader_free(ri);
}

static int create_cpu_files(struct trace_array *tr, int cpu)
{
	if (!trace_create_cpu_file("trace", MODE_WRITE, tr, cpu, &trace_fops) ||
	    !trace_create_cpu_file("trace_pipe", MODE_READ, tr, cpu, &trace_pipe_fops) ||
	    !trace_create_cpu_file("trace_pipe_raw", MODE_READ, tr, cpu, &trace_raw_fops) ||
	    !trace_create_cpu_file("stats", MODE_READ, tr, cpu, &stats_fops))
		return -ENOMEM;
	return 0;
}

static int reader_create_files(struct trace_array *tr, struct dentry *dir)
{
	int cpu, ret;

	if (IS_ERR_OR_NULL(tracefs_create_file("trace", MODE_WRITE, dir, tr, &trace_fops)) ||
	    IS_ERR_OR_NULL(tracefs_create_file("trace_pipe", MODE_READ, dir, tr,
					       &trace_pipe_fops)))
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		ret = create_cpu_files(tr, cpu);
		if (ret)
			return ret;
	}
	return trace_snapshot_create_files(tr, dir);
}

struct trace_component trace_reader_component __ro_after_init = {
	.name		= "reader",
	.create		= reader_create,
	.create_files	= reader_create_files,
	.destroy	= reader_destroy,
};

int __init trace_reader_init(void)
{
	return trace_dump_init();
}
