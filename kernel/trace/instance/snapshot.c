// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots of an instance: their users, and taking one. buffers.c has the two buffers,
 * exchange.c exchanges them, and the files are in reader/.
 *
 * tr->buffers_mutex is held while the second buffer becomes large, or small again. A user that
 * finds it large keeps it so by exchange.users, and waits for nobody: it may have the lock of all
 * instances, and buffers_mutex may be held for long. If it is small, trace_snapshot_prepare() has
 * to come before, without a lock. The condition, which counts as a user, is asked under a lock of
 * its own, trace_snapshots.asking, with interrupts off, and freed after a grace period.
 */
#include <linux/export.h>
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/setup.h>

#include "instance/buffers.h"
#include "instance/component.h"
#include "instance/internal.h"
#include "instance/snapshot.h"
#include "lib/wait.h"

/* The condition of tracing_snapshot_cond(). */
struct snapshot_condition {
	void			*data;
	trace_snapshot_cond_t	update;
	struct rcu_head		rcu;
};

/* The data of snapshots in an instance. */
struct trace_snapshots {
	struct snapshot_condition __rcu	*condition;	/* atomic, RCU */
	arch_spinlock_t			asking;		/* held while the condition is asked */
};

static DEFINE_TRACE_SLOT(snapshot_slot);

static struct trace_snapshots *snapshots_of(const struct trace_array *tr)
{
	return trace_slot_data(tr, &snapshot_slot);
}

static bool snapshot_has_condition(const struct trace_array *tr)
{
	return rcu_access_pointer(snapshots_of(tr)->condition);
}

/**
 * trace_snapshot_prepare - have memory for snapshots, until trace_snapshot_free()
 * @tr: the instance
 *
 * Context: task, may sleep, as trace_buffers_lock_killable().
 * Return: 0; -EBUSY while somebody maps a buffer, -EINVAL when the instance cannot have a snapshot,
 * -ENOMEM, -EINTR.
 */
int trace_snapshot_prepare(struct trace_array *tr)
{
	int ret = trace_buffers_lock_killable(tr);

	if (ret)
		return ret;
	ret = trace_buffers_are_pinned(tr) ? -EBUSY : trace_second_buffer_grow(tr);
	trace_buffers_unlock(tr);
	return ret;
}

/*
 * The second buffer gets one more user or, with @max, belongs to the current tracer. Another task
 * may free it between the two steps, so they are repeated.
 */
static int snapshot_claim(struct trace_array *tr, bool max)
{
	int ret;

	for (;;) {
		ret = trace_exchange_claim(tr, max);
		if (ret != -EPROBE_DEFER || trace_wait_is_forbidden())
			return ret;
		ret = trace_snapshot_prepare(tr);
		if (ret)
			return ret;
	}
}

/**
 * trace_snapshot_get - have memory for snapshots, and keep it
 * @tr: the instance
 *
 * Context: task, may sleep; without a lock that others need, as trace_snapshot_prepare().
 * Return: 0, trace_snapshot_put() must follow; -EBUSY while a tracer keeps its maximum there or
 * somebody maps a buffer; what trace_snapshot_prepare() says; -EPROBE_DEFER, with a lock that
 * others need: that one must be called before, without the lock.
 */
int trace_snapshot_get(struct trace_array *tr)
{
	return snapshot_claim(tr, false);
}

/**
 * trace_snapshot_put - snapshots are not needed any more
 * @tr: the instance
 *
 * A snapshot that was taken can be read until a user frees it.
 *
 * Context: task; waits for nobody.
 */
void trace_snapshot_put(struct trace_array *tr)
{
	trace_exchange_unclaim(tr, false);
}

/**
 * trace_snapshot_get_max - let the second buffer belong to the current tracer
 * @tr: the instance; its tracer keeps a maximum, see &tracer.use_max
 *
 * Context: as trace_snapshot_get().
 * Return: 0, trace_snapshot_put_max() must follow; -EBUSY while somebody else needs snapshots or
 * maps a buffer; the rest as trace_snapshot_get().
 */
