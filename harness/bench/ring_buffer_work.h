/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The work by which the ring buffer is measured: writing and reading events of 16 bytes. Uses
 * what <linux/ring_buffer.h> has in the base tree and in ours, so that one program measures
 * both: ring_buffer_kunit.c on UML, modules/ring_events.c in a guest.
 *
 * Each function returns the number of events that it completed. If it loses an event, reads one
 * twice or ends early, that is less than was asked for.
 */
#ifndef _RING_BUFFER_WORK_H
#define _RING_BUFFER_WORK_H

#include <linux/ktime.h>
#include <linux/ring_buffer.h>
#include <linux/sizes.h>

struct payload {
	u64	a;
	u64	b;
};

static struct trace_buffer *buffer;
static struct buffer_data_read_page *page;

/* How many the buffer has got, if that is what its writer was told. */
static unsigned int written(unsigned int done)
{
	return ring_buffer_entries(buffer) + ring_buffer_overruns(buffer) == done ? done : 0;
}

static unsigned int write_events(unsigned int n)
{
	struct ring_buffer_event *event;
	struct payload *payload;
	unsigned int i, done = 0;

	for (i = 0; i < n; i++) {
		event = ring_buffer_lock_reserve(buffer, sizeof(*payload));
		if (!event)
			continue;
		payload = ring_buffer_event_data(event);
		payload->a = i;
		payload->b = n;
		ring_buffer_unlock_commit(buffer);
		done++;
	}
	return written(done);
}

static unsigned int write_copies(unsigned int n)
{
	struct payload payload = { 1, 2 };
	unsigned int i, done = 0;

	for (i = 0; i < n; i++)
		done += !ring_buffer_write(buffer, sizeof(payload), &payload);
	return written(done);
}

static unsigned int write_and_discard(unsigned int n)
{
	unsigned int i, done = 0;

	for (i = 0; i < n; i++) {
		struct ring_buffer_event *event;

		event = ring_buffer_lock_reserve(buffer, sizeof(struct payload));
		if (!event)
			continue;
		ring_buffer_discard_commit(buffer, event);
		done++;
	}
	return ring_buffer_entries(buffer) ? 0 : done;
}

/* Is it what write_events() wrote as event number @i? */
static bool is_event(struct ring_buffer_event *event, unsigned int i)
{
	struct payload *payload = ring_buffer_event_data(event);

	return payload->a == i;
}

static unsigned int consume(unsigned int n)
{
	struct ring_buffer_event *event;
	unsigned int done = 0;

	while ((event = ring_buffer_consume(buffer, 0, NULL, NULL))) {
		if (!is_event(event, done))
			break;
		done++;
	}
	return done;
}

static unsigned int iterate(unsigned int n)
{
	struct ring_buffer_iter *iter = ring_buffer_read_start(buffer, 0, GFP_KERNEL);
	struct ring_buffer_event *event;
	unsigned int done = 0;

	if (!iter)
		return 0;
	while ((event = ring_buffer_iter_peek(iter, NULL))) {
		if (!is_event(event, done))
			break;
		done++;
		ring_buffer_iter_advance(iter);
	}
	ring_buffer_read_finish(iter);
	return done;
}

static unsigned int take_pages(unsigned int n)
{
	unsigned long before = ring_buffer_entries(buffer);

	while (ring_buffer_read_page(buffer, page, PAGE_SIZE, 0, 0) >= 0)
		;
	return before - ring_buffer_entries(buffer);
}

static const struct ring_work {
	const char	*name;
	unsigned int	(*func)(unsigned int n);
	size_t		size;	/* of the buffer */
	bool		fill;	/* have events to read */
} ring_works[] = {
	{ "write",	write_events,		SZ_16M },
	{ "write-copy",	write_copies,		SZ_16M },
	{ "discard",	write_and_discard,	SZ_16M },
	{ "consume",	consume,		SZ_16M,		true },
	{ "iterate",	iterate,		SZ_16M,		true },
	{ "page",	take_pages,		SZ_16M,		true },
	/* as "write", in a buffer that is always full */
	{ "overwrite",	write_events,		SZ_64K },
};

/* steps.c counts the instructions from here on, */
static noinline __noclone void ring_work_begin(const char *name)
{
	asm volatile("" : : "r" (name) : "memory");
}

/* and ends here. */
static noinline __noclone void ring_work_end(void)
{
	barrier();
}

/*
 * The best of @rounds, in nanoseconds: of @events each, or -EIO if in one of them another
 * number was done.  Runs on CPU 0.
 */
static s64 ring_work_ns(const struct ring_work *work, unsigned int events, unsigned int rounds)
{
	s64 best = S64_MAX;

	buffer = ring_buffer_alloc(work->size, RB_FL_OVERWRITE);
	if (!buffer)
		return -ENOMEM;
	page = NULL;
	if (ring_buffer_alloc_read_page(buffer, 0, &page))
		best = -ENOMEM;
	while (best >= 0 && rounds--) {
		unsigned int done;
		ktime_t start;

		ring_buffer_reset(buffer);
		if (work->fill && write_events(events) != events)
			best = -EIO;
		start = ktime_get();
		ring_work_begin(work->name);
		done = work->func(events);
		ring_work_end();
		best = min(best, ktime_to_ns(ktime_sub(ktime_get(), start)));
		if (done != events)
			best = -EIO;
	}
	if (page)
		ring_buffer_free_read_page(buffer, 0, page);
	ring_buffer_free(buffer);
	return best;
}

#endif /* _RING_BUFFER_WORK_H */
