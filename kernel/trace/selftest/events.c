// SPDX-License-Identifier: GPL-2.0
/*
 * Startup tests of events. Each event alone, then each system, then all events are switched
 * on, work is done that some of them record, and they are switched off. Every switch must
 * succeed, and only events that are on may have records.
 */
#include <linux/init.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/workqueue.h>

#include "events/events.h"
#include "instance/buffers.h"
#include "lib/wait.h"
#include "record/take.h"
#include "selftest/internal.h"

static void __init selftest_event_work(struct work_struct *work)
{
	kfree(kmalloc(1234, GFP_KERNEL));
}

/* Every CPU changes tasks, allocates and frees. */
static int __init selftest_event_load(void)
{
	trace_may_wait();
	return schedule_on_each_cpu(selftest_event_work);
}

/*
 * Switch all events of @system on, or its @event, or all there are, do some work, and
 * switch them off. The work after that waits for probes: a probe that has begun has preemption
 * off, and ends before its CPU runs the work.
 */
static int __init selftest_event_switch(struct trace_array *tr, const char *system,
					const char *event)
{
	int off, ret = trace_array_set_clr_event(tr, system, event, true);

	if (ret)
		return ret;
	ret = selftest_event_load();
	off = trace_array_set_clr_event(tr, system, event, false);
	return ret ?: off ?: selftest_event_load();
}

static bool __init selftest_event_report(const char *what, const char *name, int ret)
{
	if (ret)
		WARN(1, "Testing %s%s: FAILED! error %d\n", what, name, ret);
	else
		pr_info("Testing %s%s: OK\n", what, name);
	return !ret;
}

/* Only the event that is on may have records, and sched_switch must have some. */
static int __init selftest_event(struct trace_array *tr, struct trace_event_call *call)
{
	struct trace_records records;
	int ret = selftest_event_switch(tr, call->class->system, trace_event_name(call));

	ret = ret ?: trace_records_take(tr->array_buffer.buffer, call->event.type, &records);
	if (ret)
		return ret;
	if (records.others)
		return -EBADMSG;
	if (!strcmp(trace_event_name(call), "sched_switch") && !records.wanted)
		return -ENODATA;
	return 0;
}

static bool __init selftest_event_includes(const struct trace_event_call *call)
{
	return IS_ENABLED(CONFIG_EVENT_TRACE_TEST_SYSCALLS) ||
	       strcmp(call->class->system, "syscalls");
}

static void __init selftest_event_each(struct trace_array *tr)
{
	struct trace_event_call *call = NULL;

	pr_info("Running tests on trace events:\n");
	while ((call = trace_event_next_usable(call))) {
		if (selftest_event_includes(call))
			selftest_event_report("event ", trace_event_name(call),
					      selftest_event(tr, call));
	}
}

/* Is this the first event of its system? */
static bool __init selftest_event_begins_system(const struct trace_event_call *call)
{
	struct trace_event_call *before = NULL;

	while ((before = trace_event_next_usable(before)) && before != call) {
		if (!strcmp(before->class->system, call->class->system))
			return false;
	}
	return true;
}

static void __init selftest_event_each_system(struct trace_array *tr)
{
	struct trace_event_call *call = NULL;

	pr_info("Running tests on trace event systems:\n");
	while ((call = trace_event_next_usable(call))) {
		const char *system = call->class->system;

		if (selftest_event_includes(call) && selftest_event_begins_system(call))
			selftest_event_report("event system ", system,
					      selftest_event_switch(tr, system, NULL));
	}
}

static int __init selftest_event_all(struct trace_array *tr)
{
	struct trace_records records;
	int ret;

	trace_array_reset(tr);
	ret = selftest_event_switch(tr, NULL, NULL);
	ret = ret ?: trace_records_take(tr->array_buffer.buffer, 0, &records);
	if (!ret && !records.others)
		ret = -ENODATA;
	/* Nothing is recorded when they are off again. */
	ret = ret ?: selftest_event_load();
	ret = ret ?: trace_records_take(tr->array_buffer.buffer, 0, &records);
	return ret ?: records.others ? -EBADMSG : 0;
}

#ifdef CONFIG_FUNCTION_TRACER
/*
 * With the function tracer on as well, there are records of both. Events are patched when they are
 * switched off, which calls many functions: their records would overwrite those of the events.
 */
static int __init selftest_events_and_functions(struct trace_array *tr)
{
	struct trace_records records;
	int off, ret;

	scoped_guard(trace_instances)
		ret = trace_set_tracer(tr, "function");
	ret = ret ?: trace_array_set_clr_event(tr, NULL, NULL, true);
	ret = ret ?: selftest_event_load();
	scoped_guard(trace_instances)
		trace_array_off(tr);
	off = trace_array_set_clr_event(tr, NULL, NULL, false);
	ret = ret ?: off ?: selftest_event_load();
	scoped_guard(trace_instances) {
		ret = ret ?: trace_records_take(tr->array_buffer.buffer, TRACE_FN, &records);
		trace_set_tracer(tr, "nop");
		trace_array_on(tr);
	}
	if (ret)
		return ret;
	return records.wanted && records.others ? 0 : -ENODATA;
}
#endif

/**
 * trace_selftest_events - test that events can be switched
 *
 * Context: boot, may sleep.
 */
void __init trace_selftest_events(void)
{
	struct trace_array *tr = trace_selftest_instance();

	if (!tr) {
		pr_warn("tracing: no memory for the tests of events\n");
		return;
	}
	selftest_event_each(tr);
	selftest_event_each_system(tr);
	pr_info("Running tests on all trace events:\n");
	selftest_event_report("all events", "", selftest_event_all(tr));
#ifdef CONFIG_FUNCTION_TRACER
	pr_info("Running tests again, along with the function tracer\n");
	selftest_event_report("all events", "", selftest_events_and_functions(tr));
#endif
	trace_selftest_instance_put(tr);
}
