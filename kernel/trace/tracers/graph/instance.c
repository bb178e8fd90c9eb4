// SPDX-License-Identifier: GPL-2.0
/*
 * The function_graph tracer of an instance: the hook, the limits and the sets of functions. The
 * limits are there whether the tracer runs or not, and count when it does.
 *
 * With roots there are two hooks, so that tasks outside of the roots pay little. Their limits: all
 * functions are hooked all the time, a task in a root of one instance pays for the callback of the
 * others, and set_graph_notrace needs the callback in all tasks, to know which are in one of its
 * functions.
 *
 * Callbacks know them as one word of duties. A duty bit is set only after the data it refers
 * to (a filter, a watch) is in place, and cleared before that data is removed.
 */
#include "graph/graph.h"
#include "hooks/hooks.h"
#include "instance/component.h"
#include "lib/wait.h"
#include "tracers/graph/graph.h"
#include "tracers/graph/internal.h"

DEFINE_TRACE_SLOT(trace_graph_slot);

/*
 * If there are roots, only these are hooked for tasks that are in none. But muted functions
 * have to be known outside of them as well: then all functions are hooked for every task.
 */
static bool graph_instance_hooks_roots(bool roots, bool muted)
{
	return roots && !muted;
}

static bool graph_instance_has(struct graph_instance *graph, enum graph_set set)
{
	return !ftrace_ops_filter_empty(&graph->sets[set], false);
}

/* The ops whose functions are to be hooked as roots, or NULL. */
static struct ftrace_ops *graph_instance_roots(struct graph_instance *graph)
{
	return graph_instance_hooks_roots(graph_instance_has(graph, GRAPH_SET_ROOTS),
					  graph_instance_has(graph, GRAPH_SET_MUTED)) ?
	       &graph->sets[GRAPH_SET_ROOTS] : NULL;
}

/* The duty that a set makes, if it has a function. */
static const u32 set_duties[GRAPH_SETS] = {
	[GRAPH_SET_ROOTS]	= GRAPH_ROOTED,
	[GRAPH_SET_MUTED]	= GRAPH_MUTED,
};

/* The duties that the limits and the sets of an instance make. Under the instances lock. */
static u32 graph_instance_duties(struct graph_instance *graph)
{
	enum graph_set set;
	u32 duties = 0;

	for (set = 0; set < GRAPH_SETS; set++) {
		if (graph_instance_has(graph, set))
			duties |= set_duties[set] | GRAPH_PLACED;
	}
	if (graph->depth)
		duties |= GRAPH_LIMITED;
	if (!(graph->options & GRAPH_IRQS))
		duties |= GRAPH_NO_IRQS;
	if (!(graph->options & GRAPH_SLEEP_TIME))
		duties |= GRAPH_AWAKE;
	if (graph->options & GRAPH_RETADDR)
		duties |= GRAPH_CALLERS;
	if (graph->options & GRAPH_ARGS)
		duties |= GRAPH_ARGUED;
	if (graph->options & (GRAPH_SELF_TIME | GRAPH_IRQ_TIME))
		duties |= GRAPH_TIMED;
	if (trace_judge_is_used(trace_functions_judge(graph->tr)))
		duties |= GRAPH_JUDGED;
	return duties;
}

/*
 * A limit, a set or an option has changed. A task that is in a call of a root, or of a muted
 * function, leaves it as usual: places stay known until the tracer is started again. N
 */
static void graph_instance_update(struct graph_instance *graph)
{
	/* It is off while trace_graph_renew() waits. */
	u32 stays = graph->duties & (GRAPH_PLACED | GRAPH_NO_ENTRY | GRAPH_OFF);

	trace_instances_assert_locked();
	if (graph->running)
		WRITE_ONCE(graph->duties, graph_instance_duties(graph) | stays);
}

/**
 * trace_graph_judge_changed - functions of set_ftrace_filter have predicates now, or none any more
 * @tr: the instance
 *
 * Context: task; trace_instances_lock() is held.
 */
void trace_graph_judge_changed(struct trace_array *tr)
{
	graph_instance_update(trace_graph_of(tr));
}

/* The other things that the tracer watches besides calls while it runs, with these options. */
static u32 graph_instance_watches(u32 options)
{
	if (options & (GRAPH_SELF_TIME | GRAPH_IRQ_TIME))
		return GRAPH_WATCH_SLEEP | GRAPH_WATCH_INTERRUPTS;
	return options & GRAPH_SLEEP_TIME ? 0 : GRAPH_WATCH_SLEEP;
}

