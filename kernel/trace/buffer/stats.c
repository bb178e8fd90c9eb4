// SPDX-License-Identifier: GPL-2.0
/*
 * The counters, as tracefs shows them in stats.  When nobody writes or reads,
 *
 *	entries + overrun + read + (dropped and commit overrun) = tried to write
 *
 * where a writer counts what it reserved and did not discard.
 * Documentation/trace/ring-buffer-design.rst tells which refused events are not counted.
 *
 * BARRIERS, by the label that stands at both sides:
 *
 *	CS	What a descriptor holds (rb_sub::first, and all of one that is new) is stored
 *		before the release of commit_sub, and loaded behind its acquire.
 *	CR	rb_written() loads commit_sub, then its counters, then commit_sub again.
 *		If it is the same, the counters belong to one use of the descriptor: a
 *		writer begins another one only after commit_sub has moved on.  The
 *		smp_rmb() before the second load pairs with the cmpxchg (full barrier) by
 *		which a writer opens the descriptor anew, before it changes the counters.
 */
#include "buffer/internal.h"

/* Events that were written, and neither refused nor discarded.  Context: any. */
unsigned long rb_written(struct rb_cpu *cb)
{
	unsigned long events;
	struct rb_sub *sub;

	/* The descriptor is freed after a grace period. */
	preempt_disable_notrace();
	do {
		sub = smp_load_acquire(&cb->w.commit_sub);	/* CS */
		events = READ_ONCE(sub->first) + rb_sub_entries(sub);
		smp_rmb();	/* CR */
	} while (sub != READ_ONCE(cb->w.commit_sub));
	preempt_enable_notrace();
	return events;
}

/*
 * The events of @all that are not @gone. Both are sums of counters that are read one after the
 * other; if a reset comes in between, more may be @gone than there ever was.
 */
static unsigned long rb_stats_left(unsigned long all, unsigned long gone)
{
	return max_t(long, all - gone, 0);
}

static unsigned long rb_stats_entries(struct rb_cpu *cb)
{
	unsigned long gone = local_read(&cb->w.overrun) + READ_ONCE(cb->read_events);

	return rb_stats_left(rb_written(cb), gone);
}

/**
 * ring_buffer_written_cpu - events that were written to a CPU's buffer
 * @buffer: the ring buffer
 * @cpu: whose
 *
 * Context: any.
 * Return: their number since the last reset; 0 if @cpu has no buffer.
 */
unsigned long ring_buffer_written_cpu(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);

	return cb ? rb_written(cb) : 0;
}

/**
 * ring_buffer_entries_cpu - events that can be read from a CPU's buffer
 * @buffer: the ring buffer
 * @cpu: whose
 *
 * Context: any.
 * Return: their number; 0 if @cpu has no buffer.
 */
unsigned long ring_buffer_entries_cpu(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);

	return cb ? rb_stats_entries(cb) : 0;
}
EXPORT_SYMBOL_GPL(ring_buffer_entries_cpu);

/**
 * ring_buffer_entries - events that can be read
 * @buffer: the ring buffer
 *
 * Context: any.
 * Return: their number, on all CPUs together.
 */
unsigned long ring_buffer_entries(struct trace_buffer *buffer)
{
	unsigned long sum = 0;
	int cpu;

	for_each_cpu(cpu, rb_object(buffer)->cpumask)
		sum += rb_stats_entries(rb_cpu_get(buffer, cpu));
	return sum;
}
EXPORT_SYMBOL_GPL(ring_buffer_entries);

/**
 * ring_buffer_overrun_cpu - events of a CPU that were overwritten before anybody read them
 * @buffer: the ring buffer
 * @cpu: whose
 *
 * Context: any.
 * Return: their number; 0 if @cpu has no buffer.
 */
unsigned long ring_buffer_overrun_cpu(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);

	return cb ? local_read(&cb->w.overrun) : 0;
}
EXPORT_SYMBOL_GPL(ring_buffer_overrun_cpu);

/**
 * ring_buffer_overruns - events that were overwritten before anybody read them
 * @buffer: the ring buffer
 *
 * Context: any.
 * Return: their number, on all CPUs together.
 */
unsigned long ring_buffer_overruns(struct trace_buffer *buffer)
{
	unsigned long sum = 0;
	int cpu;

	for_each_cpu(cpu, rb_object(buffer)->cpumask)
		sum += local_read(&rb_cpu_get(buffer, cpu)->w.overrun);
	return sum;
}
EXPORT_SYMBOL_GPL(ring_buffer_overruns);

/**
 * ring_buffer_commit_overrun_cpu - events dropped on a CPU in overwrite mode
 * @buffer: the ring buffer
 * @cpu: whose
 *
 * They found the whole buffer held by the writers that they had interrupted, which had
 * not committed.
 *
 * Context: any.
 * Return: their number; 0 if @cpu has no buffer.
 */
unsigned long ring_buffer_commit_overrun_cpu(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);

	return cb ? local_read(&cb->w.commit_overrun) : 0;
}
EXPORT_SYMBOL_GPL(ring_buffer_commit_overrun_cpu);

/**
 * ring_buffer_dropped_events_cpu - events dropped on a CPU because the buffer was full
 * @buffer: the ring buffer
 * @cpu: whose
 *
 * Context: any.
 * Return: their number; 0 if @cpu has no buffer.
 */
unsigned long ring_buffer_dropped_events_cpu(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);

	return cb ? local_read(&cb->w.dropped) : 0;
}
EXPORT_SYMBOL_GPL(ring_buffer_dropped_events_cpu);

