// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the entry of a list, which sites share that have no set of their own.
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "hooks/tests/support.h"

/*
 * Let target 4 call a list instead of a set, as it does when there is no memory for the set.
 * @ops is one of the two that it calls.
 */
static void call_list_without_set(struct kunit *test, struct ftrace_ops *ops)
{
	struct ftrace_change change;
	struct ftrace_scope sites;

	guard(ftrace_lock)();
	sites = ftrace_ops_scope(ops);
	ftrace_change_begin(&change);
	change.calls = NULL;
	KUNIT_EXPECT_EQ(test, 0, ftrace_update_ops(&change, ops, &ftrace_scope_none, &sites));
	ftrace_change_end(&change);
	KUNIT_EXPECT_TRUE(test, ftrace_dispatch_of(target_site(4))->flags &
			  FTRACE_DISPATCH_LIST);
}

/* Without memory for a set, a site calls a list, which asks all ops. */
static void test_list(struct kunit *test)
{
	static struct counter a, b, other;

	counter_init(test, &a, 0, 4, 1);
	counter_init(test, &b, 0, 4, 1);
	counter_init(test, &other, 0, 5, 1);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&a.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&b.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&other.ops));
	call_list_without_set(test, &b.ops);
	KUNIT_EXPECT_EQ(test, 1, counter_hit_all(&a));
	KUNIT_EXPECT_EQ(test, 1, b.hits);
	KUNIT_EXPECT_EQ(test, 1, other.hits);
	KUNIT_EXPECT_EQ(test, 2, target_info(4).count);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	counter_done(test, &a);
	KUNIT_EXPECT_PTR_EQ(test, &b.ops, target_info(4).ops);
	counter_done(test, &b);
	counter_done(test, &other);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
}

static void partial_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			 struct ftrace_regs *fregs)
{
	/* From here on, the saved registers look as if they were all registers. */
	arch_ftrace_partial_regs(&arch_ftrace_regs(fregs)->regs);
	counter_func(ip, parent_ip, ops, fregs);
}

/* Call what target 4 calls by the entry of a list that saves the arguments only. */
static void call_without_regs(void)
{
	struct pt_regs regs = { };

	arch_ftrace_ops_list_func(ftrace_location((unsigned long)hooks_targets[4]), 0, NULL,
				  (struct ftrace_regs *)&regs);
}

/* A call without full registers is counted by @any only, a call with them by both. */
static void expect_partial_first(struct kunit *test, const struct counter *any,
				 const struct counter *all)
{
	unsigned int any_before = any->hits, all_before = all->hits;

	call_without_regs();
	KUNIT_EXPECT_EQ(test, any_before + 1, any->hits);
	KUNIT_EXPECT_EQ(test, all_before, all->hits);
	hooks_targets[4](0);
	KUNIT_EXPECT_EQ(test, any_before + 2, any->hits);
	KUNIT_EXPECT_EQ(test, all_before + 1, all->hits);
}

/*
 * A CPU has saved only some registers and begins to walk the list of ops. Then an ops that
 * needs all registers is added to the list. This CPU must not call that ops.
 */
static void test_list_without_regs(struct kunit *test)
{
	unsigned int max = ftrace_sets_max;
	static struct counter a, b;

	if (!HAVE_REGS)
		kunit_skip(test, "no ops can ask for all registers");
	counter_init(test, &a, 0, 4, 1);
	a.ops.func = partial_func;
	counter_init(test, &b, FL_REGS, 4, 1);
	scoped_guard(ftrace_lock)
		ftrace_sets_max = 0;
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&a.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&b.ops));
	scoped_guard(ftrace_lock)
		ftrace_sets_max = max;
	scoped_guard(ftrace_lock)
		KUNIT_EXPECT_TRUE(test, ftrace_dispatch_of(target_site(4))->flags &
				  FTRACE_DISPATCH_GUEST);
	expect_partial_first(test, &a, &b);
	KUNIT_EXPECT_TRUE(test, b.regs);

	/* The partial registers come first, too, when there is no memory for a set. */
	call_list_without_set(test, &b.ops);
	expect_partial_first(test, &a, &b);
	counter_done(test, &a);
	counter_done(test, &b);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
}

/* Calls and jumps lead so many functions deep before a callback is called. */
#define CALLS_DEEP	6

/* These do not run, or not again while they do. */
static bool call_is_fine(const char *name)
{
	static const char * const fine[] = {
		"__stack_chk_fail", "__warn_printk", "__ubsan_", "__sanitizer_", "__cfi_check",
		"__asan_", "__kasan_", "kasan_", "__printk_ratelimit", "_printk", "dump_stack",
		"__list_", "lockdep_", "ftrace_record_recursion",
		/* A breakpoint's handler is not preemptible. */
		"preempt_schedule_notrace", "dynamic_preempt_schedule_notrace",
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(fine); i++) {
		if (str_has_prefix(name, fine[i]))
			return true;
	}
	return false;
}

/* Neither @addr nor a function that is called or jumped to from there can have a kprobe. */
static void expect_no_kprobe(struct kunit *test, unsigned long addr, int deep)
{
	struct kprobe kp = { .addr = (void *)addr, .flags = KPROBE_FLAG_DISABLED };
	char name[KSYM_NAME_LEN];
	unsigned long size, at, to, offset;
	unsigned int len;
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, kallsyms_lookup(addr, &size, &offset, NULL, name));
	if (call_is_fine(name))
		return;
	ret = register_kprobe(&kp);
	KUNIT_EXPECT_EQ_MSG(test, -EINVAL, ret, "%s", name);
	if (!ret)
		unregister_kprobe(&kp);
	KUNIT_ASSERT_GT_MSG(test, deep, 0, "%s", name);
	for (at = addr; at < addr + size; at += len) {
		to = insn_branch_target(at, &len);
		if (!len)
			break;
		if (to && (to < addr || to >= addr + size))
			expect_no_kprobe(test, to, deep - 1);
	}
}

