// SPDX-License-Identifier: GPL-2.0
/*
 * The file synthetic_events of the top instance, a line for each event: "NAME FIELD[; FIELD]..."
 * makes one, and "!NAME" removes it. dynamic_events has these lines with "s:" before them.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "events/events.h"
#include "events/synth/event.h"
#include "instance/file.h"

static void *synth_seq_start(struct seq_file *m, loff_t *pos)
{
	return trace_dyn_list_start(&trace_synth_kind, pos);
}

static void *synth_seq_next(struct seq_file *m, void *v, loff_t *pos)
{
	return trace_dyn_list_next(&trace_synth_kind, v, pos);
}

static int synth_seq_show(struct seq_file *m, void *v)
{
	trace_synth_event_show_fields(m, v);
	return 0;
}

static const struct seq_operations synth_seq_ops = {
	.start	= synth_seq_start,
	.next	= synth_seq_next,
	.stop	= trace_dyn_list_stop,
	.show	= synth_seq_show,
};

static int synth_open(struct inode *inode, struct file *file)
{
	return trace_dyn_open(inode, file, &synth_seq_ops, &trace_synth_kind);
}

static int synth_run(char *line)
{
	if (*line != '!')
		return trace_synth_event_create(line, line, NULL);
	/* Fields may stand behind the name, whatever they are. */
	line[strcspn(line, " \t")] = '\0';
	return trace_synth_event_remove(line + 1);
}

static ssize_t synth_write(struct file *file, const char __user *ubuf, size_t count, loff_t *ppos)
{
	return trace_dyn_write(ubuf, count, ppos, synth_run);
}

static const struct file_operations synth_fops = {
	.open		= synth_open,
	.read		= seq_read,
	.write		= synth_write,
	.llseek		= trace_file_llseek,
	.release	= trace_array_seq_release,
};

static int synth_create_files(struct trace_array *tr, struct dentry *dir)
{
	return tr->name ? 0 : trace_create_file("synthetic_events", 0640, tr, &synth_fops);
}

struct trace_component trace_event_synth_component __ro_after_init = {
	.name		= "synthetic events",
	.readme		=
		"\t\t\t  s:[synthetic/]<event> <field>; [<field>]\n"
		"\t\t\t    field: <type> <name>, type: s8 to s64, u8 to u64, pid_t, gfp_t, bool,\n"
		"\t\t\t    [unsigned] char, int, long; char <name>[<n>] or char <name>[]: text;\n"
		"\t\t\t    [unsigned] long[]: a stack\n"
		"  synthetic_events\t- the same without s:, and !<event> to remove one\n"
		"\t\t\t  echo 'myevent u64 lat; char name[]; long[] stack' >> synthetic_events\n",
	.create_files	= synth_create_files,
};

#ifdef CONFIG_MODULES
static int synth_module_changed(struct notifier_block *nb, unsigned long what, void *mod)
{
	if (what == MODULE_STATE_GOING)
		trace_synth_owner_gone(mod);
	return NOTIFY_OK;
}

static struct notifier_block synth_modules = { .notifier_call = synth_module_changed };
#endif

/**
 * trace_synth_init - have synthetic events
 *
 * Context: boot, before there are files.
 */
void __init trace_synth_init(void)
{
	trace_dyn_kind_register(&trace_synth_kind);
#ifdef CONFIG_MODULES
	register_module_notifier(&synth_modules);
#endif
}
