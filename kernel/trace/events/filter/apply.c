// SPDX-License-Identifier: GPL-2.0
/*
 * Filters in force: on an event of an instance, on all events of a system
 * that have the fields, on a perf event. What was replaced is freed after a
 * grace period of the tracepoints, in whose probes filters run.
 */
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "events/filter/filter.h"
#include "events/filter/program.h"

static const char * const error_texts[] = {
	[FILTER_ERR_INVALID_OP]		= "Invalid operator",
	[FILTER_ERR_TOO_MANY_OPEN]	= "Too many '('",
	[FILTER_ERR_TOO_MANY_CLOSE]	= "Too few '('",
	[FILTER_ERR_MISSING_QUOTE]	= "Missing matching quote",
	[FILTER_ERR_MISSING_BRACE_OPEN]	= "Missing '{'",
	[FILTER_ERR_MISSING_BRACE_CLOSE] = "Missing '}'",
	[FILTER_ERR_OPERAND_TOO_LONG]	= "Operand too long",
	[FILTER_ERR_EXPECT_STRING]	= "Expecting string field",
	[FILTER_ERR_EXPECT_DIGIT]	= "Expecting numeric field",
	[FILTER_ERR_ILLEGAL_FIELD_OP]	= "Illegal operation for field type",
	[FILTER_ERR_FIELD_NOT_FOUND]	= "Field not found",
	[FILTER_ERR_ILLEGAL_INTVAL]	= "Illegal integer value",
	[FILTER_ERR_BAD_SUBSYS_FILTER]	=
		"Couldn't find or set field in one of a subsystem's events",
	[FILTER_ERR_TOO_MANY_PREDS]	= "Too many terms in predicate expression",
	[FILTER_ERR_INVALID_FILTER]	= "Meaningless filter expression",
	[FILTER_ERR_INVALID_CPULIST]	= "Invalid cpulist",
	[FILTER_ERR_INVALID_VALUE]	= "Invalid value (did you forget quotes)?",
	[FILTER_ERR_NO_FUNCTION]	= "Function not found",
	[FILTER_ERR_OTHER]		= "Error",
};

static void error_log(struct trace_array *tr, const struct filter_text *t)
{
	trace_error_log(tr, "event filter parse error", t->text, error_texts, t->error, t->pos);
}

/* What was in force is to be freed after tracepoint_synchronize_unregister(). */
static struct event_filter *filter_swap(struct trace_event_file *file,
					struct event_filter *filter)
{
	struct event_filter *old;

	old = rcu_replace_pointer(file->filter, filter, trace_events_locked());
	if (filter)
		set_bit(EVENT_FILE_FL_FILTERED_BIT, &file->flags);
	else
		clear_bit(EVENT_FILE_FL_FILTERED_BIT, &file->flags);
	return old;
}

int trace_event_filter_set(struct trace_event_file *file, char *text)
{
	struct event_filter *filter = NULL, *old;
	struct filter_text t = { .text = strim(text), .call = file->event_call };

	trace_events_assert_locked();

	if (strcmp(t.text, "0")) {
		filter = filter_compile(&t);
		if (IS_ERR(filter) && filter != ERR_PTR(-ENOMEM))
			error_log(file->tr, &t);
		if (IS_ERR(filter))
			return PTR_ERR(filter);
	}
	old = filter_swap(file, filter);
	if (old) {
		tracepoint_synchronize_unregister();
		filter_free(old);
	}
	return 0;
}

/* Filters of a system that wait for their grace period. */
struct replaced {
	struct list_head	list;
	struct event_filter	*old;
};

static void replaced_free(struct list_head *head)
{
	struct replaced *r, *next;

	tracepoint_synchronize_unregister();
	list_for_each_entry_safe(r, next, head, list) {
		filter_free(r->old);
		kfree(r);
	}
}

static int system_event_set(struct trace_event_file *file, struct filter_text *t,
			    struct list_head *head)
{
	struct event_filter *filter = NULL;
	struct replaced *r;

	r = kmalloc(sizeof(*r), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	t->call = file->event_call;
	if (strcmp(t->text, "0")) {
		filter = filter_compile(t);
		if (IS_ERR(filter)) {
			kfree(r);
			return PTR_ERR(filter);
		}
	}
	r->old = filter_swap(file, filter);
	list_add(&r->list, head);
	return 0;
}

/*
 * Events that lack a field keep the filter they have. -EINVAL: all of them do.
 */
int trace_event_system_filter_set(struct trace_subsystem_dir *system, char *text)
{
	struct filter_text t = { .text = strim(text) };
	struct trace_event_file *file;
	LIST_HEAD(replaced);
	char *kept = NULL;
	int ret = 0;

	trace_events_assert_locked();

	if (strcmp(t.text, "0")) {
		kept = kstrdup(t.text, GFP_KERNEL);
		if (!kept)
			return -ENOMEM;
	}
	list_for_each_entry(file, &trace_events_of(system->tr)->files, list) {
		if (file->system != system || !trace_event_usable(file->event_call))
			continue;
		ret = system_event_set(file, &t, &replaced);
		if (ret == -ENOMEM)
			break;
	}
	if (!list_empty(&replaced)) {
		replaced_free(&replaced);
		kfree(system->filter);
		system->filter = kept;
		return ret == -ENOMEM ? ret : 0;
	}
	kfree(kept);
	if (ret && ret != -ENOMEM) {
		ret = filter_error(&t, FILTER_ERR_BAD_SUBSYS_FILTER, t.text);
		error_log(system->tr, &t);
	}
	return ret;
}

const char *trace_event_filter_text(struct trace_event_file *file)
{
	struct event_filter *filter;

	filter = rcu_dereference_protected(file->filter, trace_events_locked());
	return filter ? filter->text : NULL;
}

void trace_event_filter_destroy(struct trace_event_file *file)
{
	filter_free(filter_swap(file, NULL));
}

#ifdef CONFIG_PERF_EVENTS
/**
 * ftrace_profile_set_filter - give a perf event of a trace event a filter
 * @event: the perf event, made by perf_trace_init()
 * @event_id: the trace event's number
 * @text: the filter's text; it is changed
 *
 * Task context, may sleep. Return: 0, -EINVAL: the text is wrong or @event has
 * no trace event (filter_error() has more for wrong texts), -EEXIST: it has
 * a filter, -ENOMEM.
 */
int ftrace_profile_set_filter(struct perf_event *event, int event_id, char *text)
{
	struct filter_text t = { .text = strim(text), .call = event->tp_event };
	struct event_filter *filter;

	guard(trace_events)();
	if (!t.call)
		return -EINVAL;
	if (event->filter)
		return -EEXIST;
	filter = filter_compile(&t);
	if (IS_ERR(filter))
		return PTR_ERR(filter);
	/* A probe on another CPU must see the program before the pointer. */
	smp_store_release(&event->filter, filter);
	return 0;
}

/**
 * ftrace_profile_free_filter - free a perf event's filter
 * @event: the perf event; no probe looks at it any more
 */
void ftrace_profile_free_filter(struct perf_event *event)
{
	filter_free(event->filter);
	event->filter = NULL;
}
#endif /* CONFIG_PERF_EVENTS */
