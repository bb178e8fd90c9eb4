// SPDX-License-Identifier: GPL-2.0
/*
 * The function hooks of an instance: they are created with it, and its tracer switches
 * them on. The filters of the top instance are the global ones, which boot.c and
 * ftrace_set_global_filter() change as well.
 */
#include <linux/ftrace.h>
#include <linux/slab.h>

#include "functions/internal.h"
#include "instance/component.h"
#include "instance/option.h"
#include "sites/sites.h"

/**
 * trace_functions_start - have @func called for the functions of @tr
 * @tr:		the instance
 * @func:	called as ops->func, with @tr as ops->private
 * @fregs:	@func looks at the registers. It may be called without any by who was in a
 *		call when these functions were stopped
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0, -EBUSY when it runs already, or the error of
 * register_ftrace_function().
 */
int trace_functions_start(struct trace_array *tr, ftrace_func_t func, bool fregs)
{
	struct trace_functions *fns = trace_functions_of(tr);
	int ret;

	trace_instances_assert_locked();
	/* The ops calls the tracer or function_pid_call(), as the pid filter decides. */
	guard(mutex)(&fns->pids.lock);
	if (fns->running)
		return -EBUSY;
	/*
	 * Patching calls functions that it has just patched. Their records would cost
	 * as much as the patching, and nobody wants them. So the ops calls a stub until
	 * all sites are patched, and again before they are patched back.
	 */
	fns->func = func;
	fns->ran = true;
	fns->ops.func = ftrace_stub;
	if (fregs)
		fns->ops.flags &= ~FTRACE_OPS_FL_NO_FREGS;
	else
		fns->ops.flags |= FTRACE_OPS_FL_NO_FREGS;
	ret = register_ftrace_function(&fns->ops);
	if (!ret) {
		fns->running = true;
		trace_functions_entry_update(fns);
	}
	return ret;
}

/**
 * trace_functions_stop - undo trace_functions_start()
 * @tr: the instance
 *
 * This does not wait. The callback may still run on another CPU until a grace period has
 * passed, and its instance is alive until then, see struct trace_component::retreat.
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 */
void trace_functions_stop(struct trace_array *tr)
{
	struct trace_functions *fns = trace_functions_of(tr);

	trace_instances_assert_locked();
	guard(mutex)(&fns->pids.lock);
	if (fns->running) {
		fns->running = false;
		ftrace_ops_set_func(&fns->ops, ftrace_stub);
		ftrace_ops_unregister_nowait(&fns->ops);
	}
}

/**
 * trace_functions_set_func - have another callback called
 * @tr:		the instance
 * @func:	the new one; it looks at registers if the old one did
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 */
void trace_functions_set_func(struct trace_array *tr, ftrace_func_t func)
{
	struct trace_functions *fns = trace_functions_of(tr);

	trace_instances_assert_locked();
	guard(mutex)(&fns->pids.lock);
	fns->func = func;
	if (fns->running)
		trace_functions_entry_update(fns);
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
