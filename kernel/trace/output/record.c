// SPDX-License-Identifier: GPL-2.0
/*
 * One record -> one line: the mode that prints it, what comes before its text,
 * and what is said about a record that nobody knows. It knows no record layout:
 * the printers of kinds (record/kind.h) and of trace events do.
 */
#include <linux/cpumask.h>
#include <linux/trace_seq.h>

#include "instance/option.h"
#include "instance/tracer.h"
#include "output/internal.h"
#include "output/output.h"
#include "record/kind.h"

static const struct trace_fields_ops *fields_ops;

static const struct trace_printer kind_printer = {
	.ip		= trace_print_ip,
	.user_ips	= trace_print_user_ips,
};

/**
 * trace_output_set_fields - tell who knows the fields of records
 * @ops: stays
 *
 * Context: boot, once.
 */
void trace_output_set_fields(const struct trace_fields_ops *ops)
{
	WRITE_ONCE(fields_ops, ops);
}

/* Of several that are on, the one that is farthest from text. */
static enum trace_mode record_mode(u32 opts)
{
	if (likely(!(opts & (TRACE_OPT_RAW | TRACE_OPT_HEX | TRACE_OPT_BIN))))
		return TRACE_MODE_TEXT;
	if (opts & TRACE_OPT_BIN)
		return TRACE_MODE_BIN;
	return opts & TRACE_OPT_HEX ? TRACE_MODE_HEX : TRACE_MODE_RAW;
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

/* Task, CPU and time as numbers, by a function that puts memory. */
static void print_numbers(struct trace_iterator *iter,
			  void (*put)(struct trace_seq *s, const void *mem, unsigned int len))
{
	put(&iter->seq, &iter->ent->pid, sizeof(iter->ent->pid));
	put(&iter->seq, &iter->cpu, sizeof(iter->cpu));
	put(&iter->seq, &iter->ts, sizeof(iter->ts));
}

static void print_columns(struct trace_iterator *iter, enum trace_mode mode)
{
	switch (mode) {
	case TRACE_MODE_RAW:
		trace_seq_printf(&iter->seq, "%d %d %llu ", iter->ent->pid, iter->cpu, iter->ts);
		break;
	case TRACE_MODE_HEX:
		print_numbers(iter, trace_seq_putmem_hex);
		break;
	case TRACE_MODE_BIN:
		print_numbers(iter, trace_seq_putmem);
		break;
	default:
		if (iter->iter_flags & TRACE_FILE_LAT_FMT)
			trace_print_lat_context(iter);
		else
			trace_print_context(iter);
	}
}

/* Programs that read hex and bin find nothing where they would look for numbers. */
static enum print_line_t print_unknown(struct trace_iterator *iter, enum trace_mode mode)
{
	if (mode == TRACE_MODE_TEXT)
		trace_seq_printf(&iter->seq, "Unknown type %d\n", iter->ent->type);
	else if (mode == TRACE_MODE_RAW)
		trace_seq_printf(&iter->seq, "%d ?\n", iter->ent->type);
	return trace_handle_return(&iter->seq);
}

static void print_bare_type(struct trace_iterator *iter)
{
	trace_seq_printf(&iter->seq, "type: %d\n", iter->ent->type);
}

/* From a damaged buffer; what it lacks is not to be read. */
static enum print_line_t print_short(struct trace_iterator *iter, const struct trace_kind *kind,
				     enum trace_mode mode)
{
	if (mode != TRACE_MODE_BIN)
		trace_seq_printf(&iter->seq, "[%s of %d bytes, not of %u]\n", kind->name,
				 iter->ent_size, kind->size);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t print_kind(struct trace_iterator *iter, const struct trace_kind *kind,
				    enum trace_mode mode)
{
	if (kind->print[mode])
		return kind->print[mode](iter, &kind_printer);
	print_bare_type(iter);
	return trace_handle_return(&iter->seq);
}

static trace_print_func event_printer(const struct trace_event_functions *funcs,
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

static enum print_line_t print_event(struct trace_iterator *iter, struct trace_event *event,
				     enum trace_mode mode)
{
	const struct trace_fields_ops *fields = READ_ONCE(fields_ops);
	trace_print_func print = event_printer(event->funcs, mode);

	if (!print)
		print_bare_type(iter);
	else if (mode != TRACE_MODE_TEXT || !fields || !fields->refuse(iter, event))
		return print(iter, READ_ONCE(iter->tr->options) &
				   (TRACE_OPT_PRINT_PARENT | TRACE_OPT_SYM_OFFSET |
				    TRACE_OPT_SYM_ADDR), event);
	return trace_handle_return(&iter->seq);
}

/* What the record says, behind its columns. */
static enum print_line_t print_body(struct trace_iterator *iter, u32 opts, enum trace_mode mode)
{
	const struct trace_fields_ops *fields = READ_ONCE(fields_ops);
	const struct trace_kind *kind = trace_kind_by_type(iter->ent->type);
	struct trace_event *event = NULL;
	enum print_line_t ret;

	if (kind) {
		if (unlikely(iter->ent_size < (int)kind->size))
			return print_short(iter, kind, mode);
	} else {
		event = trace_event_by_type(iter->ent->type);
		if (!event)
			return print_unknown(iter, mode);
	}
	if (unlikely(opts & TRACE_OPT_FIELDS) && mode == TRACE_MODE_TEXT && fields) {
		ret = fields->print(iter, event);
		if (ret != TRACE_TYPE_UNHANDLED)
			return ret;
	}
	return kind ? print_kind(iter, kind, mode) : print_event(iter, event, mode);
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

/* The option printk-msg-only. UNHANDLED: the record is no text of a user. */
static enum print_line_t print_message(struct trace_iterator *iter)
{
	const struct trace_kind *kind = trace_kind_by_type(iter->ent->type);

	if (!kind || !kind->print[TRACE_MODE_MESSAGE] || iter->ent_size < (int)kind->size)
		return TRACE_TYPE_UNHANDLED;
	return print_kind(iter, kind, TRACE_MODE_MESSAGE);
}

/* All but what a tracer prints its own way. */
static enum print_line_t print_record(struct trace_iterator *iter, u32 opts)
{
	enum trace_mode mode = record_mode(opts);
	enum print_line_t ret;

	if (mode == TRACE_MODE_TEXT && opts & TRACE_OPT_ANNOTATE)
		annotate_cpu(iter);
	if (opts & TRACE_OPT_CONTEXT_INFO)
		print_columns(iter, mode);
	if (trace_seq_has_overflowed(&iter->seq))
		return TRACE_TYPE_PARTIAL_LINE;

	ret = print_body(iter, opts, mode);
	if (mode != TRACE_MODE_HEX || ret != TRACE_TYPE_HANDLED)
		return ret;
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
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
	/* Not even a header: where it came from cannot be told. */
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
		ret = print_message(iter);
		if (ret != TRACE_TYPE_UNHANDLED)
			return ret;
	}
	return print_record(iter, opts);
}

int __init trace_output_init(void)
{
	return trace_symbols_init();
}
