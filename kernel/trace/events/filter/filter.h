/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A filter: a predicate over the fields of an event, compiled from a text like
 *
 *	prio < 100 && (comm ~ "kworker*" || target_cpu & CPUS{0-3})
 *
 * A user of a predicate compiles it, asks it about records with filter_match_preds() of
 * <linux/trace_events.h>, and frees it when nobody can ask any more. A filter knows neither
 * files nor instances.
 *
 * Of the layers inside events/ this is the first: core < filter < trigger < dyn < synth < hist <
 * syscalls < inject.
 */
#ifndef _TRACE_EVENTS_FILTER_H
#define _TRACE_EVENTS_FILTER_H

#include <linux/types.h>

struct event_filter;
struct trace_array;
struct trace_event_call;
struct trace_event_field;

/**
 * struct trace_filter_error - what is wrong with a filter's text
 * @code:	what, enum trace_filter_code of program.h; for trace_filter_error_log()
 * @pos:	where: the column of the error log's caret
 */
struct trace_filter_error {
	unsigned int	code;
	unsigned int	pos;
};

/**
 * struct trace_filter_fields - the names that the text of a filter may use
 * @find:	the field of a name, which need not end with a NUL; NULL: there is none. The field
 *		has to stay until the filter is compiled
 * @dollars:	a name may begin with '$', which @find is told
 * @functions:	a field "ip" is compared with names of functions, which nobody but the maker of
 *		the filter can evaluate, as perf does for ftrace:function
 *
 * The records of the filter have their fields at the offsets that @find told. They need be no
 * records of an event: arguments of a function, or variables, will do.
 */
struct trace_filter_fields {
	const struct trace_event_field *(*find)(const struct trace_filter_fields *fields,
						const char *name, size_t len);
	bool				dollars;
	bool				functions;
};

struct event_filter *trace_filter_compile_of(const struct trace_filter_fields *fields,
					     const char *text, struct trace_filter_error *error);
struct event_filter *trace_filter_compile(struct trace_event_call *call, const char *text,
					  struct trace_filter_error *error);
void trace_filter_free(struct event_filter *filter);
void trace_filter_free_later(struct event_filter *filter);
const char *trace_filter_text(const struct event_filter *filter);
void trace_filter_error_log(struct trace_array *tr, const char *text,
			    const struct trace_filter_error *error);

/* filter_file.c: boot.c calls it, the events mutex is held */
void trace_event_filters_init(void);

#endif /* _TRACE_EVENTS_FILTER_H */
