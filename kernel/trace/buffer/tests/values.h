/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For suites whose events are numbers: the buffer of a case, on one CPU, with a clock
 * that stands still unless the case moves it.  Each file that includes this has its own.
 */
#ifndef _TRACE_BUFFER_TESTS_VALUES_H
#define _TRACE_BUFFER_TESTS_VALUES_H

#include "buffer/tests/support.h"

#define CPU	0
#define HDR	(sizeof(u64) + sizeof(long))
#define ROOM	(PAGE_SIZE - HDR)

/* An event of test_put() takes as much with either alignment. */
#define EVENT	16
#define PAYLOAD	(TEST_ALIGN == 8 ? 8 : 12)
#define UNIT	(2 * ROOM)

static struct trace_buffer *buffer;
static u64 now;

static inline u64 test_clock(void)
{
	return now;
}

/* A buffer of @units twos of sub-buffers, on the test's CPU, with the clock @now. */
static inline void test_make(struct kunit *test, unsigned int units, unsigned int flags)
{
	buffer = ring_buffer_alloc(units * UNIT, flags);
	KUNIT_ASSERT_NOT_NULL(test, buffer);
	now = 1000;
	ring_buffer_set_clock(buffer, test_clock);
}

static inline int test_put(u32 value)
{
	u32 data[PAYLOAD / 4] = { value };

	return ring_buffer_write(buffer, sizeof(data), data);
}

/* The value of the event consumed next, or -1. */
static inline long test_get(u64 *ts, unsigned long *lost)
{
	struct ring_buffer_event *event = ring_buffer_consume(buffer, CPU, ts, lost);

	return event ? (long)*(u32 *)ring_buffer_event_data(event) : -1;
}

static inline int test_init(struct kunit *test)
{
	buffer = NULL;
	return set_cpus_allowed_ptr(current, cpumask_of(CPU));
}

static inline void test_exit(struct kunit *test)
{
	if (buffer)
		ring_buffer_free(buffer);
}

#endif /* _TRACE_BUFFER_TESTS_VALUES_H */
