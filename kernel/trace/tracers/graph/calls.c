// SPDX-License-Identifier: GPL-2.0
/*
 * The callbacks of the function_graph tracer: which entries and returns are recorded, and
 * the records.
 *
 * They run in any context, NMI included, with preemption off; graph/ keeps one of them
 * from being called by another in the same context. An entry that is refused is not
 * recorded, and its return is not awaited. The ones that a limit refuses are refused with
 * all that they call: their calls are no deeper, and no closer to a root.
 *
 * Nearly all of them take the short way, at the end of the file, which is a callback of graph/
 * with everything inlined. All others take the long way: entryfunc and retfunc.
 *
 * The variable of a task has a struct graph_place, which tells where the task is in the sets of
 * functions. An interrupt may begin and end a call that changes the place, and leaves the place
 * as it was.
 */
#include <linux/build_bug.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "graph/graph.h"
#include "graph/short.h"
#include "hooks/hooks.h"
#include "record/quick.h"
#include "record/record.h"
#include "tasks/pid_filter.h"
#include "tracers/args.h"
#include "tracers/graph/internal.h"

/**
 * struct graph_place - where a task is, in the variable that graph/ has for it
 * @root: 1 + the depth of the call of a root that it is in; 0: it is in none
 * @muted: the same of a function of set_graph_notrace
 * @irq: the root was called by an interrupt
 *
 * If the return of a root was missed, @root stays set. The next call at the same depth or
 * less proves that the root has returned, and graph_call_place_check() clears it. It clears @muted
 * in the same way.
 */
struct graph_place {
	u8	root;
	u8	muted;
	bool	irq;
};

static_assert(sizeof(struct graph_place) <= sizeof(unsigned long) && GRAPH_FRAMES < U8_MAX);

static struct graph_place *graph_call_place(struct fgraph_ops *gops)
{
	return (struct graph_place *)fgraph_get_task_var(gops);
}

/* The context of a record: graph/ has disabled preemption once, which does not count. */
static unsigned int graph_call_context(void)
{
	return tracing_gen_ctx() - !!PREEMPT_DISABLE_OFFSET;
}

static __always_inline void graph_call_fill_entry(struct graph_entry_record *entry, u32 head,
						  const struct ftrace_graph_ent *call)
{
	trace_entry_fill(&entry->ent, head);
	entry->func = call->func;
	entry->depth = call->depth;
}

static __always_inline void graph_call_fill_exit(struct graph_exit_record *exit, u32 head,
						 const struct ftrace_graph_ret *ret, u64 calltime)
{
	trace_entry_fill(&exit->ent, head);
	exit->func = ret->func;
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	exit->retval = ret->retval;
#endif
	exit->depth = ret->depth;
	exit->overrun = ret->overrun;
	exit->calltime = calltime;
	exit->rettime = ret->rettime;
}

/* Write an entry or a return on the general path, which works in any context. */
static noinline bool graph_call_write_entry_any(struct trace_buffer *buffer,
						const struct ftrace_graph_ent *call)
{
	struct ring_buffer_event *event;

	event = ring_buffer_reserve_nopreempt(buffer, sizeof(struct graph_entry_record));
	if (unlikely(!event))
		return false;
	graph_call_fill_entry(ring_buffer_event_body(event),
			      trace_entry_head(TRACE_GRAPH_ENT, graph_call_context()), call);
	ring_buffer_commit_nopreempt(buffer);
	return true;
}

static noinline void graph_call_write_exit_any(struct trace_buffer *buffer,
					       const struct ftrace_graph_ret *ret, u64 calltime)
{
	struct ring_buffer_event *event;

	event = ring_buffer_reserve_nopreempt(buffer, sizeof(struct graph_exit_record));
	if (unlikely(!event))
		return;
	graph_call_fill_exit(ring_buffer_event_body(event),
			     trace_entry_head(TRACE_GRAPH_RET, graph_call_context()), ret,
			     calltime);
	ring_buffer_commit_nopreempt(buffer);
}

