// SPDX-License-Identifier: GPL-2.0
/*
 * Functions with call sites, which nobody but the tests of probes calls. The Makefile lets the
 * compiler put the calls there.
 */
#include <linux/compiler.h>

#include "probes/tests/targets.h"

noinline long kunit_probe_sum(long a, long b)
{
	barrier();
	return a + b;
}

noinline long kunit_probe_other(long a)
{
	barrier();
	return a + 1;
}

/* Calls itself @n times. */
noinline long kunit_probe_deep(long n)
{
	long deeper = n > 0 ? kunit_probe_deep(n - 1) : 0;

	barrier();
	return deeper + 1;
}

noinline long kunit_probe_call(long (*func)(void *arg), void *arg)
{
	long ret = func(arg);

	barrier();
	return ret;
}

/* The carrier of a test calls this while another probe is at work. */
noinline long kunit_probe_nested(long a)
{
	barrier();
	return a + 2;
}
