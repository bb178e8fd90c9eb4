// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the snapshot: which buffer has what, who may have it, what
 * memory it keeps. Each has an instance of its own.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/thread_info.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <linux/trace_clock.h>

#include "instance/buffers.h"
#include "instance/internal.h"
#include "instance/snapshot.h"
#include "instance/tracer.h"
#include "lib/one_cpu.h"

static int snapshot_test_init(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit-snapshot", NULL);

	KUNIT_ASSERT_NOT_NULL(test, tr);
	test->priv = tr;
	/* All is written and read on one CPU. */
	test_on_one_cpu(test);
	return 0;
}

static void snapshot_test_exit(struct kunit *test)
{
	struct trace_array *tr = test->priv;

	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
}

static void put(struct kunit *test, u32 value)
{
	struct trace_array *tr = test->priv;

	KUNIT_EXPECT_EQ(test, ring_buffer_write(tr->array_buffer.buffer, sizeof(value), &value),
			0);
}

/*
 * Consume a record of the trace or of the snapshot and return its number, or 0 if there is
 * none.
 */
static u32 next(struct array_buffer *from)
{
	struct ring_buffer_event *event;

	event = ring_buffer_consume(from->buffer, raw_smp_processor_id(), NULL, NULL);
	return event ? *(u32 *)ring_buffer_event_data(event) : 0;
}

static unsigned long size(struct array_buffer *from)
{
	return ring_buffer_size(from->buffer, raw_smp_processor_id());
}

static void take(struct kunit *test)
{
	struct trace_array *tr = test->priv;
	struct trace_buffer *main = tr->array_buffer.buffer, *snap = tr->snapshot.buffer;
	u64 begin = tr->array_buffer.time_start;

	KUNIT_EXPECT_LT(test, size(&tr->snapshot), size(&tr->array_buffer));
	put(test, 1);
	KUNIT_EXPECT_EQ(test, trace_snapshot_take_cpu(tr, RING_BUFFER_ALL_CPUS), 0);
	KUNIT_EXPECT_PTR_EQ(test, tr->snapshot.buffer, main);
	KUNIT_EXPECT_PTR_EQ(test, tr->array_buffer.buffer, snap);
	KUNIT_EXPECT_EQ(test, size(&tr->snapshot), size(&tr->array_buffer));
	put(test, 2);
	/* They change places again, and the trace goes on behind the earlier snapshot. */
	KUNIT_EXPECT_EQ(test, trace_snapshot_take_cpu(tr, RING_BUFFER_ALL_CPUS), 0);
	KUNIT_EXPECT_EQ(test, tr->array_buffer.cpu_start[raw_smp_processor_id()],
			tr->array_buffer.time_start);
	KUNIT_EXPECT_EQ(test, tr->array_buffer.time_start, begin);
	KUNIT_EXPECT_EQ(test, next(&tr->array_buffer), 1);
	KUNIT_EXPECT_EQ(test, next(&tr->array_buffer), 0);
	KUNIT_EXPECT_EQ(test, next(&tr->snapshot), 2);
	KUNIT_EXPECT_EQ(test, next(&tr->snapshot), 0);
}

