// SPDX-License-Identifier: GPL-2.0
/* The file syscall_user_buf_size: how much of user space entries of an instance record. */
#include <linux/seq_file.h>

#include "events/syscalls/internal.h"
#include "events/syscalls/syscalls.h"
#include "instance/file.h"

static int syscall_size_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%u\n", trace_syscall_user_size(trace_seq_file_tr(m)));
	return 0;
}

static int syscall_size_set(struct file *file, unsigned long size)
{
	/* A larger number stands for the largest, as users know it. */
	return trace_syscall_set_user_size(trace_file_tr(file), min(size, SYSCALL_USER_MAX));
}

DEFINE_TRACE_FILE_NUMBER(syscall_size);

static int syscall_size_create_files(struct trace_array *tr, struct dentry *dir)
{
	return trace_create_file("syscall_user_buf_size", 0640, tr, &syscall_size_fops);
}

struct trace_component trace_event_syscall_files_component __ro_after_init = {
	.name		= "files of system calls",
	.create_files	= syscall_size_create_files,
};
