// SPDX-License-Identifier: GPL-2.0
/* The file "hist" of an event: all of its histograms, the oldest first. */
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
#include "record/kind.h"

#define HIST_FILE_SIZE	65536	/* bytes of text to begin with; a longer one is read again */

/* A histogram to be shown, and a copy of its filter's text. */
struct hist_section {
	struct hist_trigger	*ht;
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
		if (s->ht)
			trace_hist_trigger_put(s->ht);
		kfree(s->filter);
	}
	kfree(sections);
}

/**
 * trace_hist_file_show - show all histograms of an event
 * @m: the file
 * @file: the event of an instance; the caller has a reference
 *
 * The events mutex is not held while hits are waited for.
 *
 * Context: task, may sleep; takes the events mutex.
 * Return: 0; -ENODEV: the event is gone; -ENOMEM.
 */
int trace_hist_file_show(struct seq_file *m, struct trace_event_file *file)
{
	struct hist_section *sections = NULL;
	int nr = hist_sections_get(file, &sections), ret = min(nr, 0);

	for (int i = 0; i < nr && !ret; i++) {
		if (i)
			seq_puts(m, "\n\n");
		ret = trace_hist_show(m, sections[i].ht, sections[i].filter);
	}
	hist_sections_put(sections);
	return ret;
}

/* Hits of all histograms of an event. The events mutex is held. */
static u64 hist_seen(struct trace_event_file *file)
{
	struct trace_trigger *trigger;
	u64 seen = 0;

	for_each_trace_trigger(trigger, file) {
		if (hist_is_trigger(trigger))
			seen += trace_map_seen(hist_trigger_of(trigger)->hist->map);
	}
	return seen;
}

/* Hits that come while the table is made are new. */
static int hist_show(struct seq_file *m, void *v)
{
	struct hist_open_file *open = m->private;

	trace_hist_file_told(open, true);
	return trace_hist_file_show(m, open->file);
}

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
	int ret;

	if (!open)
		return -ENOMEM;
	open->file = inode->i_private;
	filp->private_data = NULL;	/* single_open() wants it unused */
	ret = single_open_size(filp, hist_show, open, HIST_FILE_SIZE);
	if (ret) {
		kfree(open);
		return ret;
	}
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
	kfree(open);
	single_release(inode, filp);
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
