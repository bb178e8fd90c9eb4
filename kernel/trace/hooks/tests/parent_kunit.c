// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the parent that a callback is told while returns are hooked. The user of returns is
 * one of this suite: it hooks none, and says what the suite wants to hear.
 */
#include "hooks/tests/support.h"

#define REAL_PARENT	0x1234UL
#define OTHER_PARENT	0x5678UL

static bool still_hidden;

static unsigned long real_parent(unsigned long handler)
{
	return REAL_PARENT;
}

static bool may_be_hidden(void)
{
	return still_hidden;
}

static const struct ftrace_parent_ops fake_ops = {
	.real	= real_parent,
	.hidden	= may_be_hidden,
};

static void hide(void)
{
	guard(ftrace_lock)();
	ftrace_parents_hide(&fake_ops);
}

static void show(void)
{
	guard(ftrace_lock)();
	ftrace_parents_show();
}

static void parent_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			struct ftrace_regs *fregs)
{
	container_of(ops, struct counter, ops)->parent_ip = parent_ip;
}

static void parent_init(struct kunit *test, struct counter *counter, unsigned long flags,
			unsigned int target)
{
	counter_init(test, counter, flags, target, 1);
	counter->ops.func = parent_func;
}

/* Return the parent that an ops is told of a call which has found @found. */
static unsigned long told(struct counter *counter, unsigned long found)
{
	ftrace_func_t entry;

	counter->parent_ip = 0;
	/* Callbacks cannot be preempted between their test of the context and their end. */
	guard(preempt_notrace)();
	entry = READ_ONCE(counter->ops.dispatch->calls[0].func);
	entry(0, found, &counter->ops, NULL);
	return counter->parent_ip;
}

static unsigned long handler(void)
{
	return (unsigned long)return_to_handler;
}

static const unsigned long protections[] = {
	0, FTRACE_OPS_FL_RCU, FTRACE_OPS_FL_RECURSION, FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU,
};

/*
 * An ops that asks for the parent is told it, whether it was registered before or after the user
 * of returns, and with each protection of its callback. Other ops are told what the call has found.
 */
static void test_told(struct kunit *test)
{
	static struct counter before, after, other;
	unsigned int i;

	still_hidden = false;
	for (i = 0; i < ARRAY_SIZE(protections); i++) {
		parent_init(test, &before, FTRACE_OPS_FL_PARENT | protections[i], 0);
		parent_init(test, &after, FTRACE_OPS_FL_PARENT | protections[i], 0);
		parent_init(test, &other, protections[i], 0);
		KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&before.ops));
		hide();
		KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&after.ops));
		KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&other.ops));
		KUNIT_EXPECT_EQ(test, REAL_PARENT, told(&before, handler()));
		KUNIT_EXPECT_EQ(test, REAL_PARENT, told(&after, handler()));
		KUNIT_EXPECT_EQ(test, handler(), told(&other, handler()));
		KUNIT_EXPECT_EQ(test, OTHER_PARENT, told(&before, OTHER_PARENT));
		KUNIT_EXPECT_EQ(test, OTHER_PARENT, told(&after, OTHER_PARENT));
		/* Another callback is called in the same way. */
		ftrace_ops_set_func(&before.ops, ftrace_stub);
		KUNIT_EXPECT_EQ(test, 0, told(&before, handler()));
		ftrace_ops_set_func(&before.ops, parent_func);
		KUNIT_EXPECT_EQ(test, REAL_PARENT, told(&before, handler()));
		show();
		ftrace_hooks_drain();
		KUNIT_EXPECT_EQ(test, handler(), told(&before, handler()));
		KUNIT_EXPECT_EQ(test, handler(), told(&after, handler()));
		counter_done(test, &before);
		counter_done(test, &after);
		counter_done(test, &other);
	}
}

/* The set of a site and the walk over all ops call the entries that were chosen, too. */
static void test_sites(struct kunit *test)
{
	static struct counter first, second;

	still_hidden = false;
	counter_init(test, &first, FTRACE_OPS_FL_PARENT, 4, 1);
	counter_init(test, &second, 0, 4, 1);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&first.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&second.ops));
	hide();
	KUNIT_EXPECT_EQ(test, 1, counter_hit_all(&first));
	KUNIT_EXPECT_EQ(test, first.parent_ip, second.parent_ip);
	scoped_guard(ftrace_lock) {
		const struct ftrace_dispatch *set = ftrace_dispatch_of(target_site(4));

		KUNIT_ASSERT_EQ(test, 2, set->nr);
		KUNIT_EXPECT_PTR_EQ(test, set->calls[0].ops, &second.ops);
		KUNIT_EXPECT_PTR_EQ(test, set->calls[0].func, &counter_func);
		KUNIT_EXPECT_PTR_EQ(test, set->calls[1].func, first.ops.dispatch->calls[0].func);
		KUNIT_EXPECT_PTR_NE(test, set->calls[1].func, &counter_func);
	}
	show();
	ftrace_hooks_drain();
	scoped_guard(ftrace_lock) {
		const struct ftrace_dispatch *set = ftrace_dispatch_of(target_site(4));

		KUNIT_EXPECT_PTR_EQ(test, set->calls[1].func, &counter_func);
	}
	KUNIT_EXPECT_EQ(test, 1, counter_hit_all(&first));
	counter_done(test, &first);
	counter_done(test, &second);
}

/*
 * The last user has gone, and a task sleeps in a call whose return it has hooked: callbacks go on
 * asking. When the task has woken up, the next ops that comes ends that.
 */
static void test_until_shown(struct kunit *test)
{
	static struct counter before, after;

	still_hidden = true;
	parent_init(test, &before, FTRACE_OPS_FL_PARENT, 0);
	parent_init(test, &after, FTRACE_OPS_FL_PARENT, 1);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&before.ops));
	hide();
	hide();
	show();
	ftrace_hooks_drain();
	KUNIT_EXPECT_EQ(test, REAL_PARENT, told(&before, handler()));
	/* It comes back, and goes, before the grace period is over. */
	show();
	hide();
	show();
	KUNIT_EXPECT_EQ(test, REAL_PARENT, told(&before, handler()));
	ftrace_hooks_drain();
	KUNIT_EXPECT_EQ(test, REAL_PARENT, told(&before, handler()));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&after.ops));
	KUNIT_EXPECT_EQ(test, REAL_PARENT, told(&before, handler()));
	KUNIT_EXPECT_EQ(test, REAL_PARENT, told(&after, handler()));
	counter_done(test, &after);

	still_hidden = false;
	/* A user that is there forbids it. */
	hide();
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&after.ops));
	KUNIT_EXPECT_EQ(test, REAL_PARENT, told(&before, handler()));
	counter_done(test, &after);
	still_hidden = true;
	show();
	ftrace_hooks_drain();
	still_hidden = false;
	KUNIT_EXPECT_EQ(test, REAL_PARENT, told(&before, handler()));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&after.ops));
	KUNIT_EXPECT_EQ(test, handler(), told(&before, handler()));
	KUNIT_EXPECT_EQ(test, handler(), told(&after, handler()));
	counter_done(test, &after);
	counter_done(test, &before);
}

static struct kunit_case parent_cases[] = {
	KUNIT_CASE(test_told),
	KUNIT_CASE(test_sites),
	KUNIT_CASE(test_until_shown),
	{}
};

static struct kunit_suite parent_suite = {
	.name = "ftrace_hooks_parent",
	.test_cases = parent_cases,
};

kunit_test_suite(parent_suite);
