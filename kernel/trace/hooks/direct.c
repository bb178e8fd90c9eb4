// SPDX-License-Identifier: GPL-2.0
/*
 * Direct calls: sites that call their owner's trampoline instead of one of
 * ours. With other ops on the function, the trampoline of the set calls
 * those and goes on to the owner's.
 *
 * A function has one direct call at most. It shares the function with an
 * IPMODIFY ops only if the owner says so (ops->ops_func), as its trampoline
 * then must not call the function by its address. direct_mutex keeps
 * direct calls from coming and going while owners are asked.
 */
#include <linux/export.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "hooks/change.h"
#include "hooks/internal.h"
#include "hooks/share.h"

/* How often an owner that says -EAGAIN is asked; it sleeps a millisecond each time. */
#define SHARE_TRIES	1000

static DEFINE_MUTEX(direct_mutex);

/* In a set or a list: tell the trampoline where to go on. */
static void hooks_call_direct(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	arch_ftrace_set_direct_caller(fregs, READ_ONCE(ops->direct_call));
}

NOKPROBE_SYMBOL(hooks_call_direct);

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
 * Context: task; takes direct_mutex, ftrace_lock().
 * Return: 0; -EINVAL: @ops is in use or names no function; -EBUSY: one of them
 * has a direct call, or an IPMODIFY ops that cannot share it; -ERANGE: no call of a
 * site reaches @addr; -ENODEV, -ENOMEM; what ops->ops_func() says.
 */
int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	int ret;

	if (ops->func || !addr ||
	    !(ops->flags & FTRACE_OPS_FL_INITIALIZED) || ops->flags & FTRACE_OPS_FL_ENABLED ||
	    ftrace_ops_filter_empty(ops, false))
		return -EINVAL;

	scoped_guard(mutex, &direct_mutex) {
		guard(ftrace_lock)();
		ops->func = hooks_call_direct;
		ops->direct_call = addr;
		ops->flags |= FTRACE_OPS_FL_DIRECT | FTRACE_OPS_FL_SAVE_ARGS;
		ret = ftrace_ops_add(ops);
	}
	if (!ret)
		return 0;
	/* Patching may have stopped half way, with callers meanwhile. */
	if (ret == -ENODEV)
		ftrace_hooks_synchronize();
	ops->func = NULL;
	ops->direct_call = 0;
	ops->flags &= ~FTRACE_OPS_FL_DIRECT;
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
 * Waits until its last callers have left. When ftrace is dead, the sites of @ops are patched
 * all the same: the owner's code may go after this.
 *
 * Context: task, may sleep; takes direct_mutex, ftrace_lock().
 * Return: 0; -EINVAL: is not registered; -ENODEV: ftrace is dead, and a site whose text is not
 * what it should be may lead to @addr. @ops is unregistered then as well.
 */
int unregister_ftrace_direct(struct ftrace_ops *ops, unsigned long addr, bool free_filters)
{
	int ret;

	scoped_guard(mutex, &direct_mutex) {
		guard(ftrace_lock)();
		if (!direct_registered(ops))
			return -EINVAL;
		ret = ftrace_ops_del(ops);
	}
	/* CPUs inside of a set may still read the address, and others run there. */
	ftrace_hooks_synchronize();

	/* As it was before registering: it may be registered anew. */
	ops->func = NULL;
	ops->direct_call = 0;
	ops->flags &= ~FTRACE_OPS_FL_DIRECT;
	if (free_filters)
		ftrace_free_filter(ops);
	return ret;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_direct);

/*
 * @ask: the owner has to agree to share its functions with the IPMODIFY ops there. When patching
 * has stopped, nobody is asked: the owner modifies the call to get rid of the old address, and
 * an IPMODIFY ops of the site may be gone.
 */
