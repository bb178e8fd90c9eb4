// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: hooks on returns, through the kretprobes that stand on them, and
 * kprobes on call sites.
 */
#include <linux/kprobes.h>
#include <linux/rethook.h>

#include "hooks/tests/support.h"

static unsigned int ret_hits[2], entry_hits, probe_hits;
static unsigned long ret_value, ret_to, ret_unwound;

static int ret_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct llist_node *cur = NULL;

	ret_hits[0]++;
	ret_value = regs_return_value(regs);
	ret_to = get_kretprobe_retaddr(ri);
	/* An unwinder finds the way while the handler runs. */
	ret_unwound = rethook_find_ret_addr(current, ri->node.frame, &cur);
	return 0;
}

static int ret_handler_second(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	ret_hits[1]++;
	return 0;
}

/* Every other return is not awaited. */
static int entry_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return entry_hits++ % 2;
}

static void test_kretprobe(struct kunit *test)
{
	static struct kretprobe rp, second;
	int i;

	memset(&rp, 0, sizeof(rp));
	memset(&second, 0, sizeof(second));
	memset(ret_hits, 0, sizeof(ret_hits));
	rp.kp.symbol_name = "hooks_target_1";
	rp.handler = ret_handler;
	rp.maxactive = 4;
	second.kp.symbol_name = "hooks_target_1";
	second.handler = ret_handler_second;
	second.entry_handler = entry_handler;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&rp));
	KUNIT_EXPECT_TRUE(test, kprobe_ftrace(&rp.kp));
	KUNIT_EXPECT_EQ(test, 43, hooks_targets[1](42));
	KUNIT_EXPECT_EQ(test, 1, ret_hits[0]);
	KUNIT_EXPECT_EQ(test, 43, ret_value);
	KUNIT_EXPECT_TRUE(test, kernel_text_address(ret_to));

	/* Two on one frame: the first knows the address, the second the trampoline. */
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&second));
	for (i = 0; i < 20; i++)
		KUNIT_EXPECT_EQ(test, i + 1, hooks_targets[1](i));
	KUNIT_EXPECT_EQ(test, 21, ret_hits[0]);
	KUNIT_EXPECT_EQ(test, 10, ret_hits[1]);
	KUNIT_EXPECT_TRUE(test, kernel_text_address(ret_unwound));
	KUNIT_EXPECT_FALSE(test, is_rethook_trampoline(ret_unwound));
	/* Every node came back: more returns than nodes. */
	KUNIT_EXPECT_EQ(test, 0, rp.nmissed);
	KUNIT_EXPECT_EQ(test, 0, second.nmissed);
	unregister_kretprobe(&second);
	unregister_kretprobe(&rp);
	KUNIT_EXPECT_EQ(test, 43, hooks_targets[1](42));
	KUNIT_EXPECT_EQ(test, 21, ret_hits[0]);
	KUNIT_EXPECT_PTR_EQ(test, NULL, current->rethooks.first);
}

static int probe_handler(struct kprobe *p, struct pt_regs *regs)
{
	probe_hits++;
	return 0;
}

static void probe_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	probe_hits += 100;
}

static void test_kprobe(struct kunit *test)
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

static void no_handler(struct rethook_node *node, void *data, unsigned long ret_addr,
		       struct pt_regs *regs)
{
}

static void test_alloc(struct kunit *test)
{
	const int size = sizeof(struct rethook_node);
	struct rethook_node *nodes[3];
	struct rethook *rh;
	int i;

	KUNIT_EXPECT_PTR_EQ(test, ERR_PTR(-EINVAL), rethook_alloc(NULL, NULL, size, 1));
	KUNIT_EXPECT_PTR_EQ(test, ERR_PTR(-EINVAL), rethook_alloc(NULL, no_handler, size - 1, 1));
	KUNIT_EXPECT_PTR_EQ(test, ERR_PTR(-EINVAL), rethook_alloc(NULL, no_handler, size, 0));
	rh = rethook_alloc(test, no_handler, size, 2);
	KUNIT_ASSERT_FALSE(test, IS_ERR(rh));
	preempt_disable();
	for (i = 0; i < 3; i++)
		nodes[i] = rethook_try_get(rh);
	preempt_enable();
	KUNIT_EXPECT_NOT_NULL(test, nodes[1]);
	KUNIT_EXPECT_NULL(test, nodes[2]);
	/* One comes back before the hook is given up, one after. */
	preempt_disable();
	rethook_recycle(nodes[0]);
	rethook_free(rh);
	nodes[2] = rethook_try_get(rh);
	rethook_recycle(nodes[1]);
	preempt_enable();
	KUNIT_EXPECT_NULL(test, nodes[2]);
	rcu_barrier();
}

static struct kunit_case rethook_cases[] = {
	KUNIT_CASE(test_kretprobe),
	KUNIT_CASE(test_kprobe),
	KUNIT_CASE(test_alloc),
	{}
};

static struct kunit_suite rethook_suite = {
	.name = "ftrace_rethook",
	.test_cases = rethook_cases,
};

kunit_test_suite(rethook_suite);
