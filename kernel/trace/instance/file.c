// SPDX-License-Identifier: GPL-2.0
/*
 * The tree of tracing files: where it is mounted, the folders of an instance,
 * and what the small files of this layer have in common. Each group of files
 * is in a *_file.c of its own.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/mount.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>

#include "instance/internal.h"

static struct dentry *instances_dir;	/* T */

/**
 * trace_inode_cpu - which CPU is a file for?
 * @inode: the file's
 *
 * Context: any.
 * Return: the CPU, RING_BUFFER_ALL_CPUS for a file that is not in per_cpu/.
 */
int trace_inode_cpu(const struct inode *inode)
{
	/* CPU n is kept as n + 1, so that other files have none. */
	return inode->i_cdev ? (long)inode->i_cdev - 1 : RING_BUFFER_ALL_CPUS;
}

/**
 * trace_array_cpu_dir - the folder per_cpu/cpuN of an instance
 * @tr: the instance
 * @cpu: N
 *
 * Context: trace_instances_lock() is held.
 * Return: the folder, NULL when it could not be made.
 */
struct dentry *trace_array_cpu_dir(struct trace_array *tr, int cpu)
{
	trace_instances_assert_locked();
	return tr->cpu_dirs ? tr->cpu_dirs[cpu] : NULL;
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
	struct dentry *dir = trace_array_cpu_dir(tr, cpu);
	struct dentry *dentry = NULL;

	if (dir)
		dentry = tracefs_create_file(name, mode, dir, tr, fops);
	if (!dentry) {
		pr_warn("tracing: no file per_cpu/cpu%d/%s\n", cpu, name);
		return NULL;
	}
	d_inode(dentry)->i_cdev = (void *)(long)(cpu + 1);
	return dentry;
}

int trace_create_file(const char *name, umode_t mode, struct trace_array *tr,
		      const struct file_operations *fops)
{
	if (tracefs_create_file(name, mode, tr->dir, tr, fops))
		return 0;
	pr_warn("tracing: no file %s\n", name);
	return -ENOMEM;
}

/* Open a file that @show prints; trace_seq_file_tr() tells it the instance. */
int trace_file_open(struct inode *inode, struct file *file,
		    int (*show)(struct seq_file *m, void *v))
{
	int ret = trace_array_open(inode->i_private);

	if (ret)
		return ret;
	ret = single_open(file, show, inode);
	if (ret)
		trace_array_put(inode->i_private);
	return ret;
}

int trace_file_release(struct inode *inode, struct file *file)
{
	trace_array_put(inode->i_private);
	return single_release(inode, file);
}

/* A short text from user space, terminated; -EINVAL when it is too long. */
ssize_t trace_file_get_text(char *text, size_t size, const char __user *ubuf, size_t count)
{
	if (count >= size)
		return -EINVAL;
	if (copy_from_user(text, ubuf, count))
		return -EFAULT;
	text[count] = '\0';
	return count;
}

static int create_cpu_dirs(struct trace_array *tr)
{
	char name[16];
	int cpu;

	tr->percpu_dir = tracefs_create_dir("per_cpu", tr->dir);
	tr->cpu_dirs = kcalloc(nr_cpu_ids, sizeof(*tr->cpu_dirs), GFP_KERNEL);
	if (!tr->percpu_dir || !tr->cpu_dirs)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		snprintf(name, sizeof(name), "cpu%d", cpu);
		tr->cpu_dirs[cpu] = tracefs_create_dir(name, tr->percpu_dir);
		if (!tr->cpu_dirs[cpu])
			return -ENOMEM;
	}
	return 0;
}

/* The files of an instance; an errno leaves those that were made. */
int trace_instance_create_files(struct trace_array *tr)
{
	int ret;

	trace_instances_assert_locked();
	if (tr->name) {
		tr->dir = tracefs_create_dir(tr->name, instances_dir);
		if (!tr->dir)
			return -ENOMEM;
	}
	ret = create_cpu_dirs(tr);
	ret = ret ?: trace_tracer_create_files(tr);
	ret = ret ?: trace_option_create_files(tr);
	ret = ret ?: trace_buffer_create_files(tr);
	ret = ret ?: trace_switch_create_files(tr);
	ret = ret ?: trace_error_create_file(tr);
	ret = ret ?: trace_boot_create_files(tr);
	if (!ret)
		tr->files = true;
	return ret ?: trace_components_create_files(tr);
}

/* The folder of an instance, and all in it that its components left. */
void trace_instance_remove_files(struct trace_array *tr)
{
	trace_instances_assert_locked();
	tracefs_remove(tr->dir);
	tr->dir = NULL;
	tr->files = false;
}

/* Instances that were made before there was a place for their files. */
static int __init create_waiting_files(void)
{
	struct trace_array *tr;
	int ret = 0;

	for_each_trace_array(tr) {
		if (!tr->files)
			ret = ret ?: trace_instance_create_files(tr);
	}
	return ret;
}

static int __init create_top_files(struct trace_array *tr)
{
	int ret = trace_readme_create_file(tr);

	instances_dir = tracefs_create_instance_dir("instances", NULL, trace_instance_mkdir,
						    trace_instance_rmdir);
	if (!instances_dir)
		return -ENOMEM;
	return ret;
}

/* Users of old look for the files in debugfs. */
static struct vfsmount *automount(struct dentry *mountpoint, void *data)
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
 * trace_instance_init_files - make the files of the top instance
 *
 * Context: boot, tracefs is up; takes trace_instances_lock().
 * Return: 0; -EPERM under lockdown, -ENODEV without an instance or tracefs, or
 * the errno of what failed, then files are missing.
 */
int __init trace_instance_init_files(void)
{
	struct trace_array *tr = trace_top_instance();
	int ret;

	if (!tr || !tracefs_initialized())
		return -ENODEV;
	if (security_locked_down(LOCKDOWN_TRACEFS)) {
		pr_warn("tracing: no files: the kernel is locked down\n");
		return -EPERM;
	}
	if (IS_ENABLED(CONFIG_DEBUG_FS))
		debugfs_create_automount("tracing", NULL, automount, NULL);

	scoped_guard(trace_instances) {
		ret = trace_instance_create_files(tr);
		ret = ret ?: create_top_files(tr);
		ret = ret ?: create_waiting_files();
	}
	return ret;
}
