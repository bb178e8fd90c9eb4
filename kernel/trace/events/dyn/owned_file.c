// SPDX-License-Identifier: GPL-2.0
/*
 * The file dynamic_events_owned of the top instance: as dynamic_events, but what a line makes is
 * owned by the open file that the line was written to, and goes when that is closed, by whatever
 * end its last descriptor comes to. The file lists the events that its reader owns.
 */
#include <linux/fs.h>
#include <linux/security.h>
#include <linux/seq_file.h>

#include "events/calls.h"
#include "events/dyn/dyn.h"
#include "events/events.h"
#include "instance/file.h"

static void *owned_start(struct seq_file *m, loff_t *pos)
{
	return trace_dyn_list_start(NULL, pos);
}

static void *owned_next(struct seq_file *m, void *v, loff_t *pos)
{
	return trace_dyn_list_next(NULL, v, pos);
}

static int owned_show(struct seq_file *m, void *v)
{
	struct trace_dyn_event *event = v;

	if (event->owner == m->file)
		event->kind->show(m, event);
	return 0;
}

static const struct seq_operations owned_seq_ops = {
	.start	= owned_start,
	.next	= owned_next,
	.stop	= trace_dyn_list_stop,
	.show	= owned_show,
};

/* There is nothing to be emptied yet. */
static int owned_open(struct inode *inode, struct file *file)
{
	int ret = security_locked_down(LOCKDOWN_TRACEFS);

	return ret ?: trace_array_seq_open(inode, file, &owned_seq_ops);
}

/*
 * Between being made and being owned, an event is seen as one without an owner. Events of a text
 * that is refused may stay, as somebody uses them: these are owned, too.
 */
static ssize_t owned_write(struct file *file, const char __user *ubuf, size_t count, loff_t *ppos)
{
	u64 before = trace_dyn_events_number();
	ssize_t ret = trace_dyn_write(ubuf, count, ppos, trace_dyn_run);

	trace_dyn_events_own(before, file);
	return ret;
}

/* The last descriptor is closed, perhaps by a task that ends. No lock is held. */
static int owned_release(struct inode *inode, struct file *file)
{
	if (file->f_mode & FMODE_WRITE)
		trace_dyn_owner_end(file);
	return trace_array_seq_release(inode, file);
}

static const struct file_operations owned_fops = {
	.open		= owned_open,
	.read		= seq_read,
	.write		= owned_write,
	.llseek		= trace_file_llseek,
	.release	= owned_release,
};

static int owned_create_files(struct trace_array *tr, struct dentry *dir)
{
	return tr->name ? 0 : trace_create_file("dynamic_events_owned", 0640, tr, &owned_fops);
}

struct trace_component trace_event_dyn_owned_component __ro_after_init = {
	.name		= "owned dynamic events",
	.readme		=
		"  dynamic_events_owned\t- as dynamic_events; events go when the file is closed\n",
	.create_files	= owned_create_files,
};
