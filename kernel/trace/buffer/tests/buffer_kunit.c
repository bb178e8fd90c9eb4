// SPDX-License-Identifier: GPL-2.0
/*
 * The ring buffer, function by function: formats, counters, modes, time, sizes.
 * Readers are in reading_kunit.c; what happens by chance is in stress_kunit.c.
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/trace_clock.h>
#include <linux/trace_seq.h>

#include "buffer/internal.h"
#include "buffer/tests/values.h"

static void order_and_time(struct kunit *test)
{
	unsigned long lost = 1;
	u64 ts;
	int i;

	test_make(test, 4, RB_FL_OVERWRITE);
	KUNIT_EXPECT_TRUE(test, ring_buffer_empty(buffer));
	KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), -1);
	for (i = 0; i < 100; i++) {
		now += i;
		KUNIT_EXPECT_EQ(test, test_put(i), 0);
	}
	KUNIT_EXPECT_FALSE(test, ring_buffer_empty_cpu(buffer, CPU));
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), 100);
	KUNIT_EXPECT_EQ(test, ring_buffer_bytes_cpu(buffer, CPU), 100 * EVENT);
	KUNIT_EXPECT_EQ(test, ring_buffer_oldest_event_ts(buffer, CPU), 1000);
	for (i = 0, now = 1000; i < 100; i++) {
		now += i;
		KUNIT_EXPECT_EQ(test, test_get(&ts, &lost), i);
		KUNIT_EXPECT_EQ(test, ts, now);
		KUNIT_EXPECT_EQ(test, lost, 0);
	}
	KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), -1);
	KUNIT_EXPECT_EQ(test, ring_buffer_read_events_cpu(buffer, CPU), 100);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_bytes_cpu(buffer, CPU), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_oldest_event_ts(buffer, CPU), 0);
}

/* Each length comes back, and with its bytes. */
static void lengths(struct kunit *test)
{
	unsigned long max, len, i;
	u8 *data;

	test_make(test, 4, 0);
	max = ring_buffer_max_event_size(buffer);
	data = kunit_kmalloc(test, max + 1, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, data);
	for (len = 0; len <= max; len += len < 300 ? 1 : 97) {
		struct ring_buffer_event *event;
		u8 *read;

		for (i = 0; i < len; i++)
			data[i] = len + i;
		KUNIT_ASSERT_EQ(test, ring_buffer_write(buffer, len, data), 0);
		event = ring_buffer_consume(buffer, CPU, NULL, NULL);
		KUNIT_ASSERT_NOT_NULL(test, event);
		KUNIT_EXPECT_EQ(test, ring_buffer_event_length(event),
				ALIGN(len ?: 1, TEST_ALIGN));
		read = ring_buffer_event_data(event);
		KUNIT_EXPECT_PTR_EQ(test, read, ring_buffer_event_body(event));
		KUNIT_EXPECT_MEMEQ(test, read, data, len);
	}
	/* The longest fills a sub-buffer, with either kind of stamp. */
	KUNIT_EXPECT_EQ(test, max, ROOM - 8);
	KUNIT_EXPECT_EQ(test, ring_buffer_write(buffer, max, data), 0);
	KUNIT_EXPECT_NE(test, ring_buffer_write(buffer, max + 1, data), 0);
	now += BIT_ULL(40);
	KUNIT_EXPECT_EQ(test, ring_buffer_write(buffer, max, data), 0);
	ring_buffer_set_time_stamp_abs(buffer, true);
	KUNIT_EXPECT_EQ(test, ring_buffer_max_event_size(buffer), max - 8);
	KUNIT_EXPECT_NE(test, ring_buffer_write(buffer, max - 7, data), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_write(buffer, max - 8, data), 0);
	ring_buffer_set_time_stamp_abs(buffer, false);
	KUNIT_EXPECT_NE(test, ring_buffer_write(buffer, PAGE_SIZE - HDR, data), 0);
	KUNIT_EXPECT_NE(test, ring_buffer_write(buffer, ULONG_MAX, data), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), 3);
	KUNIT_EXPECT_EQ(test, preempt_count(), 0);
}

/* The oldest go; each is counted, and the reader is told before the first left. */
static void overwrite(struct kunit *test)
{
	unsigned long lost, overrun, left = 0;
	long first, value;
	int i, n = 5000;

	test_make(test, 3, RB_FL_OVERWRITE);
	for (i = 0; i < n; i++)
		KUNIT_ASSERT_EQ(test, test_put(i), 0);
	overrun = ring_buffer_overrun_cpu(buffer, CPU);
	KUNIT_EXPECT_GT(test, overrun, 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_overruns(buffer), overrun);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries_cpu(buffer, CPU) + overrun, n);
	KUNIT_EXPECT_EQ(test, ring_buffer_written_cpu(buffer, CPU), n);
	first = test_get(NULL, &lost);
	KUNIT_EXPECT_EQ(test, first, overrun);
	KUNIT_EXPECT_EQ(test, lost, overrun);
	for (left = 1; (value = test_get(NULL, &lost)) >= 0; left++) {
		KUNIT_EXPECT_EQ(test, value, first + left);
		KUNIT_EXPECT_EQ(test, lost, 0);
	}
	KUNIT_EXPECT_EQ(test, left + overrun, n);
	KUNIT_EXPECT_EQ(test, ring_buffer_dropped_events_cpu(buffer, CPU), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_commit_overrun_cpu(buffer, CPU), 0);
}

