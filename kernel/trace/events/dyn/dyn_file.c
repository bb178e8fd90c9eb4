// SPDX-License-Identifier: GPL-2.0
/*
 * The file dynamic_events of the top instance: a line for each dynamic event. A line that is
 * written makes an event or removes some, and opening the file to be emptied removes all. The
 * files of single kinds are made of the same functions.
 */
#include <linux/fs.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "events/calls.h"
#include "events/dyn/dyn.h"
#include "events/events.h"
#include "instance/file.h"

/* The longest line, with its end. */
#define DYN_LINE_MAX	4096

/* A line is about as long, or longer. */
#define DYN_LINE_USUAL	32

/**
 * trace_dyn_open - open() of a file that lists dynamic events
 * @inode: the file's
 * @file: the file
 * @ops: of the list
 * @kind: events of this kind are removed if the file is opened to be emptied; NULL: all
 *
 * Its release() is trace_array_seq_release().
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: 0; -EBUSY: an event that was to be removed is in use; -EPERM: the kernel is locked down;
 * or as trace_array_seq_open().
 */
int trace_dyn_open(struct inode *inode, struct file *file, const struct seq_operations *ops,
		   const struct trace_dyn_kind *kind)
{
	int ret = security_locked_down(LOCKDOWN_TRACEFS);

	ret = ret ?: trace_array_seq_open(inode, file, ops);
	if (ret || !trace_file_truncates(file))
		return ret;
	ret = trace_dyn_events_clear(kind);
	if (ret)
		trace_array_seq_release(inode, file);
	return ret;
}

/* Run a line, without its comment. */
static int dyn_run_line(char *line, int (*run)(char *line))
{
	char *comment = strchr(line, '#');

	if (comment)
		*comment = '\0';
	line = skip_spaces(line);
	return *line ? run(line) : 0;
}

/*
 * Run the lines of @text. @more: text follows, so what stands behind the last end of a line is
 * left to the next call. A line may wait for all CPUs, so a signal that kills is looked for before
 * each but the first. Returns how many bytes were taken, or the errno of a line, or -EINTR.
 */
static ssize_t dyn_run_lines(char *text, size_t len, bool more, int (*run)(char *line))
{
	char *line = text, *end;
	int ret;

	while (line < text + len) {
		end = memchr(line, '\n', text + len - line);
		if (!end && more)
			break;
		if (!end)
			end = text + len;
		*end = '\0';
		if (line != text && fatal_signal_pending(current))
			return -EINTR;
		ret = dyn_run_line(line, run);
		if (ret)
			return ret;
		line = end + 1;
		cond_resched();
	}
	return min_t(size_t, line - text, len);
}

/* The lines of a write(), piece by piece in @text. Returns @count, or an errno. */
static ssize_t dyn_write_lines(char *text, const char __user *ubuf, size_t count,
			       int (*run)(char *line))
{
	size_t done = 0, len;
	ssize_t ret;

	while (done < count) {
		len = min_t(size_t, count - done, DYN_LINE_MAX - 1);
		if (copy_from_user(text, ubuf + done, len))
			return -EFAULT;
		text[len] = '\0';
		if (!done && count >= 2 * DYN_LINE_USUAL)
			trace_dyn_expect(text, count / DYN_LINE_USUAL);
		ret = dyn_run_lines(text, len, done + len < count, run);
		if (ret < 0)
			return ret;
		if (!ret) {
			pr_warn("trace events: a line is longer than %d characters\n",
				DYN_LINE_MAX - 2);
			return -EINVAL;
		}
		done += ret;
		if (done < count && fatal_signal_pending(current))
			return -EINTR;
	}
	return done;
}

