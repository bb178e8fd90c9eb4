// SPDX-License-Identifier: GPL-2.0
/* The list of dynamic events and their kinds. dyn.h tells the rules. */
#include <linux/errno.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/calls.h"
#include "events/dyn/dyn.h"
#include "instance/instance.h"
#include "lib/wait.h"

static LIST_HEAD(dyn_kinds);	/* constant after boot */
static LIST_HEAD(dyn_events);	/* events mutex; struct trace_dyn_event */
static u64 dyn_number;		/* events mutex; how many events were added since boot */

/*
 * A bit of the flags of a call, which no other layer uses: all dynamic events of the call go.
 * dyn_mark() writes it, under the events mutex.
 */
#define DYN_CALL_GOES	BIT(30)

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

/**
 * trace_dyn_event_add - add a dynamic event, and its call unless another event has it already
 * @event: the event, whose kind and call are set
 *
 * Context: task, may sleep; trace_instances_lock() and the events mutex are held.
 * Return: 0; -EEXIST: there is an event of this name; or what trace_event_call_add() says.
 */
int trace_dyn_event_add(struct trace_dyn_event *event)
{
	struct trace_event_call *call = event->call, *found;
	int ret;

	trace_events_assert_locked();

	found = trace_event_call_find(call->class->system, trace_event_name(call));
	if (found && found != call)
		return -EEXIST;
	ret = found ? 0 : trace_event_call_add(call);
	if (ret)
		return ret;
	event->goes = false;
	event->number = ++dyn_number;
	event->maker = current;
	event->owner = NULL;
	list_add_tail(&event->list, &dyn_events);
	return 0;
}

/* Do all dynamic events of this call go? It is asked for each event of each instance. */
static bool dyn_call_goes(struct trace_event_call *call, void *data)
{
	return call->flags & DYN_CALL_GOES;
}

static struct trace_event_call *dyn_kept(const struct trace_dyn_event *event)
{
	return event->kind->keeps ? event->kind->keeps(event) : NULL;
}

/* An event that goes gives back the dynamic event that it keeps, or keeps it again. */
static void dyn_keep(bool keep)
{
	struct trace_dyn_event *event;

	list_for_each_entry(event, &dyn_events, list) {
		struct trace_event_call *kept = event->goes ? dyn_kept(event) : NULL;

		if (!kept || !(kept->flags & TRACE_EVENT_FL_DYNAMIC))
			continue;
		if (keep)
			WARN_ON_ONCE(trace_event_call_keep(kept));
		else
			trace_event_call_unkeep(kept);
	}
}

/* Has a call a user? @end: a user that cannot lose it. Instances can, they are told. */
static bool dyn_call_is_used(struct trace_event_call *call, bool end)
{
	return end ? trace_event_call_is_held(call) : trace_event_call_is_busy(call);
}

/* Does anybody use a call that goes, but events that go with it? @end: users may lose it */
static bool dyn_is_busy(bool end)
{
	struct trace_dyn_event *event;
	bool busy = false;

	dyn_keep(false);
	list_for_each_entry(event, &dyn_events, list) {
		busy = event->goes && dyn_call_goes(event->call, NULL) &&
		       dyn_call_is_used(event->call, end);
		if (busy)
			break;
	}
	dyn_keep(true);
	return busy;
}

/* Mark the events that are meant, and their calls; -ENOENT: none is; -EBUSY: one is busy. */
static int dyn_mark(trace_dyn_chooser_t is_meant, const void *data, bool end)
{
	struct trace_dyn_event *event;
	int ret = -ENOENT;

	list_for_each_entry(event, &dyn_events, list) {
		event->goes = is_meant(event, data);
		if (!event->goes)
			continue;
		event->call->flags |= DYN_CALL_GOES;
		ret = 0;
	}
	/* A call stays with one of its events. */
	list_for_each_entry(event, &dyn_events, list) {
		if (!event->goes)
			event->call->flags &= ~DYN_CALL_GOES;
	}
	return !ret && dyn_is_busy(end) ? -EBUSY : ret;
}

/* Take the marked events off the list, those of a kind behind each other. */
static void dyn_take_marked(struct list_head *gone)
{
	struct trace_dyn_event *event, *next;
	const struct trace_dyn_kind *kind;

	do {
		kind = NULL;
		list_for_each_entry_safe(event, next, &dyn_events, list) {
			if (!event->goes || (kind && event->kind != kind))
				continue;
			kind = event->kind;
			list_move_tail(&event->list, gone);
		}
	} while (kind);
	list_for_each_entry(event, gone, list) {
		if (dyn_kept(event))
			trace_event_call_unkeep(dyn_kept(event));
	}
}

/* Call leave() or settle() of each kind that has an event on the list. */
static void dyn_call_kinds(struct list_head *gone, bool settle)
{
	void (*call)(const struct trace_dyn_kind *kind, struct list_head *gone);
	const struct trace_dyn_kind *kind = NULL;
	struct trace_dyn_event *event;

	list_for_each_entry(event, gone, list) {
		if (event->kind == kind)
			continue;
		kind = event->kind;
		call = settle ? kind->settle : kind->leave;
		if (call)
			call(kind, gone);
	}
}

/* Events that are removed together, and that nobody finds any more. */
struct dyn_leaving {
	struct list_head		gone;
	struct trace_event_removal	removal;
};

/*
 * Wait until the events are in no hit, which takes until all CPUs have done something. Where memory
 * of user space is fetched, it takes as long as whoever brings that in likes.
 */
static void dyn_settle(void *data)
{
	struct dyn_leaving *leaving = data;

	dyn_call_kinds(&leaving->gone, true);
	if (leaving->removal.waits)
		trace_wait_probes();
	leaving->removal.waits = false;
}

