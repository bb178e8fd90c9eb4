// SPDX-License-Identifier: GPL-2.0
/*
 * The snapshot of an instance: a second buffer of the same size, exchanged
 * with the first in two stores. Its files are in reader/.
 *
 * Rules: trace_array::snapshot_lock makes the exchange one step, on this CPU
 * with interrupts off, never in NMI; it is not a lockdep lock, as functions of
 * lockdep may be traced. snapshot_mutex covers the size of the second buffer
 * and who needs it; it is taken inside of the instances' lock. Both buffers
 * live as long as the instance, since readers and late writers may hold either;
 * a snapshot that is freed keeps the least memory that a buffer can have. All
 * switches of recording are set in both, so nothing else has to be exchanged.
 * The condition is changed under both locks and freed after a grace period.
 */
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/setup.h>

#include "instance/internal.h"

/* Of tracing_snapshot_cond(). */
struct cond_snapshot {
	void			*data;
	trace_snapshot_cond_t	update;
};

/* Who waits for records waits at one of the two buffers: look again. */
static void wake_waiters(struct irq_work *work)
{
	struct trace_array *tr = container_of(work, struct trace_array, snapshot_wake);

	ring_buffer_wake_waiters(tr->buffers[0], RING_BUFFER_ALL_CPUS);
	ring_buffer_wake_waiters(tr->buffers[1], RING_BUFFER_ALL_CPUS);
}

/* The second buffer of a new instance, as small as it can be. */
int trace_snapshot_create(struct trace_array *tr)
{
	unsigned int flags = trace_option(tr, TRACE_OPT_OVERWRITE) ? RB_FL_OVERWRITE : 0;
	struct array_buffer *snap = &tr->snapshot;

	tr->snapshot_lock = (arch_spinlock_t)__ARCH_SPIN_LOCK_UNLOCKED;
	init_irq_work(&tr->snapshot_wake, wake_waiters);
	snap->tr = tr;
	snap->cpu = RING_BUFFER_ALL_CPUS;
	snap->data = tr->array_buffer.data;
	snap->buffer = ring_buffer_alloc(1, flags);
	tr->buffers[1] = snap->buffer;
	return snap->buffer ? 0 : -ENOMEM;
}

/* The buffer itself is freed with the other one. */
void trace_snapshot_destroy(struct trace_array *tr)
{
	irq_work_sync(&tr->snapshot_wake);
	kfree(tr->cond_snapshot);
}

/* Both buffers have the same order, and each CPU the same size in both. */
static int match_size(struct trace_array *tr)
{
	struct trace_buffer *main = tr->array_buffer.buffer, *snap = tr->snapshot.buffer;
	int cpu, ret;

	ret = ring_buffer_subbuf_order_set(snap, ring_buffer_subbuf_order_get(main));
	for_each_possible_cpu(cpu) {
		unsigned long size = ring_buffer_size(main, cpu);

		if (!ret && size && size != ring_buffer_size(snap, cpu))
			ret = ring_buffer_resize(snap, size, cpu);
	}
	return ret;
}

/*
 * Give back what memory can be given back: the parts that somebody is reading
 * stay until trace_snapshot_reader_left().
 */
static void shrink(struct trace_array *tr)
{
	int cpu;

	tr->snapshot_shrinks = false;
	for_each_possible_cpu(cpu) {
		if (ring_buffer_resize(tr->snapshot.buffer, 1, cpu))
			tr->snapshot_shrinks = true;
	}
}

static int allocate(struct trace_array *tr)
{
	int ret;

	lockdep_assert_held(&tr->snapshot_mutex);
	if (tr->snapshot_allocated)
		return 0;
	if (!tr->snapshot.buffer)
		return -EINVAL;
	ret = match_size(tr);
	if (ret) {
		shrink(tr);
		return ret;
	}
	tr->snapshot_shrinks = false;
	WRITE_ONCE(tr->snapshot_allocated, true);
	return 0;
}

/* The second buffer has a user, or the tracer with a maximum. Not if one is mapped. */
static int claim(struct trace_array *tr, bool max)
{
	int ret = -EBUSY;

	lockdep_assert_held(&tr->snapshot_mutex);
	guard(irqsave)();
	arch_spin_lock(&tr->snapshot_lock);
	if (!atomic_read(&tr->pinned)) {
		if (max)
			tr->snapshot_has_max = true;
		else
			tr->snapshot_users++;
		ret = 0;
	}
	arch_spin_unlock(&tr->snapshot_lock);
	return ret;
}

