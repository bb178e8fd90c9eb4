// SPDX-License-Identifier: GPL-2.0
/*
 * saved_cmdlines, saved_cmdlines_size, saved_tgids of the top instance: they show the names
 * that tasks/comm.h keeps of all tasks.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/tracefs.h>

#include "instance/file.h"
#include "instance/internal.h"

/* The positions of both lists are indices of a table. Unused ones have no line. */
static void *comm_table_start(struct seq_file *m, loff_t *pos, unsigned int end)
{
	return *pos < end ? pos : NULL;
}

static void comm_table_stop(struct seq_file *m, void *v)
{
}

static void *comm_cmdlines_start(struct seq_file *m, loff_t *pos)
{
	return comm_table_start(m, pos, trace_comm_size());
}

static void *comm_cmdlines_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return comm_cmdlines_start(m, pos);
}

static int comm_cmdlines_show(struct seq_file *m, void *v)
{
	char comm[TASK_COMM_LEN];
	int pid;

	if (!trace_comm_entry(*(loff_t *)v, &pid, comm))
		return SEQ_SKIP;
	seq_printf(m, "%d %s\n", pid, comm);
	return 0;
}

static const struct seq_operations comm_cmdlines_seq_ops = {
	.start	= comm_cmdlines_start,
	.next	= comm_cmdlines_next,
	.stop	= comm_table_stop,
	.show	= comm_cmdlines_show,
};

DEFINE_TRACE_FILE_SEQ(comm_cmdlines);

static void *comm_tgids_start(struct seq_file *m, loff_t *pos)
{
	return comm_table_start(m, pos, trace_tgid_max());
}

static void *comm_tgids_next(struct seq_file *m, void *v, loff_t *pos)
{
	/* Most pids are not in use. Skipping them here costs less than SEQ_SKIP for each. */
	do {
		++*pos;
	} while (*pos < trace_tgid_max() && !trace_tgid_entry(*pos));
	return comm_tgids_start(m, pos);
}

static int comm_tgids_show(struct seq_file *m, void *v)
{
	unsigned int pid = *(loff_t *)v;
	int tgid = trace_tgid_entry(pid);

	if (!tgid)
		return SEQ_SKIP;
	seq_printf(m, "%u %d\n", pid, tgid);
	return 0;
}

static const struct seq_operations comm_tgids_seq_ops = {
	.start	= comm_tgids_start,
	.next	= comm_tgids_next,
	.stop	= comm_table_stop,
	.show	= comm_tgids_show,
};

DEFINE_TRACE_FILE_SEQ(comm_tgids);

static int comm_cmdlines_size_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%u\n", trace_comm_size());
	return 0;
}

static int comm_cmdlines_size_set(struct file *file, unsigned long nr)
{
	return trace_comm_resize(nr);
}

DEFINE_TRACE_FILE_NUMBER(comm_cmdlines_size);

/* trace_component::create_files of the component; trace_instances_lock() is held. */
int trace_comm_create_files(struct trace_array *tr, struct dentry *dir)
{
	if (tr->name)
		return 0;
	if (!tracefs_create_file("saved_cmdlines", 0440, dir, tr, &comm_cmdlines_fops) ||
	    !tracefs_create_file("saved_cmdlines_size", 0640, dir, tr, &comm_cmdlines_size_fops) ||
	    !tracefs_create_file("saved_tgids", 0440, dir, tr, &comm_tgids_fops))
		return -ENOMEM;
	return 0;
}
