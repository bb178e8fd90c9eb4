// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: entries and returns of functions, as users are told of them.
 */
#include <kunit/test.h>

#include <linux/irq_work.h>
#include <linux/kprobes.h>

#include "graph/graph.h"
#include "graph/internal.h"
#include "graph/tests/targets.h"
#include "graph/tests/watch.h"
#include "hooks/hooks.h"

static void test_returns(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_add, graph_target_pair,
						      NULL);
	struct graph_pair pair;

	graph_watch_begin(test, watch);
	KUNIT_EXPECT_EQ(test, 43, graph_target_add(42));
	pair = graph_target_pair(10, 20);
	KUNIT_EXPECT_EQ(test, 11, pair.low);
	KUNIT_EXPECT_EQ(test, 21, pair.high);
	graph_watch_end(watch);
	KUNIT_EXPECT_EQ(test, 2, graph_target_add(1));
	KUNIT_ASSERT_EQ(test, 4, watch->nr);
	graph_watch_expect(test, watch, 0, graph_target_add, false, 0);
	graph_watch_expect(test, watch, 1, graph_target_add, true, 0);
	graph_watch_expect(test, watch, 2, graph_target_pair, false, 0);
	graph_watch_expect(test, watch, 3, graph_target_pair, true, 0);
	KUNIT_EXPECT_EQ(test, 43, watch->events[1].retval);
	KUNIT_EXPECT_EQ(test, 11, watch->events[3].retval);
	KUNIT_EXPECT_GE(test, watch->events[1].took, 0);
	KUNIT_EXPECT_EQ(test, 0, current->graph_stack->nr);
}

/* The shape of calls, with or without a jump at the end of one. */
static void test_nested(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_add, graph_target_nested,
						      graph_target_jump, NULL);

	graph_watch_begin(test, watch);
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	KUNIT_EXPECT_EQ(test, 42, graph_target_jump(40));
	graph_watch_end(watch);
	KUNIT_ASSERT_EQ(test, 8, watch->nr);
	graph_watch_expect(test, watch, 0, graph_target_nested, false, 0);
	graph_watch_expect(test, watch, 1, graph_target_add, false, 1);
	graph_watch_expect(test, watch, 2, graph_target_add, true, 1);
	graph_watch_expect(test, watch, 3, graph_target_nested, true, 0);
	graph_watch_expect(test, watch, 4, graph_target_jump, false, 0);
	graph_watch_expect(test, watch, 5, graph_target_add, false, 1);
	graph_watch_expect(test, watch, 6, graph_target_add, true, 1);
	graph_watch_expect(test, watch, 7, graph_target_jump, true, 0);
}

static void test_recursion(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_recurse, NULL);
	unsigned int i;

	graph_watch_begin(test, watch);
	KUNIT_EXPECT_EQ(test, 60, graph_target_recurse(59));
	graph_watch_end(watch);
	KUNIT_ASSERT_EQ(test, 120, watch->nr);
	for (i = 0; i < 60; i++) {
		graph_watch_expect(test, watch, i, graph_target_recurse, false, i);
		graph_watch_expect(test, watch, 60 + i, graph_target_recurse, true, 59 - i);
		KUNIT_EXPECT_EQ(test, i + 1, watch->events[60 + i].retval);
	}
	KUNIT_EXPECT_EQ(test, 0, fgraph_missed(&watch->gops, FGRAPH_MISS_FULL));
}

/* Calls that do not fit on the stack are counted, and the others are recorded. */
static void test_full(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_recurse, NULL);
	const unsigned int calls = GRAPH_FRAMES + 20;
	u32 overrun;

	graph_watch_begin(test, watch);
	KUNIT_EXPECT_EQ(test, 1, graph_target_recurse(0));
	overrun = watch->events[1].overrun;
	KUNIT_EXPECT_EQ(test, calls, graph_target_recurse(calls - 1));
	KUNIT_EXPECT_EQ(test, 1, graph_target_recurse(0));
	graph_watch_end(watch);
	KUNIT_ASSERT_EQ(test, 2 + 2 * GRAPH_FRAMES + 2, watch->nr);
	KUNIT_EXPECT_EQ(test, 20, fgraph_missed(&watch->gops, FGRAPH_MISS_FULL));
	KUNIT_EXPECT_EQ(test, overrun + 20, watch->events[watch->nr - 1].overrun);
	graph_watch_expect(test, watch, 1 + GRAPH_FRAMES, graph_target_recurse, false,
			   GRAPH_FRAMES - 1);
	graph_watch_expect(test, watch, 2 + GRAPH_FRAMES, graph_target_recurse, true,
			   GRAPH_FRAMES - 1);
	graph_watch_expect(test, watch, watch->nr - 1, graph_target_recurse, true, 0);
}

