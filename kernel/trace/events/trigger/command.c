// SPDX-License-Identifier: GPL-2.0
/*
 * The commands of triggers, and the life of the triggers that users write; trigger.h tells the
 * rules. A command decides what its triggers do, and events/trigger.c when they are called.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "events/calls.h"
#include "events/events.h"
#include "events/file.h"
#include "events/filter/filter.h"
#include "events/trigger/internal.h"
#include "instance/buffers.h"
#include "instance/component.h"
#include "instance/snapshot.h"
#include "lib/wait.h"

static LIST_HEAD(command_list);		/* events mutex; struct trace_trigger_command */

static struct trace_trigger_command *command_find(const char *name)
{
	struct trace_trigger_command *command;

	trace_events_assert_locked();
	list_for_each_entry(command, &command_list, list) {
		if (!strcmp(command->name, name))
			return command;
	}
	return NULL;
}

/**
 * trace_trigger_command_add - add a command
 * @command: the command; it stays until trace_trigger_command_del()
 *
 * Context: task; the events mutex is held.
 * Return: 0; -EEXIST: there is one of that name.
 */
int trace_trigger_command_add(struct trace_trigger_command *command)
{
	if (command_find(command->name))
		return -EEXIST;
	list_add_tail(&command->list, &command_list);
	return 0;
}

/**
 * trace_trigger_command_del - undo trace_trigger_command_add()
 * @command: the command, which has no triggers
 *
 * Context: task; the events mutex is held.
 */
void trace_trigger_command_del(struct trace_trigger_command *command)
{
	trace_events_assert_locked();
	list_del(&command->list);
}

/**
 * trace_trigger_next - walk the triggers of an event
 * @file: the event of an instance
 * @trigger: the one before; NULL: begin with the oldest
 *
 * Context: task; trace_instances_lock() or the events mutex is held.
 * Return: the trigger, NULL behind the last.
 */
struct trace_trigger *trace_trigger_next(struct trace_event_file *file,
					 struct trace_trigger *trigger)
{
	struct list_head *at = trigger ? &trigger->hook.list : &file->triggers;
	struct trace_event_trigger *hook;

	for (at = at->next; at != &file->triggers; at = at->next) {
		hook = list_entry(at, struct trace_event_trigger, list);
		if (hook->has_command)
			return trace_trigger_of(hook);
	}
	return NULL;
}

/*
 * Triggers that have been taken off their events. Each waits for a grace period of tracepoints
 * that begins when it is on the list, and its round tells for which: a task that frees begins
 * a round, waits for a grace period, and frees those of its round and of rounds before. In
 * between it holds no lock. An instance that is removed frees its own.
 */
static LIST_HEAD(command_freed);		/* instances lock; struct trace_trigger */
static unsigned int command_nr_freed;		/* instances lock; on that list */
static unsigned long command_round;		/* instances lock */

/* When so many triggers wait for hits that go on, those who remove one wait as well. */
#define COMMAND_FREED_MAX	64

static void command_free(struct trace_trigger *trigger)
{
	trace_filter_free(trigger->filter);
	trigger->filter = NULL;
	trigger->command->free(trigger);
}

/* @tr: of this instance only; NULL: of all, up to a round. */
static void command_free_all(struct trace_array *tr, unsigned long round)
{
	struct trace_trigger *trigger, *next;

	trace_instances_assert_locked();
	list_for_each_entry_safe(trigger, next, &command_freed, freed) {
		if (tr ? trigger->tr != tr : time_after(trigger->round, round))
			continue;
		list_del(&trigger->freed);
		command_nr_freed--;
		command_free(trigger);
	}
}

/* No trigger is hit any more that was taken off before a round began. */
static void command_wait(void *round)
{
	trace_wait_probes();
}

static void command_free_round(void *round)
{
	guard(trace_instances)();
	command_free_all(NULL, (unsigned long)round);
}

/* Begin a round. False: there is nothing to be freed. */
static bool command_round_begin(unsigned long *round)
{
	guard(trace_instances)();
	if (list_empty(&command_freed))
		return false;
	*round = command_round++;
	return true;
}

static void command_free_later(struct work_struct *work)
{
	unsigned long round;

	if (!command_round_begin(&round))
		return;
	command_wait((void *)round);
	command_free_round((void *)round);
}

static DECLARE_WORK(command_free_work, command_free_later);

/*
 * Free the triggers that were taken off, before this returns or some time later. A task that is
 * killed does not wait, and the triggers are freed as soon as they can be.
 */
