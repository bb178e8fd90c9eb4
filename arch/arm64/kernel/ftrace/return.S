/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where hooked functions return to; kernel/trace/graph/ has put the address into the link
 * register at their entry, and they have signed it with their own stack pointer and
 * found it good, where there is pointer authentication. Only RET leads here.
 */
#include <linux/linkage.h>

#include <asm/asm-offsets.h>
#include <asm/assembler.h>

	.text

/*
 * Make a frame record of the caller's x29 and the address of this, as the function had
 * it: an unwinder finds the frame of graph/ by the former, and the real address in
 * that. ftrace_return_to_handler() puts the real one into the record instead. Functions
 * return values in x0 to x7 at most, and keep x19 to x29; all others are free.
 */
SYM_CODE_START(return_to_handler)
	sub	sp, sp, #FREGS_SIZE
	adr	x30, return_to_handler
	stp	x29, x30, [sp, #FREGS_FP]
	add	x29, sp, #FREGS_FP
	stp	x0, x1, [sp, #FREGS_X0]
	stp	x2, x3, [sp, #FREGS_X2]
	stp	x4, x5, [sp, #FREGS_X4]
	stp	x6, x7, [sp, #FREGS_X6]
	add	x10, sp, #FREGS_SIZE
	str	x10, [sp, #FREGS_SP]
	mov	x0, sp
	bl	ftrace_return_to_handler
	ldp	x0, x1, [sp, #FREGS_X0]
	ldp	x2, x3, [sp, #FREGS_X2]
	ldp	x4, x5, [sp, #FREGS_X4]
	ldp	x6, x7, [sp, #FREGS_X6]
	ldp	x29, x30, [sp, #FREGS_FP]
	add	sp, sp, #FREGS_SIZE
	ret
SYM_CODE_END(return_to_handler)
NOKPROBE(return_to_handler)
