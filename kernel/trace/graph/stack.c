// SPDX-License-Identifier: GPL-2.0
/*
 * Shadow stacks: what is not done at each call. stack.h says how they are laid out, and
 * what an interrupt may find.
 */
#include <linux/bitmap.h>
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "graph/data.h"

/* The frames that another CPU or an interrupted push lets us see. */
static u32 stack_frames(const struct graph_stack *stack)
{
	return min_t(u32, READ_ONCE(stack->nr), GRAPH_FRAMES);
}

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

	/* Frames will lie here, which are found by what is not 0. Mostly it is three words. */
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
static unsigned long find_real(const struct graph_stack *stack, u32 nr,
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

/**
 * graph_stack_real - where does a hooked call return to?
 * @stack: a stack; not that of a task that runs on another CPU, whose answer is a guess
 * @retp: where the return address was
 * @handler: what stands there instead
 * @below: 0 before the first question; frames are looked for from where the answer before
 *	was found, outwards, and only then among all
 *
 * One that was called by a jump at the end of another has that one's return address,
 * which was @handler already: the outer of the two knows the real one. If rethook has
 * hooked the call in between, each has an answer, and they are asked for in turn.
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
		ret = find_real(stack, min_t(u32, *below, nr), retp, handler, below);
	return ret ?: find_real(stack, nr, retp, handler, below);
}

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

/* Which frames are those of calls that were left without a return? */
static unsigned int find_dead(const struct graph_stack *stack, const void *from, const void *to,
			      bool (*is_handler)(unsigned long ret), unsigned long *dead)
{
	const struct ftrace_ret_stack *frame, *next = NULL;
	const void *top = NULL;
	unsigned int nr = 0;
	bool shared = false;
	u32 i;

	for (i = stack->nr; i; i--, next = frame) {
		const void *at;

		frame = &stack->frames[i - 1];
		at = frame->retp;
		if (at < from || at >= to)
			continue;
		if (!top || at > top || (at == top && shared)) {
			top = at;
			shared = is_handler(frame->ret);
		} else if (next->data == frame->data && frame->users) {
			/* It has no data, and is not an fprobe's own. */
			__set_bit(i - 1, dead);
			nr++;
		}
	}
	return nr;
}

/**
 * graph_stack_drop_dead - drop calls that were left without a return
 * @stack: of current
 * @from: a part of memory in which the return addresses of
 * @to:	  inner calls stand below those of outer ones
 * @is_handler: is this what a hook lets a call return to, of graph/ or of somebody else?
 *
 * A stack may be left by setting the stack pointer, as a task does that dies of an oops. The
 * frames of the calls that it was in stay here until there is no room. A frame is dead then if
 * a later one on the same stack has its return address at the same place or further out. Two
 * frames at the same place are both alive if the inner one has found the address of a handler
 * there: it was called by a jump, or somebody else has hooked the call after graph/, and graph/
 * again after that. A frame with data stays, and so does one without users, since the fprobe
 * whose own it is counts the calls that it awaits.
 *
 * Context: task, interrupts off, not within a callback, which knows frames by their
 * addresses. An unwinder in an NMI may miss a frame while it is moved, and finds each that
 * it finds whole.
 * Return: how many.
 */
unsigned int graph_stack_drop_dead(struct graph_stack *stack, const void *from, const void *to,
				   bool (*is_handler)(unsigned long ret))
{
	DECLARE_BITMAP(dead, GRAPH_FRAMES) = { };
	unsigned int nr = find_dead(stack, from, to, is_handler, dead);
	u32 i, n = 0;

	for (i = 0; nr && i < stack->nr; i++) {
		struct ftrace_ret_stack *old = &stack->frames[i], *new = &stack->frames[n];
		unsigned long *retp = old->retp;

		if (test_bit(i, dead)) {
			WRITE_ONCE(old->retp, NULL);
			continue;
		}
		if (n++ == i)
			continue;
		WRITE_ONCE(old->retp, NULL);
		barrier();
		*new = *old;
		barrier();
		WRITE_ONCE(new->retp, retp);
	}
	barrier();
	WRITE_ONCE(stack->nr, stack->nr - nr);
	return nr;
}
