// SPDX-License-Identifier: GPL-2.0
/*
 * Questions of those who walk a task's stack: what stands where return_to_handler() does.
 */
#include <linux/sched.h>

#include "graph/internal.h"

/**
 * ftrace_graph_ret_addr - where does a function on a stack return to?
 * @task: current, or a task that does not run
 * @idx: where the answer before was found, 0 at first; NULL: nothing was asked before
 * @ret: the return address that was found
 * @retp: where it was found
 *
 * Context: any, NMI included; @task cannot be freed meanwhile.
 * Return: the real address, @ret if that is one or nobody knows better.
 */
unsigned long ftrace_graph_ret_addr(struct task_struct *task, int *idx, unsigned long ret,
				    unsigned long *retp)
{
	unsigned long handler = (unsigned long)return_to_handler;
	const struct graph_stack *stack;
	u32 below = idx ? *idx : 0;

	if (likely(ret != handler))
		return ret;
	stack = READ_ONCE(task->graph_stack);
	if (!stack)
		return ret;
	ret = graph_stack_real(stack, retp, handler, &below) ?: ret;
	if (idx)
		*idx = below;
	return ret;
}

/**
 * ftrace_graph_get_ret_stack - a call of a task whose return is awaited
 * @task: current, or a task that does not run
 * @skip: that many calls within it
 *
 * Context: as ftrace_graph_ret_addr(). The call stays while the task is within it.
 * Return: the call, or NULL.
 */
struct ftrace_ret_stack *ftrace_graph_get_ret_stack(struct task_struct *task, int skip)
{
	struct graph_stack *stack = READ_ONCE(task->graph_stack);
	u32 nr = stack ? READ_ONCE(stack->nr) : 0;

	if (skip < 0 || skip >= nr)
		return NULL;
	return &stack->frames[nr - 1 - skip];
}