static void memory(struct kunit *test)
{
	struct trace_array *tr = test->priv;
	unsigned long least = size(&tr->snapshot), full = size(&tr->array_buffer);
	struct ring_buffer_iter *iter;

	/* Needed by one while the user frees it: the records go, the memory stays. */
	KUNIT_ASSERT_EQ(test, trace_snapshot_get(tr), 0);
	KUNIT_EXPECT_EQ(test, size(&tr->snapshot), full);
	put(test, 1);
	trace_snapshot_take(tr);
	KUNIT_EXPECT_EQ(test, trace_snapshot_free(tr), 0);
	KUNIT_EXPECT_EQ(test, next(&tr->snapshot), 0);
	KUNIT_EXPECT_EQ(test, size(&tr->snapshot), full);

	/* Not needed, but read by one. */
	trace_snapshot_put(tr);
	iter = ring_buffer_read_start(tr->snapshot.buffer, raw_smp_processor_id(), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, iter);
	KUNIT_EXPECT_EQ(test, trace_snapshot_free(tr), 0);
	KUNIT_EXPECT_FALSE(test, trace_snapshot_is_allocated(tr));
	KUNIT_EXPECT_EQ(test, size(&tr->snapshot), full);
	ring_buffer_read_finish(iter);
	trace_second_buffer_reader_left(tr);
	KUNIT_EXPECT_EQ(test, size(&tr->snapshot), least);

	/* The trace keeps its size, and so does a snapshot taken later. */
	KUNIT_EXPECT_EQ(test, size(&tr->array_buffer), full);
	KUNIT_EXPECT_EQ(test, trace_array_resize(tr, 2 * full, RING_BUFFER_ALL_CPUS), 0);
	KUNIT_EXPECT_EQ(test, size(&tr->snapshot), least);
	KUNIT_EXPECT_EQ(test, trace_snapshot_take_cpu(tr, RING_BUFFER_ALL_CPUS), 0);
	KUNIT_EXPECT_EQ(test, size(&tr->snapshot), size(&tr->array_buffer));
	KUNIT_EXPECT_EQ(test, trace_array_resize(tr, full, RING_BUFFER_ALL_CPUS), 0);
	KUNIT_EXPECT_EQ(test, size(&tr->snapshot), size(&tr->array_buffer));
}

/* Without memory for it, the trace stops and keeps what it has. */
static void not_allocated(struct kunit *test)
{
	struct trace_array *tr = test->priv;
	struct trace_buffer *main = tr->array_buffer.buffer;

	put(test, 1);
	trace_snapshot_take(tr);
	KUNIT_EXPECT_FALSE(test, trace_array_is_on(tr));
	KUNIT_EXPECT_PTR_EQ(test, tr->array_buffer.buffer, main);
	KUNIT_EXPECT_EQ(test, next(&tr->array_buffer), 1);
}

/* Stop and off apply to the instance: an exchange of the buffers does not change them. */
static void switches(struct kunit *test)
{
	struct trace_array *tr = test->priv;
	int i;

	KUNIT_ASSERT_EQ(test, trace_snapshot_get(tr), 0);
	trace_array_stop(tr);
	for (i = 0; i < 2; i++) {
		trace_snapshot_take(tr);
		trace_array_off(tr);
		trace_snapshot_take(tr);
		KUNIT_EXPECT_FALSE(test, trace_array_is_on(tr));
		trace_snapshot_take(tr);
		KUNIT_EXPECT_FALSE(test, trace_array_is_on(tr));
		trace_array_on(tr);
		trace_snapshot_take(tr);
		KUNIT_EXPECT_FALSE(test, ring_buffer_record_is_on(tr->array_buffer.buffer));
	}
	trace_array_start(tr);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_TRUE(test, ring_buffer_record_is_on(tr->array_buffer.buffer));
		trace_snapshot_take(tr);
	}
	trace_snapshot_put(tr);
}

/* The condition of the tests: data above the best so far. */
static bool is_better(struct trace_array *tr, void *cond_data)
{
	u32 *best = tracing_cond_snapshot_data(tr);
	u32 value = *(u32 *)cond_data;

	if (value <= *best)
		return false;
	*best = value;
	return true;
}

static void condition(struct kunit *test)
{
	static const u32 values[] = { 5, 3, 9, 9, 7 };
	struct trace_array *tr = test->priv;
	u32 best = 0;
	int i;

	KUNIT_EXPECT_EQ(test, tracing_snapshot_cond_disable(tr), -EINVAL);
	KUNIT_EXPECT_NULL(test, tracing_cond_snapshot_data(tr));
	KUNIT_ASSERT_EQ(test, tracing_snapshot_cond_enable(tr, &best, is_better), 0);
	KUNIT_EXPECT_PTR_EQ(test, tracing_cond_snapshot_data(tr), (void *)&best);
	KUNIT_EXPECT_EQ(test, tracing_snapshot_cond_enable(tr, &best, is_better), -EBUSY);
	KUNIT_EXPECT_EQ(test, trace_snapshot_take_cpu(tr, RING_BUFFER_ALL_CPUS), -EBUSY);
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		ring_buffer_reset(tr->array_buffer.buffer);
		put(test, values[i]);
		tracing_snapshot_cond(tr, (void *)&values[i]);
	}
	KUNIT_EXPECT_EQ(test, best, 9);
	KUNIT_EXPECT_EQ(test, next(&tr->snapshot), 9);
	KUNIT_EXPECT_EQ(test, next(&tr->snapshot), 0);
	KUNIT_EXPECT_EQ(test, tracing_snapshot_cond_disable(tr), 0);
	KUNIT_EXPECT_EQ(test, tr->exchange.users, 0);
	KUNIT_EXPECT_EQ(test, trace_snapshot_take_cpu(tr, RING_BUFFER_ALL_CPUS), 0);
}

