// SPDX-License-Identifier: GPL-2.0
/* KUnit: filters of ops on functions of the test, by address, by pattern, and by two editors. */
#include <linux/completion.h>
#include <linux/kallsyms.h>
#include <linux/kthread.h>

#include "hooks/tests/support.h"
#include "sites/names.h"

static int filter_set(struct ftrace_ops *ops, const char *text, bool reset)
{
	unsigned char buf[64];

	strscpy(buf, text);
	return ftrace_set_filter(ops, buf, strlen(text), reset);
}

static void test_filter_ip(struct kunit *test)
{
	unsigned long ips[] = { (unsigned long)hooks_targets[5], (unsigned long)hooks_targets[6] };
	unsigned long data = (unsigned long)&hooks_targets;
	static struct counter c;

	counter_init(test, &c, 0, 0, 3);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	KUNIT_EXPECT_EQ(test, 3, counter_hit_all(&c));
	KUNIT_EXPECT_EQ(test, -EINVAL, ftrace_set_filter_ip(&c.ops, data, 0, 1));
	KUNIT_EXPECT_EQ(test, -ENOENT, ftrace_set_filter_ip(&c.ops, ips[0], 1, 0));
	KUNIT_EXPECT_EQ(test, 3, counter_hit_all(&c));
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&c.ops, ips[0], 0, 0));
	KUNIT_EXPECT_EQ(test, 4, counter_hit_all(&c));
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&c.ops, ips[0], 0, 0));
	KUNIT_EXPECT_EQ(test, 4, counter_hit_all(&c));
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&c.ops, ips[0], 1, 0));
	KUNIT_EXPECT_EQ(test, 3, counter_hit_all(&c));
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ips(&c.ops, ips, 2, 0, 1));
	KUNIT_EXPECT_EQ(test, 2, counter_hit_all(&c));
	KUNIT_EXPECT_EQ(test, 2, sites_hooked_by(&c.ops));
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	/* No addresses, however many: the filter is as it was, or empty. */
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ips(&c.ops, NULL, 1, 0, 0));
	KUNIT_EXPECT_EQ(test, 2, sites_hooked_by(&c.ops));
	counter_done(test, &c);
	KUNIT_EXPECT_TRUE(test, ftrace_ops_filter_empty(&c.ops, false));
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&c.ops, ips[0], 0, 0));
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ips(&c.ops, NULL, 3, 0, 1));
	KUNIT_EXPECT_TRUE(test, ftrace_ops_filter_empty(&c.ops, false));
}

/* Sites are added and taken out together, and an ops that has lost its last one has none. */
static void test_filter_ips(struct kunit *test)
{
	static struct counter c;
	unsigned long ips[3];

	counter_init(test, &c, 0, 0, 0);
	for (int i = 0; i < ARRAY_SIZE(ips); i++)
		ips[i] = ftrace_location((unsigned long)hooks_targets[i]);
	KUNIT_ASSERT_EQ(test, 0, ftrace_ops_filter_ips(&c.ops, ips, 2, false));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	KUNIT_EXPECT_EQ(test, 2, sites_hooked_by(&c.ops));
	KUNIT_EXPECT_EQ(test, 0, ftrace_ops_filter_ips(&c.ops, ips, 3, false));
	KUNIT_EXPECT_EQ(test, 3, sites_hooked_by(&c.ops));
	KUNIT_EXPECT_EQ(test, 0, ftrace_ops_filter_ips(&c.ops, ips, 1, true));
	/* The first one has gone already. */
	KUNIT_EXPECT_EQ(test, 0, ftrace_ops_filter_ips(&c.ops, ips, 1, true));
	KUNIT_EXPECT_EQ(test, 0, ftrace_ops_filter_ips(&c.ops, ips, 2, true));
	KUNIT_EXPECT_EQ(test, 1, sites_hooked_by(&c.ops));
	KUNIT_EXPECT_EQ(test, 0, ftrace_ops_filter_ips(&c.ops, &ips[2], 1, true));
	KUNIT_EXPECT_EQ(test, 0, sites_hooked_by(&c.ops));
	KUNIT_EXPECT_EQ(test, 0, ftrace_ops_filter_ips(&c.ops, &ips[1], 1, false));
	hooks_targets[1](7);
	KUNIT_EXPECT_EQ(test, 1, c.hits);
	counter_done(test, &c);
}

static void test_filter_pattern(struct kunit *test)
{
	unsigned char name[] = "hooks_target_3";
	static struct counter c;

	counter_init(test, &c, 0, 0, 1);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	KUNIT_EXPECT_EQ(test, 0, filter_set(&c.ops, "hooks_target_1*", true));
	KUNIT_EXPECT_EQ(test, 3, counter_hit_all(&c));
	KUNIT_EXPECT_EQ(test, -EINVAL, filter_set(&c.ops, "hooks_target_nothing", true));
	KUNIT_EXPECT_EQ(test, -EINVAL, filter_set(&c.ops, "", true));
	KUNIT_EXPECT_EQ(test, 3, counter_hit_all(&c));
	KUNIT_EXPECT_EQ(test, 0, filter_set(&c.ops, "hooks_target_[2-4]", false));
	KUNIT_EXPECT_EQ(test, 6, counter_hit_all(&c));
	KUNIT_EXPECT_EQ(test, 0, filter_set(&c.ops, "!hooks_target_1*", false));
	KUNIT_EXPECT_EQ(test, 3, counter_hit_all(&c));
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_notrace(&c.ops, name, strlen(name), 1));
	KUNIT_EXPECT_EQ(test, 2, counter_hit_all(&c));
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_notrace(&c.ops, NULL, 0, 1));
	KUNIT_EXPECT_EQ(test, 3, counter_hit_all(&c));
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	counter_done(test, &c);
}

