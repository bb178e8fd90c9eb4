// SPDX-License-Identifier: GPL-2.0
/*
 * The ring buffer as an object: allocation, CPUs that come, recording on and
 * off, clock and mode.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/gfp.h>
#include <linux/slab.h>
#include <linux/trace_clock.h>

#include "buffer/internal.h"

static struct rb_cpu *buffer_cpu_alloc(struct trace_buffer *buffer, int cpu, unsigned int nr)
{
	size_t size = ALIGN(sizeof(struct rb_cpu), cache_line_size());
	struct rb_cpu *cb;

	if (rb_object(buffer)->persist) {
		cb = rb_persist_cpu(buffer, cpu);
		if (!cb)
			return NULL;
	} else {
		cb = kzalloc_node(size, GFP_KERNEL, cpu_to_node(cpu));
		if (!cb)
			return NULL;
		cb->cpu = cpu;
		cb->w.buffer = buffer;
		if (rb_cpu_ring_init(cb, nr, buffer->order)) {
			kfree(cb);
			return NULL;
		}
	}
	raw_spin_lock_init(&cb->reader_lock);
	lockdep_set_class(&cb->reader_lock, rb_object(buffer)->reader_key);
	return cb;
}

static void buffer_cpu_free(struct rb_cpu *cb)
{
	if (rb_object(cb->w.buffer)->persist) {
		rb_drop_free_pages(cb, cb->order);
		rb_persist_cpu_free(cb);
	} else {
		rb_cpu_ring_free(cb);
		kfree(cb);
	}
}

/*
 * Let others find the buffer of @cpu.  The CPU does not run yet, or the ring buffer is new and
 * nobody has a pointer to it.  If @cpu was disabled before, its buffer counts that from now on.
 * Somebody may wait for all CPUs: the first event looks.
 */
static void buffer_cpu_publish(struct rb_object *object, int cpu, struct rb_cpu *cb)
{
	cb->w.wake = 1;
	object->buffer.writers[cpu] = &cb->w;
	smp_wmb();	/* CP: a reader of the bit finds the pointer */
	cpumask_set_cpu(cpu, object->cpumask);
	atomic_add(atomic_xchg(&object->cpu_disabled[cpu], RB_DISABLED_MOVED),	/* CD */
		   &cb->w.disabled);
}

/**
 * trace_rb_cpu_prepare - have a buffer for a CPU that is about to run
 * @cpu: the CPU
 * @node: trace_buffer::node
 *
 * The CPU gets the size that the others have, or the least if they differ.
 * Its buffer stays when it goes.
 *
 * Context: task; callback of CPUHP_TRACE_RB_PREPARE, in cpus_write_lock().
 * Return: 0 or -ENOMEM.
 */
int trace_rb_cpu_prepare(unsigned int cpu, struct hlist_node *node)
{
	struct rb_object *object = container_of(node, struct rb_object, node);
	struct trace_buffer *buffer = &object->buffer;
	struct rb_cpu *cb;
	unsigned int nr = 0;
	bool same = true;
	int other;

	guard(mutex)(&object->mutex);
	if (cpumask_test_cpu(cpu, object->cpumask)) {
		/* A swap could not exchange it while the CPU was dead. */
		atomic_andnot(RB_CPU_DEAD, &rb_cpu_at(buffer, cpu)->w.disabled);
		return 0;
	}
	for_each_cpu(other, object->cpumask) {
		same = same && (!nr || nr == rb_cpu_at(buffer, other)->nr);
		nr = rb_cpu_at(buffer, other)->nr;
	}
	cb = buffer_cpu_alloc(buffer, cpu, same ? nr : rb_nr_for(1, buffer->order));
	if (!cb)
		return -ENOMEM;
	buffer_cpu_publish(object, cpu, cb);
	return 0;
}

/**
 * trace_rb_cpu_online - a CPU runs what it queues from now on
 * @cpu: the CPU
 * @node: the other one of the ring buffer
 *
 * A waiter for what it wrote first is woken.
 *
 * Context: task on @cpu; callback of the state after it was set online.
 * Return: 0.
 */
int trace_rb_cpu_online(unsigned int cpu, struct hlist_node *node)
{
	rb_wait_cpu_changed(container_of(node, struct rb_object, online_node), cpu);
	return 0;
}

