// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: hooks on returns, through the kretprobes that stand on them.
 */
#include <kunit/test.h>

#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "graph/tests/targets.h"

static unsigned int ret_hits[2], entry_hits;
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
	rp.kp.symbol_name = "graph_target_add";
	rp.handler = ret_handler;
	rp.maxactive = 4;
	second.kp.symbol_name = "graph_target_add";
	second.handler = ret_handler_second;
	second.entry_handler = entry_handler;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&rp));
	KUNIT_EXPECT_TRUE(test, kprobe_ftrace(&rp.kp));
	KUNIT_EXPECT_EQ(test, 43, graph_target_add(42));
	KUNIT_EXPECT_EQ(test, 1, ret_hits[0]);
	KUNIT_EXPECT_EQ(test, 43, ret_value);
	KUNIT_EXPECT_TRUE(test, kernel_text_address(ret_to));

	/* Two on one frame: the first knows the address, the second the trampoline. */
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&second));
	for (i = 0; i < 20; i++)
		KUNIT_EXPECT_EQ(test, i + 1, graph_target_add(i));
	KUNIT_EXPECT_EQ(test, 21, ret_hits[0]);
	KUNIT_EXPECT_EQ(test, 10, ret_hits[1]);
	KUNIT_EXPECT_TRUE(test, kernel_text_address(ret_unwound));
	KUNIT_EXPECT_FALSE(test, is_rethook_trampoline(ret_unwound));
	/* Every node came back: more returns than nodes. */
	KUNIT_EXPECT_EQ(test, 0, rp.nmissed);
	KUNIT_EXPECT_EQ(test, 0, second.nmissed);
	unregister_kretprobe(&second);
	unregister_kretprobe(&rp);
	KUNIT_EXPECT_EQ(test, 43, graph_target_add(42));
	KUNIT_EXPECT_EQ(test, 21, ret_hits[0]);
	KUNIT_EXPECT_PTR_EQ(test, NULL, current->rethooks.first);
}

static unsigned long nested_to[2], nested_unwound[2];

/* Unwinds both frames, the inner one's first. */
static int nested_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct llist_node *cur = NULL;
	struct rethook_node *outer;

	nested_to[0] = get_kretprobe_retaddr(ri);
	nested_unwound[0] = rethook_find_ret_addr(current, ri->node.frame, &cur);
	outer = container_of(ri->node.llist.next, struct rethook_node, llist);
	nested_to[1] = outer->ret_addr;
	nested_unwound[1] = rethook_find_ret_addr(current, outer->frame, &cur);
	return 0;
}

/* A hooked function calls another one: two frames at a time. */
static void test_nested(struct kunit *test)
{
	static struct kretprobe inner, outer;

	memset(&inner, 0, sizeof(inner));
	memset(&outer, 0, sizeof(outer));
	memset(ret_hits, 0, sizeof(ret_hits));
	inner.kp.symbol_name = "graph_target_add";
	inner.handler = nested_handler;
	outer.kp.symbol_name = "graph_target_nested";
	outer.handler = ret_handler;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&outer));
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&inner));
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	unregister_kretprobe(&inner);
	unregister_kretprobe(&outer);
	KUNIT_EXPECT_EQ(test, 1, ret_hits[0]);
	KUNIT_EXPECT_EQ(test, 42, ret_value);
	KUNIT_EXPECT_EQ(test, nested_to[0], nested_unwound[0]);
	KUNIT_EXPECT_EQ(test, nested_to[1], nested_unwound[1]);
	KUNIT_EXPECT_NE(test, nested_to[0], nested_to[1]);
	KUNIT_EXPECT_PTR_EQ(test, NULL, current->rethooks.first);
}

static struct kretprobe stop_probe;

/* Its own hook is stopped while a return is awaited. */
static int stop_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	rethook_stop(stop_probe.rh);
	return 0;
}

/* A return that is awaited when the hook is stopped comes, and its handler is not called. */
static void test_stop(struct kunit *test)
{
	memset(&stop_probe, 0, sizeof(stop_probe));
	memset(ret_hits, 0, sizeof(ret_hits));
	stop_probe.kp.symbol_name = "graph_target_add";
	stop_probe.handler = ret_handler;
	stop_probe.entry_handler = stop_entry;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&stop_probe));
	KUNIT_EXPECT_EQ(test, 2, graph_target_add(1));
	KUNIT_EXPECT_EQ(test, 2, graph_target_add(1));
	KUNIT_EXPECT_EQ(test, 0, ret_hits[0]);
	KUNIT_EXPECT_EQ(test, 1, stop_probe.nmissed);
	unregister_kretprobe(&stop_probe);
	rcu_barrier();
	KUNIT_EXPECT_PTR_EQ(test, NULL, current->rethooks.first);
}

static DECLARE_COMPLETION(busy);

/* It never sleeps once it has told that it runs. */
static int busy_main(void *arg)
{
	complete(&busy);
	while (!kthread_should_stop())
		cond_resched();
	return 0;
}

