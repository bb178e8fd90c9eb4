// SPDX-License-Identifier: GPL-2.0
/*
 * Function commands of set_ftrace_filter. They say that an instance does something when a
 * function is called. There is a probe for each action with its parameters. It has an ops, whose
 * filter names the functions, and for each function a target with what is left of its count.
 *
 * Probes and their targets change under command_mutex. The callback finds a target with
 * preemption off, and the target is freed after a grace period. A probe is freed after
 * unregister_ftrace_function(), which waits until its callback has ended everywhere.
 */
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_recursion.h>
#include <linux/xarray.h>

#include "actions/action.h"
#include "functions/internal.h"
#include "instance/buffers.h"
#include "instance/snapshot.h"
#include "lib/wait.h"
#include "sites/names.h"

/* The data of a function that carries the command of a probe. */
struct func_target {
	struct trace_action_count	count;
	struct rcu_head			rcu;
};

/**
 * struct trace_func_probe - a command of an instance
 * @node:	in trace_functions.probes
 * @counted:	it was written with a count; the same command without one is a second probe
 * @ops:	called at the functions that carry the command
 * @use:	what is done
 * @targets:	struct func_target by distance of the function's site from _stext
 */
struct trace_func_probe {
	struct list_head		node;		/* command_mutex */
	bool				counted;	/* constant */
	struct ftrace_ops		ops;		/* command_mutex */
	struct trace_action_use		use;		/* constant */
	struct xarray			targets;	/* command_mutex, RCU */
};

/*
 * The mutex of all function commands. It comes after trace_instances_lock(),
 * and before ftrace_lock() and the locks that actions take.
 */
static DEFINE_MUTEX(command_mutex);

/**
 * trace_func_commands_lock - take the lock of the commands of all instances
 *
 * Context: task, may sleep.
 */
void trace_func_commands_lock(void)
{
	mutex_lock(&command_mutex);
}

/**
 * trace_func_commands_unlock - undo trace_func_commands_lock()
 *
 * Context: task.
 */
void trace_func_commands_unlock(void)
{
	mutex_unlock(&command_mutex);
}

static unsigned long func_command_target_index(unsigned long ip)
{
	return ip - (unsigned long)_stext;
}

static void func_command_probe_call(unsigned long ip, unsigned long parent_ip,
				    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct trace_func_probe *probe = container_of(op, struct trace_func_probe, ops);
	int bit = ftrace_test_recursion_trylock(ip, parent_ip);
	struct func_target *target;

	if (bit < 0)
		return;
	if (trace_action_due(&probe->use)) {
		target = xa_load(&probe->targets, func_command_target_index(ip));
		if (target && trace_action_take(&target->count)) {
			const struct trace_action_hit hit = { .from = ip + MCOUNT_INSN_SIZE };

			probe->use.action->hit(&probe->use, &hit);
		}
	}
	ftrace_test_recursion_unlock(bit);
}

NOKPROBE_SYMBOL(func_command_probe_call);

/* Adding and removing */

/* Was the command written with a count? A listing prints "unlimited" for one without. */
static bool func_command_counted(const struct trace_action_text *what)
{
	return what->count && *what->count && strcmp(what->count, "unlimited") &&
	       !what->action->once;
}

static struct trace_func_probe *func_command_probe_find(struct trace_functions *fns,
							const struct trace_action_text *what)
{
	bool counted = func_command_counted(what);
	struct trace_func_probe *probe;

	lockdep_assert_held(&command_mutex);
	list_for_each_entry(probe, &fns->probes, node) {
		if (probe->counted == counted && trace_action_is(&probe->use, what))
			return probe;
	}
	return NULL;
}

static struct trace_func_probe *func_command_probe_make(struct trace_functions *fns,
							const struct trace_action_text *what)
{
	struct trace_func_probe *probe = kzalloc(sizeof(*probe), GFP_KERNEL);
	int ret;

	lockdep_assert_held(&command_mutex);
	if (!probe)
		return ERR_PTR(-ENOMEM);
	ret = trace_action_get(&probe->use, fns->tr, what);
	if (ret) {
		kfree(probe);
		return ERR_PTR(ret);
	}
	probe->counted = func_command_counted(what);
	probe->ops.func = func_command_probe_call;
	/* RCU frees the targets, and does not wait for CPUs that it does not watch. */
	probe->ops.flags = FTRACE_OPS_FL_RCU;
	xa_init(&probe->targets);
	/* The newest is listed first. */
	list_add(&probe->node, &fns->probes);
	return probe;
}

