/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile/: the function profiler. An instance counts the calls of the functions of its
 * set_ftrace_filter, and how long they take, without a record of any.
 */
#ifndef _TRACE_PROFILE_H
#define _TRACE_PROFILE_H

#include "instance/component.h"

#ifdef CONFIG_FUNCTION_PROFILER

extern struct trace_component trace_profile_component;

void trace_profile_set_graph_time(struct trace_array *tr, bool on);	/* instances lock */
void trace_profile_set_sleep_time(struct trace_array *tr, bool on);	/* instances lock */

#else
static inline void trace_profile_set_graph_time(struct trace_array *tr, bool on) { }
static inline void trace_profile_set_sleep_time(struct trace_array *tr, bool on) { }
#endif

#endif /* _TRACE_PROFILE_H */
