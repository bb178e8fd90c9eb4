// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: a task that waits for another CPU, or for those who do, has not the lock of all instances.
 */
#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/trace.h>

#include "instance/buffers.h"
#include "instance/instance.h"
#include "instance/internal.h"
#include "instance/snapshot.h"
#include "instance/tracer.h"

/* Nothing that succeeds takes as long. A test that fails does, and does not hang. */
#define LOCKS_LIMIT	(30 * HZ)

/* A task that does something with an instance. */
struct locks_task {
	struct trace_array	*tr;
	int			ret;
	struct completion	has_lock;
	struct completion	done;
};

static void locks_start(struct kunit *test, struct locks_task *task, int (*func)(void *task),
			struct trace_array *tr)
{
	struct task_struct *thread;

	task->tr = tr;
	init_completion(&task->has_lock);
	init_completion(&task->done);
	thread = kthread_run(func, task, "kunit_locks");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
}

static bool locks_ends(struct locks_task *task)
{
	return wait_for_completion_timeout(&task->done, LOCKS_LIMIT);
}

static int locks_remove(void *data)
{
	struct locks_task *task = data;

	task->ret = trace_array_destroy(task->tr);
	complete_all(&task->done);
	return 0;
}

/* Take the lock again and again, until the instance has gone. */
static int locks_poll(void *data)
{
	struct locks_task *task = data;

	for (;;) {
		scoped_guard(trace_instances) {
			if (!trace_instance_find("kunit_locks")) {
				complete_all(&task->done);
				return 0;
			}
		}
		msleep(20);
	}
}

/*
 * A CPU has begun irq work of an instance, and stands still before its end. The task
 * that removes the instance waits for that CPU, and others do not.
 */
static void locks_free_in_removal(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit_locks", NULL);
	struct locks_task remover, poller;
	struct irq_work *work;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	work = &per_cpu_ptr(tr->exchange.wake.cpus, 0)->work;
	KUNIT_ASSERT_EQ(test, atomic_fetch_or(IRQ_WORK_BUSY, &work->node.a_flags) & IRQ_WORK_BUSY,
			0);
	trace_array_put(tr);
	locks_start(test, &remover, locks_remove, tr);
	locks_start(test, &poller, locks_poll, tr);
	KUNIT_EXPECT_TRUE(test, locks_ends(&poller));
	KUNIT_EXPECT_FALSE(test, completion_done(&remover.done));
	atomic_andnot(IRQ_WORK_BUSY, &work->node.a_flags);
	wait_for_completion(&remover.done);
	wait_for_completion(&poller.done);
	KUNIT_EXPECT_EQ(test, remover.ret, 0);
}

/* Take the lock, and give it back. */
static int locks_take(void *data)
{
	struct locks_task *task = data;

	scoped_guard(trace_instances)
		complete_all(&task->done);
	return 0;
}

/* Do as triggers and histograms that come and go. */
static int locks_use_buffers(void *data)
{
	struct locks_task *task = data;

	scoped_guard(trace_instances) {
		task->ret = trace_snapshot_get(task->tr);
		trace_clock_unuse(task->tr);
		trace_array_is_empty(task->tr);
	}
	complete_all(&task->done);
	return 0;
}

static const struct tracer locks_tracer = { .name = "kunit-locks", .allow_instances = true };

static int locks_set_tracer(void *data)
{
	struct locks_task *task = data;

	scoped_guard(trace_instances) {
		complete(&task->has_lock);
		task->ret = trace_set_tracer(task->tr, locks_tracer.name);
	}
	complete_all(&task->done);
	return 0;
}

/*
 * A task changes the buffers of an instance, and waits for a CPU. Others that have the lock of all
 * instances do not wait for it, and those that wait do not have the lock.
 */
