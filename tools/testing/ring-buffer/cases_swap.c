// SPDX-License-Identifier: GPL-2.0
/*
 * An exchange of a CPU's buffers, and what comes at the same time.
 */
#include "cases.h"

static void swap_while_disabled(void)
{
	struct trace_buffer *a = test_buffer(8, RB_FL_OVERWRITE);
	struct trace_buffer *b = test_buffer(8, RB_FL_OVERWRITE);

	test_put(a, BYTES);
	ring_buffer_record_disable_cpu(a, 0);
	CHECK_EQ(ring_buffer_swap_cpu(a, b, 0), -EAGAIN);
	CHECK_EQ(ring_buffer_swap_cpu(b, a, 0), -EAGAIN);
	ring_buffer_record_enable_cpu(a, 0);
	CHECK_EQ(test_put(a, BYTES), 0);
	CHECK_EQ(test_put(b, BYTES), 0);
	CHECK_EQ(ring_buffer_swap_cpu(a, b, 0), 0);
	CHECK_EQ(ring_buffer_entries(b), 2);
	ring_buffer_free(a);
	ring_buffer_free(b);
}

static void swap_persistent(void)
{
	size_t range = 16 * PAGE_SIZE * SHIM_CPUS;
	void *memory = aligned_alloc(PAGE_SIZE, range);
	struct trace_buffer *a, *b;

	memset(memory, 0, range);
	a = ring_buffer_alloc_range(0, RB_FL_OVERWRITE, 0, (unsigned long)memory, range);
	b = test_buffer(cpu0(a)->nr, RB_FL_OVERWRITE);
	CHECK_EQ(cpu0(a)->nr, cpu0(b)->nr);
	CHECK_EQ(ring_buffer_swap_cpu(a, b, 0), -EINVAL);
	ring_buffer_free(a);
	ring_buffer_free(b);
	free(memory);
}

struct swap_race {
	struct trace_buffer	*a, *b;
	int			ready;
	void			(*on_cpu)(struct swap_race *race);
};

/* CPU 1: when it is called, something has just happened, and then comes the call. */
static void *swap_thread(void *arg)
{
	struct swap_race *race = arg;

	shim_become(1);
	local_irq_disable();
	smp_store_release(&race->ready, 1);
	while (!shim_call_pending())
		shim_wait();
	race->on_cpu(race);
	local_irq_enable();
	while (smp_load_acquire(&race->ready) != 2) {
		if (shim_call_pending())
			shim_interrupt();
		shim_wait();
	}
	return NULL;
}

static void swap_race_start(struct swap_race *race, pthread_t *thread,
			    void (*on_cpu)(struct swap_race *race))
{
	race->a = test_buffer(8, RB_FL_OVERWRITE);
	race->b = test_buffer(8, RB_FL_OVERWRITE);
	race->ready = 0;
	race->on_cpu = on_cpu;
	pthread_create(thread, NULL, swap_thread, race);
	while (!smp_load_acquire(&race->ready))
		shim_wait();
}

static void swap_race_end(struct swap_race *race, pthread_t thread)
{
	smp_store_release(&race->ready, 2);
	pthread_join(thread, NULL);
	ring_buffer_free(race->a);
	ring_buffer_free(race->b);
}

static void put_and_swap(struct swap_race *race)
{
	test_put(race->a, BYTES);
	test_put(race->b, BYTES);
	test_put(race->b, BYTES);
	CHECK_EQ(ring_buffer_swap_cpu(race->a, race->b, 1), 0);
}

/* A reset is of what @a has when it happens, and leaves alone what went to @b. */
static void swap_during_reset(void)
{
	struct swap_race race;
	pthread_t thread;

	swap_race_start(&race, &thread, put_and_swap);
	ring_buffer_reset_cpu(race.a, 1);
	CHECK_EQ(ring_buffer_entries_cpu(race.a, 1), 0);
	CHECK_EQ(ring_buffer_entries_cpu(race.b, 1), 1);
	swap_race_end(&race, thread);
}

static void try_swap(struct swap_race *race)
{
	CHECK_EQ(ring_buffer_swap_cpu(race->a, race->b, 1), -EBUSY);
}

/* A buffer that is being resized is not swapped. */
static void swap_during_resize(void)
{
	struct swap_race race;
	pthread_t thread;

	swap_race_start(&race, &thread, try_swap);
	CHECK_EQ(ring_buffer_resize(race.a, 4 * (PAGE_SIZE - RB_HDR), 1), 0);
	CHECK_EQ(rb_cpu_at(race.a, 1)->nr, 4);
	CHECK_EQ(rb_cpu_at(race.b, 1)->nr, 8);
	swap_race_end(&race, thread);
}

static struct trace_buffer *swapped[2];
static struct rb_cpu *swapped_cpu;

static int swap_here(void *unused)
{
	int ret = ring_buffer_swap_cpu(swapped[0], swapped[1], 1);

	return ret == -EBUSY ? -EINTR : ret;
}

static int swap_cpu0(void *unused)
{
	return ring_buffer_swap_cpu(swapped[0], swapped[1], 0) == -EBUSY ? -EINTR : 0;
}

static bool is_swapped(struct trace_buffer *buffer)
{
	return rb_cpu_at(buffer, 1) != swapped_cpu;
}

/* Each interrupt of the CPU comes in the midst of a write, until there are no more writes. */
static void swap_amid_each_write(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(swapped); i++)
		swapped[i] = test_buffer(8, RB_FL_OVERWRITE);
	swapped_cpu = rb_cpu_at(swapped[0], 1);
	trapped_begin(swapped[0], is_swapped);
	CHECK_EQ(ring_buffer_swap_call(swapped[0], swapped[1], 1, swap_here, NULL), 0);
	CHECK(is_swapped(swapped[0]));
	trapped_end();
	CHECK(ring_buffer_entries_cpu(swapped[1], 1));
	for (i = 0; i < ARRAY_SIZE(swapped); i++) {
		CHECK(!rb_cpu_disabled(rb_cpu_at(swapped[i], 1)));
		CHECK_EQ(put_on(1, swapped[i]), 0);
	}
	CHECK_EQ(ring_buffer_swap_call(swapped[0], swapped[1], 2, swap_here, NULL), -ENXIO);
	/* A writer that never ends. */
	CHECK(ring_buffer_lock_reserve(swapped[0], BYTES));
	shim_preempt_count = 0;
	CHECK_EQ(ring_buffer_swap_call(swapped[0], swapped[1], 0, swap_cpu0, NULL), -EBUSY);
	shim_preempt_count = 1;
	ring_buffer_unlock_commit(swapped[0]);
	for (i = 0; i < ARRAY_SIZE(swapped); i++) {
		CHECK_EQ(put_on(0, swapped[i]), 0);
		ring_buffer_free(swapped[i]);
	}
}

const struct test_case swap_cases[] = {
	{ "swap-amid-each-write", swap_amid_each_write },
	{ "swap-while-disabled", swap_while_disabled },
	{ "swap-persistent", swap_persistent },
	{ "swap-during-reset", swap_during_reset },
	{ "swap-during-resize", swap_during_resize },
	{}
};
