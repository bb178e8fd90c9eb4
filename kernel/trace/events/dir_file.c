// SPDX-License-Identifier: GPL-2.0
/*
 * The directory events/ of an instance: one directory for each system and in
 * it one for each event. Files are made by eventfs when somebody looks.
 *
 * An open file holds its instance and its trace_event_file or system; the
 * event itself may go meanwhile, then the file answers ENODEV.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/tracefs.h>
#include <linux/uaccess.h>

#include "events/filter/apply.h"
#include "events/internal.h"

/* Files of one event: i_private is the trace_event_file. */

static bool event_gone(struct trace_event_file *file)
{
	trace_events_assert_locked();
	return file->flags & EVENT_FILE_FL_FREED;
}

/*
 * The directory keeps the file, not the instance: rmdir may free that at any
 * time, and another one may get its address. A file that is not gone once we
 * have a reference tells that the instance is still its own.
 */
int trace_event_file_open(struct inode *inode, struct file *filp)
{
	struct trace_event_file *file = inode->i_private;
	struct trace_array *tr;
	int ret;

	scoped_guard(trace_events) {
		if (event_gone(file))
			return -ENODEV;
		trace_event_file_get(file);
		tr = file->tr;
	}
	ret = trace_array_open(tr);
	if (ret)
		goto put_file;
	scoped_guard(trace_events)
		ret = event_gone(file) ? -ENODEV : 0;
	if (ret)
		goto put_array;
	filp->private_data = file;
	return 0;

put_array:
	trace_array_put(tr);
put_file:
	trace_event_file_put(file);
	return ret;
}

static void event_close(struct inode *inode)
{
	struct trace_event_file *file = inode->i_private;

	trace_array_put(file->tr);
	trace_event_file_put(file);
}

int trace_event_file_release(struct inode *inode, struct file *filp)
{
	event_close(inode);
	return 0;
}

static ssize_t event_enable_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct trace_event_file *file = filp->private_data;
	char text[TRACE_EVENT_STATE_LEN + 1];

	scoped_guard(trace_events) {
		if (event_gone(file))
			return -ENODEV;
		trace_event_file_state(file, text);
	}
	strcat(text, "\n");
	return simple_read_from_buffer(ubuf, count, ppos, text, strlen(text));
}

static int parse_switch(const char __user *ubuf, size_t count, bool *on)
{
	unsigned long val;
	int ret = kstrtoul_from_user(ubuf, count, 10, &val);

	if (ret)
		return ret;
	*on = val;
	return val > 1 ? -EINVAL : 0;
}

static ssize_t event_enable_write(struct file *filp, const char __user *ubuf, size_t count,
				  loff_t *ppos)
{
	struct trace_event_file *file = filp->private_data;
	bool on;
	int ret = parse_switch(ubuf, count, &on);

	if (ret)
		return ret;
	scoped_guard(trace_instances) {
		guard(trace_events)();
		ret = event_gone(file) ? -ENODEV : trace_event_file_switch(file, on);
	}
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

static const struct file_operations event_enable_fops = {
	.open		= trace_event_file_open,
	.read		= event_enable_read,
	.write		= event_enable_write,
	.llseek		= default_llseek,
	.release	= trace_event_file_release,
};

static ssize_t event_id_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	struct trace_event_file *file = filp->private_data;
	char text[16];

	scoped_guard(trace_events) {
		if (event_gone(file))
			return -ENODEV;
		snprintf(text, sizeof(text), "%d\n", file->event_call->event.type);
	}
	return simple_read_from_buffer(ubuf, count, ppos, text, strlen(text));
}

static const struct file_operations event_id_fops = {
	.open		= trace_event_file_open,
	.read		= event_id_read,
	.llseek		= default_llseek,
	.release	= trace_event_file_release,
};

static int format_show(struct seq_file *m, void *v)
{
	struct trace_event_file *file = m->private;

	guard(trace_events)();
	if (event_gone(file))
		return -ENODEV;
	trace_event_format_show(m, file->event_call);
	return 0;
}

static int format_open(struct inode *inode, struct file *filp)
{
	int ret = trace_event_file_open(inode, filp);

	if (ret)
		return ret;
	filp->private_data = NULL;	/* single_open() insists */
	ret = single_open(filp, format_show, inode->i_private);
	if (ret)
		event_close(inode);
	return ret;
}

static int format_release(struct inode *inode, struct file *filp)
{
	event_close(inode);
	return single_release(inode, filp);
}

static const struct file_operations format_fops = {
	.open		= format_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= format_release,
};

/* Files of a system: i_private is the trace_subsystem_dir. */

