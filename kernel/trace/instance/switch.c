// SPDX-License-Identifier: GPL-2.0
/*
 * Switching recording on and off: tracing_on() and its kin for the kernel, the same for an
 * instance, and what sysctls and boot parameters switch. All this stops the buffer alone;
 * tracers and events stay active.
 */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include "instance/buffers.h"
#include "instance/component.h"
#include "instance/internal.h"
#include "instance/tracer.h"

/* kernel.traceoff_on_warning */
int __disable_trace_on_warning;

/* kernel.ftrace_dump_on_oops: "0", "1", "2" or instances, see the reader. */
char ftrace_dump_on_oops[MAX_TRACER_SIZE] = "0";

static bool off_after_boot __initdata;

static int __init switch_traceoff_after_boot_setup(char *text)
{
	off_after_boot = true;
	return 1;
}
__setup("traceoff_after_boot", switch_traceoff_after_boot_setup);

static int __init switch_traceoff_on_warning_setup(char *text)
{
	if (strcmp(text, "=0") && strcmp(text, "=off"))
		__disable_trace_on_warning = 1;
	return 1;
}
__setup("traceoff_on_warning", switch_traceoff_on_warning_setup);

static int __init switch_dump_on_oops_setup(char *text)
{
	if (!*text)
		strscpy(ftrace_dump_on_oops, "1");
	else if (*text == '=')
		strscpy(ftrace_dump_on_oops, text + 1);
	else if (*text == ',')
		snprintf(ftrace_dump_on_oops, sizeof(ftrace_dump_on_oops), "1%s", text);
	else
		return 0;
	return 1;
}
__setup("ftrace_dump_on_oops", switch_dump_on_oops_setup);

/**
 * ftrace_dump_on_oops_enabled - shall an oops dump anything?
 *
 * Context: any.
 * Return: 1 if it shall, 0 otherwise.
 */
int ftrace_dump_on_oops_enabled(void)
{
	return strcmp(ftrace_dump_on_oops, "0") != 0;
}

/**
 * trace_array_on - let the buffer of an instance record
 * @tr: the instance
 *
 * Context: any.
 */
void trace_array_on(struct trace_array *tr)
{
	struct trace_buffer **buffer;

	for_each_trace_buffer(tr, buffer)
		ring_buffer_record_on(*buffer);
}

/**
 * trace_array_off - stop the buffer of an instance from recording
 * @tr: the instance
 *
 * Records that were reserved are still committed.
 *
 * Context: any.
 */
void trace_array_off(struct trace_array *tr)
{
	struct trace_buffer **buffer;

	for_each_trace_buffer(tr, buffer)
		ring_buffer_record_off(*buffer);
}

/**
 * trace_array_is_on - is tracing_on of an instance 1?
 * @tr: the instance
 *
 * Context: any.
 * Return: true if it is, whether recording is paused or not.
 */
bool trace_array_is_on(struct trace_array *tr)
{
	return ring_buffer_record_is_set_on(tr->array_buffer.buffer);
}

/**
 * trace_array_stop - pause recording, whatever tracing_on says
 * @tr: the instance; each call needs a trace_array_start()
 *
 * Context: any.
 */
void trace_array_stop(struct trace_array *tr)
{
	struct trace_buffer **buffer;

	atomic_inc(&tr->stop_count);
	for_each_trace_buffer(tr, buffer)
		ring_buffer_record_disable(*buffer);
}

/**
 * trace_array_start - undo one trace_array_stop()
 * @tr: the instance
 *
 * Context: any.
 */
void trace_array_start(struct trace_array *tr)
{
	struct trace_buffer **buffer;

	/* More starts than stops would leave the buffer's count negative. */
	if (WARN_ON_ONCE(!atomic_add_unless(&tr->stop_count, -1, 0)))
		return;
	for_each_trace_buffer(tr, buffer)
		ring_buffer_record_enable(*buffer);
}

/**
 * trace_array_switch - what writing tracing_on does
 * @tr: the instance
 * @on: record or not
 *
 * The current tracer is told of a change. When recording stops, readers that wait for
 * records are woken, as none will come.
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 */
void trace_array_switch(struct trace_array *tr, bool on)
{
	const struct tracer *tracer = tr->current_trace;

	trace_instances_assert_locked();
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
	ring_buffer_wake_waiters(tr->array_buffer.buffer, RING_BUFFER_ALL_CPUS);
}

