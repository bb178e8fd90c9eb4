// SPDX-License-Identifier: GPL-2.0
/*
 * The command "hist" of the file "trigger": makes histograms, pauses, continues and clears
 * them, and shares those that have a name.
 */
#include <linux/err.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "events/calls.h"
#include "events/file.h"
#include "events/filter/filter.h"
#include "events/hist/internal.h"
#include "instance/buffers.h"

static LIST_HEAD(command_named);	/* instances lock; struct hist */

static void command_hist_put(struct hist *hist)
{
	if (!hist || !refcount_dec_and_test(&hist->ref))
		return;
	trace_map_free(hist->map);
	kfree(hist->name);
	kfree(hist);
}

/* The trigger is no user of its histogram any more. With the last one, the name goes. */
static void command_uncount(struct hist_trigger *ht)
{
	if (ht->counted && !--ht->hist->users)
		list_del_init(&ht->hist->list);
	ht->counted = false;
}

/* Give back a reference to a trigger, in task context; there are no hits any more. */
void trace_hist_trigger_put(struct hist_trigger *ht)
{
	if (!refcount_dec_and_test(&ht->ref))
		return;
	command_hist_put(ht->hist);
	kfree(ht->spec.text);
	kfree(ht);
}

static struct hist *command_hist_create(const struct hist_spec *spec)
{
	const struct trace_map_shape shape = {
		.key_size	= spec->key_size,
		.note_size	= spec->noted ? TASK_COMM_LEN : 0,
		.values		= spec->nr_values,
		.size		= spec->size,
		.synchronize	= tracepoint_synchronize_unregister,
	};
	struct hist *hist = kzalloc(sizeof(*hist), GFP_KERNEL);

	if (!hist)
		return NULL;
	INIT_LIST_HEAD(&hist->list);
	refcount_set(&hist->ref, 1);
	hist->map = trace_map_create(&shape);
	if (spec->name)
		hist->name = kstrdup(spec->name, GFP_KERNEL);
	if (!IS_ERR(hist->map) && (!spec->name || hist->name))
		return hist;
	command_hist_put(hist);
	return NULL;
}

/* Another trigger with the histogram; NULL: nobody has it. Any instance may share it. */
static struct hist *command_named_find(const char *name)
{
	struct hist *hist;

	list_for_each_entry(hist, &command_named, list) {
		if (!strcmp(hist->name, name))
			return hist;
	}
	return NULL;
}

static bool command_text_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* The histogram of the event that a text means. */
static struct hist_trigger *command_match(struct trace_event_file *file,
					  const struct hist_spec *spec, const char *filter)
{
	struct trace_trigger *trigger;

	for_each_trace_trigger(trigger, file) {
		struct hist_trigger *ht = hist_trigger_of(trigger);

		if (trigger->command != &trace_hist_command)
			continue;
		if (trace_hist_same(&ht->spec, spec) &&
		    command_text_same(ht->spec.name, spec->name) &&
		    command_text_same(trigger->filter ? trace_filter_text(trigger->filter) : NULL,
				      filter))
			return ht;
	}
	return NULL;
}

/* A histogram that is there is paused, continued or cleared. */
static int command_change(struct hist_trigger *ht, const struct hist_spec *spec)
{
	if (spec->pause)
		WRITE_ONCE(ht->paused, true);
	else if (spec->cont)
		WRITE_ONCE(ht->paused, false);
	else
		return trace_map_clear(ht->hist->map);
	return 0;
}

/* Stamps of a histogram are all of one clock, which the instance has before the first hit. */
static int command_clock(struct hist_trigger *ht, struct trace_event_file *file,
			 const struct trace_trigger_text *text)
{
	const char *clock = ht->spec.clock, *at;

	if (!ht->spec.stamps || !strcmp(trace_clock_name(file->tr), clock) ||
	    !trace_array_set_clock(file->tr, clock))
		return 0;
	at = strstr(text->text, "clock=");
	return trace_hist_fail(file, text, HIST_ERR_CLOCK,
			       at ? at - text->text + strlen("clock=") : 0);
}

/* The triggers of a named histogram have keys and values of the same names. */
static struct hist_trigger *command_named_user(const struct hist *hist)
{
	struct trace_event_file *file;
	struct trace_trigger *trigger;
	struct trace_array *tr;

