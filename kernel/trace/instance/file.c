// SPDX-License-Identifier: GPL-2.0
/*
 * The tree of tracing files: where it is mounted, the folders of an instance, and
 * what small files have in common. Each group of files is in a *_file.c of its own.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>

#include "instance/component.h"
#include "instance/file.h"
#include "instance/internal.h"

static struct dentry *instances_dir;	/* set once at boot, instances lock */

/* The folders of an instance besides its own, tr->dir. */
struct trace_folders {
	struct dentry	*percpu;	/* instances lock */
	struct dentry	*cpus[];	/* instances lock, by CPU */
};

static DEFINE_TRACE_SLOT(folder_slot);

static struct trace_folders *file_folders_of(const struct trace_array *tr)
{
	return trace_slot_data(tr, &folder_slot);
}

/**
 * trace_inode_cpu - which CPU is a file for?
 * @inode: the file's
 *
 * Context: any.
 * Return: the CPU, RING_BUFFER_ALL_CPUS for a file that is not one of a CPU.
 */
int trace_inode_cpu(const struct inode *inode)
{
	/* CPU n is kept as n + 1, so that other files have none. */
	return inode->i_cdev ? (long)inode->i_cdev - 1 : RING_BUFFER_ALL_CPUS;
}

/**
 * trace_file_llseek - llseek() of a file that may be open for writing only
 * @file: the file, seq_read() of which is used if it is read
 * @offset: as for seq_lseek()
 * @whence: as for seq_lseek()
 *
 * A program that opens a file for appending seeks to its end, and gives up on an error.
 * These files have a size of 0, so their end is at 0.
 *
 * Context: llseek(), may sleep.
 * Return: the position; 0 if the file is not read; errors of seq_lseek().
 */
loff_t trace_file_llseek(struct file *file, loff_t offset, int whence)
{
	if (file->f_mode & FMODE_READ)
		return seq_lseek(file, offset, whence == SEEK_END ? SEEK_SET : whence);
	file->f_pos = 0;
	return 0;
}

/**
 * trace_inode_set_cpu - make a file that of a CPU
 * @inode: the file's, which nobody has opened yet
 * @cpu: the CPU
 *
 * Context: any.
 */
void trace_inode_set_cpu(struct inode *inode, int cpu)
{
	inode->i_cdev = (void *)(long)(cpu + 1);
}

/**
 * file_cpu_dir - the folder per_cpu/cpuN of an instance
 * @tr: the instance
 * @cpu: N
 *
 * Context: trace_instances_lock() is held.
 * Return: the folder, NULL when it could not be made.
 */
static struct dentry *file_cpu_dir(struct trace_array *tr, int cpu)
{
	trace_instances_assert_locked();
	return file_folders_of(tr)->cpus[cpu];
}

/**
 * trace_create_cpu_file - make a file in per_cpu/cpuN
 * @name: the file
 * @mode: its permissions
 * @tr: the instance, becomes i_private
 * @cpu: N, see trace_inode_cpu()
 * @fops: what it does
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: the file, NULL when it could not be made.
 */
struct dentry *trace_create_cpu_file(const char *name, umode_t mode, struct trace_array *tr,
				     int cpu, const struct file_operations *fops)
{
	struct dentry *dir = file_cpu_dir(tr, cpu);
	struct dentry *dentry = NULL;

	if (dir)
		dentry = tracefs_create_file(name, mode, dir, tr, fops);
	if (!dentry) {
		pr_warn("tracing: no file per_cpu/cpu%d/%s\n", cpu, name);
		return NULL;
	}
	trace_inode_set_cpu(d_inode(dentry), cpu);
	return dentry;
}

/**
 * trace_create_file - make a file in the folder of an instance
 * @name: the file
 * @mode: its permissions
 * @tr: the instance, becomes i_private
 * @fops: what it does
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0, -ENOMEM.
 */
int trace_create_file(const char *name, umode_t mode, struct trace_array *tr,
		      const struct file_operations *fops)
{
	if (tracefs_create_file(name, mode, tr->dir, tr, fops))
		return 0;
	pr_warn("tracing: no file %s\n", name);
	return -ENOMEM;
}

/**
 * trace_array_generic_open - open() of a file whose i_private is its instance
 * @inode: the file's
 * @file: its private_data becomes the instance
 *
 * Context: task, may sleep.
 * Return: as trace_array_open().
 */
int trace_array_generic_open(struct inode *inode, struct file *file)
{
	int ret = trace_array_open(inode->i_private);

	if (!ret)
		file->private_data = inode->i_private;
	return ret;
}

/**
 * trace_array_generic_release - undo trace_array_generic_open()
 * @inode: the file's
 * @file: the file
 *
 * Context: task, may sleep.
 * Return: 0.
 */
int trace_array_generic_release(struct inode *inode, struct file *file)
{
	trace_array_put(inode->i_private);
	return 0;
}

