/* SPDX-License-Identifier: GPL-2.0 */
/*
 * graph/ inside: what the files of this folder share. Nobody else includes it.
 *
 *   stack.c     a shadow stack		graph.c     entries and returns of functions
 *   task.c      which task has which	user.c      who is told of them
 *   unwind.c    questions about stacks	rethook.c   kretprobes' own hooks on returns
 *   sleep.c     how long tasks sleep
 *
 * user.c is under ftrace_lock(). All else runs without a lock; stack.h and graph.c say
 * why it may. The letters beside members are those of sites/sites.h.
 */
#ifndef _TRACE_GRAPH_INTERNAL_H
#define _TRACE_GRAPH_INTERNAL_H

#include "graph/stack.h"

/* By number: users, and what a frame's epoch is made of [R]. */
extern struct fgraph_ops *graph_users[GRAPH_USERS];
extern u32 graph_epoch;

extern bool graph_dead;		/* see ftrace_graph_stop() */

void graph_hook_entry(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		      struct ftrace_regs *fregs);

struct graph_stack *graph_task_give(void);
int graph_spares_want(void);
void graph_spares_unwant(void);

#endif /* _TRACE_GRAPH_INTERNAL_H */
