// SPDX-License-Identifier: GPL-2.0
/*
 * The exchange of an instance's two buffers: two stores make the records so far the
 * snapshot, and let recording go on in the other buffer.
 *
 * tr->exchange.lock (X) makes the exchange one step, on its CPU with interrupts
 * off, never in NMI. It is not a lockdep lock, since functions of lockdep may be
 * traced.
 *
 * The exchange of a maximum reads the clock, which may call functions that are traced, and
 * the command "snapshot" of such a function asks for another exchange of the same instance.
 * A kprobe on what else is called with exchange.lock held does the same. The second exchange would
 * wait forever for the lock, which its own CPU holds. So exchange_here is set as long as a CPU has
 * the lock, or waits for it, and an exchange on that CPU is refused. If the first one is of all
 * CPUs of the same instance, a snapshot is being taken, and the second one has lost nothing.
 *
 * An exchange may come from any context, also while a task resizes, empties or frees one
 * of the two. That task calls trace_exchange_hold() before, and exchanges are refused until
 * it has called trace_exchange_release(). So the buffer that it works on does not become
 * the other one.
 *
 * Both buffers live as long as the instance, because readers and late writers may
 * use either. All switches of recording are set in both, so nothing else has to be
 * exchanged.
 */
#include <linux/lockdep.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "instance/buffers.h"
#include "instance/internal.h"
#include "lib/request.h"

/*
 * The instance whose buffers this CPU exchanges as a whole, with its exchange.lock. If the CPU has
 * the lock of some instance for anything else, this is exchange_other. NULL: it has none.
 * Interrupts are off while this is not NULL.
 */
static DEFINE_PER_CPU(const void *, exchange_here);
static const char exchange_other[] = "no exchange";

/* Readers wait at one of the two buffers. Wake all of them, and they look at the other one. */
static void exchange_wake(struct trace_request *request)
{
	struct trace_array *tr = container_of(request, struct trace_array, exchange.wake);
	struct trace_buffer **buffer;

	for_each_trace_buffer(tr, buffer)
		ring_buffer_wake_waiters(*buffer, RING_BUFFER_ALL_CPUS);
}

/*
 * Take exchange.lock, for an exchange of @what == @tr or for exchange_other. It is refused if this
 * CPU has taken it already, for whichever instance: two CPUs could each wait for the other one's
 * lock otherwise. Return 0; -EDEADLK if this CPU exchanges the buffers of @tr; else -EAGAIN.
 */
static int exchange_begin(struct trace_array *tr, const void *what)
{
	const void *here;

	lockdep_assert_irqs_disabled();
	here = __this_cpu_read(exchange_here);
	if (here)
		return here == tr ? -EDEADLK : -EAGAIN;
	__this_cpu_write(exchange_here, what);
	/* A lock that is contended may call functions that are traced: they see it. */
	barrier();
	arch_spin_lock(&tr->exchange.lock);
	return 0;
}

static void exchange_end(struct trace_array *tr)
{
	arch_spin_unlock(&tr->exchange.lock);
	barrier();
	__this_cpu_write(exchange_here, NULL);
}

/*
 * Prepare the exchange of a new instance. Return 0 or -ENOMEM; trace_exchange_destroy() undoes
 * either. May sleep.
 */
int trace_exchange_init(struct trace_array *tr)
{
	tr->exchange.lock = (arch_spinlock_t)__ARCH_SPIN_LOCK_UNLOCKED;
	return trace_request_init(&tr->exchange.wake, exchange_wake);
}

/* No exchange can begin any more: wait for the wakeup that the last one queued. May sleep. */
void trace_exchange_destroy(struct trace_array *tr)
{
	trace_request_end(&tr->exchange.wake);
}

/**
 * trace_exchange_lock - let no exchange happen until trace_exchange_unlock()
 * @tr: the instance
 *
 * It is for some stores in both buffers; trace_exchange_hold() is for what takes longer.
 *
 * Context: any but NMI; interrupts are off. Takes exchange.lock.
 */
void trace_exchange_lock(struct trace_array *tr)
{
	/* No exchange calls this, and no hit does. */
	WARN_ON_ONCE(exchange_begin(tr, exchange_other));
}

/**
 * trace_exchange_unlock - undo trace_exchange_lock()
 * @tr: the instance
 *
 * Context: as trace_exchange_lock().
 */
void trace_exchange_unlock(struct trace_array *tr)
{
	exchange_end(tr);
}

/**
 * trace_exchange_hold - let no exchange happen until trace_exchange_release()
 * @tr: the instance
 *
 * Context: task; tr->buffers_mutex is held, until the release.
 */
