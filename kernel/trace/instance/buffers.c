// SPDX-License-Identifier: GPL-2.0
/*
 * The two buffers of an instance: their memory, their size, and emptying them.
 * Tracing records into the first one. The second one is for snapshots: it has the
 * smallest possible size until somebody needs it as large as the first.
 *
 * Early boot makes the top instance with the smallest size for both buffers. The code that
 * first switches on something that records gives them their full size by trace_array_expand().
 *
 * tr->buffers_mutex is held while either buffer is resized or emptied, and stamped by another
 * clock. Where no snapshot may come in between, trace_exchange_hold() keeps it out.
 *
 * Each CPU has to take an interrupt for such a change, so the mutex may be held for as long as a
 * CPU stands still. A task that has the lock of all instances, or the events mutex, does not take
 * it, or files of other instances would wait as well. Its needs are
 * there in tr->exchange, or it asks for them, see later.c.
 */
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "instance/buffers.h"
#include "instance/component.h"
#include "instance/internal.h"
#include "instance/option.h"
#include "lib/wait.h"

/* Bytes of a CPU's buffer at its full size, unless trace_buf_size= gives another number. */
#define FULL_SIZE_DEFAULT	1441792UL
#define FULL_SIZE_MIN		4096UL
/* The ring buffer rounds it up to the smallest possible size. */
#define LEAST_SIZE		1UL

static unsigned long full_size __ro_after_init = FULL_SIZE_DEFAULT;

static int __init buffers_size_setup(char *text)
{
	/* A size below the smallest one means the smallest one. */
	full_size = max(memparse(text, &text), FULL_SIZE_MIN);
	return 1;
}
__setup("trace_buf_size=", buffers_size_setup);

/**
 * trace_buffer_full_size - the size that buffers expand to
 *
 * Context: any.
 * Return: bytes of each CPU.
 */
unsigned long trace_buffer_full_size(void)
{
	return full_size;
}

/**
 * trace_buffers_lock - let nobody else change the buffers
 * @tr: the instance
 *
 * Context: task, may sleep; no lock that others need, see lib/wait.h. Takes tr->buffers_mutex.
 */
void trace_buffers_lock(struct trace_array *tr)
{
	trace_may_wait();
	mutex_lock(&tr->buffers_mutex);
}

/**
 * trace_buffers_lock_killable - let nobody else change the buffers, unless the task is killed
 * @tr: the instance
 *
 * Context: as trace_buffers_lock().
 * Return: 0; -EINTR: the task is killed, and does not have the mutex.
 */
int trace_buffers_lock_killable(struct trace_array *tr)
{
	trace_may_wait();
	return mutex_lock_killable(&tr->buffers_mutex);
}

/**
 * trace_buffers_unlock - undo trace_buffers_lock()
 * @tr: the instance
 *
 * Context: task.
 */
void trace_buffers_unlock(struct trace_array *tr)
{
	mutex_unlock(&tr->buffers_mutex);
}

/* The size that all CPUs' buffers have; 0: they differ. */
static unsigned long buffers_common_size(struct trace_buffer *buffer)
{
	unsigned long common = 0, size;
	int cpu;

	for_each_possible_cpu(cpu) {
		size = ring_buffer_size(buffer, cpu);
		if (size && common && size != common)
			return 0;
		common = size ?: common;
	}
	return common;
}

/*
 * Give the second buffer the order of the first one, and each CPU the size that it has there. Each
 * change of sizes waits for a grace period, so all CPUs change at once if they can: a CPU's buffer
 * that is iterated over keeps others from it, even if its own size is right.
 */
static int buffers_match_second(struct trace_array *tr)
{
	struct trace_buffer *first = tr->array_buffer.buffer, *second = tr->snapshot.buffer;
	unsigned long common = buffers_common_size(first);
	int cpu, ret;

	lockdep_assert_held(&tr->buffers_mutex);
	ret = ring_buffer_subbuf_order_set(second, ring_buffer_subbuf_order_get(first));
	if (!ret && common && !ring_buffer_resize(second, common, RING_BUFFER_ALL_CPUS))
		return 0;
	for_each_possible_cpu(cpu) {
		unsigned long size = ring_buffer_size(first, cpu);

		if (!ret && size && size != ring_buffer_size(second, cpu))
			ret = ring_buffer_resize(second, size, cpu);
	}
	return ret;
}

