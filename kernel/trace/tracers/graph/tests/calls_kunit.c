// SPDX-License-Identifier: GPL-2.0
/*
 * Which calls the function_graph tracer records, with each of its limits. The calls that
 * are traced are those of targets.c; what was recorded is told as a text like
 * "root(leaf() mid(leaf()))". A ")" without what it belongs to is a return whose entry was
 * not recorded.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/ring_buffer.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "graph/short.h"
#include "hooks/hooks.h"
#include "instance/buffers.h"
#include "instance/instance.h"
#include "instance/option.h"
#include "instance/tracer.h"
#include "lib/clock.h"
#include "lib/one_cpu.h"
#include "tracers/graph/internal.h"
#include "tracers/graph/tests/targets.h"

#define SHAPE	256
#define RETURNS	8
/* More calls than there may be spare stacks, those included that are just being made. */
#define STACKLESS	1000

/* The record of a return, with an option that wants times. */
struct calls_times {
	unsigned long	func;
	u64		took, self, irq, sleep;
};

/* An instance that traces, and what was found in it. */
struct calls_ctx {
	struct trace_array	*tr;
	struct graph_instance	*graph;
	char			shape[SHAPE];
	int			depth;		/* of the first entry */
	u64			took;		/* of the last return */
	unsigned long		retval;		/* of the last return */
	unsigned int		overrun;	/* of the last return */
	char			callers[SHAPE];	/* functions that the entries name as theirs */
	struct calls_times	times[RETURNS];	/* in the order of the returns */
	unsigned int		nr_times;
};

static const struct {
	void		*func;
	const char	*name;
} targets[] = {
	{ kunit_graph_leaf, "leaf" },
	{ kunit_graph_mid, "mid" },
	{ kunit_graph_root, "root" },
	{ kunit_graph_call, "call" },
	{ kunit_graph_sleep, "sleep" },
	{ kunit_graph_jump, "jump" },
	{ kunit_graph_jump_caller, "jump_caller" },
};

static const char *target_name(unsigned long ip)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(targets); i++) {
		if (ftrace_location((unsigned long)targets[i].func) == ip)
			return targets[i].name;
	}
	return "?";
}

static void shape_add(struct calls_ctx *ctx, const char *text)
{
	strlcat(ctx->shape, text, SHAPE);
}

static void shape_add_entry(struct calls_ctx *ctx, const struct graph_entry_record *entry)
{
	size_t len = strlen(ctx->shape);

	if (!len)
		ctx->depth = entry->depth;
	else if (ctx->shape[len - 1] == ')')
		shape_add(ctx, " ");
	shape_add(ctx, target_name(entry->func));
	shape_add(ctx, "(");
}

#ifdef CONFIG_FUNCTION_GRAPH_RETADDR
static void shape_add_caller(struct calls_ctx *ctx, const struct graph_caller_record *caller)
{
	struct graph_entry_record entry = { .func = caller->func, .depth = caller->depth };
	char text[KSYM_SYMBOL_LEN];

	shape_add_entry(ctx, &entry);
	scnprintf(text, sizeof(text), " %ps", (void *)caller->retaddr);
	strlcat(ctx->callers, text, SHAPE);
}
#endif

static void shape_add_exit(struct calls_ctx *ctx, const struct graph_exit_record *exit)
{
	shape_add(ctx, ")");
	ctx->took = exit->rettime - exit->calltime;
	ctx->retval = graph_exit_retval(exit);
	ctx->overrun = exit->overrun;
}

static void shape_add_times(struct calls_ctx *ctx, const struct graph_times_record *record)
{
	shape_add_exit(ctx, &record->exit);
	if (ctx->nr_times < RETURNS)
		ctx->times[ctx->nr_times] = (struct calls_times) {
			.func	= record->exit.func,
			.took	= ctx->took,
			.self	= record->self,
			.irq	= record->irq,
			.sleep	= record->sleep,
		};
	ctx->nr_times++;
}

/*
 * Consume the records, and return the calls of this task and of the interrupts that came in as
 * text.
 */