static void locks_free_in_change(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit_locks", NULL);
	struct locks_task user, changer, other;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_ASSERT_EQ(test, trace_tracer_register(&locks_tracer), 0);
	trace_clock_use(tr, "mono");
	mutex_lock(&tr->buffers_mutex);
	locks_start(test, &user, locks_use_buffers, tr);
	KUNIT_EXPECT_TRUE(test, locks_ends(&user));
	locks_start(test, &changer, locks_set_tracer, tr);
	/* It gives the lock back while it waits. */
	KUNIT_EXPECT_TRUE(test, wait_for_completion_timeout(&changer.has_lock, LOCKS_LIMIT));
	locks_start(test, &other, locks_take, tr);
	KUNIT_EXPECT_TRUE(test, locks_ends(&other));
	KUNIT_EXPECT_FALSE(test, completion_done(&changer.done));
	KUNIT_EXPECT_STREQ(test, trace_clock_name(tr), "mono");
	mutex_unlock(&tr->buffers_mutex);

	wait_for_completion(&user.done);
	wait_for_completion(&changer.done);
	wait_for_completion(&other.done);
	KUNIT_EXPECT_EQ(test, user.ret, -EPROBE_DEFER);
	if (!user.ret)
		trace_snapshot_put(tr);
	KUNIT_EXPECT_EQ(test, changer.ret, 0);
	KUNIT_EXPECT_PTR_EQ(test, tr->current_trace, &locks_tracer);
	/* Changes that were left for later have been made. */
	trace_buffers_settle();
	KUNIT_EXPECT_STREQ(test, trace_clock_name(tr), "local");
	KUNIT_EXPECT_EQ(test, trace_snapshot_get(tr), 0);
	trace_snapshot_put(tr);
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
	KUNIT_EXPECT_EQ(test, trace_tracer_unregister(&locks_tracer), 0);
}

/*
 * A tracer gives its maximum back under the lock, and the memory goes later. Somebody who needs
 * snapshots before finds none of its records.
 */
static void locks_maximum(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit_locks", NULL);

	KUNIT_ASSERT_NOT_NULL(test, tr);
	for (int i = 0; i < 2; i++) {
		bool again = i;

		KUNIT_ASSERT_EQ(test, trace_snapshot_get_max(tr), 0);
		trace_array_note(tr, _THIS_IP_, "maximum\n");
		scoped_guard(irq)
			KUNIT_EXPECT_EQ(test, trace_snapshot_max(tr, false), 0);
		KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->snapshot.buffer), 1);
		/* The work item does not come before the end of this. */
		mutex_lock(&tr->buffers_mutex);
		scoped_guard(trace_instances)
			trace_snapshot_put_max(tr);
		KUNIT_EXPECT_FALSE(test, trace_snapshot_is_allocated(tr));
		KUNIT_EXPECT_FALSE(test, trace_snapshot_has_max(tr));
		if (again) {
			KUNIT_EXPECT_EQ(test, trace_second_buffer_grow(tr), 0);
			KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->snapshot.buffer), 0);
		}
		mutex_unlock(&tr->buffers_mutex);
		trace_buffers_settle();
		KUNIT_EXPECT_EQ(test, trace_snapshot_is_allocated(tr), again);
		KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->snapshot.buffer), 0);
		KUNIT_EXPECT_EQ(test, trace_snapshot_free(tr), 0);
	}
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
}

/* A walk over all instances is no user of one: its removal waits for the walk. */
static void locks_walk(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit_locks", NULL), *held = NULL;
	struct locks_task remover;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	trace_array_put(tr);
	do
		held = trace_instance_next(held);
	while (held && held != tr);
	KUNIT_ASSERT_PTR_EQ(test, held, tr);
	locks_start(test, &remover, locks_remove, tr);
	while (READ_ONCE(tr->ref) != INSTANCE_GOES && !completion_done(&remover.done))
		msleep(20);
	KUNIT_EXPECT_FALSE(test, completion_done(&remover.done));
	while ((held = trace_instance_next(held)))
		;
	wait_for_completion(&remover.done);
	KUNIT_EXPECT_EQ(test, remover.ret, 0);
}

static struct kunit_case locks_cases[] = {
	KUNIT_CASE(locks_walk),
	KUNIT_CASE_SLOW(locks_free_in_removal),
	KUNIT_CASE_SLOW(locks_free_in_change),
	KUNIT_CASE(locks_maximum),
	{}
};

static struct kunit_suite locks_suite = {
	.name		= "trace-instance-locks",
	.test_cases	= locks_cases,
};

kunit_test_suite(locks_suite);
