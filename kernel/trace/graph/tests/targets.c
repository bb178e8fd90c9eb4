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

/* The compiler makes a jump of the call, unless frames have pointers. */
noinline long graph_target_jump(long x)
{
	barrier();
	return graph_target_add(x + 1);
}

/* The compiler makes a loop of a call of itself, so this goes to it by an address. */
static long (*target_again)(long x, int times) = graph_target_again;

noinline long graph_target_again(long x, int times)
{
	barrier();
	return times ? READ_ONCE(target_again)(x, times - 1) : x;
}

noinline long graph_target_call_jump(long (*func)(void *arg), void *arg)
{
	barrier();
	return graph_target_call(func, arg);
}

noinline long graph_target_call_then_jump(long (*func)(void *arg), void *arg)
{
	func(arg);
	barrier();
	return graph_target_add(1);
}

/* Nothing can be made a loop of what has a barrier behind the call. */
noinline long graph_target_recurse(long depth)
{
	long below = depth ? graph_target_recurse(depth - 1) : 0;

	barrier();
	return below + 1;
}

noinline struct graph_pair graph_target_pair(long low, long high)
{
	struct graph_pair pair = { .low = low + 1, .high = high + 1 };

	barrier();
	return pair;
}

noinline long graph_target_call(long (*func)(void *arg), void *arg)
{
	long ret = func(arg);

	barrier();
	return ret + 1;
}
