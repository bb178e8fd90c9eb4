// SPDX-License-Identifier: GPL-2.0
/*
 * Copies of a CPU's factors of the local clock, see lib/clock.h.
 */
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "lib/clock.h"

/*
 * Is it late enough? While the machine boots, the architecture may find factors, and
 * begin to count their generations anew; or a hypervisor's clock takes over.
 */
static bool clock_settled __ro_after_init;

static int __init clock_copy_settle(void)
{
	clock_settled = true;
	return 0;
}
core_initcall(clock_copy_settle);

/**
 * trace_clock_copy_update - copy this CPU's factors
 * @copy: a copy of this CPU; not valid afterwards if there are no factors
 *
 * An interrupt in the middle of this finds a copy that is not valid.
 *
 * Context: any, with preemption off; nobody else updates @copy meanwhile, and nobody
 * who is interrupted by this has found it valid and is about to read it.
 */
void trace_clock_copy_update(struct trace_clock_copy *copy)
{
	u32 generation, mul, shift;
	u64 offset, epoch;

	trace_clock_copy_init(copy);
	if (!clock_settled)
		return;
	generation = arch_clock_generation();
	barrier();
	if (!arch_clock_factors(generation, &mul, &shift, &offset, &epoch) || shift > 32)
		return;
	copy->mul = (u64)mul << (32 - shift);
	copy->offset = offset;
	copy->epoch = epoch;
	barrier();
	/* Another CPU may have changed the factors while they were read. */
	smp_rmb();
	if (arch_clock_generation() == generation)
		WRITE_ONCE(copy->generation, generation);
}

/* For trace_clock_quick(). A task updates it with interrupts on, and all contexts read it. */
DEFINE_PER_CPU(struct trace_clock_copy, trace_clock_cpu_copy) = {
	.generation = TRACE_CLOCK_NO_COPY,
};

/**
 * trace_clock_not_copied - trace_clock_quick() where this CPU's copy is not valid
 *
 * An interrupt does not update the copy: it may have interrupted a reader that has checked
 * the generation and is still reading the factors. In a task with interrupts on, no such
 * reader can be below us.
 *
 * Context: any, with preemption off.
 * Return: the local clock.
 */
u64 trace_clock_not_copied(void)
{
	if (!interrupt_context_level() && !irqs_disabled())
		trace_clock_copy_update(this_cpu_ptr(&trace_clock_cpu_copy));
	return trace_clock_called();
}