static void switch_silence_cpu(struct trace_array *tr, int cpu, bool silent)
{
	struct trace_array_cpu *data = per_cpu_ptr(tr->array_buffer.data, cpu);
	struct trace_buffer **buffer;

	atomic_add(silent ? 1 : -1, &data->disabled);
	/*
	 * An exchange of the CPU's buffers in between would leave one of them disabled twice, and
	 * the other one not at all.
	 */
	guard(irqsave)();
	trace_exchange_lock(tr);
	for_each_trace_buffer(tr, buffer) {
		if (silent)
			ring_buffer_record_disable_cpu(*buffer, cpu);
		else
			ring_buffer_record_enable_cpu(*buffer, cpu);
	}
	trace_exchange_unlock(tr);
}

/**
 * trace_array_set_cpumask - record on some CPUs only
 * @tr: the instance
 * @mask: the CPUs
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 */
void trace_array_set_cpumask(struct trace_array *tr, const struct cpumask *mask)
{
	int cpu;

	trace_instances_assert_locked();
	for_each_possible_cpu(cpu) {
		bool is = cpumask_test_cpu(cpu, mask);

		if (is != cpumask_test_cpu(cpu, tr->tracing_cpumask))
			switch_silence_cpu(tr, cpu, !is);
	}
	cpumask_copy(tr->tracing_cpumask, mask);
}

static int switch_create(struct trace_array *tr)
{
	if (!alloc_cpumask_var(&tr->tracing_cpumask, GFP_KERNEL))
		return -ENOMEM;
	cpumask_copy(tr->tracing_cpumask, cpu_all_mask);
	return 0;
}

static void switch_destroy(struct trace_array *tr)
{
	free_cpumask_var(tr->tracing_cpumask);
}

struct trace_component trace_switch_component __ro_after_init = {
	.name		= "switches",
	.create		= switch_create,
	.destroy	= switch_destroy,
};

/**
 * tracing_on - let the top instance record
 *
 * Context: any.
 */
void tracing_on(void)
{
	struct trace_array *tr = trace_top_instance();

	if (tr)
		trace_array_on(tr);
}
EXPORT_SYMBOL_GPL(tracing_on);

/**
 * tracing_off - stop the top instance from recording
 *
 * Quick and for good, until tracing_on() or user space says otherwise.
 *
 * Context: any.
 */
void tracing_off(void)
{
	struct trace_array *tr = trace_top_instance();

	if (tr)
		trace_array_off(tr);
}
EXPORT_SYMBOL_GPL(tracing_off);

/**
 * tracing_is_on - does the top instance record?
 *
 * Context: any.
 * Return: 1 or 0.
 */
int tracing_is_on(void)
{
	struct trace_array *tr = trace_top_instance();

	return tr && trace_array_is_on(tr);
}
EXPORT_SYMBOL_GPL(tracing_is_on);

/**
 * tracing_stop - pause the top instance
 *
 * Context: any.
 */
void tracing_stop(void)
{
	struct trace_array *tr = trace_top_instance();

	if (tr)
		trace_array_stop(tr);
}

/**
 * tracing_start - undo one tracing_stop()
 *
 * Context: any.
 */
void tracing_start(void)
{
	struct trace_array *tr = trace_top_instance();

	if (tr)
		trace_array_start(tr);
}

/**
 * disable_trace_on_warning - a WARN() was hit
 *
 * Context: any.
 */
void disable_trace_on_warning(void)
{
	struct trace_array *tr = trace_top_instance();

	if (!__disable_trace_on_warning || !tr)
		return;
	trace_array_note(tr, _THIS_IP_, "Disabling tracing due to warning\n");
	tracing_off();
}

/* switch_traceoff_after_boot: no later record overwrites those of booting. */
static int __init switch_traceoff_after_boot(void)
{
	if (off_after_boot)
		tracing_off();
	return 0;
}
late_initcall_sync(switch_traceoff_after_boot);
