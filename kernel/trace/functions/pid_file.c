// SPDX-License-Identifier: GPL-2.0
/*
 * set_ftrace_pid and set_ftrace_notrace_pid of an instance.
 *
 * A write adds its pids to the list (O_TRUNC empties it first). The list is
 * built anew and put into force as a whole when all words of a write were
 * numbers; a word that is none gives -EINVAL and changes nothing.
 */
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/tracefs.h>

#include "functions/internal.h"

/* Longest word: a decimal number. */
#define PID_WORD_MAX	127

struct pid_file {
	struct trace_functions	*fns;
	enum trace_pid_kind	kind;
};

/* Listing: the position is the pid plus one, 0 before the first. */

static void *pid_start(struct seq_file *m, loff_t *pos)
{
	struct pid_file *pf = m->private;
	struct trace_pid_list *list;
	unsigned int pid;

	trace_functions_pid_lock();
	list = trace_functions_pids(pf->fns, pf->kind);
	if (!list)
		return *pos ? NULL : SEQ_START_TOKEN;
	if (*pos > UINT_MAX || trace_pid_list_next(list, *pos ? *pos - 1 : 0, &pid) < 0)
		return NULL;
	*pos = (loff_t)pid + 1;
	return (void *)(unsigned long)*pos;
}

static void *pid_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct pid_file *pf = m->private;
	unsigned int pid;

	if (v == SEQ_START_TOKEN ||
	    trace_pid_list_next(trace_functions_pids(pf->fns, pf->kind),
				(unsigned long)v, &pid) < 0) {
		(*pos)++;
		return NULL;
	}
	*pos = (loff_t)pid + 1;
	return (void *)(unsigned long)*pos;
}

static void pid_stop(struct seq_file *m, void *v)
{
	trace_functions_pid_unlock();
}

static int pid_show(struct seq_file *m, void *v)
{
	if (v == SEQ_START_TOKEN)
		seq_puts(m, "no pid\n");
	else
		seq_printf(m, "%lu\n", (unsigned long)v - 1);
	return 0;
}

static const struct seq_operations pid_seq_ops = {
	.start	= pid_start,
	.next	= pid_next,
	.stop	= pid_stop,
	.show	= pid_show,
};

/* Writing */

static int parse_pids(struct trace_pid_list *list, const char __user *ubuf, size_t count,
		      unsigned int *nr)
{
	struct trace_words words;
	size_t done = 0;
	ssize_t ret;

	*nr = 0;
	ret = trace_words_init(&words, PID_WORD_MAX);
	if (ret)
		return ret;
	while (done < count) {
		unsigned long pid;
		bool complete;

		ret = trace_words_next(&words, ubuf + done, count - done, &complete);
		if (ret <= 0)
			break;
		done += ret;
		if (!words.len)
			continue;
		ret = kstrtoul(words.word, 0, &pid);
		if (ret || pid > PID_MAX_LIMIT) {
			ret = -EINVAL;
			break;
		}
		ret = trace_pid_list_set(list, pid);
		if (ret)
			break;
		(*nr)++;
		trace_words_clear(&words);
	}
	trace_words_free(&words);
	return ret < 0 ? ret : 0;
}

static int copy_pids(struct trace_pid_list *to, struct trace_pid_list *from)
{
	unsigned int pid = 0;
	int ret;

	while (from && !trace_pid_list_next(from, pid, &pid)) {
		ret = trace_pid_list_set(to, pid);
		if (ret)
			return ret;
		pid++;
	}
	return 0;
}

static ssize_t pid_write(struct file *file, const char __user *ubuf, size_t count, loff_t *ppos)
{
	struct pid_file *pf = ((struct seq_file *)file->private_data)->private;
	struct trace_pid_list *list;
	unsigned int nr;
	int ret;

	if (!count)
		return 0;
	list = trace_pid_list_alloc();
	if (!list)
		return -ENOMEM;
	ret = parse_pids(list, ubuf, count, &nr);
	if (!ret && nr) {
		trace_functions_pid_lock();
		ret = copy_pids(list, trace_functions_pids(pf->fns, pf->kind));
		if (!ret)
			ret = trace_functions_add_pids(pf->fns, pf->kind, list);
		trace_functions_pid_unlock();
		if (!ret)
			list = NULL;
	}
	if (list)
		trace_pid_list_free(list);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

/* Open and close */

static int pid_open(struct inode *inode, struct file *file, enum trace_pid_kind kind)
{
	struct trace_array *tr = inode->i_private;
	struct pid_file *pf;
	int ret = trace_array_open(tr);

	if (ret)
		return ret;
	pf = __seq_open_private(file, &pid_seq_ops, sizeof(*pf));
	if (!pf) {
		trace_array_put(tr);
		return -ENOMEM;
	}
	pf->fns = trace_functions_of(tr);
	pf->kind = kind;
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC))
		trace_functions_clear_pids(pf->fns, kind);
	return 0;
}

static int pid_open_trace(struct inode *inode, struct file *file)
{
	return pid_open(inode, file, TRACE_PIDS);
}

static int pid_open_notrace(struct inode *inode, struct file *file)
{
	return pid_open(inode, file, TRACE_NO_PIDS);
}

static int pid_release(struct inode *inode, struct file *file)
{
	struct trace_array *tr = inode->i_private;

	seq_release_private(inode, file);
	trace_array_put(tr);
	return 0;
}

static const struct file_operations pid_fops = {
	.open		= pid_open_trace,
	.read		= seq_read,
	.write		= pid_write,
	.llseek		= seq_lseek,
	.release	= pid_release,
};

static const struct file_operations no_pid_fops = {
	.open		= pid_open_notrace,
	.read		= seq_read,
	.write		= pid_write,
	.llseek		= seq_lseek,
	.release	= pid_release,
};

/**
 * trace_pid_create_files - the two pid files of an instance
 * @fns:	the instance's functions
 * @dir:	its folder
 *
 * Context: task, may sleep; the instances' lock is held.
 * Return: 0 or -ENOMEM.
 */
int trace_pid_create_files(struct trace_functions *fns, struct dentry *dir)
{
	if (!tracefs_create_file("set_ftrace_pid", 0640, dir, fns->tr, &pid_fops) ||
	    !tracefs_create_file("set_ftrace_notrace_pid", 0640, dir, fns->tr, &no_pid_fops))
		return -ENOMEM;
	return 0;
}
