// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: ops in a kernel without sites, where every function calls every ops: arguments, flags,
 * several ops, kernel.ftrace_enabled. An ops of these tests looks at the calls of one function
 * in one task only.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/context_tracking.h>
#include <linux/delay.h>
#include <linux/kallsyms.h>
#include <linux/kthread.h>
#include <linux/slab.h>

#include "hooks/internal.h"
#include "hooks/tests/targets.h"

static struct task_struct *caller;
static unsigned int turns;

struct counter {
	struct ftrace_ops	ops;
	unsigned int		hits;
	unsigned int		turn;		/* turns at the last hit */
	unsigned long		parent_ip;
	long			arg;
	bool			regs;		/* all registers were there */
};

static bool is_target(unsigned long ip)
{
	return current == caller && in_task() &&
	       ip - (unsigned long)hooks_target_1 <= FTRACE_MCOUNT_MAX_OFFSET;
}

static void count(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		  struct ftrace_regs *fregs)
{
	struct counter *counter = container_of(ops, struct counter, ops);

	if (!is_target(ip))
		return;
	counter->hits++;
	counter->turn = ++turns;
	counter->parent_ip = parent_ip;
	counter->arg = ftrace_regs_get_argument(fregs, 0);
	counter->regs = ftrace_get_regs(fregs);
}

static void count_ten(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		      struct ftrace_regs *fregs)
{
	if (is_target(ip))
		container_of(ops, struct counter, ops)->hits += 10;
}

static int add(struct counter *counter, unsigned long flags)
{
	memset(counter, 0, sizeof(*counter));
	counter->ops.func = count;
	counter->ops.flags = flags;
	return register_ftrace_function(&counter->ops);
}

static void del(struct kunit *test, struct counter *counter)
{
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(&counter->ops));
}

static unsigned int hit(struct counter *counter)
{
	unsigned int before = counter->hits;

	hooks_target_1(0);
	return counter->hits - before;
}

static void test_register(struct kunit *test)
{
	unsigned long size, offset;
	static struct counter c;

	KUNIT_EXPECT_EQ(test, -EBUSY, unregister_ftrace_function(&c.ops));
	KUNIT_ASSERT_EQ(test, 0, add(&c, 0));
	KUNIT_EXPECT_EQ(test, -EBUSY, register_ftrace_function(&c.ops));
	KUNIT_EXPECT_EQ(test, 42, hooks_target_1(41));
	KUNIT_EXPECT_EQ(test, 1, c.hits);
	KUNIT_EXPECT_EQ(test, 41, c.arg);
	KUNIT_EXPECT_FALSE(test, c.regs);
	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset(c.parent_ip, &size, &offset));
	KUNIT_EXPECT_EQ(test, (unsigned long)test_register, c.parent_ip - offset);
	KUNIT_EXPECT_EQ(test, 43, hooks_target_2(41));
	KUNIT_EXPECT_EQ(test, 1, c.hits);
	del(test, &c);
	KUNIT_EXPECT_EQ(test, 0, hit(&c));
	KUNIT_EXPECT_EQ(test, -EBUSY, unregister_ftrace_function(&c.ops));
}

static void test_flags(struct kunit *test)
{
	static struct counter c;

	KUNIT_EXPECT_EQ(test, -EINVAL, add(&c, FTRACE_OPS_FL_SAVE_REGS));
	KUNIT_EXPECT_EQ(test, -EINVAL, add(&c, FTRACE_OPS_FL_DELETED));
	KUNIT_EXPECT_EQ(test, -EINVAL, add(&c, FTRACE_OPS_FL_IPMODIFY));
	KUNIT_EXPECT_EQ(test, -EINVAL, add(&c, FTRACE_OPS_FL_IPMODIFY |
					       FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED));
	KUNIT_EXPECT_EQ(test, 0, hit(&c));
	KUNIT_ASSERT_EQ(test, 0, add(&c, FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED));
	KUNIT_EXPECT_EQ(test, 1, hit(&c));
	KUNIT_EXPECT_FALSE(test, c.regs);
	del(test, &c);
	KUNIT_ASSERT_EQ(test, 0, add(&c, FTRACE_OPS_FL_STUB));
	KUNIT_EXPECT_EQ(test, 0, hit(&c));
	del(test, &c);
}

