/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/hist/ inside: a trigger keeps others until it has gone: the triggers whose variables it
 * reads, and their events; the synthetic events that it records; the snapshots that it takes.
 * trace_instances_lock() is held.
 */
#ifndef _TRACE_EVENTS_HIST_BIND_H
#define _TRACE_EVENTS_HIST_BIND_H

#include "events/hist/internal.h"

int trace_hist_prepare(struct hist_trigger *ht);
int trace_hist_bind(struct hist_trigger *ht);
void trace_hist_start(struct hist_trigger *ht);

/* The events mutex is held; hits go on. */
void trace_hist_unbind(struct hist_trigger *ht);

/* There are no hits any more. */
void trace_hist_release(struct hist_trigger *ht);

#endif /* _TRACE_EVENTS_HIST_BIND_H */
