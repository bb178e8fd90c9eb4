// SPDX-License-Identifier: GPL-2.0
/*
 * The lines above the records of the trace file: tracer, how many records,
 * and the legend of the columns that context.c prints.
 */
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/preempt.h>
#include <linux/time64.h>
#include <linux/uidgid.h>
#include <linux/utsname.h>

#include "instance/latency.h"
#include "instance/option.h"
#include "instance/tracer.h"
#include "output/internal.h"
#include "output/output.h"

/*
 * Records of all CPUs: @now are in the buffer and will be shown, @written counts the
 * overwritten ones as well.
 */
struct header_count {
	unsigned long	now;
	unsigned long	written;
};

static struct header_count header_count_records(struct trace_iterator *iter)
{
	struct trace_buffer *buffer = READ_ONCE(iter->array_buffer->buffer);
	const struct trace_print_state *state = iter->private;
	struct header_count count = {};
	unsigned long now, left_out;
	int cpu;

	for_each_possible_cpu(cpu) {
		now = ring_buffer_entries_cpu(buffer, cpu);
		left_out = state && state->left_out ? state->left_out(iter, cpu) : 0;
		/* Records that are left out may have been overwritten since the count. */
		now -= min(now, left_out);
		count.now += now;
		count.written += now;
		/* Overwritten records are older than those left out, so they do not count. */
		if (!left_out)
			count.written += ring_buffer_overrun_cpu(buffer, cpu);
	}
	return count;
}

static void header_put_count(struct seq_file *m, struct trace_iterator *iter)
{
	struct header_count count = header_count_records(iter);

	seq_printf(m, "# entries-in-buffer/entries-written: %lu/%lu   #P:%d\n#\n",
		   count.now, count.written, num_online_cpus());
}

static void header_put_legend(struct seq_file *m, bool tgid)
{
	seq_printf(m, "#           TASK-PID  %s CPU#     TIMESTAMP  FUNCTION\n",
		   tgid ? "     TGID   " : "  ");
	seq_printf(m, "#              | |    %s   |         |         |\n",
		   tgid ? "       |    " : "  ");
}

/* The legend with the option irq-info, which adds a column of letters. */
static void header_put_letters(struct seq_file *m, bool tgid)
{
	static const char * const letters[] = {
		"  _-----=> irqs-off/BH-disabled",
		" / _----=> need-resched",
		"| / _---=> hardirq/softirq",
		"|| / _--=> preempt-depth",
		"||| / _-=> migrate-disable",
		"|||| /     delay",
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(letters); i++)
		seq_printf(m, "#%*s%s\n", tgid ? 40 : 30, "", letters[i]);
	seq_printf(m, "#           TASK-PID  %s CPU#  |||||  TIMESTAMP  FUNCTION\n",
		   tgid ? "     TGID   " : "  ");
	seq_printf(m, "#              | |    %s   |   |||||     |         |\n",
		   tgid ? "       |    " : "  ");
}

/*
 * The legend of the latency format. User space knows its lines as padded with spaces, the last
 * one to a smaller width.
 */
static void header_put_latency_legend(struct seq_file *m)
{
	static const char * const lines[] = {
		"                    _------=> CPU#",
		"                   / _-----=> irqs-off/BH-disabled",
		"                  | / _----=> need-resched",
		"                  || / _---=> hardirq/softirq",
		"                  ||| / _--=> preempt-depth",
		"                  |||| / _-=> migrate-disable",
		"                  ||||| /     delay",
		"  cmd     pid     |||||| time  |   caller",
		"     \\   /        ||||||  \\    |    /",
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(lines); i++)
		seq_printf(m, "#%-*s\n", i < ARRAY_SIZE(lines) - 1 ? 46 : 44, lines[i]);
}

