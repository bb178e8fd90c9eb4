// SPDX-License-Identifier: GPL-2.0
/*
 * The events of an instance: one trace_event_file for each event, one trace_subsystem_dir for
 * each system that has events.
 *
 * A trace_event_file is the data of the event's probe and the object behind its files. It
 * is freed by its last reference, which is dropped after its probe was unregistered and
 * has returned. users.c registers the probe, filter/ and pids.c say which records it
 * drops, dir_file.c has the files. They stand above this file, which tells them of an event
 * that comes or goes through struct trace_event_part. Their components are destroyed before the
 * one that this file has.
 */
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/internal.h"
#include "instance/component.h"

/* The parts of layers at each event; E. There are none when the top instance is created. */
static LIST_HEAD(event_parts);

/*
 * The events of all instances by their calls; events mutex. There may be ten thousands of calls,
 * and each instance is asked about a call when it comes, goes or is used.
 */
static DEFINE_HASHTABLE(event_files_of, 10);

/**
 * trace_event_part_add - have a part in each event of each instance
 * @part: the part; it stays until trace_event_part_del()
 *
 * It is not told of the events that are there.
 *
 * Context: task; the events mutex is held.
 */
void trace_event_part_add(struct trace_event_part *part)
{
	trace_events_assert_locked();
	list_add_tail(&part->list, &event_parts);
}

/**
 * trace_event_part_del - undo trace_event_part_add()
 * @part: the part
 *
 * Context: task; the events mutex is held.
 */
void trace_event_part_del(struct trace_event_part *part)
{
	trace_events_assert_locked();
	list_del(&part->list);
}

static struct trace_subsystem_dir *event_file_system_find(struct trace_array *tr, const char *name)
{
	struct trace_subsystem_dir *system;

	/* Events are registered system by system, so it is probably the last one. */
	list_for_each_entry_reverse(system, &trace_events_of(tr)->systems, list)
		if (!strcmp(system->name, name))
			return system;
	return NULL;
}

static struct trace_subsystem_dir *event_file_system_get(struct trace_array *tr, const char *name)
{
	struct trace_subsystem_dir *system = event_file_system_find(tr, name);

	if (system) {
		system->nr_events++;
		return system;
	}
	system = kzalloc(sizeof(*system), GFP_KERNEL);
	if (!system)
		return NULL;
	/* @name may be in a module, which may be unloaded while a file is open. */
	system->name = kstrdup(name, GFP_KERNEL);
	if (!system->name) {
		kfree(system);
		return NULL;
	}
	system->tr = tr;
	system->nr_events = 1;
	refcount_set(&system->ref, 1);
	list_add_tail(&system->list, &trace_events_of(tr)->systems);
	return system;
}

/**
 * trace_event_system_put - drop a reference of a system
 * @system: the system
 *
 * The directory and each open file have one. The last one frees the system.
 *
 * Context: task.
 */
void trace_event_system_put(struct trace_subsystem_dir *system)
{
	if (!refcount_dec_and_test(&system->ref))
		return;
	kfree(system->name);
	kfree(system);
}

static void event_file_system_drop_event(struct trace_subsystem_dir *system)
{
	if (--system->nr_events)
		return;
	list_del(&system->list);
	trace_event_system_put(system);
}

/*
 * Give the instance @tr the event @call; the events mutex is held. NULL: the instance does
 * not take events of that system; ERR_PTR(-ENOMEM).
 */
struct trace_event_file *trace_event_file_create(struct trace_array *tr,
						 struct trace_event_call *call)
{
	struct trace_events *events = trace_events_of(tr);
	struct trace_event_state *state;
	struct trace_event_file *file;
	struct trace_event_part *part;

	trace_events_assert_locked();

