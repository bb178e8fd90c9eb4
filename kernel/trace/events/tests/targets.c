// SPDX-License-Identifier: GPL-2.0
/*
 * Functions with call sites, which nobody but the tests of ftrace:function calls. The
 * Makefile lets the compiler put the calls there.
 */
#include <linux/compiler.h>

#include "events/tests/targets.h"

noinline void kunit_perf_first(void)
{
	barrier();
}

noinline void kunit_perf_second(void)
{
	barrier();
}

noinline void kunit_perf_third(void)
{
	barrier();
}

/* The compiler makes a jump of the call; the Makefile asks for that. */
noinline void kunit_perf_jump(void)
{
	barrier();
	kunit_perf_first();
}
