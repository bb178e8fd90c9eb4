/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracers/: the plug-ins of current_tracer. A tracer is one file, one line in the
 * Makefile and one line in tracers.c; its file ends with
 *
 *	DEFINE_TRACER(NAME) = {
 *		.name	= "NAME",
 *		...
 *	};
 *
 * struct tracer (instance/) tells what may stand there: callbacks, options, and
 * the kinds of records that only this tracer writes.
 */
#ifndef _TRACE_TRACERS_H
#define _TRACE_TRACERS_H

#include <linux/kernel.h>

#include "instance/instance.h"
#include "instance/tracer.h"

/* tracers.c finds a tracer by NAME. */
#define DECLARE_TRACER(_name)	extern const struct tracer trace_##_name##_tracer
#define DEFINE_TRACER(_name)						\
	DECLARE_TRACER(_name);						\
	const struct tracer trace_##_name##_tracer

/* Without startup tests, a tracer's own one is neither called nor kept. */
#define TRACER_SELFTEST(_func)	PTR_IF(IS_ENABLED(CONFIG_FTRACE_SELFTEST), _func)

extern struct trace_component trace_function_component;

void trace_tracers_init(void);
const struct tracer *trace_tracers_nth(unsigned int n);		/* boot */

#endif /* _TRACE_TRACERS_H */
