// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests: the perf events of ftrace:function. Counters of the kernel's own stand for those
 * of user space. Each test calls functions that nobody else calls.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/jiffies.h>
#include <linux/kallsyms.h>
#include <linux/kthread.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "events/internal.h"
#include "events/tests/targets.h"
#include "record/function.h"

#define FUNCTION_SIZE	28	/* of a record, with what perf puts before it a multiple of 8 */
#define FUNCTION_FIRST	"ip == kunit_perf_first"

struct function_env {
	unsigned int			seen;	/* records that perf handed out */
	unsigned int			size;	/* of the last of them */
	struct trace_function_entry	last;
};

static int function_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct function_env), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	return 0;
}

/* perf calls this with each record, with preemption off. */
static void function_seen(struct perf_event *event, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	struct function_env *env = event->overflow_handler_context;

	env->seen++;
	env->size = data->raw->frag.size;
	memcpy(&env->last, data->raw->frag.data, sizeof(env->last));
}

static struct perf_event_attr function_attr(unsigned int period)
{
	return (struct perf_event_attr) {
		.type			= PERF_TYPE_TRACEPOINT,
		.size			= sizeof(struct perf_event_attr),
		.config			= TRACE_FN,
		.sample_period		= period,
		.sample_type		= period ? PERF_SAMPLE_RAW : 0,
		.exclude_callchain_user	= 1,
	};
}

/* Make a counter of @task. function_seen() gets every @period-th record. */
static struct perf_event *function_open(struct kunit *test, struct task_struct *task,
					unsigned int period)
{
	struct perf_event_attr attr = function_attr(period);

	return perf_event_create_kernel_counter(&attr, -1, task, period ? function_seen : NULL,
						test->priv);
}

static int function_filter(struct perf_event *event, const char *filter)
{
	char text[96];

	strscpy(text, filter);
	return ftrace_profile_set_filter(event, TRACE_FN, text);
}

static u64 function_count(struct perf_event *event)
{
	u64 enabled, running;

	return perf_event_read_value(event, &enabled, &running);
}

/* Different numbers of calls, so that a count tells which of them it has. */
static void function_call(void)
{
	int i;

	for (i = 0; i < 1; i++)
		kunit_perf_first();
	for (i = 0; i < 10; i++)
		kunit_perf_second();
	for (i = 0; i < 100; i++)
		kunit_perf_third();
}

static void calls_are_counted(struct kunit *test)
{
	struct perf_event *event = function_open(test, current, 0);
	u64 count;

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	/* Without a filter every function is counted. */
	function_call();
	KUNIT_EXPECT_GE(test, function_count(event), 111);
	KUNIT_EXPECT_EQ(test, function_filter(event, FUNCTION_FIRST), 0);
	count = function_count(event);
	function_call();
	KUNIT_EXPECT_EQ(test, function_count(event) - count, 1);
	perf_event_disable(event);
	function_call();
	KUNIT_EXPECT_EQ(test, function_count(event) - count, 1);
	perf_event_enable(event);
	function_call();
	KUNIT_EXPECT_EQ(test, function_count(event) - count, 2);
	perf_event_release_kernel(event);
}

static void records_tell_the_call(struct kunit *test)
{
	struct function_env *env = test->priv;
	struct perf_event *event = function_open(test, current, 4);
	unsigned long size, offset;
	u64 count;

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	/* perf itself calls functions for each of these samples, and none of them counts. */
	function_call();
	KUNIT_EXPECT_GE(test, env->seen, 111 / 4);
	perf_event_release_kernel(event);

	event = function_open(test, current, 1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_EQ(test, function_filter(event, "ip == kunit_perf_second"), 0);
	count = function_count(event);
	env->seen = 0;
	function_call();
	KUNIT_EXPECT_EQ(test, function_count(event) - count, 10);
	KUNIT_EXPECT_EQ(test, env->seen, 10);
	KUNIT_EXPECT_EQ(test, env->size, FUNCTION_SIZE);
	KUNIT_EXPECT_EQ(test, env->last.ent.type, TRACE_FN);
	KUNIT_EXPECT_EQ(test, env->last.ent.pid, current->pid);
	KUNIT_EXPECT_TRUE(test, kallsyms_lookup_size_offset(env->last.ip, &size, &offset));
	KUNIT_EXPECT_EQ(test, env->last.ip - offset, (unsigned long)kunit_perf_second);
	KUNIT_EXPECT_TRUE(test, kallsyms_lookup_size_offset(env->last.parent_ip, &size, &offset));
	KUNIT_EXPECT_NE(test, offset, 0);
	perf_event_release_kernel(event);
}

#ifdef CONFIG_FTRACE_GRAPH
static int hook_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	return 1;
}

