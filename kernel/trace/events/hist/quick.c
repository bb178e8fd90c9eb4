// SPDX-License-Identifier: GPL-2.0
/*
 * Hits of histograms that need no more of a hit than a draft of its record (events/draft.h), as
 * most do: keys and values are numbers and strings of the record. Nothing here raises an event
 * but an onmatch(), so that most hits are not kept from recursing. The most usual shape, one
 * number as the key, is compiled to the places of the numbers in the record.
 */
#include <linux/compiler.h>

#include "events/draft.h"
#include "events/hist/handler.h"
#include "events/hist/poll.h"
#include "events/hist/quick.h"

/* Numbers of these kinds need no mask. */
enum hist_quick_kind {
	HIST_QUICK_LONG,
	HIST_QUICK_INT,
	HIST_QUICK_OTHER,
	HIST_QUICK_KINDS
};

static __always_inline u64 hist_quick_load(const struct trace_value_place *place,
					   const void *record, enum hist_quick_kind kind)
{
	switch (kind) {
	case HIST_QUICK_LONG:
		return get_unaligned((const u64 *)(record + place->offset));
	case HIST_QUICK_INT:
		return (s64)get_unaligned((const s32 *)(record + place->offset));
	default:
		return trace_value_load(place, record);
	}
}

/* One key, and one value or none. */
static __always_inline void hist_quick_count(struct trace_event_trigger *hook,
					     const struct trace_event_hit *hit,
					     enum hist_quick_kind kind, bool value)
{
	struct hist_trigger *ht = hist_trigger_of(trace_trigger_of(hook));
	const struct hist_quick *quick = &ht->quick;
	const void *record = hit->record;

	if (unlikely(READ_ONCE(ht->stopped)))
		return;
	if (value)
		trace_map_hit_word_sum(quick->map, hist_quick_load(&quick->key, record, kind),
				       trace_value_load(&quick->value, record));
	else
		trace_map_hit_word(quick->map, hist_quick_load(&quick->key, record, kind));
	trace_hist_poll_hit();
}

#define HIST_QUICK(name, kind, value)							\
static void hist_quick_##name(struct trace_event_trigger *hook, struct trace_event_hit *hit)	\
{											\
	hist_quick_count(hook, hit, kind, value);					\
}

HIST_QUICK(long, HIST_QUICK_LONG, false)
HIST_QUICK(int, HIST_QUICK_INT, false)
HIST_QUICK(other, HIST_QUICK_OTHER, false)
HIST_QUICK(long_value, HIST_QUICK_LONG, true)
HIST_QUICK(int_value, HIST_QUICK_INT, true)
HIST_QUICK(other_value, HIST_QUICK_OTHER, true)

static void (* const hist_quick_counts[HIST_QUICK_KINDS][2])(struct trace_event_trigger *hook,
							     struct trace_event_hit *hit) = {
	[HIST_QUICK_LONG]	= { hist_quick_long, hist_quick_long_value },
	[HIST_QUICK_INT]	= { hist_quick_int, hist_quick_int_value },
	[HIST_QUICK_OTHER]	= { hist_quick_other, hist_quick_other_value },
};

/* Does an action of the trigger raise an event? */
static bool hist_quick_raises(const struct hist_trigger *ht)
{
	for (unsigned int i = 0; i < ht->spec.nr_actions; i++) {
		if (trace_synth_event_is_on(ht->spec.actions[i]->synth))
			return true;
	}
	return false;
}

/* @more: trace_hist_is_more() tells of the text. */
static __always_inline void hist_quick_text(struct hist_trigger *ht, struct trace_event_hit *hit,
					    bool acts, bool more)
{
	if (more)
		trace_hist_count_more(ht, hit, acts);
	else
		trace_hist_count(ht, hit, acts);
}

/* A trigger with actions. An event that is switched on a moment later comes after the hit. */
static noinline void hist_quick_acts(struct trace_event_trigger *hook, struct trace_event_hit *hit,
				     struct hist_trigger *ht, bool more)
{
	struct trace_event_trigger_call *call;

	if (!hist_quick_raises(ht))
		return hist_quick_text(ht, hit, false, more);
	call = trace_event_trigger_enter(hook);
	if (!call)
		return;
	hist_quick_text(ht, hit, true, more);
	trace_event_trigger_leave(call);
}

static __always_inline void hist_quick_draft(struct trace_event_trigger *hook,
					     struct trace_event_hit *hit, bool more)
{
	struct hist_trigger *ht = hist_trigger_of(trace_trigger_of(hook));

