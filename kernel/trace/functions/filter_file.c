// SPDX-License-Identifier: GPL-2.0
/*
 * set_ftrace_filter and set_ftrace_notrace of an instance, and stack_trace_filter.
 *
 * A writer works on a copy of the filter, made at open() (empty with O_TRUNC),
 * and the copy comes into force as a whole at close(): one transaction however
 * many names were written. A write stops before a word that matches nothing
 * and says how far it came; a write that begins with such a word gives -EINVAL.
 * When nothing but bad words was written, the filter stays as it was. A reader that may also
 * write is shown the copy.
 */
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracefs.h>

#include "functions/internal.h"
#include "instance/file.h"
#include "sites/names.h"

/* Longest word: a symbol, a command and its argument, or a line with a predicate. */
#define FILTER_WORD_MAX	max(KSYM_NAME_LEN + 128, TRACE_JUDGE_LINE_MAX)

/**
 * struct filter_file - an open set_ftrace_filter or set_ftrace_notrace
 * @fns:	the functions of the instance
 * @exclude:	which of the two filters
 * @lock:	serializes writers of this open file, and lists their copy
 * @edit:	the writer's copy; its hash is NULL without a writer
 * @words:	the words that are written
 * @section:	which list the reader is in
 * @probe:	the probe of that list, NULL for the filter
 * @iter:	the reader's site; in the list of words that wait, @iter.pos is the word's
 *		number
 *
 * The file's lock is @lock for the members of writing, and the seq_file's for those of listing.
 */
struct filter_file {
	struct trace_functions		*fns;		/* constant */
	bool				exclude;	/* constant */
	struct mutex			lock;
	struct trace_filter_edit	edit;		/* file's lock */
	struct trace_words		words;		/* file's lock */
	unsigned int			section;	/* file's lock */
	struct trace_func_probe		*probe;		/* file's lock */
	struct ftrace_site_iter		iter;		/* file's lock */
};

/*
 * Listing: the functions of the filter, then the words that wait for modules,
 * then the functions that carry a command, probe by probe. The position holds
 * the section above the number of the site or word, so that a long listing goes
 * on where it was; an empty filter has one line of its own.
 */
#define SECTION_SHIFT	32

enum {
	SECTION_FILTER,
	SECTION_PENDING,
	SECTION_PROBES,		/* and those after it */
};

static loff_t filter_list_position(struct filter_file *ff)
{
	return (loff_t)ff->section << SECTION_SHIFT | ff->iter.pos;
}

static bool filter_lists(struct filter_file *ff, const struct dyn_ftrace *site)
{
	if (ff->probe)
		return trace_func_probe_has(ff->probe, site);
	if (ff->edit.hash)
		return ftrace_hash_has(ff->edit.hash, ftrace_site_ip(site)) ||
		       trace_judge_edit_has(&ff->edit.rules, ftrace_site_ip(site));
	return ftrace_ops_filter_has(&ff->fns->ops, ftrace_site_ip(site), ff->exclude);
}

/* Does the filter, or the writer's copy, name every function? */
static bool filter_is_empty(struct filter_file *ff)
{
	if (ff->edit.hash)
		return trace_filter_edit_empty(&ff->edit);
	return ftrace_ops_filter_empty(&ff->fns->ops, ff->exclude);
}

/*
 * Go to entry @n of a section. NULL: it has no such entry, and if @end is set, there is no
 * such section either.
 */
static void *filter_enter_section(struct filter_file *ff, unsigned int section,
				  unsigned long n, bool *end)
{
	*end = false;
	ff->section = section;
	ff->probe = NULL;
	if (section == SECTION_PENDING) {
		ff->iter.pos = n;
		return ff->edit.hash ? trace_filter_edit_nth(&ff->edit, n) :
				       trace_pending_nth(ff->fns, ff->exclude, n);
	}
	if (section >= SECTION_PROBES) {
		if (!ff->exclude)
			ff->probe = trace_func_probe_nth(ff->fns, section - SECTION_PROBES);
		if (!ff->probe) {
			*end = true;
			return NULL;
		}
	}
	return ftrace_site_seek(&ff->iter, n);
}

