// SPDX-License-Identifier: GPL-2.0
/*
 * Losses: one writer numbers what it tries to write, so each reader knows
 * exactly what it must be told, event by event: how many are missing before this
 * one, and since when.  Other writers and chance are in stress_kunit.c.
 */
#include <linux/prandom.h>
#include <linux/slab.h>

#include "buffer/tests/support.h"

#define CPU		0
#define SEED		0x6c6f
#define STEP		10
#define LONGEST		40

#define MISSED_EVENTS	BIT(31)
#define MISSED_STORED	BIT(30)

/**
 * struct losses - a writer, and a reader that checks
 * @buffer: the ring buffer
 * @rnd: chance
 * @tried: numbers written or refused
 * @next: number expected next
 * @told: events that the reader was told to be lost
 * @read: events read
 * @gaps: gaps seen
 * @page: to read into
 */
struct losses {
	struct trace_buffer		*buffer;
	struct rnd_state		rnd;
	u32				tried;
	u32				next;
	unsigned long			told;
	unsigned long			read;
	unsigned long			gaps;
	struct buffer_data_read_page	*page;
};

static u64 now;

static u64 test_clock(void)
{
	return now;
}

/* Number n is tried at this time. */
static u64 time_of(u32 number)
{
	return 1000 + (u64)number * STEP;
}

/* Write @n numbers, of different lengths. */
static void put(struct losses *l, unsigned int n)
{
	u32 data[LONGEST];

	while (n--) {
		now = time_of(l->tried);
		data[0] = l->tried++;
		ring_buffer_write(l->buffer, 4 * (1 + data[0] * 7 % LONGEST), data);
	}
}

/* The reader has @number, and was told of @lost before it, @since; 0: no time. */
static void check(struct kunit *test, struct losses *l, u32 number, u64 ts,
		  unsigned long lost, u64 since)
{
	KUNIT_ASSERT_EQ(test, number - l->next, lost);
	KUNIT_ASSERT_EQ(test, ts, time_of(number));
	if (lost && since)
		KUNIT_ASSERT_EQ(test, since, time_of(l->next - 1));
	l->gaps += !!lost;
	l->told += lost;
	l->read++;
	l->next = number + 1;
}

static bool by_event(struct kunit *test, struct losses *l)
{
	u64 since = ring_buffer_read_stamp(l->buffer, CPU), ts;
	struct ring_buffer_event *event;
	unsigned long lost, again;

	event = ring_buffer_peek(l->buffer, CPU, &ts, &lost);
	if (!event)
		return false;
	/* Looking does not change it. */
	KUNIT_EXPECT_EQ(test, ring_buffer_read_stamp(l->buffer, CPU), since);
	event = ring_buffer_consume(l->buffer, CPU, &ts, &again);
	KUNIT_ASSERT_EQ(test, lost, again);
	check(test, l, *(u32 *)ring_buffer_event_body(event), ts, lost, since);
	KUNIT_EXPECT_EQ(test, ring_buffer_read_stamp(l->buffer, CPU), ts);
	return true;
}

/* As decoders do it.  A gap always has its number here: no event fills a page. */
static bool by_page(struct kunit *test, struct losses *l)
{
	u64 since = ring_buffer_read_stamp(l->buffer, CPU), ts;
	unsigned long commit, lost = 0;
	unsigned int off, len;
	u8 *data;

	if (ring_buffer_read_page(l->buffer, l->page, PAGE_SIZE, CPU, 0))
		return false;
	data = ring_buffer_read_page_data(l->page);
	ts = *(u64 *)data;
	commit = *(unsigned long *)(data + sizeof(u64));
	data += sizeof(u64) + sizeof(long);
	len = commit & (MISSED_STORED - 1);
	if (commit & MISSED_EVENTS) {
		KUNIT_ASSERT_TRUE(test, commit & MISSED_STORED);
		memcpy(&lost, data + len, sizeof(lost));
		KUNIT_EXPECT_GT(test, lost, 0);
	}
	for (off = 0; off < len;) {
		struct ring_buffer_event *event = (void *)data + off;

		KUNIT_ASSERT_LE(test, (int)event->type_len, RINGBUF_TYPE_DATA_TYPE_LEN_MAX);
		ts += event->time_delta;
		check(test, l, *(u32 *)ring_buffer_event_body(event), ts, lost, since);
		lost = 0;
		off += event->type_len ? event->type_len * 4 + 4 : event->array[0] + 4;
	}
	KUNIT_EXPECT_EQ(test, off, len);
	return true;
}

