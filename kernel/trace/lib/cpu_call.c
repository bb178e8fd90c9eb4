// SPDX-License-Identifier: GPL-2.0
/*
 * Call a function on another CPU, and sleep until it has returned; see cpu_call.h.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "lib/cpu_call.h"
#include "lib/may_wait.h"

/**
 * struct cpu_call - a function that another CPU is to call
 * @csd: what the interrupt finds
 * @func: the function
 * @data: its argument
 * @done: it has returned
 */
struct cpu_call {
	call_single_data_t	csd;
	void			(*func)(void *data);
	void			*data;
	struct completion	done;
};

static void cpu_call_here(void *arg)
{
	struct cpu_call *call = arg;

	call->func(call->data);
	complete(&call->done);
}

static int cpu_call(int cpu, void (*func)(void *data), void *data)
{
	struct cpu_call call = { .func = func, .data = data };
	int ret;

	scoped_guard(irqsave) {
		if (cpu == smp_processor_id()) {
			func(data);
			return 0;
		}
		init_completion(&call.done);
		INIT_CSD(&call.csd, cpu_call_here, &call);
		ret = smp_call_function_single_async(cpu, &call.csd);
	}
	/* It is the CPU that hangs then, and not the task: nobody complains of that one. */
	if (!ret)
		wait_for_completion_state(&call.done, TASK_IDLE);
	return ret;
}

/**
 * trace_cpu_call - call a function on a CPU, and sleep until it has returned
 * @cpu: the CPU
 * @func: the function; interrupts are disabled when it is called
 * @data: its argument
 *
 * A CPU that goes offline still calls what it was asked for before. The wait cannot be interrupted.
 *
 * Context: task, may sleep; no lock that others need, see wait.h; in early boot, @cpu is the one
 * that runs.
 * Return: 0; -ENXIO: the CPU is offline, and nothing was called.
 */
int trace_cpu_call(int cpu, void (*func)(void *data), void *data)
{
	trace_may_wait();
	return cpu_call(cpu, func, data);
}

/**
 * trace_cpu_call_each - call a function on one CPU that is online after the other
 * @func: as for trace_cpu_call()
 * @data: its argument
 *
 * Unless the caller keeps CPUs as they are, those that come or go meanwhile are called, or not.
 *
 * Context: as trace_cpu_call(); in early boot, one CPU is online. The caller may have a lock that
 * others need, if it has probes put into place or taken out as well: that patches text, for which
 * each CPU takes an interrupt, too.
 */
void trace_cpu_call_each(void (*func)(void *data), void *data)
{
	int cpu;

	for_each_online_cpu(cpu)
		cpu_call(cpu, func, data);
}
