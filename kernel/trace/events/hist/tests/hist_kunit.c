// SPDX-License-Identifier: GPL-2.0
/* Histograms as users write and read them, of an event that the test raises. */
#include <linux/err.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "events/draft.h"
#include "events/dyn/dyn.h"
#include "events/hist/internal.h"
#include "events/hist/poll.h"
#include "events/hist/tests/shown.h"
#include "events/tests/pretend.h"
#include "instance/buffers.h"

struct hist_env {
	struct trace_event_file	*file;
	struct trace_event_file	*other;
	char			text[16384];
};

static const char *hist_text(struct hist_env *env, struct trace_event_file *file)
{
	return shown_hist(file, env->text, sizeof(env->text));
}

static const char *hist_spec_text(struct hist_env *env)
{
	return shown_triggers(env->file, env->text, sizeof(env->text));
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
	trace_trigger_truncate(env->file);

	/* As a variable, each hit is one. */
	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->file,
		"hist:keys=num:x=hitcount:vals=$x"), 0);
	for (int i = 0; i < 3; i++)
		pretended_hit(env->file, 5, 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->file),
		"{ num:          5 } hitcount:          3  x:          3\n"));
}

/* Fields of the head that a draft does not have are counted from the whole record. */
static void counted_by_the_head(struct kunit *test)
{
	struct hist_env *env = test->priv;
	char row[64];

	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->file, "hist:keys=num"), 0);
	KUNIT_EXPECT_TRUE(test, env->file->flags & TRACE_EVENT_COUNTED);
	trace_trigger_truncate(env->file);
	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->file, "hist:keys=common_type"), 0);
	KUNIT_EXPECT_FALSE(test, env->file->flags & TRACE_EVENT_COUNTED);
	pretended_hit(env->file, 5, 0);
	snprintf(row, sizeof(row), "{ common_type: %10u } hitcount:          1\n",
		 env->file->event_call->event.type);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->file), row));
}

/* A text of many read() is of one reading, and one that begins anew is of another. */
static void read_in_parts(struct kunit *test)
{
	struct hist_env *env = test->priv;
	struct hist_open_file open = { .file = env->file };
	struct seq_file m = { .buf = env->text, .size = sizeof(env->text) - 1 };
	loff_t part = 0;

	memset(env->text, 0, sizeof(env->text));
	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->file, "hist:keys=num:sort=num"), 0);
	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->file, "hist:keys=num.hex:sort=num"), 0);
	for (int i = 0; i < 3; i++)
		pretended_hit(env->file, i, 0);
	KUNIT_ASSERT_EQ(test, trace_hist_file_begin(&open), 0);
	while (part < 2)
		KUNIT_EXPECT_TRUE(test, trace_hist_file_show(&m, &open, part++));
	pretended_hit(env->file, 7, 0);
	/* Its histograms may go, too. */
	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->file, "!hist:keys=num.hex:sort=num"), 0);
	while (trace_hist_file_show(&m, &open, part))
		part++;
	KUNIT_EXPECT_EQ(test, part, 2 * (3 + 2));
	KUNIT_EXPECT_NOT_NULL(test, strstr(env->text, "{ num:          2 } hitcount:          1\n"
					   "\nTotals:\n    Hits: 3\n    Entries: 3\n"
					   "    Dropped: 0\n\n\n# event histogram\n"));
	KUNIT_EXPECT_NULL(test, strstr(env->text, "7"));
	trace_hist_file_end(&open);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->file), "{ num:          7 }"));
}

/* Clearing forgets the hits that were missed, too, of all triggers that share the sums. */
static void clearing_forgets_the_missed(struct kunit *test)
{
	static const char text[] = "hist:name=kunit:keys=num:clear";
	struct hist_env *env = test->priv;

	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->file, "hist:name=kunit:keys=num"), 0);
	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->other, "hist:name=kunit:keys=num"), 0);
	/* A trigger is not shown a record that has no place. */
	pretended_hit(env->file, 1, 4096);
	pretended_hit(env->other, 1, 4096);
	pretended_hit(env->other, 1, 4096);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->file), "Dropped: 3\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->other), "nested: 3\n"));
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, text), 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->file), "Dropped: 0\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->other), "Dropped: 0\n"));
	pretended_hit(env->other, 1, 4096);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->file), "Dropped: 1\n"));
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
		{ "hist:keys=num.hex:vals=num.percent:sort=num.percent.descending,num.hex",
		  "hist:keys=num.hex:vals=hitcount,num.percent:"
		  "sort=num.percent.descending,num.hex:size=2048 [active]\n" },
		{ "hist:keys=num.buckets=16:sort=num.buckets=16",
		  "hist:keys=num.buckets=16:vals=hitcount:sort=num.buckets=16:"
		  "size=2048 [active]\n" },
		/* A name that a value and a key both have is that of the value. */
		{ "hist:keys=num:vals=num.hex:sort=num",
		  "hist:keys=num:vals=hitcount,num.hex:sort=num.hex:size=2048 [active]\n" },
		{ "hist:keys=num:x=num:vals=$x:sort=$x.ascending,hitcount",
		  "hist:keys=num:vals=hitcount,$x:x=num:sort=$x,hitcount:size=2048 [active]\n" },
		{ "hist:keys=common_stacktrace.buckets=7",
		  "hist:keys=common_stacktrace:vals=hitcount:sort=hitcount:size=2048 [active]\n" },
		{ "hist:keys=common_pid.execname,text:size=100",
		  "hist:keys=common_pid.execname,text:vals=hitcount:sort=hitcount:size=128 [active]\n" },
	};
	struct hist_env *env = test->priv;
	char text[256];

	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++) {
		KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, texts[i][0]), 0);
		KUNIT_EXPECT_STREQ(test, hist_spec_text(env), texts[i][1]);
		/* The text that is shown names it. */
		snprintf(text, sizeof(text), "!%.*s",
			 (int)(strlen(texts[i][1]) - strlen(" [active]\n")), texts[i][1]);
		KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, text), 0);
		KUNIT_EXPECT_STREQ_MSG(test, hist_spec_text(env), "", "%s", text);
		trace_trigger_truncate(env->file);
	}
}

