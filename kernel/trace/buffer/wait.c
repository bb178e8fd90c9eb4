// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting for data, and being woken.  A writer does nothing for it unless
 * somebody waits; then it queues its CPU's irq_work, which looks at the next tick
 * and wakes if there is something.  On PREEMPT_RT the irq_work has a softirq look,
 * a tick later: see lib/tick_call.h.
 *
 * BARRIERS, by the label that stands at both sides:
 *
 *	WK	A waiter sets rb_writer::wake, or rb_wait::full_min, then looks for
 *		data, with a full barrier between.  The writer publishes, and then
 *		loads the flag without a barrier, which would cost each event.  So
 *		both may miss each other.  Therefore whoever has set the flag queues an
 *		irq_work, which looks once more at the next tick, when each such
 *		store has long been visible.  It is the one of the CPU that asks: any
 *		other CPU may stand still.
 *	WA	A waiter sets any_waits and then wake; a writer clears wake and then
 *		loads any_waits; both have a full barrier between.  So a writer that
 *		clears the flag of a second waiter sees that one waits.
 *	WS	The release in ring_buffer_wake_waiters() pairs with the acquires of
 *		rb_wait::seq: a waiter that sees the new value sees what the caller
 *		stored before.
 */
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "buffer/internal.h"

/*
 * Complete sub-buffers that are not read, the one being written not counted.
 * A moment's view without the lock.
 */
size_t rb_dirty_subs(struct rb_cpu *cb)
{
	struct rb_sub *reader = smp_load_acquire(&cb->reader);	/* RB */
	unsigned long pos = smp_load_acquire(&cb->w.commit_pos);	/* RC */
	size_t ahead = (pos - READ_ONCE(reader->base) - 1) >> READ_ONCE(cb->shift);

	if (!ahead)
		return 0;
	ahead--;
	if (rb_reader_off(cb) < READ_ONCE(reader->end))
		ahead++;
	return min_t(size_t, ahead, READ_ONCE(cb->nr));
}

/* Is there enough for a waiter for @full percent?  0 means any data. */
static bool rb_wait_enough(struct rb_cpu *cb, int full)
{
	size_t dirty;

	if (!full)
		return !rb_cpu_empty(cb);
	dirty = rb_dirty_subs(cb);
	/*
	 * Add 1 for the open sub-buffer: it is not in dirty, and without it a waiter for
	 * 100 percent would never be woken.
	 */
	return dirty && (dirty + 1) * 100 >= (size_t)full * READ_ONCE(cb->nr);
}

/* Is there enough for a waiter in @wait, for @full percent?  Any context. */
static bool rb_wait_over(struct rb_wait *wait, int full)
{
	struct trace_buffer *buffer = &wait->object->buffer;
	bool over = false;
	int cpu;

	/* Descriptors, which rb_wait_enough() follows, are freed after a grace period. */
	preempt_disable_notrace();
	if (wait->cpu != RING_BUFFER_ALL_CPUS) {
		over = rb_wait_enough(rb_cpu_at(buffer, wait->cpu), full);
	} else {
		for_each_cpu(cpu, wait->object->cpumask)
			over = over || rb_wait_enough(rb_cpu_get(buffer, cpu), 0);
	}
	preempt_enable_notrace();
	return over;
}

/*
 * The event that the writer queued this for may have gone again: it was
 * discarded, consumed or reset.  The writer has cleared wake, so set it for
 * the next event.  Returns true if it was clear: then somebody has to look once
 * more (WK).
 */
static bool rb_wait_arm_writer(struct rb_writer *w)
{
	if (READ_ONCE(w->wake))
		return false;
	WRITE_ONCE(w->wake, 1);
	return true;
}

/* As rb_wait_arm_writer(), for all writers that somebody in @wait may wait for. */
static bool rb_wait_arm_writers(struct rb_wait *wait)
{
	struct trace_buffer *buffer = &wait->object->buffer;
	bool armed = false;
	int cpu;

	if (wait->cpu != RING_BUFFER_ALL_CPUS)
		return rb_wait_arm_writer(&rb_cpu_at(buffer, wait->cpu)->w);
	for_each_cpu(cpu, wait->object->cpumask)
		armed |= rb_wait_arm_writer(&rb_cpu_get(buffer, cpu)->w);
	return armed;
}

