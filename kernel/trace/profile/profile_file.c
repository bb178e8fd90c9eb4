// SPDX-License-Identifier: GPL-2.0
/*
 * function_profile_enabled and trace_stat/ of an instance.
 *
 * A task that reads a table from its beginning gets the figures of that moment, however many
 * reads it takes to the end. Tools take all that is called function* there for a table of one
 * CPU, so the others have other names.
 */
#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/math64.h>
#include <linux/seq_file.h>
#include <linux/tracefs.h>

#include "graph/graph.h"
#include "instance/file.h"
#include "profile/internal.h"
#include "profile/rows.h"

static int profile_enabled_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%d\n", READ_ONCE(trace_profile_of(trace_seq_file_tr(m))->on));
	return 0;
}

/* As ever, each number but 0 switches it on. */
static int profile_enabled_set(struct file *file, unsigned long number)
{
	struct trace_profile *profile = trace_profile_of(trace_file_tr(file));

	if (number)
		return trace_profile_start(profile);
	trace_profile_stop(profile);
	return 0;
}

/* All waiting for CPUs is done without the lock of all instances, and SIGKILL ends it. */
static ssize_t profile_enabled_write(struct file *file, const char __user *ubuf, size_t count,
				     loff_t *ppos)
{
	ssize_t ret;

	while ((ret = trace_file_write_number(file, ubuf, count, ppos, profile_enabled_set)) ==
	       -EINPROGRESS) {
		ret = fgraph_numbers_wait();
		if (ret)
			break;
	}
	if (ret > 0)
		trace_profile_settle(trace_profile_of(trace_file_tr(file)));
	return ret;
}

DEFINE_TRACE_FILE_RW(profile_enabled);

/*
 * Tables. A position is 1 + the number of a row, 0 is that of the header.
 */

static_assert(PROFILE_ALL_CPUS == RING_BUFFER_ALL_CPUS);

/**
 * struct table_file - an open table
 * @tr: the instance
 * @cpu: which table
 * @compare: the order of the rows
 * @rows: as they were when the reader was at the beginning; NULL: it was not yet
 * @thresh: tracing_thresh, as it was then
 */
struct table_file {
	struct trace_array	*tr;					/* constant */
	int			cpu;					/* constant */
	int			(*compare)(const void *a, const void *b);	/* constant */
	struct profile_rows	*rows;					/* file's lock */
	u64			thresh;					/* file's lock */
};

static int profile_table_fill(struct table_file *table)
{
	trace_profile_rows_free(table->rows);
	table->thresh = READ_ONCE(table->tr->thresh_ns);
	guard(trace_instances)();
	table->rows = trace_profile_rows_alloc(trace_profile_of(table->tr)->store, table->cpu,
					       table->compare);
	return table->rows ? 0 : -ENOMEM;
}

static void *profile_table_start(struct seq_file *m, loff_t *pos)
{
	struct table_file *table = m->private;
	int ret;

	if (!*pos) {
		ret = profile_table_fill(table);
		return ret ? ERR_PTR(ret) : SEQ_START_TOKEN;
	}
	return table->rows && *pos <= table->rows->nr ? &table->rows->rows[*pos - 1] : NULL;
}

static void *profile_table_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return profile_table_start(m, pos);
}

static void profile_table_stop(struct seq_file *m, void *v)
{
}

static int profile_table_open(struct inode *inode, struct file *file,
			      const struct seq_operations *ops,
			      int (*compare)(const void *a, const void *b))
{
	struct trace_array *tr = inode->i_private;
	struct table_file *table;
	int ret = trace_array_open(tr);

	if (ret)
		return ret;
	table = __seq_open_private(file, ops, sizeof(*table));
	if (!table) {
		trace_array_put(tr);
		return -ENOMEM;
	}
	table->tr = tr;
	table->cpu = trace_inode_cpu(inode);
	table->compare = compare;
	return 0;
}

