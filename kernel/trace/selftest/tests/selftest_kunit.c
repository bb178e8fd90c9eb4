// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of selftest/: a tracer whose test fails is not offered any more.
 */
#include <kunit/test.h>

#include "selftest/internal.h"

static int seen;		/* the test saw a tracer that was switched on */

static int tracer_init(struct trace_array *tr)
{
	seen++;
	return 0;
}

static int tracer_test(struct trace_array *tr, const char *name)
{
	guard(trace_instances)();
	return trace_set_tracer(tr, name);
}

static int good_selftest(struct trace_array *tr)
{
	return tracer_test(tr, "kunit_good");
}

static int bad_selftest(struct trace_array *tr)
{
	return tracer_test(tr, "kunit_bad") ?: -EINVAL;
}

static const struct tracer good = {
	.name			= "kunit_good",
	.init			= tracer_init,
	.selftest		= good_selftest,
	.allow_instances	= true,
};

static const struct tracer bad = {
	.name			= "kunit_bad",
	.init			= tracer_init,
	.selftest		= bad_selftest,
};

static void selftest_keeps_good(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, trace_tracer_register(&good), 0);
	seen = 0;
	KUNIT_EXPECT_EQ(test, trace_selftest_tracer(&good), 0);
	KUNIT_EXPECT_EQ(test, seen, 1);
	KUNIT_EXPECT_EQ(test, trace_tracer_unregister(&good), 0);
}

/* For the top instance alone. */
static void selftest_disables_bad(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, trace_tracer_register(&bad), 0);
	seen = 0;
	KUNIT_EXPECT_EQ(test, trace_selftest_tracer(&bad), -EINVAL);
	KUNIT_EXPECT_EQ(test, seen, 1);
	KUNIT_EXPECT_STREQ(test, trace_top_instance()->current_trace->name, "nop");
	KUNIT_EXPECT_EQ(test, trace_tracer_unregister(&bad), -ENODEV);
}

static struct kunit_case selftest_cases[] = {
	KUNIT_CASE(selftest_keeps_good),
	KUNIT_CASE(selftest_disables_bad),
	{}
};

static struct kunit_suite selftest_suite = {
	.name		= "trace_selftest",
	.test_cases	= selftest_cases,
};

kunit_test_suite(selftest_suite);

MODULE_DESCRIPTION("KUnit test of the startup tests");
MODULE_LICENSE("GPL");
