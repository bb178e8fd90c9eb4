// SPDX-License-Identifier: GPL-2.0
/* Events of modules to come: the wishes that set_event lists. */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "events/internal.h"

#define PENDING_MODULE	"kunit-no-module"
#define PENDING_NAME	"kunit_no_module"

struct pending_env {
	struct trace_array	*tr;
	char			text[512];
};

static int pending_write(struct trace_array *tr, const char *word, bool on)
{
	char copy[TRACE_EVENTS_WORD_MAX + 1];

	strscpy(copy, word);
	return ftrace_set_clr_event(tr, copy, on);
}

/* The lines of set_event behind the events. */
static const char *pending_shown(struct pending_env *env)
{
	struct seq_file m = { .buf = env->text, .size = sizeof(env->text) - 1 };
	struct list_head *entry;

	memset(env->text, 0, sizeof(env->text));
	guard(trace_events)();
	list_for_each(entry, &trace_events_of(env->tr)->pending)
		trace_event_pending_show(&m, entry);
	return env->text;
}

static void pending_clear(void *tr)
{
	guard(trace_events)();
	trace_event_pending_clear(trace_events_of(tr));
}

static int pending_init(struct kunit *test)
{
	struct pending_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, env);
	env->tr = trace_top_instance();
	KUNIT_ASSERT_NOT_NULL(test, env->tr);
	test->priv = env;
	return kunit_add_action_or_reset(test, pending_clear, env->tr);
}

/* A wish is listed as it was written, once, with the name that the kernel has for the module. */
static void wishes_are_listed(struct kunit *test)
{
	struct pending_env *env = test->priv;

	KUNIT_EXPECT_EQ(test, pending_write(env->tr, ":mod:" PENDING_MODULE, true), 0);
	KUNIT_EXPECT_STREQ(test, pending_shown(env), "*:*:mod:" PENDING_NAME "\n");
	KUNIT_EXPECT_EQ(test, pending_write(env->tr, "*:*:mod:" PENDING_NAME, true), 0);
	KUNIT_EXPECT_EQ(test, pending_write(env->tr, "a:mod:" PENDING_NAME, true), 0);
	KUNIT_EXPECT_EQ(test, pending_write(env->tr, "a:b*:mod:" PENDING_NAME, true), 0);
	KUNIT_EXPECT_EQ(test, pending_write(env->tr, "a:mod:kunit_other", true), 0);
	KUNIT_EXPECT_STREQ(test, pending_shown(env),
			   "*:*:mod:" PENDING_NAME "\na:mod:" PENDING_NAME "\n"
			   "a:b*:mod:" PENDING_NAME "\na:mod:kunit_other\n");
	KUNIT_EXPECT_EQ(test, pending_write(env->tr, ":mod:", true), -EINVAL);
	KUNIT_EXPECT_EQ(test, pending_write(env->tr, "a:mod:", true), -EINVAL);
}

/* A wish that there is not cannot be taken back. */
static void wishes_are_taken_back(struct kunit *test)
{
	struct pending_env *env = test->priv;

	KUNIT_EXPECT_EQ(test, pending_write(env->tr, "a:mod:" PENDING_NAME, false), -EINVAL);
	KUNIT_EXPECT_EQ(test, pending_write(env->tr, "a:mod:" PENDING_NAME, true), 0);
	KUNIT_EXPECT_EQ(test, pending_write(env->tr, "b:mod:" PENDING_NAME, true), 0);
	KUNIT_EXPECT_EQ(test, pending_write(env->tr, ":mod:" PENDING_NAME, false), -EINVAL);
	KUNIT_EXPECT_EQ(test, pending_write(env->tr, "a:mod:" PENDING_MODULE, false), 0);
	KUNIT_EXPECT_STREQ(test, pending_shown(env), "b:mod:" PENDING_NAME "\n");
	pending_clear(env->tr);
	KUNIT_EXPECT_STREQ(test, pending_shown(env), "");
}

/* When the module comes, its wishes are taken in their order, and those of others stay. */
static void wishes_end_with_the_module(struct kunit *test)
{
	static const char * const words[] = {
		"a:mod:" PENDING_NAME, "c:mod:kunit_other", "b:mod:" PENDING_NAME,
	};
	struct pending_env *env = test->priv;
	struct trace_events *events = trace_events_of(env->tr);
	char *text;

	for (int i = 0; i < ARRAY_SIZE(words); i++)
		KUNIT_EXPECT_EQ(test, pending_write(env->tr, words[i], true), 0);
	scoped_guard(trace_events) {
		text = trace_event_pending_take(events, PENDING_NAME);
		KUNIT_EXPECT_STREQ(test, text, "a");
		kfree(text);
	}
	scoped_guard(trace_instances) {
		guard(trace_events)();
		trace_events_fulfill(env->tr, PENDING_NAME);
		KUNIT_EXPECT_NULL(test, trace_event_pending_take(events, PENDING_NAME));
	}
	KUNIT_EXPECT_STREQ(test, pending_shown(env), "c:mod:kunit_other\n");
}

/* An instance goes with its wishes; another has none of them. */
static void wishes_are_of_an_instance(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit_pending", NULL);
	struct pending_env *env = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_EXPECT_EQ(test, pending_write(tr, ":mod:" PENDING_NAME, true), 0);
	KUNIT_EXPECT_STREQ(test, pending_shown(env), "");
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
}

static struct kunit_case pending_cases[] = {
	KUNIT_CASE(wishes_are_listed),
	KUNIT_CASE(wishes_are_taken_back),
	KUNIT_CASE(wishes_end_with_the_module),
	KUNIT_CASE(wishes_are_of_an_instance),
	{ }
};

static struct kunit_suite pending_suite = {
	.name		= "trace-event-pending",
	.init		= pending_init,
	.test_cases	= pending_cases,
};

kunit_test_suite(pending_suite);
