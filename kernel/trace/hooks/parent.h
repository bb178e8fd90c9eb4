/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hooks/: the parents of calls, while returns are hooked.
 *
 * A function that was jumped to from the end of another one finds that one's return address. If
 * the return of the other function is hooked, this is the address of a handler, and an entry
 * passes it to callbacks as parent_ip. An ops with FTRACE_OPS_FL_PARENT is told the real caller:
 * its entry is one of call.c that asks for it, as long as a stack may have the address of a
 * handler. At all other times the ops pays nothing.
 */
#ifndef _TRACE_HOOKS_PARENT_H
#define _TRACE_HOOKS_PARENT_H

#include <linux/ftrace.h>
#include <linux/kprobes.h>

/* A flag of an ops: its callback is told the real parent_ip. */
#define FTRACE_OPS_FL_PARENT	BIT(28)

/**
 * struct ftrace_parent_ops - what hooks/ asks the users of returns
 * @real: where does the call really return to that has found the address @handler? Any context,
 *	in the call
 * @hidden: may there be a return that is hooked? Nobody hooks any more. Task, may sleep;
 *	ftrace_lock() is held
 */
struct ftrace_parent_ops {
	unsigned long	(*real)(unsigned long handler);
	bool		(*hidden)(void);
};

/* Is the address that a call returns to the address of a handler of returns? */
static __always_inline bool ftrace_is_return_handler(unsigned long ret)
{
#ifdef CONFIG_FTRACE_GRAPH
	if (ret == (unsigned long)return_to_handler)
		return true;
#endif
	return is_kretprobe_trampoline(ret);
}

#ifdef CONFIG_FUNCTION_TRACER
void ftrace_parents_hide(const struct ftrace_parent_ops *ops);
void ftrace_parents_show(void);
#else
static inline void ftrace_parents_hide(const struct ftrace_parent_ops *ops) { }
static inline void ftrace_parents_show(void) { }
#endif

#endif /* _TRACE_HOOKS_PARENT_H */
