// SPDX-License-Identifier: GPL-2.0
/*
 * Hits of ftrace:print: its triggers see each text that a task writes into trace_marker. The
 * event has no other users, and whether it is recorded is up to the option markers alone.
 */
#include "events/hit.h"
#include "events/internal.h"
#include "printk/printk.h"
#include "record/text.h"

/* The probe of the event in an instance. Preemption is off. Was the text recorded? */
bool trace_event_marker(void *data, const struct trace_marker_text *text)
{
	struct trace_event_file *file = data;
	struct trace_event_hit hit = {
		.file		= file,
		.record		= text->entry,
		.len		= offsetof(struct trace_print_entry, buf) + text->count + 1,
		.trace_ctx	= text->trace_ctx,
		.from		= text->from,
	};
	struct trace_event_afters afters;

	trace_event_triggers_hit(&hit, &afters);
	hit.recorded = trace_marker_record(file->tr, text);
	trace_event_triggers_after(&hit, &afters);
	return hit.recorded;
}
