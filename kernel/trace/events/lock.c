// SPDX-License-Identifier: GPL-2.0
/*
 * The events mutex, and the list of all events, which it covers.
 *
 * It comes after trace_instances_lock(), which whoever switches an event holds as well, and
 * after the lock of a pid filter: events_pids_changed() takes it under that. perf takes it
 * alone. mmap_lock comes after it, since the reg() of a class may take that, so nobody takes it
 * under mmap_lock, see perf.c. Holders of the lock of instances wait for it, so its holder waits
 * for all CPUs no more than they do, see lib/wait.h.
 */
#include <linux/list.h>
#include <linux/mutex.h>

#include "events/internal.h"
#include "lib/wait.h"

static DEFINE_MUTEX(trace_events_mutex);
static LIST_HEAD(trace_event_call_list);	/* events mutex; struct trace_event_call */

/**
 * trace_events_lock - take the events mutex
 *
 * It protects the list of events with their classes and fields, the files and systems of
 * all instances, and the users and filters of events.
 *
 * Context: task, may sleep.
 */
void trace_events_lock(void)
{
	mutex_lock(&trace_events_mutex);
	trace_wait_forbid();
}

/**
 * trace_events_unlock - release the events mutex
 *
 * Context: task.
 */
void trace_events_unlock(void)
{
	trace_wait_allow();
	mutex_unlock(&trace_events_mutex);
}

/**
 * trace_events_assert_locked - complain unless the caller holds the events mutex
 *
 * Context: any.
 */
void trace_events_assert_locked(void)
{
	lockdep_assert_held(&trace_events_mutex);
}

/**
 * trace_events_locked - does the caller hold the events mutex?
 *
 * For rcu_dereference_protected() and its kin.
 *
 * Context: any.
 * Return: true if lockdep says that the caller holds it; without lockdep nobody can tell, so
 * always true.
 */
bool trace_events_locked(void)
{
	return !IS_ENABLED(CONFIG_LOCKDEP) || lockdep_is_held(&trace_events_mutex);
}

/* The list of events, for for_each_trace_event_call() and those who change it. */
struct list_head *trace_event_calls(void)
{
	trace_events_assert_locked();
	return &trace_event_call_list;
}
