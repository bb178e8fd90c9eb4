/* SPDX-License-Identifier: GPL-2.0 */
/* hooks/ inside: the function that is called for an ops, and the parent that it is told. */
#ifndef _TRACE_HOOKS_CALL_H
#define _TRACE_HOOKS_CALL_H

#include <linux/ftrace.h>

#include "hooks/parent.h"

ftrace_func_t ftrace_ops_entry(struct ftrace_ops *ops);

/* Set by parent.c under ftrace_lock(): an ops with FTRACE_OPS_FL_PARENT has to ask. */
extern bool ftrace_parents_hidden;
/* Set by parent.c, read under RCU: the last that came, which stays. */
extern const struct ftrace_parent_ops *ftrace_parent_teller;

void ftrace_parents_look(void);

unsigned long ftrace_parent_real(unsigned long handler);

/* The parent of a call that has found @parent_ip. */
static __always_inline unsigned long ftrace_parent(unsigned long parent_ip)
{
	return likely(!ftrace_is_return_handler(parent_ip)) ? parent_ip :
							      ftrace_parent_real(parent_ip);
}

#endif /* _TRACE_HOOKS_CALL_H */
