// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of predicates on arguments: a set of functions is edited by lines as users write
 * them, and asked about calls of them, with the registers that they are made with.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "functions/judge.h"
#include "functions/predicate.h"
#include "functions/tests/judge_targets.h"
#include "hooks/hooks.h"
#include "instance/instance.h"

/* A set of functions with a judge, and how many calls have passed, and were made. */
struct judge_set {
	struct ftrace_ops	ops;
	struct trace_judge	judge;
	unsigned int		passed, hits;
	int			refuse;		/* errno of applying a set */
	bool			asked_before;	/* a call was judged before the set was applied */
};

static void judge_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
		       struct ftrace_regs *fregs)
{
	struct judge_set *set = container_of(op, struct judge_set, ops);

	preempt_disable_notrace();
	set->hits++;
	set->passed += trace_judge_passes_call(&set->judge, ip, parent_ip, fregs);
	preempt_enable_notrace();
}

static int judge_apply(struct ftrace_hash *hash, void *data)
{
	struct judge_set *set = data;

	set->asked_before = trace_judge_is_used(&set->judge);
	if (!set->refuse)
		return ftrace_ops_filter_set(&set->ops, hash, false);
	ftrace_hash_free(hash);
	return set->refuse;
}

/* Write one word or line, and close the file. */
static int judge_write(struct kunit *test, const char *line)
{
	struct judge_set *set = test->priv;
	struct ftrace_hash *hash = ftrace_ops_filter_get(&set->ops, false);
	struct trace_judge_edit edit;
	char word[128];
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, hash);
	KUNIT_ASSERT_EQ(test, 0, trace_judge_edit_begin(&edit, &set->judge, trace_top_instance(),
							hash));
	strscpy(word, line);
	if (trace_judge_is_line(word))
		ret = trace_judge_edit_take(&edit, word);
	else if (*word == '!' && trace_judge_edit_drop(&edit, word + 1) < 0)
		ret = -ENOMEM;
	else
		ret = ftrace_hash_apply(hash, word, NULL, NULL) > 0 ? 0 : -EINVAL;
	if (ret)
		ftrace_hash_free(hash);
	else
		ret = trace_judge_edit_commit(&edit, hash, judge_apply, set);
	trace_judge_edit_end(&edit);
	return ret;
}

static void judge_begin(struct kunit *test)
{
	struct judge_set *set = test->priv;

	set->passed = 0;
	set->hits = 0;
}

static void judge_expect(struct kunit *test, unsigned int passed)
{
	struct judge_set *set = test->priv;

	KUNIT_EXPECT_EQ(test, 1, set->hits);
	KUNIT_EXPECT_EQ(test, passed, set->passed);
}

/* Make a call, which passes or not. */
static void expect_one(struct kunit *test, unsigned int passed, unsigned long size, int delta,
		       const char *name)
{
	judge_begin(test);
	judge_target_one(size, delta, name);
	judge_expect(test, passed);
}

static void expect_two(struct kunit *test, unsigned int passed, int delta, unsigned long size)
{
	judge_begin(test);
	judge_target_two(delta, size, "");
	judge_expect(test, passed);
}

static void judge_hook(struct kunit *test)
{
	struct judge_set *set = test->priv;

	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&set->ops));
}

/* Arguments by number: all of a register, or the argument's type if BTF knows the function. */
static void judge_by_number(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, judge_write(test, "judge_target_one if arg1 > 4096"));
	judge_hook(test);
	expect_one(test, 1, 4097, 0, "");
	expect_one(test, 0, 4096, 0, "");
	KUNIT_ASSERT_EQ(test, 0, judge_write(test, "!judge_target_one if arg1 > 4096") +
			judge_write(test, "judge_target_one if $arg2 == 7 || !(arg1 & 1)"));
	expect_one(test, 1, 1, 7, "");
	expect_one(test, 1, 2, 8, "");
	expect_one(test, 0, 1, 8, "");
	KUNIT_EXPECT_EQ(test, -EINVAL, judge_write(test, "judge_target_one if arg0 == 1"));
	KUNIT_EXPECT_EQ(test, -EINVAL, judge_write(test, "judge_target_one if arg9 == 1"));
	KUNIT_EXPECT_EQ(test, -EINVAL, judge_write(test, "judge_target_one if $nothing == 1"));
}

