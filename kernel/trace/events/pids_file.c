// SPDX-License-Identifier: GPL-2.0
/* The files set_event_pid and set_event_notrace_pid; pids.c has the filter behind them. */
#include <linux/seq_file.h>
#include <linux/tracefs.h>

#include "events/internal.h"
#include "instance/pid_file.h"

static struct trace_pid_filter *event_pid_filter(struct trace_array *tr)
{
	return &trace_events_of(tr)->pids;
}

static const struct trace_pid_files event_pids = {
	.filter_of	= event_pid_filter,
};

static int event_pids_only_open(struct inode *inode, struct file *file)
{
	return trace_pid_file_open(inode, file, &event_pids, TRACE_PIDS_ONLY);
}

static int event_pids_never_open(struct inode *inode, struct file *file)
{
	return trace_pid_file_open(inode, file, &event_pids, TRACE_PIDS_NEVER);
}

static const struct file_operations event_pids_only_fops = {
	.open		= event_pids_only_open,
	.read		= seq_read,
	.write		= trace_pid_file_write,
	.llseek		= seq_lseek,
	.release	= trace_pid_file_release,
};

static const struct file_operations event_pids_never_fops = {
	.open		= event_pids_never_open,
	.read		= seq_read,
	.write		= trace_pid_file_write,
	.llseek		= seq_lseek,
	.release	= trace_pid_file_release,
};

int trace_event_pid_files_create(struct trace_array *tr, struct dentry *dir)
{
	if (!tracefs_create_file("set_event_pid", 0640, dir, tr, &event_pids_only_fops) ||
	    !tracefs_create_file("set_event_notrace_pid", 0640, dir, tr, &event_pids_never_fops))
		return -ENOMEM;
	return 0;
}
