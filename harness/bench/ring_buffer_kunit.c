// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of the ring buffer to write and read an event: nanoseconds of many events, and few
 * events for steps.c to count their instructions. harness/bench/ring_buffer builds it into a copy
 * of the base tree and of ours.
 */
#include <kunit/test.h>

#include "ring_buffer_work.h"

#define EVENTS		200000
#define ROUNDS		25
#define FEW_EVENTS	2000
#define FEW_ROUNDS	2

static void measure(struct kunit *test, unsigned int events, unsigned int rounds)
{
	size_t i;

	set_cpus_allowed_ptr(current, cpumask_of(0));
	for (i = 0; i < ARRAY_SIZE(ring_works); i++) {
		s64 ns = ring_work_ns(&ring_works[i], events, rounds);

		KUNIT_EXPECT_GT_MSG(test, ns, 0, "%s\n", ring_works[i].name);
		if (ns > 0)
			kunit_info(test, "did %s %u %lld ps\n", ring_works[i].name, events,
				   ns * 1000 / events);
	}
}

static void speed(struct kunit *test)
{
	measure(test, EVENTS, ROUNDS);
}

static void steps(struct kunit *test)
{
	measure(test, FEW_EVENTS, FEW_ROUNDS);
}

static struct kunit_case speed_cases[] = {
	KUNIT_CASE_SLOW(speed),
	{}
};

static struct kunit_case steps_cases[] = {
	KUNIT_CASE_SLOW(steps),
	{}
};

static struct kunit_suite speed_suite = {
	.name = "ring_buffer_speed",
	.test_cases = speed_cases,
};

static struct kunit_suite steps_suite = {
	.name = "ring_buffer_steps",
	.test_cases = steps_cases,
};

kunit_test_suites(&speed_suite, &steps_suite);

MODULE_DESCRIPTION("Speed of the ring buffer");
MODULE_LICENSE("GPL");
