// SPDX-License-Identifier: GPL-2.0
/* KUnit: subordinate ops: the sites of a manager are those of any of them. */
#include "hooks/tests/support.h"

static unsigned int other_hits;

/* Finds out for whom it is called, and counts there. */
static void manager_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *manager,
			 struct ftrace_regs *fregs)
{
	struct ftrace_ops *sub;

	counter_func(ip, parent_ip, manager, fregs);
	for_each_ftrace_subops(sub, manager) {
		if (ftrace_ops_traces(sub, ip))
			sub->func(ip, parent_ip, sub, fregs);
	}
}

static void manager_init(struct kunit *test, struct counter *manager)
{
	counter_init(test, manager, 0, 0, 0);
	manager->ops.func = manager_func;
}

static void other_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		       struct ftrace_regs *fregs)
{
	other_hits++;
}

static void sub_done(struct kunit *test, struct counter *sub)
{
	KUNIT_EXPECT_EQ(test, 0, ftrace_subops_unregister(&sub->ops));
	ftrace_free_filter(&sub->ops);
}

/* Call every target; what @manager and two of its subordinates see of it. */
static void hits_are(struct kunit *test, struct counter *manager, unsigned int called,
		     struct counter *a, unsigned int of_a, struct counter *b, unsigned int of_b)
{
	unsigned int i;

	manager->hits = 0;
	a->hits = 0;
	b->hits = 0;
	for (i = 0; i < HOOKS_TARGETS; i++)
		hooks_targets[i](0);
	KUNIT_EXPECT_EQ(test, called, manager->hits);
	KUNIT_EXPECT_EQ(test, of_a, a->hits);
	KUNIT_EXPECT_EQ(test, of_b, b->hits);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
}

static int set_ip(struct counter *sub, unsigned int target, bool remove)
{
	return ftrace_set_filter_ip(&sub->ops, (unsigned long)hooks_targets[target], remove, 0);
}

static int set_notrace(struct counter *sub, const char *text)
{
	unsigned char buf[32];

	strscpy(buf, text);
	return ftrace_set_notrace(&sub->ops, *text ? buf : NULL, strlen(text), 1);
}

static void filters_run(struct kunit *test, struct counter *manager)
{
	static struct counter a, b;

	counter_init(test, &a, 0, 1, 3);
	counter_init(test, &b, 0, 3, 3);
	KUNIT_ASSERT_EQ(test, 0, ftrace_subops_register(&manager->ops, &a.ops));
	hits_are(test, manager, 3, &a, 3, &b, 0);
	KUNIT_ASSERT_EQ(test, 0, ftrace_subops_register(&manager->ops, &b.ops));
	/* Target 3 is of both, and one call. */
	hits_are(test, manager, 5, &a, 3, &b, 3);
	KUNIT_EXPECT_EQ(test, 5, sites_hooked_by(&manager->ops));
	KUNIT_EXPECT_EQ(test, 0, sites_hooked_by(&a.ops));

	/* Sites come and go with the last who has them. */
	KUNIT_EXPECT_EQ(test, 0, set_ip(&a, 3, true));
	hits_are(test, manager, 5, &a, 2, &b, 3);
	KUNIT_EXPECT_EQ(test, 0, set_ip(&b, 3, true));
	hits_are(test, manager, 4, &a, 2, &b, 2);
	KUNIT_EXPECT_EQ(test, 0, set_ip(&b, 2, false));
	hits_are(test, manager, 4, &a, 2, &b, 3);
	KUNIT_EXPECT_EQ(test, 0, set_ip(&b, 7, false));
	hits_are(test, manager, 5, &a, 2, &b, 4);
	KUNIT_EXPECT_EQ(test, 0, set_notrace(&a, "hooks_target_[12]"));
	hits_are(test, manager, 4, &a, 0, &b, 4);
	KUNIT_EXPECT_EQ(test, 0, set_notrace(&a, ""));
	hits_are(test, manager, 5, &a, 2, &b, 4);

	/* The manager's own filters say nothing. */
	KUNIT_EXPECT_EQ(test, 0, set_ip(manager, 9, false));
	hits_are(test, manager, 5, &a, 2, &b, 4);
	KUNIT_EXPECT_EQ(test, 0, target_dispatch(9));

	sub_done(test, &a);
	hits_are(test, manager, 4, &a, 0, &b, 4);
	sub_done(test, &b);
	hits_are(test, manager, 0, &a, 0, &b, 0);
	KUNIT_EXPECT_EQ(test, 0, sites_hooked_by(&manager->ops));
	KUNIT_EXPECT_FALSE(test, manager->ops.flags & FTRACE_OPS_FL_ENABLED);
	ftrace_free_filter(&manager->ops);
}

static void test_filters(struct kunit *test)
{
	static struct counter manager;

	manager_init(test, &manager);
	filters_run(test, &manager);
}

