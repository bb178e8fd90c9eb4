// SPDX-License-Identifier: GPL-2.0
/*
 * recursed_functions: functions that were hit by a hook that was at work already,
 * each behind its caller. Opening the file with O_TRUNC empties it.
 */
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/tracefs.h>

#include "functions/internal.h"
#include "lib/recursion.h"

static void *recursed_start(struct seq_file *m, loff_t *pos)
{
	return (void *)trace_recursion_nth(*pos);
}

static void *recursed_next(struct seq_file *m, void *v, loff_t *pos)
{
	return (void *)trace_recursion_nth(++*pos);
}

static void recursed_stop(struct seq_file *m, void *v)
{
}

static int recursed_show(struct seq_file *m, void *v)
{
	const struct trace_recursion *entry = v;
	unsigned long parent_ip = READ_ONCE(entry->parent_ip);
	unsigned long ip = READ_ONCE(entry->ip);

	if (!ip || !parent_ip)
		return SEQ_SKIP;
	seq_printf(m, "%pS:\t%pS\n", (void *)parent_ip, (void *)ip);
	return 0;
}

static const struct seq_operations recursed_ops = {
	.start	= recursed_start,
	.next	= recursed_next,
	.stop	= recursed_stop,
	.show	= recursed_show,
};

static int recursed_open(struct inode *inode, struct file *file)
{
	int ret = security_locked_down(LOCKDOWN_TRACEFS);

	if (ret)
		return ret;
	if (file->f_mode & FMODE_WRITE && file->f_flags & O_TRUNC)
		trace_recursions_clear();
	return seq_open(file, &recursed_ops);
}

/* "echo > recursed_functions" has emptied the file when it writes. */
static ssize_t recursed_write(struct file *file, const char __user *ubuf, size_t count,
			      loff_t *ppos)
{
	return count;
}

static const struct file_operations recursed_fops = {
	.open		= recursed_open,
	.read		= seq_read,
	.write		= recursed_write,
	.llseek		= seq_lseek,
	.release	= seq_release,
};

/**
 * trace_recursed_create_file - make recursed_functions
 * @dir: the folder of the top instance
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int trace_recursed_create_file(struct dentry *dir)
{
	if (!tracefs_create_file("recursed_functions", 0640, dir, NULL, &recursed_fops))
		return -ENOMEM;
	return 0;
}
