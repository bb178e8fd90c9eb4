// SPDX-License-Identifier: GPL-2.0
/*
 * The file dynamic_events_owned of the top instance: as dynamic_events, but what a line makes is
 * owned by the open file that the line was written to, and goes when that is closed, by whatever
 * end its last descriptor comes to. A line "i:NAME" makes an instance. The file lists what its
 * reader owns.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/limits.h>
#include <linux/sched.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/calls.h"
#include "events/dyn/dyn.h"
#include "events/events.h"
#include "instance/error.h"
#include "instance/file.h"

#define OWNED_INSTANCE	"i:"

/* Errors in the line of an instance. */
enum owned_error {
	OWNED_NO_NAME,
	OWNED_NAME_LONG,
	OWNED_NAME_BAD,
	OWNED_NAME_USED,
};

static const char * const owned_errors[] = {
	[OWNED_NO_NAME]		= "Instance name is not specified",
	[OWNED_NAME_LONG]	= "Instance name is too long",
	[OWNED_NAME_BAD]	= "Instance name must be that of a folder, without blanks",
	[OWNED_NAME_USED]	= "Given instance name is already used",
};

/* The list begins with one entry for all instances, and goes on with events. */
static void *owned_start(struct seq_file *m, loff_t *pos)
{
	loff_t nr = *pos ? *pos - 1 : 0;
	void *event = trace_dyn_list_start(NULL, &nr);

	return *pos ? event : SEQ_START_TOKEN;
}

static void *owned_next(struct seq_file *m, void *v, loff_t *pos)
{
	return trace_dyn_list_next(NULL, v == SEQ_START_TOKEN ? NULL : v, pos);
}

static int owned_show(struct seq_file *m, void *v)
{
	struct trace_dyn_event *event = v;

	if (v == SEQ_START_TOKEN)
		trace_instances_print(m, OWNED_INSTANCE, m->file);
	else if (event->owner == m->file)
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

/* Log what is wrong at @at in @line. */
static int owned_refuse(const char *line, const char *at, enum owned_error error, int ret)
{
	trace_error_log(NULL, "dynamic_events_owned", line, owned_errors, error, at - line);
	return ret;
}

/* The name in the line of an instance, for kfree(); an ERR_PTR: it is bad, and the error logged. */
static char *owned_name(const char *line)
{
	const char *name = line + strlen(OWNED_INSTANCE);
	size_t len = strcspn(name, " \t\r\v\f");
	const char *slash = memchr(name, '/', len), *rest = skip_spaces(name + len);

	if (!len)
		return ERR_PTR(owned_refuse(line, name, OWNED_NO_NAME, -EINVAL));
	if (slash)
		return ERR_PTR(owned_refuse(line, slash, OWNED_NAME_BAD, -EINVAL));
	if (*rest)
		return ERR_PTR(owned_refuse(line, rest, OWNED_NAME_BAD, -EINVAL));
	if (len <= 2 && strspn(name, ".") >= len)
		return ERR_PTR(owned_refuse(line, name, OWNED_NAME_BAD, -EINVAL));
	if (len > NAME_MAX)
		return ERR_PTR(owned_refuse(line, name, OWNED_NAME_LONG, -ENAMETOOLONG));
	return kmemdup_nul(name, len, GFP_KERNEL) ?: ERR_PTR(-ENOMEM);
}

/* Make the instance of a line. This task is its owner until the write ends. */
static int owned_make_instance(const char *line)
{
	char *name;
	int ret;

	name = owned_name(line);
	if (IS_ERR(name))
		return PTR_ERR(name);
	ret = trace_instance_mkdir(name);
	if (!ret)
		trace_instance_own(name, current);
	else if (ret == -EEXIST)
		owned_refuse(line, line + strlen(OWNED_INSTANCE), OWNED_NAME_USED, ret);
	kfree(name);
	return ret;
}

static int owned_run(char *line)
{
	return strstarts(line, OWNED_INSTANCE) ? owned_make_instance(line) : trace_dyn_run(line);
}

/*
 * Between being made and being owned, an event is seen as one without an owner. Events of a text
 * that is refused may stay, as somebody uses them: these are owned, too. Its instances go, at once
 * or when nobody uses them any more.
 */
static ssize_t owned_write(struct file *file, const char __user *ubuf, size_t count, loff_t *ppos)
{
	u64 before = trace_dyn_events_number();
	ssize_t ret = trace_dyn_write(ubuf, count, ppos, owned_run);

	trace_dyn_events_own(before, file);
	if (ret < 0)
		trace_dyn_owner_end(current);
	else
		trace_instances_own(current, file);
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
		"  dynamic_events_owned\t- as dynamic_events; events go when the file is closed\n"
		"\t\t\t  i:<name> makes an instance that goes then, too\n",
	.create_files	= owned_create_files,
};
