/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lib/recursion.h: the functions that were hit by a hook that was at work already,
 * in the same context. <linux/trace_recursion.h> finds them, and calls
 * ftrace_record_recursion() for each.
 */
#ifndef _TRACE_LIB_RECURSION_H
#define _TRACE_LIB_RECURSION_H

/**
 * struct trace_recursion - a function that recursed
 * @ip:		in the function; 0: a free place
 * @parent_ip:	in its caller when it was first seen; 0: not stored yet
 *
 * Both change at any time: use READ_ONCE().
 */
struct trace_recursion {
	unsigned long	ip;
	unsigned long	parent_ip;
};

const struct trace_recursion *trace_recursion_nth(unsigned long n);
void trace_recursions_clear(void);

#endif /* _TRACE_LIB_RECURSION_H */