/* A tracer that keeps its maximum has the snapshot to itself. */
static void maximum(struct kunit *test)
{
	struct trace_array *tr = test->priv;
	unsigned long least = size(&tr->snapshot), flags;

	KUNIT_ASSERT_EQ(test, trace_snapshot_get(tr), 0);
	KUNIT_EXPECT_EQ(test, trace_snapshot_get_max(tr), -EBUSY);
	trace_snapshot_put(tr);
	KUNIT_ASSERT_EQ(test, trace_snapshot_get_max(tr), 0);
	KUNIT_EXPECT_EQ(test, trace_snapshot_get(tr), -EBUSY);
	KUNIT_EXPECT_EQ(test, trace_snapshot_take_cpu(tr, RING_BUFFER_ALL_CPUS), -EBUSY);
	KUNIT_EXPECT_EQ(test, trace_snapshot_free(tr), -EBUSY);
	KUNIT_EXPECT_EQ(test, trace_snapshot_clear(tr, RING_BUFFER_ALL_CPUS), -EBUSY);
	put(test, 1);
	local_irq_save(flags);
	KUNIT_EXPECT_EQ(test, trace_snapshot_max(tr, false), 0);
	local_irq_restore(flags);
	put(test, 2);
	KUNIT_EXPECT_EQ(test, next(&tr->snapshot), 1);
	/* Somebody else's snapshot is not taken. */
	trace_snapshot_take(tr);
	KUNIT_EXPECT_EQ(test, next(&tr->array_buffer), 2);
	if (IS_ENABLED(CONFIG_RING_BUFFER_ALLOW_SWAP)) {
		ring_buffer_reset(tr->array_buffer.buffer);
		put(test, 3);
		local_irq_save(flags);
		KUNIT_EXPECT_EQ(test, trace_snapshot_max(tr, true), 0);
		local_irq_restore(flags);
		KUNIT_EXPECT_EQ(test, next(&tr->snapshot), 3);
	}
	trace_snapshot_put_max(tr);
	KUNIT_EXPECT_EQ(test, size(&tr->snapshot), least);
	KUNIT_EXPECT_EQ(test, next(&tr->snapshot), 0);
}

/* While a buffer is mapped, an exchange of the buffers is refused. */
static void pinned(struct kunit *test)
{
	struct trace_array *tr = test->priv;
	struct trace_buffer *main = tr->array_buffer.buffer;

	KUNIT_ASSERT_EQ(test, trace_snapshot_get(tr), 0);
	KUNIT_EXPECT_EQ(test, trace_buffers_pin(tr), -EBUSY);
	trace_snapshot_put(tr);
	KUNIT_EXPECT_EQ(test, trace_buffers_pin(tr), 0);
	KUNIT_EXPECT_EQ(test, trace_buffers_pin(tr), 0);
	KUNIT_EXPECT_EQ(test, trace_snapshot_get(tr), -EBUSY);
	KUNIT_EXPECT_EQ(test, trace_snapshot_take_cpu(tr, RING_BUFFER_ALL_CPUS), -EBUSY);
	trace_buffers_unpin(tr);
	trace_snapshot_take(tr);
	KUNIT_EXPECT_PTR_EQ(test, tr->array_buffer.buffer, main);
	KUNIT_EXPECT_TRUE(test, trace_array_is_on(tr));
	trace_buffers_unpin(tr);
	trace_snapshot_take(tr);
	KUNIT_EXPECT_PTR_EQ(test, tr->snapshot.buffer, main);
}

