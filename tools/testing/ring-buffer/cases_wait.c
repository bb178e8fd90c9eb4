// SPDX-License-Identifier: GPL-2.0
/*
 * Waiters: events wake those that wait for them, and nothing else costs an interrupt.
 */
#include "cases.h"

/* A waiter is woken by the events that come after an event that went away. */

static void lost_wakeup(void (*vanish)(struct trace_buffer *buffer))
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	poll_table table, all;
	int i;

	shim_now = 1000;
	CHECK_EQ(ring_buffer_poll_wait(buffer, 0, NULL, &table, 0), 0);
	CHECK_EQ(ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, &all, 0), 0);
	shim_tick();
	shim_tick();
	vanish(buffer);
	for (i = 0; i < 3; i++)
		shim_tick();
	table.seq = table.wq->seq;
	all.seq = all.wq->seq;
	for (i = 0; i < 3; i++) {
		test_put(buffer, BYTES);
		shim_tick();
	}
	CHECK(table.wq->seq != table.seq);
	CHECK(all.wq->seq != all.seq);
	ring_buffer_free(buffer);
}

static void vanish_discarded(struct trace_buffer *buffer)
{
	ring_buffer_discard_commit(buffer, ring_buffer_lock_reserve(buffer, BYTES));
}

static void vanish_consumed(struct trace_buffer *buffer)
{
	test_put(buffer, BYTES);
	CHECK(ring_buffer_consume(buffer, 0, NULL, NULL));
}

static void vanish_reset(struct trace_buffer *buffer)
{
	test_put(buffer, BYTES);
	ring_buffer_reset(buffer);
}

static void wakeup_after_discard(void)
{
	lost_wakeup(vanish_discarded);
}

static void wakeup_after_consume(void)
{
	lost_wakeup(vanish_consumed);
}

static void wakeup_after_reset(void)
{
	lost_wakeup(vanish_reset);
}

/* A waiter that nothing comes for costs no interrupt after the next two. */
static void wait_is_idle(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	poll_table table;
	int i;

	ring_buffer_poll_wait(buffer, 0, NULL, &table, 0);
	ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, &table, 0);
	for (i = 0; i < 3; i++)
		shim_tick();
	CHECK(!trace_tick_call_is_busy(&rb_object(buffer)->cpu_wait[0].look));
	ring_buffer_free(buffer);
}

/* A share of the ring is there when the ring becomes smaller, and nothing else comes. */
static void wakeup_after_shrink(void)
{
	struct trace_buffer *buffer = test_buffer(30, 0);
	poll_table table;
	unsigned int i;

	for (i = 0; i < 10 * PER_SUB; i++)
		test_put(buffer, BYTES);
	CHECK_EQ(ring_buffer_poll_wait(buffer, 0, NULL, &table, 75), 0);
	shim_tick();
	CHECK_EQ(ring_buffer_resize(buffer, 11 * (PAGE_SIZE - RB_HDR), 0), 0);
	shim_tick();
	CHECK(table.wq->seq != table.seq);
	ring_buffer_free(buffer);
}

/* Two wait for different shares: the smaller one is there first, whoever came first. */
static void wakeup_of_smaller_share(void)
{
	struct trace_buffer *buffer = test_buffer(20, 0);
	poll_table large, small;
	unsigned int i;

	CHECK_EQ(ring_buffer_poll_wait(buffer, 0, NULL, &large, 75), 0);
	CHECK_EQ(ring_buffer_poll_wait(buffer, 0, NULL, &small, 25), 0);
	for (i = 0; i < 3; i++)
		shim_tick();
	small.seq = small.wq->seq;
	for (i = 0; i < 8 * PER_SUB; i++)
		test_put(buffer, BYTES);
	shim_tick();
	CHECK(small.wq->seq != small.seq);
	ring_buffer_free(buffer);
}