/**
 * trace_rb_cpu_dead - a CPU writes no more, until trace_rb_cpu_prepare()
 * @cpu: the CPU, which does not run any more
 * @node: trace_buffer::node
 *
 * Its ring may be changed from other CPUs now. A waiter for what it wrote last is woken.
 *
 * Context: task; callback of CPUHP_TRACE_RB_PREPARE, in cpus_write_lock().
 * Return: 0.
 */
int trace_rb_cpu_dead(unsigned int cpu, struct hlist_node *node)
{
	struct rb_object *object = container_of(node, struct rb_object, node);

	atomic_or(RB_CPU_DEAD, &rb_cpu_at(&object->buffer, cpu)->w.disabled);
	rb_wait_cpu_changed(object, cpu);
	return 0;
}

/* The number of the state that calls trace_rb_cpu_online(). */
static int rb_online_state __ro_after_init;

/**
 * trace_rb_hotplug_init - let buffers follow CPUs that come and go
 *
 * Context: boot, before the first buffer is made.
 * Return: 0 or an errno.
 */
int __init trace_rb_hotplug_init(void)
{
	int ret = cpuhp_setup_state_multi(CPUHP_TRACE_RB_PREPARE, "trace/RB:prepare",
					  trace_rb_cpu_prepare, trace_rb_cpu_dead);

	if (ret < 0)
		return ret;
	ret = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "trace/RB:online",
				      trace_rb_cpu_online, NULL);
	if (ret < 0)
		return ret;
	rb_online_state = ret;
	return 0;
}

/* Nobody was, or is any more, about to wake anybody: there were no events, or rb_waits_exit(). */
static void rb_buffer_object_free(struct rb_object *object)
{
	unsigned int cpu;

	for_each_cpu(cpu, object->cpumask)
		buffer_cpu_free(rb_cpu_at(&object->buffer, cpu));
	kvfree(object->cpu_wait);
	kvfree(object->cpu_disabled);
	free_cpumask_var(object->cpumask);
	kfree(object);
}

/* A ring buffer without a CPU. */
static struct rb_object *rb_buffer_object_alloc(unsigned int flags, struct lock_class_key *key,
						struct rb_persist *persist, unsigned int order)
{
	struct rb_object *object;

	object = kzalloc(struct_size(object, buffer.writers, nr_cpu_ids), GFP_KERNEL);
	if (!object)
		return NULL;
	object->cpu_disabled = kvcalloc(nr_cpu_ids, sizeof(*object->cpu_disabled), GFP_KERNEL);
	if (!object->cpu_disabled || rb_waits_init(object) ||
	    !zalloc_cpumask_var(&object->cpumask, GFP_KERNEL))
		goto free;
	mutex_init(&object->mutex);
	object->reader_key = key;
	object->persist = persist;
	object->buffer.overwrite = flags & RB_FL_OVERWRITE;
	object->buffer.clock = trace_clock_local;
	object->buffer.order = order;
	return object;
free:
	kvfree(object->cpu_wait);
	kvfree(object->cpu_disabled);
	kfree(object);
	return NULL;
}

static struct trace_buffer *
rb_buffer_alloc(unsigned long size, unsigned int flags, struct lock_class_key *key,
		struct rb_persist *persist, unsigned int order)
{
	struct rb_object *object = rb_buffer_object_alloc(flags, key, persist, order);
	int cpu = raw_smp_processor_id();
	struct rb_cpu *cb;

	if (!object)
		return NULL;
	/* The first sets the size of the others. */
	cb = buffer_cpu_alloc(&object->buffer, cpu, rb_nr_for(size, order));
	if (!cb)
		goto free;
	buffer_cpu_publish(object, cpu, cb);
	if (cpuhp_state_add_instance(CPUHP_TRACE_RB_PREPARE, &object->node))
		goto free;
	if (!cpuhp_state_add_instance_nocalls(rb_online_state, &object->online_node))
		return &object->buffer;
	cpuhp_state_remove_instance_nocalls(CPUHP_TRACE_RB_PREPARE, &object->node);
free:
	rb_buffer_object_free(object);
	return NULL;
}

/**
 * __ring_buffer_alloc - allocate a ring buffer
 * @size: bytes of data for each CPU
 * @flags: RB_FL_OVERWRITE to lose old events, else new ones are refused
 * @key: lock class of its reader locks
 *
 * Context: task; CPUHP_TRACE_RB_PREPARE must have been set up.
 * Return: the buffer, recording; NULL if memory is short.
 */
