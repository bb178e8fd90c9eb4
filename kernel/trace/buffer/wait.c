// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting for data, and being woken.  A writer does nothing for it unless
 * somebody waits; then it queues one irq_work, which wakes at the next tick.
 */
#include <linux/poll.h>
#include <linux/sched/signal.h>

#include "buffer/internal.h"

/*
 * Complete sub-buffers that are not read, the one being written not counted.
 * A moment's view without the lock.
 */
size_t rb_dirty_subs(struct rb_cpu *cb)
{
	struct rb_sub *reader = READ_ONCE(cb->reader);
	unsigned long pos = smp_load_acquire(&cb->w.commit_pos);	/* RC */
	size_t ahead = (pos - READ_ONCE(reader->base) - 1) >> cb->shift;

	if (!ahead)
		return 0;
	ahead--;
	if (READ_ONCE(cb->reader_off) < rb_page_len(reader->page))
		ahead++;
	return min_t(size_t, ahead, cb->nr);
}

/* Is what a waiter for @full percent wants there?  0 is any data. */
static bool rb_enough(struct rb_cpu *cb, int full)
{
	size_t dirty;

	if (!full)
		return !rb_cpu_empty(cb);
	dirty = rb_dirty_subs(cb);
	/* The one being written never counts, but 100 percent must be reached. */
	return dirty && (dirty + 1) * 100 >= (size_t)full * cb->nr;
}

static bool rb_enough_any(struct trace_buffer *buffer)
{
	int cpu;

	for_each_cpu(cpu, rb_object(buffer)->cpumask) {
		if (!rb_cpu_empty(rb_cpu_at(buffer, cpu)))
			return true;
	}
	return false;
}

void rb_look_cpu(struct irq_work *work)
{
	struct rb_wait *wait = container_of(work, struct rb_wait, work);
	struct rb_cpu *cb = container_of(wait, struct rb_cpu, wait);
	int full = READ_ONCE(wait->full_min);

	if (READ_ONCE(wait->any_waits) && rb_enough(cb, 0)) {
		WRITE_ONCE(wait->any_waits, false);
		wake_up_all(&wait->any);
	}
	if (full && rb_enough(cb, full)) {
		WRITE_ONCE(wait->full_min, 0);
		wake_up_all(&wait->full);
	}
}

void rb_look_buffer(struct irq_work *work)
{
	struct rb_wait *wait = container_of(work, struct rb_wait, work);
	struct rb_object *object = container_of(wait, struct rb_object, wait);

	if (READ_ONCE(wait->any_waits) && rb_enough_any(&object->buffer)) {
		WRITE_ONCE(wait->any_waits, false);
		wake_up_all(&wait->any);
	}
}

void rb_wait_init(struct rb_wait *wait, void (*look)(struct irq_work *work))
{
	wait->work = IRQ_WORK_INIT_LAZY(look);
	init_waitqueue_head(&wait->any);
	init_waitqueue_head(&wait->full);
}

void rb_wait_exit(struct rb_wait *wait)
{
	irq_work_sync(&wait->work);
}

/* The writer has committed, and somebody waits for that. */
void rb_writer_wakes(struct rb_cpu *cb)
{
	WRITE_ONCE(cb->w.wake, 0);
	if (READ_ONCE(cb->wait.any_waits))
		irq_work_queue(&cb->wait.work);
	if (READ_ONCE(rb_object(cb->w.buffer)->wait.any_waits))
		irq_work_queue(&rb_object(cb->w.buffer)->wait.work);
}

/* The writer has committed a complete sub-buffer. */
void rb_writer_crossed(struct rb_cpu *cb)
{
	int full = READ_ONCE(cb->wait.full_min);

	if (full && rb_enough(cb, full))
		irq_work_queue(&cb->wait.work);
}

/**
 * struct rb_waiter - what one waits for
 * @buffer: the ring buffer
 * @wait: where
 * @cb: the CPU's buffer; NULL for any CPU
 * @full: share of sub-buffers in percent, 0 for any data
 */
struct rb_waiter {
	struct trace_buffer	*buffer;
	struct rb_wait		*wait;
	struct rb_cpu		*cb;
	int			full;
};

static bool rb_waiter_init(struct rb_waiter *w, struct trace_buffer *buffer, int cpu, int full)
{
	w->buffer = buffer;
	if (cpu == RING_BUFFER_ALL_CPUS) {
		/* A share of what is one CPU's. */
		w->cb = NULL;
		w->wait = &rb_object(buffer)->wait;
		w->full = 0;
		return true;
	}
	w->cb = rb_cpu_get(buffer, cpu);
	if (!w->cb)
		return false;
	w->wait = &w->cb->wait;
	/* The sub-buffer being written counts: a share of less is any data. */
	w->full = full * w->cb->nr > 100 ? full : 0;
	return true;
}