static const char *shape(struct calls_ctx *ctx)
{
	struct trace_buffer *buffer = ctx->tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	int cpu;

	ctx->shape[0] = '\0';
	ctx->callers[0] = '\0';
	ctx->nr_times = 0;
	for_each_online_cpu(cpu) {
		while ((event = ring_buffer_consume(buffer, cpu, NULL, NULL))) {
			struct trace_entry *ent = ring_buffer_event_data(event);

			if (ent->pid != current->pid)
				continue;
			if (ent->type == TRACE_GRAPH_ENT)
				shape_add_entry(ctx, (void *)ent);
			else if (ent->type == TRACE_GRAPH_RET)
				shape_add_exit(ctx, (void *)ent);
			else if (ent->type == TRACE_GRAPH_RET_TIMES)
				shape_add_times(ctx, (void *)ent);
#ifdef CONFIG_FUNCTION_GRAPH_RETADDR
			else if (ent->type == TRACE_GRAPH_RETADDR_ENT)
				shape_add_caller(ctx, (void *)ent);
#endif
		}
	}
	return ctx->shape;
}

static int become(struct calls_ctx *ctx, const char *name)
{
	guard(trace_instances)();
	return trace_set_tracer(ctx->tr, name);
}

static void option(struct kunit *test, const char *word)
{
	struct calls_ctx *ctx = test->priv;
	char text[32];

	guard(trace_instances)();
	strscpy(text, word);
	KUNIT_EXPECT_EQ_MSG(test, trace_option_parse(ctx->tr, text), 0, "%s", word);
}

static void depth(struct kunit *test, unsigned int depth)
{
	struct calls_ctx *ctx = test->priv;

	guard(trace_instances)();
	trace_graph_set_depth(ctx->graph, depth);
}

static void thresh(struct calls_ctx *ctx, unsigned long ns)
{
	guard(trace_instances)();
	trace_set_thresh(ctx->tr, ns);
}

/* Put one function, or none, into a set. */
static void set(struct kunit *test, enum graph_set set, void *func)
{
	struct ftrace_hash *hash = ftrace_hash_alloc();
	struct calls_ctx *ctx = test->priv;

	KUNIT_ASSERT_NOT_NULL(test, hash);
	if (func)
		KUNIT_EXPECT_EQ(test, ftrace_hash_add(hash, ftrace_location((unsigned long)func)),
				0);
	guard(trace_instances)();
	KUNIT_EXPECT_EQ(test, trace_graph_set_functions(ctx->graph, set, hash), 0);
}

static void calls_open(struct kunit *test, struct calls_ctx *ctx, const char *name,
		       const char *pattern)
{
	unsigned char text[32];

	ctx->tr = trace_array_get_by_name(name, NULL);
	KUNIT_ASSERT_NOT_NULL(test, ctx->tr);
	ctx->graph = trace_graph_of(ctx->tr);
	strscpy((char *)text, pattern, sizeof(text));
	KUNIT_ASSERT_EQ(test, ftrace_set_filter(&ctx->graph->gops.ops, text, strlen(pattern), 1),
			0);
	KUNIT_ASSERT_EQ(test, become(ctx, "function_graph"), 0);
}

/*
 * Have the next calls take the short way, if they may: with the first record the buffer's copy
 * of the clock is valid, and nobody waits for this CPU. The records are the same without this.
 */
static void calls_warm(struct calls_ctx *ctx)
{
	kunit_graph_leaf(1);
	shape(ctx);
	cond_resched();
}

static void calls_close(struct kunit *test, struct calls_ctx *ctx)
{
	if (!ctx->tr)
		return;
	trace_array_put(ctx->tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(ctx->tr), 0);
	ctx->tr = NULL;
}

static int calls_test_init(struct kunit *test)
{
	struct calls_ctx *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	test->priv = ctx;
	test_on_one_cpu(test);
	calls_open(test, ctx, "kunit_graph", "kunit_graph_*");
	calls_warm(ctx);
	return 0;
}

static void calls_test_exit(struct kunit *test)
{
	if (test->priv)
		calls_close(test, test->priv);
}

/*
 * Make the call that all cases make, and tell what was recorded of it. With interrupts off, no
 * tick asks for the CPU, which would have the calls take the long way.
 */
