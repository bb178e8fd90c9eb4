// SPDX-License-Identifier: GPL-2.0
/*
 * trace(): a synthetic event is recorded, of variables and of fields. A field may also be one of
 * the event of an onmatch(): then that event gets a trigger, with the keys and the filter of a
 * histogram that it has, which keeps the field in a variable "synthetic_FIELD".
 */
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/calls.h"
#include "events/file.h"
#include "events/hist/handler.h"

/* Do both have as many keys, of the same sizes? */
static bool onmatch_is_like(const struct hist_spec *a, const struct hist_spec *b)
{
	if (a->nr_keys != b->nr_keys)
		return false;
	for (unsigned int i = 0; i < a->nr_keys; i++) {
		if (a->keys[i].kind != b->keys[i].kind || a->keys[i].size != b->keys[i].size)
			return false;
	}
	return true;
}

/* A histogram of the other event whose keys are found by ours. NULL: there is none. */
static struct hist_trigger *onmatch_find_like(const struct hist_spec *spec,
					      struct trace_event_file *file)
{
	struct trace_trigger *trigger;

	for_each_trace_trigger(trigger, file) {
		struct hist_trigger *ht = hist_trigger_of(trigger);

		if (hist_is_trigger(trigger) && !ht->hidden && onmatch_is_like(spec, &ht->spec))
			return ht;
	}
	return NULL;
}

/* The trigger of an action at the other event, with the keys of another one there. */
static int onmatch_fields_make(struct hist_action *action, struct hist_trigger *like)
{
	struct hist_trigger *ht = trace_hist_trigger_new();

	if (!ht)
		return -ENOMEM;
	ht->hidden = true;
	/* Names of keys are in its memory. */
	ht->like = like;
	refcount_inc(&like->ref);
	memcpy(ht->spec.keys, like->spec.keys, sizeof(ht->spec.keys));
	ht->spec.nr_keys = like->spec.nr_keys;
	ht->spec.key_size = like->spec.key_size;
	ht->spec.noted = like->spec.noted;
	ht->spec.nr_sorts = 1;
	ht->spec.size = like->spec.size;
	ht->spec.clock = like->spec.clock;
	ht->spec.stamps = like->spec.stamps;
	ht->spec.cell_size = action->nr_params * sizeof(u64);
	action->fields = ht;
	return 0;
}

/* Let the trigger of an action keep a field. Its number, or an errno. */
static int onmatch_fields_add(struct hist_parse *p, struct hist_action *action, char *name)
{
	struct hist_spec *spec = &action->fields->spec;
	struct hist_parse other = { .spec = spec, .file = action->fields_file, .text = p->text };
	struct hist_var *var = trace_hist_alloc(spec, sizeof(*var));
	char text[64];
	int ret;

	if (!var || spec->nr_vars == HIST_VARS)
		return -ENOMEM;
	if (snprintf(text, sizeof(text), "synthetic_%s", name) >= sizeof(text))
		return -EINVAL;
	var->name = trace_hist_strndup(spec, text, strlen(text));
	var->text = trace_hist_strndup(spec, name, strlen(name));
	if (!var->name || !var->text)
		return -ENOMEM;
	ret = trace_hist_operand(&other, &var->value, (char *)var->text);
	if (ret)
		return ret;
	var->at = spec->nr_vars * sizeof(u64);
	if (var->value.kind != HIST_NUMBER) {
		var->at = spec->cell_size;
		spec->cell_size += ALIGN(var->value.bytes, sizeof(u64));
		if (spec->cell_size > HIST_OWN)
			return -ENOSPC;
	}
	var->value.room = var->at;
	spec->data_size = sizeof(struct hist_cell) + spec->cell_size;
	spec->vars[spec->nr_vars] = var;
	return spec->nr_vars++;
}

/* A field of the event of an onmatch(). The events mutex is held. */
static int onmatch_other_field(struct hist_parse *p, struct hist_action *action,
			       struct hist_field *f, char *name)
{
	struct trace_event_file *file = trace_event_file_find_hit(p->file->tr, action->system,
								  action->event);
	struct hist_trigger *like = file ? onmatch_find_like(p->spec, file) : NULL;
	bool first = !action->fields;
	int i;

