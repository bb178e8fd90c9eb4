// SPDX-License-Identifier: GPL-2.0
/*
 * Orders of events that were wrong once, one after the other, a file for each subject.  A case
 * that needs a second CPU has a thread for it, and says when it does what.
 */
#include "cases.h"

int test_cases(void)
{
	static const struct test_case *const groups[] = {
		wait_cases, swap_cases, persist_cases, read_cases, size_cases, write_cases,
		hotplug_cases,
	};

	return test_run("cases", groups, ARRAY_SIZE(groups), 30);
}
