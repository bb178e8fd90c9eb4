/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record/text.h: the record print, which is text: of trace_printk() and its kin,
 * of trace_marker, and what tracing itself says about a trace.
 */
#ifndef _TRACE_RECORD_TEXT_H
#define _TRACE_RECORD_TEXT_H

#include "record/record.h"

struct trace_print_entry {
	struct trace_entry	ent;
	unsigned long		ip;
	char			buf[];
};

/**
 * trace_text_size - how long is a record print?
 * @len: bytes of its text
 *
 * Context: any.
 * Return: bytes to reserve, with room for a newline and a NUL.
 */
static inline size_t trace_text_size(size_t len)
{
	return offsetof(struct trace_print_entry, buf) + len + 2;
}

/**
 * trace_text_end_line - end the text in a record
 * @entry: of trace_text_size(@len) bytes
 * @len: bytes of the text; a newline is added where it is missing
 *
 * Context: any.
 * Return: bytes of the text now.
 */
static inline size_t trace_text_end_line(struct trace_print_entry *entry, size_t len)
{
	if (!len || entry->buf[len - 1] != '\n')
		entry->buf[len++] = '\n';
	entry->buf[len] = '\0';
	return len;
}

void trace_text_write(struct trace_buffer *buffer, unsigned long ip, const char *text);

#endif /* _TRACE_RECORD_TEXT_H */