/* Throw away all records of the second buffer. No exchange can happen. */
static void buffers_clear_second(struct trace_array *tr)
{
	lockdep_assert_held(&tr->buffers_mutex);
	/* The second buffer is empty: clear time_start, which the next exchange sets anew. */
	tr->snapshot.time_start = 0;
	ring_buffer_reset(tr->snapshot.buffer);
}

/**
 * trace_second_buffer_shrink - empty the second buffer and give back its memory
 * @tr: the instance, in which no exchange is allowed, see trace_exchange_forbid()
 *
 * A CPU's buffer cannot shrink while somebody iterates over it: trace_second_buffer_reader_left()
 * tries again.
 *
 * Context: task, may sleep; tr->buffers_mutex is held.
 */
void trace_second_buffer_shrink(struct trace_array *tr)
{
	bool left = false;
	int cpu;

	lockdep_assert_held(&tr->buffers_mutex);
	buffers_clear_second(tr);
	if (ring_buffer_resize(tr->snapshot.buffer, LEAST_SIZE, RING_BUFFER_ALL_CPUS)) {
		for_each_possible_cpu(cpu) {
			if (ring_buffer_resize(tr->snapshot.buffer, LEAST_SIZE, cpu))
				left = true;
		}
	}
	WRITE_ONCE(tr->second_shrinks, left);
}

/**
 * trace_second_buffer_grow - make the second buffer as large as the first
 * @tr: the instance
 *
 * Context: task, may sleep; tr->buffers_mutex is held.
 * Return: 0; -EINVAL when the instance has no second buffer, -ENOMEM, -EBUSY.
 */
int trace_second_buffer_grow(struct trace_array *tr)
{
	int ret;

	lockdep_assert_held(&tr->buffers_mutex);
	if (trace_exchange_allowed(tr))
		return 0;
	if (!tr->snapshot.buffer)
		return -EINVAL;
	/* A tracer's maximum that is left there was no snapshot. */
	if (tr->second_shrinks)
		buffers_clear_second(tr);
	ret = buffers_match_second(tr);
	if (ret) {
		trace_second_buffer_shrink(tr);
		return ret;
	}
	WRITE_ONCE(tr->second_shrinks, false);
	trace_exchange_allow(tr);
	return 0;
}

/**
 * trace_second_buffer_reset - empty the second buffer
 * @tr: the instance
 * @cpu: one CPU, or RING_BUFFER_ALL_CPUS
 *
 * Context: task, may sleep; tr->buffers_mutex is held, trace_exchange_hold() was
 * called.
 */
void trace_second_buffer_reset(struct trace_array *tr, int cpu)
{
	lockdep_assert_held(&tr->buffers_mutex);
	if (cpu == RING_BUFFER_ALL_CPUS)
		buffers_clear_second(tr);
	else
		ring_buffer_reset_cpu(tr->snapshot.buffer, cpu);
}

/**
 * trace_second_buffer_reader_left - a reader no longer iterates over records
 * @tr: the instance
 *
 * If the second buffer could not shrink because of the reader, it does so now.
 *
 * Context: task, may sleep, as trace_buffers_lock().
 */
void trace_second_buffer_reader_left(struct trace_array *tr)
{
	if (!READ_ONCE(tr->second_shrinks))
		return;
	guard(trace_buffers)(tr);
	/* Nobody has made it large again since. */
	if (tr->second_shrinks && !trace_exchange_allowed(tr))
		trace_second_buffer_shrink(tr);
}

/* Resize a CPU's buffer, or those of all, in both. trace_exchange_hold() was called. */
static int buffers_resize_both(struct trace_array *tr, unsigned long bytes, int cpu)
{
	bool both = trace_exchange_allowed(tr);
	int ret = 0;

	lockdep_assert_held(&tr->buffers_mutex);
	if (both)
		ret = ring_buffer_resize(tr->snapshot.buffer, bytes, cpu);
	if (ret >= 0)
		ret = ring_buffer_resize(tr->array_buffer.buffer, bytes, cpu);
	if (ret < 0 && both)
		buffers_match_second(tr);
	return ret;
}

