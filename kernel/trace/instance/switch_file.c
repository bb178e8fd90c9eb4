// SPDX-License-Identifier: GPL-2.0
/*
 * tracing_on and tracing_cpumask.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/uaccess.h>

#include "instance/internal.h"

static int tracing_on_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%d\n", trace_array_is_on(trace_seq_file_tr(m)));
	return 0;
}

static void switch_tracing(struct trace_array *tr, bool on)
{
	const struct tracer *tracer = tr->current_trace;

	if (trace_array_is_on(tr) == on)
		return;
	if (on) {
		trace_array_on(tr);
		if (tracer && tracer->start)
			tracer->start(tr);
		return;
	}
	trace_array_off(tr);
	if (tracer && tracer->stop)
		tracer->stop(tr);
	/* Who waits for records should see that there are none to come. */
	ring_buffer_wake_waiters(tr->array_buffer.buffer, RING_BUFFER_ALL_CPUS);
}

static ssize_t tracing_on_write(struct file *file, const char __user *ubuf,
				size_t count, loff_t *ppos)
{
	unsigned long on;
	int ret = kstrtoul_from_user(ubuf, count, 10, &on);

	if (ret)
		return ret;

	guard(trace_instances)();
	switch_tracing(trace_file_tr(file), on);
	*ppos += count;
	return count;
}

DEFINE_TRACE_FILE_RW(tracing_on);

static int tracing_cpumask_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = trace_seq_file_tr(m);

	guard(trace_instances)();
	seq_printf(m, "%*pb\n", cpumask_pr_args(tr->tracing_cpumask));
	return 0;
}

static void silence_cpu(struct trace_array *tr, int cpu, bool silent)
{
	struct trace_array_cpu *data = per_cpu_ptr(tr->array_buffer.data, cpu);
	struct trace_buffer **buffer;

	atomic_add(silent ? 1 : -1, &data->disabled);
	for_each_trace_buffer(tr, buffer) {
		if (silent)
			ring_buffer_record_disable_cpu(*buffer, cpu);
		else
			ring_buffer_record_enable_cpu(*buffer, cpu);
	}
}

static void set_cpumask(struct trace_array *tr, const struct cpumask *mask)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		bool is = cpumask_test_cpu(cpu, mask);

		if (is != cpumask_test_cpu(cpu, tr->tracing_cpumask))
			silence_cpu(tr, cpu, !is);
	}
	cpumask_copy(tr->tracing_cpumask, mask);
}

static ssize_t tracing_cpumask_write(struct file *file, const char __user *ubuf,
				     size_t count, loff_t *ppos)
{
	cpumask_var_t mask;
	int ret;

	/* cpumask_parse_user() copies all of it. */
	if (!count || count > KMALLOC_MAX_SIZE)
		return -EINVAL;
	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	ret = cpumask_parse_user(ubuf, count, mask);
	if (!ret) {
		guard(trace_instances)();
		set_cpumask(trace_file_tr(file), mask);
	}
	free_cpumask_var(mask);
	return ret ?: count;
}

DEFINE_TRACE_FILE_RW(tracing_cpumask);

int trace_switch_create_files(struct trace_array *tr)
{
	return trace_create_file("tracing_on", 0640, tr, &tracing_on_fops) ?:
	       trace_create_file("tracing_cpumask", 0640, tr, &tracing_cpumask_fops);
}