void trace_exchange_hold(struct trace_array *tr)
{
	lockdep_assert_held(&tr->buffers_mutex);
	guard(irqsave)();
	trace_exchange_lock(tr);
	tr->exchange.held = true;
	trace_exchange_unlock(tr);
}

/**
 * trace_exchange_release - undo trace_exchange_hold()
 * @tr: the instance
 *
 * Context: as trace_exchange_hold().
 */
void trace_exchange_release(struct trace_array *tr)
{
	lockdep_assert_held(&tr->buffers_mutex);
	guard(irqsave)();
	trace_exchange_lock(tr);
	tr->exchange.held = false;
	trace_exchange_unlock(tr);
}

/**
 * trace_exchange_allow - the second buffer has become as large as the first
 * @tr: the instance
 *
 * Context: task; tr->buffers_mutex is held.
 */
void trace_exchange_allow(struct trace_array *tr)
{
	lockdep_assert_held(&tr->buffers_mutex);
	guard(irqsave)();
	trace_exchange_lock(tr);
	WRITE_ONCE(tr->exchange.allowed, true);
	trace_exchange_unlock(tr);
}

/**
 * trace_exchange_forbid - the second buffer is about to become smaller
 * @tr: the instance
 *
 * Context: task; tr->buffers_mutex is held.
 * Return: 0, no exchange is under way, and none happens until trace_exchange_allow(); -EBUSY if
 * somebody needs exchanges.
 */
int trace_exchange_forbid(struct trace_array *tr)
{
	int ret = -EBUSY;

	lockdep_assert_held(&tr->buffers_mutex);
	guard(irqsave)();
	trace_exchange_lock(tr);
	if (!trace_exchange_is_claimed(tr)) {
		WRITE_ONCE(tr->exchange.allowed, false);
		ret = 0;
	}
	trace_exchange_unlock(tr);
	return ret;
}

/* Why nobody can claim exchanges now, as an errno. exchange.lock is held. */
static int exchange_claim_refused(const struct trace_array *tr, bool max)
{
	if (tr->exchange.pins || tr->exchange.has_max || (max && tr->exchange.users))
		return -EBUSY;
	return tr->exchange.allowed ? 0 : -EPROBE_DEFER;
}

/**
 * trace_exchange_claim - exchanges are needed: nobody may pin the buffers, or make one smaller
 * @tr: the instance
 * @max: by the current tracer, for its maximum, which nobody else may touch
 *
 * Context: task; waits for nobody.
 * Return: 0, trace_exchange_unclaim() must follow; -EBUSY while a buffer is pinned, a tracer has
 * its maximum, or others need them and @max is true; -EPROBE_DEFER while the second buffer is
 * smaller. Nothing else that a user of snapshots may call says that.
 */
int trace_exchange_claim(struct trace_array *tr, bool max)
{
	int ret;

	guard(irqsave)();
	trace_exchange_lock(tr);
	ret = exchange_claim_refused(tr, max);
	if (!ret && max)
		WRITE_ONCE(tr->exchange.has_max, true);
	else if (!ret)
		WRITE_ONCE(tr->exchange.users, tr->exchange.users + 1);
	trace_exchange_unlock(tr);
	return ret;
}

/**
 * trace_exchange_unclaim - undo one trace_exchange_claim()
 * @tr: the instance
 * @max: as there; the maximum is no snapshot that others may have, so there is none then until
 *	trace_exchange_allow()
 *
 * Context: task; waits for nobody.
 */
void trace_exchange_unclaim(struct trace_array *tr, bool max)
{
	guard(irqsave)();
	trace_exchange_lock(tr);
	if (max) {
		WRITE_ONCE(tr->exchange.has_max, false);
		WRITE_ONCE(tr->exchange.allowed, false);
	} else if (!WARN_ON_ONCE(!tr->exchange.users)) {
		WRITE_ONCE(tr->exchange.users, tr->exchange.users - 1);
	}
	trace_exchange_unlock(tr);
}

/**
 * trace_buffers_pin - let no snapshot exchange the buffers
 * @tr: the instance
 *
 * A mapping of a buffer does this. Pins nest.
 *
 * Context: any but NMI.
 * Return: 0, trace_buffers_unpin() must follow; -EBUSY while somebody needs
 * snapshots, see trace_snapshot_get().
 */
int trace_buffers_pin(struct trace_array *tr)
{
	int ret = -EBUSY;

	guard(irqsave)();
	trace_exchange_lock(tr);
	if (!tr->exchange.users && !tr->exchange.has_max) {
		WRITE_ONCE(tr->exchange.pins, tr->exchange.pins + 1);
		ret = 0;
	}
	trace_exchange_unlock(tr);
	return ret;
}

/**
 * trace_buffers_unpin - undo one trace_buffers_pin()
 * @tr: the instance
 *
 * Context: any but NMI.
 */
