// SPDX-License-Identifier: GPL-2.0
/*
 * The actions enable_event and disable_event: "enable_event:SYSTEM:EVENT[:COUNT]". A use of
 * one is a soft user of the event, which has the probe registered. So a hit has only to set
 * a flag that tells the probe whether to record, which is possible in any context.
 */
#include <linux/err.h>
#include <linux/string.h>

#include "actions/action.h"
#include "events/internal.h"

static bool event_is_off(const struct trace_action_use *use)
{
	return !trace_event_soft_is_on(use->data);
}

static bool event_is_on(const struct trace_action_use *use)
{
	return trace_event_soft_is_on(use->data);
}

static void event_switch_on(const struct trace_action_use *use, unsigned long from)
{
	trace_event_soft_switch(use->data, true);
}

static void event_switch_off(const struct trace_action_use *use, unsigned long from)
{
	trace_event_soft_switch(use->data, false);
}

static int event_action_get(struct trace_action_use *use, char *param)
{
	const char *system = strsep(&param, ":");
	struct trace_event_file *file = trace_event_pin(use->tr, system, param);
	int ret;

	if (IS_ERR(file))
		return PTR_ERR(file);
	ret = trace_event_user_get(file, TRACE_EVENT_USER_SOFT);
	if (ret)
		trace_event_unpin(file);
	else
		use->data = file;
	return ret;
}

static void event_action_put(struct trace_action_use *use)
{
	trace_event_user_put(use->data, TRACE_EVENT_USER_SOFT);
	trace_event_unpin(use->data);
}

static struct trace_action event_actions[] = {
	{
		.name		= "enable_event",
		.nr_params	= 2,
		.due		= event_is_off,
		.hit		= event_switch_on,
		.get		= event_action_get,
		.put		= event_action_put,
	},
	{
		.name		= "disable_event",
		.nr_params	= 2,
		.due		= event_is_on,
		.hit		= event_switch_off,
		.get		= event_action_get,
		.put		= event_action_put,
	},
};

/* Boot, once. */
void __init trace_event_actions_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(event_actions); i++)
		WARN_ON(trace_action_register(&event_actions[i]));
}
