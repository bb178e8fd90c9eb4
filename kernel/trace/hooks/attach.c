// SPDX-License-Identifier: GPL-2.0
/*
 * Ops and the sites they have: how an ops gets its sites and loses them, and which ops a site
 * calls. rules.c tells which ops may share a site, scope.c which sites an ops wants. The rest
 * of the work is in dispatch.c and update.c.
 */
#include "hooks/change.h"
#include "hooks/internal.h"

/*
 * Let the sites of a new ops call it. On -ENODEV patching stopped half way, and the
 * sites were patched back. A site where that failed, too, keeps the entry in its text:
 * the entry does not call the callback any more, but a direct call stays.
 */
int ftrace_ops_attach(struct ftrace_ops *ops)
{
	struct ftrace_change change;
	struct ftrace_scope scope;
	bool stuck;
	int ret;

	ftrace_assert_locked();
	ftrace_ops_init(ops);
	scope = ftrace_ops_scope(ops);
	ret = ftrace_ops_check(ops, &scope, &ftrace_scope_none);
	if (ret)
		return ret;
	ret = ftrace_dispatch_add_ops(ops);
	if (ret)
		return ret;
	ops->flags |= FTRACE_OPS_FL_ENABLED;
	ftrace_change_begin(&change);
	ret = ftrace_update_new_ops(&change, ops, &scope, &stuck);
	if (ret) {
		if (stuck)
			ftrace_dispatch_silence(ops);
		ftrace_dispatch_del_ops(&change, ops);
		ops->flags &= ~FTRACE_OPS_FL_ENABLED;
		ops->dispatch = NULL;
	}
	ftrace_change_end(&change);
	return ret;
}

/*
 * Patching has stopped, and some sites go on calling entries that were made for @ops. The
 * entries call nothing for it from now on. Sites that call the code of a direct call's owner
 * are patched one by one. Returns 0, or -ENODEV when @ops has a callback, or when a site still
 * leads to the owner's code.
 */
static int attach_ops_abandon(struct ftrace_change *change, struct ftrace_ops *ops)
{
	ftrace_dispatch_silence(ops);
	if (!(ops->flags & FTRACE_OPS_FL_DIRECT))
		return -ENODEV;
	return ftrace_update_replace(change, ops, ops->dispatch, &ftrace_dispatch_nop);
}

/*
 * Take a registered ops from its sites. On -ENODEV patching has stopped. Sites may still call
 * entries that were made for @ops, but these neither call it nor read it after a grace period:
 * the owner may free it. Only the code of a direct call may still be called.
 */
int ftrace_ops_detach(struct ftrace_ops *ops)
{
	struct ftrace_scope scope = ftrace_ops_scope(ops);
	struct ftrace_change change;
	int ret;

	ftrace_assert_locked();
	ftrace_change_begin(&change);
	ftrace_dispatch_del_ops(&change, ops);
	ret = ftrace_sites_dead() ? -ENODEV :
	      ftrace_update_ops(&change, ops, &scope, &ftrace_scope_none);
	if (ret)
		ret = attach_ops_abandon(&change, ops);
	ftrace_change_end(&change);
	ops->flags &= ~FTRACE_OPS_FL_ENABLED;
	ops->dispatch = NULL;
	return ret;
}

/*
 * Questions
 */

/*
 * Does the call lead to no ops? After patching has stopped, an ops that was unregistered stays
 * in the dispatches of its sites, and its memory may be gone.
 */
static bool attach_call_is_silent(const struct ftrace_call *call)
{
	return ftrace_sites_dead() && READ_ONCE(call->func) == ftrace_stub;
}

/**
 * ftrace_site_for_each_ops - the ops that a site calls
 * @site: the site
 * @fn: called for each, in the order in which the site calls them; not for one that was
 *	unregistered after patching had stopped
 * @data: for @fn
 *
 * Context: ftrace_lock().
 */
void ftrace_site_for_each_ops(const struct dyn_ftrace *site,
			      ftrace_site_ops_fn fn, void *data)
{
	struct ftrace_dispatch *dispatch = ftrace_dispatch_of(site), *own;
	unsigned long ip = ftrace_site_ip(site);
	u32 i;

	ftrace_assert_locked();
	if (!(dispatch->flags & FTRACE_DISPATCH_LIST)) {
		for (i = 0; i < dispatch->nr; i++) {
			if (!attach_call_is_silent(&dispatch->calls[i]))
				fn(dispatch->calls[i].ops, data);
		}
		return;
	}
	list_for_each_entry(own, &ftrace_registered, list) {
		if (ftrace_ops_traces(own->calls[0].ops, ip))
			fn(own->calls[0].ops, data);
	}
}

static void attach_site_info_ops(struct ftrace_ops *ops, void *data)
{
	struct ftrace_site_info *info = data;

	info->ops = info->count++ ? NULL : ops;
	info->regs |= ops->flags & FTRACE_OPS_FL_SAVE_REGS;
	info->ipmodify |= ops->flags & FTRACE_OPS_FL_IPMODIFY;
	if (ops->flags & FTRACE_OPS_FL_DIRECT) {
		info->direct = true;
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
		info->direct_addr = ops->direct_call;
#endif
	}
}

/**
 * ftrace_site_info - what a site calls
 * @site: the site
 * @info: filled
 *
 * Context: ftrace_lock().
 */
void ftrace_site_info(const struct dyn_ftrace *site, struct ftrace_site_info *info)
{
	const struct ftrace_dispatch *dispatch = ftrace_dispatch_of(site);
	const struct ftrace_target *target = &dispatch->target;

	*info = (struct ftrace_site_info) { .target = target->direct ?: target->entry };
	ftrace_site_for_each_ops(site, attach_site_info_ops, info);
	/* For a set or a list, the literal names an internal ops that nobody registered. */
	info->literal = info->ops && dispatch->nr == 1 &&
			arch_ftrace_site_by_literal(site, target);
}
