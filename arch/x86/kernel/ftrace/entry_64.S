/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The entries for call sites, for patched ones and, without CONFIG_DYNAMIC_FTRACE, for all
 * sites: see __fentry__ at the end for those. ftrace_caller and the others of its kind are
 * never called themselves: trampoline.c copies them, with an ops and its callback written in.
 * Only sites call the copies, directly, so these have no ENDBR.
 *
 * On entry:
 *
 *	 8(%rsp)	where the traced function returns to (parent_ip)
 *	 0(%rsp)	the instruction behind the site (ip + 5)
 *
 * The callback gets (ip, parent_ip, ops, fregs). fregs is a struct pt_regs,
 * which is filled in full by ftrace_regs_caller; ftrace_caller saves what a
 * function is called with, and leaves cs 0 as the sign of that. Both tell
 * where the stack was at the call (sp) and where the function goes on (ip),
 * and take a changed ip back. orig_ax is 0; after ftrace_direct_caller and
 * ftrace_direct_regs_caller, a callback that puts an address there has a direct call: the way
 * out leads there as if from the site.
 * ftrace_view_caller and ftrace_view_regs_caller are the same for callbacks that change
 * nothing in fregs: they load only the registers that a C function may change.
 * ftrace_plain_caller is for callbacks that do not look at fregs, and has none.
 * ftrace_inside_caller is ftrace_view_caller for tasks that are in a root of the graph.
 * ftrace_pair_caller, ftrace_pair_view_caller and ftrace_pair_plain_caller call two callbacks,
 * one after the other, each with its own ops and with all else as the first.
 *
 * Nothing here can be probed: the copies would have the breakpoint, and the rest is called
 * before anything protects a hit against recursion.
 */
#include <linux/cfi_types.h>
#include <linux/export.h>
#include <linux/linkage.h>
#include <linux/objtool.h>

#include <asm/asm-offsets.h>
#include <asm/asm.h>
#include <asm/ftrace.h>
#include <asm/nospec-branch.h>
#include <asm/ptrace-abi.h>
#include <asm/segment.h>
#include <asm/unwind_hints.h>

	.code64
	.section .text, "ax"

/*
 * Room for the frame pointers' sake. A walk along them finds the traced
 * function and its caller thanks to two frames, and unwind_frame.c knows that
 * the outer one looks like this when the caller is entry code:
 *
 *	parent_ip
 *	ip + 5
 *	%rbp
 *	parent_ip	outer frame
 *	%rbp
 *	ip + 5		inner frame
 *	address of the outer frame
 */
#define ROOM		(PTREGS_SIZE + FTRACE_FRAMES_SIZE)
/* Without fregs, with the registers alone that a callback may change. */
#define PLAIN_ROOM	(7 * 8 + FTRACE_FRAMES_SIZE)

.macro make_frames
#ifdef CONFIG_FRAME_POINTER
	pushq	%rbp
	pushq	16(%rsp)
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	24(%rsp)
	pushq	%rbp
	movq	%rsp, %rbp
#endif
.endm

/* Nothing up to save_rest changes the flags: lea adds. */
.macro make_room
	make_frames
	leaq	-PTREGS_SIZE(%rsp), %rsp
.endm

.macro save_args
	movq	%rdi, RDI(%rsp)
	movq	%rsi, RSI(%rsp)
	movq	%rdx, RDX(%rsp)
	movq	%rcx, RCX(%rsp)
	movq	%r8, R8(%rsp)
	movq	%r9, R9(%rsp)
	movq	%rax, RAX(%rsp)
#ifdef CONFIG_FRAME_POINTER
	movq	(PTREGS_SIZE + 32)(%rsp), %rax
	movq	%rax, RBP(%rsp)
#else
	movq	%rbp, RBP(%rsp)
#endif
	movq	$0, ORIG_RAX(%rsp)
.endm

/* sp and ip of the function, and the arguments of the callback but the ops. */
.macro load_args
	leaq	(ROOM + 8)(%rsp), %rcx
	movq	ROOM(%rsp), %rdi
	movq	%rcx, RSP(%rsp)
	movq	%rdi, RIP(%rsp)
	movq	(ROOM + 8)(%rsp), %rsi
	leaq	-MCOUNT_INSN_SIZE(%rdi), %rdi
	movq	%rsp, %rcx
.endm

/* Load the registers that a C function may change. */
.macro restore_changed
	movq	RDI(%rsp), %rdi
	movq	RSI(%rsp), %rsi
	movq	RDX(%rsp), %rdx
	movq	RCX(%rsp), %rcx
	movq	R8(%rsp), %r8
	movq	R9(%rsp), %r9
	movq	RAX(%rsp), %rax
#ifdef CONFIG_FRAME_POINTER
	movq	RBP(%rsp), %rbp
#endif
.endm

.macro restore_args
	restore_changed
#ifndef CONFIG_FRAME_POINTER
	movq	RBP(%rsp), %rbp
#endif
.endm

