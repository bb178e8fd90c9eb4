// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the profiler counts the calls of targets.c, whose shape is known.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "graph/graph.h"
#include "graph/stack.h"
#include "hooks/hooks.h"
#include "lib/clock.h"
#include "lib/one_cpu.h"
#include "profile/internal.h"
#include "profile/rows.h"
#include "profile/tests/targets.h"

/* An instance that profiles. */
struct calls_ctx {
	struct trace_array	*tr;
	struct trace_profile	*profile;
};

static void calls_open(struct kunit *test, struct calls_ctx *ctx, const char *name,
		       const char *pattern)
{
	unsigned char text[32];

	ctx->tr = trace_array_get_by_name(name, NULL);
	KUNIT_ASSERT_NOT_NULL(test, ctx->tr);
	ctx->profile = trace_profile_of(ctx->tr);
	strscpy((char *)text, pattern, sizeof(text));
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter(&ctx->profile->gops.ops, text,
						   strlen(pattern), 1));
}

static void calls_close(struct kunit *test, struct calls_ctx *ctx)
{
	if (!ctx->tr)
		return;
	trace_array_put(ctx->tr);
	KUNIT_EXPECT_EQ(test, 0, trace_array_destroy(ctx->tr));
	ctx->tr = NULL;
}

static int calls_switch(struct calls_ctx *ctx, bool on)
{
	scoped_guard(trace_instances) {
		if (on)
			return trace_profile_start(ctx->profile);
		trace_profile_stop(ctx->profile);
	}
	trace_profile_settle(ctx->profile);
	return 0;
}

static int calls_test_init(struct kunit *test)
{
	struct calls_ctx *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	test->priv = ctx;
	calls_open(test, ctx, "kunit_profile", "kunit_profile_*");
	KUNIT_ASSERT_EQ(test, 0, calls_switch(ctx, true));
	return 0;
}

static void calls_test_exit(struct kunit *test)
{
	if (test->priv)
		calls_close(test, test->priv);
}

static int order_none(const void *a, const void *b)
{
	return 0;
}

/* Return the profile of a function, all zeroes if it was not called. */
static struct profile_row calls_row(struct kunit *test, struct calls_ctx *ctx, void *func)
{
	unsigned long ip = ftrace_location((unsigned long)func);
	struct profile_row row = {};
	struct profile_rows *rows;
	size_t i;

	scoped_guard(trace_instances)
		rows = trace_profile_rows_alloc(ctx->profile->store, PROFILE_ALL_CPUS, order_none);
	KUNIT_ASSERT_NOT_NULL(test, rows);
	for (i = 0; i < rows->nr; i++) {
		if (rows->rows[i].ip == ip)
			row = rows->rows[i];
	}
	trace_profile_rows_free(rows);
	return row;
}

static u64 busy(const struct profile_row *row)
{
	return row->total - row->slept - row->interrupted;
}

static u64 callees(const struct profile_row *row)
{
	return busy(row) - row->self;
}

/* Make so many calls on one CPU, as the clocks of two may differ. */
static void call_root(int times)
{
	migrate_disable();
	while (times--)
		kunit_profile_root(times);
	migrate_enable();
}

static void calls_counted(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;
	struct profile_row root, mid, leaf;

	call_root(50);
	root = calls_row(test, ctx, kunit_profile_root);
	mid = calls_row(test, ctx, kunit_profile_mid);
	leaf = calls_row(test, ctx, kunit_profile_leaf);
	KUNIT_EXPECT_EQ(test, root.hits, 50);
	KUNIT_EXPECT_EQ(test, root.calls, 50);
	KUNIT_EXPECT_EQ(test, mid.hits, 50);
	KUNIT_EXPECT_EQ(test, mid.calls, 50);
	KUNIT_EXPECT_EQ(test, leaf.hits, 150);
	KUNIT_EXPECT_EQ(test, leaf.calls, 150);
	/* Each nanosecond in a callee is one of the leaf or of mid. */
	KUNIT_EXPECT_EQ(test, callees(&leaf), 0);
	KUNIT_EXPECT_EQ(test, callees(&root) + callees(&mid), busy(&mid) + busy(&leaf));
	KUNIT_EXPECT_EQ(test, root.self + mid.self + leaf.self, busy(&root));
	KUNIT_EXPECT_EQ(test, root.time, root.total);
	KUNIT_EXPECT_GE(test, root.total, mid.total);
}

