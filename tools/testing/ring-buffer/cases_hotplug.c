// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that come and go. A change of a ring waits while a CPU does so, and holds nothing that
 * the CPU needs for it.
 */
#include <unistd.h>

#include "cases.h"

struct change {
	pthread_t		thread;
	struct trace_buffer	*a, *b;
	int			(*func)(struct change *change);
	int			ret;
	int			done;
};

static void *change_thread(void *arg)
{
	struct change *change = arg;

	shim_cpu_id = 2;
	change->ret = change->func(change);
	/* Run the work that this has queued. */
	shim_tick();
	smp_store_release(&change->done, 1);
	return NULL;
}

/* Begin what has to wait, and give it time to go wrong. */
static void change_start(struct change *change, int (*func)(struct change *change))
{
	change->func = func;
	change->done = 0;
	pthread_create(&change->thread, NULL, change_thread, change);
	usleep(20000);
	CHECK(!smp_load_acquire(&change->done));
}

static void change_end(struct change *change)
{
	while (!smp_load_acquire(&change->done))
		shim_idle(100);
	pthread_join(change->thread, NULL);
	CHECK_EQ(change->ret, 0);
}

static int change_size(struct change *change)
{
	return ring_buffer_resize(change->a, 4 * (PAGE_SIZE - RB_HDR), 1);
}

static int change_both_orders(struct change *change)
{
	return ring_buffer_subbuf_order_set_both(change->a, change->b, 1);
}

static int change_reset(struct change *change)
{
	ring_buffer_reset_cpu(change->a, 1);
	return 0;
}

static int change_map(struct change *change)
{
	struct vm_area_struct vma = { .vm_end = 8 * PAGE_SIZE, .vm_flags = VM_MAYSHARE };

	return ring_buffer_map(change->a, 1, &vma) ?: ring_buffer_unmap(change->a, 1);
}

/* CPU 1 comes up, writes, and dies again, beside @func. */
static void beside_hotplug(int (*func)(struct change *change), unsigned int entries)
{
	struct change change = { .a = test_buffer(8, RB_FL_OVERWRITE) };

	CHECK(!cpu_online(1));
	cpus_write_lock();
	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(change.a)->node), 0);
	change_start(&change, func);
	CHECK_EQ(rb_cpu_at(change.a, 1)->nr, 8);
	CHECK_EQ(put_on(1, change.a), 0);
	trace_rb_cpu_dead(1, &rb_object(change.a)->node);
	cpus_write_unlock();
	change_end(&change);
	CHECK_EQ(ring_buffer_entries_cpu(change.a, 1), entries);
	CHECK_EQ(ring_buffer_dropped_events_cpu(change.a, 1), 0);
	ring_buffer_free(change.a);
}

static void resize_while_coming_up(void)
{
	beside_hotplug(change_size, 1);
}

static void reset_while_coming_up(void)
{
	beside_hotplug(change_reset, 0);
}

static void map_while_coming_up(void)
{
	beside_hotplug(change_map, 1);
}

/* One of two buffers knows that the CPU comes, the other one does not yet. */
static void both_while_coming_up(void)
{
	struct change change = {
		.a = test_buffer(8, RB_FL_OVERWRITE), .b = test_buffer(8, RB_FL_OVERWRITE),
	};

	CHECK(!cpu_online(1));
	cpus_write_lock();
	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(change.b)->node), 0);
	change_start(&change, change_both_orders);
	/* It does not wait for the change. */
	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(change.a)->node), 0);
	CHECK(!smp_load_acquire(&change.done));
	cpus_write_unlock();
	change_end(&change);
	CHECK_EQ(ring_buffer_subbuf_order_get(change.a), 1);
	CHECK_EQ(ring_buffer_subbuf_order_get(change.b), 1);
	ring_buffer_free(change.a);
	ring_buffer_free(change.b);
}

/* A CPU that is dead may call some functions more: nothing is recorded, nor counted. */
static void write_when_dead(void)
{
	struct trace_buffer *a = test_buffer(8, RB_FL_OVERWRITE);
	struct trace_buffer *b = test_buffer(8, RB_FL_OVERWRITE);
	struct hlist_node *node = &rb_object(a)->node;
	unsigned int i;

	for (i = 1; i < 4; i++) {
		CHECK_EQ(trace_rb_cpu_prepare(1, node), 0);
		/* Twice is as once: a new buffer is prepared for CPUs that run. */
		CHECK_EQ(trace_rb_cpu_prepare(1, node), 0);
		CHECK_EQ(put_on(1, a), 0);
		trace_rb_cpu_dead(1, node);
		CHECK(put_on(1, a));
		CHECK_EQ(ring_buffer_entries_cpu(a, 1), i);
		CHECK_EQ(ring_buffer_dropped_events_cpu(a, 1), 0);
		CHECK_EQ(ring_buffer_swap_cpu(a, b, 1), -EAGAIN);
	}
	ring_buffer_reset_cpu(a, 1);
	CHECK(put_on(1, a));
	CHECK_EQ(ring_buffer_resize(a, 4 * (PAGE_SIZE - RB_HDR), 1), 0);
	CHECK(put_on(1, a));
	CHECK_EQ(trace_rb_cpu_prepare(1, node), 0);
	CHECK_EQ(put_on(1, a), 0);
	CHECK_EQ(ring_buffer_entries_cpu(a, 1), 1);
	ring_buffer_free(a);
	ring_buffer_free(b);
}

/* A CPU is forbidden to record before it has been up for the first time. */
static void disabled_before_up(void)
{
	struct trace_buffer *buffer;

	shim_absent = BIT(1) | BIT(2);
	buffer = test_buffer(8, RB_FL_OVERWRITE);
	CHECK_EQ(ring_buffer_size(buffer, 1), 0);
	ring_buffer_record_disable_cpu(buffer, 1);
	ring_buffer_record_disable_cpu(buffer, 1);
	ring_buffer_record_disable_cpu(buffer, 2);
	ring_buffer_record_enable_cpu(buffer, 1);
	ring_buffer_record_enable_cpu(buffer, 2);
	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(buffer)->node), 0);
	CHECK_EQ(trace_rb_cpu_prepare(2, &rb_object(buffer)->node), 0);
	shim_cpu_id = 1;
	CHECK(test_put(buffer, BYTES));
	ring_buffer_record_enable_cpu(buffer, 1);
	CHECK_EQ(test_put(buffer, BYTES), 0);
	ring_buffer_record_disable_cpu(buffer, 1);
	CHECK(test_put(buffer, BYTES));
	shim_cpu_id = 2;
	CHECK_EQ(test_put(buffer, BYTES), 0);
	shim_cpu_id = 0;
	CHECK_EQ(ring_buffer_entries_cpu(buffer, 1), 1);
	CHECK_EQ(ring_buffer_entries_cpu(buffer, 2), 1);
	ring_buffer_free(buffer);
}

const struct test_case hotplug_cases[] = {
	{ "resize-while-coming-up", resize_while_coming_up },
	{ "reset-while-coming-up", reset_while_coming_up },
	{ "map-while-coming-up", map_while_coming_up },
	{ "both-while-coming-up", both_while_coming_up },
	{ "write-when-dead", write_when_dead },
	{ "disabled-before-up", disabled_before_up },
	{}
};
