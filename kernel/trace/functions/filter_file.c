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

#include "functions/command.h"

/* Longest word: a symbol, a command and its argument. */
#define FILTER_WORD_MAX	(KSYM_NAME_LEN + 128)

/**
 * struct filter_file - an open set_ftrace_filter or set_ftrace_notrace
 * @fns:	whose
 * @exclude:	which of its two filters
 * @lock:	serializes writers of this open file
 * @hash:	the writer's copy; NULL for a reader
 * @words:	the word being written
 * @good:	words that were taken
 * @bad:	words that were refused
 * @section:	the reader's place: which list
 * @probe:	its probe, NULL for the filter
 * @iter:	where among the sites
 */
struct filter_file {
	struct trace_functions	*fns;
	bool			exclude;
	struct mutex		lock;	/* between writers */
	struct ftrace_hash	*hash;
	struct trace_words	words;
	unsigned long		good;
	unsigned long		bad;
	unsigned int		section;
	struct trace_func_probe	*probe;
	struct ftrace_site_iter	iter;
};

/*
 * Listing: the functions of the filter, then those that carry a command, probe
 * by probe. The position holds the section (0: the filter, N: the N-th probe)
 * above the number of the site, so that a long listing goes on where it was;
 * an empty filter has one line of its own.
 */
#define SECTION_SHIFT	32

static loff_t position(struct filter_file *ff)
{
	return (loff_t)ff->section << SECTION_SHIFT | ff->iter.pos;
}

static bool is_listed(struct filter_file *ff, const struct dyn_ftrace *site)
{
	if (ff->probe)
		return trace_func_probe_has(ff->probe, site);
	return ftrace_ops_filter_has(&ff->fns->ops, ftrace_site_ip(site), ff->exclude);
}

static bool enter_section(struct filter_file *ff, unsigned int section)
{
	ff->section = section;
	ff->probe = NULL;
	if (!section)
		return true;
	if (!ff->exclude)
		ff->probe = trace_func_probe_nth(ff->fns, section - 1);
	return ff->probe;
}

/* From @site on, in this section and those behind it. */
static struct dyn_ftrace *next_listed(struct filter_file *ff, struct dyn_ftrace *site)
{
	for (;;) {
		for (; site; site = ftrace_site_next(&ff->iter)) {
			if (is_listed(ff, site))
				return site;
		}
		if (!enter_section(ff, ff->section + 1))
			return NULL;
		site = ftrace_site_first(&ff->iter);
	}
}

static void *list_start(struct seq_file *m, loff_t *pos)
{
	struct filter_file *ff = m->private;
	struct dyn_ftrace *site;

	trace_func_commands_lock();
	ftrace_lock();
	if (!*pos && ftrace_ops_filter_empty(&ff->fns->ops, ff->exclude))
		return SEQ_START_TOKEN;
	if (!enter_section(ff, *pos >> SECTION_SHIFT))
		return NULL;
	site = next_listed(ff, ftrace_site_seek(&ff->iter, lower_32_bits(*pos)));
	if (site)
		*pos = position(ff);
	return site;
}

static void *list_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct filter_file *ff = m->private;
	struct dyn_ftrace *site;

	if (v == SEQ_START_TOKEN) {
		enter_section(ff, 0);
		site = next_listed(ff, NULL);
	} else {
		site = next_listed(ff, ftrace_site_next(&ff->iter));
	}
	*pos = site ? position(ff) : (loff_t)(ff->section + 1) << SECTION_SHIFT;
	return site;
}

static void list_stop(struct seq_file *m, void *v)
{
	ftrace_unlock();
	trace_func_commands_unlock();
}

static int list_show(struct seq_file *m, void *v)
{
	struct filter_file *ff = m->private;

	if (v == SEQ_START_TOKEN)
		seq_puts(m, ff->exclude ? "#### no functions disabled ####\n"
					: "#### all functions enabled ####\n");
	else if (ff->probe)
		return trace_func_probe_show(m, ff->probe, v);
	else
		return trace_list_show_name(m, v);
	return 0;
}

static const struct seq_operations list_ops = {
	.start	= list_start,
	.next	= list_next,
	.stop	= list_stop,
	.show	= list_show,
};

/* Writing */

/*
 * NAME, GLOB, INDEX, !NAME; PATTERN:mod:MODULE, where an empty PATTERN means all;
 * PATTERN:COMMAND[:COUNT].
 */
static int apply_word(struct filter_file *ff, char *word)
{
	char *pattern = strsep(&word, ":");
	char *command = strsep(&word, ":");
	char *module = NULL;
	long matches;

	if (command && strcmp(command, "mod")) {
		if (ff->exclude)
			return -EINVAL;
		return trace_func_command_apply(ff->fns, pattern, command, word);
	}
	if (command) {
		if (!word || !*word)
			return -EINVAL;
		module = word;
	}
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
			    : ftrace_ops_filter_get(&ff->fns->ops, ff->exclude);
	return ff->hash ? 0 : -ENOMEM;
}

static int filter_open(struct inode *inode, struct file *file, bool exclude)
{
	struct trace_array *tr = inode->i_private;
	struct filter_file *ff;
	int ret;

	if (ftrace_sites_dead())
		return -ENODEV;
	ret = trace_array_open(tr);
	if (ret)
		return ret;

	ff = kzalloc(sizeof(*ff), GFP_KERNEL);
	if (!ff) {
		ret = -ENOMEM;
		goto put;
	}
	ff->fns = trace_functions_of(tr);
	ff->exclude = exclude;
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
	trace_array_put(tr);
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
			ftrace_ops_filter_set(&ff->fns->ops, ff->hash, ff->exclude);
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
	if (!tracefs_create_file("set_ftrace_filter", 0640, dir, fns->tr, &filter_fops) ||
	    !tracefs_create_file("set_ftrace_notrace", 0640, dir, fns->tr, &notrace_fops))
		return -ENOMEM;
	return 0;
}
