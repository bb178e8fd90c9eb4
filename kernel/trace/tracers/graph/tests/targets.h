/* SPDX-License-Identifier: GPL-2.0 */
/* Functions with call sites, which the function_graph tracer traces for its tests. */
#ifndef _TRACE_TRACERS_GRAPH_TESTS_TARGETS_H
#define _TRACE_TRACERS_GRAPH_TESTS_TARGETS_H

/* root() calls leaf(), and then mid(), which calls leaf(). Each adds 1. */
long kunit_graph_leaf(long x);
long kunit_graph_mid(long x);
long kunit_graph_root(long x);

/* jump_caller() calls jump(), which ends with a jump to leaf(). Each adds 1, but jump(). */
long kunit_graph_jump(long x);
long kunit_graph_jump_caller(long x);

void kunit_graph_call(void (*func)(void *arg), void *arg);
void kunit_graph_sleep(unsigned int ms);	/* as test_sleep() */

#endif /* _TRACE_TRACERS_GRAPH_TESTS_TARGETS_H */
