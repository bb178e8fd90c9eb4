// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments in the records of function and function_graph: of the functions in
 * tracers/graph/tests/targets.c, which BTF knows.
 */
#include <kunit/test.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "hooks/hooks.h"
#include "instance/instance.h"
#include "instance/option.h"
#include "instance/tracer.h"
#include "lib/one_cpu.h"
#include "output/output.h"
#include "record/kind.h"
#include "tracers/args.h"
#include "tracers/function.h"
#include "tracers/graph/internal.h"
#include "tracers/graph/tests/targets.h"

#define TEXT	1024

/* The calls that kunit_graph_root(1) makes. */
#define CALLS	"kunit_graph_root(x=1)\n"	\
		"kunit_graph_leaf(x=1)\n"	\
		"kunit_graph_mid(x=2)\n"	\
		"kunit_graph_leaf(x=2)\n"
#define NAMES	"kunit_graph_root\n"		\
		"kunit_graph_leaf\n"		\
		"kunit_graph_mid\n"		\
		"kunit_graph_leaf\n"
#define TREE	"kunit_graph_root(x=1) {\n"	\
		"  kunit_graph_leaf(x=1) {\n"	\
		"  }\n"				\
		"  kunit_graph_mid(x=2) {\n"	\
		"    kunit_graph_leaf(x=2) {\n"	\
		"    }\n"			\
		"  }\n"				\
		"}\n"
#define BARE	"kunit_graph_root() {\n"	\
		"  kunit_graph_leaf() {\n"	\
		"  }\n"				\
		"  kunit_graph_mid() {\n"	\
		"    kunit_graph_leaf() {\n"	\
		"    }\n"			\
		"  }\n"				\
		"}\n"

struct args_ctx {
	struct trace_array	*tr;
	struct trace_iterator	iter;
	char			text[TEXT];
};

static int become(struct args_ctx *ctx, const char *name)
{
	guard(trace_instances)();
	return trace_set_tracer(ctx->tr, name);
}

static void option(struct kunit *test, const char *word)
{
	struct args_ctx *ctx = test->priv;
	char text[32];

	guard(trace_instances)();
	strscpy(text, word);
	KUNIT_EXPECT_EQ_MSG(test, trace_option_parse(ctx->tr, text), 0, "%s", word);
}

/* A record as a line, without columns and callers. */
static void text_add(struct args_ctx *ctx, struct trace_entry *ent, unsigned int size)
{
	struct trace_iterator *iter = &ctx->iter;
	u32 options = ctx->tr->options;

	iter->tr = ctx->tr;
	iter->array_buffer = &ctx->tr->array_buffer;
	iter->ent = ent;
	iter->ent_size = size;
	trace_seq_init(&iter->seq);
	ctx->tr->options = 0;
	trace_print_record(iter);
	ctx->tr->options = options;
	trace_seq_putc(&iter->seq, '\0');
	strlcat(ctx->text, iter->seq.buffer, TEXT);
}

/*
 * Make the calls and return the text of this task's records, only of those of @type if it is
 * not 0.
 */
static const char *calls(struct kunit *test, unsigned int type)
{
	struct args_ctx *ctx = test->priv;
	struct trace_buffer *buffer = ctx->tr->array_buffer.buffer;
	struct ring_buffer_event *event;
	struct trace_entry *ent;
	int cpu;

	KUNIT_EXPECT_EQ(test, kunit_graph_root(1), 5);
	ctx->text[0] = '\0';
	for_each_online_cpu(cpu) {
		while ((event = ring_buffer_consume(buffer, cpu, NULL, NULL))) {
			ent = ring_buffer_event_data(event);
			if (ent->pid == current->pid && (!type || ent->type == type))
				text_add(ctx, ent, ring_buffer_event_length(event));
		}
	}
	return ctx->text;
}

/* Each combination of the function tracer's options has a callback of its own. */
static void args_function(struct kunit *test)
{
	struct args_ctx *ctx = test->priv;

	KUNIT_ASSERT_EQ(test, become(ctx, "function"), 0);
	KUNIT_EXPECT_STREQ(test, calls(test, TRACE_FN), NAMES);
	option(test, "func-args");
	KUNIT_EXPECT_STREQ(test, calls(test, TRACE_FN), CALLS);
	option(test, "func_stack_trace");
	KUNIT_EXPECT_STREQ(test, calls(test, TRACE_FN), CALLS);
	option(test, "func-no-repeats");
	KUNIT_EXPECT_STREQ(test, calls(test, TRACE_FN), CALLS);
	option(test, "nofunc_stack_trace");
	KUNIT_EXPECT_STREQ(test, calls(test, TRACE_FN), CALLS);
	/* function-trace is an option of the latency tracers: this tracer ignores it. */
	option(test, "nofunction-trace");
	KUNIT_EXPECT_STREQ(test, calls(test, TRACE_FN), CALLS);
	KUNIT_EXPECT_EQ(test, become(ctx, "nop"), 0);
	KUNIT_EXPECT_EQ(test, become(ctx, "function"), 0);
	KUNIT_EXPECT_STREQ(test, calls(test, TRACE_FN), CALLS);
	option(test, "function-trace");
	option(test, "nofunc-no-repeats");
	option(test, "nofunc-args");
	KUNIT_EXPECT_STREQ(test, calls(test, TRACE_FN), NAMES);
}

