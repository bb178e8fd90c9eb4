// SPDX-License-Identifier: GPL-2.0
/* Binds a trigger to what it needs of others, as bind.h says, and lets go of it. */
#include <linux/errno.h>

#include "events/calls.h"
#include "events/filter/filter.h"
#include "events/hist/bind.h"
#include "events/hist/handler.h"

/* A trigger whose variables are read cannot be removed, nor can its event. */
static int bind_group(struct hist_group *group)
{
	struct hist_trigger *owner = group->owner;
	struct trace_event_call *call = owner->trigger.user.file->event_call;
	int ret;

	if (!owner->referrers) {
		ret = trace_event_call_keep(call);
		if (ret)
			return ret;
		owner->kept = call;
	}
	owner->referrers++;
	WRITE_ONCE(owner->taken, owner->taken | group->taken);
	group->bound = true;
	return 0;
}

static void bind_group_undo(struct hist_group *group)
{
	struct hist_trigger *owner = group->owner;

	if (!group->bound)
		return;
	group->bound = false;
	if (--owner->referrers)
		return;
	trace_event_call_unkeep(owner->kept);
	owner->kept = NULL;
}

/*
 * Make the parts that hits of the trigger will read, before it is attached. A hit may come when the
 * list of triggers has it, and finds the parts by the list's order only: the clear_bit() of
 * trace_hist_start() does not order them. 0 or -ENOMEM: then the trigger is freed.
 */
int trace_hist_prepare(struct hist_trigger *ht)
{
	for (unsigned int i = 0; i < ht->spec.nr_actions; i++) {
		struct hist_trigger *fields = ht->spec.actions[i]->fields;

		if (!fields)
			continue;
		fields->hist = trace_hist_create(&fields->spec);
		if (!fields->hist)
			return -ENOMEM;
	}
	return 0;
}

/* Attach the trigger that an action has of its own at the event of an onmatch(). */
static int bind_fields(const struct hist_trigger *ht, struct hist_action *action)
{
	struct hist_trigger *fields = action->fields;
	const struct event_filter *filter = fields->like->trigger.filter;
	int ret;

	fields->trigger.command = ht->trigger.command;
	fields->trigger.hook.needs_record = true;
	fields->trigger.hook.hit = trace_hist_is_more(&fields->spec) ? trace_hist_hit_more :
								       trace_hist_hit;
	ret = trace_trigger_set_filter(&fields->trigger, action->fields_file,
				       filter ? trace_filter_text(filter) : NULL);
	ret = ret ?: trace_trigger_attach(&fields->trigger, action->fields_file);
	if (!ret) {
		/* The event's reference */
		refcount_inc(&fields->ref);
		return 0;
	}
	trace_filter_free(fields->trigger.filter);
	fields->trigger.filter = NULL;
	return ret;
}

static int bind_action(struct hist_trigger *ht, struct hist_action *action)
{
	int ret = 0;

	if (action->deed == HIST_TRACE) {
		ret = trace_event_call_keep(trace_synth_event_call(action->synth));
		action->kept = !ret;
	}
	if (!ret && action->fields)
		ret = bind_fields(ht, action);
	return ret;
}

/* Bind a trigger that has been attached. 0 or an errno: then it is unbound and released. */
int trace_hist_bind(struct hist_trigger *ht)
{
	struct hist_spec *spec = &ht->spec;
	int ret = 0;

	scoped_guard(trace_events) {
		for (unsigned int i = 0; i < spec->nr_actions && !ret; i++)
			ret = bind_action(ht, spec->actions[i]);
		for (unsigned int i = 0; i < spec->nr_groups && !ret; i++)
			ret = bind_group(&spec->groups[i]);
	}
	for (unsigned int i = 0; i < spec->nr_actions && !ret; i++) {
		if (spec->actions[i]->deed == HIST_SNAPSHOT)
			ret = trace_hist_shot_begin(&spec->actions[i]->shot);
	}
	return ret;
}

/* Let hits be counted from now on. A hit may learn of it late. */
void trace_hist_start(struct hist_trigger *ht)
{
	for (unsigned int i = 0; i < ht->spec.nr_actions; i++) {
		if (ht->spec.actions[i]->fields)
			trace_hist_start(ht->spec.actions[i]->fields);
	}
	clear_bit(HIST_STOP_UNREADY, &ht->stopped);
}

void trace_hist_unbind(struct hist_trigger *ht)
{
	struct hist_spec *spec = &ht->spec;

	for (unsigned int i = 0; i < spec->nr_groups; i++)
		bind_group_undo(&spec->groups[i]);
	for (unsigned int i = 0; i < spec->nr_actions; i++) {
		struct hist_trigger *fields = spec->actions[i]->fields;

		/* An instance that goes may have taken it off before. */
		if (fields && fields->attached)
			trace_trigger_detach(&fields->trigger);
	}
}

void trace_hist_release(struct hist_trigger *ht)
{
	for (unsigned int i = 0; i < ht->spec.nr_actions; i++) {
		struct hist_action *action = ht->spec.actions[i];

		trace_hist_shot_end(&action->shot);
		if (!action->kept)
			continue;
		guard(trace_events)();
		trace_event_call_unkeep(trace_synth_event_call(action->synth));
		action->kept = false;
	}
}
