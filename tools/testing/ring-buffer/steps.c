// SPDX-License-Identifier: GPL-2.0
/*
 * Each operation with another one in between, after each of its instructions in
 * turn.  Afterwards everything has to add up.
 */
#include "test.h"

#define BYTES	16
#define PER_SUB	((PAGE_SIZE - RB_HDR) / (BYTES + RB_EVENT_HDR))
#define SUBS	4

static unsigned long stride;

static struct trace_buffer *buffer;
static unsigned long written, refused, read_events, lost_events;
static u32 number;

struct item {
	u32	number;
	u32	level;
	u64	copy;
} __packed __aligned(4);

static_assert(sizeof(struct item) == BYTES);

/* What is counted may be counted in between, too. */
static void count(unsigned long *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static u32 next_number(void)
{
	return __atomic_fetch_add(&number, 1, __ATOMIC_RELAXED);
}

static void write_item(u32 level)
{
	struct ring_buffer_event *event;
	struct item *item;

	event = ring_buffer_lock_reserve(buffer, sizeof(*item));
	if (!event) {
		count(&refused);
		return;
	}
	item = ring_buffer_event_data(event);
	item->number = next_number();
	item->level = level;
	item->copy = ~(u64)item->number;
	ring_buffer_unlock_commit(buffer);
	count(&written);
}

static void write_words(u32 level)
{
	u32 mine = next_number();

	preempt_disable_notrace();
	if (ring_buffer_write_words(buffer, mine | (u64)level << 32, ~(u64)mine, 0,
				    ring_buffer_fast_clock()))
		count(&refused);
	else
		count(&written);
	preempt_enable_notrace();
}

static void discard_item(u32 level)
{
	struct ring_buffer_event *event = ring_buffer_lock_reserve(buffer, BYTES);

	if (event)
		ring_buffer_discard_commit(buffer, event);
	else
		count(&refused);
}

static bool good(struct ring_buffer_event *event)
{
	struct item *item = ring_buffer_event_data(event);

	return item->copy == ~(u64)item->number && item->number < number;
}

static bool consume_one(void)
{
	struct ring_buffer_event *event;
	unsigned long lost;

	event = ring_buffer_consume(buffer, 0, NULL, &lost);
	if (!event)
		return false;
	CHECK(good(event));
	lost_events += lost;
	read_events++;
	return true;
}

/* Operations of CPU 0. */

static void op_write(void *unused)
{
	shim_now += 10;
	write_item(0);
}

static void op_words(void *unused)
{
	shim_now += 10;
	write_words(0);
}

static void op_discard(void *unused)
{
	shim_now += 10;
	discard_item(0);
}

/* A wide delta, and the crossing that is due. */
static void op_late(void *unused)
{
	shim_now += 1ULL << 30;
	write_item(0);
}

/* What comes in between. */

static void in_nmi_write(void *unused)
{
	shim_now++;
	shim_preempt_count += NMI_OFFSET;
	write_item(1);
	shim_preempt_count -= NMI_OFFSET;
}

static void in_nmi_words(void *unused)
{
	shim_now++;
	shim_preempt_count += NMI_OFFSET;
	write_words(1);
	shim_preempt_count -= NMI_OFFSET;
}

static void in_nmi_discard(void *unused)
{
	shim_now++;
	shim_preempt_count += NMI_OFFSET;
	discard_item(1);
	shim_preempt_count -= NMI_OFFSET;
}

/* More than a sub-buffer, so it crosses, and more than once. */
static void in_nmi_many(void *unused)
{
	unsigned int i;

	shim_preempt_count += NMI_OFFSET;
	for (i = 0; i < PER_SUB + PER_SUB / 2; i++) {
		shim_now++;
		write_item(1);
	}
	shim_preempt_count -= NMI_OFFSET;
}

/* All around the ring. */
static void in_nmi_flood(void *unused)
{
	unsigned int i;

	shim_preempt_count += NMI_OFFSET;
	for (i = 0; i < PER_SUB * (SUBS + 1); i++) {
		shim_now++;
		write_item(1);
	}
	shim_preempt_count -= NMI_OFFSET;
}

static void other_consumes(void *unused)
{
	unsigned int i;

	for (i = 0; i < PER_SUB / 2 && consume_one(); i++)
		;
}

static void other_consumes_all(void *unused)
{
	while (consume_one())
		;
}

static void other_iterates(void *unused)
{
	struct ring_buffer_iter *iter = ring_buffer_read_start(buffer, 0, GFP_KERNEL);
	struct ring_buffer_event *event;

	while ((event = ring_buffer_iter_peek(iter, NULL))) {
		CHECK(good(event));
		ring_buffer_iter_advance(iter);
	}
	ring_buffer_read_finish(iter);
}

static void on_other(void (*func)(void *unused))
{
	step_on_cpu(1, func, NULL);
}

static void hook_consume(void *unused)
{
	on_other(other_consumes);
}

static void hook_consume_all(void *unused)
{
	on_other(other_consumes_all);
}

static void hook_iterate(void *unused)
{
	on_other(other_iterates);
}

/* An interrupt with a change of structure that another CPU asked for. */

static unsigned long changed;

/*
 * A second thread is the one that asks; what it calls on CPU 0 is done by the
 * hook, and tried again behind the operation.
 */
struct asker {
	pthread_t	thread;
	void		(*ask)(void);
	int		go;		/* 1: ask, 2: done, 3: end */
};

static struct asker asker;

static void *asker_thread(void *unused)
{
	shim_become(1);
	for (;;) {
		int go;

		while ((go = smp_load_acquire(&asker.go)) != 1 && go != 3) {
			shim_tick();
			sched_yield();
		}
		if (go == 3)
			return NULL;
		asker.ask();
		smp_store_release(&asker.go, 2);
	}
}

static void hook_ask(void *unused)
{
	smp_store_release(&asker.go, 1);
	while (!shim_call_pending() && smp_load_acquire(&asker.go) == 1)
		sched_yield();
	/* Interrupts may be off at this instruction. */
	if (!shim_irqs_off)
		shim_interrupt();
}

static void finish_ask(void)
{
	while (smp_load_acquire(&asker.go) == 1) {
		if (shim_call_pending())
			shim_interrupt();
		sched_yield();
	}
}

static unsigned int flip;

static void ask_resize(void)
{
	static const unsigned int sizes[] = { 2, 7, 3, SUBS };

	changed += !ring_buffer_resize(buffer, sizes[flip++ % 4] * (PAGE_SIZE - RB_HDR), 0);
}

static void ask_reset(void)
{
	ring_buffer_reset_cpu(buffer, 0);
	changed++;
}

static void ask_order(void)
{
	changed += !ring_buffer_subbuf_order_set(buffer, flip++ & 1);
}

static void forget(void)
{
	written = 0;
	refused = 0;
	read_events = 0;
	lost_events = 0;
}

static void begin(void)
{
	buffer = test_buffer(SUBS, RB_FL_OVERWRITE);
	forget();
	number = 0;
	changed = 0;
	flip = 0;
	shim_now = 1000;
}

static void end(void)
{
	ring_buffer_free(buffer);
}

/* Read what is left: events and gaps are what was written. */
static void settle(void)
{
	unsigned long overrun = ring_buffer_overrun_cpu(buffer, 0);
	unsigned long dropped = ring_buffer_dropped_events_cpu(buffer, 0) +
				ring_buffer_commit_overrun_cpu(buffer, 0);

	CHECK_EQ(ring_buffer_entries_cpu(buffer, 0) + read_events + overrun, written);
	other_consumes_all(NULL);
	/* A gap behind the last event is told with the next. */
	write_item(2);
	CHECK(consume_one());
	CHECK(!consume_one());
	CHECK_EQ(read_events + overrun, written);
	CHECK_EQ(lost_events, overrun + dropped);
	CHECK_EQ(dropped, refused);
	CHECK_EQ(rb_cpu_at(buffer, 0)->w.context, 0);
	CHECK(rb_no_writer(rb_cpu_at(buffer, 0)));
}

/*
 * At each instruction of @op, with a sub-buffer that has @room events left: enough
 * for it and what comes in between, for one of them, for none.
 */
static void at_each(void (*op)(void *), void (*hook)(void *), bool reset)
{
	unsigned int room, i;
	unsigned long at;
	bool more;

	for (room = 0; room < 3; room++) {
		begin();
		for (at = 1, more = true; more && !test_failures; at += stride) {
			/* Fill the open sub-buffer up to @room. */
			do {
				struct rb_writer *w = buffer->writers[0];
				unsigned long off = local_read(&w->pos) - w->tail->base;

				i = off < w->limit ? (w->limit - off) / (BYTES + RB_EVENT_HDR) : 0;
				if (i == room || (i < room && off == RB_HDR))
					break;
				shim_now += 10;
				write_item(3);
			} while (true);
			more = step_run(op, hook, NULL, at);
			finish_ask();
			if (reset) {
				ring_buffer_reset_cpu(buffer, 0);
				forget();
			} else {
				settle();
			}
		}
		if (test_failures)
			fprintf(stderr, "at instruction %lu, room %u\n", at, room);
		end();
	}
}

#define STEP(op, hook) \
	static void op##_##hook(void) { at_each(op, hook, false); }

STEP(op_write, in_nmi_write)
STEP(op_write, in_nmi_words)
STEP(op_write, in_nmi_discard)
STEP(op_write, in_nmi_many)
STEP(op_write, in_nmi_flood)
STEP(op_write, hook_consume)
STEP(op_write, hook_consume_all)
STEP(op_write, hook_iterate)
STEP(op_words, in_nmi_write)
STEP(op_words, in_nmi_words)
STEP(op_words, in_nmi_discard)
STEP(op_words, in_nmi_many)
STEP(op_words, in_nmi_flood)
STEP(op_words, hook_consume_all)
STEP(op_words, hook_iterate)
STEP(op_discard, in_nmi_write)
STEP(op_discard, in_nmi_discard)
STEP(op_discard, in_nmi_many)
STEP(op_discard, hook_consume_all)
STEP(op_late, in_nmi_write)
STEP(op_late, in_nmi_many)
STEP(op_late, hook_consume_all)

/* With a second thread. */
static void asked(void (*op)(void *), void (*ask)(void), bool reset)
{
	unsigned long all = stride;

	/* Two threads that wait for each other take their time. */
	stride *= 16;
	asker.ask = ask;
	pthread_create(&asker.thread, NULL, asker_thread, NULL);
	at_each(op, hook_ask, reset);
	smp_store_release(&asker.go, 3);
	pthread_join(asker.thread, NULL);
	CHECK(changed);
	stride = all;
}

#define ASKED(op, ask, reset) \
	static void op##_##ask(void) { asked(op, ask, reset); }

ASKED(op_write, ask_resize, false)
ASKED(op_words, ask_resize, false)
ASKED(op_discard, ask_resize, false)
ASKED(op_write, ask_reset, true)
ASKED(op_write, ask_order, true)

/* Waiters: whoever comes in between, nobody sleeps while there is something. */

static poll_table first_table, second_table;
static __poll_t first_found;

static void tick_both(void)
{
	int i;

	for (i = 0; i < 3; i++) {
		step_on_cpu(0, (void (*)(void *))shim_tick, NULL);
		step_on_cpu(1, (void (*)(void *))shim_tick, NULL);
	}
}

static void poll_cpu(void *unused)
{
	first_found = ring_buffer_poll_wait(buffer, 0, NULL, &first_table, 0);
}

static void poll_all(void *unused)
{
	first_found = ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, &first_table, 0);
}