static bool decline(struct graph_watch *watch, struct ftrace_graph_ent *trace)
{
	return trace->func != (unsigned long)watch->data;
}

/* Each user has its own functions, and says which returns it wants. */
static void test_users(struct kunit *test)
{
	struct graph_watch *nested = graph_watch_alloc(test, graph_target_nested,
						       graph_target_add, NULL);
	struct graph_watch *add = graph_watch_alloc(test, graph_target_add, graph_target_jump,
						    NULL);

	nested->entry = decline;
	graph_watch_begin(test, nested);
	graph_watch_begin(test, add);
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	KUNIT_EXPECT_EQ(test, 4, nested->nr);
	KUNIT_ASSERT_EQ(test, 2, add->nr);
	/* They share a frame. */
	graph_watch_expect(test, nested, 1, graph_target_add, false, 1);
	graph_watch_expect(test, add, 0, graph_target_add, false, 1);
	graph_watch_expect(test, add, 1, graph_target_add, true, 1);

	/* One of the two does not want the return: the first, then the second. */
	nested->data = (void *)graph_watch_site(graph_target_add);
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	KUNIT_EXPECT_EQ(test, 7, nested->nr);
	KUNIT_EXPECT_EQ(test, 4, add->nr);
	nested->data = NULL;
	add->entry = decline;
	add->data = (void *)graph_watch_site(graph_target_add);
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	KUNIT_EXPECT_EQ(test, 11, nested->nr);
	KUNIT_EXPECT_EQ(test, 5, add->nr);
	/* Neither of them. */
	nested->data = add->data;
	KUNIT_EXPECT_EQ(test, 42, graph_target_add(41));
	KUNIT_EXPECT_EQ(test, 12, nested->nr);
	KUNIT_EXPECT_EQ(test, 6, add->nr);

	/* A function of one calls, perhaps by a jump, a function of both. */
	nested->data = NULL;
	add->data = NULL;
	KUNIT_EXPECT_EQ(test, 42, graph_target_jump(40));
	KUNIT_EXPECT_EQ(test, 14, nested->nr);
	KUNIT_ASSERT_EQ(test, 10, add->nr);
	graph_watch_expect(test, nested, 12, graph_target_add, false, 1);
	graph_watch_expect(test, add, 7, graph_target_add, false, 1);
	graph_watch_expect(test, add, 8, graph_target_add, true, 1);
	graph_watch_expect(test, add, 9, graph_target_jump, true, 0);

	/* The functions of one change, and it goes, under the other. */
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&nested->gops.ops,
						      (unsigned long)graph_target_add, 1, 0));
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	KUNIT_EXPECT_EQ(test, 16, nested->nr);
	KUNIT_EXPECT_EQ(test, 12, add->nr);
	graph_watch_end(nested);
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	KUNIT_EXPECT_EQ(test, 16, nested->nr);
	KUNIT_EXPECT_EQ(test, 14, add->nr);
}

/* Reserves data, and does not want the return. */
static bool reserve_and_decline(struct graph_watch *watch, struct ftrace_graph_ent *trace)
{
	*(bool *)watch->data = fgraph_reserve_data(watch->gops.idx, 100);
	return false;
}

/* Data of a user that does not want the return are gone, whoever else wants it. */
static void test_decline_data(struct kunit *test)
{
	struct graph_watch *declines = graph_watch_alloc(test, graph_target_recurse, NULL);
	struct graph_watch *wants[2];
	bool reserved = false;

	declines->entry = reserve_and_decline;
	declines->data = &reserved;
	for (unsigned int i = 0; i < ARRAY_SIZE(wants); i++)
		wants[i] = graph_watch_alloc(test, graph_target_recurse, NULL);
	/*
	 * The user that is called first has made the frame before the user that declines is
	 * called.
	 */
	graph_watch_begin(test, wants[0]);
	graph_watch_begin(test, declines);
	graph_watch_begin(test, wants[1]);
	/* There would be no room for as many data. */
	KUNIT_EXPECT_EQ(test, GRAPH_FRAMES - 3, graph_target_recurse(GRAPH_FRAMES - 4));
	KUNIT_EXPECT_TRUE(test, reserved);
	for (unsigned int i = 0; i < ARRAY_SIZE(wants); i++)
		KUNIT_EXPECT_EQ(test, 0, fgraph_missed(&wants[i]->gops, FGRAPH_MISS_FULL));
	KUNIT_EXPECT_EQ(test, 0, fgraph_missed(&declines->gops, FGRAPH_MISS_FULL));
}

