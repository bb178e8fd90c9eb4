// SPDX-License-Identifier: GPL-2.0
/*
 * tracing_on and tracing_cpumask.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/uaccess.h>

#include "instance/buffers.h"
#include "instance/component.h"
#include "instance/file.h"
#include "instance/internal.h"

static int switch_tracing_on_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%d\n", trace_array_is_on(trace_seq_file_tr(m)));
	return 0;
}

static int switch_tracing_on_set(struct file *file, unsigned long on)
{
	trace_array_switch(trace_file_tr(file), on);
	return 0;
}

DEFINE_TRACE_FILE_NUMBER(switch_tracing_on);

static int switch_tracing_cpumask_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = trace_seq_file_tr(m);

	guard(trace_instances)();
	seq_printf(m, "%*pb\n", cpumask_pr_args(tr->tracing_cpumask));
	return 0;
}

static ssize_t switch_tracing_cpumask_write(struct file *file, const char __user *ubuf,
					    size_t count, loff_t *ppos)
{
	cpumask_var_t mask;
	int ret;

	/* cpumask_parse_user() allocates a copy of the whole text. */
	if (!count || count > KMALLOC_MAX_SIZE)
		return -EINVAL;
	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	ret = cpumask_parse_user(ubuf, count, mask);
	if (!ret) {
		guard(trace_instances)();
		trace_array_set_cpumask(trace_file_tr(file), mask);
	}
	free_cpumask_var(mask);
	return ret ?: count;
}

DEFINE_TRACE_FILE_RW(switch_tracing_cpumask);

static int switch_create_files(struct trace_array *tr, struct dentry *dir)
{
	return trace_create_file("tracing_on", 0640, tr, &switch_tracing_on_fops) ?:
	       trace_create_file("tracing_cpumask", 0640, tr, &switch_tracing_cpumask_fops);
}

struct trace_component trace_switch_files_component __ro_after_init = {
	.name		= "switch files",
	.readme		=
		"\n"
		"Recording\n"
		"  tracing_on\t\t- # echo 0 > tracing_on : stop; 1: go on\n"
		"  tracing_cpumask\t- record on these CPUs only, hexadecimal\n",
	.create_files	= switch_create_files,
};
