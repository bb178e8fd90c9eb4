/* SPDX-License-Identifier: GPL-2.0 */
/*
 * graph/state.h: the state that all entries look at. It tells whether returns are hooked, and
 * since which user.
 */
#ifndef _TRACE_GRAPH_STATE_H
#define _TRACE_GRAPH_STATE_H

#include <linux/trace_recursion.h>
#include <linux/types.h>

/* The bit that trace_recursion.h sets for a task that is in a callback. */
#define GRAPH_TASK_BIT	(TRACE_FTRACE_START + TRACE_CTX_NORMAL)

/**
 * struct graph_state - what all entries look at
 * @epoch: each new user increments it; a frame keeps the value that it had at the entry [R]
 * @dead: ftrace_graph_stop() was called
 */
struct graph_state {
	u32	epoch;
	u32	dead;
};

extern struct graph_state graph_state;

#endif /* _TRACE_GRAPH_STATE_H */
