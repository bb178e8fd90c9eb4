// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of exits.c, the tracer that Documentation/trace/ftrace-design.rst shows.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/ring_buffer.h>

#include "instance/buffers.h"
#include "tracers/tracers.h"

DECLARE_TRACER(exits);

static int exits_set_tracer(struct trace_array *tr, const char *name)
{
	guard(trace_instances)();
	return trace_set_tracer(tr, name);
}

static int exits_thread(void *data)
{
	return 0;
}

/* How many records of @pid there are; the others of the kind are taken as well. */
static unsigned int exits_take(struct trace_array *tr, pid_t pid)
{
	struct ring_buffer_event *event;
	unsigned int nr = 0;
	int cpu;

	for_each_online_cpu(cpu) {
		while ((event = ring_buffer_consume(tr->array_buffer.buffer, cpu, NULL, NULL))) {
			const struct trace_entry *ent = ring_buffer_event_data(event);

			nr += ent->type == TRACE_EXITS && ent->pid == pid;
		}
	}
	return nr;
}

static void exits_are_recorded(struct kunit *test)
{
	struct task_struct *task;
	struct trace_array *tr;
	unsigned int nr = 0, i;

	KUNIT_ASSERT_EQ(test, trace_tracer_register(&trace_exits_tracer), 0);
	tr = trace_array_get_by_name("kunit_exits", NULL);
	KUNIT_EXPECT_NOT_NULL(test, tr);
	if (!tr)
		goto unregister;
	KUNIT_EXPECT_EQ(test, exits_set_tracer(tr, "exits"), 0);

	task = kthread_create(exits_thread, NULL, "kunit_exits");
	KUNIT_EXPECT_FALSE(test, IS_ERR(task));
	if (!IS_ERR(task)) {
		pid_t pid = task->pid;

		wake_up_process(task);
		/* Nobody can say but its record when a thread has passed the tracepoint. */
		for (i = 0; !nr && i < 10000; i++) {
			usleep_range(1000, 2000);
			nr = exits_take(tr, pid);
		}
	}
	KUNIT_EXPECT_EQ(test, nr, 1U);

	KUNIT_EXPECT_EQ(test, exits_set_tracer(tr, "nop"), 0);
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
unregister:
	KUNIT_EXPECT_EQ(test, trace_tracer_unregister(&trace_exits_tracer), 0);
}

static struct kunit_case exits_cases[] = {
	KUNIT_CASE(exits_are_recorded),
	{}
};

static struct kunit_suite exits_suite = {
	.name		= "trace_tracer_exits",
	.test_cases	= exits_cases,
};

kunit_test_suite(exits_suite);

MODULE_DESCRIPTION("KUnit test of the tracer in the documentation");
MODULE_LICENSE("GPL");