/*
 * Reserve @size bytes, which rb_size_of() told, at the time @ts of the call or the return, and
 * without a call of the clock. Return false if the record has to take the general path.
 */
static __always_inline bool graph_call_reserve_quick(struct trace_quick *quick,
						     struct trace_buffer *buffer,
						     unsigned long size, u64 ts)
{
	if (unlikely(!trace_quick_enter_by(quick, buffer, PREEMPT_DISABLE_OFFSET, true)))
		return false;
	/* So that the next call finds a valid copy, and takes the short way. */
	if (unlikely(!trace_clock_copy_valid(&quick->writer->clock)))
		trace_clock_copy_update(&quick->writer->clock);
	if (likely(trace_quick_reserve(quick, size, ts)))
		return true;
	rb_short_leave(quick->writer);
	return false;
}

static __always_inline void graph_call_publish(const struct trace_quick *quick)
{
	if (unlikely(!trace_quick_publish(quick)))
		rb_short_leave(quick->writer);
}

static __always_inline bool graph_call_write_entry(struct trace_array *tr,
						   const struct ftrace_graph_ent *call)
{
	const unsigned int size = rb_size_of(sizeof(struct graph_entry_record));
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct trace_quick quick __uninitialized;

	if (unlikely(!graph_call_reserve_quick(&quick, buffer, size, fgraph_calltime(call))))
		return graph_call_write_entry_any(buffer, call);
	graph_call_fill_entry(trace_quick_record(&quick), trace_task_head(TRACE_GRAPH_ENT), call);
	graph_call_publish(&quick);
	return true;
}

static __always_inline void graph_call_write_exit(struct trace_array *tr,
						  const struct ftrace_graph_ret *ret, u64 calltime)
{
	const unsigned int size = rb_size_of(sizeof(struct graph_exit_record));
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct trace_quick quick __uninitialized;

	if (unlikely(!graph_call_reserve_quick(&quick, buffer, size, ret->rettime)))
		return graph_call_write_exit_any(buffer, ret, calltime);
	graph_call_fill_exit(trace_quick_record(&quick), trace_task_head(TRACE_GRAPH_RET), ret,
			     calltime);
	graph_call_publish(&quick);
}

static_assert(sizeof(struct graph_exit_record) <= RB_MAX_SMALL);

/* Reserve an entry of @size bytes, and of the arguments' if @duties ask for them, or NULL. */
static void *graph_call_reserve_entry(struct trace_buffer *buffer, unsigned int size, u32 duties)
{
	struct ring_buffer_event *event;

	if (duties & GRAPH_ARGUED)
		size += CALL_ARGS_SIZE;
	event = ring_buffer_reserve_nopreempt(buffer, size);
	return likely(event) ? ring_buffer_event_body(event) : NULL;
}

static void graph_call_fill_args(void *args, const struct ftrace_graph_ent *call, u32 duties)
{
	if (IS_ENABLED(CONFIG_FUNCTION_TRACE_ARGS) && duties & GRAPH_ARGUED)
		call_args_write(args, fgraph_call_regs(call));
}

/* An entry with arguments. */
static bool graph_call_write_argued(struct trace_array *tr, const struct ftrace_graph_ent *call,
				    u32 duties)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct graph_entry_record *entry;

	entry = graph_call_reserve_entry(buffer, sizeof(*entry), duties);
	if (unlikely(!entry))
		return false;
	graph_call_fill_entry(entry, trace_entry_head(TRACE_GRAPH_ENT, graph_call_context()), call);
	graph_call_fill_args(entry->args, call, duties);
	ring_buffer_commit_nopreempt(buffer);
	return true;
}

