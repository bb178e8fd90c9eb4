/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files with the lists of a pid filter, of whichever layer.
 */
#ifndef _TRACE_INSTANCE_PID_FILE_H
#define _TRACE_INSTANCE_PID_FILE_H

#include <linux/fs.h>

#include "tasks/pid_filter.h"

struct trace_array;

/**
 * struct trace_pid_files - two files of an instance with the lists of a pid filter
 * @filter_of:	the filter
 * @none:	the line of a file without a list; NULL: an empty file
 */
struct trace_pid_files {
	struct trace_pid_filter	*(*filter_of)(struct trace_array *tr);
	const char		*none;
};

int trace_pid_file_open(struct inode *inode, struct file *file,
			const struct trace_pid_files *files, enum trace_pid_kind kind);
ssize_t trace_pid_file_write(struct file *file, const char __user *ubuf, size_t count,
			     loff_t *ppos);
int trace_pid_file_release(struct inode *inode, struct file *file);

#endif /* _TRACE_INSTANCE_PID_FILE_H */
