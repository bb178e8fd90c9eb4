// SPDX-License-Identifier: GPL-2.0
/*
 * An interrupt exchanges the CPU's buffer for that of another ring buffer, at each instruction
 * of a writer.
 */
#include "steps.h"

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
		if (!ring_buffer_swap_cpu(steps.buffer, spare, 0)) {
			in_spare = ring_buffer_entries_cpu(spare, 0);
			steps.changed++;
		}
		steps_write(1);
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
		CHECK(rb_no_writer(rb_cpu_at(steps.buffer, 0)));
		CHECK_EQ(ring_buffer_overrun_cpu(steps.buffer, 0), 0);
		other_consumes_all(NULL);
		ring_buffer_reset_cpu(steps.buffer, 0);
		swap(steps.buffer, spare);
	}
	CHECK_EQ(steps.read, steps.written);
	CHECK_EQ(steps.lost, 0);
	CHECK_EQ(steps.refused, 0);
	in_spare = 0;
	steps_forget();
}

static void exchanged(void (*op)(void *), unsigned int times, unsigned int before)
{
	unsigned long at;
	unsigned int i;
	bool more;

	steps_begin();
	spare = test_buffer(SUBS, RB_FL_OVERWRITE);
	exchanges = times;
	in_spare = 0;
	for (at = 1, more = true; more && !test_failures; at += steps.fine) {
		for (i = 0; i < before; i++)
			op_write(NULL);
		more = step_run(op, hook_exchange, NULL, at);
		settle_both();
	}
	if (test_failures)
		fprintf(stderr, "at instruction %lu\n", at);
	else
		CHECK(steps.changed);
	steps_end();
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
	if (steps.buffer->writers[0]->context)
		return;
	shim_irq_hook = exchange_and_write_both;
	shim_interrupt();
	shim_irq_hook = NULL;
}

static void exchanged_both(void (*op)(void *))
{
	unsigned long at;
	bool more;

	steps_begin();
	spare = test_buffer(SUBS, RB_FL_OVERWRITE);
	exchanges = 1;
	for (at = 1, more = true; more && !test_failures; at += steps.fine) {
		in_spare = 0;
		more = step_run(op, hook_exchange_both, NULL, at);
		CHECK_EQ(ring_buffer_entries_cpu(spare, 0), in_spare);
		ring_buffer_reset_cpu(spare, 0);
		/* Tasks open the short way again. */
		op(NULL);
		CHECK_EQ(steps.buffer->writers[0]->swapped, 0);
		CHECK(steps.buffer->writers[0]->limit > RB_LIMIT_GAP);
		ring_buffer_reset_cpu(steps.buffer, 0);
		steps_forget();
	}
	if (test_failures)
		fprintf(stderr, "at instruction %lu\n", at);
	else
		CHECK(steps.changed);
	steps_end();
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
	if (!ring_buffer_swap_cpu(steps.buffer, spare, 0)) {
		in_spare = ring_buffer_entries_cpu(spare, 0);
		steps.changed++;
	}
	local_irq_enable();
}

static void op_exchange_in_nmi_write(void)
{
	unsigned long at, all = 0;
	bool more;

	steps_begin();
	spare = test_buffer(SUBS, RB_FL_OVERWRITE);
	in_spare = 0;
	for (at = 1, more = true; more && !test_failures; at += steps.fine) {
		op_write(NULL);
		more = step_run(op_exchange, in_nmi_write, NULL, at);
		all += steps.refused;
		steps.refused = 0;
		settle_both();
	}
	if (test_failures)
		fprintf(stderr, "at instruction %lu\n", at);
	CHECK(steps.changed);
	CHECK(all);
	steps_end();
	ring_buffer_free(spare);
}

#define EXCHANGED(op) \
	static void op##_exchanged(void) { exchanged_often(op); }

EXCHANGED(op_write)
EXCHANGED(op_words)
EXCHANGED(op_discard)
EXCHANGED(op_late)
EXCHANGED(op_long)

const struct test_case swap_steps[] = {
	STEPS_CASE(op_write_exchanged), STEPS_CASE(op_words_exchanged),
	STEPS_CASE(op_discard_exchanged), STEPS_CASE(op_late_exchanged),
	STEPS_CASE(op_long_exchanged), STEPS_CASE(op_exchange_in_nmi_write),
	STEPS_CASE(op_words_exchanged_both), STEPS_CASE(op_write_exchanged_both), {}
};
