// SPDX-License-Identifier: GPL-2.0
/*
 * One record -> one line: decides which mode prints it and what comes before
 * the text. It knows no record layout; the registered printers do.
 */
#include <linux/cpumask.h>
#include <linux/trace_seq.h>

#include "output/internal.h"
#include "output/output.h"

static const struct trace_fields_ops *fields_ops;

void trace_output_set_fields(const struct trace_fields_ops *ops)
{
	WRITE_ONCE(fields_ops, ops);
}

static enum print_line_t print_bare_type(struct trace_iterator *iter, int flags,
					 struct trace_event *event)
{
	trace_seq_printf(&iter->seq, "type: %d\n", iter->ent->type);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t call_printer(trace_print_func print, struct trace_iterator *iter,
				      struct trace_event *event)
{
	u32 flags = READ_ONCE(iter->tr->options) &
		    (TRACE_OPT_PRINT_PARENT | TRACE_OPT_SYM_OFFSET | TRACE_OPT_SYM_ADDR);

	return (print ?: print_bare_type)(iter, flags, event);
}

static enum print_line_t print_bin(struct trace_iterator *iter, u32 opts)
{
	struct trace_event *event = trace_event_by_type(iter->ent->type);
	struct trace_seq *s = &iter->seq;

	if (opts & TRACE_OPT_CONTEXT_INFO) {
		trace_seq_putmem(s, &iter->ent->pid, sizeof(iter->ent->pid));
		trace_seq_putmem(s, &iter->cpu, sizeof(iter->cpu));
		trace_seq_putmem(s, &iter->ts, sizeof(iter->ts));
		if (trace_seq_has_overflowed(s))
			return TRACE_TYPE_PARTIAL_LINE;
	}
	return event ? call_printer(event->funcs->binary, iter, event) : TRACE_TYPE_HANDLED;
}

static enum print_line_t print_hex(struct trace_iterator *iter, u32 opts)
{
	struct trace_event *event = trace_event_by_type(iter->ent->type);
	struct trace_seq *s = &iter->seq;
	enum print_line_t ret;

	if (opts & TRACE_OPT_CONTEXT_INFO) {
		trace_seq_putmem_hex(s, &iter->ent->pid, sizeof(iter->ent->pid));
		trace_seq_putmem_hex(s, &iter->cpu, sizeof(iter->cpu));
		trace_seq_putmem_hex(s, &iter->ts, sizeof(iter->ts));
		if (trace_seq_has_overflowed(s))
			return TRACE_TYPE_PARTIAL_LINE;
	}
	if (event) {
		ret = call_printer(event->funcs->hex, iter, event);
		if (ret != TRACE_TYPE_HANDLED)
			return ret;
	}
	trace_seq_putc(s, '\n');
	return trace_handle_return(s);
}

static enum print_line_t print_raw(struct trace_iterator *iter, u32 opts)
{
	struct trace_event *event = trace_event_by_type(iter->ent->type);
	struct trace_seq *s = &iter->seq;

	if (opts & TRACE_OPT_CONTEXT_INFO)
		trace_seq_printf(s, "%d %d %llu ", iter->ent->pid, iter->cpu, iter->ts);
	if (trace_seq_has_overflowed(s))
		return TRACE_TYPE_PARTIAL_LINE;
	if (event)
		return call_printer(event->funcs->raw, iter, event);
	trace_seq_printf(s, "%d ?\n", iter->ent->type);
	return trace_handle_return(s);
}

/*
 * The option annotate, for buffers that were overwritten: say where the first
 * record of another CPU comes in.
 */
static void annotate_cpu(struct trace_iterator *iter)
{
	bool first_of_all = iter->idx <= 1;

	if (!(iter->iter_flags & TRACE_FILE_ANNOTATE) ||
	    cpumask_test_and_set_cpu(iter->cpu, iter->started) || first_of_all)
		return;
	trace_seq_printf(&iter->seq, "##### CPU %d buffer started ####\n", iter->cpu);
}

static void print_columns(struct trace_iterator *iter)
{
	bool latency = iter->iter_flags & TRACE_FILE_LAT_FMT;

	(latency ? trace_print_lat_context : trace_print_context)(iter);
}

static enum print_line_t print_text(struct trace_iterator *iter, u32 opts)
{
	const struct trace_fields_ops *fields = READ_ONCE(fields_ops);
	struct trace_seq *s = &iter->seq;
	struct trace_event *event;

	if (opts & TRACE_OPT_ANNOTATE)
		annotate_cpu(iter);
	if (opts & TRACE_OPT_CONTEXT_INFO)
		print_columns(iter);
	if (trace_seq_has_overflowed(s))
		return TRACE_TYPE_PARTIAL_LINE;

	event = trace_event_by_type(iter->ent->type);
	if (!event) {
		trace_seq_printf(s, "Unknown type %d\n", iter->ent->type);
		return trace_handle_return(s);
	}
	if (fields && opts & TRACE_OPT_FIELDS)
		return fields->print(iter, event);
	/* ftrace's own records hold no pointers that could dangle. */
	if (fields && event->type >= TRACE_FIRST_EVENT && fields->refuse(iter, event))
		return trace_handle_return(s);
	return call_printer(event->funcs->trace, iter, event);
}

/*
 * How many records are missing and, behind what parsers know, the times of the
 * last one before the gap and the first one after it.
 */
static void print_lost(struct trace_iterator *iter)
{
	const struct trace_print_state *state = iter->private;

	trace_seq_printf(&iter->seq, "CPU:%d [LOST %lu EVENTS]", iter->cpu,
			 iter->lost_events);
	if (state && state->lost_since) {
		trace_print_time(iter, state->lost_since);
		trace_seq_puts(&iter->seq, " -");
		trace_print_time(iter, iter->ts);
	}
	trace_seq_putc(&iter->seq, '\n');
}

enum print_line_t trace_print_record(struct trace_iterator *iter)
{
	const struct tracer *tracer = iter->trace;
	u32 opts = READ_ONCE(iter->tr->options);
	enum print_line_t ret;

	if (unlikely(iter->lost_events)) {
		print_lost(iter);
		if (trace_seq_has_overflowed(&iter->seq))
			return TRACE_TYPE_PARTIAL_LINE;
	}
	if (tracer && tracer->print_line) {
		ret = tracer->print_line(iter);
		if (ret != TRACE_TYPE_UNHANDLED)
			return ret;
	}
	if (unlikely(opts & TRACE_OPT_PRINTK_MSGONLY && opts & TRACE_OPT_PRINTK)) {
		ret = trace_print_message(iter);
		if (ret != TRACE_TYPE_UNHANDLED)
			return ret;
	}
	if (unlikely(opts & TRACE_OPT_BIN))
		return print_bin(iter, opts);
	if (unlikely(opts & TRACE_OPT_HEX))
		return print_hex(iter, opts);
	if (unlikely(opts & TRACE_OPT_RAW))
		return print_raw(iter, opts);
	return print_text(iter, opts);
}

int __init trace_output_init(void)
{
	int ret = trace_own_records_init();

	return ret ?: trace_symbols_init();
}
