/* SPDX-License-Identifier: GPL-2.0 */
/*
 * graph/ inside: how the entry of a function gets the frame in which its return is
 * awaited. For graph.c and the files of fprobes, in any context, with preemption off. The caller
 * counts the calls that are missed.
 */
#ifndef _TRACE_GRAPH_ENTER_H
#define _TRACE_GRAPH_ENTER_H

#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/trace_recursion.h>

#include "graph/internal.h"
#include "graph/short.h"
#include "hooks/parent.h"
#include "lib/clock.h"

void graph_miss_return(struct graph_stack *stack, const struct ftrace_ret_stack *frame,
		       enum fgraph_miss reason);
void graph_drop_left(struct graph_stack *stack, struct ftrace_ret_stack *frame);
struct graph_stack *graph_stack_or_why(struct graph_stack *stack, int *why);
bool graph_push_again(struct graph_stack *stack, const struct ftrace_ret_stack *call,
		      struct ftrace_ret_stack **pushed);

static inline void graph_miss(struct fgraph_ops *gops, enum fgraph_miss reason)
{
	atomic_long_inc(&gops->missed[reason]);
}

/* The user of the lowest of @bits, NULL: it has gone, and perhaps another one has come. */
static __always_inline struct fgraph_ops *graph_frame_user(const struct ftrace_ret_stack *frame,
							   unsigned long bits)
{
	struct fgraph_ops *gops = READ_ONCE(graph_users[__ffs(bits)]);

	return gops != &graph_no_user && (s32)(frame->epoch - gops->since) >= 0 ? gops : NULL;
}

/*
 * CONFIG_INIT_STACK_ALL_* would clear the locals of these at every hooked call. Locals that are
 * always written before they are read are marked __uninitialized.
 */

/*
 * The fast path of ftrace_test_recursion_trylock(), for a task that is in no callback, with
 * preemption disabled. If it returns false, the caller has to use that one; if true,
 * graph_task_end() must follow, which enables preemption.
 */
static __always_inline bool graph_task_begin_held(void)
{
	if (IS_ENABLED(CONFIG_FTRACE_VALIDATE_RCU_IS_WATCHING) ||
	    preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET) ||
	    trace_recursion_test(GRAPH_TASK_BIT))
		return false;
	trace_recursion_set(GRAPH_TASK_BIT);
	barrier();
	return true;
}

/* As graph_task_begin_held(), and disables preemption. */
static __always_inline bool graph_task_begin(void)
{
	if (!graph_task_begin_held())
		return false;
	preempt_disable_notrace();
	return true;
}

static __always_inline void graph_task_end(void)
{
	preempt_enable_notrace();
	barrier();
	trace_recursion_clear(GRAPH_TASK_BIT);
}

/*
 * The stack of current, which gets one if it has none. NULL: then @why is the enum
 * fgraph_miss that tells the reason, or FGRAPH_MISS_NR: no return is hooked any more.
 */
static __always_inline struct graph_stack *graph_enter_stack(int *why)
{
	struct graph_stack *stack = READ_ONCE(current->graph_stack);

	/* data_race: READ_ONCE() would take an instruction more each, and promise the same. */
	if (unlikely(!stack || data_race(current->graph_pause) || data_race(graph_state.dead)))
		return graph_stack_or_why(stack, why);
	return stack;
}

/*
 * Push it, as *@pushed, with *@depth calls around it. False: FGRAPH_MISS_FULL. The address of
 * @call goes only into inlined code, so the compiler can keep it in registers.
 */
static __always_inline bool graph_enter_push(struct graph_stack *stack, unsigned long ip,
					     unsigned long *place, unsigned long ret,
					     u64 calltime, u16 users,
					     struct ftrace_ret_stack **pushed, int *depth)
{
	const u32 epoch = READ_ONCE(graph_state.epoch);
	const struct ftrace_ret_stack call = graph_frame(ip, place, ret, calltime, users, epoch);
	struct ftrace_ret_stack again __uninitialized, *frame __uninitialized;
	u32 nr = stack->nr;

	if (likely(graph_stack_push(stack, &call, pushed))) {
		*depth = nr;
		return true;
	}
	again = graph_frame(ip, place, ret, calltime, users, epoch);
	if (!graph_push_again(stack, &again, &frame))
		return false;
	*depth = stack->nr - 1;
	*pushed = frame;
	return true;
}

/*
 * Find the frame that another user has pushed for this call. If the address of
 * return_to_handler() is on the stack, there may be one. But a function that is reached by a
 * tail call finds that address as well, with the frame of its caller on top. That frame is
 * another function's, unless the function calls itself: both calls return together then, so a
 * user may join it. One fprobe's own frame becomes one with users first; if there is no room for
 * that, there is none for another frame either.
 */
static __always_inline struct ftrace_ret_stack *
graph_enter_shares(struct graph_stack *stack, unsigned long ret, const unsigned long *place,
		   unsigned long ip)
{
	struct ftrace_ret_stack *top;

	if (likely(ret != graph_handler()))
		return NULL;
	top = graph_stack_top(stack);
	if (!top || top->retp != place || top->func != ip ||
	    top->epoch != READ_ONCE(graph_state.epoch))
		return NULL;
	return likely(!graph_is_fprobes_own(top)) || graph_fprobe_share(stack, top) ? top : NULL;
}

#endif /* _TRACE_GRAPH_ENTER_H */
