/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hooks/ inside: what is called for an ops. The letters beside members are those of
 * sites/sites.h.
 */
#ifndef _TRACE_HOOKS_CALL_H
#define _TRACE_HOOKS_CALL_H

#include <linux/ftrace.h>

/* A call that a dispatch makes. */
struct ftrace_call {
	ftrace_func_t		func;		/* [R] what is called for @ops */
	struct ftrace_ops	*ops;		/* [I] */
};

ftrace_func_t ftrace_ops_entry(struct ftrace_ops *ops);

#endif /* _TRACE_HOOKS_CALL_H */
