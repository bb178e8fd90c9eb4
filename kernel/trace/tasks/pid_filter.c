// SPDX-License-Identifier: GPL-2.0
/*
 * Filters of process ids; the header says what they mean.
 *
 * A list is put into force as a whole, and one that goes is freed after a grace period, for
 * which nobody waits; forks and exits change it in place, which a trace_pid_list allows at any
 * time. All that a filter needs of the scheduler are probes of tracepoints, and a filter that has
 * no list has no probe. The probes come before the list that needs them and go after
 * it, so that a list is never in force without them.
 *
 * The question TRACE_PIDS_OF_RUNNING is asked at each function that is traced: a
 * probe of sched_switch notes the answer for the task that is coming. The functions that
 * run behind that probe, but before the switch, still belong to the task that is leaving.
 * The note therefore has the pid of its task, and a note of another pid is no answer.
 *
 * The question TRACE_PIDS_OF_EVENT looks the pids up, so nothing is kept for each
 * filter and CPU. It also asks about a second task: a probe that runs before those
 * of events notes whom a context switch or wakeup is about, and one that runs after
 * them forgets it.
 */
#include <linux/cleanup.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "lib/cpu_call.h"
#include "tasks/pid_filter.h"

/* Pid plus one of the task that this CPU's event is about; 0: of none. Own CPU. */
static DEFINE_PER_CPU(unsigned int, pid_event_about);

/*
 * Preemption is off, which keeps the lists alive. Lockdep is not asked whether it is: function
 * tracing comes here before a hit is protected, and lockdep's functions may carry kprobes.
 */
static bool pid_filter_is_ignored(const struct trace_pid_filter *filter, unsigned int pid)
{
	struct trace_pid_list *only = rcu_dereference_raw(filter->lists[TRACE_PIDS_ONLY]);
	struct trace_pid_list *never = rcu_dereference_raw(filter->lists[TRACE_PIDS_NEVER]);

	WARN_ON_ONCE(IS_ENABLED(CONFIG_DEBUG_ATOMIC_SLEEP) && preemptible());
	if (only && !trace_pid_list_is_set(only, pid))
		return true;
	return never && trace_pid_list_is_set(never, pid);
}

NOKPROBE_SYMBOL(pid_filter_is_ignored);

/**
 * trace_pid_filter_ignores_event - the question TRACE_PIDS_OF_EVENT
 * @filter: the filter
 *
 * Context: any, with preemption off, which keeps the lists alive.
 * Return: true when neither the running task passes nor the one that the event
 * that is being recorded is about.
 */
bool trace_pid_filter_ignores_event(struct trace_pid_filter *filter)
{
	unsigned int about;

	if (!pid_filter_is_ignored(filter, current->pid))
		return false;
	about = this_cpu_read(pid_event_about);
	return !about || pid_filter_is_ignored(filter, about - 1);
}

/**
 * trace_pid_filter_ignores_unnoted - TRACE_PIDS_OF_RUNNING where the note is of another task
 * @filter: the filter
 *
 * A CPU that RCU does not watch may look at no list. A task can be there with a note of
 * another pid only if an exec has changed its pid since it began to run.
 *
 * Function tracing asks this before anything protects a hit against recursion. A kprobe here
 * would hit again without an end, as what handles its breakpoint is traced.
 *
 * A traced function may be preempted where it calls this. A list that is replaced meanwhile would
 * be freed, so preemption is off here while the lists are looked at.
 *
 * Context: any.
 * Return: true when the running task does not pass.
 */
bool trace_pid_filter_ignores_unnoted(const struct trace_pid_filter *filter)
{
	bool ignored;

	preempt_disable_notrace();
	ignored = !rcu_is_watching() || pid_filter_is_ignored(filter, current->pid);
	preempt_enable_notrace();
	return ignored;
}

NOKPROBE_SYMBOL(trace_pid_filter_ignores_unnoted);

/* The note about a task. No pid is the complement of another. */
static int pid_filter_note_of(const struct trace_pid_filter *filter, int pid)
{
	return pid_filter_is_ignored(filter, pid) ? ~pid : pid;
}

/* The probes. They are called with preemption off; @data is the filter. */

static void pid_filter_note_running(void *data, bool preempt, struct task_struct *prev,
				    struct task_struct *next, unsigned int prev_state)
{
	struct trace_pid_filter *filter = data;

	this_cpu_write(*filter->noted, pid_filter_note_of(filter, next->pid));
}

static void pid_filter_note_next(void *data, bool preempt, struct task_struct *prev,
				 struct task_struct *next, unsigned int prev_state)
{
	this_cpu_write(pid_event_about, next->pid + 1);
}