/* The number of a line of available_filter_functions. */
static void test_filter_index(struct kunit *test)
{
	unsigned long site = ftrace_location((unsigned long)hooks_target_2);
	struct ftrace_site_iter iter;
	struct dyn_ftrace *pos;
	unsigned long line = 0;
	static struct counter c;
	char text[24];

	scoped_guard(ftrace_lock) {
		for_each_ftrace_site(pos, &iter) {
			line += !!ftrace_site_name(pos, NULL);
			if (ftrace_site_ip(pos) == site)
				break;
		}
	}
	counter_init(test, &c, 0, 0, 1);
	snprintf(text, sizeof(text), "%lu", line);
	KUNIT_EXPECT_EQ(test, 0, filter_set(&c.ops, text, true));
	scoped_guard(ftrace_lock)
		KUNIT_EXPECT_TRUE(test, ftrace_ops_filter_has(&c.ops, site, false));
	KUNIT_EXPECT_EQ(test, -EINVAL, filter_set(&c.ops, "0", true));
	KUNIT_EXPECT_EQ(test, -EINVAL, filter_set(&c.ops, "4000000000", true));
	ftrace_free_filter(&c.ops);
}

#define EDITS	200

struct editor {
	struct ftrace_ops	*ops;
	unsigned int		target;
	struct completion	done;
	unsigned int		lost;
};

/* Adds and removes one function; it has to be there, or gone, whoever edits the others. */
static int editor_thread(void *data)
{
	struct editor *editor = data;
	unsigned long site = ftrace_location((unsigned long)hooks_targets[editor->target]);
	unsigned char name[32];
	unsigned int i;

	for (i = 0; i < EDITS; i++) {
		snprintf(name, sizeof(name), "%shooks_target_%u", i % 2 ? "!" : "",
			 editor->target);
		if (ftrace_set_filter(editor->ops, name, strlen(name), 0))
			editor->lost++;
		scoped_guard(ftrace_lock)
			editor->lost += ftrace_ops_filter_has(editor->ops, site, false) == i % 2;
		cond_resched();
	}
	complete(&editor->done);
	return 0;
}

/* Of two tasks that edit one filter at a time, none loses a change. */
static void test_filter_editors(struct kunit *test)
{
	static struct editor editors[2];
	static struct counter c;
	unsigned int i;

	counter_init(test, &c, 0, 4, 1);
	for (i = 0; i < 2; i++) {
		editors[i] = (struct editor) { .ops = &c.ops, .target = 2 + i };
		init_completion(&editors[i].done);
		KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(editor_thread, &editors[i],
							    "hooks_editor")));
	}
	for (i = 0; i < 2; i++) {
		wait_for_completion(&editors[i].done);
		KUNIT_EXPECT_EQ(test, 0, editors[i].lost);
	}
	ftrace_free_filter(&c.ops);
}

static void test_filter_global(struct kunit *test)
{
	unsigned char pattern[] = "hooks_target_7";
	static struct counter a, b;

	counter_init(test, &a, 0, 0, 0);
	counter_init(test, &b, 0, 0, 0);
	ftrace_ops_set_global_filter(&a.ops);
	ftrace_ops_set_global_filter(&b.ops);
	KUNIT_EXPECT_TRUE(test, ftrace_ops_filter_empty(&a.ops, false));
	ftrace_set_global_filter(pattern, strlen(pattern), 1);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&a.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&b.ops));
	KUNIT_EXPECT_EQ(test, 1, counter_hit_all(&a));
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&a.ops, (unsigned long)hooks_targets[8],
						      0, 0));
	KUNIT_EXPECT_EQ(test, 2, counter_hit_all(&b));
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	counter_done(test, &a);
	counter_done(test, &b);
	ftrace_set_global_filter(NULL, 0, 1);
	KUNIT_EXPECT_TRUE(test, ftrace_ops_filter_empty(&a.ops, false));
}

static struct kunit_case filter_cases[] = {
	KUNIT_CASE(test_filter_ip),
	KUNIT_CASE(test_filter_ips),
	KUNIT_CASE(test_filter_pattern),
	KUNIT_CASE(test_filter_index),
	KUNIT_CASE(test_filter_editors),
	KUNIT_CASE(test_filter_global),
	{}
};

static struct kunit_suite filter_suite = {
	.name = "ftrace_hooks_filter",
	.test_cases = filter_cases,
};

kunit_test_suite(filter_suite);
