// SPDX-License-Identifier: GPL-2.0
/*
 * Events at boot: puts the layers inside events/ together, registers the events of the kernel
 * and switches on those that the command line names. There are no files and no second CPU yet.
 */
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/string.h>

#include <asm/setup.h>

#include "events/filter/filter.h"
#include "events/hist/hist.h"
#include "events/internal.h"
#include "events/synth/synth.h"
#include "events/syscalls/syscalls.h"
#include "events/trigger/trigger.h"

/* Collected by the linker: the kernel's events, and the maps for their formats. */
extern struct trace_event_call *__start_ftrace_events[];
extern struct trace_event_call *__stop_ftrace_events[];
extern struct trace_eval_map *__start_ftrace_eval_maps[];
extern struct trace_eval_map *__stop_ftrace_eval_maps[];

static char boot_events[COMMAND_LINE_SIZE] __initdata;

/* May stand on the command line more than once. */
static int __init boot_events_setup(char *text)
{
	if (!trace_words_append(boot_events, sizeof(boot_events), text))
		pr_warn("tracing: no room for trace_event=%s\n", text);
	return 1;
}
__setup("trace_event=", boot_events_setup);

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

static void __init boot_events_register(void)
{
	struct trace_event_evals evals = {
		.maps = __start_ftrace_eval_maps,
		.nr = __stop_ftrace_eval_maps - __start_ftrace_eval_maps,
	};
	struct trace_array *tr = trace_top_instance();
	struct trace_event_call **call;

	guard(trace_instances)();
	guard(trace_events)();
	trace_output_set_fields(&trace_event_fields_ops);
	trace_event_dirs_init();
	trace_event_filters_init();
	trace_triggers_init();
	trace_synth_init();
	trace_hists_init();
	trace_event_inject_init();
	trace_event_syscalls_init();
	for (call = __start_ftrace_events; call < __stop_ftrace_events; call++)
		trace_event_call_add_of(*call, NULL, &evals, false);
	trace_event_evals_keep(NULL, &evals);
	trace_events_console_init();
	trace_event_actions_init();
	if (tr && trace_events_of(tr))
		boot_events_enable(tr, boot_events);
}

/**
 * trace_events_init_early - register the kernel's events
 *
 * Context: trace_init(), once: one CPU, memory allocation works, no files yet.
 */
void __init trace_events_init_early(void)
{
	/* This takes a lock that comes before ours. */
	trace_event_kinds_init();
	boot_events_register();
	trace_triggers_boot(false);
}

/**
 * trace_events_boot_enable - switch on events of an instance of the command line
 * @tr: the instance
 * @events: words as of set_event, separated by commas; the text is changed
 *
 * Context: trace_init(), after trace_events_init_early(); takes
 * trace_instances_lock() and the events mutex.
 */
void __init trace_events_boot_enable(struct trace_array *tr, char *events)
{
	guard(trace_instances)();
	guard(trace_events)();
	if (trace_events_of(tr))
		boot_events_enable(tr, events);
}

/*
 * Unregister the probes of the events of an instance that are on and whose tracepoints have a
 * regfunc(), or register those again that this has unregistered.
 */
static void __init boot_events_register_again(struct trace_array *tr, bool on)
{
	struct trace_event_state *state;

	list_for_each_entry(state, &trace_events_of(tr)->files, file.list) {
		if (!trace_event_call_has_regfunc(state->file.event_call) ||
		    !(on ? state->again : state->file.flags & EVENT_FILE_FL_ENABLED))
			continue;
		state->again = !on;
		trace_event_file_register_again(&state->file, on);
	}
}

/*
 * The tracepoints of system calls set a flag in every task when the first of them is
 * switched on. Events that the command line switches on have set it before there was a task,
 * whether the user wants them or a trigger may switch them. Their probes are taken out and put
 * in again: first all of them out, in all instances, as the flag is set only where none of them
 * is in.
 */
static int __init boot_events_again(void)
{
	struct trace_array *tr;

	scoped_guard(trace_instances) {
		guard(trace_events)();
		for (int on = 0; on < 2; on++) {
			for_each_trace_array(tr) {
				if (trace_events_of(tr))
					boot_events_register_again(tr, on);
			}
		}
	}
	trace_triggers_boot(true);
	return 0;
}
early_initcall(boot_events_again);