/* Have the writers wake @w from now on. */
static void rb_waiter_arm(struct rb_waiter *w)
{
	int cpu, full_min;

	if (w->full) {
		full_min = READ_ONCE(w->wait->full_min);
		if (!full_min || full_min > w->full)
			WRITE_ONCE(w->wait->full_min, w->full);
	} else {
		WRITE_ONCE(w->wait->any_waits, true);
		smp_wmb();	/* who sees wake sees any_waits */
		if (w->cb) {
			WRITE_ONCE(w->cb->w.wake, 1);
		} else {
			for_each_cpu(cpu, rb_object(w->buffer)->cpumask)
				WRITE_ONCE(w->buffer->writers[cpu]->wake, 1);
		}
	}
	smp_mb();	/* WK */
}

static bool rb_waiter_satisfied(struct rb_waiter *w)
{
	return w->cb ? rb_enough(w->cb, w->full) : rb_enough_any(w->buffer);
}

static bool rb_waiter_ready(struct rb_waiter *w, ring_buffer_cond_fn cond, void *data)
{
	if (rb_waiter_satisfied(w) || cond(data))
		return true;
	rb_waiter_arm(w);
	if (rb_waiter_satisfied(w))
		return true;
	/* WK: the second look */
	irq_work_queue(&w->wait->work);
	return false;
}

/**
 * struct woken - condition of who gave none: an explicit wakeup
 * @wait: where
 * @seq: rb_wait::seq at the beginning
 */
struct woken {
	struct rb_wait	*wait;
	int		seq;
};

static bool was_woken(void *data)
{
	struct woken *woken = data;

	return atomic_read_acquire(&woken->wait->seq) != woken->seq;
}

/**
 * ring_buffer_wait - wait for data
 * @buffer: the ring buffer
 * @cpu: whose data, or RING_BUFFER_ALL_CPUS
 * @full: share of complete sub-buffers to wait for in percent; 0: any data
 * @cond: also ends the wait if true; NULL: ring_buffer_wake_waiters() ends it
 * @data: for @cond
 *
 * Context: task.
 * Return: 0 if there is data or @cond is true, -ERESTARTSYS for a signal,
 * -ENODEV if @cpu has no buffer.
 */
int ring_buffer_wait(struct trace_buffer *buffer, int cpu, int full,
		     ring_buffer_cond_fn cond, void *data)
{
	struct woken woken;
	struct rb_waiter w;

	if (!rb_waiter_init(&w, buffer, cpu, full))
		return -ENODEV;
	if (!cond) {
		woken.wait = w.wait;
		woken.seq = atomic_read_acquire(&w.wait->seq);
		cond = was_woken;
		data = &woken;
	}
	if (w.full)
		return wait_event_interruptible(w.wait->full, rb_waiter_ready(&w, cond, data));
	return wait_event_interruptible(w.wait->any, rb_waiter_ready(&w, cond, data));
}
EXPORT_SYMBOL_GPL(ring_buffer_wait);

/**
 * ring_buffer_poll_wait - poll for data
 * @buffer: the ring buffer
 * @cpu: whose data, or RING_BUFFER_ALL_CPUS
 * @filp: the file
 * @poll_table: for poll_wait()
 * @full: as for ring_buffer_wait()
 *
 * Context: task.
 * Return: EPOLLIN | EPOLLRDNORM if there is data, EPOLLERR if @cpu has no
 * buffer, else 0.
 */
__poll_t ring_buffer_poll_wait(struct trace_buffer *buffer, int cpu,
			       struct file *filp, poll_table *poll_table, int full)
{
	struct rb_waiter w;

	if (!rb_waiter_init(&w, buffer, cpu, full))
		return EPOLLERR;
	poll_wait(filp, w.full ? &w.wait->full : &w.wait->any, poll_table);
	rb_waiter_arm(&w);
	if (rb_waiter_satisfied(&w))
		return EPOLLIN | EPOLLRDNORM;
	irq_work_queue(&w.wait->work);	/* WK: the second look */
	return 0;
}

/**
 * ring_buffer_wake_waiters - wake who waits, data or not
 * @buffer: the ring buffer
 * @cpu: who waits for this CPU; RING_BUFFER_ALL_CPUS: everybody
 *
 * Who waits without a condition returns; who has one looks at it.
 *
 * Context: task, softirq, irq.
 */
void ring_buffer_wake_waiters(struct trace_buffer *buffer, int cpu)
{
	struct rb_waiter w;

	if (!buffer)
		return;
	if (cpu == RING_BUFFER_ALL_CPUS) {
		int one;

		for_each_cpu(one, rb_object(buffer)->cpumask)
			ring_buffer_wake_waiters(buffer, one);
	}
	if (!rb_waiter_init(&w, buffer, cpu, 0))
		return;
	atomic_inc_return_release(&w.wait->seq);
	wake_up_all(&w.wait->any);
	wake_up_all(&w.wait->full);
}
EXPORT_SYMBOL_GPL(ring_buffer_wake_waiters);