/*
 * An offline CPU does not run the irq_work that it queues, and no other CPU can queue the
 * irq_work until then. So an offline CPU queues nothing. trace_rb_cpu_online() queues it after
 * the CPU's first events, and trace_rb_cpu_dead() after its last ones.
 * Context: any, preemption is off.
 */
static void rb_wait_queue(struct rb_cpu_wait *here)
{
	if (likely(cpu_online(raw_smp_processor_id())))
		trace_tick_call_queue(&here->look);
}

/*
 * Have the call of @here look whether those who wait in @wait are to be woken. No interrupt comes
 * between the two steps, which would look before the next tick.
 * Context: any but NMI, preemption is off.
 */
static void rb_wait_ask(struct rb_cpu_wait *here, struct rb_wait *wait)
{
	int cpu = wait->cpu, asked;
	unsigned long flags;

	raw_local_irq_save(flags);
	/* Each look is for those who wait for all CPUs. */
	if (cpu != RING_BUFFER_ALL_CPUS) {
		asked = atomic_cmpxchg(&here->asked, 0, cpu + 1);
		if (asked && asked != cpu + 1)
			atomic_set(&here->asked, RB_ASKED_ALL);
	}
	rb_wait_queue(here);
	raw_local_irq_restore(flags);
}

/*
 * Wake those in @wait who have enough.  @here is whose call runs, and runs again if writers
 * have been armed.
 */
static void rb_wait_look(struct rb_wait *wait, struct rb_cpu_wait *here)
{
	int full = atomic_read(&wait->full_min);

	if (READ_ONCE(wait->any_waits)) {
		if (rb_wait_over(wait, 0)) {
			WRITE_ONCE(wait->any_waits, false);
			wake_up_all(&wait->any);
		} else if (rb_wait_arm_writers(wait)) {
			rb_wait_ask(here, wait);
		}
	}
	if (full && rb_wait_over(wait, full)) {
		atomic_set(&wait->full_min, 0);
		wake_up_all(&wait->full);
	}
}

/*
 * rb_cpu_wait::look, for what the CPU's writers have written, and for what was asked for on it.
 * Context: hard irq, on PREEMPT_RT softirq.
 */
static void rb_wait_look_cpu(struct irq_work *work)
{
	struct rb_cpu_wait *here = container_of(work, struct rb_cpu_wait, look.work);
	struct rb_object *object = here->wait.object;
	int asked = atomic_xchg(&here->asked, 0);
	unsigned int cpu;

	rb_wait_look(&here->wait, here);
	rb_wait_look(&object->wait, here);
	for (cpu = 0; asked && cpu < nr_cpu_ids; cpu++) {
		if (asked == RB_ASKED_ALL || asked == cpu + 1)
			rb_wait_look(&object->cpu_wait[cpu].wait, here);
	}
}

/* Prepare @wait for those who wait for @cpu. */
static void rb_wait_init(struct rb_wait *wait, struct rb_object *object, int cpu)
{
	init_waitqueue_head(&wait->any);
	init_waitqueue_head(&wait->full);
	wait->object = object;
	wait->cpu = cpu;
}

/* Prepare @object for those who wait.  Context: task.  Return: 0 or -ENOMEM. */
int rb_waits_init(struct rb_object *object)
{
	unsigned int cpu;

	object->cpu_wait = kvcalloc(nr_cpu_ids, sizeof(*object->cpu_wait), GFP_KERNEL);
	if (!object->cpu_wait)
		return -ENOMEM;
	rb_wait_init(&object->wait, object, RING_BUFFER_ALL_CPUS);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		rb_wait_init(&object->cpu_wait[cpu].wait, object, cpu);
		trace_tick_call_init(&object->cpu_wait[cpu].look, rb_wait_look_cpu);
	}
	return 0;
}

/*
 * Nobody waits for @object or writes any more: wait until nothing looks. Where ticks alone run
 * irq_works, an end waits for a grace period, after which no handler that had woken is still about
 * to return. Each possible CPU has a work, and the grace period of the last one is for all.
 * Context: task, may sleep.
 */
void rb_waits_exit(struct rb_object *object)
{
	struct trace_tick_call *look;
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		look = &object->cpu_wait[cpu].look;
		if (trace_tick_call_is_busy(look) || cpu == nr_cpu_ids - 1)
			trace_tick_call_end(look);
	}
}

