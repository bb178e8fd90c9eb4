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
		nr += trigger->command == &trace_hist_command;
	*sections = kcalloc(nr + 1, sizeof(**sections), GFP_KERNEL);
	if (!*sections)
		return -ENOMEM;
	nr = 0;
	for_each_trace_trigger(trigger, file) {
		if (!ret && trigger->command == &trace_hist_command)
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

static int hist_show(struct seq_file *m, void *v)
{
	return trace_hist_file_show(m, m->private);
}

static int hist_open(struct inode *inode, struct file *filp)
{
	int ret = trace_event_file_open(inode, filp);

	if (ret)
		return ret;
	filp->private_data = NULL;	/* single_open() wants it unused */
	ret = single_open_size(filp, hist_show, inode->i_private, HIST_FILE_SIZE);
	if (ret)
		trace_event_file_release(inode, filp);
	return ret;
}

static int hist_release(struct inode *inode, struct file *filp)
{
	single_release(inode, filp);
	return trace_event_file_release(inode, filp);
}

static const struct file_operations hist_fops = {
	.open		= hist_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= hist_release,
};

static int hist_entry(const char *name, umode_t *mode, void **data,
		      const struct file_operations **fops)
{
	struct trace_event_file *file = *data;

	*mode = 0440;
	*fops = &hist_fops;
	return trace_event_usable(file->event_call) ||
	       file->event_call->event.type == TRACE_PRINT;
}

/* Boot, once; the events mutex is held. */
void __init trace_hist_files_init(void)
{
	static const struct eventfs_entry entry __initconst = { "hist", hist_entry };

	WARN_ON(trace_event_dir_add(TRACE_EVENT_DIR_EVENT, &entry));
}
