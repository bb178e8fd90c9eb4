/* SPDX-License-Identifier: GPL-2.0 */
/*
 * graph/ inside: where does a call really return to that several hooks have changed the return
 * address of? Alone, since parent.c and rethook.c are there without the other files.
 */
#ifndef _TRACE_GRAPH_REAL_H
#define _TRACE_GRAPH_REAL_H

#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "hooks/parent.h"

#ifdef CONFIG_FTRACE_GRAPH

bool graph_task_awaits(struct task_struct *task);
unsigned long *graph_last_place(void);
unsigned long graph_real_return(unsigned long *place, unsigned long ret, u32 frame,
				struct llist_node *node);

#else

static inline bool graph_task_awaits(struct task_struct *task) { return false; }
static inline unsigned long *graph_last_place(void) { return NULL; }

static inline unsigned long graph_real_return(unsigned long *place, unsigned long ret, u32 frame,
					      struct llist_node *node)
{
	return is_kretprobe_trampoline(ret) ?
	       kretprobe_find_ret_addr(current, place, &node) ?: ret : ret;
}

#endif

/* The hook of a kretprobe that was put last, of those whose returns @task has to come to. */
static inline struct llist_node *graph_kretprobe_last(struct task_struct *task)
{
#if defined(CONFIG_KRETPROBE_ON_RETHOOK)
	return READ_ONCE(task->rethooks.first);
#elif defined(CONFIG_KRETPROBES)
	return READ_ONCE(task->kretprobe_instances.first);
#else
	return NULL;
#endif
}

/* The place of the call that such a hook of current belongs to. */
static inline unsigned long *graph_kretprobe_place(struct llist_node *hook)
{
#if defined(CONFIG_KRETPROBE_ON_RETHOOK)
	return (unsigned long *)container_of(hook, struct rethook_node, llist)->frame;
#elif defined(CONFIG_KRETPROBES)
	return container_of(hook, struct kretprobe_instance, llist)->fp;
#else
	return NULL;
#endif
}

struct task_struct *graph_next_task(int *nr);

/* Users of returns give this to ftrace_parents_hide(). */
extern const struct ftrace_parent_ops graph_parent_ops;

#endif /* _TRACE_GRAPH_REAL_H */
