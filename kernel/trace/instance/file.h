/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The common code of the files of an instance, for all folders of kernel/trace/. Their
 * i_private is the instance, of which an open file holds a reference.
 */
#ifndef _TRACE_INSTANCE_FILE_H
#define _TRACE_INSTANCE_FILE_H

#include <linux/fs.h>
#include <linux/seq_file.h>

#include "instance/instance.h"

int trace_instance_mkdir(const char *name);

int trace_create_file(const char *name, umode_t mode, struct trace_array *tr,
		      const struct file_operations *fops);
struct dentry *trace_create_cpu_file(const char *name, umode_t mode, struct trace_array *tr,
				     int cpu, const struct file_operations *fops);

/* The CPU of a file of one, RING_BUFFER_ALL_CPUS of others. */
int trace_inode_cpu(const struct inode *inode);
void trace_inode_set_cpu(struct inode *inode, int cpu);

/* Files that want nothing but their instance, in file->private_data. */
int trace_array_generic_open(struct inode *inode, struct file *file);
int trace_array_generic_release(struct inode *inode, struct file *file);

/* Files whose text is made by one function. */
int trace_file_open(struct inode *inode, struct file *file,
		    int (*show)(struct seq_file *m, void *v));
int trace_file_release(struct inode *inode, struct file *file);

/* Files that list something, by operations of a seq_file. */
int trace_array_seq_open(struct inode *inode, struct file *file, const struct seq_operations *ops);
int trace_array_seq_release(struct inode *inode, struct file *file);

/* Files that take one number, or one short text; @set is called with the instances lock held. */
ssize_t trace_file_write_number(struct file *file, const char __user *ubuf, size_t count,
				loff_t *ppos, int (*set)(struct file *file, unsigned long number));
ssize_t trace_file_write_text(struct file *file, const char __user *ubuf, size_t count,
			      loff_t *ppos, int (*set)(struct trace_array *tr, char *text));

ssize_t trace_file_get_text(char *text, size_t size, const char __user *ubuf, size_t count);

/* Files that do something when they are opened or closed, whatever is written to them. */
ssize_t trace_file_write_nothing(struct file *file, const char __user *ubuf, size_t count,
				 loff_t *ppos);

/* In a show function: the instance, and the CPU of a per_cpu/ file. */
static inline struct trace_array *trace_seq_file_tr(struct seq_file *m)
{
	return ((struct inode *)m->private)->i_private;
}

static inline int trace_seq_file_cpu(struct seq_file *m)
{
	return trace_inode_cpu(m->private);
}

static inline struct trace_array *trace_file_tr(struct file *file)
{
	return file_inode(file)->i_private;
}

/* In an open(): is the file opened for being emptied, as "> FILE" does? */
static inline bool trace_file_truncates(const struct file *file)
{
	return file->f_mode & FMODE_WRITE && file->f_flags & O_TRUNC;
}

loff_t trace_file_llseek(struct file *file, loff_t offset, int whence);

/* fops of a file with NAME_show() and, for the second, NAME_write(). */
#define DEFINE_TRACE_FILE_FOPS(name, writer)				\
static int name##_open(struct inode *inode, struct file *file)		\
{									\
	return trace_file_open(inode, file, name##_show);		\
}									\
									\
static const struct file_operations name##_fops = {			\
	.open		= name##_open,					\
	.read		= seq_read,					\
	.write		= writer,					\
	.llseek		= trace_file_llseek,				\
	.release	= trace_file_release,				\
}

#define DEFINE_TRACE_FILE_RO(name)	DEFINE_TRACE_FILE_FOPS(name, NULL)
#define DEFINE_TRACE_FILE_RW(name)	DEFINE_TRACE_FILE_FOPS(name, name##_write)

/* As DEFINE_TRACE_FILE_RW(), with NAME_set() for the number or the text that is written. */
#define DEFINE_TRACE_FILE_SET(name, kind)				\
static ssize_t name##_write(struct file *file, const char __user *ubuf,	\
			    size_t count, loff_t *ppos)			\
{									\
	return trace_file_write_##kind(file, ubuf, count, ppos, name##_set); \
}									\
									\
DEFINE_TRACE_FILE_RW(name)

#define DEFINE_TRACE_FILE_NUMBER(name)	DEFINE_TRACE_FILE_SET(name, number)
#define DEFINE_TRACE_FILE_TEXT(name)	DEFINE_TRACE_FILE_SET(name, text)

/* fops of a file with NAME_seq_ops. */
#define DEFINE_TRACE_FILE_SEQ(name)					\
static int name##_open(struct inode *inode, struct file *file)		\
{									\
	return trace_array_seq_open(inode, file, &name##_seq_ops);	\
}									\
									\
static const struct file_operations name##_fops = {			\
	.open		= name##_open,					\
	.read		= seq_read,					\
	.llseek		= trace_file_llseek,				\
	.release	= trace_array_seq_release,			\
}

int trace_files_init(void);

#endif /* _TRACE_INSTANCE_FILE_H */