/* A reset between the counters that are read must not give billions of events. */
static void torn_counters(struct kunit *test)
{
	struct rb_cpu *cb;
	int i;

	test_make(test, 3, RB_FL_OVERWRITE);
	for (i = 0; i < 3; i++)
		KUNIT_ASSERT_EQ(test, test_put(i), 0);
	cb = rb_cpu_get(buffer, CPU);
	/* As the counters of before, with the events of after. */
	cb->read_events = 5;
	cb->read_bytes = 5 * EVENT;
	KUNIT_EXPECT_EQ(test, ring_buffer_entries_cpu(buffer, CPU), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_bytes_cpu(buffer, CPU), 0);
	ring_buffer_reset(buffer);
	KUNIT_EXPECT_EQ(test, test_put(0), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries_cpu(buffer, CPU), 1);
	KUNIT_EXPECT_EQ(test, ring_buffer_bytes_cpu(buffer, CPU), EVENT);
}

/* The newest are refused; each is counted, and the gap is where it is. */
static void discard_mode(struct kunit *test)
{
	unsigned long lost, refused = 0, read;
	int i, n = 5000;

	test_make(test, 3, 0);
	for (i = 0; i < n; i++)
		refused += test_put(i) != 0;
	KUNIT_EXPECT_GT(test, refused, 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_dropped_events_cpu(buffer, CPU), refused);
	KUNIT_EXPECT_EQ(test, ring_buffer_overrun_cpu(buffer, CPU), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), n - refused);
	for (read = 0; read < 600; read++) {
		KUNIT_EXPECT_EQ(test, test_get(NULL, &lost), read);
		KUNIT_EXPECT_EQ(test, lost, 0);
	}
	KUNIT_EXPECT_EQ(test, test_put(n), 0);
	for (; read < n - refused; read++) {
		KUNIT_EXPECT_EQ(test, test_get(NULL, &lost), read);
		KUNIT_EXPECT_EQ(test, lost, 0);
	}
	KUNIT_EXPECT_EQ(test, test_get(NULL, &lost), n);
	KUNIT_EXPECT_EQ(test, lost, refused);
	KUNIT_EXPECT_EQ(test, test_get(NULL, &lost), -1);
}

/* A wide delta has a record of its own, a clock that jumps back does not show. */
static void time_extend(struct kunit *test)
{
	static const u64 steps[] = {
		0, 1, BIT(27) - 1, BIT(27), BIT(27) + 1, BIT_ULL(40), BIT_ULL(58), 3
	};
	struct ring_buffer_event *event;
	u64 ts, stamp;
	int i;

	test_make(test, 2, 0);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		now += steps[i];
		event = ring_buffer_lock_reserve(buffer, 8);
		KUNIT_ASSERT_NOT_NULL(test, event);
		stamp = ring_buffer_event_time_stamp(buffer, event);
		ring_buffer_unlock_commit(buffer);
		KUNIT_EXPECT_EQ(test, stamp, now);
	}
	now -= 10;
	KUNIT_EXPECT_EQ(test, test_put(0), 0);
	now += 10;
	for (i = 0, now = 1000; i < ARRAY_SIZE(steps); i++) {
		now += steps[i];
		KUNIT_EXPECT_NOT_NULL(test, ring_buffer_consume(buffer, CPU, &ts, NULL));
		KUNIT_EXPECT_EQ(test, ts, now);
	}
	KUNIT_EXPECT_EQ(test, test_get(&ts, NULL), 0);
	KUNIT_EXPECT_EQ(test, ts, now);
	/* If there is no event, the time is 0. */
	KUNIT_EXPECT_NULL(test, ring_buffer_peek(buffer, CPU, &ts, NULL));
	KUNIT_EXPECT_EQ(test, ts, 0);
	ts = now;
	KUNIT_EXPECT_NULL(test, ring_buffer_consume(buffer, CPU, &ts, NULL));
	KUNIT_EXPECT_EQ(test, ts, 0);
}

