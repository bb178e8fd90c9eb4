// SPDX-License-Identifier: GPL-2.0
/*
 * Orders of events that were wrong once, one after the other, a file for each subject.  A case
 * that needs a second CPU has a thread for it, and says when it does what.
 */
<<<<<<< HEAD
#include "cases.h"
=======
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

/* A waiter is woken by the events that come after an event that went away. */

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
/*
 * A writer queues an irq_work for a waiter. The functions that this calls may be traced. They
 * write nothing, in any context, and an NMI that comes in between does.
 */
static struct trace_buffer *queue_buffer;
static unsigned int queue_calls, queue_failed;

static void put_while_queueing(void)
{
	queue_calls++;
	queue_failed += !!test_put(queue_buffer, BYTES);
}

static void put_in_nmi_while_queueing(void)
{
	shim_preempt_count += NMI_OFFSET;
	put_while_queueing();
	shim_preempt_count -= NMI_OFFSET;
}

static void put_and_queue(unsigned int count, void (*hook)(void), unsigned int written)
{
	poll_table table;
	int i;

	queue_buffer = test_buffer(8, RB_FL_OVERWRITE);
	queue_calls = 0;
	queue_failed = 0;
	CHECK_EQ(ring_buffer_poll_wait(queue_buffer, 0, NULL, &table, 0), 0);
	for (i = 0; i < 3; i++)
		shim_tick();
	shim_queue_hook = hook;
	shim_preempt_count += count;
	CHECK_EQ(test_put(queue_buffer, BYTES), 0);
	shim_preempt_count -= count;
	shim_queue_hook = NULL;
	CHECK_EQ(queue_calls, 1);
	CHECK_EQ(queue_failed, 2 - written);
	CHECK_EQ(ring_buffer_entries(queue_buffer), written);
	CHECK_EQ(cpu0(queue_buffer)->w.context, 0);
	/* All is as before: what comes next is written, and wakes. */
	CHECK_EQ(test_put(queue_buffer, BYTES), 0);
	table.seq = table.wq->seq;
	shim_tick();
	CHECK(table.wq->seq != table.seq);
	ring_buffer_free(queue_buffer);
}

static void queueing_writes_nothing(void)
{
	shim_now = 1000;
	put_and_queue(0, put_while_queueing, 1);
	put_and_queue(SOFTIRQ_OFFSET, put_while_queueing, 1);
	put_and_queue(HARDIRQ_OFFSET, put_while_queueing, 1);
	put_and_queue(NMI_OFFSET, put_while_queueing, 1);
	put_and_queue(0, put_in_nmi_while_queueing, 2);
	put_and_queue(HARDIRQ_OFFSET, put_in_nmi_while_queueing, 2);
}

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

/* A task that waits for a CPU of a ring buffer goes on to wait for it after a swap. */
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

/* A buffer that is being resized is not swapped. */
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

/* The next boot does not trust the memory that it finds. */

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

/* Memory is freed by the task that asked for the change, and not in the interrupt on the CPU. */
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

/* As @cpu, which need not be online. */
static int put_on(int cpu, struct trace_buffer *buffer)
{
	int ret;

	shim_cpu_id = cpu;
	ret = test_put(buffer, BYTES);
	shim_cpu_id = 0;
	return ret;
}

static void tick_on(int cpu)
{
	shim_cpu_id = cpu;
	shim_tick();
	shim_cpu_id = 0;
}

/*
 * CPUs that come and go. A change of a ring waits while a CPU does so, and holds nothing that
 * the CPU needs for it.
 */

struct change {
	pthread_t		thread;
	struct trace_buffer	*a, *b;
	int			(*func)(struct change *change);
	int			ret;
	int			done;
};

static void *change_thread(void *arg)
{
	struct change *change = arg;

	shim_cpu_id = 2;
	change->ret = change->func(change);
	/* Run the work that this has queued. */
	shim_tick();
	smp_store_release(&change->done, 1);
	return NULL;
}

/* Begin what has to wait, and give it time to go wrong. */
static void change_start(struct change *change, int (*func)(struct change *change))
{
	change->func = func;
	change->done = 0;
	pthread_create(&change->thread, NULL, change_thread, change);
	usleep(20000);
	CHECK(!smp_load_acquire(&change->done));
}

static void change_end(struct change *change)
{
	while (!smp_load_acquire(&change->done))
		shim_idle(100);
	pthread_join(change->thread, NULL);
	CHECK_EQ(change->ret, 0);
}

