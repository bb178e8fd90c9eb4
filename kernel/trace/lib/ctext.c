// SPDX-License-Identifier: GPL-2.0
/*
 * The scanner of ctext.h. It refuses nothing: characters that are no part of C come out
 * as tokens of their own.
 */
#include <linux/ctype.h>
#include <linux/string.h>

#include "lib/ctext.h"

static bool ctext_in_name(char c)
{
	return isalnum(c) || c == '_';
}

/* Behind the string that begins at @p with its quote. */
static const char *ctext_string_end(const char *p)
{
	const char quote = *p++;

	for (; *p && *p != quote; p++)
		if (*p == '\\' && p[1])
			p++;
	return *p ? p + 1 : p;
}

/**
 * trace_ctext_start - look at a text from its first token on
 * @t: the scanner, for trace_ctext_next()
 * @text: ends with a NUL
 *
 * Context: any.
 */
void trace_ctext_start(struct trace_ctext *t, const char *text)
{
	*t = (struct trace_ctext){ .token = text, .next = text };
}

static const char *ctext_token_end(struct trace_ctext *t, const char *p)
{
	if (!*p) {
		t->kind = TRACE_CTEXT_END;
		return p;
	}
	if (isspace(*p)) {
		t->kind = TRACE_CTEXT_SPACE;
		return skip_spaces(p);
	}
	if (*p == '"' || *p == '\'') {
		t->kind = TRACE_CTEXT_STRING;
		return ctext_string_end(p);
	}
	if (isdigit(*p)) {
		t->kind = TRACE_CTEXT_NUMBER;
		while (ctext_in_name(*p) || *p == '.')
			p++;
		return p;
	}
	if (ctext_in_name(*p)) {
		t->kind = TRACE_CTEXT_NAME;
		while (ctext_in_name(*p))
			p++;
		return p;
	}
	t->kind = TRACE_CTEXT_PUNCT;
	return p[0] == '-' && p[1] == '>' ? p + 2 : p + 1;
}

/**
 * trace_ctext_next - the next token
 * @t: the scanner, which describes the token afterwards
 *
 * Context: any.
 * Return: the token's kind; TRACE_CTEXT_END again and again at the end.
 */
enum trace_ctext_kind trace_ctext_next(struct trace_ctext *t)
{
	t->token = t->next;
	t->next = ctext_token_end(t, t->token);
	t->len = t->next - t->token;
	t->member = t->kind == TRACE_CTEXT_NAME && t->after_dot;
	if (t->kind != TRACE_CTEXT_SPACE)
		t->after_dot = trace_ctext_is(t, ".") || trace_ctext_is(t, "->");
	if (t->kind == TRACE_CTEXT_PUNCT) {
		if (strchr("({[", *t->token))
			t->depth++;
		else if (strchr(")}]", *t->token))
			t->depth--;
	}
	return t->kind;
}

/**
 * trace_ctext_is - is the token this text?
 * @t: the scanner
 * @text: the text to compare with
 *
 * Context: any.
 * Return: true when it is.
 */
bool trace_ctext_is(const struct trace_ctext *t, const char *text)
{
	return t->len == strlen(text) && !memcmp(t->token, text, t->len);
}

/**
 * trace_ctext_argument - the argument of a call that begins at @text
 * @text: what follows the call's '(' or a ',' behind another argument
 * @len: set to the argument's length, without blanks at its end
 *
 * Context: any.
 * Return: where it begins, behind blanks. text[*len] and blanks later stands the
 * ',' that ends it, the ')' of the call or the end of the text.
 */
const char *trace_ctext_argument(const char *text, size_t *len)
{
	struct trace_ctext t;
	const char *end;

	text = skip_spaces(text);
	trace_ctext_start(&t, text);
	end = text;
	while (trace_ctext_next(&t) && t.depth >= 0 && (t.depth || !trace_ctext_is(&t, ",")))
		if (t.kind != TRACE_CTEXT_SPACE)
			end = t.next;
	*len = end - text;
	return text;
}
