// SPDX-License-Identifier: GPL-2.0
/*
 * Files of an instance that hold a list of pids, one a line: a write adds its
 * words, opening for writing without append empties the list first.
 *
 * A write is all or nothing: the words come into force together when all of them
 * were numbers; a word that is none gives -EINVAL and changes nothing. tasks/pid_filter.h tells
 * the meaning of the lists.
 */
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/tracefs.h>

#include "instance/file.h"
#include "instance/internal.h"
#include "instance/pid_file.h"

/* Longest word: a number. */
#define PID_WORD_MAX	127

struct pid_file {
	struct trace_pid_filter	*filter;	/* constant */
	enum trace_pid_kind	kind;		/* constant */
	const char		*none;		/* constant, see struct trace_pid_files */
};

/*
 * Listing: the position is the pid plus one, 0 before the first. The filter's lock is held from
 * start to stop.
 */

static void *pid_file_seek(struct pid_file *pf, loff_t *pos, loff_t pid)
{
	struct trace_pid_list *list = trace_pid_filter_list(pf->filter, pf->kind);
	unsigned int next;

	if (!list || pid > UINT_MAX || trace_pid_list_next(list, pid, &next)) {
		++*pos;
		return NULL;
	}
	*pos = (loff_t)next + 1;
	return pos;
}

static void *pid_file_start(struct seq_file *m, loff_t *pos)
{
	struct pid_file *pf = m->private;

	mutex_lock(&pf->filter->lock);
	if (!*pos && pf->none && !trace_pid_filter_list(pf->filter, pf->kind))
		return SEQ_START_TOKEN;
	return pid_file_seek(pf, pos, *pos ? *pos - 1 : 0);
}

static void *pid_file_next(struct seq_file *m, void *v, loff_t *pos)
{
	return pid_file_seek(m->private, pos, *pos);
}

static void pid_file_stop(struct seq_file *m, void *v)
{
	struct pid_file *pf = m->private;

	mutex_unlock(&pf->filter->lock);
}

static int pid_file_show(struct seq_file *m, void *v)
{
	struct pid_file *pf = m->private;

	if (v == SEQ_START_TOKEN)
		seq_printf(m, "%s\n", pf->none);
	else
		seq_printf(m, "%lld\n", *(loff_t *)v - 1);
	return 0;
}

static const struct seq_operations pid_file_seq_ops = {
	.start	= pid_file_start,
	.next	= pid_file_next,
	.stop	= pid_file_stop,
	.show	= pid_file_show,
};

/* The pids of a write. */
struct pid_file_pids {
	struct trace_pid_list	*list;
	int			nr;
};

static int pid_file_take_word(char *word, void *data)
{
	struct pid_file_pids *pids = data;
	unsigned int pid;
	int ret;

	if (kstrtouint(word, 0, &pid))
		return -EINVAL;
	ret = trace_pid_list_prepare(pids->list, pid) ?: trace_pid_list_set(pids->list, pid);
	pids->nr += !ret;
	return ret;
}

/*
 * Add the pids in user memory to @list; the end of a write completes a word, too. Returns how
 * many there are, or an errno.
 */
static int pid_file_parse(struct trace_pid_list *list, const char __user *ubuf, size_t count)
{
	struct pid_file_pids pids = { .list = list };
	struct trace_words words;
	size_t taken;
	int ret;

	ret = trace_words_init(&words, PID_WORD_MAX);
	if (ret)
		return ret;
	ret = trace_words_write(&words, ubuf, count, &taken, pid_file_take_word, &pids) ?:
	      trace_words_end(&words, pid_file_take_word, &pids);
	trace_words_free(&words);
	return ret ?: pids.nr;
}

/**
 * trace_pid_file_write - file_operations::write of a file of pids
 * @file:	the file
 * @ubuf:	the words
 * @count:	their bytes
 * @ppos:	advances
 *
 * Context: task, may sleep; takes the filter's lock.
 * Return: @count, -EINVAL for a word that is no pid, -ENOMEM, -EFAULT, or the
 * error of putting the list into force.
 */
ssize_t trace_pid_file_write(struct file *file, const char __user *ubuf, size_t count,
			     loff_t *ppos)
{
	struct pid_file *pf = ((struct seq_file *)file->private_data)->private;
	struct trace_pid_list *list;
	int ret;

	if (!count)
		return 0;
	list = trace_pid_list_alloc();
	if (!list)
		return -ENOMEM;
	ret = pid_file_parse(list, ubuf, count);
	if (ret > 0) {
		ret = trace_pid_filter_add(pf->filter, pf->kind, list);
		if (!ret)
			list = NULL;
	}
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
 * @files:	whose pids
 * @kind:	which of the two lists
 *
 * The file's other operations are seq_read(), trace_file_llseek(),
 * trace_pid_file_write() and trace_pid_file_release().
 * Context: task, may sleep; takes the filter's lock.
 * Return: 0, -ENOMEM, or as trace_array_open().
 */
int trace_pid_file_open(struct inode *inode, struct file *file,
			const struct trace_pid_files *files, enum trace_pid_kind kind)
{
	struct trace_array *tr = inode->i_private;
	struct pid_file *pf;
	int ret = trace_array_open(tr);

	if (ret)
		return ret;
	pf = __seq_open_private(file, &pid_file_seq_ops, sizeof(*pf));
	if (!pf) {
		trace_array_put(tr);
		return -ENOMEM;
	}
	pf->filter = files->filter_of(tr);
	pf->kind = kind;
	pf->none = files->none;
	if (trace_file_truncates(file)) {
		guard(mutex)(&pf->filter->lock);
		trace_pid_filter_replace(pf->filter, kind, NULL);
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