static int profile_table_release(struct inode *inode, struct file *file)
{
	struct table_file *table = ((struct seq_file *)file->private_data)->private;
	struct trace_array *tr = table->tr;

	trace_profile_rows_free(table->rows);
	seq_release_private(inode, file);
	trace_array_put(tr);
	return 0;
}

/* The greater one first; functions that have the same by address. */
static int profile_order_by(u64 a, u64 b, const struct profile_row *x, const struct profile_row *y)
{
	if (a != b)
		return a > b ? -1 : 1;
	return x->ip < y->ip ? -1 : x->ip > y->ip;
}

static const char *profile_row_name(const struct profile_row *row, char *buf)
{
	return kallsyms_lookup(row->ip, NULL, NULL, NULL, buf) ?: "(gone)";
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

#define TIME_WIDTH	8	/* as many digits and a point as have room in a column */

/*
 * Microseconds with as many decimals, three at most, as make seven digits. At the end of
 * a line there is white space, as there always was.
 */
static void profile_function_put_time(struct seq_file *m, u64 ns, const char *behind)
{
	char text[32];
	u32 rest;
	u64 us = div_u64_rem(ns, NSEC_PER_USEC, &rest);
	int len = scnprintf(text, sizeof(text), "%llu.%03u", us, rest);

	/* No point without a digit behind it. */
	len = us >= 1000000 ? len - 4 : min(len, TIME_WIDTH);
	seq_printf(m, "%.*s us %*s%s", len, text, max(TIME_WIDTH - len, 0), "", behind);
}

static int profile_function_compare(const void *a, const void *b)
{
	const struct profile_row *x = a, *y = b;

	return profile_order_by(x->time, y->time, x, y);
}

static const char function_header[] =
	"  Function                               Hit    Time            Avg             s^2\n"
	"  --------                               ---    ----            ---             ---\n";

static void profile_function_show_times(struct seq_file *m, const struct profile_row *row)
{
	seq_puts(m, "    ");
	profile_function_put_time(m, row->time, "    ");
	profile_function_put_time(m, row->calls ? div64_u64(row->time, row->calls) : 0, "    ");
	profile_function_put_time(m, row->variance, "");
}

static bool profile_function_is_short(const struct profile_row *row, u64 thresh)
{
	return thresh && (!row->calls || div64_u64(row->time, row->calls) < thresh);
}

#else

static int profile_function_compare(const void *a, const void *b)
{
	const struct profile_row *x = a, *y = b;

	return profile_order_by(x->hits, y->hits, x, y);
}

static const char function_header[] =
	"  Function                               Hit\n"
	"  --------                               ---\n";

static void profile_function_show_times(struct seq_file *m, const struct profile_row *row)
{
}

static bool profile_function_is_short(const struct profile_row *row, u64 thresh)
{
	return false;
}

#endif

static int profile_function_show(struct seq_file *m, void *v)
{
	const struct table_file *table = m->private;
	char name[KSYM_SYMBOL_LEN];

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, function_header);
	} else if (!profile_function_is_short(v, table->thresh)) {
		const struct profile_row *row = v;

		seq_printf(m, "  %-30.30s  %10llu", profile_row_name(row, name), row->hits);
		profile_function_show_times(m, row);
		seq_putc(m, '\n');
	}
	return 0;
}

static const struct seq_operations function_seq_ops = {
	.start	= profile_table_start,
	.next	= profile_table_next,
	.stop	= profile_table_stop,
	.show	= profile_function_show,
};

static int profile_function_open(struct inode *inode, struct file *file)
{
	return profile_table_open(inode, file, &function_seq_ops, profile_function_compare);
}

static const struct file_operations function_fops = {
	.open		= profile_function_open,
	.read		= seq_read,
	.llseek		= trace_file_llseek,
	.release	= profile_table_release,
};

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

static int profile_times_compare(const void *a, const void *b)
{
	const struct profile_row *x = a, *y = b;

	return profile_order_by(x->self, y->self, x, y);
}

static void profile_times_put(struct seq_file *m, u64 ns)
{
	u32 rest;
	u64 us = div_u64_rem(ns, NSEC_PER_USEC, &rest);

	seq_printf(m, " %10llu.%03u", us, rest);
}

