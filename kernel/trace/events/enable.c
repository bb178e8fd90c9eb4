// SPDX-License-Identifier: GPL-2.0
/*
 * Switching events on and off by name, for the user's files and for modules and
 * other parts of the kernel. users.c switches a single event.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "events/batch.h"
#include "events/internal.h"
#include "instance/buffers.h"

static void event_enable_switch_assert_locked(void)
{
	trace_instances_assert_locked();
	trace_events_assert_locked();
}

static bool event_enable_choice_matches(const struct trace_glob *glob, const char *name)
{
	if (!glob->text)
		return true;
	/* A name differs mostly in its first characters, so it is not measured. */
	if (glob->type == TRACE_GLOB_EXACT && !glob->negate)
		return !strcmp(glob->text, name);
	return trace_glob_match(glob, name, strlen(name));
}

/* The events that a text names. A glob without text matches all names. */
struct event_choice {
	struct trace_glob	any;	/* the event's or the system's name */
	struct trace_glob	system;
	struct trace_glob	event;
	const char		*module;	/* NULL: of any, and of the kernel */
};

/* Does it leave no event out? */
static bool event_enable_is_all(const struct event_choice *choice)
{
	const struct trace_glob *globs[] = { &choice->any, &choice->system, &choice->event };

	for (unsigned int i = 0; i < ARRAY_SIZE(globs); i++) {
		if (globs[i]->text && globs[i]->type != TRACE_GLOB_ALL)
			return false;
	}
	return !choice->module;
}

static bool event_enable_is_of(struct trace_event_call *call, const char *module)
{
	return !(call->flags & TRACE_EVENT_FL_DYNAMIC) && call->module &&
	       !strcmp(module_name(call->module), module);
}

static bool event_enable_chosen(const struct event_choice *choice, struct trace_event_call *call)
{
	const char *name = trace_event_name(call);

	return (event_enable_choice_matches(&choice->any, name) ||
		event_enable_choice_matches(&choice->any, call->class->system)) &&
	       event_enable_choice_matches(&choice->event, name) &&
	       event_enable_choice_matches(&choice->system, call->class->system) &&
	       (!choice->module || event_enable_is_of(call, choice->module));
}

static struct trace_event_state *event_enable_state(struct trace_event_file *file)
{
	return container_of(file, struct trace_event_state, file);
}

static bool event_enable_is_chosen(const struct event_choice *choice, struct trace_event_file *file)
{
	return trace_event_usable(file->event_call) &&
	       event_enable_chosen(choice, file->event_call);
}

/* Is it an event of sched_switch? Behind its probe is the one that keeps names of tasks. */
static bool event_enable_is_last(const struct trace_event_file *file)
{
	const struct trace_event_call *call = file->event_call;

	return (call->flags & TRACE_EVENT_FL_TRACEPOINT) && call->tp &&
	       !strcmp(call->tp->name, "sched_switch");
}

/*
 * Switch the chosen events off. 0, or -EINVAL: there are none.
 *
 * When a tracepoint has one probe left, and it was not the first one before, taking a probe away
 * waits for a grace period. So the last probe that came goes first, and sched_switch comes behind
 * all events that want names of tasks.
 */
static int event_enable_each_off(struct trace_array *tr, const struct event_choice *choice)
{
	struct trace_event_file *file;
	int ret = -EINVAL;

	for (int last = 0; last < 2; last++) {
		list_for_each_entry_reverse(file, &trace_events_of(tr)->files, list) {
			if (event_enable_is_last(file) != last ||
			    !event_enable_is_chosen(choice, file))
				continue;
			trace_event_file_switch(file, false);
			ret = 0;
		}
	}
	return ret;
}

/*
 * Switch the chosen events on, but for the tracer's own if all are chosen. Returns the first
 * error; -EINVAL: there is none.
 */
static int event_enable_each_on(struct trace_array *tr, const struct event_choice *choice)
{
	int spared = event_enable_is_all(choice) ? TRACE_EVENT_OWN : 0;
	struct trace_event_file *file;
	int ret = -EINVAL, err = 0;

	list_for_each_entry(file, &trace_events_of(tr)->files, list) {
		event_enable_state(file)->fresh = false;
		if (!event_enable_is_chosen(choice, file) || (file->event_call->flags & spared))
			continue;
		ret = trace_event_file_switch(file, true);
		if (ret && !err)
			err = ret;
		ret = 0;
	}
	return ret ?: err;
}

/* Switch off what was switched on a moment ago. */
static void event_enable_undo(struct trace_array *tr)
{
	struct trace_event_file *file;

	list_for_each_entry(file, &trace_events_of(tr)->files, list) {
		if (event_enable_state(file)->fresh)
			trace_event_file_switch(file, false);
	}
}

/*
 * Switch the chosen events, all of them even if one fails. Returns the first error. If those that
 * are switched together cannot be, none is.
 */
