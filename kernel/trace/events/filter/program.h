/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A compiled filter: one step for each comparison, in the order of the text.
 * A step says where to go on when it is true and when it is false, so that an
 * expression with &&, ||, ! and parentheses is run through without a stack
 * and without looking at comparisons that no longer matter:
 *
 *	a == 1 && !(b == 2 || c == 3)
 *
 *	0: a == 1	true -> 1	false -> NO
 *	1: b == 2	true -> NO	false -> 2
 *	2: c == 3	true -> NO	false -> YES
 */
#ifndef _TRACE_EVENTS_FILTER_PROGRAM_H
#define _TRACE_EVENTS_FILTER_PROGRAM_H

#include <linux/cpumask.h>
#include <linux/rcupdate.h>

#include "events/draft.h"
#include "events/field.h"
#include "events/filter/filter.h"
#include "lib/lib.h"

enum filter_op {
	FILTER_OP_EQ,
	FILTER_OP_NE,
	FILTER_OP_LE,
	FILTER_OP_GE,
	FILTER_OP_LT,
	FILTER_OP_GT,
	FILTER_OP_GLOB,
	FILTER_OP_AND,
	FILTER_OPS
};

/* The value that is compared, and the place where it is found. */
enum filter_kind {
	FILTER_NUM,		/* number in the record */
	FILTER_NUM_CPU,		/* number of this CPU */
	FILTER_VALUE,		/* number of trace_event_value_number() */
	FILTER_FUNC,		/* address in the record, within a function */
	FILTER_STR,		/* array of characters in the record */
	FILTER_STR_LOC,		/* string that a location word points to */
	FILTER_STR_REL,		/* as FILTER_STR_LOC, counted from behind the word */
	FILTER_STR_PTR,		/* string behind a pointer in the record */
	FILTER_STR_COMM,	/* name of the current task */
	FILTER_CPUS,		/* number in the record, with a set of CPUs */
	FILTER_CPUS_CPU,	/* this CPU, with a set of CPUs */
	FILTER_CPUS_LOC,	/* set that a location word points to */
	FILTER_CPUS_REL,	/* as FILTER_CPUS_LOC, counted from behind the word */
	FILTER_CPUS_MASK,	/* set in the record itself */
	FILTER_NAMES,		/* of functions; perf_function.c reads it, nobody runs it */
};

struct filter_step {
	u16			on_true;	/* next step, or FILTER_YES, FILTER_NO */
	u16			on_false;
	u8			kind;		/* enum filter_kind */
	u8			op;		/* enum filter_op */
	u8			size;		/* of a number, bytes */
	bool			is_signed;
	bool			user;		/* the pointer is a user's */
	u16			offset;		/* in the record */
	u16			len;		/* of an array, bytes */
	union {
		struct {
			u64		number;
			struct trace_event_field *field;	/* FILTER_VALUE: owned */
		};
		struct {
			unsigned long	start, end;
		} func;
		struct trace_glob	glob;	/* text is owned */
		struct cpumask		*cpus;	/* owned */
	};
};

/* Targets that end the run. A text of one page has fewer steps. */
#define FILTER_YES	0xfffe
#define FILTER_NO	0xffff

/*
 * @text is what the user wrote. A filter without steps lets everything pass. @range comes first,
 * where trace_filter_range_of() finds it.
 */
struct event_filter {
	struct trace_filter_range range;
	struct rcu_head		rcu;		/* of trace_filter_free_later() */
	char			*text;
	unsigned int		nr;
	struct filter_step	steps[];
};

static_assert(offsetof(struct event_filter, range) == 0);

/* The errors that a text may have; error.c has the words for them. */
enum trace_filter_code {
	FILTER_ERR_INVALID_OP,
	FILTER_ERR_TOO_MANY_OPEN,
	FILTER_ERR_TOO_MANY_CLOSE,
	FILTER_ERR_MISSING_QUOTE,
	FILTER_ERR_MISSING_BRACE_OPEN,
	FILTER_ERR_MISSING_BRACE_CLOSE,
	FILTER_ERR_OPERAND_TOO_LONG,
	FILTER_ERR_EXPECT_STRING,
	FILTER_ERR_EXPECT_DIGIT,
	FILTER_ERR_ILLEGAL_FIELD_OP,
	FILTER_ERR_FIELD_NOT_FOUND,
	FILTER_ERR_ILLEGAL_INTVAL,
	FILTER_ERR_BAD_SUBSYS_FILTER,
	FILTER_ERR_TOO_MANY_PREDS,
	FILTER_ERR_INVALID_FILTER,
	FILTER_ERR_INVALID_CPULIST,
	FILTER_ERR_INVALID_VALUE,
	FILTER_ERR_NO_FUNCTION,
	FILTER_ERR_NO_FILTER,
	FILTER_ERR_INVALID_INDEX,
	FILTER_ERR_OTHER,
};

/* A text that is being compiled, and what is wrong with it. */
struct filter_text {
	const char			*text;
	const struct trace_filter_fields *fields;
	struct trace_filter_error	*error;
};

struct event_filter *trace_filter_refused(const char *text, enum trace_filter_code code);
char *trace_filter_refusal_text(const char *text, const struct trace_filter_error *error);
int trace_filter_fail(struct filter_text *t, enum trace_filter_code error, const char *at);
void trace_filter_range_set(struct event_filter *filter);
int trace_filter_step_parse(struct filter_text *t, const char **p, struct filter_step *step);
void trace_filter_step_free(struct filter_step *step);
int trace_filter_strings_init(void);

#endif /* _TRACE_EVENTS_FILTER_PROGRAM_H */
