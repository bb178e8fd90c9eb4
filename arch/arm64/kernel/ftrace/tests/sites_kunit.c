// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the text of call sites, and which texts and distances are refused.
 */
#include <kunit/test.h>

#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>

#include <asm/insn.h>
#include <asm/sections.h>

#include "hooks/tests/targets.h"
#include "layout.h"
#include "sites/arch.h"

static struct ftrace_ops no_ops;

/* The record of a site @offset behind the kernel's first instruction. */
static struct dyn_ftrace site_at(long offset)
{
	return (struct dyn_ftrace) { .text = offset };
}

static struct dyn_ftrace site_of(const void *function)
{
	return site_at(ftrace_location((unsigned long)function) - (unsigned long)_stext);
}

static int target_make(struct ftrace_target *target, unsigned long direct)
{
	*target = (struct ftrace_target) {
		.func = direct ? NULL : ftrace_stub,
		.ops = &no_ops,
		.direct = direct,
	};
	guard(ftrace_lock)();
	return arch_ftrace_target_init(target);
}

static void target_drop(struct ftrace_target *target)
{
	guard(ftrace_lock)();
	arch_ftrace_target_exit(target);
}

/* The address that @site branches to when it calls @target, or 0 if it cannot call it. */
static unsigned long site_leads_to(struct kunit *test, const struct dyn_ftrace *site,
				   const struct ftrace_target *target)
{
	__le32 bytes;
	u32 insn;

	if (arch_ftrace_site_insn(site, target, (u8 *)&bytes))
		return 0;
	insn = le32_to_cpu(bytes);
	KUNIT_EXPECT_TRUE(test, aarch64_insn_is_bl(insn));
	return aarch64_insn_is_bl(insn) ?
	       ftrace_site_ip(site) + aarch64_get_branch_offset(insn) : 0;
}

/* The address that a site calls if it cannot reach the direct call. */
static unsigned long way_of(const struct ftrace_target *target)
{
	return HAVE_LITERALS ? FTRACE_ADDR : target->entry;
}

static void idle_sites_only_move(struct kunit *test)
{
	unsigned long ip = ftrace_location((unsigned long)hooks_targets[1]);
	u32 move = aarch64_insn_gen_move_reg(AARCH64_INSN_REG_9, AARCH64_INSN_REG_LR,
					     AARCH64_INSN_VARIANT_64BIT);
	__le32 *text = (__le32 *)ip;

	KUNIT_ASSERT_NE(test, 0, ip);
	if (HAVE_ARGS)
		KUNIT_EXPECT_EQ(test, move, le32_to_cpu(text[-1]));
	KUNIT_EXPECT_EQ(test, aarch64_insn_gen_nop(), le32_to_cpu(text[0]));
	KUNIT_EXPECT_EQ(test, move, SITE_MOVE);
}

static void calls_lead_to_targets(struct kunit *test)
{
	struct dyn_ftrace site = site_of(hooks_targets[1]);
	struct ftrace_target target;

	KUNIT_ASSERT_EQ(test, 0, target_make(&target, 0));
	KUNIT_EXPECT_EQ(test, way_of(&target), site_leads_to(test, &site, &target));
	KUNIT_EXPECT_EQ(test, HAVE_LITERALS, arch_ftrace_site_by_literal(&site, &target));
	target_drop(&target);

	KUNIT_ASSERT_EQ(test, 0, target_make(&target, (unsigned long)hooks_direct_a));
	KUNIT_EXPECT_EQ(test, target.direct, site_leads_to(test, &site, &target));
	KUNIT_EXPECT_FALSE(test, arch_ftrace_site_by_literal(&site, &target));
	target_drop(&target);

	/* Where no BL leads to. */
	KUNIT_ASSERT_EQ(test, 0, target_make(&target, (unsigned long)test));
	KUNIT_EXPECT_EQ(test, way_of(&target), site_leads_to(test, &site, &target));
	KUNIT_EXPECT_EQ(test, HAVE_LITERALS, arch_ftrace_site_by_literal(&site, &target));
	target_drop(&target);
}

/* The last BL that reaches, and the first one that does not. */
static void reach_ends_at_128_mib(struct kunit *test)
{
	long to = (unsigned long)hooks_direct_a - (unsigned long)_stext;
	struct dyn_ftrace first = site_at(to - SZ_128M), before = site_at(to - SZ_128M + 4),
			  last = site_at(to + SZ_128M), behind = site_at(to + SZ_128M + 4);
	struct ftrace_target target;

	KUNIT_ASSERT_EQ(test, 0, target_make(&target, (unsigned long)hooks_direct_a));
	KUNIT_EXPECT_NE(test, target.direct, site_leads_to(test, &first, &target));
	KUNIT_EXPECT_EQ(test, target.direct, site_leads_to(test, &before, &target));
	KUNIT_EXPECT_EQ(test, target.direct, site_leads_to(test, &last, &target));
	KUNIT_EXPECT_NE(test, target.direct, site_leads_to(test, &behind, &target));
	target_drop(&target);
}

