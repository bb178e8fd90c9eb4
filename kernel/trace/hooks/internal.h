/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hooks/ inside: what the files of this folder share. Nobody else includes it.
 *
 *   ops.c       ops come and go          call.c      calling one
 *   enabled.c   kernel.ftrace_enabled    retire.c    freeing what may still be in use
 *   rethook.c   hooks on returns (nothing of the others)
 *
 * with sites (CONFIG_DYNAMIC_FTRACE):
 *   attach.c    which ops have which     dispatch.c  what a site calls
 *   hash.c      sets of addresses        update.c    one change of many sites
 *   filter.c    the filters of an ops    trampoline.c  finding trampolines by address
 *   direct.c    direct calls             subops.c    several ops behind one
 *
 * or without:
 *   static.c    every function calls every ops
 *
 * Everything is under ftrace_lock() unless it says otherwise. Locks, outermost
 * first: the owner's own (kprobe_mutex, klp_mutex, a BPF trampoline's),
 * ftrace_direct_mutex, ftrace_lock(), text_mutex. cpus_read_lock() comes before
 * ftrace_lock(), so nobody waits for a grace period inside of it.
 */
#ifndef _TRACE_HOOKS_INTERNAL_H
#define _TRACE_HOOKS_INTERNAL_H

#include <linux/rbtree_latch.h>

#include "hooks/hooks.h"

/*
 * Memory that callbacks and trampolines may still be using: freed by @free,
 * in task context without a lock, when nobody can be inside any more.
 */
struct ftrace_retired {
	struct list_head	list;
	void			(*free)(struct ftrace_retired *retired);
};

void ftrace_retire(struct ftrace_retired *retired);
void ftrace_hooks_drain(void);

/*
 * Open addressing, at most half full, so that a test is a multiplication and
 * rarely more than two loads. Readers need no lock: a slot changes by one
 * store, from free to an address or from an address to a tombstone, and a
 * larger table replaces the whole.
 */
struct ftrace_hash_table {
	struct ftrace_retired	retired;
	unsigned int		bits;
	unsigned long		slots[];
};

#define FTRACE_HASH_FREE	0UL
#define FTRACE_HASH_TOMB	1UL

struct ftrace_hash {
	struct ftrace_hash_table __rcu *table;	/* NULL until the first address */
	unsigned long		count;		/* addresses */
	unsigned long		used;		/* slots that are not free */
	bool			nothing;	/* a filter that lost its last site matches none */
	struct list_head	installed;	/* in ftrace_hashes, while it is an ops' filter */
	struct ftrace_retired	retired;
};

unsigned long ftrace_hash_next(const struct ftrace_hash *hash, unsigned long *i);
int ftrace_hash_reserve(struct ftrace_hash *hash, unsigned long more);
void ftrace_hash_forget(struct ftrace_hash *hash, struct dyn_ftrace *first, unsigned long count);
void ftrace_hash_install(struct ftrace_hash *hash);
void ftrace_hash_retire(struct ftrace_hash *hash);
void ftrace_hashes_forget(struct dyn_ftrace *first, unsigned long count);

/* A flag of an ops: has subordinates, and the sites that they have. */
#define FTRACE_OPS_FL_MANAGER	BIT(30)

bool ftrace_subops_trace(const struct ftrace_ops *manager, unsigned long ip);

/* Which sites an ops has, before or after a change. */
struct ftrace_scope {
	const struct ftrace_hash *filter;	/* NULL: every site */
	const struct ftrace_hash *exclude;	/* NULL: no site */
	bool			nothing;	/* no site at all */
};

extern const struct ftrace_scope ftrace_scope_none;

static inline bool ftrace_scope_has(const struct ftrace_scope *scope, unsigned long ip)
{
	return !scope->nothing &&
	       (!scope->filter || ftrace_hash_has(scope->filter, ip)) &&
	       !(scope->exclude && ftrace_hash_has(scope->exclude, ip));
}

struct ftrace_scope ftrace_ops_scope(struct ftrace_ops *ops);

/* A trampoline, by its address. @ops describes it to the unwinder. */
struct ftrace_tramp {
	struct latch_tree_node	node;
	struct list_head	list;
	struct ftrace_ops	ops;
};

void ftrace_tramp_add(struct ftrace_tramp *tramp);
void ftrace_tramp_remove(struct ftrace_tramp *tramp);

/* One of several that are called. */
struct ftrace_call {
	ftrace_func_t		func;	/* written under ftrace_lock(), read without */
	struct ftrace_ops	*ops;
};