/* Let no function call a probe any more, and move it to @gone. Calls that have begun go on. */
static void func_command_probe_leave(struct trace_func_probe *probe, struct list_head *gone)
{
	lockdep_assert_held(&command_mutex);
	if (probe->ops.flags & FTRACE_OPS_FL_ENABLED)
		ftrace_ops_unregister_nowait(&probe->ops);
	list_move(&probe->node, gone);
}

/* Free a probe that has left, and whose calls have ended. */
static void func_command_probe_free(struct trace_func_probe *probe)
{
	struct func_target *target;
	unsigned long index;

	lockdep_assert_held(&command_mutex);
	WARN_ON_ONCE(probe->ops.flags & FTRACE_OPS_FL_ENABLED);
	xa_for_each(&probe->targets, index, target)
		kfree_rcu(target, rcu);
	xa_destroy(&probe->targets);
	trace_action_put(&probe->use);
	list_del(&probe->node);
	ftrace_free_filter(&probe->ops);
	kfree(probe);
}

/* A pattern that is being applied to a probe. */
struct func_change {
	struct trace_func_probe	*probe;
	struct ftrace_hash	*hash;
	long			count;
};

static int func_command_target_add(struct dyn_ftrace *site, void *data)
{
	struct func_change *change = data;
	unsigned long ip = ftrace_site_ip(site);
	struct func_target *target, *old;
	int ret;

	lockdep_assert_held(&command_mutex);
	if (ftrace_hash_has(change->hash, ip))
		return 0;
	target = kmalloc(sizeof(*target), GFP_KERNEL);
	if (!target)
		return -ENOMEM;
	trace_action_count_set(&target->count, change->count);
	old = xa_store(&change->probe->targets, func_command_target_index(ip), target, GFP_KERNEL);
	ret = xa_err(old);
	if (ret) {
		kfree(target);
		return ret;
	}
	/* A module that is gone had a function there. */
	if (old)
		kfree_rcu(old, rcu);
	return ftrace_hash_add(change->hash, ip);
}

static int func_command_target_del(struct dyn_ftrace *site, void *data)
{
	struct func_change *change = data;

	return ftrace_hash_del(change->hash, ftrace_site_ip(site));
}

/* Free the targets of functions that the probe's filter does not name. */
static void func_command_targets_sweep(struct trace_func_probe *probe)
{
	struct func_target *target;
	unsigned long index;

	lockdep_assert_held(&command_mutex);
	ftrace_lock();
	xa_for_each(&probe->targets, index, target) {
		if (ftrace_ops_filter_has(&probe->ops, index + (unsigned long)_stext, false))
			continue;
		xa_erase(&probe->targets, index);
		kfree_rcu(target, rcu);
	}
	ftrace_unlock();
}

static int func_command_add(struct trace_functions *fns, const struct trace_action_text *what,
			    char *pattern, long count, struct list_head *gone,
			    enum trace_filter_error *error)
{
	struct func_change change = { .count = count };
	struct trace_func_probe *probe;
	unsigned long before;
	long ret;

	probe = func_command_probe_find(fns, what) ?: func_command_probe_make(fns, what);
	*error = TRACE_FILTER_NOT_HERE;
	if (IS_ERR(probe))
		return PTR_ERR(probe);
	change.probe = probe;
	ret = -ENOMEM;
	change.hash = ftrace_ops_filter_get(&probe->ops, false);
	if (change.hash) {
		before = ftrace_hash_count(change.hash);
		ret = ftrace_pattern_match(pattern, func_command_target_add, &change);
		/*
		 * Functions that already carry this command keep their count. If all of them
		 * do, the write changed nothing: -EINVAL.
		 */
		if (ret >= 0 && ftrace_hash_count(change.hash) == before) {
			*error = ret ? TRACE_FILTER_COMMAND_IS_THERE : TRACE_FILTER_NO_FUNCTION;
			ret = -EINVAL;
		}
	}
	if (ret > 0)
		ret = ftrace_ops_filter_set(&probe->ops, change.hash, false);
	else
		ftrace_hash_free(change.hash);
	if (!ret && !(probe->ops.flags & FTRACE_OPS_FL_ENABLED))
		ret = register_ftrace_function(&probe->ops);
	if (!(probe->ops.flags & FTRACE_OPS_FL_ENABLED))
		func_command_probe_leave(probe, gone);
	else if (ret)
		func_command_targets_sweep(probe);
	return ret;
}

