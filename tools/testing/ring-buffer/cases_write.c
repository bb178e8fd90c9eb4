// SPDX-License-Identifier: GPL-2.0
/*
 * Writers: contexts inside of each other, discards, and reservations that nobody ends.
 */
#include "cases.h"

/* An NMI crosses between the publishing and the end of a commit, then comes a shrink. */
static void shrink_before_numbering(void)
{
	struct trace_buffer *buffer = test_buffer(16, RB_FL_OVERWRITE);
	struct rb_writer *w = buffer->writers[0];
	unsigned int i;

	shim_now = 1000;
	test_put(buffer, BYTES);
	w->context = BIT(RB_LEVEL_TASK);
	shim_preempt_count += NMI_OFFSET;
	for (i = 0; i < 3 * PER_SUB; i++)
		test_put(buffer, BYTES);
	shim_preempt_count -= NMI_OFFSET;
	w->context = 0;
	/* The writer has not yet looked whether pos is what it published. */
	CHECK_EQ(ring_buffer_resize(buffer, 2 * (PAGE_SIZE - RB_HDR), 0), -EBUSY);
	rb_short_leave(w);
	CHECK_EQ(ring_buffer_entries_cpu(buffer, 0), 3 * PER_SUB + 1);
	CHECK_EQ(ring_buffer_resize(buffer, 2 * (PAGE_SIZE - RB_HDR), 0), 0);
	ring_buffer_free(buffer);
}

/* A reservation that nobody ends. */
static void leaked_reservation(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	struct vm_area_struct vma = { .vm_end = 8 * PAGE_SIZE, .vm_flags = VM_MAYSHARE };

	test_put(buffer, BYTES);
	CHECK(ring_buffer_lock_reserve(buffer, BYTES));
	shim_preempt_count = 0;
	CHECK_EQ(ring_buffer_resize(buffer, 2 * PAGE_SIZE, RING_BUFFER_ALL_CPUS), -EBUSY);
	CHECK_EQ(ring_buffer_subbuf_order_set(buffer, 1), -EBUSY);
	CHECK_EQ(ring_buffer_map(buffer, 0, &vma), -EBUSY);
	ring_buffer_reset_cpu(buffer, 0);
	CHECK_EQ(ring_buffer_entries_cpu(buffer, 0), 2);
	shim_preempt_count = 1;
	ring_buffer_unlock_commit(buffer);
	CHECK_EQ(ring_buffer_resize(buffer, 2 * PAGE_SIZE, RING_BUFFER_ALL_CPUS), 0);
	ring_buffer_reset_cpu(buffer, 0);
	CHECK_EQ(ring_buffer_entries_cpu(buffer, 0), 0);
	CHECK_EQ(test_put(buffer, BYTES), 0);
	ring_buffer_free(buffer);
}

static int put_number(struct trace_buffer *buffer, u32 number)
{
	return ring_buffer_write(buffer, sizeof(number), &number);
}

static void expect_number(struct trace_buffer *buffer, u32 number, u64 time)
{
	struct ring_buffer_event *event;
	u64 ts = 0;

	event = ring_buffer_consume(buffer, 0, &ts, NULL);
	if (CHECK(event))
		CHECK_EQ(*(u32 *)ring_buffer_event_data(event), number);
	CHECK_EQ(ts, time);
}

