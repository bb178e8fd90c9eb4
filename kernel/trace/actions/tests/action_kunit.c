// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of actions: from text to use and back, counts, and one of the tests' own. */
#include <kunit/test.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "actions/action.h"
#include "instance/buffers.h"
#include "instance/instance.h"

/* An action with two parameters, that notes what happens to it. */
static struct {
	unsigned int	gets;
	unsigned int	puts;
	unsigned int	hits;
	bool		due;
	int		error;
	char		param[32];
} seen;

static bool fake_due(const struct trace_action_use *use)
{
	return seen.due;
}

static void fake_hit(const struct trace_action_use *use, const struct trace_action_hit *hit)
{
	seen.hits++;
}

static int fake_get(struct trace_action_use *use, char *param)
{
	strscpy(seen.param, param, sizeof(seen.param));
	/* @param is a copy that may be changed. */
	*param = '\0';
	use->data = &seen;
	seen.gets++;
	return seen.error;
}

static void fake_put(struct trace_action_use *use)
{
	if (use->data == &seen)
		seen.puts++;
}

static struct trace_action fake_action = {
	.name		= "kunit_fake",
	.nr_params	= 2,
	.where		= TRACE_ACTION_AT_FUNCTION | TRACE_ACTION_AT_EVENT,
	.due		= fake_due,
	.hit		= fake_hit,
	.get		= fake_get,
	.put		= fake_put,
};

static int action_test_init(struct kunit *test)
{
	KUNIT_ASSERT_NOT_NULL(test, trace_top_instance());
	memset(&seen, 0, sizeof(seen));
	return trace_action_register(&fake_action);
}

static void action_test_exit(struct kunit *test)
{
	trace_action_unregister(&fake_action);
}

/* No action of these tests looks at the hit. */
static const struct trace_action_hit hit;

static int action_parse_at(struct trace_action_text *what, const char *text, unsigned int where)
{
	static char buf[64];

	strscpy(buf, text, sizeof(buf));
	return trace_action_parse(what, buf, where);
}

static int action_parse(struct trace_action_text *what, const char *text)
{
	return action_parse_at(what, text, TRACE_ACTION_AT_FUNCTION);
}

static void parse_pieces(struct kunit *test)
{
	static const char * const bad[] = {
		"", "kunit", "kunit_fake", "kunit_fake:", "kunit_fake:a", "kunit_fake:a:",
		"kunit_fake::b", "kunit_fake::", "Traceon", "traceon ",
	};
	struct trace_action_text what;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, action_parse(&what, bad[i]), -EINVAL, "'%s'", bad[i]);

	KUNIT_EXPECT_EQ(test, action_parse(&what, "traceon"), 0);
	KUNIT_EXPECT_STREQ(test, what.action->name, "traceon");
	KUNIT_EXPECT_NULL(test, what.param);
	KUNIT_EXPECT_NULL(test, what.count);
	KUNIT_EXPECT_EQ(test, action_parse(&what, "traceoff:7"), 0);
	KUNIT_EXPECT_STREQ(test, what.action->name, "traceoff");
	KUNIT_EXPECT_STREQ(test, what.count, "7");
	KUNIT_EXPECT_EQ(test, action_parse(&what, "kunit_fake:a:b"), 0);
	KUNIT_EXPECT_PTR_EQ(test, what.action, (const struct trace_action *)&fake_action);
	KUNIT_EXPECT_STREQ(test, what.param, "a:b");
	KUNIT_EXPECT_NULL(test, what.count);
	KUNIT_EXPECT_EQ(test, action_parse(&what, "kunit_fake:sys:event:count=3"), 0);
	KUNIT_EXPECT_STREQ(test, what.param, "sys:event");
	KUNIT_EXPECT_STREQ(test, what.count, "count=3");
}

