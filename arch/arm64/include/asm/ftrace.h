/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The declarations of arm64 for generic code about its call sites, its ftrace_regs and its
 * system calls. The code behind it is in arch/arm64/kernel/ftrace/.
 */
#ifndef __ASM_FTRACE_H
#define __ASM_FTRACE_H

#include <asm/insn.h>

/* Each module has room for this many jumps to ftrace_caller(), in its text and init text. */
#define NR_FTRACE_PLTS		1
#define FTRACE_PLT_IDX		0

#ifndef __ASSEMBLY__

#include <linux/compat.h>
#include <linux/sizes.h>
#include <linux/string.h>

/* The compiler's builtin does not go up more than one frame. */
void *return_address(unsigned int level);
#define ftrace_return_address(n)	return_address(n)

#endif /* !__ASSEMBLY__ */

#ifdef CONFIG_FUNCTION_TRACER

/* A site is one BL or NOP... */
#define MCOUNT_INSN_SIZE	AARCH64_INSN_SIZE
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
/* ... the second instruction of a function, behind a BTI if there is one. */
#define FTRACE_MCOUNT_MAX_OFFSET	(2 * AARCH64_INSN_SIZE)
#else
/* ... behind what the compiler makes of the beginning of a function: more than it ever is. */
#define FTRACE_MCOUNT_MAX_OFFSET	SZ_4K
/* The target of the compiler's calls. */
#define MCOUNT_ADDR		((unsigned long)_mcount)
#endif

/*
 * The function that sites call where there are literals, or when their target has no slot. The
 * jumps in modules lead to it, too.
 */
#define FTRACE_ADDR		((unsigned long)ftrace_caller)

#ifndef __ASSEMBLY__

#include <asm/ptrace.h>

struct ftrace_regs;

/* For functions, not to be called from C. */
void _mcount(unsigned long parent_ip);

/* The address of a site from what the compiler wrote down; 0: it cannot be one. */
unsigned long ftrace_call_adjust(unsigned long addr);

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS

/* The function whose site is at @ip. */
unsigned long arch_ftrace_get_symaddr(unsigned long ip);
#define arch_ftrace_get_symaddr arch_ftrace_get_symaddr

#define HAVE_ARCH_FTRACE_REGS

/*
 * The registers with the arguments of a function or, at its return, with its result. @fp and
 * @lr are a frame record: the caller's, from which an unwinder goes on.
 *
 * @fp:			x29
 * @lr:			where the function returns to
 * @sp:			of the function's entry
 * @pc:			where the function goes on
 * @regs:		x0 to x8
 * @direct_tramp:	go on there instead, as if from the site; 0: do not
 */
struct __arch_ftrace_regs {
	unsigned long	fp;
	unsigned long	lr;
	unsigned long	sp;
	unsigned long	pc;
	unsigned long	regs[9];
	unsigned long	direct_tramp;
};

#define arch_ftrace_regs(fregs)		((struct __arch_ftrace_regs *)(fregs))

/* Never all registers. */
#define arch_ftrace_get_regs(fregs)	((void)(fregs), (struct pt_regs *)NULL)

#define ftrace_regs_get_instruction_pointer(fregs)	(arch_ftrace_regs(fregs)->pc)
#define ftrace_regs_get_stack_pointer(fregs)		(arch_ftrace_regs(fregs)->sp)
#define ftrace_regs_get_frame_pointer(fregs)		(arch_ftrace_regs(fregs)->fp)
#define ftrace_regs_get_return_value(fregs)		(arch_ftrace_regs(fregs)->regs[0])

#define ftrace_regs_set_instruction_pointer(fregs, to)			\
	((void)(arch_ftrace_regs(fregs)->pc = (to)))
#define ftrace_regs_set_return_value(fregs, value)			\
	((void)(arch_ftrace_regs(fregs)->regs[0] = (value)))

/* The function is not executed. */
static __always_inline void ftrace_override_function_with_return(struct ftrace_regs *fregs)
{
	ftrace_regs_set_instruction_pointer(fregs, arch_ftrace_regs(fregs)->lr);
}

/*
 * The procedure call standard has eight registers for arguments. A structure that does not
 * fit in two is copied, and its address takes its place. An argument that is aligned to 16
 * bytes begins in a register with an even number. Behind the first argument that is on the stack,
 * where those of a call come first, no argument has a register.
 */
#define ARCH_FTRACE_ARG_REGS		8
#define ARCH_FTRACE_ARG_COPIES		1
#define ARCH_FTRACE_ARG_EVEN_PAIRS	1
#define ARCH_FTRACE_ARG_IN_ORDER	1
#define ARCH_FTRACE_ARG_STACK		0

