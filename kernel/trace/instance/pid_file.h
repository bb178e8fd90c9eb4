/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files with the lists of a pid filter, of whichever layer.
 */
#ifndef _TRACE_INSTANCE_PID_FILE_H
#define _TRACE_INSTANCE_PID_FILE_H

#include <linux/fs.h>
#include <linux/seq_file.h>

#include "instance/file.h"
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

/* fops of the file with the list @_kind of the struct trace_pid_files @_files. */
#define DEFINE_TRACE_PID_FILE(_name, _files, _kind)			\
static int _name##_open(struct inode *inode, struct file *file)		\
{									\
	return trace_pid_file_open(inode, file, &(_files), _kind);	\
}									\
									\
static const struct file_operations _name##_fops = {			\
	.open		= _name##_open,					\
	.read		= seq_read,					\
	.write		= trace_pid_file_write,				\
	.llseek		= trace_file_llseek,				\
	.release	= trace_pid_file_release,			\
}

#endif /* _TRACE_INSTANCE_PID_FILE_H */
