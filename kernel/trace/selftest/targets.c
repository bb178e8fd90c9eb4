// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that the startup tests hook. Unlike the rest of kernel/trace this file is
 * compiled with call sites. Its functions begin with selftest_.
 */
#include <linux/compiler.h>

#include "selftest/internal.h"

static noinline int trace_selftest_one(int x)
{
	OPTIMIZER_HIDE_VAR(x);
	return x + 1;
}

static noinline int trace_selftest_two(int x)
{
	OPTIMIZER_HIDE_VAR(x);
	return x + 2;
}

int (*const trace_selftest_targets[2])(int x) = { trace_selftest_one, trace_selftest_two };
