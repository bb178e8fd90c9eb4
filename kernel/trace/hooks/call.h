/* SPDX-License-Identifier: GPL-2.0 */
/* hooks/ inside: the function that is called for an ops. */
#ifndef _TRACE_HOOKS_CALL_H
#define _TRACE_HOOKS_CALL_H

#include <linux/ftrace.h>

ftrace_func_t ftrace_ops_entry(struct ftrace_ops *ops);

#endif /* _TRACE_HOOKS_CALL_H */
