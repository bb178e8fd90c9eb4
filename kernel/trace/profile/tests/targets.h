/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that the profiler's tests have counted. */
#ifndef _TRACE_PROFILE_TESTS_TARGETS_H
#define _TRACE_PROFILE_TESTS_TARGETS_H

long kunit_profile_leaf(long x);
long kunit_profile_mid(long x);
long kunit_profile_root(long x);
void kunit_profile_call(void (*func)(void *arg), void *arg);
long kunit_profile_recurse(long times);

#endif /* _TRACE_PROFILE_TESTS_TARGETS_H */
