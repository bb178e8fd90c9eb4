/* SPDX-License-Identifier: GPL-2.0 */
/*
 * output/ inside: text for the common path, without vsnprintf(), where numbers and pieces
 * are written straight into the trace_seq.
 */
#ifndef _TRACE_OUTPUT_FORMAT_H
#define _TRACE_OUTPUT_FORMAT_H

#include <linux/string.h>
#include <linux/trace_seq.h>

/*
 * Room for @max bytes at the end of @s, which trace_text_end() must follow. NULL: there
 * is less, and the sequence is marked as full.
 */
static inline char *trace_text_begin(struct trace_seq *s, size_t max)
{
	if (unlikely(s->full || seq_buf_buffer_left(&s->seq) < max)) {
		s->full = 1;
		return NULL;
	}
	return s->seq.buffer + s->seq.len;
}

/* End the text that trace_text_begin() has begun; its last byte is before @p. */
static inline void trace_text_end(struct trace_seq *s, const char *p)
{
	s->seq.len = p - s->seq.buffer;
}

static inline char *trace_text_mem(char *p, const void *mem, size_t len)
{
	memcpy(p, mem, len);
	return p + len;
}

static inline char *trace_text_fill(char *p, char c, int n)
{
	while (n-- > 0)
		*p++ = c;
	return p;
}

#define TRACE_TEXT_DEC_MAX	20

/* Decimal, right aligned in @width, filled up with @fill. */
static inline char *trace_text_dec(char *p, unsigned long val, int width, char fill)
{
	char digits[TRACE_TEXT_DEC_MAX];
	int n = 0;

	do {
		digits[n++] = '0' + val % 10;
		val /= 10;
	} while (val);
	p = trace_text_fill(p, fill, width - n);
	while (n)
		*p++ = digits[--n];
	return p;
}

/* A number below 100 as two digits. */
static inline char *trace_text_two_digits(char *p, unsigned int val)
{
	p[0] = '0' + val / 10;
	p[1] = '0' + val % 10;
	return p + 2;
}

/* Decimal, left aligned in @width. */
static inline char *trace_text_dec_left(char *p, long val, int width)
{
	char *start = p;

	if (val < 0)
		*p++ = '-';
	p = trace_text_dec(p, abs(val), 0, 0);
	return trace_text_fill(p, ' ', width - (int)(p - start));
}

#endif /* _TRACE_OUTPUT_FORMAT_H */
