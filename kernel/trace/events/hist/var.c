// SPDX-License-Identifier: GPL-2.0
/*
 * Variables, and references to them: "$x" is a variable of the trigger itself, of the event of an
 * onmatch(), or of any event of the instance, in this order; "SYSTEM.EVENT.$x" is one of that
 * event, of the trigger itself if the event is its own. A hit finds the values at its own key.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "events/calls.h"
#include "events/file.h"
#include "events/hist/handler.h"
#include "events/hist/load.h"
#include "instance/instance.h"

/* The triggers that have a variable of a name: the last one, and how many histograms. */
struct var_found {
	struct hist_trigger	*owner;
	unsigned int		i;
	unsigned int		nr;
};

/* Is it "$NAME" or "SYSTEM.EVENT.$NAME"? */
bool trace_hist_is_ref(const char *word)
{
	const char *dot = strchr(word, '.');

	if (*word == '$')
		return true;
	dot = dot ? strchr(dot + 1, '.') : NULL;
	return dot && dot[1] == '$';
}

/* The trigger's own variable of a name, of those that have been parsed. */
struct hist_var *trace_hist_own_var(const struct hist_spec *spec, const char *name)
{
	for (unsigned int i = 0; i < spec->nr_vars; i++) {
		if (!strcmp(spec->vars[i]->name, name))
			return spec->vars[i];
	}
	return NULL;
}

/* The name behind "$", or behind "SYSTEM.EVENT.$" of the event itself; NULL: there is none. */
static const char *var_own_name(const struct hist_parse *p, const char *word)
{
	struct trace_event_call *call = p->file->event_call;
	const char * const own[] = { call->class->system, trace_event_name(call) };

	for (unsigned int i = 0; i < ARRAY_SIZE(own) && *word != '$'; i++) {
		size_t len = str_has_prefix(word, own[i]);

		if (!len || word[len] != '.')
			return NULL;
		word += len + 1;
	}
	return *word == '$' ? word + 1 : NULL;
}

/* The trigger's own variable that a reference means; NULL: it is one of another trigger. */
const struct hist_var *trace_hist_own_ref(const struct hist_parse *p, const char *word)
{
	const char *name = var_own_name(p, word);

	return name ? trace_hist_own_var(p->spec, name) : NULL;
}

/* @f is a variable, of the trigger itself as long as its room is not changed. */
void trace_hist_own_field(struct hist_field *f, const struct hist_var *var)
{
	f->source = HIST_VAR;
	f->kind = var->value.kind;
	f->unit = var->value.unit;
	f->is_signed = var->value.is_signed;
	f->computed = var->value.computed;
	f->bytes = var->value.bytes;
	f->room = var->at;
	trace_hist_load_set(f);
}

static void var_look(struct trace_event_file *file, const char *name, struct var_found *found)
{
	struct trace_trigger *trigger;

	for_each_trace_trigger(trigger, file) {
		struct hist_trigger *ht = hist_trigger_of(trigger);

		if (!hist_is_trigger(trigger) || ht->hidden)
			continue;
		for (unsigned int i = 0; i < ht->spec.nr_vars; i++) {
			if (strcmp(ht->spec.vars[i]->name, name))
				continue;
			/* Triggers that share a histogram share its variables. */
			found->nr += !found->owner || found->owner->hist != ht->hist;
			found->owner = ht;
			found->i = i;
		}
	}
}

/* Has a trigger of the event a variable of this name? */
bool trace_hist_has_var(struct trace_event_file *file, const char *name)
{
	struct var_found found = {};

	var_look(file, name, &found);
	return found.nr;
}

/* Of one event, or of all if @system is NULL. The events mutex is held. */
static void var_find(struct trace_array *tr, const char *system, const char *event,
		     const char *name, struct var_found *found)
{
	struct trace_event_file *file;

	for_each_trace_event_file(file, tr) {
		if (!system || (!strcmp(file->event_call->class->system, system) &&
				!strcmp(trace_event_name(file->event_call), event)))
			var_look(file, name, found);
	}
}

static void var_find_matched(const struct hist_parse *p, const char *name,
			     struct var_found *found)
{
	const struct hist_spec *spec = p->spec;

	for (unsigned int i = 0; i < spec->nr_actions; i++) {
		const struct hist_action *action = spec->actions[i];
		struct var_found one = {};

		if (action->handler != HIST_ONMATCH)
			continue;
		var_find(p->file->tr, action->system, action->event, name, &one);
		if (!one.nr || (found->owner && found->owner->hist == one.owner->hist))
			continue;
		one.nr += found->nr;
		*found = one;
	}
}

static struct hist_group *var_group(struct hist_spec *spec, struct hist_trigger *owner)
{
	struct hist_group *group;

	for (unsigned int i = 0; i < spec->nr_groups; i++) {
		if (spec->groups[i].owner == owner)
			return &spec->groups[i];
	}
	if (spec->nr_groups == HIST_GROUPS)
		return NULL;
	group = &spec->groups[spec->nr_groups];
	group->room = trace_hist_room(spec, owner->spec.cell_size);
	if (!group->room)
		return NULL;
	group->owner = owner;
	refcount_inc(&owner->ref);
	spec->nr_groups++;
	spec->other_size = max(spec->other_size, owner->spec.key_size);
	return group;
}

/* Let @f be variable @i of another trigger. @once: one reader gets it. -ENOSPC: too many. */
int trace_hist_group_var(struct hist_spec *spec, struct hist_trigger *owner, unsigned int i,
			 struct hist_field *f, bool once)
{
	struct hist_group *group = var_group(spec, owner);
	const struct hist_var *var = owner->spec.vars[i];

	if (!group)
		return -ENOSPC;
	trace_hist_own_field(f, var);
	f->room += group->room;
	group->wanted |= BIT(i);
	if (once)
		group->taken |= BIT(i);
	group->size = max_t(unsigned int, group->size,
			    var->at + (f->kind == HIST_NUMBER ? sizeof(u64) :
				       ALIGN(f->bytes, sizeof(u64))));
	return 0;
}

/* Find the variable that a reference means. @system: NULL: any */
static int var_resolve(const struct hist_parse *p, const char *system, const char *event,
		       const char *name, struct var_found *found)
{
	guard(trace_events)();
	if (!system)
		var_find_matched(p, name, found);
	if (!found->nr)
		var_find(p->file->tr, system, event, name, found);
	if (!found->nr)
		return trace_hist_parse_fail(p, p->no_var ?: HIST_ERR_NO_VAR, name);
	if (found->nr > 1)
		return trace_hist_parse_fail(p, HIST_ERR_NOT_UNIQUE, name);
	return 0;
}

/* @word is cut. */
int trace_hist_ref(struct hist_parse *p, struct hist_field *f, char *word, bool once)
{
	const struct hist_var *own = trace_hist_own_ref(p, word);
	const char *system = NULL, *event = NULL;
	struct var_found found = {};
	int ret;

	if (*word != '$') {
		system = strsep(&word, ".");
		event = strsep(&word, ".");
	}
	f->name = ++word;
	if (own) {
		trace_hist_own_field(f, own);
		return 0;
	}
	ret = var_resolve(p, system, event, word, &found);
	if (ret)
		return ret;
	if (found.owner->spec.interval)
		return trace_hist_parse_fail(p, HIST_ERR_INTERVAL_VAR, word);
	ret = trace_hist_group_var(p->spec, found.owner, found.i, f, once);
	return ret ? trace_hist_parse_fail(p, HIST_ERR_MANY_VARS, word) : 0;
}
