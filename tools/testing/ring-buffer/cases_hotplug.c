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

/* Writers in interrupts and @buffer agree which CPUs are dead. */
static void dead_are(struct trace_buffer *buffer, unsigned long dead)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		CHECK_EQ(shim_dead >> cpu & 1, dead >> cpu & 1);
		CHECK_EQ(!!(rb_cpu_disabled(rb_cpu_at(buffer, cpu)) & RB_CPU_DEAD),
			 dead >> cpu & 1);
	}
}

/*
 * An interrupt that comes while a CPU waits for its turn to come up does not write: its events
 * would be refused, and not be counted.
 */
static void dead_until_up(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);

	dead_are(buffer, ~BIT(0));
	shim_become(1);
	dead_are(buffer, ~(BIT(0) | BIT(1)));
	shim_leave(1);
	dead_are(buffer, ~BIT(0));
	shim_cpu_id = 0;
	ring_buffer_free(buffer);
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

/* Two buffers of an instance, and what CPU 1 has written to each. */
struct pair {
	struct trace_buffer	*of[2];
	unsigned long		written[2], read[2];
};

/* Where CPU 1 is on its way, in the order in which it comes and goes. */
enum stage {
	STAGE_ONE_PREPARED, STAGE_PREPARED, STAGE_ONLINE, STAGE_TOLD, STAGE_OFFLINE,
	STAGE_ONE_DEAD, STAGE_DEAD, STAGES
};

static void stage_enter(struct pair *pair, enum stage stage)
{
	struct rb_object *a = rb_object(pair->of[0]), *b = rb_object(pair->of[1]);

	switch (stage) {
	case STAGE_ONE_PREPARED:
		CHECK_EQ(trace_rb_cpu_prepare(1, &a->node), 0);
		break;
	case STAGE_PREPARED:
		CHECK_EQ(trace_rb_cpu_prepare(1, &b->node), 0);
		break;
	case STAGE_ONLINE:
		__atomic_fetch_or(&shim_online, BIT(1), __ATOMIC_SEQ_CST);
		break;
	case STAGE_TOLD:
		CHECK_EQ(trace_rb_cpu_online(1, &a->online_node), 0);
		CHECK_EQ(trace_rb_cpu_online(1, &b->online_node), 0);
		break;
	case STAGE_OFFLINE:
		__atomic_fetch_and(&shim_online, ~BIT(1), __ATOMIC_SEQ_CST);
		break;
	case STAGE_ONE_DEAD:
		CHECK_EQ(trace_rb_cpu_dead(1, &a->node), 0);
		break;
	default:
		CHECK_EQ(trace_rb_cpu_dead(1, &b->node), 0);
		break;
	}
	shim_tick();
}

/* May CPU 1 write to buffer @i? */
static bool stage_writes(enum stage stage, unsigned int i)
{
	if (stage == STAGE_ONE_PREPARED)
		return i == 0;
	if (stage == STAGE_ONE_DEAD)
		return i == 1;
	return stage != STAGE_DEAD;
}

static unsigned int page_events(struct trace_buffer *buffer)
{
	unsigned long before = ring_buffer_entries_cpu(buffer, 1);
	struct buffer_data_read_page *page;

	if (!CHECK_EQ(ring_buffer_alloc_read_page(buffer, 1, &page), 0))
		return 0;
	CHECK_EQ(ring_buffer_read_page(buffer, page, ring_buffer_read_page_size(page), 1, 0) < 0,
		 !before);
	ring_buffer_free_read_page(buffer, 1, page);
	return before - ring_buffer_entries_cpu(buffer, 1);
}

/* Each reader finds what was written and not read. */
static void pair_read(struct pair *pair, unsigned int i)
{
	struct trace_buffer *buffer = pair->of[i];
	unsigned long entries = pair->written[i] - pair->read[i], n = 0;
	struct ring_buffer_iter *iter;

	CHECK_EQ(ring_buffer_entries_cpu(buffer, 1), entries);
	CHECK_EQ(ring_buffer_empty_cpu(buffer, 1), !entries);
	CHECK_EQ(!ring_buffer_peek(buffer, 1, NULL, NULL), !entries);
	iter = ring_buffer_read_start(buffer, 1, GFP_KERNEL);
	if (CHECK(iter)) {
		for (; ring_buffer_iter_peek(iter, NULL); n++)
			ring_buffer_iter_advance(iter);
		ring_buffer_read_finish(iter);
	}
	CHECK_EQ(n, entries);
	if (ring_buffer_consume(buffer, 1, NULL, NULL))
		pair->read[i]++;
	CHECK_EQ(pair->written[i] - pair->read[i], entries - !!entries);
	/* A reader does not find an event that another one has taken. */
	if (entries > 4)
		pair->read[i] += page_events(buffer);
	CHECK_EQ(ring_buffer_entries_cpu(buffer, 1), pair->written[i] - pair->read[i]);
	CHECK_EQ(ring_buffer_dropped_events_cpu(buffer, 1), 0);
}

