/* SPDX-License-Identifier: GPL-2.0 */
/* tracers/graph/ inside: the records of function_graph. User space knows their layout. */
#ifndef _TRACE_TRACERS_GRAPH_RECORDS_H
#define _TRACE_TRACERS_GRAPH_RECORDS_H

#include <linux/trace_events.h>

/* Arguments are there with the option funcgraph-args only. */
struct graph_entry_record {
	struct trace_entry	ent;
	unsigned long		func;
	int			depth;
	unsigned long		args[];
} __packed __aligned(4);

/* Instead of that with the option funcgraph-retaddr. */
struct graph_caller_record {
	struct trace_entry	ent;
	unsigned long		func;
	int			depth;
	unsigned long		retaddr;
	unsigned long		args[];
} __packed __aligned(4);

struct graph_exit_record {
	struct trace_entry	ent;
	unsigned long		func;
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	unsigned long		retval;
#endif
	int			depth;
	unsigned int		overrun;
	unsigned long long	calltime;
	unsigned long long	rettime;
} __packed __aligned(4);

/* Instead of that with the options funcgraph-selftime and funcgraph-irqtime; nanoseconds. */
struct graph_times_record {
	struct graph_exit_record	exit;
	unsigned long long		self, irq, sleep;
} __packed __aligned(4);

static inline unsigned long graph_exit_retval(const struct graph_exit_record *exit)
{
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	return exit->retval;
#else
	return 0;
#endif
}

#endif /* _TRACE_TRACERS_GRAPH_RECORDS_H */
