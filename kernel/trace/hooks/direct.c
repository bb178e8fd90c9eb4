// SPDX-License-Identifier: GPL-2.0
/*
 * Direct calls: sites that call their owner's trampoline instead of one of
 * ours. With other ops on the function, the trampoline of the set calls
 * those and goes on to the owner's.
 *
 * A function has one direct call at most. It shares the function with an
 * IPMODIFY ops only if the owner says so (ops->ops_func), as its trampoline
 * then must not call the function by its address. ftrace_direct_mutex keeps
 * direct calls from coming and going while owners are asked.
 */
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "hooks/internal.h"

/* How often an owner that says -EAGAIN is asked; it sleeps a millisecond each time. */
#define SHARE_TRIES	1000

static DEFINE_MUTEX(ftrace_direct_mutex);

/* In a set or a list: tell the trampoline where to go on. */
static void hooks_call_direct(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	arch_ftrace_set_direct_caller(fregs, READ_ONCE(ops->direct_call));
}

/**
 * ftrace_find_rec_direct - the direct call at a site
 * @ip: the site
 *
 * Context: any.
 * Return: the address that is called, 0: none.
 */
unsigned long ftrace_find_rec_direct(unsigned long ip)
{
	struct ftrace_dispatch *own;
	struct ftrace_ops *ops;

	guard(preempt_notrace)();
	list_for_each_entry_rcu(own, &ftrace_registered, list, true) {
		ops = own->calls[0].ops;
		if (ops->flags & FTRACE_OPS_FL_DIRECT && ftrace_ops_traces(ops, ip))
			return READ_ONCE(ops->direct_call);
	}
	return 0;
}

/**
 * register_ftrace_direct - let the functions of a filter call an address
 * @ops: an ops without a callback, and with a filter
 * @addr: the owner's trampoline
 *
 * Context: task; takes ftrace_direct_mutex, ftrace_lock().
 * Return: 0; -EINVAL: @ops is in use or names no function; -EBUSY: one of them
 * has a direct call, or an IPMODIFY ops that cannot share it; -ENODEV, -ENOMEM;
 * what ops->ops_func() says.
 */
int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	int ret;

	if (ops->func || !addr ||
	    !(ops->flags & FTRACE_OPS_FL_INITIALIZED) || ops->flags & FTRACE_OPS_FL_ENABLED ||
	    ftrace_ops_filter_empty(ops, false))
		return -EINVAL;

	guard(mutex)(&ftrace_direct_mutex);
	guard(ftrace_lock)();
	ops->func = hooks_call_direct;
	ops->direct_call = addr;
	ops->flags |= FTRACE_OPS_FL_DIRECT | FTRACE_OPS_FL_SAVE_ARGS;
	ret = ftrace_ops_add(ops);
	if (ret) {
		ops->func = NULL;
		ops->direct_call = 0;
		ops->flags &= ~FTRACE_OPS_FL_DIRECT;
	}
	return ret;
}
EXPORT_SYMBOL_GPL(register_ftrace_direct);

static bool direct_registered(const struct ftrace_ops *ops)
{
	return ops->flags & FTRACE_OPS_FL_DIRECT && ops->flags & FTRACE_OPS_FL_ENABLED;
}

/**
 * unregister_ftrace_direct - take a direct call from its functions
 * @ops: the ops
 * @addr: what they call
 * @free_filters: free the filters of @ops as well
 *
 * Waits until its last callers have left.
 *
 * Context: task, may sleep; takes ftrace_direct_mutex, ftrace_lock().
 * Return: 0; -EINVAL: is not registered; -ENODEV.
 */
int unregister_ftrace_direct(struct ftrace_ops *ops, unsigned long addr, bool free_filters)
{
	int ret;

	scoped_guard(mutex, &ftrace_direct_mutex) {
		guard(ftrace_lock)();
		if (!direct_registered(ops))
			return -EINVAL;
		ret = ftrace_ops_del(ops);
		if (ret)
			return ret;
	}
	/* Whoever is inside of a set reads the address, or runs at it. */
	ftrace_hooks_synchronize();

	/* As it was before registering: it may be registered anew. */
	ops->func = NULL;
	ops->direct_call = 0;
	ops->flags &= ~FTRACE_OPS_FL_DIRECT;
	if (free_filters)
		ftrace_free_filter(ops);
	return 0;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_direct);

static int direct_modify(struct ftrace_ops *ops, unsigned long addr)
{
	struct ftrace_dispatch *old;
	struct ftrace_change change;
	unsigned long before;
	int ret;

	lockdep_assert_held_once(&ftrace_direct_mutex);
	guard(ftrace_lock)();
	if (!direct_registered(ops) || !addr)
		return -EINVAL;
	if (ftrace_sites_dead())
		return -ENODEV;
	before = ops->direct_call;
	old = ops->dispatch;
	/* Sets and lists follow at once, the sites of its own when they are patched. */
	WRITE_ONCE(ops->direct_call, addr);
	ftrace_change_begin(&change);
	ret = ftrace_dispatch_new_direct(&change, ops);
	if (ret)
		WRITE_ONCE(ops->direct_call, before);
	else
		ret = ftrace_update_replace(&change, ops, old, ops->dispatch);
	ftrace_change_end(&change);
	return ret;
}