/**
 * ring_buffer_read_events_cpu - events of a CPU that were consumed
 * @buffer: the ring buffer
 * @cpu: whose
 *
 * Context: any.
 * Return: their number; 0 if @cpu has no buffer.
 */
unsigned long ring_buffer_read_events_cpu(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);

	return cb ? READ_ONCE(cb->read_events) : 0;
}
EXPORT_SYMBOL_GPL(ring_buffer_read_events_cpu);

/**
 * ring_buffer_bytes_cpu - bytes that can be read from a CPU's buffer
 * @buffer: the ring buffer
 * @cpu: whose
 *
 * Context: any.
 * Return: their number, headers of events included; 0 if @cpu has no buffer.
 */
unsigned long ring_buffer_bytes_cpu(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);
	unsigned long pos, base, closed, open, gone;
	struct rb_sub *sub;

	if (!cb)
		return 0;
	gone = local_read(&cb->w.lost_bytes) + READ_ONCE(cb->shrunk_bytes) +
	       READ_ONCE(cb->read_bytes);
	preempt_disable_notrace();
	/*
	 * A crossing writer publishes commit_sub first, and commit_pos then.  If the position is
	 * behind the sub-buffer, it is between the two, perhaps because this has interrupted it.
	 * Then it would be no use to wait for it: all that is closed is what there is.  If the
	 * position is beyond the sub-buffer, the writer has published another one since, which
	 * the next load finds.  The size may change meanwhile: a look with the old one is a
	 * moment's view, or looks again.
	 */
	do {
		sub = smp_load_acquire(&cb->w.commit_sub);	/* CS */
		closed = READ_ONCE(cb->w.closed_bytes);
		pos = smp_load_acquire(&cb->w.commit_pos);	/* RC */
		base = READ_ONCE(sub->base);
		open = (long)(pos - base) < (long)RB_HDR ? 0 : pos - base - RB_HDR;
	} while (open > READ_ONCE(cb->size) - RB_HDR);
	preempt_enable_notrace();
	return rb_stats_left(closed + open, gone);
}
EXPORT_SYMBOL_GPL(ring_buffer_bytes_cpu);

/**
 * ring_buffer_oldest_event_ts - time of the oldest event to be read
 * @buffer: the ring buffer
 * @cpu: whose
 *
 * Context: any.
 * Return: the time, 0 if there is no event.
 */
u64 ring_buffer_oldest_event_ts(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);
	unsigned long base;
	unsigned int slot;
	u64 ts = 0;

	if (!cb)
		return 0;
	guard(rb_reading)(cb);
	base = cb->reader->base + cb->size;
	slot = rb_next_slot(cb, cb->reader->slot);
	if (rb_reader_off(cb) < rb_committed(cb, cb->reader)) {
		ts = rb_stamp_after(rb_reader_event(cb), cb->reader_stamp);
	} else if (rb_oldest_after(cb, &base, &slot)) {
		unsigned long word = atomic_long_read(&cb->slots[slot]);

		ts = READ_ONCE(rb_slot_sub(cb, word)->page->time_stamp);
	}
	return ts;
}
EXPORT_SYMBOL_GPL(ring_buffer_oldest_event_ts);

/**
 * ring_buffer_size - bytes of data that a CPU's buffer holds
 * @buffer: the ring buffer
 * @cpu: whose
 *
 * Context: any.
 */
unsigned long ring_buffer_size(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);

	return cb ? (unsigned long)READ_ONCE(cb->nr) * (READ_ONCE(cb->size) - RB_HDR) : 0;
}
EXPORT_SYMBOL_GPL(ring_buffer_size);

/**
 * ring_buffer_max_event_size - bytes of data that an event can have
 * @buffer: the ring buffer
 *
 * Context: any.
 * Return: their number, which absolute time stamps make smaller.
 */
unsigned long ring_buffer_max_event_size(struct trace_buffer *buffer)
{
	return rb_max_event_size(buffer, ring_buffer_subbuf_size_get(buffer));
}
EXPORT_SYMBOL_GPL(ring_buffer_max_event_size);

/**
 * ring_buffer_subbuf_size_get - the size of a sub-buffer
 * @buffer: the ring buffer
 *
 * Context: any.
 * Return: its bytes, header included.
 */
int ring_buffer_subbuf_size_get(struct trace_buffer *buffer)
{
	return PAGE_SIZE << READ_ONCE(buffer->order);
}
EXPORT_SYMBOL_GPL(ring_buffer_subbuf_size_get);

/**
 * ring_buffer_subbuf_order_get - the order of a sub-buffer
 * @buffer: the ring buffer; may be NULL
 *
 * Context: any.
 * Return: the binary logarithm of its pages; -EINVAL without a buffer.
 */
int ring_buffer_subbuf_order_get(struct trace_buffer *buffer)
{
	return buffer ? READ_ONCE(buffer->order) : -EINVAL;
}
EXPORT_SYMBOL_GPL(ring_buffer_subbuf_order_get);

/* Complete sub-buffers of @cpu that are to be read.  Context: any. */
size_t ring_buffer_nr_dirty_pages(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);

	size_t dirty;

	if (!cb)
		return 0;
	/* The reader's descriptor is freed after a grace period. */
	preempt_disable_notrace();
	dirty = rb_dirty_subs(cb);
	preempt_enable_notrace();
	return dirty;
}
