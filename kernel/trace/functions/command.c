// SPDX-License-Identifier: GPL-2.0
/*
 * Function commands of set_ftrace_filter: traceon, traceoff, stacktrace, dump,
 * cpudump, snapshot. An instance has one probe a command: an ops whose filter names the
 * functions, and what is left of each function's count.
 *
 * Rules: probes and their targets change under command_mutex. A target is found
 * by the callback under RCU (preemption is off there) and freed after a grace
 * period; a probe is freed when its ops is unregistered and nobody is inside.
 */
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_recursion.h>
#include <linux/xarray.h>

#include "functions/command.h"
#include "sites/names.h"

#define UNLIMITED	(-1L)

/* What is left to do at one function. */
struct target {
	atomic_long_t	left;		/* UNLIMITED: no count */
	struct rcu_head	rcu;
};

/**
 * struct trace_func_probe - a command of an instance
 * @node:	in trace_functions.probes
 * @ops:	called at the functions that carry the command
 * @tr:		the instance
 * @command:	what is done
 * @targets:	struct target by distance of the function's site from _stext
 */
struct trace_func_probe {
	struct list_head		node;
	struct ftrace_ops		ops;
	struct trace_array		*tr;
	const struct trace_func_command	*command;
	struct xarray			targets;
};

static DEFINE_MUTEX(command_mutex);

void trace_func_commands_lock(void)
{
	mutex_lock(&command_mutex);
}

void trace_func_commands_unlock(void)
{
	mutex_unlock(&command_mutex);
}

/* The commands */

static bool is_off(struct trace_array *tr)
{
	return !trace_array_is_on(tr);
}

static void write_stack(struct trace_array *tr)
{
	/* The callback, the assist and the trampoline are not the story. */
	trace_stack_write(tr->array_buffer.buffer, tracing_gen_ctx(), 4, NULL);
}

static void dump_all(struct trace_array *tr)
{
	ftrace_dump(DUMP_ALL);
}

static void dump_cpu(struct trace_array *tr)
{
	ftrace_dump(DUMP_ORIG);
}

#ifdef CONFIG_TRACER_SNAPSHOT
/* The user may have freed it since. */
static bool has_snapshot(struct trace_array *tr)
{
	return READ_ONCE(tr->snapshot_allocated);
}
#endif

static const struct trace_func_command commands[] = {
	{ .name = "traceon",	.due = is_off,			.hit = trace_array_on },
	{ .name = "traceoff",	.due = trace_array_is_on,	.hit = trace_array_off },
	{ .name = "stacktrace",	.due = trace_array_is_on,	.hit = write_stack },
	{ .name = "dump",	.hit = dump_all,		.once = true },
	{ .name = "cpudump",	.hit = dump_cpu,		.once = true },
#ifdef CONFIG_TRACER_SNAPSHOT
	{ .name = "snapshot",	.due = has_snapshot,		.hit = trace_snapshot_take,
	  .get = trace_snapshot_get,				.put = trace_snapshot_put },
#endif
};

static const struct trace_func_command *find_command(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	}
	return NULL;
}

/* At a function */

static unsigned long target_index(unsigned long ip)
{
	return ip - (unsigned long)_stext;
}

/* Take one of what is left, if anything is. */
static bool take_one(struct target *target)
{
	long left = atomic_long_read(&target->left);

	do {
		if (left == UNLIMITED)
			return true;
		if (!left)
			return false;
	} while (!atomic_long_try_cmpxchg(&target->left, &left, left - 1));
	return true;
}

static void probe_call(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct trace_func_probe *probe = container_of(op, struct trace_func_probe, ops);
	const struct trace_func_command *command = probe->command;
	int bit = ftrace_test_recursion_trylock(ip, parent_ip);
	struct target *target;

	if (bit < 0)
		return;
	if (!command->due || command->due(probe->tr)) {
		target = xa_load(&probe->targets, target_index(ip));
		if (target && take_one(target))
			command->hit(probe->tr);
	}
	ftrace_test_recursion_unlock(bit);
}

/* Adding and removing */

