// SPDX-License-Identifier: GPL-2.0
/*
 * Consumers and iterators, which may be far behind, and the numbers that they are told.
 */
#include "cases.h"

/* Nobody consumes until positions are further apart than a long can tell. */
static void far_behind(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	struct rb_cpu *cb = cpu0(buffer);
	struct ring_buffer_iter *iter;
	unsigned long step = (LONG_MAX / 64) & -(8UL << cb->shift);
	unsigned long lost, i;

	shim_now = 1000;
	/* As if the writer had gone on, a bit less than what it looks for at each crossing. */
	for (i = 0; i < 200; i++) {
		unsigned int n;

		for (n = 0; n < PER_SUB; n++)
			test_put(buffer, BYTES);
		cb->reader->base -= step;
	}
	CHECK(!ring_buffer_empty_cpu(buffer, 0));
	CHECK(ring_buffer_nr_dirty_pages(buffer, 0));
	iter = ring_buffer_read_start(buffer, 0, GFP_KERNEL);
	for (i = 0; ring_buffer_iter_peek(iter, NULL); i++)
		ring_buffer_iter_advance(iter);
	ring_buffer_read_finish(iter);
	CHECK_EQ(i, 8 * PER_SUB);
	CHECK(ring_buffer_consume(buffer, 0, NULL, &lost));
	CHECK_EQ(lost, 192 * PER_SUB);
	for (i = 1; ring_buffer_consume(buffer, 0, NULL, NULL); i++)
		;
	CHECK_EQ(i, 8 * PER_SUB);
	ring_buffer_free(buffer);
}

static void iterator_losses(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	struct ring_buffer_iter *iter;
	unsigned int i;
	u64 since;

	shim_now = 1000;
	for (i = 0; i < PER_SUB; i++)
		test_put(buffer, BYTES);
	/* The event that crosses vanishes. */
	ring_buffer_discard_commit(buffer, ring_buffer_lock_reserve(buffer, BYTES));
	while (ring_buffer_consume(buffer, 0, NULL, NULL))
		;
	test_put(buffer, BYTES);
	iter = ring_buffer_read_start(buffer, 0, GFP_KERNEL);
	CHECK(ring_buffer_iter_peek(iter, NULL));
	CHECK_EQ(ring_buffer_iter_lost(iter, &since), 0);
	ring_buffer_read_finish(iter);
	ring_buffer_free(buffer);
}

/* An iterator at the end of an exactly full sub-buffer, which is overwritten then. */
static void iterator_at_end(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	struct ring_buffer_iter *iter;
	unsigned int i;
	u64 since;

	shim_now = 1000;
	/* On 32 bits four bytes would be left. */
	test_put(buffer, BYTES + (PAGE_SIZE - RB_HDR) % (BYTES + RB_EVENT_HDR));
	for (i = 1; i < PER_SUB; i++)
		test_put(buffer, BYTES);
	CHECK_EQ(cpu0(buffer)->w.pos, PAGE_SIZE);
	for (i = 0; i < 100; i++)
		test_put(buffer, BYTES);
	iter = ring_buffer_read_start(buffer, 0, GFP_KERNEL);
	for (i = 0; i < PER_SUB; i++)
		ring_buffer_iter_advance(iter);
	for (i = 0; i < PER_SUB * 9; i++)
		test_put(buffer, BYTES);
	if (ring_buffer_iter_peek(iter, NULL))
		CHECK(ring_buffer_iter_lost(iter, &since) > 0);
	ring_buffer_read_finish(iter);
	ring_buffer_free(buffer);
}

