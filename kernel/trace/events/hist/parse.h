/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/hist/ inside: how a text becomes a histogram, part by part, and what is said about texts
 * that do not. All functions return 0 or an errno; the error log has told why where users expect
 * that. They are called in task context with trace_instances_lock() held.
 */
#ifndef _TRACE_EVENTS_HIST_PARSE_H
#define _TRACE_EVENTS_HIST_PARSE_H

#include "events/hist/internal.h"

/* An error, and the place in the text that was written. */
enum hist_error {
	HIST_ERR_NONE,
	HIST_ERR_DUPLICATE_VAR,
	HIST_ERR_NOT_UNIQUE,
	HIST_ERR_MANY_VARS,
	HIST_ERR_MALFORMED,
	HIST_ERR_MISMATCH,
	HIST_ERR_EXISTS,
	HIST_ERR_NO_TRIGGER,
	HIST_ERR_CLOCK,
	HIST_ERR_MODIFIER,
	HIST_ERR_MANY_SUBEXPR,
	HIST_ERR_UNITS,
	HIST_ERR_MANY_FIELD_VARS,
	HIST_ERR_NO_FILE,
	HIST_ERR_NO_HIST,
	HIST_ERR_HIST_FAIL,
	HIST_ERR_NO_SYNTH_VAR,
	HIST_ERR_NO_SYNTH,
	HIST_ERR_SYNTH_TYPE,
	HIST_ERR_SYNTH_COUNT,
	HIST_ERR_FIELD_VAR_PARSE,
	HIST_ERR_VAR_FAIL,
	HIST_ERR_TRACK_NO_VAR,
	HIST_ERR_TRACK_NOT_FOUND,
	HIST_ERR_TRACK_FAIL,
	HIST_ERR_FIELD_VAR_FAIL,
	HIST_ERR_MANY_PARAMS,
	HIST_ERR_NO_PARAM,
	HIST_ERR_PARAM,
	HIST_ERR_NO_ACTION,
	HIST_ERR_NO_SAVE_PARAMS,
	HIST_ERR_MANY_SAVES,
	HIST_ERR_ACTION,
	HIST_ERR_NO_PAREN,
	HIST_ERR_NO_SYSTEM,
	HIST_ERR_NO_EVENT,
	HIST_ERR_REF_KEY,
	HIST_ERR_NO_VAR,
	HIST_ERR_NO_FIELD,
	HIST_ERR_EMPTY,
	HIST_ERR_SORT_MODIFIER,
	HIST_ERR_SORT_EMPTY,
	HIST_ERR_SORT_MANY,
	HIST_ERR_SORT_FIELD,
	HIST_ERR_STRING,
	HIST_ERR_NUMBER,
	HIST_ERR_MINUS,
	HIST_ERR_DIVISION,
	HIST_ERR_NEED_VALUE,
	HIST_ERR_NO_ELEMENT,
	HIST_ERR_PERCENTILE,
	HIST_ERR_INTERVAL,
	HIST_ERR_KEEP,
	HIST_ERR_KEEP_ALONE,
	HIST_ERR_INTERVAL_VAR,
};

/**
 * struct hist_parse - a text that is being parsed
 * @spec:	gets what it says
 * @file:	the event
 * @text:	what was written
 * @keys:	the text behind "keys="; and so on; NULL: none was written
 * @vars:	texts of assignments to variables, of which @nr_vars have been written
 * @nr_operators: of the expression that is being parsed
 * @no_var:	what to say of a variable that is not found
 * @quiet:	nobody is told what is wrong
 */
struct hist_parse {
	struct hist_spec		*spec;
	struct trace_event_file		*file;
	const struct trace_trigger_text	*text;
	char				*keys;
	char				*values;
	char				*sort;
	char				*size;
	char				*interval;
	char				*keep;
	char				*vars[HIST_VARS];
	unsigned int			nr_vars;
	unsigned int			nr_operators;
	enum hist_error			no_var;
	bool				quiet;
};

/* error.c */
int trace_hist_fail(struct trace_event_file *file, const struct trace_trigger_text *text,
		    enum hist_error error, unsigned int pos);
int trace_hist_fail_at(const struct hist_spec *spec, struct trace_event_file *file,
		       const struct trace_trigger_text *text, enum hist_error error,
		       const char *at);
int trace_hist_parse_fail(const struct hist_parse *p, enum hist_error error, const char *at);

/* operand.c: a field of an event, or an element of one, and its modifier */
bool trace_hist_find(struct trace_event_call *call, const char *name,
		     struct trace_event_field *elem, const struct trace_event_field **field);
int trace_hist_element(struct hist_spec *spec, const struct trace_event_field *field);
int trace_hist_operand(const struct hist_parse *p, struct hist_field *f, char *word);
const char *trace_hist_modifier(enum hist_modifier modifier);
void trace_hist_modifier_text(const struct hist_field *f, char *text, size_t size);
int trace_hist_place(struct hist_spec *spec, struct hist_field *f);

/* var.c: variables, and references to them */
int trace_hist_ref(struct hist_parse *p, struct hist_field *f, char *word, bool once);
bool trace_hist_is_ref(const char *word);
struct hist_var *trace_hist_own_var(const struct hist_spec *spec, const char *name);
const struct hist_var *trace_hist_own_ref(const struct hist_parse *p, const char *word);
void trace_hist_own_field(struct hist_field *f, const struct hist_var *var);
bool trace_hist_has_var(struct trace_event_file *file, const char *name);
int trace_hist_group_var(struct hist_spec *spec, struct hist_trigger *owner, unsigned int i,
			 struct hist_field *f, bool once);

/* expr.c: fields, numbers, references and operators */
int trace_hist_expr(struct hist_parse *p, struct hist_field *f, char *word);
int trace_hist_vars(struct hist_parse *p);

/* interval.c: "interval=" and "keep=" */
int trace_hist_interval(struct hist_parse *p);
int trace_hist_interval_var(struct hist_parse *p, const char *name, const char *text);
void trace_hist_interval_show(struct seq_file *m, const struct hist_spec *spec);

/* parse.c */
int trace_hist_parse(struct hist_spec *spec, struct trace_event_file *file,
		     const struct trace_trigger_text *text);
int trace_hist_parse_known(struct hist_spec *spec, struct trace_event_file *file,
			   const struct trace_trigger_text *text);
bool trace_hist_same(const struct hist_spec *a, const struct hist_spec *b);

#endif /* _TRACE_EVENTS_HIST_PARSE_H */
