// SPDX-License-Identifier: GPL-2.0
/* Registers the tracers that are built in; nop first, since it is the default. */
#include <linux/init.h>
#include <linux/kernel.h>

#include "tracers/tracers.h"

static const struct tracer * const tracers[] __initconst = {
	&trace_nop_tracer,
#ifdef CONFIG_FUNCTION_TRACER
	&trace_function_tracer,
#endif
};

/**
 * trace_tracers_init - register all tracers
 *
 * Context: boot, once, after the top instance was created. A tracer that
 * ftrace= names starts here.
 */
void __init trace_tracers_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tracers); i++) {
		if (trace_tracer_register(tracers[i]))
			pr_warn("tracing: tracer %s could not be registered\n",
				tracers[i]->name);
	}
}