/* Read all events without consuming them; @l is a copy, and the writer goes on. */
static void by_iterator(struct kunit *test, struct losses *l, struct losses *writer)
{
	struct ring_buffer_iter *iter;
	struct ring_buffer_event *event;
	u64 ts;

	iter = ring_buffer_read_start(l->buffer, CPU, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, iter);
	while ((event = ring_buffer_iter_peek(iter, &ts))) {
		unsigned long lost;
		u64 since;

		lost = ring_buffer_iter_lost(iter, &since);
		KUNIT_EXPECT_EQ(test, ring_buffer_iter_dropped(iter), lost != 0);
		check(test, l, *(u32 *)ring_buffer_event_body(event), ts, lost, since);
		ring_buffer_iter_advance(iter);
		if (!(prandom_u32_state(&l->rnd) % 500))
			put(writer, 900);
	}
	ring_buffer_read_finish(iter);
}

static void by_chance(struct kunit *test, bool overwrite, unsigned long *iterated)
{
	struct losses *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);
	struct losses copy;
	unsigned int n;
	int round;

	KUNIT_ASSERT_NOT_NULL(test, l);
	l->buffer = ring_buffer_alloc(6 * PAGE_SIZE, overwrite ? RB_FL_OVERWRITE : 0);
	KUNIT_ASSERT_NOT_NULL(test, l->buffer);
	ring_buffer_set_clock(l->buffer, test_clock);
	KUNIT_ASSERT_EQ(test, 0, ring_buffer_alloc_read_page(l->buffer, CPU, &l->page));
	prandom_seed_state(&l->rnd, SEED + overwrite);
	for (round = 0; round < 3000; round++) {
		u32 dice = prandom_u32_state(&l->rnd);

		put(l, dice % 600);
		n = (dice >> 10) % 300;
		switch (dice >> 30) {
		case 0:
			while (n-- && by_event(test, l))
				;
			break;
		case 1:
			for (n /= 50; n && by_page(test, l); n--)
				;
			break;
		case 2:
			if (round % 8)
				break;
			copy = *l;
			by_iterator(test, &copy, l);
			*iterated += copy.gaps - l->gaps;
			break;
		}
	}
	/* The last refused events are reported as lost before the next event. */
	while (by_event(test, l))
		;
	put(l, 1);
	KUNIT_EXPECT_TRUE(test, by_event(test, l));
	KUNIT_EXPECT_EQ(test, l->next, l->tried);
	KUNIT_EXPECT_EQ(test, l->read + l->told, l->tried);
	KUNIT_EXPECT_EQ(test, l->told, ring_buffer_overrun_cpu(l->buffer, CPU) +
			ring_buffer_dropped_events_cpu(l->buffer, CPU));
	KUNIT_EXPECT_EQ(test, l->read, ring_buffer_read_events_cpu(l->buffer, CPU));
	KUNIT_EXPECT_GT(test, l->gaps, 100);
	kunit_info(test, "%lu read, %lu lost in %lu gaps\n", l->read, l->told, l->gaps);
	ring_buffer_free_read_page(l->buffer, CPU, l->page);
	ring_buffer_free(l->buffer);
}

static void overwritten(struct kunit *test)
{
	unsigned long iterated = 0;

	by_chance(test, true, &iterated);
	KUNIT_EXPECT_GT(test, iterated, 50);
}

static void refused(struct kunit *test)
{
	unsigned long iterated = 0;

	by_chance(test, false, &iterated);
	KUNIT_EXPECT_GT(test, iterated, 50);
}

