// SPDX-License-Identifier: GPL-2.0
/*
 * The readers of the ring buffer beside ring_buffer_consume(): copies of events,
 * iterators, and whole pages.
 */
#include <linux/slab.h>

#include "buffer/internal.h"
#include "buffer/tests/values.h"

/* A copy is taken without the event, and the event only if it is still the next. */
static void peek_copy(struct kunit *test)
{
	unsigned long lost = 1;
	u32 copy[PAYLOAD / 4] = {};
	u64 ts = 0, gone;

	test_make(test, 4, RB_FL_OVERWRITE);
	KUNIT_EXPECT_EQ(test, 0,
			ring_buffer_peek_copy(buffer, CPU, copy, sizeof(copy), &ts, &lost));
	KUNIT_EXPECT_FALSE(test, ring_buffer_consume_at(buffer, CPU, now));
	KUNIT_EXPECT_EQ(test, test_put(1), 0);
	now += 10;
	KUNIT_EXPECT_EQ(test, test_put(2), 0);

	KUNIT_EXPECT_EQ(test, ALIGN(PAYLOAD, TEST_ALIGN),
			ring_buffer_peek_copy(buffer, CPU, copy, sizeof(copy) - 1, &ts, &lost));
	KUNIT_EXPECT_EQ(test, copy[0], 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_peek_copy(buffer, CPU, copy, sizeof(copy), &ts, &lost),
			ALIGN(PAYLOAD, TEST_ALIGN));
	KUNIT_EXPECT_EQ(test, copy[0], 1);
	KUNIT_EXPECT_EQ(test, ts, 1000);
	KUNIT_EXPECT_EQ(test, lost, 0);
	KUNIT_EXPECT_FALSE(test, ring_buffer_consume_at(buffer, CPU, ts + 1));
	KUNIT_EXPECT_TRUE(test, ring_buffer_consume_at(buffer, CPU, ts));
	KUNIT_EXPECT_FALSE(test, ring_buffer_consume_at(buffer, CPU, ts));

	ring_buffer_peek_copy(buffer, CPU, copy, sizeof(copy), &gone, &lost);
	KUNIT_EXPECT_EQ(test, gone, now);
	ring_buffer_reset(buffer);
	now += 10;
	KUNIT_EXPECT_EQ(test, test_put(3), 0);
	KUNIT_EXPECT_FALSE(test, ring_buffer_consume_at(buffer, CPU, gone));
	KUNIT_EXPECT_EQ(test, copy[0], 2);
	KUNIT_EXPECT_EQ(test, test_get(&ts, &lost), 3);
}

static void iterate(struct kunit *test)
{
	struct ring_buffer_event *event;
	struct ring_buffer_iter *iter;
	bool dropped = false;
	long last = -1, first = -1;
	int i, round;
	u64 ts;

	test_make(test, 4, RB_FL_OVERWRITE);
	for (i = 0; i < 1200; i++, now++)
		test_put(i);
	for (i = 0; i < 100; i++)
		test_get(NULL, NULL);
	iter = ring_buffer_read_start(buffer, CPU, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, iter);
	KUNIT_EXPECT_EQ(test, ring_buffer_resize(buffer, 9 * UNIT, CPU), -EBUSY);
	for (round = 0; round < 2; round++) {
		for (i = 100; (event = ring_buffer_iter_peek(iter, &ts)); i++) {
			KUNIT_EXPECT_EQ(test, *(u32 *)ring_buffer_event_data(event), i);
			KUNIT_EXPECT_EQ(test, ts, 1000 + i);
			KUNIT_EXPECT_FALSE(test, ring_buffer_iter_dropped(iter));
			ring_buffer_iter_advance(iter);
		}
		KUNIT_EXPECT_EQ(test, i, 1200);
		KUNIT_EXPECT_EQ(test, ts, 0);
		KUNIT_EXPECT_TRUE(test, ring_buffer_iter_empty(iter));
		ring_buffer_iter_reset(iter);
	}
	/* Written over while it reads: each event is whole, the gap is told. */
	KUNIT_EXPECT_FALSE(test, ring_buffer_iter_empty(iter));
	for (i = 1200; (event = ring_buffer_iter_peek(iter, NULL)) && i < 20000; i++) {
		u32 value = *(u32 *)ring_buffer_event_data(event);

		if (first < 0)
			first = value;
		KUNIT_EXPECT_GT(test, (long)value, last);
		if (last >= 0 && value != last + 1) {
			KUNIT_EXPECT_TRUE(test, ring_buffer_iter_dropped(iter));
			dropped = true;
		}
		last = value;
		test_put(i);
		test_put(++i);
		test_put(++i);
		ring_buffer_iter_advance(iter);
	}
	KUNIT_EXPECT_TRUE(test, dropped);
	/* Consumed while it reads: it goes on with what is left. */
	ring_buffer_reset(buffer);
	test_put(1);
	test_put(2);
	for (i = 0; i < 1200; i++)
		test_put(10 + i);
	event = ring_buffer_iter_peek(iter, NULL);
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_EXPECT_EQ(test, *(u32 *)ring_buffer_event_data(event), 1);
	ring_buffer_iter_advance(iter);
	while (test_get(NULL, NULL) < 1100)
		;
	for (i = 2; (event = ring_buffer_iter_peek(iter, NULL)); i = i == 2 ? 10 : i + 1) {
		/* The iterator has a copy of less than one sub-buffer of the consumed events. */
		if (*(u32 *)ring_buffer_event_data(event) != i)
			break;
		ring_buffer_iter_advance(iter);
	}
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_EXPECT_LT(test, i, 300);
	KUNIT_EXPECT_EQ(test, *(u32 *)ring_buffer_event_data(event), 1101);
	ring_buffer_iter_advance(iter);
	/* Written after it began: not its business, but the next one's. */
	test_put(5000);
	for (i = 1102; (event = ring_buffer_iter_peek(iter, NULL)); i++)
		ring_buffer_iter_advance(iter);
	KUNIT_EXPECT_EQ(test, i, 1210);
	/* Unless it is told to go on. */
	ring_buffer_iter_extend(iter);
	event = ring_buffer_iter_peek(iter, NULL);
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_EXPECT_EQ(test, *(u32 *)ring_buffer_event_data(event), 5000);
	KUNIT_EXPECT_FALSE(test, ring_buffer_iter_dropped(iter));
	ring_buffer_iter_advance(iter);
	KUNIT_EXPECT_TRUE(test, ring_buffer_iter_empty(iter));
	ring_buffer_iter_reset(iter);
	event = ring_buffer_iter_peek(iter, NULL);
	KUNIT_EXPECT_NOT_NULL(test, event);
	ring_buffer_read_finish(iter);
	KUNIT_EXPECT_EQ(test, ring_buffer_resize(buffer, 9 * UNIT, CPU), 0);
}

