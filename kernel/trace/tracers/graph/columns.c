// SPDX-License-Identifier: GPL-2.0
/*
 * The columns before the tree: time, CPU, task, letters, duration; the lines that consist
 * of them, and the header that names them. Users' scripts parse their widths.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/ring_buffer.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/time64.h>

#include "instance/option.h"
#include "output/output.h"
#include "tasks/comm.h"
#include "tracers/graph/internal.h"

#define TASK_WIDTH	14
#define TASK_NAME	7
#define DURATION_WIDTH	8
#define DURATION_DIGITS	7
#define NUMBER_MAX	20

/* A time with the microseconds that have passed, or what another clock counts. */
static void columns_put_time(const struct graph_row *row)
{
	struct trace_iterator *iter = row->iter;
	u32 ns;
	u64 s;

	if (!(iter->iter_flags & TRACE_FILE_TIME_IN_NS)) {
		trace_seq_printf(&iter->seq, "%12llu |  ", iter->ts);
		return;
	}
	s = div_u64_rem(iter->ts, NSEC_PER_SEC, &ns);
	trace_seq_printf(&iter->seq, "%5llu.%06lu |  ", s, ns / NSEC_PER_USEC);
}

/* Numbers of CPUs are as wide as the highest one that there can be. */
static void columns_put_cpu(const struct graph_row *row)
{
	unsigned int highest = nr_cpu_ids - 1;
	int width = 1;

	while (highest >= 10) {
		highest /= 10;
		width++;
	}
	trace_seq_printf(&row->iter->seq, " %*d) ", width, row->iter->cpu);
}

/* "name-pid" in the middle of its column. */
static void columns_put_task(const struct graph_row *row, pid_t pid)
{
	char comm[TASK_COMM_LEN], text[TASK_NAME + 1 + sizeof("-2147483648")];
	int len, left;

	trace_find_cmdline(pid, comm);
	len = scnprintf(text, sizeof(text), "%.*s-%d", TASK_NAME, comm, pid);
	left = max(TASK_WIDTH - len, 0) / 2;
	trace_seq_printf(&row->iter->seq, "%*s%-*s", left, "", TASK_WIDTH - left, text);
}

/**
 * trace_graph_put_columns - what stands before the duration
 * @row: whose
 *
 * Context: that of a reader, ftrace_dump() in NMI included; so for all of this file, but
 * for the header.
 */
void trace_graph_put_columns(const struct graph_row *row)
{
	struct trace_seq *s = &row->iter->seq;

	if (!row->columns)
		return;
	if (row->opts & GRAPH_ABSTIME)
		columns_put_time(row);
	if (row->opts & GRAPH_CPU)
		columns_put_cpu(row);
	if (row->opts & GRAPH_PROC) {
		columns_put_task(row, row->iter->ent->pid);
		trace_seq_puts(s, " | ");
	}
	if (trace_option(row->iter->tr, TRACE_OPT_LATENCY_FMT)) {
		trace_seq_putc(s, ' ');
		trace_print_flags_letters(s, row->iter->ent);
		trace_seq_puts(s, " | ");
	}
}

static bool columns_have_duration(const struct graph_row *row)
{
	return row->columns && row->opts & GRAPH_DURATION;
}

/**
 * trace_graph_put_duration - the mark and the microseconds that a function took
 * @row: whose
 * @ns: nanoseconds
 *
 * Microseconds have as many decimals as make seven digits, but three at most.
 */
void trace_graph_put_duration(const struct graph_row *row, u64 ns)
{
	char text[NUMBER_MAX + sizeof(".999")];
	u32 rest;
	u64 us = div_u64_rem(ns, NSEC_PER_USEC, &rest);
	int len;

	if (!columns_have_duration(row))
		return;
	len = scnprintf(text, sizeof(text), "%llu", us);
	if (len < DURATION_DIGITS) {
		len += scnprintf(text + len, sizeof(text) - len, ".%03u", rest);
		len = min(len, DURATION_DIGITS + 1);
	}
	trace_seq_printf(&row->iter->seq, "%c %.*s us %*s|  ",
			 row->opts & GRAPH_OVERHEAD ? trace_time_mark(ns) : ' ', len, text,
			 max(DURATION_WIDTH - len, 0), "");
}

