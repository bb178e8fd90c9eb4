/* SPDX-License-Identifier: GPL-2.0 */
/*
 * graph/ inside: the users' data of calls, as they lie in a shadow stack; see stack.h. Here
 * are the steps that fprobe_call.c makes at each call; stack.c has the functions that check.
 */
#ifndef _TRACE_GRAPH_DATA_H
#define _TRACE_GRAPH_DATA_H

#include "graph/stack.h"

/**
 * struct graph_data - goes before each user's data of a call
 * @user: its number
 * @size: bytes of the data
 * @room: bytes from here to what follows; 0 while it is being filled in
 */
struct graph_data {
	u16	user;
	u16	size;
	u32	room;
};

static_assert(sizeof(struct graph_data) == sizeof(u64));

/*
 * Make room for @size bytes of @user's data of the innermost call, from 1 to what a stack
 * has. NULL: there is none. Context: as graph_stack_push().
 */
static __always_inline void *graph_data_reserve(struct graph_stack *stack, int user, u32 size)
{
	u32 room = sizeof(struct graph_data) + round_up(size, sizeof(u64));
	struct graph_data *data = (void *)stack + stack->data - room;

	if (unlikely((void *)data < (void *)&stack->frames[stack->nr]))
		return NULL;
	WRITE_ONCE(stack->data, stack->data - room);
	/* Who interrupts from here on has its data below. */
	barrier();
	*data = (struct graph_data) { .user = user, .size = size, .room = room };
	return data + 1;
}

/*
 * The next data of @user at @data or behind it, before the offset @end; NULL: there are none.
 * They end at data that are just being reserved by who was interrupted.
 */
static __always_inline struct graph_data *
graph_data_find(struct graph_stack *stack, int user, struct graph_data *data, u32 end)
{
	for (; (void *)data < (void *)stack + end && data->room; data = (void *)data + data->room) {
		if (data->user == user)
			return data;
	}
	return NULL;
}

/* The data of the innermost call that were reserved last; there are some. */
static __always_inline struct graph_data *graph_data_first(struct graph_stack *stack)
{
	return (void *)stack + stack->data;
}

/* What lies behind the data at @found, which graph_data_reserve() has returned. */
static __always_inline struct graph_data *graph_data_behind(const void *found)
{
	const struct graph_data *data = found - sizeof(*data);

	return (void *)data + data->room;
}

#endif /* _TRACE_GRAPH_DATA_H */
