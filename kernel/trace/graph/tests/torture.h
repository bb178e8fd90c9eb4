/* SPDX-License-Identifier: GPL-2.0 */
/* Functions with call sites, for the module graph_torture. */
#ifndef _TRACE_GRAPH_TESTS_TORTURE_H
#define _TRACE_GRAPH_TESTS_TORTURE_H

long torture_call(unsigned int depth, unsigned int ms);
long torture_jump(unsigned int depth, unsigned int ms);

#endif /* _TRACE_GRAPH_TESTS_TORTURE_H */
