/* SPDX-License-Identifier: GPL-2.0 */
/*
 * graph/stack.h: frames are pushed on a task's shadow stack, and popped. frames.h tells how, and
 * why an interrupt in between does no harm.
 */
#ifndef _TRACE_GRAPH_STACK_H
#define _TRACE_GRAPH_STACK_H

#include "graph/frames.h"

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
	unsigned long		nr;
	unsigned long		data;
};

/* Fill in @room.  False if the stack is full. */
static __always_inline bool graph_stack_has_room(struct graph_stack *stack,
						 struct graph_stack_room *room)
{
	room->nr = stack->nr;
	room->data = stack->data;
	/* The compiler would extend it from 16 bits a second time. */
	OPTIMIZER_HIDE_VAR(room->data);
	room->frame = graph_stack_next(stack, room->nr);
	return likely((void *)(room->frame + 1) <= (void *)stack + room->data);
}

/**
 * graph_stack_open - take the room for a frame
 * @stack: of current
 * @room: from graph_stack_has_room()
 *
 * From here on, an interrupt takes the frame above. graph_stack_show() has to follow.
 *
 * Context: any, NMI included; not to be preempted.
 * Return: the frame, to be filled in.
 */
static __always_inline struct ftrace_ret_stack *
graph_stack_open(struct graph_stack *stack, const struct graph_stack_room *room)
{
	WRITE_ONCE(stack->nr, room->nr + 1);
	barrier();
	return room->frame;
}

/* @frame has all but @retp, which is not NULL. From here on, an interrupt finds the frame. */
static __always_inline void graph_stack_show(struct ftrace_ret_stack *frame, unsigned long *retp)
{
	barrier();
	WRITE_ONCE(frame->retp, retp);
}

/* Await the return of a call, for which there is room. @call: its frame, but for its data. */
static __always_inline void graph_stack_add(struct graph_stack *stack,
					    const struct graph_stack_room *room,
					    const struct ftrace_ret_stack *call)
{
	struct ftrace_ret_stack *frame = graph_stack_open(stack, room);

	frame->ret = call->ret;
	frame->func = call->func;
	frame->calltime = call->calltime;
	frame->epoch = call->epoch;
	frame->users = call->users;
	frame->data = room->data;
	graph_stack_show(frame, call->retp);
}

/**
 * graph_stack_push - await the return of a call
 * @stack: of current
 * @call: the frame, but for its data; its retp is not NULL
 * @pushed: set to where it is now
 *
 * Context: as graph_stack_open().
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

/* From here on, an interrupt does not find the frame. */
static __always_inline void graph_stack_hide(struct ftrace_ret_stack *frame)
{
	WRITE_ONCE(frame->retp, NULL);
	barrier();
}

/* The innermost call, @frame, has returned.  It is number @nr, and has no data. */
static __always_inline void graph_stack_drop_frame(struct graph_stack *stack,
						   struct ftrace_ret_stack *frame, u32 nr)
{
	graph_stack_hide(frame);
	/* A plain store is enough: an interrupt that changes nr restores it before it returns. */
	WRITE_ONCE(stack->nr, nr);
	barrier();
}

/* As graph_stack_drop_frame(), for a caller that has not loaded the number of frames. */
static __always_inline void graph_stack_drop_last(struct graph_stack *stack,
						  struct ftrace_ret_stack *frame)
{
	graph_stack_hide(frame);
	/* One instruction on x86. An interrupt in the midst of several finds nr as it was. */
	data_race(stack->nr--);
	barrier();
}

/**
 * graph_stack_pop_frame - a call has returned
 * @stack: of current
 * @frame: the innermost
 *
 * Context: as graph_stack_open().
 */
static __always_inline void graph_stack_pop_frame(struct graph_stack *stack,
						  struct ftrace_ret_stack *frame)
{
	if (graph_stack_has_data(stack, frame))
		graph_stack_drop_data(stack, frame->data);
	graph_stack_drop_last(stack, frame);
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
