// SPDX-License-Identifier: GPL-2.0
/*
 * Events of some tasks only: an instance has one pid filter for all its events, and
 * each of its event files a flag that says whether the filter has to be asked.
 */
#include "events/internal.h"
#include "instance/component.h"
#include "instance/option.h"

/*
 * The filter's lock is held. A file that is created meanwhile gets the flag, too:
 * trace_event_file_create() tests the filter under the events mutex, so it either finds the
 * list there or has put the file on the list of files before this runs.
 */
static void events_pids_changed(struct trace_pid_filter *filter, bool limited)
{
	struct trace_events *events = container_of(filter, struct trace_events, pids);
	struct trace_event_file *file;

	guard(trace_events)();
	list_for_each_entry(file, &events->files, list)
		assign_bit(EVENT_FILE_FL_PID_FILTER_BIT, &file->flags, limited);
}

static int events_pids_create(struct trace_array *tr)
{
	return trace_pid_filter_init(&trace_events_of(tr)->pids, TRACE_PIDS_OF_EVENT,
				     events_pids_changed,
				     trace_option(tr, TRACE_OPT_EVENT_FORK));
}

static bool events_pids_retreat(struct trace_array *tr)
{
	trace_pid_filter_end(&trace_events_of(tr)->pids);
	return false;
}

static void events_pids_destroy(struct trace_array *tr)
{
	trace_pid_filter_destroy(&trace_events_of(tr)->pids);
}

static void events_pids_option_changed(struct trace_array *tr, u32 opt, bool on)
{
	int ret;

	if (opt != TRACE_OPT_EVENT_FORK)
		return;
	ret = trace_pid_filter_follow_fork(&trace_events_of(tr)->pids, on);
	if (ret)
		pr_warn("trace events: forks are not followed: error %d\n", ret);
}

struct trace_component trace_event_pids_component __ro_after_init = {
	.name		= "event pids",
	.create		= events_pids_create,
	.create_files	= trace_event_pid_files_create,
	.retreat	= events_pids_retreat,
	.destroy	= events_pids_destroy,
	.option_changed	= events_pids_option_changed,
};
