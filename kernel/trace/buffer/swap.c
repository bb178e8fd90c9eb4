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
 * Whether they record does not matter, but ring_buffer_record_disable_cpu()
 * belongs to what is exchanged.
 *
 * Context: on @cpu with interrupts off, or nobody writes to @cpu's buffers.
 * Return: 0; -EINVAL if they do not match in size or one has no such CPU;
 * -EBUSY in the midst of a write, or if one is mapped.
 */
int ring_buffer_swap_cpu(struct trace_buffer *buffer_a,
			 struct trace_buffer *buffer_b, int cpu)
{
	struct rb_cpu *a = rb_cpu_get(buffer_a, cpu);
	struct rb_cpu *b = rb_cpu_get(buffer_b, cpu);
	int ret = -EBUSY;

	if (!a || !b || a->nr != b->nr || a->order != b->order)
		return -EINVAL;

	/* Only NMIs can come in between; they are turned away. */
	atomic_inc(&a->w.disabled);
	atomic_inc(&b->w.disabled);
	barrier();
	if (!a->w.context && !a->w.nested && !b->w.context && !b->w.nested &&
	    !a->mapped && !b->mapped) {
		WRITE_ONCE(buffer_a->writers[cpu], &b->w);
		WRITE_ONCE(buffer_b->writers[cpu], &a->w);
		WRITE_ONCE(a->w.buffer, buffer_b);
		WRITE_ONCE(b->w.buffer, buffer_a);
		/* Who was about to enter shall look whose it is. */
		WRITE_ONCE(a->w.crossed, 1);
		WRITE_ONCE(b->w.crossed, 1);
		ret = 0;
	}
	barrier();
	atomic_dec(&a->w.disabled);
	atomic_dec(&b->w.disabled);
	return ret;
}
EXPORT_SYMBOL_GPL(ring_buffer_swap_cpu);
