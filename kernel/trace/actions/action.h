/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Actions are carried out at a hit, that is, whenever a function with a command is called or an
 * event with a trigger is raised. An action is written as
 *
 *	NAME[:PARAMETER...][:COUNT]		at a function
 *	NAME[:PARAMETER...][:COUNT][ if FILTER]	at an event
 *
 * and says where it can be. The layer that puts actions on
 * functions or events keeps a struct trace_action_use for each combination of action,
 * instance and parameters, and a struct trace_action_count for each place of a hit.
 */
#ifndef _TRACE_ACTIONS_ACTION_H
#define _TRACE_ACTIONS_ACTION_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/list.h>
#include <linux/seq_file.h>

struct pt_regs;
struct trace_action;
struct trace_array;
struct trace_event_file;
struct trace_stack_place;

/* Where an action can be. */
#define TRACE_ACTION_AT_FUNCTION	BIT(0)
#define TRACE_ACTION_AT_EVENT		BIT(1)

/**
 * struct trace_action_hit - what is hit
 * @from:	where the function that is hit goes on after the call of the hook, or an address in
 *		the probe of the event: the stack begins there. 0: it begins at the caller
 * @place:	where the unwinder can begin on its way to @from; NULL: not known
 * @file:	the event of the instance; NULL: it is a function
 * @record:	of the event, NULL if there is none; @regs: its registers, NULL without
 * @trace_ctx:	of the event where it was raised, see tracing_gen_ctx()
 */
struct trace_action_hit {
	unsigned long		from;
	const struct trace_stack_place *place;
	struct trace_event_file	*file;
	const void		*record;
	struct pt_regs		*regs;
	unsigned int		trace_ctx;
};

/**
 * struct trace_action_use - an action of an instance
 * @action:	what is done
 * @tr:		the instance
 * @param:	the parameters as they were written, NULL if the action has none
 * @data:	the action's own, from its @get
 */
struct trace_action_use {
	const struct trace_action	*action;
	struct trace_array		*tr;
	char				*param;
	void				*data;
};

/**
 * struct trace_action - something that can be done when something is hit
 * @node:	of trace_action_register(), under the mutex of actions
 * @name:	as it is written
 * @nr_params:	words behind the name that it needs
 * @where:	TRACE_ACTION_AT_*: elsewhere, there is no action of this name
 * @once:	done once at each place, whatever count is written
 * @after:	at an event, done behind the commit of its record
 * @uses_hit:	@hit looks at what is hit, so it cannot be done later
 * @due:	would a hit change anything? The count goes down only then. NULL: always
 * @hit:	do what the action is for
 * @get:	prepare for hits; @param is a copy of the parameters that it may change.
 *		May refuse. NULL: nothing to prepare
 * @put:	undo @get; there are no hits any more. NULL: nothing to undo
 *
 * @due and @hit: any context, NMI included, with preemption off; recursion is
 * prevented by the caller. @get and @put: task context, may sleep,
 * trace_instances_lock() is held, and the events mutex is not: they may take it.
 */
struct trace_action {
	struct list_head	node;
	const char		*name;
	unsigned int		nr_params;
	unsigned int		where;
	bool			once;
	bool			after;
	bool			uses_hit;
	bool			(*due)(const struct trace_action_use *use);
	void			(*hit)(const struct trace_action_use *use,
				       const struct trace_action_hit *hit);
	int			(*get)(struct trace_action_use *use, char *param);
	void			(*put)(struct trace_action_use *use);
};

int trace_action_register(struct trace_action *action);
void trace_action_unregister(struct trace_action *action);

/**
 * struct trace_action_text - an action as it was written, in pieces
 * @action:	the one of that name
 * @param:	its parameters, NULL if it has none
 * @count:	what stands behind them, NULL if nothing does
 * @filter:	what stands behind "if", NULL without
 *
 * All but @action point into the text.
 */
struct trace_action_text {
	const struct trace_action	*action;
	const char			*param;
	const char			*count;
	const char			*filter;
};

/* How many hits at one place are still to do something. */
struct trace_action_count {
	atomic_long_t	left;	/* atomic; TRACE_ACTION_UNLIMITED */
};

#define TRACE_ACTION_UNLIMITED	(-1L)

int trace_action_parse(struct trace_action_text *what, char *text, unsigned int where);
int trace_action_parse_param(struct trace_action_text *what, const char *name, char *text,
			     unsigned int where);
int trace_action_parse_count(const struct trace_action_text *what, long *count);

int trace_action_get(struct trace_action_use *use, struct trace_array *tr,
		     const struct trace_action_text *what);
void trace_action_put(struct trace_action_use *use);
bool trace_action_is(const struct trace_action_use *use, const struct trace_action_text *what);
void trace_action_show(struct seq_file *m, const struct trace_action_use *use,
		       const struct trace_action_count *count);

/**
 * trace_action_count_set - begin to count at a place
 * @count:	of the place
 * @left:	how many hits are to do something, or TRACE_ACTION_UNLIMITED
 *
 * Context: any.
 */
static inline void trace_action_count_set(struct trace_action_count *count, long left)
{
	atomic_long_set(&count->left, left);
}

/**
 * trace_action_due - would a hit change anything?
 * @use:	the use that is hit
 *
 * Context: any, with preemption off.
 * Return: true when it would; only then is the hit to be counted.
 */
static __always_inline bool trace_action_due(const struct trace_action_use *use)
{
	return !use->action->due || use->action->due(use);
}

/**
 * trace_action_take - count a hit at a place
 * @count:	of the place
 *
 * Context: any.
 * Return: true: the action is to be done; false: none is left.
 */
static __always_inline bool trace_action_take(struct trace_action_count *count)
{
	long left = atomic_long_read(&count->left);

	do {
		if (left == TRACE_ACTION_UNLIMITED)
			return true;
		if (!left)
			return false;
	} while (!atomic_long_try_cmpxchg(&count->left, &left, left - 1));
	return true;
}

#endif /* _TRACE_ACTIONS_ACTION_H */