static const char *call(struct kunit *test)
{
	unsigned long flags;
	int ret;

	cond_resched();
	local_irq_save(flags);
	ret = kunit_graph_root(1);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, ret, 5);
	return shape(test->priv);
}

static void calls_nest(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;

	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
	KUNIT_EXPECT_EQ(test, ctx->depth, 0);
	if (IS_ENABLED(CONFIG_FUNCTION_GRAPH_RETVAL))
		KUNIT_EXPECT_EQ(test, ctx->retval, 5);
	trace_array_off(ctx->tr);
	KUNIT_EXPECT_STREQ(test, call(test), "");
	trace_array_on(ctx->tr);
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
	KUNIT_EXPECT_EQ(test, become(ctx, "nop"), 0);
	KUNIT_EXPECT_STREQ(test, call(test), "");
	KUNIT_EXPECT_EQ(test, become(ctx, "function_graph"), 0);
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
}

static void calls_depth(struct kunit *test)
{
	depth(test, 1);
	KUNIT_EXPECT_STREQ(test, call(test), "root()");
	depth(test, 2);
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid())");
	depth(test, 3);
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
	depth(test, 0);
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
}

static void calls_roots(struct kunit *test)
{
	set(test, GRAPH_SET_ROOTS, kunit_graph_mid);
	KUNIT_EXPECT_STREQ(test, call(test), "mid(leaf())");
	KUNIT_EXPECT_STREQ(test, call(test), "mid(leaf())");
	depth(test, 1);
	KUNIT_EXPECT_STREQ(test, call(test), "mid()");
	depth(test, 0);
	set(test, GRAPH_SET_ROOTS, kunit_graph_root);
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
	set(test, GRAPH_SET_ROOTS, kunit_graph_sleep);
	KUNIT_EXPECT_STREQ(test, call(test), "");
	set(test, GRAPH_SET_ROOTS, NULL);
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
}

/*
 * A call that the tracer makes while it writes a record is not recorded, and not counted as
 * missed. A call that the callback of another ops makes is recorded.
 */
static void calls_own(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;
	struct trace_buffer *buffer = ctx->tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	unsigned long flags;
	int bit, i;

	local_irq_save(flags);
	/* As a callback does, of an fprobe perhaps. */
	bit = ftrace_test_recursion_trylock(_THIS_IP_, _RET_IP_);
	if (bit >= 0) {
		kunit_graph_leaf(1);
		event = ring_buffer_lock_reserve(buffer, 8);
		kunit_graph_mid(1);
		if (event)
			ring_buffer_discard_commit(buffer, event);
		kunit_graph_leaf(1);
		ftrace_test_recursion_unlock(bit);
	}
	local_irq_restore(flags);
	KUNIT_ASSERT_GE(test, bit, 0);
	KUNIT_EXPECT_STREQ(test, shape(ctx), "leaf() leaf()");
	for (i = 0; i < FGRAPH_MISS_NR; i++)
		KUNIT_EXPECT_EQ(test, fgraph_missed(&ctx->graph->gops, i), 0);
}

/*
 * The hooks that a set needs cannot be registered. The tracer goes on with the hooks that it had,
 * and the caller gets an error.
 */
static void calls_set_fails(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;
	struct ftrace_ops *roots = &ctx->graph->sets[GRAPH_SET_ROOTS];
	struct ftrace_hash *hash = ftrace_hash_alloc();
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, hash);
	KUNIT_EXPECT_EQ(test,
			ftrace_hash_add(hash, ftrace_location((unsigned long)kunit_graph_mid)), 0);
	/* As an ops that must not be registered. */
	roots->flags |= FTRACE_OPS_FL_DELETED;
	scoped_guard(trace_instances)
		ret = trace_graph_set_functions(ctx->graph, GRAPH_SET_ROOTS, hash);
	KUNIT_EXPECT_EQ(test, ret, -EINVAL);
	calls_warm(ctx);
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
	KUNIT_EXPECT_TRUE(test, ftrace_ops_filter_empty(roots, false));
	roots->flags &= ~FTRACE_OPS_FL_DELETED;
	set(test, GRAPH_SET_ROOTS, kunit_graph_mid);
	KUNIT_EXPECT_STREQ(test, call(test), "mid(leaf())");
}

