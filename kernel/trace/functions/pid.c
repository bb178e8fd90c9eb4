// SPDX-License-Identifier: GPL-2.0
/*
 * Function tracing by task. Two lists an instance: tasks that are traced
 * and tasks that are not. The test at a function is one load of a per-CPU
 * flag: a probe of sched_switch keeps it right for the task that runs.
 *
 * Rules: lists are replaced as a whole under trace_functions_pid_mutex and
 * freed after a grace period; following a fork changes the list in place, which
 * the list allows at any time. The probes are registered while any list exists.
 */
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "functions/internal.h"

/* The lists, the probes, and what callback the ops has. */
DEFINE_MUTEX(trace_functions_pid_mutex);

struct trace_pid_list *trace_functions_pids(struct trace_functions *fns,
					    enum trace_pid_kind kind)
{
	return rcu_dereference_protected(fns->pids[kind],
					 lockdep_is_held(&trace_functions_pid_mutex));
}

static bool is_ignored(struct trace_functions *fns, struct task_struct *task)
{
	struct trace_pid_list *pids = rcu_dereference_sched(fns->pids[TRACE_PIDS]);
	struct trace_pid_list *no_pids = rcu_dereference_sched(fns->pids[TRACE_NO_PIDS]);

	return (pids && !trace_pid_list_is_set(pids, task->pid)) ||
	       (no_pids && trace_pid_list_is_set(no_pids, task->pid));
}

static void probe_sched_switch(void *data, bool preempt, struct task_struct *prev,
			       struct task_struct *next, unsigned int prev_state)
{
	struct trace_functions *fns = data;

	this_cpu_write(*fns->ignored, is_ignored(fns, next));
}

static void update_this_cpu(void *data)
{
	struct trace_functions *fns = data;

	this_cpu_write(*fns->ignored, is_ignored(fns, current));
}

static void pid_entry(unsigned long ip, unsigned long parent_ip,
		      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct trace_functions *fns = container_of(op, struct trace_functions, ops);

	if (!this_cpu_read(*fns->ignored))
		fns->func(ip, parent_ip, op, fregs);
}

/* The callback that @fns's ops needs: the tracer's own while there is no list. */
ftrace_func_t trace_functions_entry(struct trace_functions *fns)
{
	if (rcu_access_pointer(fns->pids[TRACE_PIDS]) ||
	    rcu_access_pointer(fns->pids[TRACE_NO_PIDS]))
		return pid_entry;
	return fns->func;
}

/* The lists changed: callback, probe and every CPU's flag follow. */
static int lists_changed(struct trace_functions *fns, bool had_list)
{
	bool has_list = trace_functions_pids(fns, TRACE_PIDS) ||
			trace_functions_pids(fns, TRACE_NO_PIDS);
	int ret = 0;

	if (has_list && !had_list)
		ret = register_trace_sched_switch(probe_sched_switch, fns);
	else if (!has_list && had_list)
		unregister_trace_sched_switch(probe_sched_switch, fns);
	if (!ret)
		on_each_cpu(update_this_cpu, fns, 1);
	if (!ret && fns->running)
		ftrace_ops_set_func(&fns->ops, trace_functions_entry(fns));
	return ret;
}

/**
 * trace_functions_replace_pids - put a list into force
 * @fns:	the instance's functions
 * @kind:	which of its lists
 * @list:	the new list, consumed on success; NULL: no list any more
 *
 * Waits for a grace period and frees the old list, when there was one.
 * Context: task, may sleep; trace_functions_pid_mutex is held.
 * Return: 0 or the error of registering a probe; then @list is the caller's.
 */
int trace_functions_replace_pids(struct trace_functions *fns, enum trace_pid_kind kind,
				 struct trace_pid_list *list)
{
	struct trace_pid_list *old = trace_functions_pids(fns, kind);
	bool had_list = old || trace_functions_pids(fns, !kind);
	int ret;

	lockdep_assert_held(&trace_functions_pid_mutex);
	if (!old && !list)
		return 0;
	rcu_assign_pointer(fns->pids[kind], list);
	ret = lists_changed(fns, had_list);
	if (ret) {
		rcu_assign_pointer(fns->pids[kind], old);
		return ret;
	}
	if (old) {
		/* Probes are called with preemption off. */
		tracepoint_synchronize_unregister();
		trace_pid_list_free(old);
	}
	return 0;
}

static void probe_fork(void *data, struct task_struct *self, struct task_struct *child)
{
	struct trace_functions *fns = data;
	int kind;

	for (kind = 0; kind < TRACE_PID_KINDS; kind++) {
		struct trace_pid_list *list = rcu_dereference_sched(fns->pids[kind]);

		if (list && trace_pid_list_is_set(list, self->pid))
			trace_pid_list_set(list, child->pid);
	}
}

static void probe_free(void *data, struct task_struct *task)
{
	struct trace_functions *fns = data;
	int kind;

	for (kind = 0; kind < TRACE_PID_KINDS; kind++) {
		struct trace_pid_list *list = rcu_dereference_sched(fns->pids[kind]);

		if (list)
			trace_pid_list_clear(list, task->pid);
	}
}

/**
 * trace_functions_follow_fork - option function-fork: children join the lists
 * @fns:	the instance's functions
 * @follow:	start or stop
 *
 * Context: task, may sleep; the instances' lock is held.
 * Return: 0 or the error of registering a probe.
 */
int trace_functions_follow_fork(struct trace_functions *fns, bool follow)
{
	int ret;

	trace_instances_assert_locked();
	if (fns->follows_fork == follow)
		return 0;
	if (!follow) {
		unregister_trace_sched_process_fork(probe_fork, fns);
		unregister_trace_sched_process_free(probe_free, fns);
		fns->follows_fork = false;
		return 0;
	}
	ret = register_trace_sched_process_fork(probe_fork, fns);
	if (ret)
		return ret;
	ret = register_trace_sched_process_free(probe_free, fns);
	if (ret)
		unregister_trace_sched_process_fork(probe_fork, fns);
	else
		fns->follows_fork = true;
	return ret;
}
