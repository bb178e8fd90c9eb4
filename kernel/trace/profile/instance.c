// SPDX-License-Identifier: GPL-2.0
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
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "functions/functions.h"
#include "graph/graph.h"
#include "hooks/hooks.h"
#include "instance/component.h"
#include "profile/internal.h"
#include "sites/sites.h"

/**
 * trace_profile_of - what an instance has of the profiler
 * @tr: the instance
 *
 * Context: any.
 * Return: it stays as long as @tr.
 */
struct trace_profile *trace_profile_of(struct trace_array *tr)
{
	return trace_component_data(tr, &trace_profile_component);
}

/* How many functions can be called. Without sites nobody knows. */
static unsigned long profile_functions(void)
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

static void profile_hook_init(struct trace_profile *profile)
{
	profile->gops.entryfunc = trace_profile_entry;
	profile->gops.retfunc = trace_profile_return;
	trace_functions_share(profile->tr, &profile->gops.ops);
}

static int profile_hook(struct trace_profile *profile)
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

static void profile_unhook(struct trace_profile *profile)
{
	fgraph_unregister_nowait(&profile->gops);
	fgraph_interrupts_put();
	fgraph_sleep_put();
}

#else

static void profile_hook_init(struct trace_profile *profile)
{
	profile->ops.func = trace_profile_hit;
	profile->ops.flags = FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_NO_FREGS;
	trace_functions_share(profile->tr, &profile->ops);
}

static int profile_hook(struct trace_profile *profile)
{
	return register_ftrace_function(&profile->ops);
}

static void profile_unhook(struct trace_profile *profile)
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
	store = trace_profile_store_alloc(profile_functions());
	if (!store)
		return -ENOMEM;
	profile->ran = true;
	ret = profile_hook(profile);
	if (ret) {
		trace_profile_store_free(store);
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
	profile_unhook(profile);
}

/**
 * trace_profile_settle - wait until the figures stay as they are, if profiling is off
 * @profile: of the instance
 *
 * Context: task, may sleep; trace_instances_lock() is not held.
 */
void trace_profile_settle(const struct trace_profile *profile)
{
	if (!READ_ONCE(profile->on))
		synchronize_rcu();
}

static void profile_set_option(struct trace_array *tr, u32 option, bool on)
{
	struct trace_profile *profile = trace_profile_of(tr);

	trace_instances_assert_locked();
	WRITE_ONCE(profile->options, on ? profile->options | option : profile->options & ~option);
}

/**
 * trace_profile_set_graph_time - the option graph-time was changed
 * @tr: the instance
 * @on: the time of a function has that of the functions which it calls
 *
 * Calls that return from now on are counted so.
 *
 * Context: task; trace_instances_lock() is held.
 */
void trace_profile_set_graph_time(struct trace_array *tr, bool on)
{
	profile_set_option(tr, PROFILE_GRAPH_TIME, on);
}

/**
 * trace_profile_set_sleep_time - the option sleep-time was changed
 * @tr: the instance
 * @on: the time of a function has what its task slept in it
 *
 * Calls that return from now on are counted so.
 *
 * Context: task; trace_instances_lock() is held.
 */
void trace_profile_set_sleep_time(struct trace_array *tr, bool on)
{
	profile_set_option(tr, PROFILE_SLEEP_TIME, on);
}

static int profile_create(struct trace_array *tr)
{
	struct trace_profile *profile = kzalloc(sizeof(*profile), GFP_KERNEL);

	if (!profile)
		return -ENOMEM;
	profile->tr = tr;
	profile->pids = trace_functions_pids(tr);
	profile->options = PROFILE_GRAPH_TIME | PROFILE_SLEEP_TIME;
	profile_hook_init(profile);
	trace_component_set_data(tr, &trace_profile_component, profile);
	return 0;
}

static bool profile_retreat(struct trace_array *tr)
{
	struct trace_profile *profile = trace_profile_of(tr);

	trace_profile_stop(profile);
	return profile->ran;
}

/* The last callbacks, which found nothing to count in, have ended. */
static void profile_destroy(struct trace_array *tr)
{
	struct trace_profile *profile = trace_profile_of(tr);

	if (!profile)
		return;
	trace_profile_store_free(profile->store);
	trace_component_set_data(tr, &trace_profile_component, NULL);
	kfree(profile);
}

struct trace_component trace_profile_component __ro_after_init = {
	.name		= "function profiler",
	.readme		=
		"\n"
		"Function profiler\n"
		"  function_profile_enabled\t- 1: count calls of the functions of set_ftrace_filter\n"
		"  trace_stat/function<cpu>\t- the calls of each function on a CPU, and their time\n"
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
		"\t\t\t  (options graph-time, sleep-time)\n"
		"  trace_stat/times\t\t- where the time of each function went, on all CPUs\n"
#endif
		"  trace_stat/missed\t\t- how many calls were not counted, and why\n",
	.create		= profile_create,
	.create_files	= trace_profile_create_files,
	.retreat	= profile_retreat,
	.destroy	= profile_destroy,
};
