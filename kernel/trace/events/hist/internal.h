/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/hist/ inside: declarations that its files share with each other and their tests.
 */
#ifndef _TRACE_EVENTS_HIST_INTERNAL_H
#define _TRACE_EVENTS_HIST_INTERNAL_H

#include <linux/refcount.h>

#include "events/field.h"
#include "events/trigger/trigger.h"
#include "lib/map.h"

#define HIST_KEYS	3
#define HIST_VALUES	8	/* beside hitcount */
#define HIST_SORTS	2
#define HIST_STRING	256	/* bytes of a string that is a key and has no length of its own */
#define HIST_STACK	16	/* addresses of a stack */
#define HIST_KEY_MAX	1024	/* bytes of all keys */
#define HIST_SIZE	2048	/* keys, unless a size is given */
#define HIST_SIZE_MIN	128
#define HIST_SIZE_MAX	131072

/* Sources of keys and values. */
enum hist_source {
	HIST_FIELD,
	HIST_HITS,
	HIST_CPU,
	HIST_TIME,
	HIST_STACKTRACE,
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
};

/**
 * struct hist_field - a key or a value
 * @source:	what it is made of
 * @modifier:	how it is shown
 * @width:	of a bucket
 * @name:	as it is shown; in the text of its histogram, or constant
 * @field:	HIST_FIELD: a copy of the event's; its name and type are used by hits only
 * @is_string:	the key is a string
 * @offset:	of a key in all keys; @size: its bytes
 * @sum:	of a value: its place in a row of the map
 */
struct hist_field {
	enum hist_source		source;
	enum hist_modifier		modifier;
	u64				width;
	const char			*name;
	struct trace_event_field	field;
	bool				is_string;
	unsigned int			offset;
	unsigned int			size;
	unsigned int			sum;
};

/* A field to sort by; NULL: the number of hits. */
struct hist_sort {
	const struct hist_field	*field;
	bool			descending;
};

/**
 * struct hist_spec - what was written, for an event
 * @text:	the memory of the names
 * @nr_keys:	how many keys; and so on
 * @key_size:	bytes of all keys
 * @noted:	the name of the task stands behind the keys
 * @name:	of a histogram that triggers share; NULL: this one is its trigger's own
 * @clock:	for stamps
 * @stamps:	the histogram has some
 */
struct hist_spec {
	char			*text;
	struct hist_field	keys[HIST_KEYS];
	struct hist_field	values[HIST_VALUES];
	struct hist_sort	sorts[HIST_SORTS];
	unsigned int		nr_keys;
	unsigned int		nr_values;
	unsigned int		nr_sorts;
	unsigned int		key_size;
	unsigned int		size;
	bool			noted;
	bool			no_hitcount;
	bool			stamps;
	bool			pause;
	bool			cont;
	bool			clear;
	const char		*name;
	const char		*clock;
};

/**
 * struct hist - the histogram of one trigger, or of all of the same name
 * @map:	the sums
 * @list:	of those that have a name, or empty; instances lock
 * @name:	NULL: it has none; constant
 * @users:	triggers, if it has a name; instances lock
 * @ref:	of triggers
 * @nested:	hits that found no memory for their keys
 */
struct hist {
	struct trace_map	*map;
	struct list_head	list;
	char			*name;
	unsigned int		users;
	refcount_t		ref;
	atomic_long_t		nested;
};

/*
 * A trigger "hist". @ref: of the event and of readers. @counted: it is one of the users of its
 * histogram.
 */
struct hist_trigger {
	struct trace_trigger	trigger;
	struct hist_spec	spec;
	struct hist		*hist;
	bool			paused;		/* events mutex, READ_ONCE() */
	bool			counted;	/* instances lock */
	refcount_t		ref;
};

static inline struct hist_trigger *hist_trigger_of(const struct trace_trigger *trigger)
{
	return container_of(trigger, struct hist_trigger, trigger);
}

/* An error, and the place in the text that was written. */
enum hist_error {
	HIST_ERR_NONE,
	HIST_ERR_MALFORMED,
	HIST_ERR_MISMATCH,
	HIST_ERR_EXISTS,
	HIST_ERR_NO_TRIGGER,
	HIST_ERR_CLOCK,
	HIST_ERR_MODIFIER,
	HIST_ERR_NO_FIELD,
	HIST_ERR_EMPTY,
	HIST_ERR_SORT_MODIFIER,
	HIST_ERR_SORT_EMPTY,
	HIST_ERR_SORT_MANY,
	HIST_ERR_SORT_FIELD,
	HIST_ERR_STRING,
	HIST_ERR_NEED_VALUE,
};

/* parse.c */
int trace_hist_parse(struct hist_spec *spec, struct trace_event_file *file,
		     const struct trace_trigger_text *text);
int trace_hist_fail(struct trace_event_file *file, const struct trace_trigger_text *text,
		    enum hist_error error, unsigned int pos);
bool trace_hist_same(const struct hist_spec *a, const struct hist_spec *b);
const char *trace_hist_modifier(enum hist_modifier modifier);

/* hit.c */
int trace_hist_hits_init(void);
bool trace_hist_hit(struct trace_event_trigger *hook, struct trace_event_hit *hit);

/* show.c */
void trace_hist_spec_show(struct seq_file *m, const struct hist_trigger *ht, const char *filter);
int trace_hist_show(struct seq_file *m, const struct hist_trigger *ht, const char *filter);

/* command.c */
extern struct trace_trigger_command trace_hist_command;
void trace_hist_trigger_put(struct hist_trigger *ht);

/* action.c */
void trace_hist_actions_init(void);

/* hist_file.c */
int trace_hist_file_show(struct seq_file *m, struct trace_event_file *file);
void trace_hist_files_init(void);

#endif /* _TRACE_EVENTS_HIST_INTERNAL_H */
