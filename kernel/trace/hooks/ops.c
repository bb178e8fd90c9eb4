// SPDX-License-Identifier: GPL-2.0
/*
 * Ops come and go, and may ask what is called where. How sites get to call
 * them is in dispatch.c and update.c, which sites in filter.c.
 */
#include <linux/export.h>
#include <linux/kernel.h>

#include "hooks/internal.h"

/*
 * IPMODIFY and direct calls
 */

#define SPECIAL	(FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_DIRECT)

/* May @ops have a site that @other has? */
static int special_pair(struct ftrace_ops *ops, struct ftrace_ops *other)
{
	bool direct = ops->flags & FTRACE_OPS_FL_DIRECT;

	if (other == ops || !(other->flags & SPECIAL))
		return 0;
	if (direct == !!(other->flags & FTRACE_OPS_FL_DIRECT))
		return -EBUSY;
	/* The one with the direct call has to agree; ftrace_direct_share() asked the other. */
	if (!direct)
		return other->ops_func ? 0 : -EBUSY;
	if (!ops->ops_func)
		return -EBUSY;
	return ops->ops_func(ops, FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF);
}

static int special_site(struct ftrace_ops *ops, unsigned long ip)
{
	const struct dyn_ftrace *site = ftrace_site_find(ip);
	struct ftrace_dispatch *dispatch, *own;
	int ret = 0;
	u32 i;

	dispatch = site ? ftrace_dispatch_of(site) : &ftrace_dispatch_nop;
	if (ftrace_hooks_on && !(dispatch->flags & FTRACE_DISPATCH_LIST)) {
		if (!(dispatch->flags & (FTRACE_DISPATCH_MODIFY | FTRACE_DISPATCH_DIRECT)))
			return 0;
		for (i = 0; !ret && i < dispatch->nr; i++)
			ret = special_pair(ops, dispatch->calls[i].ops);
		return ret;
	}
	list_for_each_entry(own, &ftrace_registered, list) {
		if (!ret && ftrace_ops_traces(own->calls[0].ops, ip))
			ret = special_pair(ops, own->calls[0].ops);
	}
	return ret;
}

/*
 * May @ops have the sites of @fresh, when it has those of @now? An ops that
 * changes where a function goes names its functions one by one.
 */
int ftrace_ops_check(struct ftrace_ops *ops, const struct ftrace_scope *fresh,
		     const struct ftrace_scope *now)
{
	unsigned long i = 0, ip;
	int ret;

	ftrace_assert_locked();
	if (!(ops->flags & SPECIAL))
		return 0;
	if (!fresh->filter)
		return -EINVAL;
	while ((ip = ftrace_hash_next(fresh->filter, &i))) {
		if (!ftrace_scope_has(fresh, ip) || ftrace_scope_has(now, ip))
			continue;
		ret = special_site(ops, ip);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Registration
 */

static int ops_flags(struct ftrace_ops *ops)
{
	if (ops->flags & FTRACE_OPS_FL_DELETED)
		return -EINVAL;
	if (ops->flags & FTRACE_OPS_FL_ENABLED)
		return -EBUSY;
	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS)) {
		if (ops->flags & FTRACE_OPS_FL_SAVE_REGS &&
		    !(ops->flags & FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED))
			return -EINVAL;
		ops->flags &= ~FTRACE_OPS_FL_SAVE_REGS;
	} else if (ops->flags & FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED) {
		ops->flags |= FTRACE_OPS_FL_SAVE_REGS;
	}
	/* Who changes the instruction pointer has to be given it. */
	if (ops->flags & FTRACE_OPS_FL_IPMODIFY &&
	    !IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_ARGS) &&
	    !(ops->flags & FTRACE_OPS_FL_SAVE_REGS))
		return -EINVAL;
	if (ops->flags & FTRACE_OPS_FL_PERMANENT && !ftrace_hooks_on)
		return -EBUSY;
	if (!is_kernel_core_data((unsigned long)ops))
		ops->flags |= FTRACE_OPS_FL_DYNAMIC;
	return 0;
}

/* Under ftrace_lock(). */
int ftrace_ops_add(struct ftrace_ops *ops)
{
	struct ftrace_scope scope;
	int ret;

	ftrace_assert_locked();
	if (ftrace_sites_dead())
		return -ENODEV;
	ret = ops_flags(ops);
	if (ret)
		return ret;
	if (!ops->func)
		ops->func = ftrace_stub;
	ftrace_ops_init(ops);
	scope = ftrace_ops_scope(ops);
	ret = ftrace_ops_check(ops, &scope, &ftrace_scope_none);
	if (ret)
		return ret;
	ret = ftrace_dispatch_add_ops(ops);
	if (ret)
		return ret;
	ops->flags |= FTRACE_OPS_FL_ENABLED;
	/*
	 * When patching stops half way, some sites do call the ops: it is
	 * registered, and its memory has to stay.
	 */
	ftrace_update_ops(ops, &ftrace_scope_none, &scope);
	return 0;
}

