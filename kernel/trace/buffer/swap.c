// SPDX-License-Identifier: GPL-2.0
/*
 * Exchange of one CPU's buffers between two ring buffers: the snapshot of
 * what has been written, in a few stores.
 */
#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/sched/signal.h>

#include "buffer/internal.h"
#include "lib/cpu_call.h"

/*
 * Close the short way, for a writer that has loaded the pointer to @w before the swap, and has
 * not set its bit in rb_writer::context.  It is on this CPU, with preemption off, and may be in
 * any context outside of this one.  Others that commit to @w, and a reset of it, leave the short
 * way closed, until a writer commits of which rb_write_is_plain_task() knows that it has
 * interrupted nobody.
 */
static void rb_swap_close(struct rb_writer *w)
{
	WRITE_ONCE(w->swapped, 1);
	WRITE_ONCE(w->crossed, 1);
	if (READ_ONCE(w->limit) != RB_LIMIT_GAP)
		WRITE_ONCE(w->limit, RB_LIMIT_CROSSED);
}

/* Exchange @a and @b.  Both are disabled, so a writer that interrupts is turned away. */
static int rb_swap_writers(struct rb_cpu *a, struct rb_cpu *b)
{
	struct trace_buffer *of_a = a->w.buffer, *of_b = b->w.buffer;
	int cpu = a->cpu;

	/*
	 * A mapping shows the memory of its ring buffer, which keeps it.  rb_map_cpu()
	 * sets meta on this CPU with interrupts off, so it is not set meanwhile.
	 */
	if (!rb_no_writer(a) || !rb_no_writer(b) || READ_ONCE(a->meta) ||
	    READ_ONCE(b->meta))
		return -EBUSY;
	WRITE_ONCE(of_a->writers[cpu], &b->w);
	WRITE_ONCE(of_b->writers[cpu], &a->w);
	WRITE_ONCE(a->w.buffer, of_b);
	WRITE_ONCE(b->w.buffer, of_a);
	rb_swap_close(&a->w);
	rb_swap_close(&b->w);
	/* Tasks wait for a ring buffer, not for a part: the next commit looks for waiters. */
	WRITE_ONCE(a->w.wake, 1);
	WRITE_ONCE(b->w.wake, 1);
	return 0;
}

/* Disable @cb.  Returns true if nobody else has disabled it. */
static bool rb_swap_disable_alone(struct rb_cpu *cb)
{
	atomic_inc(&cb->w.disabled);
	return rb_cpu_disabled(cb) == 1;
}

/*
 * Only an NMI can come in between; it is turned away, and counted in neither buffer. If one of
 * the two is disabled already, they are not swapped: the later enable would go to the other
 * one.
 */
static int rb_swap_alone(struct rb_cpu *a, struct rb_cpu *b)
{
	int ret = -EAGAIN;

	if (rb_swap_disable_alone(a)) {
		if (rb_swap_disable_alone(b))
			ret = rb_swap_writers(a, b);
		atomic_dec(&b->w.disabled);
	}
	atomic_dec(&a->w.disabled);
	return ret;
}

/**
 * ring_buffer_swap_cpu - exchange the buffers of a CPU
 * @buffer_a: a ring buffer
 * @buffer_b: another
 * @cpu: the CPU
 *
 * Whether the ring buffers record does not matter.
 *
 * Context: on @cpu with interrupts off, or nobody writes to @cpu's buffers.
 * Return: 0; -EINVAL if they do not match in size, one has no such CPU, or has
 * memory that is not its own; -EAGAIN while ring_buffer_record_disable_cpu() holds
 * for one of them; -EBUSY in the midst of a write or of a change of size, or if one is
 * mapped.
 */
int ring_buffer_swap_cpu(struct trace_buffer *buffer_a,
			 struct trace_buffer *buffer_b, int cpu)
{
	struct rb_cpu *a = rb_cpu_get(buffer_a, cpu);
	struct rb_cpu *b = rb_cpu_get(buffer_b, cpu);
	int ret = -EBUSY;