static void calls_muted(struct kunit *test)
{
	set(test, GRAPH_SET_MUTED, kunit_graph_mid);
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf())");
	set(test, GRAPH_SET_ROOTS, kunit_graph_leaf);
	KUNIT_EXPECT_STREQ(test, call(test), "leaf()");
	set(test, GRAPH_SET_MUTED, kunit_graph_root);
	KUNIT_EXPECT_STREQ(test, call(test), "");
	KUNIT_EXPECT_EQ(test, kunit_graph_mid(1), 3);
	KUNIT_EXPECT_STREQ(test, shape(test->priv), "leaf()");
	set(test, GRAPH_SET_MUTED, NULL);
	KUNIT_EXPECT_STREQ(test, call(test), "leaf() leaf()");
}

/* Callbacks may know the duty of a set when it is empty already: then it has no function. */
static void calls_emptied(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;
	u32 duties;

	set(test, GRAPH_SET_MUTED, kunit_graph_mid);
	duties = ctx->graph->duties;
	set(test, GRAPH_SET_MUTED, NULL);
	WRITE_ONCE(ctx->graph->duties, duties);
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
}

/* A set changes while a task is in a call of one of its functions. */
static void change_roots(void *arg)
{
	set(arg, GRAPH_SET_ROOTS, kunit_graph_sleep);
	kunit_graph_leaf(1);
}

static void clear_sets(void *arg)
{
	set(arg, GRAPH_SET_ROOTS, NULL);
	set(arg, GRAPH_SET_MUTED, NULL);
	kunit_graph_leaf(1);
}

static void calls_change(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;

	set(test, GRAPH_SET_ROOTS, kunit_graph_call);
	kunit_graph_call(change_roots, test);
	KUNIT_EXPECT_STREQ(test, shape(ctx), "call(leaf())");
	KUNIT_EXPECT_STREQ(test, call(test), "");
	set(test, GRAPH_SET_MUTED, kunit_graph_call);
	kunit_graph_call(clear_sets, test);
	KUNIT_EXPECT_STREQ(test, shape(ctx), "");
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
}

/*
 * Calls that the short way must leave to the long one. With interrupts off, no tick asks for
 * the CPU between the call before, which takes the short way, and these.
 */

static unsigned long missed(struct kunit *test, enum fgraph_miss reason)
{
	struct calls_ctx *ctx = test->priv;

	return fgraph_missed(&ctx->graph->gops, reason);
}

/* Set the bits that recursion.h would set in a callback, and in a nested one. */
static void in_callback(bool is)
{
	const unsigned long bits = BIT(GRAPH_TASK_BIT) | BIT(TRACE_FTRACE_TRANSITION_BIT);

	if (is)
		current->trace_recursion |= bits;
	else
		current->trace_recursion &= ~bits;
}

static void enter_callback(void *arg)
{
	in_callback(true);
}

static void calls_recursion(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;
	unsigned long flags;

	local_irq_save(flags);
	kunit_graph_leaf(1);
	in_callback(true);
	kunit_graph_leaf(1);
	in_callback(false);
	local_irq_restore(flags);
	KUNIT_EXPECT_STREQ(test, shape(ctx), "leaf()");
	KUNIT_EXPECT_EQ(test, missed(test, FGRAPH_MISS_RECURSION), 1);

	local_irq_save(flags);
	kunit_graph_call(enter_callback, NULL);
	in_callback(false);
	local_irq_restore(flags);
	KUNIT_EXPECT_STREQ(test, shape(ctx), "call(");
	KUNIT_EXPECT_EQ(test, missed(test, FGRAPH_MISS_RECURSION), 2);
}

static void calls_paused(struct kunit *test)
{
	pause_graph_tracing();
	kunit_graph_leaf(1);
	unpause_graph_tracing();
	KUNIT_EXPECT_STREQ(test, shape(test->priv), "");
	KUNIT_EXPECT_EQ(test, missed(test, FGRAPH_MISS_PAUSED), 1);
}

