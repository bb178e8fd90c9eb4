// SPDX-License-Identifier: GPL-2.0
/*
 * The triggers that carry out an action (actions/action.h) when their event is hit:
 *
 *	NAME[:PARAMETER...][:COUNT][:PACE...][ if FILTER]
 *
 * at once, or some time after the hit (delay.h).
 *
 * An event has at most one of traceon and traceoff, one stacktrace and one snapshot, and for
 * each other event one of enable_event and disable_event. A removal may name either of a pair,
 * with any count and pace, see pace.h.
 */
#include <linux/err.h>
#include <linux/init.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "actions/action.h"
#include "events/calls.h"
#include "events/file.h"
#include "events/trigger/delay.h"
#include "events/trigger/internal.h"
#include "events/trigger/pace.h"

/* Commands of a pair exclude each other. */
enum action_pair {
	ACTION_ALONE,
	ACTION_TRACING,		/* traceon, traceoff */
	ACTION_EVENT,		/* enable_event, disable_event */
	ACTION_HIST,		/* enable_hist, disable_hist */
};

struct action_command {
	struct trace_trigger_command	command;
	enum action_pair		pair;
};

struct action_trigger {
	struct trace_trigger		trigger;
	struct trace_action_use		use;
	struct trace_action_count	count;
	struct trace_pace		pace;
	struct trace_delay		*delay;		/* constant; NULL: none */
};

static const struct action_command *
action_trigger_command_of(const struct trace_trigger_command *command)
{
	return container_of_const(command, struct action_command, command);
}

static const struct action_trigger *action_trigger_of(const struct trace_trigger *trigger)
{
	return container_of_const(trigger, struct action_trigger, trigger);
}

/* May one more hit act, by the pace and the count? If so, it is counted. */
static bool action_trigger_counts(struct action_trigger *at)
{
	if (!trace_pace_is_any(&at->pace) &&
	    !trace_pace_take(&at->pace, ktime_get_mono_fast_ns()))
		return false;
	return trace_action_take(&at->count);
}

/* Of hits on several CPUs one acts, and no other is counted. */
static void action_trigger_do_later(struct action_trigger *at)
{
	if (!trace_delay_take(at->delay))
		return;
	if (action_trigger_counts(at))
		trace_delay_arm(at->delay);
	else
		trace_delay_give(at->delay);
}

static void action_trigger_do(struct action_trigger *at, const struct trace_event_hit *hit)
{
	const struct trace_action_hit what = {
		.from		= hit->from,
		.place		= &hit->place,
		.file		= hit->file,
		.record		= hit->record,
		.regs		= hit->regs,
		.trace_ctx	= hit->trace_ctx,
	};

	if (!trace_action_due(&at->use))
		return;
	if (at->delay)
		action_trigger_do_later(at);
	else if (action_trigger_counts(at))
		at->use.action->hit(&at->use, &what);
}

static bool action_trigger_hit(struct trace_event_trigger *hook, struct trace_event_hit *hit)
{
	struct trace_trigger *trigger = trace_trigger_of(hook);

	if (!trace_trigger_wants(trigger, hit))
		return false;
	if (hook->after)
		return true;
	action_trigger_do(container_of(trigger, struct action_trigger, trigger), hit);
	return false;
}

static void action_trigger_after(struct trace_event_trigger *hook, struct trace_event_hit *hit)
{
	action_trigger_do(container_of(trace_trigger_of(hook), struct action_trigger, trigger),
			  hit);
}

static int action_trigger_parse(struct trace_action_text *what, struct trace_pace *pace,
				const struct trace_trigger_text *text, char *copy)
{
	int ret = 0;

	*pace = (struct trace_pace){ };
	if (copy)
		ret = trace_pace_parse(pace, copy);
	if (ret < 0)
		return ret;
	/* 1: there were no other words. */
	if (ret)
		copy = NULL;
	return trace_action_parse_param(what, text->command->name, copy, TRACE_ACTION_AT_EVENT);
}

/* Get the action, and what its delay needs. 0, or an errno: then there is nothing to undo. */
static int action_trigger_get(struct action_trigger *at, struct trace_array *tr,
			      const struct trace_action_text *what)
{
	int ret;

	/* A stack some time later is not that of the hit. */
	if (at->pace.delay && what->action->uses_hit)
		return -EINVAL;
	ret = trace_action_get(&at->use, tr, what);
	if (ret || !at->pace.delay)
		return ret;
	at->delay = trace_delay_create(&at->use, at->pace.delay);
	if (at->delay)
		return 0;
	trace_action_put(&at->use);
	return -ENOMEM;
}

