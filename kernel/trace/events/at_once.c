// SPDX-License-Identifier: GPL-2.0
/*
 * Switch all events of a system in an instance at one point. The trace tells of it, so what it
 * does not have was not there.
 *
 * All probes are put into place first, by a soft user each, and record nothing (user.h). Then
 * each CPU writes a first mark, the soft switches are turned on, one store for each event, and
 * each CPU writes a second mark. No event of the set records before the first mark of its CPU,
 * but those that were on already, and each hit that begins behind the second mark of its CPU is
 * recorded. When the soft users go, the events are on as if the user had switched each of them.
 *
 * The end is alike: a first mark, the switches are turned off, and a second mark when no hit can
 * be under way any more that has seen a switch on. That is waited for without a lock. If the events
 * are switched again meanwhile, the second mark would be wrong, and is left out: the next end has
 * one.
 *
 * The marks are written by interrupts, which a CPU takes wherever it is. So a hit that has looked
 * at its switch before is not behind the mark, though it may go on after it.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace.h>

#include "events/batch.h"
#include "events/internal.h"
#include "instance/buffers.h"
#include "lib/cpu_call.h"
#include "lib/wait.h"

/**
 * struct at_once_set - the events of a system that are switched together
 * @tr:		the instance, with a reference
 * @system:	the name of the system, for kfree()
 * @ending:	while a second mark is to come: of at_once_ending; trace_instances_lock()
 * @nr:		of @user
 * @user:	a soft user of each event
 */
struct at_once_set {
	struct trace_array	*tr;
	const char		*system;
	struct list_head	ending;
	unsigned int		nr;
	struct trace_event_user	user[] __counted_by(nr);
};

static LIST_HEAD(at_once_ending);	/* trace_instances_lock() */

struct at_once_mark {
	struct trace_array	*tr;
	char			text[80];
};

static void at_once_mark_cpu(void *data)
{
	const struct at_once_mark *mark = data;

	__trace_array_puts(mark->tr, _THIS_IP_, mark->text, strlen(mark->text));
}

/* Let each CPU that is there write a mark into its buffer. None comes or goes meanwhile. */
static void at_once_mark(const struct at_once_set *set, const char *what)
{
	struct at_once_mark mark = { .tr = set->tr };

	lockdep_assert_cpus_held();
	snprintf(mark.text, sizeof(mark.text), "events of %s: %s\n", set->system, what);
	trace_cpu_call_each(at_once_mark_cpu, &mark);
}

static bool at_once_is_meant(const struct trace_event_file *file, const char *system)
{
	return trace_event_usable(file->event_call) &&
	       !strcmp(file->event_call->class->system, system);
}

static void at_once_set_free(struct at_once_set *set)
{
	trace_array_put(set->tr);
	kfree(set->system);
	kvfree(set);
}

/* The set of all events of a system, of which nobody is a user yet; ERR_PTR: there is none. */
static struct at_once_set *at_once_set_make(struct trace_array *tr, const char *system)
{
	struct trace_event_file *file;
	struct at_once_set *set;
	unsigned int nr = 0;

	list_for_each_entry(file, &trace_events_of(tr)->files, list)
		nr += at_once_is_meant(file, system);
	if (!nr)
		return ERR_PTR(-EINVAL);
	set = kvzalloc(struct_size(set, user, nr), GFP_KERNEL);
	if (!set)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&set->ending);
	set->system = kstrdup(system, GFP_KERNEL);
	set->nr = nr;
	if (set->system && !trace_array_get(tr)) {
		set->tr = tr;
		return set;
	}
	at_once_set_free(set);
	return ERR_PTR(-ENOMEM);
}

static void at_once_leave(struct at_once_set *set)
{
	trace_event_batch_begin();
	for (unsigned int i = 0; i < set->nr; i++) {
		if (set->user[i].file)
			trace_event_user_leave(&set->user[i]);
	}
	trace_event_batch_end();
}

/* Put all probes into place, where those that are not on record nothing: all or none. */
static int at_once_join(struct at_once_set *set)
{
	struct trace_event_file *file;
	unsigned int i = 0;
	int ret = 0, err;

	trace_event_batch_begin();
	list_for_each_entry(file, &trace_events_of(set->tr)->files, list) {
		if (ret || i == set->nr || !at_once_is_meant(file, set->system))
			continue;
		set->user[i].use = TRACE_EVENT_USER_SOFT;
		ret = trace_event_user_join(&set->user[i++], file);
	}
	err = trace_event_batch_end();
	ret = ret ?: err;
	if (ret)
		at_once_leave(set);
	return ret;
}

static void at_once_flip(struct at_once_set *set, bool on)
{
	for (unsigned int i = 0; i < set->nr; i++)
		trace_event_soft_switch(set->user[i].file, on);
}

/* The events of @set are switched: from now on it has their second mark, if they go off. */
static void at_once_succeed(struct at_once_set *set, bool on)
{
	struct at_once_set *other, *next;

	trace_instances_assert_locked();
	list_for_each_entry_safe(other, next, &at_once_ending, ending) {
		if (other->tr == set->tr && !strcmp(other->system, set->system))
			list_del_init(&other->ending);
	}
	if (!on)
		list_add_tail(&set->ending, &at_once_ending);
}

/*
 * The marks and the switches between them, of which the last mark is left out if that waits. No CPU
 * comes meanwhile, which would record without a first mark.
 */
static int at_once_begin(struct at_once_set *set, bool on)
{
	int ret = at_once_join(set);

	if (ret)
		return ret;
	at_once_succeed(set, on);
	scoped_guard(cpus_read_lock) {
		at_once_mark(set, on ? "begin" : "end");
		at_once_flip(set, on);
		if (on)
			at_once_mark(set, "are on");
	}
	if (on)
		at_once_leave(set);
	return 0;
}

static void at_once_wait(void *set)
{
	trace_wait_probes();
}

/* No hit is under way any more that has seen a switch on. */
static void at_once_end(void *data)
{
	struct at_once_set *set = data;

	scoped_guard(trace_instances) {
		guard(trace_events)();
		if (!list_empty(&set->ending)) {
			scoped_guard(cpus_read_lock)
				at_once_mark(set, "are off");
			list_del(&set->ending);
		}
		at_once_leave(set);
	}
	at_once_set_free(set);
}

/**
 * trace_events_switch_at_once - switch all events of a system in an instance at one point
 * @tr: the instance, which the caller keeps
 * @system: the name of the system
 * @on: on or off
 *
 * A task that is being killed does not wait for the end, which comes later then.
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex, and waits without.
 * Return: 0; -EINVAL: the system has no event; -ENODEV: the instance has none; -ENOMEM, or what an
 * event's reg() says: then nothing is switched.
 */
int trace_events_switch_at_once(struct trace_array *tr, const char *system, bool on)
{
	struct at_once_set *set;
	int ret;

	scoped_guard(trace_instances) {
		guard(trace_events)();
		if (!trace_events_of(tr))
			return -ENODEV;
		set = at_once_set_make(tr, system);
		if (IS_ERR(set))
			return PTR_ERR(set);
		ret = at_once_begin(set, on);
	}
	trace_buffers_settle();
	if (!ret && !on)
		trace_wait_call(at_once_wait, at_once_end, set, TASK_KILLABLE);
	else
		at_once_set_free(set);
	return ret;
}