/* A raw consumer takes the page that an iterator is in: consumed events are not lost. */
static void iterator_beside_pages(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	struct buffer_data_read_page *page;
	unsigned int taken, i, n;
	unsigned long lost, told;
	struct ring_buffer_iter *iter;
	u64 since;

	for (taken = 1; taken < 4; taken++) {
		shim_now = 1000;
		for (i = 0; i < 4 * PER_SUB; i++)
			test_put(buffer, BYTES);
		/* The first sub-buffer is the reader's. */
		CHECK(ring_buffer_peek(buffer, 0, NULL, &lost));
		iter = ring_buffer_read_start(buffer, 0, GFP_KERNEL);
		for (i = 0; i < 10; i++)
			ring_buffer_iter_advance(iter);
		CHECK_EQ(ring_buffer_alloc_read_page(buffer, 0, &page), 0);
		for (i = 0; i < taken; i++)
			CHECK_EQ(ring_buffer_read_page(buffer, page, PAGE_SIZE, 0, 1), 0);
		ring_buffer_free_read_page(buffer, 0, page);
		for (told = 0, n = 0; ring_buffer_iter_peek(iter, NULL); n++) {
			told += ring_buffer_iter_lost(iter, &since);
			ring_buffer_iter_advance(iter);
		}
		ring_buffer_read_finish(iter);
		CHECK_EQ(told, ring_buffer_overrun_cpu(buffer, 0));
		/* Some events more may have been copied before the page went. */
		CHECK(n >= (4 - taken) * PER_SUB);
		CHECK(n < (5 - taken) * PER_SUB);
		ring_buffer_reset(buffer);
	}
	ring_buffer_free(buffer);
}

/*
 * A reader is behind for so long that the slot's generation is the same again, as far as a
 * slot has bits for it on 32 bits.
 */

#define ROUND_SUBS	65536U

/* So many sub-buffers are begun, each by an event that does not fit behind the one before. */
static void begin_subs(struct trace_buffer *buffer, unsigned int subs)
{
	while (subs--)
		CHECK_EQ(test_put(buffer, 3000), 0);
}

static void iterator_of_old_round(void)
{
	struct trace_buffer *buffer = test_buffer(64, RB_FL_OVERWRITE);
	struct ring_buffer_iter *iter;
	unsigned int seen = 0;
	unsigned long told;
	u64 since, ts, first = 0;

	shim_now = 1000;
	begin_subs(buffer, 32);
	iter = ring_buffer_read_start(buffer, 0, GFP_KERNEL);
	while (seen < 5) {
		CHECK(ring_buffer_iter_peek(iter, NULL));
		ring_buffer_iter_advance(iter);
		seen++;
	}
	begin_subs(buffer, ROUND_SUBS);
	ring_buffer_iter_extend(iter);
	told = 0;
	while (ring_buffer_iter_peek(iter, &ts)) {
		told += ring_buffer_iter_lost(iter, &since);
		first = first ?: ts;
		ring_buffer_iter_advance(iter);
		seen++;
	}
	ring_buffer_read_finish(iter);
	/* The ring is full, and each event has a sub-buffer. */
	CHECK_EQ(seen, 5 + 64);
	CHECK_EQ(told + seen, 32 + ROUND_SUBS);
	CHECK_EQ(first, 1000 + 10 * (32 + ROUND_SUBS - 63));
	ring_buffer_free(buffer);
}

static void consumer_of_old_round(void)
{
	struct trace_buffer *buffer = test_buffer(64, RB_FL_OVERWRITE);
	unsigned long told = 0, lost;
	unsigned int seen = 0;
	u64 ts, before = 0;

	shim_now = 1000;
	begin_subs(buffer, ROUND_SUBS + 1);
	while (ring_buffer_consume(buffer, 0, &ts, &lost)) {
		CHECK(ts > before);
		before = ts;
		told += lost;
		seen++;
	}
	CHECK_EQ(seen + told, ROUND_SUBS + 1);
	CHECK(seen >= 64);
	CHECK_EQ(ring_buffer_entries_cpu(buffer, 0), 0);
	ring_buffer_free(buffer);
}