/* Triggers have filters, and some actions are for functions only. */
static void parse_at_events(struct kunit *test)
{
	static const char * const bad[] = {
		"dump", "cpudump", "dump:1", "traceon if", "traceon if ", "traceon unless a",
		"traceon ifa == 1", " traceon", "traceon : if a",
	};
	struct trace_action_text what;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, action_parse_at(&what, bad[i], TRACE_ACTION_AT_EVENT),
				    -EINVAL, "'%s'", bad[i]);
	KUNIT_EXPECT_EQ(test, action_parse(&what, "dump"), 0);
	KUNIT_EXPECT_EQ(test, action_parse(&what, "traceon if a"), -EINVAL);

	KUNIT_EXPECT_EQ(test, action_parse_at(&what, "traceon:5 \t if  a == 1 && b ~ \"x y\"",
					      TRACE_ACTION_AT_EVENT), 0);
	KUNIT_EXPECT_STREQ(test, what.action->name, "traceon");
	KUNIT_EXPECT_STREQ(test, what.count, "5");
	KUNIT_EXPECT_STREQ(test, what.filter, "a == 1 && b ~ \"x y\"");
	KUNIT_EXPECT_EQ(test, action_parse_at(&what, "kunit_fake:a:b if c:d",
					      TRACE_ACTION_AT_EVENT), 0);
	KUNIT_EXPECT_STREQ(test, what.param, "a:b");
	KUNIT_EXPECT_NULL(test, what.count);
	KUNIT_EXPECT_STREQ(test, what.filter, "c:d");
	KUNIT_EXPECT_EQ(test, action_parse_at(&what, "stacktrace ", TRACE_ACTION_AT_EVENT), 0);
	KUNIT_EXPECT_TRUE(test, what.action->after);
	KUNIT_EXPECT_NULL(test, what.filter);
}

static void parse_counts(struct kunit *test)
{
	static const struct {
		const char	*text;
		int		ret;
		long		count;
	} cases[] = {
		{ "traceon", 0, TRACE_ACTION_UNLIMITED },
		{ "traceon:", 0, TRACE_ACTION_UNLIMITED },
		{ "traceon:0", 0, 0 },
		{ "traceon:12", 0, 12 },
		{ "traceon:0x10", 0, 16 },
		{ "traceon:x", -EINVAL },
		{ "traceon:-1", -EINVAL },
		{ "traceon:1:2", -EINVAL },
		{ "traceon:99999999999999999999999", -ERANGE },
		{ "dump", 0, 1 },
		{ "dump:5", 0, 1 },
		{ "kunit_fake:a:b", 0, TRACE_ACTION_UNLIMITED },
		{ "kunit_fake:a:b:", -EINVAL },
		{ "kunit_fake:a:b:3", 0, 3 },
	};
	struct trace_action_text what;
	unsigned int i;
	long count;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_ASSERT_EQ(test, action_parse(&what, cases[i].text), 0);
		KUNIT_EXPECT_EQ_MSG(test, trace_action_parse_count(&what, &count), cases[i].ret,
				    "'%s'", cases[i].text);
		if (!cases[i].ret)
			KUNIT_EXPECT_EQ_MSG(test, count, cases[i].count, "'%s'", cases[i].text);
	}
	/* The largest number is not taken for "unlimited". */
	KUNIT_ASSERT_EQ(test, action_parse(&what, BITS_PER_LONG == 64 ?
					   "traceon:18446744073709551615" :
					   "traceon:4294967295"), 0);
	KUNIT_EXPECT_EQ(test, trace_action_parse_count(&what, &count), 0);
	KUNIT_EXPECT_EQ(test, count, LONG_MAX);
}

static void expect_shown(struct kunit *test, const struct trace_action_use *use,
			 struct trace_action_count *count, const char *text)
{
	struct seq_file m = { .size = 128 };

	m.buf = kunit_kzalloc(test, m.size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m.buf);
	trace_action_show(&m, use, count);
	KUNIT_EXPECT_STREQ(test, m.buf, text);
}

