// SPDX-License-Identifier: GPL-2.0
/*
 * Everything at once, until it is enough: two CPUs write in tasks, interrupts and NMIs, and come
 * and go; one reads, and sleeps; one iterates, and reads the counters; one changes what can be
 * changed.  Each event has the time at which it was written, and clocks jump.
 *
 * In an exact round, sizes, mappings and modes change, and every event is read, or told as lost,
 * in order; what the reader is told in all is what was overwritten or refused, no more and no
 * less.  It consumes, reads in the mapped memory, or iterates.  In a rough round there are
 * resets, orders and exchanges with the other ring buffer of an instance, too; there each event
 * that is read is one that was written.
 */
#include <time.h>
#include <unistd.h>

#include "stress.h"

#define ROUND_MS	1200
#define TELL_SECONDS	60

struct stress stress;

static unsigned long all_events;

static void swap_here(void *info)
{
	int ret = ring_buffer_swap_cpu(stress.buffer, stress.spare, shim_cpu_id);

	CHECK(!ret || ret == -EBUSY || ret == -EAGAIN || ret == -EINVAL);
}

static void swap_on(int cpu)
{
	guard(cpus_read_lock)();
	trace_cpu_call(cpu, swap_here, NULL);
}

static void change_roughly(u64 *state)
{
	int cpu = stress_random(state) % WRITERS, ret;

	switch (stress_random(state) % 7) {
	case 0:
		ring_buffer_reset_cpu(stress_random(state) & 1 ? stress.buffer : stress.spare, cpu);
		break;
	case 1:
		ret = ring_buffer_subbuf_order_set(stress.buffer, stress_random(state) % 3);
		CHECK(!ret || ret == -EBUSY);
		break;
	case 2:
		swap_on(cpu);
		break;
	case 3:
		ring_buffer_record_disable_cpu(stress.spare, cpu);
		swap_on(cpu);
		ring_buffer_record_enable_cpu(stress.spare, cpu);
		break;
	case 4:
		ret = ring_buffer_subbuf_order_set(stress.spare, stress.buffer->order);
		CHECK(!ret || ret == -EBUSY);
		break;
	case 5:
		ret = ring_buffer_subbuf_order_set_both(stress.buffer, stress.spare,
							stress_random(state) % 3);
		CHECK(!ret || ret == -EBUSY || ret == -EINVAL);
		break;
	case 6:
		ret = ring_buffer_resize(stress.spare, ring_buffer_size(stress.buffer, cpu),
					 RING_BUFFER_ALL_CPUS);
		CHECK(!ret || ret == -EBUSY);
		break;
	}
}

static void map_for_a_while(u64 *state)
{
	struct vm_area_struct vma = { .vm_end = PAGE_SIZE, .vm_flags = VM_MAYSHARE };
	int cpu = stress_random(state) % WRITERS, ret;

	vma.vm_end <<= READ_ONCE(stress.buffer->order);
	ret = ring_buffer_map(stress.buffer, cpu, &vma);
	CHECK(!ret || ret == -EBUSY || (stress_is_rough() && ret == -EINVAL));
	if (ret)
		return;
	shim_idle(stress_random(state) % 2000);
	/* An exact round has one reader, which is another. */
	if (stress_is_rough())
		ring_buffer_map_get_reader(stress.buffer, cpu);
	CHECK_EQ(ring_buffer_unmap(stress.buffer, cpu), 0);
}

