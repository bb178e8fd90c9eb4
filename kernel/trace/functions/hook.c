// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of an instance are hooked while its tracer wants them. Which callback the ops has,
 * and whether its trampolines save registers, depends on the tracer, the list of pids and the
 * predicates.
 */
#include <linux/ftrace.h>

#include "functions/internal.h"

/* Do the callbacks look at registers? */
static bool hook_wants_fregs(const struct trace_functions *fns)
{
	return fns->fregs || trace_judge_is_used(&fns->judge);
}

/*
 * Hook the functions, and let the ops call the tracer, or a test, as the pid filter and the judge
 * decide. Under the lock of the pid filter.
 */
static int hook_begin(struct trace_functions *fns, bool fregs)
{
	int ret;

	/*
	 * Patching calls functions that it has just patched. Their records would cost
	 * as much as the patching, and nobody wants them. So the ops calls a stub until
	 * all sites are patched, and again before they are patched back.
	 */
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

static void hook_end(struct trace_functions *fns)
{
	fns->running = false;
	ftrace_ops_set_func(&fns->ops, ftrace_stub);
	ftrace_ops_unregister_nowait(&fns->ops);
}

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

	trace_instances_assert_locked();
	guard(mutex)(&fns->pids.lock);
	if (fns->running)
		return -EBUSY;
	fns->func = func;
	fns->fregs = fregs;
	fns->ran = true;
	return hook_begin(fns, hook_wants_fregs(fns));
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
	if (fns->running)
		hook_end(fns);
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
 * trace_functions_judge_changed - the functions have predicates now, or have none any more
 * @fns: the instance's functions
 *
 * A running tracer gets the entry that asks for them, and trampolines that save registers.
 *
 * Context: task, may sleep; trace_instances_lock() is held.
 * Return: 0, or the errno of register_ftrace_function(); then all is as it was, if that can be had
 * again.
 */
int trace_functions_judge_changed(struct trace_functions *fns)
{
	bool had, want;
	int ret = 0;

	trace_instances_assert_locked();
	scoped_guard(mutex, &fns->pids.lock) {
		had = !(fns->ops.flags & FTRACE_OPS_FL_NO_FREGS);
		want = hook_wants_fregs(fns);
		if (fns->running && want != had) {
			hook_end(fns);
			ret = hook_begin(fns, want);
			if (ret && hook_begin(fns, had))
				pr_warn("ftrace: functions are not traced any more: %d\n", ret);
		} else if (fns->running) {
			trace_functions_entry_update(fns);
		}
	}
	if (fns->judged)
		fns->judged(fns->tr);
	return ret;
}