/* Beside another ops, in sets and on the list. */
static void test_beside(struct kunit *test)
{
	unsigned int max = ftrace_sets_max;
	static struct counter manager, other;

	counter_init(test, &other, 0, 2, 6);
	other.ops.func = other_func;
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&other.ops));
	manager_init(test, &manager);
	filters_run(test, &manager);
	scoped_guard(ftrace_lock)
		ftrace_sets_max = 0;
	manager_init(test, &manager);
	filters_run(test, &manager);
	scoped_guard(ftrace_lock)
		ftrace_sets_max = max;
	other_hits = 0;
	hooks_targets[2](0);
	KUNIT_EXPECT_EQ(test, 1, other_hits);
	counter_done(test, &other);
}

/* One that has every function, and exceptions. */
static void test_all(struct kunit *test)
{
	static struct counter manager, all, some;

	manager_init(test, &manager);
	counter_init(test, &all, 0, 0, 0);
	counter_init(test, &some, 0, 3, 2);
	KUNIT_EXPECT_EQ(test, 0, set_notrace(&all, "hooks_target_[2-5]"));
	KUNIT_ASSERT_EQ(test, 0, ftrace_subops_register(&manager.ops, &all.ops));
	KUNIT_ASSERT_EQ(test, 0, ftrace_subops_register(&manager.ops, &some.ops));
	KUNIT_EXPECT_EQ(test, 1, target_info(1).count);
	KUNIT_EXPECT_EQ(test, 0, target_info(2).count);
	KUNIT_EXPECT_EQ(test, 1, target_info(3).count);
	KUNIT_EXPECT_EQ(test, 1, target_info(4).count);
	KUNIT_EXPECT_EQ(test, 0, target_info(5).count);
	KUNIT_EXPECT_EQ(test, 0, set_notrace(&all, "hooks_target_2"));
	KUNIT_EXPECT_EQ(test, 1, target_info(5).count);
	KUNIT_EXPECT_EQ(test, 0, target_info(2).count);
	sub_done(test, &all);
	hits_are(test, &manager, 2, &some, 2, &all, 0);
	KUNIT_EXPECT_EQ(test, 2, sites_hooked_by(&manager.ops));
	sub_done(test, &some);
	ftrace_free_filter(&manager.ops);
}

/* Two with the same filters change together. */
static void test_shared_filters(struct kunit *test)
{
	unsigned char pattern[] = "hooks_target_7";
	static struct counter manager, a, b;

	manager_init(test, &manager);
	counter_init(test, &a, 0, 0, 0);
	counter_init(test, &b, 0, 0, 0);
	ftrace_ops_set_global_filter(&a.ops);
	ftrace_ops_set_global_filter(&b.ops);
	ftrace_set_global_filter(pattern, strlen(pattern), 1);
	KUNIT_ASSERT_EQ(test, 0, ftrace_subops_register(&manager.ops, &a.ops));
	KUNIT_ASSERT_EQ(test, 0, ftrace_subops_register(&manager.ops, &b.ops));
	hits_are(test, &manager, 1, &a, 1, &b, 1);
	KUNIT_EXPECT_EQ(test, 0, set_ip(&a, 8, false));
	hits_are(test, &manager, 2, &a, 2, &b, 2);
	KUNIT_EXPECT_EQ(test, 0, set_ip(&b, 7, true));
	hits_are(test, &manager, 1, &a, 1, &b, 1);
	KUNIT_EXPECT_EQ(test, 0, ftrace_subops_unregister(&a.ops));
	hits_are(test, &manager, 1, &a, 0, &b, 1);
	KUNIT_EXPECT_EQ(test, 0, ftrace_subops_unregister(&b.ops));
	ftrace_set_global_filter(NULL, 0, 1);
	KUNIT_EXPECT_EQ(test, 0, sites_hooked_by(&manager.ops));
}

/* Sites that leave take nobody else's with them; kernel.ftrace_enabled goes and comes. */
static void test_follow(struct kunit *test)
{
	unsigned long site = ftrace_location((unsigned long)hooks_target_1);
	static struct counter manager, a, b;
	struct ftrace_change change;

	manager_init(test, &manager);
	counter_init(test, &a, 0, 1, 1);
	counter_init(test, &b, 0, 2, 1);
	KUNIT_ASSERT_EQ(test, 0, ftrace_subops_register(&manager.ops, &a.ops));
	KUNIT_ASSERT_EQ(test, 0, ftrace_hooks_set_enabled(false));
	KUNIT_ASSERT_EQ(test, 0, ftrace_subops_register(&manager.ops, &b.ops));
	hits_are(test, &manager, 0, &a, 0, &b, 0);
	KUNIT_ASSERT_EQ(test, 0, ftrace_hooks_set_enabled(true));
	hits_are(test, &manager, 2, &a, 1, &b, 1);
	/* As when a module comes. */
	scoped_guard(ftrace_lock) {
		ftrace_change_begin(&change);
		KUNIT_EXPECT_PTR_EQ(test, manager.ops.dispatch,
				    ftrace_dispatch_compute(&change, site));
		ftrace_change_end(&change);
	}
	sub_done(test, &a);
	sub_done(test, &b);
}

