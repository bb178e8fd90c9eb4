// SPDX-License-Identifier: GPL-2.0
/*
 * trace_marker and trace_marker_raw.
 */
#include <linux/fs.h>
#include <linux/tracefs.h>

#include "instance/file.h"
#include "printk/internal.h"

static int marker_open(struct inode *inode, struct file *file)
{
	stream_open(inode, file);
	return trace_array_generic_open(inode, file);
}

static ssize_t marker_write(struct file *file, const char __user *ubuf,
			    size_t count, loff_t *ppos)
{
	return tracing_mark_write(file->private_data, ubuf, count);
}

static ssize_t marker_raw_write(struct file *file, const char __user *ubuf,
				size_t count, loff_t *ppos)
{
	return trace_marker_write_raw(file->private_data, ubuf, count);
}

static const struct file_operations marker_fops = {
	.open		= marker_open,
	.write		= marker_write,
	.release	= trace_array_generic_release,
};

static const struct file_operations marker_raw_fops = {
	.open		= marker_open,
	.write		= marker_raw_write,
	.release	= trace_array_generic_release,
};

/* The files of @tr in @dir: -ENOMEM. */
int trace_marker_create_files(struct trace_array *tr, struct dentry *dir)
{
	if (!tracefs_create_file("trace_marker", 0220, dir, tr, &marker_fops) ||
	    !tracefs_create_file("trace_marker_raw", 0220, dir, tr, &marker_raw_fops))
		return -ENOMEM;
	return 0;
}
