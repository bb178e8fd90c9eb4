// SPDX-License-Identifier: GPL-2.0
/*
 * The files uprobe_events, with the lines of dynamic_events that are of uprobes, and
 * uprobe_profile, with their hits, of the top instance.
 */
#include <linux/seq_file.h>

#include "events/dyn/dyn.h"
#include "instance/file.h"
#include "probes/probes.h"
#include "probes/uprobe.h"

static void *uprobe_file_start(struct seq_file *m, loff_t *pos)
{
	return trace_dyn_list_start(&trace_uprobe_kind.dyn, pos);
}

static void *uprobe_file_next(struct seq_file *m, void *v, loff_t *pos)
{
	return trace_dyn_list_next(&trace_uprobe_kind.dyn, v, pos);
}

static int uprobe_file_show(struct seq_file *m, void *v)
{
	trace_uprobe_kind.dyn.show(m, v);
	return 0;
}

static const struct seq_operations uprobe_file_seq_ops = {
	.start	= uprobe_file_start,
	.next	= uprobe_file_next,
	.stop	= trace_dyn_list_stop,
	.show	= uprobe_file_show,
};

static int uprobe_file_open(struct inode *inode, struct file *file)
{
	return trace_dyn_open(inode, file, &uprobe_file_seq_ops, &trace_uprobe_kind.dyn);
}

static ssize_t uprobe_file_write(struct file *file, const char __user *ubuf, size_t count,
				 loff_t *ppos)
{
	return trace_dyn_write(ubuf, count, ppos, trace_uprobe_run);
}

static const struct file_operations uprobe_file_fops = {
	.open		= uprobe_file_open,
	.read		= seq_read,
	.write		= uprobe_file_write,
	.llseek		= trace_file_llseek,
	.release	= trace_array_seq_release,
};

static int uprobe_file_show_profile(struct seq_file *m, void *v)
{
	const struct trace_probe *probe = container_of(v, struct trace_probe, dyn);
	struct trace_probe_counts counts;

	trace_probe_count(probe, &counts);
	seq_printf(m, "  %s %-44s %15lu\n", trace_uprobe_of(probe)->at.name,
		   probe->event->call.name, counts.hits);
	return 0;
}

static const struct seq_operations uprobe_file_profile_seq_ops = {
	.start	= uprobe_file_start,
	.next	= uprobe_file_next,
	.stop	= trace_dyn_list_stop,
	.show	= uprobe_file_show_profile,
};

static int uprobe_file_open_profile(struct inode *inode, struct file *file)
{
	return trace_array_seq_open(inode, file, &uprobe_file_profile_seq_ops);
}

static const struct file_operations uprobe_file_profile_fops = {
	.open		= uprobe_file_open_profile,
	.read		= seq_read,
	.llseek		= trace_file_llseek,
	.release	= trace_array_seq_release,
};

static int uprobe_file_create(struct trace_array *tr, struct dentry *dir)
{
	if (tr->name)
		return 0;
	return trace_create_file("uprobe_events", 0640, tr, &uprobe_file_fops) ?:
	       trace_create_file("uprobe_profile", 0440, tr, &uprobe_file_profile_fops);
}

struct trace_component trace_uprobes_component __ro_after_init = {
	.name		= "uprobes",
	.readme		=
		"  uprobe_events\t\t- Create/append/remove/show the userspace dynamic events\n"
		"\t\t\t  Write into this file to define/undefine new trace events.\n"
		"\t   Format: p|r[:[<group>/][<event>]] <place> [<args>]\n"
		"\t           -:[<group>/][<event>]\n"
		"   place (uprobe): <path>:<offset>[%return][(ref_ctr_offset)]\n"
		"\t\t  @+<offset> among the args is an offset in the file of <path>\n",
	.create_files	= uprobe_file_create,
};