static void one_cpu(struct kunit *test)
{
	struct trace_array *tr = test->priv;
	int cpu = raw_smp_processor_id();

	put(test, 1);
	if (!IS_ENABLED(CONFIG_TRACER_SNAPSHOT_PER_CPU_SWAP)) {
		KUNIT_EXPECT_EQ(test, trace_snapshot_take_cpu(tr, cpu), -EINVAL);
		KUNIT_EXPECT_FALSE(test, trace_snapshot_is_allocated(tr));
		return;
	}
	KUNIT_EXPECT_EQ(test, trace_snapshot_take_cpu(tr, cpu), 0);
	KUNIT_EXPECT_EQ(test, next(&tr->array_buffer), 0);
	KUNIT_EXPECT_EQ(test, next(&tr->snapshot), 1);
}

static DECLARE_COMPLETION(taker_runs);

/* Takes snapshots as fast as it can, while others work on the buffers. */
static int take_often(void *data)
{
	struct trace_array *tr = data;

	complete(&taker_runs);
	while (!kthread_should_stop()) {
		trace_snapshot_take(tr);
		cond_resched();
	}
	return 0;
}

static void expect_sound(struct kunit *test, unsigned long full)
{
	struct trace_array *tr = test->priv;
	struct trace_buffer **buffer;

	KUNIT_EXPECT_EQ(test, size(&tr->array_buffer), full);
	KUNIT_EXPECT_EQ(test, size(&tr->snapshot), full);
	for_each_trace_buffer(tr, buffer)
		KUNIT_EXPECT_TRUE(test, ring_buffer_record_is_on(*buffer));
}

/* A snapshot between the steps of a reset or of a resize spoils none of them. */
static void at_any_time(struct kunit *test)
{
	struct trace_array *tr = test->priv;
	unsigned long full = size(&tr->array_buffer);
	struct task_struct *taker;
	int i;

	KUNIT_ASSERT_EQ(test, trace_snapshot_get(tr), 0);
	taker = kthread_run(take_often, tr, "kunit-snapshot");
	KUNIT_ASSERT_FALSE(test, IS_ERR(taker));
	wait_for_completion(&taker_runs);
	for (i = 0; i < 20; i++) {
		cond_resched();
		trace_array_reset(tr);
		trace_array_reset_cpu(tr, raw_smp_processor_id());
		KUNIT_EXPECT_EQ(test, trace_array_resize(tr, i & 1 ? full : full / 2,
							 RING_BUFFER_ALL_CPUS), 0);
	}
	KUNIT_EXPECT_EQ(test, kthread_stop(taker), 0);
	expect_sound(test, full);
	trace_snapshot_put(tr);
}

/* A size of sub-buffers that is refused changes neither buffer. */
static void order_refused(struct kunit *test)
{
	struct trace_array *tr = test->priv;
	struct trace_buffer **buffer;
	struct ring_buffer_iter *iter;

	KUNIT_ASSERT_EQ(test, trace_snapshot_get(tr), 0);
	put(test, 1);
	iter = ring_buffer_read_start(tr->snapshot.buffer, raw_smp_processor_id(), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, iter);
	KUNIT_EXPECT_EQ(test, trace_array_set_order(tr, 1), -EBUSY);
	for_each_trace_buffer(tr, buffer)
		KUNIT_EXPECT_EQ(test, ring_buffer_subbuf_order_get(*buffer), 0);
	ring_buffer_read_finish(iter);
	trace_snapshot_take(tr);
	KUNIT_EXPECT_EQ(test, next(&tr->snapshot), 1);
	KUNIT_EXPECT_EQ(test, trace_array_set_order(tr, 1), 0);
	for_each_trace_buffer(tr, buffer)
		KUNIT_EXPECT_EQ(test, ring_buffer_subbuf_order_get(*buffer), 1);
	KUNIT_EXPECT_EQ(test, size(&tr->snapshot), size(&tr->array_buffer));

	/* Nobody needs snapshots: their buffer shrinks when its reader has gone. */
	trace_snapshot_put(tr);
	iter = ring_buffer_read_start(tr->snapshot.buffer, raw_smp_processor_id(), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, iter);
	KUNIT_EXPECT_EQ(test, trace_array_set_order(tr, 0), 0);
	KUNIT_EXPECT_FALSE(test, trace_snapshot_is_allocated(tr));
	KUNIT_EXPECT_EQ(test, ring_buffer_subbuf_order_get(tr->array_buffer.buffer), 0);
	ring_buffer_read_finish(iter);
	trace_second_buffer_reader_left(tr);
	KUNIT_EXPECT_EQ(test, trace_snapshot_get(tr), 0);
	KUNIT_EXPECT_EQ(test, ring_buffer_subbuf_order_get(tr->snapshot.buffer), 0);
	trace_snapshot_put(tr);
}

