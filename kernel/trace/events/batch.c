// SPDX-License-Identifier: GPL-2.0
/* Batches of events that are switched together; batch.h tells the rules. */
#include <linux/init.h>

#include "events/batch.h"
#include "events/calls.h"

static LIST_HEAD(batch_kinds);		/* constant after boot */
static unsigned int batch_depth;	/* events mutex */

/**
 * trace_event_batch_register - have a kind of events that switches many together
 * @batch: the kind
 *
 * Context: boot, before there are files.
 */
void __init trace_event_batch_register(struct trace_event_batch *batch)
{
	list_add_tail(&batch->list, &batch_kinds);
}

/**
 * trace_event_batch_begin - many events are about to be switched
 *
 * Context: task, may sleep; the events mutex is held, and is until trace_event_batch_end().
 */
void trace_event_batch_begin(void)
{
	struct trace_event_batch *batch;

	trace_events_assert_locked();

	if (batch_depth++)
		return;
	list_for_each_entry(batch, &batch_kinds, list)
		batch->begin();
}

/**
 * trace_event_batch_end - they have been switched
 *
 * Context: as trace_event_batch_begin().
 * Return: 0; or an errno: events of a kind do not hit, and the caller switches all events off again
 * that were switched on since the begin.
 */
int trace_event_batch_end(void)
{
	struct trace_event_batch *batch;
	int ret = 0, err;

	trace_events_assert_locked();

	if (--batch_depth)
		return 0;
	list_for_each_entry(batch, &batch_kinds, list) {
		err = batch->end();
		ret = ret ?: err;
	}
	return ret;
}