/* An event that is discarded while others are behind it gets the time of the event before. */
static void discard_at_one_time(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	static const unsigned int lengths[] = { 4, 8, 40 };
	struct ring_buffer_event *event;
	unsigned int i, late;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		shim_now = 1000;
		CHECK_EQ(put_number(buffer, 1), 0);
		event = ring_buffer_lock_reserve(buffer, lengths[i]);
		ring_buffer_nest_start(buffer);
		CHECK_EQ(put_number(buffer, 2), 0);
		ring_buffer_nest_end(buffer);
		ring_buffer_discard_commit(buffer, event);
		/* With 0, it reaches to the end of the page, for who reads that. */
		if (event->type_len == RINGBUF_TYPE_PADDING)
			CHECK(event->time_delta);
		shim_now = 1010;
		CHECK_EQ(put_number(buffer, 3), 0);
		expect_number(buffer, 1, 1000);
		/* There may be no room for a stamp, which tells the time after padding. */
		late = lengths[i] == 8;
		expect_number(buffer, 2, 1000 + late);
		expect_number(buffer, 3, 1010 + late);
		CHECK(!ring_buffer_consume(buffer, 0, NULL, NULL));
		ring_buffer_reset(buffer);
	}
	ring_buffer_free(buffer);
}

/* Contexts of a CPU, one inside of the other, and one that preempt_count does not know. */

static struct ring_buffer_event *reserve_at(struct trace_buffer *buffer, u64 time, u32 number)
{
	struct ring_buffer_event *event;

	shim_now = time;
	event = ring_buffer_lock_reserve(buffer, sizeof(number));
	if (CHECK(event)) {
		*(u32 *)ring_buffer_event_data(event) = number;
		CHECK_EQ(ring_buffer_event_time_stamp(buffer, event), time);
	}
	return event;
}

/*
 * A task, an interrupt that has not told yet, another one, and an NMI: each knows its time, and
 * what it discards leaves the time of the others. @discard: a bit for each that discards.
 */
static void nested_writers(unsigned int discard, bool nest)
{
	static const unsigned int counts[] = { 0, 0, HARDIRQ_OFFSET, NMI_OFFSET };
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	struct ring_buffer_event *events[ARRAY_SIZE(counts)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		shim_preempt_count += counts[i];
		events[i] = reserve_at(buffer, 1000 + 300 * i, i);
		if (nest && i == 1)
			ring_buffer_nest_start(buffer);
	}
	/* All levels are taken: one more of a context is refused. */
	CHECK(!ring_buffer_lock_reserve(buffer, 4) == !nest);
	if (nest)
		ring_buffer_unlock_commit(buffer);
	while (i--) {
		CHECK_EQ(ring_buffer_event_time_stamp(buffer, events[i]), 1000 + 300 * i);
		if (discard & BIT(i))
			ring_buffer_discard_commit(buffer, events[i]);
		else
			ring_buffer_unlock_commit(buffer);
		shim_preempt_count -= counts[i];
		if (nest && i == 2)
			ring_buffer_nest_end(buffer);
	}
	CHECK_EQ(buffer->writers[0]->context, 0);
	shim_now = 5000;
	CHECK_EQ(put_number(buffer, 9), 0);
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		if (!(discard & BIT(i)))
			expect_number(buffer, i, 1000 + 300 * i);
		if (nest && i == 3)
			CHECK(ring_buffer_consume(buffer, 0, NULL, NULL));
	}
	expect_number(buffer, 9, 5000);
	CHECK(!ring_buffer_consume(buffer, 0, NULL, NULL));
	ring_buffer_free(buffer);
}

static void times_of_levels(void)
{
	unsigned int discard;

	for (discard = 0; discard < 16; discard++) {
		nested_writers(discard, false);
		nested_writers(discard, true);
	}
}

/*
 * An event that is taken back leaves the stamp before it: the next event needs no record of its
 * time.
 */
static void taken_back(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	unsigned long bytes;

	shim_now = 1000;
	CHECK_EQ(put_number(buffer, 1), 0);
	bytes = ring_buffer_bytes_cpu(buffer, 0);
	shim_now = 1010;
	ring_buffer_discard_commit(buffer, ring_buffer_lock_reserve(buffer, 40));
	CHECK_EQ(ring_buffer_bytes_cpu(buffer, 0), bytes);
	shim_now = 1020;
	CHECK_EQ(put_number(buffer, 2), 0);
	CHECK_EQ(ring_buffer_bytes_cpu(buffer, 0), 2 * bytes);
	expect_number(buffer, 1, 1000);
	expect_number(buffer, 2, 1020);
	ring_buffer_free(buffer);
}

