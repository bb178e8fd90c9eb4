/* SPDX-License-Identifier: GPL-2.0 */
/*
 * graph/ inside: how the entry of a function gets the frame in which its return is
 * awaited. For graph.c and fprobe_call.c, in any context, with preemption off. Whoever
 * enters counts what is missed.
 */
#ifndef _TRACE_GRAPH_ENTER_H
#define _TRACE_GRAPH_ENTER_H

#include "graph/internal.h"
#include "lib/clock.h"

struct graph_stack *graph_stack_or_why(struct graph_stack *stack, int *why);
bool graph_push_again(struct graph_stack *stack, const struct ftrace_ret_stack *call);

static __always_inline unsigned long graph_handler(void)
{
	return (unsigned long)return_to_handler;
}

/*
 * The stack of current, which gets one if it has none. NULL: then @why is the enum
 * fgraph_miss that tells the reason, or FGRAPH_MISS_NR: no return is hooked any more.
 */
static __always_inline struct graph_stack *graph_enter_stack(int *why)
{
	struct graph_stack *stack = READ_ONCE(current->graph_stack);

	if (unlikely(!stack || READ_ONCE(current->graph_pause) || READ_ONCE(graph_dead)))
		return graph_stack_or_why(stack, why);
	return stack;
}

/* Await the return of the call at @ip for @users. False: FGRAPH_MISS_FULL. */
static __always_inline bool graph_enter_push(struct graph_stack *stack, unsigned long ip,
					     unsigned long *retp, unsigned long ret, u16 users)
{
	const struct ftrace_ret_stack call = {
		.ret		= ret,
		.func		= ip,
		.retp		= retp,
		.calltime	= trace_clock_called(),
		.epoch		= READ_ONCE(graph_epoch),
		.users		= users,
	};

	return likely(graph_stack_push(stack, &call)) || graph_push_again(stack, &call);
}

/*
 * Has somebody else pushed the frame of this call? The stack says so, unless the function
 * was jumped to from the end of a hooked one. That one's frame is another function's, or
 * has all who are called here, or one of them joins it: it returns at the same time.
 */
static __always_inline bool graph_enter_shares(const struct ftrace_ret_stack *top,
					       unsigned long ret, const unsigned long *retp,
					       unsigned long ip)
{
	if (ret != graph_handler() || !top)
		return false;
	return top->retp == retp && top->func == ip && top->epoch == READ_ONCE(graph_epoch);
}

/* Let the call return to the handler. Whoever finds this on the stack finds the frame. */
static __always_inline void graph_enter_hook(unsigned long *retp)
{
	barrier();
	WRITE_ONCE(*retp, graph_handler());
}

#endif /* _TRACE_GRAPH_ENTER_H */
