// SPDX-License-Identifier: GPL-2.0
/*
 * The profiler's callbacks, which count at the entry of a function, and at its return; and how
 * they are switched on and off, for which see the second half.
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

#include "functions/functions.h"
#include "graph/graph.h"
#include "hooks/hooks.h"
#include "instance/component.h"
#include "lib/wait.h"
#include "profile/internal.h"
#include "sites/sites.h"
#include "tasks/pid_filter.h"

DEFINE_TRACE_SLOT(trace_profile_slot);

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
static u64 call_less(u64 from, u64 what)
{
	return from > what ? from - what : 0;
}

/**
 * calls_entry - struct fgraph_ops::entryfunc
 * @call: the call
 * @gops: of a struct trace_profile
 *
 * Context: as struct fgraph_ops::entryfunc.
 * Return: 1: the return is awaited.
 */
static int calls_entry(struct ftrace_graph_ent *call, struct fgraph_ops *gops)
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
	took->total = call_less(now, ret->calltime);
	took->time = options & PROFILE_SLEEP_TIME ? took->total : call_less(took->total,
									    took->slept);
}

/**
 * calls_return - struct fgraph_ops::retfunc
 * @ret: the return
 * @gops: of a struct trace_profile
 *
 * Context: as struct fgraph_ops::retfunc.
 */
static void calls_return(struct ftrace_graph_ret *ret, struct fgraph_ops *gops)
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
	busy = call_less(took.total, took.slept + took.interrupted);
	around = fgraph_data_around(gops, data, sizeof(*data));
	if (around && around->level == data->level) {
		around->below_time += took.time;
		around->below_busy += busy;
	}
	took.self = call_less(busy, data->below_busy);
	if (!(options & PROFILE_GRAPH_TIME))
		took.time = call_less(took.time, data->below_time);
	rec = trace_profile_store_find(store, ret->func);
	if (likely(rec))
		trace_profile_times_add(&rec->times, &took);
}

#else

/**
 * calls_hit - struct ftrace_ops::func
 * @ip: the function
 * @parent_ip: where it is called from
 * @ops: of a struct trace_profile
 * @fregs: not used
 *
 * Context: any, NMI included.
 */
static void calls_hit(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
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

/*
 * Profiling is switched on and off in an instance.
 *
 * Each time it is switched on a new store takes the place of the one before, which stays
 * to be read until then. Switching it off takes the store from the callbacks. The task that does
 * so waits for those that have it when it has given the lock back: when the write has returned,
 * the figures stay as they are. Callbacks use a store only where RCU watches, so RCU's grace
 * period is enough for that, and for the memory of a store. It ends by ticks, even if a CPU does
 * not schedule.
 *
 * Callbacks may go on to be called for a while, by tasks that are somewhere in a
 * trampoline, and find nothing to count in. Functions that tasks are in return as ever:
 * a user of returns is not told of calls that began before it was registered again.
 *
 * Readers hold trace_instances_lock() while they make rows, as do those who change the
 * store, and show the rows without it.
 */

/* How many functions can be called. Without sites nobody knows. */
static unsigned long calls_functions(void)
{
#ifdef CONFIG_DYNAMIC_FTRACE
	struct ftrace_site_totals totals;

	guard(ftrace_lock)();
	ftrace_sites_totals(&totals);
	return totals.sites;
#else
	return 1 << 16;
#endif
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

void trace_profile_hook_init(struct trace_profile *profile)
{
	profile->gops.entryfunc = calls_entry;
	profile->gops.retfunc = calls_return;
	trace_functions_share(profile->tr, &profile->gops.ops);
}

static int calls_hook(struct trace_profile *profile)
{
	int ret = fgraph_sleep_get();

	if (ret)
		return ret;
	ret = fgraph_interrupts_get();
	if (ret)
		goto err_sleep;
	ret = fgraph_register_as(&profile->gops, NULL, NULL);
	if (!ret)
		return 0;
	fgraph_interrupts_put();
err_sleep:
	fgraph_sleep_put();
	return ret;
}

static void calls_unhook(struct trace_profile *profile)
{
	fgraph_unregister_nowait(&profile->gops);
	fgraph_interrupts_put();
	fgraph_sleep_put();
}

#else

void trace_profile_hook_init(struct trace_profile *profile)
{
	profile->ops.func = calls_hit;
	profile->ops.flags = FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_NO_FREGS;
	trace_functions_share(profile->tr, &profile->ops);
}

static int calls_hook(struct trace_profile *profile)
{
	return register_ftrace_function(&profile->ops);
}

static void calls_unhook(struct trace_profile *profile)
{
	ftrace_ops_unregister_nowait(&profile->ops);
}

#endif

/**
 * trace_profile_start - begin to count anew
 * @profile: of the instance; no change when it counts already
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0; -ENOMEM, or the errno of registering the hook, -EINPROGRESS of
 * fgraph_register_as() among them: then what was counted before is still there.
 */
int trace_profile_start(struct trace_profile *profile)
{
	struct profile_store *store;
	int ret;

	trace_instances_assert_locked();
	if (profile->on)
		return 0;
	store = trace_profile_store_alloc(calls_functions());
	if (!store)
		return -ENOMEM;
	profile->ran = true;
	ret = calls_hook(profile);
	if (ret) {
		trace_profile_store_retire(store);
		return ret;
	}
	trace_profile_store_retire(profile->store);
	profile->store = store;
	WRITE_ONCE(profile->on, true);
	/* All sites are patched: nobody wants to see what that calls. */
	rcu_assign_pointer(profile->counting, store);
	return 0;
}

/**
 * trace_profile_stop - count no more
 * @profile: of the instance; no change when it does not count
 *
 * Callbacks that have begun may count for as long as trace_profile_settle() waits.
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 */
void trace_profile_stop(struct trace_profile *profile)
{
	trace_instances_assert_locked();
	if (!profile->on)
		return;
	WRITE_ONCE(profile->on, false);
	RCU_INIT_POINTER(profile->counting, NULL);
	calls_unhook(profile);
}

static void calls_wait(void *unused)
{
	trace_wait_rcu();
}

/* Callbacks count no more, and nothing has to be done about it. */
static void calls_ended(void *unused)
{
}

/**
 * trace_profile_settle - wait until the figures stay as they are, if profiling is off
 * @profile: of the instance
 *
 * SIGKILL ends the wait.
 *
 * Context: task, may sleep; trace_instances_lock() is not held.
 */
void trace_profile_settle(const struct trace_profile *profile)
{
	if (!READ_ONCE(profile->on))
		trace_wait_call(calls_wait, calls_ended, NULL, TASK_KILLABLE);
}
