// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of pid filters, with tasks that really run, switch, wake up and end.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "tasks/pid_filter.h"

/* A filter, and what it said of its changes. */
struct pid_test {
	struct trace_pid_filter	filter;
	unsigned int		changes;
	bool			limited;
	bool			made;
};

static void pid_test_changed(struct trace_pid_filter *filter, bool limited)
{
	struct pid_test *pt = container_of(filter, struct pid_test, filter);

	pt->changes++;
	pt->limited = limited;
}

static int pid_test_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct pid_test), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

static void pid_test_exit(struct kunit *test)
{
	struct pid_test *pt = test->priv;

	if (!pt || !pt->made)
		return;
	trace_pid_filter_end(&pt->filter);
	tracepoint_synchronize_unregister();
	trace_pid_filter_destroy(&pt->filter);
}

static struct trace_pid_filter *make_filter(struct kunit *test,
					    enum trace_pid_question question)
{
	struct pid_test *pt = test->priv;

	KUNIT_ASSERT_EQ(test, trace_pid_filter_init(&pt->filter, question,
						    pid_test_changed, false), 0);
	pt->made = true;
	return &pt->filter;
}

static struct trace_pid_list *make_list(struct kunit *test, unsigned int pid)
{
	struct trace_pid_list *list = trace_pid_list_alloc();

	KUNIT_ASSERT_NOT_NULL(test, list);
	KUNIT_ASSERT_EQ(test, trace_pid_list_prepare(list, pid), 0);
	KUNIT_ASSERT_EQ(test, trace_pid_list_set(list, pid), 0);
	return list;
}

/* Let the list @kind hold @pid alone; 0: no list. */
static void pids_put(struct kunit *test, enum trace_pid_kind kind, unsigned int pid)
{
	struct pid_test *pt = test->priv;
	struct trace_pid_list *list = pid ? make_list(test, pid) : NULL;

	guard(mutex)(&pt->filter.lock);
	KUNIT_EXPECT_EQ(test, trace_pid_filter_replace(&pt->filter, kind, list), 0);
}

static bool list_has(struct kunit *test, enum trace_pid_kind kind, unsigned int pid)
{
	struct pid_test *pt = test->priv;
	struct trace_pid_list *list;

	guard(mutex)(&pt->filter.lock);
	list = trace_pid_filter_list(&pt->filter, kind);
	return list && trace_pid_list_is_set(list, pid);
}

static bool ignores_running(struct kunit *test)
{
	struct pid_test *pt = test->priv;

	guard(preempt_notrace)();
	return trace_pid_filter_ignores_running(&pt->filter);
}

static bool ignores_event(struct kunit *test)
{
	struct pid_test *pt = test->priv;

	guard(preempt_notrace)();
	return trace_pid_filter_ignores_event(&pt->filter);
}

/* Both questions have the same answers when an event is about nobody else. */
static void expect_rules(struct kunit *test, bool (*ignores)(struct kunit *test))
{
	struct pid_test *pt = test->priv;
	unsigned int me = current->pid;

	KUNIT_EXPECT_FALSE(test, trace_pid_filter_limited(&pt->filter));
	KUNIT_EXPECT_FALSE(test, ignores(test));
	pids_put(test, TRACE_PIDS_ONLY, me);
	KUNIT_EXPECT_TRUE(test, trace_pid_filter_limited(&pt->filter));
	KUNIT_EXPECT_FALSE(test, ignores(test));
	pids_put(test, TRACE_PIDS_ONLY, me + 1);
	KUNIT_EXPECT_TRUE(test, ignores(test));
	pids_put(test, TRACE_PIDS_NEVER, me + 1);
	KUNIT_EXPECT_TRUE(test, ignores(test));
	pids_put(test, TRACE_PIDS_ONLY, 0);
	KUNIT_EXPECT_FALSE(test, ignores(test));
	pids_put(test, TRACE_PIDS_NEVER, me);
	KUNIT_EXPECT_TRUE(test, ignores(test));
	/* A task on both lists does not pass. */
	pids_put(test, TRACE_PIDS_ONLY, me);
	KUNIT_EXPECT_TRUE(test, ignores(test));
	pids_put(test, TRACE_PIDS_NEVER, 0);
	KUNIT_EXPECT_FALSE(test, ignores(test));
	/* The owner is told of the first list and of the last one. */
	KUNIT_EXPECT_EQ(test, pt->changes, 1);
	KUNIT_EXPECT_TRUE(test, pt->limited);
	pids_put(test, TRACE_PIDS_ONLY, 0);
	KUNIT_EXPECT_EQ(test, pt->changes, 2);
	KUNIT_EXPECT_FALSE(test, pt->limited);
	KUNIT_EXPECT_FALSE(test, ignores(test));
	pids_put(test, TRACE_PIDS_ONLY, 0);
	KUNIT_EXPECT_EQ(test, pt->changes, 2);
}

