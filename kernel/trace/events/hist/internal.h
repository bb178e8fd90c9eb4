/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/hist/ inside: a trigger "hist", and what its parts offer each other and their tests.
 */
#ifndef _TRACE_EVENTS_HIST_INTERNAL_H
#define _TRACE_EVENTS_HIST_INTERNAL_H

#include <linux/refcount.h>

#include "events/hist/field.h"
#include "events/trigger/trigger.h"
#include "lib/map.h"

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
 * @key_size:	bytes of all keys
 * @noted:	the name of the task stands behind the keys
 * @cell_size:	bytes of the variables, at each key and in the room of a hit
 * @data_size:	bytes at each key: the cell of the variables, if there are some, then those of
 *		actions
 * @room:	bytes of the room that have been given away
 * @other_size:	the longest keys of histograms that are referred to
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
	unsigned int		key_size;
	unsigned int		cell_size;
	unsigned int		data_size;
	unsigned int		room;
	unsigned int		other_size;
	unsigned int		size;
	bool			noted, no_hitcount, stamps;
	bool			pause, cont, clear;
	const char		*name, *clock;
};

/* Why a hit is not counted, or an action not carried out. */
enum hist_book {
	HIST_NESTED,	/* there was no memory for its keys */
	HIST_UNMATCHED,	/* a variable that it refers to has no value */
	HIST_BUSY,	/* a cell that it reads was in use each time: it is not counted */
	HIST_LOST,	/* its variables were not stored, as the cell was in use */
	HIST_MISSED,	/* a maximum or a change was not looked at, as the cell was in use */
	HIST_BOOKS
};

/**
 * struct hist - the histogram of one trigger, or of all of the same name
 * @map:	the sums
 * @list:	of those that have a name, or empty; instances lock
 * @name:	NULL: it has none; constant
 * @users:	triggers, if it has a name; instances lock
 * @ref:	of triggers
 */
struct hist {
	struct trace_map	*map;
	struct list_head	list;
	char			*name;
	unsigned int		users;
	refcount_t		ref;
};

/* Bits of a trigger's @stopped. */
enum {
	HIST_STOP_PAUSED,
	HIST_STOP_UNREADY,	/* it is attached, and not ready to be hit */
};

/**
 * struct hist_trigger - a trigger "hist"
 * @trigger:	of the event
 * @spec:	what was written
 * @hist:	the sums
 * @stopped:	HIST_STOP_*, atomic bits; 0: hits are counted
 * @hidden:	a trigger has made it for its own use, as @like, with a reference to it, has keys
 * @attached:	it is one of the event's; E
 * @counted:	it is one of the users of its histogram; instances lock
 * @referrers:	groups of other triggers that are bound to it; E
 * @kept:	the event, which is kept as long as there are some; E
 * @ref:	of the event, of readers, of groups
 */
struct hist_trigger {
	struct trace_trigger	trigger;
	struct hist_spec	spec;
	struct hist		*hist;
	unsigned long		stopped;
	bool			hidden;
	struct hist_trigger	*like;
	bool			attached;
	bool			counted;
	unsigned int		referrers;
	struct trace_event_call	*kept;
	refcount_t		ref;
};

static inline struct hist_trigger *hist_trigger_of(const struct trace_trigger *trigger)
{
	return container_of(trigger, struct hist_trigger, trigger);
}

/* memory.c; a command with the name at its address is this one. */
extern const char trace_hist_name[];

static inline bool hist_is_trigger(const struct trace_trigger *trigger)
{
	return trigger->command->name == trace_hist_name;
}

void *trace_hist_alloc(struct hist_spec *spec, size_t size);
const char *trace_hist_strndup(struct hist_spec *spec, const char *text, size_t len);
void trace_hist_spec_free(struct hist_spec *spec);
unsigned int trace_hist_room(struct hist_spec *spec, unsigned int size);
struct hist_trigger *trace_hist_trigger_new(void);
void trace_hist_trigger_put(struct hist_trigger *ht);
struct hist *trace_hist_create(const struct hist_spec *spec);

/* hit.c */
int trace_hist_hits_init(void);
bool trace_hist_hit(struct trace_event_trigger *hook, struct trace_event_hit *hit);

/* show.c, hist_file.c */
void trace_hist_spec_show(struct seq_file *m, const struct hist_trigger *ht, const char *filter);
int trace_hist_show(struct seq_file *m, const struct hist_trigger *ht, const char *filter);

int trace_hist_file_show(struct seq_file *m, struct trace_event_file *file);
void trace_hist_files_init(void);

/* command.c, action.c */
extern struct trace_trigger_command trace_hist_command;
void trace_hist_actions_init(void);

#endif /* _TRACE_EVENTS_HIST_INTERNAL_H */
