// SPDX-License-Identifier: GPL-2.0
/*
 * Everything at once, until it is enough: two CPUs write in tasks, interrupts and
 * NMIs, and come and go; one consumes by events and by pages, and sleeps; one iterates, and
 * reads the counters; one changes what can be changed.  Each event has the time at which it
 * was written.
 *
 * Rounds are of two kinds.  An exact one has sizes, mappings and modes changed, and
 * every event is read, or told as lost, in order; what the consumer is told in all is what
 * was overwritten or refused, no more and no less.  A rough one has resets, orders and
 * exchanges with another buffer, too; there each event that is read is one that was
 * written.
 */
#include <time.h>
#include <unistd.h>

#include "test.h"

#define WRITERS		2
#define LEVELS		3
#define LONGEST		200
#define ROUND_MS	1500
#define TELL_SECONDS	60
#define HOTPLUG_ODDS	300

struct item {
	u32	cpu;
	u32	level;
	u32	number;
	u32	length;
	u64	time;		/* 0: not told */
	u8	data[];
} __packed __aligned(4);

/* By CPU and level, so each has one writer. */
struct counts {
	unsigned long	written;
	unsigned long	refused;
	u32		number;
	u64		random;
};

static struct trace_buffer *buffer, *spare;
static struct counts counts[WRITERS][LEVELS];
static bool stop_writers, stop_readers, rough;
static unsigned long all_events;

/* The events that the consumer found, by CPU. */
static unsigned long found[WRITERS], lost[WRITERS];
static u32 next_number[WRITERS][LEVELS];