/**
 * trace_snapshot_get - have memory for snapshots
 * @tr: the instance
 *
 * Context: task, may sleep; takes tr->snapshot_mutex.
 * Return: 0, trace_snapshot_put() must follow; -EBUSY while a tracer keeps its
 * maximum there or somebody maps a buffer, -EINVAL when the instance cannot have
 * a snapshot, -ENOMEM.
 */
int trace_snapshot_get(struct trace_array *tr)
{
	int ret;

	guard(mutex)(&tr->snapshot_mutex);
	if (tr->snapshot_has_max || atomic_read(&tr->pinned))
		return -EBUSY;
	ret = allocate(tr);
	return ret ?: claim(tr, false);
}

/**
 * trace_snapshot_put - snapshots are not needed any more
 * @tr: the instance
 *
 * One that was taken stays to be read, until it is freed by the user.
 *
 * Context: task, may sleep; takes tr->snapshot_mutex.
 */
void trace_snapshot_put(struct trace_array *tr)
{
	guard(mutex)(&tr->snapshot_mutex);
	if (!WARN_ON_ONCE(!tr->snapshot_users))
		tr->snapshot_users--;
}

/* The second buffer becomes that of a tracer that keeps a maximum; see there. */
int trace_snapshot_get_max(struct trace_array *tr)
{
	int ret;

	guard(mutex)(&tr->snapshot_mutex);
	if (tr->snapshot_users || tr->cond_snapshot || atomic_read(&tr->pinned))
		return -EBUSY;
	ret = allocate(tr);
	return ret ?: claim(tr, true);
}

void trace_snapshot_put_max(struct trace_array *tr)
{
	guard(mutex)(&tr->snapshot_mutex);
	tr->snapshot_has_max = false;
	WRITE_ONCE(tr->snapshot_allocated, false);
	ring_buffer_reset(tr->snapshot.buffer);
	shrink(tr);
}

/* Echo 0: free it. Somebody else's need keeps the memory, not the records. */
int trace_snapshot_free(struct trace_array *tr)
{
	guard(mutex)(&tr->snapshot_mutex);
	if (tr->snapshot_has_max)
		return -EBUSY;
	if (!tr->snapshot_allocated)
		return 0;
	if (!tr->snapshot_users)
		WRITE_ONCE(tr->snapshot_allocated, false);
	ring_buffer_reset(tr->snapshot.buffer);
	if (!tr->snapshot_allocated)
		shrink(tr);
	return 0;
}

/* Empty it, or one CPU's part of it. */
int trace_snapshot_clear(struct trace_array *tr, int cpu)
{
	guard(mutex)(&tr->snapshot_mutex);
	if (tr->snapshot_has_max)
		return -EBUSY;
	if (!tr->snapshot_allocated)
		return 0;
	if (cpu == RING_BUFFER_ALL_CPUS)
		ring_buffer_reset(tr->snapshot.buffer);
	else
		ring_buffer_reset_cpu(tr->snapshot.buffer, cpu);
	return 0;
}

/**
 * trace_snapshot_reader_left - somebody who iterated over records has gone
 * @tr: the instance
 *
 * Context: task, may sleep; takes tr->snapshot_mutex.
 */
void trace_snapshot_reader_left(struct trace_array *tr)
{
	if (!READ_ONCE(tr->snapshot_shrinks))
		return;
	guard(mutex)(&tr->snapshot_mutex);
	if (!tr->snapshot_allocated)
		shrink(tr);
}

/* Change the size of a CPU, or of all, in both buffers. */
int trace_snapshot_resize(struct trace_array *tr, unsigned long bytes, int cpu)
{
	int ret = 0;

	guard(mutex)(&tr->snapshot_mutex);
	if (tr->snapshot_allocated)
		ret = ring_buffer_resize(tr->snapshot.buffer, bytes, cpu);
	if (ret >= 0)
		ret = ring_buffer_resize(tr->array_buffer.buffer, bytes, cpu);
	if (ret < 0 && tr->snapshot_allocated)
		match_size(tr);
	return ret;
}

/* Change the size of the sub-buffers of both; all records are lost. */
int trace_snapshot_set_order(struct trace_array *tr, int order)
{
	int ret;

	guard(mutex)(&tr->snapshot_mutex);
	ret = ring_buffer_subbuf_order_set(tr->array_buffer.buffer, order);
	if (!ret && tr->snapshot_allocated) {
		ret = match_size(tr);
		/* The old order was possible before. */
		if (ret && !tr->snapshot_users && !tr->snapshot_has_max) {
			WRITE_ONCE(tr->snapshot_allocated, false);
			shrink(tr);
			ret = 0;
		}
	}
	return ret;
}

