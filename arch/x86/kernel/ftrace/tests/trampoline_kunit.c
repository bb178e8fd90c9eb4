// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the code of trampolines, of those as well that were made before the kernel
 * applied its alternatives.
 */
#include <kunit/test.h>

#include <linux/init.h>

#include <asm/alternative.h>
#include <asm/insn.h>
#include <asm/nospec-branch.h>
#include <asm/text-patching.h>

#include "sites/arch.h"

static const struct {
	unsigned long	flags;
	unsigned int	rets;
} kinds[] = {
	{ 0, 1 },
	{ FTRACE_OPS_FL_SAVE_REGS, 1 },
	{ FTRACE_OPS_FL_DIRECT, 2 },
	{ FTRACE_OPS_FL_DIRECT | FTRACE_OPS_FL_SAVE_REGS, 2 },
	{ FTRACE_OPS_FL_NO_FREGS, 1 },
	{ FTRACE_OPS_FL_VIEW, 1 },
	{ FTRACE_OPS_FL_VIEW | FTRACE_OPS_FL_SAVE_REGS, 1 },
	{ FTRACE_OPS_FL_INSIDE, 2 },
	{ FTRACE_OPS_FL_PAIR, 1 },
	{ FTRACE_OPS_FL_PAIR | FTRACE_OPS_FL_NO_FREGS, 1 },
	{ FTRACE_OPS_FL_PAIR | FTRACE_OPS_FL_VIEW, 1 },
};

static struct ftrace_target early[ARRAY_SIZE(kinds)];
static struct ftrace_ops no_ops;
static const struct ftrace_call no_calls[2] = {
	{ .func = ftrace_stub, .ops = &no_ops },
	{ .func = ftrace_stub, .ops = &no_ops },
};

static int target_make(struct ftrace_target *target, unsigned long flags)
{
	*target = (struct ftrace_target) {
		.func = ftrace_stub,
		.ops = &no_ops,
		.flags = flags,
		.pair = flags & FTRACE_OPS_FL_PAIR ? no_calls : NULL,
	};
	guard(ftrace_lock)();
	return arch_ftrace_target_init(target);
}

/* The consoles come before the alternatives, as what the command line asks for does. */
static int __init early_make(void)
{
	int i, ret = 0;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		ret = target_make(&early[i], kinds[i].flags) ?: ret;
	return ret;
}
console_initcall(early_make);

/* Calls @fn for each instruction that leaves the trampoline by a RET or a jump. */
static unsigned int count_rets(struct kunit *test, const struct ftrace_target *target,
			       bool rethunk)
{
	const u8 *code = (const u8 *)target->entry;
	unsigned int at, nr = 0;
	struct insn insn;

	for (at = 0; at < target->size; at += insn.length) {
		const u8 *pos = code + at;
		const u8 *to;

		KUNIT_ASSERT_EQ(test, 0, insn_decode_kernel(&insn, pos));
		to = pos + insn.length + insn.immediate.value;
		if (insn.opcode.bytes[0] == RET_INSN_OPCODE) {
			KUNIT_EXPECT_FALSE(test, rethunk && cpu_wants_rethunk_at((void *)pos));
			nr++;
		} else if (insn.opcode.bytes[0] == JMP32_INSN_OPCODE &&
			   (to < code || to >= code + target->size)) {
			KUNIT_EXPECT_TRUE(test, rethunk && cpu_wants_rethunk_at((void *)pos));
#ifdef CONFIG_MITIGATION_RETHUNK
			KUNIT_EXPECT_PTR_EQ(test, (const void *)x86_return_thunk,
					    (const void *)to);
#endif
			nr++;
		}
	}
	return nr;
}

static void rets_are_the_kernels_choice(struct kunit *test)
{
	struct ftrace_target target;
	int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		KUNIT_ASSERT_EQ(test, 0, target_make(&target, kinds[i].flags));
		KUNIT_EXPECT_EQ(test, kinds[i].rets, count_rets(test, &target, true));
		scoped_guard(ftrace_lock)
			arch_ftrace_target_exit(&target);
	}
}

/* When they were made, no choice had been made: a plain RET it was. */
static void early_rets_are_plain(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		KUNIT_ASSERT_NE(test, 0, early[i].size);
		KUNIT_EXPECT_EQ(test, kinds[i].rets, count_rets(test, &early[i], false));
	}
}

/* Trampolines share pages, and do not overlap. */
static void pages_are_shared(struct kunit *test)
{
	struct ftrace_target *targets = kunit_kcalloc(test, 40, sizeof(*targets), GFP_KERNEL);
	unsigned int i, j, pages = 0, overlaps = 0;

	KUNIT_ASSERT_NOT_NULL(test, targets);
	for (i = 0; i < 40; i++)
		KUNIT_ASSERT_EQ(test, 0, target_make(&targets[i],
						     kinds[i % ARRAY_SIZE(kinds)].flags));
	for (i = 0; i < 40; i++) {
		bool first = true;

		for (j = 0; j < i; j++) {
			first &= targets[j].entry >> PAGE_SHIFT != targets[i].entry >> PAGE_SHIFT;
			overlaps += targets[j].entry < targets[i].entry + targets[i].size &&
				    targets[i].entry < targets[j].entry + targets[j].size;
		}
		pages += first;
	}
	for (i = 0; i < 40; i++)
		arch_ftrace_target_exit(&targets[i]);
	KUNIT_EXPECT_EQ(test, 0, overlaps);
	KUNIT_EXPECT_LE(test, pages, 6);
}

/* A direct call that a site's call cannot reach is refused when it is made. */
static void far_direct_is_refused(struct kunit *test)
{
	struct ftrace_target target = { .ops = &no_ops, .direct = (unsigned long)test };

	guard(ftrace_lock)();
	KUNIT_EXPECT_EQ(test, -ERANGE, arch_ftrace_target_init(&target));
	target.direct = (unsigned long)far_direct_is_refused;
	KUNIT_EXPECT_EQ(test, 0, arch_ftrace_target_init(&target));
	KUNIT_EXPECT_EQ(test, target.direct, target.entry);
	arch_ftrace_target_exit(&target);
}

static struct kunit_case trampoline_cases[] = {
	KUNIT_CASE(rets_are_the_kernels_choice),
	KUNIT_CASE(early_rets_are_plain),
	KUNIT_CASE(pages_are_shared),
	KUNIT_CASE(far_direct_is_refused),
	{}
};

static struct kunit_suite trampoline_suite = {
	.name = "ftrace_trampoline_x86",
	.test_cases = trampoline_cases,
};

kunit_test_suite(trampoline_suite);