static void time_absolute(struct kunit *test)
{
	u64 ts;
	int i;

	test_make(test, 2, 0);
	/* More than a record's 59 bits: the header has the others. */
	now = BIT_ULL(60) + 5;
	ring_buffer_set_time_stamp_abs(buffer, true);
	KUNIT_EXPECT_TRUE(test, ring_buffer_time_stamp_abs(buffer));
	for (i = 0; i < 4; i++, now += 7)
		KUNIT_EXPECT_EQ(test, test_put(i), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_bytes_cpu(buffer, CPU), 4 * (EVENT + 8));
	ring_buffer_set_time_stamp_abs(buffer, false);
	KUNIT_EXPECT_EQ(test, test_put(i), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_bytes_cpu(buffer, CPU), 4 * (EVENT + 8) + EVENT);
	for (i = 0, now = BIT_ULL(60) + 5; i < 5; i++, now += 7) {
		KUNIT_EXPECT_EQ(test, test_get(&ts, NULL), i);
		KUNIT_EXPECT_EQ(test, ts, now);
	}
}

static void discard(struct kunit *test)
{
	struct ring_buffer_event *event;
	unsigned long bytes;
	u64 ts;

	test_make(test, 2, 0);
	test_put(1);
	bytes = ring_buffer_bytes_cpu(buffer, CPU);
	now += 10;
	event = ring_buffer_lock_reserve(buffer, 40);
	ring_buffer_discard_commit(buffer, event);
	KUNIT_EXPECT_EQ(test, ring_buffer_bytes_cpu(buffer, CPU), bytes);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), 1);
	now += 10;
	test_put(2);
	/* Not the last: its place stays and is skipped. */
	now += 10;
	event = ring_buffer_lock_reserve(buffer, 40);
	ring_buffer_nest_start(buffer);
	KUNIT_EXPECT_EQ(test, test_put(3), 0);
	ring_buffer_nest_end(buffer);
	ring_buffer_discard_commit(buffer, event);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), 3);
	/* A wide delta's record stays, and the time is right behind it. */
	now += BIT(28);
	event = ring_buffer_lock_reserve(buffer, 40);
	ring_buffer_discard_commit(buffer, event);
	now += 10;
	test_put(4);
	/* With absolute stamps nothing stays. */
	bytes = ring_buffer_bytes_cpu(buffer, CPU);
	ring_buffer_set_time_stamp_abs(buffer, true);
	event = ring_buffer_lock_reserve(buffer, 40);
	ring_buffer_discard_commit(buffer, event);
	KUNIT_EXPECT_EQ(test, ring_buffer_bytes_cpu(buffer, CPU), bytes);
	ring_buffer_set_time_stamp_abs(buffer, false);
	now += 10;
	test_put(5);
	KUNIT_EXPECT_EQ(test, preempt_count(), 0);

	KUNIT_EXPECT_EQ(test, test_get(&ts, NULL), 1);
	KUNIT_EXPECT_EQ(test, ts, 1000);
	KUNIT_EXPECT_EQ(test, test_get(&ts, NULL), 2);
	KUNIT_EXPECT_EQ(test, ts, 1020);
	KUNIT_EXPECT_EQ(test, test_get(&ts, NULL), 3);
	KUNIT_EXPECT_EQ(test, test_get(&ts, NULL), 4);
	KUNIT_EXPECT_EQ(test, ts, 1040 + BIT(28));
	KUNIT_EXPECT_EQ(test, test_get(&ts, NULL), 5);
	KUNIT_EXPECT_EQ(test, ts, 1050 + BIT(28));
	KUNIT_EXPECT_EQ(test, test_get(&ts, NULL), -1);
}

/* The same context is turned away unless it says so, an inner one is not. */
static void recursion(struct kunit *test)
{
	struct ring_buffer_event *event;
	u64 outer;

	test_make(test, 2, 0);
	event = ring_buffer_lock_reserve(buffer, 4);
	*(u32 *)ring_buffer_event_data(event) = 1;
	outer = now;
	/* One is let in for an interrupt that preempt_count does not know yet. */
	KUNIT_EXPECT_EQ(test, test_put(2), 0);
	{
		struct ring_buffer_event *second = ring_buffer_lock_reserve(buffer, 4);

		KUNIT_EXPECT_NOT_NULL(test, second);
		*(u32 *)ring_buffer_event_data(second) = 3;
		KUNIT_EXPECT_NE(test, test_put(100), 0);
		ring_buffer_unlock_commit(buffer);
	}
	now += 5;
	ring_buffer_nest_start(buffer);
	KUNIT_EXPECT_EQ(test, test_put(4), 0);
	ring_buffer_nest_end(buffer);
	test_enter(LEVEL_NMI);
	KUNIT_EXPECT_EQ(test, test_put(5), 0);
	test_leave(LEVEL_NMI);
	KUNIT_EXPECT_EQ(test, ring_buffer_event_time_stamp(buffer, event), outer);
	/* Nothing is complete before the outermost is. */
	KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), -1);
	ring_buffer_unlock_commit(buffer);
	KUNIT_EXPECT_EQ(test, preempt_count(), 0);
	KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), 1);
	KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), 2);
	KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), 3);
	KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), 4);
	KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), 5);
	KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), -1);
}

