// SPDX-License-Identifier: GPL-2.0
/*
 * onmax() and onchange(): each key has a cell with the number that is tracked, and behind it the
 * fields that save() keeps. A hit compares and stores while it has the cell, so a maximum and
 * what is saved with it are of one hit.
 */
#include <linux/errno.h>

#include "events/hist/handler.h"
#include "events/hist/load.h"

static int track_save(struct hist_parse *p, struct hist_action *action)
{
	unsigned int nr = action->nr_params, size = (1 + nr) * sizeof(u64);

	if (nr > HIST_SAVES)
		return trace_hist_parse_fail(p, HIST_ERR_MANY_FIELD_VARS, action->params[nr - 1]);
	action->args = trace_hist_alloc(p->spec, nr * sizeof(*action->args));
	if (!action->args)
		return -ENOMEM;
	for (unsigned int i = 0; i < nr; i++) {
		struct hist_field *f = &action->args[i];
		char *word = action->params[i];

		if (trace_hist_is_ref(word) || trace_hist_operand(p, f, word))
			return trace_hist_parse_fail(p, HIST_ERR_FIELD_VAR_FAIL, word);
		f->offset = f->kind == HIST_NUMBER ? (1 + i) * sizeof(u64) : size;
		if (f->kind != HIST_NUMBER)
			size += ALIGN(f->bytes, sizeof(u64));
	}
	action->nr_args = nr;
	action->size = size;
	action->room = trace_hist_room(p->spec, size);
	if (!action->room)
		return trace_hist_parse_fail(p, HIST_ERR_MANY_FIELD_VARS, action->params[0]);
	for (unsigned int i = 0; i < nr; i++)
		action->args[i].room = action->room + action->args[i].offset;
	return 0;
}

static int track_shot(struct hist_parse *p, struct hist_action *action)
{
	struct hist_spec *spec = p->spec;
	struct hist_shot *shot = &action->shot;

	shot->tr = p->file->tr;
	shot->any = action->handler == HIST_ONCHANGE;
	shot->size = sizeof(u64) + spec->key_size + (spec->noted ? TASK_COMM_LEN : 0);
	shot->cell = trace_hist_alloc(spec, sizeof(*shot->cell) + shot->size);
	return shot->cell ? 0 : -ENOMEM;
}

/* Compile what is tracked, and what is saved. */
int trace_hist_track_make(struct hist_parse *p, struct hist_action *action)
{
	int ret;

	if (*action->var != '$')
		return trace_hist_parse_fail(p, HIST_ERR_TRACK_NO_VAR, action->var);
	p->no_var = HIST_ERR_TRACK_NOT_FOUND;
	ret = trace_hist_ref(p, &action->tracked, action->var, false);
	p->no_var = HIST_ERR_NONE;
	if (ret)
		return ret;
	if (action->tracked.kind != HIST_NUMBER)
		return trace_hist_parse_fail(p, HIST_ERR_STRING, action->var);
	action->size = sizeof(u64);
	if (action->deed == HIST_SAVE)
		ret = track_save(p, action);
	else if (action->deed == HIST_SNAPSHOT)
		ret = track_shot(p, action);
	action->at = p->spec->data_size;
	p->spec->data_size += sizeof(struct hist_cell) + action->size;
	return ret;
}

/* A number that was never stored counts as 0. */
static bool track_is_due(const struct hist_action *action, u64 state, u64 old, u64 value)
{
	if (!(state & 1))
		old = 0;
	return action->handler == HIST_ONMAX ? value > old : value != old;
}

/*
 * Is a value known to be not due, without the cell? @state was read before. A hit may store
 * meanwhile; the value is compared with what was there before, or with what is there then. Where
 * the number takes two loads, they may be of both, so the state has to be the same behind them.
 */
static bool track_is_past(const struct hist_action *action, const struct hist_cell *cell, u64 state,
			  u64 value)
{
	u64 old;

	if (!IS_ENABLED(CONFIG_64BIT))
		smp_rmb();	/* Pairs with (3) of cell.h. */
	old = READ_ONCE(cell->value[0]);
	if ((state & HIST_CELL_BUSY) || track_is_due(action, state, old, value))
		return false;
	if (IS_ENABLED(CONFIG_64BIT))
		return true;
	/* Pairs with (2) of cell.h. */
	smp_rmb();
	return atomic64_read(&cell->state) == state;
}

/* Make a copy of what the cell gets behind the number that is tracked. */
static void track_load(const struct hist_action *action, struct hist_place *place,
		       struct trace_event_hit *hit)
{
	for (unsigned int i = 0; i < action->nr_args; i++) {
		const struct hist_field *f = &action->args[i];
		u64 value = trace_hist_load(place, f, hit);

		if (f->kind == HIST_NUMBER)
			*hist_room(place, f->room) = value;
	}
}

/**
 * trace_hist_track_hit - look at the variable that is tracked
 * @action: the action
 * @place: the memory of the hit, with the variable
 * @data: of the hit's key
 * @hit: the hit
 *
 * Context: any, preemption is off.
 * Return: HIST_CELL_DONE: it is due, and has been stored; HIST_CELL_UNSET: it is not due;
 * HIST_CELL_IN_USE: other hits had the cell each time, and nothing was done.
 */
enum hist_cell_result trace_hist_track_hit(const struct hist_action *action,
					   struct hist_place *place, void *data,
					   struct trace_event_hit *hit)
{
	u64 value = *hist_room(place, action->tracked.room), state;
	struct hist_cell *cell = data + action->at;
	bool saves = action->deed == HIST_SAVE, due;

	/* Mostly it is not due, and that is told without the cell. */
	state = atomic64_read(&cell->state);
	if (track_is_past(action, cell, state, value))
		return HIST_CELL_UNSET;
	if (saves)
		track_load(action, place, hit);
	if (!hist_cell_begin(cell, &state))
		return HIST_CELL_IN_USE;
	due = track_is_due(action, state, cell->value[0], value);
	if (due) {
		if (saves) {
			*hist_room(place, action->room) = value;
			hist_cell_write(cell, hist_room(place, action->room),
					action->size);
		} else {
			hist_cell_write(cell, &value, sizeof(value));
		}
		state |= 1;
	}
	hist_cell_end(cell, state, state & 1);
	return due ? HIST_CELL_DONE : HIST_CELL_UNSET;
}