static int buffers_resize(struct trace_array *tr, unsigned long bytes, int cpu)
{
	int ret;

	lockdep_assert_held(&tr->buffers_mutex);
	trace_exchange_hold(tr);
	ret = buffers_resize_both(tr, bytes, cpu);
	trace_exchange_release(tr);
	if (ret < 0)
		return ret;
	/* trace_array_expand() leaves alone a size that a user has chosen. */
	WRITE_ONCE(tr->expanded, true);
	return 0;
}

/**
 * trace_array_resize - change the size of the buffer
 * @tr: the instance
 * @bytes: of each CPU
 * @cpu: one CPU, or RING_BUFFER_ALL_CPUS
 *
 * Context: task, may sleep, as trace_buffers_lock_killable().
 * Return: 0, -ENOMEM, -EINVAL, -EBUSY while the buffer cannot be resized, -EINTR.
 */
int trace_array_resize(struct trace_array *tr, unsigned long bytes, int cpu)
{
	int ret = trace_buffers_lock_killable(tr);

	if (ret)
		return ret;
	ret = buffers_resize(tr, bytes, cpu);
	trace_buffers_unlock(tr);
	return ret;
}

/**
 * trace_array_shrink - give back the memory of the buffer, as far as that can be
 * @tr: the instance
 *
 * No signal keeps it from that.
 *
 * Context: task, may sleep, as trace_buffers_lock().
 */
void trace_array_shrink(struct trace_array *tr)
{
	guard(trace_buffers)(tr);
	buffers_resize(tr, LEAST_SIZE, RING_BUFFER_ALL_CPUS);
}

static int buffers_expand(struct trace_array *tr)
{
	int ret = trace_buffers_lock_killable(tr);

	if (ret)
		return ret;
	ret = tr->expanded ? 0 : buffers_resize(tr, full_size, RING_BUFFER_ALL_CPUS);
	trace_buffers_unlock(tr);
	return ret;
}

static void buffers_expand_later(struct trace_array *tr)
{
	if (buffers_expand(tr))
		pr_warn("tracing: the buffer keeps its boot-time size\n");
}

/**
 * trace_array_expand - let the buffer grow from its size at boot to its full size
 * @tr: the instance; nothing happens when it was expanded or resized before
 *
 * The code that switches on something that records calls this before. If it has a lock that others
 * need, the buffer grows later, with the records that it has by then: see trace_buffers_settle().
 *
 * Context: task, may sleep; without such a lock, as trace_buffers_lock_killable().
 * Return: as trace_array_resize(); 0 if the buffer grows later.
 */
int trace_array_expand(struct trace_array *tr)
{
	if (READ_ONCE(tr->expanded))
		return 0;
	if (!trace_wait_is_forbidden())
		return buffers_expand(tr);
	trace_later_ask(&tr->expand_later);
	return 0;
}

/* trace_exchange_hold() was called. */
static int buffers_set_order(struct trace_array *tr, int order)
{
	struct trace_buffer *first = tr->array_buffer.buffer;
	int ret;

	if (!trace_exchange_allowed(tr))
		return ring_buffer_subbuf_order_set(first, order);
	ret = ring_buffer_subbuf_order_set_both(first, tr->snapshot.buffer, order);
	if ((ret != -ENOMEM && ret != -EBUSY) || trace_exchange_forbid(tr))
		return ret;
	/* Nobody needs snapshots: change the first buffer alone, and give up the second one. */
	ret = ring_buffer_subbuf_order_set(first, order);
	/* The maximum of a tracer that has left meanwhile is no snapshot. */
	if (ret && !READ_ONCE(tr->second_shrinks))
		trace_exchange_allow(tr);
	else
		trace_second_buffer_shrink(tr);
	return ret;
}