/* Inner writers may not come around to what an outer one has not committed. */
static void commit_overrun(struct kunit *test)
{
	unsigned long refused = 0, lost;
	struct ring_buffer_event *event;
	int i, n = 3000;
	long value;

	test_make(test, 3, RB_FL_OVERWRITE);
	event = ring_buffer_lock_reserve(buffer, 4);
	*(u32 *)ring_buffer_event_data(event) = 0;
	test_enter(LEVEL_IRQ);
	for (i = 1; i < n; i++)
		refused += test_put(i) != 0;
	test_leave(LEVEL_IRQ);
	ring_buffer_unlock_commit(buffer);
	KUNIT_EXPECT_GT(test, refused, 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_commit_overrun_cpu(buffer, CPU), refused);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), n - refused);
	KUNIT_EXPECT_EQ(test, test_put(n), 0);
	lost = ring_buffer_overrun_cpu(buffer, CPU);
	for (value = lost; value < n - refused; value++)
		KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), value);
	KUNIT_EXPECT_EQ(test, test_get(NULL, &lost), n);
	KUNIT_EXPECT_EQ(test, lost, refused);
}

static unsigned int clock_writes;

/* The clock is read in the midst of a reservation: write there, further in. */
static u64 writing_clock(void)
{
	enum test_level level = LEVEL_TASK;

	if (clock_writes) {
		unsigned long count = preempt_count();

		if (count & NMI_MASK)
			return ++now;
		level = count & HARDIRQ_MASK ? LEVEL_NMI :
			count & SOFTIRQ_OFFSET ? LEVEL_IRQ : LEVEL_SOFTIRQ;
		if (clock_writes-- % 4 == 0) {
			test_enter(level);
			test_put(now);
			test_leave(level);
		}
	}
	return ++now;
}

/* @absolute: stamps, which no short way has. */
static void clock_writes_events(struct kunit *test, bool absolute)
{
	u64 ts, last = 0;
	int i, n;

	test_make(test, 100, 0);
	ring_buffer_set_clock(buffer, writing_clock);
	ring_buffer_set_time_stamp_abs(buffer, absolute);
	for (i = 0; i < 1000; i++) {
		clock_writes = i % 17;
		KUNIT_ASSERT_EQ(test, test_put(0), 0);
	}
	n = ring_buffer_entries(buffer);
	KUNIT_EXPECT_GT(test, n, 1000);
	for (i = 0; test_get(&ts, NULL) >= 0; i++) {
		KUNIT_EXPECT_GT(test, ts, last);
		last = ts;
	}
	KUNIT_EXPECT_EQ(test, i, n);
}

static void interrupted_reserve(struct kunit *test)
{
	clock_writes_events(test, false);
}

static void interrupted_reserve_long(struct kunit *test)
{
	clock_writes_events(test, true);
}

static u64 traced_clock(void)
{
	test_put(now);
	return ++now;
}

/* The clock's function is traced: it writes an event of the same level whenever it is read. */
static void clock_traces_itself(struct kunit *test, bool absolute)
{
	unsigned long own = 0;
	u64 ts, last = 0;
	int i, value;

	test_make(test, 100, 0);
	ring_buffer_set_clock(buffer, traced_clock);
	ring_buffer_set_time_stamp_abs(buffer, absolute);
	for (i = 0; i < 1000; i++)
		KUNIT_ASSERT_EQ(test, test_put(1000000 + i), 0);
	while ((value = test_get(&ts, NULL)) >= 0) {
		KUNIT_EXPECT_GE(test, ts, last);
		last = ts;
		if (value >= 1000000)
			KUNIT_EXPECT_EQ(test, value, 1000000 + own++);
	}
	KUNIT_EXPECT_EQ(test, own, 1000);
}

static void clock_is_traced(struct kunit *test)
{
	clock_traces_itself(test, false);
}

static void clock_is_traced_long(struct kunit *test)
{
	clock_traces_itself(test, true);
}

static void switches(struct kunit *test)
{
	test_make(test, 2, 0);
	ring_buffer_record_disable(buffer);
	KUNIT_EXPECT_FALSE(test, ring_buffer_record_is_on(buffer));
	KUNIT_EXPECT_TRUE(test, ring_buffer_record_is_set_on(buffer));
	KUNIT_EXPECT_NE(test, test_put(1), 0);
	ring_buffer_record_off(buffer);
	ring_buffer_record_enable(buffer);
	KUNIT_EXPECT_FALSE(test, ring_buffer_record_is_set_on(buffer));
	KUNIT_EXPECT_NE(test, test_put(1), 0);
	ring_buffer_record_on(buffer);
	KUNIT_EXPECT_TRUE(test, ring_buffer_record_is_on(buffer));
	ring_buffer_record_disable_cpu(buffer, CPU);
	KUNIT_EXPECT_NE(test, test_put(1), 0);
	ring_buffer_record_enable_cpu(buffer, CPU);
	KUNIT_EXPECT_EQ(test, test_put(1), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_dropped_events_cpu(buffer, CPU), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), 1);
}

