// SPDX-License-Identifier: GPL-2.0
/*
 * Callbacks of output/, which does not know fields: they print a record in the mode "fields",
 * and refuse a record whose text would follow a string pointer into memory that may be freed.
 * pointers.c has marked the events that have such pointers. In a buffer that is kept over a
 * reboot, records that do not fit their event are refused, too, and events whose format takes
 * the length of an array from a field are printed as fields.
 *
 * The context is that of a reader, ftrace_dump() in NMI included, so no lock is taken. The
 * reader's trace_types_read_lock() keeps the event.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/trace_seq.h>
#include <linux/uaccess.h>

#include "events/internal.h"
#include "lib/ctext.h"

/* Is @str in memory that is not freed as long as the record can be read? */
static bool event_print_pointer_stays(struct trace_iterator *iter, struct trace_event_call *call,
				      const char *str)
{
	unsigned long addr = (unsigned long)str;
	void *rec = iter->ent;

	if (!str || is_kernel_rodata(addr) || is_kernel_core_data(addr) ||
	    is_kernel_percpu_address(addr))
		return true;
	if ((void *)str >= rec && (void *)str < rec + iter->ent_size)
		return true;
#ifdef CONFIG_MODULES
	/* The module's events are removed before its memory, and we keep this event. */
	if (!(call->flags & TRACE_EVENT_FL_DYNAMIC) && call->module &&
	    within_module_core(addr, call->module))
		return true;
#endif
	return false;
}

/*
 * Does the print format print what a location word tells of as a string, up to its NUL? Only
 * asked for buffers that are kept over a reboot, so the format is parsed each time.
 */
static bool print_located_ends_with_nul(const struct trace_event_call *call,
					const struct trace_event_field *f)
{
	bool is_string = false;
	struct trace_ctext t;

	if (!call->print_fmt)
		return false;
	trace_ctext_start(&t, call->print_fmt);
	while (trace_ctext_next(&t)) {
		if (t.kind == TRACE_CTEXT_SPACE || trace_ctext_is(&t, "("))
			continue;
		if (is_string && trace_ctext_is(&t, f->name))
			return true;
		is_string = trace_ctext_is(&t, "__get_str") || trace_ctext_is(&t, "__get_rel_str");
	}
	return false;
}

/* Is what a location word tells of inside the record, with a NUL if it is printed up to that? */
static bool print_located_fits(const struct trace_iterator *iter,
			       const struct trace_event_call *call,
			       const struct trace_event_field *f)
{
	u32 word = *(u32 *)((void *)iter->ent + f->offset);
	unsigned int at = word & 0xffff, len = word >> 16;

	if (str_has_prefix(f->type, "__rel_loc"))
		at += f->offset + f->size;
	if (at + len > iter->ent_size)
		return false;
	return !print_located_ends_with_nul(call, f) || memchr((void *)iter->ent + at, '\0', len);
}

/*
 * Can a record that another boot left have been written by this event? If not, its
 * number was another event's, or the event was another one.
 */
static bool print_record_fits(const struct trace_iterator *iter, struct trace_event_call *call)
{
	struct trace_event_field *f;
	bool open_end = false;
	int end = 0;

	for_each_trace_event_field(f, call) {
		end = max(end, f->offset + f->size);
		if (end > iter->ent_size)
			return false;
		if (!f->size)
			open_end = true;
		if (!trace_event_field_is_located(f))
			continue;
		open_end = true;
		if (!print_located_fits(iter, call, f))
			return false;
	}
	/*
	 * A record may be longer than its last field by the padding of the struct, to 8 bytes.
	 * If there is more, it belongs to another event.
	 */
	return open_end || !end || iter->ent_size < ALIGN(end, sizeof(u64)) + (int)sizeof(u32);
}

/* Does the token make an address of the bytes of a field that is elsewhere in the record? */
static bool print_call_locates(struct trace_ctext *t)
{
	return trace_ctext_is(t, "__get_dynamic_array") ||
	       trace_ctext_is(t, "__get_rel_dynamic_array") ||
	       trace_ctext_is(t, "__get_sockaddr") || trace_ctext_is(t, "__get_rel_sockaddr");
}