/**
 * trace_array_set_order - change the size of the sub-buffers; all records are lost
 * @tr: the instance
 * @order: as of ring_buffer_subbuf_order_set()
 *
 * If there is no memory for both buffers, or a reader keeps the second one as it is, that
 * one shrinks, now or when the reader has gone, unless somebody needs snapshots.
 *
 * Context: task, may sleep, as trace_buffers_lock_killable().
 * Return: 0; -ENOMEM, -EINVAL, -EBUSY, -EINTR: nothing has changed.
 */
int trace_array_set_order(struct trace_array *tr, int order)
{
	int ret = trace_buffers_lock_killable(tr);

	if (ret)
		return ret;
	trace_exchange_hold(tr);
	ret = buffers_set_order(tr, order);
	trace_exchange_release(tr);
	trace_buffers_unlock(tr);
	return ret;
}

/* The trace begins now: records from before are not part of it, and are about to go. */
static void buffers_begin_first(struct trace_array *tr)
{
	struct array_buffer *first = &tr->array_buffer;

	lockdep_assert_held(&tr->buffers_mutex);
	first->time_start = ring_buffer_time_stamp(first->buffer);
	memset64(first->cpu_start, first->time_start, nr_cpu_ids);
	/* The records of the last boot are gone. New records have addresses of this boot. */
	WRITE_ONCE(tr->text_delta, 0);
	WRITE_ONCE(tr->data_delta, 0);
}

/* Throw away all records of the first buffer. A record that is being written may stay. */
static void buffers_clear_first(struct trace_array *tr)
{
	buffers_begin_first(tr);
	ring_buffer_reset(tr->array_buffer.buffer);
}

static void buffers_clear(struct trace_array *tr)
{
	trace_exchange_hold(tr);
	buffers_clear_first(tr);
	trace_exchange_release(tr);
}

/**
 * trace_array_clear - throw away all records without waiting for writers
 * @tr: the instance
 *
 * A record that is being written may stay.
 *
 * Context: task, may sleep, as trace_buffers_lock().
 */
void trace_array_clear(struct trace_array *tr)
{
	guard(trace_buffers)(tr);
	buffers_clear(tr);
}

/**
 * trace_array_clear_killable - trace_array_clear(), unless the task is killed before
 * @tr: the instance
 *
 * Context: as trace_buffers_lock_killable().
 * Return: 0; -EINTR: all records are there.
 */
int trace_array_clear_killable(struct trace_array *tr)
{
	int ret = trace_buffers_lock_killable(tr);

	if (ret)
		return ret;
	buffers_clear(tr);
	trace_buffers_unlock(tr);
	return 0;
}

/* Wait for writers that have found recording enabled. A writer has preemption off. */
static void buffers_wait_writers(void *unused)
{
	trace_wait_rcu();
}

/*
 * Let nobody write into the buffers, wait for writers, and call @end, which starts writers again.
 * No lock is held, so an exchange may come in between, which does not matter: none of the two
 * buffers takes a record. If the task is killed meanwhile, a work item calls @end, and recording
 * stays disabled until then. So the instance stays, too: @end gives a reference back.
 */
static void buffers_stop_writers(struct trace_array *tr, void (*end)(void *tr))
{
	struct trace_buffer **buffer;

	/* The caller has one. */
	if (WARN_ON_ONCE(trace_array_get(tr)))
		return;
	for_each_trace_buffer(tr, buffer)
		ring_buffer_record_disable(*buffer);
	trace_wait_call(buffers_wait_writers, end, tr, TASK_KILLABLE);
}

static void buffers_start_writers(struct trace_array *tr)
{
	struct trace_buffer **buffer;

	for_each_trace_buffer(tr, buffer)
		ring_buffer_record_enable(*buffer);
}

static void buffers_reset_end(void *tr)
{
	trace_array_clear(tr);
	buffers_start_writers(tr);
	trace_array_put(tr);
}

/**
 * trace_array_reset - throw away all records
 * @tr: the instance
 *
 * A task that is killed does not wait for writers. Until these have ended, nothing is recorded,
 * then the records go.
 *
 * Context: task, may sleep, as trace_buffers_lock(); the caller has a reference. It waits for
 * writers before.
 */
void trace_array_reset(struct trace_array *tr)
{
	buffers_stop_writers(tr, buffers_reset_end);
}

