// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that the tests of hooks/ hook. Unlike the rest of kernel/trace
 * this file is compiled with call sites, and with nothing else in it.
 */
#include <linux/array_size.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>

#include "hooks/tests/targets.h"

#define TARGET(n)						\
	noinline int hooks_target_##n(int x);			\
	noinline int hooks_target_##n(int x)			\
	{							\
		OPTIMIZER_HIDE_VAR(x);				\
		return x + (n);					\
	}

TARGET(0)
TARGET(1)
TARGET(2)
TARGET(3)
TARGET(4)
TARGET(5)
TARGET(6)
TARGET(7)
TARGET(8)
TARGET(9)
TARGET(10)
TARGET(11)

noinline unsigned long hooks_arguments(unsigned long a, unsigned long b, unsigned long c,
				       unsigned long d, unsigned long e, unsigned long f,
				       unsigned long g, unsigned long h, unsigned long i)
{
	const unsigned long digits[] = { a, b, c, d, e, f, g, h, i };
	unsigned long number = 0;
	int nr;

	for (nr = 0; nr < ARRAY_SIZE(digits); nr++)
		number = number * 10 + digits[nr];
	return number;
}

noinline int hooks_target_replaced(int x)
{
	OPTIMIZER_HIDE_VAR(x);
	return x - 1;
}

__weak noinline int hooks_replaced_weak(int x, int y)
{
	return 0;
}

int (*const hooks_targets[HOOKS_TARGETS])(int x) = {
	hooks_target_0, hooks_target_1, hooks_target_2, hooks_target_3,
	hooks_target_4, hooks_target_5, hooks_target_6, hooks_target_7,
	hooks_target_8, hooks_target_9, hooks_target_10, hooks_target_11,
};
