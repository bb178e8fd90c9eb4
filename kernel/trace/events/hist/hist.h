/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Histograms: the trigger "hist" counts the hits of its event by keys, which are fields, and
 * adds up other fields, in a map (lib/map.h). The file "hist" of the event shows them.
 */
#ifndef _TRACE_EVENTS_HIST_HIST_H
#define _TRACE_EVENTS_HIST_HIST_H

/* boot.c calls it, the events mutex is held */
#ifdef CONFIG_HIST_TRIGGERS
void trace_hists_init(void);
#else
static inline void trace_hists_init(void) { }
#endif

#endif /* _TRACE_EVENTS_HIST_HIST_H */
