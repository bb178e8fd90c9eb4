// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: tasks that must not wait for all CPUs, and waits that a signal ends.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/sched/signal.h>
#include <linux/thread_info.h>
#include <linux/workqueue.h>

#include "lib/wait.h"

static bool other_is_forbidden;

static void other_task(struct work_struct *work)
{
	other_is_forbidden = trace_wait_is_forbidden();
}

/* It nests, and other tasks may wait. */
static void test_forbidden(struct kunit *test)
{
	struct work_struct other;

	INIT_WORK_ONSTACK(&other, other_task);
	KUNIT_EXPECT_FALSE(test, trace_wait_is_forbidden());
	trace_wait_forbid();
	KUNIT_EXPECT_TRUE(test, trace_wait_is_forbidden());
	trace_wait_forbid();
	trace_wait_allow();
	KUNIT_EXPECT_TRUE(test, trace_wait_is_forbidden());
	other_is_forbidden = true;
	schedule_work(&other);
	flush_work(&other);
	destroy_work_on_stack(&other);
	KUNIT_EXPECT_FALSE(test, other_is_forbidden);
	trace_wait_allow();
	KUNIT_EXPECT_FALSE(test, trace_wait_is_forbidden());
}

struct after {
	unsigned int		waits;
	unsigned int		calls;
	struct completion	may_end;
};

static struct after after;

static void after_wait(void)
{
	WRITE_ONCE(after.waits, after.waits + 1);
}

static void after_call(void *data)
{
	struct after *end = data;

	/* If it is waited for in spite of the signal, it ends by itself. */
	wait_for_completion_timeout(&end->may_end, 120 * HZ);
	WRITE_ONCE(end->calls, end->calls + 1);
}

/* A signal ends the wait, and nothing else. */
static void test_call_after(struct kunit *test)
{
	int ret;

	after.waits = 0;
	after.calls = 0;
	init_completion(&after.may_end);
	complete(&after.may_end);
	KUNIT_EXPECT_EQ(test, 0, trace_wait_call(after_wait, after_call, &after));
	KUNIT_EXPECT_EQ(test, 1, READ_ONCE(after.calls));
	KUNIT_EXPECT_EQ(test, 1, READ_ONCE(after.waits));
	set_tsk_thread_flag(current, TIF_SIGPENDING);
	ret = trace_wait_call(after_wait, after_call, &after);
	clear_tsk_thread_flag(current, TIF_SIGPENDING);
	KUNIT_EXPECT_EQ(test, -EINTR, ret);
	KUNIT_EXPECT_EQ(test, 1, READ_ONCE(after.calls));
	complete(&after.may_end);
	while (READ_ONCE(after.calls) < 2)
		msleep(20);
}

/* A wait that ends when it may, and a function behind it. */
struct kill {
	struct completion	may_end;
	struct completion	called;
	struct task_struct	*by;
};

static void kill_wait(void *data)
{
	struct kill *kill = data;

	/* If it is waited for in spite of the signal, it ends by itself. */
	wait_for_completion_timeout(&kill->may_end, 120 * HZ);
}

static void kill_call(void *data)
{
	struct kill *kill = data;

	kill->by = current;
	complete(&kill->called);
}

/* The task leaves the function to a work item. */
static void expect_left(struct kunit *test, struct kill *kill, int ret)
{
	KUNIT_EXPECT_EQ(test, -EINTR, ret);
	KUNIT_EXPECT_FALSE(test, completion_done(&kill->called));
	complete(&kill->may_end);
	wait_for_completion(&kill->called);
	KUNIT_EXPECT_PTR_NE(test, current, kill->by);
}

/* The task calls the function, unless it is killed first; other signals change nothing. */
static void test_killable(struct kunit *test)
{
	struct kill *kill = kunit_kzalloc(test, sizeof(*kill), GFP_KERNEL);
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, kill);
	init_completion(&kill->may_end);
	init_completion(&kill->called);
	complete(&kill->may_end);
	set_tsk_thread_flag(current, TIF_SIGPENDING);
	ret = trace_wait_killable(kill_wait, kill_call, kill);
	clear_tsk_thread_flag(current, TIF_SIGPENDING);
	KUNIT_EXPECT_EQ(test, 0, ret);
	KUNIT_EXPECT_TRUE(test, try_wait_for_completion(&kill->called));
	KUNIT_EXPECT_PTR_EQ(test, current, kill->by);

	sigaddset(&current->pending.signal, SIGKILL);
	set_tsk_thread_flag(current, TIF_SIGPENDING);
	ret = trace_wait_killable(kill_wait, kill_call, kill);
	sigdelset(&current->pending.signal, SIGKILL);
	clear_tsk_thread_flag(current, TIF_SIGPENDING);
	expect_left(test, kill, ret);

	/* The signal that has ended a task is not pending while the task exits. */
	current->flags |= PF_EXITING;
	ret = trace_wait_killable(kill_wait, kill_call, kill);
	current->flags &= ~PF_EXITING;
	expect_left(test, kill, ret);
}

/* No signal reaches a task that exits, so it does not wait for long. */
static void test_call_after_exit(struct kunit *test)
{
	int ret;

	after.waits = 0;
	after.calls = 0;
	init_completion(&after.may_end);
	current->flags |= PF_EXITING;
	ret = trace_wait_call(after_wait, after_call, &after);
	current->flags &= ~PF_EXITING;
	KUNIT_EXPECT_EQ(test, -EINTR, ret);
	KUNIT_EXPECT_EQ(test, 0, READ_ONCE(after.calls));
	complete(&after.may_end);
	while (READ_ONCE(after.calls) < 1)
		msleep(20);
	KUNIT_EXPECT_EQ(test, 1, READ_ONCE(after.waits));
}

static struct kunit_case wait_cases[] = {
	KUNIT_CASE(test_forbidden),
	KUNIT_CASE(test_call_after),
	KUNIT_CASE(test_killable),
	KUNIT_CASE(test_call_after_exit),
	{}
};

static struct kunit_suite wait_suite = {
	.name = "trace_wait",
	.test_cases = wait_cases,
};

kunit_test_suite(wait_suite);
