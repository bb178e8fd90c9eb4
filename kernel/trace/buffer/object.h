/* SPDX-License-Identifier: GPL-2.0 */
/*
 * buffer/ inside: a ring buffer as a whole, that is, which CPUs have a buffer, who waits
 * for their data, and the lock that serializes changes.  writer.h tells what the words beside
 * members mean.
 *
 * BARRIERS, by the label that stands at both sides:
 *
 *	CP	smp_wmb() between the pointer to a new CPU's buffer and the bit in
 *		rb_object::cpumask pairs with the smp_rmb() in rb_cpu_get().
 *	CD	the atomic_xchg() of rb_object::cpu_disabled (full barrier) behind the store
 *		of that pointer pairs with the smp_rmb() of who finds RB_DISABLED_MOVED, and
 *		then loads the pointer.
 */
#ifndef _TRACE_BUFFER_OBJECT_H
#define _TRACE_BUFFER_OBJECT_H

#include <linux/cpumask.h>
#include <linux/mutex.h>

#include "buffer/ring.h"
#include "buffer/wait.h"

/* rb_object::cpu_disabled of a CPU that has a buffer: rb_writer::disabled counts. */
#define RB_DISABLED_MOVED	(-1)

/**
 * struct rb_object - a ring buffer, with what its writers do not need
 * @mutex: serializes changes of structure; whoever calls a function on a CPU holds
 *	cpus_read_lock() outside of it
 * @node: for CPUs that are about to come, and CPUs that are dead
 * @online_node: for CPUs that have come
 * @wait: those who wait for any CPU
 * @cpu_wait: those who wait for one CPU, and how it wakes; an array of nr_cpu_ids
 * @cpu_disabled: how often recording is disabled on each CPU that has no rb_cpu yet, or
 *	RB_DISABLED_MOVED; an array of nr_cpu_ids
 * @cpumask: CPUs that have an rb_cpu; a bit is set after the pointer in @buffer
 * @reader_key: lock class of all reader_locks
 * @persist: state of a buffer in memory that survives a reboot, see persist.c;
 *	NULL: the memory is allocated
 * @watch: is told of sub-buffers that were completed, and of losses; or NULL
 * @buffer: what the interface calls the ring buffer, with the writers of all CPUs
 */
struct rb_object {
	struct mutex		mutex;			/* outside of reader_lock */
	struct hlist_node	node;			/* constant */
	struct hlist_node	online_node;		/* constant */
	struct rb_wait		wait;
	struct rb_cpu_wait	*cpu_wait;		/* constant */
	atomic_t		*cpu_disabled;		/* constant; its elements: atomic */
	cpumask_var_t		cpumask;		/* mutex */
	struct lock_class_key	*reader_key;		/* constant */
	struct rb_persist	*persist;		/* constant */
	struct ring_buffer_watch *watch;		/* READ_ONCE() */
	struct trace_buffer	buffer;
};

static inline struct rb_object *rb_object(struct trace_buffer *buffer)
{
	return container_of(buffer, struct rb_object, buffer);
}

/* The buffer of a CPU that is known to have one.  A swap may exchange it meanwhile. */
static inline struct rb_cpu *rb_cpu_at(struct trace_buffer *buffer, int cpu)
{
	return rb_cpu_of(READ_ONCE(buffer->writers[cpu]));
}

/*
 * The buffer of a CPU that a caller names; NULL if it has none.  A loop over rb_object::cpumask
 * without rb_object::mutex gets the buffers here, too: the bit alone does not order the pointer.
 */
static inline struct rb_cpu *rb_cpu_get(struct trace_buffer *buffer, int cpu)
{
	/* The number is a caller's, and no mask is longer than this. */
	if ((unsigned int)cpu >= nr_cpu_ids ||
	    !cpumask_test_cpu(cpu, rb_object(buffer)->cpumask))
		return NULL;
	smp_rmb();	/* CP */
	return rb_cpu_at(buffer, cpu);
}

#endif /* _TRACE_BUFFER_OBJECT_H */