/* Under ftrace_lock(). */
int ftrace_ops_del(struct ftrace_ops *ops)
{
	struct ftrace_scope scope;
	int ret;

	ftrace_assert_locked();
	if (ftrace_sites_dead())
		return -ENODEV;
	if (!(ops->flags & FTRACE_OPS_FL_ENABLED))
		return -EBUSY;
	scope = ftrace_ops_scope(ops);
	ftrace_dispatch_del_ops(ops);
	ret = ftrace_update_ops(ops, &scope, &ftrace_scope_none);
	ops->flags &= ~FTRACE_OPS_FL_ENABLED;
	ops->dispatch = NULL;
	ops->trampoline = 0;
	ops->trampoline_size = 0;
	return ret;
}

/* May the memory or the text of @ops go once it is unregistered? */
static bool ops_must_wait(struct ftrace_ops *ops)
{
	return ops->flags & FTRACE_OPS_FL_DYNAMIC || !core_kernel_text((unsigned long)ops->func);
}

/**
 * register_ftrace_function - let the functions of the filters call an ops
 * @ops: the ops
 *
 * Context: task; takes ftrace_lock().
 * Return: 0; -ENODEV: ftrace is dead; -EBUSY: is registered already, or an
 * IPMODIFY ops or direct call is in the way, or kernel.ftrace_enabled is off
 * and the ops is permanent; -EINVAL: it wants what the architecture cannot do,
 * or is IPMODIFY without a filter; -ENOMEM; -EAGAIN: the owner of a direct
 * call is busy.
 */
int register_ftrace_function(struct ftrace_ops *ops)
{
	bool share = ops->flags & FTRACE_OPS_FL_IPMODIFY && !(ops->flags & FTRACE_OPS_FL_ENABLED);
	int ret;

	ftrace_ops_init(ops);
	if (share) {
		ret = ftrace_direct_share(ops, NULL);
		if (ret)
			return ret;
	}
	scoped_guard(ftrace_lock)
		ret = ftrace_ops_add(ops);
	if (share)
		ftrace_direct_share_end(ops, !ret);
	return ret;
}
EXPORT_SYMBOL_GPL(register_ftrace_function);

/**
 * ftrace_ops_unregister_nowait - unregister, and let the last callers run
 * @ops: an ops whose memory and callback stay
 *
 * Context: task; takes ftrace_lock().
 * Return: 0; -EBUSY: is not registered; -ENODEV: ftrace is dead, the ops may
 * still be called.
 */
int ftrace_ops_unregister_nowait(struct ftrace_ops *ops)
{
	bool share = ops->flags & FTRACE_OPS_FL_IPMODIFY && ops->flags & FTRACE_OPS_FL_ENABLED;
	int ret;

	if (share)
		ftrace_direct_share_begin();
	scoped_guard(ftrace_lock)
		ret = ftrace_ops_del(ops);
	if (share)
		ftrace_direct_share_end(ops, ret);
	return ret;
}

/**
 * unregister_ftrace_function - take an ops from all functions
 * @ops: the ops
 *
 * Waits until its last callers have left, unless ops and callback are static
 * parts of the kernel, which cannot go.
 *
 * Context: task, may sleep, as ftrace_hooks_synchronize(); takes ftrace_lock().
 * Return: as ftrace_ops_unregister_nowait().
 */
int unregister_ftrace_function(struct ftrace_ops *ops)
{
	int ret = ftrace_ops_unregister_nowait(ops);

	if (!ret && ops_must_wait(ops))
		ftrace_hooks_synchronize();
	return ret;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_function);

/**
 * ftrace_ops_set_func - give an ops another callback
 * @ops: the ops, registered or not
 * @func: the callback; the old one may still run for a grace period
 *
 * Context: task; takes ftrace_lock().
 */
void ftrace_ops_set_func(struct ftrace_ops *ops, ftrace_func_t func)
{
	guard(ftrace_lock)();
	ftrace_dispatch_set_func(ops, func);
}

/*
 * Questions
 */

/**
 * ftrace_site_for_each_ops - the ops that a site calls
 * @site: the site
 * @fn: called for each, in the order in which the site calls them
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
		for (i = 0; i < dispatch->nr; i++)
			fn(dispatch->calls[i].ops, data);
		return;
	}
	list_for_each_entry(own, &ftrace_registered, list) {
		if (ftrace_ops_traces(own->calls[0].ops, ip))
			fn(own->calls[0].ops, data);
	}
}

static void site_info_ops(struct ftrace_ops *ops, void *data)
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
	*info = (struct ftrace_site_info) { .target = ftrace_dispatch_of(site)->target };
	ftrace_site_for_each_ops(site, site_info_ops, info);
}
