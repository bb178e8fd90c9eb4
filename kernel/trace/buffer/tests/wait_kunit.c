// SPDX-License-Identifier: GPL-2.0
/*
 * How full a buffer is when who waits for a share of it is woken, and how often
 * a writer wakes.
 */
#include <linux/completion.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "buffer/internal.h"
#include "buffer/tests/support.h"

#define CPU		0
#define IN		(EPOLLIN | EPOLLRDNORM)
#define TICKS		16
#define WAKEUPS		10

static struct trace_buffer *buffer;

static int put(unsigned int bytes)
{
	struct ring_buffer_event *event = ring_buffer_lock_reserve(buffer, bytes);

	if (!event)
		return -EBUSY;
	*(u32 *)ring_buffer_event_data(event) = 0;
	return ring_buffer_unlock_commit(buffer);
}

/*
 * A stock kernel wakes after these numbers of events, with 17 sub-buffers of 31 events of 128
 * bytes.
 */
static void percent(struct kunit *test)
{
	static const struct {
		int	percent;
		int	events;		/* a multiple of 16 above 1 */
	} stock[] = {
		{ 0, 1 }, { 1, 1 }, { 10, 32 }, { 25, 128 }, { 50, 256 }, { 75, 384 },
		{ 90, 480 }, { 100, 512 },
	};
	int i, n;

	if (PAGE_SIZE != 4096)
		kunit_skip(test, "known for pages of 4 KiB");
	buffer = ring_buffer_alloc(64 << 10, RB_FL_OVERWRITE);
	KUNIT_ASSERT_NOT_NULL(test, buffer);
	for (i = 0; i < ARRAY_SIZE(stock); i++) {
		ring_buffer_reset(buffer);
		for (n = 0; n < 1000; n++) {
			if ((n < 2 || n % 16 == 0) &&
			    ring_buffer_poll_wait(buffer, CPU, NULL, NULL, stock[i].percent))
				break;
			KUNIT_ASSERT_EQ(test, put(120), 0);
		}
		KUNIT_EXPECT_EQ(test, n, stock[i].events);
	}
	ring_buffer_free(buffer);
}

static void ready(struct kunit *test)
{
	int i, half;

	buffer = ring_buffer_alloc(20 * PAGE_SIZE, 0);
	KUNIT_ASSERT_NOT_NULL(test, buffer);
	/* More than half of it, each time. */
	half = 11 * PAGE_SIZE / 128;
	KUNIT_EXPECT_EQ(test, ring_buffer_poll_wait(buffer, CPU, NULL, NULL, 0), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_poll_wait(buffer, CPU, NULL, NULL, 1), 0);
	put(120);
	KUNIT_EXPECT_EQ(test, ring_buffer_poll_wait(buffer, CPU, NULL, NULL, 0), IN);
	KUNIT_EXPECT_EQ(test, ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, NULL, 0),
			IN);
	KUNIT_EXPECT_EQ(test, ring_buffer_poll_wait(buffer, CPU, NULL, NULL, 50), 0);
	for (i = 0; i < half; i++)
		put(120);
	KUNIT_EXPECT_EQ(test, ring_buffer_poll_wait(buffer, CPU, NULL, NULL, 50), IN);
	KUNIT_EXPECT_EQ(test, ring_buffer_poll_wait(buffer, CPU, NULL, NULL, 100), 0);
	for (i = 0; i < half; i++)
		put(120);
	KUNIT_EXPECT_EQ(test, ring_buffer_poll_wait(buffer, CPU, NULL, NULL, 100), IN);
	KUNIT_EXPECT_EQ(test, ring_buffer_poll_wait(buffer, CPU + 1000000, NULL, NULL, 0),
			EPOLLERR);
	ring_buffer_free(buffer);
}

/**
 * struct sleeper - a reader that sleeps until there is something, on the writer's CPU
 * @task: the reader
 * @woken: how often it went on
 * @read: events it has read
 * @done: completed each time it has read all
 */
struct sleeper {
	struct task_struct	*task;
	unsigned long		woken;
	unsigned long		read;
	struct completion	done;
};

static bool should_stop(void *unused)
{
	return kthread_should_stop();
}

static int sleep_and_read(void *data)
{
	struct sleeper *s = data;

	while (!kthread_should_stop()) {
		if (ring_buffer_wait(buffer, CPU, 0, should_stop, NULL))
			break;
		s->woken++;
		while (ring_buffer_consume(buffer, CPU, NULL, NULL))
			s->read++;
		complete(&s->done);
	}
	return 0;
}

