/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/synth/ inside: the parts of a synthetic event.
 */
#ifndef _TRACE_EVENTS_SYNTH_EVENT_H
#define _TRACE_EVENTS_SYNTH_EVENT_H

#include <linux/trace_events.h>
#include <linux/tracepoint.h>

#include "events/dyn/dyn.h"
#include "events/synth/synth.h"

/**
 * struct trace_synth_event - a synthetic event
 * @dyn:	of the list of dynamic events
 * @call:	the event, one of a tracepoint that trace_synth_record() raises
 * @class:	of this event alone
 * @tp:		the probes of instances and of perf
 * @description: of its fields, for the class
 * @owner:	the module that has made it, which is kept while the event is on; events mutex
 * @fixed:	bytes of a record before the data of dynamic fields
 * @has_gaps:	some of these belong to no field
 * @nr_dynamic:	how many dynamic fields
 * @nr:		how many fields
 * @field:	the fields
 *
 * Members without a lock are constant.
 */
struct trace_synth_event {
	struct trace_dyn_event		dyn;
	struct trace_event_call		call;
	struct trace_event_class	class;
	struct tracepoint		tp;
	struct trace_event_fields	description[2];
	struct module			*owner;
	unsigned int			fixed;
	unsigned int			nr_dynamic;
	bool				has_gaps;
	unsigned int			nr;
	struct trace_synth_field	field[] __counted_by(nr);
};

/*
 * The longest record. A sub-buffer of 4096 bytes has room for it, which is the smallest that there
 * is, and triggers have places for it.
 */
#define TRACE_SYNTH_RECORD_MAX	4064

static_assert(IS_ALIGNED(TRACE_SYNTH_RECORD_MAX, sizeof(long)));

/* An event as a text defines it. */
struct trace_synth_definition {
	char				*name;
	unsigned int			fixed;
	unsigned int			nr_dynamic;
	unsigned int			nr;
	struct trace_synth_field	field[TRACE_SYNTH_FIELDS_MAX];
};

enum trace_synth_error {
	SYNTH_ERR_BAD_NAME,
	SYNTH_ERR_INVALID_CMD,
	SYNTH_ERR_INVALID_DYN_CMD,
	SYNTH_ERR_EVENT_EXISTS,
	SYNTH_ERR_TOO_MANY_FIELDS,
	SYNTH_ERR_INCOMPLETE_TYPE,
	SYNTH_ERR_INVALID_TYPE,
	SYNTH_ERR_INVALID_FIELD,
	SYNTH_ERR_INVALID_ARRAY_SPEC,
	SYNTH_ERR_TOO_LONG,
};

/* parse.c */
int trace_synth_refuse(const char *line, enum trace_synth_error error, const char *at);
int trace_synth_parse(const char *line, const char *text, struct trace_synth_definition *def);
void trace_synth_fields_free(struct trace_synth_field *field, unsigned int nr);

/* print.c */
extern struct trace_event_functions trace_synth_print_functions;
char *trace_synth_print_format(const struct trace_synth_event *event);

/* record.c */
void trace_synth_record_init(struct trace_event_class *class);

/* event.c */
extern struct trace_dyn_kind trace_synth_kind;
int trace_synth_event_create(const char *line, const char *text, struct module *owner);
int trace_synth_event_remove(const char *name);
void trace_synth_event_show_fields(struct seq_file *m, const struct trace_dyn_event *event);
void trace_synth_owner_gone(const struct module *owner);

#endif /* _TRACE_EVENTS_SYNTH_EVENT_H */
