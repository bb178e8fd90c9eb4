// SPDX-License-Identifier: GPL-2.0
/*
 * The file "hist" of an event: all of its histograms, the oldest first. A reader who begins at the
 * beginning gets the histograms of that moment, with as many read() as it takes.
 */
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracefs.h>

#include "events/calls.h"
#include "events/file.h"
#include "events/filter/filter.h"
#include "events/hist/internal.h"
#include "events/hist/poll.h"
#include "events/hist/tables.h"
#include "record/kind.h"

#define HIST_FILE_SIZE	65536	/* bytes of text that a read() may get */

/* A histogram to be shown, and a copy of its filter's text. The last one has no histogram. */
struct hist_section {
	struct hist_trigger	*ht;
	struct hist_tables	*tables;
	char			*filter;
};

static int hist_section_add(struct hist_section *section, const struct trace_trigger *trigger)
{
	if (trigger->filter) {
		section->filter = kstrdup(trace_filter_text(trigger->filter), GFP_KERNEL);
		if (!section->filter)
			return -ENOMEM;
	}
	section->ht = hist_trigger_of(trigger);
	refcount_inc(&section->ht->ref);
	return 0;
}

/* Get references to all histograms of an event. The number, or an errno. */
static int hist_sections_get(struct trace_event_file *file, struct hist_section **sections)
{
	struct trace_trigger *trigger;
	int nr = 0, ret = 0;

	guard(trace_events)();
	if (trace_event_file_is_gone(file))
		return -ENODEV;
	for_each_trace_trigger(trigger, file)
		nr += hist_is_trigger(trigger);
	*sections = kcalloc(nr + 1, sizeof(**sections), GFP_KERNEL);
	if (!*sections)
		return -ENOMEM;
	nr = 0;
	for_each_trace_trigger(trigger, file) {
		if (!ret && hist_is_trigger(trigger))
			ret = hist_section_add(&(*sections)[nr++], trigger);
	}
	return ret ?: nr;
}

static void hist_sections_put(struct hist_section *sections)
{
	for (struct hist_section *s = sections; s && (s->ht || s->filter); s++) {
		if (s->tables)
			trace_hist_tables_free(s->tables);
		if (s->ht)
			trace_hist_trigger_put(s->ht);
		kfree(s->filter);
	}
	kfree(sections);
}

/* Hits of all histograms of an event. The events mutex is held. */
static u64 hist_seen(struct trace_event_file *file)
{
	struct trace_trigger *trigger;
	u64 seen = 0;

	for_each_trace_trigger(trigger, file) {
		if (hist_is_trigger(trigger))
			seen += trace_hist_seen(hist_trigger_of(trigger)->hist);
	}
	return seen;
}

/**
 * trace_hist_file_begin - read all histograms of an event
 * @open: the open file
 *
 * Hits that come meanwhile are new. The events mutex is not held while hits are waited for.
 *
 * Context: task, may sleep; takes the events mutex.
 * Return: 0; -ENODEV: the event is gone; -ENOMEM.
 */
int trace_hist_file_begin(struct hist_open_file *open)
{
	int ret;

	trace_hist_file_end(open);
	trace_hist_file_told(open, true);
	ret = hist_sections_get(open->file, &open->sections);
	for (struct hist_section *s = open->sections; ret >= 0 && s->ht; s++) {
		struct hist_tables *tables = trace_hist_tables_make(s->ht, open->file->tr);

		if (IS_ERR(tables))
			ret = PTR_ERR(tables);
		else
			s->tables = tables;
	}
	if (ret < 0)
		trace_hist_file_end(open);
	return min(ret, 0);
}

/**
 * trace_hist_file_end - undo trace_hist_file_begin()
 * @open: the open file
 *
 * Context: task, may sleep.
 */
void trace_hist_file_end(struct hist_open_file *open)
{
	hist_sections_put(open->sections);
	open->sections = NULL;
}

/* The histogram that has a part of the text; *@part becomes that of the histogram. */
static const struct hist_section *hist_section_at(const struct hist_open_file *open, loff_t *part)
{
	const struct hist_section *s = open->sections;

	for (; s && s->ht; s++) {
		unsigned int parts = trace_hist_tables_parts(s->tables);

		if (*part < parts)
			return s;
		*part -= parts;
	}
	return NULL;
}

/**
 * trace_hist_file_show - show a part of the histograms of an event
 * @m: the file
 * @open: trace_hist_file_begin() has read them
 * @part: the parts of trace_hist_tables_show(), of one after the other
 *
 * Context: task, may sleep.
 * Return: true if there is such a part, and it was shown.
 */
