/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where trampoline.c writes into its copies of the code of entry_64.S.
 */
#ifndef _X86_FTRACE_LAYOUT_H
#define _X86_FTRACE_LAYOUT_H

#include <linux/types.h>

/* Offsets from ftrace_caller and its like. */
struct trampoline_layout {
	u32	ops[2];		/* mov $ops, %rdx: ten bytes; [1] is 0 but for a pair */
	u32	call[2];	/* call func */
	u32	rets[3];	/* RET; 0: there is none */
	u32	size;
};

extern const struct trampoline_layout ftrace_caller_layout;
extern const struct trampoline_layout ftrace_regs_caller_layout;
extern const struct trampoline_layout ftrace_direct_caller_layout;
extern const struct trampoline_layout ftrace_direct_regs_caller_layout;
extern const struct trampoline_layout ftrace_plain_caller_layout;
extern const struct trampoline_layout ftrace_view_caller_layout;
extern const struct trampoline_layout ftrace_view_regs_caller_layout;
extern const struct trampoline_layout ftrace_inside_caller_layout;
extern const struct trampoline_layout ftrace_pair_caller_layout;
extern const struct trampoline_layout ftrace_pair_plain_caller_layout;
extern const struct trampoline_layout ftrace_pair_view_caller_layout;

void ftrace_direct_caller(void);
void ftrace_direct_regs_caller(void);
void ftrace_plain_caller(void);
void ftrace_view_caller(void);
void ftrace_view_regs_caller(void);
void ftrace_inside_caller(void);
void ftrace_pair_caller(void);
void ftrace_pair_plain_caller(void);
void ftrace_pair_view_caller(void);

#endif /* _X86_FTRACE_LAYOUT_H */