/* Names and types, as BTF tells them; the places differ from function to function. */
static void judge_by_name(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_TRACE_BTF))
		kunit_skip(test, "BTF is not looked at");
	KUNIT_ASSERT_EQ(test, 0, judge_write(test, "judge_target_* if size > 4096 && delta < 0"));
	judge_hook(test);
	expect_one(test, 1, 4097, -1, "");
	expect_one(test, 0, 4096, -1, "");
	expect_one(test, 0, 4097, 1, "");
	expect_two(test, 1, -1, 4097);
	expect_two(test, 0, 1, 4097);
	KUNIT_ASSERT_EQ(test, 0, judge_write(test, "!judge_target_* if size > 4096 && delta < 0") +
			judge_write(test, "judge_target_one if name ~ \"*.c\""));
	expect_one(test, 1, 0, 0, "a.c");
	expect_one(test, 0, 0, 0, "a.h");
	KUNIT_EXPECT_EQ(test, -EINVAL, judge_write(test, "judge_target_one if count > 1"));
}

/* A call passes if any entry that names its function passes. */
static void judge_several(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, judge_write(test, "judge_target_one if arg1 == 1"));
	KUNIT_ASSERT_EQ(test, 0, judge_write(test, "judge_target_* if arg1 == 2"));
	/* It is there already. */
	KUNIT_ASSERT_EQ(test, 0, judge_write(test, "judge_target_one if arg1 == 1"));
	judge_hook(test);
	expect_one(test, 1, 1, 0, "");
	expect_one(test, 1, 2, 0, "");
	expect_one(test, 0, 3, 0, "");
	expect_two(test, 0, 1, 0);
	/* A function that is named without a predicate passes always, and no other does. */
	KUNIT_ASSERT_EQ(test, 0, judge_write(test, "judge_target_one"));
	expect_one(test, 1, 3, 0, "");
	expect_two(test, 0, 1, 0);
	KUNIT_ASSERT_EQ(test, 0, judge_write(test, "!judge_target_* if arg1 == 2"));
	expect_one(test, 1, 3, 0, "");
	KUNIT_EXPECT_EQ(test, -EINVAL, judge_write(test, "!judge_target_* if arg1 == 2"));
}

/* A wrong line is refused, and changes nothing. */
static void judge_refused(struct kunit *test)
{
	static const char * const lines[] = {
		"judge_target_one if arg1", "judge_target_one if arg1 >", "judge_target_one if ",
		"judge_target_one if (arg1 == 1", "judge_target_one if arg1 ~ \"x\"",
		"judge_target_one if arg1 == 1 arg2 == 2", "judge_target_one when arg1 == 1",
		"judge_no_target if arg1 == 1", "judge_target_one:traceoff if arg1 == 1",
		"!judge_target_one if arg1 == 2", "! if arg1 == 1",
	};
	struct judge_set *set = test->priv;

	KUNIT_ASSERT_EQ(test, 0, judge_write(test, "judge_target_one if arg1 == 1"));
	judge_hook(test);
	for (int i = 0; i < ARRAY_SIZE(lines); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, judge_write(test, lines[i]), "%s", lines[i]);
	set->refuse = -ENOMEM;
	KUNIT_EXPECT_EQ(test, -ENOMEM, judge_write(test, "judge_target_one if arg1 == 2"));
	KUNIT_EXPECT_EQ(test, -ENOMEM, judge_write(test, "!judge_target_one if arg1 == 1"));
	set->refuse = 0;
	expect_one(test, 1, 1, 0, "");
	expect_one(test, 0, 2, 0, "");
}