/**
 * trace_buffers_pin - let no snapshot exchange the buffers
 * @tr: the instance
 *
 * Once it is pinned, it can be again.
 *
 * Context: any but NMI.
 * Return: 0, trace_buffers_unpin() must follow; -EBUSY while somebody needs
 * snapshots, see trace_snapshot_get().
 */
int trace_buffers_pin(struct trace_array *tr)
{
	int ret = -EBUSY;

	guard(irqsave)();
	arch_spin_lock(&tr->snapshot_lock);
	if (!tr->snapshot_users && !tr->snapshot_has_max) {
		atomic_inc(&tr->pinned);
		ret = 0;
	}
	arch_spin_unlock(&tr->snapshot_lock);
	return ret;
}

/**
 * trace_buffers_unpin - undo one trace_buffers_pin()
 * @tr: the instance
 *
 * Context: any.
 */
void trace_buffers_unpin(struct trace_array *tr)
{
	atomic_dec(&tr->pinned);
}

/* Interrupts are off. @stale: the second buffer may hold an earlier snapshot. */
static int exchange(struct trace_array *tr, bool stale)
{
	struct array_buffer *main = &tr->array_buffer, *snap = &tr->snapshot;
	struct trace_buffer *old;
	int ret = -EBUSY;

	lockdep_assert_irqs_disabled();
	arch_spin_lock(&tr->snapshot_lock);
	if (!atomic_read(&tr->pinned)) {
		old = main->buffer;
		snap->time_start = main->time_start;
		/* That is no part of the trace. */
		if (stale)
			main->time_start = ring_buffer_time_stamp(old);
		WRITE_ONCE(main->buffer, snap->buffer);
		WRITE_ONCE(snap->buffer, old);
		WRITE_ONCE(tr->exchanges, tr->exchanges + 1);
		ret = 0;
	}
	arch_spin_unlock(&tr->snapshot_lock);
	if (!ret)
		irq_work_queue(&tr->snapshot_wake);
	return ret;
}

static int exchange_this_cpu(struct trace_array *tr)
{
	int ret;

	lockdep_assert_irqs_disabled();
	arch_spin_lock(&tr->snapshot_lock);
	tr->snapshot.time_start = tr->array_buffer.time_start;
	/* A buffer that is mapped refuses. */
	ret = ring_buffer_swap_cpu(tr->array_buffer.buffer, tr->snapshot.buffer,
				   raw_smp_processor_id());
	WRITE_ONCE(tr->exchanges, tr->exchanges + 1);
	arch_spin_unlock(&tr->snapshot_lock);
	irq_work_queue(&tr->snapshot_wake);
	return ret;
}

/**
 * trace_snapshot_max - the present trace is the maximum: keep it
 * @tr: an instance whose tracer has &tracer.use_max
 * @this_cpu: exchange the buffer of this CPU only
 *
 * Context: any but NMI, interrupts off.
 * Return: 0; -EBUSY when the buffer of this CPU is being written to, or while
 * somebody maps one.
 */
int trace_snapshot_max(struct trace_array *tr, bool this_cpu)
{
	if (WARN_ON_ONCE(in_nmi() || !READ_ONCE(tr->snapshot_has_max)))
		return -EBUSY;
	if (this_cpu)
		return exchange_this_cpu(tr) ? -EBUSY : 0;
	return exchange(tr, true);
}

struct cpu_exchange {
	struct trace_array	*tr;
	int			ret;
};

static void exchange_on_cpu(void *data)
{
	struct cpu_exchange *ex = data;

	ex->ret = exchange_this_cpu(ex->tr);
}

static int exchange_cpu(struct trace_array *tr, int cpu)
{
	struct cpu_exchange ex = { .tr = tr };
	int ret;

	if (!IS_ENABLED(CONFIG_TRACER_SNAPSHOT_PER_CPU_SWAP))
		return -EINVAL;
	/* A writer that is interrupted by the call is done the next time. */
	do {
		ret = smp_call_function_single(cpu, exchange_on_cpu, &ex, 1);
		cond_resched();
	} while (!ret && ex.ret == -EBUSY && !atomic_read(&tr->pinned) &&
		 !signal_pending(current));
	return ret ?: ex.ret;
}

/*
 * Echo 1: allocate and exchange. Who waits for records finds the new buffer.
 * The trace goes on with an empty one.
 */