static void rules_of_running(struct kunit *test)
{
	make_filter(test, TRACE_PIDS_OF_RUNNING);
	expect_rules(test, ignores_running);
}

static void rules_of_event(struct kunit *test)
{
	make_filter(test, TRACE_PIDS_OF_EVENT);
	expect_rules(test, ignores_event);
}

/* Pids join what is there; a list that is in force stays the same object. */
static void pids_added(struct kunit *test)
{
	struct trace_pid_filter *filter = make_filter(test, TRACE_PIDS_OF_RUNNING);
	unsigned int me = current->pid;
	struct trace_pid_list *list;

	KUNIT_EXPECT_EQ(test, trace_pid_filter_add(filter, TRACE_PIDS_NEVER,
						   make_list(test, me + 1)), 0);
	scoped_guard(mutex, &filter->lock)
		list = trace_pid_filter_list(filter, TRACE_PIDS_NEVER);
	KUNIT_EXPECT_FALSE(test, ignores_running(test));
	KUNIT_EXPECT_EQ(test, trace_pid_filter_add(filter, TRACE_PIDS_NEVER,
						   make_list(test, me)), 0);
	scoped_guard(mutex, &filter->lock)
		KUNIT_EXPECT_PTR_EQ(test, trace_pid_filter_list(filter, TRACE_PIDS_NEVER), list);
	KUNIT_EXPECT_TRUE(test, list_has(test, TRACE_PIDS_NEVER, me + 1));
	KUNIT_EXPECT_TRUE(test, list_has(test, TRACE_PIDS_NEVER, me));
	/* It is in force for the task that runs. */
	KUNIT_EXPECT_TRUE(test, ignores_running(test));
	KUNIT_EXPECT_FALSE(test, list_has(test, TRACE_PIDS_ONLY, me));
}

/*
 * The note is of another pid, as in an exec that changes the pid. Function tracing asks from
 * functions that may be preempted. The lists are looked at with preemption off all the same, or
 * pid_filter_is_ignored() complains.
 */
static void unnoted_is_protected(struct kunit *test)
{
	struct trace_pid_filter *filter = make_filter(test, TRACE_PIDS_OF_RUNNING);

	pids_put(test, TRACE_PIDS_ONLY, current->pid);
	this_cpu_write(*filter->noted, ~(current->pid + 1));
	KUNIT_EXPECT_TRUE(test, !IS_ENABLED(CONFIG_PREEMPT_COUNT) || preemptible());
	KUNIT_EXPECT_FALSE(test, trace_pid_filter_ignores_running(filter));
	pids_put(test, TRACE_PIDS_NEVER, current->pid);
	this_cpu_write(*filter->noted, current->pid + 1);
	KUNIT_EXPECT_TRUE(test, trace_pid_filter_ignores_running(filter));
}

/* A thread that runs, says whether it was ignored, and waits until it is told to end. */
struct thread {
	struct kunit		*test;
	struct task_struct	*task;
	struct completion	answered;
	bool			ignored;
	unsigned long		asked;
	pid_t			pid;
};

static int thread_fn(void *data)
{
	struct thread *t = data;
	struct pid_test *pt = t->test->priv;

	t->ignored = pt->filter.question == TRACE_PIDS_OF_RUNNING ? ignores_running(t->test) :
		     ignores_event(t->test);
	complete(&t->answered);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

static void thread_make(struct kunit *test, struct thread *t, int (*fn)(void *data))
{
	t->test = test;
	init_completion(&t->answered);
	t->task = kthread_create(fn, t, "pid_filter_test");
	KUNIT_ASSERT_FALSE(test, IS_ERR(t->task));
	t->pid = t->task->pid;
}

/* The note follows the tasks of a CPU from switch to switch. */
static void switches_followed(struct kunit *test)
{
	struct thread one, two;

	make_filter(test, TRACE_PIDS_OF_RUNNING);
	thread_make(test, &one, thread_fn);
	thread_make(test, &two, thread_fn);
	pids_put(test, TRACE_PIDS_ONLY, one.pid);
	KUNIT_EXPECT_TRUE(test, ignores_running(test));
	wake_up_process(one.task);
	wake_up_process(two.task);
	wait_for_completion(&one.answered);
	wait_for_completion(&two.answered);
	KUNIT_EXPECT_FALSE(test, one.ignored);
	KUNIT_EXPECT_TRUE(test, two.ignored);
	KUNIT_EXPECT_TRUE(test, ignores_running(test));
	kthread_stop(one.task);
	kthread_stop(two.task);
}

/*
 * A function that is called in a switch, behind the probe that notes the next task, still
 * belongs to the task that is leaving: a probe of a lower priority asks there.
 */
struct leave_test {
	struct kunit	*test;
	pid_t		listed;
	bool		only;
	unsigned int	left;		/* switches away from the listed task */
	unsigned int	came;		/* switches to it */
	unsigned int	wrong;
};

static void leave_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	struct leave_test *leave = data;
	bool ignored;

	if (prev->pid != leave->listed && next->pid != leave->listed)
		return;
	ignored = ignores_running(leave->test);
	if (prev->pid == leave->listed)
		WRITE_ONCE(leave->left, leave->left + 1);
	else
		WRITE_ONCE(leave->came, leave->came + 1);
	if (ignored != (leave->only ? prev->pid != leave->listed : prev->pid == leave->listed))
		leave->wrong++;
}

