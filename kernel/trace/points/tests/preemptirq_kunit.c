// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints of preemptirq: one for each change, none for what is so already
 * or for what a probe does, and who is named.
 */
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/preemptirq.h>

static struct task_struct *watched;	/* note only the changes of this task */
static char seen[16];			/* a letter for each */
static unsigned int nr_seen;
static unsigned long seen_ip;
static bool in_probe;

static void preemptirq_note(char c, unsigned long ip)
{
	unsigned long flags;

	if (current != watched || in_interrupt() || in_probe)
		return;
	in_probe = true;
	/* Interrupts that a probe masks itself are not reported. */
	local_irq_save(flags);
	local_irq_restore(flags);
	in_probe = false;
	seen_ip = ip;
	if (nr_seen < sizeof(seen) - 1)
		seen[nr_seen++] = c;
}

static void preemptirq_start(void)
{
	memset(seen, 0, sizeof(seen));
	nr_seen = 0;
	watched = current;
	barrier();
}

static void preemptirq_stop(void)
{
	barrier();
	watched = NULL;
}

#ifdef CONFIG_TRACE_IRQFLAGS
static void irq_off_probe(void *data, unsigned long ip, unsigned long parent)
{
	preemptirq_note('d', ip);
}

static void irq_on_probe(void *data, unsigned long ip, unsigned long parent)
{
	preemptirq_note('e', ip);
}

static noinline void mask_and_unmask(void)
{
	unsigned long flags;

	local_irq_disable();
	local_irq_save(flags);
	local_irq_restore(flags);
	local_irq_enable();
}

static void preemptirq_irqs(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, register_trace_irq_disable(irq_off_probe, NULL), 0);
	KUNIT_ASSERT_EQ(test, register_trace_irq_enable(irq_on_probe, NULL), 0);
	/* An interrupt or a switch in between adds pairs of its own. */
	for (int i = 0; i < 100; i++) {
		preemptirq_start();
		mask_and_unmask();
		mask_and_unmask();
		preemptirq_stop();
		if (!strcmp(seen, "dede"))
			break;
	}
	unregister_trace_irq_disable(irq_off_probe, NULL);
	unregister_trace_irq_enable(irq_on_probe, NULL);
	tracepoint_synchronize_unregister();
	KUNIT_EXPECT_STREQ(test, seen, "dede");
	KUNIT_EXPECT_GE(test, seen_ip, (unsigned long)mask_and_unmask);
	KUNIT_EXPECT_LT(test, seen_ip, (unsigned long)mask_and_unmask + 256);
}
#endif

#ifdef CONFIG_TRACE_PREEMPT_TOGGLE
static void preempt_off_probe(void *data, unsigned long ip, unsigned long parent)
{
	preemptirq_note('d', ip);
}

static void preempt_on_probe(void *data, unsigned long ip, unsigned long parent)
{
	preemptirq_note('e', ip);
}

static noinline void forbid_and_permit(void)
{
	preempt_disable();
	preempt_disable();
	preempt_enable();
	preempt_enable();
}

static void preemptirq_preemption(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, register_trace_preempt_disable(preempt_off_probe, NULL), 0);
	KUNIT_ASSERT_EQ(test, register_trace_preempt_enable(preempt_on_probe, NULL), 0);
	for (int i = 0; i < 100; i++) {
		preemptirq_start();
		forbid_and_permit();
		forbid_and_permit();
		preemptirq_stop();
		if (!strcmp(seen, "dede"))
			break;
	}
	unregister_trace_preempt_disable(preempt_off_probe, NULL);
	unregister_trace_preempt_enable(preempt_on_probe, NULL);
	tracepoint_synchronize_unregister();
	KUNIT_EXPECT_STREQ(test, seen, "dede");
	KUNIT_EXPECT_GE(test, seen_ip, (unsigned long)forbid_and_permit);
	KUNIT_EXPECT_LT(test, seen_ip, (unsigned long)forbid_and_permit + 256);
}
#endif

static struct kunit_case preemptirq_cases[] = {
#ifdef CONFIG_TRACE_IRQFLAGS
	KUNIT_CASE(preemptirq_irqs),
#endif
#ifdef CONFIG_TRACE_PREEMPT_TOGGLE
	KUNIT_CASE(preemptirq_preemption),
#endif
	{ }
};

static struct kunit_suite preemptirq_suite = {
	.name		= "trace-preemptirq",
	.test_cases	= preemptirq_cases,
};

kunit_test_suite(preemptirq_suite);
