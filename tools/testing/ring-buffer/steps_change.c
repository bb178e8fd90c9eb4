// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of structure that another CPU asks for: an interrupt comes for them at each
 * instruction of a writer. And interrupts are not off for longer, the longer the ring or the
 * sub-buffers are.
 */
#include "steps.h"

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

void steps_finish_ask(void)
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

	steps.changed += !ring_buffer_resize(steps.buffer,
					     sizes[flip++ % 4] * (PAGE_SIZE - RB_HDR), 0);
}

static void ask_reset(void)
{
	ring_buffer_reset_cpu(steps.buffer, 0);
	steps.changed++;
}

static void ask_order(void)
{
	steps.changed += !ring_buffer_subbuf_order_set(steps.buffer, flip++ & 1);
}

/* With a second thread. */
static void asked(void (*op)(void *), void (*ask)(void), bool reset)
{
	unsigned long all = steps.stride;

	/* Two threads that wait for each other take their time. */
	steps.stride *= 16;
	asker.ask = ask;
	pthread_create(&asker.thread, NULL, asker_thread, NULL);
	steps_at_each(op, hook_ask, reset);
	smp_store_release(&asker.go, 3);
	pthread_join(asker.thread, NULL);
	CHECK(steps.changed);
	steps.stride = all;
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
		steps_write(1);
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
	steps_begin();
	for (at = 1, more = true; more && !test_failures; at += steps.fine) {
		reset_waiting = 0;
		reset_may_go_on = 0;
		more = step_run(op_long, hook_reset_and_write, NULL, at);
		smp_store_release(&reset_may_go_on, 1);
		steps_finish_ask();
		if (!more)
			break;
		steps_forget();
		for (i = 0; i < 2; i++) {
			CHECK(ring_buffer_empty_cpu(steps.buffer, 0));
			op_write(NULL);
			CHECK(steps_consume());
			CHECK(!steps_consume());
			CHECK_EQ(steps.lost, 0);
		}
	}
	if (test_failures)
		fprintf(stderr, "at instruction %lu\n", at);
	steps_end();
	shim_called_hook = NULL;
	smp_store_release(&asker.go, 3);
	pthread_join(asker.thread, NULL);
	CHECK(steps.changed);
}

/*
 * Another CPU sets another clock, and empties the buffer; then an interrupt writes. All of that
 * comes before the writer has set its bit, or after its end, as a reset waits for a writer. So no
 * event that is left has a stamp of the old clock, not even if the two are close to each other.
 */
#define CLOCK_LATE	500

static u64 late_clock(void)
{
	return sched_clock_noinstr() - CLOCK_LATE;
}

static void ask_clock(void)
{
	ring_buffer_set_clock(steps.buffer, late_clock);
	ask_reset();
}

static void hook_clock(void *unused)
{
	if (shim_irqs_off || steps.buffer->writers[0]->context)
		return;
	smp_store_release(&asker.go, 1);
	steps_finish_ask();
	shim_irq_hook = write_in_irq;
	shim_interrupt();
	shim_irq_hook = NULL;
}

static void clock_at_each(void (*op)(void *))
{
	unsigned long at, lost;
	bool more;
	u64 ts;

	asker.ask = ask_clock;
	pthread_create(&asker.thread, NULL, asker_thread, NULL);
	steps_begin();
	for (at = 1, more = true; more && !test_failures; at += steps.fine) {
		shim_now += 10 * CLOCK_LATE;
		more = step_run(op, hook_clock, NULL, at);
		while (ring_buffer_consume(steps.buffer, 0, &ts, &lost))
			CHECK(ts <= steps.buffer->clock());
		ring_buffer_set_clock(steps.buffer, trace_clock_local);
		ring_buffer_reset_cpu(steps.buffer, 0);
		steps_forget();
	}
	if (test_failures)
		fprintf(stderr, "at instruction %lu\n", at);
	steps_end();
	smp_store_release(&asker.go, 3);
	pthread_join(asker.thread, NULL);
	CHECK(steps.changed);
}

/* As where the copy of the clock is no good, or an interrupt writes. */
static void op_nopreempt(void *unused)
{
	preempt_disable_notrace();
	shim_now += 10;
	if (ring_buffer_reserve_nopreempt(steps.buffer, BYTES))
		ring_buffer_commit_nopreempt(steps.buffer);
	preempt_enable_notrace();
}

#define CLOCK_AT_EACH(op) \
	static void op##_clock(void) { clock_at_each(op); }

CLOCK_AT_EACH(op_write)
CLOCK_AT_EACH(op_words)
CLOCK_AT_EACH(op_long)
CLOCK_AT_EACH(op_nopreempt)

static struct buffer_data_read_page *page_to_read;

static void op_reset(void *unused)
{
	ring_buffer_reset_cpu(steps.buffer, 0);
}

static void op_order(void *unused)
{
	CHECK_EQ(ring_buffer_subbuf_order_set(steps.buffer, steps.buffer->order + 1), 0);
}

static void op_grow(void *unused)
{
	unsigned int nr = rb_cpu_at(steps.buffer, 0)->nr;

	CHECK_EQ(ring_buffer_resize(steps.buffer, (nr + 1) * (PAGE_SIZE - RB_HDR), 0), 0);
}

/* An event that is alone in its page. */
static void op_read_page(void *unused)
{
	CHECK_EQ(ring_buffer_read_page(steps.buffer, page_to_read,
				       ring_buffer_read_page_size(page_to_read), 0, 0), 0);
}

static unsigned long irqs_off(void (*op)(void *), unsigned int subs, unsigned int order)
{
	unsigned long instructions;
	unsigned int i;

	/* The other CPUs' rings only take time. */
	steps.buffer = test_buffer(2, RB_FL_OVERWRITE);
	CHECK_EQ(ring_buffer_resize(steps.buffer, subs * (PAGE_SIZE - RB_HDR), 0), 0);
	CHECK_EQ(ring_buffer_subbuf_order_set(steps.buffer, order), 0);
	/* All but one sub-buffer, which the reader has, are full. */
	for (i = 0; i < 2 * subs * PER_SUB; i++)
		op_write(NULL);
	other_consumes(NULL);
	if (op == op_read_page) {
		op_reset(NULL);
		op_write(NULL);
		CHECK_EQ(ring_buffer_alloc_read_page(steps.buffer, 0, &page_to_read), 0);
	}
	instructions = step_irqs_off(op, NULL);
	if (op == op_read_page)
		ring_buffer_free_read_page(steps.buffer, 0, page_to_read);
	ring_buffer_free(steps.buffer);
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

const struct test_case change_steps[] = {
	STEPS_CASE(op_write_ask_resize), STEPS_CASE(op_words_ask_resize),
	STEPS_CASE(op_discard_ask_resize), STEPS_CASE(op_write_ask_reset),
	STEPS_CASE(op_discard_ask_reset), STEPS_CASE(op_write_ask_order),
	STEPS_CASE(op_discard_ask_order), STEPS_CASE(op_long_ask_reset),
	STEPS_CASE(op_write_clock), STEPS_CASE(op_words_clock), STEPS_CASE(op_long_clock),
	STEPS_CASE(op_nopreempt_clock), STEPS_CASE(short_with_irqs_off), {}
};