static u32 random_of(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

static unsigned int my_level(void)
{
	return in_nmi() ? 2 : shim_preempt_count & HARDIRQ_MASK ? 1 : 0;
}

/* Preemption is off, or this is an interrupt. */
static void write_one(void)
{
	unsigned int cpu = shim_cpu_id, level = my_level();
	struct counts *c = &counts[cpu][level];
	u32 what = random_of(&c->random), length = what % LONGEST, i;
	struct ring_buffer_event *event;
	struct item *item;

	/* Task level is entered by no other task. */
	event = ring_buffer_lock_reserve(buffer, sizeof(*item) + length);
	if (!event) {
		c->refused++;
		return;
	}
	item = ring_buffer_event_data(event);
	item->cpu = cpu;
	item->level = level;
	item->number = c->number;
	item->length = length;
	item->time = ring_buffer_event_time_stamp(buffer, event);
	for (i = 0; i < length; i++)
		item->data[i] = c->number * 31 + i;
	if (what >> 16 & 15) {
		c->number++;
		c->written++;
		ring_buffer_unlock_commit(buffer);
	} else {
		ring_buffer_discard_commit(buffer, event);
	}
}

static void hook(void)
{
	unsigned int n;

	if (shim_cpu_id >= WRITERS || READ_ONCE(stop_writers) ||
	    READ_ONCE(shim_dead) & BIT(shim_cpu_id))
		return;
	for (n = random_of(&counts[shim_cpu_id][my_level()].random) % 4; n; n--)
		write_one();
}

static void *writer(void *arg)
{
	u64 state = (long)arg + 1;
	unsigned int n;

	shim_become((long)arg);
	shim_ticks(150 + 13 * (long)arg, 190 + 17 * (long)arg);
	while (!READ_ONCE(stop_writers)) {
		for (n = 0; n < 64; n++) {
			preempt_disable_notrace();
			write_one();
			preempt_enable_notrace();
		}
		/* The CPU goes, and comes again.  It writes until it is dead. */
		if (!(random_of(&state) % HOTPLUG_ODDS)) {
			shim_leave((long)arg);
			shim_become((long)arg);
		}
	}
	/* Others may still call this CPU, or wait for what it has left to its next tick. */
	while (!READ_ONCE(stop_readers))
		shim_idle(1000);
	shim_no_ticks();
	return NULL;
}

/* Is this what was written at @ts?  In an exact round, in order as well. */
static void check(struct item *item, unsigned int length, u64 ts)
{
	u32 i;

	if (!CHECK(length >= sizeof(*item)) || !CHECK(item->cpu < WRITERS) ||
	    !CHECK(item->level < LEVELS) || !CHECK(item->length < LONGEST) ||
	    !CHECK(length >= sizeof(*item) + item->length))
		return;
	CHECK(!item->time || item->time == ts);
	for (i = 0; i < item->length; i++) {
		if (!CHECK(item->data[i] == (u8)(item->number * 31 + i)))
			return;
	}
	if (rough)
		return;
	CHECK((s32)(item->number - next_number[item->cpu][item->level]) >= 0);
	next_number[item->cpu][item->level] = item->number + 1;
	found[item->cpu]++;
}

static bool consume(int cpu)
{
	u64 copy[(sizeof(struct item) + LONGEST) / 8 + 2], ts;
	struct ring_buffer_event *event;
	unsigned long gap = 0;
	unsigned int length;

	if (rough) {
		length = ring_buffer_peek_copy(buffer, cpu, copy, sizeof(copy), &ts, &gap);
		if (length && CHECK(length <= sizeof(copy)))
			check((void *)copy, length, ts);
		return length && ring_buffer_consume_at(buffer, cpu, ts);
	}
	event = ring_buffer_consume(buffer, cpu, &ts, &gap);
	if (!event)
		return false;
	lost[cpu] += gap;
	check(ring_buffer_event_data(event), ring_buffer_event_length(event), ts);
	return true;
}

static bool consume_page(int cpu)
{
	struct buffer_data_read_page *read;
	struct buffer_data_page *page;
	unsigned int off, len, room;
	unsigned long commit;
	bool got;
	u64 ts;

	if (ring_buffer_alloc_read_page(buffer, cpu, &read))
		return false;
	got = !ring_buffer_read_page(buffer, read, ring_buffer_read_page_size(read), cpu, 0);
	if (got) {
		page = ring_buffer_read_page_data(read);
		room = ring_buffer_read_page_size(read) - RB_HDR;
		commit = local_read(&page->commit);
		len = commit & RB_COMMIT_MASK;
		if (commit & RB_MISSED_EVENTS) {
			unsigned long gap = 0;

			/* In an exact round the number has its place beside the events. */
			if (CHECK(commit & RB_MISSED_STORED) && CHECK(len + sizeof(gap) <= room))
				memcpy(&gap, &page->data[len], sizeof(gap));
			lost[cpu] += gap;
		}
		ts = page->time_stamp;
		for (off = 0; CHECK(len <= room) && off < len;) {
			struct ring_buffer_event *event = (void *)&page->data[off];

			ts = rb_stamp_after(event, ts);
			if (rb_is_data(event))
				check(ring_buffer_event_body(event),
				      ring_buffer_event_length(event), ts);
			off += rb_event_size(event);
		}
	}
	ring_buffer_free_read_page(buffer, cpu, read);
	return got;
}

static bool is_over(void *unused)
{
	return READ_ONCE(stop_readers);
}

static void *consumer(void *arg)
{
	u64 state = (long)arg * 77;
	unsigned int n;

	shim_become(WRITERS);
	shim_ticks(1000, 0);
	while (!READ_ONCE(stop_readers)) {
		u32 what = random_of(&state);
		int cpu = what % WRITERS;

		for (n = what >> 8 & 511; n; n--) {
			if (!(what >> 20 & 3 ? consume(cpu) : consume_page(cpu)))
				break;
		}
		if (n && !(what >> 17 & 7))
			ring_buffer_wait(buffer, what >> 22 & 1 ? cpu : RING_BUFFER_ALL_CPUS,
					 what >> 23 & 1 ? 50 : 0, is_over, NULL);
	}
	shim_no_ticks();
	return NULL;
}

/*
 * Events that the iterator does not find may have been consumed or lost, so the number of lost
 * events is of no use here; cases.c has iterators without a consumer.
 */
static void iterate(int cpu)
{
	struct ring_buffer_iter *iter = ring_buffer_read_start(buffer, cpu, GFP_KERNEL);
	struct ring_buffer_event *event;
	u32 last[LEVELS] = {};
	u64 ts, before = 0;

	while ((event = ring_buffer_iter_peek(iter, &ts))) {
		struct item *item = ring_buffer_event_data(event);
		unsigned int i;

		if (!CHECK(item->level < LEVELS) || !CHECK(item->length < LONGEST))
			break;
		for (i = 0; i < item->length; i++)
			CHECK(item->data[i] == (u8)(item->number * 31 + i));
		CHECK(!item->time || item->time == ts);
		if (!rough) {
			CHECK(ts >= before);
			CHECK(item->number >= last[item->level]);
		}
		last[item->level] = item->number;
		before = ts;
		ring_buffer_iter_advance(iter);
	}
	ring_buffer_read_finish(iter);
}

static void *iterator(void *arg)
{
	u64 state = (long)arg * 91;

	shim_become(WRITERS + 1);
	shim_ticks(1000, 0);
	while (!READ_ONCE(stop_readers)) {
		int cpu = random_of(&state) % WRITERS;

		if (random_of(&state) & 1)
			iterate(cpu);
		CHECK((long)ring_buffer_entries_cpu(buffer, cpu) >= 0);
		CHECK((long)ring_buffer_bytes_cpu(buffer, cpu) >= 0);
		ring_buffer_nr_dirty_pages(buffer, cpu);
		ring_buffer_oldest_event_ts(buffer, cpu);
		ring_buffer_overruns(buffer);
		shim_idle(random_of(&state) % 300);
	}
	shim_no_ticks();
	return NULL;
}

static void swap_here(void *info)
{
	int ret = ring_buffer_swap_cpu(buffer, spare, shim_cpu_id);

	CHECK(!ret || ret == -EBUSY || ret == -EAGAIN || ret == -EINVAL);
}

static void swap_on(int cpu)
{
	guard(cpus_read_lock)();
	smp_call_function_single(cpu, swap_here, NULL, true);
}

static void change_roughly(u64 *state)
{
	int cpu = random_of(state) % WRITERS, ret;

	switch (random_of(state) % 5) {
	case 0:
		ring_buffer_reset_cpu(random_of(state) & 1 ? buffer : spare, cpu);
		break;
	case 1:
		ret = ring_buffer_subbuf_order_set(buffer, random_of(state) % 3);
		CHECK(!ret || ret == -EBUSY);
		break;
	case 2:
		swap_on(cpu);
		break;
	case 3:
		ring_buffer_record_disable_cpu(spare, cpu);
		swap_on(cpu);
		ring_buffer_record_enable_cpu(spare, cpu);
		break;
	case 4:
		ret = ring_buffer_subbuf_order_set(spare, buffer->order);
		CHECK(!ret || ret == -EBUSY);
		break;
	}
}

static void map_for_a_while(u64 *state)
{
	struct vm_area_struct vma = { .vm_end = PAGE_SIZE, .vm_flags = VM_MAYSHARE };
	int cpu = random_of(state) % WRITERS, ret;

	vma.vm_end <<= READ_ONCE(buffer->order);
	ret = ring_buffer_map(buffer, cpu, &vma);
	CHECK(!ret || ret == -EBUSY || (rough && ret == -EINVAL));
	if (ret)
		return;
	shim_idle(random_of(state) % 2000);
	/* An exact round has one consumer, which is another. */
	if (rough)
		ring_buffer_map_get_reader(buffer, cpu);
	CHECK_EQ(ring_buffer_unmap(buffer, cpu), 0);
}

static void *changer(void *arg)
{
	u64 state = (long)arg * 13;

	shim_become(WRITERS + 2);
	shim_ticks(1000, 0);
	while (!READ_ONCE(stop_writers)) {
		unsigned long subs = 2 + random_of(&state) % 30;
		int ret;

		shim_idle(random_of(&state) % 3000);
		switch (random_of(&state) % 4) {
		case 0:
			ret = ring_buffer_resize(buffer, subs * (PAGE_SIZE - RB_HDR),
						 random_of(&state) & 1 ? RING_BUFFER_ALL_CPUS :
									(int)(subs % WRITERS));
			CHECK(!ret || ret == -EBUSY);
			break;
		case 1:
			map_for_a_while(&state);
			break;
		case 2:
			ring_buffer_change_overwrite(buffer, random_of(&state) & 1);
			ring_buffer_set_time_stamp_abs(buffer, random_of(&state) & 1);
			break;
		case 3:
			if (rough)
				change_roughly(&state);
			break;
		}
	}
	shim_no_ticks();
	return NULL;
}

/*
 * The last refused events are reported as lost before the next event. All is read, so there is
 * room for it.
 */
static void write_last(int cpu)
{
	struct item item = { .cpu = cpu, .number = counts[cpu][0].number };
	int was = shim_cpu_id;

	CHECK_EQ(trace_rb_cpu_prepare(cpu, &rb_object(buffer)->node), 0);
	shim_cpu_id = cpu;
	CHECK_EQ(ring_buffer_write(buffer, sizeof(item), &item), 0);
	shim_cpu_id = was;
	counts[cpu][0].written++;
}

/* All is at rest: the sums. */
static void settle(int cpu)
{
	unsigned long written = 0, refused = 0, overrun, dropped;
	unsigned int level;

	overrun = ring_buffer_overrun_cpu(buffer, cpu);
	dropped = ring_buffer_dropped_events_cpu(buffer, cpu) +
		  ring_buffer_commit_overrun_cpu(buffer, cpu);
	while (consume(cpu))
		;
	write_last(cpu);
	CHECK(consume(cpu));
	CHECK(!consume(cpu));
	for (level = 0; level < LEVELS; level++) {
		written += counts[cpu][level].written;
		refused += counts[cpu][level].refused;
	}
	all_events += written;
	if (rough)
		return;
	CHECK_EQ(found[cpu] + overrun, written);
	CHECK_EQ(dropped, refused);
	CHECK_EQ(lost[cpu], overrun + dropped);
	CHECK_EQ(ring_buffer_entries_cpu(buffer, cpu), 0);
	CHECK_EQ(ring_buffer_bytes_cpu(buffer, cpu), 0);
}

static void one_round(u32 seed)
{
	pthread_t threads[WRITERS + 3];
	unsigned int i, level;

	rough = seed & 1;
	buffer = test_buffer(2 + seed % 20, RB_FL_OVERWRITE);
	spare = test_buffer(2 + seed % 20, RB_FL_OVERWRITE);
	memset(counts, 0, sizeof(counts));
	memset(found, 0, sizeof(found));
	memset(lost, 0, sizeof(lost));
	memset(next_number, 0, sizeof(next_number));
	for (i = 0; i < WRITERS; i++) {
		for (level = 0; level < LEVELS; level++)
			counts[i][level].random = seed * 100 + i * 10 + level;
	}
	stop_writers = false;
	stop_readers = false;
	/* This thread sleeps from now on, and is no CPU meanwhile. */
	shim_leave(shim_cpu_id);
	for (i = 0; i < WRITERS; i++)
		pthread_create(&threads[i], NULL, writer, (void *)(long)i);
	usleep(1000);
	pthread_create(&threads[WRITERS], NULL, consumer, (void *)(long)seed);
	pthread_create(&threads[WRITERS + 1], NULL, iterator, (void *)(long)seed);
	pthread_create(&threads[WRITERS + 2], NULL, changer, (void *)(long)seed);
	usleep(ROUND_MS * 1000);
	WRITE_ONCE(stop_writers, true);
	pthread_join(threads[WRITERS + 2], NULL);
	WRITE_ONCE(stop_readers, true);
	for (i = 0; i < WRITERS; i++)
		ring_buffer_wake_waiters(buffer, i);
	ring_buffer_wake_waiters(buffer, RING_BUFFER_ALL_CPUS);
	for (i = 0; i < WRITERS + 2; i++)
		pthread_join(threads[i], NULL);
	shim_become(shim_cpu_id);
	for (i = 0; i < WRITERS + 3; i++)
		shim_leave(i);
	shim_drain();
	for (i = 0; i < WRITERS; i++)
		settle(i);
	ring_buffer_free(buffer);
	ring_buffer_free(spare);
}

/* For so many seconds and so many events, whichever comes last. */
int test_stress(u64 seed, unsigned int seconds, unsigned long events)
{
	time_t now = time(NULL), end = now + seconds, tell = now + TELL_SECONDS;
	unsigned int rounds = 0;

	shim_init(SHIM_CPUS);
	/* The one that looks on is not CPU 0. */
	shim_leave(0);
	shim_become(SHIM_CPUS - 1);
	shim_irq_hook = hook;
	shim_nmi_hook = hook;
	test_seed = seed;
	while ((now < end || all_events < events) && !test_failures && !shim_warnings) {
		u32 round = test_random();

		/* Longer than the longest sleep that is allowed. */
		alarm(60);

		/* Both kinds in turn. */
		one_round((round & ~1U) | (rounds++ & 1));
		now = time(NULL);
		if (now >= tell) {
			printf("stress: %u rounds, %lu of %lu events\n", rounds, all_events,
			       events);
			tell = now + TELL_SECONDS;
		}
	}
	printf("stress: %u rounds, %lu events, %.0f a second while written, %.1f ns each\n",
	       rounds, all_events, all_events * 1000.0 / (rounds * ROUND_MS),
	       (double)WRITERS * rounds * ROUND_MS * 1000000 / (all_events ?: 1));
	printf("stress: %d wrong, %d warnings\n", test_failures, shim_warnings);
	return test_failures || shim_warnings || all_events < events;
}