/* A task that is ready to run has no stack to be unwound, which is nothing to warn of. */
static void test_running(struct kunit *test)
{
	struct llist_node *cur = NULL;
	struct task_struct *task;

	reinit_completion(&busy);
	task = kthread_run(busy_main, NULL, "rethook_busy");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	wait_for_completion(&busy);
	KUNIT_EXPECT_TRUE(test, task_is_running(task));
	KUNIT_EXPECT_EQ(test, 0, rethook_find_ret_addr(task, 0, &cur));
	KUNIT_EXPECT_PTR_EQ(test, NULL, cur);
	kthread_stop(task);
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
	preempt_enable();
	rethook_free(rh);
	/* The node that is out keeps the hook's memory. */
	preempt_disable();
	nodes[2] = rethook_try_get(rh);
	rethook_recycle(nodes[1]);
	preempt_enable();
	KUNIT_EXPECT_NULL(test, nodes[2]);
	rcu_barrier();
}

/* A node whose hook is stopped. */
static struct rethook_node *node_of_stopped(struct kunit *test)
{
	struct rethook *rh = rethook_alloc(test, no_handler, sizeof(struct rethook_node), 1);
	struct rethook_node *node;

	KUNIT_ASSERT_FALSE(test, IS_ERR(rh));
	scoped_guard(preempt)
		node = rethook_try_get(rh);
	KUNIT_ASSERT_NOT_NULL(test, node);
	rethook_free(rh);
	return node;
}

static struct rcu_head *asked_for;
static unsigned int asked, asked_in_irq;

/* RCU is asked for a grace period. */
static int asked_handler(struct kprobe *kp, struct pt_regs *regs)
{
	if (regs_get_kernel_argument(regs, 0) != (unsigned long)asked_for)
		return 0;
	asked_in_irq += !!in_hardirq();
	WRITE_ONCE(asked, asked + 1);
	return 0;
}

/* Watch for RCU being asked for the sake of @node. */
static void watch_asked(struct kunit *test, struct kprobe *kp, struct rethook_node *node)
{
	memset(kp, 0, sizeof(*kp));
	kp->symbol_name = "call_rcu";
	kp->pre_handler = asked_handler;
	asked_for = &node->rcu;
	asked = 0;
	asked_in_irq = 0;
	KUNIT_EXPECT_EQ(test, register_kprobe(kp), 0);
}

/*
 * A function that returns with interrupts disabled may be called by RCU itself, so an interrupt
 * asks RCU for the grace period after which the node of a stopped hook is dropped.
 */
static void test_drop(struct kunit *test)
{
	struct rethook_node *node = node_of_stopped(test);
	static struct kprobe kp;
	unsigned long flags;

	watch_asked(test, &kp, node);
	local_irq_save(flags);
	rethook_recycle(node);
	KUNIT_EXPECT_EQ(test, asked, 0);
	local_irq_restore(flags);
	for (int i = 0; i < 10000 && !READ_ONCE(asked); i++)
		fsleep(1000);
	unregister_kprobe(&kp);
	KUNIT_EXPECT_EQ(test, asked, 1);
	/* With PREEMPT_RT as well: a thread of a CPU that goes offline would not do it. */
	KUNIT_EXPECT_EQ(test, asked_in_irq, 1);
	rcu_barrier();
}

static struct rethook_node *dying_node;

/* The CPU is offline, and has run its last irq_work. */
static int dying_handler(struct kprobe *kp, struct pt_regs *regs)
{
	struct rethook_node *node = xchg(&dying_node, NULL);

	if (node && !cpu_online(raw_smp_processor_id()))
		rethook_recycle(node);
	return 0;
}

/* The node of a stopped hook that a CPU drops while it goes offline is freed all the same. */
static void test_drop_offline(struct kunit *test)
{
	int first = cpumask_first(cpu_online_mask), cpu = cpumask_last(cpu_online_mask);
	struct rethook_node *node;
	static struct kprobe kp, dying;

	if (!IS_ENABLED(CONFIG_HOTPLUG_CPU) || cpu == first)
		kunit_skip(test, "no CPU can go");
	memset(&dying, 0, sizeof(dying));
	dying.symbol_name = "rcutree_dying_cpu";
	dying.pre_handler = dying_handler;
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(first)), 0);
	node = node_of_stopped(test);
	watch_asked(test, &kp, node);
	dying_node = node;
	KUNIT_EXPECT_EQ(test, register_kprobe(&dying), 0);
	KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
	KUNIT_EXPECT_PTR_EQ(test, dying_node, NULL);
	KUNIT_EXPECT_EQ(test, asked, 1);
	KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	unregister_kprobe(&dying);
	unregister_kprobe(&kp);
	rcu_barrier();
}

static struct kunit_case rethook_cases[] = {
	KUNIT_CASE(test_kretprobe),
	KUNIT_CASE(test_nested),
	KUNIT_CASE(test_stop),
	KUNIT_CASE(test_running),
	KUNIT_CASE(test_alloc),
	KUNIT_CASE(test_drop),
	KUNIT_CASE(test_drop_offline),
	{}
};

static struct kunit_suite rethook_suite = {
	.name = "ftrace_rethook",
	.test_cases = rethook_cases,
};

kunit_test_suite(rethook_suite);
