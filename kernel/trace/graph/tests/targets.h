/* SPDX-License-Identifier: GPL-2.0 */
/* Functions with call sites, whose returns the suites of graph/ hook. */
#ifndef _TRACE_GRAPH_TESTS_TARGETS_H
#define _TRACE_GRAPH_TESTS_TARGETS_H

/* Returned in two registers. */
struct graph_pair {
	long	low;
	long	high;
};

long graph_target_add(long x);
long graph_target_nested(long x);
long graph_target_jump(long x);
long graph_target_again(long x, int times);
long graph_target_recurse(long depth);
struct graph_pair graph_target_pair(long low, long high);
long graph_target_call(long (*func)(void *arg), void *arg);
/* Jumps to graph_target_add(1) when @func has returned. */
long graph_target_call_then_jump(long (*func)(void *arg), void *arg);
long graph_target_call_jump(long (*func)(void *arg), void *arg);

#endif /* _TRACE_GRAPH_TESTS_TARGETS_H */
