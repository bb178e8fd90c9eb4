/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/hist/ inside: counting drafts, see quick.c.
 */
#ifndef _TRACE_EVENTS_HIST_QUICK_H
#define _TRACE_EVENTS_HIST_QUICK_H

#include "events/hist/internal.h"

void trace_hist_quick_set(struct hist_trigger *ht);

#endif /* _TRACE_EVENTS_HIST_QUICK_H */