/* A tracer's maximum goes with its clock: its buffer records next, by the new one. */
static void maximum_and_clock(struct kunit *test)
{
	struct trace_array *tr = test->priv;
	int cpu = raw_smp_processor_id();
	u64 ts = 0;

	KUNIT_ASSERT_EQ(test, trace_snapshot_get_max(tr), 0);
	put(test, 1);
	scoped_guard(irq)
		KUNIT_EXPECT_EQ(test, trace_snapshot_max(tr, false), 0);
	KUNIT_EXPECT_EQ(test, trace_array_set_clock(tr, "counter"), 0);
	scoped_guard(irq)
		KUNIT_EXPECT_EQ(test, trace_snapshot_max(tr, false), 0);
	put(test, 2);
	KUNIT_EXPECT_NOT_NULL(test, ring_buffer_peek(tr->array_buffer.buffer, cpu, &ts, NULL));
	KUNIT_EXPECT_LT(test, ts, trace_clock_counter());
	KUNIT_EXPECT_EQ(test, next(&tr->array_buffer), 2);
	trace_snapshot_put_max(tr);
}

static struct trace_array *clock_tr;
static bool clock_asked;

/* The buffers' clock: somebody takes a snapshot whenever the time is read. */
static u64 clock_takes(void)
{
	if (!clock_asked) {
		clock_asked = true;
		trace_snapshot_take(clock_tr);
		clock_asked = false;
	}
	return trace_clock_local();
}

static void set_clock(struct trace_array *tr, u64 (*clock)(void))
{
	struct trace_buffer **buffer;

	clock_tr = tr;
	for_each_trace_buffer(tr, buffer)
		ring_buffer_set_clock(*buffer, clock);
}

/*
 * Emptying the trace reads the time while recording is disabled in one of the
 * buffers: a snapshot is refused then, and that buffer is the one that is enabled
 * again.
 */
static void while_emptied(struct kunit *test)
{
	struct trace_array *tr = test->priv;
	struct trace_buffer **buffer, *first = tr->array_buffer.buffer;

	KUNIT_ASSERT_EQ(test, trace_snapshot_get(tr), 0);
	set_clock(tr, clock_takes);
	for (int i = 0; i < 3; i++) {
		switch (i) {
		case 0:
			trace_array_reset(tr);
			break;
		case 1:
			trace_array_clear(tr);
			break;
		case 2:
			trace_array_clear_all(tr);
			break;
		}
		KUNIT_EXPECT_PTR_EQ_MSG(test, tr->array_buffer.buffer, first, "%d", i);
		for_each_trace_buffer(tr, buffer)
			KUNIT_EXPECT_TRUE_MSG(test, ring_buffer_record_is_on(*buffer), "%d", i);
	}
	set_clock(tr, trace_clock_local);
	put(test, 1);
	KUNIT_EXPECT_EQ(test, next(&tr->array_buffer), 1);
	trace_snapshot_put(tr);
}

/* A writer on another CPU, for as long as the test likes, and ten seconds at most. */
struct long_writer {
	struct task_struct	*task;
	bool			began;
	bool			may_end;
	bool			ended;
};

static int long_writer_fn(void *data)
{
	u64 end = ktime_get_mono_fast_ns() + 10 * (u64)NSEC_PER_SEC;
	struct long_writer *writer = data;

	guard(preempt)();
	WRITE_ONCE(writer->began, true);
	while (!READ_ONCE(writer->may_end) && ktime_get_mono_fast_ns() < end)
		cpu_relax();
	WRITE_ONCE(writer->ended, true);
	return 0;
}

