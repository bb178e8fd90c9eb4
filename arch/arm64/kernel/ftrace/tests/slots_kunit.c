// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: slots, and the way of those that have none or cannot reach it.
 */
#include <kunit/test.h>

#include <linux/cacheflush.h>
#include <linux/smp.h>

#include <asm/insn.h>
#include <asm/patching.h>

#include "hooks/tests/targets.h"
#include "layout.h"
#include "sites/arch.h"

static unsigned int hits;
static unsigned long seen_ip;

static void count(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		  struct ftrace_regs *fregs)
{
	hits++;
	seen_ip = ip;
}

/* Let a site call what it calls by way of ftrace_caller; returns its instruction. */
static u32 site_set(struct kunit *test, unsigned long ip, u32 insn)
{
	u32 old;

	KUNIT_ASSERT_EQ(test, 0, aarch64_insn_read((void *)ip, &old));
	KUNIT_ASSERT_EQ(test, 0, aarch64_insn_patch_text_nosync((void *)ip, insn));
	kick_all_cpus_sync();
	return old;
}

static u32 site_set_far(struct kunit *test, unsigned long ip)
{
	return site_set(test, ip, aarch64_insn_gen_branch_imm(ip, FTRACE_ADDR,
							      AARCH64_INSN_BRANCH_LINK));
}

/* As from a module that is far away: the site calls only the ops that it should. */
static void far_sites_call_their_own(struct kunit *test)
{
	static struct ftrace_ops mine = { .func = count }, others = { .func = ftrace_stub };
	unsigned long ip = ftrace_location((unsigned long)hooks_targets[1]);
	u32 old;

	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&mine, ip, 0, 1));
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&others, (unsigned long)hooks_targets[2],
						      0, 1));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&others));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&mine));
	old = site_set_far(test, ip);
	hits = 0;
	KUNIT_EXPECT_EQ(test, 42, hooks_targets[1](41));
	KUNIT_EXPECT_EQ(test, 1, hits);
	KUNIT_EXPECT_EQ(test, ip, seen_ip);
	site_set(test, ip, old);

	/* A site that should call nothing any more does so until it is patched. */
	KUNIT_ASSERT_EQ(test, 0, unregister_ftrace_function(&mine));
	old = site_set_far(test, ip);
	KUNIT_EXPECT_EQ(test, 42, hooks_targets[1](41));
	KUNIT_EXPECT_EQ(test, 1, hits);
	site_set(test, ip, old);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(&others));
	ftrace_free_filter(&mine);
	ftrace_free_filter(&others);
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
static void far_sites_call_directly(struct kunit *test)
{
	unsigned long ip = ftrace_location((unsigned long)hooks_targets[1]);
	static struct ftrace_ops ops;
	unsigned int before;
	u32 old;

	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&ops, ip, 0, 1));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_direct(&ops, (unsigned long)hooks_direct_a));
	old = site_set_far(test, ip);
	before = hooks_direct_a_hits;
	KUNIT_EXPECT_EQ(test, 42, hooks_targets[1](41));
	KUNIT_EXPECT_EQ(test, before + 1, hooks_direct_a_hits);
	site_set(test, ip, old);
	KUNIT_EXPECT_EQ(test, 42, hooks_targets[1](41));
	KUNIT_EXPECT_EQ(test, before + 2, hooks_direct_a_hits);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_direct(&ops, (unsigned long)hooks_direct_a,
							  true));
}
#else
static void far_sites_call_directly(struct kunit *test)
{
	kunit_skip(test, "no direct calls here");
}
#endif

static const u64 *slot_words(const struct ftrace_target *target)
{
	return (const u64 *)(target->entry + SLOT_TARGET);
}

/* Targets beyond the last slot are called as well; those that go leave theirs. */
static void slots_run_out(struct kunit *test)
{
	const unsigned int nr = SLOTS + 1;
	struct ftrace_target *targets = kunit_kcalloc(test, nr, sizeof(*targets), GFP_KERNEL);
	static struct ftrace_ops ops = { .func = count };
	const u64 *words;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, targets);
	scoped_guard(ftrace_lock) {
		for (i = 0; i < nr; i++) {
			targets[i].func = ftrace_stub;
			KUNIT_EXPECT_EQ(test, 0, arch_ftrace_target_init(&targets[i]));
		}
	}
	KUNIT_EXPECT_EQ(test, SLOT_CODE, targets[0].size);
	words = slot_words(&targets[0]);
	KUNIT_EXPECT_EQ(test, (unsigned long)&targets[0], words[0]);
	KUNIT_EXPECT_EQ(test, HAVE_ARGS ? (unsigned long)ftrace_args_entry :
					  (unsigned long)ftrace_mcount_entry, words[1]);
	KUNIT_EXPECT_EQ(test, 0, targets[SLOTS].size);
	KUNIT_EXPECT_EQ(test, FTRACE_ADDR, targets[SLOTS].entry);

	hits = 0;
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&ops, (unsigned long)hooks_targets[1], 0, 1));
	KUNIT_EXPECT_EQ(test, 0, register_ftrace_function(&ops));
	KUNIT_EXPECT_EQ(test, 42, hooks_targets[1](41));
	KUNIT_EXPECT_EQ(test, 1, hits);
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(&ops));
	ftrace_free_filter(&ops);

	for (i = 0; i < nr; i++)
		arch_ftrace_target_exit(&targets[i]);
	KUNIT_EXPECT_EQ(test, 0, words[0]);
	KUNIT_EXPECT_EQ(test, 0, words[1]);
	scoped_guard(ftrace_lock)
		KUNIT_EXPECT_EQ(test, 0, arch_ftrace_target_init(&targets[0]));
	KUNIT_EXPECT_EQ(test, SLOT_CODE, targets[0].size);
	arch_ftrace_target_exit(&targets[0]);
}

static struct kunit_case slots_cases[] = {
	KUNIT_CASE(far_sites_call_their_own),
	KUNIT_CASE(far_sites_call_directly),
	KUNIT_CASE(slots_run_out),
	{}
};

static struct kunit_suite slots_suite = {
	.name = "ftrace_slots_arm64",
	.test_cases = slots_cases,
};

kunit_test_suite(slots_suite);
