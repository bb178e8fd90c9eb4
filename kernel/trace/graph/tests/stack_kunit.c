// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: shadow stacks, without functions that are hooked.
 */
#include <kunit/test.h>

#include <linux/minmax.h>
#include <linux/string.h>

#include "graph/stack.h"

#define HANDLER	0x1000UL

/* Places of return addresses, as on a stack that grows down: outer calls are above. */
static unsigned long places[GRAPH_FRAMES + 16];

static unsigned long *place(unsigned int depth)
{
	return &places[ARRAY_SIZE(places) - 1 - depth];
}

static struct graph_stack *new_stack(struct kunit *test)
{
	struct graph_stack *stack = kunit_kzalloc(test, GRAPH_STACK_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, stack);
	graph_stack_init(stack);
	return stack;
}

static struct ftrace_ret_stack *push_at(struct graph_stack *stack, unsigned long *retp,
					unsigned long ret)
{
	const struct ftrace_ret_stack call = {
		.ret = ret, .func = ret + 1, .retp = retp, .users = 1
	};
	struct ftrace_ret_stack *frame;

	return graph_stack_push(stack, &call, &frame) ? frame : NULL;
}

static unsigned long real_of(const struct graph_stack *stack, const unsigned long *retp)
{
	u32 below = 0;

	return graph_stack_real(stack, retp, HANDLER, &below);
}

/* No frame that is not there can be found. */
static void expect_clean(struct kunit *test, const struct graph_stack *stack)
{
	u32 i;

	for (i = stack->nr; i < GRAPH_FRAMES; i++) {
		if ((void *)&stack->frames[i + 1] <= (void *)stack + stack->data)
			KUNIT_EXPECT_NULL(test, stack->frames[i].retp);
	}
}

static void test_push_pop(struct kunit *test)
{
	struct graph_stack *stack = new_stack(test);
	struct ftrace_ret_stack *frame;
	unsigned int i, round;

	KUNIT_EXPECT_NULL(test, graph_stack_top(stack));
	for (round = 0; round < 2; round++) {
		for (i = 0; i < GRAPH_FRAMES; i++) {
			frame = push_at(stack, place(i), 0x2000 + i);
			KUNIT_ASSERT_NOT_NULL(test, frame);
			KUNIT_EXPECT_PTR_EQ(test, frame, graph_stack_top(stack));
		}
		KUNIT_EXPECT_NULL(test, push_at(stack, place(i), 0x2000 + i));
		KUNIT_EXPECT_EQ(test, GRAPH_FRAMES, stack->nr);
		while (i--) {
			frame = graph_stack_top(stack);
			KUNIT_EXPECT_PTR_EQ(test, frame->retp, place(i));
			KUNIT_EXPECT_EQ(test, frame->ret, 0x2000 + i);
			graph_stack_pop(stack);
		}
		KUNIT_EXPECT_EQ(test, 0, stack->nr);
		expect_clean(test, stack);
	}
	/* The layout promises this many frames. */
	KUNIT_EXPECT_GE(test, GRAPH_FRAMES, 95);
}

static void test_real(struct kunit *test)
{
	struct graph_stack *stack = new_stack(test);

	push_at(stack, place(0), 0x2000);
	push_at(stack, place(1), 0x2001);
	/* Two more that were called by jumps. */
	push_at(stack, place(1), HANDLER);
	push_at(stack, place(1), HANDLER);
	push_at(stack, place(2), 0x2002);
	KUNIT_EXPECT_EQ(test, 0x2000, real_of(stack, place(0)));
	KUNIT_EXPECT_EQ(test, 0x2001, real_of(stack, place(1)));
	KUNIT_EXPECT_EQ(test, 0x2002, real_of(stack, place(2)));
	KUNIT_EXPECT_EQ(test, 0, real_of(stack, place(3)));
	KUNIT_EXPECT_PTR_EQ(test, &stack->frames[3], graph_stack_find(stack, place(1)));
	KUNIT_EXPECT_NULL(test, graph_stack_find(stack, place(3)));
	graph_stack_pop(stack);
	KUNIT_EXPECT_EQ(test, 0, real_of(stack, place(2)));
	KUNIT_EXPECT_NULL(test, graph_stack_find(stack, place(2)));
}

