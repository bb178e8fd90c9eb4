// SPDX-License-Identifier: GPL-2.0
/*
 * The work at each instruction: the operations of CPU 0, the contexts that come in between,
 * and the sums that have to be right afterwards.
 */
#include "steps.h"

struct steps steps;

/*
 * check: of the number and the time by which the buffer says the event was written, or,
 * of words, of the number alone: their writer is told no time.
 */
struct item {
	u32	number;
	u32	level;
	u64	check;
} __packed __aligned(4);

#define LEVEL_WORDS	BIT(31)

static_assert(sizeof(struct item) == BYTES);

/* An interrupt may count in between, too. */
static void count(unsigned long *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static u32 next_number(void)
{
	return __atomic_fetch_add(&steps.number, 1, __ATOMIC_RELAXED);
}

void steps_write(u32 level)
{
	struct ring_buffer_event *event;
	struct item *item;

	event = ring_buffer_lock_reserve(steps.buffer, sizeof(*item));
	if (!event) {
		count(&steps.refused);
		return;
	}
	item = ring_buffer_event_data(event);
	item->number = next_number();
	item->level = level;
	item->check = ~(item->number + ring_buffer_event_time_stamp(steps.buffer, event));
	ring_buffer_unlock_commit(steps.buffer);
	count(&steps.written);
}

static void write_words(u32 level)
{
	u32 mine = next_number();

	preempt_disable_notrace();
	/* On 32 bits the two last words are the check, else the first of them. */
	if (test_write_words(steps.buffer, mine | (u64)(level | LEVEL_WORDS) << 32, ~(u64)mine,
			     BITS_PER_LONG == 32 ? ~0UL : 0))
		count(&steps.refused);
	else
		count(&steps.written);
	preempt_enable_notrace();
}

static void discard_item(u32 level)
{
	struct ring_buffer_event *event = ring_buffer_lock_reserve(steps.buffer, BYTES);

	if (event)
		ring_buffer_discard_commit(steps.buffer, event);
	else
		count(&steps.refused);
}

/* @ts: when it was written, says the reader. */
static bool good(struct ring_buffer_event *event, u64 ts)
{
	struct item *item = ring_buffer_event_data(event);
	u64 time = item->level & LEVEL_WORDS ? 0 : ts;

	return item->check == ~(item->number + time) && item->number < steps.number;
}

bool steps_consume(void)
{
	struct ring_buffer_event *event;
	unsigned long lost;
	u64 ts;

	event = ring_buffer_consume(steps.buffer, 0, &ts, &lost);
	if (!event)
		return false;
	CHECK(good(event, ts));
	steps.lost += lost;
	steps.read++;
	return true;
}

/* Operations of CPU 0. */

void op_write(void *unused)
{
	shim_now += 10;
	steps_write(0);
}

void op_words(void *unused)
{
	shim_now += 10;
	write_words(0);
}

void op_discard(void *unused)
{
	shim_now += 10;
	discard_item(0);
}

/* A wide delta, and the crossing that is due. */
void op_late(void *unused)
{
	shim_now += 1ULL << 30;
	steps_write(0);
}

/* Longer than what goes the short way. */
void op_long(void *unused)
{
	u8 data[RB_MAX_SMALL + BYTES] = {};
	struct item *item = (void *)data;

	shim_now += 10;
	item->number = next_number();
	item->check = ~(item->number + shim_now);
	if (ring_buffer_write(steps.buffer, sizeof(data), data))
		count(&steps.refused);
	else
		count(&steps.written);
}

/* The contexts that come in between. */

void in_nmi_write(void *unused)
{
	shim_now++;
	shim_preempt_count += NMI_OFFSET;
	steps_write(1);
	shim_preempt_count -= NMI_OFFSET;
}

void in_nmi_words(void *unused)
{
	shim_now++;
	shim_preempt_count += NMI_OFFSET;
	write_words(1);
	shim_preempt_count -= NMI_OFFSET;
}

void in_nmi_discard(void *unused)
{
	shim_now++;
	shim_preempt_count += NMI_OFFSET;
	discard_item(1);
	shim_preempt_count -= NMI_OFFSET;
}

/* More than a sub-buffer, so it crosses, and more than once. */
void in_nmi_many(void *unused)
{
	unsigned int i;

	shim_preempt_count += NMI_OFFSET;
	for (i = 0; i < PER_SUB + PER_SUB / 2; i++) {
		shim_now++;
		steps_write(1);
	}
	shim_preempt_count -= NMI_OFFSET;
}

/* All around the ring. */
void in_nmi_flood(void *unused)
{
	unsigned int i;

	shim_preempt_count += NMI_OFFSET;
	for (i = 0; i < PER_SUB * (SUBS + 1); i++) {
		shim_now++;
		steps_write(1);
	}
	shim_preempt_count -= NMI_OFFSET;
}

void other_consumes(void *unused)
{
	unsigned int i;

	for (i = 0; i < PER_SUB / 2 && steps_consume(); i++)
		;
}

void other_consumes_all(void *unused)
{
	while (steps_consume())
		;
}

static void other_iterates(void *unused)
{
	struct ring_buffer_iter *iter = ring_buffer_read_start(steps.buffer, 0, GFP_KERNEL);
	struct ring_buffer_event *event;
	u64 ts;

	while ((event = ring_buffer_iter_peek(iter, &ts))) {
		CHECK(good(event, ts));
		ring_buffer_iter_advance(iter);
	}
	ring_buffer_read_finish(iter);
}

void steps_on_other(void (*func)(void *unused))
{
	step_on_cpu(1, func, NULL);
}

void hook_consume(void *unused)
{
	steps_on_other(other_consumes);
}

void hook_consume_all(void *unused)
{
	steps_on_other(other_consumes_all);
}

void hook_iterate(void *unused)
{
	steps_on_other(other_iterates);
}

void hook_write(void *unused)
{
	step_on_cpu(0, op_write, NULL);
}

void steps_forget(void)
{
	steps.written = 0;
	steps.refused = 0;
	steps.read = 0;
	steps.lost = 0;
}

void steps_begin(void)
{
	steps.buffer = test_buffer(SUBS, RB_FL_OVERWRITE);
	steps_forget();
	steps.number = 0;
	steps.changed = 0;
	shim_now = 1000;
}

void steps_end(void)
{
	ring_buffer_free(steps.buffer);
}

/* Read what is left: events and gaps are what was written. */
void steps_settle(void)
{
	unsigned long overrun = ring_buffer_overrun_cpu(steps.buffer, 0);
	unsigned long dropped = ring_buffer_dropped_events_cpu(steps.buffer, 0) +
				ring_buffer_commit_overrun_cpu(steps.buffer, 0);

	CHECK_EQ(ring_buffer_entries_cpu(steps.buffer, 0) + steps.read + overrun, steps.written);
	other_consumes_all(NULL);
	/* A gap behind the last event is told with the next. */
	steps_write(2);
	CHECK(steps_consume());
	CHECK(!steps_consume());
	CHECK_EQ(steps.read + overrun, steps.written);
	CHECK_EQ(steps.lost, overrun + dropped);
	CHECK_EQ(dropped, steps.refused);
	CHECK_EQ(rb_cpu_at(steps.buffer, 0)->w.context, 0);
	CHECK(rb_no_writer(rb_cpu_at(steps.buffer, 0)));
}

/*
 * At each instruction of @op, with a sub-buffer that has @room events left: enough
 * for it and what comes in between, for one of them, for none.
 */
void steps_at_each(void (*op)(void *), void (*hook)(void *), bool reset)
{
	unsigned int room, i;
	unsigned long at;
	bool more;

	for (room = 0; room < 3; room++) {
		steps_begin();
		for (at = 1, more = true; more && !test_failures; at += steps.stride) {
			/* Fill the open sub-buffer up to @room. */
			do {
				struct rb_writer *w = steps.buffer->writers[0];
				unsigned long pos = READ_ONCE(w->pos);

				i = pos < w->limit ? (w->limit - pos) / (BYTES + RB_EVENT_HDR) : 0;
				if (i == room || (i < room && pos - w->tail->base == RB_HDR))
					break;
				shim_now += 10;
				steps_write(3);
			} while (true);
			more = step_run(op, hook, NULL, at);
			steps_finish_ask();
			if (reset) {
				ring_buffer_reset_cpu(steps.buffer, 0);
				steps_forget();
			} else {
				steps_settle();
			}
		}
		if (test_failures)
			fprintf(stderr, "at instruction %lu, room %u\n", at, room);
		steps_end();
	}
}