static void calls_distributed(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;
	struct profile_row root;

	call_root(100);
	root = calls_row(test, ctx, kunit_profile_root);
	KUNIT_EXPECT_GT(test, root.percentiles[PROFILE_P50], 0);
	KUNIT_EXPECT_LE(test, root.percentiles[PROFILE_P50], root.percentiles[PROFILE_P90]);
	KUNIT_EXPECT_LE(test, root.percentiles[PROFILE_P90], root.percentiles[PROFILE_P99]);
	KUNIT_EXPECT_LE(test, root.percentiles[PROFILE_P99], root.longest);
	/* Half of the calls took as long, less a class. */
	KUNIT_EXPECT_LE(test, root.percentiles[PROFILE_P50] / 2 * 49, root.total);
	KUNIT_EXPECT_LE(test, root.total, 100 * root.longest);
}

static void graph_time(struct calls_ctx *ctx, bool on)
{
	guard(trace_instances)();
	trace_profile_set_graph_time(ctx->tr, on);
}

static void sleep_time(struct calls_ctx *ctx, bool on)
{
	guard(trace_instances)();
	trace_profile_set_sleep_time(ctx->tr, on);
}

static void calls_without_callees(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;
	struct profile_row root, mid, leaf;

	graph_time(ctx, false);
	call_root(50);
	root = calls_row(test, ctx, kunit_profile_root);
	mid = calls_row(test, ctx, kunit_profile_mid);
	leaf = calls_row(test, ctx, kunit_profile_leaf);
	KUNIT_EXPECT_EQ(test, leaf.time, leaf.total);
	KUNIT_EXPECT_EQ(test, root.time + mid.time + leaf.time, root.total);
	KUNIT_EXPECT_LT(test, root.time, root.total);
}

/*
 * The leaf cannot be preempted, which would be sleep as well. There are two sleeps, so that
 * who notes only the last one is noticed.
 */
static void call_sleeps(void *arg)
{
	preempt_disable();
	kunit_profile_leaf(1);
	preempt_enable();
	test_sleep(40);
	test_sleep(1);
}

static void calls_asleep(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;
	struct profile_row call, leaf;

	test_on_one_cpu(test);
	kunit_profile_call(call_sleeps, NULL);
	call = calls_row(test, ctx, kunit_profile_call);
	leaf = calls_row(test, ctx, kunit_profile_leaf);
	KUNIT_EXPECT_EQ(test, call.calls, 1);
	KUNIT_EXPECT_GE(test, call.slept, 41 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, leaf.slept, 0);
	KUNIT_EXPECT_EQ(test, call.time, call.total);
	KUNIT_EXPECT_EQ(test, call.self + callees(&call) + call.slept + call.interrupted,
			call.total);
	KUNIT_EXPECT_EQ(test, callees(&call), busy(&leaf));

	sleep_time(ctx, false);
	KUNIT_EXPECT_EQ(test, 0, calls_switch(ctx, false));
	KUNIT_EXPECT_EQ(test, 0, calls_switch(ctx, true));
	kunit_profile_call(call_sleeps, NULL);
	call = calls_row(test, ctx, kunit_profile_call);
	KUNIT_EXPECT_GE(test, call.slept, 41 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, call.time, call.total - call.slept);
}

/* Two milliseconds, which no task has. */
static void interrupt_spin(struct irq_work *work)
{
	u64 start = trace_clock_local();

	while (trace_clock_local() - start < 2 * NSEC_PER_MSEC)
		cpu_relax();
}

static void interrupt_call(struct irq_work *work)
{
	kunit_profile_mid(1);
	interrupt_spin(work);
}

/* Let such an interrupt come here. */
static void interrupt_now(void (*func)(struct irq_work *work))
{
	struct irq_work work = IRQ_WORK_INIT_HARD(func);

	irq_work_queue(&work);
	while (irq_work_is_busy(&work))
		cpu_relax();
}

struct soft_call {
	struct tasklet_struct	tasklet;
	struct completion	done;
};

static void interrupt_soft(struct tasklet_struct *tasklet)
{
	struct soft_call *soft = from_tasklet(soft, tasklet, tasklet);

	interrupt_call(NULL);
	complete(&soft->done);
}

static void call_interrupted(void *arg)
{
	kunit_profile_leaf(1);
	interrupt_now(interrupt_call);
}

static void expect_interrupted(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;
	struct profile_row call = calls_row(test, ctx, kunit_profile_call);
	struct profile_row mid = calls_row(test, ctx, kunit_profile_mid);
	struct profile_row leaf = calls_row(test, ctx, kunit_profile_leaf);

	KUNIT_EXPECT_EQ(test, call.calls, 1);
	KUNIT_EXPECT_EQ(test, mid.calls, 1);
	KUNIT_EXPECT_EQ(test, leaf.calls, 2);
	KUNIT_EXPECT_GE(test, call.interrupted, 2 * NSEC_PER_MSEC);
	KUNIT_EXPECT_LE(test, call.interrupted, call.total);
	/* The leaf was called by the task and by the interrupt. */
	KUNIT_EXPECT_EQ(test, callees(&call) + callees(&mid), busy(&leaf));
}

