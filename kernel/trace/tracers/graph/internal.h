/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracers/graph/ inside: declarations that its files share.
 *
 *	calls.c		callbacks at entries and returns, which record them
 *	instance.c	what an instance has for them: limits, roots
 *	tracer.c	the tracer: it comes, goes, has options; the component
 *	boot.c		the command line
 *	files.c		set_graph_function, set_graph_notrace, max_graph_depth
 *	selftest.c	the startup test
 *
 * and files that know no hooks, only records:
 *
 *	kinds.c		the kinds of records, which records.h has
 *	tree.c		records become lines of a tree
 *	columns.c	what stands before the tree, and the header
 */
#ifndef _TRACE_TRACERS_GRAPH_INTERNAL_H
#define _TRACE_TRACERS_GRAPH_INTERNAL_H

#include <linux/ftrace.h>
#include <linux/seq_file.h>
#include <linux/trace_events.h>

#include "functions/functions.h"
#include "functions/judge.h"
#include "graph/stack.h"
#include "instance/component.h"
#include "instance/tracer.h"
#include "record/kind.h"
#include "tracers/graph/records.h"

/* Options of the tracer. */
enum {
	GRAPH_OVERRUN		= BIT(0),
	GRAPH_CPU		= BIT(1),
	GRAPH_OVERHEAD		= BIT(2),
	GRAPH_PROC		= BIT(3),
	GRAPH_DURATION		= BIT(4),
	GRAPH_ABSTIME		= BIT(5),
	GRAPH_IRQS		= BIT(6),
	GRAPH_TAIL		= BIT(7),
	GRAPH_RETVAL		= BIT(8),
	GRAPH_RETVAL_HEX	= BIT(9),
	GRAPH_SLEEP_TIME	= BIT(10),
	GRAPH_GRAPH_TIME	= BIT(11),	/* of the profiler alone */
	GRAPH_RETADDR		= BIT(12),
	GRAPH_SELF_TIME		= BIT(13),
	GRAPH_IRQ_TIME		= BIT(14),
	GRAPH_ARGS		= BIT(15),
};

#define GRAPH_OPTIONS	(GRAPH_CPU | GRAPH_OVERHEAD | GRAPH_DURATION | GRAPH_IRQS | \
			 GRAPH_SLEEP_TIME | GRAPH_GRAPH_TIME)

/* kinds.c */
extern const struct trace_kind * const trace_graph_kinds[];

/**
 * struct graph_row - what the columns of a line are about
 * @iter: the record, and where to
 * @opts: options of the tracer
 * @columns: there are columns at all: option context-info
 */
struct graph_row {
	struct trace_iterator	*iter;
	u32			opts;
	bool			columns;
};

/* columns.c */
void trace_graph_put_columns(const struct graph_row *row);
void trace_graph_put_duration(const struct graph_row *row, u64 ns);
void trace_graph_put_no_duration(const struct graph_row *row);
void trace_graph_put_irq(const struct graph_row *row, const char *arrow);
void trace_graph_put_switch(const struct graph_row *row, pid_t from, pid_t to);
void trace_graph_put_header(struct seq_file *m, u32 opts);

/* tree.c */
void trace_graph_tree_open(struct trace_iterator *iter);
void trace_graph_tree_restart(struct trace_iterator *iter);
void trace_graph_tree_close(struct trace_iterator *iter);
enum print_line_t trace_graph_print(struct trace_iterator *iter, u32 opts);
enum print_line_t trace_graph_print_alone(struct trace_iterator *iter, u32 opts);

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

/* The duties of a callback besides writing a record. */
enum {
	GRAPH_OFF	= BIT(0),	/* it writes nothing */
	GRAPH_ROOTED	= BIT(1),	/* set_graph_function names some functions */
	GRAPH_MUTED	= BIT(2),	/* set_graph_notrace does */
	GRAPH_PLACED	= BIT(3),	/* tasks have a struct graph_place */
	GRAPH_LIMITED	= BIT(4),	/* max_graph_depth is not 0 */
	GRAPH_NO_IRQS	= BIT(5),	/* the option funcgraph-irqs is off */
	GRAPH_NO_ENTRY	= BIT(6),	/* tracing_thresh: returns only, and only of long calls */
	GRAPH_AWAKE	= BIT(7),	/* the option sleep-time is off */
	GRAPH_CALLERS	= BIT(8),	/* funcgraph-retaddr: entries tell where they return to */
	GRAPH_TIMED	= BIT(9),	/* returns tell what the time was spent with */
	GRAPH_ARGUED	= BIT(10),	/* funcgraph-args: entries tell their arguments */
	GRAPH_JUDGED	= BIT(11),	/* functions of set_ftrace_filter have predicates */
};

