/* SPDX-License-Identifier: GPL-2.0 */
/* probes/ inside: a line of text that defines a probe, see probe.h. */
#ifndef _TRACE_PROBES_LINE_H
#define _TRACE_PROBES_LINE_H

#include <linux/compiler_attributes.h>
#include <linux/types.h>

#include "probes/error.h"

struct trace_probe_kind;

/* The longest name of a group or an event, with its NUL. */
#define TRACE_PROBE_NAME_MAX	64

/**
 * struct trace_probe_line - a line that defines a probe
 * @log:	for its errors; @log.line is the line
 * @kind:	the kind
 * @head:	what stands before the colon or the first blank, @head_len bytes
 * @name:	what stands behind the colon, @name_len bytes; NULL: there is no colon
 * @place:	the second word, @place_len bytes
 * @args:	what follows, up to @end
 * @group:	the event's group, from trace_probe_line_name()
 * @event:	its name, likewise
 */
struct trace_probe_line {
	struct trace_probe_log		log;
	const struct trace_probe_kind	*kind;
	const char			*head, *name, *place, *args, *end;
	size_t				head_len, name_len, place_len;
	char				group[TRACE_PROBE_NAME_MAX];
	char				event[TRACE_PROBE_NAME_MAX];
};

/* No lock. trace_probe_line_read(): false: it has less than two words. */
bool trace_probe_line_read(struct trace_probe_line *line, const char *text,
			   const struct trace_probe_kind *kind);
__printf(2, 3) int trace_probe_line_name(struct trace_probe_line *line, const char *fmt, ...);
int trace_probe_line_number(struct trace_probe_line *line, unsigned int max, unsigned int *nr);
const char *trace_probe_line_has(const struct trace_probe_line *line, const char *name);

#endif /* _TRACE_PROBES_LINE_H */