static void leaving_task_judged(struct kunit *test)
{
	struct leave_test leave = { .test = test, .listed = current->pid };
	int kind;

	make_filter(test, TRACE_PIDS_OF_RUNNING);
	for (kind = 0; kind < TRACE_PID_KINDS; kind++) {
		leave.left = 0;
		leave.came = 0;
		leave.only = kind == TRACE_PIDS_ONLY;
		pids_put(test, kind, leave.listed);
		KUNIT_ASSERT_EQ(test, register_trace_prio_sched_switch(leave_switch, &leave,
								       TRACEPOINT_DEFAULT_PRIO - 1),
				0);
		while (READ_ONCE(leave.left) < 3 || READ_ONCE(leave.came) < 3)
			schedule_timeout_uninterruptible(1);
		unregister_trace_sched_switch(leave_switch, &leave);
		tracepoint_synchronize_unregister();
		pids_put(test, kind, 0);
		KUNIT_EXPECT_EQ(test, leave.wrong, 0);
	}
}

/* Lists come and go while tasks switch and ask. A lookup never finds a list that was freed. */
static int asking_fn(void *data)
{
	struct thread *t = data;

	while (!kthread_should_stop()) {
		ignores_event(t->test);
		WRITE_ONCE(t->asked, t->asked + 1);
		cond_resched();
	}
	return 0;
}

static void replaced_while_asked(struct kunit *test)
{
	struct thread t = { };
	unsigned long asked;
	int i;

	make_filter(test, TRACE_PIDS_OF_EVENT);
	thread_make(test, &t, asking_fn);
	wake_up_process(t.task);
	for (i = 0; i < 50; i++) {
		pids_put(test, TRACE_PIDS_ONLY, i % 7 ? t.pid : 0);
		pids_put(test, TRACE_PIDS_NEVER, i % 5 ? t.pid + i : 0);
		/* The first answer may be from before the lists were installed. */
		for (asked = READ_ONCE(t.asked); READ_ONCE(t.asked) - asked < 2;)
			cond_resched();
	}
	KUNIT_EXPECT_EQ(test, kthread_stop(t.task), 0);
}

/* An event about a task that passes is not ignored, whoever runs. */
struct about_test {
	struct kunit	*test;
	pid_t		pid;
	bool		ignored;
	unsigned int	seen;
};

static void about_woken(void *data, struct task_struct *task)
{
	struct about_test *about = data;

	if (task->pid != about->pid)
		return;
	about->ignored = ignores_event(about->test);
	about->seen++;
}

static void about_next(void *data, bool preempt, struct task_struct *prev,
		       struct task_struct *next, unsigned int prev_state)
{
	if (next->pid == ((struct about_test *)data)->pid)
		about_woken(data, next);
}

