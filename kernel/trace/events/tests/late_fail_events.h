/* SPDX-License-Identifier: GPL-2.0 */
/* The events of late_fail.c. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM late_fail

#if !defined(_LATE_FAIL_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _LATE_FAIL_EVENTS_H

#include <linux/cpumask.h>
#include <linux/tracepoint.h>

#ifndef _LATE_FAIL_STEPS
#define _LATE_FAIL_STEPS
enum { LATE_FAIL_FIRST, LATE_FAIL_LATER };
#endif

TRACE_DEFINE_ENUM(LATE_FAIL_FIRST);
TRACE_DEFINE_ENUM(LATE_FAIL_LATER);

TRACE_EVENT(late_fail_step,

	TP_PROTO(int step),

	TP_ARGS(step),

	TP_STRUCT__entry(
		__field(int, step)
		__field_struct(cpumask_t, cpus)
	),

	TP_fast_assign(
		__entry->step = step;
		cpumask_copy(&__entry->cpus, cpumask_of(0));
	),

	TP_printk("step=%s", __print_symbolic(__entry->step,
					      { LATE_FAIL_FIRST, "first" },
					      { LATE_FAIL_LATER, "later" }))
);

#endif /* _LATE_FAIL_EVENTS_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH events/tests
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE late_fail_events
#include <trace/define_trace.h>