int trace_snapshot_get_max(struct trace_array *tr)
{
	return snapshot_claim(tr, true);
}

/**
 * trace_snapshot_put_max - undo trace_snapshot_get_max()
 * @tr: the instance
 *
 * The maximum is lost. If the task has a lock that others need, its memory is given back later, see
 * trace_buffers_settle().
 *
 * Context: task, may sleep; without such a lock, as trace_buffers_lock().
 */
void trace_snapshot_put_max(struct trace_array *tr)
{
	/* Before somebody can make it large anew, who empties it then. */
	WRITE_ONCE(tr->second_shrinks, true);
	trace_exchange_unclaim(tr, true);
	if (trace_wait_is_forbidden())
		trace_later_ask(&tr->shrink_later);
	else
		trace_second_buffer_reader_left(tr);
}

/* Empty the snapshot, or that of a CPU, if there is one. */
static int snapshot_reset(struct trace_array *tr, int cpu)
{
	lockdep_assert_held(&tr->buffers_mutex);
	if (trace_snapshot_has_max(tr))
		return -EBUSY;
	if (!trace_exchange_allowed(tr))
		return 0;
	trace_exchange_hold(tr);
	trace_second_buffer_reset(tr, cpu);
	trace_exchange_release(tr);
	return 0;
}

/**
 * trace_snapshot_free - what "echo 0 > snapshot" does
 * @tr: the instance
 *
 * When somebody else needs snapshots, the memory stays and the records go.
 *
 * Context: task, may sleep, as trace_buffers_lock_killable().
 * Return: 0; -EBUSY while a tracer keeps its maximum there; -EINTR.
 */
int trace_snapshot_free(struct trace_array *tr)
{
	int ret = trace_buffers_lock_killable(tr);

	if (ret)
		return ret;
	if (trace_exchange_allowed(tr) && !trace_exchange_forbid(tr))
		trace_second_buffer_shrink(tr);
	else
		ret = snapshot_reset(tr, RING_BUFFER_ALL_CPUS);
	trace_buffers_unlock(tr);
	return ret;
}

/**
 * trace_snapshot_clear - empty the snapshot
 * @tr: the instance
 * @cpu: one CPU, or RING_BUFFER_ALL_CPUS
 *
 * Context: task, may sleep, as trace_buffers_lock_killable().
 * Return: 0; -EBUSY while a tracer keeps its maximum there; -EINTR.
 */
int trace_snapshot_clear(struct trace_array *tr, int cpu)
{
	int ret = trace_buffers_lock_killable(tr);

	if (ret)
		return ret;
	ret = snapshot_reset(tr, cpu);
	trace_buffers_unlock(tr);
	return ret;
}

/**
 * trace_snapshot_clear_max - empty the maximum of the current tracer
 * @tr: the instance; nothing happens if its tracer keeps none
 * @cpu: one CPU, or RING_BUFFER_ALL_CPUS
 *
 * Context: task, may sleep, as trace_buffers_lock().
 */
void trace_snapshot_clear_max(struct trace_array *tr, int cpu)
{
	guard(trace_buffers)(tr);
	if (!trace_snapshot_has_max(tr))
		return;
	trace_exchange_hold(tr);
	trace_second_buffer_reset(tr, cpu);
	trace_exchange_release(tr);
}

/**
 * trace_snapshot_max - the present trace is the maximum: keep it
 * @tr: an instance whose tracer has &tracer.use_max
 * @this_cpu: exchange the buffer of this CPU only
 *
 * Context: any but NMI, interrupts off.
 * Return: 0; -EBUSY when the buffer of this CPU is being written to, while
 * somebody maps one, or while the buffers are being resized or emptied.
 */
int trace_snapshot_max(struct trace_array *tr, bool this_cpu)
{
	if (WARN_ON_ONCE(in_nmi() || !trace_snapshot_has_max(tr)))
		return -EBUSY;
	if (this_cpu)
		return trace_exchange_this_cpu(tr, TRACE_EXCHANGE_MAX) ? -EBUSY : 0;
	return trace_exchange_all(tr, TRACE_EXCHANGE_MAX) ? -EBUSY : 0;
}

