// SPDX-License-Identifier: GPL-2.0
/*
 * Finds actions by name, makes uses of their text, and text of uses. The actions of
 * tracing itself are in a table (tracing.c); layers above register theirs.
 */
#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "actions/internal.h"
#include "instance/instance.h"

/* Covers the list, whose actions stay until trace_action_unregister(). */
static DEFINE_MUTEX(actions_mutex);
static LIST_HEAD(action_list);

static const struct trace_action *action_find_locked(const char *name)
{
	const struct trace_action *action;

	lockdep_assert_held(&actions_mutex);
	for (action = trace_actions_of_tracing; action->name; action++) {
		if (!strcmp(action->name, name))
			return action;
	}
	list_for_each_entry(action, &action_list, node) {
		if (!strcmp(action->name, name))
			return action;
	}
	return NULL;
}

static const struct trace_action *action_find(const char *name)
{
	guard(mutex)(&actions_mutex);
	return action_find_locked(name);
}

/**
 * trace_action_register - add an action
 * @action: the action; stays until trace_action_unregister()
 *
 * Context: task, may sleep.
 * Return: 0, -EEXIST when there is one of this name.
 */
int trace_action_register(struct trace_action *action)
{
	guard(mutex)(&actions_mutex);
	if (action_find_locked(action->name))
		return -EEXIST;
	list_add_tail(&action->node, &action_list);
	return 0;
}

/**
 * trace_action_unregister - undo trace_action_register()
 * @action: the action; nobody uses it
 *
 * Context: task, may sleep.
 */
void trace_action_unregister(struct trace_action *action)
{
	guard(mutex)(&actions_mutex);
	list_del(&action->node);
}

/* Cut " if FILTER" off the text of an action at an event. */
static int action_parse_filter(struct trace_action_text *what, char *text)
{
	char *rest = strpbrk(text, " \t");

	if (!rest)
		return 0;
	*rest = '\0';
	rest = skip_spaces(rest + 1);
	if (!*rest)
		return 0;
	if (!str_has_prefix(rest, "if") || !isspace(rest[2]))
		return -EINVAL;
	what->filter = skip_spaces(rest + 2);
	return *what->filter ? 0 : -EINVAL;
}

static int action_parse_param(struct trace_action_text *what, const char *name, char *text,
			      unsigned int where)
{
	what->action = action_find(name);
	if (!what->action || !(what->action->where & where))
		return -EINVAL;
	if (what->action->nr_params)
		what->param = text;
	for (unsigned int i = 0; i < what->action->nr_params; i++) {
		char *word = strsep(&text, ":");

		if (!word || !*word)
			return -EINVAL;
		/* The parameters are kept as one text: strsep() cut it, this joins it. */
		if (i)
			word[-1] = ':';
	}
	what->count = text;
	return 0;
}

/**
 * trace_action_parse - take "NAME[:PARAMETER...][:COUNT][ if FILTER]" apart
 * @what:	the pieces
 * @text:	what was written; it is cut into pieces
 * @where:	where the action is to be; a filter belongs to TRACE_ACTION_AT_EVENT only
 *
 * Context: task, may sleep.
 * Return: 0; -EINVAL when there is no such action at this place, or it lacks a parameter, or
 * behind a blank stands something other than a filter.
 */
int trace_action_parse(struct trace_action_text *what, char *text, unsigned int where)
{
	const char *name;
	int ret;

	*what = (struct trace_action_text){};
	if (text && (where & TRACE_ACTION_AT_EVENT)) {
		ret = action_parse_filter(what, text);
		if (ret)
			return ret;
	}
	name = strsep(&text, ":");
	return name ? action_parse_param(what, name, text, where) : -EINVAL;
}

/**
 * trace_action_parse_param - take "[PARAMETER...][:COUNT]" behind the name of an action apart
 * @what:	the pieces
 * @name:	the name
 * @text:	what was written behind it and a ':'; it is cut into pieces. NULL: nothing was
 * @where:	where the action is to be
 *
 * Context: task, may sleep.
 * Return: 0; -EINVAL when there is no such action at this place, or it lacks a parameter.
 */
int trace_action_parse_param(struct trace_action_text *what, const char *name, char *text,
			     unsigned int where)
{
	*what = (struct trace_action_text){};
	return action_parse_param(what, name, text, where);
}

/**
 * trace_action_parse_count - how often is it to be done?
 * @what:	the action as it was written
 * @count:	result, or TRACE_ACTION_UNLIMITED
 *
 * A count that is empty says nothing, but behind parameters it is a mistake.
 * Context: any.
 * Return: 0; -EINVAL or -ERANGE when it is no number.
 */
int trace_action_parse_count(const struct trace_action_text *what, long *count)
{
	unsigned long number;
	int ret;

	*count = TRACE_ACTION_UNLIMITED;
	if (what->count && (*what->count || what->param)) {
		ret = kstrtoul(what->count, 0, &number);
		if (ret)
			return ret;
		/* A count that is too large for the counter is never reached. */
		*count = min_t(unsigned long, number, LONG_MAX);
	}
	if (what->action->once)
		*count = 1;
	return 0;
}

/**
 * trace_action_get - get an action of an instance ready to be hit
 * @use:	the use, all of which is written
 * @tr:		the instance
 * @what:	the action and its parameters
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0, -ENOMEM, or the errno with which the action refuses.
 */
int trace_action_get(struct trace_action_use *use, struct trace_array *tr,
		     const struct trace_action_text *what)
{
	char *param __free(kfree) = NULL;
	int ret = 0;

	trace_instances_assert_locked();
	*use = (struct trace_action_use){ .action = what->action, .tr = tr };
	if (what->param) {
		use->param = kstrdup(what->param, GFP_KERNEL);
		param = kstrdup(what->param, GFP_KERNEL);
		if (!use->param || !param)
			ret = -ENOMEM;
	}
	if (!ret && use->action->get)
		ret = use->action->get(use, param);
	if (ret)
		kfree(use->param);
	return ret;
}

/**
 * trace_action_put - undo trace_action_get()
 * @use: the use; nobody hits it any more
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 */
void trace_action_put(struct trace_action_use *use)
{
	trace_instances_assert_locked();
	if (use->action->put)
		use->action->put(use);
	kfree(use->param);
}

/**
 * trace_action_is - is a use of the action and the parameters that were written?
 * @use:	the use
 * @what:	what was written
 *
 * Context: any.
 * Return: true when it is.
 */
bool trace_action_is(const struct trace_action_use *use, const struct trace_action_text *what)
{
	return use->action == what->action && (!use->param || !strcmp(use->param, what->param));
}

/**
 * trace_action_show - an action as it can be written
 * @m:		where to
 * @use:	the action
 * @count:	of the place that the line is about
 *
 * Context: task.
 */
void trace_action_show(struct seq_file *m, const struct trace_action_use *use,
		       const struct trace_action_count *count)
{
	long left = atomic_long_read(&count->left);

	seq_printf(m, "%s:", use->action->name);
	if (use->param)
		seq_printf(m, "%s:", use->param);
	if (left == TRACE_ACTION_UNLIMITED)
		seq_puts(m, "unlimited");
	else
		seq_printf(m, "count=%ld", left);
}
