// SPDX-License-Identifier: GPL-2.0
/*
 * Puts filters into force on an event of an instance or on all events of a system. Filters
 * run in probes of tracepoints, so a filter that was replaced is freed after a grace period of
 * the tracepoints. Filters of perf events are in perf_filter.c.
 */
#include <linux/err.h>
#include <linux/init.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/calls.h"
#include "events/events.h"
#include "events/file.h"
#include "events/filter/apply.h"
#include "events/filter/program.h"
#include "instance/component.h"

/*
 * Put @filter into force, NULL: none. Returns the one before, which the caller frees when no
 * probe asks it any more. The events mutex is held.
 */
static struct event_filter *filter_apply_swap(struct trace_event_file *file,
					      struct event_filter *filter)
{
	struct event_filter *old;

	old = rcu_replace_pointer(file->filter, filter, trace_events_locked());
	if (filter && filter->nr)
		set_bit(EVENT_FILE_FL_FILTERED_BIT, &file->flags);
	else
		clear_bit(EVENT_FILE_FL_FILTERED_BIT, &file->flags);
	return old;
}

/*
 * Cut the blanks at the end of @text. Does it ask for no filter? Those at its start stay, as
 * the caret of the error log counts them.
 */
static bool filter_apply_is_none(char *text)
{
	return !strcmp(strim(text), "0");
}

/*
 * Put the filter of @text into force for an event of an instance; "0" takes it
 * away. -ENOMEM or what trace_filter_compile() says, which error_log and the event's file explain:
 * nothing is filtered otherwise than before.
 */
int trace_event_filter_set(struct trace_event_file *file, char *text)
{
	struct event_filter *filter = NULL;
	struct trace_filter_error error;

	trace_events_assert_locked();

	if (!filter_apply_is_none(text)) {
		filter = trace_filter_compile(file->event_call, text, &error);
		if (IS_ERR(filter) && filter != ERR_PTR(-ENOMEM)) {
			trace_filter_error_log(file->tr, text, &error);
			trace_filter_refused_note(file, text, &error);
		}
		if (IS_ERR(filter))
			return PTR_ERR(filter);
	}
	trace_filter_refused_drop(file);
	trace_filter_free_later(filter_apply_swap(file, filter));
	return 0;
}

/* The new filter of an event of a system. */
struct system_filter {
	struct list_head	list;
	struct trace_event_file	*file;
	struct event_filter	*filter;
};

static void apply_system_filters_free(struct list_head *head)
{
	struct system_filter *f, *next;

	list_for_each_entry_safe(f, next, head, list) {
		trace_filter_free(f->filter);
		kfree(f);
	}
}

/*
 * Compile @text, NULL: no filter, for all events of a system. An event that it does not
 * fit, for want of a field, gets none, and its file "filter" will say so. *wrong counts
 * those, *right the others. -ENOMEM.
 */
static int apply_system_filters_make(struct trace_subsystem_dir *system, const char *text,
				     struct list_head *head, unsigned int *right,
				     unsigned int *wrong)
{
	struct trace_filter_error error;
	struct trace_event_file *file;
	struct system_filter *f;

	for_each_trace_event_file(file, system->tr) {
		if (file->system != system || !trace_event_usable(file->event_call))
			continue;
		f = kzalloc(sizeof(*f), GFP_KERNEL);
		if (!f)
			return -ENOMEM;
		f->file = file;
		list_add_tail(&f->list, head);
		++*right;
		if (!text)
			continue;
		f->filter = trace_filter_compile(file->event_call, text, &error);
		if (IS_ERR(f->filter) && f->filter != ERR_PTR(-ENOMEM)) {
			--*right;
			++*wrong;
			f->filter = trace_filter_refused(text, FILTER_ERR_BAD_SUBSYS_FILTER);
		}
		if (IS_ERR(f->filter)) {
			f->filter = NULL;
			return -ENOMEM;
		}
	}
	return 0;
}

/* Put all of the filters into force. */
static void apply_system_filters(struct list_head *head)
{
	struct system_filter *f;

	list_for_each_entry(f, head, list) {
		trace_filter_refused_drop(f->file);
		trace_filter_free_later(filter_apply_swap(f->file, f->filter));
		f->filter = NULL;
	}
}

