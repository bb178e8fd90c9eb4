// SPDX-License-Identifier: GPL-2.0
/*
 * Function tracing by task and by arguments: the ops of an instance calls its tracer directly as
 * long as there are neither lists of pids nor predicates. Otherwise it calls a function that tests
 * the running task, and what the function is called with.
 */
#include <linux/kprobes.h>
#include <linux/preempt.h>

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

NOKPROBE_SYMBOL(function_pid_call);

/* As function_pid_call(), with predicates. The tracer protects itself against recursion. */
static void function_pid_judge(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct trace_functions *fns = container_of(op, struct trace_functions, ops);
	bool passes;

	preempt_disable_notrace();
	passes = !(trace_pid_filter_limited(&fns->pids) &&
		   trace_pid_filter_ignores_running(&fns->pids)) &&
		 trace_judge_passes_call(&fns->judge, ip, parent_ip, fregs);
	preempt_enable_notrace();
	if (passes)
		fns->func(ip, parent_ip, op, fregs);
}

NOKPROBE_SYMBOL(function_pid_judge);

static ftrace_func_t function_pid_entry(struct trace_functions *fns)
{
	if (trace_judge_is_used(&fns->judge))
		return function_pid_judge;
	return trace_pid_filter_limited(&fns->pids) ? function_pid_call : fns->func;
}

/**
 * trace_functions_entry_update - let the ops call the tracer, or a test
 * @fns: the instance's functions; its ops is registered
 *
 * Context: task, may sleep; the lock of @fns->pids is held.
 */
void trace_functions_entry_update(struct trace_functions *fns)
{
	lockdep_assert_held(&fns->pids.lock);
	ftrace_ops_set_func(&fns->ops, function_pid_entry(fns));
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
