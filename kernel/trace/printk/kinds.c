// SPDX-License-Identifier: GPL-2.0
/*
 * The printers of the records bprint and bputs, which hold the address of a constant
 * format or string instead of its text.
 */
#include <linux/init.h>

#include "printk/internal.h"

/*
 * The text at an address in a record. Memory that is kept over a reboot may hold
 * addresses of the last boot, where this kernel has something else.
 */
static const char *printk_kind_text_at(const struct trace_iterator *iter, const char *text)
{
	return iter->tr->memory ? "[text of another boot]\n" : text;
}

static enum print_line_t kind_bprint_message(struct trace_iterator *iter,
					     const struct trace_printer *printer)
{
	const struct trace_bprint_entry *print =
		trace_kind_record(iter, struct trace_bprint_entry);

	trace_seq_bprintf(&iter->seq, printk_kind_text_at(iter, print->fmt), print->buf);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t kind_bprint_text(struct trace_iterator *iter,
					  const struct trace_printer *printer)
{
	printer->ip(iter, trace_kind_record(iter, struct trace_bprint_entry)->ip);
	trace_seq_puts(&iter->seq, ": ");
	return kind_bprint_message(iter, printer);
}

static enum print_line_t kind_bprint_raw(struct trace_iterator *iter,
					 const struct trace_printer *printer)
{
	trace_seq_printf(&iter->seq, ": %lx : ",
			 trace_kind_record(iter, struct trace_bprint_entry)->ip);
	return kind_bprint_message(iter, printer);
}

static const struct trace_kind_field bprint_fields[] = {
	TRACE_KIND_FIELD(struct trace_bprint_entry, unsigned long, ip),
	TRACE_KIND_FIELD(struct trace_bprint_entry, const char *, fmt),
	TRACE_KIND_TAIL(struct trace_bprint_entry, u32, buf),
	{ }
};

static const struct trace_kind bprint_kind = {
	.type		= TRACE_BPRINT,
	.size		= offsetof(struct trace_bprint_entry, buf),
	.name		= "bprint",
	.fields		= bprint_fields,
	.print_fmt	= "\"%ps: %s\", (void *)REC->ip, REC->fmt",
	.print		= {
		[TRACE_MODE_TEXT]	= kind_bprint_text,
		[TRACE_MODE_RAW]	= kind_bprint_raw,
		[TRACE_MODE_MESSAGE]	= kind_bprint_message,
	},
};

static enum print_line_t kind_bputs_message(struct trace_iterator *iter,
					    const struct trace_printer *printer)
{
	const struct trace_bputs_entry *print = trace_kind_record(iter, struct trace_bputs_entry);

	trace_seq_puts(&iter->seq, printk_kind_text_at(iter, print->str));
	return trace_handle_return(&iter->seq);
}

static enum print_line_t kind_bputs_text(struct trace_iterator *iter,
					 const struct trace_printer *printer)
{
	printer->ip(iter, trace_kind_record(iter, struct trace_bputs_entry)->ip);
	trace_seq_puts(&iter->seq, ": ");
	return kind_bputs_message(iter, printer);
}

static enum print_line_t kind_bputs_raw(struct trace_iterator *iter,
					const struct trace_printer *printer)
{
	trace_seq_printf(&iter->seq, ": %lx : ",
			 trace_kind_record(iter, struct trace_bputs_entry)->ip);
	return kind_bputs_message(iter, printer);
}

static const struct trace_kind_field bputs_fields[] = {
	TRACE_KIND_FIELD(struct trace_bputs_entry, unsigned long, ip),
	TRACE_KIND_FIELD(struct trace_bputs_entry, const char *, str),
	{ }
};

static const struct trace_kind bputs_kind = {
	.type		= TRACE_BPUTS,
	.size		= sizeof(struct trace_bputs_entry),
	.name		= "bputs",
	.fields		= bputs_fields,
	.print_fmt	= "\"%ps: %s\", (void *)REC->ip, REC->str",
	.print		= {
		[TRACE_MODE_TEXT]	= kind_bputs_text,
		[TRACE_MODE_RAW]	= kind_bputs_raw,
		[TRACE_MODE_MESSAGE]	= kind_bputs_message,
	},
};

/**
 * trace_printk_kinds_init - make the records of trace_printk() readable
 *
 * Context: boot, may sleep.
 * Return: 0, or what trace_kind_register() says.
 */
int __init trace_printk_kinds_init(void)
{
	return trace_kind_register(&bprint_kind) ?: trace_kind_register(&bputs_kind);
}
