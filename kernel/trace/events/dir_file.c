// SPDX-License-Identifier: GPL-2.0
/*
 * The directory events/ of an instance: one directory for each system and in
 * it one for each event. Files are made by eventfs when somebody looks. Each kind of directory
 * has a table of its files, to which layers above add theirs at boot.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>

#include "events/internal.h"
#include "instance/buffers.h"
#include "instance/component.h"
#include "instance/file.h"

/* Files of one event: i_private is the trace_event_file. */

static ssize_t event_dir_enable_read(struct file *filp, char __user *ubuf, size_t count,
				     loff_t *ppos)
{
	struct trace_event_file *file = filp->private_data;
	char text[TRACE_EVENT_STATE_LEN + 1];

	scoped_guard(trace_events) {
		if (trace_event_file_is_gone(file))
			return -ENODEV;
		trace_event_file_state(file, text);
	}
	strcat(text, "\n");
	return simple_read_from_buffer(ubuf, count, ppos, text, strlen(text));
}

static int events_dir_parse_switch(const char __user *ubuf, size_t count, bool *on)
{
	unsigned long val;
	int ret = kstrtoul_from_user(ubuf, count, 10, &val);

	if (ret)
		return ret;
	*on = val;
	return val > 1 ? -EINVAL : 0;
}

static ssize_t event_dir_enable_write(struct file *filp, const char __user *ubuf, size_t count,
				      loff_t *ppos)
{
	struct trace_event_file *file = filp->private_data;
	bool on;
	int ret = events_dir_parse_switch(ubuf, count, &on);

	if (ret)
		return ret;
	scoped_guard(trace_instances) {
		guard(trace_events)();
		ret = trace_event_file_is_gone(file) ? -ENODEV : trace_event_file_switch(file, on);
	}
	trace_buffers_settle();
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

static const struct file_operations event_enable_fops = {
	.open		= trace_event_file_open,
	.read		= event_dir_enable_read,
	.write		= event_dir_enable_write,
	.llseek		= default_llseek,
	.release	= trace_event_file_release,
};

static ssize_t event_dir_id_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct trace_event_file *file = filp->private_data;
	char text[16];

	scoped_guard(trace_events) {
		if (trace_event_file_is_gone(file))
			return -ENODEV;
		snprintf(text, sizeof(text), "%d\n", file->event_call->event.type);
	}
	return simple_read_from_buffer(ubuf, count, ppos, text, strlen(text));
}

static const struct file_operations event_id_fops = {
	.open		= trace_event_file_open_alone,
	.read		= event_dir_id_read,
	.llseek		= default_llseek,
	.release	= trace_event_file_release_alone,
};

static int event_dir_format_show(struct seq_file *m, void *v)
{
	struct trace_event_file *file = m->private;

	guard(trace_events)();
	if (trace_event_file_is_gone(file))
		return -ENODEV;
	trace_event_format_show(m, file->event_call);
	return 0;
}

static int event_dir_format_open(struct inode *inode, struct file *filp)
{
	int ret = trace_event_file_open_alone(inode, filp);

	if (ret)
		return ret;
	filp->private_data = NULL;	/* single_open() wants it unused */
	ret = single_open(filp, event_dir_format_show, inode->i_private);
	if (ret)
		trace_event_file_release_alone(inode, filp);
	return ret;
}

static int event_dir_format_release(struct inode *inode, struct file *filp)
{
	trace_event_file_release_alone(inode, filp);
	return single_release(inode, filp);
}

static const struct file_operations event_format_fops = {
	.open		= event_dir_format_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= event_dir_format_release,
};

/* Files of a system: i_private is the trace_subsystem_dir. */

static ssize_t events_dir_switch_read(struct trace_array *tr, const char *system, char __user *ubuf,
				      size_t count, loff_t *ppos)
{
	char text[] = "?\n";

	scoped_guard(trace_events)
		text[0] = trace_event_enabled_char(tr, system);
	return simple_read_from_buffer(ubuf, count, ppos, text, strlen(text));
}

