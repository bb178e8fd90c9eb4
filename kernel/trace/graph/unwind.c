// SPDX-License-Identifier: GPL-2.0
/*
 * Where a call returns to whose return address was replaced: for unwinders, and for those who
 * hook a call that others have hooked before.
 */
#include <linux/kprobes.h>
#include <linux/llist.h>
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

/* Has @task to come to a return that is hooked? It is current, or may run meanwhile. */
bool graph_task_awaits(struct task_struct *task)
{
	const struct graph_stack *stack = READ_ONCE(task->graph_stack);

	return stack && READ_ONCE(stack->nr);
}

/* The place of the call of current whose return was hooked last; NULL: none is awaited. */
unsigned long *graph_last_place(void)
{
	struct graph_stack *stack = READ_ONCE(current->graph_stack);
	struct ftrace_ret_stack *last = stack ? graph_stack_top(stack) : NULL;

	return last ? READ_ONCE(last->retp) : NULL;
}

NOKPROBE_SYMBOL(graph_last_place);

/**
 * graph_real_return - where does a call of current that was hooked several times return to?
 * @place: of the call, by which both kinds of hooks know it
 * @ret: a return address that was found there, perhaps that of a handler
 * @frame: number of the frame whose hook has found it, 0: the last hook of all. Only frames
 *	further out have an answer then
 * @node: the rethook node whose hook has found it, or NULL; the same holds for nodes
 *
 * Each hook has found what the one before it has written. Users of graph/ and kretprobes may have
 * come in any order, and several times each, if the function was jumped to. An address of
 * return_to_handler() is that of a frame, and that of the trampoline a node's. Nodes are asked
 * for once each, so this ends.
 *
 * Context: any, NMI included.
 * Return: the real address; that of a handler if nobody knows it.
 */
unsigned long graph_real_return(unsigned long *place, unsigned long ret, u32 frame,
				struct llist_node *node)
{
	const struct graph_stack *stack = READ_ONCE(current->graph_stack);
	unsigned long found;

	do {
		found = ret;
		if (stack && found == graph_handler())
			found = graph_stack_real(stack, place, graph_handler(), &frame) ?: found;
		ret = found;
		if (is_kretprobe_trampoline(found))
			ret = kretprobe_find_ret_addr(current, place, &node) ?: found;
	} while (ret != found);
	return ret;
}

NOKPROBE_SYMBOL(graph_real_return);