static void reset(struct kunit *test)
{
	int i;

	test_make(test, 2, RB_FL_OVERWRITE);
	for (i = 0; i < 3000; i++)
		test_put(i);
	test_get(NULL, NULL);
	now = 5;
	ring_buffer_reset_cpu(buffer, CPU);
	KUNIT_EXPECT_TRUE(test, ring_buffer_empty(buffer));
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_overruns(buffer), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_bytes_cpu(buffer, CPU), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_read_events_cpu(buffer, CPU), 0);
	KUNIT_EXPECT_EQ(test, test_put(7), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_oldest_event_ts(buffer, CPU), 5);
	KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), 7);
	ring_buffer_reset(buffer);
	KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), -1);
}

/* How many events fit into the buffer, which is empty and not to be overwritten? */
static unsigned int events_that_fit(struct kunit *test)
{
	unsigned int n = 0;

	ring_buffer_change_overwrite(buffer, false);
	while (!test_put(n))
		n++;
	KUNIT_EXPECT_EQ(test, ring_buffer_overruns(buffer), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), n);
	return n;
}

/*
 * After a reset there is as much room as in a new buffer, and nothing of what was
 * written before, however much that was, and whatever became of the ring meanwhile.
 */
static void reset_has_all_room(struct kunit *test)
{
	static const unsigned int written[] = { 0, 1, 100, 300, 1500, 4000, 6000, 20000 };
	unsigned int room, i, n, read;

	test_make(test, 12, RB_FL_OVERWRITE);
	room = events_that_fit(test);
	for (i = 0; i < 3 * ARRAY_SIZE(written); i++) {
		unsigned int nr = written[i / 3];

		ring_buffer_reset(buffer);
		ring_buffer_change_overwrite(buffer, true);
		for (n = 0; n < nr; n++)
			test_put(n);
		for (read = 0; i % 3 && read < nr / 3; read++)
			test_get(NULL, NULL);
		if (i % 3 == 2) {
			KUNIT_EXPECT_EQ(test, ring_buffer_resize(buffer, 3 * UNIT, CPU), 0);
			KUNIT_EXPECT_EQ(test, ring_buffer_resize(buffer, 12 * UNIT, CPU), 0);
		}
		for (n = 0; n < nr / 2; n++)
			test_put(n);
		ring_buffer_reset(buffer);
		KUNIT_EXPECT_TRUE(test, ring_buffer_empty(buffer));
		KUNIT_EXPECT_EQ_MSG(test, events_that_fit(test), room, "after %u events", nr);
		for (n = 0; n < room; n++)
			KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), n);
		KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), -1);
	}
}

static void resize(struct kunit *test)
{
	unsigned long lost, entries, overrun;
	int i, next = 0;

	test_make(test, 4, RB_FL_OVERWRITE);
	KUNIT_EXPECT_EQ(test, ring_buffer_size(buffer, CPU), 4 * UNIT);
	for (i = 0; i < 1000; i++)
		test_put(i);
	/* Larger: all stays. */
	KUNIT_EXPECT_EQ(test, ring_buffer_resize(buffer, 10 * UNIT, RING_BUFFER_ALL_CPUS), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_size(buffer, CPU), 10 * UNIT);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), 1000);
	for (; next < 300; next++)
		KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), next);
	for (; i < 4000; i++)
		test_put(i);
	KUNIT_EXPECT_EQ(test, ring_buffer_overruns(buffer), 0);
	/* Smaller: the oldest go. */
	KUNIT_EXPECT_EQ(test, ring_buffer_resize(buffer, 3 * UNIT, CPU), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_size(buffer, CPU), 3 * UNIT);
	overrun = ring_buffer_overruns(buffer);
	entries = ring_buffer_entries(buffer);
	KUNIT_EXPECT_GT(test, overrun, 0);
	KUNIT_EXPECT_EQ(test, overrun + entries + next, 4000);
	/* The reader had a sub-buffer of its own, that one stays. */
	for (; next < 510; next++)
		KUNIT_ASSERT_EQ(test, test_get(NULL, &lost), next);
	next += overrun;
	KUNIT_EXPECT_EQ(test, test_get(NULL, &lost), next);
	KUNIT_EXPECT_EQ(test, lost, overrun);
	for (next++; next < 4000; next++) {
		KUNIT_ASSERT_EQ(test, test_get(NULL, &lost), next);
		KUNIT_EXPECT_EQ(test, lost, 0);
	}
	/* At least two; and it still works, in each state of the reader. */
	KUNIT_EXPECT_EQ(test, ring_buffer_resize(buffer, 0, RING_BUFFER_ALL_CPUS), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_size(buffer, CPU), 2 * ROOM);
	for (; i < 5000; i++) {
		test_put(i);
		KUNIT_ASSERT_EQ(test, test_get(NULL, &lost), i);
		KUNIT_EXPECT_EQ(test, lost, 0);
		if (i % 100 == 0)
			KUNIT_EXPECT_EQ(test, ring_buffer_resize(buffer, (i % 7) * ROOM, CPU), 0);
	}
	KUNIT_EXPECT_EQ(test, ring_buffer_resize(buffer, ULONG_MAX / 2, CPU), -ENOMEM);
	KUNIT_EXPECT_EQ(test, ring_buffer_resize(buffer, ROOM, CPU + 1000000), 0);
}