/* The option stays with the tracer, whether it is the current one or not. */
static void args_later(struct kunit *test)
{
	struct args_ctx *ctx = test->priv;

	KUNIT_ASSERT_EQ(test, become(ctx, "function"), 0);
	option(test, "func-args");
	KUNIT_EXPECT_EQ(test, become(ctx, "nop"), 0);
	KUNIT_EXPECT_STREQ(test, calls(test, 0), "");
	KUNIT_EXPECT_EQ(test, become(ctx, "function"), 0);
	KUNIT_EXPECT_STREQ(test, calls(test, TRACE_FN), CALLS);
	option(test, "nofunc-args");
	KUNIT_EXPECT_STREQ(test, calls(test, TRACE_FN), NAMES);
}

static void args_graph(struct kunit *test)
{
	struct args_ctx *ctx = test->priv;

	KUNIT_ASSERT_EQ(test, become(ctx, "function_graph"), 0);
	KUNIT_EXPECT_STREQ(test, calls(test, 0), BARE);
	option(test, "funcgraph-args");
	KUNIT_EXPECT_STREQ(test, calls(test, 0), TREE);
	option(test, "nofuncgraph-args");
	KUNIT_EXPECT_STREQ(test, calls(test, 0), BARE);
}

#ifdef CONFIG_FUNCTION_GRAPH_RETADDR
/* Without the tracer's options, callers are in the records, but not in the lines. */
static void args_graph_callers(struct kunit *test)
{
	struct args_ctx *ctx = test->priv;

	KUNIT_ASSERT_EQ(test, become(ctx, "function_graph"), 0);
	option(test, "funcgraph-retaddr");
	KUNIT_EXPECT_STREQ(test, calls(test, 0), BARE);
	option(test, "funcgraph-args");
	KUNIT_EXPECT_STREQ(test, calls(test, 0), TREE);
	option(test, "nofuncgraph-retaddr");
	KUNIT_EXPECT_STREQ(test, calls(test, 0), TREE);
}
#endif

/* With another user of the function, both are called by one trampoline. */
static void args_shared(struct kunit *test)
{
	struct args_ctx *ctx = test->priv, *other;

	other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, other);
	other->tr = trace_array_get_by_name("kunit_args_other", NULL);
	KUNIT_ASSERT_NOT_NULL(test, other->tr);
	KUNIT_EXPECT_EQ(test, become(other, "function_graph"), 0);
	KUNIT_EXPECT_EQ(test, become(ctx, "function"), 0);
	option(test, "func-args");
	KUNIT_EXPECT_STREQ(test, calls(test, TRACE_FN), CALLS);
	KUNIT_EXPECT_EQ(test, become(ctx, "function_graph"), 0);
	option(test, "funcgraph-args");
	KUNIT_EXPECT_STREQ(test, calls(test, 0), TREE);
	trace_array_put(other->tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(other->tr), 0);
	KUNIT_EXPECT_STREQ(test, calls(test, 0), TREE);
}

/* A call's record with @nr arguments. */
static void expect_call(struct kunit *test, unsigned long ip, unsigned int nr, const char *want)
{
	struct args_ctx *ctx = test->priv;
	struct trace_function_entry *entry;

	entry = kunit_kzalloc(test, sizeof(*entry) + CALL_ARGS_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, entry);
	entry->ent.type = TRACE_FN;
	entry->ip = ip;
	memset(entry->args, 0xff, CALL_ARGS_SIZE);
	ctx->text[0] = '\0';
	text_add(ctx, &entry->ent, sizeof(*entry) + nr * sizeof(long));
	KUNIT_EXPECT_STREQ(test, ctx->text, want);
}

/* A record is printed even if nothing is known of its function. */
static void args_unknown(struct kunit *test)
{
	unsigned long ip = (unsigned long)kunit_graph_leaf;

	expect_call(test, ip, 1, "kunit_graph_leaf(x=-1)\n");
	expect_call(test, ip, 0, "kunit_graph_leaf\n");
	/* An address where no function is. */
	expect_call(test, 0x10, 2, "0x00000010(0xffffffffffffffff, 0xffffffffffffffff)\n");
}

static int args_init(struct kunit *test)
{
	struct args_ctx *ctx = kunit_kzalloc(test, sizeof(*ctx), GFP_KERNEL);
	unsigned char pattern[] = "kunit_graph_*";

	if (!ctx)
		return -ENOMEM;
	test_on_one_cpu(test);
	ctx->tr = trace_array_get_by_name("kunit_args", NULL);
	if (!ctx->tr)
		return -ENOMEM;
	test->priv = ctx;
	return ftrace_set_filter(&trace_graph_of(ctx->tr)->gops.ops, pattern,
				 sizeof(pattern) - 1, 1);
}

static void args_exit(struct kunit *test)
{
	struct args_ctx *ctx = test->priv;

	if (!ctx)
		return;
	trace_array_put(ctx->tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(ctx->tr), 0);
}

static struct kunit_case args_cases[] = {
	KUNIT_CASE(args_function),
	KUNIT_CASE(args_later),
	KUNIT_CASE(args_graph),
#ifdef CONFIG_FUNCTION_GRAPH_RETADDR
	KUNIT_CASE(args_graph_callers),
#endif
	KUNIT_CASE(args_shared),
	KUNIT_CASE(args_unknown),
	{ }
};

static struct kunit_suite args_suite = {
	.name		= "trace_args",
	.init		= args_init,
	.exit		= args_exit,
	.test_cases	= args_cases,
};

kunit_test_suite(args_suite);