/* Throw away all records, those of the snapshot, too. No exchange can happen. */
static void buffers_clear_both(struct trace_array *tr)
{
	buffers_clear_first(tr);
	if (tr->snapshot.buffer)
		buffers_clear_second(tr);
}

/**
 * trace_array_clear_all - throw away all records, those of the snapshot, too
 * @tr: the instance
 *
 * It is for code that is about to free what the records need for being printed, and knows that
 * no such record is being written. CPUs that are offline are emptied as well.
 *
 * Context: task, may sleep, as trace_buffers_lock().
 */
void trace_array_clear_all(struct trace_array *tr)
{
	guard(trace_buffers)(tr);
	trace_exchange_hold(tr);
	buffers_clear_both(tr);
	trace_exchange_release(tr);
}

/**
 * trace_array_restamp - have records stamped by another clock, and throw away all there are
 * @tr: the instance
 * @clock: the clock
 *
 * Records of two clocks cannot be compared, so there is never one behind the other. No writer is
 * waited for: the buffer of a CPU is emptied when no writer has its bit set there, and a writer
 * that sets it later reads the clock anew, see write.c. CPUs that are offline are emptied as well,
 * or they would go on with the last time of the old clock.
 *
 * Context: task, may sleep; tr->buffers_mutex is held, trace_exchange_hold() was called.
 */
void trace_array_restamp(struct trace_array *tr, u64 (*clock)(void))
{
	struct trace_buffer **buffer;

	lockdep_assert_held(&tr->buffers_mutex);
	for_each_trace_buffer(tr, buffer)
		ring_buffer_record_disable(*buffer);
	for_each_trace_buffer(tr, buffer)
		ring_buffer_set_clock(*buffer, clock);
	buffers_clear_both(tr);
	buffers_start_writers(tr);
}

/* Let nobody write into the buffers of a CPU, or let writers in again. */
static void buffers_disable_cpu(struct trace_array *tr, int cpu, bool disable)
{
	struct trace_buffer **buffer;

	guard(irqsave)();
	/* No swap exchanges the buffers of the CPU between the two calls. */
	trace_exchange_lock(tr);
	for_each_trace_buffer(tr, buffer) {
		if (disable)
			ring_buffer_record_disable_cpu(*buffer, cpu);
		else
			ring_buffer_record_enable_cpu(*buffer, cpu);
	}
	trace_exchange_unlock(tr);
}

/**
 * trace_array_is_empty - are there no records?
 * @tr: the instance
 *
 * A snapshot that is taken meanwhile may hide some.
 *
 * Context: task.
 * Return: true if neither the buffer nor the snapshot has any.
 */
bool trace_array_is_empty(struct trace_array *tr)
{
	struct trace_buffer **buffer;

	for_each_trace_buffer(tr, buffer) {
		if (!ring_buffer_empty(*buffer))
			return false;
	}
	return true;
}

/**
 * struct buffers_of_cpu - the records of a CPU that are about to go
 * @tr: the instance; a reference
 * @cpu: the CPU
 */
struct buffers_of_cpu {
	struct trace_array	*tr;
	int			cpu;
};

static void buffers_reset_cpu_end(void *data)
{
	struct buffers_of_cpu *of = data;
	struct trace_array *tr = of->tr;

	scoped_guard(trace_buffers, tr) {
		trace_exchange_hold(tr);
		/*
		 * Leave time_start alone: other CPUs keep their records, and this CPU has no old
		 * record left that a reader had to skip.
		 */
		ring_buffer_reset_cpu(tr->array_buffer.buffer, of->cpu);
		trace_exchange_release(tr);
	}
	buffers_disable_cpu(tr, of->cpu, false);
	trace_array_put(tr);
	kfree(of);
}

/**
 * trace_array_reset_cpu - throw away the records of a CPU
 * @tr: the instance
 * @cpu: the CPU
 *
 * Context: as trace_array_reset().
 * Return: 0, or -ENOMEM, and nothing has changed.
 */
