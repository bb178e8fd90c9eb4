// SPDX-License-Identifier: GPL-2.0
/* set_ftrace_pid and set_ftrace_notrace_pid of an instance. */
#include <linux/seq_file.h>
#include <linux/tracefs.h>

#include "functions/internal.h"

static struct trace_pid_list *get_pids(struct trace_array *tr, bool exclude)
{
	return trace_functions_pids(trace_functions_of(tr), exclude ? TRACE_NO_PIDS : TRACE_PIDS);
}

static int replace_pids(struct trace_array *tr, bool exclude, struct trace_pid_list *list)
{
	return trace_functions_replace_pids(trace_functions_of(tr),
					    exclude ? TRACE_NO_PIDS : TRACE_PIDS, list);
}

static const struct trace_pid_lists function_pids = {
	.lock		= &trace_functions_pid_mutex,
	.get		= get_pids,
	.replace	= replace_pids,
	.none		= "no pid",
};

static int open_pids(struct inode *inode, struct file *file)
{
	return trace_pid_file_open(inode, file, &function_pids, false);
}

static int open_no_pids(struct inode *inode, struct file *file)
{
	return trace_pid_file_open(inode, file, &function_pids, true);
}

static const struct file_operations pids_fops = {
	.open		= open_pids,
	.read		= seq_read,
	.write		= trace_pid_file_write,
	.llseek		= seq_lseek,
	.release	= trace_pid_file_release,
};

static const struct file_operations no_pids_fops = {
	.open		= open_no_pids,
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
	if (!tracefs_create_file("set_ftrace_pid", 0640, dir, fns->tr, &pids_fops) ||
	    !tracefs_create_file("set_ftrace_notrace_pid", 0640, dir, fns->tr, &no_pids_fops))
		return -ENOMEM;
	return 0;
}