/* A task that waits for a CPU of a ring buffer goes on to wait for it after a swap. */
static void wakeup_after_swap(void)
{
	struct trace_buffer *a = test_buffer(8, RB_FL_OVERWRITE);
	struct trace_buffer *b = test_buffer(8, RB_FL_OVERWRITE);
	poll_table one, all, other;

	CHECK_EQ(ring_buffer_poll_wait(a, 0, NULL, &one, 0), 0);
	CHECK_EQ(ring_buffer_poll_wait(a, RING_BUFFER_ALL_CPUS, NULL, &all, 0), 0);
	CHECK_EQ(ring_buffer_poll_wait(b, 0, NULL, &other, 0), 0);
	shim_tick();
	CHECK_EQ(ring_buffer_swap_cpu(a, b, 0), 0);
	test_put(a, BYTES);
	shim_tick();
	CHECK(one.wq->seq != one.seq);
	CHECK(all.wq->seq != all.seq);
	CHECK(other.wq->seq == other.seq);
	ring_buffer_free(a);
	ring_buffer_free(b);
}

/*
 * A waiter for a CPU that is offline is woken by the events that the CPU writes when it comes
 * up.
 */
static void wakeup_while_coming_up(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	poll_table one, all;
	int i;

	CHECK(!cpu_online(1));
	CHECK_EQ(ring_buffer_poll_wait(buffer, 1, NULL, &one, 0), 0);
	CHECK_EQ(ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, &all, 0), 0);
	for (i = 0; i < 3; i++)
		shim_tick();
	one.seq = one.wq->seq;
	all.seq = all.wq->seq;
	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(buffer)->node), 0);
	CHECK_EQ(put_on(1, buffer), 0);
	shim_online |= BIT(1);
	for (i = 0; i < 6; i++) {
		CHECK_EQ(put_on(1, buffer), 0);
		tick_on(1);
	}
	CHECK(one.wq->seq != one.seq);
	CHECK(all.wq->seq != all.seq);
	ring_buffer_free(buffer);
}

/* As wakeup_while_coming_up(), with no event after the CPU is online. */
static void wakeup_when_online(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	poll_table one, all, share;
	unsigned int i;

	CHECK(!cpu_online(1));
	CHECK_EQ(ring_buffer_poll_wait(buffer, 1, NULL, &one, 0), 0);
	CHECK_EQ(ring_buffer_poll_wait(buffer, 1, NULL, &share, 50), 0);
	CHECK_EQ(ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, &all, 0), 0);
	for (i = 0; i < 3; i++)
		shim_tick();
	one.seq = one.wq->seq;
	all.seq = all.wq->seq;
	share.seq = share.wq->seq;
	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(buffer)->node), 0);
	for (i = 0; i < 6 * PER_SUB; i++)
		CHECK_EQ(put_on(1, buffer), 0);
	shim_online |= BIT(1);
	shim_cpu_id = 1;
	CHECK_EQ(trace_rb_cpu_online(1, &rb_object(buffer)->online_node), 0);
	shim_cpu_id = 0;
	tick_on(1);
	CHECK(one.wq->seq != one.seq);
	CHECK(all.wq->seq != all.seq);
	CHECK(share.wq->seq != share.seq);
	ring_buffer_free(buffer);
}

/*
 * CPU 1 stands still: it has written, or begun to wait, and runs no tick behind that. Events of
 * CPU 0 wake those who wait for all CPUs.
 */
static void wakeup_beside_still(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	poll_table written, waited;
	unsigned int i;

	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(buffer)->node), 0);
	shim_online |= BIT(1);
	CHECK_EQ(ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, &written, 0), 0);
	for (i = 0; i < 3; i++) {
		shim_tick();
		tick_on(1);
	}
	written.seq = written.wq->seq;
	CHECK_EQ(put_on(1, buffer), 0);
	test_put(buffer, BYTES);
	shim_tick();
	CHECK(written.wq->seq != written.seq);

	CHECK(ring_buffer_consume(buffer, 0, NULL, NULL));
	CHECK(ring_buffer_consume(buffer, 1, NULL, NULL));
	for (i = 0; i < 3; i++) {
		shim_tick();
		tick_on(1);
	}
	shim_cpu_id = 1;
	CHECK_EQ(ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, &waited, 0), 0);
	shim_cpu_id = 0;
	waited.seq = waited.wq->seq;
	test_put(buffer, BYTES);
	shim_tick();
	CHECK(waited.wq->seq != waited.seq);
	tick_on(1);
	ring_buffer_free(buffer);
}

