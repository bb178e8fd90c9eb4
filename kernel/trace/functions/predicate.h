/* SPDX-License-Identifier: GPL-2.0 */
/*
 * functions/ inside: a predicate on the arguments of a function, compiled from a text like
 * "count > 4096".
 */
#ifndef _TRACE_FUNCTIONS_PREDICATE_H
#define _TRACE_FUNCTIONS_PREDICATE_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include "events/filter/filter.h"

struct ftrace_regs;

/* So many names of a text are remembered. Predicates of a text with more have one function. */
#define TRACE_PREDICATE_NAMES	12

/**
 * struct trace_predicate - a predicate
 * @refs:	functions that have it
 * @made:	in the list of its maker, while that has one
 * @filter:	its filter, which is asked about a call's registers
 * @layout:	where the arguments are that the text names, and their types
 */
struct trace_predicate {
	refcount_t		refs;
	struct list_head	made;
	struct event_filter	*filter;
	u32			layout[TRACE_PREDICATE_NAMES];
};

/**
 * struct trace_predicate_maker - makes the predicates of a text for several functions
 * @text:	the text
 * @made:	predicates, each with a reference
 * @nr:		names in the text, in the order in which they were asked for; above
 *		TRACE_PREDICATE_NAMES: more than are remembered
 * @names:	the names, which point into @text
 *
 * Functions whose arguments of these names are in the same places share a predicate.
 */
struct trace_predicate_maker {
	const char		*text;
	struct list_head	made;
	unsigned int		nr;
	struct {
		const char	*text;
		size_t		len;
	}			names[TRACE_PREDICATE_NAMES];
};

void trace_predicate_maker_init(struct trace_predicate_maker *maker, const char *text);
void trace_predicate_maker_end(struct trace_predicate_maker *maker);
struct trace_predicate *trace_predicate_make(struct trace_predicate_maker *maker,
					     unsigned long ip, struct trace_filter_error *error);
void trace_predicate_put(struct trace_predicate *predicate);
bool trace_predicate_is_true(const struct trace_predicate *predicate, struct ftrace_regs *fregs);

#endif /* _TRACE_FUNCTIONS_PREDICATE_H */