/* The first listed entry from @v on, in this section and those behind it. */
static void *filter_next_listed(struct filter_file *ff, void *v)
{
	bool end;

	for (;;) {
		if (v && ff->section == SECTION_PENDING)
			return v;
		for (; v; v = ftrace_site_next(&ff->iter)) {
			if (filter_lists(ff, v))
				return v;
		}
		v = filter_enter_section(ff, ff->section + 1, 0, &end);
		if (end)
			return NULL;
	}
}

static void *filter_list_start(struct seq_file *m, loff_t *pos)
{
	struct filter_file *ff = m->private;
	void *v;
	bool end;

	mutex_lock(&ff->lock);
	trace_func_commands_lock();
	trace_pending_lock();
	ftrace_lock();
	/* A set_ftrace_filter that only waits for modules is not empty. */
	if (!*pos && filter_is_empty(ff))
		return SEQ_START_TOKEN;
	v = filter_enter_section(ff, *pos >> SECTION_SHIFT, lower_32_bits(*pos), &end);
	if (end)
		return NULL;
	v = filter_next_listed(ff, v);
	if (v)
		*pos = filter_list_position(ff);
	return v;
}

static void *filter_list_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct filter_file *ff = m->private;
	bool end;

	if (v == SEQ_START_TOKEN) {
		ff->section = SECTION_FILTER;
		v = NULL;
	} else if (ff->section == SECTION_PENDING) {
		v = filter_enter_section(ff, SECTION_PENDING, ff->iter.pos + 1, &end);
	} else {
		v = ftrace_site_next(&ff->iter);
	}
	v = filter_next_listed(ff, v);
	*pos = v ? filter_list_position(ff) : (loff_t)(ff->section + 1) << SECTION_SHIFT;
	return v;
}

static void filter_list_stop(struct seq_file *m, void *v)
{
	struct filter_file *ff = m->private;

	ftrace_unlock();
	trace_pending_unlock();
	trace_func_commands_unlock();
	mutex_unlock(&ff->lock);
}

static int filter_list_show(struct seq_file *m, void *v)
{
	struct filter_file *ff = m->private;

	if (v == SEQ_START_TOKEN)
		seq_puts(m, ff->exclude ? "#### no functions disabled ####\n"
					: "#### all functions enabled ####\n");
	else if (ff->section == SECTION_PENDING)
		trace_pending_show(m, v);
	else if (ff->probe)
		return trace_func_probe_show(m, ff->probe, v);
	else if (ff->exclude || !trace_judge_show(m, &ff->fns->judge, &ff->edit.rules,
						  ff->edit.hash, v))
		return trace_list_show_name(m, v);
	return 0;
}

static const struct seq_operations filter_list_ops = {
	.start	= filter_list_start,
	.next	= filter_list_next,
	.stop	= filter_list_stop,
	.show	= filter_list_show,
};

/* Writing */

/* A write that is long enough for so many names of this length prepares for them. */
#define MANY_NAMES	100
#define NAME_LENGTH	18

static int filter_take_word(char *word, void *edit)
{
	return trace_filter_edit_take(edit, word);
}

static ssize_t filter_write(struct file *file, const char __user *ubuf,
			    size_t count, loff_t *ppos)
{
	struct filter_file *ff = file->private_data;
	size_t taken;
	int ret;

	if (file->f_mode & FMODE_READ)
		ff = ((struct seq_file *)file->private_data)->private;

	guard(mutex)(&ff->lock);
	if (count >= MANY_NAMES * NAME_LENGTH)
		ftrace_names_expect(count / NAME_LENGTH);
	ret = trace_words_write(&ff->words, ubuf, count, &taken, filter_take_word, &ff->edit);
	*ppos += taken;
	return taken ?: ret;
}