/* A task of CPU 1 begins to wait for @cpu, and CPU 1 stands still since then. */
static struct trace_buffer *still_waits(int cpu, poll_table *table, int full)
{
	struct trace_buffer *buffer = test_buffer(30, 0);
	unsigned int i;

	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(buffer)->node), 0);
	CHECK_EQ(trace_rb_cpu_prepare(2, &rb_object(buffer)->node), 0);
	shim_online |= BIT(1);
	for (i = 0; full && i < 10 * PER_SUB; i++)
		test_put(buffer, BYTES);
	shim_cpu_id = 1;
	CHECK_EQ(ring_buffer_poll_wait(buffer, cpu, NULL, table, full), 0);
	shim_cpu_id = 0;
	return buffer;
}

static void still_ends(struct trace_buffer *buffer)
{
	tick_on(1);
	ring_buffer_free(buffer);
}

/* The last events of another CPU wake it. */
static void wakeup_beside_still_when_dead(void)
{
	poll_table table;
	struct trace_buffer *buffer = still_waits(2, &table, 0);

	CHECK_EQ(put_on(2, buffer), 0);
	trace_rb_cpu_dead(2, &rb_object(buffer)->node);
	shim_tick();
	CHECK(table.wq->seq != table.seq);
	still_ends(buffer);
}

/* A ring that has become smaller, and holds the share, wakes it. */
static void wakeup_beside_still_after_shrink(void)
{
	poll_table table;
	struct trace_buffer *buffer = still_waits(0, &table, 75);

	/* It has no thread that would answer the calls of the resize. */
	shim_online &= ~BIT(1);
	CHECK_EQ(ring_buffer_resize(buffer, 11 * (PAGE_SIZE - RB_HDR), 0), 0);
	shim_tick();
	CHECK(table.wq->seq != table.seq);
	still_ends(buffer);
}

/* The look of another task, for an event whose writer saw nobody wait, wakes it. */
static void wakeup_beside_still_waiter(void)
{
	poll_table table, again;
	struct trace_buffer *buffer = still_waits(0, &table, 0);

	CHECK_EQ(ring_buffer_poll_wait(buffer, 0, NULL, &again, 0), 0);
	cpu0(buffer)->w.wake = 0;
	test_put(buffer, BYTES);
	shim_tick();
	CHECK(again.wq->seq != again.seq);
	CHECK(table.wq->seq != table.seq);
	still_ends(buffer);
}

/* A CPU that goes while nobody waits queues nothing, so a buffer without an event may be freed. */
static void dead_without_waiters(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);

	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(buffer)->node), 0);
	trace_rb_cpu_dead(1, &rb_object(buffer)->node);
	CHECK(!trace_tick_call_is_busy(&rb_object(buffer)->cpu_wait[0].look));
	ring_buffer_free(buffer);
}

/*
 * Tasks of one CPU wait for others: the look once more is for each of them, whichever came first.
 */
static void wakeup_of_each_waiter(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	poll_table tables[4];
	int cpu, waits;

	for (cpu = 1; cpu < 4; cpu++)
		CHECK_EQ(trace_rb_cpu_prepare(cpu, &rb_object(buffer)->node), 0);
	for (waits = 1; waits < 4; waits++) {
		for (cpu = 1; cpu <= waits; cpu++)
			CHECK_EQ(ring_buffer_poll_wait(buffer, cpu, NULL, &tables[cpu], 0), 0);
		for (cpu = 1; cpu <= waits; cpu++) {
			rb_cpu_at(buffer, cpu)->w.wake = 0;
			CHECK_EQ(put_on(cpu, buffer), 0);
			tables[cpu].seq = tables[cpu].wq->seq;
		}
		shim_tick();
		for (cpu = 1; cpu <= waits; cpu++)
			CHECK(tables[cpu].wq->seq != tables[cpu].seq);
		ring_buffer_reset(buffer);
	}
	ring_buffer_free(buffer);
}

/* A CPU's first buffer: a waiter for all CPUs waits for this one, too. */
static void wakeup_by_new_cpu(void)
{
	struct trace_buffer *buffer;
	poll_table all;
	int i;

	shim_absent = BIT(1);
	buffer = test_buffer(8, RB_FL_OVERWRITE);
	CHECK_EQ(ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, &all, 0), 0);
	for (i = 0; i < 3; i++)
		shim_tick();
	all.seq = all.wq->seq;
	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(buffer)->node), 0);
	shim_online |= BIT(1);
	for (i = 0; i < 6; i++) {
		CHECK_EQ(put_on(1, buffer), 0);
		tick_on(1);
	}
	CHECK(all.wq->seq != all.seq);
	ring_buffer_free(buffer);
}

