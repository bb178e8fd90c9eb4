// SPDX-License-Identifier: GPL-2.0
/*
 * Calling the callback of one ops, with the protection that its flags ask for.
 * These run without a lock, in any context.
 */
#include "hooks/internal.h"

/* For an ops that leaves recursion or RCU to us; LIST bits, as FTRACE's are the callback's. */
static void hooks_call_assisted(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	int bit = trace_test_and_set_recursion(ip, parent_ip, TRACE_LIST_START);

	if (bit < 0)
		return;
	if (!(ops->flags & FTRACE_OPS_FL_RCU) || rcu_is_watching())
		hooks_call_func(ip, parent_ip, ops, fregs);
	trace_clear_recursion(bit);
}

/* For an ops that looks after its recursion, but not after RCU. */
static void hooks_call_watching(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	if (rcu_is_watching())
		hooks_call_func(ip, parent_ip, ops, fregs);
}

/* What is called for an ops: its callback, or what protects that. Changes with ops->func. */
ftrace_func_t ftrace_ops_entry(struct ftrace_ops *ops)
{
	if (ops->flags & FTRACE_OPS_FL_STUB)
		return ftrace_stub;
	if (ops->flags & FTRACE_OPS_FL_RECURSION)
		return hooks_call_assisted;
	if (ops->flags & FTRACE_OPS_FL_RCU)
		return hooks_call_watching;
	return ops->func;
}
