// SPDX-License-Identifier: GPL-2.0
/*
 * Exchange of one CPU's buffers between two ring buffers: the snapshot of
 * what has been written, in a few stores.
 */
#include "buffer/internal.h"

/**
 * ring_buffer_swap_cpu - exchange the buffers of a CPU
 * @buffer_a: a ring buffer
 * @buffer_b: another
 * @cpu: the CPU
 *
 * Context: on @cpu with interrupts off, or nobody writes to @cpu's buffers.
 * Return: 0; -EINVAL if they do not match in size or one has no such CPU;
 * -EAGAIN if recording is off in one; -EBUSY in the midst of a write.
 */
int ring_buffer_swap_cpu(struct trace_buffer *buffer_a,
			 struct trace_buffer *buffer_b, int cpu)
{
	struct rb_cpu *a = rb_cpu_get(buffer_a, cpu);
	struct rb_cpu *b = rb_cpu_get(buffer_b, cpu);
	int ret = -EBUSY;

	if (!a || !b || a->nr != b->nr || a->order != b->order)
		return -EINVAL;
	if ((atomic_read(&buffer_a->state) | atomic_read(&buffer_b->state)) &
	    RB_STATE_DISABLED)
		return -EAGAIN;
	if (atomic_read(&a->disabled) || atomic_read(&b->disabled))
		return -EAGAIN;

	/* Only NMIs can come in between; they are turned away. */
	atomic_inc(&a->disabled);
	atomic_inc(&b->disabled);
	barrier();
	if (!a->context && !a->nested && !b->context && !b->nested) {
		WRITE_ONCE(buffer_a->cpus[cpu], b);
		WRITE_ONCE(buffer_b->cpus[cpu], a);
		WRITE_ONCE(a->buffer, buffer_b);
		WRITE_ONCE(b->buffer, buffer_a);
		ret = 0;
	}
	barrier();
	atomic_dec(&a->disabled);
	atomic_dec(&b->disabled);
	return ret;
}
EXPORT_SYMBOL_GPL(ring_buffer_swap_cpu);
