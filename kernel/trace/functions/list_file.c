// SPDX-License-Identifier: GPL-2.0
/*
 * The lists of all functions: available_filter_functions and its variant with
 * addresses, enabled_functions, touched_functions, dyn_ftrace_total_info.
 * Read only, shared by all instances.
 */
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/tracefs.h>

#include "functions/internal.h"
#include "instance/file.h"
#include "sites/names.h"

/**
 * struct list_kind - what a listing shows
 * @active:	it tells what is done to the kernel's text, and can be read when the kernel is
 *		locked down and when ftrace is dead
 * @wanted:	is this site listed? ftrace_lock() is held. NULL: each is that has a name
 * @show:	prints its line; ftrace_lock() is held
 */
struct list_kind {
	bool	active;
	bool	(*wanted)(const struct dyn_ftrace *site);
	int	(*show)(struct seq_file *m, const struct dyn_ftrace *site);
};

/* An open list. The file's lock is that of the seq_file. */
struct list_file {
	const struct list_kind	*kind;	/* constant */
	struct ftrace_site_iter	iter;	/* file's lock; valid under ftrace_lock() */
};

static struct dyn_ftrace *list_site_next_wanted(struct list_file *lf, struct dyn_ftrace *site)
{
	while (lf->kind->wanted && site && !lf->kind->wanted(site))
		site = ftrace_site_next(&lf->iter);
	return site;
}

static void *list_site_start(struct seq_file *m, loff_t *pos)
{
	struct list_file *lf = m->private;
	struct dyn_ftrace *site;

	ftrace_lock();
	site = list_site_next_wanted(lf, ftrace_site_seek(&lf->iter, *pos));
	if (site)
		*pos = lf->iter.pos;
	return site;
}

static void *list_site_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct list_file *lf = m->private;
	struct dyn_ftrace *site = list_site_next_wanted(lf, ftrace_site_next(&lf->iter));

	*pos = site ? lf->iter.pos : *pos + 1;
	return site;
}

static void list_site_stop(struct seq_file *m, void *v)
{
	ftrace_unlock();
}

static int list_site_show(struct seq_file *m, void *v)
{
	struct list_file *lf = m->private;

	return lf->kind->show(m, v);
}

static const struct seq_operations site_list_ops = {
	.start	= list_site_start,
	.next	= list_site_next,
	.stop	= list_site_stop,
	.show	= list_site_show,
};

static int list_site_open(struct inode *inode, struct file *file)
{
	const struct list_kind *kind = inode->i_private;
	struct list_file *lf;
	int ret = kind->active ? 0 : security_locked_down(LOCKDOWN_TRACEFS);

	if (ret)
		return ret;
	if (!kind->active && ftrace_sites_dead())
		return -ENODEV;
	lf = __seq_open_private(file, &site_list_ops, sizeof(*lf));
	if (!lf)
		return -ENOMEM;
	lf->kind = kind;
	/* Without memory for an index, names are found one by one. */
	ftrace_names_prepare(NULL);
	return 0;
}