static ssize_t events_dir_switch_write(struct trace_array *tr, const char *system,
				       const char __user *ubuf, size_t count, loff_t *ppos)
{
	bool on;
	int ret = events_dir_parse_switch(ubuf, count, &on);

	if (!ret)
		ret = trace_array_set_clr_event(tr, system, NULL, on);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

static ssize_t dir_system_enable_read(struct file *filp, char __user *ubuf, size_t count,
				      loff_t *ppos)
{
	struct trace_subsystem_dir *system = filp->private_data;

	return events_dir_switch_read(system->tr, system->name, ubuf, count, ppos);
}

static ssize_t dir_system_enable_write(struct file *filp, const char __user *ubuf, size_t count,
				       loff_t *ppos)
{
	struct trace_subsystem_dir *system = filp->private_data;

	return events_dir_switch_write(system->tr, system->name, ubuf, count, ppos);
}

static const struct file_operations system_enable_fops = {
	.open		= trace_event_system_open,
	.read		= dir_system_enable_read,
	.write		= dir_system_enable_write,
	.llseek		= default_llseek,
	.release	= trace_event_system_release,
};

/* Files of events/ itself: i_private is the instance. */

static ssize_t dir_all_enable_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	return events_dir_switch_read(filp->private_data, NULL, ubuf, count, ppos);
}

static ssize_t dir_all_enable_write(struct file *filp, const char __user *ubuf, size_t count,
				    loff_t *ppos)
{
	return events_dir_switch_write(filp->private_data, NULL, ubuf, count, ppos);
}

static const struct file_operations all_enable_fops = {
	.open		= trace_array_generic_open,
	.read		= dir_all_enable_read,
	.write		= dir_all_enable_write,
	.llseek		= default_llseek,
	.release	= trace_array_generic_release,
};

/* The layout of pages and events in the buffer, for decoders. */
static ssize_t events_dir_header_read(struct trace_array *tr, char __user *ubuf, size_t count,
				      loff_t *ppos, bool page)
{
	struct trace_seq *text __free(kfree) = kmalloc(sizeof(*text), GFP_KERNEL);

	if (!text)
		return -ENOMEM;
	trace_seq_init(text);
	if (page)
		ring_buffer_print_page_header(tr->array_buffer.buffer, text);
	else
		ring_buffer_print_entry_header(text);
	return simple_read_from_buffer(ubuf, count, ppos, text->buffer, trace_seq_used(text));
}

static ssize_t dir_header_page_read(struct file *filp, char __user *ubuf, size_t count,
				    loff_t *ppos)
{
	return events_dir_header_read(filp->private_data, ubuf, count, ppos, true);
}

static ssize_t dir_header_event_read(struct file *filp, char __user *ubuf, size_t count,
				     loff_t *ppos)
{
	return events_dir_header_read(filp->private_data, ubuf, count, ppos, false);
}

static const struct file_operations header_page_fops = {
	.open		= trace_array_generic_open,
	.read		= dir_header_page_read,
	.llseek		= default_llseek,
	.release	= trace_array_generic_release,
};

static const struct file_operations header_event_fops = {
	.open		= trace_array_generic_open,
	.read		= dir_header_event_read,
	.llseek		= default_llseek,
	.release	= trace_array_generic_release,
};

/*
 * eventfs calls these when somebody looks a file up: they return 1 with its mode and
 * operations, or 0 if there is no such file. They run under locks of eventfs and take none. The
 * data that they read do not change as long as the directory exists.
 */
static int event_dir_enable_entry(const char *name, umode_t *mode, void **data,
				  const struct file_operations **fops)
{
	struct trace_event_file *file = *data;

	*mode = 0640;
	*fops = &event_enable_fops;
	return trace_event_usable(file->event_call);
}

static int event_dir_id_entry(const char *name, umode_t *mode, void **data,
			      const struct file_operations **fops)
{
	struct trace_event_file *file = *data;

	*mode = 0440;
	*fops = &event_id_fops;
	/* "perf list" takes an event that has this file for one that perf can open. */
	return IS_ENABLED(CONFIG_PERF_EVENTS) && file->event_call->event.type &&
	       file->event_call->class->reg;
}

