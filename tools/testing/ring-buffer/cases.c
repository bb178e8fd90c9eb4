// SPDX-License-Identifier: GPL-2.0
/*
 * Orders of events that were wrong once, one after the other.  A case that needs a
 * second CPU has a thread for it, and says when it does what.
 */
#include <unistd.h>

#include "test.h"

#define IN	(EPOLLIN | EPOLLRDNORM)

/* Events of 16 bytes: 20 in the buffer, so 204 fill a sub-buffer exactly. */
#define BYTES	16
#define PER_SUB	((PAGE_SIZE - RB_HDR) / (BYTES + RB_EVENT_HDR))

static struct rb_cpu *cpu0(struct trace_buffer *buffer)
{
	return rb_cpu_at(buffer, 0);
}

/* Who waits is woken by what comes after an event that went away. */

static void lost_wakeup(void (*vanish)(struct trace_buffer *buffer))
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	poll_table table, all;
	int i;

	shim_now = 1000;
	CHECK_EQ(ring_buffer_poll_wait(buffer, 0, NULL, &table, 0), 0);
	CHECK_EQ(ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, &all, 0), 0);
	shim_tick();
	shim_tick();
	vanish(buffer);
	for (i = 0; i < 3; i++)
		shim_tick();
	table.seq = table.wq->seq;
	all.seq = all.wq->seq;
	for (i = 0; i < 3; i++) {
		test_put(buffer, BYTES);
		shim_tick();
	}
	CHECK(table.wq->seq != table.seq);
	CHECK(all.wq->seq != all.seq);
	ring_buffer_free(buffer);
}

static void vanish_discarded(struct trace_buffer *buffer)
{
	ring_buffer_discard_commit(buffer, ring_buffer_lock_reserve(buffer, BYTES));
}

static void vanish_consumed(struct trace_buffer *buffer)
{
	test_put(buffer, BYTES);
	CHECK(ring_buffer_consume(buffer, 0, NULL, NULL));
}

static void vanish_reset(struct trace_buffer *buffer)
{
	test_put(buffer, BYTES);
	ring_buffer_reset(buffer);
}

static void wakeup_after_discard(void)
{
	lost_wakeup(vanish_discarded);
}

static void wakeup_after_consume(void)
{
	lost_wakeup(vanish_consumed);
}

static void wakeup_after_reset(void)
{
	lost_wakeup(vanish_reset);
}

/* A waiter that nothing comes for costs no interrupt after the next two. */
static void wait_is_idle(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	poll_table table;
	int i;

	ring_buffer_poll_wait(buffer, 0, NULL, &table, 0);
	ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, &table, 0);
	for (i = 0; i < 3; i++)
		shim_tick();
	CHECK_EQ(rb_object(buffer)->cpu_wait[0].work.state, 0);
	CHECK_EQ(rb_object(buffer)->wait.work.state, 0);
	ring_buffer_free(buffer);
}

/* A share of the ring is there when the ring becomes smaller, and nothing else comes. */
static void wakeup_after_shrink(void)
{
	struct trace_buffer *buffer = test_buffer(30, 0);
	poll_table table;
	unsigned int i;

	for (i = 0; i < 10 * PER_SUB; i++)
		test_put(buffer, BYTES);
	CHECK_EQ(ring_buffer_poll_wait(buffer, 0, NULL, &table, 75), 0);
	shim_tick();
	CHECK_EQ(ring_buffer_resize(buffer, 11 * (PAGE_SIZE - RB_HDR), 0), 0);
	shim_tick();
	CHECK(table.wq->seq != table.seq);
	ring_buffer_free(buffer);
}

/* Two wait for different shares: the smaller one is there first, whoever came first. */
static void wakeup_of_smaller_share(void)
{
	struct trace_buffer *buffer = test_buffer(20, 0);
	poll_table large, small;
	unsigned int i;

	CHECK_EQ(ring_buffer_poll_wait(buffer, 0, NULL, &large, 75), 0);
	CHECK_EQ(ring_buffer_poll_wait(buffer, 0, NULL, &small, 25), 0);
	for (i = 0; i < 3; i++)
		shim_tick();
	small.seq = small.wq->seq;
	for (i = 0; i < 8 * PER_SUB; i++)
		test_put(buffer, BYTES);
	shim_tick();
	CHECK(small.wq->seq != small.seq);
	ring_buffer_free(buffer);
}

