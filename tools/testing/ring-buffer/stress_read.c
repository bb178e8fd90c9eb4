// SPDX-License-Identifier: GPL-2.0
/*
 * The CPUs that read. One is the reader of the round: it consumes, reads in the mapped memory or
 * iterates, and finds each event, or is told of its loss. Another one looks at what is there,
 * beside it.
 */
#include <unistd.h>

#include "stress.h"

/**
 * struct place - where the reader is in a CPU's buffer
 * @next: number of the next event, by level
 * @time: of the event before
 * @iter: of an iterated round
 * @vma: of a mapped round
 * @id: which sub-buffer of the mapping was read last
 * @off: as far as it was read
 * @ts: the time there
 * @told: events lost before it, as far as they are counted
 */
struct place {
	u32			next[LEVELS];
	u64			time;
	struct ring_buffer_iter	*iter;
	struct vm_area_struct	vma;
	unsigned int		id;
	unsigned int		off;
	u64			ts;
	u64			told;
};

static struct place places[WRITERS];

/* Is this what a writer of @cpu has written at @ts? */
static bool item_is_right(struct item *item, unsigned int length, int cpu, u64 ts)
{
	u32 i;

	if (!CHECK(length >= sizeof(*item)) || !CHECK(item->cpu == cpu) ||
	    !CHECK(item->level < LEVELS) || !CHECK(item->length < LONGEST) ||
	    !CHECK(length >= sizeof(*item) + item->length))
		return false;
	CHECK(!item->time || item->time == ts);
	for (i = 0; i < item->length; i++) {
		if (!CHECK(item->data[i] == (u8)(item->number * 31 + i)))
			return false;
	}
	return true;
}

/* The reader has found an event. If the round is not rough, it comes in order. */
static void reader_found(struct item *item, unsigned int length, int cpu, u64 ts)
{
	struct place *place = &places[cpu];

	if (!item_is_right(item, length, cpu, ts) || stress_is_rough())
		return;
	CHECK((s32)(item->number - place->next[item->level]) >= 0);
	place->next[item->level] = item->number + 1;
	CHECK(stress_in_order(place->time, ts));
	place->time = ts;
	stress.found[cpu]++;
}

/* Losses are read beside the reader, by the one that looks. */
static void reader_lost(int cpu, unsigned long lost)
{
	WRITE_ONCE(stress.lost[cpu], stress.lost[cpu] + lost);
}

/* The data of a page from *@off to @len.  *@ts is the time there. */
static void reader_page(struct buffer_data_page *page, unsigned int *off, unsigned int len,
			int cpu, u64 *ts,
			void (*found)(struct item *item, unsigned int length, int cpu, u64 ts))
{
	while (*off < len) {
		struct ring_buffer_event *event = (void *)&page->data[*off];

		*ts = rb_stamp_after(event, *ts);
		if (rb_is_data(event))
			found(ring_buffer_event_body(event), ring_buffer_event_length(event),
			      cpu, *ts);
		*off += rb_event_size(event);
	}
	CHECK_EQ(*off, len);
}

static bool consume_event(int cpu)
{
	struct ring_buffer_event *event;
	unsigned long gap = 0;
	u64 ts;

	event = ring_buffer_consume(stress.buffer, cpu, &ts, &gap);
	if (!event)
		return false;
	reader_lost(cpu, gap);
	reader_found(ring_buffer_event_data(event), ring_buffer_event_length(event), cpu, ts);
	return true;
}

static bool consume_copy(int cpu)
{
	u64 copy[(sizeof(struct item) + LONGEST) / 8 + 2], ts;
	unsigned long gap = 0;
	unsigned int length;

	length = ring_buffer_peek_copy(stress.buffer, cpu, copy, sizeof(copy), &ts, &gap);
	if (length && CHECK(length <= sizeof(copy)))
		reader_found((void *)copy, length, cpu, ts);
	return length && ring_buffer_consume_at(stress.buffer, cpu, ts);
}

static bool consume_page(int cpu)
{
	struct buffer_data_read_page *read;
	struct buffer_data_page *page;
	unsigned int off = 0, len, room;
	unsigned long commit, gap = 0;
	bool got;
	u64 ts;

	if (ring_buffer_alloc_read_page(stress.buffer, cpu, &read))
		return false;
	got = !ring_buffer_read_page(stress.buffer, read, ring_buffer_read_page_size(read), cpu,
				     0);
	if (got) {
		page = ring_buffer_read_page_data(read);
		room = ring_buffer_read_page_size(read) - RB_HDR;
		commit = local_read(&page->commit);
		len = commit & RB_COMMIT_MASK;
		if (commit & RB_MISSED_EVENTS) {
			/* In an exact round the number has its place beside the events. */
			if (CHECK(commit & RB_MISSED_STORED) && CHECK(len + sizeof(gap) <= room))
				memcpy(&gap, &page->data[len], sizeof(gap));
			reader_lost(cpu, gap);
		}
		ts = page->time_stamp;
		if (CHECK(len <= room))
			reader_page(page, &off, len, cpu, &ts, reader_found);
	}
	ring_buffer_free_read_page(stress.buffer, cpu, read);
	return got;
}

