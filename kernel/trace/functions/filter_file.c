// SPDX-License-Identifier: GPL-2.0
/*
 * set_ftrace_filter and set_ftrace_notrace of an instance.
 *
 * A writer works on a copy of the filter, made at open() (empty with O_TRUNC),
 * and the copy comes into force as a whole at close(): one transaction however
 * many names were written. A write stops before a word that matches nothing
 * and says how far it came; a write that begins with such a word gives -EINVAL.
 * When nothing but bad words was written, the filter stays as it was.
 */
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracefs.h>

#include "functions/internal.h"

/* Longest word: a symbol, a command and its argument. */
#define FILTER_WORD_MAX	(KSYM_NAME_LEN + 128)

/**
 * struct filter_file - an open set_ftrace_filter or set_ftrace_notrace
 * @fns:	whose
 * @notrace:	which of its two filters
 * @lock:	serializes writers of this open file
 * @hash:	the writer's copy; NULL for a reader
 * @words:	the word being written
 * @good, @bad:	words that were taken, or refused
 * @iter:	the reader's place among the sites
 */
struct filter_file {
	struct trace_functions	*fns;
	bool			notrace;
	struct mutex		lock;
	struct ftrace_hash	*hash;
	struct trace_words	words;
	unsigned long		good;
	unsigned long		bad;
	struct ftrace_site_iter	iter;
};

/* Listing */

static struct dyn_ftrace *next_listed(struct filter_file *ff, struct dyn_ftrace *site)
{
	for (; site; site = ftrace_site_next(&ff->iter)) {
		if (ftrace_ops_filter_has(&ff->fns->ops, ftrace_site_ip(site), ff->notrace))
			return site;
	}
	return NULL;
}

/*
 * The position of seq_file counts sites, not lines, so that a long listing
 * goes on where it was; position 0 is the line of an empty filter.
 */
static void *list_start(struct seq_file *m, loff_t *pos)
{
	struct filter_file *ff = m->private;
	struct dyn_ftrace *site;

	ftrace_lock();
	if (ftrace_ops_filter_empty(&ff->fns->ops, ff->notrace))
		return *pos ? NULL : SEQ_START_TOKEN;
	site = next_listed(ff, ftrace_site_seek(&ff->iter, *pos));
	if (site)
		*pos = ff->iter.pos;
	return site;
}

static void *list_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct filter_file *ff = m->private;
	struct dyn_ftrace *site = NULL;

	if (v != SEQ_START_TOKEN)
		site = next_listed(ff, ftrace_site_next(&ff->iter));
	*pos = site ? ff->iter.pos : *pos + 1;
	return site;
}

static void list_stop(struct seq_file *m, void *v)
{
	ftrace_unlock();
}

static int list_show(struct seq_file *m, void *v)
{
	struct filter_file *ff = m->private;

	if (v != SEQ_START_TOKEN)
		return trace_list_show_name(m, v);
	seq_puts(m, ff->notrace ? "#### no functions disabled ####\n"
				: "#### all functions enabled ####\n");
	return 0;
}

static const struct seq_operations list_ops = {
	.start	= list_start,
	.next	= list_next,
	.stop	= list_stop,
	.show	= list_show,
};

/* Writing */

/* NAME, GLOB, !NAME, INDEX, or PATTERN:mod:MODULE with an empty PATTERN for all. */
static int apply_word(struct filter_file *ff, char *word)
{
	char *pattern = strsep(&word, ":");
	char *module = NULL;
	long matches;

	if (word) {
		char *command = strsep(&word, ":");

		if (strcmp(command, "mod") || !word || !*word)
			return -EINVAL;
		module = word;
	}
	if (!*pattern && !module)
		return -EINVAL;
	matches = ftrace_hash_apply(ff->hash, pattern, module);
	if (matches < 0)
		return matches;
	return matches ? 0 : -EINVAL;
}

static int take_word(struct filter_file *ff)
{
	int ret = apply_word(ff, ff->words.word);

	trace_words_clear(&ff->words);
	if (ret)
		ff->bad++;
	else
		ff->good++;
	return ret;
}