static void test_notrace(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_nested,
						      graph_target_add, NULL);
	unsigned char name[] = "graph_target_add";

	KUNIT_ASSERT_EQ(test, 0, ftrace_set_notrace(&watch->gops.ops, name, strlen(name), 0));
	graph_watch_begin(test, watch);
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	KUNIT_ASSERT_EQ(test, 2, watch->nr);
	graph_watch_expect(test, watch, 0, graph_target_nested, false, 0);
	graph_watch_expect(test, watch, 1, graph_target_nested, true, 0);
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_notrace(&watch->gops.ops, NULL, 0, 1));
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	KUNIT_EXPECT_EQ(test, 6, watch->nr);
}

/* Keeps the depth beside what data points to: for two users, with different sizes. */
static bool data_entry(struct graph_watch *watch, struct ftrace_graph_ent *trace)
{
	int size = (long)watch->data, at;
	u8 *data = fgraph_reserve_data(watch->gops.idx, size);

	if (!data)
		return false;
	data[0] = trace->depth;
	for (at = 1; at < size; at++)
		data[at] = watch->gops.idx + at;
	++*fgraph_get_task_var(&watch->gops);
	return true;
}

static unsigned int data_wrong;

static void data_return(struct graph_watch *watch, struct ftrace_graph_ret *trace)
{
	int size = 0, at;
	u8 *data = fgraph_retrieve_data(watch->gops.idx, &size);

	if (!data || size != (long)watch->data || data[0] != trace->depth) {
		data_wrong++;
		return;
	}
	for (at = 1; at < size; at++)
		data_wrong += data[at] != (u8)(watch->gops.idx + at);
	--*fgraph_get_task_var(&watch->gops);
}

static void test_data(struct kunit *test)
{
	struct graph_watch *small = graph_watch_alloc(test, graph_target_recurse, NULL);
	struct graph_watch *large = graph_watch_alloc(test, graph_target_recurse,
						      graph_target_add, NULL);
	int idx;

	data_wrong = 0;
	small->data = (void *)3L;
	large->data = (void *)(long)FGRAPH_MAX_DATA_SIZE;
	small->entry = data_entry;
	small->ret = data_return;
	large->entry = data_entry;
	large->ret = data_return;
	graph_watch_begin(test, small);
	graph_watch_begin(test, large);
	KUNIT_EXPECT_EQ(test, 10, graph_target_recurse(9));
	KUNIT_EXPECT_EQ(test, 2, graph_target_add(1));
	KUNIT_EXPECT_EQ(test, 20, small->nr);
	KUNIT_EXPECT_EQ(test, 22, large->nr);
	KUNIT_EXPECT_EQ(test, 0, data_wrong);
	KUNIT_EXPECT_EQ(test, 0, *fgraph_get_task_var(&small->gops));
	KUNIT_EXPECT_EQ(test, 0, *fgraph_get_task_var(&large->gops));
	KUNIT_EXPECT_EQ(test, GRAPH_STACK_SIZE, current->graph_stack->data);

	/* The next owner of the number finds nothing of the last one's. */
	*fgraph_get_task_var(&large->gops) = 42;
	idx = large->gops.idx;
	graph_watch_end(large);
	ftrace_hooks_drain();
	graph_watch_begin(test, large);
	KUNIT_EXPECT_EQ(test, idx, large->gops.idx);
	KUNIT_EXPECT_EQ(test, 0, *fgraph_get_task_var(&large->gops));
}

/* A callback calls the function that it is told of. */
static bool recurse_entry(struct graph_watch *watch, struct ftrace_graph_ent *trace)
{
	graph_target_add(1);
	return true;
}

static void recurse_return(struct graph_watch *watch, struct ftrace_graph_ret *trace)
{
	graph_target_add(1);
}

static void test_callback_recursion(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_add, NULL);

	watch->entry = recurse_entry;
	watch->ret = recurse_return;
	graph_watch_begin(test, watch);
	KUNIT_EXPECT_EQ(test, 2, graph_target_add(1));
	/*
	 * The call, one within each of its two callbacks, since trace_recursion.h lets one
	 * through, and no other within the callbacks of those.
	 */
	KUNIT_EXPECT_EQ(test, 6, watch->nr);
	KUNIT_EXPECT_EQ(test, 4, fgraph_missed(&watch->gops, FGRAPH_MISS_RECURSION));
	KUNIT_EXPECT_EQ(test, 0, current->graph_stack->nr);
}

