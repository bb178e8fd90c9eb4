/* SPDX-License-Identifier: GPL-2.0 */
/*
 * graph/: a task's shadow stack, which holds a frame for each call whose return is
 * awaited. It knows no user and no architecture; see graph.c for those.
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
#ifndef _TRACE_GRAPH_STACK_H
#define _TRACE_GRAPH_STACK_H

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

/**
 * struct graph_stack_room - where the next frame is pushed
 * @frame: there
 * @nr: the frames that there are
 * @data: where the data of calls begin
 *
 * It stays the same for this context until it pushes or pops.
 */
struct graph_stack_room {
	struct ftrace_ret_stack	*frame;
	u32			nr;
	u16			data;
};

/* Fill in @room.  False if the stack is full. */
static __always_inline bool graph_stack_has_room(struct graph_stack *stack,
						 struct graph_stack_room *room)
{
	room->nr = stack->nr;
	room->data = stack->data;
	room->frame = graph_stack_next(stack, room->nr);
	return likely((void *)(room->frame + 1) <= (void *)stack + room->data);
}

/**
 * graph_stack_add - await the return of a call, for which there is room
 * @stack: of current
 * @room: from graph_stack_has_room()
 * @call: the frame, but for its data; its retp is not NULL
 *
 * Context: any, NMI included; not to be preempted.
 */
static __always_inline void graph_stack_add(struct graph_stack *stack,
					    const struct graph_stack_room *room,
					    const struct ftrace_ret_stack *call)
{
	struct ftrace_ret_stack *frame = room->frame;

	WRITE_ONCE(stack->nr, room->nr + 1);
	/* From here on, an interrupt takes the frame above. */
	barrier();
	frame->ret = call->ret;
	frame->func = call->func;
	frame->calltime = call->calltime;
	frame->epoch = call->epoch;
	frame->users = call->users;
	frame->data = room->data;
	/* From here on, an interrupt finds this frame. */
	barrier();
	WRITE_ONCE(frame->retp, call->retp);
}

/**
 * graph_stack_push - await the return of a call
 * @stack: of current
 * @call: as for graph_stack_add()
 * @pushed: set to where it is now
 *
 * Context: as graph_stack_add().
 * Return: false when there is no room.
 */
static __always_inline bool graph_stack_push(struct graph_stack *stack,
					     const struct ftrace_ret_stack *call,
					     struct ftrace_ret_stack **pushed)
{
	struct graph_stack_room room;

	if (unlikely(!graph_stack_has_room(stack, &room)))
		return false;
	graph_stack_add(stack, &room, call);
	*pushed = room.frame;
	return true;
}

void graph_stack_drop_data(struct graph_stack *stack, u32 to);

/* Do users have data of the innermost call, @frame? */
static __always_inline bool graph_stack_has_data(const struct graph_stack *stack,
						 const struct ftrace_ret_stack *frame)
{
	return unlikely(frame->data != stack->data);
}

/* The innermost call, @frame, has returned.  It is number @nr, and has no data. */
static __always_inline void graph_stack_drop_frame(struct graph_stack *stack,
						   struct ftrace_ret_stack *frame, u32 nr)
{
	WRITE_ONCE(frame->retp, NULL);
	barrier();
	/* A plain store is enough: an interrupt that changes nr restores it before it returns. */
	WRITE_ONCE(stack->nr, nr);
	barrier();
}

/**
 * graph_stack_pop_frame - a call has returned
 * @stack: of current
 * @frame: the innermost
 *
 * Context: as graph_stack_add().
 */
static __always_inline void graph_stack_pop_frame(struct graph_stack *stack,
						  struct ftrace_ret_stack *frame)
{
	if (graph_stack_has_data(stack, frame))
		graph_stack_drop_data(stack, frame->data);
	graph_stack_drop_frame(stack, frame, stack->nr - 1);
}

/* As graph_stack_pop_frame(), for a caller that does not know the frame. */
static __always_inline void graph_stack_pop(struct graph_stack *stack)
{
	graph_stack_pop_frame(stack, &stack->frames[stack->nr - 1]);
}

void *graph_stack_reserve(struct graph_stack *stack, int user, int size);
void graph_stack_unreserve(struct graph_stack *stack, void *reserved);
void *graph_stack_retrieve(struct graph_stack *stack, int user, int *size);
void *graph_stack_next_data(struct graph_stack *stack, int user, const void *found, u32 end,
			    int *size);
unsigned long graph_stack_real(const struct graph_stack *stack, const unsigned long *retp,
			       unsigned long handler, u32 *below);
struct ftrace_ret_stack *graph_stack_find(struct graph_stack *stack, const unsigned long *retp);

#endif /* _TRACE_GRAPH_STACK_H */
