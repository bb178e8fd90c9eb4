/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Triggers that users write into the file "trigger" of an event:
 *
 *	COMMAND[:PARAMETERS][ if FILTER]
 *
 * and with '!' before it, the removal. Each command ("traceoff", "hist") is a struct
 * trace_trigger_command, which makes the triggers of its texts. This layer takes the text
 * apart, compiles the filter, attaches the trigger to the event as a soft user, lists it in the
 * file, and takes it off when the user says so, when the event goes or the instance.
 *
 * A trigger goes in two steps. It is taken off the event, and is hit no more than until
 * tracepoint_synchronize_unregister() has returned; then it is freed.
 *
 * A command may have a file of its own beside "trigger": trace_event_dir_add() of events/file.h
 * makes it, and for_each_trace_trigger() finds what it shows.
 *
 * Triggers come and go under trace_instances_lock() and the events mutex together, so a holder
 * of either finds a list of triggers as it is.
 */
#ifndef _TRACE_EVENTS_TRIGGER_TRIGGER_H
#define _TRACE_EVENTS_TRIGGER_TRIGGER_H

#include <linux/list.h>
#include <linux/trace_events.h>

#include "events/trigger.h"
#include "events/user.h"

struct event_filter;
struct seq_file;
struct trace_trigger_command;

/**
 * struct trace_trigger - a trigger of an event of an instance
 * @command:	the one that made it; trace_trigger_write() sets it, or the caller of
 *		trace_trigger_attach()
 * @hook:	the event calls it. The command sets its needs_record, hit and after, and hit()
 *		asks trace_trigger_wants() first
 * @filter:	of the text behind "if", NULL: there is none; constant once it is attached
 * @waits:	users see what free() does, as that an event is switched off, so the write that
 *		removes the trigger waits for free(). Otherwise it is freed some time later
 * @user:	the soft user that has the event's probe in place
 * @tr:		the instance of the event; constant
 * @freed:	on the list of those that are to be freed; instances lock
 * @round:	the grace period that has to pass before; instances lock
 *
 * It is part of what the command allocates in its make().
 */
struct trace_trigger {
	const struct trace_trigger_command *command;
	struct trace_event_trigger	hook;
	struct event_filter		*filter;
	bool				waits;
	struct trace_event_user		user;
	struct trace_array		*tr;
	struct list_head		freed;
	unsigned long			round;
};

/**
 * struct trace_trigger_text - what was written, without a '!'
 * @text:	all of it
 * @param:	the text behind the command's name up to "if", without the ':' and the blanks
 *		around it; NULL: there is none
 * @filter:	the text behind "if"; NULL: there is none
 * @command:	the one of that name
 * @left:	what @ready of the command leaves to its @settle; NULL: nothing
 */
struct trace_trigger_text {
	const char			*text;
	const char			*param;
	const char			*filter;
	const struct trace_trigger_command *command;
	void				*left;
};

/**
 * struct trace_trigger_command - a kind of triggers
 * @list:	of trace_trigger_command_add(); E
 * @name:	as it is written. NULL: nobody writes or lists its triggers, which are parts of
 *		other triggers; it is not added, and only @attached, @detached and @free are called
 * @truncated:	opening the file "trigger" with O_TRUNC removes such triggers
 * @make:	make a trigger of a text: allocate what contains it, check the parameters, and get
 *		ready to be hit. -EPROBE_DEFER, here or in @ready: the instance has no memory for
 *		snapshots yet, and gets some, then the write begins anew. @hook is set, and
 *		@waits; the filter and the rest need not be.
 *		NULL: the text changed a trigger that is there, and the write succeeds.
 *		ERR_PTR: the write fails
 * @clashes:	may @new not be added because of @old, which the event has? The write fails
 *		with -EEXIST. Asked about the triggers of every command. NULL: any may be added
 * @find:	the trigger of the event that the removal of a text means. NULL: there is none, and
 *		the write succeeds. ERR_PTR: the write fails
 * @busy:	an errno, if a user may not remove it now. NULL: never
 * @attached:	it is being hit. NULL: nothing to do
 * @ready:	it has been attached, and nothing of what was written is wrong: do what cannot be
 *		undone, before the trigger begins to do anything on hits. An errno: it is taken
 *		off, and the write fails. NULL: nothing to do
 * @detached:	it has been taken off the event, of which @user.file is left until this returns.
 *		Hits that have begun go on. Wake who waits for it. NULL: nothing to do
 * @show:	the trigger as it can be written, without the filter and the line's end. The
 *		file shows " if FILTER" and the line's end behind it, unless @shows_all
 * @shows_all:	@show prints the filter and the line's end
 * @free:	free what @make made; no hit is left. The filter has been freed
 * @settle:	called without a lock at the end of each write: do what needs other CPUs for @left,
 *		and wait, unless the task is killed, until what former writes have left to hits that
 *		go on is not too much. NULL: there is nothing like that
 *
 * Context of all: task, may sleep. @show: the events mutex is held. All others:
 * trace_instances_lock() is held, but in @settle no lock is; in @make, @find and @free the events
 * mutex is not, and they take it where they need it, as in @ready; in the others it is, too.
 */
