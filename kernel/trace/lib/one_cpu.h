/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For KUnit suites of other layers: a case that reads records CPU by CPU in the order
 * of their calls, or compares their times, must not migrate.
 */
#ifndef _TRACE_LIB_ONE_CPU_H
#define _TRACE_LIB_ONE_CPU_H

#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include <kunit/test.h>

/* Called by the init function of a suite, which runs in the task of the case. */
static inline void test_on_one_cpu(struct kunit *test)
{
	int cpu = raw_smp_processor_id();

	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
}

#endif