/* In an interrupt of the hardware. */
static void calls_in_irq(struct kunit *test)
{
	/* It interrupts this task, as no other one comes. */
	preempt_disable();
	kunit_profile_call(call_interrupted, NULL);
	preempt_enable();
	expect_interrupted(test);
}

static int interrupt_entry(struct ftrace_graph_ent *call, struct fgraph_ops *gops)
{
	interrupt_now(interrupt_spin);
	return 1;
}

static int await_return(struct ftrace_graph_ent *call, struct fgraph_ops *gops)
{
	return 1;
}

static void interrupt_return(struct ftrace_graph_ret *ret, struct fgraph_ops *gops)
{
	interrupt_now(interrupt_spin);
}

static void ignore_return(struct ftrace_graph_ret *ret, struct fgraph_ops *gops)
{
}

/* Of an entry, the user that came last is told first. */
static struct fgraph_ops entry_gops = {
	.entryfunc	= interrupt_entry,
	.retfunc	= ignore_return,
};

/* Of a return, users are told in the order of their numbers. */
static struct fgraph_ops return_gops = {
	.entryfunc	= await_return,
	.retfunc	= interrupt_return,
};

/* Between the time of an entry, or of a return, and the profiler's turn. */
static void calls_in_irq_at_ends(struct kunit *test)
{
	struct fgraph_ops *const both[] = { &return_gops, &entry_gops };
	struct calls_ctx *ctx = test->priv;
	struct profile_row root, mid, leaf;
	unsigned char name[] = "kunit_profile_leaf";

	calls_switch(ctx, false);
	/* The profiler's number is the first one that is free, for the user behind it. */
	ftrace_hooks_drain();
	for (unsigned int i = 0; i < ARRAY_SIZE(both); i++)
		KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter(&both[i]->ops, name, strlen(name), 1));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_graph(&return_gops));
	KUNIT_EXPECT_EQ(test, 0, calls_switch(ctx, true));
	KUNIT_EXPECT_LT(test, return_gops.idx, ctx->profile->gops.idx);
	KUNIT_EXPECT_EQ(test, 0, register_ftrace_graph(&entry_gops));
	call_root(1);
	for (unsigned int i = 0; i < ARRAY_SIZE(both); i++) {
		unregister_ftrace_graph(both[i]);
		ftrace_free_filter(&both[i]->ops);
	}
	root = calls_row(test, ctx, kunit_profile_root);
	mid = calls_row(test, ctx, kunit_profile_mid);
	leaf = calls_row(test, ctx, kunit_profile_leaf);
	KUNIT_EXPECT_EQ(test, leaf.calls, 3);
	/* Three entries, and three returns. */
	KUNIT_EXPECT_GE(test, leaf.interrupted, 12 * NSEC_PER_MSEC);
	KUNIT_EXPECT_LE(test, leaf.interrupted, leaf.total);
	KUNIT_EXPECT_EQ(test, callees(&root) + callees(&mid), busy(&mid) + busy(&leaf));
	KUNIT_EXPECT_EQ(test, root.self + mid.self + leaf.self, busy(&root));
}

static void call_soft(void *arg)
{
	struct soft_call *soft = arg;

	kunit_profile_leaf(1);
	local_bh_disable();
	tasklet_hi_schedule(&soft->tasklet);
	local_bh_enable();
	/* As a rule it is done, but ksoftirqd may have been running. */
	wait_for_completion(&soft->done);
}

/* In a softirq, when this task lets it come. */
static void calls_in_softirq(struct kunit *test)
{
	struct soft_call *soft = kunit_kzalloc(test, sizeof(*soft), GFP_KERNEL);
	struct profile_row call;
	int tries = 100;

	KUNIT_ASSERT_NOT_NULL(test, soft);
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		kunit_skip(test, "softirqs are work of tasks");
	do {
		init_completion(&soft->done);
		tasklet_setup(&soft->tasklet, interrupt_soft);
		calls_switch(test->priv, false);
		calls_switch(test->priv, true);
		migrate_disable();
		kunit_profile_call(call_soft, soft);
		migrate_enable();
		call = calls_row(test, test->priv, kunit_profile_call);
	} while (call.slept && --tries);
	expect_interrupted(test);
}

static void switch_off_and_on(void *arg)
{
	calls_switch(arg, false);
	calls_switch(arg, true);
}

