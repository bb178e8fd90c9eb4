// SPDX-License-Identifier: GPL-2.0
/*
 * How long the ring buffer takes to write and read 16 bytes of data.  Uses what
 * <linux/ring_buffer.h> has in the base tree and in ours, so that one file
 * measures both; tools/bench/ring_buffer builds it into a copy of each tree.
 *
 * What is measured returns for how many events it did its work: all, or there is no result.
 */
#include <kunit/test.h>
#include <linux/ktime.h>
#include <linux/ring_buffer.h>

#define EVENTS	200000
#define ROUNDS	25

struct payload {
	u64	a;
	u64	b;
};

static struct trace_buffer *buffer;
static struct buffer_data_read_page *page;

static unsigned int write_events(unsigned int n)
{
	struct ring_buffer_event *event;
	struct payload *payload;
	unsigned int i;

	for (i = 0; i < n; i++) {
		event = ring_buffer_lock_reserve(buffer, sizeof(*payload));
		if (!event)
			break;
		payload = ring_buffer_event_data(event);
		payload->a = i;
		payload->b = n;
		ring_buffer_unlock_commit(buffer);
	}
	return i;
}

static unsigned int write_copies(unsigned int n)
{
	struct payload payload = { 1, 2 };
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (ring_buffer_write(buffer, sizeof(payload), &payload))
			break;
	}
	return i;
}

static unsigned int write_and_discard(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct ring_buffer_event *event;

		event = ring_buffer_lock_reserve(buffer, sizeof(struct payload));
		if (!event)
			break;
		ring_buffer_discard_commit(buffer, event);
	}
	return i;
}

static unsigned int consume(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!ring_buffer_consume(buffer, 0, NULL, NULL))
			break;
	}
	return i;
}

static unsigned int iterate(unsigned int n)
{
	struct ring_buffer_iter *iter = ring_buffer_read_start(buffer, 0, GFP_KERNEL);
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!ring_buffer_iter_peek(iter, NULL))
			break;
		ring_buffer_iter_advance(iter);
	}
	ring_buffer_read_finish(iter);
	return i;
}

static unsigned int take_pages(unsigned int n)
{
	while (!ring_buffer_read_page(buffer, page, PAGE_SIZE, 0, 0))
		;
	return ring_buffer_read_events_cpu(buffer, 0);
}

/* Best of all rounds, in picoseconds an event.  @fill: have @EVENTS to read. */
static void measure(struct kunit *test, const char *name, unsigned int (*func)(unsigned int n),
		    bool fill)
{
	s64 best = S64_MAX;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		unsigned int done;
		ktime_t start;
		s64 ns;

		ring_buffer_reset(buffer);
		if (fill)
			KUNIT_ASSERT_EQ(test, write_events(EVENTS), EVENTS);
		start = ktime_get();
		done = func(EVENTS);
		ns = ktime_to_ns(ktime_sub(ktime_get(), start));
		KUNIT_ASSERT_EQ_MSG(test, done, EVENTS, "%s", name);
		best = min(best, ns);
	}
	kunit_info(test, "speed %s %lld ps\n", name, best * 1000 / EVENTS);
	KUNIT_EXPECT_GT(test, best, 0);
}

static void speed(struct kunit *test)
{
	set_cpus_allowed_ptr(current, cpumask_of(0));
	buffer = ring_buffer_alloc(16 << 20, RB_FL_OVERWRITE);
	KUNIT_ASSERT_NOT_NULL(test, buffer);
	page = NULL;
	KUNIT_ASSERT_EQ(test, ring_buffer_alloc_read_page(buffer, 0, &page), 0);
	measure(test, "write", write_events, false);
	measure(test, "write-copy", write_copies, false);
	measure(test, "discard", write_and_discard, false);
	measure(test, "consume", consume, true);
	measure(test, "iterate", iterate, true);
	measure(test, "page", take_pages, true);
	/* Overwriting: the same in a buffer that is always full. */
	ring_buffer_free_read_page(buffer, 0, page);
	ring_buffer_free(buffer);
	buffer = ring_buffer_alloc(64 << 10, RB_FL_OVERWRITE);
	KUNIT_ASSERT_NOT_NULL(test, buffer);
	measure(test, "overwrite", write_events, false);
	ring_buffer_free(buffer);
}

static struct kunit_case speed_cases[] = {
	KUNIT_CASE_SLOW(speed),
	{}
};

static struct kunit_suite speed_suite = {
	.name = "ring_buffer_speed",
	.test_cases = speed_cases,
};

kunit_test_suite(speed_suite);

MODULE_DESCRIPTION("Speed of the ring buffer");
MODULE_LICENSE("GPL");
