// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: waiting until callbacks have ended, and what they may have used is freed.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/sched/signal.h>
#include <linux/thread_info.h>

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

struct after {
	unsigned int		calls;
	struct completion	may_end;
};

static void after_call(void *data)
{
	struct after *after = data;

	/* If it is waited for in spite of the signal, it ends by itself. */
	wait_for_completion_timeout(&after->may_end, 10 * HZ);
	WRITE_ONCE(after->calls, after->calls + 1);
}

/* A signal ends the wait, and nothing else. */
static void test_call_after(struct kunit *test)
{
	static struct after after;
	int ret;

	after.calls = 0;
	init_completion(&after.may_end);
	complete(&after.may_end);
	KUNIT_EXPECT_EQ(test, 0, ftrace_hooks_call_after(after_call, &after));
	KUNIT_EXPECT_EQ(test, 1, READ_ONCE(after.calls));
	set_tsk_thread_flag(current, TIF_SIGPENDING);
	ret = ftrace_hooks_call_after(after_call, &after);
	clear_tsk_thread_flag(current, TIF_SIGPENDING);
	KUNIT_EXPECT_EQ(test, -EINTR, ret);
	KUNIT_EXPECT_EQ(test, 1, READ_ONCE(after.calls));
	complete(&after.may_end);
	while (READ_ONCE(after.calls) < 2)
		msleep(20);
}

static struct kunit_case retire_cases[] = {
	KUNIT_CASE(test_steps),
	KUNIT_CASE(test_call_after),
	{}
};

static struct kunit_suite retire_suite = {
	.name = "ftrace_hooks_retire",
	.test_cases = retire_cases,
};

kunit_test_suite(retire_suite);
