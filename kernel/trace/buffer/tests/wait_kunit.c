// SPDX-License-Identifier: GPL-2.0
/*
 * How full a buffer is when who waits for a share of it is woken, and how often
 * a writer wakes.
 */
#include <linux/kthread.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "buffer/tests/support.h"

#define CPU		0
#define IN		(EPOLLIN | EPOLLRDNORM)
#define TICKS	16

static struct trace_buffer *buffer;

static int put(unsigned int bytes)
{
	struct ring_buffer_event *event = ring_buffer_lock_reserve(buffer, bytes);

	if (!event)
		return -EBUSY;
	*(u32 *)ring_buffer_event_data(event) = 0;
	return ring_buffer_unlock_commit(buffer);
}

/* What a stock kernel does with 17 sub-buffers of 31 events of 128 bytes. */
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

struct sleeper {
	unsigned long	woken;
	unsigned long	read;
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
	}
	return 0;
}

/* A reader that waits for any event is woken once in a tick, not for each. */
static void once_a_tick(struct kunit *test)
{
	struct sleeper s = { 0 };
	unsigned long end, start, written = 0;
	struct task_struct *thread;

	buffer = ring_buffer_alloc(1 << 20, RB_FL_OVERWRITE);
	KUNIT_ASSERT_NOT_NULL(test, buffer);
	thread = kthread_run(sleep_and_read, &s, "rb_sleeper");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	start = jiffies;
	end = start + TICKS;
	while (time_before(jiffies, end)) {
		int n;

		for (n = 0; n < 10; n++)
			written += !put(16);
		/* Let the reader run as soon as it is woken. */
		cond_resched();
	}
	end = jiffies;
	kthread_stop(thread);
	/* On another CPU it may be busy with what is being written all the time. */
	KUNIT_EXPECT_GE(test, s.woken, 1);
	KUNIT_EXPECT_GT(test, s.read, 1);
	KUNIT_EXPECT_LE(test, s.woken, end - start + 3);
	KUNIT_EXPECT_GT(test, written, 10 * s.woken);
	ring_buffer_free(buffer);
}

static int wait_init(struct kunit *test)
{
	return set_cpus_allowed_ptr(current, cpumask_of(CPU));
}

static struct kunit_case wait_cases[] = {
	KUNIT_CASE(percent),
	KUNIT_CASE(ready),
	KUNIT_CASE(once_a_tick),
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
