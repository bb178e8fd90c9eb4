/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/ inside: record.c calls the triggers of an event, and makes the records for them in
 * places outside of the buffer.
 */
#ifndef _TRACE_EVENTS_HIT_H
#define _TRACE_EVENTS_HIT_H

#include <linux/rculist.h>

#include "events/trigger.h"

/* Before a record that is made outside of the buffer. */
struct trace_event_place {
	unsigned int	len;		/* of the record */
	bool		triggers;	/* the event's triggers see it */
	bool		is_long;	/* it is of trace_event_long_get() */
};

/* The record begins here. */
static_assert(sizeof(struct trace_event_place) == sizeof(u64));

struct trace_event_place *trace_event_long_get(unsigned long len);
void trace_event_long_put(void);

/* Triggers that want to be called after the commit. */
struct trace_event_afters {
	unsigned int			nr;
	struct trace_event_trigger	*trigger[TRACE_EVENT_AFTERS];
};

/*
 * All triggers of an event; preemption is off. RCU may not be watching in some contexts, where
 * the tracepoint holds SRCU, so there is nothing that could be asserted.
 */
#define for_each_trace_event_trigger(trigger, file)				\
	list_for_each_entry_rcu(trigger, &(file)->triggers, list, true)

void trace_event_triggers_hit(struct trace_event_hit *hit, struct trace_event_afters *afters);
void trace_event_triggers_after(struct trace_event_hit *hit,
				const struct trace_event_afters *afters);
void trace_event_triggers_missed(struct trace_event_file *file);

#endif /* _TRACE_EVENTS_HIT_H */
