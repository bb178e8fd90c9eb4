// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the fields of an event that are pointers to strings and that its print format
 * follows. Printing such a record reads memory that may have been freed, so print.c tests
 * the pointer before.
 */
#include <linux/string.h>

#include "events/internal.h"
#include "lib/ctext.h"

/* Behind the conversion that begins at @p with '%'; *is_string: it is "%s". */
static const char *event_fmt_conversion_end(const char *p, int *args, bool *is_string)
{
	*args = 1;
	for (p++; *p && strchr("-+ #0123456789.*hlLzjtq", *p); p++)
		*args += *p == '*';
	*is_string = *p == 's';
	if (*p == '%')
		*args = 0;
	return *p ? p + 1 : p;
}

/* The argument behind the one of @len characters at @arg, "" if there is none. */
static const char *event_fmt_next_argument(const char *arg, size_t *len)
{
	arg = skip_spaces(arg + *len);
	return trace_ctext_argument(*arg == ',' ? arg + 1 : "", len);
}

/* An argument that is "REC->NAME", the pointer itself. */
static void event_mark_pointer(struct trace_event_call *call, const char *arg, size_t len)
{
	struct trace_event_field *f;

	if (!str_has_prefix(arg, "REC->"))
		return;
	arg += strlen("REC->");
	len -= strlen("REC->");
	for_each_trace_event_field(f, call) {
		if (f->filter_type != FILTER_PTR_STRING || strncmp(f->name, arg, len) ||
		    f->name[len])
			continue;
		f->needs_test = true;
		call->flags |= TRACE_EVENT_FL_TEST_STR;
	}
}

/*
 * Find the string pointers that the print format of @call follows, once, when
 * the event is registered.
 */
void trace_event_find_pointers(struct trace_event_call *call)
{
	const char *fmt = call->print_fmt, *end, *arg;
	bool is_string;
	size_t len;
	int args;

	trace_events_assert_locked();

	if (!fmt || *fmt != '"')
		return;
	fmt = trace_ctext_argument(fmt, &len);
	end = fmt + len;
	arg = event_fmt_next_argument(fmt, &len);
	while (fmt < end) {
		if (*fmt != '%') {
			fmt++;
			continue;
		}
		fmt = event_fmt_conversion_end(fmt, &args, &is_string);
		for (; args > 1; args--)
			arg = event_fmt_next_argument(arg, &len);
		if (!args)
			continue;
		if (is_string)
			event_mark_pointer(call, arg, len);
		arg = event_fmt_next_argument(arg, &len);
	}
}
