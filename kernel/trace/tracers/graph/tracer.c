// SPDX-License-Identifier: GPL-2.0
/*
 * The function_graph tracer shows which functions a function calls, and how long each call
 * takes. calls.c writes the records, tree.c prints them.
 */
#include <linux/slab.h>

#include "functions/functions.h"
#include "hooks/hooks.h"
#include "instance/component.h"
#include "profile/profile.h"
#include "tracers/args.h"
#include "tracers/graph/graph.h"
#include "tracers/graph/internal.h"
#include "tracers/tracers.h"

static int graph_tracer_init(struct trace_array *tr)
{
	return trace_graph_start(trace_graph_of(tr));
}

static void graph_tracer_reset(struct trace_array *tr)
{
	trace_graph_stop(trace_graph_of(tr));
}

static void graph_tracer_update_thresh(struct trace_array *tr)
{
	trace_graph_renew(trace_graph_of(tr));
}

/* Called even if this is not the current tracer. */
static int graph_tracer_set_option(struct trace_array *tr, u32 bit, bool on)
{
	struct graph_instance *graph = trace_graph_of(tr);
	u32 options = on ? graph->options | bit : graph->options & ~bit;
	int ret;

	ret = bit == GRAPH_ARGS && on ? call_args_need() : 0;
	if (ret)
		return ret;
	ret = trace_graph_set_options(graph, options);
	if (ret)
		return ret;
	/* The profiler has no options of its own. */
	if (bit == GRAPH_SLEEP_TIME)
		trace_profile_set_sleep_time(tr, on);
	if (bit == GRAPH_GRAPH_TIME)
		trace_profile_set_graph_time(tr, on);
	return 0;
}

static void graph_tracer_print_header(struct seq_file *m)
{
	struct trace_iterator *iter = m->private;

	trace_graph_tree_restart(iter);
	trace_graph_put_header(m, READ_ONCE(trace_graph_of(iter->tr)->options));
}

static enum print_line_t graph_tracer_print_line(struct trace_iterator *iter)
{
	return trace_graph_print(iter, READ_ONCE(trace_graph_of(iter->tr)->options));
}

static const struct tracer_option graph_options[] = {
	{ "funcgraph-overrun", GRAPH_OVERRUN },
	{ "funcgraph-cpu", GRAPH_CPU },
	{ "funcgraph-overhead", GRAPH_OVERHEAD },
	{ "funcgraph-proc", GRAPH_PROC },
	{ "funcgraph-duration", GRAPH_DURATION },
	{ "funcgraph-abstime", GRAPH_ABSTIME },
	{ "funcgraph-irqs", GRAPH_IRQS },
	{ "funcgraph-tail", GRAPH_TAIL },
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	{ "funcgraph-retval", GRAPH_RETVAL },
	{ "funcgraph-retval-hex", GRAPH_RETVAL_HEX },
#endif
#ifdef CONFIG_FUNCTION_GRAPH_RETADDR
	{ "funcgraph-retaddr", GRAPH_RETADDR },
#endif
#ifdef CONFIG_FUNCTION_TRACE_ARGS
	{ "funcgraph-args", GRAPH_ARGS },
#endif
	{ "funcgraph-selftime", GRAPH_SELF_TIME },
	{ "funcgraph-irqtime", GRAPH_IRQ_TIME },
	{ "sleep-time", GRAPH_SLEEP_TIME },
#ifdef CONFIG_FUNCTION_PROFILER
	{ "graph-time", GRAPH_GRAPH_TIME },
#endif
	{ }
};

DEFINE_TRACER(function_graph) = {
	.name			= "function_graph",
	.init			= graph_tracer_init,
	.reset			= graph_tracer_reset,
	.update_thresh		= graph_tracer_update_thresh,
	.set_option		= graph_tracer_set_option,
	.open			= trace_graph_tree_open,
	.close			= trace_graph_tree_close,
	.pipe_open		= trace_graph_tree_open,
	.pipe_close		= trace_graph_tree_close,
	.print_header		= graph_tracer_print_header,
	.print_line		= graph_tracer_print_line,
	.options		= graph_options,
	.default_options	= GRAPH_OPTIONS,
	.kinds			= trace_graph_kinds,
	.selftest		= TRACER_SELFTEST(trace_graph_selftest),
	.allow_instances	= true,
};

static int graph_tracer_create(struct trace_array *tr)
{
	struct graph_instance *graph = kzalloc(sizeof(*graph), GFP_KERNEL);

	if (!graph)
		return -ENOMEM;
	graph->tr = tr;
	graph->options = GRAPH_OPTIONS;
	graph->pids = trace_functions_pids(tr);
	trace_pid_filter_copy_limited(graph->pids, &graph->limited);
	graph->gops.entryfunc = trace_graph_entry;
	graph->gops.retfunc = trace_graph_return;
	trace_functions_share(tr, &graph->gops.ops);
	trace_judge_init(&graph->judge);
	trace_slot_set_data(tr, &trace_graph_slot, graph);
	trace_functions_on_judged(tr, trace_graph_judge_changed);
	return 0;
}

static int graph_tracer_create_files(struct trace_array *tr, struct dentry *dir)
{
	return trace_graph_create_files(trace_graph_of(tr));
}

static bool graph_tracer_retreat(struct trace_array *tr)
{
	struct graph_instance *graph = trace_graph_of(tr);

	trace_graph_stop(graph);
	return graph->ran;
}

/* The last callbacks have ended. */
static void graph_tracer_destroy(struct trace_array *tr)
{
	struct graph_instance *graph = trace_graph_of(tr);
	enum graph_set set;

	if (!graph)
		return;
	trace_pid_filter_copy_limited(graph->pids, NULL);
	trace_functions_on_judged(tr, NULL);
	trace_judge_destroy(&graph->judge);
	for (set = 0; set < GRAPH_SETS; set++)
		ftrace_free_filter(&graph->sets[set]);
	trace_slot_set_data(tr, &trace_graph_slot, NULL);
	kfree(graph);
}

struct trace_component trace_graph_component __ro_after_init = {
	.name		= "function graph",
	.slot		= &trace_graph_slot,
	.readme		=
		"\n"
		"Function graph\n"
		"  set_graph_function\t- these functions, and all that they call\n"
#ifdef CONFIG_FUNCTION_PREDICATES
		"\t\t\t  <functions> if <filter>: calls with such arguments\n"
#endif
		"  set_graph_notrace\t- not these, nor what they call\n"
		"  max_graph_depth\t- so many calls within each other; 0: all\n"
		"  graph_missed\t\t- how many calls the tracer has missed since it was started, and why\n",
	.create		= graph_tracer_create,
	.create_files	= graph_tracer_create_files,
	.retreat	= graph_tracer_retreat,
	.destroy	= graph_tracer_destroy,
};
