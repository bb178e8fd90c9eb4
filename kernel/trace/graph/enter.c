// SPDX-License-Identifier: GPL-2.0
/*
 * The rare steps of a hook at the entry of a function, below the hooks of users and of fprobes;
 * and the table of users and the state that all entries look at.
 */
#include <linux/bug.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "graph/enter.h"
#include "graph/internal.h"

struct fgraph_ops graph_no_user;
struct fgraph_ops *graph_users[GRAPH_USERS] = {
	[0 ... GRAPH_USERS - 1] = &graph_no_user,
};

struct graph_state graph_state __read_mostly;

/* The users of @frame, the innermost, are not told of its return. Each has missed it. */
noinline void graph_miss_return(struct graph_stack *stack, const struct ftrace_ret_stack *frame,
				enum fgraph_miss reason)
{
	struct fgraph_ops *gops;
	unsigned long bits;

	/* A user's memory stays until every CPU has scheduled. */
	preempt_disable_notrace();
	bits = frame->users & GENMASK(GRAPH_OTHER_USERS - 1, 0);
	for (; bits; bits &= bits - 1) {
		gops = graph_frame_user(frame, bits);
		if (gops)
			graph_miss(gops, reason);
	}
	if (graph_has_fprobes(frame))
		graph_fprobe_missed(stack, frame, reason);
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(graph_miss_return);

/* @frame, the innermost, is that of a call which was left without a return. */
noinline void graph_drop_left(struct graph_stack *stack, struct ftrace_ret_stack *frame)
{
	graph_miss_return(stack, frame, FGRAPH_MISS_LEFT);
	graph_stack_pop_frame(stack, frame);
}

NOKPROBE_SYMBOL(graph_drop_left);

/*
 * Does the entry of @call prove that the innermost call of @stack was left without a return?
 * Return addresses of inner calls stand below those of outer ones. So it does if both stand on
 * the stack of the task, and that of @call further out. It does, too, if both stand at the same
 * place, unless @call has found the address of a handler there: then the innermost call has
 * jumped to it, or somebody else has hooked the return in between.
 */
static bool enter_was_left(struct graph_stack *stack, const struct ftrace_ret_stack *call)
{
	const void *from = task_stack_page(current), *to = from + THREAD_SIZE;
	const struct ftrace_ret_stack *top = graph_stack_top(stack);
	const void *inner = top ? READ_ONCE(top->retp) : NULL, *outer = call->retp;

	/* A frame that an interrupted context is about to push or pop has no place. */
	if (inner < from || inner >= to || outer < from || outer >= to)
		return false;
	return outer > inner || (outer == inner && !ftrace_is_return_handler(call->ret));
}

/*
 * The stack is full, perhaps of calls that were left. All of them are dropped that @call proves
 * to be: otherwise the calls within @call would find the stack full again.
 *
 * An interrupted context may be about to push, with the number of frames and the end of the
 * data that it has seen. So an interrupt drops none: until preempt_count() shows it, it has
 * interrupts disabled.
 */
noinline bool graph_push_again(struct graph_stack *stack, const struct ftrace_ret_stack *call,
			       struct ftrace_ret_stack **pushed)
{
	if (!interrupt_context_level() && !irqs_disabled()) {
		while (enter_was_left(stack, call))
			graph_drop_left(stack, graph_stack_top(stack));
	}
	if (graph_stack_push(stack, call, pushed))
		return true;
	stack->overrun++;
	return false;
}

/* Current has no stack, or there is a reason not to use it. */
noinline struct graph_stack *graph_stack_or_why(struct graph_stack *stack, int *why)
{
	*why = FGRAPH_MISS_NR;
	if (READ_ONCE(graph_state.dead))
		return NULL;
	*why = FGRAPH_MISS_PAUSED;
	if (READ_ONCE(current->graph_pause))
		return NULL;
	*why = FGRAPH_MISS_NO_STACK;
	return stack ?: graph_task_give();
}

/**
 * ftrace_graph_stop - the safe way out
 *
 * No call is hooked any more until the next boot. Users are still told of the returns that
 * are awaited.
 *
 * Context: any, NMI included.
 */
void ftrace_graph_stop(void)
{
	WRITE_ONCE(graph_state.dead, true);
}

/**
 * ftrace_graph_is_dead - was ftrace_graph_stop() called?
 *
 * Context: any.
 */
bool ftrace_graph_is_dead(void)
{
	return READ_ONCE(graph_state.dead);
}
