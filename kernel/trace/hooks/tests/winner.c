// SPDX-License-Identifier: GPL-2.0
/*
 * The function that takes the place of a weak one of targets.c. This file is compiled with
 * call sites, too.
 */
#include <linux/compiler.h>

#include "hooks/tests/targets.h"

noinline int hooks_replaced_weak(int x, int y)
{
	OPTIMIZER_HIDE_VAR(x);
	OPTIMIZER_HIDE_VAR(y);
	return x + y;
}
