// SPDX-License-Identifier: GPL-2.0
/*
 * One change: an ops comes, goes or gets other sites. First the next dispatch of each site that
 * is concerned is worked out, and everything that it needs is made; then all of these sites are
 * patched in one transaction; then dispatches that no site calls any more are retired. Other
 * sites are not looked at.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "hooks/change.h"
#include "hooks/internal.h"

bool ftrace_hooks_on = true;

/* Past so many sites, walking all of them is cheaper than sorting. */
#define CANDIDATES_MAX	2048

/* Sites that a change may concern: those listed, or all of them. */
struct candidates {
	unsigned long	*ips;		/* in order; NULL: all sites */
	unsigned long	nr;
};

static int update_ip_cmp(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

static unsigned long update_hash_copy(unsigned long *to, const struct ftrace_hash *hash)
{
	unsigned long i = 0, ip, n = 0;

	while (hash && (ip = ftrace_hash_next(hash, &i)))
		to[n++] = ip;
	return n;
}

static unsigned long update_hash_size(const struct ftrace_hash *hash)
{
	return hash ? ftrace_hash_count(hash) : 0;
}

/* List the sites that two scopes may differ in, when they are few. */
static void update_candidates_find(struct candidates *cand, const struct ftrace_scope *from,
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
	max = update_hash_size(a) + update_hash_size(b);
	if (max > CANDIDATES_MAX)
		return;
	/* Without memory, all sites do as well. */
	cand->ips = kvmalloc_array(max + 1, sizeof(*cand->ips), GFP_KERNEL);
	if (!cand->ips)
		return;
	n = update_hash_copy(cand->ips, a);
	n += update_hash_copy(cand->ips + n, b);
	sort(cand->ips, n, sizeof(*cand->ips), update_ip_cmp, NULL);
	for (i = 0, cand->nr = 0; i < n; i++) {
		if (!cand->nr || cand->ips[cand->nr - 1] != cand->ips[i])
			cand->ips[cand->nr++] = cand->ips[i];
	}
}

/**
 * ftrace_change_begin - begin to change what sites call
 * @change: is prepared
 *
 * Context: task, ftrace_lock(); may sleep.
 */
void ftrace_change_begin(struct ftrace_change *change)
{
	unsigned int nr = ftrace_dispatch_registered() + 1;

	change->patching = false;
	INIT_LIST_HEAD(&change->idle);
	INIT_LIST_HEAD(&change->noted);
	change->calls = change->few;
	if (nr > ARRAY_SIZE(change->few))
		change->calls = kvmalloc_array(nr, sizeof(*change->calls), GFP_KERNEL);
}

/**
 * ftrace_change_end - let go what no site calls any more
 * @change: the change
 *
 * Context: task, ftrace_lock(), not between update_change_patch_begin() and _end().
 */
void ftrace_change_end(struct ftrace_change *change)
{
	ftrace_dispatch_forget_memos(change);
	ftrace_dispatch_sweep(change);
	if (change->calls != change->few)
		kvfree(change->calls);
}

static void update_change_patch_begin(struct ftrace_change *change)
{
	change->patching = true;
	ftrace_patch_begin(&change->patch);
}

/* Begin to patch although patching has stopped, see ftrace_patch_forced(). */
static void update_change_patch_forced(struct ftrace_change *change)
{
	change->patching = true;
	ftrace_patch_forced(&change->patch);
}

static int update_change_patch_end(struct ftrace_change *change)
{
	change->patching = false;
	return ftrace_patch_end(&change->patch);
}

static void update_site_set_modified(struct dyn_ftrace *site)
{
	/* The record has the number of a dispatch: as in ftrace_patch_sites(). */
	smp_store_release(&site->state, site->state | FTRACE_SITE_MODIFIED);
}

static const struct ftrace_target *update_dispatch_target(const struct ftrace_dispatch *dispatch)
{
	return dispatch == &ftrace_dispatch_nop ? NULL : &dispatch->target;
}

/* Let @nr sites from @first on call @new. All of them call @old. */
static void update_sites_move(struct ftrace_change *change, struct dyn_ftrace *first,
			      unsigned long nr, struct ftrace_dispatch *old,
			      struct ftrace_dispatch *new)
{
	struct dyn_ftrace *site;
	unsigned long moved;

	if (new == old)
		return;
	moved = ftrace_patch_sites(&change->patch, first, nr, update_dispatch_target(old), new->id,
				   update_dispatch_target(new));
	if (!moved)
		return;
	if (new->flags & (FTRACE_DISPATCH_MODIFY | FTRACE_DISPATCH_DIRECT)) {
		for (site = first; site < first + nr; site++) {
			if (ftrace_site_dispatch(site) == new->id)
				update_site_set_modified(site);
		}
	}
	ftrace_dispatch_get(new, moved);
	ftrace_dispatch_put(change, old, moved);
}

static void update_site_move(struct ftrace_change *change, struct dyn_ftrace *site,
			     struct ftrace_dispatch *old, struct ftrace_dispatch *new)
{
	update_sites_move(change, site, 1, old, new);
}

/**
 * struct change_run - sites that stand one behind the other, of which the change makes the same
 * @id: the number of the dispatch that they call, RUN_NONE: do not go by it
 * @is: true: the change adds its ops to these sites, false: it removes it
 * @old: the dispatch
 * @new: the one that they are to call
 * @first: in the second pass: the first of those that wait to be patched
 * @end: behind the last of them
 */
struct change_run {
	u32			id;
	bool			is;
	struct ftrace_dispatch	*old, *new;
	struct dyn_ftrace	*first, *end;
};

#define RUN_NONE	(~0U)

/* Patch the sites that wait for it. */
static void update_run_flush(struct ftrace_change *change, struct change_run *run)
{
	if (run->first != run->end)
		update_sites_move(change, run->first, run->end - run->first, run->old, run->new);
	run->first = NULL;
	run->end = NULL;
}

static noinline void update_site_begin_run(struct ftrace_change *change, struct change_run *run,
					   const struct dyn_ftrace *site, bool is, unsigned long ip)
{
	update_run_flush(change, run);
	run->old = ftrace_dispatch_of(site);
	run->new = ftrace_dispatch_step(change, run->old, is, ip);
	run->is = is;
	/* Without a memo, the result may depend on the address: the next site cannot reuse it. */
	run->id = run->old->memo[is] ? ftrace_site_dispatch(site) : RUN_NONE;
}

/* Work out the next dispatch of the site, and in the second pass patch the site. */
static __always_inline void update_site_change(struct ftrace_change *change, struct change_run *run,
					       struct dyn_ftrace *site, unsigned long ip)
{
	bool was = ftrace_scope_has(change->from, ip);
	bool is = ftrace_scope_has(change->to, ip);

	if (was == is)
		return;
	if (unlikely(ftrace_site_dispatch(site) != run->id || is != run->is))
		update_site_begin_run(change, run, site, is, ip);
	if (!change->patching)
		return;
	/* The flags of a list's dispatch do not say what its ops are. */
	if (is && change->ops->flags & (FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_DIRECT))
		update_site_set_modified(site);
	if (unlikely(site != run->end)) {
		update_run_flush(change, run);
		run->first = site;
	}
	run->end = site + 1;
}

/* Does a scope have all sites, or none of them? *@has is set if so. */
static bool update_scope_is_even(const struct ftrace_scope *scope, bool *has)
{
	*has = !scope->nothing;
	return scope->nothing || (!scope->filter && !scope->exclude);
}

/* Let a run go on with the sites from @first up to @end, which call its dispatch. */
static void update_run_extend(struct ftrace_change *change, struct change_run *run,
			      struct dyn_ftrace *first, struct dyn_ftrace *end)
{
	if (run->is && change->ops->flags & (FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_DIRECT)) {
		for (struct dyn_ftrace *site = first; site < end; site++)
			update_site_set_modified(site);
	}
	if (first != run->end) {
		update_run_flush(change, run);
		run->first = first;
	}
	run->end = end;
}

/*
 * update_change_walk() of a change that is the same at each site, as with an ops without filters:
 * no address is looked up, and a run is as long as the sites call one dispatch.
 */
static void update_change_walk_even(struct ftrace_change *change, bool is)
{
	struct change_run run = { .id = RUN_NONE };
	struct dyn_ftrace *site, *first;
	struct ftrace_site_iter iter;

	for (site = ftrace_site_first(&iter); site; site = ftrace_site_next_group(&iter)) {
		while (site < iter.end) {
			if (ftrace_site_dispatch(site) != run.id)
				update_site_begin_run(change, &run, site, is, ftrace_site_ip(site));
			first = site++;
			while (site < iter.end && ftrace_site_dispatch(site) == run.id)
				site++;
			if (change->patching)
				update_run_extend(change, &run, first, site);
		}
	}
	update_run_flush(change, &run);
}

static void update_change_walk(struct ftrace_change *change, const struct candidates *cand)
{
	struct change_run run = { .id = RUN_NONE };
	struct ftrace_site_iter iter;
	struct dyn_ftrace *site;
	unsigned long i;
	bool was, is;

	ftrace_assert_locked();
	if (!cand->ips && update_scope_is_even(change->from, &was) &&
	    update_scope_is_even(change->to, &is)) {
		if (was != is)
			update_change_walk_even(change, is);
		return;
	}
	if (!cand->ips) {
		for_each_ftrace_site(site, &iter)
			update_site_change(change, &run, site, ftrace_site_ip(site));
		update_run_flush(change, &run);
		return;
	}
	for (i = 0; i < cand->nr; i++) {
		site = ftrace_site_find(cand->ips[i]);
		/* The sites of a module that is coming will be hooked when they are ready. */
		if (site && ftrace_site_ready(site))
			update_site_change(change, &run, site, cand->ips[i]);
	}
	update_run_flush(change, &run);
}

/* Patch the sites of guests (dispatch.c) for which there is room for a trampoline now. */
static void update_change_promote(struct ftrace_change *change)
{
	struct ftrace_site_iter iter;
	struct ftrace_dispatch *old;
	struct dyn_ftrace *site;

	ftrace_dispatch_forget_memos(change);
	ftrace_dispatch_sweep(change);
	if (!ftrace_dispatch_promote(change))
		return;
	update_change_patch_begin(change);
	for_each_ftrace_site(site, &iter) {
		old = ftrace_dispatch_of(site);
		if (old->memo[1])
			update_site_move(change, site, old, old->memo[1]);
	}
	update_change_patch_end(change);
}

/*
 * Patching failed half way: let the sites that have got the ops call again what they
 * called before. Returns 0 or the error of ftrace_patch_end().
 */
static int update_change_undo(struct ftrace_change *change, const struct candidates *cand)
{
	swap(change->from, change->to);
	ftrace_dispatch_forget_memos(change);
	update_change_walk(change, cand);
	update_change_patch_forced(change);
	update_change_walk(change, cand);
	return update_change_patch_end(change);
}

static int update_change_run(struct ftrace_change *change, const struct candidates *cand)
{
	int ret;

	ftrace_assert_locked();
	if (!ftrace_hooks_on)
		return 0;
	/* The memos of the change before are about another ops. */
	ftrace_dispatch_forget_memos(change);
	update_change_walk(change, cand);
	update_change_patch_begin(change);
	update_change_walk(change, cand);
	ret = update_change_patch_end(change);
	if (!ret)
		update_change_promote(change);
	return ret;
}

/*
 * Let the sites in which @from and @to differ call @ops or not. Its filters and the
 * list of ops are those of @to already. Returns 0 or the error of ftrace_patch_end().
 */
int ftrace_update_ops(struct ftrace_change *change, struct ftrace_ops *ops,
		      const struct ftrace_scope *from, const struct ftrace_scope *to)
{
	struct candidates cand;
	int ret;

	change->ops = ops;
	change->from = from;
	change->to = to;
	update_candidates_find(&cand, from, to);
	ret = update_change_run(change, &cand);
	kvfree(cand.ips);
	return ret;
}

/*
 * Let the sites of a new ops call it: all of them or none. Returns 0, or -ENODEV when
 * patching stopped. Then @stuck tells whether some sites call the ops, as they could
 * not be patched back; they call it for good.
 */
int ftrace_update_new_ops(struct ftrace_change *change, struct ftrace_ops *ops,
			  const struct ftrace_scope *to, bool *stuck)
{
	struct candidates cand;
	int ret;

	change->ops = ops;
	change->from = &ftrace_scope_none;
	change->to = to;
	update_candidates_find(&cand, change->from, to);
	ret = update_change_run(change, &cand);
	*stuck = ret && update_change_undo(change, &cand);
	kvfree(cand.ips);
	return ret ? -ENODEV : 0;
}

/* Let one site call @ops (@with) or not. Returns as ftrace_update_ops(). */
int ftrace_update_ip(struct ftrace_ops *ops, unsigned long ip, bool with)
{
	const struct ftrace_scope all = { };
	struct candidates cand = { .ips = &ip, .nr = 1 };
	struct ftrace_change change;
	int ret;

	ftrace_change_begin(&change);
	change.ops = ops;
	change.from = with ? &ftrace_scope_none : &all;
	change.to = with ? &all : &ftrace_scope_none;
	ret = update_change_run(&change, &cand);
	ftrace_change_end(&change);
	return ret;
}

/* Let all sites call what the filters say (@on), or nothing. Returns as ftrace_update_ops(). */
int ftrace_update_all(bool on)
{
	struct ftrace_site_iter iter;
	struct ftrace_change change;
	struct dyn_ftrace *site;
	int ret;

	ftrace_assert_locked();
	ftrace_hooks_on = on;
	ftrace_change_begin(&change);
	if (on) {
		for_each_ftrace_site(site, &iter)
			ftrace_dispatch_compute(&change, ftrace_site_ip(site));
	}
	update_change_patch_begin(&change);
	for_each_ftrace_site(site, &iter)
		update_site_move(&change, site, ftrace_dispatch_of(site),
				 on ? ftrace_dispatch_compute(&change, ftrace_site_ip(site)) :
			       &ftrace_dispatch_nop);
	ret = update_change_patch_end(&change);
	ftrace_change_end(&change);
	return ret;
}

static void update_replace_walk(struct ftrace_change *change, const struct candidates *cand,
				struct ftrace_dispatch *old, struct ftrace_dispatch *new)
{
	struct ftrace_site_iter iter;
	struct dyn_ftrace *site;
	unsigned long i;

	ftrace_assert_locked();
	if (!cand->ips) {
		for_each_ftrace_site(site, &iter) {
			if (ftrace_dispatch_of(site) == old)
				update_site_move(change, site, old, new);
		}
		return;
	}
	for (i = 0; i < cand->nr; i++) {
		site = ftrace_site_find(cand->ips[i]);
		if (site && ftrace_dispatch_of(site) == old)
			update_site_move(change, site, old, new);
	}
}

/*
 * Let the sites of @ops that call @old call @new: all of them or none. Returns 0, or -ENODEV
 * when a site could not be patched: the others were patched back, and a site where that failed,
 * too, calls @new for good.
 *
 * It goes on when patching has stopped. The sites of a direct call lead to its owner's code,
 * which the owner may free: no entry of ours in between could call nothing instead.
 */
int ftrace_update_replace(struct ftrace_change *change, struct ftrace_ops *ops,
			  struct ftrace_dispatch *old, struct ftrace_dispatch *new)
{
	const struct ftrace_scope scope = ftrace_ops_scope(ops);
	struct candidates cand;
	int ret;

	ftrace_assert_locked();
	update_candidates_find(&cand, &ftrace_scope_none, &scope);
	if (ftrace_sites_dead())
		update_change_patch_forced(change);
	else
		update_change_patch_begin(change);
	update_replace_walk(change, &cand, old, new);
	ret = update_change_patch_end(change);
	if (ret && new != &ftrace_dispatch_nop) {
		update_change_patch_forced(change);
		update_replace_walk(change, &cand, new, old);
		update_change_patch_end(change);
	}
	kvfree(cand.ips);
	return ret ? -ENODEV : 0;
}

/*
 * @count sites at @first go away with their text. Functions of a module that goes
 * may still run (from a timer, from RCU), so they must not call what may be freed
 * after the next grace period: the sites call nothing from now on.
 */
void ftrace_update_gone(struct dyn_ftrace *first, unsigned long count)
{
	struct ftrace_change change;
	unsigned long i;

	ftrace_assert_locked();
	ftrace_change_begin(&change);
	if (!ftrace_sites_dead()) {
		update_change_patch_begin(&change);
		for (i = 0; i < count; i++)
			update_site_move(&change, &first[i], ftrace_dispatch_of(&first[i]),
					 &ftrace_dispatch_nop);
		update_change_patch_end(&change);
	}
	ftrace_hashes_forget(first, count);
	ftrace_change_end(&change);
}

/*
 * Answers to sites/
 */

static u32 update_wanted(unsigned long ip)
{
	struct ftrace_dispatch *dispatch;
	struct ftrace_change change;

	if (!ftrace_hooks_on)
		return 0;
	ftrace_change_begin(&change);
	dispatch = ftrace_dispatch_compute(&change, ip);
	ftrace_dispatch_get(dispatch, 1);
	ftrace_change_end(&change);
	return dispatch->id;
}

static const struct ftrace_sites_ops update_sites_ops = {
	.target		= ftrace_dispatch_target,
	.wanted		= update_wanted,
	.gone		= ftrace_update_gone,
	.kallsym	= ftrace_tramp_kallsym,
};

/**
 * ftrace_hooks_init - tell sites/ whom to ask
 *
 * Context: early_trace_init().
 */
void __init ftrace_hooks_init(void)
{
	ftrace_sites_set_ops(&update_sites_ops);
}