static void poll_full(void *unused)
{
	first_found = ring_buffer_poll_wait(buffer, 0, NULL, &first_table, 75);
}

static void hook_poll_less(void *unused)
{
	CHECK_EQ(ring_buffer_poll_wait(buffer, 0, NULL, &second_table, 50), 0);
}

static void hook_poll_cpu(void *unused)
{
	step_on_cpu(1, poll_cpu, NULL);
}

static void hook_poll_all(void *unused)
{
	step_on_cpu(1, poll_all, NULL);
}

static void hook_write(void *unused)
{
	step_on_cpu(0, op_write, NULL);
}

/* The writer, and who waits in between; or the other way round. */
static void waiting(void (*op)(void *), void (*hook)(void *), void (*poll)(void *))
{
	unsigned long at;
	bool more;

	begin();
	for (at = 1, more = true; more && !test_failures; at += stride) {
		/* One waits already, and has had its second look. */
		ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, &second_table, 0);
		ring_buffer_poll_wait(buffer, 0, NULL, &second_table, 0);
		tick_both();
		first_found = 0;
		first_table.wq = NULL;
		more = step_run(op, hook, NULL, at);
		if (!more || !first_table.wq)
			continue;
		tick_both();
		CHECK(first_found || first_table.wq->seq != first_table.seq);
		/* And once more, when the event is gone. */
		other_consumes_all(NULL);
		poll(NULL);
		tick_both();
		CHECK_EQ(first_found, 0);
		op_write(NULL);
		tick_both();
		CHECK(first_table.wq->seq != first_table.seq);
		other_consumes_all(NULL);
	}
	if (test_failures)
		fprintf(stderr, "at instruction %lu\n", at);
	end();
}