/*
 * Events that a CPU writes after it has been taken offline wake the waiters when the CPU is
 * dead.
 */
static void wakeup_when_dead(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	poll_table any, all, share;
	int i;

	CHECK(!cpu_online(1));
	CHECK_EQ(ring_buffer_poll_wait(buffer, 1, NULL, &any, 0), 0);
	CHECK_EQ(ring_buffer_poll_wait(buffer, 1, NULL, &share, 50), 0);
	CHECK_EQ(ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, &all, 0), 0);
	for (i = 0; i < 3; i++)
		shim_tick();
	any.seq = any.wq->seq;
	all.seq = all.wq->seq;
	share.seq = share.wq->seq;
	CHECK_EQ(trace_rb_cpu_prepare(1, &rb_object(buffer)->node), 0);
	shim_cpu_id = 1;
	for (i = 0; i < 6 * PER_SUB; i++)
		test_put(buffer, BYTES);
	shim_cpu_id = 0;
	trace_rb_cpu_dead(1, &rb_object(buffer)->node);
	shim_tick();
	CHECK(any.wq->seq != any.seq);
	CHECK(share.wq->seq != share.seq);
	CHECK(all.wq->seq != all.seq);
	ring_buffer_free(buffer);
}

/*
 * A writer queues an irq_work for a waiter. The functions that this calls may be traced. They
 * write nothing, in any context, and an NMI that comes in between does.
 */
static struct trace_buffer *queue_buffer;
static unsigned int queue_calls, queue_failed;

static void put_while_queueing(void)
{
	queue_calls++;
	queue_failed += !!test_put(queue_buffer, BYTES);
}

static void put_in_nmi_while_queueing(void)
{
	shim_preempt_count += NMI_OFFSET;
	put_while_queueing();
	shim_preempt_count -= NMI_OFFSET;
}

static void put_and_queue(unsigned int count, void (*hook)(void), unsigned int written)
{
	poll_table table;
	int i;

	queue_buffer = test_buffer(8, RB_FL_OVERWRITE);
	queue_calls = 0;
	queue_failed = 0;
	CHECK_EQ(ring_buffer_poll_wait(queue_buffer, 0, NULL, &table, 0), 0);
	for (i = 0; i < 3; i++)
		shim_tick();
	shim_queue_hook = hook;
	shim_preempt_count += count;
	CHECK_EQ(test_put(queue_buffer, BYTES), 0);
	shim_preempt_count -= count;
	shim_queue_hook = NULL;
	CHECK_EQ(queue_calls, 1);
	CHECK_EQ(queue_failed, 2 - written);
	CHECK_EQ(ring_buffer_entries(queue_buffer), written);
	CHECK_EQ(cpu0(queue_buffer)->w.context, 0);
	/* All is as before: the next event is written, and wakes. */
	CHECK_EQ(test_put(queue_buffer, BYTES), 0);
	table.seq = table.wq->seq;
	shim_tick();
	CHECK(table.wq->seq != table.seq);
	ring_buffer_free(queue_buffer);
}

static void queueing_writes_nothing(void)
{
	shim_now = 1000;
	put_and_queue(0, put_while_queueing, 1);
	put_and_queue(SOFTIRQ_OFFSET, put_while_queueing, 1);
	put_and_queue(HARDIRQ_OFFSET, put_while_queueing, 1);
	put_and_queue(NMI_OFFSET, put_while_queueing, 1);
	put_and_queue(0, put_in_nmi_while_queueing, 2);
	put_and_queue(HARDIRQ_OFFSET, put_in_nmi_while_queueing, 2);
}

/* The end of a ring buffer waits for a grace period, and not for one of each possible CPU. */
static void free_waits_once(void)
{
	struct trace_buffer *buffer = test_buffer(8, RB_FL_OVERWRITE);
	poll_table table;
	int before, one;

	ring_buffer_poll_wait(buffer, RING_BUFFER_ALL_CPUS, NULL, &table, 0);
	before = shim_grace_periods;
	ring_buffer_free(buffer);
	one = shim_grace_periods - before;
	CHECK(one > 0);
	CHECK(one < SHIM_CPUS);
}

