// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: direct calls, alone, with other ops, and beside IPMODIFY.
 */
#include <linux/kprobes.h>

#include "hooks/tests/support.h"

#define A	((unsigned long)hooks_direct_a)
#define B	((unsigned long)hooks_direct_b)

static void direct_init(struct kunit *test, struct ftrace_ops *ops, unsigned int first,
			unsigned int nr)
{
	unsigned int i;

	memset(ops, 0, sizeof(*ops));
	for (i = 0; i < nr; i++)
		KUNIT_ASSERT_EQ(test, 0,
				ftrace_set_filter_ip(ops, (unsigned long)hooks_targets[first + i],
						     0, 0));
	hooks_direct_a_hits = 0;
	hooks_direct_b_hits = 0;
}

static void test_direct(struct kunit *test)
{
	static struct ftrace_ops ops, none, other;
	unsigned long site = ftrace_location((unsigned long)hooks_target_1);

	KUNIT_EXPECT_EQ(test, -EINVAL, register_ftrace_direct(&none, A));
	direct_init(test, &other, 2, 1);
	direct_init(test, &ops, 1, 2);
	KUNIT_EXPECT_EQ(test, -EINVAL, unregister_ftrace_direct(&ops, A, false));
	KUNIT_EXPECT_EQ(test, -EINVAL, modify_ftrace_direct(&ops, B));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_direct(&ops, A));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_ftrace_direct(&ops, A));
	/* One direct call a function. */
	KUNIT_EXPECT_EQ(test, -EBUSY, register_ftrace_direct(&other, B));

	KUNIT_EXPECT_EQ(test, A, target_info(1).target);
	KUNIT_EXPECT_EQ(test, A, target_info(2).direct_addr);
	KUNIT_EXPECT_EQ(test, A, ftrace_find_rec_direct(site));
	KUNIT_EXPECT_EQ(test, 0, ftrace_find_rec_direct(site + 1));
	KUNIT_EXPECT_EQ(test, 11, hooks_targets[1](10));
	KUNIT_EXPECT_EQ(test, 12, hooks_targets[2](10));
	KUNIT_EXPECT_EQ(test, 2, hooks_direct_a_hits);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());

	KUNIT_EXPECT_EQ(test, 0, modify_ftrace_direct(&ops, B));
	KUNIT_EXPECT_EQ(test, B, target_info(1).target);
	KUNIT_EXPECT_EQ(test, 11, hooks_targets[1](10));
	KUNIT_EXPECT_EQ(test, 2, hooks_direct_a_hits);
	KUNIT_EXPECT_EQ(test, 1, hooks_direct_b_hits);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_direct(&ops, B, true));
	KUNIT_EXPECT_EQ(test, 0, target_dispatch(1));
	KUNIT_EXPECT_EQ(test, 11, hooks_targets[1](10));
	KUNIT_EXPECT_EQ(test, 1, hooks_direct_b_hits);
	/* The place is free again. */
	KUNIT_EXPECT_EQ(test, 0, register_ftrace_direct(&other, B));
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_direct(&other, B, true));
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
}

