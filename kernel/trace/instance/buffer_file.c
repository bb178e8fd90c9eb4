// SPDX-License-Identifier: GPL-2.0
/*
 * The files of a buffer's size: buffer_size_kb (and each CPU's), buffer_total_size_kb,
 * buffer_subbuf_size_kb, buffer_percent, free_buffer, last_boot_info.
 */
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/uaccess.h>

#include "instance/buffers.h"
#include "instance/component.h"
#include "instance/file.h"
#include "instance/internal.h"
#include "instance/option.h"

static unsigned long buffer_cpu_size_kb(struct trace_array *tr, int cpu)
{
	return ring_buffer_size(tr->array_buffer.buffer, cpu) >> 10;
}

/* The size that all CPUs with a buffer have; 0 if they differ. */
static unsigned long buffer_common_size_kb(struct trace_array *tr)
{
	unsigned long size = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!buffer_cpu_size_kb(tr, cpu))
			continue;
		if (size && size != buffer_cpu_size_kb(tr, cpu))
			return 0;
		size = buffer_cpu_size_kb(tr, cpu);
	}
	return size;
}

static void buffer_show_size(struct seq_file *m, struct trace_array *tr, unsigned long kb,
			     unsigned long expanded_kb)
{
	if (READ_ONCE(tr->expanded))
		seq_printf(m, "%lu\n", kb);
	else
		seq_printf(m, "%lu (expanded: %lu)\n", kb, expanded_kb);
}

static int buffer_size_kb_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = trace_seq_file_tr(m);
	int cpu = trace_seq_file_cpu(m);
	unsigned long kb;

	guard(trace_instances)();
	if (cpu != RING_BUFFER_ALL_CPUS) {
		seq_printf(m, "%lu\n", buffer_cpu_size_kb(tr, cpu));
		return 0;
	}
	kb = buffer_common_size_kb(tr);
	if (kb)
		buffer_show_size(m, tr, kb, trace_buffer_full_size() >> 10);
	else
		seq_puts(m, "X\n");
	return 0;
}

/* See trace_buffers_lock(): the lock of instances is given back meanwhile. */
static int buffer_size_kb_set(struct file *file, unsigned long kb)
{
	int ret;

	if (!kb || kb > ULONG_MAX >> 10)
		return -EINVAL;
	trace_instances_unlock();
	ret = trace_array_resize(trace_file_tr(file), kb << 10, trace_inode_cpu(file_inode(file)));
	trace_instances_lock();
	return ret;
}

DEFINE_TRACE_FILE_NUMBER(buffer_size_kb);

static int buffer_total_size_kb_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = trace_seq_file_tr(m);
	unsigned long kb = 0, expanded_kb = 0;
	int cpu;

	guard(trace_instances)();
	for_each_possible_cpu(cpu) {
		kb += buffer_cpu_size_kb(tr, cpu);
		expanded_kb += trace_buffer_full_size() >> 10;
	}
	buffer_show_size(m, tr, kb, expanded_kb);
	return 0;
}

DEFINE_TRACE_FILE_RO(buffer_total_size_kb);

/* Sub-buffers have 1 to 128 pages, a power of two. */
#define SUBBUF_ORDER_MAX	7

static int buffer_subbuf_size_kb_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = trace_seq_file_tr(m);
	int order;

	guard(trace_instances)();
	order = ring_buffer_subbuf_order_get(tr->array_buffer.buffer);
	seq_printf(m, "%lu\n", (PAGE_SIZE << order) >> 10);
	return 0;
}

static int buffer_subbuf_size_kb_set(struct file *file, unsigned long kb)
{
	struct trace_array *tr = trace_file_tr(file);
	int order, ret;

	if (!kb || kb > (PAGE_SIZE << SUBBUF_ORDER_MAX) >> 10)
		return -EINVAL;
	order = get_order(kb << 10);
	if (order == ring_buffer_subbuf_order_get(tr->array_buffer.buffer))
		return 0;
	trace_array_stop(tr);
	/* As in buffer_size_kb_set(). */
	trace_instances_unlock();
	ret = trace_array_set_order(tr, order);
	trace_instances_lock();
	trace_array_start(tr);
	return ret;
}

