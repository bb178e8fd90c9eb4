/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/draft.h: a draft is a record that is made outside of the ring buffer and most likely
 * thrown away: a filter has to let it pass first, or nobody but histograms and event probes wants
 * it. So nothing is filled in but what the probe writes, and common_pid. The rest of the header
 * follows if somebody wants it (record.c).
 */
#ifndef _TRACE_EVENTS_DRAFT_H
#define _TRACE_EVENTS_DRAFT_H

#include <linux/rcupdate.h>
#include <linux/trace_events.h>

#include "events/value.h"

/*
 * A flag of a trace_event_file, above those of <linux/trace_events.h>: the event has triggers, and
 * each of them has a count(). It changes under the events mutex.
 */
#define TRACE_EVENT_COUNTED_BIT	24
#define TRACE_EVENT_COUNTED	BIT(TRACE_EVENT_COUNTED_BIT)
static_assert(TRACE_EVENT_COUNTED_BIT > EVENT_FILE_FL_FREED_BIT);

/* Bytes of common_type, common_flags and common_preempt_count, which a draft does not have. */
#define TRACE_DRAFT_WITHOUT	offsetof(struct trace_entry, pid)

/* Does a draft hold a field that is in the record? */
static inline bool trace_draft_has(const struct trace_event_field *f)
{
	return f->offset >= TRACE_DRAFT_WITHOUT;
}

/**
 * struct trace_filter_range - the numbers of which one passes a filter
 * @place:	where the record has the number
 * @low:	the first of them, plus the sign of @place
 * @span:	the last one, less the first. U64_MAX: the filter is no such comparison, and has
 *		to be asked
 *
 * Behind U64_MAX comes 0, so a range may begin above its end. A struct event_filter begins with
 * one.
 */
struct trace_filter_range {
	struct trace_value_place	place;
	u64				low;
	u64				span;
};

/* Preemption is off. NULL: there is no filter. */
static __always_inline const struct trace_filter_range *
trace_filter_range_of(const struct trace_event_file *file)
{
	return (const void *)rcu_dereference_sched(file->filter);
}

/* May a draft pass the filter? */
static __always_inline bool trace_filter_range_passes(const struct trace_filter_range *range,
						      const void *record)
{
	return trace_value_load_raised(&range->place, record) - range->low <= range->span;
}

#endif /* _TRACE_EVENTS_DRAFT_H */
