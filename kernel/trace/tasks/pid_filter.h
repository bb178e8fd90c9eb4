/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracing some tasks only: the pids that are traced, the pids that are not, and
 * children that join their parent's list when they are forked.
 *
 * A filter without a list lets every task pass. One with lists lets a task pass
 * that is on the list "only", if there is one, and not on the list "never".
 */
#ifndef _TRACE_TASKS_PID_FILTER_H
#define _TRACE_TASKS_PID_FILTER_H

#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "lib/lib.h"

enum trace_pid_kind {
	TRACE_PIDS_ONLY,
	TRACE_PIDS_NEVER,
	TRACE_PID_KINDS
};

/* The question that a filter answers where something is recorded. */
enum trace_pid_question {
	/* Does the running task pass? Each CPU keeps the answer for the task that it runs. */
	TRACE_PIDS_OF_RUNNING,
	/* Does it, or the task that is switched to or woken? The lists are looked up. */
	TRACE_PIDS_OF_EVENT,
};

/**
 * struct trace_pid_filter - pids that tracing is limited to
 * @lock:	the filter's lock
 * @lists:	by kind, NULL: there is no such list; read under RCU, written under @lock
 * @limited:	there is a list; for who asks at each call
 * @limited_copy: where that is stored as well, see trace_pid_filter_copy_limited(); or NULL
 * @question:	what the filter is asked
 * @noted:	the pid of a task that passes, or the complement of one that does not; a probe
 *		of sched_switch writes it. For TRACE_PIDS_OF_RUNNING alone, NULL otherwise
 * @changed:	the first list has come or the last one has gone; @lock is held. May
 *		take locks that are never held around a call of this interface
 * @follows_fork: children join the lists of their parents
 * @probes:	which groups of probes are registered
 *
 * Own CPU: written on it only, with preemption off.
 */
struct trace_pid_filter {
	struct mutex			lock;				/* one writer */
	struct trace_pid_list __rcu	*lists[TRACE_PID_KINDS];	/* RCU, filter's lock */
	bool				limited;			/* RCU, filter's lock */
	u32				*limited_copy;			/* filter's lock */
	enum trace_pid_question		question;			/* constant */
	int __percpu			*noted;				/* constant, own CPU */
	void				(*changed)(struct trace_pid_filter *filter,
						   bool limited);	/* constant */
	bool				follows_fork;			/* filter's lock */
	unsigned int			probes;				/* filter's lock */
};

int trace_pid_filter_init(struct trace_pid_filter *filter, enum trace_pid_question question,
			  void (*changed)(struct trace_pid_filter *filter, bool limited),
			  bool follows_fork);
void trace_pid_filter_end(struct trace_pid_filter *filter);
void trace_pid_filter_destroy(struct trace_pid_filter *filter);
void trace_pid_filter_copy_limited(struct trace_pid_filter *filter, u32 *copy);

struct trace_pid_list *trace_pid_filter_list(struct trace_pid_filter *filter,
					     enum trace_pid_kind kind);
int trace_pid_filter_replace(struct trace_pid_filter *filter, enum trace_pid_kind kind,
			     struct trace_pid_list *list);
int trace_pid_filter_add(struct trace_pid_filter *filter, enum trace_pid_kind kind,
			 struct trace_pid_list *pids);
int trace_pid_filter_follow_fork(struct trace_pid_filter *filter, bool follow);
bool trace_pid_filter_ignores_event(struct trace_pid_filter *filter);
bool trace_pid_filter_ignores_unnoted(const struct trace_pid_filter *filter);

/**
 * trace_pid_filter_limited - has a filter any list?
 * @filter: the filter
 *
 * Context: any. Under the filter's lock the answer stays.
 * Return: false when every task passes.
 */
static inline bool trace_pid_filter_limited(const struct trace_pid_filter *filter)
{
	/* data_race: READ_ONCE() would take an instruction more, and promise the same. */
	return data_race(filter->limited);
}

/**
 * trace_pid_filter_ignores_running - the question TRACE_PIDS_OF_RUNNING
 * @filter: the filter, which has a list
 *
 * The lists are looked up only when the note of this CPU is about another task, as it is
 * between the tracepoint sched_switch and the switch itself. A task that is preempted, and moved
 * to another CPU, compares that CPU's pid with the note that it has loaded here. That is still
 * right: a note of the same pid has the same answer on each CPU.
 *
 * Context: any.
 * Return: true when the running task does not pass.
 */
static __always_inline bool
trace_pid_filter_ignores_running(const struct trace_pid_filter *filter)
{
	int noted = this_cpu_read(*filter->noted);
	int pid = current->pid;

	if (likely(noted == ~pid))
		return true;
	return unlikely(noted != pid) && trace_pid_filter_ignores_unnoted(filter);
}

#endif /* _TRACE_TASKS_PID_FILTER_H */
