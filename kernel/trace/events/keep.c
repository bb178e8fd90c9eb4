// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps events for a user: perf, an action that switches the event, a probe that
 * is attached to it. The event of a module keeps the module. An event that was built at run time
 * has a count of its own, and its owner asks trace_event_call_is_busy() before it removes it.
 */
#include <linux/module.h>
#include <linux/string.h>

#include "events/calls.h"

/*
 * Has the init function of the module returned 0, and does nobody unload it? NULL: the kernel.
 *
 * try_module_get() succeeds while the init function of a module runs, but the module loader
 * does not heed that reference: when the function fails, the module is freed. The state
 * MODULE_STATE_LIVE comes after the init function has succeeded, and from then on only
 * delete_module() removes the module, which asks for references.
 */
static bool keep_is_possible(struct module *mod)
{
#ifdef CONFIG_MODULES
	return !mod || READ_ONCE(mod->state) == MODULE_STATE_LIVE;
#else
	return true;
#endif
}

/**
 * trace_event_call_keep - keep an event for a user
 * @call: the event
 *
 * Context: task; the events mutex is held.
 * Return: 0, then the user gives it back with trace_event_call_unkeep(); -EBUSY: the event is
 * going, or its module is not ready.
 */
int trace_event_call_keep(struct trace_event_call *call)
{
	trace_events_assert_locked();

	if (call->flags & TRACE_EVENT_FL_DYNAMIC) {
		/* Events are removed under the events mutex, so one that is found stays. */
		atomic_inc(&call->refcnt);
		return 0;
	}
	return keep_is_possible(call->module) && try_module_get(call->module) ? 0 : -EBUSY;
}

/**
 * trace_event_call_unkeep - undo trace_event_call_keep()
 * @call: the event
 *
 * Context: task; the events mutex is held.
 */
void trace_event_call_unkeep(struct trace_event_call *call)
{
	trace_events_assert_locked();

	if (call->flags & TRACE_EVENT_FL_DYNAMIC)
		WARN_ON_ONCE(atomic_dec_return(&call->refcnt) < 0);
	else
		module_put(call->module);
}

/**
 * trace_event_call_is_kept - does a user keep an event that was built at run time?
 * @call: the event
 *
 * Context: task; the events mutex is held.
 * Return: true if one does. False for others: their modules have the references.
 */
bool trace_event_call_is_kept(struct trace_event_call *call)
{
	trace_events_assert_locked();

	return call->flags & TRACE_EVENT_FL_DYNAMIC && atomic_read(&call->refcnt);
}
