// SPDX-License-Identifier: GPL-2.0
/*
 * Which events exist: those of the kernel (section _ftrace_events), of its
 * modules, and those that are added at run time. An event has a number, fields
 * and, in every instance, a trace_event_file, which instance.c makes.
 *
 * Switching events on is enable.c's work, recording record.c's.
 */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include <asm/setup.h>

#include "events/internal.h"

static char boot_events[COMMAND_LINE_SIZE] __initdata;

static int __init boot_events_setup(char *text)
{
	strscpy(boot_events, text, sizeof(boot_events));
	return 1;
}
__setup("trace_event=", boot_events_setup);

/**
 * trace_event_raw_init - give an event its number
 * @call: the event
 *
 * The raw_init() of the classes that <trace/trace_events.h> makes.
 * Return: 0, -ENODEV when no number is left.
 */
int trace_event_raw_init(struct trace_event_call *call)
{
	return register_trace_event(&call->event) ? 0 : -ENODEV;
}
EXPORT_SYMBOL_GPL(trace_event_raw_init);

/**
 * trace_event_reg - the reg() of events that are tracepoints
 * @call: the event
 * @type: what to do
 * @data: TRACE_REG_(UN)REGISTER: the trace_event_file whose records it becomes
 *
 * Task context. Return: 0 or the errno of the tracepoint.
 */
int trace_event_reg(struct trace_event_call *call, enum trace_reg type, void *data)
{
	struct trace_event_class *class = call->class;

	if (WARN_ON_ONCE(!(call->flags & TRACE_EVENT_FL_TRACEPOINT)))
		return -EINVAL;

	switch (type) {
	case TRACE_REG_REGISTER:
		return tracepoint_probe_register(call->tp, class->probe, data);
	case TRACE_REG_UNREGISTER:
		return tracepoint_probe_unregister(call->tp, class->probe, data);
#ifdef CONFIG_PERF_EVENTS
	case TRACE_REG_PERF_REGISTER:
		return tracepoint_probe_register(call->tp, class->perf_probe, call);
	case TRACE_REG_PERF_UNREGISTER:
		return tracepoint_probe_unregister(call->tp, class->perf_probe, call);
	case TRACE_REG_PERF_OPEN:
	case TRACE_REG_PERF_CLOSE:
	case TRACE_REG_PERF_ADD:
	case TRACE_REG_PERF_DEL:
		return 0;
#endif
	}
	return 0;
}
EXPORT_SYMBOL_GPL(trace_event_reg);

static void locks_assert(void)
{
	trace_instances_assert_locked();
	trace_events_assert_locked();
}

/* Put an event on the list, and into all instances. */
void trace_event_call_publish(struct trace_event_call *call)
{
	struct trace_array *tr;

	locks_assert();

	list_add_tail(&call->list, trace_event_calls());
	for_each_trace_array(tr)
		if (trace_event_file_create(tr, call))
			pr_warn("trace events: no memory for %s\n", trace_event_name(call));
}

static int call_add(struct trace_event_call *call, struct module *mod,
		    struct trace_event_evals *evals)
{
	int ret;

	locks_assert();

	if (WARN_ON(!call->class || !trace_event_name(call)))
		return -EINVAL;
	ret = trace_event_fields_create(call);
	if (!ret && call->class->raw_init)
		ret = call->class->raw_init(call);
	if (ret) {
		pr_warn("trace events: could not initialize %s\n", trace_event_name(call));
		return ret;
	}
	if (!(call->flags & TRACE_EVENT_FL_DYNAMIC))
		call->module = mod;
	if (evals)
		trace_event_evals_apply(call, evals);
	trace_event_find_pointers(call);
	trace_event_call_publish(call);
	return 0;
}

/* Nobody uses the event any more, no instance has it switched on. */
static void call_remove(struct trace_event_call *call)
{
	locks_assert();

	trace_event_files_remove(call);
	if (call->event.funcs)
		unregister_trace_event(&call->event);
	list_del(&call->list);
	trace_event_fields_destroy(call);
	trace_event_evals_forget(call);
}

/**
 * trace_add_event_call - make an event visible that was built at run time
 * @call: the event, with class, name and functions
 *
 * Task context. Return: 0, -ENODEV (no number left), -ENOMEM.
 */
int trace_add_event_call(struct trace_event_call *call)
{
	guard(trace_instances)();
	guard(trace_events)();
	return call_add(call, NULL, NULL);
}
EXPORT_SYMBOL_GPL(trace_add_event_call);

static bool call_busy(struct trace_event_call *call)
{
	struct trace_event_file *file;
	struct trace_array *tr;

#ifdef CONFIG_PERF_EVENTS
	if (call->perf_refcount)
		return true;
#endif
	for_each_trace_array(tr)
		list_for_each_entry(file, &trace_events_of(tr)->files, list)
			if (file->event_call == call && (file->flags & EVENT_FILE_FL_ENABLED))
				return true;
	return false;
}

/**
 * trace_remove_event_call - take back trace_add_event_call()
 * @call: the event
 *
 * Task context. When it returns 0, no probe of the event runs any more and
 * its memory may be freed. Return: 0, -EBUSY: it is switched on somewhere.
 */
