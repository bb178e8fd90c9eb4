// SPDX-License-Identifier: GPL-2.0
/*
 * trace(): a synthetic event is recorded, of variables and of fields. A field may also be one of
 * the event of an onmatch(): then that event gets a trigger, with the keys and the filter of a
 * histogram that it has, which keeps the field in a variable "synthetic_FIELD".
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/calls.h"
#include "events/file.h"
#include "events/hist/handler.h"
#include "events/hist/load.h"

static_assert(sizeof(u64) * BITS_PER_BYTE >= HIST_PARAMS);

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

/* Elements of arrays that are keys. A hit without one of them has no key. 0 or -ENOMEM. */
static int onmatch_fields_need(struct hist_spec *spec)
{
	int ret = 0;

	for (unsigned int i = 0; i < spec->nr_keys && !ret; i++) {
		if (spec->keys[i].source == HIST_FIELD)
			ret = trace_hist_element(spec, &spec->keys[i].field);
	}
	return ret;
}

/* The trigger of an action at the other event, with the keys of another one there. 0 or -ENOMEM. */
static int onmatch_fields_make(struct hist_action *action, struct hist_trigger *like)
{
	struct hist_trigger *ht = trace_hist_trigger_new();

	if (!ht)
		return -ENOMEM;
	action->fields = ht;
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
	return onmatch_fields_need(&ht->spec);
}

/* Let the trigger of an action keep a field, as its next variable. 0 or an errno. */
static int onmatch_fields_add(struct hist_parse *p, struct hist_action *action, char *name)
{
	struct hist_spec *spec = &action->fields->spec;
	struct hist_parse other = { .spec = spec, .file = action->fields_file, .text = p->text };
	struct hist_var *var = trace_hist_alloc(spec, sizeof(*var));
	char text[64];
	int ret;

	if (!var)
		return -ENOMEM;
	if (spec->nr_vars == HIST_VARS)
		return -ENOSPC;
	if (snprintf(text, sizeof(text), "synthetic_%s", name) >= sizeof(text))
		return -ENOSPC;
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
	spec->vars[spec->nr_vars++] = var;
	return 0;
}

/* Does a hit make it, of any event, so that no event has it among its fields? */
static bool onmatch_is_made(const char *name)
{
	static const char * const made[] = { "common_timestamp", "common_stacktrace", "hitcount" };
	size_t len = strcspn(name, ".");

	for (unsigned int i = 0; i < ARRAY_SIZE(made); i++) {
		if (strlen(made[i]) == len && !strncmp(made[i], name, len))
			return true;
	}
	return false;
}

/* A field of the event of an onmatch(). The events mutex is held. */
static int onmatch_other_field(struct hist_parse *p, struct hist_action *action,
			       struct hist_field *f, char *name)
{
	struct trace_event_file *file = trace_event_file_find_hit(p->file->tr, action->system,
								  action->event);
	struct hist_trigger *like = file ? onmatch_find_like(p->spec, file) : NULL;
	const struct trace_event_field *field;
	struct trace_event_field elem;
	const struct hist_var *var;
	int ret;

	if (!file)
		return trace_hist_parse_fail(p, HIST_ERR_NO_FILE, name);
	if (!like)
		return trace_hist_parse_fail(p, HIST_ERR_NO_HIST, name);
	if (!trace_hist_find(file->event_call, name, &elem, &field))
		return trace_hist_parse_fail(p, HIST_ERR_NO_ELEMENT, strchr(name, '[') + 1);
	if (!field && !onmatch_is_made(name))
		return trace_hist_parse_fail(p, HIST_ERR_HIST_FAIL, name);
	action->fields_file = file;
	if (!action->fields && onmatch_fields_make(action, like))
		return -ENOMEM;
	ret = onmatch_fields_add(p, action, name);
	if (ret)
		return ret == -ENOMEM ? ret :
		       trace_hist_parse_fail(p, ret == -ENOSPC ? HIST_ERR_MANY_FIELD_VARS :
							 HIST_ERR_HIST_FAIL, name);
	action->others |= BIT_ULL(f - action->args);
	var = action->fields->spec.vars[action->fields->spec.nr_vars - 1];
	/* The clock of the instance is the one that the trigger itself names. */
	p->spec->stamps |= var->value.source == HIST_TIME;
	trace_hist_own_field(f, var);
	return 0;
}

/*
 * Give a hit room for the fields of the other event. It is as large as the cell of the action's
 * trigger there, so the last of these fields has been added.
 */
static int onmatch_others_place(struct hist_parse *p, struct hist_action *action)
{
	unsigned int nth = 0;

	for (unsigned int i = 0; i < action->nr_params; i++) {
		if (!(action->others & BIT_ULL(i)))
			continue;
		if (trace_hist_group_var(p->spec, action->fields, nth++, &action->args[i], false))
			return trace_hist_parse_fail(p, HIST_ERR_MANY_FIELD_VARS,
						     action->params[i]);
	}
	return 0;
}

static bool onmatch_is_field(const struct hist_parse *p, const char *name)
{
	return trace_event_field_find(p->file->event_call, name, strcspn(name, ".[")) ||
	       onmatch_is_made(name);
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

/*
 * May a field of a synthetic event get the argument? A number may lose its sign, or get one.
 * Clients declare the field of an expression by its first operand.
 */
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
		return to->value == TRACE_SYNTH_NUMBER &&
		       (to->size == f->bytes || (f->computed && to->size == sizeof(u64)));
	}
}

static int onmatch_args(struct hist_parse *p, struct hist_action *action)
{
	int ret;

	for (unsigned int i = 0; i < action->nr_params; i++) {
		struct hist_field *f = &action->args[i];

		ret = onmatch_arg(p, action, f, action->params[i]);
		if (ret)
			return ret;
		if (!onmatch_fits(trace_synth_event_field(action->synth, i), f))
			return trace_hist_parse_fail(p, HIST_ERR_SYNTH_TYPE, action->params[i]);
	}
	if (action->nr_params != trace_synth_event_fields(action->synth))
		return trace_hist_parse_fail(p, HIST_ERR_SYNTH_COUNT, action->name);
	action->nr_args = action->nr_params;
	return 0;
}

/* Compile the arguments. @action->synth is the event, which stays as the caller holds the lock. */
int trace_hist_trace_make(struct hist_parse *p, struct hist_action *action)
{
	int ret;

	scoped_guard(trace_events)
		action->synth = trace_synth_event_find(action->name);
	if (!action->synth)
		return trace_hist_parse_fail(p, HIST_ERR_NO_SYNTH, action->name);
	action->args = trace_hist_alloc(p->spec, action->nr_params * sizeof(*action->args));
	if (!action->args)
		return -ENOMEM;
	ret = onmatch_args(p, action);
	ret = ret ?: onmatch_others_place(p, action);
	/* From now on, the reference is that of the group, if there is one. */
	trace_hist_trigger_put(action->fields);
	if (ret)
		action->fields = NULL;
	return ret;
}

/* Record the event, if anybody wants that. Any context, preemption is off. */
void trace_hist_trace_hit(const struct hist_action *action, struct hist_place *place,
			  struct trace_event_hit *hit)
{
	if (!trace_synth_event_is_on(action->synth))
		return;
	for (unsigned int i = 0; i < action->nr_args; i++)
		place->args[i] = hist_load(place, &action->args[i], hit);
	trace_synth_record(action->synth, place->args);
}
