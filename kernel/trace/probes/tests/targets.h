/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that the tests probe. */
#ifndef _TRACE_PROBES_TESTS_TARGETS_H
#define _TRACE_PROBES_TESTS_TARGETS_H

long kunit_probe_sum(long a, long b);
long kunit_probe_other(long a);
long kunit_probe_nested(long a);
long kunit_probe_deep(long n);
long kunit_probe_call(long (*func)(void *arg), void *arg);

#endif /* _TRACE_PROBES_TESTS_TARGETS_H */
