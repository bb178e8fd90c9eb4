// SPDX-License-Identifier: GPL-2.0
/* Requests of hits: how often their function is called, and by whom. */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/preempt.h>
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
	bool			queued;		/* the function has queued an irq_work */
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
		asked.queued |= irq_work_is_pending(&request->work) ||
				irq_work_is_pending(&request->late);
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

/* With interrupts off: has it queued the irq_work that it should? */
static bool request_raise_queues(bool late)
{
	struct irq_work *work = late ? &asked.request.late : &asked.request.work;
	unsigned long flags;
	bool queued;

	local_irq_save(flags);
	if (late)
		atomic64_set(&asked.request.called_at, ktime_get_mono_fast_ns() - 10 * TICK_NSEC);
	trace_request_raise(&asked.request);
	queued = irq_work_is_pending(work);
	local_irq_restore(flags);
	return queued;
}

/* Many hits at a time need one interrupt. */
static void request_joins(struct kunit *test)
{
	unsigned long flags;

	local_irq_save(flags);
	KUNIT_EXPECT_TRUE(test, trace_request_raise(&asked.request));
	/* However long a busy machine takes for the others, they are not late. */
	atomic64_add(60 * NSEC_PER_SEC, &asked.request.called_at);
	for (int i = 1; i < 100; i++)
		KUNIT_EXPECT_TRUE(test, trace_request_raise(&asked.request));
	local_irq_restore(flags);
	KUNIT_EXPECT_TRUE(test, request_called(1));
}

/* A handler that asks for itself queues no irq_work, and is called with the ticks. */
static void request_of_its_own_handler(struct kunit *test)
{
	asked.again = REQUEST_AGAIN;
	KUNIT_EXPECT_TRUE(test, request_raise_queues(false));
	KUNIT_EXPECT_TRUE(test, request_called(REQUEST_AGAIN + 1));
	KUNIT_EXPECT_FALSE(test, asked.queued);
	/* The clock may be adjusted by some 500 ppm. */
	KUNIT_EXPECT_GE(test, asked.gap, TICK_NSEC - TICK_NSEC / 100);
	/* The next hit is a first one again. */
	msleep(1000);
	KUNIT_EXPECT_TRUE(test, request_raise_queues(false));
	KUNIT_EXPECT_TRUE(test, request_called(REQUEST_AGAIN + 2));
}

/* The CPU that should call the function does not run: another one does it. */
static void request_is_taken_over(struct kunit *test)
{
	enum { IDLE, ASKED };

	/* As if the timer were of a CPU that takes no interrupts. */
	atomic_set(&asked.request.state, ASKED);
	atomic64_set(&asked.request.called_at, ktime_get_mono_fast_ns() + NSEC_PER_SEC);
	KUNIT_EXPECT_FALSE(test, request_raise_queues(false));
	KUNIT_EXPECT_TRUE(test, request_raise_queues(true));
	KUNIT_EXPECT_TRUE(test, request_called(1));
}

/* So it does if that CPU has the irq_work, which nobody else can queue then. */
static void request_work_is_taken_over(struct kunit *test)
{
	enum { IDLE, ASKED };

	atomic_set(&asked.request.state, ASKED);
	atomic_or(IRQ_WORK_CLAIMED, &asked.request.work.node.a_flags);
	KUNIT_EXPECT_TRUE(test, request_raise_queues(true));
	KUNIT_EXPECT_TRUE(test, request_called(1));
	atomic_andnot(IRQ_WORK_CLAIMED, &asked.request.work.node.a_flags);
}

static struct {
	unsigned int	calls;
	struct hrtimer	next;		/* expires behind the timer of the request */
} late;

static enum hrtimer_restart request_nothing(struct hrtimer *timer)
{
	return HRTIMER_NORESTART;
}

/*
 * The first call is by the timer, which does not get on. Another CPU finds that it is late, calls,
 * and starts the timer. Then the first call goes on, at a later time.
 */
static void request_started_meanwhile(struct trace_request *request)
{
	if (late.calls++)
		return;
	request->work.func(&request->work);
	hrtimer_start(&late.next, ktime_add_ns(hrtimer_get_expires(&request->timer), 1),
		      asked.mode & ~HRTIMER_MODE_REL);
	ndelay(10000);
}