/* Stop watching everything that is not in @watches. */
static void graph_instance_unwatch(struct graph_instance *graph, u32 watches)
{
	u32 ends = graph->watches & ~watches;

	if (ends & GRAPH_WATCH_INTERRUPTS)
		fgraph_interrupts_put();
	if (ends & GRAPH_WATCH_SLEEP)
		fgraph_sleep_put();
	graph->watches &= ~ends;
}

/* Start watching everything in @watches that is not watched yet. On error, nothing changes. */
static int graph_instance_watch(struct graph_instance *graph, u32 watches)
{
	u32 was = graph->watches, begins = watches & ~was;
	int ret;

	if (begins & GRAPH_WATCH_SLEEP) {
		ret = fgraph_sleep_get();
		if (ret)
			return ret;
		graph->watches |= GRAPH_WATCH_SLEEP;
	}
	if (begins & GRAPH_WATCH_INTERRUPTS) {
		ret = fgraph_interrupts_get();
		if (ret) {
			graph_instance_unwatch(graph, was);
			return ret;
		}
		graph->watches |= GRAPH_WATCH_INTERRUPTS;
	}
	return 0;
}

/*
 * Let callbacks record. The caller has written the threshold and has waited for all CPUs since,
 * so a callback that sees the new duties sees the new threshold. And it gives its call the new
 * epoch, which it reads behind the duties: graph_date() and graph_call_entry_short(). Under the
 * instances lock.
 */
static void graph_instance_begin(struct graph_instance *graph)
{
	/* Pairs with smp_acquire__after_ctrl_dep() of these two. */
	smp_store_release(&graph->duties,
			  graph_instance_duties(graph) | (graph->thresh ? GRAPH_NO_ENTRY : 0));
}

/**
 * trace_graph_start - let functions call the tracer
 * @graph: of the instance, which is not running
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0; or the errno of fgraph_register_as(), -EINPROGRESS among them, fgraph_sleep_get() or
 * fgraph_interrupts_get().
 */
int trace_graph_start(struct graph_instance *graph)
{
	int ret;

	trace_instances_assert_locked();
	ret = graph_instance_watch(graph, graph_instance_watches(graph->options));
	if (ret)
		return ret;
	/* Nobody wants to see what patching calls. It would cost as much as the patching. */
	WRITE_ONCE(graph->duties, GRAPH_OFF);
	WRITE_ONCE(graph->thresh, READ_ONCE(graph->tr->thresh_ns));
	graph->ran = true;
	ret = fgraph_register_as(&graph->gops, graph_instance_roots(graph), &trace_graph_short);
	if (ret) {
		graph_instance_unwatch(graph, 0);
		return ret;
	}
	graph->running = true;
	graph_instance_begin(graph);
	return 0;
}

/**
 * trace_graph_stop - undo trace_graph_start()
 * @graph: of the instance
 *
 * Callbacks may run for a grace period more, which nobody waits for: they find what they
 * need until the instance goes.
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 */
void trace_graph_stop(struct graph_instance *graph)
{
	trace_instances_assert_locked();
	if (!graph->running)
		return;
	graph->running = false;
	WRITE_ONCE(graph->duties, GRAPH_OFF);
	fgraph_unregister_nowait(&graph->gops);
	graph_instance_unwatch(graph, 0);
}

static void graph_instance_forget(void *graph)
{
	fgraph_forget_calls(&((struct graph_instance *)graph)->gops);
}

/*
 * Calls of an old threshold are forgotten. The last one who comes here lets callbacks record,
 * unless the tracer was stopped since, or started, which does so itself. This gives a reference
 * back.
 */
static void graph_instance_renewed(void *data)
{
	struct graph_instance *graph = data;

	scoped_guard(trace_instances) {
		if (!--graph->renewals && graph->running && graph->duties & GRAPH_OFF)
			graph_instance_begin(graph);
	}
	trace_array_put(graph->tr);
}

/**
 * trace_graph_renew - put a new threshold into force, if the tracer runs
 * @graph: of the instance
 *
 * A call whose entry was judged by the old threshold must not have its return judged by the new
 * one. So the returns of all calls that have begun are dropped. All CPUs are waited for, so the
 * lock is given back meanwhile, and files of other instances do not wait as well. If the tracer
 * is started or stopped then, or another threshold written, that is the last word; of a tracer
 * that is started, the returns of its first calls are dropped. A task that is killed does not wait,
 * and the threshold is in force as soon as it can be.
 *
 * Context: task, may sleep; trace_instances_lock() is held, and is given back meanwhile; the
 * caller has a reference of the instance.
 */