	if (!events || !trace_array_has_system(tr, call->class->system))
		return NULL;
	state = kzalloc(sizeof(*state), GFP_KERNEL);
	if (!state)
		return ERR_PTR(-ENOMEM);
	file = &state->file;
	file->system = event_file_system_get(tr, call->class->system);
	if (!file->system) {
		kfree(state);
		return ERR_PTR(-ENOMEM);
	}
	file->event_call = call;
	file->tr = tr;
	state->pids = &events->pids;
	INIT_LIST_HEAD(&file->triggers);
	INIT_LIST_HEAD(&state->user_list);
	refcount_set(&file->ref, 1);
	if (trace_pid_filter_limited(&events->pids))
		set_bit(EVENT_FILE_FL_PID_FILTER_BIT, &file->flags);
	list_add_tail(&file->list, &events->files);
	hash_add(event_files_of, &state->of_call, (unsigned long)call);
	list_for_each_entry(part, &event_parts, list) {
		if (part->came)
			part->came(file);
	}
	return file;
}

/**
 * trace_event_file_get - take a reference of an event of an instance
 * @file: the event; the caller has a reference, or holds the events mutex and it is not gone
 *
 * It keeps the memory of @file, and neither the event nor the instance.
 *
 * Context: task.
 */
void trace_event_file_get(struct trace_event_file *file)
{
	refcount_inc(&file->ref);
}

/**
 * trace_event_file_put - undo trace_event_file_get()
 * @file: the event of an instance
 *
 * Context: task.
 */
void trace_event_file_put(struct trace_event_file *file)
{
	if (refcount_dec_and_test(&file->ref)) {
		WARN_ON_ONCE(!(file->flags & EVENT_FILE_FL_FREED));
		kfree(container_of(file, struct trace_event_state, file));
	}
}

/**
 * trace_event_file_is_gone - was an event taken out of its instance?
 * @file: the event of an instance
 *
 * Context: task; the events mutex is held.
 * Return: true if it was. Then file->event_call and file->tr may be freed memory.
 */
bool trace_event_file_is_gone(struct trace_event_file *file)
{
	trace_events_assert_locked();

	return file->flags & EVENT_FILE_FL_FREED;
}

/*
 * Take an event out of its instance. It has no user any more, and what layers have at it goes
 * now. Its probe may still run, so the caller keeps a reference for it, and drops that by
 * trace_event_file_put() later. Open files keep the memory, too. The events mutex is held.
 */
void trace_event_file_take(struct trace_event_file *file)
{
	struct trace_event_part *part;

	trace_events_assert_locked();

	list_for_each_entry_reverse(part, &event_parts, list) {
		if (part->goes)
			part->goes(file);
	}
	WARN_ON_ONCE(file->ei || rcu_access_pointer(file->filter) ||
		     !list_empty(&file->triggers) ||
		     (file->flags & EVENT_FILE_FL_ENABLED));

	list_del(&file->list);
	hash_del(&container_of(file, struct trace_event_state, file)->of_call);
	event_file_system_drop_event(file->system);
	set_bit(EVENT_FILE_FL_FREED_BIT, &file->flags);
}

/**
 * trace_event_files - the list of the events of an instance
 * @tr: the instance; it has events
 *
 * Context: task; the events mutex is held.
 * Return: the list, of struct trace_event_file.
 */
struct list_head *trace_event_files(struct trace_array *tr)
{
	trace_events_assert_locked();

	return &trace_events_of(tr)->files;
}

/**
 * trace_event_file_of - an event of an instance
 * @tr: the instance
 * @call: the event
 *
 * Context: task; the events mutex is held.
 * Return: the event of the instance; NULL: the instance does not have it.
 */
struct trace_event_file *trace_event_file_of(struct trace_array *tr,
					     struct trace_event_call *call)
{
	struct trace_event_state *state;

	trace_events_assert_locked();

	hash_for_each_possible(event_files_of, state, of_call, (unsigned long)call) {
		if (state->file.event_call == call && state->file.tr == tr)
			return &state->file;
	}
	return NULL;
}

/**
 * trace_event_has_triggers - may an event have triggers?
 * @call: the event
 *
 * Context: any.
 * Return: true for one that can be switched, and for ftrace:print, which a text in trace_marker
 * hits.
 */
