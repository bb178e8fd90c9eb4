/* SPDX-License-Identifier: GPL-2.0 */
/*
 * selftest/: tests that run at the end of booting (CONFIG_FTRACE_STARTUP_TEST): hooks
 * of functions, each tracer's own test, and events. A tracer or an ops that fails its test is
 * disabled, so that nobody relies on it.
 */
#ifndef _TRACE_SELFTEST_H
#define _TRACE_SELFTEST_H

#ifdef CONFIG_FTRACE_SELFTEST
void trace_selftests_run(void);
#else
static inline void trace_selftests_run(void) { }
#endif

#endif /* _TRACE_SELFTEST_H */
