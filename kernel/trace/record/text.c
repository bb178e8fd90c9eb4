// SPDX-License-Identifier: GPL-2.0
/*
 * The record print: text, and who wrote it.
 */
#include <linux/string.h>

#include "record/internal.h"
#include "record/text.h"

/**
 * trace_text_write - write a line of text
 * @buffer: where to
 * @ip: who writes
 * @text: the line; a newline is added where it is missing
 *
 * Context: any.
 */
void trace_text_write(struct trace_buffer *buffer, unsigned long ip, const char *text)
{
	struct trace_print_entry *entry;
	struct ring_buffer_event *event;
	size_t len = strlen(text);

	entry = trace_record_reserve(buffer, TRACE_PRINT, trace_text_size(len),
				     tracing_gen_ctx(), &event);
	if (!entry)
		return;
	entry->ip = ip;
	memcpy(entry->buf, text, len);
	trace_text_end_line(entry, len);
	trace_record_commit(buffer);
}

/* The text ends with the record, if nothing in it says so before. */
static enum print_line_t text_print_message(struct trace_iterator *iter,
					    const struct trace_printer *printer)
{
	const struct trace_print_entry *print = trace_kind_record(iter, struct trace_print_entry);
	int room = iter->ent_size - offsetof(struct trace_print_entry, buf);

	trace_seq_printf(&iter->seq, "%.*s", room, print->buf);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t text_print(struct trace_iterator *iter,
				    const struct trace_printer *printer)
{
	printer->ip(iter, trace_kind_record(iter, struct trace_print_entry)->ip);
	trace_seq_puts(&iter->seq, ": ");
	return text_print_message(iter, printer);
}

static enum print_line_t text_print_raw(struct trace_iterator *iter,
					const struct trace_printer *printer)
{
	trace_seq_printf(&iter->seq, "# %lx ",
			 trace_kind_record(iter, struct trace_print_entry)->ip);
	return text_print_message(iter, printer);
}

static const struct trace_kind_field print_fields[] = {
	TRACE_KIND_FIELD(struct trace_print_entry, unsigned long, ip),
	TRACE_KIND_TAIL(struct trace_print_entry, char, buf),
	{ }
};

const struct trace_kind trace_print_kind = {
	.type		= TRACE_PRINT,
	.size		= offsetof(struct trace_print_entry, buf),
	.name		= "print",
	.fields		= print_fields,
	.print_fmt	= "\"%ps: %s\", (void *)REC->ip, REC->buf",
	.print		= {
		[TRACE_MODE_TEXT]	= text_print,
		[TRACE_MODE_RAW]	= text_print_raw,
		[TRACE_MODE_MESSAGE]	= text_print_message,
	},
};