static const char *header_preempt_model(void)
{
	if (preempt_model_none())
		return "server";
	if (preempt_model_voluntary())
		return "desktop";
	if (preempt_model_full())
		return "preempt";
	if (preempt_model_rt())
		return "preempt_rt";
	return "unknown";
}

/* The task that had the latency, and where it began and ended if the tracer told. */
static void header_put_latency_task(struct seq_file *m, struct trace_iterator *iter,
				    const struct trace_latency *latency)
{
	static const char rule[] = "#    -----------------\n";

	seq_puts(m, rule);
	seq_printf(m, "#    | task: %s-%d (uid:%u nice:%d policy:%u rt_prio:%u)\n", latency->comm,
		   latency->pid, from_kuid_munged(seq_user_ns(m), latency->uid), latency->nice,
		   latency->policy, latency->rt_priority);
	seq_puts(m, rule);
	if (latency->from) {
		trace_seq_puts(&iter->seq, "#  => started at: ");
		trace_print_ip(iter, latency->from);
		trace_seq_puts(&iter->seq, "\n#  => ended at:   ");
		trace_print_ip(iter, latency->to);
		trace_seq_puts(&iter->seq, "\n#\n");
		trace_print_seq(m, &iter->seq);
	}
	seq_puts(m, "#\n");
}

/**
 * trace_print_latency_header - the first lines of the latency format, without a legend
 * @m: where to
 * @iter: the open file's
 *
 * A tracer without a maximum shows 0 us and pid 0, which the format has for none.
 *
 * Context: task, may sleep.
 */
void trace_print_latency_header(struct seq_file *m, struct trace_iterator *iter)
{
	struct header_count count = header_count_records(iter);
	int cpu = max(READ_ONCE(iter->array_buffer->cpu), 0);
	struct trace_latency latency;

	trace_latency_get(iter->tr, cpu, &latency);
	seq_printf(m, "# %s latency trace v1.1.5 on %s\n",
		   ((const struct tracer *)iter->trace)->name, init_utsname()->release);
	seq_puts(m, "# --------------------------------------------------------------------\n");
	seq_printf(m, "# latency: %llu us, #%lu/%lu, CPU#%d | (M:%s VP:0, KP:0, SP:0 HP:0 #P:%d)\n",
		   div_u64(latency.ns, NSEC_PER_USEC), count.now, count.written, cpu,
		   header_preempt_model(), num_online_cpus());
	header_put_latency_task(m, iter, &latency);
}

static void header_put_default(struct seq_file *m, struct trace_iterator *iter)
{
	u32 opts = READ_ONCE(iter->tr->options);
	bool tgid = opts & TRACE_OPT_RECORD_TGID;

	if (!(opts & TRACE_OPT_CONTEXT_INFO))
		return;
	if (iter->iter_flags & TRACE_FILE_LAT_FMT) {
		if (trace_iter_is_empty(iter))
			return;
		trace_print_latency_header(m, iter);
		if (!(opts & TRACE_OPT_VERBOSE))
			header_put_latency_legend(m);
		return;
	}
	if (opts & TRACE_OPT_VERBOSE)
		return;
	header_put_count(m, iter);
	if (opts & TRACE_OPT_IRQ_INFO)
		header_put_letters(m, tgid);
	else
		header_put_legend(m, tgid);
}

/**
 * trace_print_header - the comment lines that the trace file begins with
 * @m: where to; @m->private is @iter
 * @iter: the open file's
 *
 * Context: task, may sleep.
 */
void trace_print_header(struct seq_file *m, struct trace_iterator *iter)
{
	const struct tracer *tracer = iter->trace;

	seq_printf(m, "# tracer: %s\n#\n", tracer->name);
	if (trace_output_sites_dead())
		seq_puts(m, "# WARNING: FUNCTION TRACING IS CORRUPTED\n"
			    "#          MAY BE MISSING FUNCTION EVENTS\n");
	if (tracer->print_header)
		tracer->print_header(m);
	else
		header_put_default(m, iter);
}