/* Each is called once, the last one registered first, whoever else comes and goes. */
static void test_several(struct kunit *test)
{
	static struct counter a, b, c;

	KUNIT_ASSERT_EQ(test, 0, add(&a, 0));
	KUNIT_ASSERT_EQ(test, 0, add(&b, FTRACE_OPS_FL_RECURSION));
	KUNIT_ASSERT_EQ(test, 0, add(&c, FTRACE_OPS_FL_RCU));
	KUNIT_EXPECT_EQ(test, 8, hooks_target_1(7));
	KUNIT_EXPECT_EQ(test, 3, a.hits + b.hits + c.hits);
	KUNIT_EXPECT_EQ(test, 21, a.arg + b.arg + c.arg);
	KUNIT_EXPECT_EQ(test, c.turn + 1, b.turn);
	KUNIT_EXPECT_EQ(test, b.turn + 1, a.turn);

	del(test, &b);
	KUNIT_EXPECT_EQ(test, 1, hit(&a));
	KUNIT_EXPECT_EQ(test, 2, c.hits);
	KUNIT_EXPECT_EQ(test, 1, b.hits);
	KUNIT_ASSERT_EQ(test, 0, add(&b, 0));
	hooks_target_1(0);
	KUNIT_EXPECT_EQ(test, b.turn + 1, c.turn);
	del(test, &a);
	del(test, &b);
	KUNIT_EXPECT_EQ(test, 1, hit(&c));
	del(test, &c);
}

static unsigned int depth;

static void recurse(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		    struct ftrace_regs *fregs)
{
	count(ip, parent_ip, ops, fregs);
	if (is_target(ip) && depth++ < 5)
		hooks_target_1(0);
}

static void test_recursion(struct kunit *test)
{
	static struct counter bare, safe;

	KUNIT_ASSERT_EQ(test, 0, add(&bare, 0));
	ftrace_ops_set_func(&bare.ops, recurse);
	depth = 0;
	KUNIT_EXPECT_EQ(test, 6, hit(&bare));
	del(test, &bare);

	KUNIT_ASSERT_EQ(test, 0, add(&safe, FTRACE_OPS_FL_RECURSION));
	ftrace_ops_set_func(&safe.ops, recurse);
	depth = 0;
	/* One more is let through: it could be an interrupt whose context is not told yet. */
	KUNIT_EXPECT_EQ(test, 2, hit(&safe));
	del(test, &safe);
}

/* As in the idle loop. */
static void hit_without_rcu(void)
{
	unsigned long flags;

	local_irq_save(flags);
	ct_idle_enter();
	hooks_target_1(0);
	ct_idle_exit();
	local_irq_restore(flags);
}

static void test_rcu(struct kunit *test)
{
	static struct counter any, watching, both;

	KUNIT_ASSERT_EQ(test, 0, add(&any, 0));
	KUNIT_ASSERT_EQ(test, 0, add(&watching, FTRACE_OPS_FL_RCU));
	KUNIT_ASSERT_EQ(test, 0, add(&both, FTRACE_OPS_FL_RCU | FTRACE_OPS_FL_RECURSION));
	hit_without_rcu();
	KUNIT_EXPECT_EQ(test, 1, any.hits);
	KUNIT_EXPECT_EQ(test, 0, watching.hits);
	KUNIT_EXPECT_EQ(test, 0, both.hits);
	hooks_target_1(0);
	KUNIT_EXPECT_EQ(test, 2, any.hits);
	KUNIT_EXPECT_EQ(test, 1, watching.hits);
	KUNIT_EXPECT_EQ(test, 1, both.hits);
	del(test, &both);
	del(test, &watching);
	del(test, &any);
}

static void test_enabled(struct kunit *test)
{
	static struct counter a, b, keep;
	int saved;

	KUNIT_ASSERT_EQ(test, 0, add(&a, 0));
	KUNIT_ASSERT_EQ(test, 0, ftrace_hooks_set_enabled(false));
	KUNIT_EXPECT_FALSE(test, ftrace_hooks_enabled());
	KUNIT_EXPECT_EQ(test, 0, hit(&a));
	KUNIT_EXPECT_EQ(test, 0, add(&b, 0));
	KUNIT_EXPECT_EQ(test, 0, hit(&b));
	KUNIT_EXPECT_EQ(test, -EBUSY, add(&keep, FTRACE_OPS_FL_PERMANENT));
	KUNIT_ASSERT_EQ(test, 0, ftrace_hooks_set_enabled(true));
	KUNIT_EXPECT_EQ(test, 1, hit(&a));
	KUNIT_EXPECT_EQ(test, 1, b.hits);

	KUNIT_ASSERT_EQ(test, 0, add(&keep, FTRACE_OPS_FL_PERMANENT));
	KUNIT_EXPECT_EQ(test, -EBUSY, ftrace_hooks_set_enabled(false));
	KUNIT_EXPECT_EQ(test, 1, hit(&keep));
	saved = __ftrace_enabled_save();
	KUNIT_EXPECT_EQ(test, 0, hit(&keep));
	__ftrace_enabled_restore(saved);
	KUNIT_EXPECT_EQ(test, 1, hit(&keep));
	del(test, &keep);
	del(test, &b);
	del(test, &a);
}