	guard(trace_events)();
	for_each_trace_array(tr) {
		for_each_trace_event_file(file, tr) {
			for_each_trace_trigger(trigger, file) {
				if (trigger->command == &trace_hist_command &&
				    hist_trigger_of(trigger)->hist == hist)
					return hist_trigger_of(trigger);
			}
		}
	}
	return NULL;
}

static int command_share(struct hist_trigger *ht, struct trace_event_file *file,
			 const struct trace_trigger_text *text)
{
	struct hist *hist = ht->spec.name ? command_named_find(ht->spec.name) : NULL;
	struct hist_trigger *other = hist ? command_named_user(hist) : NULL;
	const char *at = strstr(text->text, "name=");

	if (other && !trace_hist_same(&other->spec, &ht->spec))
		return trace_hist_fail(file, text, HIST_ERR_MISMATCH,
				       at ? at - text->text + strlen("name=") : 0);
	if (hist) {
		refcount_inc(&hist->ref);
	} else {
		hist = command_hist_create(&ht->spec);
		if (!hist)
			return -ENOMEM;
		if (hist->name)
			list_add_tail(&hist->list, &command_named);
	}
	ht->hist = hist;
	ht->counted = hist->name;
	hist->users += ht->counted;
	return 0;
}

/* 0: a new trigger; 1: the text has changed one; an errno. */
static int command_prepare(struct hist_trigger *ht, struct trace_event_file *file,
			   const struct trace_trigger_text *text)
{
	const struct hist_spec *spec = &ht->spec;
	struct hist_trigger *old;
	int ret;

	ret = trace_hist_parse(&ht->spec, file, text);
	if (ret)
		return ret;
	old = command_match(file, spec, text->filter);
	if (old && (spec->pause || spec->cont || spec->clear))
		return command_change(old, spec) ?: 1;
	if (old)
		return trace_hist_fail(file, text, HIST_ERR_EXISTS, 0);
	if (spec->cont || spec->clear)
		return trace_hist_fail(file, text, HIST_ERR_NO_TRIGGER, 0);
	ret = trace_hist_hits_init();
	ret = ret ?: command_share(ht, file, text);
	return ret ?: command_clock(ht, file, text);
}

static void command_free(struct trace_trigger *trigger)
{
	struct hist_trigger *ht = hist_trigger_of(trigger);

	command_uncount(ht);
	trace_hist_trigger_put(ht);
}

static struct trace_trigger *command_make(struct trace_event_file *file,
					  const struct trace_trigger_text *text)
{
	struct hist_trigger *ht = kzalloc(sizeof(*ht), GFP_KERNEL);
	int ret;

	if (!ht)
		return ERR_PTR(-ENOMEM);
	refcount_set(&ht->ref, 1);
	ht->trigger.hook.needs_record = true;
	ht->trigger.hook.hit = trace_hist_hit;
	ret = command_prepare(ht, file, text);
	if (!ret) {
		ht->paused = ht->spec.pause;
		return &ht->trigger;
	}
	command_free(&ht->trigger);
	return ret > 0 ? NULL : ERR_PTR(ret);
}

static struct trace_trigger *command_find(struct trace_event_file *file,
					  const struct trace_trigger_text *text)
{
	struct hist_spec *spec = kzalloc(sizeof(*spec), GFP_KERNEL);
	struct hist_trigger *ht = NULL;
	int ret;

	if (!spec)
		return ERR_PTR(-ENOMEM);
	ret = trace_hist_parse(spec, file, text);
	if (!ret)
		ht = command_match(file, spec, text->filter);
	kfree(spec->text);
	kfree(spec);
	if (ret)
		return ERR_PTR(ret);
	return ht ? &ht->trigger : NULL;
}

static void command_detached(struct trace_trigger *trigger)
{
	command_uncount(hist_trigger_of(trigger));
}

static void command_show(struct seq_file *m, const struct trace_trigger *trigger)
{
	trace_hist_spec_show(m, hist_trigger_of(trigger),
			     trigger->filter ? trace_filter_text(trigger->filter) : NULL);
}

struct trace_trigger_command trace_hist_command = {
	.name		= "hist",
	.truncated	= true,
	.shows_all	= true,
	.make		= command_make,
	.find		= command_find,
	.detached	= command_detached,
	.show		= command_show,
	.free		= command_free,
};