static int direct_modify(struct ftrace_ops *ops, unsigned long addr, bool ask)
{
	struct ftrace_dispatch *own;
	struct ftrace_change change;
	struct ftrace_scope scope;
	int ret;

	lockdep_assert_held_once(&direct_mutex);
	guard(ftrace_lock)();
	if (!direct_registered(ops) || !addr)
		return -EINVAL;
	scope = ftrace_ops_scope(ops);
	ask = ask && !ftrace_sites_dead();
	ret = ask ? ftrace_ops_check(ops, &scope, &ftrace_scope_none) : 0;
	if (ret)
		return ret;
	own = ftrace_dispatch_new_direct(ops, addr);
	if (IS_ERR(own))
		return PTR_ERR(own);
	ftrace_change_begin(&change);
	ret = ftrace_update_replace(&change, ops, ops->dispatch, own);
	/*
	 * Sets and lists read the address at each call, so they get it when nothing can fail
	 * any more. After an error own stays: ftrace is dead, and no dispatch is freed then.
	 */
	if (!ret) {
		ftrace_dispatch_take_over(&change, ops, own);
		WRITE_ONCE(ops->direct_call, addr);
	}
	ftrace_change_end(&change);
	return ret;
}

/**
 * modify_ftrace_direct - send the functions of a direct call elsewhere
 * @ops: the ops
 * @addr: the address; the old one may still be entered for a grace period
 *
 * The code at @addr may call the function by its address, even if the code at the old address
 * did not. So the owner is asked, as when it registers, where an IPMODIFY ops is on the
 * function.
 *
 * It works when ftrace is dead: the owner may have to take away what the old address calls.
 *
 * Context: task, may sleep; takes direct_mutex, ftrace_lock().
 * Return: 0; -EINVAL: is not registered; -ENODEV: the text of a site is not what it should be;
 * -ENOMEM, -ERANGE; what ops->ops_func() says. Nothing has changed then, and nobody is at @addr.
 */
int modify_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	int ret;

	scoped_guard(mutex, &direct_mutex)
		ret = direct_modify(ops, addr, true);
	/* Patching may have stopped half way, with callers meanwhile. */
	if (ret == -ENODEV)
		ftrace_hooks_synchronize();
	return ret;
}
EXPORT_SYMBOL_GPL(modify_ftrace_direct);

/**
 * modify_ftrace_direct_nolock - modify_ftrace_direct() from ops->ops_func()
 * @ops: the ops
 * @addr: the address
 *
 * Context: FTRACE_OPS_CMD_*_SHARE_IPMODIFY_PEER, which holds the mutex: no grace period can
 * be waited for.
 * Return: as modify_ftrace_direct(); but after -ENODEV, @addr may still be entered for a
 * grace period.
 */
int modify_ftrace_direct_nolock(struct ftrace_ops *ops, unsigned long addr)
{
	if (WARN_ON_ONCE(!mutex_is_locked(&direct_mutex)))
		return -EINVAL;
	return direct_modify(ops, addr, false);
}
EXPORT_SYMBOL_GPL(modify_ftrace_direct_nolock);

/*
 * Sharing with IPMODIFY
 */

static bool scope_meets(const struct ftrace_hash *hash, struct ftrace_ops *other)
{
	unsigned long i = 0, ip;

	while (hash && (ip = ftrace_hash_next(hash, &i))) {
		if (ftrace_ops_traces(other, ip))
			return true;
	}
	return false;
}

/* Has an IPMODIFY ops one of the functions of @direct? */
static bool direct_is_shared(struct ftrace_ops *direct)
{
	const struct ftrace_hash *hash = ftrace_ops_scope(direct).filter;
	struct ftrace_dispatch *own;

	ftrace_assert_locked();
	list_for_each_entry(own, &ftrace_registered, list) {
		if (own->flags & FTRACE_DISPATCH_MODIFY && scope_meets(hash, own->calls[0].ops))
			return true;
	}
	return false;
}

/*
 * Find the direct calls on the sites that @ops has, and on those that it gets with
 * @hash. They cannot be unregistered while direct_mutex is held.
 */
