/* SPDX-License-Identifier: GPL-2.0 */
/* events/hist/ inside: the file "hist_debug". Boot makes it, once, with the events mutex held. */
#ifndef _TRACE_EVENTS_HIST_DEBUG_H
#define _TRACE_EVENTS_HIST_DEBUG_H

#ifdef CONFIG_HIST_TRIGGERS_DEBUG
void trace_hist_debug_init(void);
#else
static inline void trace_hist_debug_init(void) { }
#endif

#endif /* _TRACE_EVENTS_HIST_DEBUG_H */
