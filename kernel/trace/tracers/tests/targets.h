/* SPDX-License-Identifier: GPL-2.0 */
/* A function that the tests of the function tracer have recorded. */
#ifndef _TRACE_TRACERS_TESTS_TARGETS_H
#define _TRACE_TRACERS_TESTS_TARGETS_H

void kunit_function_target(void);

#endif /* _TRACE_TRACERS_TESTS_TARGETS_H */
