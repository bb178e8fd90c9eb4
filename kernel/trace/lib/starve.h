/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For tests: allocations of the test's task that fail.
 */
#ifndef _TRACE_LIB_STARVE_H
#define _TRACE_LIB_STARVE_H

#include <linux/types.h>

struct kunit;

/* With CONFIG_FAILSLAB. */
void starve_init(struct kunit *test);
void starve_begin(unsigned int nth);
bool starve_end(void);

/* More allocations than anything that a test does. */
#define STARVE_MOST	10000

/*
 * Run the statement behind it with the first allocation of slabs failing in it, then with the
 * second, and so on, until a run has fewer. The statement begins with starve_begin(@_nth), does
 * one thing, and lets @_starved be what starve_end() returns.
 */
#define for_each_starved(_nth, _starved)					\
	for (_nth = 1, _starved = true; _starved && _nth < STARVE_MOST; _nth++)

#endif /* _TRACE_LIB_STARVE_H */
