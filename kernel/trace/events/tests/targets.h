/* SPDX-License-Identifier: GPL-2.0 */
/* Functions whose calls the tests have perf count. */
#ifndef _TRACE_EVENTS_TESTS_TARGETS_H
#define _TRACE_EVENTS_TESTS_TARGETS_H

void kunit_perf_first(void);
void kunit_perf_second(void);
void kunit_perf_third(void);
void kunit_perf_jump(void);

#endif /* _TRACE_EVENTS_TESTS_TARGETS_H */
