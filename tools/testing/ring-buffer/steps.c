// SPDX-License-Identifier: GPL-2.0
/*
 * Each operation with another one in between, after each of its instructions in
 * turn.  Afterwards everything has to add up.
 */
#include "test.h"

#define BYTES	16
#define PER_SUB	((PAGE_SIZE - RB_HDR) / (BYTES + RB_EVENT_HDR))
#define SUBS	4

/* fine_stride: for races that go wrong at one instruction only. */
static unsigned long stride, fine_stride;

static struct trace_buffer *buffer;
static unsigned long written, refused, read_events, lost_events;
static u32 number;

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
	item->check = ~(item->number + ring_buffer_event_time_stamp(buffer, event));
	ring_buffer_unlock_commit(buffer);
	count(&written);
}

static void write_words(u32 level)
{
	u32 mine = next_number();

	preempt_disable_notrace();
	/* On 32 bits the two last words are the check, else the first of them. */
	if (test_write_words(buffer, mine | (u64)(level | LEVEL_WORDS) << 32, ~(u64)mine,
			     BITS_PER_LONG == 32 ? ~0UL : 0))
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

/* @ts: when it was written, says the reader. */
static bool good(struct ring_buffer_event *event, u64 ts)
{
	struct item *item = ring_buffer_event_data(event);
	u64 time = item->level & LEVEL_WORDS ? 0 : ts;

	return item->check == ~(item->number + time) && item->number < number;
}

static bool consume_one(void)
{
	struct ring_buffer_event *event;
	unsigned long lost;
	u64 ts;

	event = ring_buffer_consume(buffer, 0, &ts, &lost);
	if (!event)
		return false;
	CHECK(good(event, ts));
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

/* Longer than what goes the short way. */
static void op_long(void *unused)
{
	u8 data[RB_MAX_SMALL + BYTES] = {};
	struct item *item = (void *)data;

	shim_now += 10;
	item->number = next_number();
	item->check = ~(item->number + shim_now);
	count(ring_buffer_write(buffer, sizeof(data), data) ? &refused : &written);
}

/* The contexts that come in between. */

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
	u64 ts;

	while ((event = ring_buffer_iter_peek(iter, &ts))) {
		CHECK(good(event, ts));
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
			shim_wait();
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
		shim_wait();
	/* Interrupts may be off at this instruction. */
	if (!shim_irqs_off)
		shim_interrupt();
}

static void finish_ask(void)
{
	while (smp_load_acquire(&asker.go) == 1) {
		if (shim_call_pending())
			shim_interrupt();
		shim_wait();
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
				unsigned long pos = READ_ONCE(w->pos);

				i = pos < w->limit ? (w->limit - pos) / (BYTES + RB_EVENT_HDR) : 0;
				if (i == room || (i < room && pos - w->tail->base == RB_HDR))
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
ASKED(op_discard, ask_reset, true)
ASKED(op_write, ask_order, true)
ASKED(op_discard, ask_order, true)

/*
 * An interrupt exchanges the CPU's buffer for that of another ring buffer, once or there and
 * back, and writes each time.  Nothing is refused, and an event that was not complete at an
 * exchange is not in what the exchange took away.
 */

static struct trace_buffer *spare;
static unsigned int exchanges;
static unsigned long in_spare;

static void exchange_and_write(void)
{
	unsigned int i;

	for (i = 0; i < exchanges; i++) {
		if (!ring_buffer_swap_cpu(buffer, spare, 0)) {
			in_spare = ring_buffer_entries_cpu(spare, 0);
			changed++;
		}
		write_item(1);
	}
}

static void hook_exchange(void *unused)
{
	if (shim_irqs_off)
		return;
	shim_irq_hook = exchange_and_write;
	shim_interrupt();
	shim_irq_hook = NULL;
}

static void settle_both(void)
{
	unsigned int i;

	CHECK_EQ(ring_buffer_entries_cpu(spare, 0), in_spare);
	for (i = 0; i < 2; i++) {
		CHECK(rb_no_writer(rb_cpu_at(buffer, 0)));
		CHECK_EQ(ring_buffer_overrun_cpu(buffer, 0), 0);
		other_consumes_all(NULL);
		ring_buffer_reset_cpu(buffer, 0);
		swap(buffer, spare);
	}
	CHECK_EQ(read_events, written);
	CHECK_EQ(lost_events, 0);
	CHECK_EQ(refused, 0);
	in_spare = 0;
	forget();
}

static void exchanged(void (*op)(void *), unsigned int times, unsigned int before)
{
	unsigned long at;
	unsigned int i;
	bool more;

	begin();
	spare = test_buffer(SUBS, RB_FL_OVERWRITE);
	exchanges = times;
	in_spare = 0;
	for (at = 1, more = true; more && !test_failures; at += fine_stride) {
		for (i = 0; i < before; i++)
			op_write(NULL);
		more = step_run(op, hook_exchange, NULL, at);
		settle_both();
	}
	if (test_failures)
		fprintf(stderr, "at instruction %lu\n", at);
	else
		CHECK(changed);
	end();
	ring_buffer_free(spare);
}

static void exchanged_often(void (*op)(void *))
{
	unsigned int times;

	for (times = 1; times <= 3; times++) {
		exchanged(op, times, 0);
		exchanged(op, times, 1);
		exchanged(op, times, PER_SUB);
	}
}

/*
 * As exchange_and_write(), and other interrupts write to the buffer that was taken away, too:
 * it stays closed for the writer that has its pointer from before.
 */
static void exchange_and_write_both(void)
{
	static const u32 other = 7;

	exchange_and_write();
	if (!ring_buffer_write(spare, sizeof(other), (void *)&other))
		in_spare++;
	/* Once more, in an interrupt that preempt_count knows no more. */
	shim_preempt_count -= HARDIRQ_OFFSET;
	if (!ring_buffer_write(spare, sizeof(other), (void *)&other))
		in_spare++;
	shim_preempt_count += HARDIRQ_OFFSET;
}

static void hook_exchange_both(void *unused)
{
	if (shim_irqs_off)
		return;
	/* A writer has begun: there is no exchange, and nothing to see. */
	if (buffer->writers[0]->context)
		return;
	shim_irq_hook = exchange_and_write_both;
	shim_interrupt();
	shim_irq_hook = NULL;
}

static void exchanged_both(void (*op)(void *))
{
	unsigned long at;
	bool more;

	begin();
	spare = test_buffer(SUBS, RB_FL_OVERWRITE);
	exchanges = 1;
	for (at = 1, more = true; more && !test_failures; at += fine_stride) {
		in_spare = 0;
		more = step_run(op, hook_exchange_both, NULL, at);
		CHECK_EQ(ring_buffer_entries_cpu(spare, 0), in_spare);
		ring_buffer_reset_cpu(spare, 0);
		/* Tasks open the short way again. */
		op(NULL);
		CHECK_EQ(buffer->writers[0]->swapped, 0);
		CHECK(buffer->writers[0]->limit > RB_LIMIT_GAP);
		ring_buffer_reset_cpu(buffer, 0);
		forget();
	}
	if (test_failures)
		fprintf(stderr, "at instruction %lu\n", at);
	else
		CHECK(changed);
	end();
	ring_buffer_free(spare);
}

static void op_words_exchanged_both(void)
{
	exchanged_both(op_words);
}

static void op_write_exchanged_both(void)
{
	exchanged_both(op_write);
}

/* An NMI in the middle of an exchange is turned away, and its event is in neither. */
static void op_exchange(void *unused)
{
	local_irq_disable();
	if (!ring_buffer_swap_cpu(buffer, spare, 0)) {
		in_spare = ring_buffer_entries_cpu(spare, 0);
		changed++;
	}
	local_irq_enable();
}

static void op_exchange_in_nmi_write(void)
{
	unsigned long at, all = 0;
	bool more;

	begin();
	spare = test_buffer(SUBS, RB_FL_OVERWRITE);
	in_spare = 0;
	for (at = 1, more = true; more && !test_failures; at += fine_stride) {
		op_write(NULL);
		more = step_run(op_exchange, in_nmi_write, NULL, at);
		all += refused;
		refused = 0;
		settle_both();
	}
	if (test_failures)
		fprintf(stderr, "at instruction %lu\n", at);
	CHECK(changed);
	CHECK(all);
	end();
	ring_buffer_free(spare);
}

#define EXCHANGED(op) \
	static void op##_exchanged(void) { exchanged_often(op); }

EXCHANGED(op_write)
EXCHANGED(op_words)
EXCHANGED(op_discard)
EXCHANGED(op_late)
EXCHANGED(op_long)

/*
 * A reset comes into a writer of a long event, which may have found recording on and not
 * have told yet that it is there.  An event of the same interrupt is dropped.  The task
 * that resets goes on when the writer is done.
 */

static int reset_waiting, reset_may_go_on;

static void reset_waits(void)
{
	smp_store_release(&reset_waiting, 1);
	while (!smp_load_acquire(&reset_may_go_on)) {
		shim_tick();
		shim_wait();
	}
}

static void write_in_irq(void)
{
	if (!shim_cpu_id)
		write_item(1);
}

static void hook_reset_and_write(void *unused)
{
	shim_irq_hook = write_in_irq;
	smp_store_release(&asker.go, 1);
	/* The call may come as a signal, or now. */
	while (!shim_call_pending() && !smp_load_acquire(&reset_waiting))
		shim_wait();
	if (!shim_irqs_off)
		shim_interrupt();
	shim_irq_hook = NULL;
}

/* Afterwards there is what is written then, and nothing else. */
static void op_long_ask_reset(void)
{
	unsigned long at;
	unsigned int i;
	bool more;

	asker.ask = ask_reset;
	pthread_create(&asker.thread, NULL, asker_thread, NULL);
	shim_called_hook = reset_waits;
	begin();
	for (at = 1, more = true; more && !test_failures; at += fine_stride) {
		reset_waiting = 0;
		reset_may_go_on = 0;
		more = step_run(op_long, hook_reset_and_write, NULL, at);
		smp_store_release(&reset_may_go_on, 1);
		finish_ask();
		if (!more)
			break;
		forget();
		for (i = 0; i < 2; i++) {
			CHECK(ring_buffer_empty_cpu(buffer, 0));
			op_write(NULL);
			CHECK(consume_one());
			CHECK(!consume_one());
			CHECK_EQ(lost_events, 0);
		}
	}
	if (test_failures)
		fprintf(stderr, "at instruction %lu\n", at);
	end();
	shim_called_hook = NULL;
	smp_store_release(&asker.go, 3);
	pthread_join(asker.thread, NULL);
	CHECK(changed);
}

/* Pages that a reader gives away are freed at once, while the writer comes around. */

static struct buffer_data_read_page *own_pages[SUBS + 2];

static void free_all_pages(void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(own_pages); i++) {
		ring_buffer_read_page(buffer, own_pages[i], PAGE_SIZE, 0, 0);
		ring_buffer_free_read_page(buffer, 0, own_pages[i]);
		own_pages[i] = NULL;
	}
}

static void hook_free_pages(void *unused)
{
	on_other(free_all_pages);
}

/* As many pages are kept as can be, so that each that is freed goes. */
static void take_pages(void)
{
	struct buffer_data_read_page *kept[RB_FREE_PAGES];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(own_pages); i++)
		CHECK_EQ(ring_buffer_alloc_read_page(buffer, 0, &own_pages[i]), 0);
	for (i = 0; i < RB_FREE_PAGES; i++)
		CHECK_EQ(ring_buffer_alloc_read_page(buffer, 0, &kept[i]), 0);
	for (i = 0; i < RB_FREE_PAGES; i++)
		ring_buffer_free_read_page(buffer, 0, kept[i]);
}

static void pages_given_away(void)
{
	unsigned long at;
	unsigned int i;
	bool more;

	/* With the address sanitizer, which sees it, a load has some instructions before it. */
	for (at = 1, more = true; more && !test_failures; at += fine_stride / 10 ?: 1) {
		begin();
		take_pages();
		/* Nothing is lost yet: its number would not fit, and the page be copied. */
		for (i = 0; i < PER_SUB * SUBS; i++)
			op_write(NULL);
		more = step_run(op_write, hook_free_pages, NULL, at);
		if (!more)
			free_all_pages(NULL);
		CHECK(ring_buffer_entries_cpu(buffer, 0) <= 1);
		end();
	}
}

/* Waiters: nobody sleeps while there are events, no matter which context comes in between. */

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
	for (at = 1, more = true; more && !test_failures; at += fine_stride) {
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

	for (at = 1, more = true; more && !test_failures; at += fine_stride) {
		begin();
		more = step_run(poll_full, hook_poll_less, NULL, at);
		if (more)
			CHECK_EQ(atomic_read(&rb_object(buffer)->cpu_wait[0].full_min), 50);
		end();
	}
}

/* A consumer goes on to the next sub-buffer, in which some events are: it never looks empty. */

static bool looked_empty;

static void look(void *unused)
{
	preempt_disable_notrace();
	looked_empty = rb_cpu_empty(rb_cpu_at(buffer, 0));
	preempt_enable_notrace();
}

static void hook_look(void *unused)
{
	step_on_cpu(1, look, NULL);
	CHECK(!looked_empty);
}

static void consume_first(void *unused)
{
	CHECK(consume_one());
}

static void hook_consume_first(void *unused)
{
	step_on_cpu(1, consume_first, NULL);
}

/* One sub-buffer is consumed to its end, and the next one has three events. */
static void begin_at_end(void)
{
	begin();
	while (buffer->writers[0]->tail->base == 0)
		op_write(NULL);
	op_write(NULL);
	op_write(NULL);
	while (ring_buffer_entries_cpu(buffer, 0) > 3)
		consume_first(NULL);
}

static void looking(void (*op)(void *), void (*hook)(void *))
{
	unsigned long at;
	bool more;

	for (at = 1, more = true; more && !test_failures; at += fine_stride) {
		begin_at_end();
		more = step_run(op, hook, NULL, at);
		CHECK(!looked_empty);
		end();
	}
	if (test_failures)
		fprintf(stderr, "at instruction %lu\n", at);
}

static void consume_while_looked_at(void)
{
	looking(consume_first, hook_look);
}

static void look_while_consumed(void)
{
	looking(look, hook_consume_first);
}

/* A mapping: the page of the reader's sub-buffer tells that events are missing before it. */

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

/* A look into the page sees the flag at any moment. */
static void hook_look_for_flag(void *unused)
{
	CHECK(local_read(&flagged->commit) & RB_MISSED_EVENTS);
}

/*
 * Mapped and written, with @room events to go in the open sub-buffer, which is the
 * reader's next one, or is already.
 */
static void begin_mapped(unsigned int room)
{
	struct vm_area_struct vma = {
		.vm_end = (SUBS + 2) * PAGE_SIZE, .vm_flags = VM_MAYSHARE,
	};
	unsigned int i;

	begin();
	CHECK_EQ(ring_buffer_map(buffer, 0, &vma), 0);
	for (i = 0; i < PER_SUB * (SUBS + 3) - room; i++)
		op_write(NULL);
	for (i = 0; i < SUBS - 1; i++)
		ring_buffer_map_get_reader(buffer, 0);
	flagged = NULL;
}

static void end_mapped(void)
{
	ring_buffer_unmap(buffer, 0);
	/* The short way is open again. */
	CHECK_EQ(buffer->writers[0]->busy, 0);
	end();
}

/*
 * The sub-buffer that comes to be the reader's has events missing before it.
 * Afterwards its page says so, and how long it is.
 */
static void map_flag(void (*op)(void *), void (*hook)(void *), unsigned int room)
{
	unsigned long at, seen = 0;
	bool more;

	for (at = 1, more = true; more && !test_failures; at += fine_stride) {
		struct rb_writer *w;

		begin_mapped(room);
		w = buffer->writers[0];
		rb_cpu_of(w)->lost_events = 5;
		more = step_run(op, hook, NULL, at);
		if (flagged) {
			unsigned long commit = local_read(&flagged->commit);

			CHECK(commit & RB_MISSED_EVENTS);
			if (flagged == w->tail->page)
				CHECK_EQ(commit & RB_COMMIT_MASK,
					 READ_ONCE(w->pos) - w->tail->base - RB_HDR);
			seen++;
		}
		end_mapped();
	}
	CHECK(seen);
	if (test_failures)
		fprintf(stderr, "at instruction %lu\n", at);
}

static void map_flag_written(void)
{
	map_flag(op_write, hook_get_reader, 5);
}

static void map_flag_words(void)
{
	map_flag(op_words, hook_get_reader, 5);
}

static void map_flag_crossed(void)
{
	map_flag(op_write, hook_get_reader, 0);
}

/* The other way round: the reader is interrupted, and the writer writes. */
static void map_flag_set(void)
{
	map_flag(hook_get_reader, hook_write, PER_SUB - 5);
}

static void map_flag_stays(void)
{
	unsigned long at;
	bool more;

	begin_mapped(PER_SUB - 5);
	rb_cpu_at(buffer, 0)->lost_events = 5;
	hook_get_reader(NULL);
	CHECK(flagged == buffer->writers[0]->tail->page);
	for (at = 1, more = true; more && !test_failures; at += fine_stride) {
		more = step_run(op_write, hook_look_for_flag, NULL, at);
		/* Only a write that reaches the end leaves the page for another. */
		if (flagged != buffer->writers[0]->tail->page) {
			end_mapped();
			begin_mapped(PER_SUB - 5);
			rb_cpu_at(buffer, 0)->lost_events = 5;
			hook_get_reader(NULL);
		}
	}
	if (test_failures)
		fprintf(stderr, "at instruction %lu\n", at);
	end_mapped();
}

/* The flag is of one sub-buffer: the next, with nothing missing, has none. */
static void map_flag_ends(void)
{
	struct buffer_data_page *first;
	unsigned int i;

	begin_mapped(5);
	rb_cpu_at(buffer, 0)->lost_events = 5;
	hook_get_reader(NULL);
	first = flagged;
	for (i = 0; i < 5; i++)
		op_write(NULL);
	hook_get_reader(NULL);
	for (i = 0; i < 5; i++)
		op_write(NULL);
	flagged = NULL;
	hook_get_reader(NULL);
	CHECK(!flagged);
	CHECK(rb_cpu_at(buffer, 0)->reader->page != first);
	for (i = 0; i < 5; i++)
		op_write(NULL);
	CHECK_EQ(local_read(&rb_cpu_at(buffer, 0)->reader->page->commit),
		 10 * (BYTES + RB_EVENT_HDR));
	end_mapped();
}

/* The counters, from an interrupt of the writer: they are what can be, and come to an end. */

static void look_at_counters(void)
{
	unsigned long bytes = ring_buffer_bytes_cpu(buffer, 0);

	CHECK(bytes <= SUBS * (PAGE_SIZE - RB_HDR) + PAGE_SIZE);
	CHECK(bytes >= (written - 1) * (BYTES + RB_EVENT_HDR));
	CHECK(ring_buffer_entries_cpu(buffer, 0) + 1 >= written);
	ring_buffer_nr_dirty_pages(buffer, 0);
	ring_buffer_oldest_event_ts(buffer, 0);
}

static void hook_look_at_counters(void *unused)
{
	if (shim_irqs_off)
		return;
	shim_irq_hook = look_at_counters;
	shim_interrupt();
	shim_irq_hook = NULL;
}

static void op_write_counters(void)
{
	unsigned long at;
	u32 first = 0;
	bool more;

	/* It is one instruction. */
	for (at = 1, more = true; more && !test_failures; at++) {
		begin();
		/* The next one crosses, and leaves a rest. */
		CHECK_EQ(ring_buffer_write(buffer, sizeof(first), &first), 0);
		while (buffer->writers[0]->limit - buffer->writers[0]->pos >=
		       BYTES + RB_EVENT_HDR)
			op_write(NULL);
		CHECK(buffer->writers[0]->limit > buffer->writers[0]->pos);
		more = step_run(op_write, hook_look_at_counters, NULL, at);
		CHECK_EQ(ring_buffer_bytes_cpu(buffer, 0),
			 written * (BYTES + RB_EVENT_HDR) + sizeof(first) + RB_EVENT_HDR);
		end();
	}
	if (test_failures)
		fprintf(stderr, "at instruction %lu\n", at);
}

/* Interrupts are not off for longer, the longer the ring or the sub-buffers are. */

static struct buffer_data_read_page *page_to_read;

static void op_reset(void *unused)
{
	ring_buffer_reset_cpu(buffer, 0);
}

static void op_order(void *unused)
{
	CHECK_EQ(ring_buffer_subbuf_order_set(buffer, buffer->order + 1), 0);
}

static void op_grow(void *unused)
{
	CHECK_EQ(ring_buffer_resize(buffer, (rb_cpu_at(buffer, 0)->nr + 1) * (PAGE_SIZE - RB_HDR),
				    0), 0);
}

/* An event that is alone in its page. */
static void op_read_page(void *unused)
{
	CHECK_EQ(ring_buffer_read_page(buffer, page_to_read,
				       ring_buffer_read_page_size(page_to_read), 0, 0), 0);
}

static unsigned long irqs_off(void (*op)(void *), unsigned int subs, unsigned int order)
{
	unsigned long instructions;
	unsigned int i;

	/* The other CPUs' rings only take time. */
	buffer = test_buffer(2, RB_FL_OVERWRITE);
	CHECK_EQ(ring_buffer_resize(buffer, subs * (PAGE_SIZE - RB_HDR), 0), 0);
	CHECK_EQ(ring_buffer_subbuf_order_set(buffer, order), 0);
	/* All but one sub-buffer, which the reader has, are full. */
	for (i = 0; i < 2 * subs * PER_SUB; i++)
		op_write(NULL);
	other_consumes(NULL);
	if (op == op_read_page) {
		op_reset(NULL);
		op_write(NULL);
		CHECK_EQ(ring_buffer_alloc_read_page(buffer, 0, &page_to_read), 0);
	}
	instructions = step_irqs_off(op, NULL);
	if (op == op_read_page)
		ring_buffer_free_read_page(buffer, 0, page_to_read);
	ring_buffer_free(buffer);
	return instructions;
}

static void short_with_irqs_off(void)
{
	/* Branches differ a bit.  A copy of the slots may be a loop of the machine's. */
	const unsigned long few = 32, slots = 16 * sizeof(long);

	/* A sanitizer's instructions are not counted. */
	if (SHIM_SANITIZED)
		return;
	shim_now = 1000;
	CHECK(irqs_off(op_reset, 8, 0) > few);
	CHECK(irqs_off(op_reset, 24, 0) <= irqs_off(op_reset, 8, 0) + few);
	CHECK(irqs_off(op_order, 24, 0) <= irqs_off(op_order, 8, 0) + few);
	CHECK(irqs_off(op_read_page, 16, 2) <= irqs_off(op_read_page, 8, 0) + few);
	CHECK(irqs_off(op_grow, 24, 0) <= irqs_off(op_grow, 8, 0) + few + slots);
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
	CASE(op_write_ask_reset), CASE(op_discard_ask_reset), CASE(op_write_ask_order),
	CASE(op_discard_ask_order), CASE(op_long_ask_reset), CASE(op_write_exchanged),
	CASE(op_words_exchanged), CASE(op_discard_exchanged), CASE(op_late_exchanged),
	CASE(op_long_exchanged), CASE(op_exchange_in_nmi_write),
	CASE(op_words_exchanged_both), CASE(op_write_exchanged_both), CASE(op_write_counters),
	CASE(pages_given_away),
	CASE(wait_write_poll_cpu), CASE(wait_write_poll_all), CASE(wait_poll_cpu_write),
	CASE(wait_poll_all_write), CASE(wait_two_shares), CASE(consume_while_looked_at),
	CASE(look_while_consumed), CASE(map_flag_written),
	CASE(map_flag_words),
	CASE(map_flag_crossed), CASE(map_flag_set), CASE(map_flag_stays), CASE(map_flag_ends),
	CASE(short_with_irqs_off),
};

int test_steps(unsigned long every)
{
	unsigned int failed;

	stride = every;
	fine_stride = every / 7 ?: 1;
	failed = test_run(cases, ARRAY_SIZE(cases), 300);
	printf("steps: %zu passed, %u failed\n", ARRAY_SIZE(cases) - failed, failed);
	return failed != 0;
}
