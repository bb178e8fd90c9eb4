/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that the tests of hooks/ hook. */
#ifndef _TRACE_HOOKS_TESTS_TARGETS_H
#define _TRACE_HOOKS_TESTS_TARGETS_H

#define HOOKS_TARGETS	12

/* hooks_target_N(x) returns x + N. */
int hooks_target_0(int x);
int hooks_target_1(int x);
int hooks_target_2(int x);

/* Its arguments, as the digits of a number; more of them than any architecture has registers. */
unsigned long hooks_arguments(unsigned long a, unsigned long b, unsigned long c,
			      unsigned long d, unsigned long e, unsigned long f,
			      unsigned long g, unsigned long h, unsigned long i);

/* Not called but by the ops of a test that sends a function here: x - 1. */
int hooks_target_replaced(int x);

/*
 * x + y. There is a weak function of this name, too, which loses at the link. Its prologue is
 * shorter, so where sites are behind prologues, its call was nearer to its beginning.
 */
int hooks_replaced_weak(int x, int y);

extern int (*const hooks_targets[HOOKS_TARGETS])(int x);

/* Code that a site can call directly; each counts and returns. */
void hooks_direct_a(void);
void hooks_direct_b(void);
extern unsigned int hooks_direct_a_hits, hooks_direct_b_hits;

#endif /* _TRACE_HOOKS_TESTS_TARGETS_H */
