// SPDX-License-Identifier: GPL-2.0
/*
 * The command "hist" of the file "trigger": makes histograms, pauses, continues and clears
 * them, and shares those that have a name.
 */
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "events/calls.h"
#include "events/file.h"
#include "events/filter/filter.h"
#include "events/hist/bind.h"
#include "events/hist/parse.h"
#include "events/hist/poll.h"
#include "events/hist/quick.h"
#include "events/hist/ring.h"
#include "instance/buffers.h"
#include "lib/wait.h"

static LIST_HEAD(hist_command_named);	/* instances lock; struct hist */

/* The trigger is no user of its histogram any more. With the last one, the name goes. */
static void hist_command_uncount(struct hist_trigger *ht)
{
	if (ht->counted && !--ht->hist->users)
		list_del_init(&ht->hist->list);
	ht->counted = false;
}

/* Another trigger with the histogram; NULL: nobody has it. Any instance may share it. */
static struct hist *hist_command_named_find(const char *name)
{
	struct hist *hist;

	list_for_each_entry(hist, &hist_command_named, list) {
		if (!strcmp(hist->name, name))
			return hist;
	}
	return NULL;
}

static bool hist_command_text_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* The histogram of the event that a text means. */
static struct hist_trigger *hist_command_match(struct trace_event_file *file,
					       const struct hist_spec *spec, const char *filter)
{
	struct trace_trigger *trigger;

	for_each_trace_trigger(trigger, file) {
		struct hist_trigger *ht = hist_trigger_of(trigger);
		const char *its = trigger->filter ? trace_filter_text(trigger->filter) : NULL;

		if (!hist_is_trigger(trigger) || ht->hidden)
			continue;
		if (trace_hist_same(&ht->spec, spec) &&
		    hist_command_text_same(ht->spec.name, spec->name) &&
		    hist_command_text_same(its, filter))
			return ht;
	}
	return NULL;
}

/* A histogram that is there is paused, continued or cleared. */
static int hist_command_change(struct hist_trigger *ht, const struct hist_spec *spec)
{
	int ret;

	if (spec->pause || spec->cont) {
		assign_bit(HIST_STOP_PAUSED, &ht->stopped, spec->pause);
		return 0;
	}
	ret = trace_hist_clear(ht->hist);
	if (!ret)
		trace_hist_forget_missed(ht->hist);
	return ret;
}

/* Is the clock one that can be set? */
static int hist_command_clock(struct hist_trigger *ht, struct trace_event_file *file,
			      const struct trace_trigger_text *text)
{
	const char *at;

	if (!ht->spec.stamps || trace_clock_is_known(ht->spec.clock))
		return 0;
	at = strstr(text->text, "clock=");
	return trace_hist_fail(file, text, HIST_ERR_CLOCK,
			       at ? at - text->text + strlen("clock=") : 0);
}

/* No two triggers of an event have variables of the same name. */
static int hist_command_unique(struct hist_trigger *ht, struct trace_event_file *file,
			       const struct trace_trigger_text *text)
{
	for (unsigned int i = 0; i < ht->spec.nr_vars; i++) {
		const char *name = ht->spec.vars[i]->name;

		if (trace_hist_has_var(file, name))
			return trace_hist_fail_at(&ht->spec, file, text, HIST_ERR_DUPLICATE_VAR,
						  name);
	}
	return 0;
}

/* The triggers of a named histogram have keys and values of the same names. */
static struct hist_trigger *hist_command_named_user(const struct hist *hist)
{
	struct trace_event_file *file;
	struct trace_trigger *trigger;
	struct trace_array *tr;

	guard(trace_events)();
	for_each_trace_array(tr) {
		for_each_trace_event_file(file, tr) {
			for_each_trace_trigger(trigger, file) {
				if (hist_is_trigger(trigger) &&
				    hist_trigger_of(trigger)->hist == hist)
					return hist_trigger_of(trigger);
			}
		}
	}
	return NULL;
}

static int hist_command_share(struct hist_trigger *ht, struct trace_event_file *file,
			      const struct trace_trigger_text *text)
{
	struct hist *hist = ht->spec.name ? hist_command_named_find(ht->spec.name) : NULL;
	struct hist_trigger *other = hist ? hist_command_named_user(hist) : NULL;
	const char *at = strstr(text->text, "name=");

	if (other && !trace_hist_same(&other->spec, &ht->spec))
		return trace_hist_fail(file, text, HIST_ERR_MISMATCH,
				       at ? at - text->text + strlen("name=") : 0);
	if (hist) {
		refcount_inc(&hist->ref);
	} else {
		hist = trace_hist_create(&ht->spec);
		if (!hist)
			return -ENOMEM;
		if (hist->name)
			list_add_tail(&hist->list, &hist_command_named);
	}
	ht->hist = hist;
	ht->counted = hist->name;
	hist->users += ht->counted;
	return 0;
}

/* 0: a new trigger; 1: the text has changed one; an errno. */
static int hist_command_prepare(struct hist_trigger *ht, struct trace_event_file *file,
				const struct trace_trigger_text *text)
{
	const struct hist_spec *spec = &ht->spec;
	struct hist_trigger *old;
	int ret;

	ret = trace_hist_parse(&ht->spec, file, text);
	if (ret)
		return ret;
	old = hist_command_match(file, spec, text->filter);
	if (old && (spec->pause || spec->cont || spec->clear))
		return hist_command_change(old, spec) ?: 1;
	if (old)
		return trace_hist_fail(file, text, HIST_ERR_EXISTS, 0);
	if (spec->cont || spec->clear)
		return trace_hist_fail(file, text, HIST_ERR_NO_TRIGGER, 0);
	ret = hist_command_unique(ht, file, text);
	ret = ret ?: hist_command_clock(ht, file, text);
	ret = ret ?: trace_hist_hits_init();
	ret = ret ?: trace_hist_prepare(ht);
	return ret ?: hist_command_share(ht, file, text);
}

