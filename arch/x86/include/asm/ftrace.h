/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The declarations of x86 for generic code about its call sites, its ftrace_regs and its system
 * calls. The code behind it is in arch/x86/kernel/ftrace/.
 */
#ifndef _ASM_X86_FTRACE_H
#define _ASM_X86_FTRACE_H

#include <asm/ptrace.h>

#ifndef __ASSEMBLY__
#include <linux/string.h>
#endif

#ifdef CONFIG_FUNCTION_TRACER

#include <asm/ibt.h>

#ifndef CC_USING_FENTRY
#error The function tracer needs a compiler with -mfentry.
#endif

/* A site is one call (or NOP) of this size... */
#define MCOUNT_INSN_SIZE	5
/* ... which the compiler made a call of __fentry__()... */
#define MCOUNT_ADDR		((unsigned long)__fentry__)
/* ... at most this far behind the function's address: an ENDBR goes first. */
#define FTRACE_MCOUNT_MAX_OFFSET	ENDBR_INSN_SIZE

/* Room for two frames that frame pointers lead to, on the stack of a trampoline. */
#ifdef CONFIG_FRAME_POINTER
#define FTRACE_FRAMES_SIZE	(5 * 8)
#else
#define FTRACE_FRAMES_SIZE	0
#endif

#ifndef __ASSEMBLY__

void __fentry__(void);

/* Recorders write down the address of the call itself. */
static inline unsigned long ftrace_call_adjust(unsigned long addr)
{
	return addr;
}

struct ftrace_ops;

/* For the unwinder: the code that the trampoline of @ops is a copy of. */
unsigned long arch_ftrace_trampoline_code(const struct ftrace_ops *ops);

/* Nothing to do: a trampoline is read-only from its first use. */
static inline void set_ftrace_ops_ro(void) { }

#ifdef CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS

#include <linux/ftrace_regs.h>

/* ftrace_caller leaves cs 0: there are arguments only. */
static __always_inline struct pt_regs *arch_ftrace_get_regs(struct ftrace_regs *fregs)
{
	struct pt_regs *regs = &arch_ftrace_regs(fregs)->regs;

	return regs->cs ? regs : NULL;
}

/* Lets partial registers look like some of the kernel's. */
static __always_inline void arch_ftrace_partial_regs(struct pt_regs *regs)
{
	regs->cs = __KERNEL_CS;
	regs->flags |= X86_EFLAGS_FIXED;
}

#define arch_ftrace_partial_regs arch_ftrace_partial_regs

static __always_inline void arch_ftrace_fill_perf_regs(struct ftrace_regs *fregs,
						       struct pt_regs *to)
{
	const struct pt_regs *from = &arch_ftrace_regs(fregs)->regs;

	to->flags = 0;
	to->cs = __KERNEL_CS;
	to->sp = from->sp;
	to->ip = from->ip;
}

#define arch_ftrace_fill_perf_regs arch_ftrace_fill_perf_regs

/* Where the function goes on after its callbacks. */
#define ftrace_regs_set_instruction_pointer(fregs, to)			\
	((void)(arch_ftrace_regs(fregs)->regs.ip = (to)))

/* Where the return address is, at the entry of a function and in return_to_handler(). */
static __always_inline unsigned long *arch_ftrace_retp(struct ftrace_regs *fregs)
{
	return (unsigned long *)arch_ftrace_regs(fregs)->regs.sp;
}

/* A call puts its return address on the stack, and there it stays. */
#define ARCH_FTRACE_CALL_SIZE		sizeof(long)

static __always_inline unsigned long arch_ftrace_saved_return(const unsigned long *p)
{
	return READ_ONCE_NOCHECK(*p);
}

static __always_inline unsigned long *arch_ftrace_saved_place(const unsigned long *p)
{
	return (unsigned long *)p;
}

/*
 * Where a trampoline that has registers has them, by arch_ftrace_place(): below the address
 * behind the site, and the frames. See ROOM in entry_64.S.
 */
static __always_inline struct ftrace_regs *arch_ftrace_entry_regs(unsigned long *retp)
{
	return (struct ftrace_regs *)((void *)retp - sizeof(long) - FTRACE_FRAMES_SIZE -
				      sizeof(struct pt_regs));
}

