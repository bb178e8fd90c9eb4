// SPDX-License-Identifier: GPL-2.0
/*
 * An interruption after each instruction: the processor's trace flag makes a
 * SIGTRAP after every one, and the handler is what comes in between.
 */
#include <signal.h>
#include <ucontext.h>

#include "test.h"

static volatile unsigned long counted, wanted, with_irqs_off;
static void (*wanted_hook)(void *arg);
static void *wanted_arg;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;

	(void)signal;
	(void)info;
	with_irqs_off += shim_irqs_off;
	if (++counted != wanted)
		return;
	/* The rest goes without. */
	interrupted->uc_mcontext.gregs[REG_EFL] &= ~0x100;
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

#if defined(__x86_64__) || defined(__i386__)
#ifdef __x86_64__
# define STEP_BEGIN	"lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq;" \
			"lea 128(%%rsp), %%rsp"
# define STEP_END	"lea -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq;" \
			"lea 128(%%rsp), %%rsp"
#else
# define STEP_BEGIN	"pushfl; orl $0x100, (%%esp); popfl"
# define STEP_END	"pushfl; andl $~0x100, (%%esp); popfl"
#endif
bool step_run(void (*op)(void *arg), void (*hook)(void *arg), void *arg, unsigned long at)
{
	struct sigaction action = { .sa_sigaction = on_trap, .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &action, NULL);
	counted = 0;
	wanted = at;
	wanted_hook = hook;
	wanted_arg = arg;
	__asm__ __volatile__(STEP_BEGIN : : : "memory", "cc");
	op(arg);
	__asm__ __volatile__(STEP_END : : : "memory", "cc");
	return counted >= wanted;
}

unsigned long step_irqs_off(void (*op)(void *arg), void *arg)
{
	with_irqs_off = 0;
	step_run(op, NULL, arg, 0);
	return with_irqs_off;
}
#else
#error "the trace flag is known of x86 only"
#endif
