/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hooks/ inside, but for hash.h and hooks.h: freeing what a callback or a trampoline may
 * still be using, once nobody does.
 */
#ifndef _TRACE_HOOKS_RETIRE_H
#define _TRACE_HOOKS_RETIRE_H

#include <linux/types.h>

/**
 * struct ftrace_retired - memory that callbacks and trampolines may still be using
 * @list: ftrace_lock(); in the list of retire.c
 * @free: frees it, in task context without a lock, when nobody can be inside any more
 */
struct ftrace_retired {
	struct list_head	list;
	void			(*free)(struct ftrace_retired *retired);
};

void ftrace_retire(struct ftrace_retired *retired);
void ftrace_hooks_drain(void);

#ifdef CONFIG_FUNCTION_TRACER
void ftrace_hooks_synchronize(void);
#else
static inline void ftrace_hooks_synchronize(void) { }
#endif

#endif /* _TRACE_HOOKS_RETIRE_H */