void trace_buffers_unpin(struct trace_array *tr)
{
	guard(irqsave)();
	trace_exchange_lock(tr);
	WRITE_ONCE(tr->exchange.pins, tr->exchange.pins - 1);
	trace_exchange_unlock(tr);
}

/* The buffers have changed places. */
static void exchange_tell(struct trace_array *tr, enum trace_exchange_by by)
{
	trace_request_raise(&tr->exchange.wake);
	if (by != TRACE_EXCHANGE_MAX)
		trace_news_snapshot(tr);
}

/* Why the buffers must not change places now, as an errno; 0: they may. exchange.lock is held. */
static int exchange_refused(struct trace_array *tr, enum trace_exchange_by by)
{
	bool for_max = by == TRACE_EXCHANGE_MAX;

	if (tr->exchange.pins)
		return -EBUSY;
	if (tr->exchange.held && by != TRACE_EXCHANGE_HOLDER)
		return -EAGAIN;
	if (!tr->exchange.allowed)
		return -ENODATA;
	if (tr->exchange.has_max != for_max)
		return -EPERM;
	return 0;
}

/**
 * trace_exchange_all - exchange the buffers of all CPUs
 * @tr: the instance
 * @by: who asks
 *
 * The second buffer may hold an earlier snapshot. Its records are part of the trace then, as
 * far as the trace had begun. An earlier maximum is not: its records are older than the
 * cpu_start that is set here, and readers leave them out.
 *
 * Context: any but NMI; interrupts are off.
 * Return: 0; -EBUSY while a buffer is pinned, -EAGAIN while somebody holds the
 * buffers, -ENODATA while the second one is not as large as the first, -EPERM if the
 * second buffer belongs to the tracer and @by is not TRACE_EXCHANGE_MAX, or @by is
 * TRACE_EXCHANGE_MAX and no tracer owns the buffer, -EDEADLK if this CPU is about to
 * exchange these buffers, -EAGAIN if it has an exchange.lock for anything else.
 */
int trace_exchange_all(struct trace_array *tr, enum trace_exchange_by by)
{
	struct array_buffer *main = &tr->array_buffer, *snap = &tr->snapshot;
	struct trace_buffer *old;
	u64 *old_start;
	int ret;

	ret = exchange_begin(tr, tr);
	if (ret)
		return ret;
	ret = exchange_refused(tr, by);
	if (!ret) {
		old = main->buffer;
		old_start = main->cpu_start;
		snap->time_start = main->time_start;
		if (by == TRACE_EXCHANGE_MAX)
			main->time_start = ring_buffer_time_stamp(old);
		WRITE_ONCE(main->cpu_start, snap->cpu_start);
		WRITE_ONCE(snap->cpu_start, old_start);
		memset64(main->cpu_start, main->time_start, nr_cpu_ids);
		WRITE_ONCE(main->buffer, snap->buffer);
		WRITE_ONCE(snap->buffer, old);
		WRITE_ONCE(tr->exchange.count, tr->exchange.count + 1);
	}
	exchange_end(tr);
	if (!ret)
		exchange_tell(tr, by);
	return ret;
}

/**
 * trace_exchange_this_cpu - exchange the buffers of this CPU
 * @tr: the instance
 * @by: as for trace_exchange_all()
 *
 * Context: any but NMI; interrupts are off.
 * Return: as trace_exchange_all(), and -EINTR when the call has interrupted a
 * writer on this CPU.
 */
int trace_exchange_this_cpu(struct trace_array *tr, enum trace_exchange_by by)
{
	struct array_buffer *main = &tr->array_buffer, *snap = &tr->snapshot;
	int cpu = raw_smp_processor_id(), ret;

	/* A snapshot of all CPUs that is asked for meanwhile is another one. */
	ret = exchange_begin(tr, exchange_other);
	if (ret)
		return ret;
	ret = IS_ENABLED(CONFIG_RING_BUFFER_ALLOW_SWAP) ? exchange_refused(tr, by) : -EINVAL;
	if (!ret)
		ret = ring_buffer_swap_cpu(main->buffer, snap->buffer, cpu);
	/* Without a mapping, -EBUSY means that this call has interrupted a writer. */
	if (ret == -EBUSY && !tr->exchange.pins)
		ret = -EINTR;
	if (!ret) {
		snap->cpu_start[cpu] = main->cpu_start[cpu];
		/* A user's snapshot keeps what it has of other CPUs, from an earlier one. */
		if (by != TRACE_EXCHANGE_HOLDER || !snap->time_start)
			snap->time_start = main->time_start;
		WRITE_ONCE(tr->exchange.count, tr->exchange.count + 1);
	}
	exchange_end(tr);
	if (!ret)
		exchange_tell(tr, by);
	return ret;
}