/*
 * Look soon, on this CPU, whether those who wait in @wait are to be woken. If there are none,
 * nothing is queued: a ring buffer that is being made is freed without rb_waits_exit() if a CPU
 * gets no buffer.  Context: task.
 */
void rb_wait_look_again(struct rb_wait *wait)
{
	/* A task that begins to wait sees what the caller has changed, or is seen here. */
	smp_mb();	/* WK */
	if (!READ_ONCE(wait->any_waits) && !atomic_read(&wait->full_min))
		return;
	preempt_disable_notrace();
	rb_wait_ask(&wait->object->cpu_wait[raw_smp_processor_id()], wait);
	preempt_enable_notrace();
}

/*
 * Queue the look of @of, or tell @watch, which queues one, from the outermost writer, in its
 * commit.  Queueing calls functions that may
 * be traced: these calls are the buffer's own, and make no events in it.  All contexts that may
 * make them are marked as active meanwhile, and interrupts, which would be refused as well, wait.
 */
static void rb_wait_writer_queue(struct rb_cpu *cb, struct rb_cpu_wait *of,
				 struct ring_buffer_watch *watch)
{
	unsigned int context = cb->w.context;
	unsigned long flags;

	raw_local_irq_save(flags);
	WRITE_ONCE(cb->w.context, context | RB_CONTEXT_QUEUES |
				  (in_nmi() ? BIT(RB_LEVEL_NMI) : 0));
	barrier();
	if (of)
		rb_wait_queue(of);
	else
		watch->notify(watch);
	barrier();
	WRITE_ONCE(cb->w.context, context);
	raw_local_irq_restore(flags);
}

/* The outermost writer has committed, and found rb_writer::wake set.  Context: its own. */
void rb_writer_wakes(struct rb_cpu *cb)
{
	struct rb_object *object = rb_object(cb->w.buffer);
	struct rb_cpu_wait *of = &object->cpu_wait[cb->cpu];
	struct ring_buffer_watch *watch;

	/* The next event looks again, and one that comes when the CPU is online queues. */
	if (unlikely(!cpu_online(raw_smp_processor_id())))
		return;
	WRITE_ONCE(cb->w.wake, 0);
	smp_mb();	/* WA */
	if (READ_ONCE(of->wait.any_waits) || READ_ONCE(object->wait.any_waits))
		rb_wait_writer_queue(cb, of, NULL);
	watch = rb_news_watch(cb);
	if (unlikely(watch))
		rb_wait_writer_queue(cb, NULL, watch);
}

/* The outermost writer has committed @bytes of complete sub-buffers.  Context: its own. */
void rb_writer_crossed(struct rb_cpu *cb, unsigned long bytes)
{
	struct rb_cpu_wait *of = &rb_object(cb->w.buffer)->cpu_wait[cb->cpu];
	int full = atomic_read(&of->wait.full_min);

	rb_news_crossed(cb, bytes);
	if (full && rb_wait_enough(cb, full))
		rb_wait_writer_queue(cb, of, NULL);
}

/*
 * @cpu has come or is dead, and has queued nothing meanwhile: look for those whom its events
 * should wake.  Context: task.
 */
void rb_wait_cpu_changed(struct rb_object *object, unsigned int cpu)
{
	rb_wait_look_again(&object->cpu_wait[cpu].wait);
	rb_wait_look_again(&object->wait);
	rb_news_cpu_changed(object, cpu);
}

/**
 * struct rb_waiter - what a waiter waits for
 * @wait: where it waits
 * @full: share of sub-buffers in percent, 0 for any data
 */
struct rb_waiter {
	struct rb_wait	*wait;
	int		full;
};

/* False if @cpu has no buffer. */
static bool rb_wait_waiter_init(struct rb_waiter *w, struct trace_buffer *buffer, int cpu, int full)
{
	struct rb_object *object = rb_object(buffer);
	struct rb_cpu *cb;

	if (cpu == RING_BUFFER_ALL_CPUS) {
		/* A share is a share of one CPU's buffer, so wait for any data here. */
		w->wait = &object->wait;
		w->full = 0;
		return true;
	}
	cb = rb_cpu_get(buffer, cpu);
	if (!cb)
		return false;
	w->wait = &object->cpu_wait[cpu].wait;
	/*
	 * If the wanted share is not more than one sub-buffer, wait for any data: the open
	 * sub-buffer, which is never counted as complete, may be the only one.
	 */
	w->full = full * READ_ONCE(cb->nr) > 100 ? full : 0;
	return true;
}

