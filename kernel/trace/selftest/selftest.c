// SPDX-License-Identifier: GPL-2.0
/*
 * The order of the startup tests, and when they do not run: somebody traces already,
 * and would find what they do in the trace.
 */
#include <linux/init.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "events/events.h"
#include "instance/option.h"
#include "selftest/internal.h"
#include "tracers/tracers.h"

/**
 * trace_selftest_instance - an instance for a test
 *
 * The buffer of the top instance keeps what booting has written.
 *
 * Context: task, may sleep; takes trace_instances_lock().
 * Return: the instance, with "nop" as its tracer; NULL without memory.
 */
struct trace_array *trace_selftest_instance(void)
{
	struct trace_array *tr = trace_array_get_by_name("selftest", NULL);

	if (!tr)
		return NULL;
	/* What the command line wants of stacks would be among the records. */
	guard(trace_instances)();
	trace_option_set(tr, TRACE_OPT_STACKTRACE, false);
	trace_option_set(tr, TRACE_OPT_USERSTACKTRACE, false);
	return tr;
}

/**
 * trace_selftest_instance_put - the test has ended
 * @tr: from trace_selftest_instance(); it goes
 *
 * Context: task, may sleep; takes trace_instances_lock().
 */
void trace_selftest_instance_put(struct trace_array *tr)
{
	trace_array_put(tr);
	if (trace_array_destroy(tr))
		pr_warn("tracing: the instance of the startup tests stays\n");
}

/* Why the tests must not run; NULL: they may. */
static const char *__init selftests_excuse(void)
{
	struct trace_array *tr;

	guard(trace_instances)();
	for_each_trace_array(tr) {
		if (tr->current_trace && strcmp(tr->current_trace->name, "nop"))
			return "running a tracer";
		if (trace_events_are_on(tr))
			return "running event tracing";
	}
	return NULL;
}

/**
 * trace_selftests_run - run all startup tests
 *
 * Context: boot, everything is up but user space; may sleep.
 */
void __init trace_selftests_run(void)
{
	const struct tracer *tracer;
	const char *excuse;
	unsigned int i;

	if (!trace_top_instance())
		return;
	excuse = selftests_excuse();
	if (excuse) {
		pr_info("Disabling FTRACE selftests due to %s\n", excuse);
		return;
	}
	pr_info("Running postponed tracer tests:\n");
	trace_selftest_hooks();
	for (i = 0; (tracer = trace_tracers_nth(i)); i++)
		WARN(trace_selftest_tracer(tracer), "tracer: %s failed selftest, disabling\n",
		     tracer->name);
	trace_selftest_events();
}
