// SPDX-License-Identifier: GPL-2.0
/* Registers the events of a module when it is loaded, and removes them when it goes. */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/notifier.h>

#include "events/internal.h"

static void module_events_add(struct module *mod)
{
	struct trace_event_evals evals = {
		.maps = mod->trace_evals,
		.nr = mod->num_trace_evals,
	};
	struct trace_array *tr;

	if (!mod->num_trace_events)
		return;
	/* A module that was forced in may have structures of another layout. */
	if (trace_module_has_bad_taint(mod)) {
		pr_err("%s: module has bad taint, not creating trace events\n", mod->name);
		return;
	}
	for (unsigned int i = 0; i < mod->num_trace_events; i++)
		trace_event_call_add_of(mod->trace_events[i], mod, &evals, true);
	trace_event_evals_keep(mod, &evals);
	for_each_trace_array(tr)
		trace_events_fulfill(tr, mod->name);
}

static bool event_module_is_of_module(struct trace_event_call *call, void *data)
{
	return !(call->flags & TRACE_EVENT_FL_DYNAMIC) && call->module == data;
}

static int module_events_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	if (action != MODULE_STATE_COMING && action != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	if (action == MODULE_STATE_GOING)
		trace_event_calls_remove(event_module_is_of_module, data);
	guard(trace_instances)();
	guard(trace_events)();
	if (action == MODULE_STATE_COMING)
		module_events_add(data);
	else
		trace_event_evals_drop(data);
	return NOTIFY_OK;
}

/*
 * The order among the notifiers of modules matters. The priority puts this one before that of
 * tracepoints (priority 0), which complains about probes that are left in a module that is
 * unloaded. The notifier of jump labels has the same priority, and must have seen a module
 * that comes before this one publishes its events: a static key that is switched on before
 * its module's jump labels are known does not patch them. Of two notifiers of one priority
 * the one that was registered first is called first, and jump labels register at
 * early_initcall.
 */
static struct notifier_block module_events_nb = {
	.notifier_call	= module_events_notify,
	.priority	= 1,
};

/**
 * trace_event_modules_init - give modules their events from now on
 *
 * Context: an initcall behind early_initcall() and before the first module, without our
 * locks: the lock of the chain is held when it calls us.
 * Return: 0, or the errno of register_module_notifier().
 */
int __init trace_event_modules_init(void)
{
	return register_module_notifier(&module_events_nb);
}
