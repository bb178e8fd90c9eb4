/* SPDX-License-Identifier: GPL-2.0 */
/*
 * graph/frames.h: a task's shadow stack, which holds a frame for each call whose return is
 * awaited. It knows no user and no architecture; see graph.c for those. stack.h pushes and pops.
 *
 *	header
 *	frames[0]	the outermost call
 *	...
 *	frames[nr - 1]	the innermost
 *	(free)
 *	data of frames[nr - 1], of frames[nr - 2], ...
 *
 * Only the task itself and the interrupts and NMIs on top of it push and pop, and an
 * interrupt pops what it has pushed before it returns. So the task finds nr and data
 * as they were, between any two instructions, if they are moved by one store each:
 *
 * - push moves nr first and fills in the frame then, retp last. An interrupt in between
 *   takes the frames above.
 * - pop clears retp first and moves nr then. An interrupt in between does the same.
 * - Data are made room for by moving data down, and filled in then. They are cleared
 *   before data is moved up again.
 *
 * A frame is never moved. The code that tells users of a return holds the frame's address, and
 * may be interrupted or preempted meanwhile. A call that is left without a return (bpf_throw(), a
 * task that dies of an oops) leaves its frame behind. graph.c pops that frame when it is the
 * innermost one, and a return or an entry further out proves that the call was left.
 *
 * A search for a frame (by an unwinder in an NMI, or on another CPU) goes by retp. It is NULL
 * in all frames from nr on, since pop clears it and data are cleared, so a frame that is being
 * filled in is not found until it is whole.
 */
#ifndef _TRACE_GRAPH_FRAMES_H
#define _TRACE_GRAPH_FRAMES_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/types.h>

#define GRAPH_STACK_SIZE	4096
#define GRAPH_USERS		16

/**
 * struct graph_stack - a task's shadow stack
 * @nr: frames
 * @data: offset of the lowest of the users' data
 * @overrun: calls that found the stack full
 * @var_since: whose variable it is: the user's fgraph_ops.since
 * @vars: a variable for each user
 * @slept: how long the task was not running, see sleep.c
 * @interrupted: how long it was interrupted, see interrupt.c
 * @interrupted_until: when the last of that ended
 * @left: when it was switched away from
 * @left_run: during which run of sleep.c
 * @none: precedes the outermost frame; it stays zero, so its retp is that of no return
 * @frames: see above
 */
struct graph_stack {
	u32			nr;
	u16			data;
	u32			overrun;
	u32			var_since[GRAPH_USERS];
	unsigned long		vars[GRAPH_USERS];
	u64			slept;
	u64			interrupted;
	u64			interrupted_until;
	u64			left;
	u32			left_run;
	struct ftrace_ret_stack	none;
	struct ftrace_ret_stack	frames[];
};

#define GRAPH_FRAMES	((GRAPH_STACK_SIZE - sizeof(struct graph_stack)) / \
			 sizeof(struct ftrace_ret_stack))

/* Bits of struct ftrace_ret_stack.users, and offsets in its data. */
static_assert(GRAPH_USERS <= 16 && GRAPH_STACK_SIZE <= U16_MAX);
static_assert(offsetof(struct graph_stack, none) + sizeof(struct ftrace_ret_stack) ==
	      offsetof(struct graph_stack, frames));

/* Make a stack of GRAPH_STACK_SIZE zeroed bytes. */
static inline void graph_stack_init(struct graph_stack *stack)
{
	stack->data = GRAPH_STACK_SIZE;
}

/* The innermost call, or NULL. */
static __always_inline struct ftrace_ret_stack *graph_stack_top(struct graph_stack *stack)
{
	return stack->nr ? &stack->frames[stack->nr - 1] : NULL;
}

/*
 * Returns @stack moved by @nr frames, so that its frames[0] is frame @nr: the offset of frames[]
 * is then a part of each member's offset. The compiler computes the address once, and not anew
 * for each member.
 */
static __always_inline struct graph_stack *graph_stack_at(struct graph_stack *stack, u32 nr)
{
	struct graph_stack *at = (void *)stack + nr * sizeof(struct ftrace_ret_stack);

	OPTIMIZER_HIDE_VAR(at);
	return at;
}

/* Where the next frame is pushed when there are @nr. */
static __always_inline struct ftrace_ret_stack *graph_stack_next(struct graph_stack *stack,
								 u32 nr)
{
	return graph_stack_at(stack, nr)->frames;
}

/* Returns the innermost of @nr frames, or graph_stack.none if @nr is 0. */
static __always_inline struct ftrace_ret_stack *graph_stack_last(struct graph_stack *stack,
								 u32 nr)
{
	return &graph_stack_at(stack, nr)->none;
}

#endif /* _TRACE_GRAPH_FRAMES_H */