/* A task that loses its shadow stack after each call uses up the spare ones. */
static void calls_stackless(struct kunit *test)
{
	struct graph_stack *stack = current->graph_stack;
	struct calls_ctx *ctx = test->priv;
	unsigned int calls;
	unsigned long flags;

	KUNIT_ASSERT_NOT_NULL(test, stack);
	/* An irq_work asks for more spare stacks. It cannot run here, so they run out. */
	local_irq_save(flags);
	for (calls = 0; calls < STACKLESS && !missed(test, FGRAPH_MISS_NO_STACK); calls++) {
		current->graph_stack = NULL;
		kunit_graph_leaf(1);
		kfree(current->graph_stack);
	}
	current->graph_stack = stack;
	local_irq_restore(flags);
	KUNIT_EXPECT_LT(test, calls, STACKLESS);
	KUNIT_EXPECT_EQ(test, missed(test, FGRAPH_MISS_NO_STACK), 1);
	/* An entry and a return of each call but the last one. */
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(ctx->tr->array_buffer.buffer), 2 * (calls - 1));
	shape(ctx);
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
}

static void calls_full(struct kunit *test)
{
	struct graph_stack *stack = current->graph_stack;
	struct calls_ctx *ctx = test->priv;
	unsigned long flags;
	u32 overrun;
	u16 data;

	KUNIT_ASSERT_NOT_NULL(test, stack);
	overrun = stack->overrun;
	local_irq_save(flags);
	kunit_graph_leaf(1);
	data = stack->data;
	stack->data = (void *)&stack->frames[stack->nr + 1] - (void *)stack;
	kunit_graph_root(1);
	stack->data = data;
	local_irq_restore(flags);
	KUNIT_EXPECT_STREQ(test, shape(ctx), "leaf() root()");
	/* The two calls of leaf(), and mid(). */
	KUNIT_EXPECT_EQ(test, missed(test, FGRAPH_MISS_FULL), 3);
	/* Records of returns have the count as overrun, on the long way and on the short one. */
	KUNIT_EXPECT_EQ(test, ctx->overrun, overrun + 3);
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
	KUNIT_EXPECT_EQ(test, ctx->overrun, overrun + 3);
}

/* The data that an option has reserved are dropped after the option has gone. */
static void sleep_time(void *arg)
{
	struct kunit *test = arg;

	option(test, "sleep-time");
	KUNIT_EXPECT_LT(test, current->graph_stack->data, GRAPH_STACK_SIZE);
}

static void calls_data(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;

	option(test, "nosleep-time");
	kunit_graph_call(sleep_time, test);
	KUNIT_EXPECT_STREQ(test, shape(ctx), "call()");
	KUNIT_EXPECT_EQ(test, current->graph_stack->data, GRAPH_STACK_SIZE);
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
}

/* Somebody is writing to the buffer. */
static void calls_writing(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;
	struct trace_buffer *buffer = ctx->tr->array_buffer.buffer;
	struct ring_buffer_event *event;

	event = ring_buffer_lock_reserve(buffer, sizeof(struct trace_entry));
	KUNIT_ASSERT_NOT_NULL(test, event);
	memset(ring_buffer_event_data(event), 0, sizeof(struct trace_entry));
	kunit_graph_leaf(1);
	ring_buffer_unlock_commit(buffer);
	KUNIT_EXPECT_STREQ(test, shape(ctx), "leaf()");
}

/* An entry that the full buffer refuses is lost once: its return is not awaited. */
static void calls_refused(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;
	struct trace_buffer *buffer = ctx->tr->array_buffer.buffer;
	unsigned long dropped, more, flags;
	u32 nr;

	KUNIT_ASSERT_NOT_NULL(test, current->graph_stack);
	ring_buffer_change_overwrite(buffer, false);
	local_irq_save(flags);
	do {
		kunit_graph_leaf(1);
		dropped = ring_buffer_dropped_events_cpu(buffer, smp_processor_id());
	} while (!dropped);
	nr = current->graph_stack->nr;
	kunit_graph_leaf(1);
	kunit_graph_leaf(1);
	kunit_graph_leaf(1);
	more = ring_buffer_dropped_events_cpu(buffer, smp_processor_id()) - dropped;
	KUNIT_EXPECT_EQ(test, current->graph_stack->nr, nr);
	local_irq_restore(flags);
	ring_buffer_change_overwrite(buffer, true);
	KUNIT_EXPECT_EQ(test, more, 3);
	shape(ctx);
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
}

