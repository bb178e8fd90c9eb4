// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the pointers in an event's record that its print format follows. A record is printed
 * long after it was written, and the memory may have been freed. A pointer to a string ("%s")
 * is marked here, and print.c tests it before it is followed. A pointer to something else
 * ("%pM", "%*pbl") cannot be tested, so the event that has one in its record is told of when
 * it is registered.
 */
#include <linux/string.h>

#include "events/internal.h"
#include "lib/ctext.h"

/* How a conversion of a print format uses its argument. */
enum event_fmt_use {
	EVENT_FMT_VALUE,	/* print it */
	EVENT_FMT_STRING,	/* follow it to a string */
	EVENT_FMT_OBJECT,	/* follow it to something else */
};

/*
 * The letters behind "%p" that have printk() read what the pointer leads to. The letters of
 * symbols ("%pS", "%pB"), errors and addresses print the pointer itself.
 */
#define EVENT_FMT_OBJECTS	"abdfghimrtCDEGIMNORUV4"

static enum event_fmt_use event_pointer_fmt_use(const char *conversion)
{
	if (*conversion == 's')
		return EVENT_FMT_STRING;
	if (*conversion == 'p' && conversion[1] && strchr(EVENT_FMT_OBJECTS, conversion[1]))
		return EVENT_FMT_OBJECT;
	return EVENT_FMT_VALUE;
}

/* Does a character stand between '%' and the letter that tells the conversion? */
static bool event_pointer_is_modifier(char c)
{
	switch (c) {
	case '0' ... '9':
	case '-': case '+': case ' ': case '#': case '.': case '*':
	case 'h': case 'l': case 'L': case 'z': case 'j': case 't': case 'q':
		return true;
	default:
		return false;
	}
}

/* Behind the conversion that begins at @p with '%'; *args: how many arguments it takes. */
static const char *event_pointer_fmt_conversion_end(const char *p, int *args,
						    enum event_fmt_use *use)
{
	*args = 1;
	for (p++; event_pointer_is_modifier(*p); p++)
		*args += *p == '*';
	*use = event_pointer_fmt_use(p);
	if (*p == '%')
		*args = 0;
	return *p ? p + 1 : p;
}

/* Is there a pointer at all that is followed? A '%' in an argument is taken for a conversion. */
static bool event_pointer_is_any_followed(const char *fmt)
{
	enum event_fmt_use use = EVENT_FMT_VALUE;
	int args;

	while (use == EVENT_FMT_VALUE && (fmt = strchr(fmt, '%')))
		fmt = event_pointer_fmt_conversion_end(fmt, &args, &use);
	return fmt;
}

/* The argument behind the one of @len characters at @arg, "" if there is none. */
static const char *event_pointer_fmt_next_argument(const char *arg, size_t *len)
{
	arg = skip_spaces(arg + *len);
	return trace_ctext_argument(*arg == ',' ? arg + 1 : "", len);
}

/* An argument that is "REC->NAME", the pointer itself. */
static void event_pointer_mark(struct trace_event_call *call, const char *arg, size_t len)
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

/* The next token of an argument that ends at @end, blanks left out; false: there is none. */
static bool event_pointer_argument_token(struct trace_ctext *t, const char *end)
{
	do {
		if (t->next >= end)
			return false;
		trace_ctext_next(t);
	} while (t->kind == TRACE_CTEXT_SPACE);
	return true;
}

/*
 * Is the value of "REC->NAME..." a pointer that was stored? @t is at REC. It is none if NAME
 * is an array, or if @address_of: '&' stands before it; then the value leads into the
 * record. It is one all the same if the member is followed to another object, and if it is
 * an element of an array of pointers.
 */
static bool event_pointer_member_is_pointer(struct trace_event_call *call, struct trace_ctext t,
					    const char *end, bool address_of)
{
	const struct trace_event_field *f;
	bool is_array = false;

	if (!event_pointer_argument_token(&t, end) || !trace_ctext_is(&t, "->") ||
	    !event_pointer_argument_token(&t, end))
		return false;
	for_each_trace_event_field(f, call) {
		const char *bracket = strchr(f->type, '[');

		if (!trace_ctext_is(&t, f->name))
			continue;
		is_array = bracket && !(*skip_spaces(t.next) == '[' &&
					strnchr(f->type, bracket - f->type, '*'));
	}
	if (event_pointer_argument_token(&t, end) && trace_ctext_is(&t, "->"))
		return true;
	return !is_array && !address_of;
}

/*
 * Can the value of an argument be a pointer that was stored in the record? An index and the
 * condition of "?:" are no part of the value.
 */
static bool event_pointer_argument_is_pointer(struct trace_event_call *call, const char *arg,
					      size_t len)
{
	const char *end = arg + len;
	unsigned int amps = 0, indexes = 0;
	bool found = false;
	struct trace_ctext t;

	trace_ctext_start(&t, arg);
	while (event_pointer_argument_token(&t, end)) {
		if (trace_ctext_is(&t, "REC") && !t.member && !indexes)
			found |= event_pointer_member_is_pointer(call, t, end, amps == 1);
		else if (trace_ctext_is(&t, "["))
			indexes++;
		else if (trace_ctext_is(&t, "]"))
			indexes--;
		else if (trace_ctext_is(&t, "?"))
			found = false;
		else if (trace_ctext_is(&t, ":") && found)
			return true;

		/* "&(REC->a)" is an address, "a && REC->b" is not. */
		if (trace_ctext_is(&t, "&"))
			amps++;
		else if (!trace_ctext_is(&t, "("))
			amps = 0;
	}
	return found;
}

/*
 * Find the pointers in the record that the print format of @call follows, once, when the
 * event is registered. Those to strings are marked. Returns which argument, from 1, is a
 * pointer to something else; 0: none is.
 */
unsigned int trace_event_find_pointers(struct trace_event_call *call)
{
	const char *fmt = call->print_fmt, *end, *arg;
	unsigned int nr = 1, unsafe = 0;
	enum event_fmt_use use;
	size_t len;
	int args;

	trace_events_assert_locked();

	if (!fmt || *fmt != '"' || !event_pointer_is_any_followed(fmt))
		return 0;
	fmt = trace_ctext_argument(fmt, &len);
	end = fmt + len;
	arg = event_pointer_fmt_next_argument(fmt, &len);
	while (fmt < end) {
		if (*fmt != '%') {
			fmt++;
			continue;
		}
		fmt = event_pointer_fmt_conversion_end(fmt, &args, &use);
		for (; args > 1; args--, nr++)
			arg = event_pointer_fmt_next_argument(arg, &len);
		if (!args)
			continue;
		if (use == EVENT_FMT_STRING)
			event_pointer_mark(call, arg, len);
		else if (use == EVENT_FMT_OBJECT && !unsafe &&
			 event_pointer_argument_is_pointer(call, arg, len))
			unsafe = nr;
		arg = event_pointer_fmt_next_argument(arg, &len);
		nr++;
	}
	return unsafe;
}
