/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/hist/ inside: a key, a value, a variable and an argument are fields. A text is compiled
 * into fields once; a hit looks up no name.
 */
#ifndef _TRACE_EVENTS_HIST_FIELD_H
#define _TRACE_EVENTS_HIST_FIELD_H

#include <linux/sched.h>

#include "events/field.h"
#include "events/synth/synth.h"
#include "events/trigger.h"

#define HIST_KEYS	3
#define HIST_VALUES	8	/* beside hitcount */
#define HIST_STRING	256	/* bytes of a string that has no length of its own */
#define HIST_STACK	16	/* addresses of a stack */
#define HIST_STACK_SIZE	((HIST_STACK + 1) * sizeof(long))	/* the last one is 0 */
#define HIST_FRAMES	(HIST_STACK + 16)
#define HIST_KEY_MAX	1024	/* bytes of all keys */
#define HIST_OWN	2048	/* bytes of a trigger's own variables */
#define HIST_ROOM	6144	/* bytes of these, and of what a hit reads and passes on */
#define HIST_GROUPS_OF_KEY	4	/* groups of buckets, for each percentile's value */
#define HIST_OPERATORS	3	/* in an expression */

/* Sources of fields. */
enum hist_source {
	HIST_FIELD,
	HIST_HITS,
	HIST_CPU,
	HIST_TIME,
	HIST_STACKTRACE,
	HIST_CONST,
	HIST_VAR,	/* a variable of this trigger, or of another one */
	HIST_EXPR,
};

enum hist_kind {
	HIST_NUMBER,
	HIST_TEXT,
	HIST_ADDRESSES,
};

/* Of stamps; others have none. */
enum hist_unit {
	HIST_NO_UNIT,
	HIST_NSECS,
	HIST_USECS_UNIT,
};

/* How it is shown; log2 and buckets change what is counted. */
enum hist_modifier {
	HIST_PLAIN,
	HIST_HEX,
	HIST_SYM,
	HIST_SYM_OFFSET,
	HIST_EXECNAME,
	HIST_SYSCALL,
	HIST_LOG2,
	HIST_BUCKETS,
	HIST_USECS,
	HIST_PERCENT,
	HIST_GRAPH,
	HIST_STACK_FIELD,
};

/* How a hit gets a number; most texts have one of these. See load.h. */
enum hist_load {
	HIST_LOAD_ANY,		/* by the field's source */
	HIST_LOAD_INT,		/* HIST_FIELD: an int of the record */
	HIST_LOAD_LONG,		/* HIST_FIELD: 64 bits of the record */
	HIST_LOAD_VAR,
	HIST_LOAD_USECS,	/* HIST_TIME, in microseconds */
	HIST_LOAD_EXPR,
};

/* How the numbers of hits become one. */
enum hist_fold {
	HIST_SUM,
	HIST_MIN,
	HIST_MAX,
	HIST_QUANTILE,
};

struct hist_expr;

/**
 * struct hist_field - a key, a value, a variable or an argument
 * @source:	what it is made of
 * @kind:	what it is
 * @modifier:	how it is shown
 * @unit:	of a stamp: enum hist_unit
 * @is_signed:	its type has a sign
 * @placed:	HIST_FIELD: a number that the record has at the field's offset
 * @computed:	it is made by an expression, in 64 bits; @bytes are those of its first operand
 * @fold:	of a value: enum hist_fold
 * @load:	enum hist_load, of what the other members say
 * @bytes:	of its type
 * @width:	of a bucket; of HIST_CONST, the number
 * @name:	as it is shown; in the memory of its trigger, or constant
 * @field:	HIST_FIELD: a copy of the event's; its name and type are used by hits only
 * @expr:	HIST_EXPR: how it is computed
 * @room:	of HIST_VAR, and of a string or stack that is no key: where a hit has it
 * @offset:	of a key in all keys; @size: its bytes, 0 if it is no key
 * @ppm:	of HIST_QUANTILE: so many millionths of the hits have no larger number
 * @sum:	of a value: its place in a row of the map; of HIST_QUANTILE: its spread
 */
struct hist_field {
	enum hist_source		source;
	enum hist_kind			kind;
	enum hist_modifier		modifier;
	u8				unit;
	bool				is_signed;
	bool				placed;
	bool				computed;
	u8				fold;
	u8				load;
	unsigned int			bytes;
	u64				width;
	const char			*name;
	struct trace_event_field	field;
	const struct hist_expr		*expr;
	unsigned int			room;
	union {
		unsigned int		offset;
		u32			ppm;
	};
	unsigned int			size;
	unsigned int			sum;
};

/* Hits compute with it. */
static_assert(!IS_ENABLED(CONFIG_64BIT) || sizeof(struct hist_field) == 128);

enum hist_op {
	HIST_OP_LOAD,
	HIST_OP_ADD,
	HIST_OP_SUB,
	HIST_OP_MUL,
	HIST_OP_DIV,
	HIST_OP_NEG,
};

/* @loads: @load is the right operand, or the one that is put on the stack. */
struct hist_step {
	enum hist_op		op;
	bool			loads;
	struct hist_field	load;
};

/*
 * An expression: an operand is put on a stack, and an operator replaces those on its top. An
 * operand that would be put there for the operator behind it comes with that operator.
 */
struct hist_expr {
	unsigned int		nr;
	struct hist_step	step[2 * HIST_OPERATORS + 1];
};

/*
 * The memory of a hit. A hit of another histogram may come in between, in any context. @room has
 * the trigger's own variables, as its cells have them, then what the trigger has given places.
 */
struct hist_place {
	u64		key[(HIST_KEY_MAX + TASK_COMM_LEN) / sizeof(u64)];
	u64		values[HIST_VALUES];
	u64		args[TRACE_SYNTH_FIELDS_MAX];
	unsigned long	frames[HIST_FRAMES];
	u64		room[HIST_ROOM / sizeof(u64)];
};

#endif /* _TRACE_EVENTS_HIST_FIELD_H */
