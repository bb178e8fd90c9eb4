// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: functions that are called on other CPUs.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include "lib/cpu_call.h"

struct call_count {
	unsigned int	calls[NR_CPUS];
	bool		irqs_were_on;
};

static void call_count(void *data)
{
	struct call_count *count = data;

	count->calls[raw_smp_processor_id()]++;
	if (!irqs_disabled())
		count->irqs_were_on = true;
}

/* Each CPU that is online calls the function once, with interrupts disabled, and no other one. */
static void test_each(struct kunit *test)
{
	struct call_count *count = kunit_kzalloc(test, sizeof(*count), GFP_KERNEL);
	int cpu;

	KUNIT_ASSERT_NOT_NULL(test, count);
	trace_cpu_call_each(call_count, count);
	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_EQ_MSG(test, count->calls[cpu], cpu_online(cpu), "CPU %d", cpu);
	KUNIT_EXPECT_FALSE(test, count->irqs_were_on);
	for_each_possible_cpu(cpu) {
		KUNIT_EXPECT_EQ_MSG(test, trace_cpu_call(cpu, call_count, count),
				    cpu_online(cpu) ? 0 : -ENXIO, "CPU %d", cpu);
		KUNIT_EXPECT_EQ_MSG(test, count->calls[cpu], 2 * cpu_online(cpu), "CPU %d", cpu);
	}
}

/* A CPU that stands still until a task has run on the caller's CPU. */
struct call_still {
	struct task_struct	*caller;
	bool			stands;
	bool			calls;
	bool			went_on;
	bool			gave_up;
};

static int still_stands(void *data)
{
	struct call_still *still = data;
	/* Jiffies may stand still as well. */
	u64 end = ktime_get_mono_fast_ns() + 10 * (u64)NSEC_PER_SEC;

	guard(irqsave)();
	WRITE_ONCE(still->stands, true);
	while (!READ_ONCE(still->went_on) && !still->gave_up) {
		cpu_relax();
		still->gave_up = ktime_get_mono_fast_ns() > end;
	}
	return 0;
}

/* The caller's CPU comes here only if the caller sleeps. */
static int still_goes_on(void *data)
{
	struct call_still *still = data;

	while (!READ_ONCE(still->calls) || task_is_running(still->caller))
		cond_resched();
	WRITE_ONCE(still->went_on, true);
	return 0;
}

static struct task_struct *still_task(struct kunit *test, int (*func)(void *data),
				      struct call_still *still, int cpu)
{
	struct task_struct *task = kthread_create(func, still, "kunit_still");

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	kthread_bind(task, cpu);
	return get_task_struct(task);
}

/* While a CPU stands still that is called, other tasks run on the CPU of the caller. */
static void test_still(struct kunit *test)
{
	struct call_count *count = kunit_kzalloc(test, sizeof(*count), GFP_KERNEL);
	int here = raw_smp_processor_id(), there = cpumask_any_but(cpu_online_mask, here);
	struct call_still still = { .caller = current };
	struct task_struct *stands, *goes_on;

	if (there >= nr_cpu_ids)
		kunit_skip(test, "one CPU");
	KUNIT_ASSERT_NOT_NULL(test, count);
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(here)), 0);
	goes_on = still_task(test, still_goes_on, &still, here);
	stands = still_task(test, still_stands, &still, there);
	wake_up_process(goes_on);
	wake_up_process(stands);
	while (!READ_ONCE(still.stands))
		cond_resched();
	WRITE_ONCE(still.calls, true);
	KUNIT_EXPECT_EQ(test, trace_cpu_call(there, call_count, count), 0);
	KUNIT_EXPECT_EQ(test, count->calls[there], 1);
	kthread_stop_put(stands);
	kthread_stop_put(goes_on);
	KUNIT_EXPECT_FALSE(test, still.gave_up);
}

#if IS_ENABLED(CONFIG_HOTPLUG_CPU)

/* Calls of a CPU, one behind the other. */
struct call_goes {
	int		cpu;
	unsigned int	called;		/* by that CPU */
	unsigned int	returned;
	unsigned int	refused;
	unsigned int	other;
};

static void goes_count(void *data)
{
	struct call_goes *goes = data;

	goes->called++;
}

static int goes_calls(void *data)
{
	struct call_goes *goes = data;

	while (!kthread_should_stop()) {
		int ret = trace_cpu_call(goes->cpu, goes_count, goes);

		goes->returned += !ret;
		goes->other += ret && ret != -ENXIO;
		WRITE_ONCE(goes->refused, goes->refused + (ret == -ENXIO));
		cond_resched();
	}
	return 0;
}

/* Each call of a CPU that goes and comes is executed, or is refused. */
static void test_goes(struct kunit *test)
{
	struct call_goes goes = { .cpu = cpumask_last(cpu_online_mask) };
	/* Some machines cannot do without the first one. */
	int first = cpumask_first(cpu_online_mask);
	struct task_struct *task;

	if (goes.cpu == first)
		kunit_skip(test, "one CPU");
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(first)), 0);
	task = kthread_create(goes_calls, &goes, "kunit_goes");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	kthread_bind(task, first);
	get_task_struct(task);
	wake_up_process(task);
	for (int i = 0; i < 5; i++) {
		unsigned int refused = READ_ONCE(goes.refused);

		KUNIT_EXPECT_EQ(test, remove_cpu(goes.cpu), 0);
		while (READ_ONCE(goes.refused) == refused && !cpu_online(goes.cpu))
			cond_resched();
		KUNIT_EXPECT_EQ(test, add_cpu(goes.cpu), 0);
	}
	kthread_stop_put(task);
	KUNIT_EXPECT_EQ(test, goes.called, goes.returned);
	KUNIT_EXPECT_EQ(test, goes.other, 0);
	KUNIT_EXPECT_GT(test, goes.refused, 0);
}

#else

static void test_goes(struct kunit *test)
{
	kunit_skip(test, "CPUs do not go");
}

#endif

static struct kunit_case cpu_call_cases[] = {
	KUNIT_CASE(test_each),
	KUNIT_CASE(test_still),
	KUNIT_CASE(test_goes),
	{}
};

static struct kunit_suite cpu_call_suite = {
	.name = "trace_cpu_call",
	.test_cases = cpu_call_cases,
};

kunit_test_suite(cpu_call_suite);
