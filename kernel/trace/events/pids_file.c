// SPDX-License-Identifier: GPL-2.0
/* The files set_event_pid and set_event_notrace_pid; pids.c has the filter behind them. */
#include <linux/tracefs.h>

#include "events/internal.h"
#include "instance/pid_file.h"

static struct trace_pid_filter *event_pid_filter(struct trace_array *tr)
{
	return &trace_events_of(tr)->pids;
}

static const struct trace_pid_files event_pids = {
	.filter_of	= event_pid_filter,
};

DEFINE_TRACE_PID_FILE(event_pids_only, event_pids, TRACE_PIDS_ONLY);
DEFINE_TRACE_PID_FILE(event_pids_never, event_pids, TRACE_PIDS_NEVER);

int trace_event_pid_files_create(struct trace_array *tr, struct dentry *dir)
{
	if (!tracefs_create_file("set_event_pid", 0640, dir, tr, &event_pids_only_fops) ||
	    !tracefs_create_file("set_event_notrace_pid", 0640, dir, tr, &event_pids_never_fops))
		return -ENOMEM;
	return 0;
}
