// SPDX-License-Identifier: GPL-2.0
/*
 * Functions with call sites, which the profiler counts for its tests. The Makefile lets the
 * compiler put the calls there. A barrier behind a call keeps it from becoming a jump.
 */
#include <linux/compiler.h>

#include "profile/tests/targets.h"

noinline long kunit_profile_leaf(long x)
{
	barrier();
	return x + 1;
}

/* Calls the leaf once. */
noinline long kunit_profile_mid(long x)
{
	x = kunit_profile_leaf(x);
	barrier();
	return x + 1;
}

/* Calls the leaf twice, and mid once. */
noinline long kunit_profile_root(long x)
{
	x = kunit_profile_leaf(x);
	x = kunit_profile_mid(x);
	x = kunit_profile_leaf(x);
	barrier();
	return x + 1;
}

noinline void kunit_profile_call(void (*func)(void *arg), void *arg)
{
	func(arg);
	barrier();
}

/* So many calls, each within the one before. */
noinline long kunit_profile_recurse(long times)
{
	long ret = times > 1 ? kunit_profile_recurse(times - 1) : 0;

	barrier();
	return ret + 1;
}
