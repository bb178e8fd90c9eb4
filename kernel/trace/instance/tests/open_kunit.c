// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test: somebody holds trace_instances_lock(), as who switches thousands of
 * events or removes an instance does, and all files of an instance can be opened
 * meanwhile. A thread opens them and keeps them open; they are closed when the lock
 * is free again, since closing free_buffer changes the instance.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/slab.h>

#include "instance/internal.h"

/* A name in a folder, or an open file. */
struct open_entry {
	struct list_head	list;
	struct file		*file;
	char			name[64];
};

struct open_all {
	struct path		root;	/* the instance's folder */
	struct list_head	files;	/* of struct open_entry: open */
	struct completion	done;
	unsigned int		nr;	/* of open files */
	int			error;	/* the first one, and whose */
	char			failed[64];
};

struct open_folder {
	struct dir_context	ctx;
	struct list_head	names;	/* of struct open_entry */
};

static bool open_note_name(struct dir_context *ctx, const char *name, int len, loff_t offset,
			   u64 ino, unsigned int type)
{
	struct open_folder *folder = container_of(ctx, struct open_folder, ctx);
	struct open_entry *entry;

	if (name[0] == '.')
		return true;
	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry || len >= sizeof(entry->name)) {
		kfree(entry);
		return false;
	}
	memcpy(entry->name, name, len);
	list_add_tail(&entry->list, &folder->names);
	return true;
}

static void open_fails(struct open_all *all, const char *name, int error)
{
	if (all->error)
		return;
	all->error = error;
	strscpy(all->failed, name);
}

/* Give @entry its file; false: it was no file, or could not be opened. */
static bool open_file(struct open_all *all, struct open_entry *entry, const struct path *path)
{
	umode_t mode = d_inode(path->dentry)->i_mode;
	struct file *file;

	file = dentry_open(path, O_NONBLOCK | (mode & 0444 ? O_RDONLY : O_WRONLY),
			   current_cred());
	if (!IS_ERR(file)) {
		entry->file = file;
		list_add(&entry->list, &all->files);
		all->nr++;
		return true;
	}
	/* The folder's own trace_pipe is open when those of the CPUs come. */
	if (PTR_ERR(file) != -EBUSY || strcmp(entry->name, "trace_pipe"))
		open_fails(all, entry->name, PTR_ERR(file));
	return false;
}

static int open_list_folder(struct open_folder *folder, const struct path *path)
{
	struct file *dir = dentry_open(path, O_RDONLY | O_DIRECTORY, current_cred());
	int ret;

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	ret = iterate_dir(dir, &folder->ctx);
	fput(dir);
	return ret;
}

static void open_below(struct open_all *all, const struct path *folder_path)
{
	struct open_folder folder = {
		.ctx.actor	= open_note_name,
		.names		= LIST_HEAD_INIT(folder.names),
	};
	struct open_entry *entry, *next;
	int ret = open_list_folder(&folder, folder_path);

	if (ret < 0)
		open_fails(all, "a folder", ret);
	list_for_each_entry_safe(entry, next, &folder.names, list) {
		struct path path = { .mnt = folder_path->mnt };
		bool keep = false;

		list_del(&entry->list);
		path.dentry = lookup_positive_unlocked(entry->name, folder_path->dentry,
						       strlen(entry->name));
		if (IS_ERR(path.dentry)) {
			open_fails(all, entry->name, PTR_ERR(path.dentry));
		} else {
			if (d_is_dir(path.dentry))
				open_below(all, &path);
			else
				keep = open_file(all, entry, &path);
			dput(path.dentry);
		}
		if (!keep)
			kfree(entry);
	}
}

static int open_thread(void *data)
{
	struct open_all *all = data;

	open_below(all, &all->root);
	complete(&all->done);
	return 0;
}

static void open_close_all(struct open_all *all)
{
	struct open_entry *entry, *next;

	list_for_each_entry_safe(entry, next, &all->files, list) {
		__fput_sync(entry->file);
		kfree(entry);
	}
}

/* Long enough for an emulated machine that does other things as well. */
#define OPEN_TIMEOUT	(60 * HZ)

static void open_during_change(struct kunit *test)
{
	struct trace_array *tr = trace_array_get_by_name("kunit_open", NULL);
	struct file_system_type *type = get_fs_type("tracefs");
	struct open_all all = { .files = LIST_HEAD_INIT(all.files) };
	unsigned long left;

	KUNIT_ASSERT_NOT_NULL(test, tr);
	KUNIT_ASSERT_NOT_NULL(test, type);
	all.root.mnt = kern_mount(type);
	put_filesystem(type);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, all.root.mnt);
	all.root.dentry = tr->dir;
	init_completion(&all.done);

	scoped_guard(trace_instances) {
		struct task_struct *task = kthread_run(open_thread, &all, "kunit_open");

		left = IS_ERR(task) ? 0 : wait_for_completion_timeout(&all.done, OPEN_TIMEOUT);
	}
	KUNIT_EXPECT_NE_MSG(test, left, 0UL, "an open() waits for the lock");
	if (!left)
		wait_for_completion(&all.done);
	KUNIT_EXPECT_EQ_MSG(test, all.error, 0, "open %s", all.failed);
	/* A folder of files for each CPU, each option and each event, and their likes. */
	KUNIT_EXPECT_GT(test, all.nr, 100U);

	open_close_all(&all);
	kern_unmount(all.root.mnt);
	trace_array_put(tr);
	KUNIT_EXPECT_EQ(test, trace_array_destroy(tr), 0);
}

static struct kunit_case open_cases[] = {
	KUNIT_CASE_SLOW(open_during_change),
	{}
};

static struct kunit_suite open_suite = {
	.name		= "trace-instance-open",
	.test_cases	= open_cases,
};

kunit_test_suite(open_suite);

MODULE_DESCRIPTION("KUnit test of opening tracing files");
MODULE_LICENSE("GPL");
