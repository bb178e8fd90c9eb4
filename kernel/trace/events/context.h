/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/ inside: numbers of the task that raises an event, which every event has as a field
 * although no record holds them. A field of TRACE_FILTER_CONTEXT has one of these as its offset.
 * In an interrupt they are those of the task that is interrupted, as common_pid is.
 */
#ifndef _TRACE_EVENTS_CONTEXT_H
#define _TRACE_EVENTS_CONTEXT_H

#include <linux/types.h>

enum trace_context {
	TRACE_CONTEXT_PRIO,	/* its priority, as sched_switch has it: 120 is nice 0 */
	TRACE_CONTEXT_TGID,	/* its process */
	TRACE_CONTEXT_VPID,	/* common_pid as the task's own pid namespace has it */
	TRACE_CONTEXT_UID,	/* its user, as the initial user namespace has it */
	TRACE_CONTEXT_CGROUP,	/* the number of its cgroup in the unified hierarchy */
	TRACE_CONTEXT_NSECS,	/* nanoseconds of the monotonic clock */
};

u64 trace_context_number(enum trace_context context);

#endif /* _TRACE_EVENTS_CONTEXT_H */