/* Out of reach of everything, and in no module that would have a jump. */
static void far_sites_are_refused(struct kunit *test)
{
	struct dyn_ftrace far = site_at(SZ_1G);
	struct ftrace_target target;
	u8 insn[MCOUNT_INSN_SIZE];

	KUNIT_ASSERT_EQ(test, 0, target_make(&target, 0));
	KUNIT_EXPECT_EQ(test, -ERANGE, arch_ftrace_site_insn(&far, &target, insn));
	KUNIT_EXPECT_EQ(test, 0, arch_ftrace_site_insn(&far, NULL, insn));
	target_drop(&target);
}

static int patch(const struct dyn_ftrace *site, const struct ftrace_target *from,
		 const struct ftrace_target *to)
{
	int err;

	guard(ftrace_lock)();
	arch_ftrace_patch_begin();
	err = arch_ftrace_patch(site, from, to);
	arch_ftrace_patch_end();
	return err;
}

/* The text is what the record says, or it stays as it is. */
static void other_text_is_refused(struct kunit *test)
{
	struct dyn_ftrace site = site_of(hooks_targets[1]), hole = site_at(-(long)SZ_1G);
	struct ftrace_target one, two;

	KUNIT_ASSERT_EQ(test, 0, target_make(&one, 0));
	KUNIT_ASSERT_EQ(test, 0, target_make(&two, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, patch(&site, &one, NULL));
	KUNIT_EXPECT_EQ(test, 0, arch_ftrace_site_check(&site, NULL));
	KUNIT_EXPECT_EQ(test, 0, patch(&site, NULL, &one));
	KUNIT_EXPECT_EQ(test, 0, arch_ftrace_site_check(&site, &one));
	KUNIT_EXPECT_EQ(test, -EINVAL, arch_ftrace_site_check(&site, &two));
	KUNIT_EXPECT_EQ(test, -EINVAL, patch(&site, NULL, &two));
	KUNIT_EXPECT_EQ(test, -EINVAL, patch(&site, &two, &one));
	KUNIT_EXPECT_EQ(test, 0, arch_ftrace_site_check(&site, &one));
	KUNIT_EXPECT_EQ(test, 0, patch(&site, &one, &two));
	KUNIT_EXPECT_EQ(test, 0, arch_ftrace_site_check(&site, &two));
	KUNIT_EXPECT_EQ(test, 0, patch(&site, &two, NULL));
	KUNIT_EXPECT_EQ(test, 0, arch_ftrace_site_check(&site, NULL));
	KUNIT_EXPECT_EQ(test, -EFAULT, arch_ftrace_site_check(&hole, NULL));
	KUNIT_EXPECT_EQ(test, -EFAULT, patch(&hole, NULL, &one));
	target_drop(&two);
	target_drop(&one);
}

static unsigned long literal_of(const void *function)
{
	return *(unsigned long *)(function - LITERAL_ALIGN);
}

/* A site that is hooked no more leads nowhere, should a CPU come to ftrace_caller by it. */
static void literals_of_idle_sites_do_nothing(struct kunit *test)
{
	struct dyn_ftrace site = site_of(hooks_targets[1]);
	struct ftrace_target target;

	if (!HAVE_LITERALS) {
		kunit_skip(test, "there are no literals");
		return;
	}
	KUNIT_ASSERT_EQ(test, 0, target_make(&target, 0));
	KUNIT_EXPECT_EQ(test, 0, patch(&site, NULL, &target));
	KUNIT_EXPECT_EQ(test, (unsigned long)&target, literal_of(hooks_targets[1]));
	KUNIT_EXPECT_EQ(test, 0, patch(&site, &target, NULL));
	KUNIT_EXPECT_EQ(test, (unsigned long)&ftrace_nop_target, literal_of(hooks_targets[1]));
	target_drop(&target);

	/* The record says that the site was hooked once. */
	site.state = FTRACE_SITE_TOUCHED;
	KUNIT_EXPECT_EQ(test, 0, arch_ftrace_site_check(&site, NULL));
	site = site_of(hooks_arguments);
	if (literal_of(hooks_arguments) != (unsigned long)&ftrace_nop_target) {
		KUNIT_EXPECT_EQ(test, 0, arch_ftrace_site_check(&site, NULL));
		site.state = FTRACE_SITE_TOUCHED;
		KUNIT_EXPECT_EQ(test, -EINVAL, arch_ftrace_site_check(&site, NULL));
	}
}

/* A change that the batch has queued for a site is written before the site is looked at again. */
static void sites_change_twice_in_a_batch(struct kunit *test)
{
	struct dyn_ftrace site = site_of(hooks_targets[1]);
	struct ftrace_target one, two;

	KUNIT_ASSERT_EQ(test, 0, target_make(&one, 0));
	KUNIT_ASSERT_EQ(test, 0, target_make(&two, 0));
	scoped_guard(ftrace_lock) {
		arch_ftrace_patch_begin();
		KUNIT_EXPECT_EQ(test, 0, arch_ftrace_patch(&site, NULL, &one));
		KUNIT_EXPECT_EQ(test, 0, arch_ftrace_patch(&site, &one, &two));
		KUNIT_EXPECT_EQ(test, 0, arch_ftrace_patch(&site, &two, NULL));
		arch_ftrace_patch_end();
	}
	KUNIT_EXPECT_EQ(test, 0, arch_ftrace_site_check(&site, NULL));
	target_drop(&two);
	target_drop(&one);
}

#ifdef CONFIG_KPROBES
static unsigned int kicks;

static int count_kick(struct kprobe *kprobe, struct pt_regs *regs)
{
	kicks++;
	return 0;
}

/* No CPU goes on with what it had fetched before. */
static void batches_interrupt_the_cpus(struct kunit *test)
{
	struct kprobe kprobe = { .symbol_name = "kick_all_cpus_sync", .pre_handler = count_kick };
	struct dyn_ftrace site = site_of(hooks_targets[1]);
	struct ftrace_target target;

	KUNIT_ASSERT_EQ(test, 0, target_make(&target, 0));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&kprobe));
	kicks = 0;
	KUNIT_EXPECT_EQ(test, 0, patch(&site, NULL, &target));
	KUNIT_EXPECT_GE(test, kicks, 1);
	kicks = 0;
	KUNIT_EXPECT_EQ(test, 0, patch(&site, &target, NULL));
	KUNIT_EXPECT_GE(test, kicks, 1);
	unregister_kprobe(&kprobe);
	target_drop(&target);
}
#else
static void batches_interrupt_the_cpus(struct kunit *test)
{
	kunit_skip(test, "there are no kprobes");
}
#endif

