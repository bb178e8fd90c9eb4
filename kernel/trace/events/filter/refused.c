// SPDX-License-Identifier: GPL-2.0
/*
 * The texts that events and systems have refused, which filter nothing. Their files "filter" show
 * the last one with its error, until a filter is set there: programs print the file when their
 * write to it has failed.
 */
#include <linux/list.h>
#include <linux/slab.h>

#include "events/calls.h"
#include "events/filter/apply.h"
#include "events/filter/program.h"

/* @of: a trace_event_file or a trace_subsystem_dir, which is not looked into */
struct filter_refused {
	struct list_head	list;
	const void		*of;
	char			*text;
};

/* Under the events mutex. There are as many as files that were written wrongly. */
static LIST_HEAD(refused_list);

static struct filter_refused *refused_find(const void *of)
{
	struct filter_refused *refused;

	trace_events_assert_locked();
	list_for_each_entry(refused, &refused_list, list) {
		if (refused->of == of)
			return refused;
	}
	return NULL;
}

/* A filter was set, or the event or the system goes. The events mutex is held, as for all. */
void trace_filter_refused_drop(const void *of)
{
	struct filter_refused *refused = refused_find(of);

	if (!refused)
		return;
	list_del(&refused->list);
	kfree(refused->text);
	kfree(refused);
}

/* @text was refused. Without memory, nothing is shown: error_log has it, too. */
void trace_filter_refused_note(const void *of, const char *text,
			       const struct trace_filter_error *error)
{
	struct filter_refused *refused;

	trace_filter_refused_drop(of);
	refused = kzalloc(sizeof(*refused), GFP_KERNEL);
	if (!refused)
		return;
	refused->of = of;
	refused->text = trace_filter_refusal_text(text, error);
	if (refused->text)
		list_add(&refused->list, &refused_list);
	else
		kfree(refused);
}

/* The last text that was refused, with its error; NULL: a filter was set since, or none was. */
const char *trace_filter_refused_text(const void *of)
{
	const struct filter_refused *refused = refused_find(of);

	return refused ? refused->text : NULL;
}
