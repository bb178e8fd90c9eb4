// SPDX-License-Identifier: GPL-2.0
/*
 * The file "trigger" of an event. Each write adds a trigger or removes one; reading shows the
 * triggers, or the commands that there are if the event has none. And the file
 * "show_event_triggers" of an instance, which lists those of all events.
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
#include "events/trigger/internal.h"
#include "instance/file.h"
#include "record/kind.h"

static int trigger_show(struct seq_file *m, void *v)
{
	struct trace_event_file *file = m->private;

	guard(trace_events)();
	if (trace_event_file_is_gone(file))
		return -ENODEV;
	trace_triggers_show(m, file);
	if (!m->count && !seq_has_overflowed(m))
		trace_trigger_commands_show(m);
	return 0;
}

static int trigger_open(struct inode *inode, struct file *filp)
{
	int ret = trace_event_file_open(inode, filp);

	if (ret)
		return ret;
	if ((filp->f_mode & FMODE_WRITE) && (filp->f_flags & O_TRUNC))
		trace_trigger_truncate(inode->i_private);
	if (!(filp->f_mode & FMODE_READ))
		return 0;
	filp->private_data = NULL;	/* single_open() wants it unused */
	ret = single_open(filp, trigger_show, inode->i_private);
	if (ret)
		trace_event_file_release(inode, filp);
	return ret;
}

static int trigger_release(struct inode *inode, struct file *filp)
{
	if (filp->f_mode & FMODE_READ)
		single_release(inode, filp);
	return trace_event_file_release(inode, filp);
}

static ssize_t trigger_write(struct file *filp, const char __user *ubuf, size_t count,
			     loff_t *ppos)
{
	char *text __free(kfree) = NULL;
	int ret;

	if (!count)
		return 0;
	if (count >= PAGE_SIZE)
		return -EINVAL;
	text = memdup_user_nul(ubuf, count);
	if (IS_ERR(text))
		return PTR_ERR(no_free_ptr(text));
	ret = trace_trigger_write(file_inode(filp)->i_private, strim(text));
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

/* lseek() of what is only written changes nothing. */
static loff_t trigger_seek(struct file *filp, loff_t offset, int whence)
{
	if (filp->f_mode & FMODE_READ)
		return seq_lseek(filp, offset, whence);
	return noop_llseek(filp, offset, whence);
}

static const struct file_operations trigger_fops = {
	.open		= trigger_open,
	.read		= seq_read,
	.write		= trigger_write,
	.llseek		= trigger_seek,
	.release	= trigger_release,
};

static int trigger_entry(const char *name, umode_t *mode, void **data,
			 const struct file_operations **fops)
{
	struct trace_event_file *file = *data;

	*mode = 0640;
	*fops = &trigger_fops;
	return trace_event_has_triggers(file->event_call);
}

static int trigger_all_show(struct seq_file *m, void *v)
{
	guard(trace_events)();
	trace_triggers_show_all(m, trace_seq_file_tr(m));
	return 0;
}

DEFINE_TRACE_FILE_RO(trigger_all);

static int trigger_create_files(struct trace_array *tr, struct dentry *dir)
{
	return trace_create_file("show_event_triggers", 0440, tr, &trigger_all_fops);
}

struct trace_component trace_event_trigger_files_component __ro_after_init = {
	.name		= "files of event triggers",
	.create_files	= trigger_create_files,
};

/* Boot, once; the events mutex is held. */
void __init trace_trigger_files_init(void)
{
	static const struct eventfs_entry entry __initconst = { "trigger", trigger_entry };

	WARN_ON(trace_event_dir_add(TRACE_EVENT_DIR_EVENT, &entry));
}
