/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lib/: which tasks must not wait for other CPUs. wait.h tells the rule, and has the waits.
 */
#ifndef _TRACE_LIB_MAY_WAIT_H
#define _TRACE_LIB_MAY_WAIT_H

#include <linux/bug.h>
#include <linux/types.h>

void trace_wait_forbid(void);
void trace_wait_allow(void);
bool trace_wait_is_forbidden(void);

/* Complain if the running task must not wait for other CPUs. */
static inline void trace_may_wait(void)
{
	WARN_ONCE(trace_wait_is_forbidden(),
		  "tracing: a wait for other CPUs under a lock that others need\n");
}

#endif /* _TRACE_LIB_MAY_WAIT_H */