/* An entry with the address that the call returns to, and perhaps arguments. */
static bool graph_call_write_caller(struct trace_array *tr, const struct ftrace_graph_ent *call,
				    u32 duties)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct graph_caller_record *entry;

	entry = graph_call_reserve_entry(buffer, sizeof(*entry), duties);
	if (unlikely(!entry))
		return false;
	tracing_generic_entry_update(&entry->ent, TRACE_GRAPH_RETADDR_ENT, graph_call_context());
	entry->func = call->func;
	entry->depth = call->depth;
	entry->retaddr = fgraph_caller(call);
	graph_call_fill_args(entry->args, call, duties);
	ring_buffer_commit_nopreempt(buffer);
	return true;
}

/* The record of an entry by the duties, NO_ENTRY: none. False: it could not be written. */
static bool graph_call_write_judged(struct trace_array *tr, const struct ftrace_graph_ent *call,
				    u32 duties)
{
	if (duties & GRAPH_NO_ENTRY)
		return true;
	if (!(duties & (GRAPH_CALLERS | GRAPH_ARGUED)))
		return graph_call_write_entry(tr, call);
	return duties & GRAPH_CALLERS ? graph_call_write_caller(tr, call, duties) :
					graph_call_write_argued(tr, call, duties);
}

/**
 * struct graph_times - what the time of a call was spent with
 * @calltime: when it began; later by the sleep, with GRAPH_AWAKE
 * @rettime: when it ended; later than the return by an interrupt that came since
 * @self: the function itself
 * @irq: interrupts
 * @sleep: the task was not running
 *
 * The rest is what the calls in it took.
 */
struct graph_times {
	u64	calltime, rettime, self, irq, sleep;
};

/* A return with the times. */
static void graph_call_write_times(struct trace_array *tr, const struct ftrace_graph_ret *ret,
				   const struct graph_times *times)
{
	struct trace_buffer *buffer = tr->array_buffer.buffer;
	struct graph_times_record *record;
	struct ring_buffer_event *event;

	event = ring_buffer_reserve_nopreempt(buffer, sizeof(*record));
	if (unlikely(!event))
		return;
	record = ring_buffer_event_body(event);
	graph_call_fill_exit(&record->exit, trace_entry_head(TRACE_GRAPH_RET_TIMES,
							     graph_call_context()),
			     ret, times->calltime);
	record->exit.rettime = times->rettime;
	record->self = times->self;
	record->irq = times->irq;
	record->sleep = times->sleep;
	ring_buffer_commit_nopreempt(buffer);
}

/* Does a set name @func? It may have become empty since the duties were read: then it does not. */
static bool graph_call_set_has(struct graph_instance *graph, enum graph_set set, unsigned long func)
{
	return ftrace_ops_filter_has(&graph->sets[set], func, false);
}

static void graph_call_root_leave(struct graph_instance *graph, struct graph_place *place)
{
	place->root = 0;
	fgraph_set_inside(&graph->gops, false);
}

/* Forget what a return that was missed has left. @depth: of the present call. */
static void graph_call_place_check(struct graph_instance *graph, struct graph_place *place,
				   int depth)
{
	if (unlikely(depth < place->root))
		graph_call_root_leave(graph, place);
	if (unlikely(depth < place->muted))
		place->muted = 0;
}

/* The decision about a call. */
enum graph_fate {
	GRAPH_REFUSE,
	GRAPH_RECORD,
	GRAPH_AWAIT,	/* not recorded; the return restores the place */
};

static bool graph_call_passes(const struct trace_judge *judge, const struct ftrace_graph_ent *call)
{
	return !trace_judge_is_used(judge) ||
	       trace_judge_passes(judge, call->func, fgraph_call_regs(call));
}

/* Is the call that of a root? */
static bool graph_call_is_root(struct graph_instance *graph, const struct ftrace_graph_ent *call)
{
	return graph_call_set_has(graph, GRAPH_SET_ROOTS, call->func) &&
	       graph_call_passes(&graph->judge, call);
}

