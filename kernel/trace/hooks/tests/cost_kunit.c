// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the cost of a hit and of a change does not depend on the number of ops on other
 * functions, nor on the number of functions in a filter. See lib/cost.h.
 */
#include <linux/timex.h>

#include "hooks/tests/support.h"
#include "lib/cost.h"

static void call_target(int times)
{
	while (times--)
		hooks_target_1(times);
}

static u64 cost_of_calls(void)
{
	return trace_cost_of(call_target);
}

static int cost_init(struct kunit *test)
{
	return trace_cost_init(test, call_target);
}

static void nothing_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			 struct ftrace_regs *fregs)
{
}

static void ops_on(struct kunit *test, struct counter *c, unsigned int nr, unsigned int target)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		counter_init(test, &c[i], 0, target, 1);
		c[i].ops.func = nothing_func;
		KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c[i].ops));
	}
}

static void ops_off(struct kunit *test, struct counter *c, unsigned int nr)
{
	unsigned int i;

	/* One grace period for all. */
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, 0, ftrace_ops_unregister_nowait(&c[i].ops));
	ftrace_hooks_synchronize();
	for (i = 0; i < nr; i++)
		ftrace_free_filter(&c[i].ops);
}

/* The cost of a hit is the cost of what is called, nothing else. */
static void test_hit(struct kunit *test)
{
	static const unsigned int numbers[] = { 1, 2, 10, 100 };
	struct counter *c = kunit_kcalloc(test, 100, sizeof(*c), GFP_KERNEL);
	u64 bare, one = 0, cost, elsewhere;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	bare = cost_of_calls();
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		ops_on(test, c, numbers[i], 1);
		cost = cost_of_calls() - bare;
		ops_off(test, c, numbers[i]);
		kunit_info(test, "%u ops on the function: %llu cycles a hit\n", numbers[i],
			   div_u64(cost, TRACE_COST_CALLS));
		if (numbers[i] == 1)
			one = cost;
		KUNIT_EXPECT_GT(test, cost, 0);
		KUNIT_EXPECT_LE(test, cost, numbers[i] * one * 5 / 4);
	}

	ops_on(test, c, 1, 1);
	ops_on(test, c + 1, 99, 2);
	elsewhere = cost_of_calls() - bare;
	ops_off(test, c, 100);
	kunit_info(test, "99 ops on another function: %llu cycles a hit\n",
		   div_u64(elsewhere, TRACE_COST_CALLS));
	KUNIT_EXPECT_LE(test, elsewhere, one * 5 / 4);
}

/* Ops on other functions are not asked either where sets share an entry. */
static void test_hit_guest(struct kunit *test)
{
	struct counter *c = kunit_kcalloc(test, 100, sizeof(*c), GFP_KERNEL);
	unsigned int max = ftrace_sets_max;
	u64 bare, two, elsewhere;

	KUNIT_ASSERT_NOT_NULL(test, c);
	bare = cost_of_calls();
	scoped_guard(ftrace_lock)
		ftrace_sets_max = 0;
	ops_on(test, c, 2, 1);
	two = cost_of_calls() - bare;
	ops_on(test, c + 2, 98, 2);
	elsewhere = cost_of_calls() - bare;
	scoped_guard(ftrace_lock)
		ftrace_sets_max = max;
	ops_off(test, c, 100);
	kunit_info(test, "2 ops behind a shared entry: %llu cycles a hit, with 98 elsewhere %llu\n",
		   div_u64(two, TRACE_COST_CALLS), div_u64(elsewhere, TRACE_COST_CALLS));
	KUNIT_EXPECT_LE(test, elsewhere, two * 5 / 4);
}

/* It does not matter how many functions a filter names. */
static void test_filter_size(struct kunit *test)
{
	static struct ftrace_ops some = { .func = nothing_func };
	unsigned char name[] = "hooks_target_1", others[] = "*s*";
	u64 one, many, bare = cost_of_calls();

	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter(&some, name, strlen(name), 1));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&some));
	one = cost_of_calls() - bare;
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter(&some, others, strlen(others), 0));
	many = cost_of_calls() - bare;
	kunit_info(test, "%lu functions in the filter: %llu cycles a hit, with one %llu\n",
		   sites_hooked_by(&some), div_u64(many, TRACE_COST_CALLS),
		   div_u64(one, TRACE_COST_CALLS));
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(&some));
	ftrace_free_filter(&some);
	KUNIT_EXPECT_LE(test, many, one * 5 / 4);
}

#define COST_TRIES	3

/* The costs of hooking one function, of another one then, and of unhooking both. */
struct change_cost {
	u64	on, add, off;
};

static void change_once(struct kunit *test, struct ftrace_ops *ops, struct change_cost *cost)
{
	unsigned long ip = (unsigned long)hooks_target_2;
	u64 start = get_cycles();

	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(ops));
	cost->on = min(cost->on, get_cycles() - start);
	start = get_cycles();
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(ops, ip, 0, 0));
	cost->add = min(cost->add, get_cycles() - start);
	start = get_cycles();
	KUNIT_ASSERT_EQ(test, 0, ftrace_ops_unregister_nowait(ops));
	cost->off = min(cost->off, get_cycles() - start);
	ftrace_hooks_synchronize();
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(ops, ip, 1, 0));
}

/*
 * A change of one function's hooks does not look at the others. The least of some tries is
 * without what else the machine does.
 */
static void test_change(struct kunit *test)
{
	static struct ftrace_ops all = { .func = nothing_func };
	struct change_cost cost = { U64_MAX, U64_MAX, U64_MAX };
	struct ftrace_site_totals totals;
	static struct counter c;
	u64 all_on, all_off, start;

	counter_init(test, &c, 0, 1, 1);
	for (int i = 0; i < COST_TRIES; i++)
		change_once(test, &c.ops, &cost);

	start = get_cycles();
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&all));
	all_on = get_cycles() - start;
	start = get_cycles();
	KUNIT_ASSERT_EQ(test, 0, ftrace_ops_unregister_nowait(&all));
	all_off = get_cycles() - start;

	scoped_guard(ftrace_lock)
		ftrace_sites_totals(&totals);
	kunit_info(test, "one function: on %llu cycles, off %llu cycles, one more %llu cycles\n",
		   cost.on, cost.off, cost.add);
	kunit_info(test, "all %lu functions: on %llu cycles, off %llu cycles\n", totals.sites,
		   all_on, all_off);
	ftrace_hooks_synchronize();
	ftrace_free_filter(&c.ops);
	KUNIT_EXPECT_LT(test, cost.on * 4, all_on);
	KUNIT_EXPECT_LT(test, cost.add * 4, all_on);
}

static struct kunit_case cost_cases[] = {
	KUNIT_CASE(test_hit),
	KUNIT_CASE(test_hit_guest),
	KUNIT_CASE(test_filter_size),
	KUNIT_CASE(test_change),
	{}
};

static struct kunit_suite cost_suite = {
	.name = "ftrace_hooks_cost",
	.init = cost_init,
	.test_cases = cost_cases,
};

kunit_test_suite(cost_suite);
