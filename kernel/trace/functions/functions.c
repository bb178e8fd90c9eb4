// SPDX-License-Identifier: GPL-2.0
/*
 * The function hooks of an instance: they are created with it, and hook.c switches
 * them on. The filters of the top instance are the global ones, which boot.c and
 * ftrace_set_global_filter() change as well.
 */
#include <linux/ftrace.h>
#include <linux/slab.h>

#include "functions/internal.h"
#include "instance/component.h"
#include "instance/option.h"

/**
 * trace_functions_judge - predicates on the arguments of an instance's functions
 * @tr: the instance
 *
 * Context: any.
 * Return: the judge of set_ftrace_filter, which stays as long as @tr.
 */
const struct trace_judge *trace_functions_judge(struct trace_array *tr)
{
	return &trace_functions_of(tr)->judge;
}

/**
 * trace_functions_on_judged - ask to be told whether there are predicates
 * @tr:		the instance
 * @judged:	called under trace_instances_lock() when trace_judge_is_used() has changed
 *
 * It is for another tracer that has the functions of set_ftrace_filter.
 *
 * Context: task; the instance is being created.
 */
void trace_functions_on_judged(struct trace_array *tr, void (*judged)(struct trace_array *tr))
{
	trace_functions_of(tr)->judged = judged;
}

/**
 * trace_functions_share - let another hook have the functions of an instance
 * @tr:		the instance
 * @ops:	was not used before; has set_ftrace_filter and set_ftrace_notrace of @tr
 *		from now on, and is not registered any more when the instance goes
 *
 * Context: task, may sleep.
 */
void trace_functions_share(struct trace_array *tr, struct ftrace_ops *ops)
{
	ftrace_ops_share_filters(ops, &trace_functions_of(tr)->ops);
}

/**
 * trace_functions_pids - the tasks whose functions are traced
 * @tr: the instance
 *
 * Context: any.
 * Return: the filter of set_ftrace_pid and set_ftrace_notrace_pid; it stays as long
 * as @tr.
 */
struct trace_pid_filter *trace_functions_pids(struct trace_array *tr)
{
	return &trace_functions_of(tr)->pids;
}

static int trace_functions_create(struct trace_array *tr)
{
	struct trace_functions *fns = kzalloc(sizeof(*fns), GFP_KERNEL);
	int ret;

	if (!fns)
		return -ENOMEM;
	fns->tr = tr;
	ret = trace_functions_pids_create(fns);
	if (ret) {
		kfree(fns);
		return ret;
	}
	INIT_LIST_HEAD(&fns->probes);
	trace_filter_init(fns);
	fns->ops.private = tr;
	fns->ops.flags = FTRACE_OPS_FL_PID | FTRACE_OPS_FL_TRACE_ARRAY | FTRACE_OPS_FL_NO_FREGS |
			 FTRACE_OPS_FL_VIEW | FTRACE_OPS_FL_PARENT;
	trace_slot_set_data(tr, &trace_functions_slot, fns);
	if (!tr->name)
		ftrace_ops_set_global_filter(&fns->ops);
	return 0;
}

static int trace_functions_create_files(struct trace_array *tr, struct dentry *dir)
{
	struct trace_functions *fns = trace_functions_of(tr);
	int ret = trace_filter_create_files(fns, dir);

	if (!ret)
		ret = trace_pid_create_files(fns, dir);
	if (!ret && !tr->name)
		ret = trace_list_create_files(tr) ?: trace_untraceable_create_file(dir) ?:
		      trace_recursed_create_file(tr) ?: trace_stack_create_files(tr, dir);
	return ret;
}

static bool trace_functions_retreat(struct trace_array *tr)
{
	struct trace_functions *fns = trace_functions_of(tr);

	trace_functions_stop(tr);
	trace_pid_filter_end(&fns->pids);
	return trace_func_commands_stop(fns) || fns->ran;
}

/* A callback that used the instance or its pid filter has ended. */
static void trace_functions_destroy(struct trace_array *tr)
{
	struct trace_functions *fns = trace_functions_of(tr);

	if (!fns)
		return;
	trace_func_commands_destroy(fns);
	trace_pid_filter_destroy(&fns->pids);
	trace_filter_destroy(fns);
	trace_slot_set_data(tr, &trace_functions_slot, NULL);
	ftrace_free_filter(&fns->ops);
	kfree(fns);
}

static void trace_functions_option_changed(struct trace_array *tr, u32 opt, bool on)
{
	int ret;

	if (opt != TRACE_OPT_FUNC_FORK)
		return;
	ret = trace_pid_filter_follow_fork(&trace_functions_of(tr)->pids, on);
	if (ret)
		pr_warn("ftrace: forks are not followed: error %d\n", ret);
}

struct trace_component trace_functions_component __ro_after_init = {
	.name		= "functions",
	.slot		= &trace_functions_slot,
	.readme		=
		"\n"
		"Functions\n"
		"  set_ftrace_pid\t- trace these tasks only\n"
		"  set_ftrace_notrace_pid - do not trace these tasks\n"
#ifdef CONFIG_DYNAMIC_FTRACE
		"  available_filter_functions\t- functions that can be traced\n"
		"  available_filter_functions_addrs - the same with addresses\n"
		"  set_ftrace_filter\t- trace these functions only\n"
		"  set_ftrace_notrace\t- do not trace these functions\n"
		"\t\taccepts: func_full_name or glob-matching-pattern\n"
		"\t\t\t <pattern>:mod:<module>, which may be loaded later\n"
		"\t\t\t [<pattern>]:src:<path>, the source file, as :src:kernel/sched/*\n"
#ifdef CONFIG_FUNCTION_PREDICATES
		"\t\tset_ftrace_filter also: <functions> if <filter>, by arguments\n"
		"\t\t\t whose names BTF has, or by arg1, arg2, ...\n"
#endif
		"\t\tset_ftrace_filter also: <function>:<command>[:<count>]\n"
		"\t\tcommands: traceon traceoff stacktrace dump cpudump snapshot\n"
		"\t\t\t enable_event:<system>:<event> disable_event:<system>:<event>\n"
		"  enabled_functions\t- functions that something is attached to\n"
		"  touched_functions\t- functions that something ever was attached to\n"
		"  untraceable_functions\t- functions of the kernel that cannot be traced, and why\n"
		"  dyn_ftrace_total_info\t- how many functions, and their memory\n"
#endif
#ifdef CONFIG_STACK_TRACER
		"  stack_trace\t\t- the calls that took the most of a stack (stacktrace, or\n"
		"\t\t\t  kernel.stack_tracer_enabled)\n"
		"  stack_max_size\t- how many bytes that was; write 0 to begin anew\n"
		"  stack_trace_filter\t- look at the stack in these functions only\n"
#endif
#ifdef CONFIG_FTRACE_RECORD_RECURSION
		"  recursed_functions\t- functions that a hook called while it was at work;\n"
		"\t\t\t  # echo > recursed_functions : none\n"
#endif
		,
	.create		= trace_functions_create,
	.create_files	= trace_functions_create_files,
	.retreat	= trace_functions_retreat,
	.destroy	= trace_functions_destroy,
	.option_changed	= trace_functions_option_changed,
};