static void sleeper_start(struct kunit *test, struct sleeper *s)
{
	buffer = ring_buffer_alloc(1 << 20, RB_FL_OVERWRITE);
	KUNIT_ASSERT_NOT_NULL(test, buffer);
	*s = (struct sleeper) { };
	init_completion(&s->done);
	s->task = kthread_create(sleep_and_read, s, "rb_sleeper");
	KUNIT_ASSERT_FALSE(test, IS_ERR(s->task));
	kthread_bind(s->task, CPU);
	wake_up_process(s->task);
}

static void sleeper_stop(struct sleeper *s)
{
	kthread_stop(s->task);
	ring_buffer_free(buffer);
}

/* The reader has this CPU until it sleeps: nothing has come that it has not read. */
static void sleeper_sleeps(struct sleeper *s)
{
	while (task_is_running(s->task))
		cond_resched();
}

/*
 * Whenever the reader sleeps, the next event wakes it up. The timeout only ends a test in which
 * it is not woken up.
 */
static void each_wakeup(struct kunit *test)
{
	struct sleeper s;
	unsigned long n;

	sleeper_start(test, &s);
	for (n = 1; n <= WAKEUPS; n++) {
		sleeper_sleeps(&s);
		KUNIT_EXPECT_EQ(test, put(16), 0);
		if (!wait_for_completion_timeout(&s.done, 10 * HZ)) {
			KUNIT_FAIL(test, "not woken for event %lu", n);
			break;
		}
		KUNIT_EXPECT_EQ(test, s.read, n);
		KUNIT_EXPECT_EQ(test, s.woken, n);
	}
	sleeper_stop(&s);
}

/* Counts the ticks of its CPU, as long as that is busy. */
struct ticks {
	struct irq_work	work;
	unsigned long	nr;
	bool		stop;
};

static void count_tick(struct irq_work *work)
{
	struct ticks *ticks = container_of(work, struct ticks, work);

	ticks->nr++;
	if (!READ_ONCE(ticks->stop))
		irq_work_queue(work);
}

/*
 * A reader that waits for any event is woken once in a tick, not for each: it has the CPU
 * whenever it has been woken, and sleeps again before the next event.
 */
static void once_a_tick(struct kunit *test)
{
	struct ticks ticks = { .work = IRQ_WORK_INIT_LAZY(count_tick) };
	unsigned long written = 0;
	struct sleeper s;

	sleeper_start(test, &s);
	sleeper_sleeps(&s);
	irq_work_queue(&ticks.work);
	while (READ_ONCE(ticks.nr) < TICKS || written < 10 * READ_ONCE(ticks.nr)) {
		written += !put(16);
		sleeper_sleeps(&s);
	}
	KUNIT_EXPECT_GT(test, s.woken, 0);
	KUNIT_EXPECT_LE(test, s.woken, READ_ONCE(ticks.nr));
	WRITE_ONCE(ticks.stop, true);
	irq_work_sync(&ticks.work);
	/* The last events wake the sleeper, too. */
	while (!ring_buffer_empty_cpu(buffer, CPU)) {
		if (!wait_for_completion_timeout(&s.done, 10 * HZ)) {
			KUNIT_FAIL(test, "not woken for the last events");
			break;
		}
	}
	sleeper_sleeps(&s);
	KUNIT_EXPECT_EQ(test, s.read + ring_buffer_overrun_cpu(buffer, CPU), written);
	sleeper_stop(&s);
}

/* On PREEMPT_RT no thread of a CPU that goes offline would run what its writers queue. */
static void hard_on_rt(struct kunit *test)
{
	const bool rt = IS_ENABLED(CONFIG_PREEMPT_RT);
	struct rb_object *object;

	buffer = ring_buffer_alloc(64 << 10, RB_FL_OVERWRITE);
	KUNIT_ASSERT_NOT_NULL(test, buffer);
	object = rb_object(buffer);
	KUNIT_EXPECT_EQ(test, irq_work_is_hard(&object->cpu_wait[CPU].look.work), rt);
	ring_buffer_free(buffer);
}

static int wait_init(struct kunit *test)
{
	return set_cpus_allowed_ptr(current, cpumask_of(CPU));
}

static struct kunit_case wait_cases[] = {
	KUNIT_CASE(percent),
	KUNIT_CASE(ready),
	KUNIT_CASE(each_wakeup),
	KUNIT_CASE(once_a_tick),
	KUNIT_CASE(hard_on_rt),
	{}
};

static struct kunit_suite wait_suite = {
	.name = "ring-buffer-wait",
	.suite_init = test_suite_init,
	.suite_exit = test_suite_exit,
	.init = wait_init,
	.test_cases = wait_cases,
};

kunit_test_suite(wait_suite);

MODULE_DESCRIPTION("KUnit tests of waiting for the ring buffer");
MODULE_LICENSE("GPL");
