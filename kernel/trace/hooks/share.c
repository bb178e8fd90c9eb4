// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that have both an IPMODIFY ops and a direct call: the owner of the direct call is
 * asked before such an ops gets its functions, and told when the last one has left.
 */
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "hooks/dispatch.h"
#include "hooks/internal.h"
#include "hooks/share.h"

/* How often an owner that says -EAGAIN is asked; it sleeps a millisecond each time. */
#define SHARE_TRIES	1000

/* A direct call comes or goes, or an owner is asked. */
DEFINE_MUTEX(ftrace_direct_mutex);

static bool share_meets(const struct ftrace_hash *hash, struct ftrace_ops *other)
{
	unsigned long i = 0, ip;

	while (hash && (ip = ftrace_hash_next(hash, &i))) {
		if (ftrace_ops_traces(other, ip))
			return true;
	}
	return false;
}

/* Has an IPMODIFY ops one of the functions of @direct? */
static bool share_is_used(struct ftrace_ops *direct)
{
	const struct ftrace_hash *hash = ftrace_ops_scope(direct).filter;
	struct ftrace_dispatch *own;

	ftrace_assert_locked();
	list_for_each_entry(own, &ftrace_registered, list) {
		if (own->flags & FTRACE_DISPATCH_MODIFY && share_meets(hash, own->calls[0].ops))
			return true;
	}
	return false;
}

/*
 * Find the direct calls on the sites that @ops has, and on those that it gets with
 * @hash. They cannot be unregistered while ftrace_direct_mutex is held.
 */
static void share_find(struct ftrace_share *share, struct ftrace_ops *ops,
		       const struct ftrace_hash *hash)
{
	const struct ftrace_hash *now = ftrace_ops_scope(ops).filter;
	struct ftrace_dispatch *own;
	unsigned int max = 0;

	ftrace_assert_locked();
	lockdep_assert_held(&ftrace_direct_mutex);
	list_for_each_entry(own, &ftrace_registered, list)
		max += !!(own->flags & FTRACE_DISPATCH_DIRECT);
	if (!max)
		return;
	/* Unregistering an ops must not fail, and the owners have to be told of it. */
	share->peers = kcalloc(max, sizeof(*share->peers), GFP_KERNEL | __GFP_NOFAIL);
	list_for_each_entry(own, &ftrace_registered, list) {
		struct ftrace_ops *other = own->calls[0].ops;
		bool joins = share_meets(hash, other);

		if (!(own->flags & FTRACE_DISPATCH_DIRECT) ||
		    !(joins || share_meets(now, other)))
			continue;
		share->peers[share->nr++] = (struct ftrace_share_peer) {
			.ops = other,
			.joins = joins,
			.shares = share_is_used(other),
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
 * Context: task; takes ftrace_direct_mutex and keeps it.
 */
void ftrace_share_begin(struct ftrace_share *share)
{
	mutex_lock(&ftrace_direct_mutex);
	*share = (struct ftrace_share){};
}

/**
 * ftrace_share_leave - an IPMODIFY ops is about to go
 * @share: after ftrace_share_begin()
 * @ops: the ops
 *
 * Context: task; ftrace_direct_mutex is held, takes ftrace_lock().
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
 * Context: task; ftrace_direct_mutex is held, takes ftrace_lock().
 * Return: 0; -EBUSY: an owner cannot share; what ops_func() says; -EAGAIN: an owner
 * is busy, which may be waiting for ftrace_direct_mutex.
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
 * Context: task; releases ftrace_direct_mutex, takes ftrace_lock().
 */
void ftrace_share_end(struct ftrace_share *share)
{
	struct ftrace_share_peer *peer, *end = share->peers + share->nr;

	lockdep_assert_held(&ftrace_direct_mutex);
	scoped_guard(ftrace_lock) {
		for (peer = share->peers; peer < end; peer++)
			peer->shares = peer->shares && !share_is_used(peer->ops);
	}
	for (peer = share->peers; peer < end; peer++) {
		if (peer->shares && peer->ops->ops_func)
			peer->ops->ops_func(peer->ops, FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER);
	}
	kfree(share->peers);
	mutex_unlock(&ftrace_direct_mutex);
}

/**
 * ftrace_share_again - may ftrace_share_join() be tried again?
 * @ret: its result
 * @tries: how often it was tried, is counted
 *
 * Context: task, may sleep; without ftrace_direct_mutex.
 */
bool ftrace_share_again(int ret, unsigned int *tries)
{
	if (ret != -EAGAIN || ++*tries >= SHARE_TRIES)
		return false;
	cond_resched();
	return true;
}
