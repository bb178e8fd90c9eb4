/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/hist/ inside: a text of a histogram, compiled.
 */
#ifndef _TRACE_EVENTS_HIST_SPEC_H
#define _TRACE_EVENTS_HIST_SPEC_H

#include "events/hist/field.h"

#define HIST_SORTS	2
#define HIST_SIZE	2048	/* keys, unless a size is given */
#define HIST_SIZE_MIN	128
#define HIST_SIZE_MAX	131072
#define HIST_VARS	32
#define HIST_GROUPS	16	/* histograms whose variables a trigger refers to */
#define HIST_ACTIONS	8

struct hist_trigger;
struct hist_action;

/* A field to sort by; NULL: the number of hits. */
struct hist_sort {
	const struct hist_field	*field;
	bool			descending;
};

/**
 * struct hist_var - a variable
 * @name:	its name
 * @text:	as it is shown, behind the '='
 * @value:	what it gets
 * @at:		where in the cell it is
 */
struct hist_var {
	const char		*name;
	const char		*text;
	struct hist_field	value;
	unsigned int		at;
};

/**
 * struct hist_group - the variables of another trigger that a trigger refers to
 * @owner:	the other trigger, with a reference to it
 * @wanted:	bits of the variables
 * @taken:	bits of those that only one reader gets
 * @room:	where a hit has a copy of its cell
 * @size:	bytes of the cell that are copied
 * @bound:	the owner cannot be removed; E
 */
struct hist_group {
	struct hist_trigger	*owner;
	u32			wanted;
	u32			taken;
	unsigned int		room;
	unsigned int		size;
	bool			bound;
};

/* An element of an array whose length the record tells. */
struct hist_element {
	struct hist_element		*next;
	struct trace_event_field	field;
};

/**
 * struct hist_folds - what the map gets of a hit, if a value is not added up
 * @nr:		numbers: @sums that are added up, then @maxima, then @spreads
 * @load:	the values that they are
 * @flip:	bits that are turned over, so that the map may keep the largest one
 * @signed_spreads: bits of the spreads of numbers with a sign
 */
struct hist_folds {
	unsigned int			nr, sums, maxima, spreads;
	const struct hist_field		*load[HIST_VALUES];
	u64				flip[HIST_VALUES];
	u32				signed_spreads;
};

/* Memory of a trigger's parts, which goes as a whole. */
struct hist_memory {
	struct hist_memory	*next;
	u64			data[];
};

/**
 * struct hist_spec - what was written, for an event
 * @text:	the memory of some names, where an error in them has its place
 * @memory:	all other memory
 * @nr_keys:	how many keys; and so on
 * @folds:	NULL: all values are added up
 * @elements:	that a record may not have
 * @key_size:	bytes of all keys
 * @noted:	the name of the task stands behind the keys
 * @cell_size:	bytes of the variables, at each key and in the room of a hit
 * @data_size:	bytes at each key: the cell of the variables, if there are some, then those of
 *		actions
 * @room:	bytes of the room that have been given away
 * @other_size:	the longest keys of histograms that are referred to
 * @interval:	of a table, by the clock; 0: there is one table
 * @interval_unit: it was written with a unit of time
 * @keep:	closed tables that are kept
 * @name:	of a histogram that triggers share; NULL: this one is its trigger's own
 * @clock:	for stamps
 * @stamps:	the histogram has some
 */
struct hist_spec {
	char			*text;
	struct hist_memory	*memory;
	struct hist_field	keys[HIST_KEYS];
	struct hist_field	values[HIST_VALUES];
	struct hist_sort	sorts[HIST_SORTS];
	struct hist_var		*vars[HIST_VARS];
	struct hist_group	groups[HIST_GROUPS];
	struct hist_action	*actions[HIST_ACTIONS];
	unsigned int		nr_keys, nr_values, nr_sorts;
	unsigned int		nr_vars, nr_groups, nr_actions;
	struct hist_element	*elements;
	struct hist_folds	*folds;
	unsigned int		key_size;
	unsigned int		cell_size;
	unsigned int		data_size;
	unsigned int		room;
	unsigned int		other_size;
	unsigned int		size;
	bool			noted, no_hitcount, stamps;
	bool			pause, cont, clear;
	u64			interval;
	bool			interval_unit;
	unsigned int		keep;
	const char		*name, *clock;
};

#endif /* _TRACE_EVENTS_HIST_SPEC_H */