/* The clock is another one than the tracer's, which tells the duration. */
static void calls_clock(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;

	KUNIT_ASSERT_EQ(test, trace_array_set_clock(ctx->tr, "counter"), 0);
	kunit_graph_sleep(1);
	KUNIT_EXPECT_STREQ(test, shape(ctx), "sleep()");
	KUNIT_EXPECT_GE(test, ctx->took, NSEC_PER_MSEC);
}

static void calls_thresh(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;

	thresh(ctx, ULONG_MAX);
	KUNIT_EXPECT_STREQ(test, call(test), "");
	thresh(ctx, 5 * NSEC_PER_MSEC);
	kunit_graph_sleep(20);
	KUNIT_EXPECT_STREQ(test, shape(ctx), ")");
	KUNIT_EXPECT_GE(test, ctx->took, 5 * NSEC_PER_MSEC);
	thresh(ctx, 0);
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
}

static void irq_call(struct irq_work *work)
{
	kunit_graph_mid(1);
}

static void call_in_irq(void *arg)
{
	struct irq_work work = IRQ_WORK_INIT_HARD(irq_call);

	kunit_graph_leaf(1);
	irq_work_queue(&work);
	while (irq_work_is_busy(&work))
		cpu_relax();
}

static const char *call_irq(struct kunit *test)
{
	/* It interrupts this task, as no other one comes. */
	preempt_disable();
	kunit_graph_call(call_in_irq, NULL);
	preempt_enable();
	return shape(test->priv);
}

static void calls_irqs(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, call_irq(test), "call(leaf() mid(leaf()))");
	option(test, "nofuncgraph-irqs");
	KUNIT_EXPECT_STREQ(test, call_irq(test), "call(leaf())");
	set(test, GRAPH_SET_ROOTS, kunit_graph_call);
	KUNIT_EXPECT_STREQ(test, call_irq(test), "call(leaf())");
	/* A root of an interrupt is wanted. */
	set(test, GRAPH_SET_ROOTS, kunit_graph_mid);
	KUNIT_EXPECT_STREQ(test, call_irq(test), "mid(leaf())");
	option(test, "funcgraph-irqs");
	KUNIT_EXPECT_STREQ(test, call_irq(test), "mid(leaf())");
}

static void calls_sleep(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;
	u64 start, wall;

	kunit_graph_sleep(20);
	KUNIT_EXPECT_STREQ(test, shape(ctx), "sleep()");
	KUNIT_EXPECT_GE(test, ctx->took, 20 * NSEC_PER_MSEC);
	option(test, "nosleep-time");
	start = trace_clock_local();
	kunit_graph_sleep(20);
	wall = trace_clock_local() - start;
	KUNIT_EXPECT_STREQ(test, shape(ctx), "sleep()");
	KUNIT_EXPECT_LE(test, ctx->took, wall - 20 * NSEC_PER_MSEC);
	option(test, "sleep-time");
	kunit_graph_sleep(20);
	KUNIT_EXPECT_STREQ(test, shape(ctx), "sleep()");
	KUNIT_EXPECT_GE(test, ctx->took, 20 * NSEC_PER_MSEC);
}

#ifdef CONFIG_FUNCTION_GRAPH_RETADDR
static void calls_callers(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;

	option(test, "funcgraph-retaddr");
	set(test, GRAPH_SET_ROOTS, kunit_graph_mid);
	KUNIT_EXPECT_STREQ(test, call(test), "mid(leaf())");
	KUNIT_EXPECT_STREQ(test, ctx->callers, " kunit_graph_root kunit_graph_mid");
	set(test, GRAPH_SET_ROOTS, NULL);
	option(test, "nofuncgraph-retaddr");
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
	KUNIT_EXPECT_STREQ(test, ctx->callers, "");
}

