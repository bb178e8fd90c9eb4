// SPDX-License-Identifier: GPL-2.0
/*
 * A user of returns that writes down what it is told, for the suites of graph/.
 */
#include <linux/stdarg.h>

#include "graph/tests/watch.h"
#include "hooks/hooks.h"

/* The call site of a function, which is how users are told of it. */
unsigned long graph_watch_site(void *func)
{
	return ftrace_location((unsigned long)func);
}

static struct graph_watch_event *watch_event(struct graph_watch *watch, unsigned long func)
{
	struct graph_watch_event *event;

	if (watch->nr >= WATCH_EVENTS) {
		watch->nr++;
		return NULL;
	}
	event = &watch->events[watch->nr++];
	*event = (struct graph_watch_event) { .func = func };
	return event;
}

static int watch_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	struct graph_watch *watch = container_of(gops, struct graph_watch, gops);
	struct graph_watch_event *event = watch_event(watch, trace->func);

	if (event)
		event->depth = trace->depth;
	return watch->entry ? watch->entry(watch, trace) : 1;
}

static void watch_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	struct graph_watch *watch = container_of(gops, struct graph_watch, gops);
	struct graph_watch_event *event = watch_event(watch, trace->func);

	if (event) {
		event->returns = true;
		event->depth = trace->depth;
		event->retval = trace->retval;
		event->took = trace->rettime - trace->calltime;
		event->overrun = trace->overrun;
	}
	if (watch->ret)
		watch->ret(watch, trace);
}

static void watch_free_filter(void *data)
{
	struct graph_watch *watch = data;

	ftrace_free_filter(&watch->gops.ops);
}

/* Before each case: numbers of users that others have had are free, so the lowest is next. */
int graph_watch_init(struct kunit *test)
{
	ftrace_hooks_drain();
	return 0;
}

/* Let a zeroed @watch be a user. */
void graph_watch_make(struct graph_watch *watch)
{
	watch->gops.entryfunc = watch_entry;
	watch->gops.retfunc = watch_return;
}

/* A user with a filter of the functions that are listed, the last one is NULL. */
struct graph_watch *graph_watch_alloc(struct kunit *test, ...)
{
	struct graph_watch *watch = kunit_kzalloc(test, sizeof(*watch), GFP_KERNEL);
	va_list funcs;
	void *func;

	KUNIT_ASSERT_NOT_NULL(test, watch);
	graph_watch_make(watch);
	va_start(funcs, test);
	while ((func = va_arg(funcs, void *)))
		KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&watch->gops.ops,
							      (unsigned long)func, 0, 0));
	va_end(funcs);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, watch_free_filter, watch));
	return watch;
}

static void watch_end(void *data)
{
	struct graph_watch *watch = data;

	unregister_ftrace_graph(&watch->gops);
}

/* Register it, until graph_watch_end() or the end of the test. */
void graph_watch_begin(struct kunit *test, struct graph_watch *watch)
{
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_graph(&watch->gops));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, watch_end, watch));
}

/* Unregister it; nothing happens if it is not registered. */
void graph_watch_end(struct graph_watch *watch)
{
	watch_end(watch);
}

/* Is the event at @at an entry, or a return, of @func at @depth? */
void graph_watch_expect(struct kunit *test, const struct graph_watch *watch, unsigned int at,
			void *func, bool returns, int depth)
{
	const struct graph_watch_event *event = &watch->events[at];

	KUNIT_ASSERT_LT(test, at, watch->nr);
	KUNIT_EXPECT_EQ_MSG(test, event->func, graph_watch_site(func), "event %u", at);
	KUNIT_EXPECT_EQ_MSG(test, event->returns, returns, "event %u", at);
	KUNIT_EXPECT_EQ_MSG(test, event->depth, depth, "event %u", at);
}
