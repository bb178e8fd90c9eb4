// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the registers that the code at a hooked return hands on.
 */
#include <kunit/test.h>

#include <linux/fprobe.h>

#include "graph/tests/targets.h"

static struct pt_regs regs_in, regs_out;

static int return_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			struct pt_regs *regs, void *data)
{
	regs_in = *regs;
	return 0;
}

static void return_exit(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			struct pt_regs *regs, void *data)
{
	regs_out = *regs;
}

static struct fprobe returns = {
	.entry_handler	= return_entry,
	.exit_handler	= return_exit,
};

/* A function gives back the registers of its caller as it got them. */
static void kept_registers(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, register_fprobe(&returns, "graph_target_nested", NULL));
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&returns));
	KUNIT_EXPECT_EQ(test, 42, regs_out.ax);
	KUNIT_EXPECT_EQ(test, regs_in.sp + sizeof(long), regs_out.sp);
	KUNIT_EXPECT_EQ(test, regs_in.bx, regs_out.bx);
	KUNIT_EXPECT_EQ(test, regs_in.bp, regs_out.bp);
	KUNIT_EXPECT_EQ(test, regs_in.r12, regs_out.r12);
	KUNIT_EXPECT_EQ(test, regs_in.r13, regs_out.r13);
	KUNIT_EXPECT_EQ(test, regs_in.r14, regs_out.r14);
	KUNIT_EXPECT_EQ(test, regs_in.r15, regs_out.r15);
}

static struct kunit_case return_cases[] = {
	KUNIT_CASE(kept_registers),
	{}
};

static struct kunit_suite return_suite = {
	.name = "ftrace_return_x86",
	.test_cases = return_cases,
};

kunit_test_suite(return_suite);