/* A jump leaves the caller of the function that jumps, whether that one is recorded or not. */
static void calls_callers_of_jumps(struct kunit *test)
{
	const char *caller = IS_ENABLED(CONFIG_FRAME_POINTER) ? " kunit_graph_jump" :
								" kunit_graph_jump_caller";
	struct calls_ctx *ctx = test->priv;

	option(test, "funcgraph-retaddr");
	set(test, GRAPH_SET_ROOTS, kunit_graph_jump);
	KUNIT_EXPECT_EQ(test, kunit_graph_jump_caller(1), 3);
	KUNIT_EXPECT_STREQ(test, shape(ctx), "jump(leaf())");
	KUNIT_EXPECT_TRUE(test, strstarts(ctx->callers, " kunit_graph_jump_caller"));
	KUNIT_EXPECT_STREQ(test, ctx->callers + strlen(" kunit_graph_jump_caller"), caller);
	set(test, GRAPH_SET_ROOTS, kunit_graph_leaf);
	KUNIT_EXPECT_EQ(test, kunit_graph_jump_caller(1), 3);
	KUNIT_EXPECT_STREQ(test, shape(ctx), "leaf()");
	KUNIT_EXPECT_STREQ(test, ctx->callers, caller);
}
#endif

/* The time of a function and of its callees, without interrupts and sleep. */
static u64 times_net(const struct calls_times *times)
{
	return times->took - min(times->took, times->irq + times->sleep);
}

/* Is what @outer has itself all but what calls in it took, that of @a and @b if not NULL? */
static void expect_self(struct kunit *test, const struct calls_times *outer,
			const struct calls_times *a, const struct calls_times *b)
{
	u64 inner = (a ? times_net(a) : 0) + (b ? times_net(b) : 0);
	u64 net = times_net(outer);
	u64 self = net - min(net, inner);

	KUNIT_EXPECT_EQ_MSG(test, outer->self, self, "%s: %llu in the calls in it",
			    target_name(outer->func), inner);
}

static void calls_times(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;
	struct calls_times *times = ctx->times;

	option(test, "funcgraph-selftime");
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
	KUNIT_ASSERT_EQ(test, ctx->nr_times, 4);
	expect_self(test, &times[0], NULL, NULL);
	expect_self(test, &times[1], NULL, NULL);
	expect_self(test, &times[2], &times[1], NULL);
	expect_self(test, &times[3], &times[0], &times[2]);
	option(test, "funcgraph-irqtime");
	option(test, "nofuncgraph-selftime");
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
	KUNIT_EXPECT_EQ(test, ctx->nr_times, 4);
	option(test, "nofuncgraph-irqtime");
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
	KUNIT_EXPECT_EQ(test, ctx->nr_times, 0);
}

/* A function that is interrupted has not called what the interrupt calls. */
static void calls_interrupted(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;
	struct calls_times *times = ctx->times;

	option(test, "funcgraph-irqtime");
	KUNIT_EXPECT_STREQ(test, call_irq(test), "call(leaf() mid(leaf()))");
	KUNIT_ASSERT_EQ(test, ctx->nr_times, 4);
	KUNIT_EXPECT_EQ(test, times[1].irq, 0);
	KUNIT_EXPECT_EQ(test, times[2].irq, 0);
	expect_self(test, &times[2], &times[1], NULL);
	KUNIT_EXPECT_GE(test, times[3].irq, times[2].took);
	KUNIT_EXPECT_EQ(test, times[3].sleep, 0);
	expect_self(test, &times[3], &times[0], NULL);
	/* The interrupt is over. */
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
	expect_self(test, &times[3], &times[0], &times[2]);
}

static void call_sleep(void *arg)
{
	kunit_graph_leaf(1);
	kunit_graph_sleep(20);
}

/* The leaf has a threshold that nothing reaches, the others one that all do. */
static void call_thresh(void *arg)
{
	struct graph_instance *graph = arg;

	kunit_graph_leaf(1);
	WRITE_ONCE(graph->thresh, 1);
	kunit_graph_sleep(20);
}

