// SPDX-License-Identifier: GPL-2.0
/*
 * The text of events/SYSTEM/EVENT/format. User space (libtraceevent) parses
 * it to decode raw records: every character of the layout is interface.
 */
#include <linux/seq_file.h>
#include <linux/string.h>

#include "events/internal.h"

/*
 * C puts an array's length behind the name. Where the length is known it is
 * shown as a number, as the type's spelling may hold a name that only the
 * kernel knows. User space knows __data_loc with the brackets where they are, and __rel_loc
 * with brackets behind the name.
 */
static void event_format_field_show(struct seq_file *m, const struct trace_event_field *f)
{
	const char *bracket = NULL;
	int stem = strlen(f->type);

	if (!str_has_prefix(f->type, "__data_loc"))
		bracket = strchr(f->type, '[');
	if (bracket)
		stem = bracket - f->type;

	seq_printf(m, "\tfield:%.*s %s", stem, f->type, f->name);
	if (bracket && f->len)
		seq_printf(m, "[%d]", f->len);
	else if (bracket)
		seq_puts(m, bracket);
	seq_printf(m, ";\toffset:%u;\tsize:%u;\tsigned:%d;\n", f->offset, f->size, f->is_signed);
}

/* Print the format of @call. The events mutex is held. */
void trace_event_format_show(struct seq_file *m, struct trace_event_call *call)
{
	const struct trace_event_field *f;

	trace_events_assert_locked();

	seq_printf(m, "name: %s\nID: %d\nformat:\n", trace_event_name(call), call->event.type);
	for (unsigned int i = 0; (f = trace_event_common_field(i)); i++)
		event_format_field_show(m, f);
	seq_putc(m, '\n');
	for_each_trace_event_field(f, call)
		event_format_field_show(m, f);
	seq_printf(m, "\nprint fmt: %s\n", call->print_fmt);
}
