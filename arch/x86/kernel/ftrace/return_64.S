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
 *	bx, bp, r12 to r15, which a function keeps: if there are fprobes, whose handlers
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
#ifdef CONFIG_FRAME_POINTER
	movq	PTREGS_SIZE(%rsp), %rcx
	movq	%rcx, RBP(%rsp)
#else
	movq	%rbp, RBP(%rsp)
#endif
	movq	%rbx, RBX(%rsp)
	movq	%r12, R12(%rsp)
	movq	%r13, R13(%rsp)
	movq	%r14, R14(%rsp)
	movq	%r15, R15(%rsp)
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