static void command_free_begin(bool waits)
{
	unsigned long round;

	if (!waits)
		trace_wait_queue(&command_free_work);
	else if (command_round_begin(&round))
		trace_wait_call(command_wait, command_free_round, (void *)round, TASK_KILLABLE);
}

/**
 * trace_triggers_settle - free the triggers that were taken off
 *
 * Context: task, may sleep; takes trace_instances_lock(), and waits for hits if there are some.
 */
void trace_triggers_settle(void)
{
	command_free_later(NULL);
}

/* Take a trigger off its event, to be freed later. Both locks are held. */
static void command_take_off(struct trace_trigger *trigger)
{
	trace_instances_assert_locked();
	trace_event_trigger_del(&trigger->hook, trigger->user.file);
	if (trigger->command->detached)
		trigger->command->detached(trigger);
	trace_event_user_leave(&trigger->user);
	trigger->round = command_round;
	list_add_tail(&trigger->freed, &command_freed);
	command_nr_freed++;
}

/* The event goes, or its instance. */
static void command_gone(struct trace_event_user *user)
{
	command_take_off(container_of(user, struct trace_trigger, user));
	command_free_begin(false);
}

/**
 * trace_trigger_set_filter - compile the filter of a trigger
 * @trigger: the trigger, which is not attached
 * @file: the event that it is for
 * @filter: the text, NULL: none
 *
 * An error is told in the error_log.
 *
 * Context: task, may sleep; the events mutex is held.
 * Return: 0, or what trace_filter_compile() says.
 */
int trace_trigger_set_filter(struct trace_trigger *trigger, struct trace_event_file *file,
			     const char *filter)
{
	struct trace_filter_error error;
	struct event_filter *compiled;

	if (!filter)
		return 0;
	compiled = trace_filter_compile(file->event_call, filter, &error);
	if (IS_ERR(compiled)) {
		if (compiled != ERR_PTR(-ENOMEM))
			trace_filter_error_log(file->tr, filter, &error);
		return PTR_ERR(compiled);
	}
	trigger->filter = compiled;
	return 0;
}

/**
 * trace_trigger_attach - have a trigger hit by an event
 * @trigger: the trigger, all of which is ready; its command is set
 * @file: the event
 *
 * Context: task, may sleep; trace_instances_lock() and the events mutex are held.
 * Return: 0; what trace_event_user_join() and trace_event_trigger_add() say: it was never hit,
 * and the caller frees it.
 */
int trace_trigger_attach(struct trace_trigger *trigger, struct trace_event_file *file)
{
	int ret;

	trigger->tr = file->tr;
	trigger->user.use = TRACE_EVENT_USER_SOFT;
	trigger->user.gone = command_gone;
	trigger->hook.has_command = true;
	trigger->hook.needs_record |= !!trigger->filter;
	/* Only hit() asks the filter. */
	if (trigger->filter)
		trigger->hook.count = NULL;
	ret = trace_event_user_join(&trigger->user, file);
	if (ret)
		return ret;
	ret = trace_event_trigger_add(&trigger->hook, file);
	if (ret)
		trace_event_user_leave(&trigger->user);
	else if (trigger->command->attached)
		trigger->command->attached(trigger);
	return ret;
}

/**
 * trace_trigger_detach - undo trace_trigger_attach()
 * @trigger: the trigger, whose command frees it later
 *
 * Context: task; trace_instances_lock() and the events mutex are held.
 */
void trace_trigger_detach(struct trace_trigger *trigger)
{
	command_take_off(trigger);
	command_free_begin(false);
}

/* The word "if", with a blank or an end on both sides. NULL: there is none. */
static char *command_find_if(char *text)
{
	for (char *p = strstr(text, "if"); p; p = strstr(p + 1, "if")) {
		if ((p == text || isspace(p[-1])) && (!p[2] || isspace(p[2])))
			return p;
	}
	return NULL;
}

/* Take a text apart, which is cut; the events mutex is held. */
static int command_parse(struct trace_trigger_text *parts, char *text)
{
	const char *name = strsep(&text, ": \t");
	char *filter;

	parts->command = command_find(name);
	if (!parts->command)
		return -EINVAL;
	if (!text)
		return 0;
	filter = command_find_if(text);
	if (filter) {
		*filter = '\0';
		parts->filter = strim(filter + 2);
		if (!*parts->filter)
			return -EINVAL;
	}
	parts->param = strim(text);
	if (!*parts->param)
		parts->param = NULL;
	return 0;
}