DEFINE_TRACE_FILE_NUMBER(buffer_subbuf_size_kb);

static int buffer_percent_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%u\n", READ_ONCE(trace_seq_file_tr(m)->buffer_percent));
	return 0;
}

static int buffer_percent_set(struct file *file, unsigned long percent)
{
	if (percent > 100)
		return -EINVAL;
	WRITE_ONCE(trace_file_tr(file)->buffer_percent, percent);
	return 0;
}

DEFINE_TRACE_FILE_NUMBER(buffer_percent);

/* Closing free_buffer frees the buffer. */
static int buffer_free_release(struct inode *inode, struct file *file)
{
	struct trace_array *tr = inode->i_private;

	if (trace_option(tr, TRACE_OPT_STOP_ON_FREE))
		trace_array_off(tr);
	trace_array_shrink(tr);
	trace_array_put(tr);
	return 0;
}

static const struct file_operations free_buffer_fops = {
	.open		= trace_array_generic_open,
	.write		= trace_file_write_nothing,
	.release	= buffer_free_release,
};

static int buffer_last_boot_info_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = trace_seq_file_tr(m);
	unsigned int kept = 0, dropped = 0;

	ring_buffer_persist_stats(tr->array_buffer.buffer, &kept, &dropped);
	seq_printf(m, "text delta:\t%ld\n", READ_ONCE(tr->text_delta));
	seq_printf(m, "data delta:\t%ld\n", READ_ONCE(tr->data_delta));
	seq_printf(m, "sub-buffers kept:\t%u\n", kept);
	seq_printf(m, "sub-buffers dropped:\t%u\n", dropped);
	return 0;
}

DEFINE_TRACE_FILE_RO(buffer_last_boot_info);

static int buffer_create_files(struct trace_array *tr, struct dentry *dir)
{
	int cpu, ret;

	ret = trace_create_file("buffer_size_kb", 0640, tr, &buffer_size_kb_fops);
	ret = ret ?: trace_create_file("buffer_total_size_kb", 0440, tr,
				       &buffer_total_size_kb_fops);
	ret = ret ?: trace_create_file("buffer_subbuf_size_kb", 0640, tr,
				       &buffer_subbuf_size_kb_fops);
	ret = ret ?: trace_create_file("buffer_percent", 0640, tr, &buffer_percent_fops);
	ret = ret ?: trace_create_file("free_buffer", 0200, tr, &free_buffer_fops);
	/* Only a buffer that is kept over a reboot holds something of the last boot. */
	if (tr->memory)
		ret = ret ?: trace_create_file("last_boot_info", 0440, tr,
					       &buffer_last_boot_info_fops);
	if (ret)
		return ret;
	for_each_possible_cpu(cpu) {
		if (!trace_create_cpu_file("buffer_size_kb", 0640, tr, cpu, &buffer_size_kb_fops))
			return -ENOMEM;
	}
	return 0;
}

struct trace_component trace_buffer_files_component __ro_after_init = {
	.name		= "buffer files",
	.readme		=
		"\n"
		"Buffer\n"
		"  buffer_size_kb\t- size of each CPU's buffer; also in per_cpu/cpuN\n"
		"  buffer_total_size_kb\t- size of all together\n"
		"  buffer_subbuf_size_kb - size of the pieces that a buffer is made of\n"
		"  buffer_percent - how full a CPU's buffer is when a reader of pages is woken\n"
		"  free_buffer\t\t- the buffer shrinks when this file is closed\n"
		"  last_boot_info\t- of an instance whose buffer is kept over a reboot\n"
		"\t\t\t  (trace_instance=NAME@MEMORY): what the last boot left in it\n",
	.create_files	= buffer_create_files,
};