static void wait_write_poll_cpu(void)
{
	waiting(op_write, hook_poll_cpu, poll_cpu);
}

static void wait_write_poll_all(void)
{
	waiting(op_write, hook_poll_all, poll_all);
}

static void wait_poll_cpu_write(void)
{
	waiting(poll_cpu, hook_write, poll_cpu);
}

static void wait_poll_all_write(void)
{
	waiting(poll_all, hook_write, poll_all);
}

static void wait_two_shares(void)
{
	unsigned long at;
	bool more;

	for (at = 1, more = true; more && !test_failures; at += stride) {
		begin();
		more = step_run(poll_full, hook_poll_less, NULL, at);
		if (more)
			CHECK_EQ(atomic_read(&rb_object(buffer)->cpu_wait[0].full_min), 50);
		end();
	}
}

/* A mapping: what is missing before the reader's sub-buffer is told in its page. */

static struct buffer_data_page *flagged;

static void other_gets_reader(void *unused)
{
	struct rb_cpu *cb = rb_cpu_at(buffer, 0);

	ring_buffer_map_get_reader(buffer, 0);
	if (cb->meta->reader.lost_events)
		flagged = cb->reader->page;
}

static void hook_get_reader(void *unused)
{
	step_on_cpu(1, other_gets_reader, NULL);
}