static ssize_t filter_write(struct file *file, const char __user *ubuf,
			    size_t count, loff_t *ppos)
{
	struct filter_file *ff = file->private_data;
	size_t done = 0, taken = 0;
	ssize_t ret = 0;

	if (file->f_mode & FMODE_READ)
		ff = ((struct seq_file *)file->private_data)->private;

	guard(mutex)(&ff->lock);
	while (done < count) {
		bool complete;

		ret = trace_words_next(&ff->words, ubuf + done, count - done, &complete);
		if (ret <= 0)
			break;
		done += ret;
		if (complete) {
			ret = take_word(ff);
			if (ret)
				break;
		}
		taken = done;
	}
	if (ret < 0 && !taken)
		return ret;
	*ppos += taken;
	return taken;
}

/* Open and close */

static void filter_file_free(struct filter_file *ff)
{
	trace_words_free(&ff->words);
	ftrace_hash_free(ff->hash);
	kfree(ff);
}

static int writer_init(struct filter_file *ff, bool truncate)
{
	int ret = trace_words_init(&ff->words, FILTER_WORD_MAX);

	if (ret)
		return ret;
	ff->hash = truncate ? ftrace_hash_alloc()
			    : ftrace_ops_filter_get(&ff->fns->ops, ff->notrace);
	return ff->hash ? 0 : -ENOMEM;
}

static int filter_open(struct inode *inode, struct file *file, bool notrace)
{
	struct trace_functions *fns = inode->i_private;
	struct filter_file *ff;
	int ret;

	if (ftrace_sites_dead())
		return -ENODEV;
	ret = trace_array_open(fns->tr);
	if (ret)
		return ret;

	ff = kzalloc(sizeof(*ff), GFP_KERNEL);
	if (!ff) {
		ret = -ENOMEM;
		goto put;
	}
	ff->fns = fns;
	ff->notrace = notrace;
	mutex_init(&ff->lock);
	if (file->f_mode & FMODE_WRITE) {
		ret = writer_init(ff, file->f_flags & O_TRUNC);
		if (ret)
			goto free;
	}
	if (file->f_mode & FMODE_READ) {
		ret = seq_open(file, &list_ops);
		if (ret)
			goto free;
		((struct seq_file *)file->private_data)->private = ff;
	} else {
		file->private_data = ff;
	}
	return 0;
free:
	filter_file_free(ff);
put:
	trace_array_put(fns->tr);
	return ret;
}

static int filter_open_trace(struct inode *inode, struct file *file)
{
	return filter_open(inode, file, false);
}

static int filter_open_notrace(struct inode *inode, struct file *file)
{
	return filter_open(inode, file, true);
}

static int filter_release(struct inode *inode, struct file *file)
{
	struct filter_file *ff = file->private_data;
	struct trace_array *tr;

	if (file->f_mode & FMODE_READ) {
		ff = ((struct seq_file *)file->private_data)->private;
		seq_release(inode, file);
	}
	tr = ff->fns->tr;
	if (file->f_mode & FMODE_WRITE) {
		/* The last word needs no white space behind it. */
		if (ff->words.open)
			take_word(ff);
		if (ff->good || !ff->bad) {
			ftrace_ops_filter_set(&ff->fns->ops, ff->hash, ff->notrace);
			ff->hash = NULL;
		}
	}
	filter_file_free(ff);
	trace_array_put(tr);
	return 0;
}

static loff_t filter_llseek(struct file *file, loff_t offset, int whence)
{
	if (file->f_mode & FMODE_READ)
		return seq_lseek(file, offset, whence);
	file->f_pos = 0;
	return 0;
}

static const struct file_operations filter_fops = {
	.open		= filter_open_trace,
	.read		= seq_read,
	.write		= filter_write,
	.llseek		= filter_llseek,
	.release	= filter_release,
};

static const struct file_operations notrace_fops = {
	.open		= filter_open_notrace,
	.read		= seq_read,
	.write		= filter_write,
	.llseek		= filter_llseek,
	.release	= filter_release,
};

/**
 * trace_filter_create_files - the two filter files of an instance
 * @fns:	the instance's functions
 * @dir:	its folder
 *
 * Context: task, may sleep; the instances' lock is held.
 * Return: 0 or -ENOMEM.
 */
int trace_filter_create_files(struct trace_functions *fns, struct dentry *dir)
{
	if (!tracefs_create_file("set_ftrace_filter", 0640, dir, fns, &filter_fops) ||
	    !tracefs_create_file("set_ftrace_notrace", 0640, dir, fns, &notrace_fops))
		return -ENOMEM;
	return 0;
}
