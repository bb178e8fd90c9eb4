// SPDX-License-Identifier: GPL-2.0
/*
 * Idle tasks, which are not made anew when their CPU comes back: such a task leaves the
 * functions that it is in when the CPU dies, and begins at the top of its stack when the CPU is
 * started again. The frames of these functions would stay, with their data, and a root or a
 * depth that they have reached would count for all that the task does later.
 */
#include <linux/cpuhotplug.h>
#include <linux/init.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "graph/internal.h"

/*
 * @cpu is about to be started. It has not run since it died, and nobody else changes what its
 * idle task has.
 */
static int idle_begin(unsigned int cpu)
{
	struct task_struct *idle = idle_task(cpu);
	struct graph_stack *stack = idle->graph_stack;

	if (!stack)
		return 0;
	graph_fprobe_forget(stack);
	memset(stack, 0, GRAPH_STACK_SIZE);
	graph_stack_init(stack);
	idle->graph_inside = 0;
	return 0;
}

static int __init idle_init(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "trace/graph:idle",
					    idle_begin, NULL);

	return ret < 0 ? ret : 0;
}

early_initcall(idle_init);
