// SPDX-License-Identifier: GPL-2.0
/* Requests of hits: how often their function is called, and by whom. */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include "lib/request.h"

/* How often the function of a test asks for itself. */
#define REQUEST_AGAIN	5

static struct {
	struct trace_request	request;
	enum hrtimer_mode	mode;
	unsigned int		again;		/* times that the function still asks for itself */
	atomic_t		calls;
	bool			in_hardirq;	/* the last call */
	u64			at;		/* of the last call */
	u64			gap;		/* the least between two calls */
} asked;

static void request_asked(struct trace_request *request)
{
	u64 now = ktime_get_mono_fast_ns();

	if (atomic_read(&asked.calls))
		asked.gap = min(asked.gap, now - asked.at);
	asked.at = now;
	asked.in_hardirq = in_hardirq();
	/* As a hit in the function, or in the interrupt behind it. */
	if (asked.again) {
		asked.again--;
		for (int i = 0; i < 3; i++)
			trace_request_raise(request);
	}
	atomic_inc(&asked.calls);
}

/* The function has been called so often. */
static bool request_called(int calls)
{
	unsigned long end = jiffies + 60 * HZ;

	while (atomic_read(&asked.calls) < calls && time_before(jiffies, end))
		msleep(20);
	return atomic_read(&asked.calls) == calls;
}

/* Hit with interrupts off: has it queued the irq_work of this CPU? */
static bool request_raise_queues(void)
{
	guard(irqsave)();
	trace_request_raise(&asked.request);
	return irq_work_is_pending(&raw_cpu_ptr(asked.request.cpus)->work);
}

/* Many hits at a time need one interrupt, and one call. */
static void request_joins(struct kunit *test)
{
	int raised = 0;

	scoped_guard(irqsave) {
		for (int i = 0; i < 100; i++)
			raised += trace_request_raise(&asked.request);
	}
	KUNIT_EXPECT_EQ(test, raised, 100);
	KUNIT_EXPECT_TRUE(test, request_called(1));
}

/* A hit that finds that the call is asked for does nothing else, also where no work is queued. */
static void request_is_asked_for(struct kunit *test)
{
	struct trace_request_call *call;
	bool queues;

	scoped_guard(irqsave) {
		call = raw_cpu_ptr(asked.request.cpus);
		atomic_set(&call->asked, 1);
		queues = request_raise_queues();
		atomic_set(&call->asked, 0);
	}
	KUNIT_EXPECT_FALSE(test, queues);
}

/* A call that would come within a tick of the last one comes with the timer. */
static void request_puts_off(struct kunit *test)
{
	struct trace_request_call *call;
	ktime_t begin = 0, expires;
	bool put_off, is_asked;

	scoped_guard(irqsave) {
		call = raw_cpu_ptr(asked.request.cpus);
		/* The host may have this CPU stand for a tick in between. */
		for (int i = 0; i < 100 && !hrtimer_active(&call->timer); i++) {
			atomic_set(&call->asked, 1);
			begin = ktime_get();
			call->timer.function(&call->timer);
		}
		put_off = hrtimer_active(&call->timer);
		is_asked = atomic_read(&call->asked);
		expires = hrtimer_get_expires(&call->timer);
	}
	KUNIT_EXPECT_TRUE(test, put_off);
	KUNIT_EXPECT_TRUE(test, is_asked);
	KUNIT_EXPECT_GE(test, expires, begin + TICK_NSEC);
}

/* A handler that asks for itself is called with the ticks. */
static void request_of_its_own_handler(struct kunit *test)
{
	asked.again = REQUEST_AGAIN;
	KUNIT_EXPECT_TRUE(test, request_raise_queues());
	KUNIT_EXPECT_TRUE(test, request_called(REQUEST_AGAIN + 1));
	/* The clock may be adjusted by some 500 ppm. */
	KUNIT_EXPECT_GE(test, asked.gap, TICK_NSEC - TICK_NSEC / 100);
	/* The next hit is a first one again. */
	msleep(1000);
	KUNIT_EXPECT_TRUE(test, request_raise_queues());
	KUNIT_EXPECT_TRUE(test, request_called(REQUEST_AGAIN + 2));
}

