// SPDX-License-Identifier: GPL-2.0
/*
 * set_graph_function, set_graph_notrace, max_graph_depth and graph_missed of an instance.
 *
 * A task that writes to one of the first two works on a copy of the set, made at open() (empty
 * with O_TRUNC), which comes into force as a whole at close(). A word that names no function,
 * or removes none, is refused with -EINVAL. When nothing but such words was written, the set
 * stays as it was. set_graph_function takes lines with a predicate as well.
 */
#include <linux/cleanup.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/tracefs.h>

#include "functions/functions.h"
#include "functions/judge.h"
#include "graph/graph.h"
#include "hooks/hooks.h"
#include "instance/file.h"
#include "lib/lib.h"
#include "sites/names.h"
#include "tracers/graph/internal.h"

/**
 * struct set_file - an open set_graph_function or set_graph_notrace
 * @graph:	of the instance
 * @set:	which of the two
 * @lock:	of this open file, for writers
 * @hash:	the writer's copy
 * @rules:	roots with predicates, of that copy
 * @words:	the words that are written
 * @iter:	the reader's site
 */
struct set_file {
	struct graph_instance	*graph;		/* constant */
	enum graph_set		set;		/* constant */
	struct mutex		lock;
	struct ftrace_hash	*hash;		/* file's lock */
	struct trace_judge_edit	rules;		/* file's lock */
	struct trace_words	words;		/* file's lock */
	struct ftrace_site_iter	iter;		/* file's lock; that of the seq_file */
};

static struct set_file *file_set_of(const struct file *file)
{
	if (file->f_mode & FMODE_READ)
		return ((struct seq_file *)file->private_data)->private;
	return file->private_data;
}

/* Listing. A position is the number of a site. */

static void *file_set_next_listed(struct set_file *sf, struct dyn_ftrace *site, loff_t *pos)
{
	struct ftrace_ops *owner = &sf->graph->sets[sf->set];

	while (site && !(ftrace_ops_filter_has(owner, ftrace_site_ip(site), false) &&
			 ftrace_site_name(site, NULL)))
		site = ftrace_site_next(&sf->iter);
	*pos = site ? sf->iter.pos : *pos + 1;
	return site;
}

static void *file_set_list_start(struct seq_file *m, loff_t *pos)
{
	struct set_file *sf = m->private;
	struct dyn_ftrace *site;

	ftrace_lock();
	if (ftrace_ops_filter_empty(&sf->graph->sets[sf->set], false))
		return *pos ? NULL : SEQ_START_TOKEN;
	site = ftrace_site_seek(&sf->iter, *pos);
	return site ? file_set_next_listed(sf, site, pos) : NULL;
}

static void *file_set_list_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct set_file *sf = m->private;

	if (v != SEQ_START_TOKEN)
		return file_set_next_listed(sf, ftrace_site_next(&sf->iter), pos);
	++*pos;
	return NULL;
}

static void file_set_list_stop(struct seq_file *m, void *v)
{
	ftrace_unlock();
}

