/* SPDX-License-Identifier: GPL-2.0 */
/*
 * graph/ inside: the registers that the handlers of fprobes get. Without
 * CONFIG_DYNAMIC_FTRACE_WITH_REGS there are only those of struct ftrace_regs: they are
 * copied into a struct pt_regs, in which the others are 0.
 */
#ifndef _TRACE_GRAPH_REGS_H
#define _TRACE_GRAPH_REGS_H

#include <linux/ftrace.h>
#include <linux/string.h>

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS

/* Room for registers that are not on the stack already. */
struct probe_regs { };

/* Those at the entry of a function. */
static __always_inline struct pt_regs *probe_entry_regs(struct ftrace_regs *fregs,
							struct probe_regs *room)
{
	/* The ops has asked for all of them. */
	return &arch_ftrace_regs(fregs)->regs;
}

/* Those at its return to @ret. */
static __always_inline struct pt_regs *probe_return_regs(struct ftrace_regs *fregs,
							 unsigned long ret,
							 struct probe_regs *room)
{
	return arch_ftrace_return_regs(fregs, ret);
}

#else /* !CONFIG_DYNAMIC_FTRACE_WITH_REGS */

struct probe_regs {
	struct pt_regs	regs;
};

static __always_inline struct pt_regs *probe_entry_regs(struct ftrace_regs *fregs,
							struct probe_regs *room)
{
	memset(&room->regs, 0, sizeof(room->regs));
	return ftrace_partial_regs(fregs, &room->regs);
}

static __always_inline struct pt_regs *probe_return_regs(struct ftrace_regs *fregs,
							 unsigned long ret,
							 struct probe_regs *room)
{
	memset(&room->regs, 0, sizeof(room->regs));
	arch_ftrace_fill_return_regs(fregs, ret, &room->regs);
	return &room->regs;
}

#endif /* CONFIG_DYNAMIC_FTRACE_WITH_REGS */

#endif /* _TRACE_GRAPH_REGS_H */
