/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hooks/ inside: what the files of this folder share. Nobody else includes it.
 *
 *   ops.c       ops come and go          call.c      calling one
 *   enabled.c   kernel.ftrace_enabled    retire.c    freeing what may still be in use
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
 * direct_mutex, ftrace_lock(), text_mutex. cpus_read_lock() comes before
 * ftrace_lock(), so nobody waits for a grace period inside of it. The letters
 * beside members are those of sites/sites.h.
 */
#ifndef _TRACE_HOOKS_INTERNAL_H
#define _TRACE_HOOKS_INTERNAL_H

#include <linux/rbtree_latch.h>

#include "hooks/hash.h"
#include "hooks/hooks.h"
#include "hooks/retire.h"
#include "sites/arch.h"

/* A flag of an ops: has subordinates, and the sites that they have. */
#define FTRACE_OPS_FL_MANAGER	BIT(30)

bool ftrace_subops_trace(const struct ftrace_ops *manager, unsigned long ip);

struct ftrace_scope ftrace_ops_scope(struct ftrace_ops *ops);

/* A trampoline, by its address. @ops describes it to the unwinder. */
struct ftrace_tramp {
	struct latch_tree_node	node;		/* [R] */
	struct list_head	list;		/* [R] */
	struct ftrace_ops	ops;		/* [I] trampoline, trampoline_size, flags */
};

void ftrace_tramp_add(struct ftrace_tramp *tramp);
void ftrace_tramp_remove(struct ftrace_tramp *tramp);
int ftrace_tramp_kallsym(unsigned int n, unsigned long *value, char *type, char *name,
			 char *module_name, int *exported);

/* One of several that are called. */
struct ftrace_call {
	ftrace_func_t		func;		/* [R] what is called for @ops */
	struct ftrace_ops	*ops;		/* [I] */
};

ftrace_func_t ftrace_ops_entry(struct ftrace_ops *ops);

#define FTRACE_DISPATCH_MODIFY	BIT(0)	/* has an IPMODIFY ops */
#define FTRACE_DISPATCH_DIRECT	BIT(1)	/* has a direct call */
#define FTRACE_DISPATCH_OWN	BIT(2)	/* belongs to one registered ops */
#define FTRACE_DISPATCH_LIST	BIT(3)	/* calls whoever's filter names the site */
#define FTRACE_DISPATCH_KEPT	BIT(4)	/* stays without a site */
#define FTRACE_DISPATCH_GUEST	BIT(5)	/* a set that has its sites call a list's entry */

/* What sites call; see dispatch.c. */
struct ftrace_dispatch {
	struct ftrace_target	target;		/* [I] but for target.func [R] */
	u32			id;		/* [I] */
	u32			nr;		/* [I] */
	unsigned long		flags;		/* [L] FTRACE_DISPATCH_* */
	unsigned long		sites;		/* [L] that call it */
	unsigned long		seq;		/* [I] OWN: order of registration */
	struct hlist_node	node;		/* [L] sets: by content */
	struct list_head	list;		/* [R] OWN: in ftrace_registered */
	struct list_head	idle;		/* [L] in the change's list of those that may go */
	struct list_head	noted;		/* [L] in the change's list of those with a memo */
	struct ftrace_dispatch	*memo[2];	/* [L] what follows [0] without, [1] with its ops */
	struct ftrace_tramp	tramp;		/* [R] when target.size is not 0 */
	struct ftrace_retired	retired;
	struct ftrace_call	calls[] __counted_by(nr);	/* [R] */
};

extern struct ftrace_dispatch ftrace_dispatch_nop;
extern unsigned int ftrace_sets_max;

/* OWN dispatches in order of registration [R]; readers are inside a trampoline. */
extern struct list_head ftrace_registered;

/*
 * Calls all ops that have the site: from the entry of a list, or, without sites,
 * from every function. @list is of no use. The linker script has the name.
 */
void arch_ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *list, struct ftrace_regs *fregs);

/* So many calls of a set are looked for without an allocation. */
#define FTRACE_CHANGE_FEW	8

/**
 * struct ftrace_change - one change of what sites call; lives on the stack
 * @ops:	whose sites change, NULL: those of any
 * @called:	what is called there: @ops or its manager
 * @from:	the sites of @ops before
 * @to:		and after
 * @patching:	the second pass: text is written, and no dispatch can be made, as
 *		its trampoline would need text_mutex
 * @patch:	the transaction meanwhile
 * @idle:	dispatches that may have lost their last site
 * @noted:	dispatches whose memo says what comes after them in this change
 * @calls:	room for the calls of a set that is looked for; NULL: no memory for
 *		that, sites with more than one ops get a list
 * @few:	@calls, when few ops are registered
 *
 * Between ftrace_change_begin() and ftrace_change_end(), under ftrace_lock().
 */