/* Exchange the buffers of CPU 1, which does not write meanwhile. */
static void pair_swap(struct pair *pair, bool may)
{
	int ret = ring_buffer_swap_cpu(pair->of[0], pair->of[1], 1);

	if (!may) {
		CHECK(ret == -EAGAIN || ret == -EINVAL);
		return;
	}
	CHECK_EQ(ret, 0);
	ret = pair->written[0];
	pair->written[0] = pair->written[1];
	pair->written[1] = ret;
	ret = pair->read[0];
	pair->read[0] = pair->read[1];
	pair->read[1] = ret;
}

/* CPU 1 comes and goes, and at each stage there are writers, readers, switches and exchanges. */
static void pair_round(struct pair *pair)
{
	bool writes[2], known;
	enum stage stage;
	unsigned int i;

	for (stage = 0; stage < STAGES; stage++) {
		stage_enter(pair, stage);
		for (i = 0; i < 2; i++) {
			known = cpumask_test_cpu(1, rb_object(pair->of[i])->cpumask);
			writes[i] = stage_writes(stage, i);
			ring_buffer_record_disable_cpu(pair->of[i], 1);
			CHECK(!known || put_on(1, pair->of[i]));
			ring_buffer_record_enable_cpu(pair->of[i], 1);
			if (known && CHECK_EQ(!put_on(1, pair->of[i]), writes[i]))
				pair->written[i] += writes[i];
			if (known)
				pair_read(pair, i);
		}
		pair_swap(pair, writes[0] && writes[1]);
	}
}

static int change_all_sizes(struct change *change)
{
	return ring_buffer_resize(change->a, 4 * (PAGE_SIZE - RB_HDR), RING_BUFFER_ALL_CPUS);
}

static int change_order(struct change *change)
{
	return ring_buffer_subbuf_order_set(change->a, 1);
}

static int change_both_sizes(struct change *change)
{
	unsigned long size = 6 * (PAGE_SIZE - RB_HDR);

	return ring_buffer_resize(change->a, size, 1) ?: ring_buffer_resize(change->b, size, 1);
}

static int change_other_reset(struct change *change)
{
	ring_buffer_reset(change->b);
	return 0;
}

/* The number of events that CPU 1 has in the two buffers is known after each kind of change. */
static void each_stage(void)
{
	static const struct {
		int	(*func)(struct change *change);
		bool	empties[2], orders;
	} kinds[] = {
		{ change_size }, { change_all_sizes }, { change_map },
		{ change_reset, { true } }, { change_other_reset, { false, true } },
		{ change_order, { true }, true }, { change_both_orders, { true, true } },
	};
	unsigned int kind, i;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		struct pair pair = {};
		struct change change = {};

		shim_absent = BIT(1);
		for (i = 0; i < 2; i++)
			pair.of[i] = test_buffer(8, RB_FL_OVERWRITE);
		change.a = pair.of[0];
		change.b = pair.of[1];
		CHECK_EQ(ring_buffer_size(change.a, 1), 0);
		cpus_write_lock();
		pair_round(&pair);
		change_start(&change, kinds[kind].func);
		pair_round(&pair);
		CHECK(!smp_load_acquire(&change.done));
		cpus_write_unlock();
		change_end(&change);
		for (i = 0; i < 2; i++) {
			if (kinds[kind].empties[i])
				pair.written[i] = 0, pair.read[i] = 0;
		}
		/* Buffers that differ are not exchanged. */
		if (kinds[kind].orders || rb_cpu_at(change.a, 1)->nr != rb_cpu_at(change.b, 1)->nr)
			CHECK_EQ(change_both_sizes(&change), 0);
		if (!kinds[kind].orders) {
			cpus_write_lock();
			pair_round(&pair);
			cpus_write_unlock();
		}
		for (i = 0; i < 2; i++)
			ring_buffer_free(pair.of[i]);
	}
}

const struct test_case hotplug_cases[] = {
	{ "resize-while-coming-up", resize_while_coming_up },
	{ "reset-while-coming-up", reset_while_coming_up },
	{ "map-while-coming-up", map_while_coming_up },
	{ "both-while-coming-up", both_while_coming_up },
	{ "write-when-dead", write_when_dead },
	{ "dead-until-up", dead_until_up },
	{ "disabled-before-up", disabled_before_up },
	{ "each-stage", each_stage },
	{}
};
