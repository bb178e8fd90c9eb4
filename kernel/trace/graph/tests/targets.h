/* SPDX-License-Identifier: GPL-2.0 */
/* Functions with call sites, whose returns the suites of graph/ hook. */
#ifndef _TRACE_GRAPH_TESTS_TARGETS_H
#define _TRACE_GRAPH_TESTS_TARGETS_H

long graph_target_add(long x);
long graph_target_nested(long x);

#endif /* _TRACE_GRAPH_TESTS_TARGETS_H */