static int change_size(struct change *change)
{
	return ring_buffer_resize(change->a, 4 * (PAGE_SIZE - RB_HDR), 1);
}

static int change_both_orders(struct change *change)
{
	return ring_buffer_subbuf_order_set_both(change->a, change->b, 1);
}

static int change_reset(struct change *change)
{
	ring_buffer_reset_cpu(change->a, 1);
	return 0;
}

static int change_map(struct change *change)
{
	struct vm_area_struct vma = { .vm_end = 8 * PAGE_SIZE, .vm_flags = VM_MAYSHARE };

	return ring_buffer_map(change->a, 1, &vma) ?: ring_buffer_unmap(change->a, 1);
}

/* CPU 1 comes up, writes, and dies again, beside @func. */
static void beside_hotplug(int (*func)(struct change *change), unsigned int entries)
{
	struct change change = { .a = test_buffer(8, RB_FL_OVERWRITE) };

	CHECK(!cpu_online(1));
	cpus_write_lock();
	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(change.a)->node), 0);
	change_start(&change, func);
	CHECK_EQ(rb_cpu_at(change.a, 1)->nr, 8);
	CHECK_EQ(put_on(1, change.a), 0);
	trace_rb_cpu_dead(1, &rb_object(change.a)->node);
	cpus_write_unlock();
	change_end(&change);
	CHECK_EQ(ring_buffer_entries_cpu(change.a, 1), entries);
	CHECK_EQ(ring_buffer_dropped_events_cpu(change.a, 1), 0);
	ring_buffer_free(change.a);
}

static void resize_while_coming_up(void)
{
	beside_hotplug(change_size, 1);
}

static void reset_while_coming_up(void)
{
	beside_hotplug(change_reset, 0);
}

static void map_while_coming_up(void)
{
	beside_hotplug(change_map, 1);
}

/* One of two buffers knows that the CPU comes, the other one does not yet. */
static void both_while_coming_up(void)
{
	struct change change = {
		.a = test_buffer(8, RB_FL_OVERWRITE), .b = test_buffer(8, RB_FL_OVERWRITE),
	};

	CHECK(!cpu_online(1));
	cpus_write_lock();
	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(change.b)->node), 0);
	change_start(&change, change_both_orders);
	/* It does not wait for the change. */
	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(change.a)->node), 0);
	CHECK(!smp_load_acquire(&change.done));
	cpus_write_unlock();
	change_end(&change);
	CHECK_EQ(ring_buffer_subbuf_order_get(change.a), 1);
	CHECK_EQ(ring_buffer_subbuf_order_get(change.b), 1);
	ring_buffer_free(change.a);
	ring_buffer_free(change.b);
}

/* A CPU that is dead may call some functions more: nothing is recorded, nor counted. */
static void write_when_dead(void)
{
	struct trace_buffer *a = test_buffer(8, RB_FL_OVERWRITE);
	struct trace_buffer *b = test_buffer(8, RB_FL_OVERWRITE);
	struct hlist_node *node = &rb_object(a)->node;
	unsigned int i;

	for (i = 1; i < 4; i++) {
		CHECK_EQ(trace_rb_cpu_prepare(1, node), 0);
		/* Twice is as once: a new buffer is prepared for CPUs that run. */
		CHECK_EQ(trace_rb_cpu_prepare(1, node), 0);
		CHECK_EQ(put_on(1, a), 0);
		trace_rb_cpu_dead(1, node);
		CHECK(put_on(1, a));
		CHECK_EQ(ring_buffer_entries_cpu(a, 1), i);
		CHECK_EQ(ring_buffer_dropped_events_cpu(a, 1), 0);
		CHECK_EQ(ring_buffer_swap_cpu(a, b, 1), -EAGAIN);
	}
	ring_buffer_reset_cpu(a, 1);
	CHECK(put_on(1, a));
	CHECK_EQ(ring_buffer_resize(a, 4 * (PAGE_SIZE - RB_HDR), 1), 0);
	CHECK(put_on(1, a));
	CHECK_EQ(trace_rb_cpu_prepare(1, node), 0);
	CHECK_EQ(put_on(1, a), 0);
	CHECK_EQ(ring_buffer_entries_cpu(a, 1), 1);
	ring_buffer_free(a);
	ring_buffer_free(b);
}

/*
 * A waiter for a CPU that is offline is woken by the events that the CPU writes when it comes
 * up.
 */
