/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracers/ inside: the records of the function tracer, for its tests and for other
 * tracers that write calls of functions.
 */
#ifndef _TRACE_TRACERS_FUNCTION_H
#define _TRACE_TRACERS_FUNCTION_H

#include "record/function.h"

/* Calls of the same function from the same place that were left out. */
struct trace_func_repeats_entry {
	struct trace_entry	ent;
	unsigned long		ip;
	unsigned long		parent_ip;
	u16			count;
	/* 48 bits, see function_repeats_delta() */
	u16			top_delta_ts;
	u32			bottom_delta_ts;
};

struct trace_array;

int trace_function_selftest(struct trace_array *tr);	/* CONFIG_FTRACE_SELFTEST */

#endif /* _TRACE_TRACERS_FUNCTION_H */
