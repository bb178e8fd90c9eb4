/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hooks/ inside: dispatches, which are what sites call, and their trampolines. All is
 * under ftrace_lock() unless it says otherwise.
 */
#ifndef _TRACE_HOOKS_DISPATCH_H
#define _TRACE_HOOKS_DISPATCH_H

#include <linux/list.h>
#include <linux/rbtree_latch.h>

#include "hooks/call.h"
#include "hooks/retire.h"
#include "sites/arch.h"

struct ftrace_change;

/* A trampoline, by its address. @ops describes it to the unwinder. */
struct ftrace_tramp {
	struct latch_tree_node	node;		/* RCU */
	struct list_head	list;		/* RCU */
	struct ftrace_ops	ops;		/* constant; trampoline, trampoline_size, flags */
};

void ftrace_tramp_add(struct ftrace_tramp *tramp);
void ftrace_tramp_remove(struct ftrace_tramp *tramp);
int ftrace_tramp_kallsym(unsigned int n, unsigned long *value, char *type, char *name,
			 char *module_name, int *exported);

#define FTRACE_DISPATCH_MODIFY	BIT(0)	/* has an IPMODIFY ops */
#define FTRACE_DISPATCH_DIRECT	BIT(1)	/* has a direct call */
#define FTRACE_DISPATCH_OWN	BIT(2)	/* belongs to one registered ops */
#define FTRACE_DISPATCH_LIST	BIT(3)	/* calls whoever's filter names the site */
#define FTRACE_DISPATCH_KEPT	BIT(4)	/* stays without a site */
#define FTRACE_DISPATCH_GUEST	BIT(5)	/* a set that has its sites call a list's entry */

/* A site calls one of these; see dispatch.c. */
struct ftrace_dispatch {
	struct ftrace_target	target;		/* constant; target.func: RCU */
	u32			id;		/* constant */
	u32			nr;		/* constant */
	unsigned long		flags;		/* ftrace_lock(); FTRACE_DISPATCH_* */
	unsigned long		sites;		/* ftrace_lock(); that call it */
	unsigned long		seq;		/* constant; OWN: greater than of older ones */
	struct hlist_node	node;		/* ftrace_lock(); sets: by content */
	struct list_head	list;		/* RCU; OWN: in ftrace_registered */
	struct list_head	idle;		/* in the change's list of those that may go */
	struct list_head	noted;		/* in the change's list of those with a memo */
	/*
	 * Cache of the current change: the dispatch that a site gets when the change's
	 * ops is removed ([0]) or added ([1]). When guests get trampolines, both are the set
	 * that takes the guest's place.
	 */
	struct ftrace_dispatch	*memo[2];
	struct ftrace_tramp	tramp;		/* RCU; when target.size is not 0 */
	struct ftrace_retired	retired;
	struct ftrace_call	calls[] __counted_by(nr);	/* RCU */
};

extern struct ftrace_dispatch ftrace_dispatch_nop;
extern unsigned int ftrace_sets_max;

int ftrace_dispatch_add_ops(struct ftrace_ops *ops);
void ftrace_dispatch_del_ops(struct ftrace_change *change, struct ftrace_ops *ops);
struct ftrace_dispatch *ftrace_dispatch_new_direct(struct ftrace_ops *ops, unsigned long addr);
void ftrace_dispatch_take_over(struct ftrace_change *change, struct ftrace_ops *ops,
			       struct ftrace_dispatch *own);
struct ftrace_dispatch *ftrace_dispatch_step(struct ftrace_change *change,
					     struct ftrace_dispatch *old, bool with,
					     unsigned long ip);
struct ftrace_dispatch *ftrace_dispatch_compute(struct ftrace_change *change, unsigned long ip);
struct ftrace_dispatch *ftrace_dispatch_of(const struct dyn_ftrace *site);
const struct ftrace_target *ftrace_dispatch_target(u32 id);
void ftrace_dispatch_get(struct ftrace_dispatch *dispatch, unsigned long nr);
void ftrace_dispatch_put(struct ftrace_change *change, struct ftrace_dispatch *dispatch,
			 unsigned long nr);
void ftrace_dispatch_set_func(struct ftrace_ops *ops, ftrace_func_t func);
void ftrace_dispatch_choose_entries(unsigned long flag);
void ftrace_dispatch_silence(struct ftrace_ops *ops);
bool ftrace_dispatch_permanent(void);
bool ftrace_dispatch_promote(struct ftrace_change *change);
void ftrace_dispatch_forget_memos(struct ftrace_change *change);
void ftrace_dispatch_sweep(struct ftrace_change *change);
unsigned int ftrace_dispatch_registered(void);

#endif /* _TRACE_HOOKS_DISPATCH_H */
