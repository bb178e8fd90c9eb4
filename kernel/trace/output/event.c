// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that the print formats of trace events call, declared in <linux/trace_events.h>:
 * they print name tables, arrays, bitmasks, and the line itself. The pieces go to a trace_seq
 * of the iterator and are returned as strings.
 */
#include <linux/ctype.h>
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/trace_events.h>

#include "instance/option.h"
#include "output/format.h"
#include "output/output.h"

/* Masks and names of one width or the other. The last entry has no name. */
struct value_names {
	const struct trace_print_flags		*entries;
	const struct trace_print_flags_u64	*entries_u64;
};

static const char *event_names_entry(const struct value_names *table, unsigned int i, u64 *mask)
{
	if (table->entries) {
		*mask = table->entries[i].mask;
		return table->entries[i].name;
	}
	*mask = table->entries_u64[i].mask;
	return table->entries_u64[i].name;
}

/*
 * Each of the functions for print formats appends one NUL-terminated string to @p and returns
 * a pointer to its start; this appends the NUL. If @p is full, the NUL is missing, too: the
 * line cannot fit then either, and is taken back.
 */
static const char *event_piece_end(struct trace_seq *p, unsigned int start)
{
	trace_seq_putc(p, '\0');
	return p->buffer + start;
}

static const char *event_names_put_flags(struct trace_seq *p, const char *delim, u64 flags,
					 const struct value_names *table)
{
	const unsigned int start = trace_seq_used(p);
	const char *before = NULL, *name;
	unsigned int i = 0;
	u64 mask;

	while (flags && (name = event_names_entry(table, i++, &mask))) {
		if ((flags & mask) != mask)
			continue;
		flags &= ~mask;
		if (before)
			trace_seq_puts(p, before);
		trace_seq_puts(p, name);
		before = delim;
	}
	if (flags) {
		if (before)
			trace_seq_puts(p, before);
		trace_seq_printf(p, "0x%llx", flags);
	}
	return event_piece_end(p, start);
}

static const char *event_names_put_symbol(struct trace_seq *p, u64 val,
					  const struct value_names *table)
{
	const unsigned int start = trace_seq_used(p);
	unsigned int i = 0;
	const char *name;
	u64 mask;

	do {
		name = event_names_entry(table, i++, &mask);
	} while (name && mask != val);
	/* A name that is empty would leave nothing to read. */
	if (name && *name)
		trace_seq_puts(p, name);
	else
		trace_seq_printf(p, "0x%llx", val);
	return event_piece_end(p, start);
}

/**
 * trace_print_flags_seq - names of the bits of a value
 * @p: where to
 * @delim: between names; may be NULL
 * @flags: the value; what no name covers is added as a number
 * @flag_array: masks and names, ends with a NULL name
 *
 * Context: any.
 * Return: the string, inside @p.
 */
const char *trace_print_flags_seq(struct trace_seq *p, const char *delim, unsigned long flags,
				  const struct trace_print_flags *flag_array)
{
	return event_names_put_flags(p, delim, flags,
				     &(struct value_names){ .entries = flag_array });
}
EXPORT_SYMBOL(trace_print_flags_seq);

/**
 * trace_print_symbols_seq - the name of a value
 * @p: where to
 * @val: the value; printed as a number if it has no name
 * @symbol_array: values and names, ends with a NULL name
 *
 * Context: any.
 * Return: the string, inside @p.
 */
const char *trace_print_symbols_seq(struct trace_seq *p, unsigned long val,
				    const struct trace_print_flags *symbol_array)
{
	return event_names_put_symbol(p, val, &(struct value_names){ .entries = symbol_array });
}
EXPORT_SYMBOL(trace_print_symbols_seq);

#if BITS_PER_LONG == 32
/**
 * trace_print_flags_seq_u64 - trace_print_flags_seq() for values of 64 bits
 * @p: where to
 * @delim: between names; may be NULL
 * @flags: the value; what no name covers is added as a number
 * @flag_array: masks and names, ends with a NULL name
 *
 * Context: any.
 * Return: the string, inside @p.
 */
const char *trace_print_flags_seq_u64(struct trace_seq *p, const char *delim,
				      unsigned long long flags,
				      const struct trace_print_flags_u64 *flag_array)
{
	return event_names_put_flags(p, delim, flags,
				     &(struct value_names){ .entries_u64 = flag_array });
}
EXPORT_SYMBOL(trace_print_flags_seq_u64);