int trace_snapshot_take_cpu(struct trace_array *tr, int cpu)
{
	struct trace_buffer *buffer;
	int ret;

	if (cpu != RING_BUFFER_ALL_CPUS && !IS_ENABLED(CONFIG_TRACER_SNAPSHOT_PER_CPU_SWAP))
		return -EINVAL;
	guard(mutex)(&tr->snapshot_mutex);
	if (tr->snapshot_has_max || tr->cond_snapshot || atomic_read(&tr->pinned))
		return -EBUSY;
	ret = allocate(tr);
	if (ret)
		return ret;
	buffer = tr->snapshot.buffer;
	if (cpu == RING_BUFFER_ALL_CPUS) {
		ring_buffer_reset(buffer);
		scoped_guard(irq)
			ret = exchange(tr, false);
	} else {
		ring_buffer_reset_cpu(buffer, cpu);
		ret = exchange_cpu(tr, cpu);
	}
	return ret;
}

/**
 * trace_snapshot_take - take a snapshot
 * @tr: the instance; trace_snapshot_get() made it possible
 *
 * Without memory for it, the trace is stopped instead, which preserves it just
 * as well. What is in the buffers of an earlier snapshot is not cleared, but
 * the file trace does not show it.
 *
 * Context: any; in NMI nothing is done but a note in the trace.
 */
void trace_snapshot_take(struct trace_array *tr)
{
	unsigned long flags;
	int ret;

	if (in_nmi()) {
		trace_array_note(tr, _THIS_IP_, "*** no snapshot from NMI ***\n");
		return;
	}
	if (!READ_ONCE(tr->snapshot_allocated)) {
		trace_array_note(tr, _THIS_IP_, "*** snapshot is not allocated, tracing stops ***\n");
		trace_array_off(tr);
		return;
	}
	if (READ_ONCE(tr->snapshot_has_max)) {
		trace_array_note(tr, _THIS_IP_, "*** no snapshot, a tracer keeps its maximum there ***\n");
		return;
	}
	local_irq_save(flags);
	ret = exchange(tr, true);
	local_irq_restore(flags);
	if (ret)
		trace_array_note(tr, _THIS_IP_, "*** no snapshot, the buffer is mapped ***\n");
}

/**
 * tracing_snapshot - take a snapshot of the top instance
 *
 * tracing_snapshot_alloc() or user space must have allocated it, else tracing
 * stops.
 *
 * Context: any, see trace_snapshot_take().
 */
void tracing_snapshot(void)
{
	struct trace_array *tr = trace_top_instance();

	if (tr)
		trace_snapshot_take(tr);
}
EXPORT_SYMBOL_GPL(tracing_snapshot);

/**
 * tracing_alloc_snapshot - allocate the snapshot of the top instance
 *
 * Context: task, may sleep.
 * Return: 0 or an errno.
 */
int tracing_alloc_snapshot(void)
{
	struct trace_array *tr = trace_top_instance();
	int ret;

	if (!tr)
		return -ENODEV;
	guard(mutex)(&tr->snapshot_mutex);
	ret = allocate(tr);
	WARN_ON(ret < 0);
	return ret;
}
EXPORT_SYMBOL_GPL(tracing_alloc_snapshot);

/**
 * tracing_snapshot_alloc - allocate and take a snapshot of the top instance
 *
 * Context: task, may sleep.
 */
void tracing_snapshot_alloc(void)
{
	if (!tracing_alloc_snapshot())
		tracing_snapshot();
}
EXPORT_SYMBOL_GPL(tracing_snapshot_alloc);

/**
 * tracing_snapshot_cond_enable - reserve the snapshot for a condition
 * @tr: the instance
 * @cond_data: for @update, and for who asks tracing_cond_snapshot_data()
 * @update: is a snapshot to be taken? Interrupts are off, no sleeping
 *
 * Context: task, may sleep.
 * Return: 0; -EBUSY when there is a condition or a tracer's maximum, -ENOMEM.
 */
int tracing_snapshot_cond_enable(struct trace_array *tr, void *cond_data,
				 trace_snapshot_cond_t update)
{
	struct cond_snapshot *cond;
	int ret;

	cond = kzalloc(sizeof(*cond), GFP_KERNEL);
	if (!cond)
		return -ENOMEM;
	cond->data = cond_data;
	cond->update = update;
	ret = trace_snapshot_get(tr);
	if (ret) {
		kfree(cond);
		return ret;
	}
	scoped_guard(mutex, &tr->snapshot_mutex) {
		if (!tr->cond_snapshot) {
			/* Who finds it looks at it without the mutex. */
			smp_store_release(&tr->cond_snapshot, cond);
			cond = NULL;
		}
	}
	if (!cond)
		return 0;
	trace_snapshot_put(tr);
	kfree(cond);
	return -EBUSY;
}
EXPORT_SYMBOL_GPL(tracing_snapshot_cond_enable);