/* Who waits for a CPU of a ring buffer does so whatever a swap puts there. */
static void wakeup_after_swap(void)
{
	struct trace_buffer *a = test_buffer(8, RB_FL_OVERWRITE);
	struct trace_buffer *b = test_buffer(8, RB_FL_OVERWRITE);
	poll_table one, all, other;

	CHECK_EQ(ring_buffer_poll_wait(a, 0, NULL, &one, 0), 0);
	CHECK_EQ(ring_buffer_poll_wait(a, RING_BUFFER_ALL_CPUS, NULL, &all, 0), 0);
	CHECK_EQ(ring_buffer_poll_wait(b, 0, NULL, &other, 0), 0);
	shim_tick();
	CHECK_EQ(ring_buffer_swap_cpu(a, b, 0), 0);
	test_put(a, BYTES);
	shim_tick();
	CHECK(one.wq->seq != one.seq);
	CHECK(all.wq->seq != all.seq);
	CHECK(other.wq->seq == other.seq);
	ring_buffer_free(a);
	ring_buffer_free(b);
}

/* Swap */

static void swap_while_disabled(void)
{
	struct trace_buffer *a = test_buffer(8, RB_FL_OVERWRITE);
	struct trace_buffer *b = test_buffer(8, RB_FL_OVERWRITE);

	test_put(a, BYTES);
	ring_buffer_record_disable_cpu(a, 0);
	CHECK_EQ(ring_buffer_swap_cpu(a, b, 0), -EAGAIN);
	CHECK_EQ(ring_buffer_swap_cpu(b, a, 0), -EAGAIN);
	ring_buffer_record_enable_cpu(a, 0);
	CHECK_EQ(test_put(a, BYTES), 0);
	CHECK_EQ(test_put(b, BYTES), 0);
	CHECK_EQ(ring_buffer_swap_cpu(a, b, 0), 0);
	CHECK_EQ(ring_buffer_entries(b), 2);
	ring_buffer_free(a);
	ring_buffer_free(b);
}

static void swap_persistent(void)
{
	size_t range = 16 * PAGE_SIZE * SHIM_CPUS;
	void *memory = aligned_alloc(PAGE_SIZE, range);
	struct trace_buffer *a, *b;

	memset(memory, 0, range);
	a = ring_buffer_alloc_range(0, RB_FL_OVERWRITE, 0, (unsigned long)memory, range);
	b = test_buffer(cpu0(a)->nr, RB_FL_OVERWRITE);
	CHECK_EQ(cpu0(a)->nr, cpu0(b)->nr);
	CHECK_EQ(ring_buffer_swap_cpu(a, b, 0), -EINVAL);
	ring_buffer_free(a);
	ring_buffer_free(b);
	free(memory);
}

struct swap_race {
	struct trace_buffer	*a, *b;
	int			ready;
	void			(*on_cpu)(struct swap_race *race);
};

/* CPU 1: when it is called, something has just happened, and then comes the call. */
static void *swap_thread(void *arg)
{
	struct swap_race *race = arg;

	shim_become(1);
	local_irq_disable();
	smp_store_release(&race->ready, 1);
	while (!shim_call_pending())
		shim_wait();
	race->on_cpu(race);
	local_irq_enable();
	while (smp_load_acquire(&race->ready) != 2) {
		if (shim_call_pending())
			shim_interrupt();
		shim_wait();
	}
	return NULL;
}

static void swap_race_start(struct swap_race *race, pthread_t *thread,
			    void (*on_cpu)(struct swap_race *race))
{
	race->a = test_buffer(8, RB_FL_OVERWRITE);
	race->b = test_buffer(8, RB_FL_OVERWRITE);
	race->ready = 0;
	race->on_cpu = on_cpu;
	pthread_create(thread, NULL, swap_thread, race);
	while (!smp_load_acquire(&race->ready))
		shim_wait();
}

static void swap_race_end(struct swap_race *race, pthread_t thread)
{
	smp_store_release(&race->ready, 2);
	pthread_join(thread, NULL);
	ring_buffer_free(race->a);
	ring_buffer_free(race->b);
}