static void subbuf_order(struct kunit *test)
{
	unsigned long size;
	int i;

	test_make(test, 64, 0);
	size = ring_buffer_size(buffer, CPU);
	KUNIT_EXPECT_EQ(test, ring_buffer_subbuf_order_get(buffer), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_subbuf_order_set(buffer, -1), -EINVAL);
	KUNIT_EXPECT_EQ(test, ring_buffer_subbuf_order_set(buffer, 40), -EINVAL);
	KUNIT_EXPECT_EQ(test, ring_buffer_subbuf_order_set(buffer, 2), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_subbuf_order_get(buffer), 2);
	KUNIT_EXPECT_EQ(test, ring_buffer_subbuf_size_get(buffer), PAGE_SIZE * 4);
	KUNIT_EXPECT_GE(test, ring_buffer_size(buffer, CPU), size);
	KUNIT_EXPECT_GT(test, ring_buffer_max_event_size(buffer), PAGE_SIZE * 3);
	for (i = 0; i < 20000; i++)
		KUNIT_ASSERT_EQ(test, test_put(i), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_resize(buffer, 2 * size, CPU), 0);
	for (i = 0; i < 20000; i++)
		KUNIT_ASSERT_EQ(test, test_get(NULL, NULL), i);
	KUNIT_EXPECT_EQ(test, ring_buffer_subbuf_order_set(buffer, 0), 0);
	KUNIT_EXPECT_EQ(test, test_put(1), 0);
	KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), 1);
}

/**
 * struct later - writes from a timer's interrupt
 * @timer: the timer
 * @count: how many events are to be written
 * @waiter: they are written when it sleeps
 */
static struct later {
	struct hrtimer		timer;
	unsigned int		count;
	struct task_struct	*waiter;
} later;

static enum hrtimer_restart write_later(struct hrtimer *timer)
{
	unsigned int i;

	if (task_is_running(later.waiter)) {
		hrtimer_forward_now(timer, ms_to_ktime(1));
		return HRTIMER_RESTART;
	}
	for (i = 0; i < later.count; i++)
		test_put(i);
	return HRTIMER_NORESTART;
}

static void when_asleep(unsigned int count)
{
	later.count = count;
	later.waiter = current;
	hrtimer_init(&later.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	later.timer.function = write_later;
	hrtimer_start(&later.timer, ms_to_ktime(1), HRTIMER_MODE_REL_PINNED_HARD);
}

static bool never(void *data)
{
	return false;
}

static bool flagged(void *data)
{
	return READ_ONCE(*(bool *)data);
}

/* A wakeup before the wait begins would be none. */
static int wake_thread(void *data)
{
	while (task_is_running(later.waiter))
		schedule_timeout_uninterruptible(1);
	if (data)
		WRITE_ONCE(*(bool *)data, true);
	ring_buffer_wake_waiters(buffer, data ? RING_BUFFER_ALL_CPUS : CPU);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ);
	return 0;
}

/* Wait until the buffer is @full percent full, which it never is: only a wakeup ends the wait. */
static void wait_for_wakeup(struct kunit *test, int full, bool *flag)
{
	struct task_struct *thread = kthread_run(wake_thread, flag, "rb_wake");

	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	KUNIT_EXPECT_EQ(test, ring_buffer_wait(buffer, CPU, full, flag ? flagged : NULL, flag), 0);
	KUNIT_EXPECT_EQ(test, kthread_stop(thread), 0);
	KUNIT_EXPECT_TRUE(test, ring_buffer_empty(buffer));
}

