/* SPDX-License-Identifier: GPL-2.0 */
/*
 * C text, token by token: the print formats of trace events are the arguments
 * of a printf() as the compiler saw them, and whoever looks for something in
 * them must not find it in a string or in a member's name.
 */
#ifndef _TRACE_LIB_CTEXT_H
#define _TRACE_LIB_CTEXT_H

#include <linux/types.h>

enum trace_ctext_kind {
	TRACE_CTEXT_END,	/* of the text */
	TRACE_CTEXT_SPACE,	/* any number of blanks, tabs and newlines */
	TRACE_CTEXT_STRING,	/* "..." or '...', to the end if nothing closes it */
	TRACE_CTEXT_NAME,	/* identifier or keyword */
	TRACE_CTEXT_NUMBER,	/* 1, 0x1f, 10UL, 1.5 */
	TRACE_CTEXT_PUNCT,	/* one character that is none of these, or "->" */
};

/**
 * struct trace_ctext - a token, and where the next one begins
 * @token:	its first character
 * @len:	its length
 * @kind:	what it is
 * @member:	it is a name behind "." or "->"
 * @depth:	brackets of any kind that are open behind it; those that were never
 *		opened count negative
 * @next:	the text behind it
 *
 * The text is the caller's and stays as it is.
 */
struct trace_ctext {
	const char		*token;
	size_t			len;
	enum trace_ctext_kind	kind;
	bool			member;
	int			depth;
	const char		*next;
	/* private: the scanner's own */
	bool			after_dot;
};

void trace_ctext_start(struct trace_ctext *t, const char *text);
enum trace_ctext_kind trace_ctext_next(struct trace_ctext *t);
bool trace_ctext_is(const struct trace_ctext *t, const char *text);
const char *trace_ctext_argument(const char *text, size_t *len);

#endif /* _TRACE_LIB_CTEXT_H */
