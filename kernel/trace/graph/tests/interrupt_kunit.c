// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: interrupts that come while those who measure them come or go.
 */
#include <kunit/test.h>

#include <linux/bottom_half.h>
#include <linux/ftrace.h>
#include <linux/hardirq.h>
#include <linux/interrupt.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "graph/graph.h"
#include "hooks/hooks.h"
#include "lib/clock.h"

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

/*
 * The beginning of an interrupt is seen, and its end is not, as kernel.ftrace_enabled is off
 * meanwhile. When it is on again, the CPU is in no interrupt, and the end of another one does
 * not add up the time since.
 */
static void test_resumed(struct kunit *test)
{
	unsigned int level, again;
	u64 before, after, now;

	KUNIT_ASSERT_EQ(test, 0, fgraph_interrupts_get());
	/* irq_exit_rcu() would run softirqs that are pending, which take time. */
	local_bh_disable();
	local_irq_disable();
	now = trace_clock_called();
	before = fgraph_interrupted(&now);
	irq_enter_rcu();
	level = fgraph_interrupt_level();
	__irq_exit();
	ftrace_hooks_resumed++;
	again = fgraph_interrupt_level();
	__irq_enter();
	irq_exit_rcu();
	now = trace_clock_called();
	after = fgraph_interrupted(&now);
	local_irq_enable();
	local_bh_enable();
	fgraph_interrupts_put();
	KUNIT_EXPECT_NE(test, 0, level);
	KUNIT_EXPECT_EQ(test, 0, again);
	KUNIT_EXPECT_EQ(test, before, after);
}

/* ftrace_hooks_resumed counts how often kernel.ftrace_enabled was turned on. */
static void test_resumed_counts(struct kunit *test)
{
	u32 resumed = ftrace_hooks_resumed;

	KUNIT_ASSERT_EQ(test, 0, ftrace_hooks_set_enabled(false));
	KUNIT_EXPECT_EQ(test, resumed, ftrace_hooks_resumed);
	KUNIT_ASSERT_EQ(test, 0, ftrace_hooks_set_enabled(true));
	KUNIT_EXPECT_EQ(test, resumed + 1, ftrace_hooks_resumed);
}

static struct kunit_case interrupt_cases[] = {
	KUNIT_CASE(test_softirq_at_start),
	KUNIT_CASE(test_resumed),
	KUNIT_CASE(test_resumed_counts),
	{}
};

static struct kunit_suite interrupt_suite = {
	.name = "ftrace_graph_interrupt",
	.test_cases = interrupt_cases,
};

kunit_test_suite(interrupt_suite);
