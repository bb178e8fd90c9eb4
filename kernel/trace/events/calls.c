// SPDX-License-Identifier: GPL-2.0
/*
 * Registers and removes events: those of the kernel (boot.c), of modules (module.c), and
 * those that are built at run time. A registered event has a number, fields and, in every
 * instance, a trace_event_file with a directory.
 */
#include <linux/err.h>
#include <linux/export.h>

#include "events/batch.h"
#include "events/internal.h"
#include "instance/buffers.h"
#include "lib/wait.h"

/**
 * trace_event_raw_init - give an event its number
 * @call: the event
 *
 * The raw_init() of the classes that <trace/trace_events.h> makes.
 *
 * Context: task, may sleep.
 * Return: 0, -ENODEV when no number is left.
 */
int trace_event_raw_init(struct trace_event_call *call)
{
	return register_trace_event(&call->event) ? 0 : -ENODEV;
}
EXPORT_SYMBOL_GPL(trace_event_raw_init);

/**
 * trace_event_reg - the reg() of events that are tracepoints
 * @call: the event
 * @type: what to do
 * @data: TRACE_REG_(UN)REGISTER: the trace_event_file whose records it becomes
 *
 * Context: task, may sleep.
 * Return: 0, -ENODEV: perf cannot have the event, or the errno of the tracepoint.
 */
int trace_event_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct trace_event_class *class = call->class;

	if (WARN_ON_ONCE(!(call->flags & TRACE_EVENT_FL_TRACEPOINT)))
		return -EINVAL;

	switch (type) {
	case TRACE_REG_REGISTER:
		return tracepoint_probe_register(call->tp, class->probe, data);
	case TRACE_REG_UNREGISTER:
		return tracepoint_probe_unregister(call->tp, class->probe, data);
#ifdef CONFIG_PERF_EVENTS
	case TRACE_REG_PERF_REGISTER:
		/* TRACE_CUSTOM_EVENT() makes no probe for perf. */
		if (!class->perf_probe)
			return -ENODEV;
		return tracepoint_probe_register(call->tp, class->perf_probe, call);
	case TRACE_REG_PERF_UNREGISTER:
		return tracepoint_probe_unregister(call->tp, class->perf_probe, call);
	case TRACE_REG_PERF_OPEN:
	case TRACE_REG_PERF_CLOSE:
	case TRACE_REG_PERF_ADD:
	case TRACE_REG_PERF_DEL:
		return 0;
#endif
	}
	return 0;
}
EXPORT_SYMBOL_GPL(trace_event_reg);

/**
 * trace_event_call_has_regfunc - does the tracepoint of an event have a regfunc()?
 * @call: the event
 *
 * It may look for tasks, and before there are any it has done nothing. The tracepoint that the
 * events of system calls share has one.
 *
 * Context: any; the event does not go meanwhile.
 * Return: true if it has.
 */
bool __init trace_event_call_has_regfunc(const struct trace_event_call *call)
{
	if (call->flags & TRACE_EVENT_FL_TRACEPOINT)
		return call->tp->regfunc;
	return !strcmp(call->class->system, "syscalls");
}

static void event_calls_assert_locked(void)
{
	trace_instances_assert_locked();
	trace_events_assert_locked();
}

/*
 * Put an event on the list, and into all instances, with their lock and the events mutex held. An
 * event that comes after boot is put first in each instance, since users know the lists so.
 */
static void event_call_publish(struct trace_event_call *call, bool late)
{
	struct trace_event_file *file;
	struct trace_array *tr;

	event_calls_assert_locked();

	list_add_tail(&call->list, trace_event_calls());
	trace_event_names_add(call);
	for_each_trace_array(tr) {
		file = trace_event_file_create(tr, call);
		if (IS_ERR(file))
			pr_warn("trace events: no memory for %s\n", trace_event_name(call));
		else if (late && file)
			list_move(&file->list, trace_event_files(tr));
	}
}

/*
 * Free the fields of an event that is not on the list: those of its class if no event on the
 * list shares them, or, where the class has get_fields(), those of the event alone.
 */
static void event_call_drop_fields(struct trace_event_call *call)
{
	struct list_head *fields = trace_get_fields(call);
	struct trace_event_call *other;

	if (call->flags & TRACE_EVENT_SHARES_FIELDS)
		return;
	/* An event that was built at run time has them for itself, and there may be many. */
	if (call->flags & TRACE_EVENT_FL_DYNAMIC) {
		trace_event_fields_destroy(call);
		return;
	}
	for_each_trace_event_call(other) {
		if (other->class == call->class && trace_get_fields(other) == fields)
			return;
	}
	trace_event_fields_destroy(call);
}

