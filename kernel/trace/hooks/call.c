// SPDX-License-Identifier: GPL-2.0
/*
 * The function that is called for an ops: its callback, or a function that protects the
 * callback as the flags ask for. The choice is made when the ops is registered, so that a hit
 * tests no flags. These run without a lock, in any context.
 */
#include <linux/kprobes.h>
#include <linux/rcupdate.h>

#include "hooks/call.h"
#include "hooks/internal.h"

/*
 * Call ops->func. With @watching, not where RCU does not watch. With @once, not again
 * in the same context: the bits from TRACE_LIST_START on say so, as callbacks use
 * those from TRACE_FTRACE_START on themselves.
 */
static __always_inline void hooks_call_guarded(unsigned long ip, unsigned long parent_ip,
					       struct ftrace_ops *ops, struct ftrace_regs *fregs,
					       bool watching, bool once)
{
	ftrace_func_t func = READ_ONCE(ops->func);
	int bit = 0;

	if (watching && !rcu_is_watching())
		return;
	if (once)
		bit = trace_test_and_set_recursion(ip, parent_ip, TRACE_LIST_START);
	if (bit >= 0) {
		func(ip, parent_ip, ops, fregs);
		if (once)
			trace_clear_recursion(bit);
	}
}

static void hooks_call_watching(unsigned long ip, unsigned long parent_ip,
				struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	hooks_call_guarded(ip, parent_ip, ops, fregs, true, false);
}

NOKPROBE_SYMBOL(hooks_call_watching);

static void hooks_call_once(unsigned long ip, unsigned long parent_ip,
			    struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	hooks_call_guarded(ip, parent_ip, ops, fregs, false, true);
}

NOKPROBE_SYMBOL(hooks_call_once);

static void hooks_call_once_watching(unsigned long ip, unsigned long parent_ip,
				     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	hooks_call_guarded(ip, parent_ip, ops, fregs, true, true);
}

NOKPROBE_SYMBOL(hooks_call_once_watching);

/*
 * The function that dispatches call for @ops: ops->func or one of the above. If it is
 * ops->func, it changes with that.
 */
ftrace_func_t ftrace_ops_entry(struct ftrace_ops *ops)
{
	bool watching = ops->flags & FTRACE_OPS_FL_RCU;

	if (ops->flags & FTRACE_OPS_FL_STUB)
		return ftrace_stub;
	if (ops->flags & FTRACE_OPS_FL_RECURSION)
		return watching ? hooks_call_once_watching : hooks_call_once;
	return watching ? hooks_call_watching : ops->func;
}