static int file_set_list_show(struct seq_file *m, void *v)
{
	const struct set_file *sf = m->private;
	const char *name, *module;

	if (v != SEQ_START_TOKEN && sf->set == GRAPH_SET_ROOTS &&
	    trace_judge_show(m, &sf->graph->judge, NULL, NULL, v))
		return 0;

	if (v == SEQ_START_TOKEN) {
		seq_printf(m, "#### %s ####\n", sf->set == GRAPH_SET_ROOTS ?
			   "all functions enabled" : "no functions disabled");
		return 0;
	}
	name = ftrace_site_name(v, &module);
	seq_puts(m, name);
	if (module)
		seq_printf(m, " [%s]", module);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations set_list_ops = {
	.start	= file_set_list_start,
	.next	= file_set_list_next,
	.stop	= file_set_list_stop,
	.show	= file_set_list_show,
};

/* Writing */

static int file_set_take_word(char *word, void *data)
{
	struct set_file *sf = data;
	/* Parsing overwrites a '*' at the end. */
	char *copy __free(kfree) = strchr(word, '*') ? kstrdup(word, GFP_KERNEL) : NULL;
	unsigned long before = ftrace_hash_count(sf->hash);
	bool removes = *word == '!';
	bool known = false;
	int dropped = 0;
	long found;

	if (trace_judge_is_line(word))
		return sf->set == GRAPH_SET_ROOTS ? trace_judge_edit_take(&sf->rules, word) :
		       -EINVAL;
	/* A root that is removed loses its predicates, too. */
	if (removes)
		dropped = trace_judge_edit_drop(&sf->rules, word + 1);
	if (dropped < 0)
		return dropped;
	found = ftrace_hash_apply(sf->hash, word, NULL, NULL);
	/* None of those that it names was there. */
	if (found > 0 && removes && ftrace_hash_count(sf->hash) == before && !dropped) {
		known = true;
		found = 0;
	}
	if (!found) {
		word = copy ?: word;
		trace_functions_tell_unknown(sf->graph->tr, word, strlen(word), known);
	}
	return found > 0 ? 0 : found ?: -EINVAL;
}

/* Take words until one is refused. Returns how many bytes the taken ones have, or an errno. */
static ssize_t file_set_write(struct file *file, const char __user *ubuf, size_t count,
			      loff_t *ppos)
{
	struct set_file *sf = file_set_of(file);
	size_t taken;
	int ret;

	guard(mutex)(&sf->lock);
	ret = trace_words_write(&sf->words, ubuf, count, &taken, file_set_take_word, sf);
	*ppos += taken;
	return taken ?: ret;
}

static int file_set_prepare_writer(struct set_file *sf, bool truncate)
{
	int ret = trace_words_init(&sf->words, max(KSYM_NAME_LEN, TRACE_JUDGE_LINE_MAX));
	bool roots = sf->set == GRAPH_SET_ROOTS;

	if (ret)
		return ret;
	sf->words.clause = TRACE_JUDGE_CLAUSE;
	sf->hash = truncate ? ftrace_hash_alloc() :
			      ftrace_ops_filter_get(&sf->graph->sets[sf->set], false);
	if (sf->hash && !trace_judge_edit_begin(&sf->rules, &sf->graph->judge, sf->graph->tr,
						roots && !truncate ? sf->hash : NULL))
		return 0;
	ftrace_hash_free(sf->hash);
	sf->hash = NULL;
	trace_words_free(&sf->words);
	return -ENOMEM;
}

/* The set's functions are known, and so are its predicates. Under the instances lock. */
static int file_set_apply(struct ftrace_hash *hash, void *data)
{
	struct set_file *sf = data;

	return trace_graph_set_functions(sf->graph, sf->set, hash);
}

static int file_set_commit(struct set_file *sf)
{
	if (sf->set == GRAPH_SET_ROOTS)
		return trace_judge_edit_commit(&sf->rules, sf->hash, file_set_apply, sf);
	return file_set_apply(sf->hash, sf);
}

/* The last word needs no white space behind it. */
static void file_set_finish_writer(struct set_file *sf)
{
	int ret;

	trace_words_end(&sf->words, file_set_take_word, sf);
	trace_words_free(&sf->words);
	if (sf->words.bad && !sf->words.good) {
		ftrace_hash_free(sf->hash);
		trace_judge_edit_end(&sf->rules);
		return;
	}
	guard(trace_instances)();
	/* close() tells no error. */
	ret = file_set_commit(sf);
	trace_judge_edit_end(&sf->rules);
	if (ret)
		pr_warn("ftrace: what was written to %s is not in force: error %d\n",
			sf->set == GRAPH_SET_ROOTS ? "set_graph_function" : "set_graph_notrace",
			ret);
}

static int file_set_prepare_reader(struct file *file, struct set_file *sf)
{
	int ret = seq_open(file, &set_list_ops);

	if (ret)
		return ret;
	((struct seq_file *)file->private_data)->private = sf;
	/* Without memory for an index, names are found one by one. */
	ftrace_names_prepare(NULL);
	return 0;
}

/* Make what an open file has, for an instance that the caller has a reference of. */
static int file_set_open_file(struct file *file, struct trace_array *tr, enum graph_set set)
{
	struct set_file *sf = kzalloc(sizeof(*sf), GFP_KERNEL);
	int ret = 0;

	if (!sf)
		return -ENOMEM;
	sf->graph = trace_graph_of(tr);
	sf->set = set;
	mutex_init(&sf->lock);
	if (!(file->f_mode & FMODE_READ))
		file->private_data = sf;
	if (file->f_mode & FMODE_WRITE)
		ret = file_set_prepare_writer(sf, file->f_flags & O_TRUNC);
	if (!ret && file->f_mode & FMODE_READ) {
		ret = file_set_prepare_reader(file, sf);
		if (ret && sf->hash) {
			ftrace_hash_free(sf->hash);
			trace_judge_edit_end(&sf->rules);
			trace_words_free(&sf->words);
		}
	}
	if (ret)
		kfree(sf);
	return ret;
}

static int file_set_open(struct inode *inode, struct file *file, enum graph_set set)
{
	struct trace_array *tr = inode->i_private;
	int ret;

	if (ftrace_sites_dead())
		return -ENODEV;
	ret = trace_array_open(tr);
	if (ret)
		return ret;
	ret = file_set_open_file(file, tr, set);
	if (ret)
		trace_array_put(tr);
	return ret;
}

static int file_set_open_roots(struct inode *inode, struct file *file)
{
	return file_set_open(inode, file, GRAPH_SET_ROOTS);
}

static int file_set_open_muted(struct inode *inode, struct file *file)
{
	return file_set_open(inode, file, GRAPH_SET_MUTED);
}

static int file_set_release(struct inode *inode, struct file *file)
{
	struct set_file *sf = file_set_of(file);

	if (file->f_mode & FMODE_READ)
		seq_release(inode, file);
	if (file->f_mode & FMODE_WRITE)
		file_set_finish_writer(sf);
	trace_array_put(sf->graph->tr);
	kfree(sf);
	return 0;
}

#define DEFINE_SET_FOPS(_set)						\
static const struct file_operations set_##_set##_fops = {		\
	.open		= file_set_open_##_set,				\
	.read		= seq_read,					\
	.write		= file_set_write,				\
	.llseek		= trace_file_llseek,				\
	.release	= file_set_release,				\
}

