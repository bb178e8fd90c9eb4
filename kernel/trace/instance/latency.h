/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The longest latency that a tracer has found: how long, of which task, and, as the
 * snapshot, what was traced meanwhile.
 */
#ifndef _TRACE_INSTANCE_LATENCY_H
#define _TRACE_INSTANCE_LATENCY_H

#include <linux/sched.h>
#include <linux/types.h>
#include <linux/uidgid_types.h>

struct trace_array;

/**
 * struct trace_latency - the longest latency that a tracer has found on a CPU
 * @ns:		how long
 * @from:	the code where it began; 0: not known
 * @to:		the code where it ended
 * @pid:	of the task that had it, as all below
 * @uid:	its user
 * @nice:	its nice value
 * @policy:	its scheduling policy
 * @rt_priority: its priority, if it is a real-time task
 * @comm:	its name
 */
struct trace_latency {
	u64			ns;
	unsigned long		from;
	unsigned long		to;
	pid_t			pid;
	kuid_t			uid;
	int			nice;
	unsigned int		policy;
	unsigned int		rt_priority;
	char			comm[TASK_COMM_LEN];
};

bool trace_latency_is_worth(const struct trace_array *tr, u64 ns, u64 longest);
int trace_latency_keep(struct trace_array *tr, struct task_struct *task,
		       const struct trace_latency *found, bool this_cpu);
void trace_latency_get(struct trace_array *tr, int cpu, struct trace_latency *latency);
void trace_latency_clear(struct trace_array *tr, int cpu);

#endif /* _TRACE_INSTANCE_LATENCY_H */
