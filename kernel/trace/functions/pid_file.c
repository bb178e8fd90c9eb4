// SPDX-License-Identifier: GPL-2.0
/* set_ftrace_pid and set_ftrace_notrace_pid of an instance. */
#include <linux/seq_file.h>
#include <linux/tracefs.h>

#include "functions/internal.h"
#include "instance/pid_file.h"

static struct trace_pid_filter *function_pid_filter(struct trace_array *tr)
{
	return &trace_functions_of(tr)->pids;
}

static const struct trace_pid_files function_pids = {
	.filter_of	= function_pid_filter,
	.none		= "no pid",
};

static int functions_pid_open_only(struct inode *inode, struct file *file)
{
	return trace_pid_file_open(inode, file, &function_pids, TRACE_PIDS_ONLY);
}

static int functions_pid_open_never(struct inode *inode, struct file *file)
{
	return trace_pid_file_open(inode, file, &function_pids, TRACE_PIDS_NEVER);
}

static const struct file_operations only_fops = {
	.open		= functions_pid_open_only,
	.read		= seq_read,
	.write		= trace_pid_file_write,
	.llseek		= seq_lseek,
	.release	= trace_pid_file_release,
};

static const struct file_operations never_fops = {
	.open		= functions_pid_open_never,
	.read		= seq_read,
	.write		= trace_pid_file_write,
	.llseek		= seq_lseek,
	.release	= trace_pid_file_release,
};

/**
 * trace_pid_create_files - the two pid files of an instance
 * @fns:	the instance's functions
 * @dir:	its folder
 *
 * Context: task, may sleep; the instances' lock is held.
 * Return: 0 or -ENOMEM.
 */
int trace_pid_create_files(struct trace_functions *fns, struct dentry *dir)
{
	if (!tracefs_create_file("set_ftrace_pid", 0640, dir, fns->tr, &only_fops) ||
	    !tracefs_create_file("set_ftrace_notrace_pid", 0640, dir, fns->tr, &never_fops))
		return -ENOMEM;
	return 0;
}
