// SPDX-License-Identifier: GPL-2.0
/* Histograms as users write and read them, of an event that the test raises. */
#include <linux/err.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "events/hist/internal.h"
#include "events/tests/pretend.h"
#include "instance/buffers.h"

struct hist_env {
	struct trace_event_file	*file;
	struct trace_event_file	*other;
	char			text[16384];
};

static const char *hist_text(struct hist_env *env, struct trace_event_file *file)
{
	struct seq_file m = { .buf = env->text, .size = sizeof(env->text) - 1 };

	memset(env->text, 0, sizeof(env->text));
	return trace_hist_file_show(&m, file) ? NULL : env->text;
}

static const char *hist_spec_text(struct hist_env *env)
{
	struct seq_file m = { .buf = env->text, .size = sizeof(env->text) - 1 };
	struct trace_trigger *trigger;

	memset(env->text, 0, sizeof(env->text));
	guard(trace_events)();
	for_each_trace_trigger(trigger, env->file)
		trigger->command->show(&m, trigger);
	return env->text;
}

static void hist_clean(void *data)
{
	struct hist_env *env = data;

	trace_trigger_truncate(env->file);
	trace_trigger_truncate(env->other);
}

static int hist_init(struct kunit *test)
{
	struct hist_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);
	struct trace_array *tr = trace_top_instance();

	KUNIT_ASSERT_NOT_NULL(test, env);
	KUNIT_ASSERT_NOT_NULL(test, tr);
	scoped_guard(trace_instances)
		KUNIT_ASSERT_EQ(test, trace_array_expand(tr), 0);
	env->file = pretended_file(tr, pretend_added(test, "kunit_hist", "one"));
	env->other = pretended_file(tr, pretend_added(test, "kunit_hist", "two"));
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, hist_clean, env), 0);
	test->priv = env;
	return 0;
}

static void counted_and_sorted(struct kunit *test)
{
	struct hist_env *env = test->priv;

	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->file,
		"hist:keys=num:vals=num,hitcount:sort=num.descending"), 0);
	for (int i = 0; i < 6; i++)
		pretended_hit(env->file, i % 3, 0);
	KUNIT_EXPECT_STREQ(test, hist_text(env, env->file),
		"# event histogram\n#\n# trigger info: hist:keys=num:vals=hitcount,num:"
		"sort=num.descending:size=2048 [active]\n#\n\n"
		"{ num:          2 } hitcount:          2  num:          4\n"
		"{ num:          1 } hitcount:          2  num:          2\n"
		"{ num:          0 } hitcount:          2  num:          0\n"
		"\nTotals:\n    Hits: 6\n    Entries: 3\n    Dropped: 0\n");
}

/* A text is shown in the order that users know, and can be written again. */
static void texts_come_back(struct kunit *test)
{
	static const char * const texts[][2] = {
		{ "hist:key=num", "hist:keys=num:vals=hitcount:sort=hitcount:size=2048 [active]\n" },
		{ "hist:keys=num.bucket=16:size=129",
		  "hist:keys=num.buckets=16:vals=hitcount:sort=hitcount:size=256 [active]\n" },
		{ "hist:keys=num.hex:vals=num.percent,hitcount.graph:NOHC:pause if num > 1",
		  "hist:keys=num.hex:vals=num.percent,hitcount.graph:sort=hitcount:size=2048:"
		  "nohitcount if num > 1 [paused]\n" },
		{ "hist:name=kunit:keys=cpu,stacktrace:sort=common_cpu,hitcount.descending",
		  "hist:name=kunit:keys=common_cpu,common_stacktrace:vals=hitcount:"
		  "sort=common_cpu,hitcount.descending:size=2048 [active]\n" },
		{ "hist:keys=common_pid.execname,text:size=100",
		  "hist:keys=common_pid.execname,text:vals=hitcount:sort=hitcount:size=128 [active]\n" },
	};
	struct hist_env *env = test->priv;

	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++) {
		KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, texts[i][0]), 0);
		KUNIT_EXPECT_STREQ(test, hist_spec_text(env), texts[i][1]);
		trace_trigger_truncate(env->file);
		KUNIT_EXPECT_STREQ(test, hist_spec_text(env), "");
	}
}

static void refused(struct kunit *test)
{
	static const char * const texts[] = {
		"hist", "hist:", "hist:keys", "hist:keys=", "hist:keys=foo", "hist:vals=num",
		"hist:keys=num:foo", "hist:keys=num.foo", "hist:keys=num.hex.sym",
		"hist:keys=num.execname", "hist:keys=num.buckets=0", "hist:keys=num.buckets",
		"hist:keys=num.percent", "hist:keys=num:vals=num.log2", "hist:keys=num:vals=text",
		"hist:keys=num:vals=hitcount:nohitcount", "hist:keys=num:size=0",
		"hist:keys=num:size=131073", "hist:keys=num:size=18446744073709551615",
		"hist:keys=num:size=1", "hist:keys=num:sort=", "hist:keys=num:sort=foo",
		"hist:keys=num:sort=num.foo", "hist:keys=num:sort=num,", "hist:keys=num,,num",
		"hist:keys=num:sort=num,num,num", "hist:keys=num,num,num,num",
		"hist:keys=common_timestamp:clock=foo", "hist:keys=num if foo > 1",
		"hist:keys=num:x=", "hist:keys=$x", "hist:keys=num:onmax($x).save(num)",
	};
	struct hist_env *env = test->priv;

	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++)
		KUNIT_EXPECT_EQ_MSG(test, trace_trigger_write(env->file, texts[i]), -EINVAL,
				    "%s", texts[i]);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "hist:keys=num:clear"), -ENOENT);
	KUNIT_EXPECT_STREQ(test, hist_spec_text(env), "");
}