static void wakeup_while_coming_up(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	poll_table one, all;
	int i;

	CHECK(!cpu_online(1));
	CHECK_EQ(ring_buffer_poll_wait(buffer, 1, NULL, &one, 0), 0);
	CHECK_EQ(ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, &all, 0), 0);
	for (i = 0; i < 3; i++)
		shim_tick();
	one.seq = one.wq->seq;
	all.seq = all.wq->seq;
	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(buffer)->node), 0);
	CHECK_EQ(put_on(1, buffer), 0);
	shim_online |= BIT(1);
	for (i = 0; i < 6; i++) {
		CHECK_EQ(put_on(1, buffer), 0);
		tick_on(1);
	}
	CHECK(one.wq->seq != one.seq);
	CHECK(all.wq->seq != all.seq);
	ring_buffer_free(buffer);
}

/* As wakeup_while_coming_up(), with no event after the CPU is online. */
static void wakeup_when_online(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	poll_table one, all, share;
	unsigned int i;

	CHECK(!cpu_online(1));
	CHECK_EQ(ring_buffer_poll_wait(buffer, 1, NULL, &one, 0), 0);
	CHECK_EQ(ring_buffer_poll_wait(buffer, 1, NULL, &share, 50), 0);
	CHECK_EQ(ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, &all, 0), 0);
	for (i = 0; i < 3; i++)
		shim_tick();
	one.seq = one.wq->seq;
	all.seq = all.wq->seq;
	share.seq = share.wq->seq;
	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(buffer)->node), 0);
	for (i = 0; i < 6 * PER_SUB; i++)
		CHECK_EQ(put_on(1, buffer), 0);
	shim_online |= BIT(1);
	shim_cpu_id = 1;
	CHECK_EQ(trace_rb_cpu_online(1, &rb_object(buffer)->online_node), 0);
	shim_cpu_id = 0;
	tick_on(1);
	CHECK(one.wq->seq != one.seq);
	CHECK(all.wq->seq != all.seq);
	CHECK(share.wq->seq != share.seq);
	ring_buffer_free(buffer);
}

/* A CPU's first buffer: a waiter for all CPUs waits for this one, too. */
static void wakeup_by_new_cpu(void)
{
	struct trace_buffer *buffer;
	poll_table all;
	int i;

	shim_absent = BIT(1);
	buffer = test_buffer(8, RB_FL_OVERWRITE);
	CHECK_EQ(ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, &all, 0), 0);
	for (i = 0; i < 3; i++)
		shim_tick();
	all.seq = all.wq->seq;
	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(buffer)->node), 0);
	shim_online |= BIT(1);
	for (i = 0; i < 6; i++) {
		CHECK_EQ(put_on(1, buffer), 0);
		tick_on(1);
	}
	CHECK(all.wq->seq != all.seq);
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

/*
 * Events that a CPU writes after it has been taken offline wake the waiters when the CPU is
 * dead.
 */
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
	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(buffer)->node), 0);
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
	{ "queueing-writes-nothing", queueing_writes_nothing },
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
	{ "iterator-beside-pages", iterator_beside_pages },
	{ "iterator-of-old-round", iterator_of_old_round },
	{ "consumer-of-old-round", consumer_of_old_round },
	{ "iterator-of-torn-copy", iterator_of_torn_copy },
	{ "order-frees-outside", order_frees_outside },
	{ "order-of-both", order_of_both },
	{ "page-of-old-order", page_of_old_order },
	{ "leaked-reservation", leaked_reservation },
	{ "no-negative-counts", no_negative_counts },
	{ "resize-while-coming-up", resize_while_coming_up },
	{ "reset-while-coming-up", reset_while_coming_up },
	{ "map-while-coming-up", map_while_coming_up },
	{ "both-while-coming-up", both_while_coming_up },
	{ "write-when-dead", write_when_dead },
	{ "wakeup-while-coming-up", wakeup_while_coming_up },
	{ "wakeup-when-online", wakeup_when_online },
	{ "wakeup-by-new-cpu", wakeup_by_new_cpu },
	{ "disabled-before-up", disabled_before_up },
	{ "discard-at-one-time", discard_at_one_time },
	{ "taken-back", taken_back },
	{ "times-of-levels", times_of_levels },
	{ "reader-behind-writer", reader_behind_writer },
	{ "short-of-memory", short_of_memory },
};
>>>>>>> dfbfbcb (tracing/buffer: Write nothing that queueing an irq_work calls)

int test_cases(void)
{
	static const struct test_case *const groups[] = {
		wait_cases, swap_cases, persist_cases, read_cases, size_cases, write_cases,
		hotplug_cases,
	};

	return test_run("cases", groups, ARRAY_SIZE(groups), 30);
}