static void switch_off(void *arg)
{
	calls_switch(arg, false);
	kunit_profile_leaf(1);
}

static void calls_switched(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;
	struct profile_row row;

	kunit_profile_leaf(1);
	kunit_profile_call(switch_off, ctx);
	/* The call has begun before, and returns to nobody. */
	row = calls_row(test, ctx, kunit_profile_call);
	KUNIT_EXPECT_EQ(test, row.hits, 1);
	KUNIT_EXPECT_EQ(test, row.calls, 0);
	row = calls_row(test, ctx, kunit_profile_leaf);
	KUNIT_EXPECT_EQ(test, row.hits, 1);
	/* Once more off changes nothing; on begins anew. */
	calls_switch(ctx, false);
	KUNIT_EXPECT_EQ(test, 1, calls_row(test, ctx, kunit_profile_leaf).hits);
	KUNIT_EXPECT_EQ(test, 0, calls_switch(ctx, true));
	KUNIT_EXPECT_EQ(test, 0, calls_row(test, ctx, kunit_profile_leaf).hits);
	/* A call of the run before is none of this one. */
	kunit_profile_call(switch_off_and_on, ctx);
	row = calls_row(test, ctx, kunit_profile_call);
	KUNIT_EXPECT_EQ(test, row.hits, 0);
	KUNIT_EXPECT_EQ(test, row.calls, 0);
	/* On when it is on goes on. */
	kunit_profile_leaf(1);
	KUNIT_EXPECT_EQ(test, 0, calls_switch(ctx, true));
	KUNIT_EXPECT_EQ(test, 1, calls_row(test, ctx, kunit_profile_leaf).hits);
}

/* Each instance has its functions. */
static void calls_instances(struct kunit *test)
{
	struct calls_ctx *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	struct calls_ctx *all = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, other);
	calls_open(test, other, "kunit_profile2", "kunit_profile_leaf");
	KUNIT_EXPECT_EQ(test, 0, calls_switch(other, true));
	call_root(10);
	KUNIT_EXPECT_EQ(test, 10, calls_row(test, all, kunit_profile_mid).hits);
	KUNIT_EXPECT_EQ(test, 0, calls_row(test, other, kunit_profile_mid).hits);
	KUNIT_EXPECT_EQ(test, 30, calls_row(test, all, kunit_profile_leaf).calls);
	KUNIT_EXPECT_EQ(test, 30, calls_row(test, other, kunit_profile_leaf).calls);
	KUNIT_EXPECT_EQ(test, 0, calls_switch(all, false));
	call_root(10);
	KUNIT_EXPECT_EQ(test, 30, calls_row(test, all, kunit_profile_leaf).calls);
	KUNIT_EXPECT_EQ(test, 60, calls_row(test, other, kunit_profile_leaf).calls);
	calls_close(test, other);
}

/* More calls within each other than a task's shadow stack has room for: each is somewhere. */
static void calls_too_deep(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;
	const long calls = GRAPH_FRAMES + 50;
	struct profile_row row;
	u64 lost, untimed;

	kunit_profile_recurse(calls);
	row = calls_row(test, ctx, kunit_profile_recurse);
	scoped_guard(trace_instances)
		trace_profile_store_missed(ctx->profile->store, &lost, &untimed);
	KUNIT_EXPECT_EQ(test, lost, 0);
	KUNIT_EXPECT_EQ(test, row.hits + fgraph_missed(&ctx->profile->gops, FGRAPH_MISS_FULL),
			calls);
	KUNIT_EXPECT_EQ(test, row.hits, row.calls + untimed);
	KUNIT_EXPECT_GE(test, row.calls, 40);
	KUNIT_EXPECT_LT(test, row.calls, calls);
}

static struct kunit_case calls_cases[] = {
	KUNIT_CASE(calls_counted),
	KUNIT_CASE(calls_distributed),
	KUNIT_CASE(calls_without_callees),
	KUNIT_CASE(calls_asleep),
	KUNIT_CASE(calls_in_irq),
	KUNIT_CASE(calls_in_irq_at_ends),
	KUNIT_CASE(calls_in_softirq),
	KUNIT_CASE(calls_switched),
	KUNIT_CASE(calls_instances),
	KUNIT_CASE(calls_too_deep),
	{}
};

static struct kunit_suite calls_suite = {
	.name		= "trace_profile_calls",
	.init		= calls_test_init,
	.exit		= calls_test_exit,
	.test_cases	= calls_cases,
};

kunit_test_suite(calls_suite);

MODULE_DESCRIPTION("KUnit test of what the function profiler counts");
MODULE_LICENSE("GPL");
