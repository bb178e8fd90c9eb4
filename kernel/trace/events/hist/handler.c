// SPDX-License-Identifier: GPL-2.0
/* The texts HANDLER.ACTION of a histogram, and what a hit does for them; handler.h lists them. */
#include <linux/errno.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "events/calls.h"
#include "events/file.h"
#include "events/hist/handler.h"
#include "events/hist/load.h"

static const char * const handler_names[] = {
	[HIST_ONMATCH]	= "onmatch(",
	[HIST_ONMAX]	= "onmax(",
	[HIST_ONCHANGE]	= "onchange(",
};

static int handler_of(const char *word)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(handler_names); i++) {
		if (str_has_prefix(word, handler_names[i]))
			return i;
	}
	return -EINVAL;
}

bool trace_hist_is_action(const char *word)
{
	return handler_of(word) >= 0;
}

/* The event of an onmatch(), which the instance has. */
static int handler_event(struct hist_parse *p, struct hist_action *action, char *word)
{
	char *event = word;

	action->system = strsep(&event, ".");
	if (!event)
		return trace_hist_parse_fail(p, HIST_ERR_NO_SYSTEM, word);
	action->event = event;
	guard(trace_events)();
	if (!trace_event_file_find_hit(p->file->tr, action->system, event))
		return trace_hist_parse_fail(p, HIST_ERR_NO_EVENT, event);
	return 0;
}

static int handler_params(struct hist_parse *p, struct hist_action *action, char *list)
{
	char *word;

	while ((word = strsep(&list, ","))) {
		if (action->nr_params == HIST_PARAMS)
			return trace_hist_parse_fail(p, HIST_ERR_MANY_PARAMS, NULL);
		word = strim(word);
		if (!*word || !strcmp(word, "$"))
			return trace_hist_parse_fail(p, HIST_ERR_PARAM, word);
		action->params[action->nr_params++] = word;
	}
	return 0;
}

/* With "trace", the event is the first parameter. */
static void handler_trace(struct hist_action *action)
{
	if (strcmp(action->name, "trace") || !action->nr_params)
		return;
	action->name = action->params[0];
	action->nr_params--;
	memmove(action->params, action->params + 1, action->nr_params * sizeof(char *));
}

/* The part ACTION(PARAMETER,...) */
static int handler_deed(struct hist_parse *p, struct hist_action *action, char *text)
{
	char *params = text, *end;
	int ret;

	strsep(&params, ".");
	if (!params)
		return trace_hist_parse_fail(p, HIST_ERR_NO_ACTION, NULL);
	action->name = strsep(&params, "(");
	if (!params || !*action->name)
		return trace_hist_parse_fail(p, HIST_ERR_NO_ACTION, NULL);
	end = strchr(params, ')');
	if (!end)
		return trace_hist_parse_fail(p, HIST_ERR_NO_PAREN, params);
	if (end[1])
		return trace_hist_parse_fail(p, HIST_ERR_NO_ACTION, NULL);
	*end = '\0';
	if (!strcmp(action->name, "save"))
		action->deed = HIST_SAVE;
	else if (!strcmp(action->name, "snapshot"))
		action->deed = HIST_SNAPSHOT;
	if (action->deed != HIST_TRACE && action->handler == HIST_ONMATCH)
		return trace_hist_parse_fail(p, HIST_ERR_ACTION, action->name);
	if (action->deed == HIST_SNAPSHOT)
		return 0;
	if (action->deed == HIST_SAVE && !*params)
		return trace_hist_parse_fail(p, HIST_ERR_NO_SAVE_PARAMS, NULL);
	ret = handler_params(p, action, params);
	if (!ret && action->deed == HIST_TRACE)
		handler_trace(action);
	return ret;
}

/* Read the text of an action, which trace_hist_is_action() says it is. @word is cut. */
int trace_hist_action_read(struct hist_parse *p, char *word)
{
	struct hist_spec *spec = p->spec;
	struct hist_action *action;
	char *param, *end;
	int ret = 0;

	if (spec->nr_actions == HIST_ACTIONS)
		return -EINVAL;
	action = trace_hist_alloc(spec, sizeof(*action));
	if (!action)
		return -ENOMEM;
	action->text = trace_hist_strndup(spec, word, strlen(word));
	if (!action->text)
		return -ENOMEM;
	action->handler = handler_of(word);
	param = word + strlen(handler_names[action->handler]);
	end = strchr(param, ')');
	if (!end)
		return trace_hist_parse_fail(p, HIST_ERR_NO_PAREN, param);
	*end = '\0';
	if (action->handler == HIST_ONMATCH)
		ret = handler_event(p, action, param);
	else
		action->var = param;
	ret = ret ?: handler_deed(p, action, end + 1);
	if (!ret)
		spec->actions[spec->nr_actions++] = action;
	return ret;
}

static int handler_make(struct hist_parse *p, struct hist_action *action)
{
	int ret = 0;

	if (action->handler != HIST_ONMATCH)
		ret = trace_hist_track_make(p, action);
	if (!ret && action->deed == HIST_TRACE)
		ret = trace_hist_trace_make(p, action);
	return ret;
}

/* Compile the actions that have been read, when all else has been parsed. */
int trace_hist_actions_make(struct hist_parse *p)
{
	struct hist_spec *spec = p->spec;
	unsigned int saves = 0;
	int ret = 0;

	for (unsigned int i = 0; i < spec->nr_actions && !ret; i++) {
		saves += spec->actions[i]->deed == HIST_SAVE;
		if (saves > 1)
			return trace_hist_parse_fail(p, HIST_ERR_MANY_SAVES, NULL);
		ret = handler_make(p, spec->actions[i]);
	}
	return ret;
}

static void handler_hit(struct hist_action *action, struct trace_map *map,
			struct hist_place *place, void *data, struct trace_event_hit *hit)
{
	if (action->handler != HIST_ONMATCH) {
		enum hist_cell_result ret = trace_hist_track_hit(action, place, data, hit);

		if (ret == HIST_CELL_IN_USE)
			trace_map_count(map, HIST_MISSED);
		if (ret != HIST_CELL_DONE)
			return;
	}
	if (action->deed == HIST_TRACE)
		trace_hist_trace_hit(action, place, hit);
	else if (action->deed == HIST_SNAPSHOT && in_nmi())
		trace_map_count(map, HIST_MISSED);
	else if (action->deed == HIST_SNAPSHOT)
		trace_hist_shot_hit(&action->shot,
				    *hist_room(place, action->tracked.room), place->key);
}

/* A hit has been counted in the map, and @data is that of its key. */
void trace_hist_actions_hit(const struct hist_trigger *ht, struct trace_map *map,
			    struct hist_place *place, void *data, struct trace_event_hit *hit)
{
	for (unsigned int i = 0; i < ht->spec.nr_actions; i++)
		handler_hit(ht->spec.actions[i], map, place, data, hit);
}
