// SPDX-License-Identifier: GPL-2.0
/*
 * stack_trace and stack_max_size of the top instance. stack_trace_filter is among the
 * files of filter_file.c.
 */
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/tracefs.h>

#include "functions/internal.h"

/*
 * stack_trace: the record as it was when the file was opened, so that a reader sees one
 * stack. The position is 1 + the number of a call, 0 is that of the header.
 */
static void *stack_list_start(struct seq_file *m, loff_t *pos)
{
	struct trace_stack_record *rec = m->private;

	if (!*pos)
		return SEQ_START_TOKEN;
	return *pos <= rec->nr ? &rec->ips[*pos - 1] : NULL;
}

static void *stack_list_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return stack_list_start(m, pos);
}

static void stack_list_stop(struct seq_file *m, void *v)
{
}

static void stack_show_header(struct seq_file *m, const struct trace_stack_record *rec)
{
	seq_printf(m, "        Depth    Size   Location    (%u entries)\n", rec->nr);
	seq_puts(m, "        -----    ----   --------\n");
	if (!stack_tracer_enabled && !trace_stack_limit())
		seq_puts(m, "#\n"
			 "#  Stack tracer disabled\n"
			 "#\n"
			 "# To enable the stack tracer, either add 'stacktrace' to the\n"
			 "# kernel command line\n"
			 "# or 'echo 1 > /proc/sys/kernel/stack_tracer_enabled'\n"
			 "#\n");
}

static int stack_list_show(struct seq_file *m, void *v)
{
	struct trace_stack_record *rec = m->private;
	unsigned int i, outside;

	if (v == SEQ_START_TOKEN) {
		stack_show_header(m, rec);
		return 0;
	}
	i = (unsigned long *)v - rec->ips;
	/* The depth of the stack without this call. */
	outside = i + 1 < rec->nr ? rec->depths[i + 1] : 0;
	seq_printf(m, "%3u) %8u   %5u   %pS\n", i, rec->depths[i], rec->depths[i] - outside,
		   (void *)rec->ips[i]);
	return 0;
}

static const struct seq_operations stack_list_ops = {
	.start	= stack_list_start,
	.next	= stack_list_next,
	.stop	= stack_list_stop,
	.show	= stack_list_show,
};

static int stack_trace_open(struct inode *inode, struct file *file)
{
	struct trace_stack_record *rec;
	int ret = security_locked_down(LOCKDOWN_TRACEFS);

	if (ret)
		return ret;
	rec = __seq_open_private(file, &stack_list_ops, sizeof(*rec));
	if (!rec)
		return -ENOMEM;
	trace_stack_copy(rec);
	return 0;
}

static const struct file_operations stack_trace_fops = {
	.open		= stack_trace_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

/* stack_max_size */

static int stack_size_open(struct inode *inode, struct file *file)
{
	return security_locked_down(LOCKDOWN_TRACEFS) ?: generic_file_open(inode, file);
}

static ssize_t stack_size_read(struct file *file, char __user *ubuf, size_t count, loff_t *ppos)
{
	char text[24];
	int len = scnprintf(text, sizeof(text), "%lu\n", trace_stack_limit());

	return simple_read_from_buffer(ubuf, count, ppos, text, len);
}

static ssize_t stack_size_write(struct file *file, const char __user *ubuf, size_t count,
				loff_t *ppos)
{
	unsigned long limit;
	int ret = kstrtoul_from_user(ubuf, count, 10, &limit);

	if (ret)
		return ret;
	trace_stack_set_limit(limit);
	return count;
}

static const struct file_operations stack_size_fops = {
	.open	= stack_size_open,
	.read	= stack_size_read,
	.write	= stack_size_write,
	.llseek	= default_llseek,
};

/**
 * trace_stack_create_files - what the stack tracer has in the folder of the top instance
 * @top: the top instance
 * @dir: its folder
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0 or -ENOMEM.
 */
int trace_stack_create_files(struct trace_array *top, struct dentry *dir)
{
	if (!tracefs_create_file("stack_max_size", 0640, dir, NULL, &stack_size_fops) ||
	    !tracefs_create_file("stack_trace", 0440, dir, NULL, &stack_trace_fops))
		return -ENOMEM;
	return trace_filter_create_stack_file(top, dir);
}
