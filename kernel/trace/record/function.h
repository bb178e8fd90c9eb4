/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record/function.h: the record of a call of a function, which the function tracer writes,
 * and which perf gets of ftrace:function. The tracer has the kind, with the format.
 */
#ifndef _TRACE_RECORD_FUNCTION_H
#define _TRACE_RECORD_FUNCTION_H

#include <linux/trace_events.h>

/* Arguments are there with the option func-args of the tracer only. */
struct trace_function_entry {
	struct trace_entry	ent;
	unsigned long		ip;
	unsigned long		parent_ip;
	unsigned long		args[];
};

#endif /* _TRACE_RECORD_FUNCTION_H */
