// SPDX-License-Identifier: GPL-2.0
/*
 * One record -> one line: chooses the mode and the printer, prints the columns before
 * the record's text, and stands in where there is no printer. The layout of a record is
 * known to the printer of its kind (record/kind.h) or of its trace event only.
 */
#include <linux/cpumask.h>
#include <linux/trace_seq.h>

#include "instance/option.h"
#include "instance/tracer.h"
#include "output/internal.h"
#include "output/output.h"
#include "record/kind.h"

static const struct trace_fields_ops *record_fields_ops;

static const struct trace_printer record_kind_printer = {
	.ip		= trace_print_ip,
	.user_ips	= trace_print_user_ips,
};

/**
 * trace_output_set_fields - name the layer that knows the fields of records
 * @ops: what it can do; stays
 *
 * Context: boot, once.
 */
void trace_output_set_fields(const struct trace_fields_ops *ops)
{
	WRITE_ONCE(record_fields_ops, ops);
}

/* The mode to print in: of the options bin, hex and raw the first one that is on. */
static enum trace_mode record_mode(u32 opts)
{
	if (likely(!(opts & (TRACE_OPT_RAW | TRACE_OPT_HEX | TRACE_OPT_BIN))))
		return TRACE_MODE_TEXT;
	if (opts & TRACE_OPT_BIN)
		return TRACE_MODE_BIN;
	return opts & TRACE_OPT_HEX ? TRACE_MODE_HEX : TRACE_MODE_RAW;
}

/*
 * The option annotate: print "##### CPU n buffer started ####" before the first record of
 * each CPU, but not before the first two records of all. It is for buffers that were
 * overwritten, in which CPUs begin at different times.
 */
static void record_annotate_cpu(struct trace_iterator *iter)
{
	bool first_of_all = iter->idx <= 1;

	if (!(iter->iter_flags & TRACE_FILE_ANNOTATE) ||
	    cpumask_test_and_set_cpu(iter->cpu, iter->started) || first_of_all)
		return;
	trace_seq_printf(&iter->seq, "##### CPU %d buffer started ####\n", iter->cpu);
}

/* The columns of the modes hex and bin: pid, CPU and time, written by @put. */
static void record_print_numbers(struct trace_iterator *iter,
				 void (*put)(struct trace_seq *s, const void *mem,
					     unsigned int len))
{
	put(&iter->seq, &iter->ent->pid, sizeof(iter->ent->pid));
	put(&iter->seq, &iter->cpu, sizeof(iter->cpu));
	put(&iter->seq, &iter->ts, sizeof(iter->ts));
}

static void record_print_columns(struct trace_iterator *iter, enum trace_mode mode)
{
	switch (mode) {
	case TRACE_MODE_RAW:
		trace_seq_printf(&iter->seq, "%d %d %llu ", iter->ent->pid, iter->cpu, iter->ts);
		break;
	case TRACE_MODE_HEX:
		record_print_numbers(iter, trace_seq_putmem_hex);
		break;
	case TRACE_MODE_BIN:
		record_print_numbers(iter, trace_seq_putmem);
		break;
	default:
		if (iter->iter_flags & TRACE_FILE_LAT_FMT)
			trace_print_lat_context(iter);
		else
			trace_print_context(iter);
	}
}

/*
 * A record whose number belongs to nobody. In the modes hex and bin it prints nothing,
 * as a program would take text for numbers.
 */
static enum print_line_t record_print_unknown(struct trace_iterator *iter, enum trace_mode mode)
{
	if (mode == TRACE_MODE_TEXT)
		trace_seq_printf(&iter->seq, "Unknown type %d\n", iter->ent->type);
	else if (mode == TRACE_MODE_RAW)
		trace_seq_printf(&iter->seq, "%d ?\n", iter->ent->type);
	return trace_handle_return(&iter->seq);
}

static void record_print_type(struct trace_iterator *iter)
{
	trace_seq_printf(&iter->seq, "type: %d\n", iter->ent->type);
}

/*
 * A record that is shorter than its kind, in a damaged buffer: its printer would read
 * what is behind it.
 */
