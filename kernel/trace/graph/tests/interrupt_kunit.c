// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: interrupts that come while those who measure them come or go.
 */
#include <kunit/test.h>

#include <linux/ftrace.h>
#include <linux/interrupt.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "graph/graph.h"

static struct task_struct *come_for;
static int softirqs;

/* At the entry of the function that registers a probe, a softirq comes and is over. */
static void come_softirq(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			 struct ftrace_regs *fregs)
{
	if (current != come_for)
		return;
	local_bh_disable();
	raise_softirq(TASKLET_SOFTIRQ);
	local_bh_enable();
	softirqs++;
}

static struct ftrace_ops come_ops = {
	.func	= come_softirq,
};

/*
 * Softirqs between the registrations of the probes must not leave a CPU that is taken to
 * be in one. Preemption stays off until the level is read, so that it is that of the CPU
 * which the softirqs came on; an interrupt in between could only hide the defect.
 */
static void test_softirq_at_start(struct kunit *test)
{
	unsigned char name[] = "tracepoint_probe_register";
	unsigned int level;
	int ret;

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		kunit_skip(test, "softirqs are work of tasks");
	softirqs = 0;
	come_for = current;
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter(&come_ops, name, sizeof(name) - 1, 1));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&come_ops));
	migrate_disable();
	ret = fgraph_interrupts_get();
	preempt_disable();
	level = fgraph_interrupt_level();
	preempt_enable();
	migrate_enable();
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(&come_ops));
	ftrace_free_filter(&come_ops);
	KUNIT_ASSERT_EQ(test, 0, ret);
	fgraph_interrupts_put();
	KUNIT_EXPECT_EQ(test, 2, softirqs);
	KUNIT_EXPECT_EQ(test, 0, level);
}

static struct kunit_case interrupt_cases[] = {
	KUNIT_CASE(test_softirq_at_start),
	{}
};

static struct kunit_suite interrupt_suite = {
	.name = "ftrace_graph_interrupt",
	.test_cases = interrupt_cases,
};

kunit_test_suite(interrupt_suite);