/* Free the events, which have settled. */
static void dyn_free(void *data)
{
	struct trace_dyn_event *event, *next;
	struct dyn_leaving *leaving = data;

	trace_event_calls_drop(&leaving->removal);
	scoped_guard(trace_instances) {
		guard(trace_events)();
		list_for_each_entry_safe(event, next, &leaving->gone, list) {
			list_del(&event->list);
			event->kind->free(event);
			cond_resched();
		}
	}
	kfree(leaving);
}

/*
 * Take the events that are meant off the list, all of them or none. Nobody finds them any more when
 * the locks are released.
 */
static int dyn_take(struct dyn_leaving *leaving, trace_dyn_chooser_t is_meant, const void *data,
		    bool end)
{
	int ret;

	guard(trace_instances)();
	guard(trace_events)();
	ret = dyn_mark(is_meant, data, end);
	if (ret)
		return ret;
	INIT_LIST_HEAD(&leaving->gone);
	trace_event_calls_take(&leaving->removal, dyn_call_goes, NULL);
	dyn_take_marked(&leaving->gone);
	dyn_call_kinds(&leaving->gone, false);
	return 0;
}

/*
 * Remove some events, all of them or none; they may @end with their owner. A task that is killed
 * does not wait for their end. No other signal ends the wait, as a close cannot tell that it did.
 */
static int dyn_remove(trace_dyn_chooser_t is_meant, const void *data, bool end)
{
	struct dyn_leaving *leaving = kmalloc(sizeof(*leaving), GFP_KERNEL);
	int ret;

	if (!leaving)
		return -ENOMEM;
	ret = dyn_take(leaving, is_meant, data, end);
	if (ret)
		kfree(leaving);
	else
		trace_wait_call(dyn_settle, dyn_free, leaving, TASK_KILLABLE);
	return ret;
}

/**
 * trace_dyn_events_remove - remove some dynamic events, all of them or none
 * @is_meant: chooses them
 * @data: for @is_meant
 *
 * A task that is being killed does not wait until they are in no hit; they are freed later then.
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex, and waits without.
 * Return: 0; -ENOENT: no event was chosen; -EBUSY: somebody uses one of them; -ENOMEM.
 */
int trace_dyn_events_remove(trace_dyn_chooser_t is_meant, const void *data)
{
	return dyn_remove(is_meant, data, false);
}

/**
 * trace_dyn_events_end - remove some dynamic events, all of them or none, also if they are on
 * @is_meant: chooses them
 * @data: for @is_meant
 *
 * Instances lose them, with their triggers.
 *
 * Context: as trace_dyn_events_remove().
 * Return: 0; -ENOENT: no event was chosen; -EBUSY: perf has one of them, or somebody keeps one;
 * -ENOMEM.
 */
int trace_dyn_events_end(trace_dyn_chooser_t is_meant, const void *data)
{
	return dyn_remove(is_meant, data, true);
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
 * If somebody uses one of them already, or memory is short, all of them stay.
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 */
void trace_dyn_events_take_back(u64 number)
{
	int ret = trace_dyn_events_remove(dyn_is_new, &number);

	if (ret && ret != -ENOENT)
		pr_warn("trace events: events of a refused text stay: %d\n", ret);
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
 * Return: 0; -EBUSY: somebody uses one of them, and all are left; -ENOMEM.
 */
int trace_dyn_events_clear(const struct trace_dyn_kind *kind)
{
	int ret = trace_dyn_events_remove(dyn_is_of_kind, kind);

	return ret == -ENOENT ? 0 : ret;
}

/**
 * trace_dyn_event_next - the dynamic event behind another one
 * @kind: events of this kind count; NULL: all
 * @event: the other one; NULL: the first one is asked for
 *
 * Context: task; the events mutex is held.
 * Return: the event; NULL behind the last one.
 */
struct trace_dyn_event *trace_dyn_event_next(const struct trace_dyn_kind *kind,
					     struct trace_dyn_event *event)
{
	trace_events_assert_locked();

	event = list_prepare_entry(event, &dyn_events, list);
	list_for_each_entry_continue(event, &dyn_events, list) {
		if (dyn_is_of_kind(event, kind))
			return event;
	}
	return NULL;
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
	struct trace_dyn_event *event = NULL;

	while ((event = trace_dyn_event_next(kind, event)) && n--)
		;
	return event;
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
	return *word || slash ? 0 : -EINVAL;
}

/**
 * trace_dyn_remove - remove the events that a line means
 * @kind: events of this kind; NULL: of all
 * @line: the line, "-:[SYSTEM/]EVENT [ARGS]" or "!KIND:[SYSTEM/]EVENT [ARGS]", which is changed
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0; -EINVAL: it is no such line; -ENOENT: there is no such event; -EBUSY: somebody uses
 * one of them, and all are left; -ENOMEM.
 */
int trace_dyn_remove(const struct trace_dyn_kind *kind, char *line)
{
	struct dyn_removal removal = { .kind = kind };
	int ret = dyn_removal_parse(&removal, line);

	if (ret)
		return ret;
	return trace_dyn_events_remove(dyn_is_removed, &removal);
}

/**
 * trace_dyn_expect - tell all kinds of lines that come
 * @line: the first one; the others are probably like it
 * @lines: about how many
 *
 * Only the cost of the lines depends on it.
 *
 * Context: task, may sleep.
 */
void trace_dyn_expect(const char *line, unsigned long lines)
{
	struct trace_dyn_kind *kind;

	list_for_each_entry(kind, &dyn_kinds, list) {
		if (kind->expect)
			kind->expect(line, lines);
	}
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