/* Open and close */

static int filter_writer_init(struct filter_file *ff, bool truncate)
{
	int ret = trace_words_init(&ff->words, FILTER_WORD_MAX);

	if (ret)
		return ret;
	ff->words.clause = TRACE_JUDGE_CLAUSE;
	ret = trace_filter_edit_begin(&ff->edit, ff->fns, ff->exclude, truncate);
	if (ret)
		trace_words_free(&ff->words);
	return ret;
}

/* @own: not those of the instance that the file is in; NULL: those. */
static int filter_open(struct inode *inode, struct file *file, struct trace_functions *own,
		       bool exclude)
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
	ff->fns = own ?: trace_functions_of(tr);
	ff->exclude = exclude;
	mutex_init(&ff->lock);
	if (file->f_mode & FMODE_WRITE) {
		ret = filter_writer_init(ff, file->f_flags & O_TRUNC);
		if (ret)
			goto free;
	}
	if (file->f_mode & FMODE_READ) {
		ret = seq_open(file, &filter_list_ops);
		if (ret)
			goto cancel;
		((struct seq_file *)file->private_data)->private = ff;
		/* Without memory for an index, names are found one by one. */
		ftrace_names_prepare(NULL);
	} else {
		file->private_data = ff;
	}
	return 0;
cancel:
	if (file->f_mode & FMODE_WRITE) {
		trace_filter_edit_cancel(&ff->edit);
		trace_words_free(&ff->words);
	}
free:
	kfree(ff);
put:
	trace_array_put(tr);
	return ret;
}

static int filter_open_trace(struct inode *inode, struct file *file)
{
	return filter_open(inode, file, NULL, false);
}

static int filter_open_notrace(struct inode *inode, struct file *file)
{
	return filter_open(inode, file, NULL, true);
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
		trace_words_end(&ff->words, filter_take_word, &ff->edit);
		if (ff->words.good || !ff->words.bad)
			trace_filter_edit_commit(&ff->edit);
		else
			trace_filter_edit_cancel(&ff->edit);
		trace_words_free(&ff->words);
	}
	kfree(ff);
	trace_array_put(tr);
	return 0;
}

static const struct file_operations filter_fops = {
	.open		= filter_open_trace,
	.read		= seq_read,
	.write		= filter_write,
	.llseek		= trace_file_llseek,
	.release	= filter_release,
};

static const struct file_operations notrace_fops = {
	.open		= filter_open_notrace,
	.read		= seq_read,
	.write		= filter_write,
	.llseek		= trace_file_llseek,
	.release	= filter_release,
};

/**
 * trace_filter_create_files - the two filter files of an instance
 * @fns:	the instance's functions
 * @dir:	its folder
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0 or -ENOMEM.
 */
int trace_filter_create_files(struct trace_functions *fns, struct dentry *dir)
{
	if (!tracefs_create_file("set_ftrace_filter", 0640, dir, fns->tr, &filter_fops) ||
	    !tracefs_create_file("set_ftrace_notrace", 0640, dir, fns->tr, &notrace_fops))
		return -ENOMEM;
	return 0;
}

#ifdef CONFIG_STACK_TRACER
static int filter_open_stack(struct inode *inode, struct file *file)
{
	return filter_open(inode, file, trace_stack_functions(), false);
}

static const struct file_operations stack_filter_fops = {
	.open		= filter_open_stack,
	.read		= seq_read,
	.write		= filter_write,
	.llseek		= trace_file_llseek,
	.release	= filter_release,
};

/**
 * trace_filter_create_stack_file - the filter file of the stack tracer
 * @top:	the top instance
 * @dir:	its folder
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int trace_filter_create_stack_file(struct trace_array *top, struct dentry *dir)
{
	if (!tracefs_create_file("stack_trace_filter", 0640, dir, top, &stack_filter_fops))
		return -ENOMEM;
	return 0;
}
#endif
