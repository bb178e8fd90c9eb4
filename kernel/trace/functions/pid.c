// SPDX-License-Identifier: GPL-2.0
/*
 * Function tracing by task: the ops of an instance calls its tracer directly as long as
 * there are no lists of pids. Otherwise it calls a function that tests the running task.
 */
#include "functions/internal.h"
#include "instance/option.h"

DEFINE_TRACE_SLOT(trace_functions_slot);

/* @op is a member of its trace_functions, so that no pointer is loaded to find them. */
static void function_pid_call(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct trace_functions *fns = container_of(op, struct trace_functions, ops);

	if (!trace_pid_filter_ignores_running(&fns->pids))
		fns->func(ip, parent_ip, op, fregs);
}

/**
 * trace_functions_entry_update - let the ops call the tracer, or the test of pids
 * @fns: the instance's functions; its ops is registered
 *
 * Context: task, may sleep; the lock of @fns->pids is held.
 */
void trace_functions_entry_update(struct trace_functions *fns)
{
	lockdep_assert_held(&fns->pids.lock);
	ftrace_ops_set_func(&fns->ops, trace_pid_filter_limited(&fns->pids) ?
			    function_pid_call : fns->func);
}

/* trace_pid_filter::changed; the filter's lock is held. */
static void functions_pids_changed(struct trace_pid_filter *filter, bool limited)
{
	struct trace_functions *fns = container_of(filter, struct trace_functions, pids);

	if (fns->running)
		trace_functions_entry_update(fns);
}

/**
 * trace_functions_pids_create - make the pid filter of an instance's functions
 * @fns: the instance's functions; fns->tr is set
 *
 * Undone by trace_pid_filter_destroy().
 *
 * Context: task, may sleep.
 * Return: 0 or -ENOMEM.
 */
int trace_functions_pids_create(struct trace_functions *fns)
{
	return trace_pid_filter_init(&fns->pids, TRACE_PIDS_OF_RUNNING, functions_pids_changed,
				     trace_option(fns->tr, TRACE_OPT_FUNC_FORK));
}