static void long_writer_begin(struct kunit *test, struct long_writer *writer, int cpu)
{
	*writer = (struct long_writer){};
	writer->task = kthread_create(long_writer_fn, writer, "kunit_writer");
	KUNIT_ASSERT_FALSE(test, IS_ERR(writer->task));
	get_task_struct(writer->task);
	kthread_bind(writer->task, cpu);
	wake_up_process(writer->task);
	while (!READ_ONCE(writer->began))
		cond_resched();
}

static void long_writer_end(struct long_writer *writer)
{
	WRITE_ONCE(writer->may_end, true);
	kthread_stop_put(writer->task);
}

/*
 * A task that is killed need not wait for writers. The records go all the same, recording is
 * enabled again, and the instance is free.
 */
static void while_killed(struct kunit *test)
{
	int other = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	struct trace_array *tr = test->priv;
	int refs = READ_ONCE(tr->ref);
	struct trace_buffer **buffer;
	struct long_writer writer;

	for (int i = 0; i < 2; i++) {
		put(test, 1);
		if (other < nr_cpu_ids)
			long_writer_begin(test, &writer, other);
		sigaddset(&current->pending.signal, SIGKILL);
		set_thread_flag(TIF_SIGPENDING);
		if (i)
			KUNIT_EXPECT_EQ(test, trace_array_reset_cpu(tr, raw_smp_processor_id()), 0);
		else
			trace_array_reset(tr);
		sigdelset(&current->pending.signal, SIGKILL);
		clear_thread_flag(TIF_SIGPENDING);
		if (other < nr_cpu_ids) {
			KUNIT_EXPECT_FALSE_MSG(test, READ_ONCE(writer.ended), "%d", i);
			long_writer_end(&writer);
		}
		/* This is the last that is done. */
		for (int j = 0; READ_ONCE(tr->ref) != refs && j < 1000; j++)
			msleep(20);
		KUNIT_EXPECT_TRUE_MSG(test, trace_array_is_empty(tr), "%d", i);
		for_each_trace_buffer(tr, buffer)
			KUNIT_EXPECT_TRUE_MSG(test, ring_buffer_record_is_on(*buffer), "%d", i);
		put(test, 2);
		KUNIT_EXPECT_EQ_MSG(test, next(&tr->array_buffer), 2, "%d", i);
	}
}

static int clock_refused;

/* A clock that asks for an exchange, as clock_takes(), but for a tracer's maximum. */
static u64 clock_takes_max(void)
{
	if (!clock_asked) {
		clock_asked = true;
		clock_refused = trace_exchange_all(clock_tr, TRACE_EXCHANGE_MAX);
		clock_asked = false;
	}
	return trace_clock_local();
}

/* The clock that the exchange of a maximum reads asks for another exchange: it is refused. */
static void from_clock(struct kunit *test)
{
	struct trace_array *tr = test->priv;
	struct trace_buffer *first = tr->array_buffer.buffer;

	KUNIT_ASSERT_EQ(test, trace_snapshot_get_max(tr), 0);
	clock_refused = 0;
	set_clock(tr, clock_takes_max);
	scoped_guard(irq)
		KUNIT_EXPECT_EQ(test, trace_snapshot_max(tr, false), 0);
	KUNIT_EXPECT_EQ(test, clock_refused, -EDEADLK);
	KUNIT_EXPECT_PTR_EQ(test, tr->snapshot.buffer, first);
	set_clock(tr, trace_clock_local);
	/* The exchange is over, so another one is allowed. */
	scoped_guard(irq)
		KUNIT_EXPECT_EQ(test, trace_snapshot_max(tr, false), 0);
	KUNIT_EXPECT_PTR_EQ(test, tr->array_buffer.buffer, first);
	trace_snapshot_put_max(tr);
}

/* No exchange happens while a buffer is resized or emptied. */
static void held(struct kunit *test)
{
	struct trace_array *tr = test->priv;
	struct trace_buffer *first = tr->array_buffer.buffer;

	KUNIT_ASSERT_EQ(test, trace_snapshot_get(tr), 0);
	scoped_guard(trace_buffers, tr) {
		trace_exchange_hold(tr);
		trace_snapshot_take(tr);
		KUNIT_EXPECT_PTR_EQ(test, tr->array_buffer.buffer, first);
		trace_exchange_release(tr);
		trace_snapshot_take(tr);
		KUNIT_EXPECT_PTR_EQ(test, tr->snapshot.buffer, first);
	}
	trace_snapshot_put(tr);
}

