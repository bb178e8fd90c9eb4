/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile/ inside: the profiler of an instance.
 *
 *	store.c		counters of each CPU, by function
 *	rows.c		counters become rows
 *	calls.c		the callbacks, which count, are hooked and unhooked
 *	profile_file.c	function_profile_enabled and trace_stat/
 *	instance.c	the component
 */
#ifndef _TRACE_PROFILE_INTERNAL_H
#define _TRACE_PROFILE_INTERNAL_H

#include <linux/ftrace.h>

#include "instance/component.h"
#include "profile/profile.h"
#include "profile/store.h"

struct trace_pid_filter;

/* The parts of a function's time, as the options of the graph tracer want them. */
enum {
	PROFILE_GRAPH_TIME	= BIT(0),	/* the time of the functions that it calls */
	PROFILE_SLEEP_TIME	= BIT(1),	/* the time that tasks sleep in it */
};

/**
 * struct trace_profile - what an instance has of the profiler
 * @gops: the hook; it has the functions of set_ftrace_filter
 * @ops: the hook where returns cannot be hooked; the same functions
 * @tr: the instance
 * @pids: the tasks whose calls are counted
 * @counting: the store to count in; NULL: nothing is counted
 * @options: PROFILE_*
 * @store: what was counted since profiling was switched on the last time, or NULL
 * @on: profiling is switched on
 * @ran: callbacks may still be running, which find that @counting is NULL
 *
 * Callbacks read @counting under RCU: they have preemption disabled.
 */
struct trace_profile {
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	struct fgraph_ops		gops;
#else
	struct ftrace_ops		ops;
#endif
	struct trace_array		*tr;		/* constant */
	const struct trace_pid_filter	*pids;		/* constant */
	struct profile_store __rcu	*counting;	/* instances lock, RCU */
	u32				options;	/* instances lock, READ_ONCE() */
	struct profile_store		*store;		/* instances lock */
	bool				on;		/* instances lock, READ_ONCE() */
	bool				ran;		/* instances lock */
};

/* calls.c */
extern struct trace_slot trace_profile_slot;
void trace_profile_hook_init(struct trace_profile *profile);
int trace_profile_start(struct trace_profile *profile);
void trace_profile_stop(struct trace_profile *profile);
void trace_profile_settle(const struct trace_profile *profile);

/* The profiler of an instance. It stays as long as @tr. */
static inline struct trace_profile *trace_profile_of(struct trace_array *tr)
{
	return trace_slot_data(tr, &trace_profile_slot);
}

/* profile_file.c */
int trace_profile_create_files(struct trace_array *tr, struct dentry *dir);

#endif /* _TRACE_PROFILE_INTERNAL_H */
