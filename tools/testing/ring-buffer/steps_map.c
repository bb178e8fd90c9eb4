// SPDX-License-Identifier: GPL-2.0
/*
 * A mapping: the page of the reader's sub-buffer tells that events are missing before it.
 */
#include "steps.h"

static struct buffer_data_page *flagged;

static void other_gets_reader(void *unused)
{
	struct rb_cpu *cb = rb_cpu_at(steps.buffer, 0);

	ring_buffer_map_get_reader(steps.buffer, 0);
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

	steps_begin();
	CHECK_EQ(ring_buffer_map(steps.buffer, 0, &vma), 0);
	for (i = 0; i < PER_SUB * (SUBS + 3) - room; i++)
		op_write(NULL);
	for (i = 0; i < SUBS - 1; i++)
		ring_buffer_map_get_reader(steps.buffer, 0);
	flagged = NULL;
}

static void end_mapped(void)
{
	ring_buffer_unmap(steps.buffer, 0);
	/* The short way is open again. */
	CHECK_EQ(steps.buffer->writers[0]->busy, 0);
	steps_end();
}

/*
 * The sub-buffer that comes to be the reader's has events missing before it.
 * Afterwards its page says so, and how long it is.
 */
static void map_flag(void (*op)(void *), void (*hook)(void *), unsigned int room)
{
	unsigned long at, seen = 0;
	bool more;

	for (at = 1, more = true; more && !test_failures; at += steps.fine) {
		struct rb_writer *w;

		begin_mapped(room);
		w = steps.buffer->writers[0];
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
	rb_cpu_at(steps.buffer, 0)->lost_events = 5;
	hook_get_reader(NULL);
	CHECK(flagged == steps.buffer->writers[0]->tail->page);
	for (at = 1, more = true; more && !test_failures; at += steps.fine) {
		more = step_run(op_write, hook_look_for_flag, NULL, at);
		/* Only a write that reaches the end leaves the page for another. */
		if (flagged != steps.buffer->writers[0]->tail->page) {
			end_mapped();
			begin_mapped(PER_SUB - 5);
			rb_cpu_at(steps.buffer, 0)->lost_events = 5;
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
	rb_cpu_at(steps.buffer, 0)->lost_events = 5;
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
	CHECK(rb_cpu_at(steps.buffer, 0)->reader->page != first);
	for (i = 0; i < 5; i++)
		op_write(NULL);
	CHECK_EQ(local_read(&rb_cpu_at(steps.buffer, 0)->reader->page->commit),
		 10 * (BYTES + RB_EVENT_HDR));
	end_mapped();
}

const struct test_case map_steps[] = {
	STEPS_CASE(map_flag_written), STEPS_CASE(map_flag_words), STEPS_CASE(map_flag_crossed),
	STEPS_CASE(map_flag_set), STEPS_CASE(map_flag_stays), STEPS_CASE(map_flag_ends), {}
};