static int events_enable_switch(struct trace_array *tr, const struct event_choice *choice, bool on)
{
	int ret, err;

	event_enable_switch_assert_locked();

	if (!trace_events_of(tr))
		return -ENODEV;
	trace_event_batch_begin();
	ret = on ? event_enable_each_on(tr, choice) : event_enable_each_off(tr, choice);
	err = trace_event_batch_end();
	if (err && on)
		event_enable_undo(tr);
	return err ?: ret;
}

static void event_enable_choice_exact(struct trace_glob *glob, const char *name)
{
	glob->text = name;
	glob->len = name ? strlen(name) : 0;
	glob->type = TRACE_GLOB_EXACT;
	glob->negate = false;
}

/*
 * Switch all events of @system (NULL: any) named @event (NULL: all of them).
 * -EINVAL: there is none; else the first error.
 */
static int event_enable_switch_named(struct trace_array *tr, const char *system,
				     const char *event, bool on)
{
	struct event_choice choice = { };

	event_enable_choice_exact(&choice.system, system);
	event_enable_choice_exact(&choice.event, event);
	return events_enable_switch(tr, &choice, on);
}

/* One side of the ':'. "" and "*" choose every name; a negated pattern is refused. */
static int event_enable_choice_part(struct trace_glob *glob, char *text)
{
	if (!*text || !strcmp(text, "*"))
		return 0;
	trace_glob_parse(glob, text);
	return glob->negate ? -EINVAL : 0;
}

/*
 * Switch the events of a module, NULL: of any, that @text names. -EINVAL: no such event. The
 * text is changed while it is parsed.
 */
static int event_enable_parse(struct trace_array *tr, char *text, const char *module, bool on)
{
	struct event_choice choice = { .module = module };
	char *event = strchr(text, ':');
	int ret;

	if (!event) {
		trace_glob_parse(&choice.any, text);
		if (!*text || choice.any.negate)
			return -EINVAL;
		return events_enable_switch(tr, &choice, on);
	}
	*event++ = '\0';
	ret = event_enable_choice_part(&choice.system, text);
	if (!ret)
		ret = event_enable_choice_part(&choice.event, event);
	return ret ?: events_enable_switch(tr, &choice, on);
}

/* Has the module published its events, and does it not go? */
static bool event_enable_is_live(const char *module)
{
#ifdef CONFIG_MODULES
	struct module *mod;

	/* The module stays for the moment. It publishes its events under the events mutex. */
	guard(preempt)();
	mod = find_module(module);
	return mod && READ_ONCE(mod->state) == MODULE_STATE_LIVE;
#else
	return false;
#endif
}

