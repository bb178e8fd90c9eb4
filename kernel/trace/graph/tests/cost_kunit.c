// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: count the cost of an entry and a return; each further user costs no more than the
 * first one. See lib/cost.h.
 */
#include <kunit/test.h>

#include <linux/ftrace.h>
#include <linux/math64.h>

#include "graph/tests/targets.h"
#include "lib/cost.h"

#define USERS	10

static void call_target(int times)
{
	while (times--)
		graph_target_add(times);
}

static u64 cost_of_calls(void)
{
	return trace_cost_of(call_target);
}

static int cost_init(struct kunit *test)
{
	return trace_cost_init(test, call_target);
}

static int cost_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	/* Whether the return is wanted. */
	return !gops->private;
}

static void cost_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
}

/*
 * Return the cost that @nr users on the function add to a call, with their returns @declined or
 * not.
 */
static u64 cost_of_users(struct kunit *test, unsigned int nr, bool declined)
{
	static struct fgraph_ops users[USERS];
	u64 bare = cost_of_calls(), cost;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		users[i] = (struct fgraph_ops) {
			.entryfunc = cost_entry,
			.retfunc = cost_return,
			.private = declined ? test : NULL,
		};
		KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&users[i].ops,
							      (unsigned long)graph_target_add,
							      0, 0));
		KUNIT_ASSERT_EQ(test, 0, register_ftrace_graph(&users[i]));
	}
	cost = cost_of_calls() - bare;
	for (i = 0; i < nr; i++) {
		unregister_ftrace_graph(&users[i]);
		ftrace_free_filter(&users[i].ops);
	}
	return div_u64(cost, TRACE_COST_CALLS);
}

static void test_users(struct kunit *test)
{
	u64 one = cost_of_users(test, 1, false);
	u64 two = cost_of_users(test, 2, false);
	u64 many = cost_of_users(test, USERS, false);
	u64 declined = cost_of_users(test, 1, true);

	kunit_info(test, "entry and return: %llu cycles, %llu for two users, %llu for %u\n",
		   one, two, many, USERS);
	kunit_info(test, "entry, the return being declined: %llu cycles\n", declined);
	KUNIT_EXPECT_LE(test, two, 2 * one);
	KUNIT_EXPECT_LE(test, many, USERS * one);
	KUNIT_EXPECT_LT(test, declined, one);
}

static struct kunit_case cost_cases[] = {
	KUNIT_CASE(test_users),
	{}
};

static struct kunit_suite cost_suite = {
	.name = "ftrace_graph_cost",
	.init = cost_init,
	.test_cases = cost_cases,
};

kunit_test_suite(cost_suite);
