/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracers/graph/: the function_graph tracer. Each instance has its roots and its depth,
 * whether the tracer is the current one or not.
 */
#ifndef _TRACE_TRACERS_GRAPH_H
#define _TRACE_TRACERS_GRAPH_H

#include "instance/component.h"

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

extern struct trace_component trace_graph_component;

void trace_graph_boot(void);

#else
static inline void trace_graph_boot(void) { }
#endif

#endif /* _TRACE_TRACERS_GRAPH_H */