static void calls_slept(struct kunit *test)
{
	struct calls_ctx *ctx = test->priv;
	struct calls_times *times = ctx->times;

	option(test, "funcgraph-selftime");
	kunit_graph_call(call_sleep, NULL);
	KUNIT_EXPECT_STREQ(test, shape(ctx), "call(leaf() sleep())");
	KUNIT_ASSERT_EQ(test, ctx->nr_times, 3);
	KUNIT_EXPECT_GE(test, times[1].sleep, 20 * NSEC_PER_MSEC);
	KUNIT_EXPECT_GE(test, times[1].took, times[1].sleep);
	KUNIT_EXPECT_GE(test, times[2].sleep, times[1].sleep);
	expect_self(test, &times[1], NULL, NULL);
	expect_self(test, &times[2], &times[0], &times[1]);
	/* A threshold keeps records back, and not what they took. */
	thresh(ctx, ULONG_MAX);
	kunit_graph_call(call_thresh, ctx->graph);
	KUNIT_EXPECT_STREQ(test, shape(ctx), "))");
	KUNIT_EXPECT_LE(test, times[1].self, times_net(&times[1]) - times_net(&times[0]));
}

/* Two instances share the frame of a call. */
static void calls_joined(struct kunit *test)
{
	struct calls_ctx *first = test->priv, *second;

	second = kunit_kzalloc(test, sizeof(*second), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, second);
	calls_open(test, second, "kunit_graph2", "kunit_graph_*");
	calls_warm(second);
	shape(first);
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
	KUNIT_EXPECT_STREQ(test, shape(second), "root(leaf() mid(leaf()))");
	KUNIT_EXPECT_EQ(test, first->depth, 0);
	KUNIT_EXPECT_EQ(test, second->depth, 0);
	calls_close(test, second);
	KUNIT_EXPECT_STREQ(test, call(test), "root(leaf() mid(leaf()))");
}

/* Each instance has limits of its own, and counts calls of its own. */
static void calls_instances(struct kunit *test)
{
	struct calls_ctx *all = test->priv, *other;

	other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, other);
	calls_open(test, other, "kunit_graph2", "kunit_graph_leaf");
	scoped_guard(trace_instances)
		trace_graph_set_depth(other->graph, 1);
	set(test, GRAPH_SET_ROOTS, kunit_graph_mid);
	KUNIT_EXPECT_STREQ(test, call(test), "mid(leaf())");
	KUNIT_EXPECT_STREQ(test, shape(other), "leaf() leaf()");
	thresh(other, ULONG_MAX);
	KUNIT_EXPECT_STREQ(test, call(test), "mid(leaf())");
	KUNIT_EXPECT_STREQ(test, shape(other), "");
	calls_close(test, other);
	KUNIT_EXPECT_STREQ(test, call(test), "mid(leaf())");
	KUNIT_EXPECT_EQ(test, all->depth, 0);
}

static struct kunit_case calls_cases[] = {
	KUNIT_CASE(calls_nest),
	KUNIT_CASE(calls_depth),
	KUNIT_CASE(calls_roots),
	KUNIT_CASE(calls_muted),
	KUNIT_CASE(calls_emptied),
	KUNIT_CASE(calls_change),
	KUNIT_CASE(calls_recursion),
	KUNIT_CASE(calls_paused),
	KUNIT_CASE(calls_stackless),
	KUNIT_CASE(calls_full),
	KUNIT_CASE(calls_data),
	KUNIT_CASE(calls_writing),
	KUNIT_CASE(calls_refused),
	KUNIT_CASE(calls_clock),
	KUNIT_CASE(calls_thresh),
	KUNIT_CASE(calls_irqs),
	KUNIT_CASE(calls_sleep),
	KUNIT_CASE(calls_times),
	KUNIT_CASE(calls_interrupted),
	KUNIT_CASE(calls_slept),
	KUNIT_CASE(calls_own),
	KUNIT_CASE(calls_set_fails),
#ifdef CONFIG_FUNCTION_GRAPH_RETADDR
	KUNIT_CASE(calls_callers),
	KUNIT_CASE(calls_callers_of_jumps),
#endif
	KUNIT_CASE(calls_joined),
	KUNIT_CASE(calls_instances),
	{}
};

static struct kunit_suite calls_suite = {
	.name		= "trace_graph_calls",
	.init		= calls_test_init,
	.exit		= calls_test_exit,
	.test_cases	= calls_cases,
};

kunit_test_suite(calls_suite);

MODULE_DESCRIPTION("KUnit test of what the function_graph tracer records");
MODULE_LICENSE("GPL");