/* Arguments beyond the eighth are on the stack, and have types that nobody knows. */
static __always_inline unsigned long ftrace_regs_get_argument(struct ftrace_regs *fregs,
							      unsigned int n)
{
	return n < ARCH_FTRACE_ARG_REGS ? arch_ftrace_regs(fregs)->regs[n] : 0;
}

/* Fill in the registers at the function's entry that perf needs. */
static __always_inline void arch_ftrace_fill_perf_regs(struct ftrace_regs *fregs,
						       struct pt_regs *to)
{
	const struct __arch_ftrace_regs *from = arch_ftrace_regs(fregs);

	to->pstate = PSR_MODE_EL1h;
	to->sp = from->sp;
	to->pc = from->pc;
	to->regs[29] = from->fp;
}

#define arch_ftrace_fill_perf_regs arch_ftrace_fill_perf_regs

/*
 * As arch_ftrace_fill_perf_regs(), and fill in all other registers that were saved; the rest of
 * @to is left as it is.
 */
static __always_inline struct pt_regs *ftrace_partial_regs(struct ftrace_regs *fregs,
							   struct pt_regs *to)
{
	const struct __arch_ftrace_regs *from = arch_ftrace_regs(fregs);

	arch_ftrace_fill_perf_regs(fregs, to);
	memcpy(to->regs, from->regs, sizeof(from->regs));
	to->regs[30] = from->lr;
	return to;
}

/*
 * Fill in the registers that return_to_handler() has saved, as of the moment after the return
 * to @ip: the result, and the caller's frame pointer and stack pointer. The rest of @to is left
 * as it is.
 */
static __always_inline void arch_ftrace_fill_return_regs(struct ftrace_regs *fregs,
							 unsigned long ip, struct pt_regs *to)
{
	arch_ftrace_fill_perf_regs(fregs, to);
	memcpy(to->regs, arch_ftrace_regs(fregs)->regs, 8 * sizeof(to->regs[0]));
	to->regs[30] = ip;
	to->pc = ip;
}

/* Where the return address is, at the entry of a function and in return_to_handler(). */
static __always_inline unsigned long *arch_ftrace_retp(struct ftrace_regs *fregs)
{
	return &arch_ftrace_regs(fregs)->lr;
}

/*
 * The call's place is the caller's frame record. An unwinder that takes the return address
 * from the function's own record finds it there as well, and in x29 the function returns it.
 */
static __always_inline unsigned long *arch_ftrace_place(struct ftrace_regs *fregs)
{
	return (unsigned long *)arch_ftrace_regs(fregs)->fp;
}

#define arch_ftrace_place arch_ftrace_place

/* A call takes nothing of the stack. The function saves x29 and the address, and signs that. */
#define ARCH_FTRACE_CALL_SIZE		0

static __always_inline unsigned long arch_ftrace_saved_return(const unsigned long *p)
{
	return ptrauth_strip_kernel_insn_pac(READ_ONCE_NOCHECK(*p));
}

static __always_inline unsigned long *arch_ftrace_saved_place(const unsigned long *p)
{
	return (unsigned long *)READ_ONCE_NOCHECK(p[-1]);
}

/*
 * Frame records lead from a callback to the one with which its struct __arch_ftrace_regs
 * begins, and from there to the place.
 */
static __always_inline struct ftrace_regs *arch_ftrace_entry_regs(unsigned long *place)
{
	unsigned long **record = __builtin_frame_address(0);

	while (*record != place)
		record = (unsigned long **)*record;
	return (struct ftrace_regs *)record;
}

/* ftrace_args_entry and ftrace_pair_entry look at it on their way out. */
#define arch_ftrace_set_direct_caller(fregs, to)			\
	((void)(arch_ftrace_regs(fregs)->direct_tramp = (to)))

#endif /* CONFIG_DYNAMIC_FTRACE_WITH_ARGS */

#endif /* !__ASSEMBLY__ */

#endif /* CONFIG_FUNCTION_TRACER */

#ifndef __ASSEMBLY__

/* Is @sym, a symbol in a table of system calls, the call that its meta data name "sys_NAME"? */
#define ARCH_HAS_SYSCALL_MATCH_SYM_NAME
static inline bool arch_syscall_match_sym_name(const char *sym, const char *name)
{
	return str_has_prefix(sym, "__arm64_") && !strcmp(sym + strlen("__arm64_"), name);
}

/*
 * The numbers of 32-bit system calls are not those of the meta data, and would
 * be shown as other calls: leave them to the raw events.
 */
#define ARCH_TRACE_IGNORE_COMPAT_SYSCALLS 1
static inline bool arch_trace_is_compat_syscall(struct pt_regs *regs)
{
	return is_compat_task();
}

#endif /* !__ASSEMBLY__ */

#endif /* __ASM_FTRACE_H */
