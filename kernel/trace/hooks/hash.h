/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hooks/ inside, but for hooks.h: sets of call sites, by address. A set that is a filter
 * of an ops belongs to that ops, and filter.c changes and frees it. Any other set has one
 * user.
 */
#ifndef _TRACE_HOOKS_HASH_H
#define _TRACE_HOOKS_HASH_H

#include "hooks/retire.h"
#include "sites/sites.h"

/*
 * Open addressing, at most half full, so that a test is a multiplication and
 * rarely more than two loads. Readers need no lock: a slot changes by one
 * store, from free to an address or from an address to a tombstone, and a
 * larger table replaces the whole.
 */
struct ftrace_hash_table {
	struct ftrace_retired	retired;
	unsigned int		bits;		/* constant */
	unsigned long		slots[];	/* RCU */
};

#define FTRACE_HASH_FREE	0UL
#define FTRACE_HASH_TOMB	1UL

/* While it is the filter of an ops, these locks cover it; before that it has one user. */
struct ftrace_hash {
	struct ftrace_hash_table __rcu *table;	/* RCU; NULL until the first address */
	unsigned long		count;		/* RCU; addresses */
	unsigned long		used;		/* ftrace_lock(); slots that are not free */
	/*
	 * The filter matches no site: its functions went away with a module, or it waits for
	 * modules. An ordinary empty filter matches every site.
	 */
	bool			nothing;
	struct list_head	installed;	/* ftrace_lock(); in the list of filters */
	struct ftrace_retired	retired;
};

struct ftrace_hash *ftrace_hash_alloc(void);
struct ftrace_hash *ftrace_hash_dup(const struct ftrace_hash *hash);
int ftrace_hash_copy(struct ftrace_hash *to, const struct ftrace_hash *from);
void ftrace_hash_free(struct ftrace_hash *hash);
int ftrace_hash_add(struct ftrace_hash *hash, unsigned long ip);
bool ftrace_hash_del(struct ftrace_hash *hash, unsigned long ip);
bool ftrace_hash_has(const struct ftrace_hash *hash, unsigned long ip);
void ftrace_hash_clear(struct ftrace_hash *hash);
void ftrace_hash_set_nothing(struct ftrace_hash *hash, bool nothing);
unsigned long ftrace_hash_count(const struct ftrace_hash *hash);
unsigned long ftrace_hash_next(const struct ftrace_hash *hash, unsigned long *i);
void ftrace_hash_forget(struct ftrace_hash *hash, struct dyn_ftrace *first, unsigned long count);
void ftrace_hash_install(struct ftrace_hash *hash);
void ftrace_hash_retire(struct ftrace_hash *hash);
void ftrace_hashes_forget(struct dyn_ftrace *first, unsigned long count);

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

#endif /* _TRACE_HOOKS_HASH_H */
