// SPDX-License-Identifier: GPL-2.0
/*
 * recursed_functions: functions that a hook called while it was at work already, each
 * behind its caller. Opening the file for writing with O_TRUNC empties it.
 *
 * There is no lock: entries are words that hooks write in any context.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>

#include "functions/internal.h"
#include "instance/file.h"
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
	int ret = trace_array_seq_open(inode, file, &recursed_ops);

	if (!ret && trace_file_truncates(file))
		trace_recursions_clear();
	return ret;
}

static const struct file_operations recursed_fops = {
	.open		= recursed_open,
	.read		= seq_read,
	.write		= trace_file_write_nothing,
	.llseek		= seq_lseek,
	.release	= trace_array_seq_release,
};

/**
 * trace_recursed_create_file - make recursed_functions
 * @top: the top instance; all instances share what the file tells
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0 or -ENOMEM.
 */
int trace_recursed_create_file(struct trace_array *top)
{
	return trace_create_file("recursed_functions", 0640, top, &recursed_fops);
}
