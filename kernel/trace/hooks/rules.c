// SPDX-License-Identifier: GPL-2.0
/*
 * Which ops may share a site: one at most changes where a function goes (IPMODIFY), one at most
 * is a direct call, and both together only if the owner of the direct call agrees.
 */
#include "hooks/dispatch.h"
#include "hooks/internal.h"

#define RULES_FLAGS	(FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_DIRECT)

/* May @ops have a site that @other has? */
static int rules_pair(struct ftrace_ops *ops, struct ftrace_ops *other)
{
	bool direct = ops->flags & FTRACE_OPS_FL_DIRECT;

	if (other == ops || !(other->flags & RULES_FLAGS))
		return 0;
	if (direct == !!(other->flags & FTRACE_OPS_FL_DIRECT))
		return -EBUSY;
	/* The owner of the direct call has to agree. ftrace_share_join() has asked a peer's. */
	if (!direct)
		return WARN_ON_ONCE(!other->ops_func) ? -EBUSY : 0;
	if (!ops->ops_func)
		return -EBUSY;
	return ops->ops_func(ops, FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF);
}

static int rules_site(struct ftrace_ops *ops, unsigned long ip)
{
	const struct dyn_ftrace *site = ftrace_site_find(ip);
	struct ftrace_dispatch *dispatch, *own;
	int ret = 0;
	u32 i;

	ftrace_assert_locked();
	dispatch = site ? ftrace_dispatch_of(site) : &ftrace_dispatch_nop;
	if (ftrace_hooks_on && !(dispatch->flags & FTRACE_DISPATCH_LIST)) {
		if (!(dispatch->flags & (FTRACE_DISPATCH_MODIFY | FTRACE_DISPATCH_DIRECT)))
			return 0;
		for (i = 0; !ret && i < dispatch->nr; i++)
			ret = rules_pair(ops, dispatch->calls[i].ops);
		return ret;
	}
	list_for_each_entry(own, &ftrace_registered, list) {
		if (!ret && ftrace_ops_traces(own->calls[0].ops, ip))
			ret = rules_pair(ops, own->calls[0].ops);
	}
	return ret;
}

/*
 * May @ops get the sites that are in @fresh and not in @now? An ops that changes where
 * a function goes has to have a filter that names its functions.
 */
int ftrace_ops_check(struct ftrace_ops *ops, const struct ftrace_scope *fresh,
		     const struct ftrace_scope *now)
{
	unsigned long i = 0, ip;
	int ret;

	ftrace_assert_locked();
	if (!(ops->flags & RULES_FLAGS))
		return 0;
	if (!fresh->filter)
		return -EINVAL;
	while ((ip = ftrace_hash_next(fresh->filter, &i))) {
		if (!ftrace_scope_has(fresh, ip) || ftrace_scope_has(now, ip))
			continue;
		ret = rules_site(ops, ip);
		if (ret)
			return ret;
	}
	return 0;
}