/* Somebody else has hooked a call in between, so that two frames have an answer. */
static void test_real_in_turn(struct kunit *test)
{
	struct graph_stack *stack = new_stack(test);
	u32 below = 0;

	push_at(stack, place(0), 0x2000);
	push_at(stack, place(1), 0x2001);
	push_at(stack, place(1), 0x3001);
	push_at(stack, place(2), 0x2002);
	KUNIT_EXPECT_EQ(test, 0x2002, graph_stack_real(stack, place(2), HANDLER, &below));
	KUNIT_EXPECT_EQ(test, 0x3001, graph_stack_real(stack, place(1), HANDLER, &below));
	KUNIT_EXPECT_EQ(test, 0x2001, graph_stack_real(stack, place(1), HANDLER, &below));
	KUNIT_EXPECT_EQ(test, 0x2000, graph_stack_real(stack, place(0), HANDLER, &below));
	/* A walk that begins anew finds all addresses again, and a wrong @below finds nothing. */
	KUNIT_EXPECT_EQ(test, 0x2002, graph_stack_real(stack, place(2), HANDLER, &below));
	below = U32_MAX;
	KUNIT_EXPECT_EQ(test, 0x3001, graph_stack_real(stack, place(1), HANDLER, &below));
	KUNIT_EXPECT_EQ(test, 0, graph_stack_real(stack, place(3), HANDLER, &below));
}

/* A frame that is being filled in, over what is left of an old one, is not found. */
static void test_half(struct kunit *test)
{
	struct graph_stack *stack = new_stack(test);

	push_at(stack, place(0), 0x2000);
	push_at(stack, place(1), 0x2001);
	graph_stack_pop(stack);
	/* As push leaves it first. */
	stack->nr++;
	KUNIT_EXPECT_EQ(test, 0, real_of(stack, place(1)));
	KUNIT_EXPECT_EQ(test, 0x2000, real_of(stack, place(0)));
}

static void test_data(struct kunit *test)
{
	struct graph_stack *stack = new_stack(test);
	char *first, *second, *inner;
	int size = 0;

	KUNIT_EXPECT_NULL(test, graph_stack_reserve(stack, 0, 8));
	KUNIT_EXPECT_NULL(test, graph_stack_retrieve(stack, 0, &size));
	push_at(stack, place(0), 0x2000);
	KUNIT_EXPECT_NULL(test, graph_stack_reserve(stack, 0, 0));
	KUNIT_EXPECT_NULL(test, graph_stack_reserve(stack, 0, -8));
	KUNIT_EXPECT_NULL(test, graph_stack_reserve(stack, 0, GRAPH_STACK_SIZE));
	KUNIT_EXPECT_NULL(test, graph_stack_reserve(stack, 0, INT_MAX));
	first = graph_stack_reserve(stack, 0, 5);
	second = graph_stack_reserve(stack, 15, FGRAPH_MAX_DATA_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, first);
	KUNIT_ASSERT_NOT_NULL(test, second);
	KUNIT_EXPECT_TRUE(test, IS_ALIGNED((unsigned long)first, sizeof(u64)));
	memset(first, 0xff, 5);
	memset(second, 0xee, FGRAPH_MAX_DATA_SIZE);
	KUNIT_EXPECT_PTR_EQ(test, first, (char *)graph_stack_retrieve(stack, 0, &size));
	KUNIT_EXPECT_EQ(test, 5, size);
	KUNIT_EXPECT_PTR_EQ(test, second, (char *)graph_stack_retrieve(stack, 15, &size));
	KUNIT_EXPECT_EQ(test, FGRAPH_MAX_DATA_SIZE, size);
	KUNIT_EXPECT_NULL(test, graph_stack_retrieve(stack, 1, &size));

	/* An inner call has data of its own, or none. */
	push_at(stack, place(1), 0x2001);
	KUNIT_EXPECT_NULL(test, graph_stack_retrieve(stack, 0, &size));
	inner = graph_stack_reserve(stack, 0, 16);
	KUNIT_ASSERT_NOT_NULL(test, inner);
	memset(inner, 0xdd, 16);
	KUNIT_EXPECT_PTR_EQ(test, inner, (char *)graph_stack_retrieve(stack, 0, &size));
	KUNIT_EXPECT_EQ(test, 16, size);
	graph_stack_pop(stack);

	KUNIT_EXPECT_PTR_EQ(test, first, (char *)graph_stack_retrieve(stack, 0, &size));
	KUNIT_EXPECT_EQ(test, (char)0xff, first[4]);
	KUNIT_EXPECT_EQ(test, (char)0xee, second[FGRAPH_MAX_DATA_SIZE - 1]);
	graph_stack_pop(stack);
	KUNIT_EXPECT_EQ(test, GRAPH_STACK_SIZE, stack->data);
	/* Frames fit where data were, and are not found before they are pushed. */
	expect_clean(test, stack);
}

