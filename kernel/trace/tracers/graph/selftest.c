// SPDX-License-Identifier: GPL-2.0
/*
 * The startup test of the function_graph tracer: entries and returns are recorded while it
 * is the current tracer and tracing is on, and at no other time.
 */
#include <linux/delay.h>
#include <linux/printk.h>

#include "hooks/hooks.h"
#include "instance/buffers.h"
#include "record/take.h"
#include "tracers/graph/internal.h"

static int graph_selftest_become(struct trace_array *tr, const char *name)
{
	guard(trace_instances)();
	return trace_set_tracer(tr, name);
}

/* How many records there are of one type while this task sleeps; or an errno. */
static long graph_selftest_count(struct trace_array *tr, unsigned int type)
{
	struct trace_records records;
	int ret;

	/* A callback records to its end, though tracing was switched off or stopped meanwhile. */
	ftrace_hooks_synchronize();
	trace_array_reset(tr);
	usleep_range(1000, 2000);
	trace_array_stop(tr);
	ftrace_hooks_synchronize();
	ret = trace_records_take(tr->array_buffer.buffer, type, &records);
	trace_array_start(tr);
	return ret ?: records.wanted;
}

static int graph_selftest_expect(struct trace_array *tr, const char *when, bool wanted)
{
	long entries = graph_selftest_count(tr, TRACE_GRAPH_ENT);
	long exits = graph_selftest_count(tr, TRACE_GRAPH_RET);

	if (entries < 0 || exits < 0)
		return entries < 0 ? entries : exits;
	if (wanted == !!entries && wanted == !!exits)
		return 0;
	pr_err("tracing: %ld entries and %ld returns of functions were recorded %s\n",
	       entries, exits, when);
	return -EINVAL;
}

/* With a threshold that nothing reaches, calls are traced and none is recorded. */
static int graph_selftest_expect_thresh(struct trace_array *tr)
{
	unsigned long old = tr->thresh_ns;
	int ret;

	scoped_guard(trace_instances)
		trace_set_thresh(tr, ULONG_MAX);
	ret = graph_selftest_expect(tr, "below tracing_thresh", false);
	scoped_guard(trace_instances)
		trace_set_thresh(tr, old);
	return ret;
}

/**
 * trace_graph_selftest - struct tracer::selftest of the function_graph tracer
 * @tr: the instance
 *
 * Context: task, may sleep; takes trace_instances_lock().
 * Return: 0, or an errno when it does not trace as it should.
 */
int trace_graph_selftest(struct trace_array *tr)
{
	int ret = graph_selftest_become(tr, "function_graph");

	ret = ret ?: graph_selftest_expect(tr, "with the tracer on", true);
	trace_array_off(tr);
	ret = ret ?: graph_selftest_expect(tr, "with tracing off", false);
	trace_array_on(tr);
	ret = ret ?: graph_selftest_expect_thresh(tr);
	ret = ret ?: graph_selftest_expect(tr, "with tracing on again", true);
	if (ftrace_graph_is_dead()) {
		pr_err("tracing: returns of functions are hooked no more\n");
		return -ENODEV;
	}
	ret = ret ?: graph_selftest_become(tr, "nop");
	return ret ?: graph_selftest_expect(tr, "without the tracer", false);
}