static void put_and_swap(struct swap_race *race)
{
	test_put(race->a, BYTES);
	test_put(race->b, BYTES);
	test_put(race->b, BYTES);
	CHECK_EQ(ring_buffer_swap_cpu(race->a, race->b, 1), 0);
}

/* A reset is of what @a has when it happens, and leaves alone what went to @b. */
static void swap_during_reset(void)
{
	struct swap_race race;
	pthread_t thread;

	swap_race_start(&race, &thread, put_and_swap);
	ring_buffer_reset_cpu(race.a, 1);
	CHECK_EQ(ring_buffer_entries_cpu(race.a, 1), 0);
	CHECK_EQ(ring_buffer_entries_cpu(race.b, 1), 1);
	swap_race_end(&race, thread);
}

static void try_swap(struct swap_race *race)
{
	CHECK_EQ(ring_buffer_swap_cpu(race->a, race->b, 1), -EBUSY);
}

/* What is being resized stays where it is. */
static void swap_during_resize(void)
{
	struct swap_race race;
	pthread_t thread;

	swap_race_start(&race, &thread, try_swap);
	CHECK_EQ(ring_buffer_resize(race.a, 4 * (PAGE_SIZE - RB_HDR), 1), 0);
	CHECK_EQ(rb_cpu_at(race.a, 1)->nr, 4);
	CHECK_EQ(rb_cpu_at(race.b, 1)->nr, 8);
	swap_race_end(&race, thread);
}

/* What the next boot finds is not believed. */

static void persist_image(void (*spoil)(u32 *event))
{
	size_t range = 16 * PAGE_SIZE * SHIM_CPUS;
	void *memory = aligned_alloc(PAGE_SIZE, range), *copy = aligned_alloc(PAGE_SIZE, range);
	struct buffer_data_read_page *page;
	struct ring_buffer_event *event;
	struct trace_buffer *buffer;
	unsigned int kept, dropped;
	int i;

	memset(memory, 0, range);
	shim_now = 1000;
	buffer = ring_buffer_alloc_range(0, RB_FL_OVERWRITE, 0, (unsigned long)memory, range);
	for (i = 0; i < 50; i++)
		test_put(buffer, BYTES);
	spoil((u32 *)(cpu0(buffer)->w.tail->page->data + 2 * (BYTES + RB_EVENT_HDR)));
	memcpy(copy, memory, range);
	ring_buffer_free(buffer);

	buffer = ring_buffer_alloc_range(0, RB_FL_OVERWRITE, 0, (unsigned long)copy, range);
	CHECK(ring_buffer_persist_stats(buffer, &kept, &dropped));
	CHECK_EQ(kept, 0);
	CHECK_EQ(dropped, 1);
	ring_buffer_alloc_read_page(buffer, 0, &page);
	ring_buffer_read_page(buffer, page, PAGE_SIZE, 0, 0);
	ring_buffer_free_read_page(buffer, 0, page);
	while ((event = ring_buffer_consume(buffer, 0, NULL, NULL)))
		CHECK(ring_buffer_event_length(event) < PAGE_SIZE);
	ring_buffer_free(buffer);
	free(memory);
	free(copy);
}

static void spoil_padding(u32 *event)
{
	event[0] = RINGBUF_TYPE_PADDING;
	event[1] = -RB_EVENT_HDR;
}

static void spoil_padding_to_end(u32 *event)
{
	event[0] = RINGBUF_TYPE_PADDING;
	event[1] = 16;
}

static void spoil_length(u32 *event)
{
	/* An event of four bytes, and one of all that is behind. */
	event[0] = 0;
	event[1] = 0;
	event[2] = 12;
}

static void spoil_without_data(u32 *event)
{
	/* An event of no bytes, and one of all that is behind. */
	event[0] = 0;
	event[1] = 4;
	event[2] = 2;
}

static void persist_padding(void)
{
	persist_image(spoil_padding);
}

static void persist_padding_to_end(void)
{
	persist_image(spoil_padding_to_end);
}

static void persist_length(void)
{
	persist_image(spoil_length);
}

static void persist_without_data(void)
{
	persist_image(spoil_without_data);
}

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

/* Iterators */

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
	vanish_discarded(buffer);
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

	CHECK_EQ(PER_SUB * (BYTES + RB_EVENT_HDR), PAGE_SIZE - RB_HDR);
	shim_now = 1000;
	for (i = 0; i < PER_SUB + 100; i++)
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

