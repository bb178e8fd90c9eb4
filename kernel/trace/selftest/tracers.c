// SPDX-License-Identifier: GPL-2.0
/*
 * The tests that tracers bring themselves: struct tracer::selftest.
 */
#include <linux/printk.h>

#include "instance/buffers.h"
#include "selftest/internal.h"

static int selftest_tracer_run_in_instance(struct trace_array *tr, const struct tracer *tracer)
{
	int ret = tracer->selftest(tr);
	int stopped;

	/* A test that failed may have left the tracer on, or the buffer off. */
	guard(trace_instances)();
	trace_array_on(tr);
	stopped = trace_set_tracer(tr, "nop");
	return ret ?: stopped;
}

/* Test a tracer that may run in the top instance alone. The records there are lost. */
static int selftest_tracer_run_in_top(const struct tracer *tracer)
{
	struct trace_array *top = trace_top_instance();
	int ret = selftest_tracer_run_in_instance(top, tracer);

	trace_array_reset(top);
	return ret;
}

static int selftest_tracer_run_anywhere(const struct tracer *tracer)
{
	struct trace_array *tr;
	int ret;

	if (!tracer->allow_instances)
		return selftest_tracer_run_in_top(tracer);
	tr = trace_selftest_instance();
	if (!tr)
		return -ENOMEM;
	ret = selftest_tracer_run_in_instance(tr, tracer);
	trace_selftest_instance_put(tr);
	return ret;
}

/**
 * trace_selftest_tracer - run a tracer's own test
 * @tracer: a registered tracer; when it fails, it is unregistered
 *
 * Context: task, may sleep; takes trace_instances_lock(); no tracer is active.
 * Return: 0, also when it has no test; the errno of the test.
 */
int trace_selftest_tracer(const struct tracer *tracer)
{
	int ret, kept;

	if (!tracer->selftest)
		return 0;
	ret = selftest_tracer_run_anywhere(tracer);
	if (!ret) {
		pr_info("Testing tracer %s: PASSED\n", tracer->name);
		return 0;
	}
	pr_err("Testing tracer %s: FAILED! error %d\n", tracer->name, ret);
	kept = trace_tracer_unregister(tracer);
	if (kept)
		pr_err("tracing: tracer %s cannot be disabled: error %d\n", tracer->name, kept);
	return ret;
}
