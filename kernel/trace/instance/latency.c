// SPDX-License-Identifier: GPL-2.0
/*
 * The maximum of tracers that look for latencies: data of each CPU in
 * trace_array_cpu, for the header of the trace file, and the snapshot.
 *
 * A maximum is found with interrupts off, in any context but NMI, and read by who
 * opens a file. latencies_lock (M) makes both whole. It is not a lockdep lock, since
 * functions of lockdep may be traced; nothing is called with it held.
 */
#include <linux/cred.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/rt.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "instance/internal.h"
#include "instance/latency.h"
#include "instance/snapshot.h"

static arch_spinlock_t latencies_lock = (arch_spinlock_t)__ARCH_SPIN_LOCK_UNLOCKED;

static void latency_set(struct trace_array *tr, int cpu, const struct trace_latency *latency)
{
	struct trace_array_cpu *data = per_cpu_ptr(tr->array_buffer.data, cpu);

	guard(irqsave)();
	arch_spin_lock(&latencies_lock);
	data->longest = *latency;
	arch_spin_unlock(&latencies_lock);
}

/**
 * trace_latency_is_worth - shall a latency be kept?
 * @tr: the instance, whose tracing_thresh counts
 * @ns: the latency
 * @longest: the longest one so far
 *
 * Context: any.
 * Return: true if it is as long as tracing_thresh, or, without that, a new maximum.
 */
bool trace_latency_is_worth(const struct trace_array *tr, u64 ns, u64 longest)
{
	unsigned long thresh = READ_ONCE(tr->thresh_ns);

	return thresh ? ns >= thresh : ns > longest;
}

/**
 * trace_latency_keep - a tracer has found the longest latency so far
 * @tr: an instance whose tracer has &tracer.use_max
 * @task: the task that had it
 * @found: how long, from where to where; the rest is filled in here
 * @this_cpu: the trace of this CPU is put aside, not that of all
 *
 * Context: any but NMI; interrupts are off.
 * Return: 0; -EBUSY when the trace could not be put aside, then the last maximum
 * stays. See trace_snapshot_max().
 */
int trace_latency_keep(struct trace_array *tr, struct task_struct *task,
		       const struct trace_latency *found, bool this_cpu)
{
	struct trace_latency latency = {
		.ns		= found->ns,
		.from		= found->from,
		.to		= found->to,
		.pid		= task->pid,
		.uid		= task_uid(task),
		.nice		= task_nice(task),
		.policy		= task->policy,
		.rt_priority	= task->rt_priority,
	};
	int cpu = raw_smp_processor_id();
	int ret;

	lockdep_assert_irqs_disabled();
	ret = trace_snapshot_max(tr, this_cpu);
	if (ret)
		return ret;
	/* Not get_task_comm(): its lock may be held here. The name may change meanwhile. */
	strscpy_pad(latency.comm, task->comm, sizeof(latency.comm));
	latency_set(tr, cpu, &latency);
	/* The header of the snapshot tells of this CPU. */
	WRITE_ONCE(tr->snapshot.cpu, cpu);
	return 0;
}

/**
 * trace_latency_get - the longest latency of a CPU
 * @tr: the instance
 * @cpu: the CPU
 * @latency: where it is copied to; all 0 when there was none
 *
 * Context: any but NMI.
 */
void trace_latency_get(struct trace_array *tr, int cpu, struct trace_latency *latency)
{
	guard(irqsave)();
	arch_spin_lock(&latencies_lock);
	*latency = per_cpu_ptr(tr->array_buffer.data, cpu)->longest;
	arch_spin_unlock(&latencies_lock);
}

/**
 * trace_latency_clear - forget the longest latency of a CPU
 * @tr: the instance
 * @cpu: the CPU
 *
 * Context: any but NMI.
 */
void trace_latency_clear(struct trace_array *tr, int cpu)
{
	static const struct trace_latency none;

	latency_set(tr, cpu, &none);
}