	if (!a || !b || a->nr != b->nr || a->order != b->order ||
	    rb_object(buffer_a)->persist || rb_object(buffer_b)->persist)
		return -EINVAL;
	/* As an iterator does: it keeps rb_resize_claim_rings() out. */
	if (atomic_inc_unless_negative(&a->resize_disabled)) {
		if (atomic_inc_unless_negative(&b->resize_disabled)) {
			ret = rb_swap_alone(a, b);
			atomic_dec(&b->resize_disabled);
		}
		atomic_dec(&a->resize_disabled);
	}
	return ret;
}
EXPORT_SYMBOL_GPL(ring_buffer_swap_cpu);

/**
 * struct rb_swap_call - a function that swaps a CPU's buffers, on that CPU
 * @a: a buffer of the CPU
 * @b: the other one
 * @func: the function
 * @arg: its argument
 * @ret: what it returned last
 * @close: turn writers away from the next try on
 * @closed: RB_CPU_QUIESCED was left set in both
 */
struct rb_swap_call {
	struct rb_cpu	*a;
	struct rb_cpu	*b;
	int		(*func)(void *arg);
	void		*arg;
	int		ret;
	bool		close;
	bool		closed;
};

/* Set RB_CPU_QUIESCED in both, or clear it. While it is set, nobody exchanges them. */
static void rb_swap_set_closed(struct rb_swap_call *call, bool closed)
{
	int add = closed ? RB_CPU_QUIESCED : -(int)RB_CPU_QUIESCED;

	if (call->closed == closed)
		return;
	atomic_add(add, &call->a->w.disabled);
	atomic_add(add, &call->b->w.disabled);
	call->closed = closed;
}

/*
 * Runs on the CPU in hard irq.  Only an NMI comes in while the buffers are open, and it has
 * written its events by the time that the function looks.
 */
static void rb_swap_try(void *data)
{
	struct rb_swap_call *call = data;

	lockdep_assert_irqs_disabled();
	rb_swap_set_closed(call, false);
	call->ret = call->func(call->arg);
	rb_swap_set_closed(call, call->close && call->ret == -EINTR);
}

/**
 * ring_buffer_swap_call - swap the buffers of another CPU by a function
 * @buffer_a: a ring buffer
 * @buffer_b: another
 * @cpu: the CPU
 * @func: is called on that CPU, calls ring_buffer_swap_cpu(), and returns -EINTR if the call has
 *	come in the midst of a write, and something else if that is the end
 * @arg: its argument
 *
 * Where each call comes in the midst of a write, the CPU is closed to writers between the
 * tries, see quiesce.c. The events that are turned away count as dropped.
 *
 * Context: task, may sleep; nobody else swaps the two. Takes cpus_read_lock().
 * Return: the last value of @func; -EINTR if a signal came; -EBUSY if a writer does not come to
 * its end; -ENXIO if @cpu does not run; -EINVAL if there is no such CPU.
 */
int ring_buffer_swap_call(struct trace_buffer *buffer_a, struct trace_buffer *buffer_b, int cpu,
			  int (*func)(void *arg), void *arg)
{
	struct rb_swap_call call = {
		.a = rb_cpu_get(buffer_a, cpu), .b = rb_cpu_get(buffer_b, cpu),
		.func = func, .arg = arg,
	};
	unsigned long end = jiffies + RB_QUIESCE_TICKS;
	unsigned int tries = 0;
	int ret;

	if (!call.a || !call.b)
		return -EINVAL;
	guard(cpus_read_lock)();
	do {
		call.close = ++tries > RB_QUIESCE_OPEN_TRIES;
		ret = trace_cpu_call(cpu, rb_swap_try, &call);
		if (ret || call.ret != -EINTR)
			break;
		if (tries > 2 * RB_QUIESCE_OPEN_TRIES && time_after(jiffies, end))
			ret = -EBUSY;
		else if (signal_pending(current))
			ret = -EINTR;
		cond_resched();
	} while (!ret);
	rb_swap_set_closed(&call, false);
	return ret ?: call.ret;
}
