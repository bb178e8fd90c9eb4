// SPDX-License-Identifier: GPL-2.0
/*
 * Shadow stacks: the rare operations. stack.h says how they are laid out, and what an interrupt
 * may find.
 */
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "graph/data.h"

/* The frames that another CPU or an interrupted push lets us see. */
static u32 stack_frames(const struct graph_stack *stack)
{
	return min_t(u32, READ_ONCE(stack->nr), GRAPH_FRAMES);
}

NOKPROBE_SYMBOL(stack_frames);

/**
 * graph_stack_drop_data - let go data of the innermost call, those reserved last
 * @stack: of current
 * @to: offset of the data that stay, or of what is around this call
 *
 * Context: as graph_stack_push().
 */
void graph_stack_drop_data(struct graph_stack *stack, u32 to)
{
	u64 *word = (void *)stack + stack->data, *end = (void *)stack + to;

	/*
	 * Clear the words, as frames will lie here, and retp tells by not being 0 that there is
	 * one. Mostly there are three words.
	 */
	while (word < end)
		WRITE_ONCE(*word++, 0);
	barrier();
	WRITE_ONCE(stack->data, to);
}

/**
 * graph_stack_reserve - make room for a user's data of the innermost call
 * @stack: of current, with a frame
 * @user: its number
 * @size: how many bytes
 *
 * Context: as graph_stack_push().
 * Return: the room, or NULL when there is none, or @size is not one that can be.
 */
void *graph_stack_reserve(struct graph_stack *stack, int user, int size)
{
	if (!stack->nr || size <= 0 || size > GRAPH_STACK_SIZE)
		return NULL;
	return graph_data_reserve(stack, user, size);
}

/**
 * graph_stack_unreserve - give back the data of the innermost call that were reserved last
 * @stack: of current
 * @reserved: what graph_stack_reserve() has returned
 *
 * Context: as graph_stack_push().
 */
void graph_stack_unreserve(struct graph_stack *stack, void *reserved)
{
	const struct graph_data *data = reserved - sizeof(*data);

	graph_stack_drop_data(stack, stack->data + data->room);
}

/**
 * graph_stack_next_data - find a user's data, those reserved last first
 * @stack: of current, or of a task that is no more
 * @user: its number
 * @found: the data before; NULL: begin with those of the innermost call
 * @end: offset where the data end that are asked for: the innermost frame's data, or
 *	GRAPH_STACK_SIZE for those of all calls
 * @size: is set to how many bytes it has
 *
 * Context: as graph_stack_push().
 * Return: the data, or NULL.
 */
void *graph_stack_next_data(struct graph_stack *stack, int user, const void *found, u32 end,
			    int *size)
{
	struct graph_data *data = found ? graph_data_behind(found) : graph_data_first(stack);

	data = graph_data_find(stack, user, data, end);
	if (!data)
		return NULL;
	*size = data->size;
	return data + 1;
}

/**
 * graph_stack_retrieve - find a user's data of the innermost call
 * @stack: of current
 * @user: its number
 * @size: is set to how many bytes it has
 *
 * Context: as graph_stack_push().
 * Return: the data that were reserved last, or NULL.
 */
void *graph_stack_retrieve(struct graph_stack *stack, int user, int *size)
{
	const struct ftrace_ret_stack *frame = graph_stack_top(stack);

	return frame ? graph_stack_next_data(stack, user, NULL, frame->data, size) : NULL;
}

/* The real address of the innermost of the first @nr frames that knows it; @at: which. */
static unsigned long stack_find_real(const struct graph_stack *stack, u32 nr,
				     const unsigned long *retp, unsigned long handler, u32 *at)
{
	const struct ftrace_ret_stack *frame;
	unsigned long ret;

	while (nr--) {
		frame = &stack->frames[nr];
		if (READ_ONCE(frame->retp) != retp)
			continue;
		ret = READ_ONCE(frame->ret);
		if (ret == handler)
			continue;
		*at = nr;
		return ret;
	}
	return 0;
}

NOKPROBE_SYMBOL(stack_find_real);

/**
 * graph_stack_real - where does a hooked call return to?
 * @stack: a stack; not that of a task that runs on another CPU, whose answer is a guess
 * @retp: where the return address was
 * @handler: what stands there instead
 * @below: 0 before the first question; frames are looked for from where the answer before
 *	was found, outwards, and only then among all
 *
 * A function that was called by a jump at the end of another has that function's return
 * address, which was @handler already: the outer of the two frames knows the real one. If
 * rethook has hooked the call in between, each has an answer, and they are asked for in turn.
 *
 * Context: any.
 * Return: the address, or 0: no call is hooked there.
 */
unsigned long graph_stack_real(const struct graph_stack *stack, const unsigned long *retp,
			       unsigned long handler, u32 *below)
{
	u32 nr = stack_frames(stack);
	unsigned long ret = 0;

	if (*below)
		ret = stack_find_real(stack, min_t(u32, *below, nr), retp, handler, below);
	return ret ?: stack_find_real(stack, nr, retp, handler, below);
}

NOKPROBE_SYMBOL(graph_stack_real);

/**
 * graph_stack_find - find a call by the place of its return address
 * @stack: of current
 * @retp: the place
 *
 * Context: as graph_stack_push().
 * Return: the innermost call with it, or NULL.
 */
struct ftrace_ret_stack *graph_stack_find(struct graph_stack *stack, const unsigned long *retp)
{
	u32 i;

	for (i = stack_frames(stack); i; i--) {
		if (stack->frames[i - 1].retp == retp)
			return &stack->frames[i - 1];
	}
	return NULL;
}
