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
 * @room: bytes from here to what follows
 * @at: offset of this in the stack, anything else while it is being filled in
 *
 * Until it is filled in, this memory is zero or has a word of a popped frame. Such a word cannot
 * have its own offset in the place of @at: the upper 16 bits of a kernel address are ones, those
 * of a time count units of three days, and the offset of a frame's data is greater than that of
 * the frame itself.
 */
struct graph_data {
	u16	user;
	u16	size;
	u16	room;
	u16	at;
};

static_assert(sizeof(struct graph_data) == sizeof(u64));

/*
 * Make room for @size bytes of @user's data of the innermost call. @size is at least 1 and at
 * most the size of a stack. Return NULL if there is no room. Context: as graph_stack_push().
 */
static __always_inline void *graph_data_reserve(struct graph_stack *stack, int user, u32 size)
{
	u32 room = sizeof(struct graph_data) + round_up(size, sizeof(u64));
	struct graph_data *data = (void *)stack + stack->data - room;

	if (unlikely((void *)data < (void *)&stack->frames[stack->nr]))
		return NULL;
	WRITE_ONCE(stack->data, stack->data - room);
	/* From here on, an interrupt has its data below. */
	barrier();
	data->user = user;
	data->size = size;
	data->room = room;
	/* From here on, an interrupt finds these data. */
	barrier();
	WRITE_ONCE(data->at, (void *)data - (void *)stack);
	return data + 1;
}

static __always_inline bool graph_data_is_whole(const struct graph_stack *stack,
						const struct graph_data *data)
{
	return READ_ONCE(data->at) == (void *)data - (void *)stack;
}

/*
 * The next data of @user at @data or behind it, before the offset @end; NULL: there are none.
 * They end at data that are just being reserved by who was interrupted.
 */
static __always_inline struct graph_data *
graph_data_find(struct graph_stack *stack, int user, struct graph_data *data, u32 end)
{
	while ((void *)data < (void *)stack + end && graph_data_is_whole(stack, data)) {
		if (data->user == user)
			return data;
		data = (void *)data + data->room;
	}
	return NULL;
}

/* The data of the innermost call that were reserved last; there are some. */
static __always_inline struct graph_data *graph_data_first(struct graph_stack *stack)
{
	return (void *)stack + stack->data;
}

/* The end of the data at @found, which graph_data_reserve() has returned. */
static __always_inline struct graph_data *graph_data_behind(const void *found)
{
	const struct graph_data *data = found - sizeof(*data);

	return (void *)data + data->room;
}

#endif /* _TRACE_GRAPH_DATA_H */
