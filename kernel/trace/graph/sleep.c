// SPDX-License-Identifier: GPL-2.0
/*
 * How long tasks sleep: a user that wants the time of a function without sleep notes
 * fgraph_slept() at the entry, and subtracts its increase at the return.
 *
 * A probe of sched_switch adds up the time of each task that has a shadow stack. It is
 * registered while there is a user; each such period is a run, with a number. A task's note of
 * when it was switched away from is ignored if it is from an earlier run, as the task may have
 * run since without being seen.
 */
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <trace/events/sched.h>

#include "graph/graph.h"
#include "graph/internal.h"
#include "lib/clock.h"

static DEFINE_MUTEX(graph_sleep_mutex);
static unsigned int sleep_users;	/* under graph_sleep_mutex */
static unsigned long sleep_run;		/* under the mutex */

/*
 * Interrupts are off. Only this changes what a task has slept, so its stack needs no lock. @data is
 * the number of the run that the probe was registered in. It may still run after that, and nobody
 * waits for it.
 */
static void sleep_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	struct graph_stack *leaves = READ_ONCE(prev->graph_stack);
	struct graph_stack *comes = READ_ONCE(next->graph_stack);
	u64 now = trace_clock_called();
	u32 run = (unsigned long)data;

	if (leaves) {
		leaves->left = now;
		leaves->left_run = run;
	}
	/* The clocks of CPUs may differ. */
	if (comes && comes->left_run == run && (s64)(now - comes->left) > 0)
		WRITE_ONCE(comes->slept, comes->slept + now - comes->left);
}

/**
 * fgraph_sleep_get - add up how long tasks sleep, from now on
 *
 * Context: task, may sleep; takes graph_sleep_mutex.
 * Return: 0, fgraph_sleep_put() must follow; or the errno of registering a probe.
 */
int fgraph_sleep_get(void)
{
	int ret = 0;

	guard(mutex)(&graph_sleep_mutex);
	if (!sleep_users) {
		sleep_run++;
		ret = register_trace_sched_switch(sleep_switch, (void *)sleep_run);
	}
	if (!ret)
		sleep_users++;
	return ret;
}

/**
 * fgraph_sleep_put - undo one fgraph_sleep_get()
 *
 * Context: task, may sleep; takes graph_sleep_mutex.
 */
void fgraph_sleep_put(void)
{
	guard(mutex)(&graph_sleep_mutex);
	if (--sleep_users)
		return;
	unregister_trace_sched_switch(sleep_switch, (void *)sleep_run);
}

/**
 * fgraph_slept - how long current has slept, for a difference of two
 *
 * Context: a callback of a user of returns.
 * Return: nanoseconds.
 */
u64 fgraph_slept(void)
{
	const struct graph_stack *stack = current->graph_stack;

	return stack ? READ_ONCE(stack->slept) : 0;
}
