/* SPDX-License-Identifier: GPL-2.0 */
/*
 * graph/ inside: where does a call really return to that several hooks have changed the return
 * address of? Alone, since rethook.c is there without the other files.
 */
#ifndef _TRACE_GRAPH_REAL_H
#define _TRACE_GRAPH_REAL_H

#include <linux/types.h>

struct llist_node;

#ifdef CONFIG_FTRACE_GRAPH
unsigned long graph_real_return(unsigned long *place, unsigned long ret, u32 frame,
				struct llist_node *node);
#else
static inline unsigned long graph_real_return(unsigned long *place, unsigned long ret, u32 frame,
					      struct llist_node *node)
{
	return ret;
}
#endif

#endif /* _TRACE_GRAPH_REAL_H */
