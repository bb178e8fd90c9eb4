// SPDX-License-Identifier: GPL-2.0
/* See user_files.h. */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "lib/user_files.h"

static void user_files_unmount(void *mnt)
{
	kern_unmount(mnt);
}

/* Mount a file system of @type, "tracefs" or "debugfs", until the test ends. */
struct user_files *user_files_mount(struct kunit *test, const char *type)
{
	struct user_files *files = kunit_kzalloc(test, sizeof(*files), GFP_KERNEL);
	struct file_system_type *fs = get_fs_type(type);
	unsigned long addr;

	KUNIT_ASSERT_NOT_NULL(test, files);
	KUNIT_ASSERT_NOT_NULL(test, fs);
	files->test = test;
	files->text = kunit_kzalloc(test, USER_FILES_TEXT + 1, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, files->text);
	addr = kunit_vm_mmap(test, NULL, 0, USER_FILES_TEXT, PROT_READ | PROT_WRITE,
			     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, addr, 0UL);
	files->ubuf = (char __user *)addr;
	/* From here on, there are pages. */
	KUNIT_ASSERT_EQ(test, clear_user(files->ubuf, USER_FILES_TEXT), 0UL);
	files->mnt = kern_mount(fs);
	put_filesystem(fs);
	KUNIT_ASSERT_FALSE(test, IS_ERR(files->mnt));
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, user_files_unmount, files->mnt));
	return files;
}

/* A file, or an ERR_PTR. @flags: as of open(). */
struct file *user_files_open(struct user_files *files, const char *name, int flags)
{
	return file_open_root_mnt(files->mnt, name, flags, 0);
}

/* release() has been called when this returns. */
void user_files_close(struct file *file)
{
	__fput_sync(file);
}

/* One write() of a text. How many bytes were taken, or an errno. */
ssize_t user_file_write(struct user_files *files, struct file *file, const char *text)
{
	size_t len = strlen(text);

	KUNIT_ASSERT_LE(files->test, len, USER_FILES_TEXT);
	KUNIT_ASSERT_EQ(files->test, copy_to_user(files->ubuf, text, len), 0UL);
	return vfs_write(file, files->ubuf, len, &file->f_pos);
}

/* Read up to the end into @files->text. How many bytes there are, or an errno. */
ssize_t user_file_read(struct user_files *files, struct file *file)
{
	size_t len = 0;
	ssize_t ret;

	for (;;) {
		ret = vfs_read(file, files->ubuf, USER_FILES_TEXT - len, &file->f_pos);
		if (ret <= 0)
			break;
		KUNIT_ASSERT_EQ(files->test, 0UL,
				copy_from_user(files->text + len, files->ubuf, ret));
		len += ret;
	}
	files->text[len] = '\0';
	/* A text that is cut would show nothing of its end. */
	KUNIT_ASSERT_LT(files->test, len, USER_FILES_TEXT);
	return ret ?: len;
}

/* As "echo -n TEXT >> NAME". 0, or the errno of open() or write(). */
int user_files_write(struct user_files *files, const char *name, const char *text)
{
	struct file *file = user_files_open(files, name, O_WRONLY | O_APPEND);
	ssize_t ret;

	if (IS_ERR(file))
		return PTR_ERR(file);
	ret = user_file_write(files, file, text);
	user_files_close(file);
	return ret < 0 ? ret : 0;
}

/* As "> NAME". 0, or the errno of open(). */
int user_files_empty(struct user_files *files, const char *name)
{
	struct file *file = user_files_open(files, name, O_WRONLY | O_TRUNC);

	if (IS_ERR(file))
		return PTR_ERR(file);
	user_files_close(file);
	return 0;
}

/* As "cat NAME". The text, which the next one overwrites, or the name of an error. */
const char *user_files_read(struct user_files *files, const char *name)
{
	struct file *file = user_files_open(files, name, O_RDONLY);
	ssize_t ret;

	if (IS_ERR(file)) {
		ret = PTR_ERR(file);
	} else {
		ret = user_file_read(files, file);
		user_files_close(file);
	}
	if (ret < 0)
		snprintf(files->text, USER_FILES_TEXT, "%pe", ERR_PTR(ret));
	return files->text;
}

/* The file shows no more and no less than the text. */
void user_files_expect(struct user_files *files, const char *name, const char *text)
{
	KUNIT_EXPECT_STREQ_MSG(files->test, user_files_read(files, name), text, "%s", name);
}

/* The file shows the text among others. */
void user_files_expect_part(struct user_files *files, const char *name, const char *part)
{
	KUNIT_EXPECT_NOT_NULL_MSG(files->test, strstr(user_files_read(files, name), part),
				  "%s, not in %s: %s", part, name, files->text);
}

/* A write of the text returns @ret: 0 or an errno. */
void user_files_expect_write(struct user_files *files, const char *name, const char *text, int ret)
{
	KUNIT_EXPECT_EQ_MSG(files->test, user_files_write(files, name, text), ret, "%s: %.100s",
			    name, text);
}
