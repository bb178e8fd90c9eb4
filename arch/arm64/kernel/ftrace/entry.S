/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The entries for call sites. Each site calls code that puts the target into x16 and goes on at
 * one of the entries here, which call a callback, or at a direct call: ftrace_caller of
 * literal_entry.S, or a slot of slot_entry.S.
 *
 * On entry of all:
 *
 *	x0 to x8	what the traced function is called with
 *	x9		where it returns to (parent_ip)
 *	x30		the instruction behind the site (ip + 4)
 *	x16		the target
 *	x29		the frame record of the function's caller
 *
 * Functions keep nothing in x10 to x17 when they are called, so these are free. The
 * compiler signs a return address in the body of the function, behind the site:
 * here it is not signed yet, and may be another one from here on.
 *
 * The callback gets (ip, parent_ip, ops, fregs). fregs is a struct __arch_ftrace_regs;
 * a callback may have changed pc, lr, the arguments, and direct_tramp, which it finds 0:
 * an address there has a direct call, as if from the site. ftrace_plain_entry is for
 * callbacks that do not look at fregs, and has none. ftrace_inside_entry is
 * ftrace_args_entry for tasks that are in a root of the graph. ftrace_pair_entry makes
 * the two calls of a pair, which a function in C could only make with more registers saved.
 */
#include <linux/linkage.h>

#include <asm/asm-offsets.h>
#include <asm/assembler.h>
#include <asm/ftrace.h>

#include "layout.h"

	.text

/*
 * Build two frame records: one at SP for the traced function, one inside fregs for its
 * caller. ROOM is the space for both; @more is extra space above.
 */
#define RECORD_SIZE	16
#define FREGS		RECORD_SIZE
#define ROOM		(FREGS + FREGS_SIZE)

.macro make_frames more=0
	sub	sp, sp, #(ROOM + \more)
	stp	x29, x9, [sp, #(FREGS + FREGS_FP)]
	add	x29, sp, #(FREGS + FREGS_FP)
	stp	x29, x30, [sp]
	mov	x29, sp
.endm

.macro save_args
	stp	x0, x1, [sp, #(FREGS + FREGS_X0)]
	stp	x2, x3, [sp, #(FREGS + FREGS_X2)]
	stp	x4, x5, [sp, #(FREGS + FREGS_X4)]
	stp	x6, x7, [sp, #(FREGS + FREGS_X6)]
	/* direct_tramp comes behind x8. */
	stp	x8, xzr, [sp, #(FREGS + FREGS_X8)]
.endm

.macro restore_args
	ldp	x0, x1, [sp, #(FREGS + FREGS_X0)]
	ldp	x2, x3, [sp, #(FREGS + FREGS_X2)]
	ldp	x4, x5, [sp, #(FREGS + FREGS_X4)]
	ldp	x6, x7, [sp, #(FREGS + FREGS_X6)]
	ldp	x8, x17, [sp, #(FREGS + FREGS_X8)]
.endm

/* The stack pointer of the caller, and where the function goes on. */
.macro save_rest more=0
	add	x10, sp, #(ROOM + \more)
	stp	x10, x30, [sp, #(FREGS + FREGS_SP)]
.endm

/*
 * Leave by RET, which matches the site's BL in the return predictor; or, if a callback set
 * direct_tramp, branch there with x9 and x30 as the site left them.
 */
.macro leave more=0
	restore_args
	ldp	x29, x30, [sp, #(FREGS + FREGS_FP)]
	ldr	x10, [sp, #(FREGS + FREGS_PC)]
	add	sp, sp, #(ROOM + \more)
	cbnz	x17, .Ldirect\@
	ret	x10
.Ldirect\@:
	mov	x9, x30
	mov	x30, x10
	br	x17
.endm

/* @func may change at any time, @ops does not. */
.macro call_target
	ldp	x10, x2, [x16, #TARGET_FUNC]
	sub	x0, x30, #MCOUNT_INSN_SIZE
	mov	x1, x9
	blr	x10
.endm

#ifdef CONFIG_FTRACE_GRAPH
/* A task that is in no root goes on at once. */
entry_start ftrace_inside_entry
	get_current_task x10
	ldrh	w10, [x10, #TSK_GRAPH_INSIDE]
	cbnz	w10, ftrace_args_entry
	mov	x10, x30
	mov	x30, x9
	ret	x10
entry_end ftrace_inside_entry
#endif

entry_start ftrace_args_entry
	make_frames
	save_args
	save_rest
	add	x3, sp, #FREGS
	call_target
	leave
entry_end ftrace_args_entry

/* The calls of the pair, ip and parent_ip are kept for the second call. */
#define PAIR_IP		ROOM
#define PAIR_CALLS	(ROOM + 16)
#define PAIR_ROOM	32

entry_start ftrace_pair_entry
	make_frames PAIR_ROOM
	save_args
	save_rest PAIR_ROOM
	ldr	x16, [x16, #TARGET_PAIR]
	sub	x0, x30, #MCOUNT_INSN_SIZE
	mov	x1, x9
	stp	x0, x1, [sp, #PAIR_IP]
	str	x16, [sp, #PAIR_CALLS]
	ldp	x10, x2, [x16]
	add	x3, sp, #FREGS
	blr	x10
	ldr	x16, [sp, #PAIR_CALLS]
	ldp	x0, x1, [sp, #PAIR_IP]
	ldp	x10, x2, [x16, #CALL_SIZE]
	add	x3, sp, #FREGS
	blr	x10
	leave PAIR_ROOM
entry_end ftrace_pair_entry

entry_start ftrace_plain_entry
	make_frames
	save_args
	/* The callback may clobber x9 and x30; both are saved in the frame records. */
	mov	x3, xzr
	call_target
	restore_args
	ldr	x10, [sp, #8]
	ldp	x29, x30, [sp, #(FREGS + FREGS_FP)]
	add	sp, sp, #ROOM
	ret	x10
entry_end ftrace_plain_entry

/* A direct call that does nothing: to the function's body, with its return address. */
SYM_FUNC_START(ftrace_stub_direct_tramp)
	mov	x10, x30
	mov	x30, x9
	ret	x10
SYM_FUNC_END(ftrace_stub_direct_tramp)
NOKPROBE(ftrace_stub_direct_tramp)