static void events_about_others(struct kunit *test)
{
	struct about_test woken = { .test = test }, next = { .test = test };
	struct thread one;

	make_filter(test, TRACE_PIDS_OF_EVENT);
	thread_make(test, &one, thread_fn);
	woken.pid = one.pid;
	next.pid = one.pid;
	KUNIT_ASSERT_EQ(test, register_trace_sched_wakeup(about_woken, &woken), 0);
	KUNIT_ASSERT_EQ(test, register_trace_sched_switch(about_next, &next), 0);

	pids_put(test, TRACE_PIDS_ONLY, one.pid);
	wake_up_process(one.task);
	wait_for_completion(&one.answered);
	KUNIT_EXPECT_GE(test, woken.seen, 1);
	KUNIT_EXPECT_FALSE(test, woken.ignored);
	KUNIT_EXPECT_GE(test, next.seen, 1);
	KUNIT_EXPECT_FALSE(test, next.ignored);
	/* It is forgotten behind the event. */
	KUNIT_EXPECT_TRUE(test, ignores_event(test));

	pids_put(test, TRACE_PIDS_ONLY, one.pid + 100000);
	woken.seen = 0;
	/* A task that has not gone to sleep yet is not woken. */
	while (task_is_running(one.task))
		msleep(20);
	kthread_stop(one.task);
	KUNIT_EXPECT_GE(test, woken.seen, 1);
	KUNIT_EXPECT_TRUE(test, woken.ignored);

	unregister_trace_sched_wakeup(about_woken, &woken);
	unregister_trace_sched_switch(about_next, &next);
	tracepoint_synchronize_unregister();
}

/* Kernel threads are children of kthreadd. */
static void forks_followed(struct kunit *test)
{
	struct trace_pid_filter *filter = make_filter(test, TRACE_PIDS_OF_RUNNING);
	pid_t parent = kthreadd_task->pid;
	struct thread before, child, after;
	int tries;

	pids_put(test, TRACE_PIDS_ONLY, parent);
	pids_put(test, TRACE_PIDS_NEVER, parent + 100000);
	thread_make(test, &before, thread_fn);
	KUNIT_EXPECT_FALSE(test, list_has(test, TRACE_PIDS_ONLY, before.pid));

	KUNIT_EXPECT_EQ(test, trace_pid_filter_follow_fork(filter, true), 0);
	thread_make(test, &child, thread_fn);
	KUNIT_EXPECT_TRUE(test, list_has(test, TRACE_PIDS_ONLY, child.pid));
	KUNIT_EXPECT_FALSE(test, list_has(test, TRACE_PIDS_NEVER, child.pid));
	wake_up_process(child.task);
	wait_for_completion(&child.answered);
	KUNIT_EXPECT_FALSE(test, child.ignored);
	/* A child that has gone leaves the list; somebody else may get its pid. */
	kthread_stop(child.task);
	for (tries = 0; tries < 500 && list_has(test, TRACE_PIDS_ONLY, child.pid); tries++)
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_FALSE(test, list_has(test, TRACE_PIDS_ONLY, child.pid));
	KUNIT_EXPECT_TRUE(test, list_has(test, TRACE_PIDS_ONLY, parent));

	KUNIT_EXPECT_EQ(test, trace_pid_filter_follow_fork(filter, false), 0);
	thread_make(test, &after, thread_fn);
	KUNIT_EXPECT_FALSE(test, list_has(test, TRACE_PIDS_ONLY, after.pid));
	kthread_stop(before.task);
	kthread_stop(after.task);
}

/* Following is wanted before there is a list: a list that comes later is followed. */
static void forks_followed_early(struct kunit *test)
{
	struct trace_pid_filter *filter = make_filter(test, TRACE_PIDS_OF_EVENT);
	struct thread child;

	KUNIT_EXPECT_EQ(test, trace_pid_filter_follow_fork(filter, true), 0);
	KUNIT_EXPECT_EQ(test, filter->probes, 0);
	pids_put(test, TRACE_PIDS_NEVER, kthreadd_task->pid);
	thread_make(test, &child, asking_fn);
	KUNIT_EXPECT_TRUE(test, list_has(test, TRACE_PIDS_NEVER, child.pid));
	kthread_stop(child.task);
	/* Without a list there is no probe at all. */
	pids_put(test, TRACE_PIDS_NEVER, 0);
	KUNIT_EXPECT_EQ(test, filter->probes, 0);
}

static struct kunit_case pid_filter_cases[] = {
	KUNIT_CASE(rules_of_running),
	KUNIT_CASE(rules_of_event),
	KUNIT_CASE(pids_added),
	KUNIT_CASE(unnoted_is_protected),
	KUNIT_CASE(switches_followed),
	KUNIT_CASE(leaving_task_judged),
	KUNIT_CASE(replaced_while_asked),
	KUNIT_CASE(events_about_others),
	KUNIT_CASE(forks_followed),
	KUNIT_CASE(forks_followed_early),
	{}
};

static struct kunit_suite pid_filter_suite = {
	.name		= "trace-tasks-pid-filter",
	.init		= pid_test_init,
	.exit		= pid_test_exit,
	.test_cases	= pid_filter_cases,
};

kunit_test_suite(pid_filter_suite);