/* What is freed is freed by who asked, and not in the interrupt on the CPU. */
static void order_frees_outside(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	struct buffer_data_read_page *page[3];
	int i;

	for (i = 0; i < 3; i++)
		CHECK_EQ(ring_buffer_alloc_read_page(buffer, 0, &page[i]), 0);
	for (i = 0; i < 3; i++)
		ring_buffer_free_read_page(buffer, 0, page[i]);
	CHECK_EQ(cpu0(buffer)->nr_free_pages, 3);
	CHECK_EQ(ring_buffer_subbuf_order_set(buffer, 1), 0);
	CHECK_EQ(cpu0(buffer)->nr_free_pages, 0);
	CHECK_EQ(test_put(buffer, 6000), 0);
	ring_buffer_free(buffer);
}

/* Two buffers change their order together: as long as one cannot, both stay as they are. */
static void order_of_both(void)
{
	struct trace_buffer *a = test_buffer(8, RB_FL_OVERWRITE);
	struct trace_buffer *b = test_buffer(8, RB_FL_OVERWRITE);
	struct ring_buffer_iter *iter;
	int at, ret;

	test_put(a, BYTES);
	test_put(b, BYTES);
	iter = ring_buffer_read_start(b, 0, GFP_KERNEL);
	CHECK_EQ(ring_buffer_subbuf_order_set_both(a, b, 1), -EBUSY);
	CHECK_EQ(ring_buffer_subbuf_order_set_both(b, a, 1), -EBUSY);
	ring_buffer_read_finish(iter);
	CHECK(ring_buffer_lock_reserve(b, BYTES));
	shim_preempt_count = 0;
	CHECK_EQ(ring_buffer_subbuf_order_set_both(a, b, 1), -EBUSY);
	shim_preempt_count = 1;
	ring_buffer_unlock_commit(b);
	for (at = 1, ret = -ENOMEM; ret == -ENOMEM; at++) {
		CHECK_EQ(ring_buffer_entries(a), 1);
		CHECK_EQ(ring_buffer_entries(b), 2);
		CHECK_EQ(cpu0(a)->order, 0);
		CHECK_EQ(cpu0(b)->order, 0);
		shim_fail_at = at;
		ret = ring_buffer_subbuf_order_set_both(a, b, 1);
	}
	shim_fail_at = 0;
	CHECK_EQ(ret, 0);
	CHECK_EQ(ring_buffer_subbuf_order_get(a), 1);
	CHECK_EQ(ring_buffer_subbuf_order_get(b), 1);
	CHECK_EQ(ring_buffer_size(a, 0), ring_buffer_size(b, 0));
	CHECK_EQ(test_put(a, 6000), 0);
	CHECK_EQ(ring_buffer_swap_cpu(a, b, 0), 0);
	CHECK_EQ(ring_buffer_entries(b), 1);
	CHECK_EQ(ring_buffer_subbuf_order_set(b, 0), 0);
	CHECK_EQ(ring_buffer_subbuf_order_set_both(a, b, 2), -EINVAL);
	ring_buffer_free(a);
	ring_buffer_free(b);
}

/* A page that was allocated before a change of the order does not fit from the change on. */

static struct trace_buffer *page_buffer;
static struct buffer_data_read_page *old_page;

static void read_during_change(void)
{
	if (cpu0(page_buffer)->order != 1) {
		/* The rings have not changed yet. */
		shim_rcu_hook = read_during_change;
		return;
	}
	CHECK_EQ(ring_buffer_subbuf_order_get(page_buffer), 0);
	CHECK_EQ(ring_buffer_read_page(page_buffer, old_page, PAGE_SIZE, 0, 0), -ESTALE);
	ring_buffer_free_read_page(page_buffer, 0, old_page);
	CHECK_EQ(ring_buffer_alloc_read_page(page_buffer, 0, &old_page), 0);
	CHECK_EQ(ring_buffer_read_page(page_buffer, old_page, PAGE_SIZE, 0, 0), -EAGAIN);
}