static void pid_filter_forget_next(void *data, bool preempt, struct task_struct *prev,
				   struct task_struct *next, unsigned int prev_state)
{
	this_cpu_write(pid_event_about, 0);
}

static void pid_filter_note_woken(void *data, struct task_struct *task)
{
	this_cpu_write(pid_event_about, task->pid + 1);
}

static void pid_filter_forget_woken(void *data, struct task_struct *task)
{
	this_cpu_write(pid_event_about, 0);
}

/* A list that finds no memory for the child does not follow it. */
static void pid_filter_follow_fork(void *data, struct task_struct *parent,
				   struct task_struct *child)
{
	struct trace_pid_filter *filter = data;
	int kind;

	for (kind = 0; kind < TRACE_PID_KINDS; kind++) {
		struct trace_pid_list *list = rcu_dereference_sched(filter->lists[kind]);

		if (list && trace_pid_list_is_set(list, parent->pid))
			trace_pid_list_set(list, child->pid);
	}
}

/* Not at its exit: a task is still the running one in its last context switch. */
static void pid_filter_forget_freed(void *data, struct task_struct *task)
{
	struct trace_pid_filter *filter = data;
	int kind;

	for (kind = 0; kind < TRACE_PID_KINDS; kind++) {
		struct trace_pid_list *list = rcu_dereference_sched(filter->lists[kind]);

		if (list)
			trace_pid_list_clear(list, task->pid);
	}
}

/* Probes of higher priority run earlier; those of events have the default. */
#define PID_PRIO_BEFORE		INT_MAX
#define PID_PRIO_AFTER		(TRACEPOINT_DEFAULT_PRIO - 1)

struct pid_probe {
	struct tracepoint	*tp;
	void			*func;
	int			prio;
};

/*
 * Groups of probes, in the order in which they are registered, and in the other order
 * unregistered. The probes that clear pid_event_about are registered before, and unregistered
 * after, the probes that set it. A call of a tracepoint goes through the probes that there were
 * when it began, so no value is left behind, and nobody waits.
 */
enum {
	PID_GROUP_RUNNING,
	PID_GROUP_FORGET,
	PID_GROUP_NOTE,
	PID_GROUP_FORK,
	PID_GROUPS
};

static const struct pid_probe pid_probes[PID_GROUPS][4] = {
	[PID_GROUP_RUNNING] = {
		{ &__tracepoint_sched_switch, pid_filter_note_running, TRACEPOINT_DEFAULT_PRIO },
	},
	[PID_GROUP_FORGET] = {
		{ &__tracepoint_sched_switch, pid_filter_forget_next, PID_PRIO_AFTER },
		{ &__tracepoint_sched_waking, pid_filter_forget_woken, PID_PRIO_AFTER },
		{ &__tracepoint_sched_wakeup, pid_filter_forget_woken, PID_PRIO_AFTER },
		{ &__tracepoint_sched_wakeup_new, pid_filter_forget_woken, PID_PRIO_AFTER },
	},
	[PID_GROUP_NOTE] = {
		{ &__tracepoint_sched_switch, pid_filter_note_next, PID_PRIO_BEFORE },
		{ &__tracepoint_sched_waking, pid_filter_note_woken, PID_PRIO_BEFORE },
		{ &__tracepoint_sched_wakeup, pid_filter_note_woken, PID_PRIO_BEFORE },
		{ &__tracepoint_sched_wakeup_new, pid_filter_note_woken, PID_PRIO_BEFORE },
	},
	[PID_GROUP_FORK] = {
		{ &__tracepoint_sched_process_fork, pid_filter_follow_fork,
		  TRACEPOINT_DEFAULT_PRIO },
		{ &__tracepoint_sched_process_free, pid_filter_forget_freed,
		  TRACEPOINT_DEFAULT_PRIO },
	},
};

static void pid_filter_group_unregister(struct trace_pid_filter *filter, unsigned int group)
{
	const struct pid_probe *probe = pid_probes[group];
	unsigned int i;

	/* Of a group that was not registered as a whole, some are not found. */
	for (i = 0; i < ARRAY_SIZE(pid_probes[group]) && probe[i].tp; i++)
		tracepoint_probe_unregister(probe[i].tp, probe[i].func, filter);
	filter->probes &= ~BIT(group);
}

static int pid_filter_group_register(struct trace_pid_filter *filter, unsigned int group)
{
	const struct pid_probe *probe = pid_probes[group];
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(pid_probes[group]) && probe[i].tp; i++) {
		ret = tracepoint_probe_register_prio(probe[i].tp, probe[i].func, filter,
						     probe[i].prio);
		if (!ret)
			continue;
		while (i--)
			tracepoint_probe_unregister(probe[i].tp, probe[i].func, filter);
		return ret;
	}
	filter->probes |= BIT(group);
	return 0;
}

