// SPDX-License-Identifier: GPL-2.0
/* KUnit: tracepoint probes, on tracepoints without events that the tests hit. */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/ring_buffer.h>
#include <linux/tracepoint.h>

#include "instance/instance.h"
#include "probes/tests/found.h"

/* As many parameters as a tracepoint can have, of all sizes. */
#define TPROBE_PROTO							\
	TP_PROTO(u8 a, s16 b, u32 c, u64 d, s8 e, s64 f, bool g,	\
		 const void *h, u16 i, s32 j, s16 k, u64 l)
#define TPROBE_ARGS	TP_ARGS(a, b, c, d, e, f, g, h, i, j, k, l)

DECLARE_TRACE(kunit_tprobe, TPROBE_PROTO, TPROBE_ARGS);
DEFINE_TRACE_FN(kunit_tprobe, NULL, NULL, TPROBE_PROTO, TPROBE_ARGS);

DECLARE_TRACE(kunit_tprobe_other, TP_PROTO(long a), TP_ARGS(a));
DEFINE_TRACE_FN(kunit_tprobe_other, NULL, NULL, TP_PROTO(long a), TP_ARGS(a));

static void tprobe_hit_words(void)
{
	trace_kunit_tprobe(200, -2, 4000000000, 1ULL << 60, -5, -6, true, tprobe_hit_words, 60000,
			   -10, -11, ~0ULL - 12);
}

/* Each parameter comes through, whether it was passed in a register or not. */
static void tprobe_words(struct kunit *test)
{
	static const char low[] =
		"t:kunit/low kunit_tprobe a=$arg1:u8 b=$arg2:s16 c=$arg3:u32 d=$arg4:u64 e=$arg5:s8";
	static const char high[] =
		"t:kunit/high kunit_tprobe f=$arg6:s64 g=$arg7:u8 h=$arg8 i=$arg9:u16 j=$arg10:s32";
	static const char last[] = "t:kunit/last kunit_tprobe k=$arg11:s16 l=$arg12:x64";
	static const struct {
		const char	*name;
		u64		val;
	} words[] = {
		{ "a", 200 }, { "b", -2 }, { "c", 4000000000 }, { "d", 1ULL << 60 }, { "e", -5 },
		{ "f", -6 }, { "g", 1 }, { "h", (unsigned long)tprobe_hit_words }, { "i", 60000 },
		{ "j", -10 }, { "k", -11 }, { "l", ~0ULL - 12 },
	};
	static const char * const events[] = { "low", "high", "last" };
	struct trace_array *tr = trace_top_instance();
	const char *event;
	struct found *found;

	KUNIT_ASSERT_EQ(test, found_run(low), 0);
	KUNIT_ASSERT_EQ(test, found_run(high), 0);
	KUNIT_ASSERT_EQ(test, found_run(last), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(words); i++) {
		event = events[i / 5];
		KUNIT_ASSERT_EQ(test, found_switch(tr, event, true), 0);
		tprobe_hit_words();
		KUNIT_ASSERT_EQ(test, found_switch(tr, event, false), 0);
		found = found_records(test, tr, event);
		KUNIT_ASSERT_EQ(test, found->nr, 1);
		KUNIT_EXPECT_EQ_MSG(test, found_value(test, found, event, words[i].name),
				    words[i].val, "%s", words[i].name);
		KUNIT_EXPECT_EQ(test, found_value(test, found, event, "__probe_ip"),
				(unsigned long)__tracepoint_kunit_tprobe.probestub);
	}
}

/* A tracepoint is on as long as an event of a probe of it is on somewhere. */
static void tprobe_on_while_used(struct kunit *test)
{
	struct trace_array *tr = found_instance(test), *top = trace_top_instance();

	KUNIT_ASSERT_EQ(test, found_run("t:kunit/ev kunit_tprobe_other $arg1"), 0);
	KUNIT_EXPECT_FALSE(test, trace_kunit_tprobe_other_enabled());
	KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", true), 0);
	KUNIT_EXPECT_TRUE(test, trace_kunit_tprobe_other_enabled());
	KUNIT_ASSERT_EQ(test, found_switch(top, "ev", true), 0);
	trace_kunit_tprobe_other(1);
	KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", false), 0);
	KUNIT_EXPECT_TRUE(test, trace_kunit_tprobe_other_enabled());
	trace_kunit_tprobe_other(2);
	KUNIT_EXPECT_EQ(test, found_run("-:kunit/ev"), -EBUSY);
	KUNIT_ASSERT_EQ(test, found_switch(top, "ev", false), 0);
	KUNIT_EXPECT_FALSE(test, trace_kunit_tprobe_other_enabled());
	trace_kunit_tprobe_other(3);
	KUNIT_EXPECT_EQ(test, found_records(test, tr, "ev")->nr, 1);
	KUNIT_EXPECT_EQ(test, found_records(test, top, "ev")->nr, 2);
}