bool trace_hist_file_show(struct seq_file *m, const struct hist_open_file *open, loff_t part)
{
	const struct hist_section *s = hist_section_at(open, &part);

	if (!s)
		return false;
	if (!part && s != open->sections)
		seq_puts(m, "\n\n");
	return trace_hist_tables_show(m, s->tables, part, s->filter);
}

static void *hist_at(struct hist_open_file *open, const loff_t *pos)
{
	loff_t part = *pos;

	return hist_section_at(open, &part) ? open : NULL;
}

static void *hist_start(struct seq_file *m, loff_t *pos)
{
	struct hist_open_file *open = m->private;
	int ret = *pos ? 0 : trace_hist_file_begin(open);

	return ret ? ERR_PTR(ret) : hist_at(open, pos);
}

static void *hist_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return hist_at(v, pos);
}

static void hist_stop(struct seq_file *m, void *v)
{
}

static int hist_show(struct seq_file *m, void *v)
{
	trace_hist_file_show(m, v, m->index);
	return 0;
}

static const struct seq_operations hist_seq_ops = {
	.start	= hist_start,
	.next	= hist_next,
	.stop	= hist_stop,
	.show	= hist_show,
};

/* All hits so far are known to the reader of a file, or, without @read, to its poll(). */
void trace_hist_file_told(struct hist_open_file *open, bool read)
{
	guard(trace_events)();
	if (trace_event_file_is_gone(open->file))
		return;
	open->told = hist_seen(open->file);
	if (read)
		open->read = open->told;
}

/* poll() tells of hits that were not read, and of those that it has not told of. */
__poll_t trace_hist_file_poll(struct hist_open_file *open, struct file *filp, poll_table *wait)
{
	__poll_t ret = 0;
	u64 seen;

	guard(trace_events)();
	if (!open->polled)
		atomic_inc(&trace_hist_polled);
	open->polled = true;
	/* Hits that come from here on wake the task. */
	trace_hist_poll_wait(filp, wait);
	if (trace_event_file_is_gone(open->file))
		return EPOLLERR;
	seen = hist_seen(open->file);
	if (seen != open->read)
		ret |= EPOLLIN | EPOLLRDNORM;
	if (seen != open->told)
		ret |= EPOLLPRI;
	open->told = seen;
	return ret;
}

static __poll_t hist_poll(struct file *filp, poll_table *wait)
{
	return trace_hist_file_poll(((struct seq_file *)filp->private_data)->private, filp, wait);
}

static int hist_open_alloc(struct inode *inode, struct file *filp)
{
	struct hist_open_file *open = kzalloc(sizeof(*open), GFP_KERNEL);
	char *text = kvmalloc(HIST_FILE_SIZE, GFP_KERNEL);
	struct seq_file *m;
	int ret = -ENOMEM;

	filp->private_data = NULL;	/* seq_open() wants it unused */
	if (open && text)
		ret = seq_open(filp, &hist_seq_ops);
	if (ret) {
		kvfree(text);
		kfree(open);
		return ret;
	}
	m = filp->private_data;
	m->buf = text;
	m->size = HIST_FILE_SIZE;
	m->private = open;
	open->file = inode->i_private;
	trace_hist_file_told(open, false);
	return 0;
}

static int hist_open(struct inode *inode, struct file *filp)
{
	int ret = trace_event_file_open(inode, filp);

	if (ret)
		return ret;
	ret = hist_open_alloc(inode, filp);
	if (ret)
		trace_event_file_release(inode, filp);
	return ret;
}

static int hist_release(struct inode *inode, struct file *filp)
{
	struct hist_open_file *open = ((struct seq_file *)filp->private_data)->private;

	if (open->polled)
		atomic_dec(&trace_hist_polled);
	trace_hist_file_end(open);
	kfree(open);
	seq_release(inode, filp);
	return trace_event_file_release(inode, filp);
}

static const struct file_operations hist_fops = {
	.open		= hist_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.poll		= hist_poll,
	.release	= hist_release,
};

static int hist_entry(const char *name, umode_t *mode, void **data,
		      const struct file_operations **fops)
{
	struct trace_event_file *file = *data;

	*mode = 0440;
	*fops = &hist_fops;
	return trace_event_has_triggers(file->event_call);
}

/* Tasks in poll() look at the event again, when it has gone. */
static void hist_goes(struct trace_event_file *file)
{
	trace_hist_poll_wake();
}

static struct trace_event_part hist_part = { .goes = hist_goes };

/* Boot, once; the events mutex is held. */
void __init trace_hist_files_init(void)
{
	static const struct eventfs_entry entry __initconst = { "hist", hist_entry };

	trace_event_part_add(&hist_part);
	WARN_ON(trace_event_dir_add(TRACE_EVENT_DIR_EVENT, &entry));
}