static void map_flag(void (*op)(void *), unsigned int room)
{
	unsigned long at, seen = 0;
	bool more;
	struct vm_area_struct vma;

	for (at = 1, more = true; more && !test_failures; at += stride) {
		struct rb_cpu *cb;
		unsigned int i;

		begin();
		cb = rb_cpu_at(buffer, 0);
		vma = (struct vm_area_struct) {
			.vm_end = (SUBS + 2) * PAGE_SIZE, .vm_flags = VM_MAYSHARE,
		};
		CHECK_EQ(ring_buffer_map(buffer, 0, &vma), 0);
		for (i = 0; i < PER_SUB * (SUBS + 3) - room; i++)
			op_write(NULL);
		/* The reader comes to the one that is open, and events are missing before. */
		for (i = 0; i < SUBS - 1; i++)
			ring_buffer_map_get_reader(buffer, 0);
		cb->lost_events = 5;
		flagged = NULL;
		more = step_run(op, hook_get_reader, NULL, at);
		if (flagged) {
			CHECK(local_read(&flagged->commit) & RB_MISSED_EVENTS);
			seen++;
		}
		ring_buffer_unmap(buffer, 0);
		end();
	}
	CHECK(seen);
	if (test_failures)
		fprintf(stderr, "at instruction %lu\n", at);
}

static void map_flag_written(void)
{
	map_flag(op_write, 5);
}

static void map_flag_crossed(void)
{
	map_flag(op_write, 0);
}

#define CASE(name) { #name, name }

static const struct test_case cases[] = {
	CASE(op_write_in_nmi_write), CASE(op_write_in_nmi_words), CASE(op_write_in_nmi_discard),
	CASE(op_write_in_nmi_many), CASE(op_write_in_nmi_flood), CASE(op_write_hook_consume),
	CASE(op_write_hook_consume_all), CASE(op_write_hook_iterate),
	CASE(op_words_in_nmi_write), CASE(op_words_in_nmi_words), CASE(op_words_in_nmi_discard),
	CASE(op_words_in_nmi_many), CASE(op_words_in_nmi_flood), CASE(op_words_hook_consume_all),
	CASE(op_words_hook_iterate), CASE(op_discard_in_nmi_write),
	CASE(op_discard_in_nmi_discard), CASE(op_discard_in_nmi_many),
	CASE(op_discard_hook_consume_all), CASE(op_late_in_nmi_write),
	CASE(op_late_in_nmi_many), CASE(op_late_hook_consume_all),
	CASE(op_write_ask_resize), CASE(op_words_ask_resize), CASE(op_discard_ask_resize),
	CASE(op_write_ask_reset), CASE(op_write_ask_order),
	CASE(wait_write_poll_cpu), CASE(wait_write_poll_all), CASE(wait_poll_cpu_write),
	CASE(wait_poll_all_write), CASE(wait_two_shares), CASE(map_flag_written),
	CASE(map_flag_crossed),
};

int test_steps(unsigned long every)
{
	unsigned int failed;

	stride = every;
	failed = test_run(cases, ARRAY_SIZE(cases), 300);
	printf("steps: %zu passed, %u failed\n", ARRAY_SIZE(cases) - failed, failed);
	return failed != 0;
}
