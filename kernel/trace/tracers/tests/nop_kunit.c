// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of tracers/nop.c: its two options, one that it takes and one that it
 * refuses.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "instance/instance.h"
#include "instance/option.h"
#include "instance/tracer.h"

static int nop_option(struct trace_array *tr, const char *word)
{
	char text[32];

	strscpy(text, word);
	guard(trace_instances)();
	return trace_option_parse(tr, text);
}

static void nop_expect_options(struct kunit *test, struct trace_array *tr)
{
	u32 before = tr->tracer_options;

	KUNIT_ASSERT_STREQ(test, tr->current_trace->name, "nop");
	KUNIT_EXPECT_EQ(test, nop_option(tr, "test_nop_accept"), 0);
	KUNIT_EXPECT_EQ(test, hweight32(tr->tracer_options ^ before), 1);
	KUNIT_EXPECT_EQ(test, nop_option(tr, "notest_nop_accept"), 0);
	KUNIT_EXPECT_EQ(test, tr->tracer_options, before);
	KUNIT_EXPECT_EQ(test, nop_option(tr, "test_nop_refuse"), -EINVAL);
	KUNIT_EXPECT_EQ(test, tr->tracer_options, before);
	/* It is off already. */
	KUNIT_EXPECT_EQ(test, nop_option(tr, "notest_nop_refuse"), 0);
	KUNIT_EXPECT_EQ(test, tr->tracer_options, before);
}

static void nop_options_top(struct kunit *test)
{
	nop_expect_options(test, trace_top_instance());
}

/* Another instance has options of its own. */
static void nop_options_instance(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit_nop", NULL);
	u32 top = trace_top_instance()->tracer_options;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	nop_expect_options(test, tr);
	KUNIT_EXPECT_EQ(test, nop_option(tr, "test_nop_accept"), 0);
	KUNIT_EXPECT_EQ(test, trace_top_instance()->tracer_options, top);
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
}

static struct kunit_case nop_cases[] = {
	KUNIT_CASE(nop_options_top),
	KUNIT_CASE(nop_options_instance),
	{}
};

static struct kunit_suite nop_suite = {
	.name		= "trace_nop",
	.test_cases	= nop_cases,
};

kunit_test_suite(nop_suite);

MODULE_DESCRIPTION("KUnit test of the tracer nop");
MODULE_LICENSE("GPL");
