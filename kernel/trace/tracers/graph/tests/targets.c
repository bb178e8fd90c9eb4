// SPDX-License-Identifier: GPL-2.0
/*
 * Functions with call sites, which the function_graph tracer traces for its tests. The
 * Makefile lets the compiler put the calls there.
 */
#include <linux/compiler.h>

#include "lib/one_cpu.h"
#include "tracers/graph/tests/targets.h"

/* A barrier behind a call keeps it from becoming a jump. */

noinline long kunit_graph_leaf(long x)
{
	barrier();
	return x + 1;
}

noinline long kunit_graph_mid(long x)
{
	long ret = kunit_graph_leaf(x);

	barrier();
	return ret + 1;
}

noinline long kunit_graph_root(long x)
{
	long ret = kunit_graph_leaf(x);

	ret = kunit_graph_mid(ret);
	barrier();
	return ret + 1;
}

/* The compiler makes a jump of the call, unless frames have pointers. */
noinline long kunit_graph_jump(long x)
{
	return kunit_graph_leaf(x);
}

noinline long kunit_graph_jump_caller(long x)
{
	long ret = kunit_graph_jump(x);

	barrier();
	return ret + 1;
}

noinline void kunit_graph_call(void (*func)(void *arg), void *arg)
{
	func(arg);
	barrier();
}

noinline void kunit_graph_sleep(unsigned int ms)
{
	test_sleep(ms);
	barrier();
}