static const struct file_operations site_list_fops = {
	.open		= list_site_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

/**
 * trace_list_put_name - print the name of a function, and that of its module
 * @m:		where to
 * @site:	the function's site
 *
 * Context: task, ftrace_lock() is held.
 * Return: 0, or SEQ_SKIP, and nothing is printed, for a site that belongs to no function.
 */
int trace_list_put_name(struct seq_file *m, const struct dyn_ftrace *site)
{
	const char *module, *name;
	size_t len;

	name = ftrace_site_text(site, &len, &module);
	if (!name)
		return SEQ_SKIP;
	seq_write(m, name, len);
	if (module) {
		seq_puts(m, " [");
		seq_puts(m, module);
		seq_putc(m, ']');
	}
	return 0;
}

/**
 * trace_list_show_name - print a line with the name of a function
 * @m:		where to
 * @site:	the function's site
 *
 * Context: task, ftrace_lock() is held.
 * Return: 0, or SEQ_SKIP for a site that belongs to no function.
 */
int trace_list_show_name(struct seq_file *m, const struct dyn_ftrace *site)
{
	int ret = trace_list_put_name(m, site);

	if (!ret)
		seq_putc(m, '\n');
	return ret;
}

static bool list_site_has_name(const struct dyn_ftrace *site)
{
	const char *module;
	size_t len;

	return ftrace_site_text(site, &len, &module);
}

static int list_site_show_with_address(struct seq_file *m, const struct dyn_ftrace *site)
{
	seq_put_hex_ll(m, NULL, ftrace_site_ip(site), 2 * sizeof(long));
	seq_putc(m, ' ');
	return trace_list_show_name(m, site);
}

static bool list_site_is_enabled(const struct dyn_ftrace *site)
{
	return ftrace_site_dispatch(site) && list_site_has_name(site);
}

static bool list_site_is_touched(const struct dyn_ftrace *site)
{
	return (READ_ONCE(site->state) & FTRACE_SITE_TOUCHED) && list_site_has_name(site);
}

static int list_site_show_hooks(struct seq_file *m, const struct dyn_ftrace *site)
{
	struct ftrace_site_info info;

	ftrace_site_info(site, &info);
	trace_list_put_name(m, site);
	seq_printf(m, " (%u)%s%s%s%s%s", info.count, info.regs ? " R" : "  ",
		   info.ipmodify ? " I" : "  ", info.direct ? " D" : "  ",
		   info.literal ? " O" : "  ",
		   READ_ONCE(site->state) & FTRACE_SITE_MODIFIED ? " M " : "   ");
	if (info.literal)
		seq_printf(m, "\tops: %pS (%pS)", info.ops, info.ops->func);
	else if (info.ops && info.target != info.direct_addr)
		seq_printf(m, "\ttramp: %pS (%pS) ->%pS", (void *)info.target, info.ops->func,
			   info.ops->func);
	else if (info.target != info.direct_addr)
		seq_printf(m, "\ttramp: %pS", (void *)info.target);
	if (info.direct)
		seq_printf(m, "\n\tdirect-->%pS", (void *)info.direct_addr);
	seq_putc(m, '\n');
	return 0;
}

static const struct list_kind available_list = {
	.show	= trace_list_show_name,
};

static const struct list_kind available_addrs_list = {
	.show	= list_site_show_with_address,
};

static const struct list_kind enabled_list = {
	.active	= true,
	.wanted	= list_site_is_enabled,
	.show	= list_site_show_hooks,
};

static const struct list_kind touched_list = {
	.active	= true,
	.wanted	= list_site_is_touched,
	.show	= list_site_show_hooks,
};

static int list_site_totals_show(struct seq_file *m, void *v)
{
	struct ftrace_site_totals totals;

	ftrace_lock();
	ftrace_sites_totals(&totals);
	ftrace_unlock();
	seq_printf(m, "%lu pages:%lu groups: %lu\n", totals.sites, totals.pages, totals.groups);
	seq_printf(m, "ftrace boot update time = %llu (ns)\n", totals.boot_ns);
	return 0;
}

DEFINE_TRACE_FILE_RO(list_site_totals);

/**
 * trace_list_create_files - make the lists of functions
 * @top: the top instance; all instances share the lists
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0 or -ENOMEM.
 */
int trace_list_create_files(struct trace_array *top)
{
	static const struct {
		const char		*name;
		const struct list_kind	*kind;
	} lists[] = {
		{ "available_filter_functions", &available_list },
		{ "available_filter_functions_addrs", &available_addrs_list },
		{ "enabled_functions", &enabled_list },
		{ "touched_functions", &touched_list },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		if (!tracefs_create_file(lists[i].name, 0440, top->dir, (void *)lists[i].kind,
					 &site_list_fops))
			return -ENOMEM;
	}
	return trace_create_file("dyn_ftrace_total_info", 0440, top, &list_site_totals_fops);
}