/**
 * trace_file_open - open() of a file that one function prints
 * @inode: the file's, its i_private is the instance
 * @file: the file
 * @show: prints it; trace_seq_file_tr() tells it the instance
 *
 * Context: task, may sleep.
 * Return: 0, -ENOMEM, or as trace_array_open().
 */
int trace_file_open(struct inode *inode, struct file *file,
		    int (*show)(struct seq_file *m, void *v))
{
	int ret = trace_array_open(inode->i_private);

	if (ret)
		return ret;
	ret = single_open(file, show, inode);
	if (ret) {
		trace_array_put(inode->i_private);
		return ret;
	}
	/* A write does not depend on the position, so pwrite() may pass any. */
	if (file->f_mode & FMODE_WRITE)
		file->f_mode |= FMODE_PWRITE;
	return 0;
}

/**
 * trace_file_release - undo trace_file_open()
 * @inode: the file's
 * @file: the file
 *
 * Context: task, may sleep.
 * Return: 0.
 */
int trace_file_release(struct inode *inode, struct file *file)
{
	trace_array_put(inode->i_private);
	return single_release(inode, file);
}

/**
 * trace_array_seq_open - open() of a file that lists something of its instance
 * @inode: the file's, its i_private is the instance
 * @file: the file
 * @ops: of the list
 *
 * Context: task, may sleep.
 * Return: 0, -ENOMEM, or as trace_array_open().
 */
int trace_array_seq_open(struct inode *inode, struct file *file, const struct seq_operations *ops)
{
	int ret = trace_array_open(inode->i_private);

	if (ret)
		return ret;
	ret = seq_open(file, ops);
	if (ret)
		trace_array_put(inode->i_private);
	return ret;
}

/**
 * trace_array_seq_release - undo trace_array_seq_open()
 * @inode: the file's
 * @file: the file
 *
 * Context: task, may sleep.
 * Return: 0.
 */
int trace_array_seq_release(struct inode *inode, struct file *file)
{
	trace_array_put(inode->i_private);
	return seq_release(inode, file);
}

/**
 * trace_file_write_number - write() of a file that takes a decimal number
 * @file: the file
 * @ubuf: the text
 * @count: its length
 * @ppos: the position, which goes on
 * @set: does what the number says; trace_instances_lock() is held
 *
 * Context: task, may sleep; takes trace_instances_lock().
 * Return: @count; -EINVAL, -ERANGE, -EFAULT, or the errno of @set.
 */
