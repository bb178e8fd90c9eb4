// SPDX-License-Identifier: GPL-2.0
/*
 * saved_cmdlines, saved_cmdlines_size, saved_tgids of the top instance: what
 * tasks/comm.h knows of all tasks.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/tracefs.h>

#include "instance/file.h"
#include "instance/internal.h"

/* A list whose positions are table indices, most of them perhaps unused. */
static void *table_start(struct seq_file *m, loff_t *pos, unsigned int end)
{
	return *pos < end ? pos : NULL;
}

static void table_stop(struct seq_file *m, void *v)
{
}

static void *cmdlines_start(struct seq_file *m, loff_t *pos)
{
	return table_start(m, pos, trace_comm_size());
}

static void *cmdlines_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return cmdlines_start(m, pos);
}

static int cmdlines_show(struct seq_file *m, void *v)
{
	char comm[TASK_COMM_LEN];
	int pid;

	if (!trace_comm_entry(*(loff_t *)v, &pid, comm))
		return SEQ_SKIP;
	seq_printf(m, "%d %s\n", pid, comm);
	return 0;
}

static const struct seq_operations cmdlines_ops = {
	.start	= cmdlines_start,
	.next	= cmdlines_next,
	.stop	= table_stop,
	.show	= cmdlines_show,
};

static void *tgids_start(struct seq_file *m, loff_t *pos)
{
	return table_start(m, pos, trace_tgid_max());
}

static void *tgids_next(struct seq_file *m, void *v, loff_t *pos)
{
	/* One task in thousands of pids: skip the holes here. */
	do {
		++*pos;
	} while (*pos < trace_tgid_max() && !trace_tgid_entry(*pos));
	return tgids_start(m, pos);
}

static int tgids_show(struct seq_file *m, void *v)
{
	unsigned int pid = *(loff_t *)v;
	int tgid = trace_tgid_entry(pid);

	if (!tgid)
		return SEQ_SKIP;
	seq_printf(m, "%u %d\n", pid, tgid);
	return 0;
}

static const struct seq_operations tgids_ops = {
	.start	= tgids_start,
	.next	= tgids_next,
	.stop	= table_stop,
	.show	= tgids_show,
};

static int table_open(struct inode *inode, struct file *file,
		      const struct seq_operations *ops)
{
	int ret = trace_array_open(inode->i_private);

	if (ret)
		return ret;
	ret = seq_open(file, ops);
	if (ret)
		trace_array_put(inode->i_private);
	return ret;
}

static int table_release(struct inode *inode, struct file *file)
{
	trace_array_put(inode->i_private);
	return seq_release(inode, file);
}

static int cmdlines_open(struct inode *inode, struct file *file)
{
	return table_open(inode, file, &cmdlines_ops);
}

static int tgids_open(struct inode *inode, struct file *file)
{
	return table_open(inode, file, &tgids_ops);
}

static const struct file_operations cmdlines_fops = {
	.open		= cmdlines_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= table_release,
};

static const struct file_operations tgids_fops = {
	.open		= tgids_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= table_release,
};

static int cmdlines_size_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%u\n", trace_comm_size());
	return 0;
}

static ssize_t cmdlines_size_write(struct file *file, const char __user *ubuf,
				   size_t count, loff_t *ppos)
{
	unsigned long nr;
	int ret = kstrtoul_from_user(ubuf, count, 10, &nr);

	ret = ret ?: trace_comm_resize(nr);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

DEFINE_TRACE_FILE_RW(cmdlines_size);

/* The component's create_files(). */
int trace_comm_create_files(struct trace_array *tr, struct dentry *dir)
{
	if (tr->name)
		return 0;
	if (!tracefs_create_file("saved_cmdlines", 0440, dir, tr, &cmdlines_fops) ||
	    !tracefs_create_file("saved_cmdlines_size", 0640, dir, tr, &cmdlines_size_fops) ||
	    !tracefs_create_file("saved_tgids", 0440, dir, tr, &tgids_fops))
		return -ENOMEM;
	return 0;
}