/* Skip to the second argument of a call; false if it has none. @locates: the first one locates */
static bool print_call_skip_argument(struct trace_ctext *t, bool *locates)
{
	int depth = 0;

	*locates = false;
	while (trace_ctext_next(t)) {
		*locates |= print_call_locates(t);
		if (trace_ctext_is(t, "("))
			depth++;
		else if (trace_ctext_is(t, ")") && !--depth)
			return false;
		else if (trace_ctext_is(t, ",") && depth == 1)
			return true;
	}
	return false;
}

/* Does the rest of a call take a length from a member, or not the one of what it has located? */
static bool print_call_rest_overruns(struct trace_ctext *t, bool locates)
{
	bool bounded = !locates;
	int depth = 1;

	while (depth && trace_ctext_next(t)) {
		if (trace_ctext_is(t, "REC"))
			return true;
		if (trace_ctext_is(t, "__get_dynamic_array_len") ||
		    trace_ctext_is(t, "__get_rel_dynamic_array_len"))
			bounded = true;
		/* __print_hex_dump() has the bytes behind its first argument. */
		if (print_call_locates(t))
			bounded = false;
		if (trace_ctext_is(t, "("))
			depth++;
		else if (trace_ctext_is(t, ")"))
			depth--;
	}
	return !bounded;
}

/*
 * May the print format read more than a field has? It does so if it takes the length from another
 * field, and if it takes for granted that bytes elsewhere in the record are as many as it wants:
 * an address for "%pIS", a structure, text up to a NUL. In a record of another boot a length may
 * be any number, and the record ends before. Only asked for buffers that are kept over a reboot,
 * so the format is parsed each time.
 */
static bool print_format_overruns(const struct trace_event_call *call)
{
	struct trace_ctext t;
	bool locates;

	if (!call->print_fmt)
		return false;
	if (strstr(call->print_fmt, "%*p") || strstr(call->print_fmt, "%.*"))
		return true;
	trace_ctext_start(&t, call->print_fmt);
	while (trace_ctext_next(&t)) {
		/* The helpers that are told a length say below what is right for them. */
		if (trace_ctext_is(&t, "__print_hex") || trace_ctext_is(&t, "__print_hex_str") ||
		    trace_ctext_is(&t, "__print_hex_dump") || trace_ctext_is(&t, "__print_array")) {
			if (print_call_skip_argument(&t, &locates) &&
			    print_call_rest_overruns(&t, locates))
				return true;
		} else if (print_call_locates(&t)) {
			return true;
		}
	}
	return false;
}

static enum print_line_t print_all_fields(struct trace_iterator *iter, struct trace_event *event);

static bool print_fields_refuse(struct trace_iterator *iter, struct trace_event *event)
{
	struct trace_event_call *call = container_of(event, struct trace_event_call, event);
	struct trace_event_field *f;

	if (unlikely(iter->tr->memory) && !print_record_fits(iter, call)) {
		trace_seq_printf(&iter->seq, "[%s of %d bytes, which is no record of it]\n",
				 trace_event_name(call), iter->ent_size);
		return true;
	}
	if (unlikely(iter->tr->memory) && print_format_overruns(call)) {
		print_all_fields(iter, event);
		return true;
	}
	if (!(call->flags & TRACE_EVENT_FL_TEST_STR))
		return false;
	for_each_trace_event_field(f, call) {
		const char *str;

		if (!f->needs_test)
			continue;
		str = *(const char **)((void *)iter->ent + f->offset);
		if (event_print_pointer_stays(iter, call, str))
			continue;
		trace_seq_printf(&iter->seq, "%s: EVENT %s: HAS UNSAFE POINTER FIELD '%s'\n",
				 trace_event_name(call), trace_event_name(call), f->name);
		return true;
	}
	return false;
}

static void print_fields_bytes(struct trace_seq *s, const u8 *p, unsigned int len)
{
	for (unsigned int i = 0; i < len; i++)
		trace_seq_printf(s, "%s%02x", i ? "," : "", p[i]);
}

/*
 * A number in the form that users know: bytes also as a character and unsigned, larger
 * numbers as signed ones, whatever the field is.
 */
