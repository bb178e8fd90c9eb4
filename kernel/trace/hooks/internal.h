/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hooks/ inside: declarations that the files of this folder share. No other folder includes it.
 *
 *   ops.c       ops come and go          call.c      calling one
 *   enabled.c   kernel.ftrace_enabled    retire.c    freeing what may still be in use
 *   parent.c    parents of calls, while returns are hooked
 *
 * with sites (CONFIG_DYNAMIC_FTRACE):
 *   attach.c    which ops have which     dispatch.c  what a site calls
 *   hash.c      sets of addresses        update.c    one change of many sites
 *   filter.c    the filters of an ops    trampoline.c  finding trampolines by address
 *   scope.c     the sites of an ops      rules.c     which ops may share a site
 *   direct.c    direct calls             share.c     asking their owners
 *
 * or without:
 *   static.c    every function calls every ops
 *
 * Everything is under ftrace_lock() unless it says otherwise. Locks, outermost
 * first: the owner's own (kprobe_mutex, klp_mutex, a BPF trampoline's),
 * ftrace_direct_mutex, ftrace_lock(), text_mutex. cpus_read_lock() comes before
 * ftrace_lock(), so nobody waits for a grace period inside of it. The letters
 * beside members are those of sites/sites.h.
 */
#ifndef _TRACE_HOOKS_INTERNAL_H
#define _TRACE_HOOKS_INTERNAL_H

#include "hooks/hash.h"
#include "hooks/hooks.h"
#include "hooks/retire.h"
#include "sites/arch.h"

struct ftrace_scope ftrace_ops_scope(struct ftrace_ops *ops);

/* OWN dispatches, the last one registered first. RCU: readers are inside a trampoline. */
extern struct list_head ftrace_registered;

extern bool ftrace_hooks_on;		/* ftrace_lock(); sites call what they should */

/* Rules for IPMODIFY and direct calls: @fresh sites join @ops. */
int ftrace_ops_check(struct ftrace_ops *ops, const struct ftrace_scope *fresh,
		     const struct ftrace_scope *now);
int ftrace_ops_attach(struct ftrace_ops *ops);
int ftrace_ops_detach(struct ftrace_ops *ops);
int ftrace_ops_add(struct ftrace_ops *ops);
int ftrace_ops_del(struct ftrace_ops *ops);

#ifdef CONFIG_DYNAMIC_FTRACE
void ftrace_ops_init(struct ftrace_ops *ops);
#else
extern struct ftrace_static_set __rcu *ftrace_static_set;

static inline void ftrace_ops_init(struct ftrace_ops *ops) { }
#endif

#endif /* _TRACE_HOOKS_INTERNAL_H */