static bool command_clashes(const struct trace_trigger *trigger, struct trace_event_file *file)
{
	const struct trace_trigger_command *command = trigger->command;
	struct trace_trigger *old;

	if (!command->clashes)
		return false;
	for_each_trace_trigger(old, file) {
		if (old->command->name && command->clashes(old, trigger))
			return true;
	}
	return false;
}

/* A trigger has been attached; other triggers and the event stay as they are. */
static int command_ready(struct trace_trigger *trigger, struct trace_event_file *file,
			 struct trace_trigger_text *parts, bool *waits)
{
	int ret = trigger->command->ready(trigger, file, parts);

	if (!ret)
		return 0;
	scoped_guard(trace_events)
		command_take_off(trigger);
	if (trigger->waits)
		*waits = true;
	else
		command_free_begin(false);
	return ret;
}

/*
 * 1: the records of the instance are to go, when the locks have been released. *waits: does a
 * trigger that was refused want that?
 */
static int command_add(struct trace_event_file *file, struct trace_trigger_text *parts,
		       bool *waits)
{
	struct trace_trigger *trigger = parts->command->make(file, parts);
	int ret;

	if (IS_ERR_OR_NULL(trigger))
		return PTR_ERR_OR_ZERO(trigger);
	trigger->command = parts->command;
	scoped_guard(trace_events) {
		ret = trace_trigger_set_filter(trigger, file, parts->filter);
		if (!ret && command_clashes(trigger, file))
			ret = -EEXIST;
		ret = ret ?: trace_trigger_attach(trigger, file);
	}
	if (ret)
		command_free(trigger);
	else if (trigger->command->ready)
		ret = command_ready(trigger, file, parts, waits);
	return ret;
}

/* *waits: does a trigger that was removed want that? */
static int command_remove(struct trace_event_file *file, const struct trace_trigger_text *parts,
			  bool *waits)
{
	struct trace_trigger *trigger = parts->command->find(file, parts);
	int ret;

	if (IS_ERR_OR_NULL(trigger))
		return PTR_ERR_OR_ZERO(trigger);
	guard(trace_events)();
	ret = trigger->command->busy ? trigger->command->busy(trigger) : 0;
	if (ret)
		return ret;
	*waits = trigger->waits || command_nr_freed >= COMMAND_FREED_MAX;
	command_take_off(trigger);
	if (!*waits)
		command_free_begin(false);
	return 0;
}

/* @copy: of @parts->text, which is cut. */
static int command_write(struct trace_event_file *file, struct trace_trigger_text *parts,
			 char *copy, bool remove, bool *waits)
{
	int ret;

	guard(trace_instances)();
	/* While this lock is held, events stay, and so do commands. */
	scoped_guard(trace_events)
		ret = trace_event_file_is_gone(file) ? -ENODEV : command_parse(parts, copy);
	if (ret)
		return ret;
	return remove ? command_remove(file, parts, waits) : command_add(file, parts, waits);
}

/* Once, and what the command leaves until the lock has been released. */
static int command_write_and_settle(struct trace_event_file *file, const char *text)
{
	bool remove = *text == '!', waits = false;
	struct trace_trigger_text parts = { .text = text + remove };
	char *copy __free(kfree) = kstrdup(parts.text, GFP_KERNEL);
	int ret;

	if (!copy)
		return -ENOMEM;
	ret = command_write(file, &parts, copy, remove, &waits);
	if (waits)
		command_free_begin(true);
	trace_buffers_settle();
	if (parts.command && parts.command->settle)
		parts.command->settle(parts.left);
	return ret;
}

/**
 * trace_trigger_write - add a trigger to an event, or remove one
 * @file: the event of an instance; the caller has a reference
 * @text: as users write it, without blanks at both ends
 *
 * Context: task, may sleep; takes trace_instances_lock().
 * Return: 0, also if what a removal means is not there; -EINVAL: there is no such command, or
 * nothing behind "if"; -ENODEV: the event is gone; -EEXIST: the event has a trigger that
 * excludes it; -ENOMEM; what the command, the filter, the event or trace_snapshot_prepare() says.
 * Nothing has changed then.
 */
int trace_trigger_write(struct trace_event_file *file, const char *text)
{
	int ret;

	do
		ret = command_write_and_settle(file, text);
	while (ret == -EPROBE_DEFER && !(ret = trace_snapshot_prepare(file->tr)));
	return ret;
}

/* A trigger that O_TRUNC removes, and that is not busy; NULL: there is none. */
static struct trace_trigger *command_next_truncated(struct trace_event_file *file)
{
	struct trace_trigger *trigger;

