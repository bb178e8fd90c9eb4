// SPDX-License-Identifier: GPL-2.0
/*
 * Readers, in between and interrupted: pages that they give away, what looks empty, and the
 * counters.
 */
#include "steps.h"

/* Pages that a reader gives away are freed at once, while the writer comes around. */

static struct buffer_data_read_page *own_pages[SUBS + 2];

static void free_all_pages(void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(own_pages); i++) {
		ring_buffer_read_page(steps.buffer, own_pages[i], PAGE_SIZE, 0, 0);
		ring_buffer_free_read_page(steps.buffer, 0, own_pages[i]);
		own_pages[i] = NULL;
	}
}

static void hook_free_pages(void *unused)
{
	steps_on_other(free_all_pages);
}

/* As many pages are kept as can be, so that each that is freed goes. */
static void take_pages(void)
{
	struct buffer_data_read_page *kept[RB_FREE_PAGES];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(own_pages); i++)
		CHECK_EQ(ring_buffer_alloc_read_page(steps.buffer, 0, &own_pages[i]), 0);
	for (i = 0; i < RB_FREE_PAGES; i++)
		CHECK_EQ(ring_buffer_alloc_read_page(steps.buffer, 0, &kept[i]), 0);
	for (i = 0; i < RB_FREE_PAGES; i++)
		ring_buffer_free_read_page(steps.buffer, 0, kept[i]);
}

static void pages_given_away(void)
{
	unsigned long at;
	unsigned int i;
	bool more;

	/* With the address sanitizer, which sees it, a load has some instructions before it. */
	for (at = 1, more = true; more && !test_failures; at += steps.fine / 10 ?: 1) {
		steps_begin();
		take_pages();
		/* Nothing is lost yet: its number would not fit, and the page be copied. */
		for (i = 0; i < PER_SUB * SUBS; i++)
			op_write(NULL);
		more = step_run(op_write, hook_free_pages, NULL, at);
		if (!more)
			free_all_pages(NULL);
		CHECK(ring_buffer_entries_cpu(steps.buffer, 0) <= 1);
		steps_end();
	}
}

/* A consumer goes on to the next sub-buffer, in which some events are: it never looks empty. */

static bool looked_empty;

static void look(void *unused)
{
	preempt_disable_notrace();
	looked_empty = rb_cpu_empty(rb_cpu_at(steps.buffer, 0));
	preempt_enable_notrace();
}

static void hook_look(void *unused)
{
	step_on_cpu(1, look, NULL);
	CHECK(!looked_empty);
}

static void consume_first(void *unused)
{
	CHECK(steps_consume());
}

static void hook_consume_first(void *unused)
{
	step_on_cpu(1, consume_first, NULL);
}

/* One sub-buffer is consumed to its end, and the next one has three events. */
static void begin_at_end(void)
{
	steps_begin();
	while (steps.buffer->writers[0]->tail->base == 0)
		op_write(NULL);
	op_write(NULL);
	op_write(NULL);
	while (ring_buffer_entries_cpu(steps.buffer, 0) > 3)
		consume_first(NULL);
}

static void looking(void (*op)(void *), void (*hook)(void *))
{
	unsigned long at;
	bool more;

	for (at = 1, more = true; more && !test_failures; at += steps.fine) {
		begin_at_end();
		more = step_run(op, hook, NULL, at);
		CHECK(!looked_empty);
		steps_end();
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

/* The counters, from an interrupt of the writer: they are what can be, and come to an end. */

static void look_at_counters(void)
{
	unsigned long bytes = ring_buffer_bytes_cpu(steps.buffer, 0);

	CHECK(bytes <= SUBS * (PAGE_SIZE - RB_HDR) + PAGE_SIZE);
	CHECK(bytes >= (steps.written - 1) * (BYTES + RB_EVENT_HDR));
	CHECK(ring_buffer_entries_cpu(steps.buffer, 0) + 1 >= steps.written);
	ring_buffer_nr_dirty_pages(steps.buffer, 0);
	ring_buffer_oldest_event_ts(steps.buffer, 0);
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
		steps_begin();
		/* The next one crosses, and leaves a rest. */
		CHECK_EQ(ring_buffer_write(steps.buffer, sizeof(first), &first), 0);
		while (steps.buffer->writers[0]->limit - steps.buffer->writers[0]->pos >=
		       BYTES + RB_EVENT_HDR)
			op_write(NULL);
		CHECK(steps.buffer->writers[0]->limit > steps.buffer->writers[0]->pos);
		more = step_run(op_write, hook_look_at_counters, NULL, at);
		CHECK_EQ(ring_buffer_bytes_cpu(steps.buffer, 0),
			 steps.written * (BYTES + RB_EVENT_HDR) + sizeof(first) + RB_EVENT_HDR);
		steps_end();
	}
	if (test_failures)
		fprintf(stderr, "at instruction %lu\n", at);
}

const struct test_case read_steps[] = {
	STEPS_CASE(op_write_counters), STEPS_CASE(pages_given_away),
	STEPS_CASE(consume_while_looked_at), STEPS_CASE(look_while_consumed), {}
};
