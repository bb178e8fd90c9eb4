// SPDX-License-Identifier: GPL-2.0
/*
 * The files set_event_pid and set_event_notrace_pid of an instance: a list of
 * process ids, one a line; several words a write; opening for writing without
 * append empties the set.
 *
 * A write is all or nothing: one word that is no number leaves the set as it
 * was. What the sets mean is in pids.c.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/tracefs.h>

#include "events/internal.h"

#define PID_WORD_MAX	127

static struct trace_pid_list *pids_of(struct trace_array *tr, bool never)
{
	struct trace_events_pids *pids = &trace_events_of(tr)->pids;

	return rcu_dereference_protected(never ? pids->never : pids->only,
					 lockdep_is_held(&trace_events_mutex));
}

/* The position is the next id that may be in the set. */
static void *pids_at(struct seq_file *m, loff_t *pos, bool never)
{
	struct trace_pid_list *list = pids_of(m->private, never);
	unsigned int pid;

	if (!list || *pos > UINT_MAX || trace_pid_list_next(list, *pos, &pid))
		return NULL;
	*pos = pid;
	return pos;
}

static void *only_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&trace_events_mutex);
	return pids_at(m, pos, false);
}

static void *never_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&trace_events_mutex);
	return pids_at(m, pos, true);
}

static void *only_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return pids_at(m, pos, false);
}

static void *never_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return pids_at(m, pos, true);
}

static void pids_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&trace_events_mutex);
}

static int pids_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%lld\n", *(loff_t *)v);
	return 0;
}

static const struct seq_operations only_seq_ops = {
	.start	= only_start,
	.next	= only_next,
	.stop	= pids_stop,
	.show	= pids_show,
};

static const struct seq_operations never_seq_ops = {
	.start	= never_start,
	.next	= never_next,
	.stop	= pids_stop,
	.show	= pids_show,
};

/* Add the ids in user memory to @list, count them in *nr. */
static int pids_parse(struct trace_pid_list *list, const char __user *ubuf, size_t count,
		      unsigned int *nr)
{
	struct trace_words words;
	unsigned int pid;
	size_t done = 0;
	bool complete;
	ssize_t ret;

	ret = trace_words_init(&words, PID_WORD_MAX);
	while (!ret && done < count) {
		ret = trace_words_next(&words, ubuf + done, count - done, &complete);
		if (ret < 0)
			break;
		done += ret;
		ret = 0;
		if (!words.len)
			continue;
		if (kstrtouint(words.word, 0, &pid) || pid > INT_MAX) {
			ret = -EINVAL;
			break;
		}
		ret = trace_pid_list_set(list, pid);
		++*nr;
		trace_words_clear(&words);
	}
	trace_words_free(&words);
	return ret;
}

static int pids_copy(struct trace_pid_list *to, struct trace_pid_list *from)
{
	unsigned int pid = 0;
	int ret = 0;

	for (; from && !ret && !trace_pid_list_next(from, pid, &pid); pid++)
		ret = trace_pid_list_set(to, pid);
	return ret;
}

static int pids_add(struct trace_array *tr, bool never, struct trace_pid_list *list)
{
	int ret;

	guard(mutex)(&trace_events_mutex);
	ret = pids_copy(list, pids_of(tr, never));
	if (!ret)
		trace_events_pids_replace(tr, never, list);
	return ret;
}

static ssize_t pids_write(struct file *filp, const char __user *ubuf, size_t count,
			  loff_t *ppos, bool never)
{
	struct trace_array *tr = file_inode(filp)->i_private;
	struct trace_pid_list *list;
	unsigned int nr = 0;
	int ret;

	if (!count)
		return 0;
	list = trace_pid_list_alloc();
	if (!list)
		return -ENOMEM;
	ret = pids_parse(list, ubuf, count, &nr);
	if (!ret && nr)
		ret = pids_add(tr, never, list);
	if (ret || !nr)
		trace_pid_list_free(list);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

static ssize_t only_write(struct file *filp, const char __user *ubuf, size_t count, loff_t *ppos)
{
	return pids_write(filp, ubuf, count, ppos, false);
}

static ssize_t never_write(struct file *filp, const char __user *ubuf, size_t count, loff_t *ppos)
{
	return pids_write(filp, ubuf, count, ppos, true);
}

static int pids_open(struct inode *inode, struct file *filp, bool never)
{
	struct trace_array *tr = inode->i_private;
	int ret = trace_array_open(tr);

	if (ret)
		return ret;
	ret = seq_open(filp, never ? &never_seq_ops : &only_seq_ops);
	if (ret) {
		trace_array_put(tr);
		return ret;
	}
	((struct seq_file *)filp->private_data)->private = tr;
	if ((filp->f_mode & FMODE_WRITE) && (filp->f_flags & O_TRUNC)) {
		guard(mutex)(&trace_events_mutex);
		trace_events_pids_replace(tr, never, NULL);
	}
	return 0;
}

static int only_open(struct inode *inode, struct file *filp)
{
	return pids_open(inode, filp, false);
}

static int never_open(struct inode *inode, struct file *filp)
{
	return pids_open(inode, filp, true);
}

static int pids_release(struct inode *inode, struct file *filp)
{
	trace_array_put(inode->i_private);
	return seq_release(inode, filp);
}

static const struct file_operations only_fops = {
	.open		= only_open,
	.read		= seq_read,
	.write		= only_write,
	.llseek		= seq_lseek,
	.release	= pids_release,
};

static const struct file_operations never_fops = {
	.open		= never_open,
	.read		= seq_read,
	.write		= never_write,
	.llseek		= seq_lseek,
	.release	= pids_release,
};

int trace_events_pid_files_create(struct trace_array *tr, struct dentry *dir)
{
	if (!tracefs_create_file("set_event_pid", 0640, dir, tr, &only_fops) ||
	    !tracefs_create_file("set_event_notrace_pid", 0640, dir, tr, &never_fops))
		return -ENOMEM;
	return 0;
}
