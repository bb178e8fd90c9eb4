// SPDX-License-Identifier: GPL-2.0
/*
 * trace_options, and a file for each option in options/: those of the instance
 * and those of every tracer that can run in it.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>

#include "instance/component.h"
#include "instance/file.h"
#include "instance/internal.h"
#include "instance/option.h"
#include "instance/tracer.h"

/*
 * The option that an options/ file switches. It lives until the file is gone and nobody has it
 * open. The inode has it in i_cdev and the instance in i_private, so that an open() finds out
 * whether the instance is there before it looks at this.
 */
struct option_node {
	struct trace_array	*tr;		/* constant */
	struct tracer_state	*state;		/* constant; NULL: an instance option */
	u32			bit;		/* constant */
	struct dentry		*dentry;	/* instances lock */
	struct list_head	list;		/* both locks to change */
	unsigned int		users;		/* option_nodes_lock; open files, and the file */
	bool			gone;		/* both locks to change; unregistered */
};

/* The data of the options/ files of an instance. */
struct trace_option_files {
	struct dentry		*dir;		/* instances lock; NULL: no files yet */
	struct list_head	nodes;		/* of struct option_node; both locks to change */
};

static DEFINE_SPINLOCK(option_nodes_lock);	/* inside of the instances lock */

static DEFINE_TRACE_SLOT(option_files_slot);

static struct trace_option_files *option_files_of(const struct trace_array *tr)
{
	return trace_slot_data(tr, &option_files_slot);
}

static void option_show(struct seq_file *m, const char *name, bool on)
{
	seq_printf(m, "%s%s\n", on ? "" : "no", name);
}

static int trace_options_show(struct seq_file *m, void *v)
{
	struct trace_array *tr = trace_seq_file_tr(m);
	const struct tracer_option *opt;
	int i;

	guard(trace_instances)();
	for (i = 0; i < TRACE_OPT_COUNT; i++)
		option_show(m, trace_option_names[i], trace_option(tr, 1U << i));
	opt = tr->current_trace ? tr->current_trace->options : NULL;
	for (; opt && opt->name; opt++)
		option_show(m, opt->name, tr->tracer_options & opt->bit);
	return 0;
}

static int trace_options_set(struct trace_array *tr, char *text)
{
	return trace_option_parse(tr, text);
}

DEFINE_TRACE_FILE_TEXT(trace_options);

/* Is the option on? 1, 0, or -ENODEV when its tracer was unregistered. */
static int option_is_on(const struct option_node *node)
{
	guard(spinlock)(&option_nodes_lock);
	if (node->gone)
		return -ENODEV;
	if (node->state)
		return !!(READ_ONCE(node->state->options) & node->bit);
	return trace_option(node->tr, node->bit);
}

static ssize_t option_read(struct file *file, char __user *ubuf, size_t count, loff_t *ppos)
{
	int on = option_is_on(file->private_data);

	if (on < 0)
		return on;
	return simple_read_from_buffer(ubuf, count, ppos, on ? "1\n" : "0\n", 2);
}