static struct trace_trigger *action_trigger_make(struct trace_event_file *file,
						 const struct trace_trigger_text *text)
{
	struct action_trigger *at __free(kfree) = kzalloc(sizeof(*at), GFP_KERNEL);
	char *copy __free(kfree) = kstrdup(text->param, GFP_KERNEL);
	struct trace_action_text what;
	long count;
	int ret;

	if (!at || (text->param && !copy))
		return ERR_PTR(-ENOMEM);
	ret = action_trigger_parse(&what, &at->pace, text, copy);
	ret = ret ?: trace_action_parse_count(&what, &count);
	ret = ret ?: action_trigger_get(at, file->tr, &what);
	if (ret)
		return ERR_PTR(ret);
	trace_action_count_set(&at->count, count);
	at->trigger.hook.hit = action_trigger_hit;
	at->trigger.hook.after = what.action->after && !at->delay ? action_trigger_after : NULL;
	at->trigger.waits = what.action->put;
	return &no_free_ptr(at)->trigger;
}

/* Do a trigger and an action that was written exclude each other? */
static bool action_trigger_clash(const struct trace_trigger *trigger,
				 const struct trace_trigger_command *command, const char *param)
{
	const struct action_trigger *at = action_trigger_of(trigger);
	enum action_pair pair = action_trigger_command_of(command)->pair;

	if (trigger->hook.hit != action_trigger_hit)
		return false;
	if (trigger->command != command &&
	    (!pair || action_trigger_command_of(trigger->command)->pair != pair))
		return false;
	return !at->use.param || !strcmp(at->use.param, param);
}

static bool action_trigger_clashes(const struct trace_trigger *old,
				   const struct trace_trigger *new)
{
	return action_trigger_clash(old, new->command, action_trigger_of(new)->use.param);
}

/* Is there the event that the parameters of one of a pair name? Others name none. */
static bool action_trigger_has_target(struct trace_event_file *file,
				      const struct trace_trigger_command *command,
				      const char *param)
{
	enum action_pair pair = action_trigger_command_of(command)->pair;
	char *copy __free(kfree) = NULL;
	char *name;

	if (pair != ACTION_EVENT && pair != ACTION_HIST)
		return true;
	copy = kstrdup(param, GFP_KERNEL);
	if (!copy)
		return true;
	name = copy;
	strsep(&name, ":");
	guard(trace_events)();
	return trace_event_file_find(file->tr, copy, name);
}

static struct trace_trigger *action_trigger_find(struct trace_event_file *file,
						 const struct trace_trigger_text *text)
{
	char *copy __free(kfree) = kstrdup(text->param, GFP_KERNEL);
	struct trace_trigger *trigger;
	struct trace_action_text what;
	struct trace_pace pace;
	int ret;

	if (text->param && !copy)
		return ERR_PTR(-ENOMEM);
	ret = action_trigger_parse(&what, &pace, text, copy);
	if (ret)
		return ERR_PTR(ret);
	for_each_trace_trigger(trigger, file) {
		if (action_trigger_clash(trigger, text->command, what.param))
			return trigger;
	}
	return action_trigger_has_target(file, text->command, what.param) ? NULL : ERR_PTR(-EINVAL);
}

static void action_trigger_show(struct seq_file *m, const struct trace_trigger *trigger)
{
	const struct action_trigger *at = action_trigger_of(trigger);

	trace_action_show(m, &at->use, &at->count);
	trace_pace_show(m, &at->pace);
}

/* The grace period before action_trigger_free() may take long, and a delayed action is due soon. */
static void action_trigger_detached(struct trace_trigger *trigger)
{
	trace_delay_end(action_trigger_of(trigger)->delay);
}

static void action_trigger_free(struct trace_trigger *trigger)
{
	struct action_trigger *at = container_of(trigger, struct action_trigger, trigger);

	trace_delay_destroy(at->delay);
	trace_action_put(&at->use);
	kfree(at);
}

#define ACTION_COMMAND(_name, _pair)					\
	{								\
		.command = {						\
			.name		= _name,			\
			.truncated	= (_pair) == ACTION_HIST,	\
			.make		= action_trigger_make,		\
			.clashes	= action_trigger_clashes,	\
			.find		= action_trigger_find,		\
			.detached	= action_trigger_detached,	\
			.show		= action_trigger_show,		\
			.free		= action_trigger_free,		\
		},							\
		.pair = _pair,						\
	}

static struct action_command action_commands[] = {
	ACTION_COMMAND("traceon", ACTION_TRACING),
	ACTION_COMMAND("traceoff", ACTION_TRACING),
#ifdef CONFIG_TRACER_SNAPSHOT
	ACTION_COMMAND("snapshot", ACTION_ALONE),
#endif
	ACTION_COMMAND("stacktrace", ACTION_ALONE),
	ACTION_COMMAND("enable_event", ACTION_EVENT),
	ACTION_COMMAND("disable_event", ACTION_EVENT),
#ifdef CONFIG_HIST_TRIGGERS
	ACTION_COMMAND("enable_hist", ACTION_HIST),
	ACTION_COMMAND("disable_hist", ACTION_HIST),
#endif
};

/* Boot, once; the events mutex is held. */
void __init trace_trigger_actions_init(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(action_commands); i++)
		WARN_ON(trace_trigger_command_add(&action_commands[i].command));
}