static void hook_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops) { }

static struct fgraph_ops function_hook = {
	.entryfunc	= hook_entry,
	.retfunc	= hook_return,
};

/* Calls from one place, however the compiler copies the calls of this. */
static noinline unsigned long parent_of_jump(struct function_env *env)
{
	env->seen = 0;
	kunit_perf_jump();
	barrier();
	return env->last.parent_ip;
}

/* A function that another one jumps to has the caller of that one for a parent. */
static void parents_are_callers(struct kunit *test)
{
	struct function_env *env = test->priv;
	struct perf_event *event = function_open(test, current, 1);
	unsigned long parent[2];
	int i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_EQ(test, function_filter(event, FUNCTION_FIRST), 0);
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&function_hook.ops,
						      (unsigned long)kunit_perf_jump, 0, 0));
	for (i = 0; i < 2; i++) {
		if (i)
			KUNIT_EXPECT_EQ(test, 0, register_ftrace_graph(&function_hook));
		parent[i] = parent_of_jump(env);
		KUNIT_EXPECT_EQ(test, env->seen, 1);
		if (i)
			unregister_ftrace_graph(&function_hook);
	}
	KUNIT_EXPECT_EQ_MSG(test, parent[0], parent[1], "%pS", (void *)parent[1]);
	ftrace_free_filter(&function_hook.ops);
	perf_event_release_kernel(event);
}
#endif

static const struct function_text {
	const char	*text;
	int		ret;
	unsigned int	count;		/* of the calls of function_call() */
} function_texts[] = {
	{ FUNCTION_FIRST,						0, 1 },
	{ "(ip==kunit_perf_second )",					0, 10 },
	{ "ip == \"kunit_perf_third\"",					0, 100 },
	{ "ip == kunit_perf_*",						0, 111 },
	{ "ip == 'kunit_perf_*d'",					0, 110 },
	{ "ip == kunit_perf_first, kunit_perf_second",			0, 11 },
	{ "ip == kunit_perf_first kunit_perf_third",			0, 101 },
	{ "ip == kunit_perf_first || ip == kunit_perf_third",		0, 101 },
	{ "ip == kunit_perf_first && ip == kunit_perf_third",		0, 101 },
	{ "ip == kunit_perf_* || ip != kunit_perf_first",		0, 110 },
	{ "ip != kunit_perf_third || ip == kunit_perf_*",		0, 11 },
	{ "ip == kunit_no_such",					-EINVAL },
	{ "ip == kunit_perf_first kunit_no_such",			-EINVAL },
	{ "ip == ",							-EINVAL },
	{ "ip == ''",							-EINVAL },
	{ "ip ~ kunit_perf_*",						-EINVAL },
	{ "ip > kunit_perf_first",					-EINVAL },
	{ "ip.function == kunit_perf_first",				-EINVAL },
	{ "parent_ip == kunit_perf_first",				-EINVAL },
	{ "common_pid == 1",						-EINVAL },
	{ "!(ip == kunit_perf_first)",					-EINVAL },
	{ "(ip == kunit_perf_* || ip == kunit_perf_first) && ip == kunit_perf_third", -EINVAL },
	{ "(ip == kunit_perf_first",					-ENOENT },
	{ "ip == 'kunit_perf_first",					-ESRCH },
	{ "",								-EINVAL },
	{ "0",								-EINVAL },
};

