// SPDX-License-Identifier: GPL-2.0
/* set_ftrace_pid and set_ftrace_notrace_pid of an instance. */
#include <linux/tracefs.h>

#include "functions/internal.h"
#include "instance/pid_file.h"

static struct trace_pid_filter *function_pid_filter(struct trace_array *tr)
{
	return &trace_functions_of(tr)->pids;
}

static const struct trace_pid_files function_pids = {
	.filter_of	= function_pid_filter,
	.none		= "no pid",
};

DEFINE_TRACE_PID_FILE(function_pids_only, function_pids, TRACE_PIDS_ONLY);
DEFINE_TRACE_PID_FILE(function_pids_never, function_pids, TRACE_PIDS_NEVER);

/**
 * trace_pid_create_files - the two pid files of an instance
 * @fns:	the instance's functions
 * @dir:	its folder
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0 or -ENOMEM.
 */
int trace_pid_create_files(struct trace_functions *fns, struct dentry *dir)
{
	if (!tracefs_create_file("set_ftrace_pid", 0640, dir, fns->tr,
				 &function_pids_only_fops) ||
	    !tracefs_create_file("set_ftrace_notrace_pid", 0640, dir, fns->tr,
				 &function_pids_never_fops))
		return -ENOMEM;
	return 0;
}