static struct trace_func_probe *find_probe(struct trace_functions *fns,
					   const struct trace_func_command *command)
{
	struct trace_func_probe *probe;

	lockdep_assert_held(&command_mutex);
	list_for_each_entry(probe, &fns->probes, node) {
		if (probe->command == command)
			return probe;
	}
	return NULL;
}

static struct trace_func_probe *make_probe(struct trace_functions *fns,
					   const struct trace_func_command *command)
{
	struct trace_func_probe *probe = kzalloc(sizeof(*probe), GFP_KERNEL);
	int ret;

	if (!probe)
		return ERR_PTR(-ENOMEM);
	ret = command->get ? command->get(fns->tr) : 0;
	if (ret) {
		kfree(probe);
		return ERR_PTR(ret);
	}
	probe->ops.func = probe_call;
	probe->tr = fns->tr;
	probe->command = command;
	xa_init(&probe->targets);
	list_add_tail(&probe->node, &fns->probes);
	return probe;
}

static void free_probe(struct trace_func_probe *probe)
{
	struct target *target;
	unsigned long index;

	if (probe->ops.flags & FTRACE_OPS_FL_ENABLED)
		unregister_ftrace_function(&probe->ops);
	ftrace_free_filter(&probe->ops);
	xa_for_each(&probe->targets, index, target)
		kfree_rcu(target, rcu);
	xa_destroy(&probe->targets);
	if (probe->command->put)
		probe->command->put(probe->tr);
	list_del(&probe->node);
	kfree(probe);
}

/* A pattern being applied to a probe. */
struct change {
	struct trace_func_probe	*probe;
	struct ftrace_hash	*hash;
	long			count;
};

static int add_target(struct dyn_ftrace *site, void *data)
{
	struct change *change = data;
	unsigned long ip = ftrace_site_ip(site);
	struct target *target, *old;
	int ret;

	if (ftrace_hash_has(change->hash, ip))
		return 0;
	target = kmalloc(sizeof(*target), GFP_KERNEL);
	if (!target)
		return -ENOMEM;
	atomic_long_set(&target->left, change->count);
	old = xa_store(&change->probe->targets, target_index(ip), target, GFP_KERNEL);
	ret = xa_err(old);
	if (ret) {
		kfree(target);
		return ret;
	}
	/* Left behind by a module that is gone. */
	if (old)
		kfree_rcu(old, rcu);
	return ftrace_hash_add(change->hash, ip);
}

static int del_target(struct dyn_ftrace *site, void *data)
{
	struct change *change = data;
	unsigned long ip = ftrace_site_ip(site);

	return ftrace_hash_del(change->hash, ip);
}

/* Free the targets that the probe's filter does not name (any more). */
static void drop_targets(struct trace_func_probe *probe)
{
	struct target *target;
	unsigned long index;

	ftrace_lock();
	xa_for_each(&probe->targets, index, target) {
		if (ftrace_ops_filter_has(&probe->ops, index + (unsigned long)_stext, false))
			continue;
		xa_erase(&probe->targets, index);
		kfree_rcu(target, rcu);
	}
	ftrace_unlock();
}

static int add(struct trace_functions *fns, const struct trace_func_command *command,
	       struct trace_glob *glob, long count)
{
	struct trace_func_probe *probe = find_probe(fns, command) ?: make_probe(fns, command);
	struct change change = { .probe = probe, .count = count };
	long ret;

	if (IS_ERR(probe))
		return PTR_ERR(probe);
	ret = ftrace_names_prepare(glob);
	if (!ret) {
		change.hash = ftrace_ops_filter_get(&probe->ops, false);
		ret = change.hash ? 0 : -ENOMEM;
	}
	if (!ret) {
		ftrace_lock();
		ret = ftrace_sites_match(glob, NULL, NULL, add_target, &change);
		ftrace_unlock();
		if (!ret)
			ret = -EINVAL;
	}
	if (ret > 0)
		ret = ftrace_ops_filter_set(&probe->ops, change.hash, false);
	else
		ftrace_hash_free(change.hash);
	if (!ret && !(probe->ops.flags & FTRACE_OPS_FL_ENABLED))
		ret = register_ftrace_function(&probe->ops);
	if (!(probe->ops.flags & FTRACE_OPS_FL_ENABLED))
		free_probe(probe);
	else if (ret)
		drop_targets(probe);
	return ret;
}

