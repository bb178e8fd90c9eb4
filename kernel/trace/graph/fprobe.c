// SPDX-License-Identifier: GPL-2.0
/*
 * Probes of functions, <linux/fprobe.h>: they come and go here. Which functions a probe
 * has is a filter of its ftrace_ops, made before that is registered, so that hooks/ has
 * one change to make however many there are. fprobe_call.c has the callbacks.
 */
#include <linux/export.h>
#include <linux/fprobe.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "graph/graph.h"
#include "graph/internal.h"
#include "hooks/hooks.h"

/* Is this what a probe can be? */
static int fprobe_check(struct fprobe *fp)
{
	if (!fp)
		return -EINVAL;
	if (fprobe_is_registered(fp))
		return -EBUSY;
	if (!fp->exit_handler)
		return 0;
	if (fp->nr_maxactive < 0)
		return -EINVAL;
	return fp->entry_data_size > FPROBE_MAX_DATA_SIZE ? -E2BIG : 0;
}

static void fprobe_prepare(struct fprobe *fp)
{
	int i;

	for (i = 0; i < FPROBE_MISS_NR; i++)
		atomic_long_set(&fp->missed[i], 0);
	atomic_long_set(&fp->missed_all, 0);
	fp->hook = NULL;
	fp->ops.func = graph_fprobe_func(fp);
	/* Handlers get struct pt_regs. graph/regs.h fills it if not all registers are saved. */
	fp->ops.flags |= FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED | FTRACE_OPS_FL_VIEW;
}

static void fprobe_release(struct fprobe *fp)
{
	if (fp->hook)
		graph_fprobe_put(fp);
	ftrace_free_filter(&fp->ops);
}

/* The filter is there: hook its functions. If that cannot be, the filter goes. */
static int fprobe_start(struct fprobe *fp)
{
	int ret = fp->exit_handler ? graph_fprobe_get(fp) : 0;

	ret = ret ?: register_ftrace_function(&fp->ops);
	if (ret)
		fprobe_release(fp);
	return ret;
}

/* Add to a filter of the ops what @pattern names. */
static int fprobe_filter(struct fprobe *fp, const char *pattern, bool exclude)
{
	unsigned char *text = kstrdup(pattern, GFP_KERNEL);
	int len, ret;

	if (!text)
		return -ENOMEM;
	len = strlen(pattern);
	ret = exclude ? ftrace_set_notrace(&fp->ops, text, len, 0) :
			ftrace_set_filter(&fp->ops, text, len, 0);
	kfree(text);
	return ret;
}

/**
 * register_fprobe - probe the functions that a pattern names
 * @fp: the probe
 * @filter: a name, or a glob
 * @notfilter: of those that are not probed; or NULL
 *
 * Context: task; takes ftrace_lock().
 * Return: 0; -EINVAL: a pattern names no function, or a number is wrong; -E2BIG: more data
 * than FPROBE_MAX_DATA_SIZE; -EBUSY: is registered already; -ENODEV: ftrace is dead;
 * -ENOMEM.
 */
int register_fprobe(struct fprobe *fp, const char *filter, const char *notfilter)
{
	int ret = filter ? fprobe_check(fp) : -EINVAL;

	if (ret)
		return ret;
	fprobe_prepare(fp);
	ret = fprobe_filter(fp, filter, false);
	if (!ret && notfilter)
		ret = fprobe_filter(fp, notfilter, true);
	if (!ret)
		return fprobe_start(fp);
	ftrace_free_filter(&fp->ops);
	return ret;
}
EXPORT_SYMBOL_GPL(register_fprobe);

/* The functions of a module that @pattern names become the filter of the ops. */
static int fprobe_filter_in(struct fprobe *fp, const char *pattern, const char *module)
{
	char *text __free(kfree) = kstrdup(pattern, GFP_KERNEL);
	char *of __free(kfree) = kstrdup(module, GFP_KERNEL);
	struct ftrace_hash *hash;
	long nr;

	if (!text || !of)
		return -ENOMEM;
	hash = ftrace_ops_filter_get(&fp->ops, false);
	if (!hash)
		return -ENOMEM;
	nr = ftrace_hash_apply(hash, text, of, NULL);
	if (nr > 0)
		return ftrace_ops_filter_set(&fp->ops, hash, false);
	ftrace_hash_free(hash);
	return nr ?: -EINVAL;
}

/**
 * fprobe_register_in - probe the functions of a module that a pattern names
 * @fp: the probe
 * @filter: a name, or a glob
 * @module: the name of the module; NULL: functions of the kernel and of all modules
 *
 * Context: as register_fprobe().
 * Return: as register_fprobe().
 */
int fprobe_register_in(struct fprobe *fp, const char *filter, const char *module)
{
	int ret;

	if (!module)
		return register_fprobe(fp, filter, NULL);
	ret = fprobe_check(fp);
	if (ret)
		return ret;
	fprobe_prepare(fp);
	ret = fprobe_filter_in(fp, filter, module);
	if (!ret)
		return fprobe_start(fp);
	ftrace_free_filter(&fp->ops);
	return ret;
}