static void page_of_old_order(void)
{
	page_buffer = test_buffer(8, RB_FL_OVERWRITE);
	CHECK_EQ(ring_buffer_alloc_read_page(page_buffer, 0, &old_page), 0);
	test_put(page_buffer, BYTES);
	shim_rcu_hook = read_during_change;
	CHECK_EQ(ring_buffer_subbuf_order_set(page_buffer, 1), 0);
	CHECK(!shim_rcu_hook);
	CHECK_EQ(ring_buffer_read_page(page_buffer, old_page, RB_HDR, 0, 0), -EINVAL);
	test_put(page_buffer, BYTES);
	CHECK_EQ(ring_buffer_read_page(page_buffer, old_page, PAGE_SIZE, 0, 0), 0);
	ring_buffer_free_read_page(page_buffer, 0, old_page);
	ring_buffer_free(page_buffer);
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

/* A CPU that comes up or goes may write, though nobody can call it: a change waits for it. */
static struct trace_buffer *waking_buffer;

static void write_and_die(void)
{
	CHECK_EQ(rb_cpu_at(waking_buffer, 1)->nr, 8);
	shim_cpu_id = 1;
	CHECK_EQ(test_put(waking_buffer, BYTES), 0);
	shim_cpu_id = 0;
	trace_rb_cpu_dead(1, &rb_object(waking_buffer)->node);
}

static void resize_while_coming_up(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);

	CHECK(!cpu_online(1));
	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(buffer)->node), 0);
	waking_buffer = buffer;
	shim_sleep_hook = write_and_die;
	CHECK_EQ(ring_buffer_resize(buffer, 4 * (PAGE_SIZE - RB_HDR), 1), 0);
	CHECK(!shim_sleep_hook);
	CHECK_EQ(rb_cpu_at(buffer, 1)->nr, 4);
	CHECK_EQ(ring_buffer_entries_cpu(buffer, 1), 1);
	CHECK_EQ(ring_buffer_dropped_events_cpu(buffer, 1), 0);
	ring_buffer_free(buffer);
}

/* A CPU is forbidden to record before it has been up for the first time. */
static void disabled_before_up(void)
{
	struct trace_buffer *buffer;

	shim_absent = BIT(1) | BIT(2);
	buffer = test_buffer(8, RB_FL_OVERWRITE);
	CHECK_EQ(ring_buffer_size(buffer, 1), 0);
	ring_buffer_record_disable_cpu(buffer, 1);
	ring_buffer_record_disable_cpu(buffer, 1);
	ring_buffer_record_disable_cpu(buffer, 2);
	ring_buffer_record_enable_cpu(buffer, 1);
	ring_buffer_record_enable_cpu(buffer, 2);
	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(buffer)->node), 0);
	CHECK_EQ(trace_rb_cpu_prepare(2, &rb_object(buffer)->node), 0);
	shim_cpu_id = 1;
	CHECK(test_put(buffer, BYTES));
	ring_buffer_record_enable_cpu(buffer, 1);
	CHECK_EQ(test_put(buffer, BYTES), 0);
	ring_buffer_record_disable_cpu(buffer, 1);
	CHECK(test_put(buffer, BYTES));
	shim_cpu_id = 2;
	CHECK_EQ(test_put(buffer, BYTES), 0);
	shim_cpu_id = 0;
	CHECK_EQ(ring_buffer_entries_cpu(buffer, 1), 1);
	CHECK_EQ(ring_buffer_entries_cpu(buffer, 2), 1);
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

/* What is discarded while others are behind it came at the time of the event before. */
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

/* What is taken back leaves the stamp before it: the next event needs no record of its time. */
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

/* What a CPU writes after it has been taken offline wakes those who wait, when it is dead. */
static void wakeup_when_dead(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	poll_table any, all, share;
	int i;

	CHECK(!cpu_online(1));
	CHECK_EQ(ring_buffer_poll_wait(buffer, 1, NULL, &any, 0), 0);
	CHECK_EQ(ring_buffer_poll_wait(buffer, 1, NULL, &share, 50), 0);
	CHECK_EQ(ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, &all, 0), 0);
	for (i = 0; i < 3; i++)
		shim_tick();
	any.seq = any.wq->seq;
	all.seq = all.wq->seq;
	share.seq = share.wq->seq;
	shim_cpu_id = 1;
	for (i = 0; i < 6 * PER_SUB; i++)
		test_put(buffer, BYTES);
	shim_cpu_id = 0;
	trace_rb_cpu_dead(1, &rb_object(buffer)->node);
	shim_tick();
	CHECK(any.wq->seq != any.seq);
	CHECK(share.wq->seq != share.seq);
	CHECK(all.wq->seq != all.seq);
	ring_buffer_free(buffer);
}

