/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Batches: many events are switched by one write, and their kinds may have something to gain from
 * doing it all together at the end.
 */
#ifndef _TRACE_EVENTS_BATCH_H
#define _TRACE_EVENTS_BATCH_H

#include <linux/list.h>

/**
 * struct trace_event_batch - a kind of events that switches many of them together
 * @list: of all
 * @begin: from now on, reg() of its events may put off what it has to do
 * @end: do what was put off: all that was to be switched on, or none of it. Returns 0 or an errno;
 *	then the caller switches these events off again. Switching off cannot fail
 *
 * The events mutex is held from the begin to the end.
 */
struct trace_event_batch {
	struct list_head	list;
	void			(*begin)(void);
	int			(*end)(void);
};

void trace_event_batch_register(struct trace_event_batch *batch);
void trace_event_batch_begin(void);
int trace_event_batch_end(void);

#endif /* _TRACE_EVENTS_BATCH_H */
