// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: waiting until callbacks have ended, and what they may have used is freed.
 */
#include <linux/delay.h>

#include "hooks/tests/support.h"

/* An object that is freed in some steps: each is a grace period later than the one before. */
struct steps {
	struct ftrace_retired	retired;
	unsigned int		left;
};

static void steps_free(struct ftrace_retired *retired)
{
	struct steps *steps = container_of(retired, struct steps, retired);

	guard(ftrace_lock)();
	WRITE_ONCE(steps->left, steps->left - 1);
	if (steps->left)
		ftrace_retire(&steps->retired);
}

/* The object is not on the list while the work item has it: it counts all the same. */
static void test_steps(struct kunit *test)
{
	static struct steps steps = { .retired.free = steps_free };

	scoped_guard(ftrace_lock) {
		steps.left = 4;
		ftrace_retire(&steps.retired);
	}
	ftrace_hooks_drain();
	KUNIT_EXPECT_EQ(test, 0, READ_ONCE(steps.left));
	/* For a drain that has returned too early. */
	while (READ_ONCE(steps.left))
		msleep(20);
	ftrace_hooks_drain();
}

static struct kunit_case retire_cases[] = {
	KUNIT_CASE(test_steps),
	{}
};

static struct kunit_suite retire_suite = {
	.name = "ftrace_hooks_retire",
	.test_cases = retire_cases,
};

kunit_test_suite(retire_suite);
