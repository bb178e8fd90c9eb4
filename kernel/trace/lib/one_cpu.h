/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For KUnit suites and test modules of other layers: a case that reads records CPU by CPU in
 * the order of their calls, or compares their times, must not migrate, and knows how long it
 * slept.
 */
#ifndef _TRACE_LIB_ONE_CPU_H
#define _TRACE_LIB_ONE_CPU_H

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/time64.h>
#include <linux/trace_clock.h>

#include <kunit/test.h>

/* Called by the init function of a suite, which runs in the task of the case. */
static inline void test_on_one_cpu(struct kunit *test)
{
	int cpu = raw_smp_processor_id();

	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
}

struct test_sleep {
	struct task_struct	*sleeper;
	unsigned int		ms;
	struct completion	over;
};

static inline int test_sleep_passes(void *data)
{
	struct test_sleep *sleep = data;
	u64 start;

	while (task_is_running(sleep->sleeper))
		cond_resched();
	start = trace_clock_local();
	while (trace_clock_local() - start < sleep->ms * NSEC_PER_MSEC)
		cpu_relax();
	complete(&sleep->over);
	return 0;
}

/*
 * Sleep for @ms or longer, as the CPU's trace clock counts: another task has this task's only
 * CPU meanwhile. With msleep() the time from the setting of the timer until the CPU goes to
 * another task is missing, however long that is.
 */
static inline void test_sleep(unsigned int ms)
{
	struct test_sleep sleep = { .sleeper = current, .ms = ms };
	struct task_struct *task;

	init_completion(&sleep.over);
	task = kthread_create(test_sleep_passes, &sleep, "kunit_sleep");
	if (IS_ERR(task)) {
		/* kthread_create() fails with -EINTR if the caller is being killed. */
		WARN_ON(PTR_ERR(task) != -EINTR);
		return;
	}
	kthread_bind(task, raw_smp_processor_id());
	wake_up_process(task);
	wait_for_completion(&sleep.over);
}

#endif