/**
 * register_fprobe_ips - probe functions, by address
 * @fp: the probe
 * @addrs: addresses of the functions, or of their call sites
 * @num: how many
 *
 * Context: as register_fprobe().
 * Return: as register_fprobe(); -EINVAL: there is no function that can be hooked at one of
 * the addresses, or no address.
 */
int register_fprobe_ips(struct fprobe *fp, unsigned long *addrs, int num)
{
	int ret = addrs && num > 0 ? fprobe_check(fp) : -EINVAL;

	if (ret)
		return ret;
	fprobe_prepare(fp);
	ret = ftrace_set_filter_ips(&fp->ops, addrs, num, 0, 0);
	return ret ?: fprobe_start(fp);
}
EXPORT_SYMBOL_GPL(register_fprobe_ips);

static int fprobe_compare_names(const void *a, const void *b)
{
	return strcmp(*(const char * const *)a, *(const char * const *)b);
}

/**
 * register_fprobe_syms - probe functions, by name
 * @fp: the probe
 * @syms: their names; other patterns name nothing here
 * @num: how many
 *
 * Context: as register_fprobe().
 * Return: as register_fprobe(); -ENOENT: a name is that of no function; -EINVAL: a function
 * cannot be hooked, or there is no name.
 */
int register_fprobe_syms(struct fprobe *fp, const char **syms, int num)
{
	unsigned long *addrs __free(kvfree) = NULL;
	const char **sorted __free(kvfree) = NULL;

	if (!fp || !syms || num <= 0)
		return -EINVAL;
	addrs = kvcalloc(num, sizeof(*addrs), GFP_KERNEL);
	sorted = kvmalloc_array(num, sizeof(*sorted), GFP_KERNEL);
	if (!addrs || !sorted)
		return -ENOMEM;
	memcpy(sorted, syms, num * sizeof(*sorted));
	sort(sorted, num, sizeof(*sorted), fprobe_compare_names, NULL);
	if (ftrace_lookup_symbols(sorted, num, addrs))
		return -ENOENT;
	return register_fprobe_ips(fp, addrs, num);
}
EXPORT_SYMBOL_GPL(register_fprobe_syms);

/**
 * fprobe_is_registered - is it?
 * @fp: a probe, or NULL
 *
 * Context: any; that of who registers, if the answer shall last.
 * Return: whether.
 */
bool fprobe_is_registered(struct fprobe *fp)
{
	return fp && fp->ops.flags & FTRACE_OPS_FL_ENABLED;
}

/* Unregister, and let the last handlers run. Errors: see unregister_fprobe(). */
static int fprobe_end(struct fprobe *fp)
{
	int ret;

	if (!fprobe_is_registered(fp))
		return -EINVAL;
	ret = ftrace_ops_unregister_nowait(&fp->ops);
	if (ret == -EBUSY)
		return -EINVAL;
	fprobe_release(fp);
	return ret;
}

/**
 * fprobe_unregister_later - take a probe from its functions, and do not wait
 * @fp: the probe
 * @retired: its free() is called when the handlers of the probe have ended
 *
 * Context: task, may sleep; takes ftrace_lock().
 */
void fprobe_unregister_later(struct fprobe *fp, struct ftrace_retired *retired)
{
	fprobe_end(fp);
	guard(ftrace_lock)();
	ftrace_retire(retired);
}

/**
 * unregister_fprobe - take a probe from its functions
 * @fp: the probe
 *
 * Returns that are awaited stay so, and it is not told of them. Waits until its handlers
 * have ended.
 *
 * Context: task, may sleep, as ftrace_hooks_synchronize(); takes ftrace_lock().
 * Return: 0; -EINVAL: is not registered; -ENODEV: ftrace is dead. The probe is unregistered
 * then as well, and its memory may go.
 */
int unregister_fprobe(struct fprobe *fp)
{
	int ret = fprobe_end(fp);

	if (ret != -EINVAL)
		ftrace_hooks_synchronize();
	return ret;
}
EXPORT_SYMBOL_GPL(unregister_fprobe);

/**
 * fprobe_begin_alone - begin to await the returns of calls that fprobe_hit_alone() tells of
 * @fp: the probe, which has an exit_handler and no filter
 *
 * Context: task, may sleep; takes ftrace_lock().
 * Return: as register_fprobe().
 */
int fprobe_begin_alone(struct fprobe *fp)
{
	int ret = fp->exit_handler ? fprobe_check(fp) : -EINVAL;

	if (ret)
		return ret;
	fprobe_prepare(fp);
	return graph_fprobe_get(fp);
}

/**
 * fprobe_end_alone - undo fprobe_begin_alone(), and do not wait
 * @fp: the probe; nobody tells it of calls any more, or an entry that does has begun already
 * @retired: its free() is called when the handlers of the probe have ended
 *
 * Context: task, may sleep; takes ftrace_lock().
 */
void fprobe_end_alone(struct fprobe *fp, struct ftrace_retired *retired)
{
	graph_fprobe_put(fp);
	guard(ftrace_lock)();
	ftrace_retire(retired);
}