/**
 * trace_dyn_write - write() of a file of lines that make events and remove them
 * @ubuf: the lines
 * @count: their length
 * @ppos: the position, which goes on
 * @run: takes a line, which it may change
 *
 * The text of a write ends its last line. It is one change: if a line is refused, the events that
 * lines before it have made are removed again, unless somebody uses one of them already. Events
 * that lines before it have removed stay away.
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: @count; the errno of @run; -EINVAL: a line is too long; -EFAULT, -ENOMEM, -EINTR.
 */
ssize_t trace_dyn_write(const char __user *ubuf, size_t count, loff_t *ppos,
			int (*run)(char *line))
{
	char *text __free(kfree) = kmalloc(DYN_LINE_MAX, GFP_KERNEL);
	u64 before = trace_dyn_events_number();
	ssize_t ret;

	if (!text)
		return -ENOMEM;
	ret = dyn_write_lines(text, ubuf, count, run);
	if (ret < 0)
		trace_dyn_events_take_back(before);
	else
		*ppos += ret;
	return ret;
}

/**
 * trace_dyn_list_start - start() of a seq_file that lists dynamic events
 * @kind: those of this kind; NULL: all
 * @pos: the place on the list
 *
 * Context: task, may sleep; takes the events mutex, which trace_dyn_list_stop() releases.
 * Return: a struct trace_dyn_event; NULL behind the last one.
 */
void *trace_dyn_list_start(const struct trace_dyn_kind *kind, loff_t *pos)
{
	trace_events_lock();
	return trace_dyn_event_nth(kind, *pos);
}

/**
 * trace_dyn_list_next - next() of such a seq_file
 * @kind: as of trace_dyn_list_start()
 * @v: the event at *@pos
 * @pos: the place on the list, which goes on
 *
 * Context: task; the events mutex is held.
 * Return: as trace_dyn_list_start().
 */
void *trace_dyn_list_next(const struct trace_dyn_kind *kind, void *v, loff_t *pos)
{
	++*pos;
	return trace_dyn_event_next(kind, v);
}

/**
 * trace_dyn_list_stop - stop() of such a seq_file
 * @m: the seq_file
 * @v: the event that would be shown next
 *
 * Context: task; releases the events mutex.
 */
void trace_dyn_list_stop(struct seq_file *m, void *v)
{
	trace_events_unlock();
}

static void *dyn_seq_start(struct seq_file *m, loff_t *pos)
{
	return trace_dyn_list_start(NULL, pos);
}

static void *dyn_seq_next(struct seq_file *m, void *v, loff_t *pos)
{
	return trace_dyn_list_next(NULL, v, pos);
}

static int dyn_seq_show(struct seq_file *m, void *v)
{
	struct trace_dyn_event *event = v;

	event->kind->show(m, event);
	return 0;
}

static const struct seq_operations dyn_seq_ops = {
	.start	= dyn_seq_start,
	.next	= dyn_seq_next,
	.stop	= trace_dyn_list_stop,
	.show	= dyn_seq_show,
};

static int dyn_open(struct inode *inode, struct file *file)
{
	return trace_dyn_open(inode, file, &dyn_seq_ops, NULL);
}

static ssize_t dyn_write(struct file *file, const char __user *ubuf, size_t count, loff_t *ppos)
{
	return trace_dyn_write(ubuf, count, ppos, trace_dyn_run);
}

static const struct file_operations dyn_fops = {
	.open		= dyn_open,
	.read		= seq_read,
	.write		= dyn_write,
	.llseek		= trace_file_llseek,
	.release	= trace_array_seq_release,
};

static int dyn_create_files(struct trace_array *tr, struct dentry *dir)
{
	return tr->name ? 0 : trace_create_file("dynamic_events", 0640, tr, &dyn_fops);
}

struct trace_component trace_event_dyn_component __ro_after_init = {
	.name		= "dynamic events",
	.readme		=
		"  dynamic_events\t- events that users make; write a line to add one, >> keeps the others,\n"
		"\t\t\t  -:[<group>/][<event>] to remove some\n",
	.create_files	= dyn_create_files,
};
