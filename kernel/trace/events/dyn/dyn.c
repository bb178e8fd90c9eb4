// SPDX-License-Identifier: GPL-2.0
/* The list of dynamic events and their kinds. dyn.h tells the rules. */
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "events/calls.h"
#include "events/dyn/dyn.h"
#include "instance/instance.h"

static LIST_HEAD(dyn_kinds);	/* constant after boot */
static LIST_HEAD(dyn_events);	/* events mutex; struct trace_dyn_event */
static u64 dyn_number;		/* events mutex; how many events were added since boot */

/**
 * trace_dyn_kind_register - have a kind of dynamic events
 * @kind: the kind
 *
 * Context: boot, before there are files.
 */
void __init trace_dyn_kind_register(struct trace_dyn_kind *kind)
{
	list_add_tail(&kind->list, &dyn_kinds);
}

/* Has an event of the list this call? */
static bool dyn_has_call(const struct trace_event_call *call)
{
	struct trace_dyn_event *event;

	list_for_each_entry(event, &dyn_events, list) {
		if (event->call == call)
			return true;
	}
	return false;
}

/**
 * trace_dyn_event_add - add a dynamic event, and its call unless another event has it already
 * @event: the event, whose kind and call are set
 *
 * Context: task, may sleep; trace_instances_lock() and the events mutex are held.
 * Return: 0; -EEXIST: there is an event of this name; or what trace_event_call_add() says.
 */
int trace_dyn_event_add(struct trace_dyn_event *event)
{
	struct trace_event_call *call = event->call;
	int ret;

	trace_events_assert_locked();

	if (!dyn_has_call(call)) {
		if (trace_event_call_find(call->class->system, trace_event_name(call)))
			return -EEXIST;
		ret = trace_event_call_add(call);
		if (ret)
			return ret;
	}
	event->goes = false;
	event->number = ++dyn_number;
	event->maker = current;
	list_add_tail(&event->list, &dyn_events);
	return 0;
}

/* Do all dynamic events of this call go? */
static bool dyn_call_goes(struct trace_event_call *call, void *data)
{
	struct trace_dyn_event *event;
	bool goes = false;

	if (!(call->flags & TRACE_EVENT_FL_DYNAMIC))
		return false;
	list_for_each_entry(event, &dyn_events, list) {
		if (event->call != call)
			continue;
		if (!event->goes)
			return false;
		goes = true;
	}
	return goes;
}

static struct trace_event_call *dyn_kept(const struct trace_dyn_event *event)
{
	return event->kind->keeps ? event->kind->keeps(event) : NULL;
}

/* Does anybody use the event of a call, but events that go with it? */
static bool dyn_is_busy(struct trace_event_call *call)
{
	unsigned int keepers = trace_event_call_keepers(call);
	struct trace_dyn_event *event;

	if (trace_event_call_is_on(call))
		return true;
	if (!keepers)
		return false;
	list_for_each_entry(event, &dyn_events, list) {
		if (event->goes && dyn_kept(event) == call)
			keepers--;
	}
	return keepers;
}

/* Mark the events that are meant; -ENOENT: none is; -EBUSY: one of them is busy. */
static int dyn_mark(trace_dyn_chooser_t is_meant, const void *data)
{
	struct trace_dyn_event *event;
	int ret = -ENOENT;

	list_for_each_entry(event, &dyn_events, list) {
		event->goes = is_meant(event, data);
		if (event->goes)
			ret = 0;
	}
	list_for_each_entry(event, &dyn_events, list) {
		if (event->goes && dyn_is_busy(event->call))
			return -EBUSY;
	}
	return ret;
}

/* Free the events of @gone that are of the kind of the first one. */
static void dyn_free_kind(struct list_head *gone)
{
	const struct trace_dyn_kind *kind;
	struct trace_dyn_event *event, *next;
	LIST_HEAD(same);

	kind = list_first_entry(gone, struct trace_dyn_event, list)->kind;
	list_for_each_entry_safe(event, next, gone, list) {
		if (event->kind == kind)
			list_move_tail(&event->list, &same);
	}
	if (kind->leave)
		kind->leave(&same);
	list_for_each_entry_safe(event, next, &same, list) {
		list_del(&event->list);
		kind->free(event);
	}
}

/**
 * trace_dyn_events_remove - remove some dynamic events, all of them or none
 * @is_meant: chooses them
 * @data: for @is_meant
 *
 * Context: task, may sleep; trace_instances_lock() and the events mutex are held.
 * Return: 0; -ENOENT: no event was chosen; -EBUSY: somebody uses one of them.
 */
int trace_dyn_events_remove(trace_dyn_chooser_t is_meant, const void *data)
{
	struct trace_dyn_event *event, *next;
	LIST_HEAD(gone);
	int ret;

	trace_events_assert_locked();

	ret = dyn_mark(is_meant, data);
	if (ret)
		return ret;
	trace_event_calls_remove(dyn_call_goes, NULL);
	list_for_each_entry_safe(event, next, &dyn_events, list) {
		if (event->goes)
			list_move_tail(&event->list, &gone);
	}
	list_for_each_entry(event, &gone, list) {
		if (dyn_kept(event))
			trace_event_call_unkeep(dyn_kept(event));
	}
	while (!list_empty(&gone))
		dyn_free_kind(&gone);
	return 0;
}

