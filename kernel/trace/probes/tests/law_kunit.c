// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the law of returns. Of probes of functions' returns, entries = hits + misses by reason +
 * calls in flight, whatever becomes of the calls.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/ring_buffer.h>
#include <linux/sched/task.h>

#include "events/calls.h"
#include "hooks/hooks.h"
#include "instance/instance.h"
#include "probes/kprobe_return.h"
#include "probes/tests/found.h"
#include "probes/tests/targets.h"

#define LAW_EVENT	"law"
#define LAW_CALLS	500
#define LAW_TASKS	3

/* A probe of a kretprobe event, or of an fprobe event, without arguments that are kept, or with. */
struct law_form {
	const char	*name;
	const char	*format;
	bool		kprobe;
};

static const struct law_form law_forms[] = {
	{ "kretprobe", "r%s:kunit/law %s", true },
	{ "kretprobe, kept", "r%s:kunit/law %s $arg1", true },
	{ "fprobe", "f%s:kunit/law %s%%return", false },
	{ "fprobe, kept", "f%s:kunit/law %s%%return $arg1", false },
};

KUNIT_ARRAY_PARAM_DESC(law, law_forms, name);

/* Are the calls counted on shadow stacks, and not by kprobes? */
static bool law_has_stack(const struct law_form *form)
{
	return !form->kprobe || TRACE_KPROBE_RETURNS;
}

static struct trace_probe *law_begin(struct kunit *test, const char *active, const char *function)
{
	const struct law_form *form = test->param_value;
	char line[128];

	snprintf(line, sizeof(line), form->format, active, function);
	KUNIT_ASSERT_EQ_MSG(test, found_run(line), 0, "%s", line);
	KUNIT_ASSERT_EQ(test, found_switch(trace_top_instance(), LAW_EVENT, true), 0);
	return found_probe(test, LAW_EVENT);
}

static void law_count(struct trace_probe *probe, struct trace_probe_counts *counts)
{
	guard(trace_events)();
	trace_probe_count(probe, counts);
}

static void law_expect(struct kunit *test, struct trace_probe *probe, unsigned long entries,
		       unsigned long hits, unsigned long flying)
{
	struct trace_probe_counts counts;

	law_count(probe, &counts);
	KUNIT_EXPECT_EQ(test, counts.entered, entries);
	KUNIT_EXPECT_EQ(test, counts.hits, hits);
	KUNIT_EXPECT_EQ(test, trace_probe_counts_flying(&counts), flying);
	KUNIT_EXPECT_EQ(test, trace_probe_counts_missed(&counts), entries - hits - flying);
}

/* Calls inside of each other, as many as there are, and more than may await their return. */
static void law_recursive(struct kunit *test)
{
	struct trace_probe *probe = law_begin(test, "", "kunit_probe_deep");

	law_expect(test, probe, 0, 0, 0);
	kunit_probe_deep(4);
	law_expect(test, probe, 5, 5, 0);
	KUNIT_ASSERT_NE(test, found_clear(), -EBUSY);
	probe = law_begin(test, "2", "kunit_probe_deep");
	kunit_probe_deep(4);
	law_expect(test, probe, 5, 2, 0);
	KUNIT_EXPECT_EQ(test, found_missed(probe, TRACE_PROBE_MISS_RETURN), 3);
}

/* A return while a kprobe is at work on the CPU. */
static void law_nested(struct kunit *test)
{
	const struct law_form *form = test->param_value;
	struct trace_probe *probe = law_begin(test, "", "kunit_probe_sum");

	preempt_disable();
	kprobe_busy_begin();
	kunit_probe_sum(1, 2);
	kprobe_busy_end();
	preempt_enable();
	law_expect(test, probe, 1, !form->kprobe, 0);
	KUNIT_EXPECT_EQ(test, found_missed(probe, TRACE_PROBE_MISS_NESTED), form->kprobe);
	kunit_probe_sum(1, 2);
	law_expect(test, probe, 2, 1 + !form->kprobe, 0);
}

/* A task in a probed function. */
struct law_sleeper {
	struct task_struct	*task;
	struct completion	inside, go_on;
	bool			dies;
};

static long law_inside(void *arg)
{
	struct law_sleeper *sleeper = arg;

	complete(&sleeper->inside);
	if (sleeper->dies)
		kthread_exit(0);
	wait_for_completion(&sleeper->go_on);
	return 0;
}

static int law_main(void *arg)
{
	return kunit_probe_call(law_inside, arg);
}

static void law_sleep(struct kunit *test, struct law_sleeper *sleeper)
{
	init_completion(&sleeper->inside);
	init_completion(&sleeper->go_on);
	sleeper->task = kthread_create(law_main, sleeper, "law_sleeper");
	KUNIT_ASSERT_FALSE(test, IS_ERR(sleeper->task));
	get_task_struct(sleeper->task);
	wake_up_process(sleeper->task);
	wait_for_completion(&sleeper->inside);
}

static void law_wake(struct law_sleeper *sleeper)
{
	complete(&sleeper->go_on);
	kthread_stop(sleeper->task);
	put_task_struct(sleeper->task);
}