ssize_t trace_file_write_number(struct file *file, const char __user *ubuf, size_t count,
				loff_t *ppos, int (*set)(struct file *file, unsigned long number))
{
	unsigned long number;
	int ret = kstrtoul_from_user(ubuf, count, 10, &number);

	if (ret)
		return ret;
	scoped_guard(trace_instances)
		ret = set(file, number);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

/**
 * trace_file_write_text - write() of a file that takes a short text
 * @file: the file
 * @ubuf: the text
 * @count: its length
 * @ppos: the position, which goes on
 * @set: does what the text says; trace_instances_lock() is held
 *
 * Context: task, may sleep; takes trace_instances_lock().
 * Return: @count; -EINVAL when the text has 64 bytes or more, -EFAULT, or the errno of
 * @set.
 */
ssize_t trace_file_write_text(struct file *file, const char __user *ubuf, size_t count,
			      loff_t *ppos, int (*set)(struct trace_array *tr, char *text))
{
	char text[64];
	ssize_t ret = trace_file_get_text(text, sizeof(text), ubuf, count);

	if (ret < 0)
		return ret;
	scoped_guard(trace_instances)
		ret = set(trace_file_tr(file), text);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

/**
 * trace_file_get_text - copy a short text from user space
 * @text: where to; a NUL is added
 * @size: the room there
 * @ubuf: the text
 * @count: its length
 *
 * Context: task, may sleep.
 * Return: @count; -EINVAL when it is too long, -EFAULT.
 */
ssize_t trace_file_get_text(char *text, size_t size, const char __user *ubuf, size_t count)
{
	if (count >= size)
		return -EINVAL;
	if (copy_from_user(text, ubuf, count))
		return -EFAULT;
	text[count] = '\0';
	return count;
}

/**
 * trace_file_write_nothing - write() of a file that does its work at open() or release()
 * @file: the file
 * @ubuf: the text, which is not looked at
 * @count: its length
 * @ppos: the position, which stays
 *
 * It lets "echo > FILE" succeed.
 *
 * Context: task.
 * Return: @count.
 */
ssize_t trace_file_write_nothing(struct file *file, const char __user *ubuf, size_t count,
				 loff_t *ppos)
{
	return count;
}

static int file_create_folder(struct trace_array *tr)
{
	struct trace_folders *folders;

	folders = kzalloc(struct_size(folders, cpus, nr_cpu_ids), GFP_KERNEL);
	if (!folders)
		return -ENOMEM;
	trace_slot_set_data(tr, &folder_slot, folders);
	return 0;
}

/* Remove the folder of an instance with all that is in it. */
static void file_destroy_folder(struct trace_array *tr)
{
	tracefs_remove(tr->dir);
	kfree(file_folders_of(tr));
}

static int file_folder_create_cpus(struct trace_array *tr)
{
	struct trace_folders *folders = file_folders_of(tr);
	char name[16];
	int cpu;

	folders->percpu = tracefs_create_dir("per_cpu", tr->dir);
	if (!folders->percpu)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		snprintf(name, sizeof(name), "cpu%d", cpu);
		folders->cpus[cpu] = tracefs_create_dir(name, folders->percpu);
		if (!folders->cpus[cpu])
			return -ENOMEM;
	}
	return 0;
}

static int file_folder_create(struct trace_array *tr, struct dentry *dir)
{
	if (tr->name) {
		tr->dir = tracefs_create_dir(tr->name, instances_dir);
		if (!tr->dir)
			return -ENOMEM;
	}
	return file_folder_create_cpus(tr);
}

/* This is the first component of the table: the files of the others go into its folder. */
struct trace_component trace_folder_component __ro_after_init = {
	.name		= "folder",
	.slot		= &folder_slot,
	.readme		=
		"Tracing the kernel: a short guide\n"
		"\n"
		" # mount -t tracefs [-o [mount options]] nodev /sys/kernel/tracing\n"
		"     options: [gid=<gid>] [uid=<uid>] [mode=<octal mode>]\n"
		"\n"
		"  instances/\t\t- mkdir makes a buffer with files of its own; rmdir removes it\n",
	.create		= file_create_folder,
	.create_files	= file_folder_create,
	.destroy	= file_destroy_folder,
};

/* mkdir and rmdir in instances/ */
static int instances_file_mkdir(const char *name)
{
	int ret = security_locked_down(LOCKDOWN_TRACEFS);

	if (ret)
		return ret;
	guard(trace_instances)();
	return PTR_ERR_OR_ZERO(trace_instance_create(name, NULL));
}

static int instances_file_rmdir(const char *name)
{
	guard(trace_instances)();
	return trace_instance_remove(name);
}

/**
 * trace_instance_mkdir - make an instance as mkdir() in instances/ does
 * @name: of the instance, without slashes; not "." nor ".."
 *
 * Context: write() of a file of tracefs, may sleep; takes trace_instances_lock().
 * Return: 0; -EEXIST; -EACCES: this task may not write to instances/; -EPERM under lockdown;
 * -ENAMETOOLONG, -ENOMEM, -ENODEV.
 */
int trace_instance_mkdir(const char *name)
{
	struct inode *dir = d_inode(instances_dir);
	struct dentry *dentry;
	int ret;

	/* instances_file_mkdir() releases it meanwhile, and makes the folder of this dentry. */
	inode_lock_nested(dir, I_MUTEX_PARENT);
	dentry = lookup_one_len(name, instances_dir, strlen(name));
	ret = PTR_ERR_OR_ZERO(dentry);
	if (!ret) {
		ret = vfs_mkdir(&nop_mnt_idmap, dir, dentry, 0750);
		dput(dentry);
	}
	inode_unlock(dir);
	return ret;
}

/* Mount tracefs at debugfs/tracing, where older tools look for the files. */
static struct vfsmount *files_mount_below_debugfs(struct dentry *mountpoint, void *data)
{
	struct file_system_type *type = get_fs_type("tracefs");
	struct vfsmount *mnt;

	if (!type)
		return NULL;
	mnt = vfs_submount(mountpoint, type, "tracefs", NULL);
	put_filesystem(type);
	if (!IS_ERR(mnt))
		mntget(mnt);
	return mnt;
}

/**
 * trace_files_init - make the files of all instances
 *
 * Context: boot, tracefs is up; takes trace_instances_lock().
 * Return: 0; -EPERM under lockdown, -ENODEV without an instance or tracefs, or
 * the errno of what failed, then files are missing.
 */
int __init trace_files_init(void)
{
	if (!trace_top_instance() || !tracefs_initialized())
		return -ENODEV;
	if (security_locked_down(LOCKDOWN_TRACEFS)) {
		pr_warn("tracing: no files: the kernel is locked down\n");
		return -EPERM;
	}
	if (IS_ENABLED(CONFIG_DEBUG_FS))
		debugfs_create_automount("tracing", NULL, files_mount_below_debugfs, NULL);

	guard(trace_instances)();
	instances_dir = tracefs_create_instance_dir("instances", NULL, instances_file_mkdir,
						    instances_file_rmdir);
	return instances_dir ? trace_instances_init_files() : -ENOMEM;
}