/* Unregister groups of probes, which may run for a grace period. */
static void pid_filter_groups_drop(struct trace_pid_filter *filter, unsigned int groups)
{
	int group;

	for (group = PID_GROUPS - 1; group >= 0; group--) {
		if (groups & BIT(group))
			pid_filter_group_unregister(filter, group);
	}
}

/* Register what is missing of @groups; all of it or, with an errno, nothing. */
static int pid_filter_groups_add(struct trace_pid_filter *filter, unsigned int groups)
{
	unsigned int before = filter->probes;
	int group, ret;

	for (group = 0; group < PID_GROUPS; group++) {
		if (!(groups & ~filter->probes & BIT(group)))
			continue;
		ret = pid_filter_group_register(filter, group);
		if (ret) {
			pid_filter_groups_drop(filter, filter->probes & ~before);
			return ret;
		}
	}
	return 0;
}

static unsigned int pid_filter_groups_wanted(const struct trace_pid_filter *filter, bool limited)
{
	unsigned int groups;

	if (!limited)
		return 0;
	groups = filter->question == TRACE_PIDS_OF_RUNNING ? BIT(PID_GROUP_RUNNING) :
		 BIT(PID_GROUP_FORGET) | BIT(PID_GROUP_NOTE);
	return filter->follows_fork ? groups | BIT(PID_GROUP_FORK) : groups;
}

/**
 * trace_pid_filter_init - make a filter that lets every task pass
 * @filter:	the filter
 * @question:	what it will be asked
 * @changed:	told when the first list has come or the last one has gone
 * @follows_fork: as trace_pid_filter_follow_fork()
 *
 * Context: task, may sleep; boot, with one CPU and interrupts off.
 * Return: 0 or -ENOMEM.
 */
int trace_pid_filter_init(struct trace_pid_filter *filter, enum trace_pid_question question,
			  void (*changed)(struct trace_pid_filter *filter, bool limited),
			  bool follows_fork)
{
	*filter = (struct trace_pid_filter){
		.question	= question,
		.changed	= changed,
		.follows_fork	= follows_fork,
	};
	if (question == TRACE_PIDS_OF_RUNNING) {
		filter->noted = alloc_percpu(int);
		if (!filter->noted)
			return -ENOMEM;
	}
	mutex_init(&filter->lock);
	return 0;
}

/**
 * trace_pid_filter_end - let every task pass, for good
 * @filter: the filter; nobody changes it any more
 *
 * The lists go as in trace_pid_filter_replace(), @changed included. A grace period of the
 * tracepoints later no probe knows the filter.
 *
 * Context: task, may sleep; takes the filter's lock.
 */
void trace_pid_filter_end(struct trace_pid_filter *filter)
{
	int kind;

	guard(mutex)(&filter->lock);
	for (kind = 0; kind < TRACE_PID_KINDS; kind++)
		trace_pid_filter_replace(filter, kind, NULL);
}

/**
 * trace_pid_filter_destroy - undo trace_pid_filter_init()
 * @filter: the filter, a grace period after trace_pid_filter_end(); nobody asks it any more
 *
 * Context: task.
 */
void trace_pid_filter_destroy(struct trace_pid_filter *filter)
{
	WARN_ON_ONCE(filter->probes);
	free_percpu(filter->noted);
	mutex_destroy(&filter->lock);
}

/**
 * trace_pid_filter_list - a list of a filter
 * @filter:	the filter
 * @kind:	which
 *
 * Context: the filter's lock is held.
 * Return: the list, NULL when there is none.
 */
struct trace_pid_list *trace_pid_filter_list(struct trace_pid_filter *filter,
					     enum trace_pid_kind kind)
{
	return rcu_dereference_protected(filter->lists[kind], lockdep_is_held(&filter->lock));
}

static void pid_filter_update_this_cpu(void *data)
{
	struct trace_pid_filter *filter = data;

	this_cpu_write(*filter->noted, pid_filter_note_of(filter, current->pid));
}

/*
 * The lists have changed: each CPU notes anew whether its task passes. A CPU that is not
 * online runs its idle task when it comes. No CPU comes or goes meanwhile.
 */
static void pid_filter_update_cpus(struct trace_pid_filter *filter)
{
	unsigned int cpu;

	lockdep_assert_held(&filter->lock);
	if (!filter->noted)
		return;
	guard(cpus_read_lock)();
	scoped_guard(preempt) {
		for_each_possible_cpu(cpu) {
			if (!cpu_online(cpu))
				*per_cpu_ptr(filter->noted, cpu) = pid_filter_note_of(filter, 0);
		}
	}
	trace_cpu_call_each(pid_filter_update_this_cpu, filter);
}

