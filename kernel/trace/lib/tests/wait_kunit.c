// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: tasks that must not wait for all CPUs, and waits that a signal ends.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
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

/* A wait that ends when it may, and a function behind it. */
struct wait_env {
	struct completion	begun;
	struct completion	may_end;
	struct completion	called;
	struct task_struct	*waits;
	struct task_struct	*calls;
	struct work_struct	worker;
	int			ret;
};

static void env_wait(void *data)
{
	struct wait_env *env = data;

	env->waits = current;
	complete(&env->begun);
	/* If it is waited for in spite of the signal, it ends by itself. */
	wait_for_completion_timeout(&env->may_end, 120 * HZ);
}

static void env_call(void *data)
{
	struct wait_env *env = data;

	env->calls = current;
	complete(&env->called);
}

static int wait_init(struct kunit *test)
{
	struct wait_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);

	if (!env)
		return -ENOMEM;
	init_completion(&env->begun);
	init_completion(&env->may_end);
	init_completion(&env->called);
	test->priv = env;
	return 0;
}

/* Wait with a signal pending, or as a task that exits. */
static int env_try(struct wait_env *env, unsigned int state, int signal, unsigned int flags)
{
	int ret;

	if (signal) {
		sigaddset(&current->pending.signal, signal);
		set_tsk_thread_flag(current, TIF_SIGPENDING);
	}
	current->flags |= flags;
	ret = trace_wait_call(env_wait, env_call, env, state);
	current->flags &= ~flags;
	if (signal) {
		sigdelset(&current->pending.signal, signal);
		clear_tsk_thread_flag(current, TIF_SIGPENDING);
	}
	return ret;
}

/* The task waits, and calls the function. */
static void expect_called(struct kunit *test, unsigned int state, int signal)
{
	struct wait_env *env = test->priv;

	complete(&env->may_end);
	KUNIT_EXPECT_EQ(test, 0, env_try(env, state, signal, 0));
	KUNIT_EXPECT_TRUE(test, try_wait_for_completion(&env->called));
	KUNIT_EXPECT_PTR_EQ(test, current, env->calls);
	KUNIT_EXPECT_PTR_NE(test, current, env->waits);
}

/* The task leaves the function to a work item. */
static void expect_left(struct kunit *test, unsigned int state, int signal, unsigned int flags)
{
	struct wait_env *env = test->priv;

	KUNIT_EXPECT_EQ(test, -EINTR, env_try(env, state, signal, flags));
	KUNIT_EXPECT_FALSE(test, completion_done(&env->called));
	complete(&env->may_end);
	wait_for_completion(&env->called);
	KUNIT_EXPECT_PTR_NE(test, current, env->calls);
}

/* The task calls the function, unless a signal comes. */
static void test_interruptible(struct kunit *test)
{
	expect_called(test, TASK_INTERRUPTIBLE, 0);
	expect_left(test, TASK_INTERRUPTIBLE, SIGUSR1, 0);
}

/* The task calls the function, unless it is killed first; other signals change nothing. */
static void test_killable(struct kunit *test)
{
	expect_called(test, TASK_KILLABLE, SIGUSR1);
	expect_left(test, TASK_KILLABLE, SIGKILL, 0);
}

/* No signal reaches a task that exits, so it does not wait for long. */
static void test_exit(struct kunit *test)
{
	expect_left(test, TASK_KILLABLE, 0, PF_EXITING);
	expect_left(test, TASK_INTERRUPTIBLE, 0, PF_EXITING);
}

static void worker_waits(struct work_struct *work)
{
	struct wait_env *env = container_of(work, struct wait_env, worker);

	env->ret = env_try(env, TASK_KILLABLE, 0, 0);
}

/* A worker does not either. */
static void test_worker(struct kunit *test)
{
	struct wait_env *env = test->priv;

	INIT_WORK(&env->worker, worker_waits);
	schedule_work(&env->worker);
	flush_work(&env->worker);
	KUNIT_EXPECT_EQ(test, -EINTR, env->ret);
	KUNIT_EXPECT_FALSE(test, completion_done(&env->called));
	complete(&env->may_end);
	wait_for_completion(&env->called);
}

/* A wait of which another one is a part. */
struct wait_outer {
	struct wait_env		*env;
	struct completion	inner_returned;
	int			ret;
};

static void outer_wait(void *data)
{
	struct wait_outer *outer = data;

	outer->ret = trace_wait_call(env_wait, env_call, outer->env, TASK_KILLABLE);
	complete(&outer->inner_returned);
}

static void outer_call(void *data)
{
}

static int outer_task(void *data)
{
	return trace_wait_call(outer_wait, outer_call, data, TASK_KILLABLE);
}

/* The worker of a wait keeps nobody from anything, so a wait that is part of it goes on. */
static void test_part_of_a_wait(struct kunit *test)
{
	struct wait_outer outer = { .env = test->priv };
	struct task_struct *task;

	init_completion(&outer.inner_returned);
	task = kthread_create(outer_task, &outer, "kunit_wait");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	wait_for_completion(&outer.env->begun);
	KUNIT_EXPECT_EQ(test, 0, wait_for_completion_timeout(&outer.inner_returned, HZ / 2));
	complete(&outer.env->may_end);
	KUNIT_EXPECT_EQ(test, 0, kthread_stop_put(task));
	KUNIT_EXPECT_EQ(test, 0, outer.ret);
	wait_for_completion(&outer.env->called);
}

static DECLARE_COMPLETION(others_may_end);

static void other_item(struct work_struct *work)
{
	wait_for_completion(&others_may_end);
}

/* A wait goes on while others have filled the queue that all share. */
static void test_full_queue(struct kunit *test)
{
	struct wait_env *env = test->priv;
	struct work_struct *others;
	unsigned long left;

	others = kunit_kcalloc(test, WQ_MAX_ACTIVE, sizeof(*others), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, others);
	reinit_completion(&others_may_end);
	for (unsigned int i = 0; i < WQ_MAX_ACTIVE; i++) {
		INIT_WORK(&others[i], other_item);
		queue_work(system_unbound_wq, &others[i]);
	}
	complete(&env->may_end);
	/* The wait may have ended before the task looks. */
	env_try(env, TASK_KILLABLE, SIGKILL, 0);
	left = wait_for_completion_timeout(&env->called, 20 * HZ);
	KUNIT_EXPECT_NE(test, 0, left);
	complete_all(&others_may_end);
	for (unsigned int i = 0; i < WQ_MAX_ACTIVE; i++)
		flush_work(&others[i]);
	if (!left)
		wait_for_completion(&env->called);
}

static struct kunit_case wait_cases[] = {
	KUNIT_CASE(test_forbidden),
	KUNIT_CASE(test_interruptible),
	KUNIT_CASE(test_killable),
	KUNIT_CASE(test_exit),
	KUNIT_CASE(test_worker),
	KUNIT_CASE(test_part_of_a_wait),
	KUNIT_CASE(test_full_queue),
	{}
};

static struct kunit_suite wait_suite = {
	.name = "trace_wait",
	.init = wait_init,
	.test_cases = wait_cases,
};

kunit_test_suite(wait_suite);
