// SPDX-License-Identifier: GPL-2.0
/*
 * Files of an instance that hold a list of pids, one a line: a write adds its
 * words, opening for writing without append empties the list first.
 *
 * A write is all or nothing: the list is built anew and put into force as a
 * whole when all words were numbers; a word that is none gives -EINVAL and
 * changes nothing. What the lists mean is known to who keeps them, see
 * struct trace_pid_lists.
 */
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/tracefs.h>

#include "instance/internal.h"

/* Longest word: a number. */
#define PID_WORD_MAX	127

struct pid_file {
	struct trace_array		*tr;
	const struct trace_pid_lists	*lists;
	bool				exclude;
};

/* Listing: the position is the pid plus one, 0 before the first. */

static void *show_from(struct pid_file *pf, loff_t *pos, loff_t pid)
{
	struct trace_pid_list *list = pf->lists->get(pf->tr, pf->exclude);
	unsigned int next;

	if (!list || pid > UINT_MAX || trace_pid_list_next(list, pid, &next)) {
		++*pos;
		return NULL;
	}
	*pos = (loff_t)next + 1;
	return pos;
}

static void *pid_start(struct seq_file *m, loff_t *pos)
{
	struct pid_file *pf = m->private;

	mutex_lock(pf->lists->lock);
	if (!*pos && pf->lists->none && !pf->lists->get(pf->tr, pf->exclude))
		return SEQ_START_TOKEN;
	return show_from(pf, pos, *pos ? *pos - 1 : 0);
}

static void *pid_next(struct seq_file *m, void *v, loff_t *pos)
{
	return show_from(m->private, pos, *pos);
}

static void pid_stop(struct seq_file *m, void *v)
{
	struct pid_file *pf = m->private;

	mutex_unlock(pf->lists->lock);
}

static int pid_show(struct seq_file *m, void *v)
{
	struct pid_file *pf = m->private;

	if (v == SEQ_START_TOKEN)
		seq_printf(m, "%s\n", pf->lists->none);
	else
		seq_printf(m, "%lld\n", *(loff_t *)v - 1);
	return 0;
}

static const struct seq_operations pid_seq_ops = {
	.start	= pid_start,
	.next	= pid_next,
	.stop	= pid_stop,
	.show	= pid_show,
};

/* Add the pids in user memory to @list, count them in *nr. */
static int parse_pids(struct trace_pid_list *list, const char __user *ubuf, size_t count,
		      unsigned int *nr)
{
	struct trace_words words;
	size_t done = 0;
	ssize_t ret;

	ret = trace_words_init(&words, PID_WORD_MAX);
	while (!ret && done < count) {
		unsigned int pid;
		bool complete;

		ret = trace_words_next(&words, ubuf + done, count - done, &complete);
		if (ret < 0)
			break;
		done += ret;
		ret = 0;
		if (!words.len)
			continue;
		if (kstrtouint(words.word, 0, &pid)) {
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

static int copy_pids(struct trace_pid_list *to, struct trace_pid_list *from)
{
	unsigned int pid = 0;
	int ret = 0;

	for (; from && !ret && !trace_pid_list_next(from, pid, &pid); pid++)
		ret = trace_pid_list_set(to, pid);
	return ret;
}

static int add_pids(struct pid_file *pf, struct trace_pid_list *list)
{
	int ret;

	guard(mutex)(pf->lists->lock);
	ret = copy_pids(list, pf->lists->get(pf->tr, pf->exclude));
	return ret ?: pf->lists->replace(pf->tr, pf->exclude, list);
}

/**
 * trace_pid_file_write - file_operations::write of a file of pids
 * @file:	the file
 * @ubuf:	the words
 * @count:	their bytes
 * @ppos:	advances
 *
 * Context: task, may sleep; takes the lists' lock.
 * Return: @count, -EINVAL for a word that is no pid, -ENOMEM, -EFAULT, or the
 * error of putting the list into force.
 */
ssize_t trace_pid_file_write(struct file *file, const char __user *ubuf, size_t count,
			     loff_t *ppos)
{
	struct pid_file *pf = ((struct seq_file *)file->private_data)->private;
	struct trace_pid_list *list;
	unsigned int nr = 0;
	int ret;

	if (!count)
		return 0;
	list = trace_pid_list_alloc();
	if (!list)
		return -ENOMEM;
	ret = parse_pids(list, ubuf, count, &nr);
	if (!ret && nr)
		ret = add_pids(pf, list);
	if (ret || !nr)
		trace_pid_list_free(list);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

/**
 * trace_pid_file_open - open a file of pids
 * @inode:	its i_private is the instance
 * @file:	the file
 * @lists:	who keeps the lists
 * @exclude:	which of the two
 *
 * The file's other operations are seq_read(), seq_lseek(),
 * trace_pid_file_write() and trace_pid_file_release().
 * Context: task, may sleep; takes trace_instances_lock() and the lists' lock.
 * Return: 0, -ENOMEM, or as trace_array_open().
 */
int trace_pid_file_open(struct inode *inode, struct file *file,
			const struct trace_pid_lists *lists, bool exclude)
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
	pf->tr = tr;
	pf->lists = lists;
	pf->exclude = exclude;
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		guard(mutex)(lists->lock);
		lists->replace(tr, exclude, NULL);
	}
	return 0;
}

/**
 * trace_pid_file_release - file_operations::release of a file of pids
 * @inode:	its i_private is the instance
 * @file:	the file
 *
 * Context: task, may sleep.
 * Return: 0.
 */
int trace_pid_file_release(struct inode *inode, struct file *file)
{
	seq_release_private(inode, file);
	trace_array_put(inode->i_private);
	return 0;
}
