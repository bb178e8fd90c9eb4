// SPDX-License-Identifier: GPL-2.0
/*
 * Where the registers of a hit are that have arguments, results and the stack pointer.
 *
 * Architectures say how to read them, but not where they are. So here are registers each of which
 * has a number that tells its place; the value that is read from them is that of the place.
 */
#include <linux/ftrace.h>
#include <linux/ptrace.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "probes/fetch_regs.h"

/* The number in the first word; one that is no place of a stack. */
#define REGS_FIRST	SZ_64K

/* A register file of either kind. */
union fetch_regs {
	struct pt_regs		full;
#ifdef ARCH_FTRACE_ARG_REGS
	struct __arch_ftrace_regs partial;
#endif
};

#ifdef ARCH_FTRACE_ARG_REGS
#define REGS_PARTIAL(regs)	((struct ftrace_regs *)&(regs)->partial)
#endif

static void fetch_regs_number(union fetch_regs *regs)
{
	unsigned long *word = (unsigned long *)regs;

	memset(regs, 0, sizeof(*regs));
	for (unsigned int i = 0; i < sizeof(*regs) / sizeof(*word); i++)
		word[i] = REGS_FIRST + i * sizeof(*word);
}

/* The place that has the number @val. */
static int fetch_regs_place(unsigned long val)
{
	return val >= REGS_FIRST && val < REGS_FIRST + sizeof(union fetch_regs) ?
	       val - REGS_FIRST : -1;
}

/* The place of the register that users know as @name. */
int fetch_regs_named(const char *name)
{
	return regs_query_register_offset(name);
}

/* The place of argument @n, from 0, at the entry of a function. */
int fetch_regs_argument(bool partial, unsigned int n)
{
#ifdef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
	union fetch_regs regs;

	fetch_regs_number(&regs);
#ifdef ARCH_FTRACE_ARG_REGS
	if (partial)
		return fetch_regs_place(ftrace_regs_get_argument(REGS_PARTIAL(&regs), n));
#endif
	return fetch_regs_place(regs_get_kernel_argument(&regs.full, n));
#else
	return -1;
#endif
}

/* The place of the result when a function returns. */
int fetch_regs_result(bool partial)
{
	union fetch_regs regs;

	fetch_regs_number(&regs);
#ifdef ARCH_FTRACE_ARG_REGS
	if (partial)
		return fetch_regs_place(ftrace_regs_get_return_value(REGS_PARTIAL(&regs)));
#endif
	return fetch_regs_place(regs_return_value(&regs.full));
}

/* The place of the stack pointer. */
int fetch_regs_stack(bool partial)
{
	union fetch_regs regs;

	fetch_regs_number(&regs);
#ifdef ARCH_FTRACE_ARG_REGS
	if (partial)
		return fetch_regs_place(ftrace_regs_get_stack_pointer(REGS_PARTIAL(&regs)));
#endif
	return fetch_regs_place(kernel_stack_pointer(&regs.full));
}

/* How many registers functions have arguments in. */
unsigned int fetch_regs_arguments(bool partial)
{
	unsigned int n = 0;

	while (fetch_regs_argument(partial, n) >= 0)
		n++;
	return n;
}

/*
 * How many bytes above the stack pointer the arguments begin, at the entry of a function, that
 * are in no register: a call may have pushed the address to return to. < 0: nobody knows.
 */
int fetch_regs_stack_arguments(void)
{
#ifdef ARCH_FTRACE_ARG_STACK
	return ARCH_FTRACE_ARG_STACK;
#else
	return -1;
#endif
}
