/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of kernel headers that arch/arm64/kernel/ftrace/ uses, for user space. */
#ifndef _ENTRIES_SHIM_H
#define _ENTRIES_SHIM_H

/* struct fregs of entries.h. */
#define FREGS_FP		0
#define FREGS_LR		8
#define FREGS_SP		16
#define FREGS_PC		24
#define FREGS_X0		32
#define FREGS_X2		48
#define FREGS_X4		64
#define FREGS_X6		80
#define FREGS_X8		96
#define FREGS_SIZE		112
#define MCOUNT_INSN_SIZE	4
#define TSK_GRAPH_INSIDE	6

#ifdef __ASSEMBLER__

#define __ASSEMBLY__

#define SYM_CODE_START(name)		.globl name; .balign 8; name:
#define SYM_CODE_END(name)
#define SYM_TYPED_FUNC_START(name)	SYM_FUNC_START(name)
#define SYM_FUNC_START(name)		SYM_CODE_START(name) bti c;
#define SYM_FUNC_END(name)
#define NOKPROBE(name)
#define EXPORT_SYMBOL(name)

.macro adr_l rd, symbol
	adrp	\rd, \symbol
	add	\rd, \rd, :lo12:\symbol
.endm

/* The kernel keeps it in a register that programs cannot read. */
.macro get_current_task rd
	adr_l	\rd, task
.endm

#endif /* __ASSEMBLER__ */

#endif /* _ENTRIES_SHIM_H */
