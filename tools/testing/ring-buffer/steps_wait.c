// SPDX-License-Identifier: GPL-2.0
/*
 * Waiters: nobody sleeps while there are events, no matter which context comes in between.
 */
#include "steps.h"

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
	first_found = ring_buffer_poll_wait(steps.buffer, 0, NULL, &first_table, 0);
}

static void poll_all(void *unused)
{
	first_found = ring_buffer_poll_wait(steps.buffer, RING_BUFFER_ALL_CPUS, NULL, &first_table,
					    0);
}

static void poll_full(void *unused)
{
	first_found = ring_buffer_poll_wait(steps.buffer, 0, NULL, &first_table, 75);
}

static void hook_poll_less(void *unused)
{
	CHECK_EQ(ring_buffer_poll_wait(steps.buffer, 0, NULL, &second_table, 50), 0);
}

static void hook_poll_cpu(void *unused)
{
	step_on_cpu(1, poll_cpu, NULL);
}

static void hook_poll_all(void *unused)
{
	step_on_cpu(1, poll_all, NULL);
}

/* The writer, and who waits in between; or the other way round. */
static void waiting(void (*op)(void *), void (*hook)(void *), void (*poll)(void *))
{
	unsigned long at;
	bool more;

	steps_begin();
	for (at = 1, more = true; more && !test_failures; at += steps.fine) {
		/* One waits already, and has had its second look. */
		ring_buffer_poll_wait(steps.buffer, RING_BUFFER_ALL_CPUS, NULL, &second_table, 0);
		ring_buffer_poll_wait(steps.buffer, 0, NULL, &second_table, 0);
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
	steps_end();
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

	for (at = 1, more = true; more && !test_failures; at += steps.fine) {
		struct rb_wait *wait;

		steps_begin();
		more = step_run(poll_full, hook_poll_less, NULL, at);
		wait = &rb_object(steps.buffer)->cpu_wait[0].wait;
		if (more)
			CHECK_EQ(atomic_read(&wait->full_min), 50);
		steps_end();
	}
}

const struct test_case wait_steps[] = {
	STEPS_CASE(wait_write_poll_cpu), STEPS_CASE(wait_write_poll_all),
	STEPS_CASE(wait_poll_cpu_write), STEPS_CASE(wait_poll_all_write),
	STEPS_CASE(wait_two_shares), {}
};
