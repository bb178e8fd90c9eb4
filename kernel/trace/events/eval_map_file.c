// SPDX-License-Identifier: GPL-2.0
/*
 * The file eval_map: the names that were replaced by numbers in print formats,
 * one "NAME VALUE (SYSTEM)" a line. The kernel frees its maps after boot, so they
 * are copied here; those of a module go with it.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/tracefs.h>
#include <linux/tracepoint.h>

#include "events/internal.h"
#include "instance/component.h"
#include "instance/file.h"

struct eval_kept {
	struct list_head	list;
	struct module		*mod;	/* NULL: the kernel */
	unsigned int		nr;
	struct trace_eval_map	maps[] __counted_by(nr);
};

static LIST_HEAD(eval_kept_list);	/* events mutex */

/*
 * List the maps of @mod, or of the kernel if that is NULL, from now on. The strings in
 * them are not copied: they live as long as the module. Without memory the file lacks
 * the lines.
 */
void trace_event_evals_keep(struct module *mod, const struct trace_event_evals *evals)
{
	struct eval_kept *kept;

	trace_events_assert_locked();

	if (!evals->nr)
		return;
	kept = kvmalloc(struct_size(kept, maps, evals->nr), GFP_KERNEL);
	if (!kept) {
		pr_warn("trace events: no memory for eval_map\n");
		return;
	}
	kept->mod = mod;
	kept->nr = evals->nr;
	for (unsigned int i = 0; i < evals->nr; i++)
		kept->maps[i] = *evals->maps[i];
	list_add_tail(&kept->list, &eval_kept_list);
}

/* List the maps of @mod no more: it is being unloaded. */
void trace_event_evals_drop(struct module *mod)
{
	struct eval_kept *kept, *next;

	trace_events_assert_locked();

	list_for_each_entry_safe(kept, next, &eval_kept_list, list) {
		if (kept->mod != mod)
			continue;
		list_del(&kept->list);
		kvfree(kept);
	}
}

static const struct trace_eval_map *eval_map_at(loff_t pos)
{
	const struct eval_kept *kept;

	trace_events_assert_locked();

	list_for_each_entry(kept, &eval_kept_list, list) {
		if (pos < kept->nr)
			return &kept->maps[pos];
		pos -= kept->nr;
	}
	return NULL;
}

static void *eval_map_start(struct seq_file *m, loff_t *pos)
{
	trace_events_lock();
	return (void *)eval_map_at(*pos);
}

static void *eval_map_next(struct seq_file *m, void *v, loff_t *pos)
{
	return (void *)eval_map_at(++*pos);
}

static void eval_map_stop(struct seq_file *m, void *v)
{
	trace_events_unlock();
}

static int eval_map_show(struct seq_file *m, void *v)
{
	const struct trace_eval_map *map = v;

	seq_printf(m, "%s %ld (%s)\n", map->eval_string, (long)map->eval_value, map->system);
	return 0;
}

const struct seq_operations trace_event_eval_map_ops = {
	.start	= eval_map_start,
	.next	= eval_map_next,
	.stop	= eval_map_stop,
	.show	= eval_map_show,
};

static int eval_map_open(struct inode *inode, struct file *filp)
{
	return trace_array_seq_open(inode, filp, &trace_event_eval_map_ops);
}

static const struct file_operations eval_map_fops = {
	.open		= eval_map_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= trace_array_seq_release,
};

/* The maps are of the whole kernel, and so the file is the top instance's. */
static int eval_map_create_files(struct trace_array *tr, struct dentry *dir)
{
	if (tr != trace_top_instance())
		return 0;
	return tracefs_create_file("eval_map", 0440, dir, tr, &eval_map_fops) ? 0 : -ENOMEM;
}

struct trace_component trace_event_eval_map_component __ro_after_init = {
	.name		= "eval_map",
	.create_files	= eval_map_create_files,
};
