// SPDX-License-Identifier: GPL-2.0
/* The fields of an event that has probes, its print format, and the text of its records. */
#include <linux/kernel.h>
#include <linux/seq_buf.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/trace_seq.h>

#include "events/value.h"
#include "probes/fetch_program.h"

/**
 * trace_fetch_define_fields - define the fields that an event has of its arguments
 * @fetch: the arguments, to which the event keeps a reference
 * @call: the event
 *
 * Context: as trace_define_field().
 * Return: 0 or -ENOMEM.
 */
int trace_fetch_define_fields(const struct trace_fetch *fetch, struct trace_event_call *call)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < fetch->nr; i++) {
		const struct fetch_arg *arg = &fetch->args[i];

		ret = trace_define_field(call, arg->shown, arg->name, arg->dest,
					 arg->type->size * (arg->count ?: 1),
					 arg->type->is_signed, FILTER_OTHER);
	}
	return ret;
}

static void fetch_event_put_format(struct seq_buf *s, const struct fetch_arg *arg)
{
	seq_buf_printf(s, " %s=%s", arg->name, arg->count ? "{" : "");
	seq_buf_puts(s, arg->type->format);
	for (unsigned int i = 1; i < arg->count; i++)
		seq_buf_printf(s, ",%s", arg->type->format);
	if (arg->count)
		seq_buf_puts(s, "}");
}

static void fetch_event_put_value(struct seq_buf *s, const struct fetch_arg *arg)
{
	bool is_string = fetch_type_is_string(arg->type);

	if (!arg->count)
		seq_buf_printf(s, is_string ? ", __get_str(%s)" : ", REC->%s", arg->name);
	for (unsigned int i = 0; i < arg->count; i++)
		seq_buf_printf(s, is_string ? ", __get_str(%s[%u])" : ", REC->%s[%u]",
			       arg->name, i);
}

/* The format as far as there is room; seq_buf_used() tells whether it is whole. */
static void fetch_event_put(struct seq_buf *s, const struct trace_fetch *fetch,
			    const char *front, const char *front_args)
{
	seq_buf_printf(s, "\"%s", front);
	for (unsigned int i = 0; i < fetch->nr; i++)
		fetch_event_put_format(s, &fetch->args[i]);
	seq_buf_puts(s, "\"");
	if (*front_args)
		seq_buf_printf(s, ", %s", front_args);
	for (unsigned int i = 0; i < fetch->nr; i++)
		fetch_event_put_value(s, &fetch->args[i]);
}

/**
 * trace_fetch_print_format - the print format of an event
 * @fetch: the arguments of its probes
 * @front: how the header is printed, "(%lx)", or ""
 * @front_args: its values, "REC->__probe_ip", or ""
 *
 * Context: task, may sleep.
 * Return: a string for kfree(); NULL: no memory.
 */
char *trace_fetch_print_format(const struct trace_fetch *fetch, const char *front,
			       const char *front_args)
{
	struct seq_buf s;
	char *text;

	for (size_t size = 256;; size *= 2) {
		text = kmalloc(size, GFP_KERNEL);
		if (!text)
			return NULL;
		seq_buf_init(&s, text, size);
		fetch_event_put(&s, fetch, front, front_args);
		if (!seq_buf_has_overflowed(&s) && seq_buf_used(&s) < size)
			break;
		kfree(text);
	}
	text[seq_buf_used(&s)] = '\0';
	return text;
}

/* Print what the location word at @data leads to. */
static void fetch_event_print_string(struct trace_seq *s, const void *data, const void *record)
{
	unsigned int len;
	const char *text = trace_value_located(record, data, &len);

	if (len)
		trace_seq_printf(s, "\"%.*s\"", (int)len, text);
	else
		trace_seq_puts(s, "(fault)");
}

static void fetch_event_print_value(struct trace_seq *s, const struct fetch_type *type,
				    const void *data, const void *record)
{
	switch (type->print) {
	case FETCH_PRINT_STRING:
		fetch_event_print_string(s, data, record);
		break;
	case FETCH_PRINT_HEX:
		trace_seq_printf(s, "0x%llx", trace_value_number_at(data, type->size, false));
		break;
	case FETCH_PRINT_CHAR:
		trace_seq_printf(s, "'%c'", *(const u8 *)data);
		break;
	case FETCH_PRINT_SYMBOL:
		trace_seq_printf(s, "%pS", *(void **)data);
		break;
	default:
		trace_seq_printf(s, type->is_signed ? "%lld" : "%llu",
				 trace_value_number_at(data, type->size, type->is_signed));
	}
}

/**
 * trace_fetch_print - print the arguments in a record
 * @fetch: the arguments of a probe of the event
 * @s: where to
 * @record: the record
 *
 * Context: that of a reader.
 */
void trace_fetch_print(const struct trace_fetch *fetch, struct trace_seq *s, const void *record)
{
	for (unsigned int i = 0; i < fetch->nr; i++) {
		const struct fetch_arg *arg = &fetch->args[i];
		const void *data = record + arg->dest;

		trace_seq_printf(s, " %s=%s", arg->name, arg->count ? "{" : "");
		fetch_event_print_value(s, arg->type, data, record);
		for (unsigned int k = 1; k < arg->count; k++) {
			trace_seq_putc(s, ',');
			fetch_event_print_value(s, arg->type, data + k * arg->type->size, record);
		}
		if (arg->count)
			trace_seq_putc(s, '}');
	}
}

/**
 * trace_fetch_show - print arguments as they stand in the line that defines a probe
 * @fetch: the arguments
 * @m: where to
 *
 * Context: task, may sleep.
 */
void trace_fetch_show(const struct trace_fetch *fetch, struct seq_file *m)
{
	for (unsigned int i = 0; i < fetch->nr; i++)
		seq_printf(m, " %s=%s", fetch->args[i].name, fetch->args[i].text);
}

/**
 * trace_fetch_differ - compare the fields of two probes
 * @fetch: the arguments of one
 * @other: those of the other
 *
 * Context: any.
 * Return: 0: they have the same names and types, in this order; or 1 + the number of the first
 * argument that differs, or that one of them lacks.
 */
int trace_fetch_differ(const struct trace_fetch *fetch, const struct trace_fetch *other)
{
	unsigned int i;

	for (i = 0; i < fetch->nr && i < other->nr; i++) {
		const struct fetch_arg *a = &fetch->args[i], *b = &other->args[i];

		if (a->type != b->type || a->count != b->count || strcmp(a->name, b->name))
			return i + 1;
	}
	return fetch->nr == other->nr ? 0 : i + 1;
}

/**
 * trace_fetch_is_same - do two probes fetch the same?
 * @fetch: the arguments of one
 * @other: those of the other, which do not differ by trace_fetch_differ()
 *
 * Context: any.
 * Return: true if the words of all arguments are equal.
 */
bool trace_fetch_is_same(const struct trace_fetch *fetch, const struct trace_fetch *other)
{
	for (unsigned int i = 0; i < fetch->nr; i++) {
		if (strcmp(fetch->args[i].text, other->args[i].text))
			return false;
	}
	return fetch->nr == other->nr;
}
