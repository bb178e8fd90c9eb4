/* SPDX-License-Identifier: GPL-2.0 */
/* A function with a call site and a frame of at least a known size. */
#ifndef _TRACE_FUNCTIONS_TESTS_STACK_TARGETS_H
#define _TRACE_FUNCTIONS_TESTS_STACK_TARGETS_H

#define STACK_TARGET_FRAME	128

/* Calls itself @depth times. Returns the sum of the numbers up to @depth. */
long stack_target(long depth);

#endif /* _TRACE_FUNCTIONS_TESTS_STACK_TARGETS_H */