/* A user has several data of a call, and may give back those that came last. */
static void test_data_of_one(struct kunit *test)
{
	struct graph_stack *stack = new_stack(test);
	void *outer, *data[3], *found = NULL;
	int size = 0, i;

	push_at(stack, place(0), 0x2000);
	outer = graph_stack_reserve(stack, 15, 24);
	push_at(stack, place(1), 0x2001);
	for (i = 0; i < 3; i++) {
		data[i] = graph_stack_reserve(stack, 15, 8 + i);
		KUNIT_ASSERT_NOT_NULL(test, data[i]);
		KUNIT_ASSERT_NOT_NULL(test, graph_stack_reserve(stack, 1, 8));
	}
	for (i = 2; i >= 0; i--) {
		found = graph_stack_next_data(stack, 15, found, graph_stack_top(stack)->data,
					      &size);
		KUNIT_EXPECT_PTR_EQ(test, data[i], found);
		KUNIT_EXPECT_EQ(test, 8 + i, size);
	}
	KUNIT_EXPECT_NULL(test, graph_stack_next_data(stack, 15, found,
						      graph_stack_top(stack)->data, &size));
	KUNIT_EXPECT_PTR_EQ(test, outer, graph_stack_next_data(stack, 15, found,
							       GRAPH_STACK_SIZE, &size));
	KUNIT_EXPECT_NULL(test, graph_stack_next_data(stack, 15, outer, GRAPH_STACK_SIZE, &size));

	found = graph_stack_reserve(stack, 2, 100);
	KUNIT_ASSERT_NOT_NULL(test, found);
	memset(found, 0xff, 100);
	graph_stack_unreserve(stack, found);
	KUNIT_EXPECT_NULL(test, graph_stack_retrieve(stack, 2, &size));
	KUNIT_EXPECT_PTR_EQ(test, data[2], graph_stack_retrieve(stack, 15, &size));
	graph_stack_pop(stack);
	KUNIT_EXPECT_PTR_EQ(test, outer, graph_stack_retrieve(stack, 15, &size));
	graph_stack_pop(stack);
	expect_clean(test, stack);
}

/*
 * An interrupt may hit a task that has moved the offset of the data but not yet written their
 * header. It finds a part of a popped frame in that place, with any content.
 */
static void test_half_reserved(struct kunit *test)
{
	struct graph_stack *stack = new_stack(test);
	struct ftrace_ret_stack call = {
		.ret = 0x2000, .retp = place(0), .users = 1,
		/* Of user 1, 8 bytes of data, 16 with this. */
		.calltime = 1 | 8 << 16 | 16ULL << 32,
	};
	struct ftrace_ret_stack *frame;
	int size;

	KUNIT_ASSERT_TRUE(test, graph_stack_push(stack, &call, &frame));
	graph_stack_pop(stack);
	stack->data = (void *)&frame->calltime - (void *)stack;
	KUNIT_EXPECT_NULL(test, graph_stack_next_data(stack, 1, NULL, GRAPH_STACK_SIZE, &size));
}

/* Frames and data do not overlap, whichever takes the last room. */
static void test_room(struct kunit *test)
{
	const unsigned int room = GRAPH_STACK_SIZE - sizeof(struct graph_stack);
	struct graph_stack *stack = new_stack(test);
	unsigned int calls = 0;
	int size;

	while (push_at(stack, place(calls), 0x2000 + calls)) {
		void *data = graph_stack_reserve(stack, 0, 8);

		calls++;
		KUNIT_ASSERT_LE(test, (unsigned long)&stack->frames[stack->nr],
				(unsigned long)stack + stack->data);
		if (data)
			memset(data, 0xff, 8);
	}
	/* 40 bytes of a frame and 16 of data. The remaining bytes may hold one more frame. */
	KUNIT_EXPECT_EQ(test, calls, room / 56 + (room % 56 >= 40));
	while (calls--) {
		KUNIT_EXPECT_EQ(test, graph_stack_top(stack)->ret, 0x2000 + calls);
		KUNIT_EXPECT_EQ(test, !!graph_stack_retrieve(stack, 0, &size), calls < room / 56);
		graph_stack_pop(stack);
	}
	expect_clean(test, stack);
}

static struct kunit_case graph_stack_cases[] = {
	KUNIT_CASE(test_push_pop),
	KUNIT_CASE(test_real),
	KUNIT_CASE(test_real_in_turn),
	KUNIT_CASE(test_half),
	KUNIT_CASE(test_data),
	KUNIT_CASE(test_data_of_one),
	KUNIT_CASE(test_half_reserved),
	KUNIT_CASE(test_room),
	{}
};

static struct kunit_suite graph_stack_suite = {
	.name = "ftrace_graph_stack",
	.test_cases = graph_stack_cases,
};

kunit_test_suite(graph_stack_suite);
