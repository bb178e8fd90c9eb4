// SPDX-License-Identifier: GPL-2.0
/*
 * Name patterns: the cheap forms are recognized once, so that matching ten
 * thousand names against "*end" compares ends. This file does not know what the names stand
 * for.
 */
#include <linux/string.h>

#include "lib/lib.h"

/* The length of the part of a text before the first character that makes it a pattern. */
static size_t glob_plain_len(const char *text)
{
	const char *p;

	for (p = text; *p; p++) {
		/* A backslash makes the character behind it an ordinary one. */
		if (*p == '*' || *p == '?' || *p == '[' || *p == '\\')
			break;
	}
	return p - text;
}

/**
 * trace_glob_parse - find out what kind of pattern a text is
 * @glob: result; @text belongs to it from now on
 * @text: NUL-terminated; a '*' at its end is overwritten
 *
 * Context: any.
 */
void trace_glob_parse(struct trace_glob *glob, char *text)
{
	bool head = false, tail = false;
	size_t len;

	glob->negate = *text == '!';
	if (glob->negate)
		text++;

	len = glob_plain_len(text);
	if (!text[len]) {
		glob->type = TRACE_GLOB_EXACT;
		goto out;
	}
	len += strlen(text + len);
	if (strspn(text, "*") == len) {
		glob->type = TRACE_GLOB_ALL;
		goto out;
	}

	if (text[0] == '*') {
		head = true;
		text++;
		len--;
	}
	if (text[len - 1] == '*') {
		tail = true;
		len--;
	}
	if (glob_plain_len(text) < len) {
		text -= head;
		len += head + tail;
		glob->type = TRACE_GLOB_FULL;
		goto out;
	}

	text[len] = '\0';
	glob->type = !head ? TRACE_GLOB_FRONT :
		     !tail ? TRACE_GLOB_END : TRACE_GLOB_MIDDLE;
out:
	glob->text = text;
	glob->len = len;
}

/*
 * Is @c in the set whose text begins at @set, behind its '['? Returns what is
 * behind the set's ']', NULL: there is none, so that '[' means itself.
 */
static const char *glob_set_match(const char *set, unsigned char c, bool *match)
{
	bool negate = *set == '!', in = false;
	const char *p = set + negate;

	/* A ']' that comes first is one of the set. */
	do {
		unsigned char low = *p, high = low;

		if (!low)
			return NULL;
		if (p[1] == '-' && p[2] && p[2] != ']') {
			high = p[2];
			p += 2;
		}
		in |= low <= c && c <= high;
	} while (*++p != ']');
	*match = in != negate;
	return p + 1;
}

/* Does the one character @c fit what stands at *pat, which moves behind that? */
static bool glob_char_match(const char **pat, char c)
{
	const char *p = *pat, *end;
	bool match;

	*pat = p + 1;
	switch (*p) {
	case '?':
		return true;
	case '[':
		end = glob_set_match(p + 1, c, &match);
		if (!end)
			return c == '[';
		*pat = end;
		return match;
	case '\\':
		if (p[1]) {
			*pat = p + 2;
			return c == p[1];
		}
		return c == '\\';
	default:
		return c == *p;
	}
}

/*
 * Any pattern, against text that need not end with a NUL. Only the last '*' is ever tried
 * again: the pattern before it has matched already, and the less text that part takes, the more
 * is left for the rest of the pattern.
 */
static bool glob_full_match(const char *pat, const char *text, size_t len)
{
	const char *end = text + len, *star = NULL, *next = NULL;

	for (;;) {
		if (*pat == '*') {
			star = ++pat;
			next = text;
		} else if (text == end) {
			return !*pat;
		} else if (*pat && glob_char_match(&pat, *text)) {
			text++;
		} else if (star) {
			pat = star;
			text = ++next;
		} else {
			return false;
		}
	}
}

/**
 * trace_glob_match - does a name fit the pattern?
 * @glob: the pattern; its negate flag is left to the caller
 * @name: the name, which need not end with a NUL
 * @len: its length
 *
 * Context: any.
 * Return: true when it does.
 */
bool trace_glob_match(const struct trace_glob *glob, const char *name, size_t len)
{
	switch (glob->type) {
	case TRACE_GLOB_ALL:
		return true;
	case TRACE_GLOB_EXACT:
		return len == glob->len && !memcmp(name, glob->text, len);
	case TRACE_GLOB_FRONT:
		return len >= glob->len && !memcmp(name, glob->text, glob->len);
	case TRACE_GLOB_MIDDLE:
		return strnstr(name, glob->text, len);
	case TRACE_GLOB_END:
		return len >= glob->len &&
		       !memcmp(name + len - glob->len, glob->text, glob->len);
	case TRACE_GLOB_FULL:
		return glob_full_match(glob->text, name, len);
	}
	return false;
}
