// SPDX-License-Identifier: GPL-2.0
/*
 * A function with a call site, which nobody but the function tracer's tests calls. The
 * Makefile lets the compiler put the call there.
 */
#include <linux/compiler.h>

#include "tracers/tests/targets.h"

noinline void kunit_function_target(void)
{
	barrier();
}
