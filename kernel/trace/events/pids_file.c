// SPDX-License-Identifier: GPL-2.0
/* set_event_pid and set_event_notrace_pid of an instance; what they mean is in pids.c. */
#include <linux/seq_file.h>
#include <linux/tracefs.h>

#include "events/internal.h"

static struct trace_pid_list *get_pids(struct trace_array *tr, bool exclude)
{
	struct trace_events_pids *pids = &trace_events_of(tr)->pids;

	return rcu_dereference_protected(exclude ? pids->never : pids->only,
					 lockdep_is_held(&trace_events_mutex));
}

static int replace_pids(struct trace_array *tr, bool exclude, struct trace_pid_list *list)
{
	trace_events_pids_replace(tr, exclude, list);
	return 0;
}

static const struct trace_pid_lists event_pids = {
	.lock		= &trace_events_mutex,
	.get		= get_pids,
	.replace	= replace_pids,
};

static int only_open(struct inode *inode, struct file *file)
{
	return trace_pid_file_open(inode, file, &event_pids, false);
}

static int never_open(struct inode *inode, struct file *file)
{
	return trace_pid_file_open(inode, file, &event_pids, true);
}

static const struct file_operations only_fops = {
	.open		= only_open,
	.read		= seq_read,
	.write		= trace_pid_file_write,
	.llseek		= seq_lseek,
	.release	= trace_pid_file_release,
};

static const struct file_operations never_fops = {
	.open		= never_open,
	.read		= seq_read,
	.write		= trace_pid_file_write,
	.llseek		= seq_lseek,
	.release	= trace_pid_file_release,
};

int trace_events_pid_files_create(struct trace_array *tr, struct dentry *dir)
{
	if (!tracefs_create_file("set_event_pid", 0640, dir, tr, &only_fops) ||
	    !tracefs_create_file("set_event_notrace_pid", 0640, dir, tr, &never_fops))
		return -ENOMEM;
	return 0;
}