static void refused(struct kunit *test)
{
	static const char * const texts[] = {
		"hist", "hist:", "hist:keys", "hist:keys=", "hist:keys=foo", "hist:vals=num",
		"hist:keys=num:foo", "hist:keys=num.foo", "hist:keys=num.hex.sym",
		"hist:keys=num.execname", "hist:keys=num.buckets=0", "hist:keys=num.buckets",
		"hist:keys=num.percent", "hist:keys=num:vals=num.log2", "hist:keys=num:vals=text",
		"hist:keys=num:x=num.percent", "hist:keys=num:x=hitcount.graph",
		"hist:keys=num:size=0",
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
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "hist:keys=num:nohitcount"), -ENOENT);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file,
		"hist:keys=num:vals=hitcount:nohitcount"), -ENOENT);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "hist:keys=num:x=num/0"), -EDOM);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file,
		"hist:keys=num:x=num:onmax($x).save(num):onmax($x).save(text)"), -EEXIST);
	KUNIT_EXPECT_STREQ(test, hist_spec_text(env), "");
}

/* A text that names no trigger which is there removes nothing; it is no error. */
static void removed_where_nothing_is(struct kunit *test)
{
	static const char * const texts[] = {
		"!hist:keys=num", "!hist:keys=num:onmax($x).save(num)",
		"!hist:keys=num:x=num:onmax($x).save(nope)",
		"!hist:keys=num:x=num:onmax($x).no_event(num)",
	};
	struct hist_env *env = test->priv;

	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++)
		KUNIT_EXPECT_EQ_MSG(test, trace_trigger_write(env->file, texts[i]), 0, "%s",
				    texts[i]);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!hist:keys=nope"), -EINVAL);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file,
						  "!hist:keys=num:onmatch(no.such).no_event(num)"),
			-EINVAL);
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

/* The table of an event, which is off or on, after three hits. */
static const char *hist_of_hits(struct kunit *test, const char *text, bool on)
{
	struct hist_env *env = test->priv;
	const char *found;

	KUNIT_EXPECT_EQ(test, trace_array_set_clr_event(trace_top_instance(), "kunit_hist", "one",
							on), 0);
	KUNIT_ASSERT_EQ_MSG(test, trace_trigger_write(env->file, text), 0, "%s", text);
	for (unsigned int hit = 0; hit < 3; hit++) {
		/* Another record was in the same place. */
		pretended_hit(env->other, 5, 8);
		pretended_hit(env->file, -3, 4);
	}
	found = hist_text(env, env->file);
	trace_trigger_truncate(env->file);
	trace_array_set_clr_event(trace_top_instance(), "kunit_hist", "one", false);
	KUNIT_ASSERT_NOT_NULL(test, found);
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(found, "Hits: 3\n    Entries: 1\n"), "%s", found);
	return found;
}

/* An event that is off is hit on a shorter way than one that records; both count the same. */
static void same_on_and_off(struct kunit *test)
{
	static const char * const texts[] = {
		"hist:keys=num", "hist:keys=num:vals=num", "hist:keys=num.log2",
		"hist:keys=num:vals=num,hitcount.percent", "hist:keys=num,cpu:vals=num",
		"hist:keys=text", "hist:keys=common_pid.execname:vals=num", "hist:keys=common_pid",
		"hist:keys=common_type,common_preempt_count", "hist:keys=common_tgid",
		"hist:keys=num if num < 0", "hist:keys=num:x=num",
	};
	struct hist_env *env = test->priv;
	char *off;

	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->other, "hist:keys=num:x=num"), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++) {
		off = kunit_kstrdup(test, hist_of_hits(test, texts[i], false), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, off);
		KUNIT_EXPECT_STREQ(test, hist_of_hits(test, texts[i], true), off);
	}
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_of_hits(test, "hist:keys=num:vals=num", false),
		"{ num: 18446744073709551613 } hitcount:          3  num: 18446744073709551607\n"));
}

