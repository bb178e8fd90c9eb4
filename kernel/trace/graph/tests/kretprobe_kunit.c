// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: kretprobes, whether they stand on rethook or have a trampoline of their own.
 */
#include <kunit/test.h>

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/string.h>

#include "graph/tests/targets.h"

#define MISSERS	4
#define MISSES	20000

static struct kretprobe probe;
static unsigned int returns;
static DECLARE_COMPLETION(missed);

static int probe_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	returns++;
	return 0;
}

static long no_call(void *arg)
{
	return 0;
}

static int miss_main(void *arg)
{
	int i;

	for (i = 0; i < MISSES; i++)
		graph_target_call(no_call, NULL);
	complete(&missed);
	return 0;
}

/*
 * The probed function calls this. It holds the only instance of the kretprobe until it returns,
 * so all other calls of it miss their returns.
 */
static long miss_all(void *arg)
{
	int i, cpu = cpumask_first(cpu_online_mask);
	struct kunit *test = arg;

	for (i = 0; i < MISSERS; i++) {
		if (IS_ERR(kthread_run_on_cpu(miss_main, NULL, cpu, "kretprobe_miss/%u")))
			break;
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
	}
	KUNIT_EXPECT_EQ(test, MISSERS, i);
	while (i--)
		wait_for_completion(&missed);
	return 0;
}

/* No missed return is lost from the count when several CPUs miss returns at once. */
static void test_missed(struct kunit *test)
{
	memset(&probe, 0, sizeof(probe));
	returns = 0;
	probe.kp.symbol_name = "graph_target_call";
	probe.handler = probe_handler;
	probe.maxactive = 1;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&probe));
	reinit_completion(&missed);
	KUNIT_EXPECT_EQ(test, 1, graph_target_call(miss_all, test));
	unregister_kretprobe(&probe);
	KUNIT_EXPECT_EQ(test, MISSES * MISSERS, probe.nmissed);
	KUNIT_EXPECT_EQ(test, 1, returns);
}

static struct kunit_case kretprobe_cases[] = {
	KUNIT_CASE(test_missed),
	{}
};

static struct kunit_suite kretprobe_suite = {
	.name = "ftrace_kretprobe",
	.test_cases = kretprobe_cases,
};

kunit_test_suite(kretprobe_suite);