/* Of all shares that are waited for, the smallest counts. */
static void rb_wait_lower_full_min(atomic_t *full_min, int full)
{
	int old = atomic_read(full_min);

	while ((!old || old > full) && !atomic_try_cmpxchg(full_min, &old, full))
		;
}

/* Have the writers wake @w from now on. */
static void rb_wait_waiter_arm(struct rb_waiter *w)
{
	if (w->full) {
		rb_wait_lower_full_min(&w->wait->full_min, w->full);
	} else {
		WRITE_ONCE(w->wait->any_waits, true);
		smp_mb();	/* WA */
		rb_wait_arm_writers(w->wait);
	}
	smp_mb();	/* WK */
}

/* Is there enough for @w?  If not, @w will be woken when there may be. */
static bool rb_wait_waiter_look(struct rb_waiter *w)
{
	rb_wait_waiter_arm(w);
	if (rb_wait_over(w->wait, w->full))
		return true;
	rb_wait_look_again(w->wait);		/* WK: the look once more */
	return false;
}

static bool rb_wait_waiter_ready(struct rb_waiter *w, ring_buffer_cond_fn cond, void *data)
{
	return rb_wait_over(w->wait, w->full) || cond(data) || rb_wait_waiter_look(w);
}

/**
 * struct rb_woken - the condition of a waiter that gave none: an explicit wakeup
 * @wait: where it waits
 * @seq: rb_wait::seq when it began to wait
 */
struct rb_woken {
	struct rb_wait	*wait;
	int		seq;
};

static bool rb_wait_was_woken(void *data)
{
	struct rb_woken *woken = data;

	return atomic_read_acquire(&woken->wait->seq) != woken->seq;	/* WS */
}

/**
 * ring_buffer_wait - wait for data
 * @buffer: the ring buffer
 * @cpu: whose data, or RING_BUFFER_ALL_CPUS
 * @full: share of complete sub-buffers to wait for in percent; 0: any data
 * @cond: also ends the wait if true; NULL: ring_buffer_wake_waiters() ends it
 * @data: for @cond
 *
 * Context: task, may sleep.
 * Return: 0 if there is data or @cond is true, -ERESTARTSYS for a signal,
 * -ENODEV if @cpu has no buffer.
 */
int ring_buffer_wait(struct trace_buffer *buffer, int cpu, int full,
		     ring_buffer_cond_fn cond, void *data)
{
	struct rb_woken woken;
	struct rb_waiter w;

	if (!rb_wait_waiter_init(&w, buffer, cpu, full))
		return -ENODEV;
	if (!cond) {
		woken.wait = w.wait;
		woken.seq = atomic_read_acquire(&w.wait->seq);	/* WS */
		cond = rb_wait_was_woken;
		data = &woken;
	}
	if (w.full)
		return wait_event_interruptible(w.wait->full, rb_wait_waiter_ready(&w, cond, data));
	return wait_event_interruptible(w.wait->any, rb_wait_waiter_ready(&w, cond, data));
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
 * Context: task, may sleep.
 * Return: EPOLLIN | EPOLLRDNORM if there is data, EPOLLERR if @cpu has no
 * buffer, else 0.
 */
__poll_t ring_buffer_poll_wait(struct trace_buffer *buffer, int cpu,
			       struct file *filp, poll_table *poll_table, int full)
{
	struct rb_waiter w;

	if (!rb_wait_waiter_init(&w, buffer, cpu, full))
		return EPOLLERR;
	poll_wait(filp, w.full ? &w.wait->full : &w.wait->any, poll_table);
	return rb_wait_waiter_look(&w) ? EPOLLIN | EPOLLRDNORM : 0;
}

/**
 * ring_buffer_wake_waiters - wake those who wait, whether there is data or not
 * @buffer: the ring buffer
 * @cpu: who waits for this CPU; RING_BUFFER_ALL_CPUS: everybody
 *
 * A waiter without a condition returns; one that has a condition evaluates it again.
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
	if (!rb_wait_waiter_init(&w, buffer, cpu, 0))
		return;
	atomic_inc_return_release(&w.wait->seq);	/* WS */
	wake_up_all(&w.wait->any);
	wake_up_all(&w.wait->full);
}
EXPORT_SYMBOL_GPL(ring_buffer_wake_waiters);