	if (unlikely(READ_ONCE(ht->stopped)))
		return;
	if (ht->spec.nr_actions)
		return hist_quick_acts(hook, hit, ht, more);
	hist_quick_text(ht, hit, false, more);
}

static void hist_quick_any(struct trace_event_trigger *hook, struct trace_event_hit *hit)
{
	hist_quick_draft(hook, hit, false);
}

static void hist_quick_more(struct trace_event_trigger *hook, struct trace_event_hit *hit)
{
	hist_quick_draft(hook, hit, true);
}

/* Is it a number at a place of the record, as it is counted? */
static bool hist_quick_place(struct trace_value_place *place, const struct hist_field *f)
{
	const struct trace_event_field *field = &f->field;

	if (!f->placed || f->kind != HIST_NUMBER || f->modifier == HIST_LOG2 ||
	    f->modifier == HIST_BUCKETS || !trace_draft_has(field))
		return false;
	trace_value_place_set(place, field->offset, field->size, field->is_signed);
	return true;
}

static enum hist_quick_kind hist_quick_kind(const struct trace_event_field *field)
{
	if (field->size == sizeof(u64))
		return HIST_QUICK_LONG;
	/* The place of a shorter number begins elsewhere where the highest byte comes first. */
	if (field->size == sizeof(s32) && field->is_signed && !IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		return HIST_QUICK_INT;
	return HIST_QUICK_OTHER;
}

/* Does loading it need no more than a draft, and raise no event? */
static bool hist_quick_fits_simple(const struct hist_field *f)
{
	switch (f->source) {
	case HIST_HITS:
	case HIST_CPU:
	case HIST_TIME:
	case HIST_CONST:
	case HIST_VAR:
		return true;
	case HIST_FIELD:
		/* Following a pointer may fault. */
		return f->field.filter_type != FILTER_PTR_STRING &&
		       (f->field.filter_type == TRACE_FILTER_CONTEXT || trace_draft_has(&f->field));
	default:
		return false;
	}
}

static bool hist_quick_fits(const struct hist_field *f)
{
	if (f->source != HIST_EXPR)
		return hist_quick_fits_simple(f);
	for (unsigned int i = 0; i < f->expr->nr; i++) {
		if (f->expr->step[i].loads &&
		    !hist_quick_fits_simple(&f->expr->step[i].load))
			return false;
	}
	return true;
}

static bool hist_quick_all_fit(const struct hist_field *fields, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		if (!hist_quick_fits(&fields[i]))
			return false;
	}
	return true;
}

/* A draft does for onmatch() with trace() only; other actions need the whole record. */
static bool hist_quick_fits_action(const struct hist_action *action)
{
	return action->handler == HIST_ONMATCH && action->deed == HIST_TRACE &&
	       hist_quick_all_fit(action->args, action->nr_args);
}

/* Is the text no more than one number as the key, and one as a value, or none? */
static bool hist_quick_is_word(struct hist_quick *quick, const struct hist_spec *spec)
{
	return spec->nr_keys == 1 && !spec->noted && spec->nr_values <= 1 && !spec->nr_vars &&
	       !spec->nr_groups && !spec->nr_actions && !trace_hist_is_more(spec) &&
	       hist_quick_place(&quick->key, &spec->keys[0]) &&
	       (!spec->nr_values || hist_quick_place(&quick->value, &spec->values[0]));
}

/**
 * trace_hist_quick_set - choose how a trigger counts drafts
 * @ht: the trigger, with its histogram, not attached yet
 *
 * Context: task.
 */
void trace_hist_quick_set(struct hist_trigger *ht)
{
	const struct hist_spec *spec = &ht->spec;

	ht->quick.map = ht->hist->map;
	if (hist_quick_is_word(&ht->quick, spec)) {
		ht->trigger.hook.count =
			hist_quick_counts[hist_quick_kind(&spec->keys[0].field)][spec->nr_values];
		return;
	}
	if (!hist_quick_all_fit(spec->keys, spec->nr_keys) ||
	    !hist_quick_all_fit(spec->values, spec->nr_values))
		return;
	for (unsigned int i = 0; i < spec->nr_vars; i++) {
		if (!hist_quick_fits(&spec->vars[i]->value))
			return;
	}
	for (unsigned int i = 0; i < spec->nr_actions; i++) {
		if (!hist_quick_fits_action(spec->actions[i]))
			return;
	}
	ht->trigger.hook.count = trace_hist_is_more(spec) ? hist_quick_more : hist_quick_any;
}
