// SPDX-License-Identifier: GPL-2.0
/*
 * kdb's command ftdump: prints the records of the top instance on the debugger's
 * console and leaves them in place. The other CPUs are stopped and may hold any lock, so
 * none is waited for; the ring buffer's reader_lock is only tried, as in an NMI.
 */
#include <linux/init.h>
#include <linux/kdb.h>
#include <linux/kernel.h>
#include <linux/kgdb.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "instance/buffers.h"
#include "reader/internal.h"

static struct trace_reader *kdb_reader;

/* Begin to read @cpu, or all CPUs. Returns how many are left out for lack of memory. */
static unsigned int kdb_reader_begin(struct trace_reader *reader, int cpu)
{
	struct trace_array *tr = reader->iter.tr;
	unsigned int missed;

	trace_reader_select(reader, tr, cpu);
	missed = trace_reader_iterate(reader, GFP_ATOMIC);
	trace_reader_update(reader);
	reader->iter.iter_flags |= TRACE_FILE_LAT_FMT;
	trace_reader_rewind(reader);
	return missed;
}

static long kdb_count_records(struct trace_reader *reader)
{
	long nr = 0;

	while (trace_iter_next(&reader->iter))
		nr++;
	trace_reader_rewind(reader);
	return nr;
}

static void kdb_print_records(struct trace_reader *reader, long skip)
{
	struct trace_iterator *iter = &reader->iter;
	bool any = false;

	while (trace_iter_next(iter)) {
		if (skip-- > 0)
			continue;
		if (!any)
			kdb_printf("---------------------------------\n");
		any = true;
		trace_seq_init(&iter->seq);
		trace_print_record(iter);
		kdb_printf("%.*s", (int)trace_seq_used(&iter->seq), iter->seq.buffer);
		if (KDB_FLAG(CMD_INTERRUPT))
			return;
	}
	kdb_printf(any ? "---------------------------------\n" : "   (ftrace buffer empty)\n");
}

/* "ftdump [SKIP [CPU]]". With a negative SKIP, only that many of the last are printed. */
static int kdb_dump_trace(int argc, const char **argv)
{
	int skip = 0, cpu = RING_BUFFER_ALL_CPUS;
	struct trace_reader *reader = kdb_reader;
	unsigned int missed;
	int entered;
	long from;

	if (argc > 2)
		return KDB_ARGCOUNT;
	if (argc > 0 && kstrtoint(argv[1], 0, &skip))
		return KDB_BADINT;
	if (argc > 1 && (kstrtoint(argv[2], 0, &cpu) || cpu < 0 || cpu >= nr_cpu_ids ||
			 !cpu_online(cpu)))
		return KDB_BADINT;

	/*
	 * kdb's command "cpu" leaves the CPU that entered kdb in kgdb_active. The ring buffer
	 * asks in_dbg_master() whether it may wait, so this CPU is put there. No other CPU looks:
	 * they wait to be resumed.
	 */
	entered = atomic_xchg(&kgdb_active, raw_smp_processor_id());
	trace_array_stop(reader->iter.tr);
	missed = kdb_reader_begin(reader, cpu);
	if (missed)
		kdb_printf("No memory to read the ftrace buffer of %u CPUs\n", missed);
	from = skip < 0 ? max(kdb_count_records(reader) + skip, 0L) : skip;
	if (from)
		kdb_printf("Dumping ftrace buffer (skipping %ld entries):\n", from);
	else
		kdb_printf("Dumping ftrace buffer:\n");
	kdb_print_records(reader, from);
	trace_reader_finish(reader);
	trace_array_start(reader->iter.tr);
	atomic_set(&kgdb_active, entered);
	return 0;
}

static kdbtab_t kdb_dump_command = {
	.name	= "ftdump",
	.func	= kdb_dump_trace,
	.usage	= "[skip_#entries] [cpu]",
	.help	= "Dump ftrace log; -skip dumps last #entries",
	.flags	= KDB_ENABLE_ALWAYS_SAFE,
};

static int __init trace_kdb_init(void)
{
	if (!trace_top_instance())
		return -ENODEV;
	kdb_reader = trace_reader_alloc(trace_top_instance(), RING_BUFFER_ALL_CPUS);
	if (!kdb_reader)
		return -ENOMEM;
	kdb_reader->print.dump = true;
	return kdb_register(&kdb_dump_command);
}
late_initcall(trace_kdb_init);