/* The entry of a file that is always there. */
#define DEFINE_EVENTS_ENTRY(_name, _mode, _ops)					\
static int _name##_entry(const char *name, umode_t *mode, void **data,		\
			 const struct file_operations **fops)			\
{										\
	*mode = _mode;								\
	*fops = &(_ops);							\
	return 1;								\
}

DEFINE_EVENTS_ENTRY(event_format, 0440, event_format_fops)
DEFINE_EVENTS_ENTRY(system_enable, 0640, system_enable_fops)
DEFINE_EVENTS_ENTRY(all_enable, 0640, all_enable_fops)
DEFINE_EVENTS_ENTRY(header_page, 0440, header_page_fops)
DEFINE_EVENTS_ENTRY(header_event, 0440, header_event_fops)

static void event_dir_freed(const char *name, void *data)
{
	trace_event_file_put(data);
}

static void dir_system_freed(const char *name, void *data)
{
	trace_event_system_put(data);
}

/*
 * The most files that a directory may have. eventfs keeps pointers into the table. Where perf looks
 * for "SYSTEM:*", it takes all but these for folders: enable and filter of a system, and enable,
 * header_page and header_event of all. So there are no others.
 */
#define DIR_ENTRIES_MAX	12

static struct dir_table {
	struct eventfs_entry	entry[DIR_ENTRIES_MAX];
	unsigned int		nr;
} dir_tables[TRACE_EVENT_DIRS] __ro_after_init = {
	/* The first entry of a directory frees the directory's reference. */
	[TRACE_EVENT_DIR_EVENT] = {
		.entry = {
			{ "enable",	event_dir_enable_entry,	event_dir_freed },
			{ "id",		event_dir_id_entry },
			{ "format",	event_format_entry },
		},
		.nr = 3,
	},
	[TRACE_EVENT_DIR_SYSTEM] = {
		.entry = {
			{ "enable",	system_enable_entry,	dir_system_freed },
		},
		.nr = 1,
	},
	[TRACE_EVENT_DIR_ALL] = {
		.entry = {
			{ "enable",		all_enable_entry },
			{ "header_page",	header_page_entry },
			{ "header_event",	header_event_entry },
		},
		.nr = 3,
	},
};

static bool dir_has_entry(const struct dir_table *table, const char *name)
{
	for (unsigned int i = 0; i < table->nr; i++) {
		if (!strcmp(table->entry[i].name, name))
			return true;
	}
	return false;
}

/**
 * trace_event_dir_add - have a file in each directory of a kind
 * @dir: the kind
 * @entry: the file's name and what eventfs asks, which is copied. It has no release(): the
 *	directory keeps its data, and an open file takes its own reference
 *
 * Context: boot, before the first directory is made.
 * Return: 0, -EINVAL (it has a release()), -EEXIST, -ENOSPC (the table is full), -EBUSY (it is
 * too late).
 */
int __init trace_event_dir_add(enum trace_event_dir dir, const struct eventfs_entry *entry)
{
	struct dir_table *table = &dir_tables[dir];
	struct trace_array *tr = trace_top_instance();

	trace_events_assert_locked();

	if (entry->release)
		return -EINVAL;
	if (tr && trace_events_of(tr) && trace_events_of(tr)->dir)
		return -EBUSY;
	if (dir_has_entry(table, entry->name))
		return -EEXIST;
	if (table->nr == DIR_ENTRIES_MAX)
		return -ENOSPC;
	table->entry[table->nr++] = *entry;
	return 0;
}

static int dir_system_create(struct trace_subsystem_dir *system)
{
	const struct dir_table *table = &dir_tables[TRACE_EVENT_DIR_SYSTEM];
	struct eventfs_inode *ei;
	/* events/ftrace has formats, but nothing to be switched on. */
	int nr = strcmp(system->name, "ftrace") ? table->nr : 0;

	if (nr)
		refcount_inc(&system->ref);
	ei = eventfs_create_dir(system->name, trace_events_of(system->tr)->dir,
				table->entry, nr, system);
	if (IS_ERR(ei)) {
		if (nr && PTR_ERR(ei) == -ENOMEM)
			trace_event_system_put(system);
		return PTR_ERR(ei);
	}
	system->ei = ei;
	return 0;
}