/* Decide by the sets of functions, for a task whose place is known. */
static enum graph_fate graph_call_judge_place(struct graph_instance *graph,
					      const struct ftrace_graph_ent *call,
					      struct graph_place *place, u32 duties)
{
	graph_call_place_check(graph, place, call->depth);
	if (place->muted)
		return GRAPH_REFUSE;
	if (duties & GRAPH_MUTED && graph_call_set_has(graph, GRAPH_SET_MUTED, call->func)) {
		place->muted = call->depth + 1;
		return GRAPH_AWAIT;
	}
	if (!(duties & GRAPH_ROOTED) || place->root)
		return GRAPH_RECORD;
	if (!graph_call_is_root(graph, call)) {
		/* The task was inside when the tracer was stopped. */
		fgraph_set_inside(&graph->gops, false);
		return GRAPH_REFUSE;
	}
	place->irq = in_hardirq();
	place->root = call->depth + 1;
	fgraph_set_inside(&graph->gops, true);
	return GRAPH_RECORD;
}

/*
 * Is the call refused by the option funcgraph-irqs, or by max_graph_depth? In an interrupt that
 * has entered a root, what the root calls is not refused for being in an interrupt.
 */
static bool graph_call_is_beyond(struct graph_instance *graph, const struct ftrace_graph_ent *call,
				 const struct graph_place *place, u32 duties)
{
	unsigned int max = READ_ONCE(graph->depth);

	if (duties & GRAPH_NO_IRQS && in_hardirq() && !(place && place->root && place->irq))
		return true;
	return duties & GRAPH_LIMITED && max &&
	       fgraph_calls_around(&graph->gops, call->depth, max) >= max;
}

/* A call is not recorded after all. If it has just become the task's root, undo that. */
static int graph_call_refuse(struct graph_instance *graph, struct graph_place *place,
			     const struct ftrace_graph_ent *call)
{
	if (place && place->root == call->depth + 1)
		graph_call_root_leave(graph, place);
	return 0;
}

/**
 * struct graph_kept - what is kept of a call until it returns
 * @slept: fgraph_slept() at its entry
 * @interrupted: fgraph_interrupted_at_entry()
 * @inner: what the calls took which the tracer was called for within it, without sleep and
 *	interrupts
 * @level: fgraph_interrupt_level()
 *
 * Without GRAPH_TIMED, @slept is all that is there.
 */
struct graph_kept {
	u64	slept;
	u64	interrupted;
	u64	inner : 62;
	u64	level : 2;
};

static_assert(offsetof(struct graph_kept, slept) == 0);

/* Without room, the return has a record that tells no times, and the time is the caller's. */
static void graph_call_keep(struct fgraph_ops *gops, u32 duties)
{
	bool timed = duties & GRAPH_TIMED;
	struct graph_kept *kept;

	kept = fgraph_reserve_data(gops->idx, timed ? sizeof(*kept) : sizeof(kept->slept));
	if (!kept)
		return;
	kept->slept = fgraph_slept();
	if (!timed)
		return;
	kept->interrupted = fgraph_interrupted_at_entry();
	kept->inner = 0;
	kept->level = fgraph_interrupt_level();
}

/*
 * The duration of a call that has returned is added to what the call around it spent in its
 * callees, unless it has interrupted that call. A function such as irq_enter_rcu() starts
 * outside of the interrupt and ends inside. Its interrupt time cannot be split, so it is
 * reported as 0, and its duration is not added to the caller's callees.
 *
 * Sleep and interrupts leave of the duration what is left for the calls, and these what is
 * left for the function itself: so they add up, whatever the clocks of several CPUs say.
 */
