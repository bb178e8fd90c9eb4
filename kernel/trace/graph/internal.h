/* SPDX-License-Identifier: GPL-2.0 */
/*
 * graph/ inside: declarations that the files of this folder share. No other folder includes it.
 *
 *   stack.c     a shadow stack		graph.c     entries and returns of functions
 *   task.c      which task has which	user.c      who is told of them
 *   unwind.c    questions about stacks	rethook.c   kretprobes' own hooks on returns
 *   sleep.c     how long tasks sleep	interrupt.c  how long they are interrupted
 *   idle.c      idle tasks begin anew	ahead.c      stacks before they are needed
 *   enter.c     what entries need rarely	fprobe.c    probes of functions
 *   fprobe_call.c  their calls		fprobe_frame.c  the frames of these
 *   parent.c    the callers of hooked functions
 *
 * user.c is under ftrace_lock(). All else runs without a lock; stack.h and graph.c say
 * why it may.
 */
#ifndef _TRACE_GRAPH_INTERNAL_H
#define _TRACE_GRAPH_INTERNAL_H

#include "graph/real.h"
#include "graph/short.h"
#include "graph/stack.h"

struct fprobe;
struct fprobe_hook;

/* All fprobes together have the last number, so others are called before them. */
#define GRAPH_USER_FPROBE	(GRAPH_USERS - 1)
#ifdef CONFIG_FPROBE
#define GRAPH_OTHER_USERS	(GRAPH_USERS - 1)
#else
#define GRAPH_OTHER_USERS	GRAPH_USERS
#endif

/* By number; RCU. A number that nobody has is graph_no_user's, which has no bit. */
extern struct fgraph_ops *graph_users[GRAPH_USERS], graph_no_user;

void graph_hook_entry(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		      struct ftrace_regs *fregs);
void graph_hook_inside(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		       struct ftrace_regs *fregs);
void graph_hook_root(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		     struct ftrace_regs *fregs);

void graph_return_user(struct ftrace_regs *fregs, struct graph_stack *stack,
		       struct fgraph_ops *gops, struct ftrace_ret_stack *frame);

struct graph_stack *graph_task_give(void);
int graph_spares_want(void);
void graph_spares_unwant(void);
int graph_task_give_ahead(struct task_struct *task);
int graph_ahead_want(void);

#ifdef CONFIG_FPROBE

/* A frame without users is one fprobe's own; see fprobe_call.c. */
static __always_inline bool graph_is_fprobes_own(const struct ftrace_ret_stack *frame)
{
	return !frame->users;
}

/* Do fprobes await the return, by a frame of their own or as one of its users? */
static __always_inline bool graph_has_fprobes(const struct ftrace_ret_stack *frame)
{
	return (u16)(frame->users - 1) >= BIT(GRAPH_USER_FPROBE) - 1;
}

int graph_fprobe_get(struct fprobe *fp);
void graph_fprobe_put(struct fprobe *fp);
ftrace_func_t graph_fprobe_func(const struct fprobe *fp);
void graph_fprobe_leave(struct graph_stack *stack, const struct ftrace_ret_stack *frame,
			struct ftrace_regs *fregs);
void graph_fprobe_return(struct ftrace_regs *fregs, struct graph_stack *stack,
			 struct ftrace_ret_stack *frame);
void graph_fprobe_missed(struct graph_stack *stack, const struct ftrace_ret_stack *frame,
			 enum fgraph_miss reason);
void graph_fprobe_forget(struct graph_stack *stack);
bool graph_fprobe_share(struct graph_stack *stack, struct ftrace_ret_stack *frame);

#else

static inline bool graph_is_fprobes_own(const struct ftrace_ret_stack *frame)
{
	return false;
}

static inline bool graph_has_fprobes(const struct ftrace_ret_stack *frame)
{
	return false;
}

static inline void graph_fprobe_leave(struct graph_stack *stack,
				      const struct ftrace_ret_stack *frame,
				      struct ftrace_regs *fregs) { }
static inline void graph_fprobe_return(struct ftrace_regs *fregs, struct graph_stack *stack,
				       struct ftrace_ret_stack *frame) { }
static inline void graph_fprobe_missed(struct graph_stack *stack,
				       const struct ftrace_ret_stack *frame,
				       enum fgraph_miss reason) { }
static inline void graph_fprobe_forget(struct graph_stack *stack) { }
static inline bool graph_fprobe_share(struct graph_stack *stack, struct ftrace_ret_stack *frame)
{
	return false;
}

#endif

#endif /* _TRACE_GRAPH_INTERNAL_H */