static int del(struct trace_functions *fns, const struct trace_func_command *command,
	       struct trace_glob *glob)
{
	struct trace_func_probe *probe = find_probe(fns, command);
	struct change change = { .probe = probe };
	long before, ret;

	if (!probe)
		return -EINVAL;
	ret = ftrace_names_prepare(glob);
	if (ret)
		return ret;
	change.hash = ftrace_ops_filter_get(&probe->ops, false);
	if (!change.hash)
		return -ENOMEM;
	before = ftrace_hash_count(change.hash);
	ftrace_lock();
	ftrace_sites_match(glob, NULL, NULL, del_target, &change);
	ftrace_unlock();
	if (ftrace_hash_count(change.hash) == before) {
		ftrace_hash_free(change.hash);
		return -EINVAL;
	}
	/* An empty filter would mean every function. */
	if (!ftrace_hash_count(change.hash)) {
		ftrace_hash_free(change.hash);
		free_probe(probe);
		return 0;
	}
	ret = ftrace_ops_filter_set(&probe->ops, change.hash, false);
	if (!ret)
		drop_targets(probe);
	return ret;
}

/**
 * trace_func_command_apply - "PATTERN:NAME[:COUNT]" or, with '!', its removal
 * @fns:	the instance's functions
 * @pattern:	which functions; changed while it is parsed
 * @name:	the command
 * @param:	how often; NULL or empty: without limit; ignored in a removal
 *
 * Takes effect at once.
 * Context: task, may sleep.
 * Return: 0, -EINVAL (unknown command, bad count, nothing matched, nothing to
 * remove), -ERANGE, -ENOMEM, or the error of register_ftrace_function().
 */
int trace_func_command_apply(struct trace_functions *fns, char *pattern,
			     const char *name, char *param)
{
	const struct trace_func_command *command = find_command(name);
	struct trace_glob glob;
	unsigned long number;
	long count = UNLIMITED;
	int ret;

	if (!command)
		return -EINVAL;
	trace_glob_parse(&glob, pattern);
	/* What is listed as "count=9" can be taken away like that. */
	if (!glob.negate && param && *param) {
		ret = kstrtoul(param, 0, &number);
		if (ret)
			return ret;
		count = number;
	}
	if (command->once)
		count = 1;

	guard(mutex)(&command_mutex);
	return glob.negate ? del(fns, command, &glob) : add(fns, command, &glob, count);
}

/**
 * trace_func_commands_destroy - remove all commands of an instance
 * @fns: the instance's functions
 *
 * Context: task, may sleep.
 */
void trace_func_commands_destroy(struct trace_functions *fns)
{
	struct trace_func_probe *probe, *next;

	guard(mutex)(&command_mutex);
	list_for_each_entry_safe(probe, next, &fns->probes, node)
		free_probe(probe);
}

/* Listing */

/**
 * trace_func_probe_nth - the @n-th probe of an instance, or NULL
 * @fns:	the instance's functions
 * @n:		from 0
 *
 * Context: trace_func_commands_lock() is held.
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
 * Return: 0, or SEQ_SKIP.
 */
int trace_func_probe_show(struct seq_file *m, struct trace_func_probe *probe,
			  const struct dyn_ftrace *site)
{
	struct target *target = xa_load(&probe->targets, target_index(ftrace_site_ip(site)));
	const char *module;
	const char *name = ftrace_site_name(site, &module);
	long left;

	if (!name || !target)
		return SEQ_SKIP;
	seq_printf(m, "%s:%s:", name, probe->command->name);
	left = atomic_long_read(&target->left);
	if (left == UNLIMITED)
		seq_puts(m, "unlimited\n");
	else
		seq_printf(m, "count=%ld\n", left);
	return 0;
}