static int profile_times_show(struct seq_file *m, void *v)
{
	const struct profile_row *row = v;
	char name[KSYM_SYMBOL_LEN];
	u64 others;
	int i;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "# Times in microseconds.  Total = Self + Callees + Interrupt + Sleep\n");
		seq_printf(m, "# %-30s %10s %10s %14s %14s %14s %14s %14s %14s %14s %14s %14s\n",
			   "Function", "Hit", "Returned", "Total", "Self", "Callees",
			   "Interrupt", "Sleep", "p50", "p90", "p99", "Max");
		return 0;
	}
	others = row->self + row->interrupted + row->slept;
	seq_printf(m, "  %-30s %10llu %10llu", profile_row_name(row, name), row->hits, row->calls);
	profile_times_put(m, row->total);
	profile_times_put(m, row->self);
	profile_times_put(m, row->total > others ? row->total - others : 0);
	profile_times_put(m, row->interrupted);
	profile_times_put(m, row->slept);
	for (i = 0; i < PROFILE_PERCENTILES; i++)
		profile_times_put(m, row->percentiles[i]);
	profile_times_put(m, row->longest);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations times_seq_ops = {
	.start	= profile_table_start,
	.next	= profile_table_next,
	.stop	= profile_table_stop,
	.show	= profile_times_show,
};

static int profile_times_open(struct inode *inode, struct file *file)
{
	return profile_table_open(inode, file, &times_seq_ops, profile_times_compare);
}

static const struct file_operations times_fops = {
	.open		= profile_times_open,
	.read		= seq_read,
	.llseek		= trace_file_llseek,
	.release	= profile_table_release,
};

static int profile_times_create_file(struct trace_array *tr, struct dentry *stat)
{
	return tracefs_create_file("times", 0440, stat, tr, &times_fops) ? 0 : -ENOMEM;
}

static void profile_missed_show_returns(struct seq_file *m, struct trace_profile *profile)
{
	fgraph_show_missed(m, &profile->gops);
}

#else

static int profile_times_create_file(struct trace_array *tr, struct dentry *stat)
{
	return 0;
}

static void profile_missed_show_returns(struct seq_file *m, struct trace_profile *profile)
{
}

#endif

static int profile_missed_show(struct seq_file *m, void *v)
{
	struct trace_profile *profile = trace_profile_of(trace_seq_file_tr(m));
	u64 lost = 0, untimed = 0;

	guard(trace_instances)();
	if (profile->store)
		trace_profile_store_missed(profile->store, &lost, &untimed);
	seq_printf(m, "%-12s %10llu\n", "no-record", lost);
	if (IS_ENABLED(CONFIG_FUNCTION_GRAPH_TRACER))
		seq_printf(m, "%-12s %10llu\n", "no-data", untimed);
	profile_missed_show_returns(m, profile);
	return 0;
}

DEFINE_TRACE_FILE_RO(profile_missed);

/**
 * trace_profile_create_files - the files of an instance
 * @tr: the instance
 * @dir: its folder
 *
 * Each possible CPU has a file, so one that comes later finds it.
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0 or -ENOMEM.
 */
int trace_profile_create_files(struct trace_array *tr, struct dentry *dir)
{
	struct dentry *stat = tracefs_create_dir("trace_stat", dir), *dentry;
	char name[24];
	int cpu;

	if (!stat)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		snprintf(name, sizeof(name), "function%d", cpu);
		dentry = tracefs_create_file(name, 0640, stat, tr, &function_fops);
		if (!dentry)
			return -ENOMEM;
		trace_inode_set_cpu(d_inode(dentry), cpu);
	}
	if (!tracefs_create_file("missed", 0440, stat, tr, &profile_missed_fops))
		return -ENOMEM;
	return profile_times_create_file(tr, stat) ?:
	       trace_create_file("function_profile_enabled", 0640, tr, &profile_enabled_fops);
}
