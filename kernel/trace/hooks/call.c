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

/* See call.h. */
bool ftrace_parents_hidden;
const struct ftrace_parent_ops *ftrace_parent_teller;

/* The parent of a call that has found the address of a handler. Any context. */
noinline unsigned long ftrace_parent_real(unsigned long handler)
{
	/* Pairs with the release in ftrace_parents_hide(). */
	const struct ftrace_parent_ops *ops = smp_load_acquire(&ftrace_parent_teller);

	return ops ? ops->real(handler) : handler;
}

NOKPROBE_SYMBOL(ftrace_parent_real);

/*
 * Call ops->func. With @watching, not where RCU does not watch. With @once, not again
 * in the same context: the bits from TRACE_LIST_START on say so, as callbacks use
 * those from TRACE_FTRACE_START on themselves. With @parent, the callback is told the real
 * caller.
 */
static __always_inline void hooks_call_guarded(unsigned long ip, unsigned long parent_ip,
					       struct ftrace_ops *ops, struct ftrace_regs *fregs,
					       bool watching, bool once, bool parent)
{
	ftrace_func_t func = READ_ONCE(ops->func);
	int bit = 0;

	if (watching && !rcu_is_watching())
		return;
	if (once)
		bit = trace_test_and_set_recursion(ip, parent_ip, TRACE_LIST_START);
	if (bit >= 0) {
		func(ip, parent ? ftrace_parent(parent_ip) : parent_ip, ops, fregs);
		if (once)
			trace_clear_recursion(bit);
	}
}

#define HOOKS_CALL(name, watching, once, parent)					\
static void name(unsigned long ip, unsigned long parent_ip,				\
		 struct ftrace_ops *ops, struct ftrace_regs *fregs)			\
{											\
	hooks_call_guarded(ip, parent_ip, ops, fregs, watching, once, parent);		\
}

HOOKS_CALL(hooks_call_once, false, true, false)
NOKPROBE_SYMBOL(hooks_call_once);
HOOKS_CALL(hooks_call_once_parent, false, true, true)
NOKPROBE_SYMBOL(hooks_call_once_parent);
HOOKS_CALL(hooks_call_watching, true, false, false)
NOKPROBE_SYMBOL(hooks_call_watching);
HOOKS_CALL(hooks_call_watching_parent, true, false, true)
NOKPROBE_SYMBOL(hooks_call_watching_parent);
HOOKS_CALL(hooks_call_once_watching, true, true, false)
NOKPROBE_SYMBOL(hooks_call_once_watching);
HOOKS_CALL(hooks_call_once_watching_parent, true, true, true)
NOKPROBE_SYMBOL(hooks_call_once_watching_parent);

/* A call whose @parent_ip is the address of a handler. */
static noinline void hooks_call_real(unsigned long ip, unsigned long parent_ip,
				     struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	hooks_call_guarded(ip, parent_ip, ops, fregs, false, false, true);
}

NOKPROBE_SYMBOL(hooks_call_real);

/* As HOOKS_CALL(), for a callback that is protected by nothing. It ends with jumps. */
static void hooks_call_parent(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	if (unlikely(ftrace_is_return_handler(parent_ip)))
		return hooks_call_real(ip, parent_ip, ops, fregs);
	return hooks_call_guarded(ip, parent_ip, ops, fregs, false, false, false);
}

NOKPROBE_SYMBOL(hooks_call_parent);

/* By @watching, @once and @parent of hooks_call_guarded(). NULL: ops->func itself. */
static const ftrace_func_t hooks_calls[2][2][2] = {
	{
		{ NULL, hooks_call_parent },
		{ hooks_call_once, hooks_call_once_parent },
	}, {
		{ hooks_call_watching, hooks_call_watching_parent },
		{ hooks_call_once_watching, hooks_call_once_watching_parent },
	},
};

/*
 * The function that dispatches call for @ops: ops->func or one of the above. If it is
 * ops->func, it changes with that.
 */
ftrace_func_t ftrace_ops_entry(struct ftrace_ops *ops)
{
	bool watching = ops->flags & FTRACE_OPS_FL_RCU;
	bool once = ops->flags & FTRACE_OPS_FL_RECURSION;
	bool parent = ops->flags & FTRACE_OPS_FL_PARENT && ftrace_parents_hidden;

	if (ops->flags & FTRACE_OPS_FL_STUB)
		return ftrace_stub;
	return hooks_calls[watching][once][parent] ?: ops->func;
}
