// SPDX-License-Identifier: GPL-2.0
/*
 * Looks at a CPU's buffer from elsewhere: each look with each change, one after the other,
 * in both orders. Nothing orders the two but words that are loaded and stored without order. So
 * where a look loads plainly, and without a lock, what a change stores, the thread sanitizer finds
 * it in each run, however the threads are scheduled.
 */
#include "cases.h"

/* The CPU that looks. It is not online, so that nobody waits for it. */
#define LOOKER	1

/* Turns of the two threads. */
enum { LOOKS_WAIT, LOOKS_GO, LOOKS_DONE };

static struct {
	struct trace_buffer	*buffer, *spare;
	void			(*look)(struct trace_buffer *buffer);
	int			turn;
} looks;

/* A grace period waits for those who look, with preemption off. */
static void looks_grace_period(void)
{
	smp_load_acquire(&looks.turn);	/* as a grace period */
}

/* Counters. */

static void look_entries(struct trace_buffer *buffer)
{
	ring_buffer_entries_cpu(buffer, 0);
	ring_buffer_written_cpu(buffer, 0);
	ring_buffer_read_events_cpu(buffer, 0);
}

static void look_losses(struct trace_buffer *buffer)
{
	ring_buffer_overrun_cpu(buffer, 0);
	ring_buffer_commit_overrun_cpu(buffer, 0);
	ring_buffer_dropped_events_cpu(buffer, 0);
}

static void look_bytes(struct trace_buffer *buffer)
{
	CHECK((long)ring_buffer_bytes_cpu(buffer, 0) >= 0);
}

static void look_dirty(struct trace_buffer *buffer)
{
	ring_buffer_nr_dirty_pages(buffer, 0);
}

static void look_oldest(struct trace_buffer *buffer)
{
	ring_buffer_oldest_event_ts(buffer, 0);
}

static void look_empty(struct trace_buffer *buffer)
{
	ring_buffer_empty_cpu(buffer, 0);
}

static void look_last_read(struct trace_buffer *buffer)
{
	ring_buffer_read_stamp(buffer, 0);
}

/* All CPUs. A look at one that is named before this would order it behind the CPU's coming. */

static void look_all_entries(struct trace_buffer *buffer)
{
	ring_buffer_entries(buffer);
}

static void look_all_overruns(struct trace_buffer *buffer)
{
	ring_buffer_overruns(buffer);
}

static void look_all_empty(struct trace_buffer *buffer)
{
	ring_buffer_empty(buffer);
}

static void look_all_poll(struct trace_buffer *buffer)
{
	ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, NULL, 0);
}

static void look_all_wake(struct trace_buffer *buffer)
{
	ring_buffer_wake_waiters(buffer, RING_BUFFER_ALL_CPUS);
}

/* Shape and mode. */

static void look_size(struct trace_buffer *buffer)
{
	CHECK(ring_buffer_size(buffer, 0));
	CHECK(ring_buffer_max_event_size(buffer));
	CHECK(ring_buffer_subbuf_size_get(buffer));
	CHECK(ring_buffer_subbuf_order_get(buffer) >= 0);
}

static void look_mode(struct trace_buffer *buffer)
{
	ring_buffer_record_is_on(buffer);
	ring_buffer_record_is_set_on(buffer);
	ring_buffer_time_stamp_abs(buffer);
	ring_buffer_mapped(buffer, 0);
}

static void look_clock(struct trace_buffer *buffer)
{
	CHECK(ring_buffer_time_stamp(buffer));
}

/* Waiters, iterators, and pages to read into. */

static void look_poll(struct trace_buffer *buffer)
{
	ring_buffer_poll_wait(buffer, 0, NULL, NULL, 0);
}

static void look_poll_full(struct trace_buffer *buffer)
{
	ring_buffer_poll_wait(buffer, 0, NULL, NULL, 50);
}

static void look_iterate(struct trace_buffer *buffer)
{
	struct ring_buffer_iter *iter = ring_buffer_read_start(buffer, 0, GFP_KERNEL);

	while (ring_buffer_iter_peek(iter, NULL))
		ring_buffer_iter_advance(iter);
	ring_buffer_read_finish(iter);
}

static void look_page(struct trace_buffer *buffer)
{
	struct buffer_data_read_page *page;

	CHECK_EQ(ring_buffer_alloc_read_page(buffer, 0, &page), 0);
	CHECK_EQ(ring_buffer_read_page(buffer, page, RB_HDR, 0, 0), -EINVAL);
	ring_buffer_free_read_page(buffer, 0, page);
}

static void *looks_thread(void *unused)
{
	shim_cpu_id = LOOKER;
	while (READ_ONCE(looks.turn) != LOOKS_GO)
		shim_wait();
	looks.look(looks.buffer);
	smp_store_release(&looks.turn, LOOKS_DONE);	/* for the grace period */
	return NULL;
}

static void looks_put(unsigned int events)
{
	while (events--)
		CHECK_EQ(test_put(looks.buffer, BYTES), 0);
}

/* The reader is in the midst of a sub-buffer, behind which others are complete. */
static void looks_begin(void)
{
	shim_absent = BIT(LOOKER + 1);
	looks.buffer = test_buffer(4, RB_FL_OVERWRITE);
	looks.spare = test_buffer(4, RB_FL_OVERWRITE);
	looks_put(6 * PER_SUB);
	CHECK(ring_buffer_consume(looks.buffer, 0, NULL, NULL));
}

static void looks_end(void)
{
	shim_drain();
	ring_buffer_free(looks.buffer);
	ring_buffer_free(looks.spare);
}