/* Copies of what was overwritten have lengths of all kinds. */
static void iterator_of_torn_copy(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	struct ring_buffer_iter *iter;
	u32 *data;

	shim_now = 1000;
	CHECK_EQ(test_put(buffer, 40), 0);
	CHECK_EQ(test_put(buffer, 40), 0);
	CHECK_EQ(test_put(buffer, 40), 0);
	data = (u32 *)cpu0(buffer)->w.tail->page->data;
	/* The second event is padding of a negative length, as its data was. */
	data[11] = RINGBUF_TYPE_PADDING;
	data[12] = -RB_EVENT_HDR;
	iter = ring_buffer_read_start(buffer, 0, GFP_KERNEL);
	CHECK(ring_buffer_iter_peek(iter, NULL));
	ring_buffer_iter_advance(iter);
	/* It was overwritten meanwhile, and the place is another's. */
	begin_subs(buffer, 9);
	CHECK(ring_buffer_iter_empty(iter) || ring_buffer_iter_peek(iter, NULL));
	ring_buffer_read_finish(iter);
	ring_buffer_free(buffer);
}

/* An event that was copied in part is overwritten, and is longer than the memory then. */
static void iterator_of_torn_length(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	struct ring_buffer_iter *iter;
	struct rb_sub *sub;
	u32 *second;

	CHECK_EQ(test_put(buffer, 1000), 0);
	CHECK_EQ(test_put(buffer, 40), 0);
	sub = cpu0(buffer)->w.tail;
	second = (u32 *)sub->page->data + (RB_EVENT_HDR + sizeof(u32) + 1000) / sizeof(u32);
	iter = ring_buffer_read_start(buffer, 0, GFP_KERNEL);
	CHECK(ring_buffer_iter_peek(iter, NULL));
	ring_buffer_iter_advance(iter);
	begin_subs(buffer, 9);
	second[0] = 0;
	second[1] = 100 * PAGE_SIZE;
	CHECK(ring_buffer_iter_empty(iter) || ring_buffer_iter_peek(iter, NULL));
	ring_buffer_read_finish(iter);
	ring_buffer_free(buffer);
}

/* Stats are numbers that can be, at any moment. */
static void no_negative_counts(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	struct rb_cpu *cb = cpu0(buffer);

	test_put(buffer, BYTES);
	/* As a reader on another CPU has it that looks at one number late. */
	cb->read_events = 2;
	cb->read_bytes = 100;
	CHECK_EQ(ring_buffer_entries_cpu(buffer, 0), 0);
	CHECK_EQ(ring_buffer_entries(buffer), 0);
	CHECK_EQ(ring_buffer_bytes_cpu(buffer, 0), 0);
	ring_buffer_free(buffer);
}

/* A reader has read all of a sub-buffer that has been full before, and that is written to. */
static void reader_behind_writer(void)
{
	struct trace_buffer *buffer = test_buffer(4, RB_FL_OVERWRITE);
	unsigned int i, left = 0;

	for (i = 0; i < 20 * PER_SUB + 3; i++)
		CHECK_EQ(test_put(buffer, BYTES), 0);
	while (ring_buffer_consume(buffer, 0, NULL, NULL))
		left++;
	CHECK_EQ(left, ring_buffer_read_events_cpu(buffer, 0));
	CHECK_EQ(left + ring_buffer_overrun_cpu(buffer, 0), i);
	CHECK_EQ(test_put(buffer, BYTES), 0);
	CHECK(ring_buffer_consume(buffer, 0, NULL, NULL));
	CHECK(!ring_buffer_consume(buffer, 0, NULL, NULL));
	ring_buffer_free(buffer);
}

const struct test_case read_cases[] = {
	{ "far-behind", far_behind },
	{ "iterator-losses", iterator_losses },
	{ "iterator-at-end", iterator_at_end },
	{ "iterator-beside-pages", iterator_beside_pages },
	{ "iterator-of-old-round", iterator_of_old_round },
	{ "consumer-of-old-round", consumer_of_old_round },
	{ "iterator-of-torn-copy", iterator_of_torn_copy },
	{ "iterator-of-torn-length", iterator_of_torn_length },
	{ "no-negative-counts", no_negative_counts },
	{ "reader-behind-writer", reader_behind_writer },
	{}
};
