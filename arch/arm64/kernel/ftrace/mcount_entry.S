/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What call sites call where the compiler makes them of calls of _mcount(), behind the
 * prologues of functions. A slot puts the target into x16 and goes on at the entry.
 *
 * On entry:
 *
 *	x0		where the function returns to (parent_ip), not signed
 *	x30		the instruction behind the site (ip + 4)
 *	x16		the target
 *	x29		the frame record of the function, which it has made already
 *
 * To the compiler this is a call like any other: what it needs afterwards is in registers
 * that a call keeps, or on the stack. So nothing has to be saved, and there are no arguments
 * to be told. The callback gets (ip, parent_ip, ops, NULL).
 */
#include <linux/export.h>
#include <linux/linkage.h>

#include <asm/asm-offsets.h>
#include <asm/assembler.h>
#include <asm/ftrace.h>

#include "layout.h"

	.text

entry_start ftrace_mcount_entry
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	/* The function may change at any time, the ops does not. */
	ldp	x10, x2, [x16, #TARGET_FUNC]
	mov	x1, x0
	sub	x0, x30, #MCOUNT_INSN_SIZE
	mov	x3, xzr
	blr	x10
	ldp	x29, x30, [sp], #16
	ret
entry_end ftrace_mcount_entry

/* What the compiler's calls lead to until boot, or the module loader, has made NOPs of them. */
SYM_FUNC_START(_mcount)
	ret
SYM_FUNC_END(_mcount)
EXPORT_SYMBOL(_mcount)