/* Two tracepoints of one event; a probe that is added is on at once. */
static void tprobe_two(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();

	KUNIT_ASSERT_EQ(test, found_run("t:kunit/ev kunit_tprobe a=$arg1:u8"), 0);
	KUNIT_EXPECT_EQ(test, found_run("t:kunit/ev kunit_tprobe a=$arg1:u8"), -EEXIST);
	KUNIT_EXPECT_EQ(test, found_run("t:kunit/ev kunit_tprobe_other b=$arg1:u8"), -EEXIST);
	KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", true), 0);
	KUNIT_ASSERT_EQ(test, found_run("t:kunit/ev kunit_tprobe_other a=$arg1:u8"), 0);
	tprobe_hit_words();
	trace_kunit_tprobe_other(3);
	KUNIT_EXPECT_EQ(test, found_records(test, tr, "ev")->nr, 2);
	KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", false), 0);
	KUNIT_EXPECT_EQ(test, found_run("-:kunit/ev kunit_tprobe"), 0);
	KUNIT_EXPECT_STREQ(test, found_line(test, "ev"),
			   "t:kunit/ev kunit_tprobe_other a=$arg1:u8\n");
	KUNIT_ASSERT_EQ(test, found_switch(tr, "ev", true), 0);
	tprobe_hit_words();
	trace_kunit_tprobe_other(4);
	KUNIT_EXPECT_EQ(test, found_records(test, tr, "ev")->nr, 1);
}

/* A probe may wait for its module for ever, on and off. */
static void tprobe_waits(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();
	int ret = found_run("t:kunit/ev kunit_tprobe_of_no_module $arg1");

	KUNIT_ASSERT_EQ(test, ret, IS_ENABLED(CONFIG_MODULES) ? 0 : -EINVAL);
	if (ret)
		return;
	KUNIT_EXPECT_EQ(test, found_switch(tr, "ev", true), 0);
	KUNIT_EXPECT_EQ(test, found_run("-:kunit/ev"), -EBUSY);
	KUNIT_EXPECT_EQ(test, found_switch(tr, "ev", false), 0);
	KUNIT_EXPECT_EQ(test, found_run("-:kunit/ev"), 0);
}

static void tprobe_refused(struct kunit *test)
{
	static const char * const lines[] = {
		"t", "t:kunit/ev", "t: kunit_tprobe", "t:/ev kunit_tprobe",
		"t4:kunit/ev kunit_tprobe", "t:kunit/ev kunit_tprobe%return",
		"t:kunit/ev kunit_tp*", "t:kunit/ev mod:kunit_tprobe",
		"t:kunit/ev kunit_tprobe $retval", "t:kunit/ev kunit_tprobe a=%ax",
		"t:kunit/ev kunit_tprobe a=$field",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(lines); i++)
		KUNIT_EXPECT_EQ_MSG(test, found_run(lines[i]), -EINVAL, "%s", lines[i]);
	KUNIT_EXPECT_NULL(test, found_call("ev"));
}

static struct kunit_case tprobe_cases[] = {
	KUNIT_CASE(tprobe_words),
	KUNIT_CASE(tprobe_on_while_used),
	KUNIT_CASE(tprobe_two),
	KUNIT_CASE(tprobe_waits),
	KUNIT_CASE(tprobe_refused),
	{}
};

static int tprobe_init(struct kunit *test)
{
	if (!trace_top_instance())
		kunit_skip(test, "there is no tracing");
	ring_buffer_reset(trace_top_instance()->array_buffer.buffer);
	return 0;
}

static void tprobe_exit(struct kunit *test)
{
	KUNIT_EXPECT_NE(test, found_clear(), -EBUSY);
}

static struct kunit_suite tprobe_suite = {
	.name		= "trace_tprobes",
	.init		= tprobe_init,
	.exit		= tprobe_exit,
	.test_cases	= tprobe_cases,
};

kunit_test_suite(tprobe_suite);
