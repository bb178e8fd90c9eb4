// SPDX-License-Identifier: GPL-2.0
/*
 * Events of some tasks only: set_event_pid and set_event_notrace_pid. An event
 * is recorded when the running task is wanted, or the task that the event is
 * about: the next one of a context switch, the woken one of a wakeup.
 *
 * The test looks the ids up in the instance's sets; nothing is cached per
 * task or CPU, so that a change of the sets is in force at once. Who an event
 * is about is noted per CPU by a probe that runs before the event's and
 * forgotten by one that runs after it.
 */
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "events/internal.h"

/* The id plus one of the task that this CPU's event is about, or 0. */
static DEFINE_PER_CPU(unsigned int, about);

static unsigned int nr_users;		/* instances with sets; E */

static bool id_ignored(struct trace_pid_list *only, struct trace_pid_list *never,
		       unsigned int pid)
{
	return (only && !trace_pid_list_is_set(only, pid)) ||
	       (never && trace_pid_list_is_set(never, pid));
}

/* Any context, preemption disabled (this is the sets' RCU read side). */
bool trace_events_pid_ignored(struct trace_array *tr)
{
	struct trace_events *events = trace_events_of(tr);
	struct trace_pid_list *only = rcu_dereference_sched(events->pids.only);
	struct trace_pid_list *never = rcu_dereference_sched(events->pids.never);
	unsigned int other = this_cpu_read(about);

	return id_ignored(only, never, current->pid) &&
	       (!other || id_ignored(only, never, other - 1));
}

static void before_switch(void *data, bool preempt, struct task_struct *prev,
			  struct task_struct *next, unsigned int prev_state)
{
	this_cpu_write(about, next->pid + 1);
}

static void after_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	this_cpu_write(about, 0);
}

static void before_wakeup(void *data, struct task_struct *task)
{
	this_cpu_write(about, task->pid + 1);
}

static void after_wakeup(void *data, struct task_struct *task)
{
	this_cpu_write(about, 0);
}

/* Probes of higher priority run earlier; those of events have the default. */
#define BEFORE	INT_MAX
#define AFTER	0

/* Without one of them, events about a wanted task are missed; no harm else. */
static void about_start(void)
{
	int ret;

	ret = register_trace_prio_sched_switch(before_switch, NULL, BEFORE);
	ret = ret ?: register_trace_prio_sched_switch(after_switch, NULL, AFTER);
	ret = ret ?: register_trace_prio_sched_waking(before_wakeup, NULL, BEFORE);
	ret = ret ?: register_trace_prio_sched_waking(after_wakeup, NULL, AFTER);
	ret = ret ?: register_trace_prio_sched_wakeup(before_wakeup, NULL, BEFORE);
	ret = ret ?: register_trace_prio_sched_wakeup(after_wakeup, NULL, AFTER);
	ret = ret ?: register_trace_prio_sched_wakeup_new(before_wakeup, NULL, BEFORE);
	ret = ret ?: register_trace_prio_sched_wakeup_new(after_wakeup, NULL, AFTER);
	WARN_ON_ONCE(ret);
}

static void about_stop(void)
{
	unregister_trace_sched_switch(before_switch, NULL);
	unregister_trace_sched_waking(before_wakeup, NULL);
	unregister_trace_sched_wakeup(before_wakeup, NULL);
	unregister_trace_sched_wakeup_new(before_wakeup, NULL);
	/* Every noted id is forgotten by its own probe, then these may go. */
	tracepoint_synchronize_unregister();
	unregister_trace_sched_switch(after_switch, NULL);
	unregister_trace_sched_waking(after_wakeup, NULL);
	unregister_trace_sched_wakeup(after_wakeup, NULL);
	unregister_trace_sched_wakeup_new(after_wakeup, NULL);
}

static void follow_fork(struct trace_pid_list *list, struct task_struct *parent,
			struct task_struct *child)
{
	/* A set that has no memory left for the child does not follow it. */
	if (list && trace_pid_list_is_set(list, parent->pid))
		trace_pid_list_set(list, child->pid);
}

static void probe_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct trace_array *tr = data;
	struct trace_events *events = trace_events_of(tr);

	if (!trace_option(tr, TRACE_OPT_EVENT_FORK))
		return;
	follow_fork(rcu_dereference_sched(events->pids.only), parent, child);
	follow_fork(rcu_dereference_sched(events->pids.never), parent, child);
}

/* When the task is freed: its last context switch is still its own. */
static void probe_free(void *data, struct task_struct *task)
{
	struct trace_array *tr = data;
	struct trace_events *events = trace_events_of(tr);
	struct trace_pid_list *list;

	if (!trace_option(tr, TRACE_OPT_EVENT_FORK))
		return;
	list = rcu_dereference_sched(events->pids.only);
	if (list)
		trace_pid_list_clear(list, task->pid);
	list = rcu_dereference_sched(events->pids.never);
	if (list)
		trace_pid_list_clear(list, task->pid);
}

static void users_start(struct trace_array *tr)
{
	struct trace_event_file *file;

	if (!nr_users++)
		about_start();
	WARN_ON_ONCE(register_trace_sched_process_fork(probe_fork, tr));
	WARN_ON_ONCE(register_trace_sched_process_free(probe_free, tr));
	list_for_each_entry(file, &trace_events_of(tr)->files, list)
		set_bit(EVENT_FILE_FL_PID_FILTER_BIT, &file->flags);
}

static void users_stop(struct trace_array *tr)
{
	struct trace_event_file *file;

	list_for_each_entry(file, &trace_events_of(tr)->files, list)
		clear_bit(EVENT_FILE_FL_PID_FILTER_BIT, &file->flags);
	unregister_trace_sched_process_fork(probe_fork, tr);
	unregister_trace_sched_process_free(probe_free, tr);
	if (!--nr_users)
		about_stop();
}

static bool has_sets(struct trace_events *events)
{
	return rcu_access_pointer(events->pids.only) || rcu_access_pointer(events->pids.never);
}

/*
 * Put @list (NULL: all tasks) into force and free the old one. Under
 * the events mutex; waits for a grace period when there was a set.
 */
void trace_events_pids_replace(struct trace_array *tr, bool never, struct trace_pid_list *list)
{
	struct trace_events *events = trace_events_of(tr);
	struct trace_pid_list __rcu **place = never ? &events->pids.never : &events->pids.only;
	struct trace_pid_list *old;
	bool had = has_sets(events);

	trace_events_assert_locked();

	old = rcu_replace_pointer(*place, list, trace_events_locked());
	if (!had && has_sets(events))
		users_start(tr);
	else if (had && !has_sets(events))
		users_stop(tr);
	if (old) {
		tracepoint_synchronize_unregister();
		trace_pid_list_free(old);
	}
}

/* The instance goes; its events are off. */
void trace_events_pids_destroy(struct trace_array *tr)
{
	trace_events_pids_replace(tr, false, NULL);
	trace_events_pids_replace(tr, true, NULL);
}