static void filters_name_functions(struct kunit *test)
{
	for (int i = 0; i < ARRAY_SIZE(function_texts); i++) {
		const struct function_text *want = &function_texts[i];
		struct perf_event *event = function_open(test, current, 0);
		u64 count;

		KUNIT_ASSERT_FALSE(test, IS_ERR(event));
		/* A refused text has to leave this filter in force. */
		if (want->ret)
			KUNIT_EXPECT_EQ(test, function_filter(event, "ip == kunit_perf_third"), 0);
		KUNIT_EXPECT_EQ_MSG(test, function_filter(event, want->text), want->ret, "%s",
				    want->text);
		count = function_count(event);
		function_call();
		KUNIT_EXPECT_EQ_MSG(test, function_count(event) - count,
				    want->ret ? 100 : want->count, "%s", want->text);
		perf_event_release_kernel(event);
	}
}

static void filters_change(struct kunit *test)
{
	struct perf_event *event = function_open(test, current, 0);
	u64 count;

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	KUNIT_EXPECT_EQ(test, function_filter(event, FUNCTION_FIRST), 0);
	KUNIT_EXPECT_EQ(test, function_filter(event, "ip == kunit_perf_s* kunit_perf_t*"), 0);
	count = function_count(event);
	function_call();
	KUNIT_EXPECT_EQ(test, function_count(event) - count, 110);
	/* Functions to leave out are a second filter, which leaves the first one alone. */
	KUNIT_EXPECT_EQ(test, function_filter(event, "ip != kunit_perf_third"), 0);
	count = function_count(event);
	function_call();
	KUNIT_EXPECT_EQ(test, function_count(event) - count, 10);
	perf_event_release_kernel(event);
}