/*
 * Make the directory of an event, and that of its system if this is the system's first. If
 * the instance has no events/ yet, this does nothing: event_dirs_create_files() makes all.
 * The events mutex is held. 0 or errno.
 */
static int event_dir_create(struct trace_event_file *file)
{
	const struct dir_table *table = &dir_tables[TRACE_EVENT_DIR_EVENT];
	struct eventfs_inode *ei;
	int ret;

	trace_events_assert_locked();

	if (!trace_events_of(file->tr)->dir)
		return 0;
	if (!file->system->ei) {
		ret = dir_system_create(file->system);
		if (ret)
			return ret;
	}
	/* The directory's reference, which event_dir_freed() drops. */
	trace_event_file_get(file);
	ei = eventfs_create_dir(trace_event_name(file->event_call), file->system->ei,
				table->entry, table->nr, file);
	if (IS_ERR(ei)) {
		if (PTR_ERR(ei) == -ENOMEM)
			trace_event_file_put(file);
		return PTR_ERR(ei);
	}
	file->ei = ei;
	return 0;
}

static void event_dir_came(struct trace_event_file *file)
{
	if (event_dir_create(file))
		pr_warn("trace events: no memory for the directory of %s\n",
			trace_event_name(file->event_call));
}

/* Undo event_dir_create(). The system's directory goes with its last event. */
static void event_dir_goes(struct trace_event_file *file)
{
	struct trace_subsystem_dir *system = file->system;

	trace_events_assert_locked();

	eventfs_remove_dir(file->ei);
	file->ei = NULL;
	if (system->nr_events == 1) {
		eventfs_remove_dir(system->ei);
		system->ei = NULL;
	}
}

static int events_dir_create(struct trace_array *tr, struct dentry *dir)
{
	const struct dir_table *table = &dir_tables[TRACE_EVENT_DIR_ALL];
	struct eventfs_inode *ei;

	ei = eventfs_create_events_dir("events", dir, table->entry, table->nr, tr);
	/* NULL: tracefs is locked down. */
	if (IS_ERR_OR_NULL(ei))
		return ei ? PTR_ERR(ei) : -EPERM;
	trace_events_of(tr)->dir = ei;
	return 0;
}

static int event_dirs_create_files(struct trace_array *tr, struct dentry *dir)
{
	struct trace_event_file *file;
	int ret;

	guard(trace_events)();
	ret = events_dir_create(tr, dir);
	if (!ret)
		ret = trace_event_set_files_create(tr, dir);
	if (ret)
		return ret;
	list_for_each_entry(file, &trace_events_of(tr)->files, list) {
		ret = event_dir_create(file);
		if (ret)
			return ret;
	}
	return 0;
}

static void event_dirs_destroy(struct trace_array *tr)
{
	struct trace_events *events = trace_events_of(tr);
	struct trace_subsystem_dir *system;
	struct trace_event_file *file;

	guard(trace_events)();
	if (!events->dir)
		return;
	/* This removes the directories of systems and events as well. */
	eventfs_remove_events_dir(events->dir);
	events->dir = NULL;
	list_for_each_entry(file, &events->files, list)
		file->ei = NULL;
	list_for_each_entry(system, &events->systems, list)
		system->ei = NULL;
}

struct trace_component trace_event_dirs_component __ro_after_init = {
	.name		= "event directories",
	.create_files	= event_dirs_create_files,
	.destroy	= event_dirs_destroy,
};

static struct trace_event_part event_dir_part = {
	.came	= event_dir_came,
	.goes	= event_dir_goes,
};

/* Boot, once; the events mutex is held. */
void __init trace_event_dirs_init(void)
{
	trace_event_part_add(&event_dir_part);
}