struct trace_buffer *
__ring_buffer_alloc(unsigned long size, unsigned int flags, struct lock_class_key *key)
{
	return rb_buffer_alloc(size, flags, key, NULL, 0);
}
EXPORT_SYMBOL_GPL(__ring_buffer_alloc);

/**
 * __ring_buffer_alloc_range - make a ring buffer in memory that is there
 * @size: not used, the memory tells the size
 * @flags: as for __ring_buffer_alloc()
 * @order: of its sub-buffers
 * @start: address of the memory, aligned to a sub-buffer; mapped for good
 * @range_size: bytes of it
 * @key: lock class of its reader locks
 *
 * A buffer of the same kernel and the same layout that is found there is kept. The buffer has
 * its size for good. ring_buffer_free() leaves the memory.
 *
 * Context: task; CPUHP_TRACE_RB_PREPARE must have been set up.
 * Return: the buffer, recording; NULL if the memory is too little.
 */
struct trace_buffer *
__ring_buffer_alloc_range(unsigned long size, unsigned int flags, int order,
			  unsigned long start, unsigned long range_size,
			  struct lock_class_key *key)
{
	struct rb_persist *persist = rb_persist_open(start, range_size, order);
	struct trace_buffer *buffer;

	if (!persist)
		return NULL;
	buffer = rb_buffer_alloc(0, flags, key, persist, order);
	if (!buffer)
		kfree(persist);
	return buffer;
}

/**
 * ring_buffer_free - free a ring buffer
 * @buffer: the ring buffer, which nobody writes to or reads any more
 *
 * It waits for the CPUs that are about to wake readers.
 *
 * Context: task, may sleep.
 */
void ring_buffer_free(struct trace_buffer *buffer)
{
	struct rb_object *object = rb_object(buffer);
	struct rb_persist *persist = object->persist;

	/* No CPU goes, and nobody waits for data, so the callbacks need not be called. */
	cpuhp_state_remove_instance_nocalls(rb_online_state, &object->online_node);
	cpuhp_state_remove_instance_nocalls(CPUHP_TRACE_RB_PREPARE, &object->node);
	/* The pending wakeups look at the CPUs' buffers: end them before these are freed. */
	rb_waits_exit(object);
	rb_buffer_object_free(object);
	kfree(persist);
}
EXPORT_SYMBOL_GPL(ring_buffer_free);

/**
 * ring_buffer_change_overwrite - choose what to lose when it is full
 * @buffer: the ring buffer
 * @val: the oldest events if not zero, else the newest
 *
 * Context: task.
 */
void ring_buffer_change_overwrite(struct trace_buffer *buffer, int val)
{
	/* A change of structure does not look at it, so this does not wait for one. */
	WRITE_ONCE(buffer->overwrite, !!val);
}
EXPORT_SYMBOL_GPL(ring_buffer_change_overwrite);

/**
 * ring_buffer_record_disable - one more reason not to record
 * @buffer: the ring buffer
 *
 * Counted; ring_buffer_record_enable() takes it back.  Events that are being
 * written are not waited for: synchronize_rcu() does.
 *
 * Context: any.
 */
void ring_buffer_record_disable(struct trace_buffer *buffer)
{
	atomic_inc(&buffer->state);
}
EXPORT_SYMBOL_GPL(ring_buffer_record_disable);

/**
 * ring_buffer_record_enable - take one ring_buffer_record_disable() back
 * @buffer: the ring buffer
 *
 * Context: any.
 */
void ring_buffer_record_enable(struct trace_buffer *buffer)
{
	atomic_dec(&buffer->state);
}
EXPORT_SYMBOL_GPL(ring_buffer_record_enable);

/**
 * ring_buffer_record_off - switch recording off
 * @buffer: the ring buffer
 *
 * A switch, not counted; independent of ring_buffer_record_disable().
 *
 * Context: any.
 */
void ring_buffer_record_off(struct trace_buffer *buffer)
{
	atomic_or(RB_STATE_OFF, &buffer->state);
}
EXPORT_SYMBOL_GPL(ring_buffer_record_off);

/**
 * ring_buffer_record_on - switch recording on
 * @buffer: the ring buffer
 *
 * Pauses by ring_buffer_record_disable() remain.
 *
 * Context: any.
 */