/* Find the pointers that the print format follows, and tell of an event that must not. */
static void event_call_check_format(struct trace_event_call *call)
{
	unsigned int unsafe = trace_event_find_pointers(call);

	/* A record must have a copy of what it prints, as the original may be gone by then. */
	if (WARN_ON_ONCE(unsafe)) {
		pr_warn("event %s has unsafe dereference of argument %u\n",
			trace_event_name(call), unsafe);
		pr_warn("print_fmt: %s\n", call->print_fmt);
	}
}

/*
 * Register an event. @mod has it, NULL: the kernel or the caller; @evals may be NULL; @late:
 * it is not one of the kernel's own, which come at boot. 0, or -EINVAL, -ENOMEM, or what the
 * event's raw_init() returns: then it is as before.
 */
int trace_event_call_add_of(struct trace_event_call *call, struct module *mod,
			    struct trace_event_evals *evals, bool late)
{
	int ret;

	event_calls_assert_locked();

	if (WARN_ON(!call->class || !trace_event_name(call)))
		return -EINVAL;
	ret = trace_event_fields_create(call);
	if (!ret && call->class->raw_init) {
		ret = call->class->raw_init(call);
		if (ret)
			event_call_drop_fields(call);
	}
	/* A system call without a number has no event, which is no mistake. */
	if (ret && ret != -ENOSYS)
		pr_warn("trace events: could not initialize %s\n", trace_event_name(call));
	if (ret)
		return ret;
	if (call->flags & TRACE_EVENT_FL_DYNAMIC)
		atomic_set(&call->refcnt, 0);
	else
		call->module = mod;
	if (evals)
		trace_event_evals_apply(call, evals);
	event_call_check_format(call);
	event_call_publish(call, late);
	return 0;
}

/**
 * trace_event_call_add - add an event that was built at run time
 * @call: the event, with class, name and functions; no other event has its fields
 *
 * Nobody is asked whether there is one of this name, see trace_event_call_find().
 *
 * Context: task, may sleep; trace_instances_lock() and the events mutex are held.
 * Return: 0, -EINVAL, -ENODEV (no number left), -ENOMEM, or what the event's raw_init() says:
 * then nothing is left of it.
 */
int trace_event_call_add(struct trace_event_call *call)
{
	return trace_event_call_add_of(call, NULL, NULL, true);
}

/* Unregister the probes of the events that @goes chooses. */
static void event_call_probes_end(struct trace_event_removal *removal, event_chooser_t goes,
				  void *data)
{
	struct trace_event_file *file;
	struct trace_array *tr;

	removal->were_on = false;
	removal->waits = false;
	trace_event_batch_begin();
	for_each_trace_array(tr) {
		list_for_each_entry(file, &trace_events_of(tr)->files, list) {
			if (!goes(file->event_call, data))
				continue;
			trace_event_file_end_use(file);
			if (!(file->flags & EVENT_FILE_FL_WAS_ENABLED))
				continue;
			removal->were_on = true;
			removal->waits |= !trace_event_file_has_ended(file);
		}
	}
	trace_event_batch_end();
}

/* Was one of these events ever on in the instance? */
static bool event_call_recorded(struct trace_array *tr, event_chooser_t goes, void *data)
{
	struct trace_event_file *file;

	list_for_each_entry(file, &trace_events_of(tr)->files, list)
		if (goes(file->event_call, data) && (file->flags & EVENT_FILE_FL_WAS_ENABLED))
			return true;
	return false;
}

static void event_call_take(struct trace_event_removal *removal, struct trace_event_call *call)
{
	struct trace_event_file *file;
	struct trace_array *tr;

	for_each_trace_array(tr) {
		file = trace_event_file_of(tr, call);
		if (!file)
			continue;
		trace_event_file_take(file);
		list_add_tail(&file->list, &removal->files);
	}
	trace_event_names_del(call);
	removal->waits |= trace_event_perf_had(call);
	list_move_tail(&call->list, &removal->calls);
}

/**
 * trace_event_calls_take - take some events away, so that nobody finds them any more
 * @removal: set up by this
 * @goes: chooses them; if their owner is to keep those in use, it has asked
 *	trace_event_call_is_busy() under the same locks
 * @data: for @goes
 *
 * Probes may still run, and records are printed. trace_event_calls_drop() has to follow when the
 * locks have been released, as it waits for all CPUs.
 *
 * Context: task, may sleep; trace_instances_lock() and the events mutex are held.
 */
void trace_event_calls_take(struct trace_event_removal *removal, event_chooser_t goes, void *data)
{
	static unsigned long removals;	/* instances lock */
	struct trace_event_call *call, *next;
	struct trace_array *tr;

	event_calls_assert_locked();

	INIT_LIST_HEAD(&removal->calls);
	INIT_LIST_HEAD(&removal->files);
	removal->number = ++removals;
	event_call_probes_end(removal, goes, data);
	for_each_trace_array(tr)
		if (removal->were_on && event_call_recorded(tr, goes, data))
			WRITE_ONCE(trace_events_of(tr)->removal, removal->number);
	list_for_each_entry_safe(call, next, trace_event_calls(), list) {
		if (!goes(call, data))
			continue;
		event_call_take(removal, call);
		cond_resched();
	}
}

