// SPDX-License-Identifier: GPL-2.0
/*
 * The lines that define probes, "HEAD[:[GROUP/][EVENT]] PLACE [ARGUMENT]...": their words, and
 * the names of group and event. The text stays as it is, so that the place of an error is the
 * place in the user's line.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "probes/probe.h"

/* The word at *@text, behind blanks; *@text moves behind it. Returns its length. */
static size_t line_word(const char **text, const char **word)
{
	const char *p = skip_spaces(*text);

	*word = p;
	while (*p && !isspace(*p))
		p++;
	*text = p;
	return p - *word;
}

/**
 * trace_probe_line_read - take a line apart
 * @line: is filled in, but for @group and @event
 * @text: the line, which stays until @line is not used any more
 * @kind: the kind of probe
 *
 * Context: any.
 * Return: false: there are less than two words.
 */
bool trace_probe_line_read(struct trace_probe_line *line, const char *text,
			   const struct trace_probe_kind *kind)
{
	const char *rest = text, *colon;
	size_t len;

	line->log = (struct trace_probe_log){ .subsystem = kind->log, .line = text };
	line->kind = kind;
	len = line_word(&rest, &line->head);
	line->place_len = line_word(&rest, &line->place);
	line->args = skip_spaces(rest);
	line->end = line->args + strlen(line->args);

	colon = memchr(line->head, ':', len);
	line->head_len = colon ? colon - line->head : len;
	line->name = colon ? colon + 1 : NULL;
	line->name_len = colon ? line->head + len - line->name : 0;
	return line->place_len;
}

/**
 * trace_probe_line_number - read the number in the head of a line
 * @line: the line
 * @max: the largest number
 * @nr: is set; 0: there is none
 *
 * Context: any.
 * Return: 0; or an errno, and the error is logged: it is none from 1 to @max.
 */
int trace_probe_line_number(struct trace_probe_line *line, unsigned int max, unsigned int *nr)
{
	const char *digits = line->head + 1;
	size_t len = line->head_len - 1;
	char text[16];

	*nr = 0;
	if (!len)
		return 0;
	if (!isdigit(*digits) || len >= sizeof(text))
		return trace_probe_error(&line->log, digits, PROBE_BAD_MAXACT);
	memcpy(text, digits, len);
	text[len] = '\0';
	if (kstrtouint(text, 0, nr) || !*nr)
		return trace_probe_error(&line->log, digits, PROBE_BAD_MAXACT);
	if (*nr > max)
		return trace_probe_error(&line->log, digits, PROBE_MAXACT_TOO_BIG);
	return 0;
}

/**
 * trace_probe_line_has - do the arguments of a line have a name?
 * @line: the line
 * @name: the name, as "$retval", which does not go on where it is found
 *
 * Context: any.
 * Return: where it is; NULL: nowhere.
 */
const char *trace_probe_line_has(const struct trace_probe_line *line, const char *name)
{
	const size_t len = strlen(name);
	const char *p = line->args;

	while ((p = strnstr(p, name, line->end - p))) {
		p += len;
		if (!isalnum(*p) && *p != '_')
			return p - len;
	}
	return NULL;
}

/* A name as C has them. @also: a character that may be in it besides. */
static bool line_is_name(const char *name, size_t len, char also)
{
	if (!isalpha(*name) && *name != '_')
		return false;
	for (size_t i = 1; i < len; i++) {
		if (!isalnum(name[i]) && name[i] != '_' && (!also || name[i] != also))
			return false;
	}
	return true;
}

/* The group, which ends at @slash. */
static int line_group(struct trace_probe_line *line, const char *slash)
{
	size_t len = slash - line->name;

	if (!len)
		return trace_probe_error(&line->log, line->name, PROBE_NO_GROUP_NAME);
	if (len >= sizeof(line->group))
		return trace_probe_error(&line->log, line->name, PROBE_GROUP_TOO_LONG);
	if (!line_is_name(line->name, len, '-'))
		return trace_probe_error(&line->log, line->name, PROBE_BAD_GROUP_NAME);
	memcpy(line->group, line->name, len);
	line->group[len] = '\0';
	return 0;
}

static int line_event(struct trace_probe_line *line, const char *name, size_t len)
{
	if (len >= sizeof(line->event))
		return trace_probe_error(&line->log, name, PROBE_EVENT_TOO_LONG);
	if (!line_is_name(name, len, '\0'))
		return trace_probe_error(&line->log, name, PROBE_BAD_EVENT_NAME);
	memcpy(line->event, name, len);
	line->event[len] = '\0';
	return 0;
}

/* The name that an event has by default, in which each character becomes one of a name. */
static __printf(2, 0) void
line_default_event(struct trace_probe_line *line, const char *fmt, va_list args)
{
	vscnprintf(line->event, sizeof(line->event), fmt, args);
	for (char *p = line->event; *p; p++) {
		if (!isalnum(*p))
			*p = '_';
	}
}

/**
 * trace_probe_line_name - read the names of group and event
 * @line: of trace_probe_line_read(); @group and @event are set
 * @fmt: the name of an event that the line does not name
 *
 * Context: task, may sleep.
 * Return: 0; or an errno, and the error is logged.
 */
int trace_probe_line_name(struct trace_probe_line *line, const char *fmt, ...)
{
	const char *event = line->name, *end = line->name + line->name_len, *slash = NULL;
	va_list args;
	int ret;

	strscpy(line->group, line->kind->group);
	if (line->name) {
		slash = memchr(line->name, '/', line->name_len) ?:
			memchr(line->name, '.', line->name_len);
		if (!slash && event == end)
			return trace_probe_error(&line->log, event, PROBE_NO_EVENT_NAME);
	}
	if (slash) {
		ret = line_group(line, slash);
		if (ret)
			return ret;
		event = slash + 1;
	}
	if (event && event < end)
		return line_event(line, event, end - event);

	va_start(args, fmt);
	line_default_event(line, fmt, args);
	va_end(args);
	return 0;
}
