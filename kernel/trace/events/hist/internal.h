/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/hist/ inside: a trigger "hist", and what its parts offer each other and their tests.
 */
#ifndef _TRACE_EVENTS_HIST_INTERNAL_H
#define _TRACE_EVENTS_HIST_INTERNAL_H

#include <linux/refcount.h>

#include "events/hist/spec.h"
#include "events/trigger/trigger.h"
#include "events/value.h"
#include "lib/map.h"

/*
 * Why a hit is not counted, or an action not carried out. Behind these is a number for each
 * variable: how often it has been taken.
 */
enum hist_book {
	HIST_NESTED,	/* there was no memory for its keys */
	HIST_UNMATCHED,	/* a variable that it refers to has no value */
	HIST_BUSY,	/* a cell that it reads was in use each time: it is not counted */
	HIST_LOST,	/* its variables were not stored, as the cell was in use */
	HIST_ABSENT,	/* its record does not have an element of an array: it is not counted */
	HIST_MISSED,	/* a maximum or a change was not looked at, as the cell was in use */
	HIST_BOOKS
};

struct hist_ring;

/**
 * struct hist - the histogram of one trigger, or of all of the same name
 * @map:	the sums; NULL: there is a ring
 * @ring:	of tables by interval, or NULL; instances lock, smp_load_acquire()
 * @list:	of those that have a name, or empty; instances lock
 * @name:	NULL: it has none; constant
 * @users:	triggers, if it has a name; instances lock
 * @ref:	of triggers
 */
struct hist {
	struct trace_map	*map;
	struct hist_ring	*ring;
	struct list_head	list;
	char			*name;
	unsigned int		users;
	refcount_t		ref;
};

/* For hits of a trigger with one number as its key, see quick.c. */
struct hist_quick {
	struct trace_map		*map;
	struct trace_value_place	key;
	struct trace_value_place	value;
};

/* Bits of a trigger's @stopped. */
enum {
	HIST_STOP_PAUSED,
	HIST_STOP_UNREADY,	/* it is attached, and not ready to be hit */
};

/**
 * struct hist_trigger - a trigger "hist". From the moment on when it is attached, the members that
 * hits read are constant, but for @stopped and @taken
 *
 * @trigger:	of the event
 * @spec:	what was written
 * @hist:	the sums
 * @stopped:	HIST_STOP_*, atomic bits; 0: hits are counted
 * @quick:	for hits; constant
 * @hidden:	a trigger has made it for its own use, as @like, with a reference to it, has keys
 * @attached:	it is one of the event's; E
 * @counted:	it is one of the users of its histogram; instances lock
 * @clocked:	it uses a clock of the instance; instances lock
 * @referrers:	groups of other triggers that are bound to it; E
 * @taken:	bits of variables that they have taken, or may take; E, READ_ONCE()
 * @missed_before: hits that had not reached it when its sums were cleared; instances lock
 * @kept:	the event, which is kept as long as there are some; E
 * @ref:	of the event, of readers, of groups
 */
struct hist_trigger {
	struct trace_trigger	trigger;
	struct hist_spec	spec;
	struct hist		*hist;
	unsigned long		stopped;
	struct hist_quick	quick;
	bool			hidden;
	struct hist_trigger	*like;
	bool			attached;
	bool			counted;
	bool			clocked;
	unsigned int		referrers;
	u32			taken;
	long			missed_before;
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
int trace_hist_clear(struct hist *hist);

/* hit.c */
int trace_hist_hits_init(void);
bool trace_hist_hit(struct trace_event_trigger *hook, struct trace_event_hit *hit);
bool trace_hist_hit_more(struct trace_event_trigger *hook, struct trace_event_hit *hit);
void trace_hist_count(struct hist_trigger *ht, struct trace_event_hit *hit, bool acts);
void trace_hist_count_more(struct hist_trigger *ht, struct trace_event_hit *hit, bool acts);

/* Does a hit do what few histograms ask for? Functions of their own do it. */
static inline bool trace_hist_is_more(const struct hist_spec *spec)
{
	return spec->folds || spec->elements || spec->interval;
}

/* show.c, hist_file.c */
void trace_hist_spec_show(struct seq_file *m, const struct hist_trigger *ht, const char *filter);
void trace_hist_files_init(void);

/* missed.c */
unsigned long trace_hist_missed(const struct hist_trigger *ht);
void trace_hist_forget_missed(const struct hist *hist);

/* command.c, action.c */
extern struct trace_trigger_command trace_hist_command;
void trace_hist_actions_init(void);

#endif /* _TRACE_EVENTS_HIST_INTERNAL_H */