/* No call of a function that comes or leaves is judged by no rule. */
static void judge_order(struct kunit *test)
{
	unsigned long ip = ftrace_location((unsigned long)judge_target_one);
	struct judge_set *set = test->priv;

	KUNIT_ASSERT_EQ(test, 0, judge_write(test, "judge_target_one if arg1 == 1"));
	KUNIT_EXPECT_TRUE(test, set->asked_before);
	judge_hook(test);
	/* The set that is not applied leaves the function hooked. */
	KUNIT_ASSERT_EQ(test, 0, judge_write(test, "judge_target_two if arg1 == 2"));
	KUNIT_ASSERT_EQ(test, 0, judge_write(test, "!judge_target_one"));
	scoped_guard(preempt)
		KUNIT_EXPECT_FALSE(test, trace_judge_passes(&set->judge, ip, NULL));
	KUNIT_ASSERT_EQ(test, 0, judge_write(test, "judge_target_one"));
	expect_one(test, 1, 2, 0, "");
	KUNIT_ASSERT_EQ(test, 0, judge_write(test, "!judge_target_two"));
	KUNIT_EXPECT_TRUE(test, set->asked_before);
	KUNIT_EXPECT_FALSE(test, trace_judge_is_used(&set->judge));
}

/* A function that was taken out of the set by others does not come back with its predicates. */
static void judge_set_by_others(struct kunit *test)
{
	unsigned long one = ftrace_location((unsigned long)judge_target_one);
	unsigned long two = ftrace_location((unsigned long)judge_target_two);
	struct judge_set *set = test->priv;

	KUNIT_ASSERT_EQ(test, 0, judge_write(test, "judge_target_* if arg1 == 1"));
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&set->ops, two, 0, 1));
	KUNIT_ASSERT_EQ(test, 0, judge_write(test, "judge_target_two if arg1 == 2"));
	scoped_guard(ftrace_lock) {
		KUNIT_EXPECT_FALSE(test, ftrace_ops_filter_has(&set->ops, one, false));
		KUNIT_EXPECT_TRUE(test, ftrace_ops_filter_has(&set->ops, two, false));
	}
	judge_hook(test);
	expect_two(test, 1, 1, 0);
	expect_two(test, 1, 2, 0);
	expect_two(test, 0, 3, 0);
}

/* Functions whose arguments are in the same places have one predicate. */
static void judge_shared(struct kunit *test)
{
	struct trace_predicate *one, *two, *again;
	struct trace_predicate_maker maker;
	struct trace_filter_error error;

	trace_predicate_maker_init(&maker, "arg3 == 1 || $arg3 == 2");
	one = trace_predicate_make(&maker, ftrace_location((unsigned long)judge_target_one),
				   &error);
	KUNIT_ASSERT_FALSE(test, IS_ERR(one));
	two = trace_predicate_make(&maker, ftrace_location((unsigned long)judge_target_two),
				   &error);
	KUNIT_ASSERT_FALSE(test, IS_ERR(two));
	again = trace_predicate_make(&maker, ftrace_location((unsigned long)judge_target_one),
				     &error);
	KUNIT_EXPECT_PTR_EQ(test, one, two);
	KUNIT_EXPECT_PTR_EQ(test, one, again);
	KUNIT_EXPECT_EQ(test, 4, refcount_read(&one->refs));
	trace_predicate_maker_end(&maker);
	KUNIT_EXPECT_EQ(test, 3, refcount_read(&one->refs));
	trace_predicate_put(one);
	trace_predicate_put(two);
	trace_predicate_put(again);
}

static int judge_test_init(struct kunit *test)
{
	struct judge_set *set = kunit_kzalloc(test, sizeof(*set), GFP_KERNEL);

	if (!set)
		return -ENOMEM;
	set->ops.func = judge_call;
	trace_judge_init(&set->judge);
	test->priv = set;
	return 0;
}

static void judge_test_exit(struct kunit *test)
{
	struct judge_set *set = test->priv;

	if (!set)
		return;
	if (set->ops.flags & FTRACE_OPS_FL_ENABLED)
		unregister_ftrace_function(&set->ops);
	ftrace_free_filter(&set->ops);
	ftrace_hooks_synchronize();
	trace_judge_destroy(&set->judge);
}

static struct kunit_case judge_cases[] = {
	KUNIT_CASE(judge_by_number),
	KUNIT_CASE(judge_by_name),
	KUNIT_CASE(judge_several),
	KUNIT_CASE(judge_refused),
	KUNIT_CASE(judge_order),
	KUNIT_CASE(judge_set_by_others),
	KUNIT_CASE(judge_shared),
	{}
};

static struct kunit_suite judge_suite = {
	.name		= "trace_functions_judge",
	.init		= judge_test_init,
	.exit		= judge_test_exit,
	.test_cases	= judge_cases,
};

kunit_test_suite(judge_suite);
