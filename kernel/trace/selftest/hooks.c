// SPDX-License-Identifier: GPL-2.0
/*
 * Startup tests of hooks: a callback is called at the functions of its filter and at no
 * other, whatever other callbacks there are; one that calls a function of its own filter is
 * stopped; and one that asks for registers gets them. If a test fails, no function is hooked
 * until the next boot.
 */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <linux/trace_recursion.h>

#include "selftest/internal.h"

/* A hook that counts. */
struct selftest_hook {
	struct ftrace_ops	ops;
	unsigned int		hits;
	bool			regs_agree;	/* of the last hit */
};

static void selftest_hook_call_targets(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(trace_selftest_targets); i++)
		trace_selftest_targets[i](i);
}

static void selftest_hook_hit(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
			      struct ftrace_regs *fregs)
{
	container_of(op, struct selftest_hook, ops)->hits++;
}

/* It calls a function of its own filter. FTRACE_OPS_FL_RECURSION of the ops protects it. */
static void selftest_hook_hit_again(unsigned long ip, unsigned long parent_ip,
				    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	selftest_hook_hit(ip, parent_ip, op, fregs);
	trace_selftest_targets[0](0);
}

/*
 * As selftest_hook_hit_again(), with a guard of its own that is used as <linux/trace_recursion.h>
 * wants it.
 */
static void selftest_hook_hit_again_guarded(unsigned long ip, unsigned long parent_ip,
					    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	int bit = ftrace_test_recursion_trylock(ip, parent_ip);

	if (bit < 0)
		return;
	selftest_hook_hit_again(ip, parent_ip, op, fregs);
	ftrace_test_recursion_unlock(bit);
}

static void selftest_hook_hit_regs(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct selftest_hook *hook = container_of(op, struct selftest_hook, ops);
	struct pt_regs *regs = ftrace_get_regs(fregs);

	hook->hits++;
	/* The registers are those at the call site, or right behind it. */
	hook->regs_agree = regs && instruction_pointer(regs) - ip <= MCOUNT_INSN_SIZE;
}

static int __init selftest_hook_filter(struct selftest_hook *hook, const char *pattern)
{
	char text[32];

	strscpy(text, pattern);
	return ftrace_set_filter(&hook->ops, text, strlen(text), true);
}

static int __init selftest_hook_add(struct selftest_hook *hook, const char *pattern)
{
	int ret = selftest_hook_filter(hook, pattern);

	return ret ?: register_ftrace_function(&hook->ops);
}

static void __init selftest_hook_remove(struct selftest_hook *hook)
{
	/* After a failure it may not be registered, which unregistering refuses without harm. */
	unregister_ftrace_function(&hook->ops);
	ftrace_free_filter(&hook->ops);
}

/* Has the hook been called @hits times since the last look? */
static int __init selftest_hook_expect(struct selftest_hook *hook, unsigned int hits)
{
	unsigned int had = hook->hits;

	hook->hits = 0;
	if (had == hits)
		return 0;
	pr_err("tracing: a hook was called %u times instead of %u\n", had, hits);
	return -EINVAL;
}

/* The filter of a hook is changed while the hook is registered. */
static int __init selftest_hook_filters(void)
{
	static struct selftest_hook hook __initdata = { .ops.func = selftest_hook_hit };
	int ret = selftest_hook_add(&hook, "trace_selftest_one");

	if (!ret) {
		selftest_hook_call_targets();
		ret = selftest_hook_expect(&hook, 1);
	}
	ret = ret ?: selftest_hook_filter(&hook, "trace_selftest_t*");
	if (!ret) {
		selftest_hook_call_targets();
		selftest_hook_call_targets();
		ret = selftest_hook_expect(&hook, 2);
	}
	ret = ret ?: selftest_hook_filter(&hook, "trace_selftest_*");
	if (!ret) {
		trace_selftest_targets[0](0);
		trace_selftest_targets[0](0);
		trace_selftest_targets[1](0);
		ret = selftest_hook_expect(&hook, 3);
	}
	selftest_hook_remove(&hook);
	selftest_hook_call_targets();
	return ret ?: selftest_hook_expect(&hook, 0);
}

