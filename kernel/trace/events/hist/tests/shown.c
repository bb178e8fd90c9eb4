// SPDX-License-Identifier: GPL-2.0
/*
 * For tests of histograms: the texts of the files "hist" and "trigger" of an event.
 */
#include <linux/seq_file.h>
#include <linux/string.h>

#include "events/calls.h"
#include "events/hist/internal.h"
#include "events/hist/poll.h"
#include "events/hist/tests/shown.h"

/* Fill @text, of @size bytes, with what "hist" shows. Returns @text; it is empty on an error. */
const char *shown_hist(struct trace_event_file *file, char *text, size_t size)
{
	struct hist_open_file open = { .file = file };
	struct seq_file m = { .buf = text, .size = size - 1 };

	memset(text, 0, size);
	if (trace_hist_file_begin(&open))
		return text;
	for (loff_t part = 0; trace_hist_file_show(&m, &open, part); part++)
		;
	trace_hist_file_end(&open);
	return text;
}

/* Fill @text, of @size bytes, with what "trigger" shows. Returns @text. */
const char *shown_triggers(struct trace_event_file *file, char *text, size_t size)
{
	struct seq_file m = { .buf = text, .size = size - 1 };
	struct trace_trigger *trigger;

	memset(text, 0, size);
	guard(trace_events)();
	for_each_trace_trigger(trigger, file)
		trigger->command->show(&m, trigger);
	return text;
}
