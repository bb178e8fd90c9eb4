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

/* See trace_buffers_lock(): the lock of instances is given back meanwhile. */
static int trace_clock_set(struct trace_array *tr, char *text)
{
	int ret;

	trace_instances_unlock();
	ret = trace_array_set_clock(tr, strstrip(text));
	trace_instances_lock();
	return ret;
}

DEFINE_TRACE_FILE_TEXT(trace_clock);

static int clock_timestamp_mode_show(struct seq_file *m, void *v)
{
	bool absolute = ring_buffer_time_stamp_abs(trace_seq_file_tr(m)->array_buffer.buffer);

	seq_puts(m, absolute ? "delta [absolute]\n" : "[delta] absolute\n");
	return 0;
}

DEFINE_TRACE_FILE_RO(clock_timestamp_mode);

static int clock_create_files(struct trace_array *tr, struct dentry *dir)
{
	return trace_create_file("trace_clock", 0640, tr, &trace_clock_fops) ?:
	       trace_create_file("timestamp_mode", 0440, tr, &clock_timestamp_mode_fops);
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
