// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers at boot: makes the commands and the files known, and carries out "trace_trigger=",
 * a list of
 *
 *	EVENT.COMMAND[:PARAMETERS][ if FILTER]
 *
 * with commas between them, for the events of the top instance.
 */
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/string.h>

#include <asm/setup.h>

#include "events/calls.h"
#include "events/file.h"
#include "events/trigger/internal.h"
#include "instance/instance.h"
#include "lib/lib.h"

static char boot_triggers[COMMAND_LINE_SIZE] __initdata;

/* May stand on the command line more than once. */
static int __init boot_triggers_setup(char *text)
{
	if (!trace_words_append(boot_triggers, sizeof(boot_triggers), text))
		pr_warn("tracing: no room for trace_trigger=%s\n", text);
	return 1;
}
__setup("trace_trigger=", boot_triggers_setup);

/* The next event of that name behind @file, NULL: the first one. */
static struct trace_event_file * __init boot_event_next(struct trace_array *tr,
							struct trace_event_file *file,
							const char *name)
{
	guard(trace_events)();
	file = list_prepare_entry(file, trace_event_files(tr), list);
	list_for_each_entry_continue(file, trace_event_files(tr), list) {
		if ((trace_event_usable(file->event_call) ||
		     file->event_call->event.type == TRACE_PRINT) &&
		    !strcmp(trace_event_name(file->event_call), name))
			return file;
	}
	return NULL;
}

static void __init boot_trigger_add(struct trace_array *tr, const char *name, const char *trigger,
				    bool late)
{
	struct trace_event_file *file = boot_event_next(tr, NULL, name);

	if (!file && !late)
		pr_warn("tracing: trace_trigger=: there is no event %s\n", name);
	for (; file; file = boot_event_next(tr, file, name)) {
		/* There are no tasks yet for a regfunc() when the others are added. */
		if (trace_event_call_has_regfunc(file->event_call) == late &&
		    trace_trigger_write(file, trigger))
			pr_warn("Failed to register trigger '%s' on event %s\n", trigger, name);
	}
}

/**
 * trace_triggers_boot - add the triggers of the command line
 * @late: those whose events need tasks; false: the others
 *
 * Context: boot, without locks.
 */
void __init trace_triggers_boot(bool late)
{
	static char text[COMMAND_LINE_SIZE] __initdata;
	struct trace_array *tr = trace_top_instance();
	char *rest = text, *word;

	strscpy(text, boot_triggers);
	while (tr && (word = strsep(&rest, ","))) {
		char *name = strsep(&word, ".");

		if (word)
			boot_trigger_add(tr, name, strim(word), late);
		else if (*name && !late)
			pr_warn("tracing: trace_trigger=%s names no trigger\n", name);
	}
}

/**
 * trace_triggers_init - give events the file "trigger", and the commands that it takes
 *
 * Context: boot, once; the events mutex is held.
 */
void __init trace_triggers_init(void)
{
	trace_trigger_files_init();
	trace_trigger_actions_init();
}