/* The function wakes tasks. On PREEMPT_RT no interrupt does, and no thread of a CPU that goes. */
static void request_is_hard(struct kunit *test)
{
	bool soft = asked.mode == HRTIMER_MODE_REL_PINNED_SOFT;
	struct trace_request_call *call = per_cpu_ptr(asked.request.cpus, 0);

	KUNIT_EXPECT_EQ(test, irq_work_is_hard(&call->work), soft);
	KUNIT_EXPECT_EQ(test, irq_work_is_hard(&asked.request.offline.work), soft);
	KUNIT_EXPECT_EQ(test, call->timer.is_soft, soft);
	KUNIT_EXPECT_TRUE(test, request_raise_queues());
	KUNIT_EXPECT_TRUE(test, request_called(1));
	KUNIT_EXPECT_EQ(test, asked.in_hardirq, !soft);
	trace_request_end(&asked.request);
	KUNIT_ASSERT_EQ(test, trace_request_init(&asked.request, request_asked), 0);
	call = per_cpu_ptr(asked.request.cpus, 0);
	KUNIT_EXPECT_EQ(test, irq_work_is_hard(&call->work), IS_ENABLED(CONFIG_PREEMPT_RT));
	/* The timer of an idle CPU would go to another one. */
	KUNIT_EXPECT_TRUE(test, asked.request.mode & HRTIMER_MODE_PINNED);
}

/* A task that lets the end of a request go on, on the CPU of the task that waits. */
static struct {
	struct task_struct	*waits;
	struct irq_work		*work;
	bool			goes_on;
} ending;

/* This CPU comes here only if the end sleeps. */
static int ending_fn(void *unused)
{
	while (task_is_running(ending.waits))
		cond_resched();
	WRITE_ONCE(ending.goes_on, true);
	atomic_andnot(IRQ_WORK_CLAIMED, &ending.work->node.a_flags);
	return 0;
}

static void request_end_waits_for(struct kunit *test, struct irq_work *work)
{
	struct task_struct *task = kthread_create(ending_fn, NULL, "kunit_ending");

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	ending.waits = current;
	ending.work = work;
	ending.goes_on = false;
	/* As if a CPU had it. */
	atomic_or(IRQ_WORK_CLAIMED, &work->node.a_flags);
	kthread_bind(task, raw_smp_processor_id());
	wake_up_process(task);
	trace_request_end(&asked.request);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(ending.goes_on));
	kthread_stop_put(task);
}

/* The end waits for each irq_work, and takes timers away. */
static void request_end_waits(struct kunit *test)
{
	struct trace_request *request = &asked.request;

	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id())), 0);
	hrtimer_start(&request->offline.timer, ns_to_ktime(3600 * (u64)NSEC_PER_SEC), asked.mode);
	request_end_waits_for(test, &raw_cpu_ptr(request->cpus)->work);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&request->offline.timer));
	hrtimer_cancel(&request->offline.timer);
	KUNIT_ASSERT_EQ(test, trace_request_init_mode(request, request_asked, asked.mode), 0);
	request_end_waits_for(test, &request->offline.work);
}

/* Another CPU stands, until it is told to go on. */
static struct {
	bool	begun;
	bool	goes_on;
	bool	gave_up;
} other;

/* Sleeping needs timers and jiffies, and a CPU that stands still may be the one that has these. */
static bool request_wait(bool (*done)(int calls), int calls, bool (*between)(void))
{
	u64 end = ktime_get_mono_fast_ns() + 60 * (u64)NSEC_PER_SEC;

	while (!done(calls) && ktime_get_mono_fast_ns() < end) {
		if (between)
			between();
		cond_resched();
		cpu_relax();
	}
	return done(calls);
}

static bool other_has_begun(int unused)
{
	return READ_ONCE(other.begun);
}

static bool request_calls(int calls)
{
	return atomic_read(&asked.calls) >= calls;
}

static bool request_hit(void)
{
	guard(preempt)();
	return trace_request_raise(&asked.request);
}

static void other_stands(void)
{
	u64 end = ktime_get_mono_fast_ns() + 90 * (u64)NSEC_PER_SEC;

	WRITE_ONCE(other.begun, true);
	while (!READ_ONCE(other.goes_on) && !other.gave_up) {
		cpu_relax();
		other.gave_up = ktime_get_mono_fast_ns() > end;
	}
}

/* Have another CPU call a function until other_end(). NULL: there is none, or it does not. */
static struct task_struct *other_begin(struct kunit *test, int (*fn)(void *unused))
{
	unsigned int cpu = raw_smp_processor_id();
	struct task_struct *task;

	memset(&other, 0, sizeof(other));
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
	cpu = cpumask_any_but(cpu_online_mask, cpu);
	if (cpu >= nr_cpu_ids)
		kunit_skip(test, "there is one CPU");
	task = kthread_create(fn, NULL, "kunit_other");
	if (IS_ERR(task))
		return NULL;
	get_task_struct(task);
	kthread_bind(task, cpu);
	wake_up_process(task);
	if (request_wait(other_has_begun, 0, NULL))
		return task;
	WRITE_ONCE(other.goes_on, true);
	kthread_stop_put(task);
	return NULL;
}

static void other_end(struct kunit *test, struct task_struct *task)
{
	WRITE_ONCE(other.goes_on, true);
	kthread_stop_put(task);
	KUNIT_EXPECT_FALSE(test, other.gave_up);
}