static void graph_call_measure(struct fgraph_ops *gops, const struct ftrace_graph_ret *ret,
			       const struct graph_kept *kept, struct graph_times *times)
{
	unsigned int level = fgraph_interrupt_level();
	struct graph_kept *around;
	u64 interrupted, net;

	times->rettime = ret->rettime;
	interrupted = fgraph_interrupted(&times->rettime) - kept->interrupted;
	times->calltime = min(ret->calltime, times->rettime);
	net = times->rettime - times->calltime;
	times->sleep = min(net, fgraph_slept() - kept->slept);
	net -= times->sleep;
	times->irq = level == kept->level ? min(net, interrupted) : 0;
	net -= times->irq;
	times->self = net - min_t(u64, net, kept->inner);
	around = fgraph_data_around(gops, kept, sizeof(*kept));
	if (around && around->level == level && kept->level == level)
		around->inner += net;
}

/* An entry while there are duties, or while there were some a moment ago. */
static noinline int graph_call_entry_judged(struct graph_instance *graph,
					    struct ftrace_graph_ent *call)
{
	u32 duties = READ_ONCE(graph->duties);
	struct graph_place *place = duties & GRAPH_PLACED ? graph_call_place(&graph->gops) : NULL;
	enum graph_fate fate;

	if (duties & GRAPH_OFF)
		return 0;
	if (duties & GRAPH_JUDGED && !graph_call_passes(trace_functions_judge(graph->tr), call))
		return 0;
	fate = place ? graph_call_judge_place(graph, call, place, duties) : GRAPH_RECORD;
	if (fate != GRAPH_RECORD)
		return fate == GRAPH_AWAIT;
	if (graph_call_is_beyond(graph, call, place, duties))
		return graph_call_refuse(graph, place, call);
	if (!graph_call_write_judged(graph->tr, call, duties))
		return graph_call_refuse(graph, place, call);
	if (duties & (GRAPH_AWAKE | GRAPH_TIMED))
		graph_call_keep(&graph->gops, duties);
	return 1;
}

/**
 * trace_graph_entry - struct fgraph_ops::entryfunc
 * @call: the call
 * @gops: of a struct graph_instance
 *
 * Context: as struct fgraph_ops::entryfunc.
 * Return: 1: the return is awaited.
 */
int trace_graph_entry(struct ftrace_graph_ent *call, struct fgraph_ops *gops)
{
	struct graph_instance *graph = container_of(gops, struct graph_instance, gops);

	if (unlikely(READ_ONCE(graph->limited)) && trace_pid_filter_ignores_running(graph->pids))
		return 0;
	/* data_race: READ_ONCE() would take an instruction more, and promise the same. */
	if (unlikely(data_race(graph->duties)))
		return graph_call_entry_judged(graph, call);
	return graph_call_write_entry(graph->tr, call);
}

/* A call returns: restore the task's place. Return true if the call was awaited for that alone. */
static bool graph_call_place_leave(struct graph_instance *graph, const struct ftrace_graph_ret *ret)
{
	struct graph_place *place = graph_call_place(&graph->gops);
	int here = ret->depth + 1;

	if (place->root == here)
		graph_call_root_leave(graph, place);
	if (place->muted != here)
		return false;
	place->muted = 0;
	return true;
}

/* A return that tells what its time was spent with. */
static void graph_call_return_timed(struct graph_instance *graph,
				    const struct ftrace_graph_ret *ret,
				    const struct graph_kept *kept, u32 duties)
{
	struct graph_times times;

	graph_call_measure(&graph->gops, ret, kept, &times);
	if (duties & GRAPH_AWAKE)
		times.calltime += times.sleep;
	if (duties & GRAPH_NO_ENTRY &&
	    times.rettime - times.calltime < READ_ONCE(graph->thresh))
		return;
	graph_call_write_times(graph->tr, ret, &times);
}

/* A return with something to see to besides. */
static noinline void graph_call_return_judged(struct graph_instance *graph,
					      struct ftrace_graph_ret *ret)
{
	u32 duties = READ_ONCE(graph->duties);
	const struct graph_kept *kept = NULL;
	u64 calltime = ret->calltime;
	int size;

