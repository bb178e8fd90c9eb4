// SPDX-License-Identifier: GPL-2.0
/*
 * A function with a call site and a frame of a known size, for the suite of the stack
 * tracer. The Makefile lets the compiler put the call there.
 */
#include <linux/compiler.h>

#include "functions/tests/stack_targets.h"

noinline long stack_target(long depth)
{
	char frame[STACK_TARGET_FRAME] = { depth };
	long below = depth ? stack_target(depth - 1) : 0;

	/* The frame is used behind the call, so it is there meanwhile. */
	barrier_data(frame);
	return below + frame[0];
}
