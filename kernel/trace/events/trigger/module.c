// SPDX-License-Identifier: GPL-2.0
/*
 * A module that goes takes the triggers of its events along. They may have kept what others have:
 * a trigger "enable_event" the module of its target, a histogram the synthetic event that it
 * records. Users who unload the module expect that those can be removed next.
 */
#include <linux/bug.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/notifier.h>

#include "events/events.h"
#include "events/trigger/trigger.h"

static int module_triggers_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	if (action != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	trace_triggers_settle();
	return NOTIFY_OK;
}

/* The priority puts it behind that of events/module.c, which takes the triggers off. */
static struct notifier_block module_triggers_nb = {
	.notifier_call	= module_triggers_notify,
};

/**
 * trace_trigger_modules_init - be told of modules that go
 *
 * Context: an initcall before the first module, as trace_event_modules_init().
 */
void __init trace_trigger_modules_init(void)
{
	WARN_ON(register_module_notifier(&module_triggers_nb));
}