static void print_fields_number(struct trace_seq *s, const struct trace_event_field *f,
				const void *p)
{
	switch (f->size) {
	case 1:
		if (isprint(*(u8 *)p))
			trace_seq_printf(s, "'%c'", *(u8 *)p);
		trace_seq_printf(s, "(%u)", *(u8 *)p);
		break;
	case 2:
		trace_seq_printf(s, "0x%x (%u)", *(u16 *)p, *(u16 *)p);
		break;
	case 4:
		trace_seq_printf(s, "0x%x (%d)", *(u32 *)p, *(s32 *)p);
		break;
	case 8:
		trace_seq_printf(s, "0x%llx (%lld)", *(u64 *)p, *(s64 *)p);
		break;
	default:
		print_fields_bytes(s, p, f->size);
	}
}

/* Print a string without the line feed that it may end with. */
static void print_fields_string(struct trace_seq *s, const char *str, unsigned int room)
{
	unsigned int len = strnlen(str, room);

	if (len && str[len - 1] == '\n')
		len--;
	trace_seq_printf(s, "%.*s", len, str);
}

/* The pointer, and the string behind it if that can be read. */
static void print_fields_pointed(struct trace_seq *s, const void *p)
{
	const char *str = *(const char **)p;
	char text[128];

	trace_seq_printf(s, "(0x%0*lx", (int)(2 * sizeof(str)), (unsigned long)str);
	if (strncpy_from_kernel_nofault(text, str, sizeof(text)) >= 0) {
		trace_seq_putc(s, ':');
		print_fields_string(s, text, sizeof(text));
	}
	trace_seq_putc(s, ')');
}

/* Print the data that a location word points to, if they are inside the record. */
static void print_fields_located(struct trace_iterator *iter, const struct trace_event_field *f,
				 const void *p)
{
	bool rel = str_has_prefix(f->type, "__rel_loc");
	unsigned int len = *(u32 *)p >> 16;
	unsigned int at = *(u32 *)p & 0xffff;

	if (rel)
		at += f->offset + f->size;
	if (at + len > iter->ent_size) {
		trace_seq_puts(&iter->seq, "<OVERFLOW>");
		return;
	}
	p = (void *)iter->ent + at;
	if (f->filter_type == FILTER_DYN_STRING || f->filter_type == FILTER_RDYN_STRING)
		print_fields_string(&iter->seq, p, len);
	else
		print_fields_bytes(&iter->seq, p, len);
}

static void print_fields_one(struct trace_iterator *iter, const struct trace_event_field *f)
{
	const void *p = (void *)iter->ent + f->offset;
	int room = iter->ent_size - f->offset;

	trace_seq_printf(&iter->seq, " %s=", f->name);
	/* A record may be shorter than its array: a stack of few calls is. Print what is there. */
	if (room < min_t(int, f->size, sizeof(u64)))
		trace_seq_puts(&iter->seq, "<OVERFLOW>");
	else if (trace_event_field_is_located(f))
		print_fields_located(iter, f, p);
	else if (f->filter_type == FILTER_STATIC_STRING)
		print_fields_string(&iter->seq, p, f->size ? min(f->size, room) : room);
	else if (f->filter_type == FILTER_PTR_STRING)
		print_fields_pointed(&iter->seq, p);
	else if (f->filter_type == FILTER_TRACE_FN)
		trace_seq_printf(&iter->seq, "%pS", *(void **)p);
	else if (f->size && f->size <= room)
		print_fields_number(&iter->seq, f, p);
	else
		print_fields_bytes(&iter->seq, p, room);
}

static enum print_line_t print_all_fields(struct trace_iterator *iter, struct trace_event *event)
{
	struct trace_event_call *call;
	struct trace_event_field *f;

	call = event ? container_of(event, struct trace_event_call, event) :
		       trace_event_of_kind(iter->ent->type);
	if (!call)
		return TRACE_TYPE_UNHANDLED;
	trace_seq_printf(&iter->seq, "%s:", trace_event_name(call));
	for_each_trace_event_field(f, call)
		print_fields_one(iter, f);
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

const struct trace_fields_ops trace_event_fields_ops = {
	.print	= print_all_fields,
	.refuse	= print_fields_refuse,
};