/*
 * No record of the events is written any more: throw away those that there are. Each CPU has to
 * take an interrupt for it, so no lock is held.
 */
static void event_calls_empty(const struct trace_event_removal *removal)
{
	struct trace_array *tr = NULL;

	while ((tr = trace_instance_next(tr))) {
		const struct trace_events *events = trace_events_of(tr);

		if (events && READ_ONCE(events->removal) >= removal->number &&
		    !trace_array_is_empty(tr))
			trace_array_clear_all(tr);
	}
}

/**
 * trace_event_calls_drop - the other half of a removal
 * @removal: trace_event_calls_take() has set it up; the owner may free the events when this returns
 *
 * Their records would have no format any more, and their numbers are given to other events. So
 * each instance that had one of them on is emptied, its snapshot too, after the last probe has
 * returned and before a number is free. All events wait for one grace period together.
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 */
void trace_event_calls_drop(struct trace_event_removal *removal)
{
	struct trace_event_file *file, *next_file;
	struct trace_event_call *call, *next;

	if (removal->waits)
		trace_wait_probes();
	if (removal->were_on)
		event_calls_empty(removal);
	guard(trace_instances)();
	guard(trace_events)();
	list_for_each_entry_safe(file, next_file, &removal->files, list)
		trace_event_file_put(file);
	list_for_each_entry(call, &removal->calls, list) {
		trace_event_perf_forget(call);
		if (call->event.funcs)
			unregister_trace_event(&call->event);
	}
	list_for_each_entry_safe(call, next, &removal->calls, list) {
		list_del(&call->list);
		event_call_drop_fields(call);
		trace_event_evals_forget(call);
	}
}

/**
 * trace_event_calls_remove - remove some events, busy or not
 * @goes: chooses them
 * @data: for @goes
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 */
void trace_event_calls_remove(event_chooser_t goes, void *data)
{
	struct trace_event_removal removal;

	scoped_guard(trace_instances) {
		guard(trace_events)();
		trace_event_calls_take(&removal, goes, data);
	}
	trace_event_calls_drop(&removal);
}

/**
 * trace_add_event_call - make an event visible that was built at run time
 * @call: the event, with class, name and functions
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0, -EINVAL, -ENODEV (no number left), -ENOMEM.
 */
int trace_add_event_call(struct trace_event_call *call)
{
	guard(trace_instances)();
	guard(trace_events)();
	return trace_event_call_add(call);
}
EXPORT_SYMBOL_GPL(trace_add_event_call);

static bool event_call_is_on(struct trace_event_call *call)
{
	struct trace_event_file *file;
	struct trace_array *tr;

	for_each_trace_array(tr) {
		file = trace_event_file_of(tr, call);
		if (file && (file->flags & EVENT_FILE_FL_ENABLED))
			return true;
	}
	return false;
}

/**
 * trace_event_call_is_held - has an event a user that is not told when it goes?
 * @call: the event
 *
 * Context: task; trace_instances_lock() and the events mutex are held. The answer holds until
 * the events mutex is released.
 * Return: true if perf has it, or a user keeps it.
 */
bool trace_event_call_is_held(struct trace_event_call *call)
{
	event_calls_assert_locked();

#ifdef CONFIG_PERF_EVENTS
	if (call->perf_refcount)
		return true;
#endif
	return trace_event_call_is_kept(call);
}

/**
 * trace_event_call_is_busy - does anybody use an event?
 * @call: the event
 *
 * Context: as trace_event_call_is_held().
 * Return: true if it is on in an instance, perf has it, or a user keeps it.
 */
bool trace_event_call_is_busy(struct trace_event_call *call)
{
	return trace_event_call_is_held(call) || event_call_is_on(call);
}

static bool event_call_is(struct trace_event_call *call, void *data)
{
	return call == data;
}

/**
 * trace_remove_event_call - take back trace_add_event_call()
 * @call: the event
 *
 * When it returns 0, no probe of the event runs any more, no buffer holds a
 * record of it, and its memory may be freed.
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0, -EBUSY: somebody uses it.
 */
int trace_remove_event_call(struct trace_event_call *call)
{
	struct trace_event_removal removal;

	scoped_guard(trace_instances) {
		guard(trace_events)();
		if (trace_event_call_is_busy(call))
			return -EBUSY;
		trace_event_calls_take(&removal, event_call_is, call);
	}
	trace_event_calls_drop(&removal);
	return 0;
}
EXPORT_SYMBOL_GPL(trace_remove_event_call);
