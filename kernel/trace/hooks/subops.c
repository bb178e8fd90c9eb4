// SPDX-License-Identifier: GPL-2.0
/*
 * Subordinate ops: several ops that functions reach through one, their manager.
 *
 * A manager has no filter of its own. Its sites are those that one of its
 * subordinates has, so when one changes, only sites are patched that no other
 * has (update.c). Its callback is called once at a site, whoever has it, and
 * finds out with ftrace_ops_traces() for whom; those of the subordinates are
 * the manager's business.
 *
 * Callbacks walk the list of subordinates without a lock. One that has left it
 * is not used any more when ftrace_hooks_synchronize() has returned.
 */
#include <linux/rculist.h>

#include "hooks/change.h"
#include "hooks/internal.h"

/* What concerns the sites: the manager has it, or nobody. */
#define MANAGERS_OWN	(FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY | \
			 FTRACE_OPS_FL_DIRECT | FTRACE_OPS_FL_PERMANENT)
/* One at a time on a function, which has to name its functions itself. */
#define ALONE		(FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_DIRECT)

static int subops_check(const struct ftrace_ops *manager, const struct ftrace_ops *sub)
{
	if (ftrace_sites_dead())
		return -ENODEV;
	if (manager == sub || sub->flags & (MANAGERS_OWN | FTRACE_OPS_FL_DELETED) ||
	    manager->flags & ALONE)
		return -EINVAL;
	if (sub->flags & FTRACE_OPS_FL_ENABLED ||
	    (manager->flags & FTRACE_OPS_FL_ENABLED && !(manager->flags & FTRACE_OPS_FL_MANAGER)))
		return -EBUSY;
	return 0;
}

static int manager_begin(struct ftrace_ops *manager)
{
	int ret;

	INIT_LIST_HEAD(&manager->subops);
	manager->flags |= FTRACE_OPS_FL_MANAGER;
	ret = ftrace_ops_add(manager);
	if (ret)
		manager->flags &= ~FTRACE_OPS_FL_MANAGER;
	return ret;
}

static void subops_leave_list(struct ftrace_ops *sub)
{
	list_del_rcu(&sub->subops);
	sub->flags &= ~(FTRACE_OPS_FL_ENABLED | FTRACE_OPS_FL_SUBOP);
	sub->manager = NULL;
}

/**
 * ftrace_subops_register - let the functions of an ops call its manager
 * @manager: what they call; is registered with its first subordinate
 * @sub: says by its filters which functions
 *
 * Context: task; takes ftrace_lock().
 * Return: 0; -ENODEV: ftrace is dead; -EBUSY: @sub is registered already, or
 * @manager is, and not as a manager; -EINVAL: flags that do not go together;
 * for the first one, errors of register_ftrace_function().
 */
int ftrace_subops_register(struct ftrace_ops *manager, struct ftrace_ops *sub)
{
	struct ftrace_change change;
	struct ftrace_scope scope;
	bool stuck;
	int ret;

	guard(ftrace_lock)();
	ret = subops_check(manager, sub);
	if (!ret && !(manager->flags & FTRACE_OPS_FL_MANAGER))
		ret = manager_begin(manager);
	if (ret)
		return ret;
	ftrace_ops_init(sub);
	sub->manager = manager;
	sub->flags |= FTRACE_OPS_FL_ENABLED | FTRACE_OPS_FL_SUBOP;
	list_add_tail_rcu(&sub->subops, &manager->subops);
	scope = ftrace_ops_scope(sub);
	ftrace_change_begin(&change);
	ret = ftrace_update_new_ops(&change, sub, &scope, &stuck);
	ftrace_change_end(&change);
	/* Sites that are stuck call the manager, which finds no subordinate for them. */
	if (ret)
		subops_leave_list(sub);
	return ret;
}

/* Under ftrace_lock(). */
static int subops_leave(struct ftrace_ops *sub)
{
	struct ftrace_ops *manager = sub->manager;
	struct ftrace_change change;
	struct ftrace_scope scope;
	int ret;

	if (ftrace_sites_dead())
		return -ENODEV;
	if (!(sub->flags & FTRACE_OPS_FL_SUBOP))
		return -EBUSY;
	scope = ftrace_ops_scope(sub);
	list_del_rcu(&sub->subops);
	ftrace_change_begin(&change);
	ret = ftrace_update_ops(&change, sub, &scope, &ftrace_scope_none);
	ftrace_change_end(&change);
	sub->flags &= ~(FTRACE_OPS_FL_ENABLED | FTRACE_OPS_FL_SUBOP);
	sub->manager = NULL;
	if (!ret && list_empty(&manager->subops)) {
		ret = ftrace_ops_detach(manager);
		manager->flags &= ~FTRACE_OPS_FL_MANAGER;
	}
	return ret;
}

/**
 * ftrace_subops_unregister - take the functions of an ops from its manager
 * @sub: the ops
 *
 * The manager is unregistered with its last subordinate. Waits until no
 * callback uses @sub any more, nor that manager.
 *
 * Context: task, may sleep, as ftrace_hooks_synchronize(); takes ftrace_lock().
 * Return: 0; -EBUSY: is not registered with a manager; -ENODEV: ftrace is dead,
 * the ops may still be used.
 */
int ftrace_subops_unregister(struct ftrace_ops *sub)
{
	int ret;

	scoped_guard(ftrace_lock)
		ret = subops_leave(sub);
	if (!ret)
		ftrace_hooks_synchronize();
	return ret;
}

/* Would a manager be called at @ip? Any context, as ftrace_ops_traces(). */
bool ftrace_subops_trace(const struct ftrace_ops *manager, unsigned long ip)
{
	struct ftrace_ops *sub;

	for_each_ftrace_subops(sub, manager) {
		if (ftrace_ops_traces(sub, ip))
			return true;
	}
	return false;
}
