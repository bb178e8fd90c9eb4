/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/hist/ inside: how a hit gets its keys, values, variables and arguments.
 */
#ifndef _TRACE_EVENTS_HIST_LOAD_H
#define _TRACE_EVENTS_HIST_LOAD_H

#include <linux/math64.h>
#include <linux/time64.h>
#include <linux/unaligned.h>

#include "events/hist/field.h"

/* load.c; any context, preemption is off. */
u64 trace_hist_compute(enum hist_op op, u64 a, u64 b);
void trace_hist_load_set(struct hist_field *f);
u64 trace_hist_load_expr(struct hist_place *place, const struct hist_expr *expr,
			 struct trace_event_hit *hit);
void trace_hist_load_key(struct hist_place *place, const struct hist_field *f,
			 struct trace_event_hit *hit);
u64 trace_hist_load(struct hist_place *place, const struct hist_field *f,
		    struct trace_event_hit *hit);

/* The bytes at a place that trace_hist_room() or the cell of the trigger's variables has given. */
static __always_inline u64 *hist_room(struct hist_place *place, unsigned int room)
{
	return (void *)place->room + room;
}

/* trace_hist_load() in fewer steps for what most texts load, the most usual first. */
static __always_inline u64 hist_load(struct hist_place *place, const struct hist_field *f,
				     struct trace_event_hit *hit)
{
	if (f->load == HIST_LOAD_INT)
		return (s64)get_unaligned((const s32 *)(hit->record + f->field.offset));
	if (f->load == HIST_LOAD_VAR)
		return *hist_room(place, f->room);
	if (f->load == HIST_LOAD_USECS)
		return div_u64(trace_event_hit_time(hit), NSEC_PER_USEC);
	if (f->load == HIST_LOAD_EXPR)
		return trace_hist_load_expr(place, f->expr, hit);
	if (f->load == HIST_LOAD_LONG)
		return get_unaligned((const u64 *)(hit->record + f->field.offset));
	return trace_hist_load(place, f, hit);
}

#endif /* _TRACE_EVENTS_HIST_LOAD_H */