/*
 * Arguments have six registers; a structure that does not fit in two is on the stack, and so is
 * what does not fit in those that are left. The stack has the return address first.
 */
#define ARCH_FTRACE_ARG_REGS		6
#define ARCH_FTRACE_ARG_COPIES		0
#define ARCH_FTRACE_ARG_EVEN_PAIRS	0
#define ARCH_FTRACE_ARG_IN_ORDER	0
#define ARCH_FTRACE_ARG_STACK		sizeof(long)

/*
 * Turn the registers that return_to_handler() has saved into those of the moment after the
 * return to @ip. Registers that a function may clobber are not saved.
 */
static __always_inline struct pt_regs *arch_ftrace_return_regs(struct ftrace_regs *fregs,
							       unsigned long ip)
{
	struct pt_regs *regs = &arch_ftrace_regs(fregs)->regs;

	regs->sp += sizeof(long);
	regs->ip = ip;
	regs->cs = __KERNEL_CS;
	regs->ss = __KERNEL_DS;
	regs->flags = X86_EFLAGS_FIXED;
	regs->orig_ax = -1;
	regs->cx = 0;
	regs->si = 0;
	regs->di = 0;
	regs->r8 = 0;
	regs->r9 = 0;
	regs->r10 = 0;
	regs->r11 = 0;
	return regs;
}

#endif /* CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS */

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
/* The trampoline looks at orig_ax on its way out. */
#define arch_ftrace_set_direct_caller(fregs, to)			\
	((void)(arch_ftrace_regs(fregs)->regs.orig_ax = (to)))
#endif

#endif /* !__ASSEMBLY__ */

#else /* !CONFIG_FUNCTION_TRACER */

#ifndef __ASSEMBLY__
static inline void set_ftrace_ops_ro(void) { }
#endif

#endif /* CONFIG_FUNCTION_TRACER */

#ifndef __ASSEMBLY__

/*
 * Is @sym, a symbol in a table of system calls, the call that its meta data
 * name "sys_NAME"? The symbol has one of the prefixes sys, __x64_sys,
 * __ia32_sys and __do_sys.
 */
#define ARCH_HAS_SYSCALL_MATCH_SYM_NAME
static inline bool arch_syscall_match_sym_name(const char *sym, const char *name)
{
	static const char * const prefixes[] = { "__x64_sys", "__ia32_sys", "__do_sys" };
	const char *call = name + strlen("sys");

	for (int i = 0; i < 3; i++) {
		size_t len = strlen(prefixes[i]);

		if (!strncmp(sym, prefixes[i], len) && !strcmp(sym + len, call))
			return true;
	}
	return !strcmp(sym + strlen("sys"), call);
}

#if defined(CONFIG_FTRACE_SYSCALLS) && defined(CONFIG_IA32_EMULATION) && \
	!defined(COMPILE_OFFSETS)
#include <linux/compat.h>

/*
 * The numbers of 32-bit system calls are not those of the meta data, and would
 * be shown as other calls: leave them to the raw events.
 */
#define ARCH_TRACE_IGNORE_COMPAT_SYSCALLS 1
static inline bool arch_trace_is_compat_syscall(struct pt_regs *regs)
{
	return in_32bit_syscall();
}
#endif

#endif /* !__ASSEMBLY__ */

#if defined(CONFIG_UNWINDER_ORC) && !defined(__ASSEMBLY__)

/*
 * Tell of a place in the code that runs now what the unwinder needs to begin there. Each register
 * is read before it may be an output.
 */
static __always_inline void arch_ftrace_here(unsigned long *ip, unsigned long *sp,
					     unsigned long *bp)
{
	asm volatile("mov %%rbp, %2\n\t"
		     "mov %%rsp, %1\n\t"
		     "lea 0(%%rip), %0"
		     : "=r" (*ip), "=r" (*sp), "=r" (*bp));
}

#define arch_ftrace_here arch_ftrace_here

/* Registers for the unwinder to begin at a place. It looks at no others. */
static __always_inline void arch_ftrace_regs_at(struct pt_regs *regs, unsigned long ip,
						unsigned long sp, unsigned long bp)
{
	regs->ip = ip;
	regs->sp = sp;
	regs->bp = bp;
	regs->cs = __KERNEL_CS;
	regs->flags = X86_EFLAGS_FIXED;
}

#endif

#endif /* _ASM_X86_FTRACE_H */
