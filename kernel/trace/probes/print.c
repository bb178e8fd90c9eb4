// SPDX-License-Identifier: GPL-2.0
/* The text of a probe's record, and the format by which user space prints one. */
#include <linux/string.h>
#include <linux/trace_seq.h>

#include "output/output.h"
#include "probes/internal.h"

/* "(function+offset)", or "(where it returns to <- function)". */
static void print_symbols(struct trace_iterator *iter, const struct trace_probe_event *event,
			  const unsigned long *at)
{
	struct trace_seq *s = &iter->seq;

	trace_seq_putc(s, '(');
	if (event->shape == TRACE_PROBE_RETURN) {
		trace_print_ip_offset(iter, at[1]);
		trace_seq_puts(s, " <- ");
		trace_print_ip_name(iter, at[0]);
	} else {
		trace_print_ip_offset(iter, at[0]);
	}
	trace_seq_putc(s, ')');
}

static enum print_line_t print_record(struct trace_iterator *iter, int flags,
				      struct trace_event *trace)
{
	struct trace_probe_event *event =
		container_of(trace, struct trace_probe_event, call.event);
	/* The addresses follow what all records begin with. */
	const unsigned long *at = (void *)(iter->ent + 1);
	struct trace_seq *s = &iter->seq;

	trace_seq_printf(s, "%s: ", event->call.name);
	if (event->kind->print_at)
		event->kind->print_at(iter, event, at);
	else
		print_symbols(iter, event, at);
	trace_fetch_print(event->fields, s, iter->ent);
	trace_seq_putc(s, '\n');
	return trace_handle_return(s);
}

struct trace_event_functions trace_probe_print_functions = { .trace = print_record };

/* How the addresses of each shape are printed. */
#define PRINT_AT	"(%lx)"
#define PRINT_AT_ARGS	"REC->__probe_ip"
#define PRINT_RETURN	"(%lx <- %lx)"
#define PRINT_RETURN_ARGS "REC->__probe_func, REC->__probe_ret_ip"

/* The format of events whose probes have no arguments. */
static const char * const print_bare[] = {
	[TRACE_PROBE_NOWHERE]	= "\"\"",
	[TRACE_PROBE_AT]	= "\"" PRINT_AT "\", " PRINT_AT_ARGS,
	[TRACE_PROBE_RETURN]	= "\"" PRINT_RETURN "\", " PRINT_RETURN_ARGS,
};

/**
 * trace_probe_print_format - the format of an event's records
 * @event: the event, whose arguments and shape are set
 *
 * Context: task, may sleep.
 * Return: the format, for kfree_const(); NULL: no memory.
 */
const char *trace_probe_print_format(const struct trace_probe_event *event)
{
	if (!event->fields->nr)
		return kstrdup_const(print_bare[event->shape], GFP_KERNEL);
	switch (event->shape) {
	case TRACE_PROBE_AT:
		return trace_fetch_print_format(event->fields, PRINT_AT, PRINT_AT_ARGS);
	case TRACE_PROBE_RETURN:
		return trace_fetch_print_format(event->fields, PRINT_RETURN, PRINT_RETURN_ARGS);
	default:
		return trace_fetch_print_format(event->fields, "", "");
	}
}