/* Mapped memory, as a process sees it. */

static void place_map(int cpu)
{
	struct place *place = &places[cpu];
	struct trace_buffer_meta *meta;
	int ret;

	place->vma.vm_flags = VM_MAYSHARE;
	place->vma.vm_end = ring_buffer_size(stress.buffer, cpu) / (PAGE_SIZE - RB_HDR) + 2;
	place->vma.vm_end <<= PAGE_SHIFT;
	/* CPUs may come and go without a pause. */
	do {
		ret = ring_buffer_map(stress.buffer, cpu, &place->vma);
	} while (ret == -EBUSY);
	if (!CHECK_EQ(ret, 0))
		return;
	meta = (void *)place->vma.pages[0];
	place->id = meta->reader.id;
	place->off = meta->reader.read;
	CHECK_EQ(place->off, 0);
}

#ifndef __SANITIZE_THREAD__
static void item_is_there(struct item *item, unsigned int length, int cpu, u64 ts)
{
	item_is_right(item, length, cpu, ts);
}
#endif

/*
 * Events behind those that the kernel has handed out: the length in the page tells that they
 * are complete. The thread sanitizer knows no smp_wmb().
 */
static void place_look_ahead(struct place *place, struct buffer_data_page *page, int cpu)
{
#ifndef __SANITIZE_THREAD__
	unsigned int len = smp_load_acquire(&page->commit.a.counter) & RB_COMMIT_MASK;
	unsigned int off = place->off;
	u64 ts = place->ts;

	if (CHECK(len >= off) && CHECK(len <= PAGE_SIZE - RB_HDR))
		reader_page(page, &off, len, cpu, &ts, item_is_there);
#endif
}

static bool read_mapped(int cpu)
{
	struct place *place = &places[cpu];
	struct trace_buffer_meta *meta = (void *)place->vma.pages[0];
	struct buffer_data_page *page;
	unsigned int before;
	unsigned long gap;

	CHECK_EQ(ring_buffer_map_get_reader(stress.buffer, cpu), 0);
	if (!CHECK(meta->reader.id < meta->nr_subbufs))
		return false;
	page = (void *)place->vma.pages[1 + meta->reader.id];
	if (meta->reader.id != place->id || !place->ts) {
		place->id = meta->reader.id;
		place->off = 0;
		place->told = 0;
		place->ts = page->time_stamp;
	}
	CHECK(meta->reader.lost_events >= place->told);
	gap = meta->reader.lost_events - place->told;
	place->told = meta->reader.lost_events;
	reader_lost(cpu, gap);
	before = place->off;
	if (!CHECK(meta->reader.read >= before))
		return false;
	/* A number behind the events is that of the lost ones. */
	if (local_read(&page->commit) & RB_MISSED_STORED) {
		memcpy(&gap, &page->data[meta->reader.read], sizeof(gap));
		CHECK_EQ(gap, meta->reader.lost_events);
	}
	reader_page(page, &place->off, meta->reader.read, cpu, &place->ts, reader_found);
	place_look_ahead(place, page, cpu);
	return place->off != before;
}

/* One iterator goes on and on. */
static bool read_iterated(int cpu)
{
	struct ring_buffer_iter *iter = places[cpu].iter;
	struct ring_buffer_event *event = ring_buffer_iter_peek(iter, NULL);
	u64 ts, since;

	if (!event) {
		ring_buffer_iter_extend(iter);
		event = ring_buffer_iter_peek(iter, NULL);
	}
	if (!event)
		return false;
	CHECK(ring_buffer_iter_peek(iter, &ts) == event);
	reader_lost(cpu, ring_buffer_iter_lost(iter, &since));
	CHECK_EQ(since, places[cpu].time);
	reader_found(ring_buffer_event_data(event), ring_buffer_event_length(event), cpu, ts);
	ring_buffer_iter_advance(iter);
	return true;
}

/* One step of the reader.  Returns false if there was nothing. */
bool stress_read(int cpu)
{
	switch (stress.kind) {
	case STRESS_MAPPED:
		return read_mapped(cpu);
	case STRESS_ITERATED:
		return read_iterated(cpu);
	case STRESS_ROUGH:
		return consume_copy(cpu);
	default:
		return consume_event(cpu);
	}
}

