// SPDX-License-Identifier: GPL-2.0
/*
 * The files snapshot, per_cpu/cpuN/snapshot and per_cpu/cpuN/snapshot_raw: the
 * records of a snapshot, as trace and trace_pipe_raw show those of the trace;
 * writing a number takes, clears or frees one.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/tracefs.h>

#include "instance/buffers.h"
#include "instance/file.h"
#include "instance/snapshot.h"
#include "instance/tracer.h"
#include "reader/internal.h"

static const char snapshot_help_all[] =
	"# echo 0 > snapshot : Clears and frees snapshot buffer\n"
	"# echo 1 > snapshot : Allocates snapshot buffer, if not already allocated.\n"
	"#                      Takes a snapshot of the main buffer.\n"
	"# echo 2 > snapshot : Clears snapshot buffer (but does not allocate or free)\n";

static const char snapshot_help_cpu[] =
	"# echo 0 > snapshot : Invalid for per_cpu snapshot file.\n"
#ifdef CONFIG_TRACER_SNAPSHOT_PER_CPU_SWAP
	"# echo 1 > snapshot : Allocates snapshot buffer, if not already allocated.\n"
	"#                      Takes a snapshot of the main buffer for this cpu.\n"
#else
	"# echo 1 > snapshot : Not supported with this kernel.\n"
	"#                     Must use main snapshot file to allocate.\n"
#endif
	"# echo 2 > snapshot : Clears this cpu's snapshot buffer (but does not allocate)\n";

static const char snapshot_help_end[] =
	"#                      (Doesn't have to be '2' works with any number that\n"
	"#                       is not a '0' or '1')\n";

/* Print the text that the file shows when there is no record. */
static void snapshot_print_help(struct seq_file *m, struct trace_iterator *iter)
{
	const struct tracer *tracer = iter->trace;

	seq_printf(m, "# tracer: %s\n#\n", tracer->name);
	seq_printf(m, "#\n# * Snapshot is %s *\n#\n# Snapshot commands:\n",
		   trace_snapshot_is_allocated(iter->tr) ? "allocated" : "freed");
	seq_puts(m, iter->cpu_file == RING_BUFFER_ALL_CPUS ? snapshot_help_all : snapshot_help_cpu);
	seq_puts(m, snapshot_help_end);
}

static int trace_snapshot_open(struct inode *inode, struct file *file)
{
	struct trace_array *tr = inode->i_private;
	int ret = trace_array_open(tr);

	if (ret)
		return ret;
	if (trace_snapshot_has_max(tr))
		ret = -EBUSY;
	else if (file->f_mode & FMODE_READ)
		ret = trace_listing_open(&tr->snapshot, trace_inode_cpu(inode), file,
					 snapshot_print_help);
	if (ret)
		trace_array_put(tr);
	return ret;
}

static int trace_snapshot_release(struct inode *inode, struct file *file)
{
	if (file->f_mode & FMODE_READ)
		trace_listing_release(inode, file);
	trace_array_put(inode->i_private);
	return 0;
}

static int snapshot_take(struct trace_array *tr, int cpu)
{
	/* Both get the size that the trace has, so the full one first. */
	int ret = trace_array_expand(tr);

	return ret ?: trace_snapshot_take_cpu(tr, cpu);
}

static ssize_t trace_snapshot_write(struct file *file, const char __user *ubuf,
				    size_t count, loff_t *ppos)
{
	struct trace_array *tr = file_inode(file)->i_private;
	int cpu = trace_inode_cpu(file_inode(file));
	unsigned long what;
	int ret = kstrtoul_from_user(ubuf, count, 10, &what);

	if (ret)
		return ret;
	switch (what) {
	case 0:
		ret = cpu == RING_BUFFER_ALL_CPUS ? trace_snapshot_free(tr) : -EINVAL;
		break;
	case 1:
		ret = snapshot_take(tr, cpu);
		break;
	default:
		ret = trace_snapshot_clear(tr, cpu);
		break;
	}
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

static const struct file_operations snapshot_fops = {
	.open		= trace_snapshot_open,
	.read_iter	= seq_read_iter,
	.splice_read	= copy_splice_read,
	.write		= trace_snapshot_write,
	.llseek		= trace_file_llseek,
	.release	= trace_snapshot_release,
};

/**
 * trace_snapshot_create_files - make the files of an instance's snapshot
 * @tr: the instance
 * @dir: its folder
 *
 * Context: task, trace_instances_lock() is held.
 * Return: 0, also if the instance cannot have a snapshot; -ENOMEM.
 */
int trace_snapshot_create_files(struct trace_array *tr, struct dentry *dir)
{
	int cpu;

	if (!tr->snapshot.buffer)
		return 0;
	if (IS_ERR_OR_NULL(tracefs_create_file("snapshot", 0640, dir, tr, &snapshot_fops)))
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		if (!trace_create_cpu_file("snapshot", 0640, tr, cpu, &snapshot_fops) ||
		    !trace_create_cpu_file("snapshot_raw", 0440, tr, cpu,
					   &trace_snapshot_raw_fops))
			return -ENOMEM;
	}
	return 0;
}