/* On the CPU, with interrupts off. */
static int snapshot_exchange_here(void *tr)
{
	return trace_exchange_this_cpu(tr, TRACE_EXCHANGE_HOLDER);
}

/* Exchange the buffers of one CPU, or of all. trace_exchange_hold() was called. */
static int snapshot_exchange(struct trace_array *tr, int cpu)
{
	lockdep_assert_held(&tr->buffers_mutex);
	if (cpu == RING_BUFFER_ALL_CPUS) {
		guard(irq)();
		return trace_exchange_all(tr, TRACE_EXCHANGE_HOLDER);
	}
	/* Other exchanges are refused meanwhile, so the two buffers stay where they are. */
	if (IS_ENABLED(CONFIG_TRACER_SNAPSHOT_PER_CPU_SWAP))
		return ring_buffer_swap_call(tr->array_buffer.buffer, tr->snapshot.buffer, cpu,
					     snapshot_exchange_here, tr);
	return -EINVAL;
}

static int snapshot_take_cpu(struct trace_array *tr, int cpu)
{
	int ret;

	lockdep_assert_held(&tr->buffers_mutex);
	if (trace_snapshot_has_max(tr) || snapshot_has_condition(tr) ||
	    trace_buffers_are_pinned(tr))
		return -EBUSY;
	ret = trace_second_buffer_grow(tr);
	if (ret)
		return ret;
	trace_exchange_hold(tr);
	ret = snapshot_exchange(tr, cpu);
	trace_exchange_release(tr);
	/* A tracer may have got the second buffer meanwhile, or given it back. */
	return ret == -EPERM || ret == -ENODATA ? -EBUSY : ret;
}

/**
 * trace_snapshot_take_cpu - take a snapshot, as "echo 1 > snapshot" does
 * @tr: the instance
 * @cpu: one CPU, or RING_BUFFER_ALL_CPUS
 *
 * Recording goes on in the other buffer, behind the records of an earlier snapshot. Readers
 * that wait for records are woken, and wait at that one.
 *
 * Context: task, may sleep, as trace_buffers_lock_killable().
 * Return: 0; -EBUSY while a tracer keeps its maximum there, a condition takes
 * the snapshots or somebody maps a buffer; -EINVAL when it cannot be; -ENOMEM;
 * -EINTR.
 */
int trace_snapshot_take_cpu(struct trace_array *tr, int cpu)
{
	int ret;

	if (cpu != RING_BUFFER_ALL_CPUS && !IS_ENABLED(CONFIG_TRACER_SNAPSHOT_PER_CPU_SWAP))
		return -EINVAL;
	ret = trace_buffers_lock_killable(tr);
	if (ret)
		return ret;
	ret = snapshot_take_cpu(tr, cpu);
	trace_buffers_unlock(tr);
	return ret;
}

/* Take a snapshot. Returns NULL, or the reason why it was not taken, as a note for the trace. */
static const char *snapshot_try(struct trace_array *tr)
{
	guard(irqsave)();
	switch (trace_exchange_all(tr, TRACE_EXCHANGE_USER)) {
	case 0:
	case -EDEADLK:	/* A snapshot is being taken, and asked for this one. */
		return NULL;
	case -EPERM:
		return "*** no snapshot, a tracer keeps its maximum there ***\n";
	case -EAGAIN:
		return "*** no snapshot, the buffers are being changed ***\n";
	default:
		return "*** no snapshot, the buffer is mapped ***\n";
	}
}

/**
 * trace_snapshot_take - take a snapshot
 * @tr: the instance; trace_snapshot_get() made it possible
 *
 * Without memory for it, recording stops instead, which keeps the records as well. The
 * records of an earlier snapshot stay in the buffer in which recording goes on.
 *
 * Context: any; in NMI nothing is done but a note in the trace.
 */
