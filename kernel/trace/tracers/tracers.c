// SPDX-License-Identifier: GPL-2.0
/* Registers the tracers that are built in. */
#include <linux/args.h>
#include <linux/init.h>
#include <linux/kconfig.h>
#include <linux/kernel.h>

#include "instance/tracer.h"
#include "tracers/tracers.h"

/* The option that builds each tracer, and its name. "nop" is the first, as the default. */
#define TRACERS(TRACER)							\
	TRACER(CONFIG_TRACING, nop)					\
	TRACER(CONFIG_FUNCTION_TRACER, function)			\
	TRACER(CONFIG_FUNCTION_GRAPH_TRACER, function_graph)

#define TRACER_DECLARE_0(_name)
#define TRACER_DECLARE_1(_name)	DECLARE_TRACER(_name);
#define TRACER_DECLARE(_config, _name)					\
	CONCATENATE(TRACER_DECLARE_, IS_BUILTIN(_config))(_name)

#define TRACER_ADDRESS_0(_name)
#define TRACER_ADDRESS_1(_name)	&trace_##_name##_tracer,
#define TRACER_ADDRESS(_config, _name)					\
	CONCATENATE(TRACER_ADDRESS_, IS_BUILTIN(_config))(_name)

TRACERS(TRACER_DECLARE)

static const struct tracer * const tracers[] __initconst = { TRACERS(TRACER_ADDRESS) };

#ifdef CONFIG_FTRACE_SELFTEST
/**
 * trace_tracers_nth - a tracer of those that are built in
 * @n: counted from 0
 *
 * Context: boot.
 * Return: the tracer; NULL behind the last one.
 */
const struct tracer *__init trace_tracers_nth(unsigned int n)
{
	return n < ARRAY_SIZE(tracers) ? tracers[n] : NULL;
}
#endif

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
		if (trace_tracer_register_boot(tracers[i]))
			pr_warn("tracing: tracer %s could not be registered\n",
				tracers[i]->name);
	}
}
