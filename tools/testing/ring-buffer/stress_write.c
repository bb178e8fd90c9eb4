// SPDX-License-Identifier: GPL-2.0
/*
 * The CPUs that write, in each way that there is, with clocks that jump.
 */
#include <unistd.h>

#include "stress.h"

#define HOTPLUG_ODDS	300
#define JUMP_ODDS	4096

/* Bytes that an item may have behind its head on the short way. */
#define SHORTEST	(RB_MAX_SMALL - sizeof(struct item))

static unsigned int writer_level(void)
{
	return in_nmi() ? 2 : shim_preempt_count & HARDIRQ_MASK ? 1 : 0;
}

static struct counts *writer_counts(void)
{
	return &stress.counts[shim_cpu_id][writer_level()];
}

/* The event is reserved, with @data for it, and was written at @time; 0: nobody tells. */
static void writer_fill(void *data, u32 length, u64 time)
{
	struct counts *c = writer_counts();
	struct item *item = data;
	u32 i;

	item->cpu = shim_cpu_id;
	item->level = writer_level();
	item->number = c->number++;
	item->length = length;
	item->time = time;
	for (i = 0; i < length; i++)
		item->data[i] = item->number * 31 + i;
}

/* Reserve, and have the clock's time from the buffer. */
static struct ring_buffer_event *writer_reserve(struct trace_buffer *buffer, u32 length)
{
	struct ring_buffer_event *event;

	event = ring_buffer_lock_reserve(buffer, sizeof(struct item) + length);
	if (event)
		writer_fill(ring_buffer_event_data(event), length,
			    ring_buffer_event_time_stamp(buffer, event));
	else
		writer_counts()->refused++;
	return event;
}

/* One event of 16 is dropped by its writer. */
static void writer_end(struct trace_buffer *buffer, struct ring_buffer_event *event, u32 what)
{
	if (what >> 16 & 15) {
		writer_counts()->written++;
		ring_buffer_unlock_commit(buffer);
	} else {
		ring_buffer_discard_commit(buffer, event);
	}
}

static void write_plain(struct trace_buffer *buffer, u32 what)
{
	struct ring_buffer_event *event = writer_reserve(buffer, what % LONGEST);

	if (event)
		writer_end(buffer, event, what);
}

/* One event while another one of the same context is written. */
static void write_nested(struct trace_buffer *buffer, u32 what)
{
	struct ring_buffer_event *event = writer_reserve(buffer, what % LONGEST);

	if (!event)
		return;
	ring_buffer_nest_start(buffer);
	write_plain(buffer, what >> 3);
	ring_buffer_nest_end(buffer);
	writer_end(buffer, event, what);
}

/* Fill in and count @event. False: it was refused. */
static bool writer_take(struct trace_buffer *buffer, struct ring_buffer_event *event, u32 length)
{
	if (!event) {
		writer_counts()->refused++;
		return false;
	}
	writer_fill(ring_buffer_event_body(event), length,
		    ring_buffer_event_time_stamp(buffer, event));
	writer_counts()->written++;
	return true;
}

static void write_nopreempt(struct trace_buffer *buffer, u32 what)
{
	struct ring_buffer_event *event;
	u32 length = what % LONGEST;

	event = ring_buffer_reserve_nopreempt(buffer, sizeof(struct item) + length);
	if (writer_take(buffer, event, length))
		ring_buffer_commit_nopreempt(buffer);
}

/* @w is entered, and has no place on the short way. */
static void write_short_any(struct trace_buffer *buffer, struct rb_writer *w, u32 length)
{
	struct ring_buffer_event *event;

	event = rb_short_reserve_any(buffer, &w, sizeof(struct item) + length);
	if (writer_take(buffer, event, length))
		rb_short_leave(w);
}

/* As the function tracer: by a clock that is read on the way, or has been read before. */
static void write_short(struct trace_buffer *buffer, u32 what)
{
	struct rb_writer *w = rb_this_writer(buffer);
	u32 length = what % SHORTEST;
	unsigned long size = rb_size_of(sizeof(struct item) + length), end;
	struct ring_buffer_event *event;
	bool reserved;
	u64 time = 0;

	if (!rb_short_enter(buffer, w, false)) {
		write_nopreempt(buffer, what);
		return;
	}
	if (what >> 20 & 1) {
		time = rb_short_clock(w, false);
		reserved = rb_short_reserve(w, size, time, &event, &end);
	} else {
		reserved = rb_short_reserve(w, size, rb_short_clock(w, false), &event,
					    &end);
	}
	if (!reserved) {
		write_short_any(buffer, w, length);
		return;
	}
	writer_fill(rb_small_body(event), length, time);
	writer_counts()->written++;
	if (!rb_short_commit(w, end))
		rb_short_leave(w);
}

/*
 * The clock of this CPU jumps: forward by anything up to 2^54, of which a round's do not reach
 * the end of 64 bits, or a bit back, for which the buffer's stamps wait.
 */
static void writer_jump(u64 *random)
{
	u32 what = stress_random(random);

	if (what & 3)
		shim_jump(1ULL << (10 + (what >> 2) % 45));
	else
		shim_jump(-(u64)((what >> 2) % STRESS_JUMP_BACK));
}

/*
 * Preemption is off, or this is an interrupt. In a rough round some events are of the other
 * buffer, which an exchange may bring to the reader.
 */
static void write_one(void)
{
	static void (*const ways[])(struct trace_buffer *buffer, u32 what) = {
		write_plain, write_plain, write_nested, write_nopreempt, write_short, write_short,
	};
	struct trace_buffer *buffer = stress.buffer;
	u64 *random = &writer_counts()->random;
	u32 what = stress_random(random);

	if (!(what % JUMP_ODDS))
		writer_jump(random);
	if (stress_is_rough() && !(what >> 16 & 7))
		buffer = stress.spare;
	what = stress_random(random);
	/* That one is for tasks. */
	if (!writer_level() && !(what >> 24 & 7))
		write_plain(buffer, what);
	else
		ways[(what >> 24) % ARRAY_SIZE(ways)](buffer, what);
}

/* In each interrupt and NMI. */
void stress_write_hook(void)
{
	unsigned int n;

	if (shim_cpu_id >= WRITERS || READ_ONCE(stress.stop_writers) ||
	    READ_ONCE(shim_dead) & BIT(shim_cpu_id))
		return;
	for (n = stress_random(&writer_counts()->random) % 4; n; n--)
		write_one();
}

void *stress_writer(void *arg)
{
	u64 state = (long)arg + 1;
	unsigned int n;

	shim_become((long)arg);
	shim_ticks(150 + 13 * (long)arg, 190 + 17 * (long)arg);
	while (!READ_ONCE(stress.stop_writers)) {
		for (n = 0; n < 64; n++) {
			preempt_disable_notrace();
			write_one();
			preempt_enable_notrace();
		}
		/* The CPU goes, and comes again.  It writes until it is dead. */
		if (!(stress_random(&state) % HOTPLUG_ODDS)) {
			shim_leave((long)arg);
			shim_become((long)arg);
		}
	}
	/* Others may still call this CPU, or wait for what it has left to its next tick. */
	while (!READ_ONCE(stress.stop_readers))
		shim_idle(1000);
	shim_no_ticks();
	return NULL;
}