static void test_set_func(struct kunit *test)
{
	static struct counter plain, assisted;

	KUNIT_ASSERT_EQ(test, 0, add(&plain, 0));
	KUNIT_ASSERT_EQ(test, 0, add(&assisted, FTRACE_OPS_FL_RECURSION));
	ftrace_ops_set_func(&plain.ops, count_ten);
	ftrace_ops_set_func(&assisted.ops, count_ten);
	KUNIT_EXPECT_EQ(test, 10, hit(&plain));
	KUNIT_EXPECT_EQ(test, 10, assisted.hits);
	ftrace_ops_set_func(&plain.ops, count);
	KUNIT_EXPECT_EQ(test, 1, hit(&plain));
	KUNIT_EXPECT_EQ(test, 20, assisted.hits);
	del(test, &assisted);
	del(test, &plain);
}

static DECLARE_COMPLETION(is_inside);
static bool has_left;

static void dawdle(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		   struct ftrace_regs *fregs)
{
	if (!is_target(ip))
		return;
	complete(&is_inside);
	mdelay(200);
	WRITE_ONCE(has_left, true);
}

static int call_target(void *unused)
{
	caller = current;
	hooks_target_1(0);
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

/* An ops that is not the kernel's own may be freed when unregistering returns. */
static void test_unregister_waits(struct kunit *test)
{
	struct ftrace_ops *ops = kunit_kzalloc(test, sizeof(*ops), GFP_KERNEL);
	struct task_struct *task;

	KUNIT_ASSERT_NOT_NULL(test, ops);
	ops->func = dawdle;
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(ops));
	has_left = false;
	reinit_completion(&is_inside);
	task = kthread_run(call_target, NULL, "static_kunit");
	if (!IS_ERR(task))
		wait_for_completion(&is_inside);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(ops));
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	KUNIT_EXPECT_TRUE(test, READ_ONCE(has_left));
	kthread_stop(task);
}

/* Functions that need sites return -ENODEV. */
static void test_no_sites(struct kunit *test)
{
	unsigned long ip = (unsigned long)hooks_target_1;
	static struct counter c;

	KUNIT_EXPECT_EQ(test, -ENODEV, ftrace_set_filter_ip(&c.ops, ip, 0, 0));
	KUNIT_EXPECT_EQ(test, -ENODEV, ftrace_set_filter_ips(&c.ops, &ip, 1, 0, 0));
	KUNIT_EXPECT_EQ(test, -ENODEV, ftrace_set_filter(&c.ops, NULL, 0, 1));
	KUNIT_EXPECT_EQ(test, -ENODEV, ftrace_set_notrace(&c.ops, NULL, 0, 1));
	KUNIT_EXPECT_EQ(test, -ENODEV, register_ftrace_direct(&c.ops, ip));
	KUNIT_EXPECT_EQ(test, 0, ftrace_location(ip));
	KUNIT_EXPECT_EQ(test, 0, ftrace_text_reserved((void *)ip, (void *)(ip + 8)));
	KUNIT_EXPECT_FALSE(test, is_ftrace_trampoline(ip));
}

static int static_init(struct kunit *test)
{
	caller = current;
	return 0;
}

static struct kunit_case static_cases[] = {
	KUNIT_CASE(test_register),
	KUNIT_CASE(test_flags),
	KUNIT_CASE(test_several),
	KUNIT_CASE(test_recursion),
	KUNIT_CASE(test_rcu),
	KUNIT_CASE(test_enabled),
	KUNIT_CASE(test_set_func),
	KUNIT_CASE_SLOW(test_unregister_waits),
	KUNIT_CASE(test_no_sites),
	{}
};

static struct kunit_suite static_suite = {
	.name = "ftrace_static",
	.init = static_init,
	.test_cases = static_cases,
};

kunit_test_suite(static_suite);
