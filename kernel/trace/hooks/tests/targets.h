/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that the tests of hooks/ hook. */
#ifndef _TRACE_HOOKS_TESTS_TARGETS_H
#define _TRACE_HOOKS_TESTS_TARGETS_H

#define HOOKS_TARGETS	12

/* hooks_target_N(x) returns x + N. */
int hooks_target_0(int x);
int hooks_target_1(int x);
int hooks_target_2(int x);

/* Not called but by the ops of a test that sends a function here: x - 1. */
int hooks_target_replaced(int x);

extern int (*const hooks_targets[HOOKS_TARGETS])(int x);

/* Code that a site can call directly; each counts and returns. */
void hooks_direct_a(void);
void hooks_direct_b(void);
extern unsigned int hooks_direct_a_hits, hooks_direct_b_hits;

#endif /* _TRACE_HOOKS_TESTS_TARGETS_H */
