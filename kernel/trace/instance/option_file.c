// SPDX-License-Identifier: GPL-2.0
/*
 * trace_options, and a file for each option in options/: those of the instance
 * and those of every tracer that can run in it.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>

#include "instance/internal.h"

/*
 * What an options/ file switches; lives as long as the instance. The inode has
 * it in i_cdev and the instance in i_private, so that an instance that is gone
 * is found out before this is looked at.
 */
struct option_node {
	struct trace_array	*tr;
	struct tracer_state	*state;		/* NULL: an instance option */
	u32			bit;
	struct option_node	*next;		/* tr->option_nodes, T */
};

static void show_option(struct seq_file *m, const char *name, bool on)
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
		show_option(m, trace_option_names[i], trace_option(tr, 1U << i));
	opt = tr->current_trace ? tr->current_trace->options : NULL;
	for (; opt && opt->name; opt++)
		show_option(m, opt->name, tr->tracer_options & opt->bit);
	return 0;
}

static ssize_t trace_options_write(struct file *file, const char __user *ubuf,
				   size_t count, loff_t *ppos)
{
	char text[64];
	ssize_t ret = trace_file_get_text(text, sizeof(text), ubuf, count);

	if (ret < 0)
		return ret;

	guard(trace_instances)();
	ret = trace_option_parse(trace_file_tr(file), text);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

DEFINE_TRACE_FILE_RW(trace_options);

static ssize_t option_read(struct file *file, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct option_node *node = file->private_data;
	bool on;

	if (node->state)
		on = READ_ONCE(node->state->options) & node->bit;
	else
		on = trace_option(node->tr, node->bit);
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
	if (node->state)
		ret = trace_tracer_option_set(node->tr, node->state, node->bit, on);
	else
		ret = trace_option_set(node->tr, node->bit, on);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

/* Is it one of the instance's, which may have the address of one that is gone? */
static bool has_node(struct trace_array *tr, const struct option_node *node)
{
	const struct option_node *entry;

	guard(trace_instances)();
	for (entry = tr->option_nodes; entry; entry = entry->next) {
		if (entry == node)
			return true;
	}
	return false;
}

static int option_open(struct inode *inode, struct file *file)
{
	struct trace_array *tr = inode->i_private;
	int ret = trace_array_open(tr);

	if (ret)
		return ret;
	file->private_data = (void *)inode->i_cdev;
	if (has_node(tr, file->private_data))
		return 0;
	trace_array_put(tr);
	return -ENODEV;
}

static const struct file_operations option_fops = {
	.open		= option_open,
	.read		= option_read,
	.write		= option_write,
	.llseek		= generic_file_llseek,
	.release	= trace_array_generic_release,
};

static int create_option(struct trace_array *tr, struct tracer_state *state,
			 const char *name, u32 bit)
{
	struct option_node *node = kzalloc(sizeof(*node), GFP_KERNEL);
	struct dentry *dentry;

	if (!node)
		return -ENOMEM;
	node->tr = tr;
	node->state = state;
	node->bit = bit;
	node->next = tr->option_nodes;
	tr->option_nodes = node;
	dentry = tracefs_create_file(name, 0640, tr->options_dir, tr, &option_fops);
	if (!dentry) {
		pr_warn("tracing: no file options/%s\n", name);
		return -ENOMEM;
	}
	d_inode(dentry)->i_cdev = (void *)node;
	return 0;
}

/* Files for the options of a tracer that can run in @tr. */
void trace_option_create_tracer_files(struct trace_array *tr, struct tracer_state *state)
{
	const struct tracer_option *opt = state->tracer->options;

	trace_instances_assert_locked();
	if (state->has_files)
		return;
	state->has_files = true;
	for (; opt && opt->name; opt++)
		create_option(tr, state, opt->name, opt->bit);
}

/* After the files were removed. */
void trace_option_free_files(struct trace_array *tr)
{
	struct option_node *node, *next;

	for (node = tr->option_nodes; node; node = next) {
		next = node->next;
		kfree(node);
	}
	tr->option_nodes = NULL;
}

int trace_option_create_files(struct trace_array *tr)
{
	struct tracer_state *state;
	int i, ret;

	ret = trace_create_file("trace_options", 0640, tr, &trace_options_fops);
	if (ret)
		return ret;
	tr->options_dir = tracefs_create_dir("options", tr->dir);
	if (!tr->options_dir)
		return -ENOMEM;
	for (i = 0; i < TRACE_OPT_COUNT; i++) {
		ret = create_option(tr, NULL, trace_option_names[i], 1U << i);
		if (ret)
			return ret;
	}
	list_for_each_entry(state, &tr->tracer_states, list)
		trace_option_create_tracer_files(tr, state);
	return 0;
}