/**
 * tracing_snapshot_cond_disable - undo tracing_snapshot_cond_enable()
 * @tr: the instance
 *
 * Context: task, may sleep.
 * Return: 0, -EINVAL when there is no condition.
 */
int tracing_snapshot_cond_disable(struct trace_array *tr)
{
	struct cond_snapshot *cond = NULL;

	scoped_guard(mutex, &tr->snapshot_mutex)
		swap(cond, tr->cond_snapshot);
	if (!cond)
		return -EINVAL;
	trace_snapshot_put(tr);
	/* Who asked the condition did so with interrupts off. */
	synchronize_rcu();
	kfree(cond);
	return 0;
}
EXPORT_SYMBOL_GPL(tracing_snapshot_cond_disable);

/**
 * tracing_snapshot_cond - take a snapshot if the condition says so
 * @tr: the instance
 * @cond_data: for the condition
 *
 * Context: any but NMI, where nothing is done.
 */
void tracing_snapshot_cond(struct trace_array *tr, void *cond_data)
{
	struct cond_snapshot *cond;
	bool take = false;

	if (in_nmi())
		return;
	guard(irqsave)();
	/* One is asked at a time, so that it may keep a maximum. */
	arch_spin_lock(&tr->snapshot_lock);
	cond = READ_ONCE(tr->cond_snapshot);
	if (cond)
		take = !cond->update || cond->update(tr, cond_data);
	arch_spin_unlock(&tr->snapshot_lock);
	if (take)
		trace_snapshot_take(tr);
}
EXPORT_SYMBOL_GPL(tracing_snapshot_cond);

/**
 * tracing_cond_snapshot_data - what tracing_snapshot_cond_enable() was given
 * @tr: the instance
 *
 * Context: any, the condition included.
 * Return: its cond_data, NULL without a condition.
 */
void *tracing_cond_snapshot_data(struct trace_array *tr)
{
	struct cond_snapshot *cond;

	guard(preempt_notrace)();
	cond = READ_ONCE(tr->cond_snapshot);
	return cond ? cond->data : NULL;
}
EXPORT_SYMBOL_GPL(tracing_cond_snapshot_data);

/*
 * The command line: alloc_snapshot[=NAME,...] allocates when the instance is
 * made, ftrace_boot_snapshot[=NAME,...] also takes one when booting is over.
 */
static char boot_alloc[COMMAND_LINE_SIZE] __initdata;
static char boot_take[COMMAND_LINE_SIZE] __initdata;

/* Without a name the top instance is meant, which the text calls ",". */
static int __init boot_names(char *names, size_t size, const char *text)
{
	if (!*text)
		strlcat(names, ",,", size);
	else if (*text == '=')
		snprintf(names + strlen(names), size - strlen(names), ",%s,", text + 1);
	else
		return 0;
	return 1;
}

static int __init boot_alloc_setup(char *text)
{
	return boot_names(boot_alloc, sizeof(boot_alloc), text);
}
__setup("alloc_snapshot", boot_alloc_setup);

static int __init boot_take_setup(char *text)
{
	return boot_names(boot_take, sizeof(boot_take), text);
}
__setup("ftrace_boot_snapshot", boot_take_setup);

static bool __init is_named(const char *names, const struct trace_array *tr)
{
	const char *name = tr->name ?: "";
	size_t len;

	/* Each word lies between commas. */
	for (; *names; names += len) {
		if (*names++ != ',')
			continue;
		len = strcspn(names, ",");
		if (names[len] && len == strlen(name) && !memcmp(names, name, len))
			return true;
	}
	return false;
}

/* An instance that the command line may name was made. T */
void __init trace_snapshot_boot_alloc(struct trace_array *tr)
{
	int ret;

	if (!is_named(boot_alloc, tr) && !is_named(boot_take, tr))
		return;
	ret = trace_array_expand(tr);
	scoped_guard(mutex, &tr->snapshot_mutex)
		ret = ret ?: allocate(tr);
	if (ret)
		pr_warn("tracing: no snapshot of %s: error %d\n", tr->name ?: "the top instance",
			ret);
}

/* Booting is over, programs come. */
static int __init boot_snapshot(void)
{
	struct trace_array *tr;

	if (!trace_top_instance())
		return 0;
	guard(trace_instances)();
	for_each_trace_array(tr) {
		if (is_named(boot_take, tr) && READ_ONCE(tr->snapshot_allocated))
			trace_snapshot_take(tr);
	}
	return 0;
}
late_initcall_sync(boot_snapshot);
