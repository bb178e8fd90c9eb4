// SPDX-License-Identifier: GPL-2.0
/*
 * The writer's short way, when others come in between its first steps.
 */
#include "buffer/tests/support.h"
#include "buffer/tests/words.h"

#define CPU	0
#define SIZE	(4 * (PAGE_SIZE - RB_HDR))

static struct trace_buffer *buffer;

static int put(u32 value)
{
	return ring_buffer_write(buffer, sizeof(value), &value);
}

static int put_words(struct trace_buffer *to, u64 head)
{
	int ret;

	preempt_disable();
	ret = test_write_words(to, head, 1, 2);
	preempt_enable();
	return ret;
}

/* The first word of the event consumed next, or -1. */
static long get(struct trace_buffer *from)
{
	struct ring_buffer_event *event = ring_buffer_consume(from, CPU, NULL, NULL);

	return event ? (long)*(u32 *)ring_buffer_event_data(event) : -1;
}

static void whole_event(struct kunit *test)
{
	struct ring_buffer_event *event;
	unsigned long longs[2];
	void *data;
	u64 head;

	KUNIT_EXPECT_EQ(test, put_words(buffer, 10), 0);
	KUNIT_EXPECT_EQ(test, put_words(buffer, 11), 0);
	KUNIT_EXPECT_EQ(test, get(buffer), 10);
	event = ring_buffer_consume(buffer, CPU, NULL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_ASSERT_GE(test, ring_buffer_event_length(event), sizeof(head) + sizeof(longs));
	data = ring_buffer_event_data(event);
	memcpy(&head, data, sizeof(head));
	memcpy(longs, data + sizeof(head), sizeof(longs));
	KUNIT_EXPECT_EQ(test, head, 11);
	KUNIT_EXPECT_EQ(test, longs[0], 1);
	KUNIT_EXPECT_EQ(test, longs[1], 2);
	KUNIT_EXPECT_EQ(test, get(buffer), -1);
}

static void refused(struct kunit *test)
{
	ring_buffer_record_off(buffer);
	KUNIT_EXPECT_EQ(test, put_words(buffer, 1), -EBUSY);
	ring_buffer_record_on(buffer);
	ring_buffer_record_disable_cpu(buffer, CPU);
	KUNIT_EXPECT_EQ(test, put_words(buffer, 2), -EBUSY);
	ring_buffer_record_enable_cpu(buffer, CPU);
	KUNIT_EXPECT_EQ(test, put_words(buffer, 3), 0);
	KUNIT_EXPECT_EQ(test, get(buffer), 3);
	KUNIT_EXPECT_EQ(test, get(buffer), -1);
}

/*
 * A writer that interrupts us behind the entry may cross into the next sub-buffer, and leaves
 * it to us to number that. Until that is done, the short way is closed: it would publish a
 * sub-buffer that has no number.
 */
static void crossed_inside(struct kunit *test)
{
	struct rb_writer *w = buffer->writers[CPU];
	struct ring_buffer_event *event;
	bool entered, reserved;
	unsigned long end;
	u32 n = 0;
	int ret;

	preempt_disable();
	entered = rb_short_enter(buffer, w, true);
	test_enter(LEVEL_IRQ);
	do {
		put(n++);
	} while (w->tail == w->commit_sub && n < PAGE_SIZE);
	test_leave(LEVEL_IRQ);
	reserved = rb_short_reserve(w, rb_size_of(sizeof(n)), rb_short_clock(w, true), &event,
				    &end);
	rb_short_leave(w);
	ret = test_write_words(buffer, n, 0, 0);
	preempt_enable();

	KUNIT_EXPECT_TRUE(test, entered);
	KUNIT_EXPECT_FALSE(test, reserved);
	KUNIT_EXPECT_EQ(test, ret, 0);
	KUNIT_EXPECT_PTR_EQ(test, w->commit_sub, w->tail);
	KUNIT_EXPECT_EQ(test, w->commit_pos, READ_ONCE(w->pos));
	KUNIT_EXPECT_FALSE(test, w->crossed);
	for (u32 i = 0; i <= n; i++)
		KUNIT_EXPECT_EQ(test, get(buffer), (long)i);
	KUNIT_EXPECT_EQ(test, get(buffer), -1);
}

static int words_init(struct kunit *test)
{
	buffer = ring_buffer_alloc(SIZE, RB_FL_OVERWRITE);
	if (!buffer)
		return -ENOMEM;
	return set_cpus_allowed_ptr(current, cpumask_of(CPU));
}

static void words_exit(struct kunit *test)
{
	if (buffer)
		ring_buffer_free(buffer);
}

static struct kunit_case words_cases[] = {
	KUNIT_CASE(whole_event),
	KUNIT_CASE(refused),
	KUNIT_CASE(crossed_inside),
	{}
};

static struct kunit_suite words_suite = {
	.name = "ring-buffer-words",
	.suite_init = test_suite_init,
	.suite_exit = test_suite_exit,
	.init = words_init,
	.exit = words_exit,
	.test_cases = words_cases,
};

kunit_test_suite(words_suite);

MODULE_DESCRIPTION("KUnit tests of the ring buffer's short way to write");
MODULE_LICENSE("GPL");
