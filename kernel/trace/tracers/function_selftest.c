// SPDX-License-Identifier: GPL-2.0
/*
 * The startup test of the function tracer: calls are recorded while it is the current
 * tracer and tracing is on, and at no other time.
 */
#include <linux/delay.h>
#include <linux/printk.h>

#include "hooks/hooks.h"
#include "instance/buffers.h"
#include "instance/tracer.h"
#include "record/take.h"
#include "tracers/function.h"

/* How many calls are recorded while this task sleeps; or an errno. */
static long function_selftest_count_calls(struct trace_array *tr)
{
	struct trace_records records;
	int ret;

	/* A callback records to its end, though tracing was switched off or stopped meanwhile. */
	ftrace_hooks_synchronize();
	trace_array_reset(tr);
	usleep_range(1000, 2000);
	trace_array_stop(tr);
	ftrace_hooks_synchronize();
	ret = trace_records_take(tr->array_buffer.buffer, TRACE_FN, &records);
	trace_array_start(tr);
	return ret ?: records.wanted;
}

static int function_selftest_expect_calls(struct trace_array *tr, const char *when, bool wanted)
{
	long calls = function_selftest_count_calls(tr);

	if (calls < 0)
		return calls;
	if (wanted == !!calls)
		return 0;
	pr_err("tracing: %ld calls of functions were recorded %s\n", calls, when);
	return -EINVAL;
}

static int function_selftest_become(struct trace_array *tr, const char *name)
{
	guard(trace_instances)();
	return trace_set_tracer(tr, name);
}

/**
 * trace_function_selftest - struct tracer::selftest of the function tracer
 * @tr: the instance
 *
 * Context: task, may sleep; takes trace_instances_lock().
 * Return: 0, or an errno when it does not trace as it should.
 */
int trace_function_selftest(struct trace_array *tr)
{
	int ret = function_selftest_become(tr, "function");

	ret = ret ?: function_selftest_expect_calls(tr, "with the tracer on", true);
	trace_array_off(tr);
	ret = ret ?: function_selftest_expect_calls(tr, "with tracing off", false);
	trace_array_on(tr);
	ret = ret ?: function_selftest_expect_calls(tr, "with tracing on again", true);
	ret = ret ?: function_selftest_become(tr, "nop");
	return ret ?: function_selftest_expect_calls(tr, "without the tracer", false);
}
