// SPDX-License-Identifier: GPL-2.0
/*
 * saved_cmdlines, saved_cmdlines_size, saved_tgids: what comm.c knows.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/threads.h>

#include "instance/internal.h"

/* A list whose positions are table indices, most of them perhaps unused. */
static void *list_start(struct seq_file *m, loff_t *pos, unsigned int end)
{
	return *pos < end ? pos : NULL;
}

static void list_stop(struct seq_file *m, void *v)
{
}

static void *cmdlines_start(struct seq_file *m, loff_t *pos)
{
	return list_start(m, pos, trace_comm_size());
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
	.stop	= list_stop,
	.show	= cmdlines_show,
};

static void *tgids_start(struct seq_file *m, loff_t *pos)
{
	return list_start(m, pos, trace_tgid_max());
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
	.stop	= list_stop,
	.show	= tgids_show,
};

static int list_open(struct inode *inode, struct file *file,
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

static int list_release(struct inode *inode, struct file *file)
{
	trace_array_put(inode->i_private);
	return seq_release(inode, file);
}

static int cmdlines_open(struct inode *inode, struct file *file)
{
	return list_open(inode, file, &cmdlines_ops);
}

static int tgids_open(struct inode *inode, struct file *file)
{
	return list_open(inode, file, &tgids_ops);
}

static const struct file_operations cmdlines_fops = {
	.open		= cmdlines_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= list_release,
};

static const struct file_operations tgids_fops = {
	.open		= tgids_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= list_release,
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

	if (ret)
		return ret;
	/* More than there can be tasks is a mistake. */
	if (!nr || nr > PID_MAX_LIMIT)
		return -EINVAL;

	guard(trace_instances)();
	ret = trace_comm_resize(nr);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

DEFINE_TRACE_FILE_RW(cmdlines_size);

int trace_comm_create_files(struct trace_array *tr)
{
	int ret = trace_create_file("saved_cmdlines", 0440, tr, &cmdlines_fops);

	ret = ret ?: trace_create_file("saved_cmdlines_size", 0640, tr, &cmdlines_size_fops);
	return ret ?: trace_create_file("saved_tgids", 0440, tr, &tgids_fops);
}