/**
 * trace_print_symbols_seq_u64 - trace_print_symbols_seq() for values of 64 bits
 * @p: where to
 * @val: the value; printed as a number if it has no name
 * @symbol_array: values and names, ends with a NULL name
 *
 * Context: any.
 * Return: the string, inside @p.
 */
const char *trace_print_symbols_seq_u64(struct trace_seq *p, unsigned long long val,
					const struct trace_print_flags_u64 *symbol_array)
{
	return event_names_put_symbol(p, val, &(struct value_names){ .entries_u64 = symbol_array });
}
EXPORT_SYMBOL(trace_print_symbols_seq_u64);
#endif

/**
 * trace_print_bitmask_seq - a bitmask as groups of hex digits
 * @p: where to
 * @bitmask_ptr: longs in the CPU's byte order
 * @bitmask_size: in bytes
 *
 * Context: any.
 * Return: the string, inside @p.
 */
const char *trace_print_bitmask_seq(struct trace_seq *p, void *bitmask_ptr,
				    unsigned int bitmask_size)
{
	const unsigned int start = trace_seq_used(p);

	trace_seq_printf(p, "%*pb", (int)(bitmask_size * BITS_PER_BYTE), bitmask_ptr);
	return event_piece_end(p, start);
}
EXPORT_SYMBOL_GPL(trace_print_bitmask_seq);

/**
 * trace_print_hex_seq - bytes as two hex digits each
 * @p: where to
 * @buf: bytes
 * @len: how many
 * @concatenate: without spaces in between
 *
 * Context: any.
 * Return: the string, inside @p.
 */
const char *trace_print_hex_seq(struct trace_seq *p, const unsigned char *buf, int len,
				bool concatenate)
{
	const unsigned int start = trace_seq_used(p);
	int i;

	/* A count may be garbage, in a record of another boot: stop with the room for text. */
	for (i = 0; i < len && !trace_seq_has_overflowed(p); i++) {
		if (i && !concatenate)
			trace_seq_putc(p, ' ');
		trace_seq_putc(p, hex_asc_hi(buf[i]));
		trace_seq_putc(p, hex_asc_lo(buf[i]));
	}
	return event_piece_end(p, start);
}
EXPORT_SYMBOL(trace_print_hex_seq);

static u64 event_array_element(const void *at, size_t size)
{
	switch (size) {
	case 1: return *(const u8 *)at;
	case 2: return *(const u16 *)at;
	case 4: return *(const u32 *)at;
	default: return *(const u64 *)at;
	}
}

/**
 * trace_print_array_seq - "{0x1,0x2}"
 * @p: where to
 * @buf: the elements
 * @count: how many
 * @el_size: bytes of one: 1, 2, 4 or 8
 *
 * Context: any.
 * Return: the string, inside @p.
 */
const char *trace_print_array_seq(struct trace_seq *p, const void *buf, int count,
				  size_t el_size)
{
	const unsigned int start = trace_seq_used(p);
	const void *at;
	int i;

	trace_seq_putc(p, '{');
	for (i = 0, at = buf; i < count && !trace_seq_has_overflowed(p); i++, at += el_size) {
		if (i)
			trace_seq_putc(p, ',');
		if (el_size == 1 || el_size == 2 || el_size == 4 || el_size == 8)
			trace_seq_printf(p, "0x%llx", event_array_element(at, el_size));
		else
			trace_seq_printf(p, "BAD SIZE:%zu 0x%x", el_size, *(const u8 *)at);
	}
	trace_seq_putc(p, '}');
	return event_piece_end(p, start);
}
EXPORT_SYMBOL(trace_print_array_seq);

/**
 * trace_print_hex_dump_seq - lines as print_hex_dump() makes them
 * @p: where to
 * @prefix_str: before each line
 * @prefix_type: DUMP_PREFIX_*
 * @rowsize: bytes in a line, 16 or 32
 * @groupsize: bytes in a group, 1, 2, 4 or 8
 * @buf: bytes
 * @len: how many
 * @ascii: with the characters behind
 *
 * Context: any.
 * Return: the string, inside @p.
 */
