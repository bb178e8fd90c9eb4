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
#include <linux/sched.h>
#include <linux/trace.h>

#include "instance/buffers.h"
#include "instance/instance.h"

/* Nothing that succeeds takes as long. A test that fails does, and does not hang. */
#define LOCKS_LIMIT	(30 * HZ)

/* A task that does something with an instance. */
struct locks_task {
	struct trace_array	*tr;
	int			ret;
	struct completion	done;
};

static void locks_start(struct kunit *test, struct locks_task *task, int (*func)(void *task),
			struct trace_array *tr)
{
	struct task_struct *thread;

	task->tr = tr;
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
	complete(&task->done);
	return 0;
}

/* Take the lock again and again, until the instance has gone. */
static int locks_poll(void *data)
{
	struct locks_task *task = data;

	for (;;) {
		scoped_guard(trace_instances) {
			if (!trace_instance_find("kunit_locks")) {
				complete(&task->done);
				return 0;
			}
		}
		msleep(20);
	}
}

/*
 * A CPU has begun irq work of an instance, and stands still before its end. Whoever removes the
 * instance waits for that CPU, and others do not.
 */
static void locks_free_in_removal(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit_locks", NULL);
	struct locks_task remover, poller;
	struct irq_work *work;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	work = &tr->exchange.wake.work;
	KUNIT_ASSERT_EQ(test, atomic_fetch_or(IRQ_WORK_BUSY, &work->node.a_flags) & IRQ_WORK_BUSY,
			0);
	trace_array_put(tr);
	locks_start(test, &remover, locks_remove, tr);
	locks_start(test, &poller, locks_poll, tr);
	KUNIT_EXPECT_TRUE(test, locks_ends(&poller));
	KUNIT_EXPECT_FALSE(test, try_wait_for_completion(&remover.done));
	atomic_andnot(IRQ_WORK_BUSY, &work->node.a_flags);
	KUNIT_EXPECT_TRUE(test, locks_ends(&remover));
	KUNIT_EXPECT_EQ(test, remover.ret, 0);
}

static struct kunit_case locks_cases[] = {
	KUNIT_CASE_SLOW(locks_free_in_removal),
	{}
};

static struct kunit_suite locks_suite = {
	.name		= "trace-instance-locks",
	.test_cases	= locks_cases,
};

kunit_test_suite(locks_suite);
