// SPDX-License-Identifier: GPL-2.0
/*
 * Idle tasks of CPUs that go offline and come again. The kernel keeps the task, but when the CPU
 * is started again, the task begins at the top of its stack: the functions in which it was when
 * the CPU died never return. Their frames, and a root of the graph that it was in, have to go.
 *
 * That is done by the CPU itself, before it calls its first hooked function. The CPU that starts
 * it cannot do so: on x86 a CPU that reports its death goes on calling and leaving hooked
 * functions until it halts, and a virtual one may be slow there.
 */
#include <linux/cpuhotplug.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "graph/internal.h"

/**
 * ftrace_graph_begin_idle - an idle task begins at the top of its stack
 *
 * The calls that current was in are gone, a callback of a hooked function included. If an
 * fprobe of an awaited return goes at this moment, and another one takes its hook, that one may
 * count a call too few as active.
 *
 * Context: a CPU that has just been started, with interrupts disabled, not yet online. Its caller
 * is not hooked, or does not return.
 */
void ftrace_graph_begin_idle(void)
{
	struct graph_stack *stack = current->graph_stack;

	current->trace_recursion = 0;
	current->graph_inside = 0;
	if (!stack)
		return;
	graph_fprobe_forget(stack);
	memset(stack, 0, GRAPH_STACK_SIZE);
	graph_stack_init(stack);
}

/*
 * Called on another CPU before @cpu is started. Without memory the CPU comes all the same. The
 * stack that there is may be in use, see above.
 */
static int idle_prepare(unsigned int cpu)
{
	graph_task_give_ahead(idle_task(cpu));
	return 0;
}

static int __init idle_init(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "trace/graph:idle",
					    idle_prepare, NULL);

	return ret < 0 ? ret : 0;
}

early_initcall(idle_init);