static enum print_line_t record_print_short(struct trace_iterator *iter,
					    const struct trace_kind *kind, enum trace_mode mode)
{
	if (mode != TRACE_MODE_BIN)
		trace_seq_printf(&iter->seq, "[%s of %d bytes, not of %u]\n", kind->name,
				 iter->ent_size, kind->size);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t record_print_kind(struct trace_iterator *iter,
					   const struct trace_kind *kind, enum trace_mode mode)
{
	if (kind->print[mode])
		return kind->print[mode](iter, &record_kind_printer);
	record_print_type(iter);
	return trace_handle_return(&iter->seq);
}

static trace_print_func record_event_printer(const struct trace_event_functions *funcs,
					     enum trace_mode mode)
{
	switch (mode) {
	case TRACE_MODE_RAW:
		return funcs->raw;
	case TRACE_MODE_HEX:
		return funcs->hex;
	case TRACE_MODE_BIN:
		return funcs->binary;
	default:
		return funcs->trace;
	}
}

static enum print_line_t record_print_event(struct trace_iterator *iter, struct trace_event *event,
					    enum trace_mode mode)
{
	const struct trace_fields_ops *fields = READ_ONCE(record_fields_ops);
	trace_print_func print = record_event_printer(event->funcs, mode);

	if (!print)
		record_print_type(iter);
	else if (mode != TRACE_MODE_TEXT || !fields || !fields->refuse(iter, event))
		return print(iter, READ_ONCE(iter->tr->options) &
				   (TRACE_OPT_PRINT_PARENT | TRACE_OPT_SYM_OFFSET |
				    TRACE_OPT_SYM_ADDR), event);
	return trace_handle_return(&iter->seq);
}

/*
 * Print the part of a line behind the columns: the record itself, or with the option "fields"
 * the record's fields.
 */
static enum print_line_t record_print_body(struct trace_iterator *iter, u32 opts,
					   enum trace_mode mode)
{
	const struct trace_fields_ops *fields = READ_ONCE(record_fields_ops);
	const struct trace_kind *kind = trace_kind_by_type(iter->ent->type);
	struct trace_event *event = NULL;
	enum print_line_t ret;

	if (kind) {
		if (unlikely(iter->ent_size < (int)kind->size))
			return record_print_short(iter, kind, mode);
	} else {
		event = trace_event_by_type(iter->ent->type);
		if (!event)
			return record_print_unknown(iter, mode);
	}
	if (unlikely(opts & TRACE_OPT_FIELDS) && mode == TRACE_MODE_TEXT && fields) {
		ret = fields->print(iter, event);
		if (ret != TRACE_TYPE_UNHANDLED)
			return ret;
	}
	return kind ? record_print_kind(iter, kind, mode) : record_print_event(iter, event, mode);
}

/*
 * The line about records that are missing before this one. Programs parse its first
 * part; behind that stand the times of the last record before the gap and of this one.
 */
static void record_print_lost(struct trace_iterator *iter)
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

/*
 * The option printk-msg-only: print the text alone. UNHANDLED: the record's kind has no
 * message, so it is printed like any other.
 */
static enum print_line_t record_print_message(struct trace_iterator *iter)
{
	const struct trace_kind *kind = trace_kind_by_type(iter->ent->type);

	if (!kind || !kind->print[TRACE_MODE_MESSAGE] || iter->ent_size < (int)kind->size)
		return TRACE_TYPE_UNHANDLED;
	return record_print_kind(iter, kind, TRACE_MODE_MESSAGE);
}

/**
 * trace_print_message - print what a record says, without columns
 * @iter: the record, and where to
 *
 * Context: as trace_print_record().
 * Return: as trace_print_record().
 */
enum print_line_t trace_print_message(struct trace_iterator *iter)
{
	enum print_line_t ret = record_print_message(iter);

	return ret != TRACE_TYPE_UNHANDLED ? ret : record_print_body(iter, 0, TRACE_MODE_TEXT);
}

/* Columns and body of a record that the tracer does not print itself. */
static enum print_line_t record_print(struct trace_iterator *iter, u32 opts)
{
	enum trace_mode mode = record_mode(opts);
	enum print_line_t ret;

	if (mode == TRACE_MODE_TEXT && opts & TRACE_OPT_ANNOTATE)
		record_annotate_cpu(iter);
	if (opts & TRACE_OPT_CONTEXT_INFO)
		record_print_columns(iter, mode);
	if (trace_seq_has_overflowed(&iter->seq))
		return TRACE_TYPE_PARTIAL_LINE;

	ret = record_print_body(iter, opts, mode);
	if (mode != TRACE_MODE_HEX || ret != TRACE_TYPE_HANDLED)
		return ret;
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

/**
 * trace_print_record - print a record as one line
 * @iter: the record, where to, and whose options
 *
 * A line about lost records comes before it.
 *
 * Context: any context of a reader, with trace_types_read_lock() held, or ftrace_dump() in NMI,
 * where &trace_print_state.dump is set: then it takes no lock and does not sleep.
 * Return: TRACE_TYPE_HANDLED, or what the printer returns;
 * TRACE_TYPE_PARTIAL_LINE: the line did not fit, and what is there of it is the
 * caller's to take back.
 */
enum print_line_t trace_print_record(struct trace_iterator *iter)
{
	const struct tracer *tracer = iter->trace;
	u32 opts = READ_ONCE(iter->tr->options);
	enum print_line_t ret;

	if (unlikely(iter->lost_events)) {
		record_print_lost(iter);
		if (trace_seq_has_overflowed(&iter->seq))
			return TRACE_TYPE_PARTIAL_LINE;
	}
	/* It has no header, so neither its kind nor its task is known. */
	if (unlikely(iter->ent_size < (int)sizeof(*iter->ent))) {
		trace_seq_printf(&iter->seq, "[record of %d bytes]\n", iter->ent_size);
		return trace_handle_return(&iter->seq);
	}
	if (tracer && tracer->print_line) {
		ret = tracer->print_line(iter);
		if (ret != TRACE_TYPE_UNHANDLED)
			return ret;
	}
	if (unlikely(opts & TRACE_OPT_PRINTK_MSGONLY && opts & TRACE_OPT_PRINTK)) {
		ret = record_print_message(iter);
		if (ret != TRACE_TYPE_UNHANDLED)
			return ret;
	}
	return record_print(iter, opts);
}

/**
 * trace_output_init - prepare printing
 *
 * Context: boot, once, before the first file is opened.
 * Return: 0, or the errno of register_module_notifier().
 */
int __init trace_output_init(void)
{
	return trace_symbols_init();
}
