// SPDX-License-Identifier: GPL-2.0
/*
 * The callers of functions whose returns are hooked, for hooks/: see hooks/parent.h.
 *
 * A call that finds the address of a handler has been jumped to from a function whose return is
 * hooked, or called by one that has hooked it already. Calls return in the order in which they
 * are made, so that function is the one whose return was hooked last, of those that are
 * awaited. It would be another one only in a function that bpf_throw() has gone on in, until that
 * returns: the calls that were left within it count as awaited, see stack.h.
 */
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "graph/real.h"
#include "hooks/hooks.h"

/* The place of that function's call; NULL: there is none. */
static unsigned long *parent_place(unsigned long handler)
{
	struct llist_node *hook;

	if (!is_kretprobe_trampoline(handler))
		return graph_last_place();
	hook = graph_kretprobe_last(current);
	return hook ? graph_kretprobe_place(hook) : NULL;
}

NOKPROBE_SYMBOL(parent_place);

static unsigned long parent_real(unsigned long handler)
{
	unsigned long *place = parent_place(handler);

	return place ? graph_real_return(place, handler, 0, NULL) : handler;
}

NOKPROBE_SYMBOL(parent_real);

/**
 * graph_next_task - the next of all tasks but the idle ones
 * @nr: the lowest pid that it may have, at first 1; set to the next pid to ask for
 *
 * Context: task, any.
 * Return: a task, with a reference, or NULL.
 */
struct task_struct *graph_next_task(int *nr)
{
	struct task_struct *task = NULL;
	struct pid *pid;

	guard(rcu)();
	while (!task) {
		pid = find_ge_pid(*nr, &init_pid_ns);
		if (!pid)
			return NULL;
		*nr = pid_nr(pid) + 1;
		task = pid_task(pid, PIDTYPE_PID);
	}
	return get_task_struct(task);
}

/*
 * Nobody hooks returns any more, so a task that awaits no hooked return now will await none. A
 * task is not found in the last steps of its exit, and while it takes the pid of its leader in
 * execve(): there a call may still be told the address of a handler.
 */
static bool parent_may_be_hidden(void)
{
	struct task_struct *task;
	int cpu, nr = 1;
	bool hooked;

	for_each_possible_cpu(cpu) {
		task = idle_task(cpu);
		if (task && (graph_task_awaits(task) || graph_kretprobe_last(task)))
			return true;
	}
	while ((task = graph_next_task(&nr))) {
		hooked = graph_task_awaits(task) || graph_kretprobe_last(task);
		put_task_struct(task);
		if (hooked)
			return true;
		cond_resched();
	}
	return false;
}

const struct ftrace_parent_ops graph_parent_ops = {
	.real	= parent_real,
	.hidden	= parent_may_be_hidden,
};

/**
 * ftrace_returns_hooked - rethook or kretprobes begin to hook returns, or hook no more
 * @on: which; once each for each rethook or kretprobe
 *
 * Returns that are hooked already may be awaited longer.
 *
 * Context: task, may sleep; takes ftrace_lock().
 */
void ftrace_returns_hooked(bool on)
{
	guard(ftrace_lock)();
	if (on)
		ftrace_parents_hide(&graph_parent_ops);
	else
		ftrace_parents_show();
}
