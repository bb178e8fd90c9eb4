// SPDX-License-Identifier: GPL-2.0
/*
 * An interruption after each instruction: the handler of the SIGTRAP that the trace flag makes
 * is what comes in between.
 */
#include "test.h"
#include "shim/step.h"

static volatile unsigned long counted, wanted, with_irqs_off;
static void (*wanted_hook)(void *arg);
static void *wanted_arg;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	with_irqs_off += shim_irqs_off;
	if (++counted != wanted)
		return;
	/* The rest goes without. */
	shim_step_end(context);
	wanted_hook(wanted_arg);
}

/* All that a thread has of its CPU. */
void step_on_cpu(int cpu, void (*func)(void *arg), void *arg)
{
	unsigned int count = shim_preempt_count;
	bool irqs_off = shim_irqs_off;
	int was = shim_cpu_id;

	shim_cpu_id = cpu;
	shim_preempt_count = 0;
	shim_irqs_off = false;
	func(arg);
	shim_cpu_id = was;
	shim_preempt_count = count;
	shim_irqs_off = irqs_off;
}

#ifndef STEP_ON
#error "the trace flag is known of x86 only"
#endif

bool step_run(void (*op)(void *arg), void (*hook)(void *arg), void *arg, unsigned long at)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &action, NULL);
	counted = 0;
	wanted = at;
	wanted_hook = hook;
	wanted_arg = arg;
	shim_step_on();
	op(arg);
	shim_step_off();
	return counted >= wanted;
}

unsigned long step_irqs_off(void (*op)(void *arg), void *arg)
{
	with_irqs_off = 0;
	step_run(op, NULL, arg, 0);
	return with_irqs_off;
}