const char *trace_print_hex_dump_seq(struct trace_seq *p, const char *prefix_str,
				     int prefix_type, int rowsize, int groupsize,
				     const void *buf, size_t len, bool ascii)
{
	const unsigned int start = trace_seq_used(p);

	trace_seq_putc(p, '\n');
	trace_seq_hex_dump(p, prefix_str, prefix_type, rowsize, groupsize, buf, len, ascii);
	return event_piece_end(p, start);
}
EXPORT_SYMBOL(trace_print_hex_dump_seq);

/**
 * trace_raw_output_prep - begin the line of a TRACE_EVENT: "name: "
 * @iter: where to; its tmp_seq is emptied for the helpers above
 * @trace_event: member of the event's trace_event_call
 *
 * Context: that of a reader, ftrace_dump() in NMI included.
 * Return: TRACE_TYPE_HANDLED: go on; another value: the printer returns it.
 */
int trace_raw_output_prep(struct trace_iterator *iter, struct trace_event *trace_event)
{
	struct trace_event_call *call = container_of(trace_event, struct trace_event_call, event);

	if (WARN_ON_ONCE(iter->ent->type != call->event.type))
		return TRACE_TYPE_UNHANDLED;
	trace_seq_init(&iter->tmp_seq);
	trace_seq_puts(&iter->seq, trace_event_name(call));
	trace_seq_putmem(&iter->seq, ": ", 2);
	return trace_handle_return(&iter->seq);
}
EXPORT_SYMBOL(trace_raw_output_prep);

/* Make @iter->fmt hold @size bytes. False: there is no memory, or in a dump no way to it. */
static bool event_fmt_reserve(struct trace_iterator *iter, size_t size)
{
	const struct trace_print_state *state = iter->private;
	char *fmt;

	if (size <= iter->fmt_size)
		return true;
	if (!state || state->dump)
		return false;
	fmt = krealloc(iter->fmt, size, GFP_KERNEL);
	if (!fmt)
		return false;
	iter->fmt = fmt;
	iter->fmt_size = size;
	return true;
}

/*
 * Copy @fmt to @to with an 'x' behind each plain "%p". The copy is made in pieces; a
 * piece ends with the character behind a '%'.
 */
static void event_fmt_expose_pointers(char *to, const char *fmt)
{
	const char *percent;

	while ((percent = strchr(fmt, '%')) && percent[1]) {
		to = trace_text_mem(to, fmt, percent + 2 - fmt);
		fmt = percent + 2;
		if (percent[1] == 'p' && !isalnum(*fmt))
			*to++ = 'x';
	}
	trace_text_mem(to, fmt, strlen(fmt) + 1);
}

/*
 * The format to print with: without the option hash-ptr it is a copy in which a plain
 * "%p" has become "%px". Where there is no room for the copy, pointers stay hashed.
 */
static const char *event_fmt(struct trace_iterator *iter, const char *fmt)
{
	if (!iter->tr || trace_option(iter->tr, TRACE_OPT_HASH_PTR) || !strstr(fmt, "%p"))
		return fmt;
	/* Each "%p", two characters, grows by one. */
	if (!event_fmt_reserve(iter, strlen(fmt) * 3 / 2 + 1))
		return fmt;
	event_fmt_expose_pointers(iter->fmt, fmt);
	return iter->fmt;
}

/**
 * trace_event_printf - the text of a TRACE_EVENT
 * @iter: where to, and whose options
 * @fmt: TP_printk's format and a newline
 *
 * Context: that of a reader, ftrace_dump() in NMI included.
 */
void trace_event_printf(struct trace_iterator *iter, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	trace_seq_vprintf(&iter->seq, event_fmt(iter, fmt), args);
	va_end(args);
}
EXPORT_SYMBOL(trace_event_printf);

/**
 * trace_output_call - a whole line of an event that prints by itself
 * @iter: where to
 * @name: of the event
 * @fmt: format, with the newline
 *
 * Context: that of a reader, ftrace_dump() in NMI included.
 * Return: the value that the printer has to return.
 */
int trace_output_call(struct trace_iterator *iter, char *name, char *fmt, ...)
{
	va_list args;

	trace_seq_printf(&iter->seq, "%s: ", name);
	va_start(args, fmt);
	trace_seq_vprintf(&iter->seq, event_fmt(iter, fmt), args);
	va_end(args);
	return trace_handle_return(&iter->seq);
}
EXPORT_SYMBOL_GPL(trace_output_call);