static void hist_command_free(struct trace_trigger *trigger)
{
	struct hist_trigger *ht = hist_trigger_of(trigger);

	hist_command_uncount(ht);
	trace_hist_release(ht);
	if (ht->clocked)
		trace_clock_unuse(trigger->tr);
	trace_hist_trigger_put(ht);
}

static struct trace_trigger *hist_command_make(struct trace_event_file *file,
					       const struct trace_trigger_text *text)
{
	struct hist_trigger *ht = trace_hist_trigger_new();
	int ret;

	if (!ht)
		return ERR_PTR(-ENOMEM);
	ht->trigger.hook.needs_record = true;
	ht->trigger.hook.hit = trace_hist_hit;
	ret = hist_command_prepare(ht, file, text);
	if (!ret) {
		if (trace_hist_is_more(&ht->spec))
			ht->trigger.hook.hit = trace_hist_hit_more;
		trace_hist_quick_set(ht);
		/*
		 * Users may make an event anew at once when the write has removed its user, and
		 * look at the clock.
		 */
		ht->trigger.waits = ht->spec.nr_actions || ht->spec.stamps;
		if (ht->spec.pause)
			set_bit(HIST_STOP_PAUSED, &ht->stopped);
		return &ht->trigger;
	}
	hist_command_free(&ht->trigger);
	return ret > 0 ? NULL : ERR_PTR(ret);
}

static void hist_command_attached(struct trace_trigger *trigger)
{
	hist_trigger_of(trigger)->attached = true;
}

/* A trigger without stamps counts from now on, one with stamps when the instance has its clock. */
static int hist_command_ready(struct trace_trigger *trigger, struct trace_event_file *file,
			      struct trace_trigger_text *text)
{
	struct hist_trigger *ht = hist_trigger_of(trigger);
	int ret = trace_hist_bind(ht);

	/* The caller has a reference of the instance. If it is killed, a removal waits. */
	if (!ret && ht->spec.stamps)
		ret = trace_array_hold(file->tr);
	if (ret)
		return ret;
	if (!ht->spec.stamps) {
		trace_hist_start(ht);
		return 0;
	}
	refcount_inc(&ht->ref);
	text->left = ht;
	return 0;
}

/*
 * The clock of an instance is set when nothing can be refused any more, and without a lock: each
 * CPU has to take an interrupt for it.
 */
static void hist_command_clock_set(void *ht)
{
	struct hist_trigger *stamped = ht;

	trace_clock_use(stamped->trigger.tr, stamped->spec.clock);
}

/* The trigger may have been removed meanwhile. */
static void hist_command_clock_is_set(void *data)
{
	struct hist_trigger *ht = data;
	struct trace_array *tr = ht->trigger.tr;

	scoped_guard(trace_instances) {
		if (ht->attached) {
			ht->clocked = true;
			trace_hist_start(ht);
		} else {
			trace_clock_unuse(tr);
		}
		trace_hist_trigger_put(ht);
	}
	trace_array_unhold(tr);
}

/* Clears, which leave tables, are written without an end to them. */
static void hist_command_settle(void *left)
{
	if (left)
		trace_wait_call(hist_command_clock_set, hist_command_clock_is_set, left,
				TASK_KILLABLE);
	if (!trace_maps_settle())
		trace_hist_rings_settle();
}

static struct trace_trigger *hist_command_find(struct trace_event_file *file,
					       const struct trace_trigger_text *text)
{
	struct hist_spec *spec = kzalloc(sizeof(*spec), GFP_KERNEL);
	struct hist_trigger *ht = NULL;
	int ret;

	if (!spec)
		return ERR_PTR(-ENOMEM);
	ret = trace_hist_parse_known(spec, file, text);
	if (!ret)
		ht = hist_command_match(file, spec, text->filter);
	trace_hist_spec_free(spec);
	kfree(spec);
	if (ret < 0)
		return ERR_PTR(ret);
	return ht ? &ht->trigger : NULL;
}

static void hist_command_detached(struct trace_trigger *trigger)
{
	struct hist_trigger *ht = hist_trigger_of(trigger);

	ht->attached = false;
	hist_command_uncount(ht);
	trace_hist_unbind(ht);
	trace_hist_poll_wake();
}

/* Others read its variables. */
static int hist_command_busy(const struct trace_trigger *trigger)
{
	return hist_trigger_of(trigger)->referrers ? -EBUSY : 0;
}

static void hist_command_show(struct seq_file *m, const struct trace_trigger *trigger)
{
	trace_hist_spec_show(m, hist_trigger_of(trigger),
			     trigger->filter ? trace_filter_text(trigger->filter) : NULL);
}

struct trace_trigger_command trace_hist_command = {
	.name		= trace_hist_name,
	.truncated	= true,
	.shows_all	= true,
	.make		= hist_command_make,
	.find		= hist_command_find,
	.busy		= hist_command_busy,
	.attached	= hist_command_attached,
	.ready		= hist_command_ready,
	.detached	= hist_command_detached,
	.show		= hist_command_show,
	.free		= hist_command_free,
	.settle		= hist_command_settle,
};