/* Functions as the compiler may have left them: [0] is their first instruction. */
static void sites_are_behind_landing_pads(struct kunit *test)
{
	const u32 bti = aarch64_insn_gen_hint(AARCH64_INSN_HINT_BTIC), nop = aarch64_insn_gen_nop();
	static __le32 text[8] __aligned(8);
	unsigned long at = (unsigned long)text;

	if (!HAVE_ARGS) {
		KUNIT_EXPECT_EQ(test, at, ftrace_call_adjust(at));
		return;
	}
	if (!HAVE_LITERALS) {
		KUNIT_EXPECT_EQ(test, at + 4, ftrace_call_adjust(at));
		return;
	}
	text[2] = cpu_to_le32(nop);
	KUNIT_EXPECT_EQ(test, at + 12, ftrace_call_adjust(at));
	text[2] = cpu_to_le32(bti);
	KUNIT_EXPECT_EQ(test, at + 16, ftrace_call_adjust(at));
	KUNIT_EXPECT_EQ(test, 0, ftrace_call_adjust(at + 4));
}

/* A kprobe may have the function's first instruction. */
static void sites_tell_their_functions(struct kunit *test)
{
	unsigned long function = (unsigned long)hooks_targets[1], ip = ftrace_location(function);
	struct kprobe kprobe = { .addr = (kprobe_opcode_t *)function };

	if (!HAVE_ARGS) {
		kunit_skip(test, "nobody asks where sites are behind prologues");
		return;
	}
	KUNIT_ASSERT_NE(test, 0, ip);
	KUNIT_EXPECT_EQ(test, function, arch_ftrace_get_symaddr(ip));
	if (!IS_ENABLED(CONFIG_KPROBES))
		return;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&kprobe));
	KUNIT_EXPECT_EQ(test, function, arch_ftrace_get_symaddr(ip));
	unregister_kprobe(&kprobe);
	KUNIT_EXPECT_EQ(test, function, arch_ftrace_get_symaddr(ip));
}

/* As the first function of a module. Nothing is mapped in front of memory from vmalloc(). */
static void first_functions_are_found(struct kunit *test)
{
	void *function;

	if (!HAVE_ARGS) {
		kunit_skip(test, "nobody asks where sites are behind prologues");
		return;
	}
	function = vmalloc(PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, function);
	KUNIT_EXPECT_PTR_EQ(test, function, (void *)
			    arch_ftrace_get_symaddr((unsigned long)function + AARCH64_INSN_SIZE));
	vfree(function);
}

static u32 call_from(const void *at, unsigned long to)
{
	return aarch64_insn_gen_branch_imm((unsigned long)at, to, AARCH64_INSN_BRANCH_LINK);
}