/* Before the writers begin. */
void stress_read_begin(void)
{
	int cpu;

	memset(places, 0, sizeof(places));
	for (cpu = 0; cpu < WRITERS; cpu++) {
		if (stress.kind == STRESS_MAPPED)
			place_map(cpu);
		if (stress.kind == STRESS_ITERATED)
			places[cpu].iter = ring_buffer_read_start(stress.buffer, cpu, GFP_KERNEL);
	}
}

/* When all is read. */
void stress_read_end(void)
{
	int cpu;

	for (cpu = 0; cpu < WRITERS; cpu++) {
		if (stress.kind == STRESS_MAPPED)
			CHECK_EQ(ring_buffer_unmap(stress.buffer, cpu), 0);
		if (stress.kind == STRESS_ITERATED)
			ring_buffer_read_finish(places[cpu].iter);
	}
}

static bool reader_is_over(void *unused)
{
	return READ_ONCE(stress.stop_readers);
}

void *stress_reader(void *arg)
{
	bool pages = stress.kind == STRESS_EVENTS || stress_is_rough();
	u64 state = (long)arg * 77;
	unsigned int n;

	shim_become(WRITERS);
	shim_ticks(1000, 0);
	while (!READ_ONCE(stress.stop_readers)) {
		u32 what = stress_random(&state);
		int cpu = what % WRITERS;

		for (n = what >> 8 & 511; n; n--) {
			if (!(pages && !(what >> 20 & 3) ? consume_page(cpu) : stress_read(cpu)))
				break;
		}
		/* An iterator takes nothing away, so there is nothing to wait for. */
		if (n && !(what >> 17 & 7) && stress.kind != STRESS_ITERATED)
			ring_buffer_wait(stress.buffer,
					 what >> 22 & 1 ? cpu : RING_BUFFER_ALL_CPUS,
					 what >> 23 & 1 ? 50 : 0, reader_is_over, NULL);
	}
	shim_no_ticks();
	return NULL;
}

/* Events that were overwritten, or for which there was no place. */
static unsigned long look_for_losses(int cpu)
{
	return ring_buffer_overrun_cpu(stress.buffer, cpu) +
	       ring_buffer_dropped_events_cpu(stress.buffer, cpu) +
	       ring_buffer_commit_overrun_cpu(stress.buffer, cpu);
}

/*
 * Writers that have taken a sub-buffer, and have not counted yet what was in it: one at each
 * level, so they are so many events.
 */
#define UNCOUNTED	(LEVELS * (PAGE_SIZE / (sizeof(struct item) + RB_EVENT_HDR)))

/*
 * Events that the iterator does not find may have been consumed or lost. Each loss that
 * it is told of was one, and the reader had not been told of it when the iterator began.
 */
static void look_iterate(int cpu)
{
	unsigned long told = 0, before = 0;
	struct ring_buffer_event *event;
	struct ring_buffer_iter *iter;
	u32 last[LEVELS] = {};
	u64 ts, since, time = 0;

	/* Where nobody consumes, each iterator is told of all. */
	if (stress.kind != STRESS_ITERATED)
		before = READ_ONCE(stress.lost[cpu]);
	iter = ring_buffer_read_start(stress.buffer, cpu, GFP_KERNEL);
	while ((event = ring_buffer_iter_peek(iter, &ts))) {
		struct item *item = ring_buffer_event_data(event);

		if (!item_is_right(item, ring_buffer_event_length(event), cpu, ts))
			break;
		told += ring_buffer_iter_lost(iter, &since);
		if (!stress_is_rough()) {
			CHECK(stress_in_order(time, ts));
			CHECK(item->number >= last[item->level]);
		}
		last[item->level] = item->number;
		time = ts;
		ring_buffer_iter_advance(iter);
	}
	ring_buffer_read_finish(iter);
	if (!stress_is_rough())
		CHECK(told <= look_for_losses(cpu) + UNCOUNTED - before);
}

void *stress_looker(void *arg)
{
	u64 state = (long)arg * 91;

	shim_become(WRITERS + 1);
	shim_ticks(1000, 0);
	while (!READ_ONCE(stress.stop_readers)) {
		int cpu = stress_random(&state) % WRITERS;

		if (stress_random(&state) & 1)
			look_iterate(cpu);
		CHECK((long)ring_buffer_entries_cpu(stress.buffer, cpu) >= 0);
		CHECK((long)ring_buffer_bytes_cpu(stress.buffer, cpu) >= 0);
		ring_buffer_nr_dirty_pages(stress.buffer, cpu);
		ring_buffer_oldest_event_ts(stress.buffer, cpu);
		ring_buffer_overruns(stress.buffer);
		shim_idle(stress_random(&state) % 300);
	}
	shim_no_ticks();
	return NULL;
}