/* As trace_event_file_open(): a system that has events has its instance. */
int trace_event_system_open(struct inode *inode, struct file *filp)
{
	struct trace_subsystem_dir *system = inode->i_private;
	struct trace_array *tr;
	int ret;

	scoped_guard(trace_events) {
		if (!system->nr_events)
			return -ENODEV;
		refcount_inc(&system->ref);
		tr = system->tr;
	}
	ret = trace_array_open(tr);
	if (ret)
		goto put_system;
	scoped_guard(trace_events)
		ret = system->nr_events ? 0 : -ENODEV;
	if (ret)
		goto put_array;
	filp->private_data = system;
	return 0;

put_array:
	trace_array_put(tr);
put_system:
	trace_event_system_put(system);
	return ret;
}

int trace_event_system_release(struct inode *inode, struct file *filp)
{
	struct trace_subsystem_dir *system = inode->i_private;

	trace_array_put(system->tr);
	trace_event_system_put(system);
	return 0;
}

static ssize_t switch_read(struct trace_array *tr, const char *system, char __user *ubuf,
			   size_t count, loff_t *ppos)
{
	char text[] = "?\n";

	scoped_guard(trace_events)
		text[0] = trace_event_enabled_char(tr, system);
	return simple_read_from_buffer(ubuf, count, ppos, text, strlen(text));
}

static ssize_t switch_write(struct trace_array *tr, const char *system,
			    const char __user *ubuf, size_t count, loff_t *ppos)
{
	bool on;
	int ret = parse_switch(ubuf, count, &on);

	if (!ret)
		ret = trace_array_set_clr_event(tr, system, NULL, on);
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

static ssize_t system_enable_read(struct file *filp, char __user *ubuf, size_t count,
				  loff_t *ppos)
{
	struct trace_subsystem_dir *system = filp->private_data;

	return switch_read(system->tr, system->name, ubuf, count, ppos);
}

static ssize_t system_enable_write(struct file *filp, const char __user *ubuf, size_t count,
				   loff_t *ppos)
{
	struct trace_subsystem_dir *system = filp->private_data;

	return switch_write(system->tr, system->name, ubuf, count, ppos);
}

static const struct file_operations system_enable_fops = {
	.open		= trace_event_system_open,
	.read		= system_enable_read,
	.write		= system_enable_write,
	.llseek		= default_llseek,
	.release	= trace_event_system_release,
};

/* Files of events/ itself: i_private is the instance. */

static ssize_t all_enable_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	return switch_read(filp->private_data, NULL, ubuf, count, ppos);
}

static ssize_t all_enable_write(struct file *filp, const char __user *ubuf, size_t count,
				loff_t *ppos)
{
	return switch_write(filp->private_data, NULL, ubuf, count, ppos);
}

static const struct file_operations all_enable_fops = {
	.open		= trace_array_generic_open,
	.read		= all_enable_read,
	.write		= all_enable_write,
	.llseek		= default_llseek,
	.release	= trace_array_generic_release,
};

/* The layout of pages and events in the buffer, for decoders. */
static ssize_t header_read(struct trace_array *tr, char __user *ubuf, size_t count,
			   loff_t *ppos, bool page)
{
	struct trace_seq *s = kmalloc(sizeof(*s), GFP_KERNEL);
	ssize_t ret;

	if (!s)
		return -ENOMEM;
	trace_seq_init(s);
	if (page)
		ring_buffer_print_page_header(tr->array_buffer.buffer, s);
	else
		ring_buffer_print_entry_header(s);
	ret = simple_read_from_buffer(ubuf, count, ppos, s->buffer, trace_seq_used(s));
	kfree(s);
	return ret;
}

static ssize_t header_page_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	return header_read(filp->private_data, ubuf, count, ppos, true);
}

static ssize_t header_event_read(struct file *filp, char __user *ubuf, size_t count, loff_t *ppos)
{
	return header_read(filp->private_data, ubuf, count, ppos, false);
}

static const struct file_operations header_page_fops = {
	.open		= trace_array_generic_open,
	.read		= header_page_read,
	.llseek		= default_llseek,
	.release	= trace_array_generic_release,
};

static const struct file_operations header_event_fops = {
	.open		= trace_array_generic_open,
	.read		= header_event_read,
	.llseek		= default_llseek,
	.release	= trace_array_generic_release,
};

/*
 * What eventfs calls to make a file: 1 and its mode and operations, 0: there
 * is no such file here. Under eventfs' locks: no lock of ours is taken. What
 * they look at does not change while the directory exists.
 */
static int event_enable_entry(const char *name, umode_t *mode, void **data,
			      const struct file_operations **fops)
{
	struct trace_event_file *file = *data;

	*mode = 0640;
	*fops = &event_enable_fops;
	return trace_event_usable(file->event_call);
}

static int event_id_entry(const char *name, umode_t *mode, void **data,
			  const struct file_operations **fops)
{
	struct trace_event_file *file = *data;

	*mode = 0440;
	*fops = &event_id_fops;
	/* perf wants the numbers of what it can switch on, decoders those of kinds. */
	return IS_ENABLED(CONFIG_PERF_EVENTS) && file->event_call->event.type &&
	       (file->event_call->class->reg ||
		file->event_call->event.type < TRACE_FIRST_EVENT);
}

