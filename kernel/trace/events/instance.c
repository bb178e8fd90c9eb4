// SPDX-License-Identifier: GPL-2.0
/*
 * What an instance has of the events: one trace_event_file for each event,
 * one trace_subsystem_dir for each system that has events.
 *
 * A trace_event_file is the data of the event's probe and the object behind
 * its files: it is freed when it was switched off, its probes have left and
 * no file holds it. enable.c switches it, dir_file.c shows it.
 */
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "events/filter/apply.h"
#include "events/internal.h"

static struct trace_subsystem_dir *system_find(struct trace_array *tr, const char *name)
{
	struct trace_subsystem_dir *system;

	/* Events come system by system: the last one is the likely one. */
	list_for_each_entry_reverse(system, &trace_events_of(tr)->systems, list)
		if (!strcmp(system->name, name))
			return system;
	return NULL;
}

static struct trace_subsystem_dir *system_get(struct trace_array *tr, const char *name)
{
	struct trace_subsystem_dir *system = system_find(tr, name);

	if (system) {
		system->nr_events++;
		return system;
	}
	system = kzalloc(sizeof(*system), GFP_KERNEL);
	if (!system)
		return NULL;
	/* The name may stand in a module that goes before an open file does. */
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

/* A file of the system's directory, or the directory, lets go of it. */
void trace_event_system_put(struct trace_subsystem_dir *system)
{
	if (!refcount_dec_and_test(&system->ref))
		return;
	kfree(system->name);
	kfree(system->filter);
	kfree(system);
}

static void system_drop_event(struct trace_subsystem_dir *system)
{
	if (--system->nr_events)
		return;
	list_del(&system->list);
	trace_event_system_dir_remove(system);
	trace_event_system_put(system);
}

/* Give instance @tr the event @call. -ENOMEM. */
int trace_event_file_create(struct trace_array *tr, struct trace_event_call *call)
{
	struct trace_events *events = trace_events_of(tr);
	struct trace_event_state *state;
	struct trace_event_file *file;

	trace_events_assert_locked();

	if (!events || !trace_array_has_system(tr, call->class->system))
		return 0;
	state = kzalloc(sizeof(*state), GFP_KERNEL);
	if (!state)
		return -ENOMEM;
	file = &state->file;
	file->system = system_get(tr, call->class->system);
	if (!file->system) {
		kfree(state);
		return -ENOMEM;
	}
	file->event_call = call;
	file->tr = tr;
	state->pids = &events->pids;
	INIT_LIST_HEAD(&file->triggers);
	refcount_set(&file->ref, 1);
	if (trace_pid_filter_limited(&events->pids))
		set_bit(EVENT_FILE_FL_PID_FILTER_BIT, &file->flags);
	list_add_tail(&file->list, &events->files);
	if (events->dir && trace_event_dir_create(file))
		pr_warn("trace events: no directory for %s\n", trace_event_name(call));
	return 0;
}

void trace_event_file_get(struct trace_event_file *file)
{
	refcount_inc(&file->ref);
}

void trace_event_file_put(struct trace_event_file *file)
{
	if (refcount_dec_and_test(&file->ref)) {
		WARN_ON_ONCE(!(file->flags & EVENT_FILE_FL_FREED));
		kfree(container_of(file, struct trace_event_state, file));
	}
}

/* Its probes have left: tracepoint_synchronize_unregister() lies behind us. */
static void file_remove(struct trace_event_file *file)
{
	trace_event_dir_remove(file);
	trace_event_filter_destroy(file);
	list_del(&file->list);
	system_drop_event(file->system);
	set_bit(EVENT_FILE_FL_FREED_BIT, &file->flags);
	trace_event_file_put(file);
}

static struct trace_event_file *file_of(struct trace_array *tr, struct trace_event_call *call)
{
	struct trace_event_file *file;