bool trace_event_has_triggers(struct trace_event_call *call)
{
	return trace_event_usable(call) || call->event.type == TRACE_PRINT;
}

static struct trace_event_file *files_find(struct trace_array *tr, const char *system,
					   const char *name,
					   bool (*is_meant)(struct trace_event_call *call))
{
	struct trace_event_file *file;

	trace_events_assert_locked();

	list_for_each_entry(file, &trace_events_of(tr)->files, list) {
		struct trace_event_call *call = file->event_call;

		if (is_meant(call) && !strcmp(trace_event_name(call), name) &&
		    (!system || !strcmp(call->class->system, system)))
			return file;
	}
	return NULL;
}

/**
 * trace_event_file_find - find an event of an instance that users can switch
 * @tr: the instance; it has events
 * @system: name of its system; NULL: any
 * @name: its name
 *
 * Context: task; the events mutex is held.
 * Return: the first one of that exact name; NULL: there is none.
 */
struct trace_event_file *trace_event_file_find(struct trace_array *tr, const char *system,
					       const char *name)
{
	return files_find(tr, system, name, trace_event_usable);
}

/**
 * trace_event_file_find_hit - find an event of an instance that may have triggers
 * @tr: as for trace_event_file_find()
 * @system: likewise
 * @name: likewise
 *
 * Context: task; the events mutex is held.
 * Return: as trace_event_file_find(), and ftrace:print, too.
 */
struct trace_event_file *trace_event_file_find_hit(struct trace_array *tr, const char *system,
						   const char *name)
{
	return files_find(tr, system, name, trace_event_has_triggers);
}

/* Free the events of an instance that nobody else can reach. The events mutex is held. */
static void events_file_free(struct trace_array *tr, struct trace_events *events)
{
	struct trace_event_file *file, *next;

	list_for_each_entry_safe(file, next, &events->files, list) {
		trace_event_file_take(file);
		trace_event_file_put(file);
	}
	WARN_ON_ONCE(!list_empty(&events->systems));
	trace_event_pending_clear(events);
	trace_component_set_data(tr, &trace_events_component, NULL);
	kfree(events);
}

static int events_file_create(struct trace_array *tr)
{
	struct trace_events *events = kzalloc(sizeof(*events), GFP_KERNEL);
	struct trace_event_call *call;

	if (!events)
		return -ENOMEM;
	INIT_LIST_HEAD(&events->files);
	INIT_LIST_HEAD(&events->systems);
	INIT_LIST_HEAD(&events->pending);

	guard(trace_events)();
	trace_component_set_data(tr, &trace_events_component, events);
	for_each_trace_event_call(call) {
		if (IS_ERR(trace_event_file_create(tr, call))) {
			events_file_free(tr, events);
			return -ENOMEM;
		}
	}
	return 0;
}

static void events_file_destroy(struct trace_array *tr)
{
	guard(trace_events)();
	events_file_free(tr, trace_events_of(tr));
}

struct trace_component trace_events_component __ro_after_init = {
	.name		= "events",
	.readme		=
		"\n"
		"Events\n"
		"  available_events\t- events of this kernel\n"
		"  set_event\t\t- those that are on; write <system>:<event>, ! before it: off\n"
		"\t\t\t  Can enable module events via: :mod:<module>, also if it is to come\n"
		"  set_event_pid\t\t- events of these tasks only\n"
		"  set_event_notrace_pid\t- no events of these tasks\n"
		"  set_event_at_once\t- <system>, ! before it: off; switches all its events at one\n"
		"\t\t\t  point, between marks in the trace of each CPU\n"
		"  events/\t\t- a folder for each system, in it one for each event:\n"
		"\t\t\t  enable, filter, format, id\n"
		"  events/tracer/\t- a sub-buffer is full, records were lost, a snapshot was taken\n",
	.create		= events_file_create,
	.destroy	= events_file_destroy,
};
