/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracers/ inside: arguments at the end of a record of a call, if an option asked for them.
 * How many there are, the record's length tells.
 */
#ifndef _TRACE_TRACERS_ARGS_H
#define _TRACE_TRACERS_ARGS_H

#include <linux/ftrace.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/unaligned.h>

#include "lib/btf.h"
#include "output/output.h"

/* Of each call so many registers are recorded. */
#ifdef CONFIG_FUNCTION_TRACE_ARGS
#define CALL_ARGS	ARCH_FTRACE_ARG_REGS
#else
#define CALL_ARGS	0
#endif
#define CALL_ARGS_SIZE	(CALL_ARGS * sizeof(unsigned long))

/* The registers that a record has. */
struct call_args {
	unsigned int	nr;
	unsigned long	regs[CALL_ARGS];
};

#ifdef CONFIG_FUNCTION_TRACE_ARGS

/* @args: the end of a record. */
static __always_inline void call_args_write(void *args, struct ftrace_regs *fregs)
{
	unsigned long *arg = args;
	unsigned int i;

	for (i = 0; i < CALL_ARGS; i++)
		put_unaligned(ftrace_regs_get_argument(fregs, i), arg + i);
}

/* @size: of the record, @head: of the part before the arguments. */
static inline void call_args_read(struct call_args *args, const struct trace_entry *ent,
				  unsigned int size, unsigned int head)
{
	args->nr = min_t(unsigned int, (size - head) / sizeof(long), CALL_ARGS);
	memcpy(args->regs, (const void *)ent + head, args->nr * sizeof(long));
}

static inline void call_args_put(struct trace_iterator *iter, unsigned long func,
				 const struct call_args *args)
{
	trace_print_args(iter, func, args->regs, args->nr);
}

/* Records with arguments will be printed. 0 or -ENOMEM. Task, may sleep. */
static inline int call_args_need(void)
{
	return trace_btf_need();
}

#else

static inline void call_args_write(void *args, struct ftrace_regs *fregs) { }

static inline void call_args_read(struct call_args *args, const struct trace_entry *ent,
				  unsigned int size, unsigned int head)
{
	args->nr = 0;
}

static inline void call_args_put(struct trace_iterator *iter, unsigned long func,
				 const struct call_args *args) { }

static inline int call_args_need(void)
{
	return 0;
}

#endif

#endif /* _TRACE_TRACERS_ARGS_H */