struct ftrace_change {
	struct ftrace_ops		*ops;
	struct ftrace_ops		*called;
	const struct ftrace_scope	*from;
	const struct ftrace_scope	*to;
	bool				patching;
	struct ftrace_patch		patch;
	struct list_head		idle;
	struct list_head		noted;
	struct ftrace_call		*calls;
	struct ftrace_call		few[FTRACE_CHANGE_FEW];
};

void ftrace_change_begin(struct ftrace_change *change);
void ftrace_change_end(struct ftrace_change *change);

int ftrace_dispatch_add_ops(struct ftrace_ops *ops);
void ftrace_dispatch_del_ops(struct ftrace_change *change, struct ftrace_ops *ops);
int ftrace_dispatch_new_direct(struct ftrace_change *change, struct ftrace_ops *ops);
struct ftrace_dispatch *ftrace_dispatch_step(struct ftrace_change *change,
					     struct ftrace_dispatch *old, bool with,
					     unsigned long ip);
struct ftrace_dispatch *ftrace_dispatch_compute(struct ftrace_change *change, unsigned long ip);
struct ftrace_dispatch *ftrace_dispatch_of(const struct dyn_ftrace *site);
void ftrace_dispatch_get(struct ftrace_dispatch *dispatch);
void ftrace_dispatch_put(struct ftrace_change *change, struct ftrace_dispatch *dispatch);
void ftrace_dispatch_set_func(struct ftrace_ops *ops, ftrace_func_t func);
void ftrace_dispatch_silence(struct ftrace_ops *ops);
bool ftrace_dispatch_permanent(void);
bool ftrace_dispatch_promote(struct ftrace_change *change);
void ftrace_dispatch_forget_memos(struct ftrace_change *change);
void ftrace_dispatch_sweep(struct ftrace_change *change);
unsigned int ftrace_dispatch_registered(void);

/* Sites whose @ops comes or goes between two scopes; 0, or why patching stopped. */
int ftrace_update_ops(struct ftrace_change *change, struct ftrace_ops *ops,
		      const struct ftrace_scope *from, const struct ftrace_scope *to);
int ftrace_update_new_ops(struct ftrace_change *change, struct ftrace_ops *ops,
			  const struct ftrace_scope *to, bool *stuck);
int ftrace_update_ip(struct ftrace_ops *ops, unsigned long ip, bool with);
int ftrace_update_all(bool on);
void ftrace_update_gone(struct dyn_ftrace *first, unsigned long count);
int ftrace_update_replace(struct ftrace_change *change, struct ftrace_ops *ops,
			  struct ftrace_dispatch *old, struct ftrace_dispatch *new);

extern bool ftrace_hooks_on;		/* [L] sites call what they should */

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

/*
 * The direct calls on the sites of an IPMODIFY ops that gets or leaves some, and
 * whose owners have agreed to that. Belongs to who holds direct_mutex.
 */
struct ftrace_share {
	struct ftrace_share_peer {
		struct ftrace_ops	*ops;
		bool			joins;	/* its sites are among the new ones */
		bool			shares;	/* its owner was asked, now or before */
	}			*peers;
	unsigned int		nr;
};

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
void ftrace_share_begin(struct ftrace_share *share);
void ftrace_share_leave(struct ftrace_share *share, struct ftrace_ops *ops);
int ftrace_share_join(struct ftrace_share *share, struct ftrace_ops *ops,
		      const struct ftrace_hash *hash);
void ftrace_share_end(struct ftrace_share *share);
bool ftrace_share_again(int ret, unsigned int *tries);
#else
static inline void ftrace_share_begin(struct ftrace_share *share) { }
static inline void ftrace_share_leave(struct ftrace_share *share, struct ftrace_ops *ops) { }
static inline int ftrace_share_join(struct ftrace_share *share, struct ftrace_ops *ops,
				    const struct ftrace_hash *hash)
{
	return 0;
}

static inline void ftrace_share_end(struct ftrace_share *share) { }
static inline bool ftrace_share_again(int ret, unsigned int *tries) { return false; }
#endif

#endif /* _TRACE_HOOKS_INTERNAL_H */