static void direct_with_others(struct kunit *test)
{
	static struct counter before, after, regs;
	static struct ftrace_ops ops;

	counter_init(test, &before, FTRACE_OPS_FL_VIEW, 1, 1);
	counter_init(test, &after, 0, 1, 1);
	counter_init(test, &regs, FL_REGS, 1, 1);
	direct_init(test, &ops, 1, 2);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&before.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_direct(&ops, A));
	KUNIT_EXPECT_TRUE(test, target_info(1).direct);
	KUNIT_EXPECT_EQ(test, 11, hooks_targets[1](10));
	KUNIT_EXPECT_EQ(test, 1, hooks_direct_a_hits);
	KUNIT_EXPECT_EQ(test, 1, before.hits);

	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&after.ops));
	KUNIT_EXPECT_EQ(test, 11, hooks_targets[1](10));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&regs.ops));
	KUNIT_EXPECT_EQ(test, 11, hooks_targets[1](10));
	KUNIT_EXPECT_EQ(test, HAVE_REGS, regs.regs);
	KUNIT_EXPECT_EQ(test, 3, hooks_direct_a_hits);
	KUNIT_EXPECT_EQ(test, 2, after.hits);

	/* The set goes on to the new address, the site of its own calls it. */
	KUNIT_EXPECT_EQ(test, 0, modify_ftrace_direct(&ops, B));
	KUNIT_EXPECT_EQ(test, 11, hooks_targets[1](10));
	KUNIT_EXPECT_EQ(test, 12, hooks_targets[2](10));
	KUNIT_EXPECT_EQ(test, B, target_info(2).target);
	KUNIT_EXPECT_EQ(test, 2, hooks_direct_b_hits);
	KUNIT_EXPECT_EQ(test, 3, hooks_direct_a_hits);

	counter_done(test, &regs);
	counter_done(test, &before);
	counter_done(test, &after);
	KUNIT_EXPECT_EQ(test, B, target_info(1).target);
	KUNIT_EXPECT_EQ(test, 11, hooks_targets[1](10));
	KUNIT_EXPECT_EQ(test, 3, hooks_direct_b_hits);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_direct(&ops, B, true));
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
}

static void test_direct_sets(struct kunit *test)
{
	direct_with_others(test);
}

static void test_direct_list(struct kunit *test)
{
	unsigned int max = ftrace_sets_max;

	scoped_guard(ftrace_lock)
		ftrace_sets_max = 0;
	direct_with_others(test);
	scoped_guard(ftrace_lock)
		ftrace_sets_max = max;
}

/* An owner clears ops->func before it modifies the direct call: a set goes on as before. */
static void test_direct_without_func(struct kunit *test)
{
	static struct ftrace_ops ops;
	static struct counter beside;

	counter_init(test, &beside, 0, 1, 1);
	direct_init(test, &ops, 1, 1);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&beside.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_direct(&ops, A));
	ops.func = NULL;
	KUNIT_EXPECT_EQ(test, 0, modify_ftrace_direct(&ops, B));
	KUNIT_EXPECT_EQ(test, 11, hooks_targets[1](10));
	KUNIT_EXPECT_EQ(test, 1, beside.hits);
	KUNIT_EXPECT_EQ(test, 1, hooks_direct_b_hits);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_direct(&ops, B, true));
	counter_done(test, &beside);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
}

/* Count the requests to share that the owner of the direct call gets, and give its answer. */
static int share_answer, share_self, share_peer, share_end;

static int share_func(struct ftrace_ops *ops, enum ftrace_ops_cmd cmd)
{
	switch (cmd) {
	case FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF:
		share_self++;
		return share_answer;
	case FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER:
		/* A busy owner is asked again. */
		if (!share_peer++)
			return -EAGAIN;
		return share_answer ?: modify_ftrace_direct_nolock(ops, B);
	case FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER:
		share_end++;
		return modify_ftrace_direct_nolock(ops, A);
	}
	return -EINVAL;
}

static void share_reset(int answer)
{
	share_answer = answer;
	share_self = 0;
	share_peer = 0;
	share_end = 0;
}

#define FL_MODIFY	(FTRACE_OPS_FL_IPMODIFY | FL_REGS)

