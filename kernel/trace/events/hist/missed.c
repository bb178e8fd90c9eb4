// SPDX-License-Identifier: GPL-2.0
/*
 * Hits that have not reached the triggers of a histogram: a trigger counts them where it is called,
 * and not in the map, and for as long as it is there. So the count at the time when the map was
 * cleared is kept beside.
 */
#include "events/calls.h"
#include "events/file.h"
#include "events/hist/internal.h"
#include "instance/instance.h"

/* Since the histogram was cleared; @clear: it is now. trace_instances_lock() is held. */
static unsigned long missed_sum(const struct hist *hist, bool clear)
{
	struct trace_event_file *file;
	struct trace_trigger *trigger;
	unsigned long missed = 0;
	struct trace_array *tr;

	trace_instances_assert_locked();
	guard(trace_events)();
	for_each_trace_array(tr) {
		for_each_trace_event_file(file, tr) {
			for_each_trace_trigger(trigger, file) {
				struct hist_trigger *ht = hist_trigger_of(trigger);

				if (!hist_is_trigger(trigger) || ht->hist != hist)
					continue;
				if (clear)
					ht->missed_before = atomic_long_read(&trigger->hook.missed);
				missed += atomic_long_read(&trigger->hook.missed) -
					  ht->missed_before;
			}
		}
	}
	return missed;
}

/**
 * trace_hist_missed - how many hits have not reached the triggers of a histogram?
 * @ht: one of them
 *
 * Context: task, may sleep; takes trace_instances_lock() and the events mutex.
 * Return: those since the histogram was cleared.
 */
unsigned long trace_hist_missed(const struct hist_trigger *ht)
{
	guard(trace_instances)();
	return missed_sum(ht->hist, false);
}

/**
 * trace_hist_forget_missed - a histogram was cleared
 * @hist: the histogram
 *
 * Context: task, may sleep; trace_instances_lock() is held; takes the events mutex.
 */
void trace_hist_forget_missed(const struct hist *hist)
{
	missed_sum(hist, true);
}