static int event_filter_entry(const char *name, umode_t *mode, void **data,
			      const struct file_operations **fops)
{
	struct trace_event_file *file = *data;

	*mode = 0640;
	*fops = &trace_event_filter_fops;
	return trace_event_usable(file->event_call);
}

static int event_format_entry(const char *name, umode_t *mode, void **data,
			      const struct file_operations **fops)
{
	*mode = 0440;
	*fops = &format_fops;
	return 1;
}

static int system_enable_entry(const char *name, umode_t *mode, void **data,
			       const struct file_operations **fops)
{
	*mode = 0640;
	*fops = &system_enable_fops;
	return 1;
}

static int system_filter_entry(const char *name, umode_t *mode, void **data,
			       const struct file_operations **fops)
{
	*mode = 0640;
	*fops = &trace_event_system_filter_fops;
	return 1;
}

static int all_enable_entry(const char *name, umode_t *mode, void **data,
			    const struct file_operations **fops)
{
	*mode = 0640;
	*fops = &all_enable_fops;
	return 1;
}

static int header_page_entry(const char *name, umode_t *mode, void **data,
			     const struct file_operations **fops)
{
	*mode = 0440;
	*fops = &header_page_fops;
	return 1;
}

static int header_event_entry(const char *name, umode_t *mode, void **data,
			      const struct file_operations **fops)
{
	*mode = 0440;
	*fops = &header_event_fops;
	return 1;
}

static void event_dir_freed(const char *name, void *data)
{
	trace_event_file_put(data);
}

static void system_dir_freed(const char *name, void *data)
{
	trace_event_system_put(data);
}

static const struct eventfs_entry event_entries[] = {
	{ "enable",	event_enable_entry,	event_dir_freed },
	{ "id",		event_id_entry },
	{ "filter",	event_filter_entry },
	{ "format",	event_format_entry },
};

static const struct eventfs_entry system_entries[] = {
	{ "enable",	system_enable_entry,	system_dir_freed },
	{ "filter",	system_filter_entry },
};

static const struct eventfs_entry all_entries[] = {
	{ "enable",		all_enable_entry },
	{ "header_page",	header_page_entry },
	{ "header_event",	header_event_entry },
};

static int system_dir_create(struct trace_subsystem_dir *system)
{
	struct eventfs_inode *ei;
	/* events/ftrace has formats, but nothing to be switched on. */
	int nr = strcmp(system->name, "ftrace") ? ARRAY_SIZE(system_entries) : 0;

	if (nr)
		refcount_inc(&system->ref);
	ei = eventfs_create_dir(system->name, trace_events_of(system->tr)->dir,
				system_entries, nr, system);
	if (IS_ERR(ei)) {
		if (nr && PTR_ERR(ei) == -ENOMEM)
			trace_event_system_put(system);
		return PTR_ERR(ei);
	}
	system->ei = ei;
	return 0;
}

void trace_event_system_dir_remove(struct trace_subsystem_dir *system)
{
	eventfs_remove_dir(system->ei);
	system->ei = NULL;
}

/* Make the directory of an event, and of its system when it is the first. */
int trace_event_dir_create(struct trace_event_file *file)
{
	struct eventfs_inode *ei;
	int ret;

	trace_events_assert_locked();

	if (!file->system->ei) {
		ret = system_dir_create(file->system);
		if (ret)
			return ret;
	}
	/* For the directory, given back by event_dir_freed(). */
	trace_event_file_get(file);
	ei = eventfs_create_dir(trace_event_name(file->event_call), file->system->ei,
				event_entries, ARRAY_SIZE(event_entries), file);
	if (IS_ERR(ei)) {
		if (PTR_ERR(ei) == -ENOMEM)
			trace_event_file_put(file);
		return PTR_ERR(ei);
	}
	file->ei = ei;
	return 0;
}

void trace_event_dir_remove(struct trace_event_file *file)
{
	eventfs_remove_dir(file->ei);
	file->ei = NULL;
}

/* Make events/ in @dir, still without systems. */
int trace_events_dir_create(struct trace_array *tr, struct dentry *dir)
{
	struct eventfs_inode *ei;

	trace_events_assert_locked();

	ei = eventfs_create_events_dir("events", dir, all_entries, ARRAY_SIZE(all_entries), tr);
	/* NULL: locked down. */
	if (IS_ERR_OR_NULL(ei))
		return ei ? PTR_ERR(ei) : -EPERM;
	trace_events_of(tr)->dir = ei;
	return 0;
}

void trace_events_dir_remove(struct trace_array *tr)
{
	struct trace_events *events = trace_events_of(tr);
	struct trace_subsystem_dir *system;
	struct trace_event_file *file;

	if (!events->dir)
		return;
	/* All below it goes too. */
	eventfs_remove_events_dir(events->dir);
	events->dir = NULL;
	list_for_each_entry(file, &events->files, list)
		file->ei = NULL;
	list_for_each_entry(system, &events->systems, list)
		system->ei = NULL;
}