static void test_direct_ipmodify(struct kunit *test)
{
	static struct ftrace_ops ops;
	static struct counter c;

	counter_init(test, &c, FL_MODIFY, 1, 1);
	direct_init(test, &ops, 1, 1);

	/* Without a word from the owner they do not go together. */
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_direct(&ops, A));
	KUNIT_EXPECT_EQ(test, -EBUSY, register_ftrace_function(&c.ops));
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_direct(&ops, A, false));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	KUNIT_EXPECT_EQ(test, -EBUSY, register_ftrace_direct(&ops, A));

	/* The owner comes second and is asked. */
	ops.ops_func = share_func;
	share_reset(-EAGAIN);
	KUNIT_EXPECT_EQ(test, -EAGAIN, register_ftrace_direct(&ops, A));
	share_reset(0);
	KUNIT_EXPECT_EQ(test, 0, register_ftrace_direct(&ops, A));
	KUNIT_EXPECT_EQ(test, 1, share_self);
	KUNIT_EXPECT_EQ(test, 11, hooks_targets[1](10));
	KUNIT_EXPECT_EQ(test, 1, hooks_direct_a_hits);
	KUNIT_EXPECT_EQ(test, 1, c.hits);
	/*
	 * The new target of the direct call may call the function by its address, so the owner
	 * is asked again.
	 */
	share_reset(-EAGAIN);
	KUNIT_EXPECT_EQ(test, -EAGAIN, modify_ftrace_direct(&ops, B));
	KUNIT_EXPECT_EQ(test, 1, share_self);
	KUNIT_EXPECT_EQ(test, A, target_info(1).direct_addr);
	share_reset(0);
	KUNIT_EXPECT_EQ(test, 0, modify_ftrace_direct(&ops, B));
	KUNIT_EXPECT_EQ(test, 1, share_self);
	KUNIT_EXPECT_EQ(test, 0, modify_ftrace_direct(&ops, A));
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(&c.ops));
	KUNIT_EXPECT_EQ(test, 1, share_end);

	/* The owner comes first, refuses, then agrees and changes its call. */
	share_reset(-EPERM);
	KUNIT_EXPECT_EQ(test, -EPERM, register_ftrace_function(&c.ops));
	KUNIT_EXPECT_EQ(test, 2, share_peer);
	share_reset(0);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	KUNIT_EXPECT_EQ(test, 11, hooks_targets[1](10));
	KUNIT_EXPECT_EQ(test, 1, hooks_direct_b_hits);
	counter_done(test, &c);
	KUNIT_EXPECT_EQ(test, 1, share_end);
	KUNIT_EXPECT_EQ(test, 11, hooks_targets[1](10));
	KUNIT_EXPECT_EQ(test, 2, hooks_direct_a_hits);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_direct(&ops, A, true));
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
}

/* Sharing lasts as long as one IPMODIFY ops is there, whatever fails meanwhile. */
static void test_direct_keeps_sharing(struct kunit *test)
{
	unsigned long site_1 = (unsigned long)hooks_targets[1];
	unsigned long site_2 = (unsigned long)hooks_targets[2];
	unsigned long site_3 = (unsigned long)hooks_targets[3];
	static struct counter first, second, third;
	static struct ftrace_ops ops;

	counter_init(test, &first, FL_MODIFY, 1, 1);
	counter_init(test, &second, FL_MODIFY, 2, 1);
	counter_init(test, &third, FL_MODIFY, 3, 1);
	direct_init(test, &ops, 1, 2);
	ops.ops_func = share_func;
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_direct(&ops, A));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&third.ops));
	share_reset(0);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&first.ops));
	KUNIT_EXPECT_EQ(test, 2, share_peer);

	/* A change that fails leaves the sharing of before. */
	KUNIT_EXPECT_EQ(test, -EBUSY, ftrace_set_filter_ip(&first.ops, site_3, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, share_end);
	KUNIT_EXPECT_EQ(test, B, target_info(1).direct_addr);
	/*
	 * If one of two ops that share goes, the sharing stays, too; the owner is not asked
	 * again.
	 */
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&second.ops));
	KUNIT_EXPECT_EQ(test, 2, share_peer);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(&second.ops));
	KUNIT_EXPECT_EQ(test, 0, share_end);
	/* An ops whose filter leaves the functions shares no more. */
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(&third.ops));
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&first.ops, site_3, 0, 1));
	KUNIT_EXPECT_EQ(test, 1, share_end);
	KUNIT_EXPECT_EQ(test, A, target_info(1).direct_addr);
	/* And does again when it comes back. */
	share_reset(0);
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&first.ops, site_1, 0, 0));
	KUNIT_EXPECT_EQ(test, 2, share_peer);
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&first.ops, site_2, 0, 0));
	KUNIT_EXPECT_EQ(test, 2, share_peer);
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&first.ops, site_1, 1, 0));
	KUNIT_EXPECT_EQ(test, 0, share_end);
	counter_done(test, &first);
	KUNIT_EXPECT_EQ(test, 1, share_end);
	ftrace_free_filter(&second.ops);
	ftrace_free_filter(&third.ops);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_direct(&ops, A, true));
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
}