/**
 * trace_graph_put_no_duration - the column of a line that has none
 * @row: whose
 */
void trace_graph_put_no_duration(const struct graph_row *row)
{
	if (columns_have_duration(row))
		trace_seq_printf(&row->iter->seq, "%*s|  ", DURATION_WIDTH + 6, "");
}

/**
 * trace_graph_put_irq - the line that tells where an interrupt begins or ends
 * @row: of the interrupt's function
 * @arrow: which of the two; it stands in the column of the duration
 */
void trace_graph_put_irq(const struct graph_row *row, const char *arrow)
{
	bool duration = columns_have_duration(row);

	trace_graph_put_columns(row);
	trace_seq_printf(&row->iter->seq, "%s%s%s\n", duration ? "  " : "", arrow,
			 duration ? " |" : "");
}

/**
 * trace_graph_put_switch - the lines that tell that a CPU has another task
 * @row: of the first record of that task
 * @from: the pid of the task before
 * @to: its own
 */
void trace_graph_put_switch(const struct graph_row *row, pid_t from, pid_t to)
{
	static const char rule[] = " ------------------------------------------\n";
	struct trace_seq *s = &row->iter->seq;

	trace_seq_puts(s, rule);
	columns_put_cpu(row);
	columns_put_task(row, from);
	trace_seq_puts(s, " => ");
	columns_put_task(row, to);
	trace_seq_printf(s, "\n%s\n", rule);
}

/* The columns from left to right, each with its two lines of the header. */
static const struct {
	u32		opt;
	const char	*name;
	const char	*pointer;
	unsigned int	indent;		/* of the letters of the latency format */
} columns[] = {
	{ GRAPH_ABSTIME,	"     TIME       ",	"      |         ", 16 },
	{ GRAPH_CPU,		" CPU",			" |  ", 4 },
	{ GRAPH_PROC,		"  TASK/PID       ",	"   |    |        ", 17 },
	{ 0,			"||||   ",		"||||   " },
	{ GRAPH_DURATION,	"  DURATION   ",	"   |   |      " },
};

static void column_header_put_letters(struct seq_file *m, u32 opts)
{
	static const char * const letters[] = {
		"  _-----=> irqs-off", " / _----=> need-resched", "| / _---=> hardirq/softirq",
		"|| / _--=> preempt-depth", "||| /",
	};
	unsigned int indent = 0, i;

	for (i = 0; i < ARRAY_SIZE(columns); i++)
		indent += opts & columns[i].opt ? columns[i].indent : 0;
	for (i = 0; i < ARRAY_SIZE(letters); i++)
		seq_printf(m, "#%*s%-27s\n", indent, "", letters[i]);
}

static void column_header_put_line(struct seq_file *m, u32 opts, bool latency, bool names)
{
	bool shown;
	int i;

	seq_putc(m, '#');
	for (i = 0; i < ARRAY_SIZE(columns); i++) {
		shown = columns[i].opt ? opts & columns[i].opt : latency;
		if (shown)
			seq_puts(m, names ? columns[i].name : columns[i].pointer);
	}
	seq_printf(m, "%*s%s\n", 15, "", names ? "FUNCTION CALLS" : "|   |   |   |");
}

/**
 * trace_graph_put_header - struct tracer::print_header
 * @m: its private member is the iterator
 * @opts: options of the tracer
 *
 * Context: task, may sleep.
 */
void trace_graph_put_header(struct seq_file *m, u32 opts)
{
	struct trace_iterator *iter = m->private;
	u32 options = READ_ONCE(iter->tr->options);
	bool latency = options & TRACE_OPT_LATENCY_FMT;

	if (!(options & TRACE_OPT_CONTEXT_INFO))
		return;
	if (latency) {
		if (trace_iter_is_empty(iter))
			return;
		trace_print_latency_header(m, iter);
		column_header_put_letters(m, opts);
	}
	column_header_put_line(m, opts, latency, true);
	column_header_put_line(m, opts, latency, false);
}
