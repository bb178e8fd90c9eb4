/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where hooked functions return to; kernel/trace/graph/ has put the address on the
 * stack. Only RET leads here.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>

#include <asm/asm-offsets.h>
#include <asm/asm.h>
#include <asm/nospec-branch.h>
#include <asm/ptrace-abi.h>
#include <asm/unwind_hints.h>

#ifdef CONFIG_FRAME_POINTER
#define PUSHED_SIZE	8
#else
#define PUSHED_SIZE	0
#endif

/* A place in pt_regs, by rcx: objtool has both ways to .Lkept save the same registers. */
#define KEPT(reg)	(reg - PTREGS_SIZE - PUSHED_SIZE)(%rcx)

	.code64
	.section .text, "ax"

/*
 * The RET has taken the word with the address of this from the stack, where an interrupt
 * may have overwritten it. Put it back: unwinders find a frame of graph/ by its place,
 * and the real address in that. ftrace_return_to_handler() puts the real one here
 * instead. It is given registers of which these are there:
 *
 *	ax	what the function returns, together with dx, which is kept
 *	sp	where the word is, as at the function's entry
 *	bx, bp, r12 to r15, which a function keeps: while there are fprobes, whose handlers
 *		are shown them
 *
 * All others are free: the compiler knows nothing of what a traced function leaves in
 * them. The RET at the end has no call of its own: make one, which keeps the return stack
 * buffer and the call depth even.
 */
SYM_CODE_START(return_to_handler)
	UNWIND_HINT_UNDEFINED
	ANNOTATE_NOENDBR
	pushq	$return_to_handler
	UNWIND_HINT_FUNC
#ifdef CONFIG_FRAME_POINTER
	pushq	%rbp
	movq	%rsp, %rbp
#endif
	leaq	-PTREGS_SIZE(%rsp), %rsp
	leaq	(PTREGS_SIZE + PUSHED_SIZE)(%rsp), %rcx
	movq	%rax, RAX(%rsp)
	movq	%rdx, RDX(%rsp)
	movq	%rcx, RSP(%rsp)
#ifdef CONFIG_FPROBE
	cmpl	$0, graph_fprobes(%rip)
	je	.Lkept
#ifdef CONFIG_FRAME_POINTER
	movq	PTREGS_SIZE(%rsp), %rax
	movq	%rax, KEPT(RBP)
#else
	movq	%rbp, KEPT(RBP)
#endif
	movq	%rbx, KEPT(RBX)
	movq	%r12, KEPT(R12)
	movq	%r13, KEPT(R13)
	movq	%r14, KEPT(R14)
	movq	%r15, KEPT(R15)
.Lkept:
#endif
	movq	%rsp, %rdi
	call	ftrace_return_to_handler
	movq	RAX(%rsp), %rax
	movq	RDX(%rsp), %rdx
	leaq	PTREGS_SIZE(%rsp), %rsp
#ifdef CONFIG_FRAME_POINTER
	popq	%rbp
#endif
	CALL_DEPTH_ACCOUNT
	ANNOTATE_INTRA_FUNCTION_CALL
	call	.Leven
	int3
.Leven:
	leaq	8(%rsp), %rsp
	RET
SYM_CODE_END(return_to_handler)
_ASM_NOKPROBE(return_to_handler)
