// SPDX-License-Identifier: GPL-2.0
/*
 * The place of a uprobe, "PATH:OFFSET[%return][(COUNTER)]". The path may have colons, and begins
 * anywhere: a '/' in it tells it from a symbol of the kernel.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "probes/uprobe.h"

/* A number between @text and @end. */
static int uprobe_place_number(const char *text, const char *end, unsigned long *number)
{
	char digits[32];
	size_t len = end - text;

	if (!len || len >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, text, len);
	digits[len] = '\0';
	return kstrtoul(digits, 0, number);
}

/* Log that a number is none. Users know -ERANGE for one that is too large. */
static int uprobe_place_no_number(struct trace_probe_line *line, const char *at,
				  enum trace_probe_error error, int why)
{
	int ret = trace_probe_error(&line->log, at, error);

	return why == -ERANGE ? why : ret;
}

/* "(COUNTER)" between @text and @end */
static int uprobe_place_counter(struct trace_uprobe_place *place, struct trace_probe_line *line,
				const char *text, const char *end)
{
	const char *close = memchr(text, ')', end - text);
	int ret;

	if (!close)
		return trace_probe_error(&line->log, end, PROBE_REFCNT_OPEN_BRACE);
	if (close + 1 != end)
		return trace_probe_error(&line->log, close + 1, PROBE_BAD_REFCNT_SUFFIX);
	ret = uprobe_place_number(text + 1, close, &place->counter);
	return ret ? uprobe_place_no_number(line, text + 1, PROBE_BAD_REFCNT, ret) : 0;
}

/* "%return" between @text and @end */
static int uprobe_place_suffix(struct trace_uprobe_place *place, struct trace_probe_line *line,
			       const char *text, const char *end)
{
	const size_t len = strlen("%return");

	if (end - text != len || memcmp(text, "%return", len))
		return trace_probe_error(&line->log, text, PROBE_BAD_ADDR_SUFFIX);
	place->is_return = true;
	return 0;
}

/* The colon in front of the offset: the last one. NULL: it is no place of a uprobe. */
static const char *uprobe_place_colon(const struct trace_probe_line *line)
{
	const char *end = line->place + line->place_len, *colon = end;

	if (!memchr(line->place, '/', line->place_len))
		return NULL;
	do {
		if (colon-- == line->place)
			return NULL;
	} while (*colon != ':');
	return colon + 1 < end && isdigit(colon[1]) ? colon : NULL;
}

/**
 * trace_uprobe_place_read - read the place of a uprobe
 * @place: filled; its name is for kfree(), whatever is returned
 * @line: the line
 *
 * Context: task, may sleep.
 * Return: 0; -ECANCELED: it is no place in a file; -ENOMEM; or another errno, and the error is
 * logged.
 */
int trace_uprobe_place_read(struct trace_uprobe_place *place, struct trace_probe_line *line)
{
	const char *end = line->place + line->place_len, *colon = uprobe_place_colon(line);
	const char *offset, *suffix;
	int ret = 0;

	if (!colon)
		return -ECANCELED;
	if (colon - line->place >= PATH_MAX)
		return -ENAMETOOLONG;
	place->name = kmemdup_nul(line->place, colon - line->place, GFP_KERNEL);
	if (!place->name)
		return -ENOMEM;
	offset = colon + 1;
	suffix = memchr(offset, '(', end - offset);
	if (suffix) {
		ret = uprobe_place_counter(place, line, suffix, end);
		end = suffix;
	}
	suffix = memchr(offset, '%', end - offset);
	if (suffix && !ret) {
		ret = uprobe_place_suffix(place, line, suffix, end);
		end = suffix;
	}
	if (ret)
		return ret;
	ret = uprobe_place_number(offset, end, &place->offset);
	return ret ? uprobe_place_no_number(line, offset, PROBE_BAD_UPROBE_OFFS, ret) : 0;
}