#ifndef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
/* Writes what the linker and the module loader make where a BL does not reach @to. */
static void veneer_write(__le32 veneer[3], unsigned long to)
{
	const enum aarch64_insn_register x16 = AARCH64_INSN_REG_16;

	veneer[0] = cpu_to_le32(aarch64_insn_gen_adr((unsigned long)veneer, to, x16,
						     AARCH64_INSN_ADR_TYPE_ADRP));
	veneer[1] = cpu_to_le32(aarch64_insn_gen_add_sub_imm(x16, x16, to % SZ_4K,
							     AARCH64_INSN_VARIANT_64BIT,
							     AARCH64_INSN_ADSB_ADD));
	veneer[2] = cpu_to_le32(aarch64_insn_gen_branch_reg(x16, AARCH64_INSN_BRANCH_NOLINK));
}

/* Calls of _mcount() become sites, those that go by a veneer, too. */
static void compiled_code_becomes_sites(struct kunit *test)
{
	static __le32 text, veneer[3];
	const unsigned long at = (unsigned long)&text;

	text = cpu_to_le32(call_from(&text, MCOUNT_ADDR));
	KUNIT_EXPECT_EQ(test, 0, arch_ftrace_site_init(at, NULL));
	KUNIT_EXPECT_EQ(test, aarch64_insn_gen_nop(), le32_to_cpu(text));

	text = cpu_to_le32(call_from(&text, (unsigned long)veneer));
	veneer_write(veneer, MCOUNT_ADDR);
	KUNIT_EXPECT_EQ(test, 0, arch_ftrace_site_init(at, NULL));
	KUNIT_EXPECT_EQ(test, aarch64_insn_gen_nop(), le32_to_cpu(text));

	text = cpu_to_le32(call_from(&text, (unsigned long)veneer));
	veneer_write(veneer, (unsigned long)hooks_direct_a);
	KUNIT_EXPECT_EQ(test, -ENOENT, arch_ftrace_site_init(at, NULL));
	KUNIT_EXPECT_NE(test, aarch64_insn_gen_nop(), le32_to_cpu(text));
}
#else
/* The compiler's two NOPs become the move and a NOP; the build may have written the move. */
static void compiled_code_becomes_sites(struct kunit *test)
{
	const u32 nop = aarch64_insn_gen_nop();
	static __le32 text[4];
	int i;

	for (i = 0; i < ARRAY_SIZE(text); i++)
		text[i] = cpu_to_le32(nop);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, 0, arch_ftrace_site_init((unsigned long)&text[2], NULL));
		KUNIT_EXPECT_EQ(test, nop, le32_to_cpu(text[0]));
		KUNIT_EXPECT_EQ(test, SITE_MOVE, le32_to_cpu(text[1]));
		KUNIT_EXPECT_EQ(test, nop, le32_to_cpu(text[2]));
		KUNIT_EXPECT_EQ(test, nop, le32_to_cpu(text[3]));
	}
}
#endif

/*
 * Text without the compiler's NOPs or its call of _mcount(), as where a weak function that
 * lost would have had it, is no site.
 */
static void other_code_is_no_site(struct kunit *test)
{
	static __le32 text[3];
	const u32 other = HAVE_ARGS ? aarch64_insn_gen_nop() :
				      call_from(&text[1], (unsigned long)hooks_direct_a);

	text[1] = cpu_to_le32(other);
	KUNIT_EXPECT_EQ(test, -ENOENT, arch_ftrace_site_init((unsigned long)&text[1], NULL));
	KUNIT_EXPECT_EQ(test, -ENOENT, arch_ftrace_site_init((unsigned long)&text[2], NULL));
	KUNIT_EXPECT_EQ(test, other, le32_to_cpu(text[1]));
	KUNIT_EXPECT_EQ(test, 0, text[0]);
}

static struct kunit_case sites_cases[] = {
	KUNIT_CASE(idle_sites_only_move),
	KUNIT_CASE(calls_lead_to_targets),
	KUNIT_CASE(reach_ends_at_128_mib),
	KUNIT_CASE(far_sites_are_refused),
	KUNIT_CASE(other_text_is_refused),
	KUNIT_CASE(literals_of_idle_sites_do_nothing),
	KUNIT_CASE(sites_change_twice_in_a_batch),
	KUNIT_CASE(batches_interrupt_the_cpus),
	KUNIT_CASE(sites_are_behind_landing_pads),
	KUNIT_CASE(sites_tell_their_functions),
	KUNIT_CASE(first_functions_are_found),
	KUNIT_CASE(compiled_code_becomes_sites),
	KUNIT_CASE(other_code_is_no_site),
	{}
};

static struct kunit_suite sites_suite = {
	.name = "ftrace_sites_arm64",
	.test_cases = sites_cases,
};

kunit_test_suite(sites_suite);