/* Shrinking loses the oldest, and each reader is told. */
static void shrunk(struct kunit *test)
{
	struct losses *l = kunit_kzalloc(test, sizeof(*l), GFP_KERNEL);
	struct losses copy;
	int i, n;

	KUNIT_ASSERT_NOT_NULL(test, l);
	l->buffer = ring_buffer_alloc(20 * PAGE_SIZE, RB_FL_OVERWRITE);
	KUNIT_ASSERT_NOT_NULL(test, l->buffer);
	ring_buffer_set_clock(l->buffer, test_clock);
	prandom_seed_state(&l->rnd, SEED);
	for (i = 0; i < 20; i++) {
		put(l, 800);
		/* More than the reader's own sub-buffer has. */
		for (n = 0; n < 150; n++)
			by_event(test, l);
		KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(l->buffer, 4 * PAGE_SIZE, CPU));
		KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(l->buffer, 20 * PAGE_SIZE, CPU));
		/* The resize to four sub-buffers has dropped all other unread ones. */
		KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(l->buffer, 2 * PAGE_SIZE, CPU));
		KUNIT_EXPECT_EQ(test, 0, ring_buffer_resize(l->buffer, 20 * PAGE_SIZE, CPU));
		copy = *l;
		by_iterator(test, &copy, l);
	}
	while (by_event(test, l))
		;
	KUNIT_EXPECT_EQ(test, l->read + l->told, l->tried);
	KUNIT_EXPECT_EQ(test, l->read + ring_buffer_overrun_cpu(l->buffer, CPU), l->tried);
	KUNIT_EXPECT_GE(test, l->gaps, 15);
	ring_buffer_free(l->buffer);
}

/*
 * An iterator that was overtaken shows what it has copied, and then looks at the midst of
 * what overwrote the rest: any word may be there where it reads a length, the greatest
 * too.
 */
static void overtaken(struct kunit *test)
{
	struct trace_buffer *buffer = ring_buffer_alloc(2 * PAGE_SIZE, RB_FL_OVERWRITE);
	struct ring_buffer_event *event;
	struct ring_buffer_iter *iter;
	unsigned int i, past;
	static u32 data[256];

	KUNIT_ASSERT_NOT_NULL(test, buffer);
	for (i = 0; i < ARRAY_SIZE(data); i++)
		data[i] = i % 2 ? ~0 : 0;
	for (past = 0; past < 100; past++) {
		ring_buffer_reset(buffer);
		/* The copy ends in any part of an event, at each word's distance from others. */
		ring_buffer_write(buffer, 4 * (past + 1), data);
		for (i = 0; i < 200; i++)
			ring_buffer_write(buffer, sizeof(i), &i);
		iter = ring_buffer_read_start(buffer, CPU, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, iter);
		ring_buffer_iter_advance(iter);
		/* Many times around. */
		for (i = 0; i < 40; i++)
			ring_buffer_write(buffer, sizeof(data) - 4 * (past % 2), data);
		for (i = 0; (event = ring_buffer_iter_peek(iter, NULL)); i++) {
			if (ring_buffer_event_length(event) > 2 * sizeof(i))
				break;
			KUNIT_EXPECT_EQ(test, *(u32 *)ring_buffer_event_data(event), i);
			KUNIT_EXPECT_FALSE(test, ring_buffer_iter_dropped(iter));
			ring_buffer_iter_advance(iter);
		}
		KUNIT_EXPECT_LT(test, i, 200);
		if (event) {
			KUNIT_EXPECT_TRUE(test, ring_buffer_iter_dropped(iter));
			KUNIT_EXPECT_EQ(test, memcmp(ring_buffer_event_data(event), data, 64), 0);
		}
		ring_buffer_read_finish(iter);
	}
	ring_buffer_free(buffer);
}

static int loss_init(struct kunit *test)
{
	return set_cpus_allowed_ptr(current, cpumask_of(CPU));
}

static struct kunit_case loss_cases[] = {
	KUNIT_CASE(overwritten),
	KUNIT_CASE(refused),
	KUNIT_CASE(shrunk),
	KUNIT_CASE(overtaken),
	{}
};

static struct kunit_suite loss_suite = {
	.name = "ring-buffer-loss",
	.suite_init = test_suite_init,
	.suite_exit = test_suite_exit,
	.init = loss_init,
	.test_cases = loss_cases,
};

kunit_test_suite(loss_suite);

MODULE_DESCRIPTION("KUnit tests of the ring buffer's losses");
MODULE_LICENSE("GPL");
