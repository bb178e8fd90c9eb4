/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probes/ inside: declarations that the files of the core share with each other.
 */
#ifndef _TRACE_PROBES_INTERNAL_H
#define _TRACE_PROBES_INTERNAL_H

#include "probes/probe.h"

static inline struct trace_probe *trace_probe_of(const struct trace_dyn_event *dyn)
{
	return container_of((struct trace_dyn_event *)dyn, struct trace_probe, dyn);
}

/* probe.c */
bool trace_probe_has_args(const struct trace_dyn_event *dyn, const char *args);

/* event.c */
struct trace_probe_event *trace_probe_event_of(struct trace_event_call *call);
struct trace_probe_event *trace_probe_event_make(struct trace_probe *first, const char *group,
						 const char *name);
void trace_probe_event_share(struct trace_probe_event *event);
void trace_probe_event_free(struct trace_probe_event *event);

/* users.c: the reg() of events */
int trace_probe_reg(struct trace_event_call *call, enum trace_reg type, void *data);

/* print.c */
extern struct trace_event_functions trace_probe_print_functions;
const char *trace_probe_print_format(const struct trace_probe_event *event);

#endif /* _TRACE_PROBES_INTERNAL_H */