static int function_thread(void *data)
{
	function_call();
	complete(data);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* The counter of a task has what this task calls, on whichever CPU, and nothing else. */
static void tasks_have_their_own(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(called);
	struct task_struct *other = kthread_create(function_thread, &called, "kunit_perf");
	struct perf_event *mine, *theirs;

	KUNIT_ASSERT_FALSE(test, IS_ERR(other));
	mine = function_open(test, current, 0);
	theirs = function_open(test, other, 0);
	KUNIT_EXPECT_FALSE(test, IS_ERR(mine));
	KUNIT_EXPECT_FALSE(test, IS_ERR(theirs));
	if (!IS_ERR(mine) && !IS_ERR(theirs)) {
		u64 count, their_count;

		KUNIT_EXPECT_EQ(test, function_filter(mine, "ip == kunit_perf_*"), 0);
		KUNIT_EXPECT_EQ(test, function_filter(theirs, "ip == kunit_perf_*"), 0);
		count = function_count(mine);
		their_count = function_count(theirs);
		kunit_perf_first();
		wake_up_process(other);
		wait_for_completion(&called);
		KUNIT_EXPECT_EQ(test, function_count(theirs) - their_count, 111);
		kthread_stop(other);
		KUNIT_EXPECT_EQ(test, function_count(mine) - count, 1);
		other = NULL;
	}
	if (!IS_ERR(theirs))
		perf_event_release_kernel(theirs);
	if (!IS_ERR(mine))
		perf_event_release_kernel(mine);
	if (other)
		kthread_stop(other);
}

/* Open the event and close it. Returns the errno if that is refused, else 0. */
static int function_refusal(const struct perf_event_attr *attr)
{
	struct perf_event_attr copy = *attr;
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&copy, -1, current,
						 attr->sample_period ? function_seen : NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	perf_event_disable(event);
	perf_event_release_kernel(event);
	return 0;
}

static void users_need_permission(struct kunit *test)
{
	struct perf_event_attr count = function_attr(0), sample = function_attr(1U << 30);
	struct cred *cred = prepare_creds();
	int paranoid = sysctl_perf_event_paranoid;
	const struct cred *old;

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_clear(cred->cap_effective);
	sysctl_perf_event_paranoid = 0;
	old = override_creds(cred);
	KUNIT_EXPECT_EQ(test, function_refusal(&count), -EPERM);
	sample.exclude_callchain_user = 0;
	KUNIT_EXPECT_EQ(test, function_refusal(&sample), -EPERM);
	revert_creds(old);
	sysctl_perf_event_paranoid = paranoid;
	put_cred(cred);

	KUNIT_EXPECT_EQ(test, function_refusal(&count), 0);
	count.exclude_callchain_user = 0;
	KUNIT_EXPECT_EQ(test, function_refusal(&count), 0);
	KUNIT_EXPECT_EQ(test, function_refusal(&sample), -EINVAL);
	sample.exclude_callchain_user = 1;
	KUNIT_EXPECT_EQ(test, function_refusal(&sample), 0);
	sample.sample_type |= PERF_SAMPLE_STACK_USER;
	KUNIT_EXPECT_EQ(test, function_refusal(&sample), -EINVAL);
}

/* Of the events in events/ftrace/, perf may open function and print, and no others. */
static void kinds_that_perf_has(struct kunit *test)
{
	struct perf_event_attr attr = function_attr(0);

	attr.config = TRACE_PRINT;
	KUNIT_EXPECT_EQ(test, function_refusal(&attr), 0);
	attr.config = TRACE_BPRINT;
	KUNIT_EXPECT_EQ(test, function_refusal(&attr), -EINVAL);
	attr.config = TRACE_STACK;
	KUNIT_EXPECT_EQ(test, function_refusal(&attr), -EINVAL);
}

/* A CPU that does not schedule until it is told to, or for too long. */
struct function_spinner {
	struct completion	spins;
	bool			told;
	bool			too_long;
};

static int function_spin(void *data)
{
	unsigned long end = jiffies + 20 * HZ;
	struct function_spinner *s = data;

	scoped_guard(preempt) {
		complete(&s->spins);
		while (!READ_ONCE(s->told) && !s->too_long) {
			s->too_long = time_after(jiffies, end);
			cpu_relax();
		}
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/*
 * The task that closes may hold mmap_lock. So it does not wait for callers on other CPUs, which may
 * take any time.
 */
static void close_waits_for_no_caller(struct kunit *test)
{
	struct perf_event *event = function_open(test, current, 0);
	struct function_spinner s = { };
	struct task_struct *task;
	unsigned int cpu;

	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	migrate_disable();
	cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	init_completion(&s.spins);
	task = cpu < nr_cpu_ids ? kthread_create(function_spin, &s, "kunit_spin") : NULL;
	if (!IS_ERR_OR_NULL(task)) {
		kthread_bind(task, cpu);
		wake_up_process(task);
		wait_for_completion(&s.spins);
	}
	perf_event_release_kernel(event);
	WRITE_ONCE(s.told, true);
	if (!IS_ERR_OR_NULL(task))
		kthread_stop(task);
	migrate_enable();
	KUNIT_EXPECT_FALSE(test, IS_ERR(task));
	KUNIT_EXPECT_FALSE(test, s.too_long);
	if (!task)
		kunit_skip(test, "needs two CPUs");
}

static struct kunit_case function_cases[] = {
	KUNIT_CASE(calls_are_counted),
	KUNIT_CASE(records_tell_the_call),
#ifdef CONFIG_FTRACE_GRAPH
	KUNIT_CASE(parents_are_callers),
#endif
	KUNIT_CASE(filters_name_functions),
	KUNIT_CASE(filters_change),
	KUNIT_CASE(tasks_have_their_own),
	KUNIT_CASE(users_need_permission),
	KUNIT_CASE(kinds_that_perf_has),
	KUNIT_CASE(close_waits_for_no_caller),
	{ }
};

static struct kunit_suite function_suite = {
	.name		= "trace-event-perf-function",
	.init		= function_init,
	.test_cases	= function_cases,
};

kunit_test_suite(function_suite);