static void *changer(void *arg)
{
	u64 state = (long)arg * 13;

	shim_become(WRITERS + 2);
	shim_ticks(1000, 0);
	while (!READ_ONCE(stress.stop_writers)) {
		unsigned long subs = 2 + stress_random(&state) % 30;
		int ret;

		shim_idle(stress_random(&state) % 3000);
		switch (stress_random(&state) % 4) {
		case 0:
			ret = ring_buffer_resize(stress.buffer, subs * (PAGE_SIZE - RB_HDR),
						 stress_random(&state) & 1 ?
						 RING_BUFFER_ALL_CPUS : (int)(subs % WRITERS));
			CHECK(!ret || ret == -EBUSY);
			break;
		case 1:
			map_for_a_while(&state);
			break;
		case 2:
			ring_buffer_change_overwrite(stress.buffer, stress_random(&state) & 1);
			ring_buffer_set_time_stamp_abs(stress.buffer, stress_random(&state) & 1);
			break;
		case 3:
			if (stress_is_rough())
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
	struct item item = { .cpu = cpu, .number = stress.counts[cpu][0].number };
	int was = shim_cpu_id;

	CHECK_EQ(trace_rb_cpu_prepare(cpu, &rb_object(stress.buffer)->node), 0);
	shim_cpu_id = cpu;
	CHECK_EQ(ring_buffer_write(stress.buffer, sizeof(item), &item), 0);
	shim_cpu_id = was;
	stress.counts[cpu][0].written++;
}

/* All is at rest: the sums. */
static void settle(int cpu)
{
	unsigned long written = 0, refused = 0, overrun, dropped;
	unsigned int level;

	overrun = ring_buffer_overrun_cpu(stress.buffer, cpu);
	dropped = ring_buffer_dropped_events_cpu(stress.buffer, cpu) +
		  ring_buffer_commit_overrun_cpu(stress.buffer, cpu);
	while (stress_read(cpu))
		;
	/* Nobody has made room where all was iterated. */
	ring_buffer_change_overwrite(stress.buffer, true);
	write_last(cpu);
	CHECK(stress_read(cpu));
	CHECK(!stress_read(cpu));
	for (level = 0; level < LEVELS; level++) {
		written += stress.counts[cpu][level].written;
		refused += stress.counts[cpu][level].refused;
	}
	all_events += written;
	if (stress_is_rough())
		return;
	CHECK_EQ(stress.found[cpu] + stress.lost[cpu], written + refused);
	CHECK_EQ(dropped, refused);
	/* An event that an iterator has found may be overwritten afterwards. */
	if (stress.kind == STRESS_ITERATED)
		return;
	CHECK_EQ(stress.lost[cpu], overrun + dropped);
	CHECK_EQ(ring_buffer_entries_cpu(stress.buffer, cpu), 0);
	CHECK_EQ(ring_buffer_bytes_cpu(stress.buffer, cpu), 0);
}

static void one_round(u32 seed, enum stress_kind kind)
{
	pthread_t threads[WRITERS + 3];
	unsigned int i, level;

	stress.kind = kind;
	stress.buffer = test_buffer(2 + seed % 20, RB_FL_OVERWRITE);
	stress.spare = test_buffer(2 + seed % 20, RB_FL_OVERWRITE);
	memset(stress.counts, 0, sizeof(stress.counts));
	memset(stress.found, 0, sizeof(stress.found));
	memset(stress.lost, 0, sizeof(stress.lost));
	for (i = 0; i < WRITERS; i++) {
		for (level = 0; level < LEVELS; level++)
			stress.counts[i][level].random = seed * 100 + i * 10 + level;
	}
	stress.stop_writers = false;
	stress.stop_readers = false;
	stress_read_begin();
	/* This thread sleeps from now on, and is no CPU meanwhile. */
	shim_leave(shim_cpu_id);
	for (i = 0; i < WRITERS; i++)
		pthread_create(&threads[i], NULL, stress_writer, (void *)(long)i);
	usleep(1000);
	pthread_create(&threads[WRITERS], NULL, stress_reader, (void *)(long)seed);
	pthread_create(&threads[WRITERS + 1], NULL, stress_looker, (void *)(long)seed);
	pthread_create(&threads[WRITERS + 2], NULL, changer, (void *)(long)seed);
	usleep(ROUND_MS * 1000);
	WRITE_ONCE(stress.stop_writers, true);
	pthread_join(threads[WRITERS + 2], NULL);
	WRITE_ONCE(stress.stop_readers, true);
	for (i = 0; i < WRITERS; i++)
		ring_buffer_wake_waiters(stress.buffer, i);
	ring_buffer_wake_waiters(stress.buffer, RING_BUFFER_ALL_CPUS);
	for (i = 0; i < WRITERS + 2; i++)
		pthread_join(threads[i], NULL);
	shim_become(shim_cpu_id);
	for (i = 0; i < WRITERS + 3; i++)
		shim_leave(i);
	shim_drain();
	for (i = 0; i < WRITERS; i++)
		settle(i);
	stress_read_end();
	ring_buffer_free(stress.buffer);
	ring_buffer_free(stress.spare);
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
	shim_irq_hook = stress_write_hook;
	shim_nmi_hook = stress_write_hook;
	test_seed = seed;
	while ((now < end || all_events < events) && !test_failures && !shim_warnings) {
		/* Longer than the longest sleep that is allowed. */
		alarm(60);
		/* All kinds in turn. */
		one_round(test_random(), rounds++ % STRESS_KINDS);
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