/*
 * A kprobe on a function that is called with the exchange.lock of any instance held takes a
 * snapshot. It would wait for its own CPU, so it is refused, and the trace tells of that.
 */
static void locked_here(struct kunit *test)
{
	struct trace_array *tr = test->priv, *locked[] = { tr, trace_top_instance() };
	struct trace_buffer *first = tr->array_buffer.buffer;
	int refused;

	KUNIT_ASSERT_EQ(test, trace_snapshot_get(tr), 0);
	for (int i = 0; i < ARRAY_SIZE(locked); i++) {
		scoped_guard(irq) {
			trace_exchange_lock(locked[i]);
			refused = trace_exchange_all(tr, TRACE_EXCHANGE_USER);
			trace_snapshot_take(tr);
			trace_exchange_unlock(locked[i]);
		}
		KUNIT_EXPECT_EQ(test, refused, -EAGAIN);
		KUNIT_EXPECT_PTR_EQ(test, tr->array_buffer.buffer, first);
		KUNIT_EXPECT_EQ(test, ring_buffer_entries(first), i + 1);
	}
	trace_snapshot_take(tr);
	KUNIT_EXPECT_PTR_EQ(test, tr->snapshot.buffer, first);
	trace_snapshot_put(tr);
}

#if IS_ENABLED(CONFIG_KPROBES) && IS_ENABLED(CONFIG_TRACER_SNAPSHOT_PER_CPU_SWAP)

static struct trace_array *swapped_tr;

static int swapped_takes(struct kprobe *kp, struct pt_regs *regs)
{
	trace_snapshot_take(swapped_tr);
	return 0;
}

/* Within the snapshot of one CPU, that of all CPUs is another one, and the trace tells of it. */
static void all_within_one_cpu(struct kunit *test)
{
	struct kprobe probe = {
		.symbol_name = "ring_buffer_swap_cpu", .pre_handler = swapped_takes,
	};
	struct trace_array *tr = test->priv;

	swapped_tr = tr;
	KUNIT_ASSERT_EQ(test, trace_snapshot_get(tr), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&probe), 0);
	KUNIT_EXPECT_EQ(test, trace_snapshot_take_cpu(tr, raw_smp_processor_id()), 0);
	unregister_kprobe(&probe);
	KUNIT_EXPECT_EQ(test, ring_buffer_entries(tr->snapshot.buffer), 1);
	trace_snapshot_put(tr);
}

#else

static void all_within_one_cpu(struct kunit *test)
{
	kunit_skip(test, "functions are not hooked, or CPUs have no snapshots");
}

#endif

/* The user's snapshot stays when another tracer becomes the current one. */
static void other_tracer(struct kunit *test)
{
	static const struct tracer tracer = { .name = "kunit-snap", .allow_instances = true };
	struct trace_array *tr = test->priv;

	KUNIT_ASSERT_EQ(test, trace_tracer_register(&tracer), 0);
	put(test, 1);
	KUNIT_EXPECT_EQ(test, trace_snapshot_take_cpu(tr, RING_BUFFER_ALL_CPUS), 0);
	put(test, 2);
	scoped_guard(trace_instances) {
		KUNIT_EXPECT_EQ(test, trace_set_tracer(tr, tracer.name), 0);
		KUNIT_EXPECT_EQ(test, trace_set_tracer(tr, "nop"), 0);
	}
	KUNIT_EXPECT_EQ(test, trace_tracer_unregister(&tracer), 0);
	KUNIT_EXPECT_EQ(test, next(&tr->array_buffer), 0);
	KUNIT_EXPECT_EQ(test, next(&tr->snapshot), 1);
}

