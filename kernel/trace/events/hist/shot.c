// SPDX-License-Identifier: GPL-2.0
/*
 * snapshot(): a snapshot is taken if the variable is larger than at the last one, or another,
 * over all keys. The instance's condition of snapshots is the action's, and is asked by one CPU
 * at a time, so there is one store at a time.
 */
#include <linux/errno.h>

#include "events/hist/handler.h"
#include "instance/snapshot.h"

/* The question to the condition. */
struct shot_try {
	struct hist_shot	*shot;
	u64			value;
	const u64		*key;
};

static bool shot_is_due(struct trace_array *tr, void *data)
{
	struct shot_try *try = data;
	struct hist_shot *shot = try->shot;
	struct hist_cell *cell = shot->cell;
	u64 state, old;

	if (!hist_cell_begin(cell, &state))
		return false;
	old = state & 1 ? cell->value[0] : 0;
	if (shot->any ? try->value == old : try->value <= old) {
		hist_cell_end(cell, state, state & 1);
		return false;
	}
	WRITE_ONCE(cell->value[0], try->value);
	for (unsigned int i = 1; i < shot->size / sizeof(u64); i++)
		WRITE_ONCE(cell->value[i], try->key[i - 1]);
	hist_cell_end(cell, state, 1);
	return true;
}

/* Let the instance's snapshots be the action's. -EBUSY: they are somebody else's. */
int trace_hist_shot_begin(struct hist_shot *shot)
{
	int ret = tracing_snapshot_cond_enable(shot->tr, shot, shot_is_due);

	shot->begun = !ret;
	return ret;
}

/* There are no hits any more. */
void trace_hist_shot_end(struct hist_shot *shot)
{
	if (shot->begun)
		trace_snapshot_forget_condition(shot->tr);
	shot->begun = false;
}

/* The variable is @value, which is due at the key. In any context; in NMIs nothing is done. */
void trace_hist_shot_hit(struct hist_shot *shot, u64 value, const u64 *key)
{
	struct shot_try try = { .shot = shot, .value = value, .key = key };

	tracing_snapshot_cond(shot->tr, &try);
}