	if (duties & GRAPH_PLACED && graph_call_place_leave(graph, ret))
		return;
	if (duties & GRAPH_OFF)
		return;
	if (duties & (GRAPH_AWAKE | GRAPH_TIMED))
		kept = fgraph_retrieve_data(graph->gops.idx, &size);
	if (kept && duties & GRAPH_TIMED && size == sizeof(*kept)) {
		graph_call_return_timed(graph, ret, kept, duties);
		return;
	}
	if (kept && duties & GRAPH_AWAKE)
		calltime += fgraph_slept() - kept->slept;
	if (duties & GRAPH_NO_ENTRY && ret->rettime - calltime < READ_ONCE(graph->thresh))
		return;
	graph_call_write_exit(graph->tr, ret, calltime);
}

/**
 * trace_graph_return - struct fgraph_ops::retfunc
 * @ret: the return
 * @gops: of a struct graph_instance
 *
 * Context: as struct fgraph_ops::retfunc.
 */
void trace_graph_return(struct ftrace_graph_ret *ret, struct fgraph_ops *gops)
{
	struct graph_instance *graph = container_of(gops, struct graph_instance, gops);

	/* data_race: as in trace_graph_entry(). */
	if (unlikely(data_race(graph->duties)))
		graph_call_return_judged(graph, ret);
	else
		graph_call_write_exit(graph->tr, ret, ret->calltime);
}

/*
 * The short way. Its functions end with a jump when a call needs the long way, so that they
 * save no registers for calls. Each of these enables preemption again.
 */

/*
 * The short way has entered the writer and hooked the return, and could not reserve the record.
 * If trace_quick_reserve_any() cannot reserve it either, the return is unhooked.
 */
static noinline void graph_call_entry_unreserved(unsigned long ip, struct ftrace_ops *ops,
						 struct rb_writer *w, struct ftrace_regs *fregs)
{
	struct graph_instance *graph = container_of(ops, struct graph_instance, gops.ops);
	struct graph_stack *stack = current->graph_stack;
	struct ftrace_graph_ent ent = { .func = ip, .depth = stack->nr - 1 };
	struct graph_entry_record *entry;

	entry = trace_quick_reserve_any(&w, graph->tr->array_buffer.buffer, sizeof(*entry));
	if (likely(entry)) {
		graph_call_fill_entry(entry, trace_task_head(TRACE_GRAPH_ENT), &ent);
		rb_short_leave(w);
	} else {
		graph_short_return(fregs, stack, graph_stack_top(stack), ent.depth);
	}
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(graph_call_entry_unreserved);

/* The record of the return of @frame, the innermost of @stack, with @nr frames around it. */
static __always_inline void graph_call_fill_return(struct graph_exit_record *exit,
						   struct ftrace_regs *fregs,
						   const struct graph_stack *stack,
						   const struct ftrace_ret_stack *frame, u32 nr,
						   u64 rettime)
{
	trace_entry_fill(&exit->ent, trace_task_head(TRACE_GRAPH_RET));
	exit->func = frame->func;
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	exit->retval = ftrace_regs_get_return_value(fregs);
#endif
	exit->depth = nr;
	exit->overrun = stack->overrun;
	exit->calltime = frame->calltime;
	exit->rettime = rettime;
}

static noinline void graph_call_return_unreserved(struct ftrace_regs *fregs,
						  struct graph_stack *stack,
						  struct rb_writer *w,
						  struct ftrace_ret_stack *frame,
						  struct trace_buffer *buffer, u64 rettime)
{
	struct graph_exit_record *exit;
	u32 nr = stack->nr - 1;

