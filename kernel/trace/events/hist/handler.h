/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/hist/ inside: a hit that has been counted carries out actions, HANDLER.ACTION:
 *
 *	onmatch(SYSTEM.EVENT)	variables of that event's histogram were there
 *	onmax($VARIABLE)	the variable is larger than before at this key
 *	onchange($VARIABLE)	the variable is another than before at this key
 *
 *	.trace(EVENT,...)	record a synthetic event; .EVENT(...) is the same
 *	.save(FIELD,...)	keep fields of the hit at the key
 *	.snapshot()		take a snapshot if the variable is larger than at the last one, or
 *				another, whatever the key
 */
#ifndef _TRACE_EVENTS_HIST_HANDLER_H
#define _TRACE_EVENTS_HIST_HANDLER_H

#include "events/hist/cell.h"
#include "events/hist/parse.h"

enum hist_handler {
	HIST_ONMATCH,
	HIST_ONMAX,
	HIST_ONCHANGE,
};

enum hist_deed {
	HIST_TRACE,
	HIST_SAVE,
	HIST_SNAPSHOT,
};

#define HIST_PARAMS	TRACE_SYNTH_FIELDS_MAX
#define HIST_SAVES	(HIST_CELL_MAX - 1)	/* behind the number that is tracked */

/**
 * struct hist_shot - the last snapshot of an action
 * @tr:		the instance; constant
 * @begun:	its snapshot is the action's; instances lock
 * @cell:	the variable's number, then the key, and the note behind it
 * @size:	of the cell without the state
 * @any:	onchange; otherwise onmax
 */
struct hist_shot {
	struct trace_array	*tr;
	bool			begun;
	struct hist_cell	*cell;
	unsigned int		size;
	bool			any;
};

/**
 * struct hist_action - what is done
 * @handler:	when
 * @deed:	what
 * @text:	as it is shown, without the ':'
 * @name:	where the text that is parsed names the deed; only while it is parsed
 * @system:	onmatch: of the event; @event: its name
 * @var:	onmax, onchange: "$VARIABLE" in that text
 * @params:	texts of the parameters, in that text
 * @nr_params:	how many
 * @tracked:	onmax, onchange: the variable
 * @synth:	HIST_TRACE: the event. Once @kept, it stays
 * @args:	HIST_TRACE: the event's values; HIST_SAVE: the fields
 * @nr_args:	how many
 * @others:	HIST_TRACE: bits of the arguments that are fields of the other event
 * @at:		onmax, onchange: the place of the action's cell in the data of a key. It has the
 *		number that is tracked, and behind it the arguments of a save()
 * @size:	of the cell without the state
 * @room:	HIST_SAVE: a hit's room for what the cell gets
 * @fields:	onmatch: a trigger of its own at the other event, for fields of that event. NULL:
 *		it needs none
 * @fields_file: that event
 * @shot:	HIST_SNAPSHOT
 */
struct hist_action {
	enum hist_handler		handler;
	enum hist_deed			deed;
	const char			*text;
	char				*name;
	char				*var;
	const char			*system;
	const char			*event;
	char				*params[HIST_PARAMS];
	unsigned int			nr_params;
	struct hist_field		tracked;
	struct trace_synth_event	*synth;
	bool				kept;
	struct hist_field		*args;
	unsigned int			nr_args;
	u64				others;
	unsigned int			at;
	unsigned int			size;
	unsigned int			room;
	struct hist_trigger		*fields;
	struct trace_event_file		*fields_file;
	struct hist_shot		shot;
};

/* handler.c */
bool trace_hist_is_action(const char *word);
int trace_hist_action_read(struct hist_parse *p, char *word);
int trace_hist_actions_make(struct hist_parse *p);
void trace_hist_actions_hit(const struct hist_trigger *ht, struct trace_map *map,
			    struct hist_place *place, void *data, struct trace_event_hit *hit);

/* onmatch.c: synthetic events, and fields of the other event */
int trace_hist_trace_make(struct hist_parse *p, struct hist_action *action);
void trace_hist_trace_hit(const struct hist_action *action, struct hist_place *place,
			  struct trace_event_hit *hit);

/* track.c */
int trace_hist_track_make(struct hist_parse *p, struct hist_action *action);
enum hist_cell_result trace_hist_track_hit(const struct hist_action *action,
					   struct hist_place *place, void *data,
					   struct trace_event_hit *hit);

/* shot.c */
int trace_hist_shot_begin(struct hist_shot *shot);
void trace_hist_shot_end(struct hist_shot *shot);
void trace_hist_shot_hit(struct hist_shot *shot, u64 value, const u64 *key);

#endif /* _TRACE_EVENTS_HIST_HANDLER_H */