/**
 * modify_ftrace_direct - send the functions of a direct call elsewhere
 * @ops: the ops
 * @addr: the address; the old one may still be entered for a grace period
 *
 * Context: task; takes ftrace_direct_mutex, ftrace_lock().
 * Return: 0; -EINVAL: is not registered; -ENODEV, -ENOMEM.
 */
int modify_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	guard(mutex)(&ftrace_direct_mutex);
	return direct_modify(ops, addr);
}
EXPORT_SYMBOL_GPL(modify_ftrace_direct);

/**
 * modify_ftrace_direct_nolock - modify_ftrace_direct() from ops->ops_func()
 * @ops: the ops
 * @addr: the address
 *
 * Context: FTRACE_OPS_CMD_*_SHARE_IPMODIFY_PEER, which holds the mutex.
 * Return: as modify_ftrace_direct().
 */
int modify_ftrace_direct_nolock(struct ftrace_ops *ops, unsigned long addr)
{
	if (WARN_ON_ONCE(!mutex_is_locked(&ftrace_direct_mutex)))
		return -EINVAL;
	return direct_modify(ops, addr);
}
EXPORT_SYMBOL_GPL(modify_ftrace_direct_nolock);

/*
 * Sharing with IPMODIFY
 */

/* The ops whose direct calls are on the sites of @ops; they stay with the mutex. */
static int peers_find(struct ftrace_ops *ops, const struct ftrace_hash *hash,
		      struct ftrace_ops ***peers, unsigned int *nr)
{
	struct ftrace_dispatch *own;
	struct ftrace_ops *other;
	unsigned int max = 0;
	unsigned long i, ip;

	*peers = NULL;
	*nr = 0;
	guard(ftrace_lock)();
	if (!hash)
		hash = ftrace_ops_scope(ops).filter;
	list_for_each_entry(own, &ftrace_registered, list)
		max += !!(own->flags & FTRACE_DISPATCH_DIRECT);
	if (!max || !hash)
		return 0;
	*peers = kvmalloc_array(max, sizeof(**peers), GFP_KERNEL);
	if (!*peers)
		return -ENOMEM;
	list_for_each_entry(own, &ftrace_registered, list) {
		if (!(own->flags & FTRACE_DISPATCH_DIRECT))
			continue;
		other = own->calls[0].ops;
		i = 0;
		while ((ip = ftrace_hash_next(hash, &i))) {
			if (!ftrace_ops_traces(other, ip))
				continue;
			(*peers)[(*nr)++] = other;
			break;
		}
	}
	return 0;
}

static int peers_ask(struct ftrace_ops **peers, unsigned int nr)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr; i++) {
		ret = -EBUSY;
		if (peers[i]->ops_func)
			ret = peers[i]->ops_func(peers[i],
						 FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER);
		if (ret)
			break;
	}
	while (ret && i--)
		peers[i]->ops_func(peers[i], FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER);
	return ret;
}

/* An IPMODIFY ops is about to go, see ftrace_direct_share_end(). */
void ftrace_direct_share_begin(void)
{
	mutex_lock(&ftrace_direct_mutex);
}

/*
 * An IPMODIFY ops is about to join the sites of @hash (NULL: of its filter):
 * ask the owners of direct calls there. On success, ftrace_direct_share_end()
 * has to follow. Not under ftrace_lock(): the owners change their calls.
 */
int ftrace_direct_share(struct ftrace_ops *ops, const struct ftrace_hash *hash)
{
	struct ftrace_ops **peers;
	unsigned int tries, nr;
	int ret;

	for (tries = 0; tries < SHARE_TRIES; tries++) {
		mutex_lock(&ftrace_direct_mutex);
		ret = peers_find(ops, hash, &peers, &nr);
		if (!ret)
			ret = peers_ask(peers, nr);
		kvfree(peers);
		if (!ret)
			return 0;
		/* A busy owner may be waiting for the mutex. */
		mutex_unlock(&ftrace_direct_mutex);
		if (ret != -EAGAIN)
			break;
		cond_resched();
	}
	return ret;
}

/* @ops has @joined its sites, or it has not, or has left them: tell the owners. */
void ftrace_direct_share_end(struct ftrace_ops *ops, bool joined)
{
	struct ftrace_ops **peers;
	unsigned int nr, i;

	if (!joined && !peers_find(ops, NULL, &peers, &nr)) {
		for (i = 0; i < nr; i++) {
			if (peers[i]->ops_func)
				peers[i]->ops_func(peers[i],
						   FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER);
		}
		kvfree(peers);
	}
	mutex_unlock(&ftrace_direct_mutex);
}
