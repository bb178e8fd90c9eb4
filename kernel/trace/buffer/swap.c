// SPDX-License-Identifier: GPL-2.0
/*
 * Exchange of one CPU's buffers between two ring buffers: the snapshot of
 * what has been written, in a few stores.
 */
#include "buffer/internal.h"

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
	if (!rb_no_writer(a) || !rb_no_writer(b) || a->meta || b->meta)
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