/* Other things that are watched, for the times of calls. */
enum {
	GRAPH_WATCH_SLEEP	= BIT(0),	/* fgraph_sleep_get() was called */
	GRAPH_WATCH_INTERRUPTS	= BIT(1),	/* fgraph_interrupts_get() was */
};

/* The two sets of functions that an instance has. */
enum graph_set {
	GRAPH_SET_ROOTS,		/* set_graph_function */
	GRAPH_SET_MUTED,		/* set_graph_notrace */
	GRAPH_SETS
};

/**
 * struct graph_instance - what an instance has of the tracer
 * @gops:	the hook; it has the functions of set_ftrace_filter
 * @duties:	GRAPH_OFF to GRAPH_JUDGED
 * @limited:	copy of trace_pid_filter_limited(@pids)
 * @special:	both in one word; if it is 0, an entry only writes its record
 * @depth:	max_graph_depth
 * @thresh:	tracing_thresh in nanoseconds, as it was when the tracer was started
 * @tr:		the instance
 * @pids:	the tasks that are traced
 * @sets:	owners of filters; that of the roots is registered beside @gops if it has any
 * @judge:	predicates on the arguments of roots
 * @options:	of the tracer, the current one or not
 * @running:	@gops is registered
 * @watches:	what is watched besides, while @gops is registered
 * @ran:	callbacks may still be running
 */
struct graph_instance {
	struct fgraph_ops		gops;
	union {
		struct {
			u32		duties;		/* instances lock, READ_ONCE() */
			u32		limited;	/* READ_ONCE(), under the lock of @pids */
		};
		u64			special;
	};
	unsigned int			depth;		/* instances lock, READ_ONCE() */
	u64				thresh;		/* instances lock, READ_ONCE() */
	struct trace_array		*tr;		/* constant */
	struct trace_pid_filter		*pids;		/* constant */
	struct ftrace_ops		sets[GRAPH_SETS];
	struct trace_judge		judge;		/* of changes: instances lock */
	u32				options;	/* instances lock, READ_ONCE() */
	bool				running;	/* instances lock */
	unsigned int			renewals;	/* instances lock; trace_graph_renew() */
	u32				watches;	/* instances lock */
	bool				ran;		/* instances lock */
};

/* calls.c */
int trace_graph_entry(struct ftrace_graph_ent *call, struct fgraph_ops *gops);
void trace_graph_return(struct ftrace_graph_ret *ret, struct fgraph_ops *gops);
extern const struct graph_short trace_graph_short;

/* instance.c */
extern struct trace_slot trace_graph_slot;
int trace_graph_start(struct graph_instance *graph);
void trace_graph_stop(struct graph_instance *graph);
void trace_graph_renew(struct graph_instance *graph);
int trace_graph_set_options(struct graph_instance *graph, u32 options);
void trace_graph_set_depth(struct graph_instance *graph, unsigned int depth);
void trace_graph_judge_changed(struct trace_array *tr);
int trace_graph_set_functions(struct graph_instance *graph, enum graph_set set,
			      struct ftrace_hash *hash);

/* The tracer of an instance. It stays as long as @tr. */
static inline struct graph_instance *trace_graph_of(struct trace_array *tr)
{
	return trace_slot_data(tr, &trace_graph_slot);
}

/* files.c, selftest.c */
int trace_graph_create_files(struct graph_instance *graph);
int trace_graph_selftest(struct trace_array *tr);	/* CONFIG_FTRACE_SELFTEST */

#endif /* CONFIG_FUNCTION_GRAPH_TRACER */

#endif /* _TRACE_TRACERS_GRAPH_INTERNAL_H */
