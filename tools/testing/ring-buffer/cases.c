// SPDX-License-Identifier: GPL-2.0
/*
 * Orders of events that were wrong once, one after the other, a file for each subject.  A case
 * that needs a second CPU has a thread for it, and says when it does what.
 */
#include "cases.h"

int test_cases(void)
{
	static const struct test_group *const groups[] = {
		&wait_cases, &swap_cases, &persist_cases, &read_cases, &size_cases, &write_cases,
		&hotplug_cases,
	};
	unsigned int failed = 0, all = 0, i;

	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		failed += test_run(groups[i]->cases, groups[i]->nr, 30);
		all += groups[i]->nr;
	}
	printf("cases: %u passed, %u failed\n", all - failed, failed);
	return failed != 0;
}
