// SPDX-License-Identifier: GPL-2.0
/*
 * The actions enable_hist and disable_hist: "enable_hist:SYSTEM:EVENT[:COUNT]" lets all
 * histograms of an event count, or pauses them. The event is pinned, and its probe in place.
 */
#include <linux/init.h>
#include <linux/rculist.h>

#include "actions/action.h"
#include "events/file.h"
#include "events/hist/internal.h"

/* Histograms come and go meanwhile; preemption is off, so those that are found stay. */
static void action_pause(const struct trace_action_use *use, bool pause)
{
	const struct trace_event_user *user = use->data;
	struct trace_event_trigger *hook;

	list_for_each_entry_rcu(hook, &user->file->triggers, list, true) {
		struct trace_trigger *trigger = trace_trigger_of(hook);

		if (hook->has_command && hist_is_trigger(trigger))
			assign_bit(HIST_STOP_PAUSED, &hist_trigger_of(trigger)->stopped, pause);
	}
}

static void action_enable(const struct trace_action_use *use, const struct trace_action_hit *hit)
{
	action_pause(use, false);
}

static void action_disable(const struct trace_action_use *use, const struct trace_action_hit *hit)
{
	action_pause(use, true);
}

#define HIST_ACTION(_name, _hit)					\
	{								\
		.name		= _name,				\
		.nr_params	= 2,					\
		.where		= TRACE_ACTION_AT_EVENT,		\
		.hit		= _hit,					\
		.get		= trace_event_action_get,		\
		.put		= trace_event_action_put,		\
	}

static struct trace_action hist_actions[] = {
	HIST_ACTION("enable_hist", action_enable),
	HIST_ACTION("disable_hist", action_disable),
};

/* Boot, once; the events mutex is held. */
void __init trace_hist_actions_init(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(hist_actions); i++)
		WARN_ON(trace_action_register(&hist_actions[i]));
}
