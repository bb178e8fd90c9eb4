// SPDX-License-Identifier: GPL-2.0
/*
 * Functions with call sites, for the suite of predicates. The Makefile lets the compiler put the
 * calls there.
 */
#include <linux/compiler.h>

#include "functions/tests/judge_targets.h"

noinline void judge_target_one(unsigned long size, int delta, const char *name)
{
	asm volatile("" : : "r" (size), "r" (delta), "r" (name));
}

noinline void judge_target_two(int delta, unsigned long size, const char *name)
{
	asm volatile("" : : "r" (size), "r" (delta), "r" (name));
}