/* Do timers stand in the order in which they expire where @timer is? */
static bool request_timers_in_order(struct hrtimer *timer)
{
	struct hrtimer_clock_base *base = timer->base;
	struct timerqueue_node *node, *next;
	bool in_order = true;

	raw_spin_lock(&base->cpu_base->lock);
	for (node = timerqueue_getnext(&base->active); node; node = next) {
		next = timerqueue_iterate_next(node);
		in_order = in_order && (!next || node->expires <= next->expires);
	}
	raw_spin_unlock(&base->cpu_base->lock);
	return in_order;
}

/* The call of a timer that was started anew meanwhile leaves the order of timers alone. */
static void request_started_anew(struct kunit *test)
{
	enum { ASKED = 1 };
	struct trace_request *request = &asked.request;
	bool queued, in_order;

	late.calls = 0;
	hrtimer_init(&late.next, CLOCK_MONOTONIC, asked.mode & ~HRTIMER_MODE_REL);
	late.next.function = request_nothing;
	trace_request_init_mode(request, request_started_meanwhile, asked.mode);
	atomic_set(&request->state, ASKED);
	local_irq_disable();
	request->timer.function(&request->timer);
	queued = hrtimer_is_queued(&request->timer);
	in_order = request_timers_in_order(&request->timer);
	local_irq_enable();
	KUNIT_EXPECT_TRUE(test, queued);
	KUNIT_EXPECT_TRUE(test, in_order);
	trace_request_end(request);
	KUNIT_EXPECT_GT(test, late.calls, 0);
	hrtimer_cancel(&late.next);
}

/* The function wakes tasks. On PREEMPT_RT no interrupt does, and no thread of a CPU that goes. */
static void request_is_hard(struct kunit *test)
{
	bool soft = asked.mode == HRTIMER_MODE_REL_SOFT;

	KUNIT_EXPECT_EQ(test, irq_work_is_hard(&asked.request.work), soft);
	KUNIT_EXPECT_EQ(test, irq_work_is_hard(&asked.request.late), soft);
	KUNIT_EXPECT_EQ(test, asked.request.timer.is_soft, soft);
	KUNIT_EXPECT_TRUE(test, request_raise_queues(false));
	KUNIT_EXPECT_TRUE(test, request_called(1));
	KUNIT_EXPECT_EQ(test, asked.in_hardirq, !soft);
	trace_request_end(&asked.request);
	trace_request_init(&asked.request, request_asked);
	KUNIT_EXPECT_EQ(test, irq_work_is_hard(&asked.request.work),
			IS_ENABLED(CONFIG_PREEMPT_RT));
}

static void request_init_mode(enum hrtimer_mode mode)
{
	asked.mode = mode;
	asked.again = 0;
	asked.queued = false;
	asked.gap = U64_MAX;
	atomic_set(&asked.calls, 0);
	trace_request_init_mode(&asked.request, request_asked, mode);
}

static int request_init_case(struct kunit *test)
{
	request_init_mode(IS_ENABLED(CONFIG_PREEMPT_RT) ? HRTIMER_MODE_REL_SOFT :
							  HRTIMER_MODE_REL);
	return 0;
}

/* As on PREEMPT_RT. */
static int request_init_soft_case(struct kunit *test)
{
	request_init_mode(HRTIMER_MODE_REL_SOFT);
	return 0;
}

static void request_exit_case(struct kunit *test)
{
	trace_request_end(&asked.request);
	KUNIT_EXPECT_FALSE(test, irq_work_is_busy(&asked.request.work));
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&asked.request.timer));
}

static struct kunit_case request_cases[] = {
	KUNIT_CASE(request_joins),
	KUNIT_CASE(request_of_its_own_handler),
	KUNIT_CASE(request_is_taken_over),
	KUNIT_CASE(request_work_is_taken_over),
	KUNIT_CASE(request_started_anew),
	KUNIT_CASE(request_is_hard),
	{}
};

/* A suite keeps the results in its cases. */
static struct kunit_case request_soft_cases[] = {
	KUNIT_CASE(request_joins),
	KUNIT_CASE(request_of_its_own_handler),
	KUNIT_CASE(request_is_taken_over),
	KUNIT_CASE(request_work_is_taken_over),
	KUNIT_CASE(request_started_anew),
	KUNIT_CASE(request_is_hard),
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
