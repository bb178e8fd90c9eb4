// SPDX-License-Identifier: GPL-2.0
/*
 * The profiler's callbacks, which count at the entry of a function, and at its return.
 *
 * They run in any context, NMI included, with preemption off. A call is counted on the CPU
 * where it begins, and how long it took on the one where it returns.
 *
 * Each call has a struct call_data until it returns. At its return it adds its time to the
 * call_data of the nearest profiled call around it, which takes it off its own time. A call in
 * an interrupt is not added to the function that was interrupted, whose time of interrupts has
 * it already.
 *
 *	total = self + callees + slept + interrupted
 *
 * where callees is the running time of the calls within, and what they slept and were
 * interrupted counts as sleep and interrupt of each call around them.
 */
#include <linux/cpumask.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

#include "graph/graph.h"
#include "profile/internal.h"
#include "tasks/pid_filter.h"

/*
 * The store to count in, or NULL. It goes after a grace period of RCU, which watches neither a CPU
 * that is about to be offline nor one that is not quite there. Preemption is off.
 */
static __always_inline struct profile_store *call_counting(struct trace_profile *profile)
{
	if (unlikely(!cpu_online(raw_smp_processor_id()) || !rcu_is_watching()))
		return NULL;
	return rcu_dereference_raw(profile->counting);
}

/* As call_counting(); NULL also if the call is none of ours. */
static __always_inline struct profile_store *call_store(struct trace_profile *profile)
{
	if (unlikely(trace_pid_filter_limited(profile->pids)) &&
	    trace_pid_filter_ignores_running(profile->pids))
		return NULL;
	return call_counting(profile);
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

/**
 * struct call_data - what the profiler keeps of a call
 * @slept: fgraph_slept() at the entry
 * @interrupted: fgraph_interrupted_at_entry()
 * @below_time: the time of the calls within, as the options want it
 * @below_busy: how long those were running
 * @level: fgraph_interrupt_level()
 */
struct call_data {
	u64	slept;
	u64	interrupted;
	u64	below_time;
	u64	below_busy : 62;
	u64	level : 2;
};

/* Clocks of CPUs may differ. */
static u64 less(u64 from, u64 what)
{
	return from > what ? from - what : 0;
}

/**
 * trace_profile_entry - struct fgraph_ops::entryfunc
 * @call: the call
 * @gops: of a struct trace_profile
 *
 * Context: as struct fgraph_ops::entryfunc.
 * Return: 1: the return is awaited.
 */
int trace_profile_entry(struct ftrace_graph_ent *call, struct fgraph_ops *gops)
{
	struct trace_profile *profile = container_of(gops, struct trace_profile, gops);
	struct profile_store *store = call_store(profile);
	struct profile_record *rec;
	struct call_data *data;

	if (!store)
		return 0;
	rec = trace_profile_store_find(store, call->func);
	if (unlikely(!rec))
		return 0;
	local64_inc(&rec->hits);
	data = fgraph_reserve_data(gops->idx, sizeof(*data));
	if (unlikely(!data)) {
		local_inc(&this_cpu_ptr(store->cpus)->untimed);
		return 0;
	}
	*data = (struct call_data) {
		.slept		= fgraph_slept(),
		.interrupted	= fgraph_interrupted_at_entry(),
		.level		= fgraph_interrupt_level(),
	};
	return 1;
}

static void call_measure(struct profile_call *took, const struct call_data *data,
			 const struct ftrace_graph_ret *ret, u32 options)
{
	u64 now = ret->rettime;

	took->slept = fgraph_slept() - data->slept;
	took->interrupted = fgraph_interrupted(&now) - data->interrupted;
	took->total = less(now, ret->calltime);
	took->time = options & PROFILE_SLEEP_TIME ? took->total : less(took->total, took->slept);
}

/**
 * trace_profile_return - struct fgraph_ops::retfunc
 * @ret: the return
 * @gops: of a struct trace_profile
 *
 * Context: as struct fgraph_ops::retfunc.
 */
void trace_profile_return(struct ftrace_graph_ret *ret, struct fgraph_ops *gops)
{
	struct trace_profile *profile = container_of(gops, struct trace_profile, gops);
	struct profile_store *store = call_counting(profile);
	struct call_data *data = fgraph_retrieve_data(gops->idx, NULL), *around;
	u32 options = READ_ONCE(profile->options);
	struct profile_record *rec;
	struct profile_call took;
	u64 busy;

	if (!store || !data)
		return;
	call_measure(&took, data, ret, options);
	busy = less(took.total, took.slept + took.interrupted);
	around = fgraph_data_around(gops, data, sizeof(*data));
	if (around && around->level == data->level) {
		around->below_time += took.time;
		around->below_busy += busy;
	}
	took.self = less(busy, data->below_busy);
	if (!(options & PROFILE_GRAPH_TIME))
		took.time = less(took.time, data->below_time);
	rec = trace_profile_store_find(store, ret->func);
	if (likely(rec))
		trace_profile_times_add(&rec->times, &took);
}

#else

/**
 * trace_profile_hit - struct ftrace_ops::func
 * @ip: the function
 * @parent_ip: where it is called from
 * @ops: of a struct trace_profile
 * @fregs: not used
 *
 * Context: any, NMI included.
 */
void trace_profile_hit(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		       struct ftrace_regs *fregs)
{
	struct trace_profile *profile = container_of(ops, struct trace_profile, ops);
	struct profile_record *rec = NULL;
	struct profile_store *store;

	preempt_disable_notrace();
	store = call_store(profile);
	if (store)
		rec = trace_profile_store_find(store, ip);
	if (rec)
		local64_inc(&rec->hits);
	preempt_enable_notrace();
}

#endif