int trace_array_reset_cpu(struct trace_array *tr, int cpu)
{
	struct buffers_of_cpu *of = kmalloc(sizeof(*of), GFP_KERNEL);

	if (!of)
		return -ENOMEM;
	if (WARN_ON_ONCE(trace_array_get(tr))) {
		kfree(of);
		return -ENODEV;
	}
	of->tr = tr;
	of->cpu = cpu;
	/* As in buffers_stop_writers(). */
	buffers_disable_cpu(tr, cpu, true);
	trace_wait_call(buffers_wait_writers, buffers_reset_cpu_end, of, TASK_KILLABLE);
	return 0;
}

/* Allocate the first buffer anywhere and, in a kernel with snapshots, the second one. */
static int buffers_alloc_both(struct trace_array *tr, unsigned int flags)
{
	tr->buffers[0] = ring_buffer_alloc(tr->name ? full_size : LEAST_SIZE, flags);
	if (tr->buffers[0] && IS_ENABLED(CONFIG_TRACER_SNAPSHOT))
		tr->buffers[1] = ring_buffer_alloc(LEAST_SIZE, flags);
	return tr->buffers[IS_ENABLED(CONFIG_TRACER_SNAPSHOT)] ? 0 : -ENOMEM;
}

/* Interrupts may be about to wake readers that have gone. */
static void buffers_release(struct trace_array *tr)
{
	struct trace_buffer **buffer;

	trace_exchange_destroy(tr);
	if (tr->boot_memory.size) {
		trace_kept_free(tr);
	} else {
		for_each_trace_buffer(tr, buffer)
			ring_buffer_free(*buffer);
	}
	free_percpu(tr->array_buffer.data);
	kvfree(tr->array_buffer.cpu_start);
	kvfree(tr->snapshot.cpu_start);
	mutex_destroy(&tr->buffers_mutex);
}

static int buffers_create(struct trace_array *tr)
{
	unsigned int flags = trace_option(tr, TRACE_OPT_OVERWRITE) ? RB_FL_OVERWRITE : 0;
	struct array_buffer *first = &tr->array_buffer, *second = &tr->snapshot;
	int ret = -ENOMEM;

	mutex_init(&tr->buffers_mutex);
	trace_later_init(&tr->shrink_later, tr, trace_second_buffer_reader_left);
	trace_later_init(&tr->expand_later, tr, buffers_expand_later);
	tr->buffer_percent = TRACE_BUFFER_PERCENT;
	/* An instance is made to be used; only the top one begins small. */
	tr->expanded = tr->name;
	first->data = alloc_percpu(struct trace_array_cpu);
	first->cpu_start = kvcalloc(nr_cpu_ids, sizeof(*first->cpu_start), GFP_KERNEL);
	second->cpu_start = kvcalloc(nr_cpu_ids, sizeof(*second->cpu_start), GFP_KERNEL);
	if (!trace_exchange_init(tr) && first->data && first->cpu_start && second->cpu_start)
		ret = tr->boot_memory.size ? trace_kept_alloc(tr, flags) :
					     buffers_alloc_both(tr, flags);
	/* buffers_release() frees what is there. */
	if (ret)
		return ret;
	first->tr = tr;
	first->cpu = RING_BUFFER_ALL_CPUS;
	first->buffer = tr->buffers[0];
	second->tr = tr;
	second->cpu = RING_BUFFER_ALL_CPUS;
	second->buffer = tr->buffers[1];
	second->data = first->data;
	return 0;
}

static void buffers_option_changed(struct trace_array *tr, u32 opt, bool on)
{
	struct trace_buffer **buffer;

	if (opt != TRACE_OPT_OVERWRITE)
		return;
	for_each_trace_buffer(tr, buffer)
		ring_buffer_change_overwrite(*buffer, on);
}

struct trace_component trace_buffers_component __ro_after_init = {
	.name		= "buffers",
	.create		= buffers_create,
	.release	= buffers_release,
	.option_changed	= buffers_option_changed,
};

/**
 * trace_buffers_init - let buffers follow CPUs that come online
 *
 * Context: boot, before the first buffer is made.
 * Return: 0 or an errno.
 */
int __init trace_buffers_init(void)
{
	return trace_rb_hotplug_init();
}