/*
 * The clock jumps back while a writer has its place, and has not yet stored its stamp as the last
 * one. A writer that interrupts it there comes behind, and so does its stamp; the next one, too.
 */
static void jump_amid_reservation(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	struct rb_writer *w = buffer->writers[0];
	struct ring_buffer_event *event;
	u64 last, mine;

	shim_now = 1000;
	CHECK_EQ(put_number(buffer, 1), 0);
	last = w->write_stamp;
	event = reserve_at(buffer, 2000, 2);
	mine = w->write_stamp;
	w->write_stamp = last;
	shim_preempt_count += HARDIRQ_OFFSET;
	shim_now = 1500;
	CHECK_EQ(put_number(buffer, 3), 0);
	shim_now = 3000;
	CHECK_EQ(put_number(buffer, 4), 0);
	shim_preempt_count -= HARDIRQ_OFFSET;
	w->write_stamp = mine;
	CHECK(event);
	ring_buffer_unlock_commit(buffer);
	shim_now = 1700;
	CHECK_EQ(put_number(buffer, 5), 0);
	shim_now = 3001;
	CHECK_EQ(put_number(buffer, 6), 0);
	expect_number(buffer, 1, 1000);
	expect_number(buffer, 2, 2000);
	expect_number(buffer, 3, BITS_PER_LONG == 64 ? 2000 : 1500);
	expect_number(buffer, 4, 3000);
	expect_number(buffer, 5, BITS_PER_LONG == 64 ? 3000 : 1700);
	expect_number(buffer, 6, 3001);
	ring_buffer_free(buffer);
}

static struct trace_buffer *interrupted;

static void write_amid_clock(void)
{
	shim_preempt_count += NMI_OFFSET;
	shim_now += 5;
	CHECK_EQ(put_number(interrupted, 2), 0);
	shim_now += 5;
	shim_preempt_count -= NMI_OFFSET;
}

static u64 other_clock(void)
{
	return sched_clock_noinstr();
}

/*
 * An interrupt that writes while a writer reads the clock leaves the time known: both events need
 * no record of it. The writer may itself have interrupted another one, and the clock may be any.
 */
static void interrupted_clock(void)
{
	struct ring_buffer_event *outer = NULL;
	unsigned long bytes;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);

		interrupted = buffer;
		if (i & 1)
			ring_buffer_set_clock(buffer, other_clock);
		shim_now = 1000;
		CHECK_EQ(put_number(buffer, 1), 0);
		bytes = ring_buffer_bytes_cpu(buffer, 0);
		if (i & 2) {
			outer = reserve_at(buffer, 1000, 0);
			shim_preempt_count += HARDIRQ_OFFSET;
		}
		shim_clock_hook = write_amid_clock;
		CHECK_EQ(put_number(buffer, 3), 0);
		CHECK(!shim_clock_hook);
		if (i & 2) {
			shim_preempt_count -= HARDIRQ_OFFSET;
			ring_buffer_unlock_commit(buffer);
		}
		CHECK_EQ(ring_buffer_bytes_cpu(buffer, 0), (i & 2 ? 4 : 3) * bytes);
		expect_number(buffer, 1, 1000);
		if (i & 2)
			expect_number(buffer, 0, 1000);
		expect_number(buffer, 2, 1005);
		expect_number(buffer, 3, 1010);
		ring_buffer_free(buffer);
	}
	CHECK(outer);
}

const struct test_case write_cases[] = {
	{ "shrink-before-numbering", shrink_before_numbering },
	{ "leaked-reservation", leaked_reservation },
	{ "discard-at-one-time", discard_at_one_time },
	{ "taken-back", taken_back },
	{ "times-of-levels", times_of_levels },
	{ "jump-amid-reservation", jump_amid_reservation },
	{ "interrupted-clock", interrupted_clock },
	{}
};
