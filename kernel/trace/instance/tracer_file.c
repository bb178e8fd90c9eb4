// SPDX-License-Identifier: GPL-2.0
/*
 * available_tracers, current_tracer, tracing_thresh.
 */
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/uaccess.h>

#include "instance/internal.h"

static int available_tracers_show(struct seq_file *m, void *v)
{
	guard(trace_instances)();
	trace_tracers_show(m, trace_seq_file_tr(m));
	return 0;
}

DEFINE_TRACE_FILE_RO(available_tracers);

static int current_tracer_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = trace_seq_file_tr(m);

	guard(trace_instances)();
	seq_printf(m, "%s\n", tr->current_trace ? tr->current_trace->name : "");
	return 0;
}

static ssize_t current_tracer_write(struct file *file, const char __user *ubuf,
				    size_t count, loff_t *ppos)
{
	char name[MAX_TRACER_SIZE + 1];
	size_t len = min_t(size_t, count, MAX_TRACER_SIZE);
	int ret;

	/* No tracer has a longer name. */
	ret = trace_file_get_text(name, sizeof(name), ubuf, len);
	if (ret < 0)
		return ret;

	guard(trace_instances)();
	ret = trace_set_tracer(trace_file_tr(file), strim(name));
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

DEFINE_TRACE_FILE_RW(current_tracer);

static int tracing_thresh_show(struct seq_file *m, void *v)
{
	unsigned long ns = READ_ONCE(trace_seq_file_tr(m)->thresh_ns);

	seq_printf(m, "%lu\n", ns / (unsigned long)NSEC_PER_USEC);
	return 0;
}

static ssize_t tracing_thresh_write(struct file *file, const char __user *ubuf,
				    size_t count, loff_t *ppos)
{
	struct trace_array *tr = trace_file_tr(file);
	const struct tracer *tracer;
	unsigned long us, old;
	int ret;

	ret = kstrtoul_from_user(ubuf, count, 10, &us);
	if (ret)
		return ret;
	if (us > ULONG_MAX / NSEC_PER_USEC)
		return -EINVAL;

	guard(trace_instances)();
	old = tr->thresh_ns;
	WRITE_ONCE(tr->thresh_ns, us * NSEC_PER_USEC);
	tracer = tr->current_trace;
	if (tracer && tracer->update_thresh) {
		ret = tracer->update_thresh(tr);
		if (ret) {
			WRITE_ONCE(tr->thresh_ns, old);
			return ret;
		}
	}
	*ppos += count;
	return count;
}

DEFINE_TRACE_FILE_RW(tracing_thresh);

int trace_tracer_create_files(struct trace_array *tr)
{
	int ret = trace_create_file("available_tracers", 0440, tr, &available_tracers_fops);

	ret = ret ?: trace_create_file("current_tracer", 0640, tr, &current_tracer_fops);
	if (!tr->name)
		ret = ret ?: trace_create_file("tracing_thresh", 0640, tr, &tracing_thresh_fops);
	return ret;
}
