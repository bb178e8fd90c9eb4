/* SPDX-License-Identifier: GPL-2.0 */
/* A user of returns that writes down what it is told, for the suites of graph/. */
#ifndef _TRACE_GRAPH_TESTS_WATCH_H
#define _TRACE_GRAPH_TESTS_WATCH_H

#include <kunit/test.h>

#include <linux/ftrace.h>

#define WATCH_EVENTS	256

/**
 * struct graph_watch - such a user
 * @gops: the user
 * @nr: events that were told, and perhaps not written down
 * @events: the first of them, in order
 * @entry: called at each entry, if not NULL; says whether the return is wanted
 * @ret: called at each return, if not NULL
 * @data: for these two
 */
struct graph_watch {
	struct fgraph_ops	gops;
	unsigned int		nr;
	struct graph_watch_event {
		unsigned long	func;
		bool		returns;
		int		depth;
		long		retval;
		s64		took;
		unsigned int	overrun;
	}			events[WATCH_EVENTS];
	bool			(*entry)(struct graph_watch *watch, struct ftrace_graph_ent *trace);
	void			(*ret)(struct graph_watch *watch, struct ftrace_graph_ret *trace);
	void			*data;
};

int graph_watch_init(struct kunit *test);
void graph_watch_make(struct graph_watch *watch);
struct graph_watch *graph_watch_alloc(struct kunit *test, ...);
void graph_watch_begin(struct kunit *test, struct graph_watch *watch);
void graph_watch_end(struct graph_watch *watch);
void graph_watch_expect(struct kunit *test, const struct graph_watch *watch, unsigned int at,
			void *func, bool returns, int depth);
unsigned long graph_watch_site(void *func);

#endif /* _TRACE_GRAPH_TESTS_WATCH_H */
