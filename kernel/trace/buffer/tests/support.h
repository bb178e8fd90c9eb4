/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Support for the ring buffer's suites: a buffer for a test, and writers that run in a task as
 * if in any context.
 */
#ifndef _TRACE_BUFFER_TESTS_SUPPORT_H
#define _TRACE_BUFFER_TESTS_SUPPORT_H

#include <kunit/test.h>
#include <linux/cpuhotplug.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "buffer/buffer.h"

/* The alignment of events and of their lengths. */
#define TEST_ALIGN	(IS_ENABLED(CONFIG_HAVE_64BIT_ALIGNED_ACCESS) ? 8 : 4)

/* Contexts, outermost first. */
enum test_level { LEVEL_TASK, LEVEL_SOFTIRQ, LEVEL_IRQ, LEVEL_NMI, LEVELS };

/*
 * Have preempt_count say that this is the context of @level; what the
 * writer does then is what it does there.  Interrupts and preemption are off.
 */
static inline void test_enter(enum test_level level)
{
	static const int offset[LEVELS] = {
		[LEVEL_SOFTIRQ] = SOFTIRQ_OFFSET,
		[LEVEL_IRQ] = HARDIRQ_OFFSET,
		[LEVEL_NMI] = NMI_OFFSET,
	};

	__preempt_count_add(offset[level]);
	barrier();
}

static inline void test_leave(enum test_level level)
{
	static const int offset[LEVELS] = {
		[LEVEL_SOFTIRQ] = SOFTIRQ_OFFSET,
		[LEVEL_IRQ] = HARDIRQ_OFFSET,
		[LEVEL_NMI] = NMI_OFFSET,
	};

	barrier();
	__preempt_count_sub(offset[level]);
}

/* Buffers get their CPUs by hotplug; without tracing, nobody has set that up. */
static inline int test_suite_init(struct kunit_suite *suite)
{
	if (IS_ENABLED(CONFIG_TRACING))
		return 0;
	return cpuhp_setup_state_multi(CPUHP_TRACE_RB_PREPARE, "trace/RB:test",
				       trace_rb_cpu_prepare, trace_rb_cpu_dead);
}

static inline void test_suite_exit(struct kunit_suite *suite)
{
	if (!IS_ENABLED(CONFIG_TRACING))
		cpuhp_remove_multi_state(CPUHP_TRACE_RB_PREPARE);
}

#endif /* _TRACE_BUFFER_TESTS_SUPPORT_H */
