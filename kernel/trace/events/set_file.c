// SPDX-License-Identifier: GPL-2.0
/*
 * The files set_event and available_events: events by name. Reading lists
 * "SYSTEM:EVENT" of those that are on, or of all; writing to set_event
 * switches on what the words name, off with a leading '!'; opening it for
 * writing without append switches all events off first. Behind the events that are on stand
 * those of modules to come, see pending.c. set_event_at_once takes the name of a system, with a
 * leading '!' to switch it off, see at_once.c.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/tracefs.h>

#include "events/internal.h"
#include "instance/buffers.h"
#include "instance/file.h"

#define SET_SYSTEM_MAX	96	/* bytes that are written to set_event_at_once */

/* An open set_event or available_events. */
struct event_list {
	struct trace_array	*tr;		/* constant */
	bool			only_on;	/* constant, set_event */
	bool			pending;	/* events mutex; what is listed is to come */
};

static bool event_set_list_has(const struct event_list *list, const struct trace_event_file *file)
{
	return trace_event_usable(file->event_call) &&
	       (!list->only_on || file->flags & EVENT_FILE_FL_ENABLED);
}

/* The first entry that is listed, from the event @v on, which is the one at @pos. */
static void *event_set_list_from(struct event_list *list, void *v, loff_t *pos)
{
	struct trace_events *events = trace_events_of(list->tr);

	while (v && !event_set_list_has(list, list_entry(v, struct trace_event_file, list)))
		v = seq_list_next(v, &events->files, pos);
	list->pending = !v && list->only_on;
	if (!list->pending)
		return v;
	return seq_list_start(&events->pending, *pos - list_count_nodes(&events->files));
}

static void *event_set_list_start(struct seq_file *m, loff_t *pos)
{
	struct event_list *list = m->private;

	trace_events_lock();
	return event_set_list_from(list, seq_list_start(&trace_events_of(list->tr)->files, *pos),
				   pos);
}

static void *event_set_list_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct event_list *list = m->private;
	struct trace_events *events = trace_events_of(list->tr);

	if (list->pending)
		return seq_list_next(v, &events->pending, pos);
	return event_set_list_from(list, seq_list_next(v, &events->files, pos), pos);
}

static void event_set_list_stop(struct seq_file *m, void *v)
{
	trace_events_unlock();
}

static int event_set_list_show(struct seq_file *m, void *v)
{
	const struct trace_event_file *file = list_entry(v, struct trace_event_file, list);
	const struct event_list *list = m->private;

	if (list->pending) {
		trace_event_pending_show(m, v);
		return 0;
	}
	seq_printf(m, "%s:%s\n", file->event_call->class->system,
		   trace_event_name(file->event_call));
	return 0;
}

static const struct seq_operations event_list_ops = {
	.start	= event_set_list_start,
	.next	= event_set_list_next,
	.stop	= event_set_list_stop,
	.show	= event_set_list_show,
};

static int event_set_list_open(struct inode *inode, struct file *filp, bool only_on)
{
	struct event_list *list;
	int ret = trace_array_open(inode->i_private);

	if (ret)
		return ret;
	list = __seq_open_private(filp, &event_list_ops, sizeof(*list));
	if (!list) {
		trace_array_put(inode->i_private);
		return -ENOMEM;
	}
	list->tr = inode->i_private;
	list->only_on = only_on;
	return 0;
}

static int event_set_list_release(struct inode *inode, struct file *filp)
{
	trace_array_put(inode->i_private);
	return seq_release_private(inode, filp);
}

static int set_available_events_open(struct inode *inode, struct file *filp)
{
	return event_set_list_open(inode, filp, false);
}

static int set_event_open(struct inode *inode, struct file *filp)
{
	int ret = event_set_list_open(inode, filp, true);

	if (!ret && trace_file_truncates(filp)) {
		guard(trace_instances)();
		guard(trace_events)();
		trace_events_disable_all(inode->i_private);
		trace_event_pending_clear(trace_events_of(inode->i_private));
	}
	return ret;
}

static int set_event_apply(struct trace_array *tr, char *word)
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
static ssize_t set_event_write(struct file *filp, const char __user *ubuf, size_t count,
			       loff_t *ppos)
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
		ret = set_event_apply(tr, words.word);
		trace_buffers_settle();
		if (ret)
			done = ret;
	}
	trace_words_free(&words);
	if (done > 0)
		*ppos += done;
	return done;
}

static const struct file_operations available_events_fops = {
	.open		= set_available_events_open,
	.read		= seq_read,
	.llseek		= trace_file_llseek,
	.release	= event_set_list_release,
};

static const struct file_operations set_event_fops = {
	.open		= set_event_open,
	.read		= seq_read,
	.write		= set_event_write,
	.llseek		= trace_file_llseek,
	.release	= event_set_list_release,
};

static ssize_t set_event_at_once_write(struct file *filp, const char __user *ubuf, size_t count,
				       loff_t *ppos)
{
	char text[SET_SYSTEM_MAX], *word;
	ssize_t ret = trace_file_get_text(text, sizeof(text), ubuf, count);
	bool on;

	if (ret < 0)
		return ret;
	word = strim(text);
	on = *word != '!';
	ret = trace_events_switch_at_once(trace_file_tr(filp), on ? word : word + 1, on);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

static const struct file_operations set_event_at_once_fops = {
	.open		= trace_array_generic_open,
	.write		= set_event_at_once_write,
	.llseek		= trace_file_llseek,
	.release	= trace_array_generic_release,
};

int trace_event_set_files_create(struct trace_array *tr, struct dentry *dir)
{
	if (!tracefs_create_file("set_event", 0640, dir, tr, &set_event_fops) ||
	    !tracefs_create_file("set_event_at_once", 0200, dir, tr, &set_event_at_once_fops))
		return -ENOMEM;
	if (tr == trace_top_instance() &&
	    !tracefs_create_file("available_events", 0440, dir, tr, &available_events_fops))
		return -ENOMEM;
	return 0;
}
