/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For KUnit suites of other layers: count the cycles that calls of a function cost. The count
 * is meant for QEMU's -icount shift=0, where a cycle is an instruction, and the shortest of
 * several runs is always the same.
 */
#ifndef _TRACE_LIB_COST_H
#define _TRACE_LIB_COST_H

#include <kunit/test.h>

#include <linux/minmax.h>
#include <linux/timex.h>

#define TRACE_COST_CALLS	1000
#define TRACE_COST_RUNS		20

/* Of TRACE_COST_CALLS calls; @call does as many as it is told. */
static inline u64 trace_cost_of(void (*call)(int times))
{
	u64 best = U64_MAX, start, took;
	int run;

	for (run = 0; run < TRACE_COST_RUNS; run++) {
		start = get_cycles();
		call(TRACE_COST_CALLS);
		took = get_cycles() - start;
		best = min(best, took);
	}
	return best;
}

/* For the init of a suite: where cycles do not count instructions, nothing is tested. */
static inline int trace_cost_init(struct kunit *test, void (*call)(int times))
{
	u64 bare = trace_cost_of(call);
	int i;

	/* A clock that is coarse may say the same twice. */
	for (i = 0; i < TRACE_COST_RUNS; i++) {
		if (!bare || trace_cost_of(call) != bare)
			kunit_skip(test, "cycles do not count instructions");
	}
	return 0;
}

#endif /* _TRACE_LIB_COST_H */
