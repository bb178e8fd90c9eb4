// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the stack tracer: record the stack of a function whose frames are known. Only
 * that function has the hook, so nothing else is recorded.
 */
#include <kunit/test.h>

#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/sysctl.h>

#include "functions/internal.h"
#include "functions/tests/stack_targets.h"

static struct trace_stack_record stack_before, stack_after;

static int stack_switch(const char *value)
{
	const struct ctl_table table = {
		.data	= &stack_tracer_enabled,
		.maxlen	= sizeof(stack_tracer_enabled),
		.mode	= 0644,
	};
	char text[8];
	size_t len = strscpy(text, value, sizeof(text));
	loff_t pos = 0;

	return stack_trace_sysctl(&table, 1, text, &len, &pos);
}

static void stack_filter_clear(void)
{
	struct trace_filter_edit edit;

	if (!trace_filter_edit_begin(&edit, trace_stack_functions(), false, true))
		trace_filter_edit_commit(&edit);
}

static int stack_test_init(struct kunit *test)
{
	char target[] = "stack_target";

	if (stack_tracer_enabled)
		kunit_skip(test, "the stack tracer is in use");
	KUNIT_ASSERT_EQ(test, 0, trace_filter_set_text(trace_stack_functions(), target, false));
	trace_stack_set_limit(0);
	KUNIT_ASSERT_EQ(test, 0, stack_switch("1"));
	return 0;
}

static void stack_test_exit(struct kunit *test)
{
	stack_switch("0");
	stack_filter_clear();
	trace_stack_set_limit(0);
}

/* How many of the innermost calls of a record are the target's? */
static unsigned int stack_target_calls(const struct trace_stack_record *rec)
{
	unsigned long size, offset;
	unsigned int n;

	for (n = 0; n < rec->nr; n++) {
		if (!kallsyms_lookup_size_offset(rec->ips[n], &size, &offset) ||
		    rec->ips[n] - offset != (unsigned long)stack_target)
			break;
	}
	return n;
}

static void calls_have_sizes(struct kunit *test)
{
	struct trace_stack_record *rec = &stack_after;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, 15, stack_target(5));
	trace_stack_copy(rec);
	KUNIT_EXPECT_EQ(test, rec->depths[0], trace_stack_limit());
	KUNIT_ASSERT_EQ(test, stack_target_calls(rec), 6);
	KUNIT_ASSERT_GT(test, rec->nr, 7);
	/* The innermost one has just begun. */
	KUNIT_EXPECT_EQ(test, rec->depths[0] - rec->depths[1], ARCH_FTRACE_CALL_SIZE);
	for (i = 2; i < rec->nr; i++)
		KUNIT_EXPECT_GT(test, rec->depths[i - 1], rec->depths[i]);
	/*
	 * Calls of one function have frames of one size. Where a compiler saves return
	 * addresses at the outer end of frames, the innermost and the outermost of these calls
	 * are accounted differently.
	 */
	for (i = 2; i < 5; i++) {
		KUNIT_EXPECT_GE(test, rec->depths[i] - rec->depths[i + 1], STACK_TARGET_FRAME);
		KUNIT_EXPECT_EQ(test, rec->depths[i] - rec->depths[i + 1],
				rec->depths[2] - rec->depths[3]);
	}
	/* A call of the test takes what the call of it takes, and what the task has before. */
	KUNIT_EXPECT_LT(test, rec->depths[0], THREAD_SIZE);
}

static void only_more_is_recorded(struct kunit *test)
{
	unsigned long limit;

	stack_target(3);
	trace_stack_copy(&stack_before);
	limit = trace_stack_limit();
	stack_target(1);
	stack_target(3);
	trace_stack_copy(&stack_after);
	KUNIT_EXPECT_MEMEQ(test, &stack_before, &stack_after, sizeof(stack_after));
	KUNIT_EXPECT_EQ(test, limit, trace_stack_limit());

	stack_target(6);
	trace_stack_copy(&stack_after);
	KUNIT_EXPECT_EQ(test, stack_target_calls(&stack_after), 7);
	KUNIT_EXPECT_EQ(test, stack_after.nr, stack_before.nr + 3);
	KUNIT_EXPECT_GT(test, trace_stack_limit(), limit);

	/* Anew; until then the record stays. */
	trace_stack_set_limit(0);
	trace_stack_copy(&stack_before);
	KUNIT_EXPECT_MEMEQ(test, &stack_before, &stack_after, sizeof(stack_after));
	stack_target(1);
	trace_stack_copy(&stack_after);
	KUNIT_EXPECT_EQ(test, stack_target_calls(&stack_after), 2);
	KUNIT_EXPECT_LT(test, trace_stack_limit(), limit);
}