.macro save_rest
	pushfq
	popq	EFLAGS(%rsp)
	movq	$__KERNEL_CS, CS(%rsp)
	movq	$__KERNEL_DS, SS(%rsp)
	movq	%rbx, RBX(%rsp)
	movq	%r10, R10(%rsp)
	movq	%r11, R11(%rsp)
	movq	%r12, R12(%rsp)
	movq	%r13, R13(%rsp)
	movq	%r14, R14(%rsp)
	movq	%r15, R15(%rsp)
.endm

.macro restore_rest
	movq	RBX(%rsp), %rbx
	movq	R10(%rsp), %r10
	movq	R11(%rsp), %r11
	movq	R12(%rsp), %r12
	movq	R13(%rsp), %r13
	movq	R14(%rsp), %r14
	movq	R15(%rsp), %r15
	pushq	EFLAGS(%rsp)
	popfq
.endm

/* With this in place of save_rest, fregs has arguments only. */
.macro skip_rest
	movq	$0, CS(%rsp)
	movq	$0, EFLAGS(%rsp)
.endm

#ifdef CONFIG_DYNAMIC_FTRACE

/* The function goes on where the callback says. */
.macro take_ip
	movq	RIP(%rsp), %rax
	movq	%rax, ROOM(%rsp)
.endm

/*
 * The direct call's address goes where the last word of pt_regs (ss) was, below
 * the address that the function goes on at, and is returned to. That return
 * has no call of its own: make one, which keeps the return stack buffer and
 * the call depth even.
 */
.macro put_direct
	movq	ORIG_RAX(%rsp), %rax
	movq	%rax, (ROOM - 8)(%rsp)
	CALL_DEPTH_ACCOUNT
	ANNOTATE_INTRA_FUNCTION_CALL
	call	.Ldirect_even_\@
	int3
.Ldirect_even_\@:
	leaq	8(%rsp), %rsp
.endm

/* Offsets in the code that trampoline.c writes to: struct trampoline_layout. */
.macro trampoline_layout name:req direct=0 early=0 pair=0
	.pushsection .rodata, "a"
	.balign 4
SYM_DATA_START(\name\()_layout)
	.long	.L\name\()_ops - \name
	.if \pair
	.long	.L\name\()_ops_2 - \name
	.else
	.long	0
	.endif
	.long	.L\name\()_call - \name
	.if \pair
	.long	.L\name\()_call_2 - \name
	.else
	.long	0
	.endif
	.long	.L\name\()_ret - \name
	.if \direct
	.long	.L\name\()_direct_ret - \name
	.else
	.long	0
	.endif
	.if \early
	.long	.L\name\()_early_ret - \name
	.else
	.long	0
	.endif
	.long	.L\name\()_end - \name
SYM_DATA_END(\name\()_layout)
	.popsection
.endm

/*
 * Call the callback. Of a pair, parent_ip is kept for the second one: the first may have put
 * another address in its place on the stack.
 */
.macro make_calls name:req pair:req fregs:req
	.if \pair
	pushq	%rsi
	.endif
.L\name\()_ops:
	movabsq	$0, %rdx
	CALL_DEPTH_ACCOUNT
.L\name\()_call:
	call	ftrace_stub
	.if \pair
	popq	%rsi
	.if \fregs
	movq	ROOM(%rsp), %rdi
	movq	%rsp, %rcx
	.else
	movq	PLAIN_ROOM(%rsp), %rdi
	xorl	%ecx, %ecx
	.endif
	leaq	-MCOUNT_INSN_SIZE(%rdi), %rdi
.L\name\()_ops_2:
	movabsq	$0, %rdx
	CALL_DEPTH_ACCOUNT
.L\name\()_call_2:
	call	ftrace_stub
	.endif
.endm

/* Save registers and call the callback. */
.macro call_callback name:req regs:req pair:req
	make_room
	save_args
	.if \regs
	save_rest
	.else
	skip_rest
	.endif
	CALL_DEPTH_ACCOUNT
	load_args
	make_calls \name, \pair, 1
.endm

/* The code of trampolines whose callbacks may change what is in fregs. */
.macro caller_body name:req regs:req direct=0 pair=0
	call_callback \name, \regs, \pair
	take_ip
	.if \direct
	cmpq	$0, ORIG_RAX(%rsp)
	jne	.L\name\()_direct
	.endif
	.if \regs
	restore_rest
	.endif
	restore_args
	leaq	ROOM(%rsp), %rsp
.L\name\()_ret:
	RET
	.if \direct
.L\name\()_direct:
	put_direct
	.if \regs
	restore_rest
	.endif
	restore_args
	leaq	(ROOM - 8)(%rsp), %rsp
	UNWIND_HINT_FUNC
.L\name\()_direct_ret:
	RET
	.endif
.L\name\()_end:
.endm

/* The code of trampolines whose callbacks change nothing in fregs. */
.macro view_body name:req regs:req pair=0
	call_callback \name, \regs, \pair
	restore_changed
	leaq	ROOM(%rsp), %rsp
	/* The callback has left rbp alone, which objtool sees saved and not loaded. */
	UNWIND_HINT_FUNC
