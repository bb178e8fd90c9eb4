/* SPDX-License-Identifier: GPL-2.0 */
/*
 * graph/short.h: the short way of a user's entries and returns, inlined into callbacks of
 * its own, where the calls between graph/ and the user, and what they pass in memory, would
 * be a fourth of everything. It is for a call in a task that needs nothing else. Any other call
 * goes the long way, graph_hook_held() and graph_return_long(). The callbacks find out by
 * trace_task_usual() of record/context.h whether it is a task.
 *
 * At an entry, the callback of the user's ops:
 *
 *	preempt_disable_notrace()
 *	if (!graph_short_enter(ip, fregs, &call) || !trace_quick_enter() of record/quick.h)
 *		go the long way, which enables preemption
 *	graph_short_hook(&call, ip, calltime, gops)
 *	write the record; if there is no room, undo the hook by graph_short_return()
 *	preempt_enable_notrace()
 *
 * At a return, the function of struct graph_short, which is called with preemption disabled:
 *
 *	if (!graph_short_leave(stack, frame) || !trace_quick_enter())
 *		go the long way, which enables preemption
 *	fill in the record, if there is room
 *	graph_short_return(fregs, stack, frame, nr)
 *	commit the record
 *	preempt_enable_notrace()
 *
 * Neither sets the bit of trace_recursion.h, since it calls nothing in between that could be
 * traced. An interrupt that preempt_count does not show yet is recognized by the code that
 * writes the record.
 */
#ifndef _TRACE_GRAPH_SHORT_H
#define _TRACE_GRAPH_SHORT_H

#include <linux/ftrace.h>
#include <linux/kconfig.h>
#include <linux/sched.h>
#include <linux/trace_recursion.h>

#include "graph/stack.h"
#include "graph/state.h"

/**
 * struct graph_short - a user's own callbacks
 * @entry: the one of its ops, unless it has roots
 * @ret: called instead of retfunc if nobody else awaits the return
 * @is_busy: asked at a call that comes from within a callback of somebody, in the same context:
 *	may it be a callback of this user that has made the call? Then it is not told of the call
 *
 * All are in the kernel's own text.
 */
struct graph_short {
	ftrace_func_t	entry;
	void		(*ret)(struct ftrace_regs *fregs, struct graph_stack *stack,
			       struct fgraph_ops *gops, struct ftrace_ret_stack *frame);
	bool		(*is_busy)(const struct fgraph_ops *gops);
};

/**
 * struct graph_short_call - an entry on the short way
 * @stack: of current
 * @room: where its frame will be
 * @retp: by arch_ftrace_retp()
 * @place: by arch_ftrace_place()
 */
struct graph_short_call {
	struct graph_stack	*stack;
	struct graph_stack_room	room;
	unsigned long		*retp;
	unsigned long		*place;
};

/* graph.c */
void graph_hook_held(unsigned long ip, struct ftrace_ops *ops, struct ftrace_regs *fregs);
void graph_return_long(struct ftrace_regs *fregs, struct graph_stack *stack,
		       struct ftrace_ret_stack *frame);
void graph_return_user(struct ftrace_regs *fregs, struct graph_stack *stack,
		       struct fgraph_ops *gops, struct ftrace_ret_stack *frame);

static __always_inline unsigned long graph_handler(void)
{
	return (unsigned long)return_to_handler;
}

/*
 * Let the call return to the handler. An interrupt that finds the handler on the stack finds
 * the frame.
 */
static __always_inline void graph_set_handler(unsigned long *retp)
{
	barrier();
	WRITE_ONCE(*retp, graph_handler());
}

/*
 * The frame of the call at @ip, whose return @users await. @calltime: the entry time; 0 in a
 * frame that fprobes share, until a user that needs the time joins; in a frame that belongs to
 * one fprobe, the pointer to its hook.
 */
static __always_inline struct ftrace_ret_stack
graph_frame(unsigned long ip, unsigned long *place, unsigned long ret, u64 calltime, u16 users,
	    u32 epoch)
{
	return (struct ftrace_ret_stack) {
		.ret		= ret,
		.func		= ip,
		.retp		= place,
		.calltime	= calltime,
		.epoch		= epoch,
		.users		= users,
	};
}

/* Is a callback running already, or must the long way look whether RCU is watching? */
static __always_inline bool graph_short_not_now(void)
{
	return IS_ENABLED(CONFIG_FTRACE_VALIDATE_RCU_IS_WATCHING) ||
	       unlikely(trace_recursion_test(GRAPH_TASK_BIT));
}

/*
 * Return true if the stack may already have a frame for this call. If the return address is the
 * handler but the innermost frame belongs to another function, that function tail-called this
 * one, and the call needs a new frame.
 */
static __always_inline bool graph_short_joins(struct graph_stack *stack, unsigned long ret,
					      unsigned long ip)
{
	return unlikely(ret == graph_handler()) &&
	       (!stack->nr || graph_stack_last(stack, stack->nr)->func == ip);
}

/*
 * Can the entry of the function at @ip take the short way? If so, @call has what the other
 * steps need. Whether there is a frame to join is asked first: if several users have hooked a
 * function, this is what ends the short way of all but one.
 */
static __always_inline bool graph_short_enter(unsigned long ip, struct ftrace_regs *fregs,
					      struct graph_short_call *call)
{
	struct graph_stack *stack = READ_ONCE(current->graph_stack);

	if (unlikely(!stack))
		return false;
	call->stack = stack;
	call->retp = arch_ftrace_retp(fregs);
	call->place = arch_ftrace_place(fregs);
	if (graph_short_joins(stack, READ_ONCE(*call->retp), ip) || graph_short_not_now())
		return false;
	/* data_race: READ_ONCE() would take an instruction more, and promise the same. */
	if (unlikely(data_race(graph_state.dead) | data_race((u32)current->graph_pause)))
		return false;
	return graph_stack_has_room(stack, &call->room);
}

/* How many calls are around it? */
static __always_inline unsigned int graph_short_depth(const struct graph_short_call *call)
{
	return call->room.nr;
}

/* Await the return of the call that graph_short_enter() has looked at. */
static __always_inline void graph_short_hook(const struct graph_short_call *call,
					     unsigned long ip, u64 calltime,
					     const struct fgraph_ops *gops)
{
	struct ftrace_ret_stack *frame = graph_stack_open(call->stack, &call->room);

	/* Copied part by part, as a whole frame would need more registers. */
	frame->ret = READ_ONCE(*call->retp);
	frame->func = ip;
	frame->calltime = calltime;
	/* Behind what the entry has gone by. data_race: as in graph_short_enter(). */
	frame->epoch = data_race(graph_state.epoch);
	/* The compiler would make one store of these two, in more instructions. */
	WRITE_ONCE(frame->users, gops->bit);
	frame->data = call->room.data;
	graph_stack_show(frame, call->place);
	graph_set_handler(call->retp);
}

/* Can a return take the short way? */
static __always_inline bool graph_short_leave(const struct graph_stack *stack,
					      const struct ftrace_ret_stack *frame)
{
	return !graph_short_not_now() && !graph_stack_has_data(stack, frame);
}

/* The user has been told of call @nr: the function returns to its caller. */
static __always_inline void graph_short_return(struct ftrace_regs *fregs,
					       struct graph_stack *stack,
					       struct ftrace_ret_stack *frame, u32 nr)
{
	/* An unwinder finds the frame until it finds the address. */
	WRITE_ONCE(*arch_ftrace_retp(fregs), frame->ret);
	barrier();
	graph_stack_drop_frame(stack, frame, nr);
}

#endif /* _TRACE_GRAPH_SHORT_H */
