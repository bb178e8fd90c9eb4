// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: calls that are left without a return. A function goes on in which hooked ones were
 * called, by setting the registers back, as bpf_throw() does.
 */
#include <kunit/test.h>

#include <linux/fprobe.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>

#include "graph/internal.h"
#include "graph/tests/left.h"
#include "graph/tests/targets.h"
#include "graph/tests/watch.h"

static unsigned long left_words[LEFT_WORDS];

static long left_innermost(void *arg)
{
	graph_left_jump(left_words);
	/* It does not return, but objtool knows such functions by its own list only. */
	return 0;
}

static long left_inner(void *arg)
{
	return graph_target_call(left_innermost, arg);
}

/* Calls a hooked function that calls another one, and is back when both are left. */
static long left_outer(void *arg)
{
	if (graph_left_set(left_words))
		return 40;
	return graph_target_call(left_inner, arg);
}

/* The function around them is hooked, too. Its return is told, and hooks go on. */
static void test_around(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_call, NULL);
	unsigned int i;

	graph_watch_begin(test, watch);
	for (i = 0; i < 2 * GRAPH_FRAMES; i++) {
		watch->nr = 0;
		KUNIT_EXPECT_EQ(test, 41, graph_target_call(left_outer, NULL));
		KUNIT_ASSERT_EQ(test, 4, watch->nr);
		graph_watch_expect(test, watch, 0, graph_target_call, false, 0);
		graph_watch_expect(test, watch, 1, graph_target_call, false, 1);
		graph_watch_expect(test, watch, 2, graph_target_call, false, 2);
		graph_watch_expect(test, watch, 3, graph_target_call, true, 0);
		KUNIT_ASSERT_EQ(test, 0, current->graph_stack->nr);
	}
	KUNIT_EXPECT_EQ(test, 4 * GRAPH_FRAMES, fgraph_missed(&watch->gops, FGRAPH_MISS_LEFT));
	KUNIT_EXPECT_EQ(test, 0, fgraph_missed(&watch->gops, FGRAPH_MISS_FULL));
	KUNIT_EXPECT_FALSE(test, ftrace_graph_is_dead());
}

/* Expect that all of @calls were told, but for those that found the stack full. */
static void expect_told(struct kunit *test, struct graph_watch *watch, unsigned int calls)
{
	const unsigned long full = fgraph_missed(&watch->gops, FGRAPH_MISS_FULL);

	KUNIT_EXPECT_EQ(test, calls, watch->nr + full);
	/*
	 * An entry drops only frames that are not of its own callers. So the inner call may find
	 * no room when the outer call has taken the last frame, once each time the stack fills.
	 */
	KUNIT_EXPECT_LE(test, full, calls / GRAPH_FRAMES);
}

/* Nothing around them is hooked. Their frames make room for others. */
static void test_alone(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_call, NULL);
	unsigned int i;

	graph_watch_begin(test, watch);
	for (i = 0; i < 2 * GRAPH_FRAMES; i++)
		KUNIT_EXPECT_EQ(test, 40, left_outer(NULL));
	expect_told(test, watch, 4 * GRAPH_FRAMES);
	KUNIT_EXPECT_EQ(test, 41, graph_target_call(left_outer, NULL));
	expect_told(test, watch, 4 * GRAPH_FRAMES + 4);
	KUNIT_EXPECT_FALSE(test, ftrace_graph_is_dead());
}

#ifdef CONFIG_FPROBE
static void left_exit(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
		      struct pt_regs *regs, void *data)
{
}

static void left_probe(struct kunit *test, struct fprobe *fp, size_t size)
{
	unsigned int i;

	*fp = (struct fprobe) {
		.exit_handler = left_exit, .nr_maxactive = 3, .entry_data_size = size,
	};
	KUNIT_ASSERT_EQ(test, 0, register_fprobe(fp, "graph_target_call", NULL));
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, 41, graph_target_call(left_outer, NULL));
	KUNIT_EXPECT_EQ(test, 20, fprobe_missed(fp, FGRAPH_MISS_LEFT));
	KUNIT_EXPECT_EQ(test, 20, fp->nmissed);
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(fp));
}

/* An fprobe does not await them any more either. */
static void test_probe(struct kunit *test)
{
	static struct fprobe fp;

	left_probe(test, &fp, 0);
	left_probe(test, &fp, 8);
}
#else
static void test_probe(struct kunit *test)
{
	kunit_skip(test, "there are no fprobes");
}
#endif

#ifdef CONFIG_KRETPROBE_ON_RETHOOK
static long left_nothing(void *arg)
{
	return 0;
}

static struct kretprobe left_kretprobe;
static unsigned int left_returns;

static int left_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	left_returns++;
	return 0;
}

static void left_kretprobe_begin(struct kunit *test)
{
	left_kretprobe = (struct kretprobe) {
		.kp.symbol_name = "graph_target_call", .handler = left_return, .maxactive = 3,
	};
	left_returns = 0;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&left_kretprobe));
}

/* Each call was seen, no return was told but @returns, and no node has stayed. */
static void left_kretprobe_end(struct kunit *test, unsigned int returns)
{
	KUNIT_EXPECT_PTR_EQ(test, NULL, current->rethooks.first);
	KUNIT_EXPECT_EQ(test, returns, left_returns);
	KUNIT_EXPECT_EQ(test, 0, left_kretprobe.nmissed);
	unregister_kretprobe(&left_kretprobe);
}

/* A return around them goes where its own call came from, and puts back the nodes of them. */
static void test_kretprobe_around(struct kunit *test)
{
	unsigned int i;

	left_kretprobe_begin(test);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, 41, graph_target_call(left_outer, NULL));
	left_kretprobe_end(test, 10);
}

/* The next entry puts them back, but for one that may have interrupted another. */
static void test_kretprobe_alone(struct kunit *test)
{
	unsigned int i;
	long left;

	left_kretprobe_begin(test);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, 40, left_outer(NULL));
	KUNIT_EXPECT_EQ(test, 41, graph_target_call(left_outer, NULL));
	local_irq_disable();
	left = left_outer(NULL);
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, 40, left);
	KUNIT_EXPECT_PTR_NE(test, NULL, current->rethooks.first);
	KUNIT_EXPECT_EQ(test, 1, graph_target_call(left_nothing, NULL));
	left_kretprobe_end(test, 2);
}
#else
static void test_kretprobe_around(struct kunit *test)
{
	kunit_skip(test, "kretprobes do not stand on rethook");
}

static void test_kretprobe_alone(struct kunit *test)
{
	kunit_skip(test, "kretprobes do not stand on rethook");
}
#endif

static struct kunit_case left_cases[] = {
	KUNIT_CASE(test_around),
	KUNIT_CASE(test_alone),
	KUNIT_CASE(test_probe),
	KUNIT_CASE(test_kretprobe_around),
	KUNIT_CASE(test_kretprobe_alone),
	{}
};

static struct kunit_suite left_suite = {
	.name = "ftrace_graph_left",
	.init = graph_watch_init,
	.test_cases = left_cases,
};

kunit_test_suite(left_suite);
