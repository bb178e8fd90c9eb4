// SPDX-License-Identifier: GPL-2.0
/*
 * The files "filter" of events and systems, and "show_event_filters", which lists the filters of
 * events. Writing sets the filter, "0" takes it away; reading an event's shows the text, "none"
 * without one. A text with an error changes what the file shows, and nothing else: the file says
 * what is wrong and where, as the error log does.
 */
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>

#include "events/calls.h"
#include "events/events.h"
#include "events/file.h"
#include "events/filter/apply.h"
#include "events/filter/filter.h"
#include "instance/file.h"

static ssize_t filter_show_text(const char *text, char __user *ubuf, size_t count, loff_t *ppos)
{
	ssize_t ret = -ENOMEM;
	char *line = text ? kasprintf(GFP_KERNEL, "%s\n", text) : NULL;

	if (line)
		ret = simple_read_from_buffer(ubuf, count, ppos, line, strlen(line));
	kfree(line);
	return ret;
}

static ssize_t filter_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct trace_event_file *file = filp->private_data;
	char *text = NULL;
	ssize_t ret;

	scoped_guard(trace_events) {
		if (trace_event_file_is_gone(file))
			return -ENODEV;
		text = trace_event_filter_shown(file);
	}
	ret = filter_show_text(text, ubuf, count, ppos);
	kfree(text);
	return ret;
}

static char *filter_copy_text(const char __user *ubuf, size_t count)
{
	if (count >= TRACE_EVENT_FILTER_MAX)
		return ERR_PTR(-EINVAL);
	return memdup_user_nul(ubuf, count);
}

static ssize_t event_filter_write(struct file *filp, const char __user *ubuf, size_t count,
				  loff_t *ppos)
{
	struct trace_event_file *file = filp->private_data;
	char *text = filter_copy_text(ubuf, count);
	int ret = -ENODEV;

	if (IS_ERR(text))
		return PTR_ERR(text);
	scoped_guard(trace_events) {
		if (!trace_event_file_is_gone(file))
			ret = trace_event_filter_set(file, text);
	}
	kfree(text);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

static const struct file_operations filter_fops = {
	.open		= trace_event_file_open,
	.read		= filter_read,
	.write		= event_filter_write,
	.llseek		= default_llseek,
	.release	= trace_event_file_release,
};

static ssize_t filter_system_read(struct file *filp, char __user *ubuf, size_t count,
				  loff_t *ppos)
{
	struct trace_subsystem_dir *system = filp->private_data;
	char *text;
	ssize_t ret;

	scoped_guard(trace_events)
		text = trace_event_system_filter_shown(system);
	ret = filter_show_text(text, ubuf, count, ppos);
	kfree(text);
	return ret;
}

static ssize_t filter_system_write(struct file *filp, const char __user *ubuf, size_t count,
				   loff_t *ppos)
{
	struct trace_subsystem_dir *system = filp->private_data;
	char *text = filter_copy_text(ubuf, count);
	int ret = -ENODEV;

	if (IS_ERR(text))
		return PTR_ERR(text);
	scoped_guard(trace_events) {
		if (system->nr_events)
			ret = trace_event_system_filter_set(system, text);
	}
	kfree(text);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

static const struct file_operations system_filter_fops = {
	.open		= trace_event_system_open,
	.read		= filter_system_read,
	.write		= filter_system_write,
	.llseek		= default_llseek,
	.release	= trace_event_system_release,
};

/* Of each event of an instance that has a filter, "SYSTEM:EVENT", a tab and the text. */
static int filter_all_show(struct seq_file *m, void *v)
{
	struct trace_event_file *file;

	guard(trace_events)();
	for_each_trace_event_file(file, trace_seq_file_tr(m)) {
		const char *text = trace_event_filter_text(file);

		/* A filter of the system that did not fit has left a text, and filters nothing. */
		if (text && (file->flags & EVENT_FILE_FL_FILTERED))
			seq_printf(m, "%s:%s\t%s\n", file->event_call->class->system,
				   trace_event_name(file->event_call), text);
	}
	return 0;
}

DEFINE_TRACE_FILE_RO(filter_all);

static int filter_create_files(struct trace_array *tr, struct dentry *dir)
{
	return trace_create_file("show_event_filters", 0440, tr, &filter_all_fops);
}

struct trace_component trace_event_filter_files_component __ro_after_init = {
	.name		= "files of event filters",
	.create_files	= filter_create_files,
};

static int filter_entry(const char *name, umode_t *mode, void **data,
			const struct file_operations **fops)
{
	struct trace_event_file *file = *data;

	*mode = 0640;
	*fops = &filter_fops;
	return trace_event_usable(file->event_call);
}

static int filter_system_entry(const char *name, umode_t *mode, void **data,
			       const struct file_operations **fops)
{
	*mode = 0640;
	*fops = &system_filter_fops;
	return 1;
}

/**
 * trace_event_filters_init - give events and systems their files "filter"
 *
 * Context: boot, once; the events mutex is held.
 */
void __init trace_event_filters_init(void)
{
	static const struct eventfs_entry event __initconst = { "filter", filter_entry };
	static const struct eventfs_entry system __initconst = { "filter", filter_system_entry };

	WARN_ON(trace_event_dir_add(TRACE_EVENT_DIR_EVENT, &event) ||
		trace_event_dir_add(TRACE_EVENT_DIR_SYSTEM, &system));
	trace_event_filter_part_add();
}