static void wait(struct kunit *test)
{
	bool flag = false;

	test_make(test, 10, 0);
	when_asleep(1);
	KUNIT_EXPECT_EQ(test, ring_buffer_wait(buffer, CPU, 0, never, NULL), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), 1);
	/* There is something. */
	KUNIT_EXPECT_EQ(test, ring_buffer_wait(buffer, CPU, 0, NULL, NULL), 0);
	KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), 0);
	when_asleep(1);
	KUNIT_EXPECT_EQ(test, ring_buffer_wait(buffer, RING_BUFFER_ALL_CPUS, 50, never, NULL), 0);
	KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), 0);
	/* Half of the sub-buffers, with what is being written. */
	when_asleep(3000);
	KUNIT_EXPECT_EQ(test, ring_buffer_wait(buffer, CPU, 50, never, NULL), 0);
	KUNIT_EXPECT_GE(test, ring_buffer_nr_dirty_pages(buffer, CPU), 4);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(buffer), 3000);
	ring_buffer_reset(buffer);
	KUNIT_EXPECT_EQ(test, ring_buffer_nr_dirty_pages(buffer, CPU), 0);
	/* Woken without data. */
	wait_for_wakeup(test, 0, NULL);
	wait_for_wakeup(test, 100, &flag);
	KUNIT_EXPECT_EQ(test, ring_buffer_wait(buffer, CPU + 1000000, 0, NULL, NULL), -ENODEV);
	hrtimer_cancel(&later.timer);
}

static void swap_cpu(struct kunit *test)
{
	struct ring_buffer_event *event;
	struct trace_buffer *other;
	unsigned long flags;
	u32 value = 100;

	test_make(test, 4, 0);
	other = ring_buffer_alloc(4 * UNIT, 0);
	KUNIT_ASSERT_NOT_NULL(test, other);
	test_put(1);
	ring_buffer_write(other, sizeof(value), &value);
	local_irq_save(flags);
	KUNIT_EXPECT_EQ(test, ring_buffer_swap_cpu(buffer, other, CPU), 0);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), 100);
	test_put(2);
	KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), 2);
	event = ring_buffer_consume(other, CPU, NULL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_EXPECT_EQ(test, *(u32 *)ring_buffer_event_data(event), 1);

	event = ring_buffer_lock_reserve(buffer, 4);
	KUNIT_EXPECT_EQ(test, ring_buffer_swap_cpu(buffer, other, CPU), -EBUSY);
	ring_buffer_unlock_commit(buffer);
	/* A buffer that does not record can be exchanged as well. */
	test_get(NULL, NULL);
	test_put(3);
	ring_buffer_record_off(other);
	KUNIT_EXPECT_EQ(test, ring_buffer_swap_cpu(buffer, other, CPU), 0);
	ring_buffer_record_on(other);
	event = ring_buffer_consume(other, CPU, NULL, NULL);
	KUNIT_ASSERT_NOT_NULL(test, event);
	KUNIT_EXPECT_EQ(test, *(u32 *)ring_buffer_event_data(event), 3);
	KUNIT_EXPECT_EQ(test, ring_buffer_resize(other, 5 * UNIT, CPU), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_swap_cpu(buffer, other, CPU), -EINVAL);
	KUNIT_EXPECT_EQ(test, ring_buffer_swap_cpu(buffer, other, CPU + 1000000), -EINVAL);
	ring_buffer_free(other);
}