static void pid_filter_set_limited(struct trace_pid_filter *filter, bool limited)
{
	WRITE_ONCE(filter->limited, limited);
	if (filter->limited_copy)
		WRITE_ONCE(*filter->limited_copy, limited);
}

/**
 * trace_pid_filter_copy_limited - keep what trace_pid_filter_limited() tells elsewhere as well
 * @filter:	the filter
 * @copy:	where to; NULL: nowhere any more
 *
 * It is for callers that ask at each call of a function: they load the copy together with
 * other words.
 * Context: task, may sleep; takes the filter's lock.
 */
void trace_pid_filter_copy_limited(struct trace_pid_filter *filter, u32 *copy)
{
	guard(mutex)(&filter->lock);
	filter->limited_copy = copy;
	pid_filter_set_limited(filter, filter->limited);
}

/**
 * trace_pid_filter_replace - put a list into force
 * @filter:	the filter
 * @kind:	which of its lists
 * @list:	the new one; NULL: there is to be none
 *
 * The list belongs to the filter then, and the one before it is freed when nobody asks it.
 * Context: task, may sleep; the filter's lock is held.
 * Return: 0, or the errno of registering a probe; then nothing has changed and
 * @list is the caller's. Without a list nothing fails.
 */
int trace_pid_filter_replace(struct trace_pid_filter *filter, enum trace_pid_kind kind,
			     struct trace_pid_list *list)
{
	struct trace_pid_list *old = trace_pid_filter_list(filter, kind);
	bool was_limited = trace_pid_filter_limited(filter);
	bool limited = list || trace_pid_filter_list(filter, !kind);
	unsigned int wanted = pid_filter_groups_wanted(filter, limited);
	int ret;

	lockdep_assert_held(&filter->lock);
	if (!list && !old)
		return 0;
	ret = pid_filter_groups_add(filter, wanted);
	if (ret)
		return ret;
	rcu_assign_pointer(filter->lists[kind], list);
	pid_filter_set_limited(filter, limited);
	/* The notes are right before the first caller asks, and until the last one has asked. */
	pid_filter_update_cpus(filter);
	if (limited != was_limited)
		filter->changed(filter, limited);
	pid_filter_groups_drop(filter, filter->probes & ~wanted);
	/* Probes and whoever asks have preemption off. */
	trace_pid_list_free_later(old);
	return 0;
}

/* Add the pids of @from to a list that may be in force. Changes nothing with -ENOMEM. */
static int pid_filter_list_merge(struct trace_pid_list *to, struct trace_pid_list *from)
{
	unsigned int pid;
	int ret;

	for (pid = 0; !trace_pid_list_next(from, pid, &pid); pid++) {
		ret = trace_pid_list_prepare(to, pid);
		if (ret)
			return ret;
	}
	for (pid = 0; !trace_pid_list_next(from, pid, &pid); pid++)
		trace_pid_list_set(to, pid);
	return 0;
}

/**
 * trace_pid_filter_add - add pids to a list
 * @filter:	the filter
 * @kind:	which of its lists
 * @pids:	what is added; belongs to the filter, or is freed
 *
 * A list that is in force is changed in place, so that no child is lost that
 * joins it meanwhile.
 * Context: task, may sleep; takes the filter's lock.
 * Return: as trace_pid_filter_replace(), or -ENOMEM; then nothing has changed and
 * @pids is the caller's.
 */
int trace_pid_filter_add(struct trace_pid_filter *filter, enum trace_pid_kind kind,
			 struct trace_pid_list *pids)
{
	struct trace_pid_list *list;
	int ret;

	guard(mutex)(&filter->lock);
	list = trace_pid_filter_list(filter, kind);
	if (!list)
		return trace_pid_filter_replace(filter, kind, pids);
	ret = pid_filter_list_merge(list, pids);
	if (ret)
		return ret;
	pid_filter_update_cpus(filter);
	trace_pid_list_free(pids);
	return 0;
}

/**
 * trace_pid_filter_follow_fork - let children join the lists of their parents
 * @filter:	the filter
 * @follow:	from now on, or no longer
 *
 * A task that is freed leaves the lists then, as its pid will be another's.
 * Context: task, may sleep; takes the filter's lock.
 * Return: 0, or the errno of registering a probe; then nothing has changed.
 */
int trace_pid_filter_follow_fork(struct trace_pid_filter *filter, bool follow)
{
	unsigned int wanted;
	int ret;

	guard(mutex)(&filter->lock);
	filter->follows_fork = follow;
	wanted = pid_filter_groups_wanted(filter, trace_pid_filter_limited(filter));
	ret = pid_filter_groups_add(filter, wanted);
	if (ret)
		filter->follows_fork = !follow;
	else
		pid_filter_groups_drop(filter, filter->probes & ~wanted);
	return ret;
}