static void test_pause(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_add, NULL);

	graph_watch_begin(test, watch);
	pause_graph_tracing();
	pause_graph_tracing();
	graph_target_add(1);
	unpause_graph_tracing();
	graph_target_add(1);
	unpause_graph_tracing();
	KUNIT_EXPECT_EQ(test, 0, watch->nr);
	KUNIT_EXPECT_EQ(test, 2, fgraph_missed(&watch->gops, FGRAPH_MISS_PAUSED));
	graph_target_add(1);
	KUNIT_EXPECT_EQ(test, 2, watch->nr);
}

/* Runs within a hooked function. */
static long stop_inside(void *arg)
{
	ftrace_graph_stop();
	return graph_target_add(1);
}

/* After the safe way out, no call is hooked; the returns that are awaited are told. */
static void test_stop(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_add, graph_target_call,
						      NULL);
	struct graph_watch *late = graph_watch_alloc(test, graph_target_add, NULL);
	int ret;

	graph_watch_begin(test, watch);
	KUNIT_EXPECT_FALSE(test, ftrace_graph_is_dead());
	KUNIT_EXPECT_EQ(test, 3, graph_target_call(stop_inside, NULL));
	KUNIT_EXPECT_TRUE(test, ftrace_graph_is_dead());
	ret = register_ftrace_graph(&late->gops);
	/* For the tests that follow. */
	WRITE_ONCE(graph_state.dead, false);
	KUNIT_EXPECT_EQ(test, -ENODEV, ret);
	KUNIT_EXPECT_EQ(test, 2, watch->nr);
	KUNIT_EXPECT_EQ(test, 0, current->graph_stack->nr);
	graph_target_add(1);
	KUNIT_EXPECT_EQ(test, 4, watch->nr);
}

static int refuse_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	return 0;
}

static void refuse_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
}

static void test_register(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_add, NULL);
	static struct fgraph_ops users[GRAPH_USERS], bad;
	unsigned int i, nr;

	bad.entryfunc = refuse_entry;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_ftrace_graph(&bad));
	bad.entryfunc = NULL;
	bad.retfunc = refuse_return;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_ftrace_graph(&bad));
	/* Nothing to unregister. */
	unregister_ftrace_graph(&bad);
	/* A registration that fails for its ftrace_ops leaves nothing behind. */
	bad.entryfunc = refuse_entry;
	bad.ops.flags = FTRACE_OPS_FL_DELETED;
	for (i = 0; i < GRAPH_USERS + 1; i++)
		KUNIT_EXPECT_EQ(test, -EINVAL, register_ftrace_graph(&bad));

	graph_watch_begin(test, watch);
	KUNIT_EXPECT_EQ(test, -EBUSY, register_ftrace_graph(&watch->gops));
	for (nr = 0; nr < GRAPH_USERS; nr++) {
		users[nr] = (struct fgraph_ops) {
			.entryfunc = refuse_entry, .retfunc = refuse_return,
		};
		KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&users[nr].ops,
							      (unsigned long)graph_target_add,
							      0, 0));
		if (register_ftrace_graph(&users[nr]))
			break;
	}
	KUNIT_EXPECT_EQ(test, GRAPH_OTHER_USERS - 1, nr);
	KUNIT_EXPECT_EQ(test, -ENOSPC, register_ftrace_graph(&users[nr]));
	graph_target_add(1);
	KUNIT_EXPECT_EQ(test, 2, watch->nr);
	/* A number that has become free is given away again. */
	unregister_ftrace_graph(&users[0]);
	KUNIT_EXPECT_EQ(test, 0, register_ftrace_graph(&users[nr]));
	KUNIT_EXPECT_EQ(test, users[0].idx, users[nr].idx);
	unregister_ftrace_graph(&users[nr]);
	for (i = 1; i < nr; i++)
		unregister_ftrace_graph(&users[i]);
	graph_target_add(1);
	KUNIT_EXPECT_EQ(test, 4, watch->nr);
	for (i = 0; i < GRAPH_USERS; i++)
		ftrace_free_filter(&users[i].ops);
	ftrace_free_filter(&bad.ops);
}