/*
 * Put the filter of @text into force for all events of a system; "0" takes them
 * away. An event that the text does not fit records everything from now on.
 * -ENOMEM; -EINVAL: it fits none of them, as error_log and the system's file explain: nothing is
 * filtered otherwise than before.
 */
int trace_event_system_filter_set(struct trace_subsystem_dir *system, char *text)
{
	struct trace_filter_error error = { .code = FILTER_ERR_BAD_SUBSYS_FILTER };
	unsigned int right = 0, wrong = 0;
	LIST_HEAD(filters);
	int ret;

	trace_events_assert_locked();

	ret = apply_system_filters_make(system, filter_apply_is_none(text) ? NULL : text, &filters,
					&right,
					&wrong);
	if (!ret && wrong)
		trace_filter_error_log(system->tr, text, &error);
	if (!ret && wrong && !right)
		trace_filter_refused_note(system, text, &error);
	if (!ret && !right)
		ret = -EINVAL;
	if (!ret) {
		trace_filter_refused_drop(system);
		apply_system_filters(&filters);
	}
	apply_system_filters_free(&filters);
	return ret;
}

/* The text of the filter in force, NULL: there is none. */
const char *trace_event_filter_text(struct trace_event_file *file)
{
	struct event_filter *filter;

	filter = rcu_dereference_protected(file->filter, trace_events_locked());
	return filter ? trace_filter_text(filter) : NULL;
}

/*
 * Make the text that the event's file shows: "none", or the filter in force. A text that was
 * refused comes before, and alone if nothing is filtered. The caller frees it. NULL: there is no
 * memory.
 */
char *trace_event_filter_shown(struct trace_event_file *file)
{
	const char *refused = trace_filter_refused_text(file);
	const char *text = trace_event_filter_text(file);

	if (!refused)
		return kstrdup(text ?: "none", GFP_KERNEL);
	if (!(file->flags & EVENT_FILE_FL_FILTERED))
		return kstrdup(refused, GFP_KERNEL);
	return kasprintf(GFP_KERNEL, "%s### in force ###\n%s", refused, text);
}

/*
 * The text of a system's file, as users know it. The filters that were set here are shown by
 * the events, whose own files may have changed them since.
 */
#define SYSTEM_FILTER_TEXT	"### global filter ###\n"				\
			"# Use this to set filters for multiple events.\n"	\
			"# Only events with the given fields will be affected.\n" \
			"# If no events are modified, an error message will be displayed here"

/* Make the text that a system's file shows, as trace_event_filter_shown(). */
char *trace_event_system_filter_shown(struct trace_subsystem_dir *system)
{
	return kstrdup(trace_filter_refused_text(system) ?: SYSTEM_FILTER_TEXT, GFP_KERNEL);
}

/* The event goes, and its probe may still run. The system goes with its last event. */
static void filter_apply_goes(struct trace_event_file *file)
{
	trace_filter_refused_drop(file);
	if (file->system->nr_events == 1)
		trace_filter_refused_drop(file->system);
	trace_filter_free_later(filter_apply_swap(file, NULL));
}

static struct trace_event_part filter_part = {
	.goes	= filter_apply_goes,
};

/* Boot, once; the events mutex is held. */
void __init trace_event_filter_part_add(void)
{
	trace_event_part_add(&filter_part);
}

static void filters_apply_destroy(struct trace_array *tr)
{
	struct trace_event_file *file;

	guard(trace_events)();
	for_each_trace_event_file(file, tr)
		filter_apply_goes(file);
}

struct trace_component trace_event_filters_component __ro_after_init = {
	.name		= "event filters",
	.readme		=
		"      filter\t\t- records to be kept: <field> <operator> <value>, with && || ! ( )\n"
		"\t\t\t  <field>[<n>]: an element of an array. All events have CPU, comm,\n"
		"\t\t\t  common_pid, common_tgid, common_vpid, common_uid, common_prio,\n"
		"\t\t\t  common_cgroup, common_nsecs\n",
	.destroy	= filters_apply_destroy,
};