/* Switch events of a module that is there, or note what is to be done when it comes. */
static int event_enable_module(struct trace_array *tr, char *text, char *module, bool on)
{
	char *copy __free(kfree) = NULL;
	int ret;

	if (!*module || !trace_events_of(tr))
		return -EINVAL;
	strreplace(module, '-', '_');
	copy = kstrdup(*text ? text : "*:*", GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	ret = event_enable_parse(tr, copy, module, on);
	/* A module whose init function runs has its events, and one that goes may come again. */
	if (ret != -EINVAL || event_enable_is_live(module))
		return ret;
	return trace_event_pending_set(trace_events_of(tr), text, module, on);
}

/*
 * Switch the events that @text names: "SYSTEM:EVENT", "SYSTEM:*", "SYSTEM:",
 * "*:EVENT", or "NAME" of an event or a system; each part may be a glob. Behind it may stand
 * ":mod:MODULE", for events of a module that is there or comes later; nothing before it stands
 * for all of them.
 * -EINVAL: no such event. The text is changed while it is parsed.
 */
int trace_events_parse(struct trace_array *tr, char *text, bool on)
{
	static const char word[] = ":mod:";
	char *module = strstr(text, word);

	if (!module)
		return event_enable_parse(tr, text, NULL, on);
	*module = '\0';
	return event_enable_module(tr, text, module + strlen(word), on);
}

/**
 * trace_events_fulfill - switch on what an instance wants of a module that has come
 * @tr: the instance
 * @module: the name of the module, whose events are there
 *
 * Context: task, may sleep; trace_instances_lock() and the events mutex are held.
 */
void trace_events_fulfill(struct trace_array *tr, const char *module)
{
	struct trace_events *events = trace_events_of(tr);
	char *text;
	int ret;

	while (events && (text = trace_event_pending_take(events, module))) {
		ret = IS_ERR(text) ? PTR_ERR(text) : event_enable_parse(tr, text, module, true);
		if (ret)
			pr_warn("trace events: error %d with events of module %s\n", ret, module);
		if (!IS_ERR(text))
			kfree(text);
	}
}

/*
 * Return the character that the file "enable" of @system shows, or of events/ if @system is
 * NULL: '0' if no event is on, '1' if all are, 'X' if some are, '?' if there is none. The file of
 * events/ does not miss the tracer's own events, which it does not switch on.
 */
char trace_event_enabled_char(struct trace_array *tr, const char *system)
{
	static const char chars[] = { '?', '0', '1', 'X' };
	struct trace_event_file *file;
	unsigned int seen = 0;

	trace_events_assert_locked();

	list_for_each_entry(file, &trace_events_of(tr)->files, list) {
		if (!trace_event_usable(file->event_call))
			continue;
		if (system && strcmp(system, file->event_call->class->system))
			continue;
		if (file->flags & EVENT_FILE_FL_ENABLED)
			seen |= 2;
		else if (system || !(file->event_call->flags & TRACE_EVENT_OWN))
			seen |= 1;
	}
	return chars[seen];
}

#ifdef CONFIG_FTRACE_SELFTEST
/**
 * trace_events_are_on - is an event of an instance on?
 * @tr: the instance
 *
 * Context: task, may sleep; trace_instances_lock() is held; takes the events mutex.
 * Return: true if one is, at least.
 */
bool trace_events_are_on(struct trace_array *tr)
{
	guard(trace_events)();
	return trace_events_of(tr) && strchr("1X", trace_event_enabled_char(tr, NULL));
}

/**
 * trace_event_next_usable - go through the events that can be switched
 * @call: the last one; NULL: begin
 *
 * Events of modules, which may go, are left out.
 *
 * Context: task, may sleep; takes the events mutex.
 * Return: the next one; NULL behind the last.
 */
struct trace_event_call *trace_event_next_usable(struct trace_event_call *call)
{
	guard(trace_events)();
	call = list_prepare_entry(call, trace_event_calls(), list);
	list_for_each_entry_continue(call, trace_event_calls(), list) {
		if (trace_event_usable(call) && !(call->flags & TRACE_EVENT_FL_DYNAMIC) &&
		    !call->module)
			return call;
	}
	return NULL;
}
#endif

/**
 * ftrace_set_clr_event - switch the events that a text names
 * @tr: the instance
 * @buf: as a word of set_event, without '!'; it is changed
 * @set: on or off
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0, -ENOENT without an instance, -EINVAL: no such event, or what the
 * event's reg() says.
 */
int ftrace_set_clr_event(struct trace_array *tr, char *buf, int set)
{
	if (!tr)
		return -ENOENT;
	guard(trace_instances)();
	guard(trace_events)();
	return trace_events_parse(tr, buf, set);
}

/**
 * trace_array_set_clr_event - switch events of an instance
 * @tr: the instance
 * @system: name of the system, NULL: any
 * @event: name of the event, NULL: all of the system
 * @enable: on or off
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0, -ENOENT without an instance, -EINVAL: no such event, or what the
 * event's reg() says.
 */
int trace_array_set_clr_event(struct trace_array *tr, const char *system,
			      const char *event, bool enable)
{
	int ret;

	if (!tr)
		return -ENOENT;
	scoped_guard(trace_instances) {
		guard(trace_events)();
		ret = event_enable_switch_named(tr, system, event, enable);
	}
	trace_buffers_settle();
	return ret;
}
EXPORT_SYMBOL_GPL(trace_array_set_clr_event);

/**
 * trace_set_clr_event - switch events of the top instance
 * @system: name of the system, NULL: any
 * @event: name of the event, NULL: all of the system
 * @set: on or off
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0, -ENODEV without a top instance, -EINVAL: no such event, or what the
 * event's reg() says.
 */
int trace_set_clr_event(const char *system, const char *event, int set)
{
	struct trace_array *tr = trace_top_instance();

	return tr ? trace_array_set_clr_event(tr, system, event, set) : -ENODEV;
}
EXPORT_SYMBOL_GPL(trace_set_clr_event);

/**
 * trace_get_event_file - an instance's event, kept until it is put
 * @instance: the instance's name, NULL: the top one
 * @system: name of the system
 * @event: name of the event
 *
 * The instance and the module of the event stay until trace_put_event_file().
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: the file, or ERR_PTR: -ENOENT (no such instance), -ENODEV (no top
 * instance), -EINVAL (no such event), -EBUSY (its module is not ready, or is going).
 */
struct trace_event_file *trace_get_event_file(const char *instance, const char *system,
					      const char *event)
{
	struct trace_event_file *file;
	struct trace_array *tr;

	guard(trace_instances)();
	tr = instance ? trace_instance_find(instance) : trace_top_instance();
	if (!tr || !trace_events_of(tr))
		return ERR_PTR(instance ? -ENOENT : -ENODEV);
	/* An instance that is being removed stays on the list until its callbacks have ended. */
	if (trace_array_get(tr))
		return ERR_PTR(-ENOENT);
	scoped_guard(trace_events)
		file = trace_event_pin(tr, system, event);
	if (IS_ERR(file))
		trace_array_put(tr);
	return file;
}
EXPORT_SYMBOL_GPL(trace_get_event_file);

/**
 * trace_put_event_file - give back what trace_get_event_file() returned
 * @file: the event of an instance
 *
 * Context: task, may sleep.
 */
void trace_put_event_file(struct trace_event_file *file)
{
	struct trace_array *tr = file->tr;

	scoped_guard(trace_events)
		trace_event_unpin(file);
	trace_array_put(tr);
}
EXPORT_SYMBOL_GPL(trace_put_event_file);