static void looks_pair(void (*look)(struct trace_buffer *buffer), void (*change)(void),
		       bool look_first)
{
	pthread_t thread;

	looks_begin();
	looks.look = look;
	looks.turn = LOOKS_WAIT;
	shim_rcu_hook = looks_grace_period;
	pthread_create(&thread, NULL, looks_thread, NULL);
	if (look_first) {
		WRITE_ONCE(looks.turn, LOOKS_GO);
		while (READ_ONCE(looks.turn) != LOOKS_DONE)
			shim_wait();
	}
	change();
	if (!look_first)
		WRITE_ONCE(looks.turn, LOOKS_GO);
	pthread_join(thread, NULL);
	looks_end();
}

/* @change, which CPU 0 makes, and all looks. */
static void looks_at(void (*change)(void))
{
	static void (*const all[])(struct trace_buffer *buffer) = {
		look_entries, look_losses, look_bytes, look_dirty, look_oldest, look_empty,
		look_last_read, look_all_entries, look_all_overruns, look_all_empty,
		look_all_poll, look_all_wake, look_size, look_mode, look_clock, look_poll,
		look_poll_full, look_iterate, look_page,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		looks_pair(all[i], change, true);
		looks_pair(all[i], change, false);
	}
}

static void look_write(void)
{
	looks_put(6 * PER_SUB);
}

static void look_discard(void)
{
	ring_buffer_discard_commit(looks.buffer, ring_buffer_lock_reserve(looks.buffer, BYTES));
}

static void look_consume(void)
{
	while (ring_buffer_consume(looks.buffer, 0, NULL, NULL))
		;
}

static void look_take_pages(void)
{
	struct buffer_data_read_page *page;

	CHECK_EQ(ring_buffer_alloc_read_page(looks.buffer, 0, &page), 0);
	while (!ring_buffer_read_page(looks.buffer, page, PAGE_SIZE, 0, 0))
		;
	ring_buffer_free_read_page(looks.buffer, 0, page);
}

static void look_grow(void)
{
	CHECK_EQ(ring_buffer_resize(looks.buffer, 8 * (PAGE_SIZE - RB_HDR), 0), 0);
}

static void look_shrink(void)
{
	CHECK_EQ(ring_buffer_resize(looks.buffer, 2 * (PAGE_SIZE - RB_HDR), RING_BUFFER_ALL_CPUS),
		 0);
}

static void look_order(void)
{
	CHECK_EQ(ring_buffer_subbuf_order_set(looks.buffer, 1), 0);
}

static void look_both_orders(void)
{
	CHECK_EQ(ring_buffer_subbuf_order_set_both(looks.buffer, looks.spare, 1), 0);
}

static void look_reset(void)
{
	ring_buffer_reset_cpu(looks.buffer, 0);
}

static void look_modes(void)
{
	ring_buffer_change_overwrite(looks.buffer, false);
	ring_buffer_set_time_stamp_abs(looks.buffer, true);
	ring_buffer_set_clock(looks.buffer, ring_buffer_time_stamp_abs(looks.buffer) ?
					    sched_clock_noinstr : NULL);
	ring_buffer_record_off(looks.buffer);
	ring_buffer_record_disable(looks.buffer);
	ring_buffer_record_disable_cpu(looks.buffer, 0);
	CHECK(test_put(looks.buffer, BYTES));
}

static void look_map(void)
{
	struct vm_area_struct vma = { .vm_end = PAGE_SIZE, .vm_flags = VM_MAYSHARE };

	CHECK_EQ(ring_buffer_map(looks.buffer, 0, &vma), 0);
	ring_buffer_map_dup(looks.buffer, 0);
	CHECK_EQ(ring_buffer_map_get_reader(looks.buffer, 0), 0);
	looks_put(PER_SUB);
	CHECK_EQ(ring_buffer_unmap(looks.buffer, 0), 0);
	CHECK_EQ(ring_buffer_unmap(looks.buffer, 0), 0);
}

static void look_swap(void)
{
	local_irq_disable();
	CHECK_EQ(ring_buffer_swap_cpu(looks.buffer, looks.spare, 0), 0);
	local_irq_enable();
	looks_put(PER_SUB);
}

/* A CPU comes for the first time, and goes. */
static void look_hotplug(void)
{
	CHECK_EQ(trace_rb_cpu_prepare(LOOKER + 1, &rb_object(looks.buffer)->node), 0);
	CHECK_EQ(put_on(LOOKER + 1, looks.buffer), 0);
	trace_rb_cpu_dead(LOOKER + 1, &rb_object(looks.buffer)->node);
}

#define LOOK_CASE(change)						\
static void at_##change(void)						\
{									\
	looks_at(look_##change);					\
}

LOOK_CASE(write)
LOOK_CASE(discard)
LOOK_CASE(consume)
LOOK_CASE(take_pages)
LOOK_CASE(grow)
LOOK_CASE(shrink)
LOOK_CASE(order)
LOOK_CASE(both_orders)
LOOK_CASE(reset)
LOOK_CASE(modes)
LOOK_CASE(map)
LOOK_CASE(swap)
LOOK_CASE(hotplug)

int test_looks(void)
{
	static const struct test_case cases[] = {
		{ "look-at-write", at_write }, { "look-at-discard", at_discard },
		{ "look-at-consume", at_consume }, { "look-at-take-pages", at_take_pages },
		{ "look-at-grow", at_grow }, { "look-at-shrink", at_shrink },
		{ "look-at-order", at_order }, { "look-at-both-orders", at_both_orders },
		{ "look-at-reset", at_reset }, { "look-at-modes", at_modes },
		{ "look-at-map", at_map }, { "look-at-swap", at_swap },
		{ "look-at-hotplug", at_hotplug },
		{}
	};
	static const struct test_case *const groups[] = { cases };

	return test_run("looks", groups, ARRAY_SIZE(groups), 60);
}