static void paused_cleared_removed(struct kunit *test)
{
	struct hist_env *env = test->priv;

	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->file, "hist:keys=num"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "hist:keys=num"), -EEXIST);
	pretended_hit(env->file, 1, 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "hist:keys=num:pause"), 0);
	pretended_hit(env->file, 1, 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->file) ?: "", "Hits: 1\n"));
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "hist:keys=num:cont"), 0);
	pretended_hit(env->file, 1, 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->file) ?: "", "Hits: 2\n"));
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "hist:keys=num:clear"), 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->file) ?: "", "Hits: 0\n"));
	/* A filter makes it another one. */
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "hist:keys=num if num > 4"), 0);
	pretended_hit(env->file, 4, 0);
	pretended_hit(env->file, 5, 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->file) ?: "", "Hits: 2\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(env->text, "Hits: 1\n"));
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!hist:keys=num if num > 5"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!hist:keys=num"), 0);
	KUNIT_EXPECT_STREQ(test, hist_spec_text(env),
		"hist:keys=num:vals=hitcount:sort=hitcount:size=2048 if num > 4 [active]\n");
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!hist:keys=num if num > 4"), 0);
	KUNIT_EXPECT_STREQ(test, hist_text(env, env->file), "");
}

static void shared_by_name(struct kunit *test)
{
	struct hist_env *env = test->priv;

	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->file, "hist:name=n:keys=num"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "hist:name=n:keys=num"), -EEXIST);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->other, "hist:name=n:keys=num.hex"), -EINVAL);
	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->other, "hist:name=n:keys=num"), 0);
	pretended_hit(env->file, 1, 0);
	pretended_hit(env->other, 1, 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->file) ?: "", "Hits: 2\n"));
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!hist:name=n:keys=num"), 0);
	pretended_hit(env->other, 2, 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->other) ?: "", "Hits: 3\n"));
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->other, "!hist:name=n:keys=num"), 0);
	/* The name is free for other keys at once. */
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->other, "hist:name=n:keys=text"), 0);
}

/* Hits that have no place are told, and keys that have one count on. */
static void full_is_told(struct kunit *test)
{
	struct hist_env *env = test->priv;

	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->file,
		"hist:keys=num:vals=num.percent:size=128:sort=num"), 0);
	for (int i = 0; i < 130; i++)
		pretended_hit(env->file, i, 0);
	pretended_hit(env->file, 0, 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->file) ?: "",
		"{ num:          0 } hitcount:          2  num (%):   0.00\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(env->text,
		"    Hits: 129\n    Entries: 128\n    Dropped: 2\n        full: 2, at least "));
}

static void modifiers(struct kunit *test)
{
	struct hist_env *env = test->priv;

	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->file,
		"hist:keys=num.log2,num.buckets=100,num.hex:vals=num.graph,num.hex"), 0);
	pretended_hit(env->file, 319, 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->file),
		"{ num: ~ 2^9 , num: ~ 300-399, num: 13f } hitcount:          1"
		"  num: ####################  num:        13f\n"));
}

/* Another event lets the histograms of an event count, and pauses them. */
static void paused_by_another_event(struct kunit *test)
{
	struct hist_env *env = test->priv;

	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->file, "hist:keys=num:pause"), 0);
	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->other,
		"enable_hist:kunit_hist:one:1 if num == 1"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->other, "disable_hist:kunit_hist:one"),
			-EEXIST);
	pretended_hit(env->other, 2, 0);
	pretended_hit(env->file, 7, 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->file) ?: "", "Hits: 0\n"));
	pretended_hit(env->other, 1, 0);
	pretended_hit(env->file, 7, 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->file) ?: "", "Hits: 1\n"));
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->other, "!enable_hist:kunit_hist:one"), 0);
	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->other, "disable_hist:kunit_hist:one"), 0);
	pretended_hit(env->other, 1, 0);
	pretended_hit(env->file, 7, 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->file) ?: "", "Hits: 1\n"));
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->other, "!disable_hist:kunit_hist:one"), 0);
}

static struct kunit_case hist_cases[] = {
	KUNIT_CASE(counted_and_sorted),
	KUNIT_CASE(texts_come_back),
	KUNIT_CASE(refused),
	KUNIT_CASE(paused_cleared_removed),
	KUNIT_CASE(shared_by_name),
	KUNIT_CASE(full_is_told),
	KUNIT_CASE(modifiers),
	KUNIT_CASE(paused_by_another_event),
	{}
};

static struct kunit_suite hist_suite = {
	.name		= "trace-event-hist",
	.init		= hist_init,
	.test_cases	= hist_cases,
};

kunit_test_suite(hist_suite);
