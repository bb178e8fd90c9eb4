// SPDX-License-Identifier: GPL-2.0
/*
 * The files kprobe_events, with the lines of dynamic_events that are of kprobes, and
 * kprobe_profile, with their hits and misses, of the top instance.
 */
#include <linux/seq_file.h>
#include <linux/string.h>

#include "events/dyn/dyn.h"
#include "instance/file.h"
#include "probes/kprobe.h"
#include "probes/probes.h"

static void *kprobe_file_start(struct seq_file *m, loff_t *pos)
{
	return trace_dyn_list_start(&trace_kprobe_kind.dyn, pos);
}

static void *kprobe_file_next(struct seq_file *m, void *v, loff_t *pos)
{
	return trace_dyn_list_next(&trace_kprobe_kind.dyn, v, pos);
}

static int kprobe_file_show(struct seq_file *m, void *v)
{
	trace_kprobe_kind.dyn.show(m, v);
	return 0;
}

static const struct seq_operations kprobe_file_seq_ops = {
	.start	= kprobe_file_start,
	.next	= kprobe_file_next,
	.stop	= trace_dyn_list_stop,
	.show	= kprobe_file_show,
};

static int kprobe_file_open(struct inode *inode, struct file *file)
{
	return trace_dyn_open(inode, file, &kprobe_file_seq_ops, &trace_kprobe_kind.dyn);
}

static ssize_t kprobe_file_write(struct file *file, const char __user *ubuf, size_t count,
				 loff_t *ppos)
{
	return trace_dyn_write(ubuf, count, ppos, trace_kprobe_run);
}

static const struct file_operations kprobe_file_fops = {
	.open		= kprobe_file_open,
	.read		= seq_read,
	.write		= kprobe_file_write,
	.llseek		= trace_file_llseek,
	.release	= trace_array_seq_release,
};

static int kprobe_file_show_profile(struct seq_file *m, void *v)
{
	const struct trace_probe *probe = container_of(v, struct trace_probe, dyn);
	struct trace_probe_counts counts;

	trace_probe_count(probe, &counts);
	seq_printf(m, "  %-44s %15lu %15lu\n", probe->event->call.name, counts.hits,
		   trace_probe_counts_missed(&counts) - counts.missed[TRACE_PROBE_MISS_OFF]);
	return 0;
}

static const struct seq_operations kprobe_file_profile_seq_ops = {
	.start	= kprobe_file_start,
	.next	= kprobe_file_next,
	.stop	= trace_dyn_list_stop,
	.show	= kprobe_file_show_profile,
};

static int kprobe_file_open_profile(struct inode *inode, struct file *file)
{
	return trace_array_seq_open(inode, file, &kprobe_file_profile_seq_ops);
}

static const struct file_operations kprobe_file_profile_fops = {
	.open		= kprobe_file_open_profile,
	.read		= seq_read,
	.llseek		= trace_file_llseek,
	.release	= trace_array_seq_release,
};

static int kprobe_file_create(struct trace_array *tr, struct dentry *dir)
{
	if (tr->name)
		return 0;
	return trace_create_file("kprobe_events", 0640, tr, &kprobe_file_fops) ?:
	       trace_create_file("kprobe_profile", 0440, tr, &kprobe_file_profile_fops);
}

struct trace_component trace_kprobes_component __ro_after_init = {
	.name		= "kprobes",
	.readme		=
		"  kprobe_events\t\t- Create/append/remove/show the kernel dynamic events\n"
		"\t\t\t  Write into this file to define/undefine new trace events.\n"
		"\t  accepts: event-definitions (one definition per line)\n"
		"\t   Format: p[:[<group>/][<event>]] <place> [<args>]\n"
		"\t           r[maxactive][:[<group>/][<event>]] <place> [<args>]\n"
		"\t           -:[<group>/][<event>]\n"
		"\t    place: [<module>:]<symbol>[+<offset>]|<memaddr>\n"
		"place (kretprobe): [<module>:]<symbol>[+<offset>]%return|<memaddr>\n",
	.create_files	= kprobe_file_create,
};