/* Several hooks with different filters are registered, and go one by one. */
static int __init selftest_hook_several(void)
{
	static struct selftest_hook hooks[] __initdata = {
		{ .ops.func = selftest_hook_hit },
		{ .ops.func = selftest_hook_hit },
		{ .ops.func = selftest_hook_hit },
	};
	int ret = selftest_hook_add(&hooks[0], "trace_selftest_one");

	ret = ret ?: selftest_hook_add(&hooks[1], "trace_selftest_two");
	ret = ret ?: selftest_hook_add(&hooks[2], "trace_selftest_*");
	if (!ret) {
		trace_selftest_targets[0](0);
		selftest_hook_call_targets();
		ret = selftest_hook_expect(&hooks[0], 2);
	}
	ret = ret ?: selftest_hook_expect(&hooks[1], 1);
	ret = ret ?: selftest_hook_expect(&hooks[2], 3);
	selftest_hook_remove(&hooks[0]);
	if (!ret) {
		selftest_hook_call_targets();
		ret = selftest_hook_expect(&hooks[0], 0);
	}
	ret = ret ?: selftest_hook_expect(&hooks[1], 1);
	ret = ret ?: selftest_hook_expect(&hooks[2], 2);
	selftest_hook_remove(&hooks[1]);
	selftest_hook_remove(&hooks[2]);
	return ret;
}

/*
 * A callback calls its own function. It is let in once more, and stopped then, since
 * <linux/trace_recursion.h> cannot tell the first time from an interrupt that preempt_count
 * does not show yet.
 */
static int __init selftest_hook_recursion_of(struct selftest_hook *hook)
{
	int ret = selftest_hook_add(hook, "trace_selftest_one");

	if (!ret) {
		trace_selftest_targets[0](0);
		ret = selftest_hook_expect(hook, 2);
	}
	selftest_hook_remove(hook);
	return ret;
}

static int __init selftest_hook_recursion(void)
{
	static struct selftest_hook hook __initdata = {
		.ops	= { .func = selftest_hook_hit_again, .flags = FTRACE_OPS_FL_RECURSION },
	};

	return selftest_hook_recursion_of(&hook);
}

static int __init selftest_hook_recursion_safe(void)
{
	static struct selftest_hook hook __initdata = {
		.ops.func = selftest_hook_hit_again_guarded,
	};

	return selftest_hook_recursion_of(&hook);
}

static int __init selftest_hook_regs(void)
{
	static struct selftest_hook hook __initdata = {
		.ops	= { .func = selftest_hook_hit_regs, .flags = FTRACE_OPS_FL_SAVE_REGS },
	};
	int ret = selftest_hook_add(&hook, "trace_selftest_one");

	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS)) {
		selftest_hook_remove(&hook);
		return ret == -EINVAL ? 0 : -EINVAL;
	}
	if (!ret) {
		trace_selftest_targets[0](0);
		ret = selftest_hook_expect(&hook, 1);
	}
	if (!ret && !hook.regs_agree)
		ret = -EFAULT;
	selftest_hook_remove(&hook);
	return ret;
}

/* The tests, by the names that users know. */
struct selftest {
	const char	*name;
	int		(*test)(void);
};

static const struct selftest selftests[] __initconst = {
	{ "dynamic ftrace", selftest_hook_filters },
	{ "dynamic ftrace ops", selftest_hook_several },
	{ "ftrace recursion", selftest_hook_recursion },
	{ "ftrace recursion safe", selftest_hook_recursion_safe },
	{ "ftrace regs", selftest_hook_regs },
};

/**
 * trace_selftest_hooks - test that functions can be hooked
 *
 * Context: boot, may sleep.
 */
void __init trace_selftest_hooks(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(selftests); i++) {
		ret = selftests[i].test();
		if (ret) {
			WARN(1, "Testing %s: FAILED! error %d\n", selftests[i].name, ret);
			ftrace_kill();
			return;
		}
		pr_info("Testing %s: PASSED\n", selftests[i].name);
	}
}