static void use_and_counts(struct kunit *test)
{
	struct trace_action_text what, other;
	struct trace_action_count count;
	struct trace_action_use use;

	KUNIT_ASSERT_EQ(test, action_parse(&what, "kunit_fake:a:b:2"), 0);
	guard(trace_instances)();
	KUNIT_ASSERT_EQ(test, trace_action_get(&use, trace_top_instance(), &what), 0);
	KUNIT_EXPECT_STREQ(test, seen.param, "a:b");
	KUNIT_EXPECT_PTR_EQ(test, use.tr, trace_top_instance());
	KUNIT_EXPECT_TRUE(test, trace_action_is(&use, &what));
	KUNIT_EXPECT_EQ(test, action_parse(&other, "kunit_fake:a:c"), 0);
	KUNIT_EXPECT_FALSE(test, trace_action_is(&use, &other));
	KUNIT_EXPECT_EQ(test, action_parse(&other, "traceon"), 0);
	KUNIT_EXPECT_FALSE(test, trace_action_is(&use, &other));
	KUNIT_EXPECT_EQ(test, action_parse(&other, "kunit_fake:a:b:count=7"), 0);
	KUNIT_EXPECT_TRUE(test, trace_action_is(&use, &other));

	KUNIT_EXPECT_FALSE(test, trace_action_due(&use));
	seen.due = true;
	KUNIT_EXPECT_TRUE(test, trace_action_due(&use));
	trace_action_count_set(&count, 2);
	expect_shown(test, &use, &count, "kunit_fake:a:b:count=2");
	KUNIT_EXPECT_TRUE(test, trace_action_take(&count));
	expect_shown(test, &use, &count, "kunit_fake:a:b:count=1");
	KUNIT_EXPECT_TRUE(test, trace_action_take(&count));
	KUNIT_EXPECT_FALSE(test, trace_action_take(&count));
	expect_shown(test, &use, &count, "kunit_fake:a:b:count=0");
	trace_action_count_set(&count, TRACE_ACTION_UNLIMITED);
	KUNIT_EXPECT_TRUE(test, trace_action_take(&count));
	KUNIT_EXPECT_TRUE(test, trace_action_take(&count));
	expect_shown(test, &use, &count, "kunit_fake:a:b:unlimited");
	use.action->hit(&use, &hit);
	KUNIT_EXPECT_EQ(test, seen.hits, 1);

	KUNIT_EXPECT_EQ(test, seen.puts, 0);
	trace_action_put(&use);
	KUNIT_EXPECT_EQ(test, seen.gets, 1);
	KUNIT_EXPECT_EQ(test, seen.puts, 1);

	/* An action whose get refuses is not put. */
	seen.error = -EBUSY;
	KUNIT_ASSERT_EQ(test, action_parse(&what, "kunit_fake:a:b"), 0);
	KUNIT_EXPECT_EQ(test, trace_action_get(&use, trace_top_instance(), &what), -EBUSY);
	KUNIT_EXPECT_EQ(test, seen.puts, 1);
}

static void actions_of_tracing(struct kunit *test)
{
	struct trace_array *tr = trace_top_instance();
	bool was_on = trace_array_is_on(tr);
	struct trace_action_use on, off;
	struct trace_action_text what;

	guard(trace_instances)();
	KUNIT_ASSERT_EQ(test, action_parse(&what, "traceon"), 0);
	KUNIT_ASSERT_EQ(test, trace_action_get(&on, tr, &what), 0);
	KUNIT_ASSERT_EQ(test, action_parse(&what, "traceoff"), 0);
	KUNIT_ASSERT_EQ(test, trace_action_get(&off, tr, &what), 0);
	trace_array_on(tr);
	KUNIT_EXPECT_FALSE(test, trace_action_due(&on));
	KUNIT_EXPECT_TRUE(test, trace_action_due(&off));
	off.action->hit(&off, &hit);
	KUNIT_EXPECT_FALSE(test, trace_array_is_on(tr));
	KUNIT_EXPECT_TRUE(test, trace_action_due(&on));
	KUNIT_EXPECT_FALSE(test, trace_action_due(&off));
	on.action->hit(&on, &hit);
	KUNIT_EXPECT_TRUE(test, trace_array_is_on(tr));
	trace_action_put(&on);
	trace_action_put(&off);
	if (!was_on)
		trace_array_off(tr);
}

static void names_are_unique(struct kunit *test)
{
	static struct trace_action other = { .name = "dump", .hit = fake_hit };

	KUNIT_EXPECT_EQ(test, trace_action_register(&fake_action), -EEXIST);
	KUNIT_EXPECT_EQ(test, trace_action_register(&other), -EEXIST);
}

static struct kunit_case action_cases[] = {
	KUNIT_CASE(parse_pieces),
	KUNIT_CASE(parse_at_events),
	KUNIT_CASE(parse_counts),
	KUNIT_CASE(use_and_counts),
	KUNIT_CASE(actions_of_tracing),
	KUNIT_CASE(names_are_unique),
	{}
};

static struct kunit_suite action_suite = {
	.name		= "trace-actions",
	.init		= action_test_init,
	.exit		= action_test_exit,
	.test_cases	= action_cases,
};

kunit_test_suite(action_suite);