void trace_snapshot_take(struct trace_array *tr)
{
	const char *why;

	if (in_nmi()) {
		trace_array_note(tr, _THIS_IP_, "*** no snapshot from NMI ***\n");
		return;
	}
	if (!trace_exchange_allowed(tr)) {
		trace_array_note(tr, _THIS_IP_, "*** no snapshot allocated, tracing stops ***\n");
		trace_array_off(tr);
		return;
	}
	why = snapshot_try(tr);
	if (why)
		trace_array_note(tr, _THIS_IP_, why);
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
	ret = trace_snapshot_prepare(tr);
	WARN_ON(ret < 0 && ret != -EINTR);
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
 * Context: task, may sleep, as trace_snapshot_get().
 * Return: 0; -EBUSY when there is a condition, -ENOMEM, the rest as trace_snapshot_get().
 */
int tracing_snapshot_cond_enable(struct trace_array *tr, void *cond_data,
				 trace_snapshot_cond_t update)
{
	struct trace_snapshots *snapshots = snapshots_of(tr);
	struct snapshot_condition *condition;
	int ret;

	condition = kzalloc(sizeof(*condition), GFP_KERNEL);
	if (!condition)
		return -ENOMEM;
	condition->data = cond_data;
	condition->update = update;

	ret = snapshot_has_condition(tr) ? -EBUSY : snapshot_claim(tr, false);
	if (ret)
		goto free;
	/* As rcu_assign_pointer() */
	if (!cmpxchg_release(&snapshots->condition, NULL, RCU_INITIALIZER(condition)))
		return 0;
	trace_exchange_unclaim(tr, false);
	ret = -EBUSY;
free:
	kfree(condition);
	return ret;
}
EXPORT_SYMBOL_GPL(tracing_snapshot_cond_enable);

/* Take the condition away. NULL: there is none. */
static struct snapshot_condition *snapshot_take_condition(struct trace_array *tr)
{
	struct trace_snapshots *snapshots = snapshots_of(tr);
	struct snapshot_condition *condition;

	condition = unrcu_pointer(xchg(&snapshots->condition, NULL));
	if (condition)
		trace_exchange_unclaim(tr, false);
	return condition;
}

/**
 * trace_snapshot_forget_condition - undo tracing_snapshot_cond_enable(), and do not wait
 * @tr: the instance
 *
 * The function may be called until a grace period has passed.
 *
 * Context: task; waits for nobody.
 */
void trace_snapshot_forget_condition(struct trace_array *tr)
{
	struct snapshot_condition *condition = snapshot_take_condition(tr);

	if (condition)
		kfree_rcu(condition, rcu);
}

/**
 * tracing_snapshot_cond_disable - undo tracing_snapshot_cond_enable()
 * @tr: the instance
 *
 * The function is not called any more when this returns.
 *
 * Context: task, may sleep; no lock that others need.
 * Return: 0, -EINVAL when there is no condition.
 */
int tracing_snapshot_cond_disable(struct trace_array *tr)
{
	struct snapshot_condition *condition = snapshot_take_condition(tr);

	if (!condition)
		return -EINVAL;
	/* The condition is used with interrupts or preemption off. */
	trace_wait_rcu();
	kfree(condition);
	return 0;
}
EXPORT_SYMBOL_GPL(tracing_snapshot_cond_disable);

/* Ask the condition. Interrupts are off, so that it is not freed meanwhile. */
static bool snapshot_is_due(struct trace_array *tr, void *cond_data)
{
	struct trace_snapshots *snapshots = snapshots_of(tr);
	struct snapshot_condition *condition;
	bool due = false;

	lockdep_assert_irqs_disabled();
	/* The condition may keep a maximum, so it is asked by one CPU at a time. */
	arch_spin_lock(&snapshots->asking);
	condition = rcu_dereference_sched(snapshots->condition);
	if (condition)
		due = !condition->update || condition->update(tr, cond_data);
	arch_spin_unlock(&snapshots->asking);
	return due;
}

/**
 * tracing_snapshot_cond - take a snapshot if the condition says so
 * @tr: the instance
 * @cond_data: for the condition
 *
 * Context: any but NMI, where nothing is done.
 */
void tracing_snapshot_cond(struct trace_array *tr, void *cond_data)
{
	if (in_nmi())
		return;
	guard(irqsave)();
	if (snapshot_is_due(tr, cond_data))
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
	struct snapshot_condition *condition;

	guard(preempt_notrace)();
	condition = rcu_dereference_sched(snapshots_of(tr)->condition);
	return condition ? condition->data : NULL;
}
EXPORT_SYMBOL_GPL(tracing_cond_snapshot_data);

static int snapshot_create(struct trace_array *tr)
{
	struct trace_snapshots *snapshots = kzalloc(sizeof(*snapshots), GFP_KERNEL);

	if (!snapshots)
		return -ENOMEM;
	snapshots->asking = (arch_spinlock_t)__ARCH_SPIN_LOCK_UNLOCKED;
	trace_slot_set_data(tr, &snapshot_slot, snapshots);
	return 0;
}

static void snapshot_destroy(struct trace_array *tr)
{
	struct trace_snapshots *snapshots = snapshots_of(tr);

	trace_slot_set_data(tr, &snapshot_slot, NULL);
	kfree(rcu_dereference_protected(snapshots->condition, true));
	kfree(snapshots);
}

struct trace_component trace_snapshot_component __ro_after_init = {
	.name		= "snapshot",
	.slot		= &snapshot_slot,
	.create		= snapshot_create,
	.destroy	= snapshot_destroy,
};

/*
 * The command line: alloc_snapshot[=NAME,...] allocates when the instance is
 * made, ftrace_boot_snapshot[=NAME,...] also takes one when booting is over.
 */
static char boot_alloc[COMMAND_LINE_SIZE] __initdata;
static char boot_take[COMMAND_LINE_SIZE] __initdata;

/*
 * Add the names of a parameter to a list in which each one stands between two commas. A
 * parameter without a name means the top instance, whose name in the list is empty.
 */
static int __init snapshot_boot_names(char *names, size_t size, const char *text)
{
	if (!*text)
		strlcat(names, ",,", size);
	else if (*text == '=')
		snprintf(names + strlen(names), size - strlen(names), ",%s,", text + 1);
	else
		return 0;
	return 1;
}

static int __init snapshot_boot_alloc_setup(char *text)
{
	return snapshot_boot_names(boot_alloc, sizeof(boot_alloc), text);
}
__setup("alloc_snapshot", snapshot_boot_alloc_setup);

static int __init snapshot_boot_take_setup(char *text)
{
	return snapshot_boot_names(boot_take, sizeof(boot_take), text);
}
__setup("ftrace_boot_snapshot", snapshot_boot_take_setup);

static bool __init snapshot_boot_is_named(const char *names, const struct trace_array *tr)
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

/**
 * trace_snapshots_boot_alloc - allocate the snapshots that the command line names
 *
 * Context: boot, may sleep; once after the top instance was made, and once after the others
 * were. Takes trace_instances_lock().
 */
void __init trace_snapshots_boot_alloc(void)
{
	struct trace_array *tr = NULL;
	int ret;

	while ((tr = trace_instance_next(tr))) {
		if (!snapshot_boot_is_named(boot_alloc, tr) && !snapshot_boot_is_named(boot_take,
										       tr))
			continue;
		ret = trace_array_expand(tr) ?: trace_snapshot_prepare(tr);
		if (ret)
			pr_warn("tracing: no snapshot of %s: error %d\n",
				tr->name ?: "the top instance", ret);
	}
}

/* ftrace_boot_snapshot=: booting is over, and user space begins. */
static int __init snapshot_after_boot(void)
{
	struct trace_array *tr;

	guard(trace_instances)();
	for_each_trace_array(tr) {
		if (snapshot_boot_is_named(boot_take, tr) && trace_exchange_allowed(tr))
			trace_snapshot_take(tr);
	}
	return 0;
}
late_initcall_sync(snapshot_after_boot);