	if (!file)
		return trace_hist_parse_fail(p, HIST_ERR_NO_FILE, name);
	if (!like)
		return trace_hist_parse_fail(p, HIST_ERR_NO_HIST, name);
	if (!trace_event_field_find(file->event_call, name, strlen(name)))
		return trace_hist_parse_fail(p, HIST_ERR_HIST_FAIL, name);
	action->fields_file = file;
	if (first && onmatch_fields_make(action, like))
		return -ENOMEM;
	i = onmatch_fields_add(p, action, name);
	if (i >= 0)
		i = trace_hist_group_var(p->spec, action->fields, i, f, false);
	/* From now on, the reference is that of the group, if there is one. */
	if (first)
		trace_hist_trigger_put(action->fields);
	if (i >= 0)
		return 0;
	action->fields = first ? NULL : action->fields;
	return i == -ENOMEM ? i : trace_hist_parse_fail(p, HIST_ERR_MANY_FIELD_VARS, name);
}

static bool onmatch_is_field(const struct hist_parse *p, const char *name)
{
	return trace_event_field_find(p->file->event_call, name, strcspn(name, ".")) ||
	       !strncmp(name, "common_timestamp", strlen("common_timestamp")) ||
	       !strcmp(name, "common_stacktrace");
}

/* A parameter that is no variable: "FIELD", or "SYSTEM.EVENT.FIELD". */
static int onmatch_field(struct hist_parse *p, struct hist_action *action,
			 struct hist_field *f, char *word)
{
	char *event = strchr(word, '.'), *name = event ? strchr(event + 1, '.') : NULL;
	struct trace_event_call *call = p->file->event_call;
	bool own = true;

	if (name) {
		*event++ = '\0';
		*name++ = '\0';
		own = !strcmp(word, call->class->system) && !strcmp(event, trace_event_name(call));
		if (!own && (action->handler != HIST_ONMATCH || strcmp(word, action->system) ||
			     strcmp(event, action->event)))
			return trace_hist_parse_fail(p, HIST_ERR_NO_FILE, name);
		word = name;
	}
	if (own && (onmatch_is_field(p, word) || action->handler != HIST_ONMATCH)) {
		if (trace_hist_operand(p, f, word))
			return trace_hist_parse_fail(p, HIST_ERR_FIELD_VAR_PARSE, word);
		return trace_hist_place(p->spec, f) ?
		       trace_hist_parse_fail(p, HIST_ERR_MANY_FIELD_VARS, word) : 0;
	}
	guard(trace_events)();
	return onmatch_other_field(p, action, f, word);
}

static int onmatch_arg(struct hist_parse *p, struct hist_action *action, struct hist_field *f,
		       char *word)
{
	int ret;

	if (!trace_hist_is_ref(word))
		return onmatch_field(p, action, f, word);
	p->no_var = HIST_ERR_NO_PARAM;
	ret = trace_hist_ref(p, f, word, false);
	p->no_var = HIST_ERR_NONE;
	return ret;
}

/* May a field of a synthetic event get the argument? */
static bool onmatch_fits(const struct trace_synth_field *to, const struct hist_field *f)
{
	if (!to)
		return false;
	switch (f->kind) {
	case HIST_TEXT:
		return to->value == TRACE_SYNTH_STRING;
	case HIST_ADDRESSES:
		return to->value == TRACE_SYNTH_STACK;
	default:
		return to->value == TRACE_SYNTH_NUMBER && to->size == f->bytes &&
		       to->is_signed == f->is_signed;
	}
}

/* Compile the arguments. @action->synth is the event, which stays as the caller holds the lock. */
int trace_hist_trace_make(struct hist_parse *p, struct hist_action *action)
{
	unsigned int nr = action->nr_params;
	int ret;

	scoped_guard(trace_events)
		action->synth = trace_synth_event_find(action->name);
	if (!action->synth)
		return trace_hist_parse_fail(p, HIST_ERR_NO_SYNTH, action->name);
	action->args = trace_hist_alloc(p->spec, nr * sizeof(*action->args));
	if (!action->args)
		return -ENOMEM;
	for (unsigned int i = 0; i < nr; i++) {
		struct hist_field *f = &action->args[i];

		ret = onmatch_arg(p, action, f, action->params[i]);
		if (ret)
			return ret;
		if (!onmatch_fits(trace_synth_event_field(action->synth, i), f))
			return trace_hist_parse_fail(p, HIST_ERR_SYNTH_TYPE, action->params[i]);
	}
	if (nr != trace_synth_event_fields(action->synth))
		return trace_hist_parse_fail(p, HIST_ERR_SYNTH_COUNT, action->name);
	action->nr_args = nr;
	return 0;
}

/* Record the event, if anybody wants that. Any context, preemption is off. */
void trace_hist_trace_hit(const struct hist_action *action, struct hist_place *place,
			  struct trace_event_hit *hit)
{
	if (!trace_synth_event_is_on(action->synth))
		return;
	for (unsigned int i = 0; i < action->nr_args; i++)
		place->args[i] = trace_hist_load(place, &action->args[i], hit);
	trace_synth_record(action->synth, place->args);
}