/* An address that no call can reach is refused before anything is patched. */
static void test_direct_out_of_reach(struct kunit *test)
{
	struct ftrace_target far = { .direct = (unsigned long)test };
	static struct ftrace_ops ops;
	int err;

	scoped_guard(ftrace_lock) {
		err = arch_ftrace_target_init(&far);
		if (!err)
			arch_ftrace_target_exit(&far);
	}
	if (!err)
		kunit_skip(test, "direct calls reach all addresses");
	direct_init(test, &ops, 1, 1);
	KUNIT_EXPECT_EQ(test, -ERANGE, register_ftrace_direct(&ops, (unsigned long)test));
	KUNIT_EXPECT_FALSE(test, ftrace_sites_dead());
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_direct(&ops, A));
	KUNIT_EXPECT_EQ(test, -ERANGE, modify_ftrace_direct(&ops, (unsigned long)test));
	KUNIT_EXPECT_EQ(test, A, target_info(1).target);
	KUNIT_EXPECT_EQ(test, A, target_info(1).direct_addr);
	KUNIT_EXPECT_FALSE(test, ftrace_sites_dead());
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_direct(&ops, A, true));
}

/* The address that a set goes on to, at the moment when what a site calls is being made. */
static struct ftrace_ops *modified;
static unsigned long modified_to;

static int modify_handler(struct kprobe *p, struct pt_regs *regs)
{
	modified_to = READ_ONCE(modified->direct_call);
	return 0;
}

/* Sets do not call the new address while modify_ftrace_direct() can still fail. */
static void test_direct_publishes_late(struct kunit *test)
{
	static struct kprobe kp;
	static struct ftrace_ops ops;
	static struct counter c;

	if (!IS_ENABLED(CONFIG_KPROBES))
		kunit_skip(test, "there are no kprobes");
	memset(&kp, 0, sizeof(kp));
	kp.symbol_name = "arch_ftrace_target_init";
	kp.pre_handler = modify_handler;
	counter_init(test, &c, 0, 1, 1);
	direct_init(test, &ops, 1, 2);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_direct(&ops, A));
	modified = &ops;
	modified_to = 0;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&kp));
	KUNIT_EXPECT_EQ(test, 0, modify_ftrace_direct(&ops, B));
	unregister_kprobe(&kp);
	KUNIT_EXPECT_EQ(test, A, modified_to);
	KUNIT_EXPECT_EQ(test, 11, hooks_targets[1](10));
	KUNIT_EXPECT_EQ(test, 12, hooks_targets[2](10));
	KUNIT_EXPECT_EQ(test, 2, hooks_direct_b_hits);
	KUNIT_EXPECT_EQ(test, 0, hooks_direct_a_hits);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_direct(&ops, B, true));
	counter_done(test, &c);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
}

static struct kunit_case direct_cases[] = {
	KUNIT_CASE(test_direct),
	KUNIT_CASE(test_direct_sets),
	KUNIT_CASE(test_direct_list),
	KUNIT_CASE(test_direct_without_func),
	KUNIT_CASE(test_direct_ipmodify),
	KUNIT_CASE(test_direct_keeps_sharing),
	KUNIT_CASE(test_direct_out_of_reach),
	KUNIT_CASE(test_direct_publishes_late),
	{}
};

static struct kunit_suite direct_suite = {
	.name = "ftrace_hooks_direct",
	.test_cases = direct_cases,
};

kunit_test_suite(direct_suite);