static void disabled_on_this_cpu(struct kunit *test)
{
	stack_target(1);
	trace_stack_copy(&stack_before);
	preempt_disable();
	stack_tracer_disable();
	stack_target(5);
	stack_tracer_enable();
	preempt_enable();
	trace_stack_copy(&stack_after);
	KUNIT_EXPECT_MEMEQ(test, &stack_before, &stack_after, sizeof(stack_after));
	stack_target(5);
	trace_stack_copy(&stack_after);
	KUNIT_EXPECT_EQ(test, stack_target_calls(&stack_after), 6);
}

static void switched_off(struct kunit *test)
{
	stack_target(1);
	trace_stack_copy(&stack_before);
	KUNIT_EXPECT_EQ(test, 0, stack_switch("0"));
	stack_target(5);
	trace_stack_copy(&stack_after);
	KUNIT_EXPECT_MEMEQ(test, &stack_before, &stack_after, sizeof(stack_after));
	/* A value that is not a number changes nothing. */
	KUNIT_EXPECT_EQ(test, -EINVAL, stack_switch("x"));
	KUNIT_EXPECT_EQ(test, 0, stack_tracer_enabled);
	KUNIT_EXPECT_EQ(test, 0, stack_switch("1"));
	stack_target(5);
	trace_stack_copy(&stack_after);
	KUNIT_EXPECT_EQ(test, stack_target_calls(&stack_after), 6);
}

#ifdef CONFIG_FTRACE_GRAPH
static int stack_await(struct ftrace_graph_ent *call, struct fgraph_ops *gops)
{
	return 1;
}

static void stack_returned(struct ftrace_graph_ret *ret, struct fgraph_ops *gops)
{
}

/* The addresses that calls return to are not on the stack then. */
static void returns_are_hooked(struct kunit *test)
{
	static struct fgraph_ops gops = { .entryfunc = stack_await, .retfunc = stack_returned };
	unsigned long site = ftrace_location((unsigned long)stack_target);

	stack_target(3);
	trace_stack_copy(&stack_before);
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&gops.ops, site, 0, 0));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_graph(&gops));
	trace_stack_set_limit(0);
	stack_target(3);
	unregister_ftrace_graph(&gops);
	ftrace_free_filter(&gops.ops);
	trace_stack_copy(&stack_after);
	KUNIT_EXPECT_EQ(test, stack_target_calls(&stack_after), 4);
	KUNIT_EXPECT_EQ(test, stack_after.nr, stack_before.nr);
	KUNIT_EXPECT_EQ(test, stack_after.depths[0], stack_before.depths[0]);
	KUNIT_EXPECT_EQ(test, stack_after.depths[2], stack_before.depths[2]);
}
#endif

static void commands_are_refused(struct kunit *test)
{
	struct trace_filter_edit edit;
	char command[] = "stack_target:traceoff", name[] = "stack_target";

	KUNIT_ASSERT_EQ(test, 0, trace_filter_edit_begin(&edit, trace_stack_functions(), false,
							 false));
	KUNIT_EXPECT_EQ(test, -EINVAL, trace_filter_edit_take(&edit, command));
	KUNIT_EXPECT_EQ(test, 0, trace_filter_edit_take(&edit, name));
	trace_filter_edit_cancel(&edit);
}

static struct kunit_case stack_cases[] = {
	KUNIT_CASE(calls_have_sizes),
	KUNIT_CASE(only_more_is_recorded),
	KUNIT_CASE(disabled_on_this_cpu),
	KUNIT_CASE(switched_off),
#ifdef CONFIG_FTRACE_GRAPH
	KUNIT_CASE(returns_are_hooked),
#endif
	KUNIT_CASE(commands_are_refused),
	{}
};

static struct kunit_suite stack_suite = {
	.name		= "trace_functions_stack",
	.init		= stack_test_init,
	.exit		= stack_test_exit,
	.test_cases	= stack_cases,
};

kunit_test_suite(stack_suite);