static void share_find(struct ftrace_share *share, struct ftrace_ops *ops,
		       const struct ftrace_hash *hash)
{
	const struct ftrace_hash *now = ftrace_ops_scope(ops).filter;
	struct ftrace_dispatch *own;
	unsigned int max = 0;

	ftrace_assert_locked();
	lockdep_assert_held(&direct_mutex);
	list_for_each_entry(own, &ftrace_registered, list)
		max += !!(own->flags & FTRACE_DISPATCH_DIRECT);
	if (!max)
		return;
	/* Unregistering an ops must not fail, and the owners have to be told of it. */
	share->peers = kcalloc(max, sizeof(*share->peers), GFP_KERNEL | __GFP_NOFAIL);
	list_for_each_entry(own, &ftrace_registered, list) {
		struct ftrace_ops *other = own->calls[0].ops;
		bool joins = scope_meets(hash, other);

		if (!(own->flags & FTRACE_DISPATCH_DIRECT) ||
		    !(joins || scope_meets(now, other)))
			continue;
		share->peers[share->nr++] = (struct ftrace_share_peer) {
			.ops = other,
			.joins = joins,
			.shares = direct_is_shared(other),
		};
	}
}

/* Ask the owners that do not share yet. */
static int share_ask(struct ftrace_share *share)
{
	struct ftrace_share_peer *peer;
	int ret;

	for (peer = share->peers; peer < share->peers + share->nr; peer++) {
		if (!peer->joins || peer->shares)
			continue;
		if (!peer->ops->ops_func)
			return -EBUSY;
		ret = peer->ops->ops_func(peer->ops, FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER);
		if (ret)
			return ret;
		peer->shares = true;
	}
	return 0;
}

/**
 * ftrace_share_begin - the sites of an IPMODIFY ops are about to change
 * @share: is prepared; ftrace_share_end() has to follow
 *
 * Context: task; takes direct_mutex and keeps it.
 */
void ftrace_share_begin(struct ftrace_share *share)
{
	mutex_lock(&direct_mutex);
	*share = (struct ftrace_share){};
}

/**
 * ftrace_share_leave - an IPMODIFY ops is about to go
 * @share: after ftrace_share_begin()
 * @ops: the ops
 *
 * Context: task; direct_mutex is held, takes ftrace_lock().
 */
void ftrace_share_leave(struct ftrace_share *share, struct ftrace_ops *ops)
{
	guard(ftrace_lock)();
	share_find(share, ops, NULL);
}

/**
 * ftrace_share_join - an IPMODIFY ops is about to get sites
 * @share: after ftrace_share_begin()
 * @ops: the ops
 * @hash: the sites, NULL: those of its filter
 *
 * Asks the owners of direct calls there, who change their calls meanwhile.
 *
 * Context: task; direct_mutex is held, takes ftrace_lock().
 * Return: 0; -EBUSY: an owner cannot share; what ops_func() says; -EAGAIN: an owner
 * is busy, which may be waiting for direct_mutex.
 */
int ftrace_share_join(struct ftrace_share *share, struct ftrace_ops *ops,
		      const struct ftrace_hash *hash)
{
	scoped_guard(ftrace_lock)
		share_find(share, ops, hash ?: ftrace_ops_scope(ops).filter);
	return share_ask(share);
}

/**
 * ftrace_share_end - an IPMODIFY ops has got its sites, or has not, or has left them
 * @share: from ftrace_share_begin(), also after an error
 *
 * Tells the owners that share with nobody any more.
 *
 * Context: task; releases direct_mutex, takes ftrace_lock().
 */
void ftrace_share_end(struct ftrace_share *share)
{
	struct ftrace_share_peer *peer, *end = share->peers + share->nr;

	lockdep_assert_held(&direct_mutex);
	scoped_guard(ftrace_lock) {
		for (peer = share->peers; peer < end; peer++)
			peer->shares = peer->shares && !direct_is_shared(peer->ops);
	}
	for (peer = share->peers; peer < end; peer++) {
		if (peer->shares && peer->ops->ops_func)
			peer->ops->ops_func(peer->ops, FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER);
	}
	kfree(share->peers);
	mutex_unlock(&direct_mutex);
}

/**
 * ftrace_share_again - may ftrace_share_join() be tried again?
 * @ret: its result
 * @tries: how often it was tried, is counted
 *
 * Context: task, may sleep; without direct_mutex.
 */
bool ftrace_share_again(int ret, unsigned int *tries)
{
	if (ret != -EAGAIN || ++*tries >= SHARE_TRIES)
		return false;
	cond_resched();
	return true;
}