/* Memory is short at each allocation in turn: all is as before, and nothing leaks. */
static void short_of_memory(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	struct vm_area_struct vma = { .vm_end = 8 * PAGE_SIZE, .vm_flags = VM_MAYSHARE };
	struct ring_buffer_iter *iter = NULL;
	struct trace_buffer *other;
	int at, ret;

	for (at = 1, ret = -ENOMEM; ret == -ENOMEM; at++) {
		shim_fail_at = at;
		ret = ring_buffer_resize(buffer, 20 * PAGE_SIZE, RING_BUFFER_ALL_CPUS);
		CHECK(!ret || cpu0(buffer)->nr == 8);
	}
	CHECK_EQ(ret, 0);
	for (at = 1, ret = -ENOMEM; ret == -ENOMEM; at++) {
		shim_fail_at = at;
		ret = ring_buffer_subbuf_order_set(buffer, 1);
	}
	CHECK_EQ(ret, 0);
	shim_fail_at = 0;
	CHECK_EQ(ring_buffer_subbuf_order_set(buffer, 0), 0);
	for (at = 1, ret = -ENOMEM; ret == -ENOMEM; at++) {
		shim_fail_at = at;
		ret = ring_buffer_map(buffer, 0, &vma);
		CHECK(!ret || !ring_buffer_mapped(buffer, 0));
	}
	CHECK_EQ(ret, 0);
	CHECK_EQ(ring_buffer_unmap(buffer, 0), 0);
	for (at = 1; !iter; at++) {
		shim_fail_at = at;
		iter = ring_buffer_read_start(buffer, 0, GFP_KERNEL);
	}
	ring_buffer_read_finish(iter);
	for (at = 1, other = NULL; !other; at++) {
		shim_fail_at = at;
		other = ring_buffer_alloc(4 * PAGE_SIZE, 0);
	}
	shim_fail_at = 0;
	ring_buffer_free(other);
	CHECK_EQ(test_put(buffer, BYTES), 0);
	ring_buffer_free(buffer);
}

static const struct test_case cases[] = {
	{ "wakeup-after-discard", wakeup_after_discard },
	{ "wakeup-after-consume", wakeup_after_consume },
	{ "wakeup-after-reset", wakeup_after_reset },
	{ "wakeup-after-shrink", wakeup_after_shrink },
	{ "wakeup-of-smaller-share", wakeup_of_smaller_share },
	{ "wakeup-after-swap", wakeup_after_swap },
	{ "wakeup-when-dead", wakeup_when_dead },
	{ "wait-is-idle", wait_is_idle },
	{ "swap-while-disabled", swap_while_disabled },
	{ "swap-persistent", swap_persistent },
	{ "swap-during-reset", swap_during_reset },
	{ "swap-during-resize", swap_during_resize },
	{ "persist-padding", persist_padding },
	{ "persist-padding-to-end", persist_padding_to_end },
	{ "persist-length", persist_length },
	{ "persist-without-data", persist_without_data },
	{ "shrink-before-numbering", shrink_before_numbering },
	{ "far-behind", far_behind },
	{ "iterator-losses", iterator_losses },
	{ "iterator-at-end", iterator_at_end },
	{ "order-frees-outside", order_frees_outside },
	{ "order-of-both", order_of_both },
	{ "page-of-old-order", page_of_old_order },
	{ "leaked-reservation", leaked_reservation },
	{ "no-negative-counts", no_negative_counts },
	{ "resize-while-coming-up", resize_while_coming_up },
	{ "disabled-before-up", disabled_before_up },
	{ "discard-at-one-time", discard_at_one_time },
	{ "taken-back", taken_back },
	{ "reader-behind-writer", reader_behind_writer },
	{ "short-of-memory", short_of_memory },
};

int test_cases(void)
{
	unsigned int failed = test_run(cases, ARRAY_SIZE(cases), 30);

	printf("cases: %zu passed, %u failed\n", ARRAY_SIZE(cases) - failed, failed);
	return failed != 0;
}
