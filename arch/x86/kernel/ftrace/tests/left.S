/* SPDX-License-Identifier: GPL-2.0 */
/* See graph/tests/left.h. */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/nospec-branch.h>

SYM_FUNC_START(graph_left_set)
	movq	(%rsp), %rax
	movq	%rax, 0(%rdi)
	leaq	8(%rsp), %rax
	movq	%rax, 8(%rdi)
	movq	%rbx, 16(%rdi)
	movq	%rbp, 24(%rdi)
	movq	%r12, 32(%rdi)
	movq	%r13, 40(%rdi)
	movq	%r14, 48(%rdi)
	movq	%r15, 56(%rdi)
	xorl	%eax, %eax
	RET
SYM_FUNC_END(graph_left_set)

SYM_FUNC_START(graph_left_jump)
	movq	16(%rdi), %rbx
	movq	24(%rdi), %rbp
	movq	32(%rdi), %r12
	movq	40(%rdi), %r13
	movq	48(%rdi), %r14
	movq	56(%rdi), %r15
	movq	8(%rdi), %rsp
	pushq	0(%rdi)
	movl	$1, %eax
	RET
SYM_FUNC_END(graph_left_jump)
/* It sets the stack pointer to any value. */
STACK_FRAME_NON_STANDARD graph_left_jump
