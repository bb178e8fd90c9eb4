// SPDX-License-Identifier: GPL-2.0
/*
 * Idle tasks of CPUs that go offline. The kernel keeps the task, but when the CPU is started
 * again, the task begins at the top of its stack: the functions in which it was when the CPU died
 * never return. Their frames, and a root of the graph that it was in, have to go.
 */
#include <linux/cpuhotplug.h>
#include <linux/init.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "graph/internal.h"

/*
 * Called on another CPU before @cpu is started. The idle task does not run until then, so nobody
 * else pushes or pops frames. Earlier, when the CPU dies, it may still be in a hooked function.
 */
static int idle_begin(unsigned int cpu)
{
	struct task_struct *idle = idle_task(cpu);
	struct graph_stack *stack = idle->graph_stack;

	if (!stack) {
		/* Without memory the CPU comes all the same. */
		graph_task_give_ahead(idle);
		return 0;
	}
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