	exit = trace_quick_reserve_any(&w, buffer, sizeof(*exit));
	if (likely(exit)) {
		graph_call_fill_return(exit, fregs, stack, frame, nr, rettime);
		rb_short_leave(w);
	}
	graph_short_return(fregs, stack, frame, nr);
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(graph_call_return_unreserved);

/* The callback of the ops. */
static void graph_call_entry_short(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *ops,
				   struct ftrace_regs *fregs)
{
	const unsigned int size = rb_size_of(sizeof(struct graph_entry_record));
	struct graph_instance *graph = container_of(ops, struct graph_instance, gops.ops);
	struct graph_short_call call __uninitialized;
	struct ftrace_graph_ent ent __uninitialized;
	struct trace_quick quick __uninitialized;
	u64 ts;

	preempt_disable_notrace();
	/* data_race: as in trace_graph_entry(). */
	if (unlikely(data_race(graph->special)))
		return graph_hook_held(ip, ops, fregs);
	/* The epoch is read behind that; pairs with graph_instance_begin(). */
	smp_acquire__after_ctrl_dep();
	if (unlikely(!graph_short_enter(ip, fregs, &call)) ||
	    unlikely(!trace_quick_enter(&quick, graph->tr->array_buffer.buffer,
					PREEMPT_DISABLE_OFFSET)))
		return graph_hook_held(ip, ops, fregs);
	/* The return is hooked first, so that the reservation has more registers. */
	ts = trace_quick_clock(&quick);
	graph_short_hook(&call, ip, ts, &graph->gops);
	if (unlikely(!trace_quick_reserve(&quick, size, ts)))
		return graph_call_entry_unreserved(ip, ops, quick.writer, fregs);
	ent.func = ip;
	ent.depth = graph_short_depth(&call);
	graph_call_fill_entry(trace_quick_record(&quick), trace_task_head(TRACE_GRAPH_ENT), &ent);
	trace_quick_end(&quick);
}

NOKPROBE_SYMBOL(graph_call_entry_short);

/* The return of a call that nobody else awaits. */
static void graph_call_return_short(struct ftrace_regs *fregs, struct graph_stack *stack,
				    struct fgraph_ops *gops, struct ftrace_ret_stack *frame)
{
	const unsigned int size = rb_size_of(sizeof(struct graph_exit_record));
	struct graph_instance *graph = container_of(gops, struct graph_instance, gops);
	struct trace_quick quick __uninitialized;
	u64 rettime;
	u32 nr;

	/* data_race: as in trace_graph_entry(). */
	if (unlikely(data_race(graph->duties)))
		return graph_return_user(fregs, stack, gops, frame);
	if (unlikely(!graph_short_leave(stack, frame)) ||
	    unlikely(!trace_quick_enter(&quick, graph->tr->array_buffer.buffer,
					PREEMPT_DISABLE_OFFSET)))
		return graph_return_user(fregs, stack, gops, frame);
	rettime = trace_quick_clock(&quick);
	if (unlikely(!trace_quick_reserve(&quick, size, rettime)))
		return graph_call_return_unreserved(fregs, stack, quick.writer, frame, quick.buffer,
						    rettime);
	nr = stack->nr - 1;
	graph_call_fill_return(trace_quick_record(&quick), fregs, stack, frame, nr, rettime);
	graph_short_return(fregs, stack, frame, nr);
	trace_quick_end(&quick);
}

NOKPROBE_SYMBOL(graph_call_return_short);

/*
 * The buffer calls its clock for each record. The clock's function may be a traced one (mono,
 * with most clocksources), and its calls would be half of the trace. A call early in an
 * interrupt, before preempt_count shows the interrupt, looks the same. It is not recorded either
 * if the interrupt has come while a record was being written.
 */
static bool graph_call_is_writing(const struct fgraph_ops *gops)
{
	const struct graph_instance *graph = container_of(gops, struct graph_instance, gops);

	return READ_ONCE(rb_this_writer(graph->tr->array_buffer.buffer)->context);
}

const struct graph_short trace_graph_short = {
	.entry		= graph_call_entry_short,
	.ret		= graph_call_return_short,
	.is_busy	= graph_call_is_writing,
};
