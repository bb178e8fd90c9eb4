/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A way out of calls without a return, which the architecture has, for the suites of graph/:
 * graph_left_set() returns 0, and then 1 each time that graph_left_jump() is called. They save
 * and restore what a function keeps for its caller.
 */
#ifndef _TRACE_GRAPH_TESTS_LEFT_H
#define _TRACE_GRAPH_TESTS_LEFT_H

#include <linux/compiler.h>

#define LEFT_WORDS	16

int graph_left_set(unsigned long words[LEFT_WORDS]) __attribute__((__returns_twice__));
void graph_left_jump(unsigned long words[LEFT_WORDS]);

#endif /* _TRACE_GRAPH_TESTS_LEFT_H */