/* tracing_snapshot_alloc() and tracing_snapshot() take the snapshot of the top instance. */
static void of_the_top(struct kunit *test)
{
	struct trace_array *top = trace_top_instance();
	struct trace_buffer *main = top->array_buffer.buffer;
	bool on = trace_array_is_on(top);

	/* Other suites have left it allocated. */
	KUNIT_ASSERT_EQ(test, trace_snapshot_free(top), 0);
	KUNIT_ASSERT_FALSE(test, trace_snapshot_is_allocated(top));
	tracing_snapshot_alloc();
	KUNIT_EXPECT_TRUE(test, trace_snapshot_is_allocated(top));
	KUNIT_EXPECT_PTR_EQ(test, top->snapshot.buffer, main);
	KUNIT_EXPECT_EQ(test, size(&top->snapshot), size(&top->array_buffer));
	/* The second snapshot exchanges the buffers back. */
	tracing_snapshot();
	KUNIT_EXPECT_PTR_EQ(test, top->array_buffer.buffer, main);
	KUNIT_EXPECT_EQ(test, trace_array_is_on(top), on);
	KUNIT_EXPECT_EQ(test, trace_snapshot_free(top), 0);
	KUNIT_EXPECT_FALSE(test, trace_snapshot_is_allocated(top));
}

#if IS_ENABLED(CONFIG_DYNAMIC_FTRACE) && IS_ENABLED(CONFIG_HOTPLUG_CPU)

static struct trace_array *dying_tr;

/* At the entry of a function that a CPU calls when it is offline and has run its irq_works. */
static void dying_takes(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			struct ftrace_regs *fregs)
{
	trace_snapshot_take(dying_tr);
}

static struct ftrace_ops dying_ops = {
	.func	= dying_takes,
};

/* A CPU that is offline has another one wake, and its own work waits for nobody. */
static void dying_cpu(struct kunit *test)
{
	struct trace_array *tr = test->priv;
	unsigned char name[] = "sched_cpu_dying";
	unsigned int taken;
	int cpu, first, tries = 500;
	long woken;

	/* The first one stays: some machines cannot do without. */
	first = cpumask_first(cpu_online_mask);
	cpu = cpumask_last(cpu_online_mask);
	if (cpu == first)
		kunit_skip(test, "there is one CPU");
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(first)), 0);
	dying_tr = tr;
	KUNIT_ASSERT_EQ(test, trace_snapshot_get(tr), 0);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter(&dying_ops, name, strlen(name), 1), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&dying_ops), 0);
	taken = tr->exchange.count;
	woken = atomic_long_read(&tr->exchange.wake.called_at);
	KUNIT_EXPECT_EQ(test, remove_cpu(cpu), 0);
	KUNIT_EXPECT_EQ(test, tr->exchange.count, taken + 1);
	while (atomic_long_read(&tr->exchange.wake.called_at) == woken && --tries)
		msleep(20);
	KUNIT_EXPECT_NE(test, atomic_long_read(&tr->exchange.wake.called_at), woken);
	KUNIT_EXPECT_EQ(test, add_cpu(cpu), 0);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&dying_ops), 0);
	ftrace_free_filter(&dying_ops);
	trace_snapshot_put(tr);
}

#else

static void dying_cpu(struct kunit *test)
{
	kunit_skip(test, "CPUs do not go, or functions are not hooked");
}

#endif

static struct kunit_case snapshot_cases[] = {
	KUNIT_CASE(take),
	KUNIT_CASE(memory),
	KUNIT_CASE(not_allocated),
	KUNIT_CASE(switches),
	KUNIT_CASE(condition),
	KUNIT_CASE(maximum),
	KUNIT_CASE(pinned),
	KUNIT_CASE(one_cpu),
	KUNIT_CASE(at_any_time),
	KUNIT_CASE(order_refused),
	KUNIT_CASE(maximum_and_clock),
	KUNIT_CASE(while_emptied),
	KUNIT_CASE(while_killed),
	KUNIT_CASE(from_clock),
	KUNIT_CASE(held),
	KUNIT_CASE(locked_here),
	KUNIT_CASE(all_within_one_cpu),
	KUNIT_CASE(other_tracer),
	KUNIT_CASE(of_the_top),
	KUNIT_CASE(dying_cpu),
	{}
};

static struct kunit_suite snapshot_suite = {
	.name		= "trace-instance-snapshot",
	.init		= snapshot_test_init,
	.exit		= snapshot_test_exit,
	.test_cases	= snapshot_cases,
};

kunit_test_suite(snapshot_suite);

MODULE_DESCRIPTION("KUnit tests of the snapshot of a trace instance");
MODULE_LICENSE("GPL");