int trace_remove_event_call(struct trace_event_call *call)
{
	guard(trace_instances)();
	guard(trace_events)();
	if (call_busy(call))
		return -EBUSY;
	call_remove(call);
	return 0;
}
EXPORT_SYMBOL_GPL(trace_remove_event_call);

#ifdef CONFIG_MODULES
static void module_add(struct module *mod)
{
	struct trace_event_evals evals = {
		.maps = mod->trace_evals,
		.nr = mod->num_trace_evals,
	};

	if (!mod->num_trace_events)
		return;
	/* Such a module's structures may not have the layout of this kernel. */
	if (trace_module_has_bad_taint(mod)) {
		pr_err("%s: module has bad taint, not creating trace events\n", mod->name);
		return;
	}
	for (unsigned int i = 0; i < mod->num_trace_events; i++)
		call_add(mod->trace_events[i], mod, &evals);
}

/*
 * Records of the module's events stay in the buffers, but their numbers may be
 * given to other events and their formats go: such buffers are emptied.
 */
static bool module_used_in(struct trace_array *tr, struct module *mod)
{
	struct trace_event_file *file;

	list_for_each_entry(file, &trace_events_of(tr)->files, list) {
		struct trace_event_call *call = file->event_call;

		if (!(call->flags & TRACE_EVENT_FL_DYNAMIC) && call->module == mod &&
		    (file->flags & EVENT_FILE_FL_WAS_ENABLED))
			return true;
	}
	return false;
}

static void module_remove(struct module *mod)
{
	struct trace_event_call *call, *next;
	struct trace_array *tr;

	for_each_trace_array(tr)
		if (module_used_in(tr, mod))
			trace_array_reset(tr);
	list_for_each_entry_safe(call, next, trace_event_calls(), list)
		if (!(call->flags & TRACE_EVENT_FL_DYNAMIC) && call->module == mod)
			call_remove(call);
}

static int module_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	struct module *mod = data;

	if (action != MODULE_STATE_COMING && action != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	guard(trace_instances)();
	guard(trace_events)();
	if (action == MODULE_STATE_COMING)
		module_add(mod);
	else
		module_remove(mod);
	return NOTIFY_OK;
}

/*
 * Before the tracepoints' own notifier (priority 0), which complains about
 * probes that are left in a module that goes. ftrace's sites do not use a
 * notifier at load time and come first in any case.
 */
static struct notifier_block module_nb = {
	.notifier_call	= module_notify,
	.priority	= 1,
};

static void __init modules_init(void)
{
	if (register_module_notifier(&module_nb))
		pr_warn("trace events: modules will have none\n");
}
#else
static inline void modules_init(void) { }
#endif

static void __init boot_events_enable(struct trace_array *tr, char *rest)
{
	char *word, text[TRACE_EVENTS_WORD_MAX + 1];

	while ((word = strsep(&rest, ","))) {
		if (!*word)
			continue;
		/* Parsing changes the text. */
		if (strscpy(text, word) < 0 || trace_events_parse(tr, text, true))
			pr_warn("Failed to enable trace event: %s\n", word);
	}
}

/**
 * trace_events_init_early - register the kernel's events
 *
 * From trace_init(): one CPU, memory allocation works, no files yet.
 */
void __init trace_events_init_early(void)
{
	struct trace_event_evals evals = {
		.maps = __start_ftrace_eval_maps,
		.nr = __stop_ftrace_eval_maps - __start_ftrace_eval_maps,
	};
	struct trace_array *tr = trace_top_instance();
	struct trace_event_call **call;

	/* The notifier chain's lock is taken before ours when it calls us. */
	modules_init();
	trace_event_kinds_init();

	guard(trace_instances)();
	guard(trace_events)();
	trace_output_set_fields(&trace_event_fields_ops);
	for (call = __start_ftrace_events; call < __stop_ftrace_events; call++)
		call_add(*call, NULL, &evals);
	trace_events_console_init();
	trace_event_actions_init();
	if (tr && trace_events_of(tr))
		boot_events_enable(tr, boot_events);
}

/**
 * trace_events_boot_enable - switch on events of an instance of the command line
 * @tr: the instance
 * @events: words as of set_event, separated by commas; the text is changed
 *
 * From trace_init(), after trace_events_init_early(); takes
 * trace_instances_lock().
 */
void __init trace_events_boot_enable(struct trace_array *tr, char *events)
{
	guard(trace_instances)();
	guard(trace_events)();
	if (trace_events_of(tr))
		boot_events_enable(tr, events);
}

/*
 * A tracepoint with a function to prepare tasks (system calls) was switched on
 * by trace_event= or trace_instance= before the first task existed: prepare again.
 */
static void __init prepare_again(struct trace_array *tr)
{
	struct trace_event_file *file;

	list_for_each_entry(file, &trace_events_of(tr)->files, list) {
		struct trace_event_call *call = file->event_call;

		if (!(file->flags & EVENT_FILE_FL_ENABLED) ||
		    !(call->flags & TRACE_EVENT_FL_TRACEPOINT) || !call->tp->regfunc)
			continue;
		trace_event_file_switch(file, false);
		trace_event_file_switch(file, true);
	}
}

static int __init boot_events_again(void)
{
	struct trace_array *tr;

	guard(trace_instances)();
	guard(trace_events)();
	for_each_trace_array(tr) {
		if (trace_events_of(tr))
			prepare_again(tr);
	}
	return 0;
}
early_initcall(boot_events_again);