static int func_command_del(struct trace_functions *fns, const struct trace_action_text *what,
			    char *pattern, struct list_head *gone,
			    enum trace_filter_error *error)
{
	struct trace_func_probe *probe = func_command_probe_find(fns, what);
	struct func_change change = { .probe = probe };
	long before, ret;

	if (!probe)
		return -ENODEV;
	change.hash = ftrace_ops_filter_get(&probe->ops, false);
	if (!change.hash)
		return -ENOMEM;
	before = ftrace_hash_count(change.hash);
	/* All of its functions have gone with their modules, so any pattern takes it back. */
	if (!before) {
		ftrace_hash_free(change.hash);
		func_command_probe_leave(probe, gone);
		return 0;
	}
	ret = ftrace_pattern_match(pattern, func_command_target_del, &change);
	if (ret < 0 || ftrace_hash_count(change.hash) == before) {
		*error = ret > 0 ? TRACE_FILTER_COMMAND_NOT_THERE : TRACE_FILTER_NO_FUNCTION;
		ftrace_hash_free(change.hash);
		return ret < 0 ? ret : -EINVAL;
	}
	/* An empty filter would mean every function. */
	if (!ftrace_hash_count(change.hash)) {
		ftrace_hash_free(change.hash);
		func_command_probe_leave(probe, gone);
		return 0;
	}
	ret = ftrace_ops_filter_set(&probe->ops, change.hash, false);
	if (!ret)
		func_command_targets_sweep(probe);
	return ret;
}

/* Probes that have left, until their calls have ended. */
struct func_gone {
	struct trace_array	*tr;		/* with a reference */
	struct list_head	probes;
};

static void func_command_gone_wait(void *gone)
{
	ftrace_hooks_synchronize();
}

static void func_command_gone_free(void *data)
{
	struct trace_func_probe *probe, *next;
	struct func_gone *gone = data;

	scoped_guard(trace_instances) {
		guard(mutex)(&command_mutex);
		list_for_each_entry_safe(probe, next, &gone->probes, node)
			func_command_probe_free(probe);
	}
	trace_array_put(gone->tr);
	kfree(gone);
}

static int func_command_change(struct trace_functions *fns, const struct trace_action_text *what,
			       char *pattern, bool remove, long count, struct func_gone *gone,
			       enum trace_filter_error *error)
{
	char all[] = "*";
	int ret;

	/* trace_action_get() may need the lock of instances, which comes before command_mutex. */
	guard(trace_instances)();
	guard(mutex)(&command_mutex);
	if (remove && !*++pattern)
		pattern = all;
	ret = remove ? func_command_del(fns, what, pattern, &gone->probes, error) :
		       func_command_add(fns, what, pattern, count, &gone->probes, error);
	/* A caller who keeps the instance by a reference can take another one. */
	if (!list_empty(&gone->probes) && !WARN_ON_ONCE(trace_array_get(fns->tr)))
		gone->tr = fns->tr;
	return ret;
}

/**
 * trace_func_command_apply - "PATTERN:ACTION" or, with '!', its removal
 * @fns:	the instance's functions
 * @pattern:	which functions: a name, a glob or the number of a line of
 *		available_filter_functions; "!" alone means all; changed while it is parsed
 * @text:	the action, its parameters and count, see actions/action.h; changed while
 *		it is parsed. In a removal, any count selects the command that has one
 * @error:	why, if -EINVAL is returned
 *
 * Takes effect at once. When the last function has lost a command, the memory of that is freed
 * when its calls have ended. This waits for it, unless a signal comes.
 *
 * Context: task, may sleep; takes trace_instances_lock(). The caller keeps the instance.
 * Return: 0; -EINVAL for an unknown action, a bad parameter or count, when nothing
 * matched, or when all that matched have the action already; -ENODEV for the removal of an
 * action that no function has; -ERANGE, -ENOMEM; what the action, trace_snapshot_prepare() or
 * register_ftrace_function() says.
 */