struct trace_trigger_command {
	struct list_head	list;
	const char		*name;
	bool			truncated;
	bool			shows_all;
	struct trace_trigger	*(*make)(struct trace_event_file *file,
					 const struct trace_trigger_text *text);
	bool			(*clashes)(const struct trace_trigger *old,
					   const struct trace_trigger *new);
	struct trace_trigger	*(*find)(struct trace_event_file *file,
					 const struct trace_trigger_text *text);
	int			(*busy)(const struct trace_trigger *trigger);
	void			(*attached)(struct trace_trigger *trigger);
	int			(*ready)(struct trace_trigger *trigger,
					 struct trace_event_file *file,
					 struct trace_trigger_text *text);
	void			(*detached)(struct trace_trigger *trigger);
	void			(*show)(struct seq_file *m, const struct trace_trigger *trigger);
	void			(*free)(struct trace_trigger *trigger);
	void			(*settle)(void *left);
};

/* boot.c */
void trace_triggers_init(void);
void trace_triggers_boot(bool late);

/* command.c; module.c calls it when the events of a module have gone. */
void trace_triggers_settle(void);

/* Boot, or a KUnit suite; the events mutex is held. They are listed in the order of adding. */
int trace_trigger_command_add(struct trace_trigger_command *command);
void trace_trigger_command_del(struct trace_trigger_command *command);

/* The file "trigger" calls these. They take trace_instances_lock(). */
int trace_trigger_write(struct trace_event_file *file, const char *text);
void trace_trigger_truncate(struct trace_event_file *file);

/*
 * For commands whose triggers have triggers of their own on other events;
 * trace_instances_lock() and the events mutex are held. A trigger that is detached in the
 * detached() of another is freed before that one.
 */
int trace_trigger_set_filter(struct trace_trigger *trigger, struct trace_event_file *file,
			     const char *filter);
int trace_trigger_attach(struct trace_trigger *trigger, struct trace_event_file *file);
void trace_trigger_detach(struct trace_trigger *trigger);

/* For hit() and after(). */
static inline struct trace_trigger *trace_trigger_of(struct trace_event_trigger *hook)
{
	return container_of(hook, struct trace_trigger, hook);
}

struct trace_trigger *trace_trigger_next(struct trace_event_file *file,
					 struct trace_trigger *trigger);

/*
 * The triggers of an event that have a command, named or not, the oldest first. The holder of
 * trace_instances_lock() or the events mutex finds them all.
 */
#define for_each_trace_trigger(trigger, file)					\
	for ((trigger) = trace_trigger_next(file, NULL); (trigger);		\
	     (trigger) = trace_trigger_next(file, trigger))

/**
 * trace_trigger_wants - does the trigger's filter let a hit pass?
 * @trigger:	the trigger
 * @hit:	the hit
 *
 * Context: any, in hit().
 * Return: true if it does.
 */
static __always_inline bool trace_trigger_wants(const struct trace_trigger *trigger,
						const struct trace_event_hit *hit)
{
	return !trigger->filter || filter_match_preds(trigger->filter, (void *)hit->record);
}

#endif /* _TRACE_EVENTS_TRIGGER_TRIGGER_H */