DEFINE_SET_FOPS(roots);
DEFINE_SET_FOPS(muted);

static int graph_file_depth_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%u\n", READ_ONCE(trace_graph_of(trace_seq_file_tr(m))->depth));
	return 0;
}

static int graph_file_depth_set(struct file *file, unsigned long depth)
{
	if (depth > UINT_MAX)
		return -ERANGE;
	trace_graph_set_depth(trace_graph_of(trace_file_tr(file)), depth);
	return 0;
}

DEFINE_TRACE_FILE_NUMBER(graph_file_depth);

static int graph_file_missed_show(struct seq_file *m, void *v)
{
	fgraph_show_missed(m, &trace_graph_of(trace_seq_file_tr(m))->gops);
	return 0;
}

DEFINE_TRACE_FILE_RO(graph_file_missed);

/**
 * trace_graph_create_files - the files of an instance
 * @graph: of the instance
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0 or -ENOMEM.
 */
int trace_graph_create_files(struct graph_instance *graph)
{
	struct trace_array *tr = graph->tr;

	return trace_create_file("set_graph_function", 0640, tr, &set_roots_fops) ?:
	       trace_create_file("set_graph_notrace", 0640, tr, &set_muted_fops) ?:
	       trace_create_file("max_graph_depth", 0640, tr, &graph_file_depth_fops) ?:
	       trace_create_file("graph_missed", 0440, tr, &graph_file_missed_fops);
}
