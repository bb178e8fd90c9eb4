// SPDX-License-Identifier: GPL-2.0
/* The reader's part of an instance: all of its files, and what they share. */
#include <linux/cpumask.h>
#include <linux/slab.h>
#include <linux/tracefs.h>

#include "instance/component.h"
#include "instance/file.h"
#include "reader/internal.h"

#define READER_MODE_READ	0440
#define READER_MODE_WRITE	0640

static int reader_file_create(struct trace_array *tr)
{
	struct trace_readers *readers = kzalloc(sizeof(*readers), GFP_KERNEL);
	int ret;

	if (!readers)
		return -ENOMEM;
	ret = trace_readers_init(readers);
	if (ret) {
		kfree(readers);
		return ret;
	}
	readers->tr = tr;
	trace_slot_set_data(tr, &trace_reader_slot, readers);
	trace_dump_add(readers);
	return 0;
}

/* No dump finds the instance from now on. */
static bool reader_file_retreat(struct trace_array *tr)
{
	trace_dump_remove(trace_readers_of(tr));
	return false;
}

static void reader_file_destroy(struct trace_array *tr)
{
	struct trace_readers *readers = trace_readers_of(tr);

	trace_slot_set_data(tr, &trace_reader_slot, NULL);
	trace_readers_exit(readers);
	kfree(readers);
}

static int reader_file_create_cpu(struct trace_array *tr, int cpu)
{
	if (!trace_create_cpu_file("trace", READER_MODE_WRITE, tr, cpu, &trace_fops) ||
	    !trace_create_cpu_file("trace_pipe", READER_MODE_READ, tr, cpu, &trace_pipe_fops) ||
	    !trace_create_cpu_file("trace_pipe_raw", READER_MODE_READ, tr, cpu, &trace_raw_fops) ||
	    !trace_create_cpu_file("stats", READER_MODE_READ, tr, cpu, &trace_stats_fops))
		return -ENOMEM;
	/* The file describes the memory of a buffer that is kept over a reboot. */
	if (tr->memory &&
	    !trace_create_cpu_file("buffer_meta", READER_MODE_READ, tr, cpu, &trace_meta_fops))
		return -ENOMEM;
	return 0;
}

static int reader_file_create_files(struct trace_array *tr, struct dentry *dir)
{
	int cpu, ret;

	if (IS_ERR_OR_NULL(tracefs_create_file("trace", READER_MODE_WRITE, dir, tr, &trace_fops)) ||
	    IS_ERR_OR_NULL(tracefs_create_file("trace_pipe", READER_MODE_READ, dir, tr,
					       &trace_pipe_fops)))
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		ret = reader_file_create_cpu(tr, cpu);
		if (ret)
			return ret;
	}
	return trace_snapshot_create_files(tr, dir);
}

struct trace_component trace_reader_component __ro_after_init = {
	.name		= "reader",
	.slot		= &trace_reader_slot,
	.readme		=
		"\n"
		"Reading\n"
		"  trace\t\t\t- the records, time order; reading keeps them\n"
		"\t\t\t  # echo > trace : throw all records away\n"
		"  trace_pipe\t\t- the records, taken out as they are read; waits for more\n"
		"  per_cpu/cpuN/\t\t- the same files, and stats, for one CPU\n"
#ifdef CONFIG_TRACER_SNAPSHOT
		"\n"
		"Snapshot\n"
		"  snapshot\t\t- what the trace was when the snapshot was taken\n"
		"\t\t\t  # echo 1 > snapshot : take one, allocate it if needed\n"
		"\t\t\t  # echo 2 > snapshot : clear it\n"
		"\t\t\t  # echo 0 > snapshot : free it\n"
		"  per_cpu/cpuN/snapshot - the same for one CPU; snapshot_raw: as pages\n"
#endif
		,
	.create		= reader_file_create,
	.create_files	= reader_file_create_files,
	.retreat	= reader_file_retreat,
	.destroy	= reader_file_destroy,
};

/**
 * trace_reader_init - prepare ftrace_dump()
 *
 * Context: early boot, after the top instance was made.
 * Return: 0 or errno; without dumps the files work all the same.
 */
int __init trace_reader_init(void)
{
	return trace_dump_init();
}