.L\name\()_ret:
	RET
.L\name\()_end:
.endm

.macro trampoline_start name:req
SYM_START(\name, SYM_L_GLOBAL, SYM_F_ALIGN)
	ANNOTATE_NOENDBR
.endm

.macro trampoline_end name:req
SYM_FUNC_END(\name)
_ASM_NOKPROBE(\name)
STACK_FRAME_NON_STANDARD_FP \name
.endm

.macro trampoline_of_caller name:req regs=0 direct=0 pair=0
	trampoline_start \name
	caller_body \name, \regs, \direct, \pair
	trampoline_end \name
	trampoline_layout \name, direct=\direct, pair=\pair
.endm

.macro trampoline_of_view name:req regs=0 pair=0
	trampoline_start \name
	view_body \name, \regs, \pair
	trampoline_end \name
	trampoline_layout \name, pair=\pair
.endm

	trampoline_of_caller ftrace_caller
	trampoline_of_caller ftrace_regs_caller, regs=1
	trampoline_of_caller ftrace_direct_caller, direct=1
	trampoline_of_caller ftrace_direct_regs_caller, regs=1, direct=1
	trampoline_of_caller ftrace_pair_caller, pair=1
	trampoline_of_view ftrace_view_caller
	trampoline_of_view ftrace_view_regs_caller, regs=1
	trampoline_of_view ftrace_pair_view_caller, pair=1

#ifdef CONFIG_FTRACE_GRAPH
/*
 * A task that is in no root goes on at once. No function is called with anything in r11,
 * and the flags.
 */
	trampoline_start ftrace_inside_caller
	movq	PER_CPU_VAR(pcpu_hot + X86_current_task), %r11
	cmpw	$0, TASK_graph_inside(%r11)
	jne	.Lftrace_inside_caller_inside
	CALL_DEPTH_ACCOUNT
.Lftrace_inside_caller_early_ret:
	RET
.Lftrace_inside_caller_inside:
	view_body ftrace_inside_caller, 0
	trampoline_end ftrace_inside_caller
	trampoline_layout ftrace_inside_caller, early=1
#endif

.macro trampoline_of_plain name:req pair=0
	trampoline_start \name
	CALL_DEPTH_ACCOUNT
	make_frames
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%r8
	pushq	%r9
	pushq	%rax
	movq	PLAIN_ROOM(%rsp), %rdi
	movq	(PLAIN_ROOM + 8)(%rsp), %rsi
	leaq	-MCOUNT_INSN_SIZE(%rdi), %rdi
	xorl	%ecx, %ecx
	make_calls \name, \pair, 0
	popq	%rax
	popq	%r9
	popq	%r8
	popq	%rcx
	popq	%rdx
	popq	%rsi
	popq	%rdi
#ifdef CONFIG_FRAME_POINTER
	movq	(FTRACE_FRAMES_SIZE - 8)(%rsp), %rbp
	leaq	FTRACE_FRAMES_SIZE(%rsp), %rsp
#endif
.L\name\()_ret:
	RET
.L\name\()_end:
	trampoline_end \name
	trampoline_layout \name, pair=\pair
.endm

	trampoline_of_plain ftrace_plain_caller
	trampoline_of_plain ftrace_pair_plain_caller, pair=1

/* The target of the compiler's calls. Boot makes NOPs of the calls that can be executed. */
SYM_FUNC_START(__fentry__)
	CALL_DEPTH_ACCOUNT
	RET
SYM_FUNC_END(__fentry__)
_ASM_NOKPROBE(__fentry__)

#else /* !CONFIG_DYNAMIC_FTRACE */

/*
 * The target of the compiler's calls, at every entry of every function: before the kernel runs
 * where it was linked, too, so the test must not need the address. The call of the hooks is not
 * copied, so call depth tracking finds it itself.
 */
SYM_FUNC_START(__fentry__)
	CALL_DEPTH_ACCOUNT
	cmpq	$0, ftrace_static_set(%rip)
	jne	.Lhooked
	RET
.Lhooked:
	make_room
	save_args
	skip_rest
	load_args
	xorl	%edx, %edx
	call	arch_ftrace_ops_list_func
	restore_args
	leaq	ROOM(%rsp), %rsp
	RET
SYM_FUNC_END(__fentry__)
_ASM_NOKPROBE(__fentry__)
STACK_FRAME_NON_STANDARD_FP __fentry__

#endif /* CONFIG_DYNAMIC_FTRACE */
EXPORT_SYMBOL(__fentry__)

/* A callback that does nothing. */
SYM_TYPED_FUNC_START(ftrace_stub)
	CALL_DEPTH_ACCOUNT
	RET
SYM_FUNC_END(ftrace_stub)
_ASM_NOKPROBE(ftrace_stub)

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
/* A direct call that does nothing. */
SYM_FUNC_START(ftrace_stub_direct_tramp)
	CALL_DEPTH_ACCOUNT
	RET
SYM_FUNC_END(ftrace_stub_direct_tramp)
_ASM_NOKPROBE(ftrace_stub_direct_tramp)
#endif
