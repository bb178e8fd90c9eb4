// SPDX-License-Identifier: GPL-2.0
/* Which hits of a trigger count, where not all of them do. */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "events/trigger/pace.h"

static int pace_of(struct trace_pace *pace, char *buf, size_t size, const char *text)
{
	strscpy(buf, text, size);
	return trace_pace_parse(pace, buf);
}

static void words_and_the_rest(struct kunit *test)
{
	static const struct {
		const char *text, *rest, *shown;
	} cases[] = {
		{ "3", "3", "" },
		{ "sched:switch:3", "sched:switch:3", "" },
		{ "3:every=5", "3", ":every=5" },
		{ "sched:switch:every=0x10:after=2", "sched:switch", ":after=2:every=16" },
		{ "a:after=1:b:every=2", "a:after=1:b", ":every=2" },
		{ "sched:ratelimit=1500ms:every=1", "sched", ":every=1:ratelimit=1500ms" },
		{ "sched:ratelimit=60000000us", "sched", ":ratelimit=60s" },
		{ "sched:ratelimit=1ns", "sched", ":ratelimit=1ns" },
		{ "sched:count=9", "sched:count=9", "" },
	};
	struct trace_pace pace;
	char buf[64], shown[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct seq_file m = { .buf = shown, .size = sizeof(shown) - 1 };

		memset(shown, 0, sizeof(shown));
		KUNIT_EXPECT_EQ(test, pace_of(&pace, buf, sizeof(buf), cases[i].text), 0);
		KUNIT_EXPECT_STREQ(test, buf, cases[i].rest);
		trace_pace_show(&m, &pace);
		KUNIT_EXPECT_STREQ(test, shown, cases[i].shown);
	}
	KUNIT_EXPECT_EQ(test, pace_of(&pace, buf, sizeof(buf), "every=4"), 1);
	KUNIT_EXPECT_EQ(test, pace.every, 4);
	KUNIT_EXPECT_EQ(test, pace_of(&pace, buf, sizeof(buf), "every=4:after=3"), 1);
	KUNIT_EXPECT_EQ(test, pace.after, 3);
}

static void bad_words(struct kunit *test)
{
	static const char * const texts[] = {
		"every=", "every=0", "every=x", "every=-1", "after=0", "after=3x", "ratelimit=",
		"ratelimit=5", "ratelimit=0s", "ratelimit=ms", "ratelimit=5m", "ratelimit=5 s",
		"every=2:every=3", "ratelimit=1s:ratelimit=1s",
	};
	struct trace_pace pace;
	char buf[64];

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		KUNIT_EXPECT_EQ_MSG(test, pace_of(&pace, buf, sizeof(buf), texts[i]), -EINVAL,
				    "%s", texts[i]);
	KUNIT_EXPECT_EQ(test, pace_of(&pace, buf, sizeof(buf), "ratelimit=9999999999999s"),
			-ERANGE);
}

static void every_behind_after(struct kunit *test)
{
	struct trace_pace pace = { .after = 2, .every = 3 };

	for (int i = 0; i < 20; i++)
		KUNIT_EXPECT_EQ(test, trace_pace_take(&pace, 0), i >= 2 && (i - 2) % 3 == 0);
	KUNIT_EXPECT_FALSE(test, trace_pace_is_any(&pace));
	pace = (struct trace_pace){ .every = 1 };
	KUNIT_EXPECT_TRUE(test, trace_pace_is_any(&pace));
	pace = (struct trace_pace){ .after = 1 };
	KUNIT_EXPECT_FALSE(test, trace_pace_take(&pace, 0));
	KUNIT_EXPECT_TRUE(test, trace_pace_take(&pace, 0));
	KUNIT_EXPECT_TRUE(test, trace_pace_take(&pace, 0));
}

static void gaps_between_actions(struct kunit *test)
{
	struct trace_pace pace = { .gap = 100 };

	KUNIT_EXPECT_TRUE(test, trace_pace_take(&pace, 1000));
	KUNIT_EXPECT_FALSE(test, trace_pace_take(&pace, 1000));
	KUNIT_EXPECT_FALSE(test, trace_pace_take(&pace, 1099));
	KUNIT_EXPECT_FALSE(test, trace_pace_take(&pace, 900));
	KUNIT_EXPECT_TRUE(test, trace_pace_take(&pace, 1100));
	KUNIT_EXPECT_FALSE(test, trace_pace_take(&pace, 1199));
	KUNIT_EXPECT_TRUE(test, trace_pace_take(&pace, 5000));
	KUNIT_EXPECT_FALSE(test, trace_pace_take(&pace, 5050));
}

static struct kunit_case pace_cases[] = {
	KUNIT_CASE(words_and_the_rest),
	KUNIT_CASE(bad_words),
	KUNIT_CASE(every_behind_after),
	KUNIT_CASE(gaps_between_actions),
	{ }
};

static struct kunit_suite pace_suite = {
	.name		= "trace-event-pace",
	.test_cases	= pace_cases,
};

kunit_test_suite(pace_suite);
