/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The entry for functions that were compiled with -pg. Their call sites are the calls of
 * _mcount() that the compiler puts behind the prologue. A site calls the slot of its target,
 * which puts the target into x16 and jumps to the entry.
 *
 * On entry:
 *
 *	x0		where the function returns to (parent_ip), not signed
 *	x30		the instruction behind the site (ip + 4)
 *	x16		the target
 *	x29		the frame record of the function, which it has made already
 *
 * The compiler treats the site as an ordinary call: it keeps what it needs in callee-saved
 * registers or on the stack. So the entry saves no registers, and it cannot tell the
 * arguments of the function. The callback gets (ip, parent_ip, ops, NULL).
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
	/* hooks/ may change the target's function at any time, but not its ops. */
	ldp	x10, x2, [x16, #TARGET_FUNC]
	mov	x1, x0
	sub	x0, x30, #MCOUNT_INSN_SIZE
	mov	x3, xzr
	blr	x10
	ldp	x29, x30, [sp], #16
	ret
entry_end ftrace_mcount_entry

/* The compiler's calls lead here until boot, or the module loader, has made NOPs of them. */
SYM_FUNC_START(_mcount)
	ret
SYM_FUNC_END(_mcount)
EXPORT_SYMBOL(_mcount)