static int other_hits_and_stands(void *unused)
{
	guard(irqsave)();
	trace_request_raise(&asked.request);
	other_stands();
	return 0;
}

/* A CPU that takes no interrupts keeps no hit of another CPU, however many there are. */
static void request_beside_still(struct kunit *test)
{
	struct task_struct *task = other_begin(test, other_hits_and_stands);
	bool called = true;
	int calls;

	KUNIT_ASSERT_NOT_NULL(test, task);
	for (calls = 1; called && calls <= 3; calls++) {
		KUNIT_EXPECT_TRUE(test, request_hit());
		called = request_wait(request_calls, calls, NULL);
	}
	KUNIT_EXPECT_TRUE_MSG(test, called, "call %d", calls - 1);
	other_end(test, task);
	/* The hit of that CPU is not lost. */
	KUNIT_EXPECT_TRUE(test, request_called(calls));
}

static int other_hits_once(void *unused)
{
	request_hit();
	return 0;
}

static void request_stands(struct trace_request *request)
{
	atomic_inc(&asked.calls);
	if (!other.begun)
		other_stands();
}

/* A CPU that stands still in the midst of the function, as a thread may, keeps no other one. */
static void request_beside_function(struct kunit *test)
{
	struct task_struct *task;

	asked.request.func = request_stands;
	task = other_begin(test, other_hits_once);
	KUNIT_ASSERT_NOT_NULL(test, task);
	KUNIT_EXPECT_TRUE(test, request_wait(request_calls, 3, request_hit));
	other_end(test, task);
}

static int other_hits_all_the_time(void *unused)
{
	while (!READ_ONCE(other.goes_on)) {
		request_hit();
		WRITE_ONCE(other.begun, true);
		cond_resched();
	}
	return 0;
}

/* Hits of all CPUs together have the function called once a tick. */
static void request_once_a_tick(struct kunit *test)
{
	u64 begin = ktime_get_mono_fast_ns(), ticks;
	struct task_struct *task = other_begin(test, other_hits_all_the_time);
	int calls;

	KUNIT_ASSERT_NOT_NULL(test, task);
	KUNIT_EXPECT_TRUE(test, request_wait(request_calls, 20, request_hit));
	calls = atomic_read(&asked.calls);
	ticks = div_u64(ktime_get_mono_fast_ns() - begin, TICK_NSEC - TICK_NSEC / 100);
	KUNIT_EXPECT_LE(test, calls, ticks + 1);
	other_end(test, task);
}

static int request_init_case_mode(struct kunit *test, enum hrtimer_mode mode)
{
	asked.mode = mode;
	asked.again = 0;
	asked.gap = U64_MAX;
	atomic_set(&asked.calls, 0);
	return trace_request_init_mode(&asked.request, request_asked, mode);
}

static int request_init_case(struct kunit *test)
{
	return request_init_case_mode(test, IS_ENABLED(CONFIG_PREEMPT_RT) ?
				      HRTIMER_MODE_REL_PINNED_SOFT : HRTIMER_MODE_REL_PINNED);
}

/* As on PREEMPT_RT. */
static int request_init_soft_case(struct kunit *test)
{
	return request_init_case_mode(test, HRTIMER_MODE_REL_PINNED_SOFT);
}

static void request_exit_case(struct kunit *test)
{
	trace_request_end(&asked.request);
}

static struct kunit_case request_cases[] = {
	KUNIT_CASE(request_joins),
	KUNIT_CASE(request_is_asked_for),
	KUNIT_CASE(request_puts_off),
	KUNIT_CASE(request_of_its_own_handler),
	KUNIT_CASE(request_is_hard),
	KUNIT_CASE(request_end_waits),
	KUNIT_CASE(request_beside_still),
	KUNIT_CASE(request_beside_function),
	KUNIT_CASE(request_once_a_tick),
	{}
};

/* A suite keeps the results in its cases. */
static struct kunit_case request_soft_cases[] = {
	KUNIT_CASE(request_joins),
	KUNIT_CASE(request_is_asked_for),
	KUNIT_CASE(request_puts_off),
	KUNIT_CASE(request_of_its_own_handler),
	KUNIT_CASE(request_is_hard),
	KUNIT_CASE(request_end_waits),
	KUNIT_CASE(request_beside_still),
	KUNIT_CASE(request_beside_function),
	KUNIT_CASE(request_once_a_tick),
	{}
};

static struct kunit_suite request_suite = {
	.name		= "trace-lib-request",
	.init		= request_init_case,
	.exit		= request_exit_case,
	.test_cases	= request_cases,
};

static struct kunit_suite request_soft_suite = {
	.name		= "trace-lib-request-soft",
	.init		= request_init_soft_case,
	.exit		= request_exit_case,
	.test_cases	= request_soft_cases,
};

kunit_test_suites(&request_suite, &request_soft_suite);
