/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations that the files of selftest/ share. */
#ifndef _TRACE_SELFTEST_INTERNAL_H
#define _TRACE_SELFTEST_INTERNAL_H

#include "instance/tracer.h"
#include "selftest/selftest.h"

/* selftest.c: an instance for the tests alone */
struct trace_array *trace_selftest_instance(void);
void trace_selftest_instance_put(struct trace_array *tr);

/* tracers.c: 0, or the errno for which the tracer was unregistered */
int trace_selftest_tracer(const struct tracer *tracer);

/* hooks.c */
#ifdef CONFIG_DYNAMIC_FTRACE
void trace_selftest_hooks(void);
#else
static inline void trace_selftest_hooks(void) { }
#endif

/* events.c */
#ifdef CONFIG_EVENT_TRACE_STARTUP_TEST
void trace_selftest_events(void);
#else
static inline void trace_selftest_events(void) { }
#endif

/* targets.c: functions that can be hooked, called through pointers */
extern int (*const trace_selftest_targets[2])(int x);

#endif /* _TRACE_SELFTEST_INTERNAL_H */