/* Each CPU that may run has a buffer; one that is asked for again keeps it. */
static void cpus(struct kunit *test)
{
	int cpu;

	test_make(test, 4, 0);
	test_put(1);
	for_each_online_cpu(cpu)
		KUNIT_EXPECT_EQ(test, ring_buffer_size(buffer, cpu), 4 * UNIT);
	KUNIT_EXPECT_EQ(test, ring_buffer_size(buffer, CPU + 1000000), 0);
	KUNIT_EXPECT_NULL(test, ring_buffer_read_start(buffer, CPU + 1000000, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, ring_buffer_consume(buffer, CPU + 1000000, NULL, NULL));
	ring_buffer_record_disable_cpu(buffer, CPU + 1000000);
	KUNIT_EXPECT_EQ(test, test_get(NULL, NULL), 1);
}

#ifdef CONFIG_TRACING
/* The text that libtraceevent parses. */
static void headers(struct kunit *test)
{
	struct trace_seq *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	char expect[400];

	KUNIT_ASSERT_NOT_NULL(test, s);
	test_make(test, 2, 0);
	trace_seq_init(s);
	KUNIT_EXPECT_NE(test, ring_buffer_print_page_header(buffer, s), 0);
	snprintf(expect, sizeof(expect),
		 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		 "\tfield: local_t commit;\toffset:8;\tsize:%zu;\tsigned:1;\n"
		 "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		 "\tfield: char data;\toffset:%zu;\tsize:%zu;\tsigned:%d;\n",
		 sizeof(long), HDR, (size_t)ROOM, is_signed_type(char));
	KUNIT_EXPECT_STREQ(test, expect, s->buffer);
	trace_seq_init(s);
	KUNIT_EXPECT_NE(test, ring_buffer_print_entry_header(s), 0);
	KUNIT_EXPECT_STREQ(test, s->buffer,
			   "# compressed entry header\n"
			   "\ttype_len    :    5 bits\n"
			   "\ttime_delta  :   27 bits\n"
			   "\tarray       :   32 bits\n"
			   "\n"
			   "\tpadding     : type == 29\n"
			   "\ttime_extend : type == 30\n"
			   "\ttime_stamp : type == 31\n"
			   "\tdata max type_len  == 28\n");
}
#endif

static void clocks(struct kunit *test)
{
	u64 last, next;
	int i;

	test_make(test, 2, 0);
	for (i = 0, last = 0; i < 1000; i++, last = next) {
		next = trace_clock_global();
		KUNIT_EXPECT_GE(test, next, last);
	}
	for (i = 0, last = 0; i < 1000; i++, last = next) {
		next = trace_clock_counter();
		KUNIT_EXPECT_GT(test, next, last);
	}
	last = trace_clock_local();
	/* Unlike msleep(), it does not depend on when the last tick was. */
	usleep_range(20000, 21000);
	next = trace_clock_local();
	KUNIT_EXPECT_GE(test, next - last, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_LT(test, trace_clock_jiffies(), BIT_ULL(60));
	last = trace_clock();
	KUNIT_EXPECT_GE(test, trace_clock(), last);
	now = 77;
	KUNIT_EXPECT_EQ(test, ring_buffer_time_stamp(buffer), 77);
	ring_buffer_normalize_time_stamp(buffer, CPU, &now);
	KUNIT_EXPECT_EQ(test, now, 77);
	/* The default clock, which the writer reads in place. */
	ring_buffer_set_clock(buffer, trace_clock_local);
	last = trace_clock_local();
	test_put(1);
	KUNIT_EXPECT_EQ(test, test_get(&next, NULL), 1);
	KUNIT_EXPECT_GE(test, next, last);
	KUNIT_EXPECT_LE(test, next, trace_clock_local());
}

static unsigned int watch_told;

static void watch_notify(struct ring_buffer_watch *watch)
{
	watch_told++;
}

/* A CPU that is not online tells nobody, so others look for what it has counted. */
static void news_of_a_cpu_that_came(struct kunit *test)
{
	struct ring_buffer_watch *watch = kunit_kzalloc(test, struct_size(watch, news, nr_cpu_ids),
							GFP_KERNEL);
	struct rb_object *object;

	KUNIT_ASSERT_NOT_NULL(test, watch);
	test_make(test, 4, 0);
	object = rb_object(buffer);
	watch_told = 0;
	watch->notify = watch_notify;
	ring_buffer_set_watch(buffer, watch);
	trace_rb_cpu_online(CPU, &object->online_node);
	KUNIT_EXPECT_EQ(test, watch_told, 0);
	atomic_long_set(&watch->news[CPU].dropped, 1);
	trace_rb_cpu_online(CPU, &object->online_node);
	KUNIT_EXPECT_EQ(test, watch_told, 1);
	ring_buffer_set_watch(buffer, NULL);
	trace_rb_cpu_online(CPU, &object->online_node);
	KUNIT_EXPECT_EQ(test, watch_told, 1);
	synchronize_rcu();
}

static struct kunit_case buffer_cases[] = {
	KUNIT_CASE(order_and_time),
	KUNIT_CASE(lengths),
	KUNIT_CASE(torn_counters),
	KUNIT_CASE(overwrite),
	KUNIT_CASE(discard_mode),
	KUNIT_CASE(time_extend),
	KUNIT_CASE(time_absolute),
	KUNIT_CASE(discard),
	KUNIT_CASE(recursion),
	KUNIT_CASE(commit_overrun),
	KUNIT_CASE(interrupted_reserve),
	KUNIT_CASE(interrupted_reserve_long),
	KUNIT_CASE(clock_is_traced),
	KUNIT_CASE(clock_is_traced_long),
	KUNIT_CASE(switches),
	KUNIT_CASE(reset),
	KUNIT_CASE(reset_has_all_room),
	KUNIT_CASE(resize),
	KUNIT_CASE(subbuf_order),
	KUNIT_CASE(wait),
	KUNIT_CASE(swap_cpu),
	KUNIT_CASE(cpus),
#ifdef CONFIG_TRACING
	KUNIT_CASE(headers),
#endif
	KUNIT_CASE(clocks),
	KUNIT_CASE(news_of_a_cpu_that_came),
	{}
};

static struct kunit_suite buffer_suite = {
	.name = "ring-buffer",
	.suite_init = test_suite_init,
	.suite_exit = test_suite_exit,
	.init = test_init,
	.exit = test_exit,
	.test_cases = buffer_cases,
};

kunit_test_suite(buffer_suite);

MODULE_DESCRIPTION("KUnit tests of the ring buffer");
MODULE_LICENSE("GPL");
