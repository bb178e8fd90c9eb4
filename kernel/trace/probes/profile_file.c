// SPDX-License-Identifier: GPL-2.0
/*
 * The file dynamic_events_profile of the top instance: for each probe its event and place, how
 * often it was hit, and how many hits were missed, by their reason; of probes of functions' returns
 * the entries, too, and the calls in flight. counts.h has the law of these. The files of single
 * kinds have columns that programs know.
 */
#include <linux/seq_file.h>

#include "events/dyn/dyn.h"
#include "instance/file.h"
#include "probes/internal.h"
#include "probes/hit.h"
#include "probes/probes.h"

static const char * const profile_reasons[TRACE_PROBE_MISSES] = {
	[TRACE_PROBE_MISS_NESTED]	= "nested",
	[TRACE_PROBE_MISS_RETURN]	= "return",
	[TRACE_PROBE_MISS_ROOM]		= "room",
	[TRACE_PROBE_MISS_IDLE]		= "idle",
	[TRACE_PROBE_MISS_OFF]		= "off",
	[TRACE_PROBE_MISS_LEFT]		= "left",
};

static void *profile_start(struct seq_file *m, loff_t *pos)
{
	return trace_dyn_list_start(NULL, pos);
}

static void *profile_next(struct seq_file *m, void *v, loff_t *pos)
{
	return trace_dyn_list_next(NULL, v, pos);
}

/* All calls that have been entered, and those of them that neither hit nor were missed so far. */
static void profile_show_law(struct seq_file *m, const struct trace_probe_counts *counts)
{
	unsigned long flying = trace_probe_counts_flying(counts);

	seq_printf(m, " entries=%lu in_flight=%lu",
		   counts->hits + trace_probe_counts_missed(counts) + flying, flying);
}

static int profile_show(struct seq_file *m, void *v)
{
	const struct trace_dyn_event *dyn = v;
	struct trace_probe_counts counts;
	const struct trace_probe *probe;

	/* Events of other kinds have no probes. */
	if (!trace_probe_event_of(dyn->call))
		return 0;
	probe = trace_probe_of(dyn);
	trace_probe_count(probe, &counts);
	seq_printf(m, "%s/%s %s hits=%lu missed=%lu", probe->event->class.system,
		   probe->event->call.name, probe->place, counts.hits,
		   trace_probe_counts_missed(&counts));
	for (int i = 0; i < TRACE_PROBE_MISSES; i++)
		seq_printf(m, " %s=%lu", profile_reasons[i], counts.missed[i]);
	if (probe->kind->counts_entries && probe->shape == TRACE_PROBE_RETURN)
		profile_show_law(m, &counts);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations profile_seq_ops = {
	.start	= profile_start,
	.next	= profile_next,
	.stop	= trace_dyn_list_stop,
	.show	= profile_show,
};

static int profile_open(struct inode *inode, struct file *file)
{
	return trace_array_seq_open(inode, file, &profile_seq_ops);
}

static const struct file_operations profile_fops = {
	.open		= profile_open,
	.read		= seq_read,
	.llseek		= trace_file_llseek,
	.release	= trace_array_seq_release,
};

static int profile_create_files(struct trace_array *tr, struct dentry *dir)
{
	return tr->name ? 0 : trace_create_file("dynamic_events_profile", 0440, tr,
						&profile_fops);
}

struct trace_component trace_probes_component __ro_after_init = {
	.name		= "probes",
	.readme		=
		"\t     args: <name>=fetcharg[:type]\n"
		"\t fetcharg: (%<register>|$<efield>), @<address>, @<symbol>[+|-<offset>],\n"
#ifdef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
		"\t           $stack<index>, $stack, $retval, $comm, $arg<N>, $current,\n"
#ifdef CONFIG_PROBE_EVENTS_BTF_ARGS
		"\t           [(structname[,field])]<argname>[->field[->field|.field...]],\n"
#endif
#else
		"\t           $stack<index>, $stack, $retval, $comm, $current,\n"
#endif
		"\t           +|-[u]<offset>(<fetcharg>), \\imm-value, \\\"imm-string\"\n"
		"\t           this_cpu_read(<fetcharg>), this_cpu_ptr(<fetcharg>)\n"
		"\t     kernel return probes support: $retval, $arg<N>, $comm\n"
		"\t     type: s8/16/32/64, u8/16/32/64, x8/16/32/64, char, string, symbol,\n"
		"\t           b<bit-width>@<bit-offset>/<container-size>, ustring,\n"
		"\t           symstr, %pd/%pD, <type>\\[<array-size>\\]\n"
		"  dynamic_events_profile - hits of each probe, and hits that were missed, by reason; of probes\n"
		"\t\t\t  of returns: entries = hits + missed + in_flight\n",
	.create_files	= profile_create_files,
};
