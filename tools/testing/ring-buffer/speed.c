// SPDX-License-Identifier: GPL-2.0
/*
 * Nanoseconds an event, of one thread without interrupts, the best of some rounds.
 */
#include <time.h>

#include "test.h"

#define EVENTS	BIT(17)
#define ROUNDS	20
#define BYTES	16

static struct trace_buffer *buffer;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static void fill(void)
{
	unsigned long i;

	for (i = 0; i < EVENTS; i++) {
		struct ring_buffer_event *event = ring_buffer_lock_reserve(buffer, BYTES);

		if (!event)
			abort();
		*(u64 *)ring_buffer_event_data(event) = i;
		ring_buffer_unlock_commit(buffer);
	}
}

static void fill_words(void)
{
	unsigned long i, refused = 0;

	preempt_disable_notrace();
	for (i = 0; i < EVENTS; i++)
		refused += !!test_write_words(buffer, i, i, i);
	preempt_enable_notrace();
	CHECK_EQ(refused, 0);
}

static void discard(void)
{
	unsigned long i;

	for (i = 0; i < EVENTS; i++) {
		struct ring_buffer_event *event = ring_buffer_lock_reserve(buffer, BYTES);

		if (!event)
			abort();
		ring_buffer_discard_commit(buffer, event);
	}
}

static void consume(void)
{
	unsigned long i;

	for (i = 0; ring_buffer_consume(buffer, 0, NULL, NULL); i++)
		;
	CHECK_EQ(i, EVENTS);
}

static void iterate(void)
{
	struct ring_buffer_iter *iter = ring_buffer_read_start(buffer, 0, GFP_KERNEL);
	unsigned long i;

	for (i = 0; ring_buffer_iter_peek(iter, NULL); i++)
		ring_buffer_iter_advance(iter);
	CHECK_EQ(i, EVENTS);
	ring_buffer_read_finish(iter);
}

static void pages(void)
{
	struct buffer_data_read_page *page;

	do {
		ring_buffer_alloc_read_page(buffer, 0, &page);
		if (ring_buffer_read_page(buffer, page, PAGE_SIZE, 0, 0))
			break;
		ring_buffer_free_read_page(buffer, 0, page);
	} while (true);
	ring_buffer_free_read_page(buffer, 0, page);
	CHECK_EQ(ring_buffer_entries(buffer), 0);
	CHECK_EQ(ring_buffer_read_events_cpu(buffer, 0), EVENTS);
}

static void measure(const char *what, void (*prepare)(void), void (*func)(void))
{
	double best = 1e18;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		double start;

		ring_buffer_reset(buffer);
		if (prepare)
			prepare();
		start = now();
		func();
		best = min(best, now() - start);
	}
	printf("speed: %-10s %6.1f ns an event\n", what, best / EVENTS);
}

int test_speed(void)
{
	shim_init(1);
	shim_now = 1000;	/* the clock is the kernel's, and costs what it costs there */
	buffer = test_buffer(EVENTS * (BYTES + 8) / PAGE_SIZE + 8, RB_FL_OVERWRITE);
	measure("write", NULL, fill);
	measure("words", NULL, fill_words);
	measure("discard", NULL, discard);
	measure("consume", fill, consume);
	measure("iterate", fill, iterate);
	measure("page", fill, pages);
	ring_buffer_free(buffer);
	return test_failures || shim_warnings;
}
