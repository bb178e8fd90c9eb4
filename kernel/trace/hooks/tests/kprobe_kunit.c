// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: kprobes on call sites, which become ops.
 */
#include <linux/kprobes.h>

#include "hooks/tests/support.h"

static unsigned int probe_hits;

static int probe_handler(struct kprobe *p, struct pt_regs *regs)
{
	probe_hits++;
	return 0;
}

static void probe_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	probe_hits += 100;
}

static void kprobe_on_site(struct kunit *test)
{
	static struct kprobe kp, post;
	static struct counter c;

	memset(&kp, 0, sizeof(kp));
	memset(&post, 0, sizeof(post));
	probe_hits = 0;
	kp.symbol_name = "hooks_target_2";
	kp.pre_handler = probe_handler;
	post.symbol_name = "hooks_target_3";
	post.post_handler = probe_post;
	counter_init(test, &c, 0, 2, 1);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&kp));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&post));
	KUNIT_EXPECT_TRUE(test, kprobe_ftrace(&kp));
	KUNIT_EXPECT_EQ(test, 2, target_info(2).count);
	KUNIT_EXPECT_TRUE(test, target_info(3).ipmodify);
	KUNIT_EXPECT_EQ(test, 7, hooks_targets[2](5));
	KUNIT_EXPECT_EQ(test, 1, probe_hits);
	KUNIT_EXPECT_EQ(test, 1, c.hits);
	KUNIT_EXPECT_EQ(test, 8, hooks_targets[3](5));
	KUNIT_EXPECT_EQ(test, 101, probe_hits);
	unregister_kprobe(&post);
	unregister_kprobe(&kp);
	KUNIT_EXPECT_EQ(test, 1, target_info(2).count);
	counter_done(test, &c);
	KUNIT_EXPECT_EQ(test, 0, target_dispatch(3));
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
}

static struct kunit_case kprobe_cases[] = {
	KUNIT_CASE(kprobe_on_site),
	{}
};

static struct kunit_suite kprobe_suite = {
	.name = "ftrace_hooks_kprobe",
	.test_cases = kprobe_cases,
};

kunit_test_suite(kprobe_suite);