#define MISSED_EVENTS	BIT(31)
#define MISSED_STORED	BIT(30)

/* The layout of a page in user space. */
struct raw_page {
	u64	stamp;
	long	commit;
	u8	data[];
};

/* Check that @raw holds events of test_put() from @value on; returns how many. */
static int check_page(struct kunit *test, struct raw_page *raw, u32 value)
{
	unsigned int len = raw->commit & (MISSED_STORED - 1), off;
	int n = 0;

	for (off = 0; off < len; off += EVENT, n++) {
		struct ring_buffer_event *event = (void *)raw->data + off;

		KUNIT_EXPECT_EQ(test, (int)event->type_len, TEST_ALIGN == 8 ? 0 : 3);
		KUNIT_EXPECT_EQ(test, *(u32 *)ring_buffer_event_body(event), value + n);
	}
	KUNIT_EXPECT_EQ(test, off, len);
	return n;
}

static void read_page(struct kunit *test)
{
	struct buffer_data_read_page *page;
	struct raw_page *raw;
	void *memory;
	int i, n, next, lost;

	test_make(test, 4, RB_FL_OVERWRITE);
	KUNIT_ASSERT_EQ(test, ring_buffer_alloc_read_page(buffer, CPU, &page), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_read_page_size(page), PAGE_SIZE);
	KUNIT_EXPECT_LT(test, ring_buffer_read_page(buffer, page, PAGE_SIZE, CPU, 0), 0);
	/* A part of what is being written, copied. */
	for (i = 0; i < 100; i++)
		test_put(i);
	memory = ring_buffer_read_page_data(page);
	KUNIT_EXPECT_LT(test, ring_buffer_read_page(buffer, page, PAGE_SIZE, CPU, 1), 0);
	KUNIT_EXPECT_LT(test, ring_buffer_read_page(buffer, page, HDR, CPU, 0), 0);
	KUNIT_EXPECT_LT(test, ring_buffer_read_page(buffer, page, HDR + EVENT - 1, CPU, 0), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_read_page(buffer, page, HDR + 10 * EVENT + 3, CPU, 0), 0);
	raw = ring_buffer_read_page_data(page);
	KUNIT_EXPECT_PTR_EQ(test, (void *)raw, memory);
	KUNIT_EXPECT_EQ(test, raw->commit, 10 * EVENT);
	KUNIT_EXPECT_EQ(test, raw->stamp, 1000);
	KUNIT_EXPECT_EQ(test, check_page(test, raw, 0), 10);
	KUNIT_EXPECT_EQ(test, ring_buffer_read_page(buffer, page, PAGE_SIZE, CPU, 0), 0);
	KUNIT_EXPECT_EQ(test, check_page(test, raw, 10), 90);
	KUNIT_EXPECT_EQ(test, ring_buffer_read_events_cpu(buffer, CPU), 100);
	KUNIT_EXPECT_EQ(test, ring_buffer_bytes_cpu(buffer, CPU), 0);

	/* The rest of this sub-buffer is copied, the next changes hands. */
	for (; i < 1500; i++)
		test_put(i);
	next = 100;
	KUNIT_EXPECT_EQ(test, ring_buffer_read_page(buffer, page, PAGE_SIZE, CPU, 1), 0);
	KUNIT_EXPECT_PTR_EQ(test, ring_buffer_read_page_data(page), memory);
	next += check_page(test, raw, next);
	KUNIT_EXPECT_EQ(test, ring_buffer_read_page(buffer, page, PAGE_SIZE - 8, CPU, 1), -EAGAIN);
	KUNIT_EXPECT_EQ(test, ring_buffer_read_page(buffer, page, PAGE_SIZE, CPU, 1), 0);
	raw = ring_buffer_read_page_data(page);
	KUNIT_EXPECT_PTR_NE(test, (void *)raw, memory);
	KUNIT_EXPECT_EQ(test, raw->commit, ROOM);
	n = check_page(test, raw, next);
	KUNIT_EXPECT_EQ(test, n, ROOM / EVENT);
	next += n;
	/* By event and by page agree. */
	KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), next);
	next++;
	while (!ring_buffer_read_page(buffer, page, PAGE_SIZE, CPU, 0)) {
		raw = ring_buffer_read_page_data(page);
		next += check_page(test, raw, next);
	}
	KUNIT_EXPECT_EQ(test, next, 1500);

	/*
	 * Losses: no room to tell how many in a full page, room in another.
	 * The reader has the sub-buffer that was being written; the gap is behind.
	 */
	for (; i < 9000; i++)
		test_put(i);
	lost = ring_buffer_overruns(buffer);
	KUNIT_EXPECT_GT(test, lost, 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_read_page(buffer, page, PAGE_SIZE, CPU, 0), 0);
	raw = ring_buffer_read_page_data(page);
	KUNIT_EXPECT_FALSE(test, raw->commit & MISSED_EVENTS);
	next += check_page(test, raw, next);
	KUNIT_EXPECT_EQ(test, ring_buffer_read_page(buffer, page, PAGE_SIZE, CPU, 0), 0);
	raw = ring_buffer_read_page_data(page);
	if (raw->commit & MISSED_STORED) {
		unsigned long told;

		memcpy(&told, &raw->data[raw->commit & (MISSED_STORED - 1)], sizeof(told));
		KUNIT_EXPECT_EQ(test, told, lost);
	}
	KUNIT_EXPECT_TRUE(test, raw->commit & MISSED_EVENTS);
	next += lost;
	next += check_page(test, raw, next);
	while (!ring_buffer_read_page(buffer, page, PAGE_SIZE, CPU, 0)) {
		raw = ring_buffer_read_page_data(page);
		KUNIT_EXPECT_FALSE(test, raw->commit & MISSED_EVENTS);
		next += check_page(test, raw, next);
	}
	KUNIT_EXPECT_EQ(test, next, 9000);
	for (; i < 18000; i++)
		test_put(i);
	lost = ring_buffer_overruns(buffer) - lost;
	KUNIT_EXPECT_EQ(test, ring_buffer_read_page(buffer, page, PAGE_SIZE, CPU, 0), 0);
	raw = ring_buffer_read_page_data(page);
	next += check_page(test, raw, next);
	KUNIT_EXPECT_EQ(test, ring_buffer_read_page(buffer, page, HDR + 50 * EVENT, CPU, 0), 0);
	raw = ring_buffer_read_page_data(page);
	KUNIT_EXPECT_EQ(test, raw->commit, 50 * EVENT | MISSED_EVENTS | MISSED_STORED);
	KUNIT_EXPECT_MEMEQ(test, raw->data + 50 * EVENT, &(long){ lost }, sizeof(long));
	check_page(test, raw, next + lost);

	/* A page of another order is refused. */
	KUNIT_EXPECT_EQ(test, ring_buffer_subbuf_order_set(buffer, 1), 0);
	test_put(1);
	KUNIT_EXPECT_EQ(test, ring_buffer_read_page(buffer, page, PAGE_SIZE, CPU, 0), -ESTALE);
	ring_buffer_free_read_page(buffer, CPU, page);
	KUNIT_EXPECT_EQ(test, ring_buffer_alloc_read_page(buffer, CPU, &page), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_read_page_size(page), 2 * PAGE_SIZE);
	ring_buffer_free_read_page(buffer, CPU, page);
	KUNIT_EXPECT_LT(test, ring_buffer_alloc_read_page(buffer, CPU + 1000000, &page), 0);
}

static struct kunit_case reading_cases[] = {
	KUNIT_CASE(peek_copy),
	KUNIT_CASE(iterate),
	KUNIT_CASE(read_page),
	{}
};

static struct kunit_suite reading_suite = {
	.name = "ring-buffer-reading",
	.suite_init = test_suite_init,
	.suite_exit = test_suite_exit,
	.init = test_init,
	.exit = test_exit,
	.test_cases = reading_cases,
};

kunit_test_suite(reading_suite);
