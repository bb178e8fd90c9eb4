// SPDX-License-Identifier: GPL-2.0
/*
 * The order of the startup tests. They do not run if the command line has switched tracing
 * on, since their work would be in that trace.
 */
#include <linux/init.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "events/events.h"
#include "instance/option.h"
#include "selftest/internal.h"
#include "tracers/tracers.h"

/**
 * trace_selftest_instance - make an instance for a test
 *
 * So the buffer of the top instance keeps the records of booting.
 *
 * Context: task, may sleep; takes trace_instances_lock().
 * Return: the instance, with "nop" as its tracer; NULL without memory.
 */
struct trace_array *trace_selftest_instance(void)
{
	struct trace_array *tr = trace_array_get_by_name("selftest", NULL);

	if (!tr)
		return NULL;
	/* Tests count records: stacks that the command line asks for must not be among them. */
	guard(trace_instances)();
	trace_option_set(tr, TRACE_OPT_STACKTRACE, false);
	trace_option_set(tr, TRACE_OPT_USERSTACKTRACE, false);
	return tr;
}

/**
 * trace_selftest_instance_put - remove the instance of a test
 * @tr: from trace_selftest_instance()
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
 * Context: boot, may sleep; all but user space is up. Takes trace_instances_lock().
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