/*
 * There are no kprobes in the functions that run before a hit is protected against recursion:
 * the breakpoint would call traced functions, which would come to it again, without an end.
 */
static void test_no_kprobes(struct kunit *test)
{
	static const char * const names[] = {
		"hooks_dispatch_call_set", "hooks_dispatch_call_pair",
		"hooks_dispatch_call_registered",
		"arch_ftrace_ops_list_func",
		"hooks_call_watching", "hooks_call_once", "hooks_call_once_watching",
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
		"hooks_direct_call",
#endif
		"ftrace_site_find", "ftrace_site_find_range", "site_set_find_range",
		"ftrace_ops_traces", "ftrace_hash_has", "rcu_is_watching",
		"ftrace_caller", "ftrace_stub",
		/* Callbacks, up to where they protect themselves. */
#ifdef CONFIG_STACK_TRACER
		"stack_call", "stack_exceeded",
#endif
		"func_command_probe_call",
#ifdef CONFIG_FUNCTION_PREDICATES
		"function_pid_judge", "trace_judge_passes_call",
#endif
	};
	int i, ret;

	if (!IS_ENABLED(CONFIG_KPROBES))
		kunit_skip(test, "there are no kprobes");
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct kprobe kp = { .symbol_name = names[i], .flags = KPROBE_FLAG_DISABLED };

		ret = register_kprobe(&kp);
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, ret, "%s", names[i]);
		if (!ret)
			unregister_kprobe(&kp);
	}
}

/* The function that is called for an ops with such flags, while parents are hidden, or not. */
static unsigned long entry_of_flags(unsigned long flags, bool hidden)
{
	struct ftrace_ops ops = { .func = counter_func, .flags = flags };
	unsigned long entry;
	bool was;

	guard(ftrace_lock)();
	was = ftrace_parents_hidden;
	ftrace_parents_hidden = hidden;
	entry = (unsigned long)ftrace_ops_entry(&ops);
	ftrace_parents_hidden = was;
	return entry;
}

/* The functions that entries call, with all that these call. */
static void test_no_kprobes_below(struct kunit *test)
{
	static struct counter c[4];
	static const unsigned long flags[] = {
		FTRACE_OPS_FL_RCU, FTRACE_OPS_FL_RECURSION,
		FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU,
	};
	int i;

	if (!IS_ENABLED(CONFIG_KPROBES))
		kunit_skip(test, "there are no kprobes");
	for (i = 0; i < ARRAY_SIZE(flags); i++)
		expect_no_kprobe(test, entry_of_flags(flags[i], false), CALLS_DEEP);
#ifdef CONFIG_FTRACE_GRAPH
	expect_no_kprobe(test, entry_of_flags(FTRACE_OPS_FL_PARENT, true), CALLS_DEEP);
	for (i = 0; i < ARRAY_SIZE(flags); i++)
		expect_no_kprobe(test, entry_of_flags(FTRACE_OPS_FL_PARENT | flags[i], true),
				 CALLS_DEEP);
#endif
	expect_no_kprobe(test, (unsigned long)arch_ftrace_ops_list_func, CALLS_DEEP);
	counter_init(test, &c[3], 0, 4, 1);
	counter_init(test, &c[2], 0, 4, 2);
	counter_init(test, &c[1], 0, 5, 1);
	counter_init(test, &c[0], 0, 5, 1);
	for (i = 0; i < 4; i++)
		KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c[i].ops));
	/* Target 4 has two ops, target 5 has three. */
	for (i = 4; i <= 5; i++)
		expect_no_kprobe(test, (unsigned long)
				 ftrace_dispatch_of(target_site(i))->target.func, CALLS_DEEP);
	for (i = 0; i < 4; i++)
		counter_done(test, &c[i]);
}

/*
 * Functions that are called by a pointer before a hit is protected, with all that these call: a
 * callback that looks at the running task, and what tells the parent of a call.
 */
static void test_no_kprobes_behind_pointers(struct kunit *test)
{
	static const char * const names[] = {
		"function_pid_call",
#ifdef CONFIG_FTRACE_GRAPH
		"parent_real",
#endif
	};

	if (!IS_ENABLED(CONFIG_KPROBES))
		kunit_skip(test, "there are no kprobes");
	for (int i = 0; i < ARRAY_SIZE(names); i++) {
		unsigned long addr = kallsyms_lookup_name(names[i]);

		KUNIT_ASSERT_NE_MSG(test, addr, 0, "%s", names[i]);
		expect_no_kprobe(test, addr, CALLS_DEEP);
	}
}

static struct kunit_case list_cases[] = {
	KUNIT_CASE(test_list),
	KUNIT_CASE(test_list_without_regs),
	KUNIT_CASE(test_no_kprobes),
	KUNIT_CASE(test_no_kprobes_below),
	KUNIT_CASE(test_no_kprobes_behind_pointers),
	{}
};

static struct kunit_suite list_suite = {
	.name = "ftrace_hooks_list",
	.test_cases = list_cases,
};

kunit_test_suite(list_suite);