/* An interrupt comes in the midst of a hooked function, and calls another. */
struct interrupting {
	struct irq_work	work;
	bool		done;
};

static void interrupting_fn(struct irq_work *work)
{
	struct interrupting *irq = container_of(work, struct interrupting, work);

	graph_target_nested(20);
	WRITE_ONCE(irq->done, true);
}

static long wait_interrupt(void *arg)
{
	struct interrupting *irq = arg;

	/* The task stays: it is the one that is interrupted. */
	preempt_disable();
	irq_work_queue(&irq->work);
	while (!READ_ONCE(irq->done))
		cpu_relax();
	preempt_enable();
	return 0;
}

static struct ftrace_ops rooted_roots;

static void free_roots(void *data)
{
	ftrace_free_filter(&rooted_roots);
}

static bool enter_root(struct graph_watch *watch, struct ftrace_graph_ent *trace)
{
	if (trace->func == (unsigned long)watch->data)
		fgraph_set_inside(&watch->gops, true);
	return true;
}

static void leave_root(struct graph_watch *watch, struct ftrace_graph_ret *trace)
{
	if (trace->func == (unsigned long)watch->data)
		fgraph_set_inside(&watch->gops, false);
}

/* Only a root, and what it calls, is told of; a root in a root once. */
static void test_rooted(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_add, graph_target_nested,
						      graph_target_recurse, NULL);
	struct graph_watch *other = graph_watch_alloc(test, graph_target_add, NULL);
	const unsigned long roots[] = {
		(unsigned long)graph_target_nested,
		(unsigned long)graph_target_recurse,
		/* The user does not want it, so it is none. */
		(unsigned long)graph_target_jump,
	};
	int i;

	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_roots, NULL));
	for (i = 0; i < ARRAY_SIZE(roots); i++)
		KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&rooted_roots, roots[i], 0, 0));
	watch->entry = enter_root;
	watch->ret = leave_root;
	watch->data = (void *)graph_watch_site(graph_target_nested);
	KUNIT_ASSERT_EQ(test, 0, fgraph_register_as(&watch->gops, &rooted_roots, NULL));
	KUNIT_EXPECT_EQ(test, 2, graph_target_add(1));
	KUNIT_EXPECT_EQ(test, 3, graph_target_jump(1));
	KUNIT_EXPECT_EQ(test, 0, watch->nr);
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	KUNIT_EXPECT_EQ(test, 2, graph_target_add(1));
	KUNIT_ASSERT_EQ(test, 4, watch->nr);
	graph_watch_expect(test, watch, 0, graph_target_nested, false, 0);
	graph_watch_expect(test, watch, 1, graph_target_add, false, 1);
	graph_watch_expect(test, watch, 2, graph_target_add, true, 1);
	graph_watch_expect(test, watch, 3, graph_target_nested, true, 0);
	KUNIT_EXPECT_EQ(test, 0, current->graph_inside);

	/* The outermost call of the other root enters it, the ones within are in it. */
	watch->nr = 0;
	watch->data = (void *)graph_watch_site(graph_target_recurse);
	watch->ret = NULL;
	KUNIT_EXPECT_EQ(test, 4, graph_target_recurse(3));
	KUNIT_EXPECT_EQ(test, 8, watch->nr);
	fgraph_set_inside(&watch->gops, false);

	/* A second user of one of the functions has its calls, whoever is inside. */
	watch->nr = 0;
	graph_watch_begin(test, other);
	KUNIT_EXPECT_EQ(test, 2, graph_target_add(1));
	KUNIT_EXPECT_EQ(test, 2, other->nr);
	KUNIT_EXPECT_EQ(test, 0, watch->nr);
	graph_watch_end(other);

	unregister_ftrace_graph(&watch->gops);
	KUNIT_EXPECT_EQ(test, 42, graph_target_nested(20));
	KUNIT_EXPECT_EQ(test, 0, watch->nr);
	/* It has no roots any more, so it is called for all. */
	watch->data = NULL;
	graph_watch_begin(test, watch);
	KUNIT_EXPECT_EQ(test, 2, graph_target_add(1));
	KUNIT_EXPECT_EQ(test, 2, watch->nr);
	graph_watch_end(watch);
}

