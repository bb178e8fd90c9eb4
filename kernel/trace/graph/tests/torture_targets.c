// SPDX-License-Identifier: GPL-2.0
/*
 * Functions with call sites for the module graph_torture. The Makefile lets the compiler
 * put the calls there.
 */
#include <linux/delay.h>
#include <linux/export.h>

#include "graph/tests/torture.h"

/* Sleep at the innermost of some calls. */
noinline long torture_call(unsigned int depth, unsigned int ms)
{
	long calls = 0;

	if (depth > 1)
		calls = torture_call(depth - 1, ms);
	else if (ms)
		msleep(ms);
	barrier();
	return calls + 1;
}

/* The compiler makes a jump of the call, unless frames have pointers. */
noinline long torture_jump(unsigned int depth, unsigned int ms)
{
	barrier();
	return torture_call(depth, ms);
}
