// SPDX-License-Identifier: GPL-2.0
/*
 * A function with a call site, for the suite of function commands. The Makefile lets the compiler
 * put the call there.
 */
#include <linux/compiler.h>

#include "functions/tests/command_targets.h"

noinline void command_target(void)
{
	barrier();
}
