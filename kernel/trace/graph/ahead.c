// SPDX-License-Identifier: GPL-2.0
/*
 * Shadow stacks are there before they are needed. While a user wants returns, a task gets its
 * stack when it is made, an idle task when its CPU is started, and all tasks that there are when
 * the first user comes. So a hit depends on no other task or CPU.
 *
 * A task that is made while the first user comes gets a stack:
 *
 *	fork				first user
 *	attach_pid()			spares_wanted = 1
 *	smp_mb()			smp_mb()
 *	is spares_wanted set?		which pids have a task?
 *
 * One of them sees the other. This holds for an idle task, too: its CPU is present before it is
 * prepared. If both see each other, cmpxchg() decides whose stack the task has.
 *
 * A thread that calls execve() while the first user looks takes the pid of its leader, and may
 * be missed. Such a thread takes a spare stack, see task.c, as does a task without memory.
 */
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "graph/internal.h"

/* Idle tasks have no pids. Early in boot there is only one, which runs this. */
static int ahead_idle(void)
{
	int cpu, ret = graph_task_give_ahead(&init_task);

	for_each_present_cpu(cpu) {
		if (!ret && idle_task(cpu))
			ret = graph_task_give_ahead(idle_task(cpu));
	}
	return ret;
}

/* Give all tasks shadow stacks. Returns 0, or -ENOMEM: some tasks have none. */
static int ahead_all(void)
{
	struct task_struct *task;
	int nr = 1, ret;

	/* Pairs with that in graph_task_give_ahead(). */
	smp_mb();
	ret = ahead_idle();
	while (!ret) {
		task = graph_next_task(&nr);
		if (!task)
			break;
		ret = graph_task_give_ahead(task);
		put_task_struct(task);
		cond_resched();
	}
	return ret;
}

/**
 * graph_ahead_want - a user comes, for which graph_spares_unwant() has to follow
 *
 * Every task has a shadow stack when this has returned, or gets one before it runs.
 *
 * Context: task, may sleep; ftrace_lock() is held.
 * Return: 0 or -ENOMEM.
 */
int graph_ahead_want(void)
{
	int ret = graph_spares_want();

	if (ret <= 0)
		return ret;
	ret = ahead_all();
	if (ret)
		graph_spares_unwant();
	return ret;
}

/**
 * ftrace_graph_new_task - a task has been made
 * @t: the task; others find it, and it does not run yet
 *
 * Without memory it begins without a stack, and fork goes on.
 *
 * Context: fork, may sleep.
 */
void ftrace_graph_new_task(struct task_struct *t)
{
	graph_task_give_ahead(t);
}
