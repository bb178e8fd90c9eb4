/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The longest latency that a tracer has found: how long, of which task, and, as the
 * snapshot, what was traced meanwhile.
 */
#ifndef _TRACE_INSTANCE_LATENCY_H
#define _TRACE_INSTANCE_LATENCY_H

#include "instance/instance.h"

struct task_struct;

bool trace_latency_is_worth(const struct trace_array *tr, u64 ns, u64 longest);
int trace_latency_keep(struct trace_array *tr, struct task_struct *task,
		       const struct trace_latency *found, bool this_cpu);
void trace_latency_get(struct trace_array *tr, int cpu, struct trace_latency *latency);
void trace_latency_clear(struct trace_array *tr, int cpu);

#endif /* _TRACE_INSTANCE_LATENCY_H */