void trace_graph_renew(struct graph_instance *graph)
{
	trace_instances_assert_locked();
	/* As the caller has a reference, there is another one, for graph_instance_renewed(). */
	if (!graph->running || WARN_ON_ONCE(trace_array_get(graph->tr)))
		return;
	WRITE_ONCE(graph->duties, GRAPH_OFF);
	WRITE_ONCE(graph->thresh, READ_ONCE(graph->tr->thresh_ns));
	graph->renewals++;
	trace_instances_unlock();
	trace_wait_call(graph_instance_forget, graph_instance_renewed, graph, TASK_KILLABLE);
	trace_instances_lock();
}

/**
 * trace_graph_set_options - change the options
 * @graph: of the instance, running or not
 * @options: GRAPH_OVERRUN to GRAPH_ARGS
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0; or the errno of fgraph_sleep_get() or fgraph_interrupts_get(), and nothing has
 * changed.
 */
int trace_graph_set_options(struct graph_instance *graph, u32 options)
{
	int ret;

	trace_instances_assert_locked();
	if (graph->running) {
		ret = graph_instance_watch(graph, graph_instance_watches(options));
		if (ret)
			return ret;
	}
	WRITE_ONCE(graph->options, options);
	graph_instance_update(graph);
	/* Callbacks that still have the old duties read sums that do not grow any more. */
	if (graph->running)
		graph_instance_unwatch(graph, graph_instance_watches(options));
	return 0;
}

/**
 * trace_graph_set_depth - set max_graph_depth
 * @graph: of the instance
 * @depth: so many calls within each other are recorded; 0: all
 *
 * Context: task; trace_instances_lock() is held.
 */
void trace_graph_set_depth(struct graph_instance *graph, unsigned int depth)
{
	WRITE_ONCE(graph->depth, depth);
	graph_instance_update(graph);
}

/*
 * The tracer was stopped, and @set changed if @ret is 0. Start it with the hooks that are needed
 * now. If that cannot be, @was is put back, which is consumed, and the tracer goes on as before.
 * Context: under the instances lock.
 * Return: @ret, or the errno of starting.
 */
static int graph_instance_start_anew(struct graph_instance *graph, enum graph_set set,
				     struct ftrace_hash *was, int ret)
{
	bool changed = !ret;
	int back;

	if (changed)
		ret = trace_graph_start(graph);
	if (changed && ret) {
		back = ftrace_ops_filter_set(&graph->sets[set], was, false);
	} else {
		ftrace_hash_free(was);
		back = 0;
	}
	if (ret && !back)
		back = trace_graph_start(graph);
	if (back)
		pr_warn("ftrace: function_graph of %s traces nothing any more: error %d\n",
			graph->tr->name ?: "the top instance", back);
	return ret;
}

/**
 * trace_graph_set_functions - put a set of functions into force
 * @graph: of the instance
 * @set: which
 * @hash: the functions; is consumed, also on error
 *
 * When another kind of hooks is needed then, the tracer is started again: calls that have
 * begun are not told of any more.
 *
 * Context: task, may sleep; trace_instances_lock() is held; takes ftrace_lock().
 * Return: 0; -ENOMEM; or the errno of ftrace_ops_filter_set() or trace_graph_start(). On error
 * nothing has changed. If it cannot be undone, the log says that nothing is traced any more.
 */
int trace_graph_set_functions(struct graph_instance *graph, enum graph_set set,
			      struct ftrace_hash *hash)
{
	struct ftrace_hash *was = NULL;
	bool has[GRAPH_SETS], anew;
	int ret;

	trace_instances_assert_locked();
	has[GRAPH_SET_ROOTS] = graph_instance_has(graph, GRAPH_SET_ROOTS);
	has[GRAPH_SET_MUTED] = graph_instance_has(graph, GRAPH_SET_MUTED);
	has[set] = ftrace_hash_count(hash);
	anew = graph->running && !graph_instance_roots(graph) ==
	       graph_instance_hooks_roots(has[GRAPH_SET_ROOTS], has[GRAPH_SET_MUTED]);
	if (anew) {
		was = ftrace_ops_filter_get(&graph->sets[set], false);
		if (!was) {
			ftrace_hash_free(hash);
			return -ENOMEM;
		}
		trace_graph_stop(graph);
	} else if (!has[set]) {
		WRITE_ONCE(graph->duties, graph->duties & ~set_duties[set]);
	}
	ret = ftrace_ops_filter_set(&graph->sets[set], hash, false);
	if (anew)
		return graph_instance_start_anew(graph, set, was, ret);
	graph_instance_update(graph);
	return ret;
}
