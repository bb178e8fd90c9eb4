// SPDX-License-Identifier: GPL-2.0
/*
 * trace_clock, timestamp_mode.
 */
#include <linux/fs.h>
#include <linux/string.h>

#include "instance/buffers.h"
#include "instance/component.h"
#include "instance/file.h"
#include "instance/internal.h"

static int trace_clock_show(struct seq_file *m, void *v)
{
	trace_clocks_show(m, trace_seq_file_tr(m));
	return 0;
}

static ssize_t trace_clock_write(struct file *file, const char __user *ubuf,
				 size_t count, loff_t *ppos)
{
	char name[64];
	ssize_t ret = trace_file_get_text(name, sizeof(name), ubuf, count);

	if (ret < 0)
		return ret;

	guard(trace_instances)();
	ret = trace_array_set_clock(trace_file_tr(file), strstrip(name));
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

DEFINE_TRACE_FILE_RW(trace_clock);

static int timestamp_mode_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = trace_seq_file_tr(m);

	if (ring_buffer_time_stamp_abs(tr->array_buffer.buffer))
		seq_puts(m, "delta [absolute]\n");
	else
		seq_puts(m, "[delta] absolute\n");
	return 0;
}

DEFINE_TRACE_FILE_RO(timestamp_mode);

static int clock_create_files(struct trace_array *tr, struct dentry *dir)
{
	return trace_create_file("trace_clock", 0640, tr, &trace_clock_fops) ?:
	       trace_create_file("timestamp_mode", 0440, tr, &timestamp_mode_fops);
}

struct trace_component trace_clock_component __ro_after_init = {
	.name		= "clock",
	.readme		=
		"\n"
		"Clock\n"
		"  trace_clock\t\t- clock of the time stamps; the one in [] is in use\n"
		"\t\t\t  local: nanoseconds of each CPU; CPUs may disagree\n"
		"\t\t\t  global: nanoseconds that never run back, on all CPUs; slower\n"
		"\t\t\t  counter: the order of records, no time\n"
		"\t\t\t  uptime: jiffies since boot\n"
		"\t\t\t  perf: what perf stamps its events with\n"
		"\t\t\t  mono mono_raw boot tai: as clock_gettime(2) has them\n"
#ifdef CONFIG_X86_TSC
		"\t\t\t  x86-tsc: cycles\n"
#endif
		"  timestamp_mode\t- how time stamps are stored\n",
	.create_files	= clock_create_files,
};
