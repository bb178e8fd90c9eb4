// SPDX-License-Identifier: GPL-2.0
/*
 * Name patterns: the cheap forms are recognized once, so that matching ten
 * thousand names against "*end" compares ends. What is matched is unknown here.
 */
#include <linux/glob.h>
#include <linux/string.h>

#include "lib/lib.h"

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

	len = strlen(text);
	if (strcspn(text, "*?[") == len) {
		glob->type = TRACE_GLOB_EXACT;
		goto out;
	}
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
	if (strcspn(text, "*?[") < len) {
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

/**
 * trace_glob_match - does a name fit the pattern?
 * @glob: the pattern; its negate flag is left to the caller
 * @name: NUL-terminated
 * @len: its length
 *
 * Context: any.
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
		return glob_match(glob->text, name);
	}
	return false;
}
