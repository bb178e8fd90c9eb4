// SPDX-License-Identifier: GPL-2.0
/*
 * The files set_event and available_events: events by name. Reading lists
 * "SYSTEM:EVENT" of those that are on, or of all; writing to set_event
 * switches on what the words name, off with a leading '!'; opening it for
 * writing without append switches all events off first.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/tracefs.h>

#include "events/internal.h"

static void *list_start(struct seq_file *m, loff_t *pos)
{
	struct trace_array *tr = m->private;

	trace_events_lock();
	return seq_list_start(&trace_events_of(tr)->files, *pos);
}

static void *list_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct trace_array *tr = m->private;

	return seq_list_next(v, &trace_events_of(tr)->files, pos);
}

static void list_stop(struct seq_file *m, void *v)
{
	trace_events_unlock();
}

static int available_show(struct seq_file *m, void *v)
{
	struct trace_event_file *file = list_entry(v, struct trace_event_file, list);
	struct trace_event_call *call = file->event_call;

	if (trace_event_usable(call))
		seq_printf(m, "%s:%s\n", call->class->system, trace_event_name(call));
	return 0;
}

static int enabled_show(struct seq_file *m, void *v)
{
	struct trace_event_file *file = list_entry(v, struct trace_event_file, list);

	return file->flags & EVENT_FILE_FL_ENABLED ? available_show(m, v) : 0;
}

static const struct seq_operations available_seq_ops = {
	.start	= list_start,
	.next	= list_next,
	.stop	= list_stop,
	.show	= available_show,
};

static const struct seq_operations enabled_seq_ops = {
	.start	= list_start,
	.next	= list_next,
	.stop	= list_stop,
	.show	= enabled_show,
};

static int list_open(struct inode *inode, struct file *filp, const struct seq_operations *ops)
{
	struct trace_array *tr = inode->i_private;
	int ret = trace_array_open(tr);

	if (ret)
		return ret;
	ret = seq_open(filp, ops);
	if (ret)
		trace_array_put(tr);
	else
		((struct seq_file *)filp->private_data)->private = tr;
	return ret;
}

static int available_open(struct inode *inode, struct file *filp)
{
	return list_open(inode, filp, &available_seq_ops);
}

static int set_open(struct inode *inode, struct file *filp)
{
	int ret = list_open(inode, filp, &enabled_seq_ops);

	if (!ret && (filp->f_mode & FMODE_WRITE) && (filp->f_flags & O_TRUNC)) {
		guard(trace_instances)();
		guard(trace_events)();
		trace_events_disable_all(inode->i_private);
	}
	return ret;
}

static int list_release(struct inode *inode, struct file *filp)
{
	trace_array_put(inode->i_private);
	return seq_release(inode, filp);
}

static int word_apply(struct trace_array *tr, char *word)
{
	bool on = *word != '!';

	guard(trace_instances)();
	guard(trace_events)();
	return trace_events_parse(tr, on ? word : word + 1, on);
}

/*
 * One word a call, as ever: a write is short when more follow, and an error
 * is about the first word of what was passed.
 */
static ssize_t set_write(struct file *filp, const char __user *ubuf, size_t count, loff_t *ppos)
{
	struct trace_array *tr = file_inode(filp)->i_private;
	struct trace_words words;
	bool complete;
	ssize_t done;
	int ret;

	if (!count)
		return 0;
	ret = trace_words_init(&words, TRACE_EVENTS_WORD_MAX);
	if (ret)
		return ret;
	done = trace_words_next(&words, ubuf, count, &complete);
	if (done >= 0 && words.len) {
		ret = word_apply(tr, words.word);
		if (ret)
			done = ret;
	}
	trace_words_free(&words);
	if (done > 0)
		*ppos += done;
	return done;
}

static const struct file_operations available_fops = {
	.open		= available_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= list_release,
};

static const struct file_operations set_fops = {
	.open		= set_open,
	.read		= seq_read,
	.write		= set_write,
	.llseek		= seq_lseek,
	.release	= list_release,
};

int trace_event_set_files_create(struct trace_array *tr, struct dentry *dir)
{
	if (!tracefs_create_file("set_event", 0640, dir, tr, &set_fops))
		return -ENOMEM;
	if (tr == trace_top_instance() &&
	    !tracefs_create_file("available_events", 0440, dir, tr, &available_fops))
		return -ENOMEM;
	return 0;
}