/* What the filter of a manager says does not matter, also when it is edited in place. */
static void test_manager_filter(struct kunit *test)
{
	static struct counter manager, a;

	manager_init(test, &manager);
	counter_init(test, &a, 0, 1, 1);
	KUNIT_ASSERT_EQ(test, 0, ftrace_subops_register(&manager.ops, &a.ops));
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&manager.ops,
						      (unsigned long)hooks_targets[4], 0, 0));
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&manager.ops,
						      (unsigned long)hooks_targets[5], 0, 0));
	KUNIT_EXPECT_EQ(test, 0, target_dispatch(4));
	KUNIT_EXPECT_EQ(test, 0, target_dispatch(5));
	KUNIT_EXPECT_EQ(test, 1, sites_hooked_by(&manager.ops));
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&manager.ops,
						      (unsigned long)hooks_targets[4], 1, 0));
	sub_done(test, &a);
	ftrace_free_filter(&manager.ops);
}

static void test_refused(struct kunit *test)
{
	static const unsigned long flags[] = {
		FTRACE_OPS_FL_SAVE_REGS, FTRACE_OPS_FL_IPMODIFY, FTRACE_OPS_FL_DIRECT,
		FTRACE_OPS_FL_PERMANENT, FTRACE_OPS_FL_DELETED,
	};
	static struct counter manager, sub, other, plain;
	unsigned int i;

	manager_init(test, &manager);
	manager_init(test, &other);
	counter_init(test, &plain, 0, 5, 1);
	counter_init(test, &sub, 0, 1, 1);
	KUNIT_EXPECT_EQ(test, -EBUSY, ftrace_subops_unregister(&sub.ops));
	KUNIT_EXPECT_EQ(test, -EINVAL, ftrace_subops_register(&sub.ops, &sub.ops));
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		sub.ops.flags |= flags[i];
		KUNIT_EXPECT_EQ(test, -EINVAL, ftrace_subops_register(&manager.ops, &sub.ops));
		sub.ops.flags &= ~flags[i];
	}
	manager.ops.flags = FTRACE_OPS_FL_IPMODIFY;
	KUNIT_EXPECT_EQ(test, -EINVAL, ftrace_subops_register(&manager.ops, &sub.ops));
	/* What register_ftrace_function() refuses the manager. */
	manager.ops.flags = FTRACE_OPS_FL_DELETED;
	KUNIT_EXPECT_EQ(test, -EINVAL, ftrace_subops_register(&manager.ops, &sub.ops));
	manager.ops.flags = 0;
	KUNIT_EXPECT_FALSE(test, sub.ops.flags & FTRACE_OPS_FL_ENABLED);

	KUNIT_ASSERT_EQ(test, 0, ftrace_subops_register(&manager.ops, &sub.ops));
	KUNIT_EXPECT_EQ(test, -EBUSY, ftrace_subops_register(&manager.ops, &sub.ops));
	KUNIT_EXPECT_EQ(test, -EBUSY, ftrace_subops_register(&other.ops, &sub.ops));
	KUNIT_EXPECT_EQ(test, -EBUSY, ftrace_subops_register(&other.ops, &manager.ops));
	KUNIT_EXPECT_EQ(test, -EBUSY, ftrace_subops_register(&sub.ops, &plain.ops));
	KUNIT_EXPECT_EQ(test, -EBUSY, register_ftrace_function(&manager.ops));
	KUNIT_EXPECT_EQ(test, -EBUSY, register_ftrace_function(&sub.ops));
	KUNIT_EXPECT_EQ(test, -EBUSY, unregister_ftrace_function(&manager.ops));
	KUNIT_EXPECT_EQ(test, -EBUSY, unregister_ftrace_function(&sub.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&plain.ops));
	KUNIT_EXPECT_EQ(test, -EBUSY, ftrace_subops_register(&plain.ops, &other.ops));
	KUNIT_EXPECT_EQ(test, -EBUSY, ftrace_subops_register(&manager.ops, &plain.ops));
	KUNIT_EXPECT_EQ(test, -EBUSY, ftrace_subops_unregister(&plain.ops));
	hits_are(test, &manager, 1, &sub, 1, &plain, 1);
	counter_done(test, &plain);
	sub_done(test, &sub);
	KUNIT_EXPECT_EQ(test, -EBUSY, ftrace_subops_unregister(&sub.ops));
}

static struct kunit_case subops_cases[] = {
	KUNIT_CASE_SLOW(test_filters),
	KUNIT_CASE_SLOW(test_beside),
	KUNIT_CASE_SLOW(test_all),
	KUNIT_CASE_SLOW(test_shared_filters),
	KUNIT_CASE_SLOW(test_follow),
	KUNIT_CASE(test_manager_filter),
	KUNIT_CASE(test_refused),
	{}
};

static struct kunit_suite subops_suite = {
	.name = "ftrace_subops",
	.test_cases = subops_cases,
};

kunit_test_suite(subops_suite);