static void test_interrupt(struct kunit *test)
{
	struct graph_watch *watch = graph_watch_alloc(test, graph_target_call,
						      graph_target_nested, NULL);
	struct interrupting irq = { .work = IRQ_WORK_INIT_HARD(interrupting_fn) };

	graph_watch_begin(test, watch);
	KUNIT_EXPECT_EQ(test, 1, graph_target_call(wait_interrupt, &irq));
	graph_watch_end(watch);
	irq_work_sync(&irq.work);
	KUNIT_ASSERT_EQ(test, 4, watch->nr);
	graph_watch_expect(test, watch, 0, graph_target_call, false, 0);
	graph_watch_expect(test, watch, 1, graph_target_nested, false, 1);
	graph_watch_expect(test, watch, 2, graph_target_nested, true, 1);
	graph_watch_expect(test, watch, 3, graph_target_call, true, 0);
}

#ifdef CONFIG_KRETPROBES
static unsigned int probe_hits;

static int probe_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	probe_hits++;
	return 0;
}

/* A return is hooked by a kretprobe, too: before this, or after. */
static void test_kretprobe(struct kunit *test)
{
	static struct kretprobe probe;
	struct graph_watch *watch;
	bool first;
	int i;

	for (i = 0; i < 2; i++) {
		first = i;
		watch = graph_watch_alloc(test, graph_target_add, NULL);
		memset(&probe, 0, sizeof(probe));
		probe.kp.symbol_name = "graph_target_add";
		probe.handler = probe_return;
		probe_hits = 0;
		if (first)
			graph_watch_begin(test, watch);
		KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&probe));
		if (!first)
			graph_watch_begin(test, watch);
		KUNIT_EXPECT_EQ(test, 43, graph_target_add(42));
		unregister_kretprobe(&probe);
		graph_watch_end(watch);
		KUNIT_EXPECT_EQ(test, 1, probe_hits);
		KUNIT_ASSERT_EQ(test, 2, watch->nr);
		KUNIT_EXPECT_EQ(test, 43, watch->events[1].retval);
	}
}

/* A call with two frames, as a kretprobe has hooked it in between, and no room for all. */
static void test_full_kretprobe(struct kunit *test)
{
	struct graph_watch *before = graph_watch_alloc(test, graph_target_recurse, NULL);
	struct graph_watch *behind = graph_watch_alloc(test, graph_target_recurse, NULL);
	const unsigned int calls = GRAPH_FRAMES + 20, both = DIV_ROUND_UP(GRAPH_FRAMES, 2);
	static struct kretprobe probe;

	if (!IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
		kunit_skip(test, "a kretprobe does not come in between");
	memset(&probe, 0, sizeof(probe));
	probe.kp.symbol_name = "graph_target_recurse";
	probe.handler = probe_return;
	probe.maxactive = calls;
	probe_hits = 0;
	graph_watch_begin(test, before);
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&probe));
	graph_watch_begin(test, behind);
	KUNIT_EXPECT_EQ(test, calls, graph_target_recurse(calls - 1));
	unregister_kretprobe(&probe);
	KUNIT_EXPECT_EQ(test, calls, probe_hits);
	/*
	 * Both have missed those within the calls that fill the stack. The one that was
	 * registered last is called first, so it has the frame that is alone in a call.
	 */
	KUNIT_EXPECT_EQ(test, 2 * both, behind->nr);
	KUNIT_EXPECT_EQ(test, 2 * (GRAPH_FRAMES - both), before->nr);
	KUNIT_EXPECT_EQ(test, calls - both, fgraph_missed(&behind->gops, FGRAPH_MISS_FULL));
	KUNIT_EXPECT_EQ(test, 0, current->graph_stack->nr);
}
#endif

static struct kunit_case graph_cases[] = {
	KUNIT_CASE(test_returns),
	KUNIT_CASE(test_nested),
	KUNIT_CASE(test_recursion),
	KUNIT_CASE(test_full),
	KUNIT_CASE(test_users),
	KUNIT_CASE(test_decline_data),
	KUNIT_CASE(test_notrace),
	KUNIT_CASE(test_data),
	KUNIT_CASE(test_callback_recursion),
	KUNIT_CASE(test_pause),
	KUNIT_CASE(test_stop),
	KUNIT_CASE(test_register),
	KUNIT_CASE(test_rooted),
	KUNIT_CASE(test_interrupt),
#ifdef CONFIG_KRETPROBES
	KUNIT_CASE(test_kretprobe),
	KUNIT_CASE(test_full_kretprobe),
#endif
	{}
};

static struct kunit_suite graph_suite = {
	.name = "ftrace_graph",
	.init = graph_watch_init,
	.test_cases = graph_cases,
};

kunit_test_suite(graph_suite);