int trace_func_command_apply(struct trace_functions *fns, char *pattern, char *text,
			     enum trace_filter_error *error)
{
	struct trace_action_text what;
	struct func_gone *gone;
	bool remove = *pattern == '!';
	long count = 0;
	int ret = trace_action_parse(&what, text, TRACE_ACTION_AT_FUNCTION);

	*error = TRACE_FILTER_NO_COMMAND;
	if (ret)
		return ret;
	/* A removal may name it as a listing does: "count=9". */
	if (!remove)
		ret = trace_action_parse_count(&what, &count);
	if (ret)
		return ret;
	gone = kzalloc(sizeof(*gone), GFP_KERNEL);
	if (!gone)
		return -ENOMEM;
	INIT_LIST_HEAD(&gone->probes);

	do
		ret = func_command_change(fns, &what, pattern, remove, count, gone, error);
	while (ret == -EPROBE_DEFER && !(ret = trace_snapshot_prepare(fns->tr)));
	trace_buffers_settle();
	/* Every CPU has to schedule for it. */
	if (list_empty(&gone->probes))
		kfree(gone);
	else
		trace_wait_call(func_command_gone_wait, func_command_gone_free, gone,
				TASK_INTERRUPTIBLE);
	return ret;
}

/**
 * trace_func_commands_stop - let no function call a command of an instance any more
 * @fns: the instance's functions
 *
 * Calls that have begun may go on.
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: true if there are commands, so the caller has to wait before it removes them.
 */
bool trace_func_commands_stop(struct trace_functions *fns)
{
	struct trace_func_probe *probe;

	guard(mutex)(&command_mutex);
	list_for_each_entry(probe, &fns->probes, node) {
		if (probe->ops.flags & FTRACE_OPS_FL_ENABLED)
			ftrace_ops_unregister_nowait(&probe->ops);
	}
	return !list_empty(&fns->probes);
}

/**
 * trace_func_commands_destroy - remove all commands of an instance
 * @fns: the instance's functions
 *
 * The commands were stopped, and the calls of them have ended.
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 */
void trace_func_commands_destroy(struct trace_functions *fns)
{
	struct trace_func_probe *probe, *next;

	guard(mutex)(&command_mutex);
	list_for_each_entry_safe(probe, next, &fns->probes, node)
		func_command_probe_free(probe);
}

/* Listing */

/**
 * trace_func_probe_nth - a probe of an instance by its number
 * @fns:	the instance's functions
 * @n:		the number, from 0
 *
 * Context: trace_func_commands_lock() is held.
 * Return: the probe, NULL past the last.
 */
struct trace_func_probe *trace_func_probe_nth(struct trace_functions *fns, unsigned int n)
{
	struct trace_func_probe *probe;

	lockdep_assert_held(&command_mutex);
	list_for_each_entry(probe, &fns->probes, node) {
		if (!n--)
			return probe;
	}
	return NULL;
}

/**
 * trace_func_probe_has - does the probe name this site?
 * @probe:	the probe
 * @site:	the site
 *
 * Context: trace_func_commands_lock() and ftrace_lock() are held.
 * Return: true if it does.
 */
bool trace_func_probe_has(struct trace_func_probe *probe, const struct dyn_ftrace *site)
{
	return ftrace_ops_filter_has(&probe->ops, ftrace_site_ip(site), false);
}

/**
 * trace_func_probe_show - the line of a function that carries a command
 * @m:		where to
 * @probe:	the command's probe
 * @site:	the function's site
 *
 * Context: trace_func_commands_lock() and ftrace_lock() are held.
 * Return: 0, or SEQ_SKIP for a site that belongs to no function or has no target.
 */
int trace_func_probe_show(struct seq_file *m, struct trace_func_probe *probe,
			  const struct dyn_ftrace *site)
{
	unsigned long index = func_command_target_index(ftrace_site_ip(site));
	struct func_target *target = xa_load(&probe->targets, index);

	if (!target || trace_list_put_name(m, site))
		return SEQ_SKIP;
	seq_putc(m, ':');
	trace_action_show(m, &probe->use, &target->count);
	seq_putc(m, '\n');
	return 0;
}
