// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: a site whose bytes are not what its record says, met when an ops comes,
 * when one goes, when a direct call is modified, and when a module is loaded. ftrace
 * stops for good, so each needs a boot of its own and is asked for on the command line:
 * fault_kunit.at=attach, detach, modify or load. tools/vm/fault looks for the report in
 * the log, and loads the module.
 */
#include <kunit/test.h>

#include <linux/kallsyms.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "hooks/tests/support.h"
#if defined(CONFIG_KPROBES) && defined(CONFIG_MODULES)
#include "hooks/tests/coming.h"
#endif

static char *fault_at;
module_param_named(at, fault_at, charp, 0444);
MODULE_PARM_DESC(at, "what meets the site with wrong bytes: attach, detach, modify, load");

static void fault_needs(struct kunit *test, const char *at)
{
	if (!fault_at || strcmp(fault_at, at))
		kunit_skip(test, "it leaves ftrace dead: fault_kunit.at=%s asks for it", at);
}

/* Nothing is patched any more, and everybody is told. */
static void ftrace_is_dead(struct kunit *test)
{
	static struct counter other;

	KUNIT_EXPECT_TRUE(test, ftrace_sites_dead());
	memset(&other, 0, sizeof(other));
	other.ops.func = counter_func;
	KUNIT_EXPECT_EQ(test, -ENODEV, register_ftrace_function(&other.ops));
	KUNIT_EXPECT_EQ(test, -ENODEV, ftrace_set_filter_ip(&other.ops,
							    (unsigned long)hooks_targets[3],
							    0, 0));
	KUNIT_EXPECT_EQ(test, -ENODEV, ftrace_hooks_set_enabled(false));
	KUNIT_EXPECT_FALSE(test, ftrace_hooks_enabled());
}

/* The sites before the bad one have been patched already; they are taken back. */
static void attach_meets_wrong_bytes(struct kunit *test)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	u8 insn[MCOUNT_INSN_SIZE];
	unsigned int i;

	fault_needs(test, "attach");
	KUNIT_ASSERT_NOT_NULL(test, c);
	KUNIT_ASSERT_EQ(test, 0, arch_ftrace_site_insn(target_site(8), NULL, insn));
	counter_init(test, c, FTRACE_OPS_FL_RECURSION, 0, HOOKS_TARGETS);
	site_write(target_site(8), site_wrong_insn);
	KUNIT_EXPECT_EQ(test, -ENODEV, register_ftrace_function(&c->ops));
	for (i = 0; i < HOOKS_TARGETS; i++) {
		KUNIT_EXPECT_EQ(test, i + 1, hooks_targets[i](1));
		KUNIT_EXPECT_EQ(test, 0, target_dispatch(i));
	}
	KUNIT_EXPECT_EQ(test, 0, c->hits);
	KUNIT_EXPECT_FALSE(test, c->ops.flags & FTRACE_OPS_FL_ENABLED);
	site_write(target_site(8), insn);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	ftrace_free_filter(&c->ops);
	ftrace_is_dead(test);
}

/* The ops may be called for good, so it stays registered. */
static void detach_meets_wrong_bytes(struct kunit *test)
{
	static struct counter c;
	u8 insn[MCOUNT_INSN_SIZE];
	unsigned int i;

	fault_needs(test, "detach");
	counter_init(test, &c, 0, 0, HOOKS_TARGETS);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	KUNIT_ASSERT_EQ(test, 0, arch_ftrace_site_insn(target_site(8),
						       &c.ops.dispatch->target, insn));
	site_write(target_site(8), site_wrong_insn);
	KUNIT_EXPECT_NE(test, 0, unregister_ftrace_function(&c.ops));
	site_write(target_site(8), insn);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	for (i = 0; i < HOOKS_TARGETS; i++)
		KUNIT_EXPECT_EQ(test, i + 1, hooks_targets[i](1));
	KUNIT_EXPECT_GT(test, c.hits, 0);
	KUNIT_EXPECT_LT(test, c.hits, HOOKS_TARGETS);
	ftrace_is_dead(test);
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
#define A	((unsigned long)hooks_direct_a)
#define B	((unsigned long)hooks_direct_b)

/*
 * The sites before the bad one call the new address already, and are taken back: the owner is
 * told that nothing has changed. So does the set of target 0, which goes on to the old one.
 */
static void modify_meets_wrong_bytes(struct kunit *test)
{
	static struct ftrace_ops ops;
	static struct counter c;
	u8 insn[MCOUNT_INSN_SIZE];
	unsigned int i;

	fault_needs(test, "modify");
	counter_init(test, &c, 0, 0, 1);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	for (i = 0; i < HOOKS_TARGETS; i++)
		KUNIT_ASSERT_EQ(test, 0,
				ftrace_set_filter_ip(&ops, (unsigned long)hooks_targets[i], 0, 0));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_direct(&ops, A));
	KUNIT_ASSERT_EQ(test, 0, arch_ftrace_site_insn(target_site(8), &ops.dispatch->target,
						       insn));
	site_write(target_site(8), site_wrong_insn);
	KUNIT_EXPECT_EQ(test, -ENODEV, modify_ftrace_direct(&ops, B));
	site_write(target_site(8), insn);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	hooks_direct_a_hits = 0;
	hooks_direct_b_hits = 0;
	for (i = 0; i < HOOKS_TARGETS; i++)
		KUNIT_EXPECT_EQ(test, i + 1, hooks_targets[i](1));
	KUNIT_EXPECT_EQ(test, HOOKS_TARGETS, hooks_direct_a_hits);
	KUNIT_EXPECT_EQ(test, 0, hooks_direct_b_hits);
	KUNIT_EXPECT_EQ(test, 1, c.hits);
	KUNIT_EXPECT_EQ(test, A, target_info(0).direct_addr);
	KUNIT_EXPECT_EQ(test, A, target_info(1).direct_addr);
	ftrace_is_dead(test);
}
#endif

#if defined(CONFIG_KPROBES) && defined(CONFIG_MODULES)
/* The module's site has become a NOP, and is about to become a call. */
static void enable_wrong_bytes(struct module *mod)
{
	unsigned long ip = ftrace_location(kallsyms_lookup_name("hooks_module_target"));

	site_write(ftrace_site_find(ip), site_wrong_insn);
	coming_enable(mod);
}

/* The module that is loaded from user space later will meet them. */
static void load_meets_wrong_bytes(struct kunit *test)
{
	fault_needs(test, "load");
	KUNIT_ASSERT_EQ(test, 0, coming_watch(enable_wrong_bytes));
}
#endif

static struct kunit_case fault_cases[] = {
	KUNIT_CASE(attach_meets_wrong_bytes),
	KUNIT_CASE(detach_meets_wrong_bytes),
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	KUNIT_CASE(modify_meets_wrong_bytes),
#endif
#if defined(CONFIG_KPROBES) && defined(CONFIG_MODULES)
	KUNIT_CASE(load_meets_wrong_bytes),
#endif
	{}
};

static struct kunit_suite fault_suite = {
	.name = "ftrace_fault",
	.test_cases = fault_cases,
};

kunit_test_suite(fault_suite);