void ring_buffer_record_on(struct trace_buffer *buffer)
{
	atomic_andnot(RB_STATE_OFF, &buffer->state);
}
EXPORT_SYMBOL_GPL(ring_buffer_record_on);

/* Is it recording: switched on, and by nobody disabled? */
bool ring_buffer_record_is_on(struct trace_buffer *buffer)
{
	return !(atomic_read(&buffer->state) & RB_STATE_DISABLED);
}

/* Is it switched on, disabled or not? */
bool ring_buffer_record_is_set_on(struct trace_buffer *buffer)
{
	return !(atomic_read(&buffer->state) & RB_STATE_OFF);
}

/**
 * ring_buffer_record_disable_cpu - one more reason not to record on a CPU
 * @buffer: the ring buffer
 * @cpu: which; if it has no buffer yet, it will not record when it comes up
 *
 * Context: any; nobody calls ring_buffer_swap_cpu() for @cpu meanwhile.  Afterwards a swap is
 * refused.
 */
void ring_buffer_record_disable_cpu(struct trace_buffer *buffer, int cpu)
{
	if ((unsigned int)cpu >= nr_cpu_ids ||
	    atomic_inc_unless_negative(&rb_object(buffer)->cpu_disabled[cpu]))
		return;
	smp_rmb();	/* CD */
	atomic_inc(&rb_cpu_at(buffer, cpu)->w.disabled);
}
EXPORT_SYMBOL_GPL(ring_buffer_record_disable_cpu);

/**
 * ring_buffer_record_enable_cpu - take one ring_buffer_record_disable_cpu() back
 * @buffer: the ring buffer
 * @cpu: whose
 *
 * Context: any.
 */
void ring_buffer_record_enable_cpu(struct trace_buffer *buffer, int cpu)
{
	if ((unsigned int)cpu >= nr_cpu_ids ||
	    atomic_dec_if_positive(&rb_object(buffer)->cpu_disabled[cpu]) !=
	    RB_DISABLED_MOVED - 1)
		return;
	smp_rmb();	/* CD */
	atomic_dec(&rb_cpu_at(buffer, cpu)->w.disabled);
}
EXPORT_SYMBOL_GPL(ring_buffer_record_enable_cpu);

/**
 * ring_buffer_set_clock - choose the clock
 * @buffer: the ring buffer; to be reset, unless the clocks agree
 * @clock: reads the time; callable in any context
 *
 * Context: any.
 */
void ring_buffer_set_clock(struct trace_buffer *buffer, u64 (*clock)(void))
{
	/* The writer calls the default clock without looking. */
	atomic_or(RB_STATE_CLOCK, &buffer->state);
	WRITE_ONCE(buffer->clock, clock);
	if (clock == trace_clock_local)
		atomic_andnot(RB_STATE_CLOCK, &buffer->state);
}

/* Have each event tell its time in full, or end that.  Context: any. */
void ring_buffer_set_time_stamp_abs(struct trace_buffer *buffer, bool abs)
{
	if (abs)
		atomic_or(RB_STATE_ABS, &buffer->state);
	else
		atomic_andnot(RB_STATE_ABS, &buffer->state);
}

/* Does each event tell its time in full? */
bool ring_buffer_time_stamp_abs(struct trace_buffer *buffer)
{
	return atomic_read(&buffer->state) & RB_STATE_ABS;
}

/**
 * ring_buffer_time_stamp - the time now
 * @buffer: the ring buffer
 *
 * Context: any.
 * Return: the time in the clock of @buffer.
 */
u64 ring_buffer_time_stamp(struct trace_buffer *buffer)
{
	u64 now;

	preempt_disable_notrace();
	now = rb_clock(buffer);
	preempt_enable_notrace();
	return now;
}
EXPORT_SYMBOL_GPL(ring_buffer_time_stamp);

/**
 * ring_buffer_normalize_time_stamp - turn the stamp of an event into the unit of the clock
 * @buffer: the ring buffer
 * @cpu: whose
 * @ts: the stamp, which stays as it is: the units are the same
 *
 * Context: any.
 */
void ring_buffer_normalize_time_stamp(struct trace_buffer *buffer, int cpu, u64 *ts)
{
}
EXPORT_SYMBOL_GPL(ring_buffer_normalize_time_stamp);