	if (!trace_events_of(tr))
		return NULL;
	list_for_each_entry(file, &trace_events_of(tr)->files, list)
		if (file->event_call == call)
			return file;
	return NULL;
}

/* The event @call is going: switch it off and take it out of all instances. */
void trace_event_files_remove(struct trace_event_call *call)
{
	struct trace_event_file *file;
	struct trace_array *tr;
	bool was_on = false;

	trace_instances_assert_locked();
	trace_events_assert_locked();

	for_each_trace_array(tr) {
		file = file_of(tr, call);
		if (!file)
			continue;
		was_on |= file->flags & EVENT_FILE_FL_WAS_ENABLED;
		trace_event_file_end_use(file);
	}
	if (was_on)
		tracepoint_synchronize_unregister();
	for_each_trace_array(tr) {
		file = file_of(tr, call);
		if (file)
			file_remove(file);
	}
}

/* The event of that exact name; with @system NULL of any system. */
struct trace_event_file *trace_event_file_find(struct trace_array *tr, const char *system,
					       const char *name)
{
	struct trace_event_file *file;

	trace_events_assert_locked();

	list_for_each_entry(file, &trace_events_of(tr)->files, list) {
		struct trace_event_call *call = file->event_call;

		if (trace_event_usable(call) && !strcmp(trace_event_name(call), name) &&
		    (!system || !strcmp(call->class->system, system)))
			return file;
	}
	return NULL;
}

static void events_free(struct trace_array *tr)
{
	struct trace_events *events = trace_events_of(tr);
	struct trace_event_file *file, *next;

	list_for_each_entry_safe(file, next, &events->files, list)
		file_remove(file);
	WARN_ON_ONCE(!list_empty(&events->systems));
	trace_component_set_data(tr, &trace_events_component, NULL);
}

static int events_create_all(struct trace_array *tr, struct trace_events *events)
{
	struct trace_event_call *call;
	int ret;

	guard(trace_events)();
	trace_component_set_data(tr, &trace_events_component, events);
	for_each_trace_event_call(call) {
		ret = trace_event_file_create(tr, call);
		if (ret) {
			events_free(tr);
			return ret;
		}
	}
	return 0;
}

static int events_create(struct trace_array *tr)
{
	struct trace_events *events = kzalloc(sizeof(*events), GFP_KERNEL);
	int ret;

	if (!events)
		return -ENOMEM;
	INIT_LIST_HEAD(&events->files);
	INIT_LIST_HEAD(&events->systems);
	ret = trace_events_pids_create(tr, events);
	if (ret)
		goto free;
	ret = events_create_all(tr, events);
	if (!ret)
		return 0;
	trace_pid_filter_destroy(&events->pids);
free:
	kfree(events);
	return ret;
}

static int events_create_files(struct trace_array *tr, struct dentry *dir)
{
	struct trace_event_file *file;
	int ret;

	guard(trace_events)();
	ret = trace_events_dir_create(tr, dir);
	if (!ret)
		ret = trace_events_set_files_create(tr, dir);
	if (!ret)
		ret = trace_events_pid_files_create(tr, dir);
	if (ret)
		return ret;
	list_for_each_entry(file, &trace_events_of(tr)->files, list) {
		ret = trace_event_dir_create(file);
		if (ret)
			return ret;
	}
	return 0;
}

static void events_destroy(struct trace_array *tr)
{
	struct trace_events *events = trace_events_of(tr);
	struct trace_event_file *file;

	scoped_guard(trace_events) {
		list_for_each_entry(file, &events->files, list)
			trace_event_file_end_use(file);
	}
	tracepoint_synchronize_unregister();
	/* The filter's lock is taken before the events mutex. */
	trace_pid_filter_destroy(&events->pids);
	scoped_guard(trace_events) {
		trace_events_dir_remove(tr);
		events_free(tr);
	}
	kfree(events);
}

struct trace_component trace_events_component __ro_after_init = {
	.name		= "events",
	.create		= events_create,
	.create_files	= events_create_files,
	.destroy	= events_destroy,
	.option_changed	= trace_events_option_changed,
};