	for_each_trace_trigger(trigger, file) {
		const struct trace_trigger_command *command = trigger->command;

		if (command->name && command->truncated &&
		    !(command->busy && command->busy(trigger)))
			return trigger;
	}
	return NULL;
}

/**
 * trace_trigger_truncate - remove the triggers that opening with O_TRUNC removes
 * @file: the event of an instance; the caller has a reference
 *
 * Triggers that are busy stay, unless those that use them are removed as well.
 *
 * Context: task, may sleep; takes trace_instances_lock().
 */
void trace_trigger_truncate(struct trace_event_file *file)
{
	struct trace_trigger *trigger;
	bool some = false, waits = false;

	scoped_guard(trace_instances) {
		guard(trace_events)();
		if (trace_event_file_is_gone(file))
			return;
		/* A trigger may take others along, so the search begins anew. */
		while ((trigger = command_next_truncated(file))) {
			some = true;
			waits |= trigger->waits || command_nr_freed >= COMMAND_FREED_MAX;
			command_take_off(trigger);
		}
	}
	if (some)
		command_free_begin(waits);
	trace_buffers_settle();
}

/* The file "trigger" of an event without triggers. */
void trace_trigger_commands_show(struct seq_file *m)
{
	struct trace_trigger_command *command;

	trace_events_assert_locked();
	seq_puts(m, "# Available triggers:\n#");
	list_for_each_entry(command, &command_list, list)
		seq_printf(m, " %s", command->name);
	seq_putc(m, '\n');
}

/* A trigger did not see all hits. Readers of the file know lines with a '#' as no triggers. */
static void command_show_missed(struct seq_file *m, const struct trace_trigger *trigger)
{
	long missed = atomic_long_read(&trigger->hook.missed);

	if (missed)
		seq_printf(m, "#   missed %ld hits\n", missed);
}

/* A trigger as it can be written, and the line's end. */
static void command_show(struct seq_file *m, const struct trace_trigger *trigger)
{
	const struct trace_trigger_command *command = trigger->command;

	command->show(m, trigger);
	if (command->shows_all)
		return;
	if (trigger->filter)
		seq_printf(m, " if %s", trace_filter_text(trigger->filter));
	seq_putc(m, '\n');
}

/* The triggers of an event, each as it can be written. */
void trace_triggers_show(struct seq_file *m, struct trace_event_file *file)
{
	struct trace_trigger *trigger;

	trace_events_assert_locked();
	for_each_trace_trigger(trigger, file) {
		if (!trigger->command->name)
			continue;
		command_show(m, trigger);
		command_show_missed(m, trigger);
	}
}

/* All triggers of an instance, each with "SYSTEM:EVENT" and a tab before it. */
void trace_triggers_show_all(struct seq_file *m, struct trace_array *tr)
{
	struct trace_trigger *trigger;
	struct trace_event_file *file;

	trace_events_assert_locked();
	for_each_trace_event_file(file, tr) {
		for_each_trace_trigger(trigger, file) {
			if (!trigger->command->name)
				continue;
			seq_printf(m, "%s:%s\t", file->event_call->class->system,
				   trace_event_name(file->event_call));
			command_show(m, trigger);
		}
	}
}

/* Take the triggers off all events of an instance. */
static bool commands_retreat(struct trace_array *tr)
{
	struct trace_trigger *trigger;
	struct trace_event_file *file;

	guard(trace_events)();
	for_each_trace_event_file(file, tr) {
		while ((trigger = trace_trigger_next(file, NULL)))
			command_take_off(trigger);
	}
	return false;
}

/* No hit is left. Some of the triggers may have been freed meanwhile. */
static void commands_destroy(struct trace_array *tr)
{
	command_free_all(tr, 0);
}

struct trace_component trace_event_triggers_component __ro_after_init = {
	.name		= "event triggers",
	.readme		=
		"  show_event_filters\t- all filters of events, <system>:<event> before each\n"
		"  show_event_triggers\t- all triggers of events\n"
		"      trigger\t\t- what an event does when it is hit; write\n"
		"\t\t\t  <command>[:<count>][ if <filter>], ! before it: remove\n"
		"\t\t\t  behind the count :after=<n> :every=<n> :ratelimit=<time>\n"
		"\t\t\t  :delay=<time>, which is <n>s, ms, us or ns\n"
		"\t\t\t  <command>: traceon, traceoff, stacktrace, snapshot,\n"
		"\t\t\t  enable_event:<system>:<event>, disable_event:<system>:<event>\n",
	.retreat	= commands_retreat,
	.destroy	= commands_destroy,
};
