// SPDX-License-Identifier: GPL-2.0
/*
 * The sites that an ops has, by its filters. filter.c changes these.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>

#include "hooks/internal.h"

const struct ftrace_scope ftrace_scope_none = { .nothing = true };

/* Prepare an ops for its first use. */
void ftrace_ops_init(struct ftrace_ops *ops)
{
	if (ops->flags & FTRACE_OPS_FL_INITIALIZED)
		return;
	ops->func_hash = &ops->local_hash;
	ops->flags |= FTRACE_OPS_FL_INITIALIZED;
}

static nokprobe_inline struct ftrace_scope scope_of(const struct ftrace_ops_hash *filters)
{
	return (struct ftrace_scope) {
		.filter = rcu_dereference_raw(filters->filter_hash),
		.exclude = rcu_dereference_raw(filters->notrace_hash),
	};
}

/* The sites of an ops. */
struct ftrace_scope ftrace_ops_scope(struct ftrace_ops *ops)
{
	return scope_of(ops->func_hash);
}

/**
 * ftrace_ops_traces - would an ops be called at a site, if it were registered?
 * @ops: an ops that was used before
 * @ip: the site
 *
 * Context: any, inside of a trampoline, with preemption off or under
 * ftrace_lock().
 */
bool ftrace_ops_traces(struct ftrace_ops *ops, unsigned long ip)
{
	struct ftrace_scope scope = scope_of(ops->func_hash);

	return ftrace_scope_has(&scope, ip);
}

NOKPROBE_SYMBOL(ftrace_ops_traces);

/**
 * ftrace_ops_filter_empty - has an ops no such filter?
 * @ops: the ops
 * @exclude: which of the two
 *
 * A filter whose last site went away with its module is not empty: it names
 * no site.
 *
 * Context: task; takes no lock.
 */
bool ftrace_ops_filter_empty(struct ftrace_ops *ops, bool exclude)
{
	struct ftrace_hash *hash;

	if (!(ops->flags & FTRACE_OPS_FL_INITIALIZED))
		return true;
	if (!exclude)
		return !rcu_access_pointer(ops->func_hash->filter_hash);
	/* Filters are freed when every CPU has scheduled. */
	guard(preempt)();
	hash = rcu_dereference_raw(ops->func_hash->notrace_hash);
	return !hash || !ftrace_hash_count(hash);
}

/**
 * ftrace_ops_filter_has - is a site named in a filter of an ops?
 * @ops: the ops
 * @ip: the site
 * @exclude: which of the two
 *
 * Context: as ftrace_ops_traces().
 * Return: false, too, if there is no filter. ftrace_ops_traces() takes that for every site.
 */
bool ftrace_ops_filter_has(struct ftrace_ops *ops, unsigned long ip, bool exclude)
{
	const struct ftrace_hash *hash;
	struct ftrace_scope scope;

	if (!(ops->flags & FTRACE_OPS_FL_INITIALIZED))
		return false;
	scope = scope_of(ops->func_hash);
	hash = exclude ? scope.exclude : scope.filter;
	return hash && ftrace_hash_has(hash, ip);
}
