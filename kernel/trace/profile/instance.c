// SPDX-License-Identifier: GPL-2.0
/* The profiler of an instance: it is created with it, follows options, and goes with it. */
#include <linux/slab.h>

#include "functions/functions.h"
#include "instance/component.h"
#include "profile/internal.h"

static void profile_instance_set_option(struct trace_array *tr, u32 option, bool on)
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
	profile_instance_set_option(tr, PROFILE_GRAPH_TIME, on);
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
	profile_instance_set_option(tr, PROFILE_SLEEP_TIME, on);
}

static int profile_instance_create(struct trace_array *tr)
{
	struct trace_profile *profile = kzalloc(sizeof(*profile), GFP_KERNEL);

	if (!profile)
		return -ENOMEM;
	profile->tr = tr;
	profile->pids = trace_functions_pids(tr);
	profile->options = PROFILE_GRAPH_TIME | PROFILE_SLEEP_TIME;
	trace_profile_hook_init(profile);
	trace_slot_set_data(tr, &trace_profile_slot, profile);
	return 0;
}

static bool profile_instance_retreat(struct trace_array *tr)
{
	struct trace_profile *profile = trace_profile_of(tr);

	trace_profile_stop(profile);
	return profile->ran;
}

/* The last callbacks, which found nothing to count in, have ended. */
static void profile_instance_destroy(struct trace_array *tr)
{
	struct trace_profile *profile = trace_profile_of(tr);

	if (!profile)
		return;
	trace_profile_store_retire(profile->store);
	trace_slot_set_data(tr, &trace_profile_slot, NULL);
	kfree(profile);
}

struct trace_component trace_profile_component __ro_after_init = {
	.name		= "function profiler",
	.slot		= &trace_profile_slot,
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
	.create		= profile_instance_create,
	.create_files	= trace_profile_create_files,
	.retreat	= profile_instance_retreat,
	.destroy	= profile_instance_destroy,
};