/* Calls that last are in flight. */
static void law_lasting(struct kunit *test)
{
	struct trace_probe *probe = law_begin(test, "", "kunit_probe_call");
	struct law_sleeper one = {}, two = {};

	law_sleep(test, &one);
	law_expect(test, probe, 1, 0, 1);
	law_sleep(test, &two);
	law_expect(test, probe, 2, 0, 2);
	law_wake(&one);
	law_expect(test, probe, 2, 1, 1);
	law_wake(&two);
	law_expect(test, probe, 2, 2, 0);
}

/* Calls that last longer than the event is on, which is on again at once. */
static void law_switched(struct kunit *test)
{
	const struct law_form *form = test->param_value;
	struct trace_array *tr = trace_top_instance();
	struct trace_probe *probe = law_begin(test, "", "kunit_probe_call");
	struct law_sleeper one = {}, two = {};

	law_sleep(test, &one);
	KUNIT_ASSERT_EQ(test, found_switch(tr, LAW_EVENT, false), 0);
	if (!law_has_stack(form))
		law_wake(&one);
	KUNIT_ASSERT_EQ(test, found_switch(tr, LAW_EVENT, true), 0);
	law_sleep(test, &two);
	/* Until no handler runs any more, it is in flight. Then nobody awaits it. */
	ftrace_hooks_drain();
	law_expect(test, probe, 2, 0, 1);
	KUNIT_EXPECT_EQ(test, found_missed(probe, TRACE_PROBE_MISS_OFF), 1);
	if (law_has_stack(form))
		law_wake(&one);
	law_expect(test, probe, 2, 0, 1);
	law_wake(&two);
	law_expect(test, probe, 2, 1, 0);
	KUNIT_ASSERT_EQ(test, found_switch(tr, LAW_EVENT, false), 0);
	ftrace_hooks_drain();
	law_expect(test, probe, 2, 1, 0);
	KUNIT_EXPECT_EQ(test, found_missed(probe, TRACE_PROBE_MISS_OFF), 1);
}

/* A task ends within the function. It is counted when the task is freed, which others do. */
static void law_dies(struct kunit *test)
{
	struct law_sleeper sleeper = { .dies = true };
	struct trace_probe *probe;

	if (!law_has_stack(test->param_value))
		kunit_skip(test, "kprobes do not tell of calls whose task has ended");
	probe = law_begin(test, "", "kunit_probe_call");
	law_sleep(test, &sleeper);
	law_wake(&sleeper);
	/* It has to run once more for that, and its CPU may be busy. */
	for (int i = 0; !found_missed(probe, TRACE_PROBE_MISS_LEFT) && i < 12000; i++) {
		rcu_barrier();
		fsleep(10000);
	}
	law_expect(test, probe, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, found_missed(probe, TRACE_PROBE_MISS_LEFT), 1);
}

static int law_call_often(void *arg)
{
	for (int i = 0; i < LAW_CALLS; i++) {
		kunit_probe_deep(1);
		cond_resched();
	}
	while (!kthread_should_stop())
		fsleep(1000);
	return 0;
}

/* Tasks call the function while the counts are read, which never say that more left than came. */
static void law_meanwhile(struct kunit *test)
{
	struct trace_probe *probe = law_begin(test, "", "kunit_probe_deep");
	const unsigned long all = 2 * LAW_CALLS * LAW_TASKS;
	struct task_struct *task[LAW_TASKS];
	struct trace_probe_counts counts;
	unsigned long seen = 0;

	for (int i = 0; i < LAW_TASKS; i++) {
		task[i] = kthread_run(law_call_often, NULL, "law_%d", i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(task[i]));
	}
	do {
		law_count(probe, &counts);
		if (counts.entered < seen || counts.entered < counts.hits)
			break;
		seen = counts.entered;
		cond_resched();
	} while (counts.hits + trace_probe_counts_missed(&counts) < all);
	for (int i = 0; i < LAW_TASKS; i++)
		kthread_stop(task[i]);
	KUNIT_EXPECT_GE(test, counts.entered, seen);
	law_expect(test, probe, all, all - trace_probe_counts_missed(&counts), 0);
}

static struct kunit_case law_cases[] = {
	KUNIT_CASE_PARAM(law_recursive, law_gen_params),
	KUNIT_CASE_PARAM(law_nested, law_gen_params),
	KUNIT_CASE_PARAM(law_lasting, law_gen_params),
	KUNIT_CASE_PARAM(law_switched, law_gen_params),
	KUNIT_CASE_PARAM(law_dies, law_gen_params),
	KUNIT_CASE_PARAM(law_meanwhile, law_gen_params),
	{}
};

static int law_init(struct kunit *test)
{
	if (!trace_top_instance())
		kunit_skip(test, "there is no tracing");
	ring_buffer_reset(trace_top_instance()->array_buffer.buffer);
	return 0;
}

static void law_exit(struct kunit *test)
{
	KUNIT_EXPECT_NE(test, found_clear(), -EBUSY);
}

static struct kunit_suite law_suite = {
	.name		= "trace_probe_law",
	.init		= law_init,
	.exit		= law_exit,
	.test_cases	= law_cases,
};

kunit_test_suite(law_suite);