/*
 * On PREEMPT_RT the irq_work that a writer queues is run by the CPU itself, also when it goes
 * offline, and not by a thread of it. That is an interrupt, so one is enough for many events.
 */
static void queued_once_and_hard(void)
{
	struct trace_buffer *buffer = test_buffer(30, RB_FL_OVERWRITE);
	poll_table any, share;
	unsigned int i;
	long before;

	CHECK_EQ(rb_object(buffer)->cpu_wait[0].look.work.hard, IS_ENABLED(CONFIG_PREEMPT_RT));
	CHECK_EQ(ring_buffer_poll_wait(buffer, 0, NULL, &any, 0), 0);
	CHECK_EQ(ring_buffer_poll_wait(buffer, 0, NULL, &share, 10), 0);
	for (i = 0; i < 3; i++)
		shim_tick();
	any.seq = any.wq->seq;
	share.seq = share.wq->seq;
	before = shim_works_queued;
	for (i = 0; i < 20 * PER_SUB; i++)
		test_put(buffer, BYTES);
	CHECK_EQ(shim_works_queued - before, 1);
	shim_tick();
	CHECK(any.wq->seq != any.seq);
	CHECK(share.wq->seq != share.seq);
	ring_buffer_free(buffer);
}

static struct trace_tick_call late_call;
static unsigned int late_asks;

/* CPU 1 is about to take the interrupt for the work that it queues. */
static void late_ask(struct irq_work *work)
{
	if (late_asks++)
		return;
	shim_cpu_id = 1;
	shim_irqs_off = true;
	trace_tick_call_queue(&late_call);
	shim_irqs_off = false;
	shim_cpu_id = 0;
}

static void late_interrupt(void)
{
	tick_on(1);
}

/*
 * The function is called when the end begins to wait. It asks to be called again, and the interrupt
 * for it comes late: nothing is left.
 */
static void end_of_late_call(void)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		return;
	late_asks = 0;
	trace_tick_call_init(&late_call, late_ask);
	trace_tick_call_queue(&late_call);
	shim_cancel_hook = shim_tick;
	shim_cancelled_hook = late_interrupt;
	trace_tick_call_end(&late_call);
	CHECK_EQ(late_asks, 1);
	CHECK(!trace_tick_call_is_busy(&late_call));
}

/* A call that was asked for, and ends before its tick, is none: nobody waits for it. */
static void end_before_tick(void)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		return;
	late_asks = 0;
	trace_tick_call_init(&late_call, late_ask);
	trace_tick_call_queue(&late_call);
	trace_tick_call_end(&late_call);
	CHECK(!trace_tick_call_is_busy(&late_call));
	shim_tick();
	CHECK_EQ(late_asks, 0);
}

const struct test_case wait_cases[] = {
	{ "dead-without-waiters", dead_without_waiters },
	{ "end-before-tick", end_before_tick },
	{ "end-of-late-call", end_of_late_call },
	{ "free-waits-once", free_waits_once },
	{ "queued-once-and-hard", queued_once_and_hard },
	{ "wakeup-after-discard", wakeup_after_discard },
	{ "wakeup-after-consume", wakeup_after_consume },
	{ "wakeup-after-reset", wakeup_after_reset },
	{ "wakeup-after-shrink", wakeup_after_shrink },
	{ "wakeup-of-smaller-share", wakeup_of_smaller_share },
	{ "wakeup-after-swap", wakeup_after_swap },
	{ "wakeup-when-dead", wakeup_when_dead },
	{ "wait-is-idle", wait_is_idle },
	{ "queueing-writes-nothing", queueing_writes_nothing },
	{ "wakeup-while-coming-up", wakeup_while_coming_up },
	{ "wakeup-when-online", wakeup_when_online },
	{ "wakeup-by-new-cpu", wakeup_by_new_cpu },
	{ "wakeup-beside-still", wakeup_beside_still },
	{ "wakeup-beside-still-when-dead", wakeup_beside_still_when_dead },
	{ "wakeup-beside-still-after-shrink", wakeup_beside_still_after_shrink },
	{ "wakeup-beside-still-waiter", wakeup_beside_still_waiter },
	{ "wakeup-of-each-waiter", wakeup_of_each_waiter },
	{}
};