static __always_inline void hooks_call_func(unsigned long ip, unsigned long parent_ip,
					    struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	ftrace_func_t func = READ_ONCE(ops->func);

	func(ip, parent_ip, ops, fregs);
}

ftrace_func_t ftrace_ops_entry(struct ftrace_ops *ops);

#define FTRACE_DISPATCH_REGS	BIT(0)	/* full registers */
#define FTRACE_DISPATCH_MODIFY	BIT(1)	/* has an IPMODIFY ops */
#define FTRACE_DISPATCH_DIRECT	BIT(2)	/* has a direct call */
#define FTRACE_DISPATCH_OWN	BIT(3)	/* belongs to one registered ops */
#define FTRACE_DISPATCH_LIST	BIT(4)	/* calls whoever's filter names the site */
#define FTRACE_DISPATCH_KEPT	BIT(5)	/* stays without a site */
#define FTRACE_DISPATCH_FREGS	BIT(6)	/* has an ops that looks at fregs */

/* What sites call; see dispatch.c. */
struct ftrace_dispatch {
	unsigned long		target;
	u32			id;
	u32			nr;
	unsigned long		flags;
	unsigned long		sites;		/* that call it */
	unsigned long		seq;		/* OWN: order of registration */
	struct hlist_node	node;		/* sets: in dispatch_sets */
	struct list_head	list;		/* OWN: in ftrace_registered */
	struct list_head	idle;		/* in the change's list of those that may go */
	unsigned long		memo_change[2];	/* the change that the memo belongs to */
	struct ftrace_dispatch	*memo[2];	/* what follows [0] without, [1] with the ops */
	struct ftrace_tramp	tramp;
	struct ftrace_retired	retired;
	struct ftrace_call	calls[] __counted_by(nr);
};

extern struct ftrace_dispatch ftrace_dispatch_nop;
extern unsigned int ftrace_sets_max;

/* OWN dispatches in order of registration; readers are inside a trampoline. */
extern struct list_head ftrace_registered;

/*
 * Calls all ops that have the site: from the trampoline of a list, or, without
 * sites, from every function. @list is of no use. The linker script has the name.
 */
void arch_ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *list, struct ftrace_regs *fregs);

int ftrace_dispatch_add_ops(struct ftrace_ops *ops);
void ftrace_dispatch_del_ops(struct ftrace_ops *ops);
bool ftrace_dispatch_permanent(void);
int ftrace_dispatch_new_direct(struct ftrace_ops *ops);
void ftrace_dispatch_set_func(struct ftrace_ops *ops, ftrace_func_t func);
struct ftrace_dispatch *ftrace_dispatch_of(const struct dyn_ftrace *site);
struct ftrace_dispatch *ftrace_dispatch_step(struct ftrace_dispatch *old, struct ftrace_ops *ops,
					     bool with, unsigned long ip);
struct ftrace_dispatch *ftrace_dispatch_compute(unsigned long ip);
void ftrace_dispatch_freeze(bool on);
void ftrace_dispatch_get(struct ftrace_dispatch *dispatch);
void ftrace_dispatch_put(struct ftrace_dispatch *dispatch);
void ftrace_dispatch_change(void);
void ftrace_dispatch_sweep(void);

/* Sites whose @ops comes or goes between two scopes; 0, or why patching stopped. */
int ftrace_update_ops(struct ftrace_ops *ops, const struct ftrace_scope *from,
		      const struct ftrace_scope *to);
int ftrace_update_ip(struct ftrace_ops *ops, unsigned long ip, bool with);
int ftrace_update_all(bool on);
int ftrace_update_replace(struct ftrace_ops *ops, struct ftrace_dispatch *old,
			  struct ftrace_dispatch *new);

extern bool ftrace_hooks_on;		/* sites call what they should */

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

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
void ftrace_direct_share_begin(void);
int ftrace_direct_share(struct ftrace_ops *ops, const struct ftrace_hash *hash);
void ftrace_direct_share_end(struct ftrace_ops *ops, bool joined);
#else
static inline void ftrace_direct_share_begin(void) { }
static inline int ftrace_direct_share(struct ftrace_ops *ops, const struct ftrace_hash *hash)
{
	return 0;
}

static inline void ftrace_direct_share_end(struct ftrace_ops *ops, bool joined) { }
#endif

#endif /* _TRACE_HOOKS_INTERNAL_H */
