// SPDX-License-Identifier: GPL-2.0
/* The text of a synthetic event's record, and the format by which user space prints one. */
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_seq.h>
#include <linux/tracepoint.h>

#include <trace/events/mmflags.h>

#include "events/synth/event.h"
#include "events/value.h"
#include "instance/option.h"

static const struct trace_print_flags synth_gfp_names[] = { __def_gfpflag_names, { -1, NULL } };

static void synth_print_number(struct trace_seq *s, const struct trace_synth_field *f,
			       const void *record)
{
	u64 val = trace_value_number_at(record + f->offset, f->size, f->is_signed);

	if (!strcmp(f->type, "gfp_t")) {
		trace_seq_printf(s, "%x (", (u32)val);
		trace_print_flags_seq(s, "|", val, synth_gfp_names);
		/* It ends with a NUL, which is no part of the line. */
		if (s->seq.len && !s->buffer[s->seq.len - 1])
			s->seq.len--;
		trace_seq_putc(s, ')');
	} else if (f->is_signed) {
		trace_seq_printf(s, "%lld", val);
	} else {
		trace_seq_printf(s, "%llu", val);
	}
}

/* @data: of @len bytes */
static void synth_print_stack(struct trace_seq *s, const void *data, unsigned int len)
{
	const unsigned long *ip = data;

	trace_seq_puts(s, "STACK:\n");
	for (; len >= sizeof(*ip); len -= sizeof(*ip), ip++)
		trace_seq_printf(s, "=> %pS\n", (void *)*ip);
}

static void synth_print_field(struct trace_iterator *iter, const struct trace_synth_field *f)
{
	const void *record = iter->ent, *data = record + f->offset;
	struct trace_seq *s = &iter->seq;
	unsigned int len = f->size;

	if (trace_option(iter->tr, TRACE_OPT_VERBOSE))
		trace_seq_printf(s, "%s ", f->fmt);
	trace_seq_printf(s, "%s=", f->name);
	if (f->is_dynamic)
		data = trace_value_located(record, data, &len);
	/* In a buffer that is kept over a reboot there may be anything. */
	if (data + len > record + iter->ent_size)
		trace_seq_puts(s, "<OVERFLOW>");
	else if (f->value == TRACE_SYNTH_NUMBER)
		synth_print_number(s, f, record);
	else if (f->value == TRACE_SYNTH_STACK)
		synth_print_stack(s, data, len);
	else
		trace_seq_printf(s, "%.*s", (int)len, (const char *)data);
}

static enum print_line_t synth_print(struct trace_iterator *iter, int flags,
				     struct trace_event *trace)
{
	const struct trace_synth_event *event =
		container_of(trace, struct trace_synth_event, call.event);
	struct trace_seq *s = &iter->seq;

	trace_seq_printf(s, "%s:", event->tp.name);
	for (unsigned int i = 0; i < event->nr; i++) {
		/* Behind a stack a line begins. */
		if (!i || event->field[i - 1].value != TRACE_SYNTH_STACK)
			trace_seq_putc(s, ' ');
		synth_print_field(iter, &event->field[i]);
	}
	trace_seq_putc(s, '\n');
	return trace_handle_return(s);
}

struct trace_event_functions trace_synth_print_functions = {
	.trace	= synth_print,
};

/* Print the format to @b, which may have no room for all. */
static void synth_print_format_to(struct seq_buf *b, const struct trace_synth_event *event)
{
	for (unsigned int i = 0; i < event->nr; i++)
		seq_buf_printf(b, "%s%s=%s", i ? ", " : "\"", event->field[i].name,
			       event->field[i].fmt);
	seq_buf_puts(b, "\"");
	for (unsigned int i = 0; i < event->nr; i++) {
		const struct trace_synth_field *f = &event->field[i];

		if (!f->is_dynamic)
			seq_buf_printf(b, ", REC->%s", f->name);
		else if (f->value == TRACE_SYNTH_STACK)
			seq_buf_printf(b, ", __get_stacktrace(%s)", f->name);
		else
			seq_buf_printf(b, ", __get_str(%s)", f->name);
	}
}

/**
 * trace_synth_print_format - the print format of an event
 * @event: the event
 *
 * Context: task, may sleep.
 * Return: the text, which the caller frees; NULL without memory.
 */
char *trace_synth_print_format(const struct trace_synth_event *event)
{
	size_t size = sizeof("\"\"");
	struct seq_buf b;
	char *text;

	for (unsigned int i = 0; i < event->nr; i++)
		size += 2 * strlen(event->field[i].name) + sizeof(", =%lld, __get_stacktrace()");
	text = kmalloc(size, GFP_KERNEL);
	if (!text)
		return NULL;
	seq_buf_init(&b, text, size);
	synth_print_format_to(&b, event);
	WARN_ON_ONCE(seq_buf_has_overflowed(&b));
	seq_buf_str(&b);
	return text;
}
