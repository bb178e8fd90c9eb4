/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probes/ inside: where the source of a hit has registers, for fetch_value.c and fetch_regs.c.
 * A place is a number of bytes from the start of struct pt_regs or, of partial ones, of struct
 * ftrace_regs; < 0: there is none.
 */
#ifndef _TRACE_PROBES_FETCH_REGS_H
#define _TRACE_PROBES_FETCH_REGS_H

#include <linux/types.h>

#ifdef CONFIG_HAVE_REGS_AND_STACK_ACCESS_API

int fetch_regs_named(const char *name);
int fetch_regs_argument(bool partial, unsigned int n);
int fetch_regs_result(bool partial);
int fetch_regs_stack(bool partial);
unsigned int fetch_regs_arguments(bool partial);
int fetch_regs_stack_arguments(void);

#else

static inline int fetch_regs_named(const char *name)
{
	return -1;
}

static inline int fetch_regs_argument(bool partial, unsigned int n)
{
	return -1;
}

static inline int fetch_regs_result(bool partial)
{
	return -1;
}

static inline int fetch_regs_stack(bool partial)
{
	return -1;
}

static inline unsigned int fetch_regs_arguments(bool partial)
{
	return 0;
}

static inline int fetch_regs_stack_arguments(void)
{
	return -1;
}

#endif

#endif /* _TRACE_PROBES_FETCH_REGS_H */
