// SPDX-License-Identifier: GPL-2.0
/*
 * available_tracers, current_tracer, tracing_thresh.
 */
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>

#include "graph/graph.h"
#include "instance/buffers.h"
#include "instance/component.h"
#include "instance/file.h"
#include "instance/internal.h"
#include "instance/tracer.h"

static int tracer_available_show(struct seq_file *m, void *v)
{
	guard(trace_instances)();
	trace_tracers_show(m, trace_seq_file_tr(m));
	return 0;
}

DEFINE_TRACE_FILE_RO(tracer_available);

static int tracer_current_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = trace_seq_file_tr(m);

	guard(trace_instances)();
	seq_printf(m, "%s\n", tr->current_trace ? tr->current_trace->name : "");
	return 0;
}

static ssize_t tracer_current_write(struct file *file, const char __user *ubuf,
				    size_t count, loff_t *ppos)
{
	char name[MAX_TRACER_SIZE + 1];
	size_t len = min_t(size_t, count, MAX_TRACER_SIZE);
	int ret;

	/* No tracer has a longer name. */
	ret = trace_file_get_text(name, sizeof(name), ubuf, len);
	if (ret < 0)
		return ret;

	for (;;) {
		scoped_guard(trace_instances)
			ret = trace_set_tracer(trace_file_tr(file), strim(name));
		trace_buffers_settle();
		if (ret != -EINPROGRESS)
			break;
		/*
		 * The tracer wants returns, and what it needs is free after a grace period. Others
		 * are not kept from changing tracers meanwhile.
		 */
		ret = fgraph_numbers_wait();
		if (ret)
			break;
	}
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

DEFINE_TRACE_FILE_RW(tracer_current);

static int tracer_tracing_thresh_show(struct seq_file *m, void *v)
{
	unsigned long ns = READ_ONCE(trace_seq_file_tr(m)->thresh_ns);

	seq_printf(m, "%lu\n", ns / (unsigned long)NSEC_PER_USEC);
	return 0;
}

static int tracer_tracing_thresh_set(struct file *file, unsigned long us)
{
	if (us > ULONG_MAX / NSEC_PER_USEC)
		return -EINVAL;
	trace_set_thresh(trace_file_tr(file), us * NSEC_PER_USEC);
	return 0;
}

DEFINE_TRACE_FILE_NUMBER(tracer_tracing_thresh);

/**
 * trace_tracer_create_files - the files that a tracer has for itself
 * @tr: the instance; before it has files, nothing is done
 * @state: the tracer there
 *
 * A file that cannot be made is named in the log.
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 */
void trace_tracer_create_files(struct trace_array *tr, struct tracer_state *state)
{
	const struct tracer_file *file = state->tracer->files;
	unsigned int i, nr = 0;

	trace_instances_assert_locked();
	while (file && file[nr].name)
		nr++;
	if (!nr || !trace_instances_have_files())
		return;
	state->files = kcalloc(nr + 1, sizeof(*state->files), GFP_KERNEL);
	for (i = 0; state->files && i < nr; i++) {
		state->files[i] = tracefs_create_file(file[i].name, file[i].mode, tr->dir, tr,
						      file[i].fops);
		if (!state->files[i])
			break;
	}
	if (i < nr)
		pr_warn("tracing: no file %s of tracer %s\n", file[i].name, state->tracer->name);
}

/* Remove the files of a tracer that goes. With an instance, its whole folder goes. */
void trace_tracer_remove_files(struct tracer_state *state)
{
	struct dentry **dentry;

	trace_instances_assert_locked();
	for (dentry = state->files; dentry && *dentry; dentry++)
		tracefs_remove(*dentry);
}

static int tracer_create_files(struct trace_array *tr, struct dentry *dir)
{
	struct tracer_state *state;
	int ret = trace_create_file("available_tracers", 0440, tr, &tracer_available_fops);

	ret = ret ?: trace_create_file("current_tracer", 0640, tr, &tracer_current_fops);
	ret = ret ?: trace_create_file("tracing_thresh", 0640, tr, &tracer_tracing_thresh_fops);
	list_for_each_entry(state, trace_tracer_states(tr), list)
		trace_tracer_create_files(tr, state);
	return ret;
}

struct trace_component trace_tracer_files_component __ro_after_init = {
	.name		= "tracer files",
	.readme		=
		"\n"
		"Tracers\n"
		"  available_tracers\t- tracers of this kernel\n"
		"  current_tracer\t- the one in use; nop: none\n"
		"  tracing_thresh\t- for function_graph and latencies: microseconds worth a record\n",
	.create_files	= tracer_create_files,
};