static ssize_t option_write(struct file *file, const char __user *ubuf, size_t count,
			    loff_t *ppos)
{
	struct option_node *node = file->private_data;
	unsigned long on;
	int ret = kstrtoul_from_user(ubuf, count, 10, &on);

	if (ret)
		return ret;
	if (on > 1)
		return -EINVAL;

	guard(trace_instances)();
	if (node->gone)
		ret = -ENODEV;
	else if (node->state)
		ret = trace_tracer_option_set(node->tr, node->state, node->bit, on);
	else
		ret = trace_option_set(node->tr, node->bit, on);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

/* Take a reference. @node may be the address of a node that is gone: false then. */
static bool option_node_get(struct trace_array *tr, struct option_node *node)
{
	struct option_node *entry;

	guard(spinlock)(&option_nodes_lock);
	list_for_each_entry(entry, &option_files_of(tr)->nodes, list) {
		if (entry == node) {
			node->users++;
			return true;
		}
	}
	return false;
}

static void option_node_put(struct option_node *node)
{
	scoped_guard(spinlock, &option_nodes_lock) {
		if (--node->users)
			return;
	}
	kfree(node);
}

static int option_open(struct inode *inode, struct file *file)
{
	struct trace_array *tr = inode->i_private;
	int ret = trace_array_open(tr);

	if (ret)
		return ret;
	file->private_data = (void *)inode->i_cdev;
	if (option_node_get(tr, file->private_data))
		return 0;
	trace_array_put(tr);
	return -ENODEV;
}

static int option_release(struct inode *inode, struct file *file)
{
	option_node_put(file->private_data);
	trace_array_put(inode->i_private);
	return 0;
}

static const struct file_operations option_fops = {
	.open		= option_open,
	.read		= option_read,
	.write		= option_write,
	.llseek		= generic_file_llseek,
	.release	= option_release,
};

static int option_create_file(struct trace_array *tr, struct tracer_state *state,
			      const char *name, u32 bit)
{
	struct trace_option_files *files = option_files_of(tr);
	struct option_node *node = kzalloc(sizeof(*node), GFP_KERNEL);

	if (!node)
		return -ENOMEM;
	node->tr = tr;
	node->state = state;
	node->bit = bit;
	node->users = 1;
	node->dentry = tracefs_create_file(name, 0640, files->dir, tr, &option_fops);
	if (!node->dentry) {
		pr_warn("tracing: no file options/%s\n", name);
		kfree(node);
		return -ENOMEM;
	}
	scoped_guard(spinlock, &option_nodes_lock)
		list_add_tail(&node->list, &files->nodes);
	/* An open() that comes before this finds no node: ENODEV. */
	d_inode(node->dentry)->i_cdev = (void *)node;
	return 0;
}

/**
 * trace_option_create_tracer_files - files for the options of a tracer
 * @tr: the instance; before it has files, nothing is done
 * @state: the tracer there
 *
 * A file that cannot be made is named in the log; the option has its line in
 * trace_options in any case.
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 */
void trace_option_create_tracer_files(struct trace_array *tr, struct tracer_state *state)
{
	const struct tracer_option *opt;

	trace_instances_assert_locked();
	if (!option_files_of(tr)->dir)
		return;
	for (opt = state->tracer->options; opt && opt->name; opt++)
		option_create_file(tr, state, opt->name, opt->bit);
}

/**
 * trace_option_remove_tracer_files - the options of a tracer go
 * @tr: the instance
 * @state: the tracer there
 *
 * A task that has one of the files open gets -ENODEV from now on.
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 */
void trace_option_remove_tracer_files(struct trace_array *tr, struct tracer_state *state)
{
	struct option_node *node, *next;

	trace_instances_assert_locked();
	list_for_each_entry_safe(node, next, &option_files_of(tr)->nodes, list) {
		if (node->state != state)
			continue;
		scoped_guard(spinlock, &option_nodes_lock) {
			node->gone = true;
			list_del(&node->list);
		}
		tracefs_remove(node->dentry);
		option_node_put(node);
	}
}

/*
 * These are for trace_printk() and for names of tasks, which all instances share:
 * only the top instance has files for them.
 */
#define OPTION_FILES_TOP	(TRACE_OPT_PRINTK | TRACE_OPT_PRINTK_MSGONLY | \
				 TRACE_OPT_RECORD_CMD)

static int option_create_files(struct trace_array *tr, struct dentry *dir)
{
	struct trace_option_files *files = option_files_of(tr);
	struct tracer_state *state;
	int i, ret;

	ret = trace_create_file("trace_options", 0640, tr, &trace_options_fops);
	if (ret)
		return ret;
	files->dir = tracefs_create_dir("options", dir);
	if (!files->dir)
		return -ENOMEM;
	for (i = 0; i < TRACE_OPT_COUNT; i++) {
		if (tr->name && OPTION_FILES_TOP & 1U << i)
			continue;
		ret = option_create_file(tr, NULL, trace_option_names[i], 1U << i);
		if (ret)
			return ret;
	}
	list_for_each_entry(state, trace_tracer_states(tr), list)
		trace_option_create_tracer_files(tr, state);
	return 0;
}

static int option_files_create(struct trace_array *tr)
{
	struct trace_option_files *files = kzalloc(sizeof(*files), GFP_KERNEL);

	if (!files)
		return -ENOMEM;
	INIT_LIST_HEAD(&files->nodes);
	trace_slot_set_data(tr, &option_files_slot, files);
	return 0;
}

/* Nobody has a file open; the files themselves go with their folder. */
static void option_files_destroy(struct trace_array *tr)
{
	struct trace_option_files *files = option_files_of(tr);
	struct option_node *node, *next;

	list_for_each_entry_safe(node, next, &files->nodes, list)
		kfree(node);
	trace_slot_set_data(tr, &option_files_slot, NULL);
	kfree(files);
}

struct trace_component trace_option_files_component __ro_after_init = {
	.name		= "option files",
	.slot		= &option_files_slot,
	.readme		=
		"\n"
		"Options\n"
		"  trace_options\t\t- all options; write NAME or noNAME\n"
		"  options/\t\t- a file for each option, 0 or 1\n",
	.create		= option_files_create,
	.create_files	= option_create_files,
	.destroy	= option_files_destroy,
};