/**
 * trace_dyn_events_number - how many dynamic events were added since boot
 *
 * Context: task, may sleep; takes the events mutex.
 * Return: the number, for trace_dyn_events_take_back().
 */
u64 trace_dyn_events_number(void)
{
	guard(trace_events)();
	return dyn_number;
}

/* Has this task added the event behind the one of number *@data? */
static bool dyn_is_new(const struct trace_dyn_event *event, const void *data)
{
	return event->maker == current && event->number > *(const u64 *)data;
}

/**
 * trace_dyn_events_take_back - remove what this task has added
 * @number: of trace_dyn_events_number(): events that were added before stay
 *
 * If somebody uses one of them already, all of them stay.
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 */
void trace_dyn_events_take_back(u64 number)
{
	guard(trace_instances)();
	guard(trace_events)();
	if (trace_dyn_events_remove(dyn_is_new, &number) == -EBUSY)
		pr_warn("trace events: events of a refused text are in use, and stay\n");
}

static bool dyn_is_of_kind(const struct trace_dyn_event *event, const void *kind)
{
	return !kind || event->kind == kind;
}

/**
 * trace_dyn_events_clear - remove all dynamic events
 * @kind: those of this kind; NULL: of all
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0; -EBUSY: somebody uses one of them, and all are left.
 */
int trace_dyn_events_clear(const struct trace_dyn_kind *kind)
{
	int ret;

	guard(trace_instances)();
	guard(trace_events)();
	ret = trace_dyn_events_remove(dyn_is_of_kind, kind);
	return ret == -ENOENT ? 0 : ret;
}

/**
 * trace_dyn_event_nth - a dynamic event by its place on the list
 * @kind: events of this kind count; NULL: all
 * @n: the place, from 0
 *
 * Context: task; the events mutex is held.
 * Return: the event; NULL behind the last one.
 */
struct trace_dyn_event *trace_dyn_event_nth(const struct trace_dyn_kind *kind, loff_t n)
{
	struct trace_dyn_event *event;

	trace_events_assert_locked();

	list_for_each_entry(event, &dyn_events, list) {
		if (dyn_is_of_kind(event, kind) && !n--)
			return event;
	}
	return NULL;
}

/* The events that a line means which removes them. */
struct dyn_removal {
	const struct trace_dyn_kind	*kind;		/* NULL: any */
	const char			*system;	/* NULL: any */
	const char			*name;		/* "": all of the system */
	const char			*args;		/* "": none */
};

static bool dyn_is_removed(const struct trace_dyn_event *event, const void *data)
{
	const struct dyn_removal *removal = data;
	const struct trace_event_call *call = event->call;

	if (!dyn_is_of_kind(event, removal->kind))
		return false;
	if (removal->system && strcmp(removal->system, call->class->system))
		return false;
	if (*removal->name &&
	    strcmp(removal->name, trace_event_name((struct trace_event_call *)call)))
		return false;
	return !*removal->args || !event->kind->has_args ||
	       event->kind->has_args(event, removal->args);
}

/* Take "-:[SYSTEM/]EVENT [ARGS]" or "!KIND:[SYSTEM/]EVENT [ARGS]" apart, which changes it. */
static int dyn_removal_parse(struct dyn_removal *removal, char *line)
{
	char *word = line, *slash;

	line += strcspn(line, " \t");
	if (*line)
		*line++ = '\0';
	removal->args = skip_spaces(line);
	if (*word == '-' && word[1] != ':')
		return -EINVAL;
	word = strchr(word, ':');
	if (!word)
		return -EINVAL;
	word++;
	slash = strchr(word, '/');
	removal->system = slash ? word : NULL;
	if (slash) {
		*slash = '\0';
		word = slash + 1;
	}
	removal->name = word;
	return *word || (slash && *removal->system) ? 0 : -EINVAL;
}

/**
 * trace_dyn_remove - remove the events that a line means
 * @kind: events of this kind; NULL: of all
 * @line: the line, "-:[SYSTEM/]EVENT [ARGS]" or "!KIND:[SYSTEM/]EVENT [ARGS]", which is changed
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0; -EINVAL: it is no such line; -ENOENT: there is no such event; -EBUSY: somebody uses
 * one of them, and all are left.
 */
int trace_dyn_remove(const struct trace_dyn_kind *kind, char *line)
{
	struct dyn_removal removal = { .kind = kind };
	int ret = dyn_removal_parse(&removal, line);

	if (ret)
		return ret;
	guard(trace_instances)();
	guard(trace_events)();
	return trace_dyn_events_remove(dyn_is_removed, &removal);
}

/**
 * trace_dyn_run - do what a line of dynamic_events says
 * @line: the line, which is changed
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0; -EINVAL: no kind has such a line; -ENOENT, -EBUSY of an event to be removed; or
 * what the kind says.
 */
int trace_dyn_run(char *line)
{
	struct trace_dyn_kind *kind;
	int ret;

	if (*line == '-' || *line == '!')
		return trace_dyn_remove(NULL, line);
	list_for_each_entry(kind, &dyn_kinds, list) {
		ret = kind->create(line);
		if (ret != -ECANCELED)
			return ret;
	}
	return -EINVAL;
}
