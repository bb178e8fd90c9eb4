// SPDX-License-Identifier: GPL-2.0
/*
 * One change: an ops comes, goes or gets other sites. What each site that is
 * concerned calls next is worked out first, and everything that this needs is
 * made; then all of them are patched in one batch; then what nobody calls any
 * more is retired. Other sites are not looked at.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "hooks/internal.h"

bool ftrace_hooks_on = true;

const struct ftrace_scope ftrace_scope_none = { .nothing = true };

/* Past so many sites, walking all of them is cheaper than sorting. */
#define CANDIDATES_MAX	2048

/* Sites that a change may concern: those listed, or all of them. */
struct candidates {
	unsigned long	*ips;		/* in order; NULL: all sites */
	unsigned long	nr;
};

struct change {
	struct ftrace_ops		*ops;		/* whose sites change */
	struct ftrace_ops		*called;	/* there: the same, or its manager */
	const struct ftrace_scope	*from;
	const struct ftrace_scope	*to;
	bool				patch;	/* second pass */
};

static int ip_cmp(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

static unsigned long hash_copy(unsigned long *to, const struct ftrace_hash *hash)
{
	unsigned long i = 0, ip, n = 0;

	while (hash && (ip = ftrace_hash_next(hash, &i)))
		to[n++] = ip;
	return n;
}

static unsigned long hash_size(const struct ftrace_hash *hash)
{
	return hash ? ftrace_hash_count(hash) : 0;
}

/* List the sites that two scopes may differ in, when they are few. */
static void candidates_find(struct candidates *cand, const struct ftrace_scope *from,
			    const struct ftrace_scope *to)
{
	bool from_all = !from->nothing && !from->filter;
	bool to_all = !to->nothing && !to->filter;
	const struct ftrace_hash *a = NULL, *b = NULL;
	unsigned long max, i, n = 0;

	cand->ips = NULL;
	if (from_all != to_all)
		return;
	if (from_all) {
		a = from->exclude;
		b = to->exclude;
	} else {
		a = from->nothing ? NULL : from->filter;
		b = to->nothing ? NULL : to->filter;
	}
	max = hash_size(a) + hash_size(b);
	if (max > CANDIDATES_MAX)
		return;
	/* Without memory, all sites do as well. */
	cand->ips = kvmalloc_array(max + 1, sizeof(*cand->ips), GFP_KERNEL);
	if (!cand->ips)
		return;
	n = hash_copy(cand->ips, a);
	n += hash_copy(cand->ips + n, b);
	sort(cand->ips, n, sizeof(*cand->ips), ip_cmp, NULL);
	for (i = 0, cand->nr = 0; i < n; i++) {
		if (!cand->nr || cand->ips[cand->nr - 1] != cand->ips[i])
			cand->ips[cand->nr++] = cand->ips[i];
	}
}

static void patch_begin(void)
{
	ftrace_dispatch_freeze(true);
	ftrace_patch_begin();
}

static int patch_end(void)
{
	int ret = ftrace_patch_end();

	ftrace_dispatch_freeze(false);
	return ret;
}

static void site_set_modified(struct dyn_ftrace *site)
{
	WRITE_ONCE(site->state, site->state | FTRACE_SITE_MODIFIED);
}

static void site_move(struct dyn_ftrace *site, struct ftrace_dispatch *old,
		      struct ftrace_dispatch *new)
{
	if (new == old)
		return;
	ftrace_patch_site(site, new->id);
	if (new->flags & (FTRACE_DISPATCH_MODIFY | FTRACE_DISPATCH_DIRECT))
		site_set_modified(site);
	ftrace_dispatch_get(new);
	ftrace_dispatch_put(old);
}

/*
 * Is the manager called at @ip for another one, too? Subordinates with the same
 * filters change along, unless it is not the filters that change.
 */
static bool others_have(const struct change *change, unsigned long ip)
{
	const struct ftrace_ops *ops = change->ops;
	bool along = !change->from->nothing && !change->to->nothing;
	struct ftrace_ops *other;

	if (ops == change->called)
		return false;
	for_each_ftrace_subops(other, change->called) {
		if (other == ops || (along && other->func_hash == ops->func_hash))
			continue;
		if (ftrace_ops_traces(other, ip))
			return true;
	}
	return false;
}

/* Work out what the site calls next, and in the second pass let it. */
static void site_change(const struct change *change, struct dyn_ftrace *site, unsigned long ip)
{
	bool was = ftrace_scope_has(change->from, ip);
	bool is = ftrace_scope_has(change->to, ip);
	struct ftrace_dispatch *old, *new;

	if (was == is || others_have(change, ip))
		return;
	old = ftrace_dispatch_of(site);
	new = ftrace_dispatch_step(old, change->called, is, ip);
	if (!change->patch)
		return;
	site_move(site, old, new);
	/* A list does not tell. */
	if (is && change->ops->flags & (FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_DIRECT))
		site_set_modified(site);
}

static void change_walk(const struct change *change, const struct candidates *cand)
{
	struct ftrace_site_iter iter;
	struct dyn_ftrace *site;
	unsigned long i;

	if (!cand->ips) {
		for_each_ftrace_site(site, &iter)
			site_change(change, site, ftrace_site_ip(site));
		return;
	}
	for (i = 0; i < cand->nr; i++) {
		site = ftrace_site_find(cand->ips[i]);
		if (site)
			site_change(change, site, cand->ips[i]);
	}
}

static int change_run(struct change *change, const struct candidates *cand)
{
	int ret = 0;

	ftrace_assert_locked();
	change->called = change->ops->flags & FTRACE_OPS_FL_SUBOP ? change->ops->manager :
								    change->ops;
	if (ftrace_hooks_on) {
		ftrace_dispatch_change();
		change_walk(change, cand);
		change->patch = true;
		patch_begin();
		change_walk(change, cand);
		ret = patch_end();
	}
	ftrace_dispatch_sweep();
	return ret;
}

/*
 * The sites of @ops were @from and are @to, as its filters and the list of ops
 * say already.
 */
int ftrace_update_ops(struct ftrace_ops *ops, const struct ftrace_scope *from,
		      const struct ftrace_scope *to)
{
	struct change change = { .ops = ops, .from = from, .to = to };
	struct candidates cand;
	int ret;

	candidates_find(&cand, from, to);
	ret = change_run(&change, &cand);
	kvfree(cand.ips);
	return ret;
}

/* The same for one site that comes (@with) or goes. */
int ftrace_update_ip(struct ftrace_ops *ops, unsigned long ip, bool with)
{
	const struct ftrace_scope all = { };
	struct change change = {
		.ops = ops,
		.from = with ? &ftrace_scope_none : &all,
		.to = with ? &all : &ftrace_scope_none,
	};
	struct candidates cand = { .ips = &ip, .nr = 1 };

	return change_run(&change, &cand);
}

/* Everything off, or everything as the filters say. */
int ftrace_update_all(bool on)
{
	struct ftrace_site_iter iter;
	struct dyn_ftrace *site;
	int ret;

	ftrace_assert_locked();
	ftrace_hooks_on = on;
	if (on) {
		for_each_ftrace_site(site, &iter)
			ftrace_dispatch_compute(ftrace_site_ip(site));
	}
	patch_begin();
	for_each_ftrace_site(site, &iter)
		site_move(site, ftrace_dispatch_of(site),
			  on ? ftrace_dispatch_compute(ftrace_site_ip(site)) :
			       &ftrace_dispatch_nop);
	ret = patch_end();
	ftrace_dispatch_sweep();
	return ret;
}

/* The sites of @ops that call @old are to call @new. */
int ftrace_update_replace(struct ftrace_ops *ops, struct ftrace_dispatch *old,
			  struct ftrace_dispatch *new)
{
	const struct ftrace_scope scope = ftrace_ops_scope(ops);
	struct ftrace_site_iter iter;
	struct candidates cand;
	struct dyn_ftrace *site;
	unsigned long i;
	int ret;

	ftrace_assert_locked();
	candidates_find(&cand, &ftrace_scope_none, &scope);
	patch_begin();
	if (cand.ips) {
		for (i = 0; i < cand.nr; i++) {
			site = ftrace_site_find(cand.ips[i]);
			if (site && ftrace_dispatch_of(site) == old)
				site_move(site, old, new);
		}
	} else {
		for_each_ftrace_site(site, &iter) {
			if (ftrace_dispatch_of(site) == old)
				site_move(site, old, new);
		}
	}
	ret = patch_end();
	kvfree(cand.ips);
	ftrace_dispatch_sweep();
	return ret;
}
