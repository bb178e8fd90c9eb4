/* SPDX-License-Identifier: GPL-2.0 */
/*
 * graph/ inside: how the entry of a function gets the frame in which its return is
 * awaited. For graph.c and fprobe_call.c, in any context, with preemption off. Whoever
 * enters counts what is missed.
 */
#ifndef _TRACE_GRAPH_ENTER_H
#define _TRACE_GRAPH_ENTER_H

#include <linux/preempt.h>
#include <linux/trace_recursion.h>

#include "graph/internal.h"
#include "lib/clock.h"

/* What trace_recursion.h calls a task that is in a callback. */
#define GRAPH_TASK_BIT	(TRACE_FTRACE_START + TRACE_CTX_NORMAL)

struct graph_stack *graph_stack_or_why(struct graph_stack *stack, int *why);
bool graph_push_again(struct graph_stack *stack, unsigned long ip, unsigned long *place,
		      unsigned long ret, u16 users);

/*
 * ftrace_test_recursion_trylock() where it is one test and one store: in a task that is in
 * no callback. False: ask that one. graph_task_end() follows, or nothing.
 */
static __always_inline bool graph_task_begin(void)
{
	if (IS_ENABLED(CONFIG_FTRACE_VALIDATE_RCU_IS_WATCHING) ||
	    preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET) ||
	    trace_recursion_test(GRAPH_TASK_BIT))
		return false;
	trace_recursion_set(GRAPH_TASK_BIT);
	barrier();
	preempt_disable_notrace();
	return true;
}

static __always_inline void graph_task_end(void)
{
	preempt_enable_notrace();
	barrier();
	trace_recursion_clear(GRAPH_TASK_BIT);
}

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

/* The frame of the call at @ip, whose return @users await. */
static __always_inline struct ftrace_ret_stack
graph_enter_frame(unsigned long ip, unsigned long *place, unsigned long ret, u16 users)
{
	return (struct ftrace_ret_stack) {
		.ret		= ret,
		.func		= ip,
		.retp		= place,
		.calltime	= trace_clock_quick(),
		.epoch		= READ_ONCE(graph_epoch),
		.users		= users,
	};
}

/*
 * Push it. False: FGRAPH_MISS_FULL. Nobody else is given the address of @call, which so
 * needs no memory.
 */
static __always_inline bool graph_enter_push(struct graph_stack *stack, unsigned long ip,
					     unsigned long *place, unsigned long ret, u16 users)
{
	const struct ftrace_ret_stack call = graph_enter_frame(ip, place, ret, users);

	return likely(graph_stack_push(stack, &call)) ||
	       graph_push_again(stack, ip, place, ret, users);
}

/*
 * Has somebody else pushed the frame of this call? The stack says so, unless the function
 * was jumped to from the end of a hooked one. That one's frame is another function's, or
 * has all who are called here, or one of them joins it: it returns at the same time.
 */
static __always_inline bool graph_enter_shares(const struct ftrace_ret_stack *top,
					       unsigned long ret, const unsigned long *place,
					       unsigned long ip)
{
	if (ret != graph_handler() || !top)
		return false;
	return top->retp == place && top->func == ip && top->epoch == READ_ONCE(graph_epoch);
}

/* Let the call return to the handler. Whoever finds this on the stack finds the frame. */
static __always_inline void graph_enter_hook(unsigned long *retp)
{
	barrier();
	WRITE_ONCE(*retp, graph_handler());
}

#endif /* _TRACE_GRAPH_ENTER_H */
