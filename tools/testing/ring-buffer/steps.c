// SPDX-License-Identifier: GPL-2.0
/*
 * Each operation with another one in between, after each of its instructions in turn, a file
 * for each subject.  Afterwards everything has to add up.
 */
#include "steps.h"

int test_steps(unsigned long every)
{
	static const struct test_case *const tables[] = {
		write_steps, change_steps, swap_steps, read_steps, wait_steps, map_steps,
	};

	steps.stride = every;
	steps.fine = every / 7 ?: 1;
	return test_run("steps", tables, ARRAY_SIZE(tables), 300);
}
