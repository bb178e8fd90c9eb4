// SPDX-License-Identifier: GPL-2.0
/*
 * Functions with call sites, whose returns the suites of graph/ hook. The
 * Makefile lets the compiler put the calls there.
 */
#include <linux/compiler.h>

#include "graph/tests/targets.h"

noinline long graph_target_add(long x)
{
	barrier();
	return x + 1;
}

noinline long graph_target_nested(long x)
{
	return graph_target_add(x) * 2;
}
