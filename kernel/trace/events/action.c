// SPDX-License-Identifier: GPL-2.0
/*
 * The actions enable_event and disable_event: "enable_event:SYSTEM:EVENT[:COUNT]". A use of
 * one is a soft user of the event, which has the probe registered. So a hit has only to set
 * a flag that tells the probe whether to record, which is possible in any context.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "actions/action.h"
#include "events/internal.h"

/* The event is pinned, so it goes no earlier than the action. */
static struct trace_event_file *action_event(const struct trace_action_use *use)
{
	const struct trace_event_user *user = use->data;

	return user->file;
}

static bool action_event_is_off(const struct trace_action_use *use)
{
	return !trace_event_soft_is_on(action_event(use));
}

static bool action_event_is_on(const struct trace_action_use *use)
{
	return trace_event_soft_is_on(action_event(use));
}

static void action_switch_on(const struct trace_action_use *use,
			     const struct trace_action_hit *hit)
{
	trace_event_soft_switch(action_event(use), true);
}

static void action_switch_off(const struct trace_action_use *use,
			      const struct trace_action_hit *hit)
{
	trace_event_soft_switch(action_event(use), false);
}

/**
 * trace_event_action_get - let an action be a soft user of the event that it names
 * @use:	the use of the action; gets the user as its data
 * @param:	"SYSTEM:EVENT", which is cut up
 *
 * Context: task; takes the events mutex.
 * Return: 0, trace_event_action_put() must follow; -ENOMEM; what trace_event_pin() and
 * trace_event_user_join() return.
 */
int trace_event_action_get(struct trace_action_use *use, char *param)
{
	struct trace_event_user *user __free(kfree) = kzalloc(sizeof(*user), GFP_KERNEL);
	const char *system = strsep(&param, ":");
	struct trace_event_file *file;
	int ret;

	if (!user)
		return -ENOMEM;
	user->use = TRACE_EVENT_USER_SOFT;
	guard(trace_events)();
	file = trace_event_pin(use->tr, system, param);
	if (IS_ERR(file))
		return PTR_ERR(file);
	ret = trace_event_user_join(user, file);
	if (ret)
		trace_event_unpin(file);
	else
		use->data = no_free_ptr(user);
	return ret;
}

/**
 * trace_event_action_put - undo trace_event_action_get()
 * @use:	the use of the action
 *
 * Context: task; takes the events mutex.
 */
void trace_event_action_put(struct trace_action_use *use)
{
	struct trace_event_user *user = use->data;
	struct trace_event_file *file = user->file;

	guard(trace_events)();
	trace_event_user_leave(user);
	trace_event_unpin(file);
	kfree(user);
}

static struct trace_action event_actions[] = {
	{
		.name		= "enable_event",
		.nr_params	= 2,
		.where		= TRACE_ACTION_AT_FUNCTION | TRACE_ACTION_AT_EVENT,
		.due		= action_event_is_off,
		.hit		= action_switch_on,
		.get		= trace_event_action_get,
		.put		= trace_event_action_put,
	},
	{
		.name		= "disable_event",
		.nr_params	= 2,
		.where		= TRACE_ACTION_AT_FUNCTION | TRACE_ACTION_AT_EVENT,
		.due		= action_event_is_on,
		.hit		= action_switch_off,
		.get		= trace_event_action_get,
		.put		= trace_event_action_put,
	},
};

/* Boot, once. */
void __init trace_event_actions_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(event_actions); i++)
		WARN_ON(trace_action_register(&event_actions[i]));
}
