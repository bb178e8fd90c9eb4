/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations that the files of actions/ share. */
#ifndef _TRACE_ACTIONS_INTERNAL_H
#define _TRACE_ACTIONS_INTERNAL_H

#include "actions/action.h"

/* tracing.c: the actions of tracing itself; a NULL name ends them */
extern struct trace_action trace_actions_of_tracing[];

#endif /* _TRACE_ACTIONS_INTERNAL_H */
