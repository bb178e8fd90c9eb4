// SPDX-License-Identifier: GPL-2.0
/*
 * Filters of perf events, each of which has its own, whatever the event's files say.
 *
 * The filter of a perf event of ftrace:function is no predicate over records. It names
 * functions, which become the filter of the perf event's ops, so that other functions are not
 * hooked.
 */
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include "events/calls.h"
#include "events/filter/program.h"
#include "events/perf.h"
#include "hooks/hooks.h"

#if defined(CONFIG_FUNCTION_TRACER) && defined(CONFIG_DYNAMIC_FTRACE)
/* The functions that a filter takes or, with [true], leaves out. NULL: it names none. */
struct perf_filter_names {
	struct ftrace_hash	*hash[2];
};

/*
 * Is the step part of a list of names? A true comparison goes on to the next one or ends the
 * filter with a match, a false one goes on to the next one or ends it without.
 */
static bool perf_filter_step_is_plain(const struct event_filter *filter, unsigned int i)
{
	const struct filter_step *s = &filter->steps[i];

	return s->kind == FILTER_NAMES &&
	       (s->on_true == i + 1 || s->on_true == FILTER_YES) &&
	       (s->on_false == i + 1 || s->on_false == FILTER_NO);
}

/* Add the functions of one comparison: names and globs with blanks or commas in between. */
static int perf_filter_names_add(struct perf_filter_names *names, struct filter_step *s)
{
	struct ftrace_hash **hash = &names->hash[s->op == FILTER_OP_NE];
	char *text = (char *)s->glob.text, *word;
	bool some = false;

	if (!*hash)
		*hash = ftrace_hash_alloc();
	if (!*hash)
		return -ENOMEM;
	while ((word = strsep(&text, ", \t\n\v\f\r"))) {
		if (!*word)
			continue;
		if (ftrace_hash_apply(*hash, word, NULL, NULL) <= 0)
			return -EINVAL;
		some = true;
	}
	return some ? 0 : -EINVAL;
}

static int perf_filter_names_read(struct perf_filter_names *names, struct event_filter *filter)
{
	int ret = 0;

	for (unsigned int i = 0; i < filter->nr && !ret; i++)
		ret = perf_filter_step_is_plain(filter, i) ?
		      perf_filter_names_add(names, &filter->steps[i]) : -EINVAL;
	return ret;
}

/*
 * Let a perf event of ftrace:function have the functions that @filter names. Comparisons that
 * are combined add up: there is no call of two functions. The text of the filter is changed, and
 * it is not used afterwards. 0; -EINVAL: the filter is none of functions, or some name names
 * nothing: nothing has changed; -ENOMEM, or what ftrace_ops_filter_set() says.
 */
static int perf_filter_set_names(struct perf_event *event, struct event_filter *filter)
{
	struct perf_filter_names names = { };
	int ret;

	trace_events_assert_locked();

	ret = perf_filter_names_read(&names, filter);
	for (int exclude = 0; exclude < 2; exclude++) {
		if (!ret && names.hash[exclude])
			ret = ftrace_ops_filter_set(trace_event_perf_function_ops(event),
						    names.hash[exclude], exclude);
		else
			ftrace_hash_free(names.hash[exclude]);
	}
	return ret;
}
#else
static int perf_filter_set_names(struct perf_event *event, struct event_filter *filter)
{
	return -EINVAL;
}
#endif

/**
 * ftrace_profile_set_filter - give a perf event of a trace event a filter
 * @event: the perf event, made by perf_trace_init()
 * @event_id: the trace event's number
 * @text: the filter's text; it is changed
 *
 * The functions of ftrace:function may change as often as one likes.
 *
 * Context: task, may sleep; takes the events mutex.
 * Return: 0, -EINVAL: the text is wrong or @event has no trace event
 * (trace_filter_fail() has more for wrong texts), -EEXIST: it has a filter,
 * -ENOMEM.
 */
int ftrace_profile_set_filter(struct perf_event *event, int event_id, char *text)
{
	struct trace_event_call *call = event->tp_event;
	struct trace_filter_error error;
	struct event_filter *filter;
	int ret;

	guard(trace_events)();
	if (!call)
		return -EINVAL;
	if (event->filter)
		return -EEXIST;
	filter = trace_filter_compile(call, strim(text), &error);
	if (IS_ERR(filter))
		return PTR_ERR(filter);
	if (trace_event_is_function(call)) {
		ret = perf_filter_set_names(event, filter);
		trace_filter_free(filter);
		return ret;
	}
	/*
	 * A probe on another CPU must see the program behind the pointer. Pairs with
	 * the address dependency from event->filter in filter_match_preds(), which
	 * perf_tp_event() calls.
	 */
	smp_store_release(&event->filter, filter);
	return 0;
}

/**
 * ftrace_profile_free_filter - free a perf event's filter
 * @event: the perf event; no probe looks at it any more
 *
 * Context: task or softirq: perf calls this from a callback of RCU. Does not sleep.
 */
void ftrace_profile_free_filter(struct perf_event *event)
{
	trace_filter_free(event->filter);
	event->filter = NULL;
}
