/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What calls of a function cost, for QEMU's -icount shift=0, where a cycle is an
 * instruction, and the shortest of several runs is always the same.
 */
#ifndef _TRACE_HOOKS_TESTS_COST_H
#define _TRACE_HOOKS_TESTS_COST_H

#include <kunit/test.h>

#include <linux/minmax.h>
#include <linux/timex.h>

#include "hooks/tests/targets.h"

#define COST_CALLS	1000
#define COST_RUNS	20

/* Of COST_CALLS calls of hooks_target_1(). */
static inline u64 cost_of_calls(void)
{
	u64 best = U64_MAX, start, took;
	int run, i;

	for (run = 0; run < COST_RUNS; run++) {
		start = get_cycles();
		for (i = 0; i < COST_CALLS; i++)
			hooks_target_1(i);
		took = get_cycles() - start;
		best = min(best, took);
	}
	return best;
}

/* For suites: where cycles do not count instructions, nothing is tested. */
static inline int cost_init(struct kunit *test)
{
	u64 bare = cost_of_calls();
	int i;

	/* A clock that is coarse may say the same twice. */
	for (i = 0; i < COST_RUNS; i++) {
		if (!bare || cost_of_calls() != bare)
			kunit_skip(test, "cycles do not count instructions");
	}
	return 0;
}

#endif /* _TRACE_HOOKS_TESTS_COST_H */