/* Triggers come to an event that is off and go, and each counts the hits that it has seen. */
static void others_beside_it(struct kunit *test)
{
	struct hist_env *env = test->priv;

	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->file, "hist:keys=num"), 0);
	pretended_hit(env->file, 1, 0);
	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->file, "hist:keys=num:vals=num"), 0);
	pretended_hit(env->file, 1, 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->file) ?: "", "Hits: 2\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(env->text, "Hits: 1\n"));
	/* This one is no counter, so all of them see whole records. */
	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->file, "hist:keys=num if num == 1"), 0);
	pretended_hit(env->file, 1, 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->file) ?: "", "Hits: 3\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(env->text, "Hits: 2\n"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(env->text, "Hits: 1\n"));
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!hist:keys=num if num == 1"), 0);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!hist:keys=num:vals=num"), 0);
	pretended_hit(env->file, 1, 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(hist_text(env, env->file) ?: "", "Hits: 4\n"));
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file, "!hist:keys=num"), 0);
	KUNIT_EXPECT_FALSE(test, pretended_hit(env->file, 1, 0));
}

/* Rows come in the order of two sorts, and otherwise in the order of their first hits. */
static void sorted_by_two(struct kunit *test)
{
	static const int hits[] = { 5, -1, 5, 3, -1, 7, 3, 9 };
	struct hist_env *env = test->priv;
	const char *at;

	KUNIT_ASSERT_EQ(test, trace_trigger_write(env->file,
		"hist:keys=num,text:sort=hitcount.descending,num"), 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(hits); i++)
		pretended_hit(env->file, hits[i], 4);
	at = hist_text(env, env->file);
	KUNIT_ASSERT_NOT_NULL(test, at);
	for (unsigned int i = 0; i < 5; i++) {
		static const char * const order[] = {
			"{ num: 18446744073709551615,", "{ num:          3,",
			"{ num:          5,", "{ num:          7,", "{ num:          9,",
		};

		at = strstr(at, order[i]);
		KUNIT_ASSERT_NOT_NULL_MSG(test, at, "%s: %s", order[i], env->text);
	}
	KUNIT_EXPECT_EQ(test, trace_trigger_write(env->file,
		"hist:keys=text,num:sort=text.descending"), 0);
	pretended_hit(env->file, 1, 3);
	pretended_hit(env->file, 1, 5);
	pretended_hit(env->file, 2, 5);
	pretended_hit(env->file, 1, 13);
	pretended_hit(env->file, 1, 14);
	at = strstr(hist_text(env, env->file) ?: "", "keys=text,num");
	KUNIT_ASSERT_NOT_NULL(test, at);
	for (unsigned int i = 0; i < 5; i++) {
		static const char * const order[] = {
			"{ text: xxxxxxxxxxxxx ", "{ text: xxxxxxxxxxxx ", "{ text: xxxx ",
			", num:          2 }", "{ text: xx ",
		};

		at = strstr(at, order[i]);
		KUNIT_ASSERT_NOT_NULL_MSG(test, at, "%s: %s", order[i], env->text);
	}
}

/* The instances of an owner go first, as a histogram of one may keep an event of the owner. */
static void goes_with_an_owner(struct kunit *test)
{
	struct hist_env *env = test->priv;
	char line[] = "s:kunit_hist_owned int num";
	u64 before = trace_dyn_events_number();
	struct trace_event_file *file;

	KUNIT_ASSERT_EQ(test, trace_dyn_run(line), 0);
	trace_dyn_events_own(before, test);
	scoped_guard(trace_instances) {
		struct trace_array *tr = trace_instance_create("kunit_hist_owned", NULL);

		KUNIT_ASSERT_FALSE(test, IS_ERR(tr));
		KUNIT_EXPECT_EQ(test, trace_array_expand(tr), 0);
		guard(trace_events)();
		file = trace_event_file_of(tr, env->file->event_call);
	}
	trace_instance_own("kunit_hist_owned", test);
	KUNIT_EXPECT_EQ(test, trace_trigger_write(file, "hist:keys=num:x=num:onmax($x)."
						  "trace(kunit_hist_owned,num)"), 0);
	pretended_hit(file, 1, 0);
	KUNIT_EXPECT_EQ(test, synth_event_delete("kunit_hist_owned"), -EBUSY);
	trace_dyn_owner_end(test);
	guard(trace_instances)();
	KUNIT_EXPECT_NULL(test, trace_instance_find("kunit_hist_owned"));
	guard(trace_events)();
	KUNIT_EXPECT_NULL(test, trace_event_call_find("synthetic", "kunit_hist_owned"));
}

static struct kunit_case hist_cases[] = {
	KUNIT_CASE(goes_with_an_owner),
	KUNIT_CASE(same_on_and_off),
	KUNIT_CASE(others_beside_it),
	KUNIT_CASE(sorted_by_two),
	KUNIT_CASE(counted_and_sorted),
	KUNIT_CASE(counted_by_the_head),
	KUNIT_CASE(read_in_parts),
	KUNIT_CASE(clearing_forgets_the_missed),
	KUNIT_CASE(texts_come_back),
	KUNIT_CASE(refused),
	KUNIT_CASE(removed_where_nothing_is),
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
