/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For tests: files as programs of users open, read and write them, with memory of a program.
 */
#ifndef _TRACE_LIB_USER_FILES_H
#define _TRACE_LIB_USER_FILES_H

#include <linux/types.h>

struct file;
struct kunit;
struct vfsmount;

#define USER_FILES_TEXT	65536	/* more than a file has that is read */

/* Files of a mount, which ends with the test. */
struct user_files {
	struct kunit	*test;
	struct vfsmount	*mnt;
	char __user	*ubuf;	/* USER_FILES_TEXT bytes */
	char		*text;	/* of user_files_read(), with a '\0' at its end */
};

struct user_files *user_files_mount(struct kunit *test, const char *type);
struct file *user_files_open(struct user_files *files, const char *name, int flags);
void user_files_close(struct file *file);
ssize_t user_file_write(struct user_files *files, struct file *file, const char *text);
ssize_t user_file_read(struct user_files *files, struct file *file);
int user_files_write(struct user_files *files, const char *name, const char *text);
int user_files_empty(struct user_files *files, const char *name);
const char *user_files_read(struct user_files *files, const char *name);
void user_files_expect(struct user_files *files, const char *name, const char *text);
void user_files_expect_part(struct user_files *files, const char *name, const char *part);
void user_files_expect_write(struct user_files *files, const char *name, const char *text, int ret);

#endif /* _TRACE_LIB_USER_FILES_H */
