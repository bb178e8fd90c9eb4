// SPDX-License-Identifier: GPL-2.0
/*
 * error_log. Opening it for writing with O_TRUNC, as "> error_log" does, empties it.
 */
#include <linux/fs.h>

#include "instance/component.h"
#include "instance/file.h"
#include "instance/internal.h"

static int error_log_show(struct seq_file *m, void *v)
{
	trace_error_log_show(m, trace_seq_file_tr(m));
	return 0;
}

static int error_log_open(struct inode *inode, struct file *file)
{
	int ret = trace_file_open(inode, file, error_log_show);

	if (!ret && trace_file_truncates(file))
		trace_error_log_clear(inode->i_private);
	return ret;
}

static const struct file_operations error_log_fops = {
	.open		= error_log_open,
	.read		= seq_read,
	.write		= trace_file_write_nothing,
	.llseek		= trace_file_llseek,
	.release	= trace_file_release,
};

static int error_create_files(struct trace_array *tr, struct dentry *dir)
{
	return trace_create_file("error_log", 0640, tr, &error_log_fops);
}

struct trace_component trace_error_file_component __ro_after_init = {
	.name		= "error log file",
	.readme		=
		"\n"
		"Errors\n"
		"  error_log\t\t- what was wrong with the last refused commands\n"
		"\t\t\t  # echo > error_log : forget them\n",
	.create_files	= error_create_files,
};
