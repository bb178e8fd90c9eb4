/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The short way of records of events, by record/quick.h: which events may take it. It is inlined
 * into what records events (record.c) and hits of probes, and into nothing else.
 */
#ifndef _TRACE_EVENTS_QUICK_H
#define _TRACE_EVENTS_QUICK_H

#include <linux/trace_events.h>

#include "instance/option.h"
#include "record/export.h"
#include "record/quick.h"

DECLARE_STATIC_KEY_FALSE(trace_events_console_key);

/* The preempt_disable() that the record of an event leaves out: its caller's, and its own. */
#define TRACE_EVENT_HELD	(IS_ENABLED(CONFIG_PREEMPTION) + PREEMPT_DISABLE_OFFSET)

/**
 * trace_event_is_special - must each record of an event be looked at?
 * @file: the event of an instance
 * @more: flags that the caller looks at as well, or 0
 *
 * Context: any, preemption disabled.
 * Return: true if a filter, a trigger, a list of pids, a stack, the console or an export wants it.
 */
static __always_inline bool trace_event_is_special(struct trace_event_file *file,
						   unsigned long more)
{
	return unlikely(file->flags & (more | EVENT_FILE_FL_PID_FILTER | EVENT_FILE_FL_FILTERED |
				       EVENT_FILE_FL_TRIGGER_COND |
				       EVENT_FILE_FL_SOFT_DISABLED)) ||
	       /* data_race: trace_option() would take an instruction more, and promise the same. */
	       unlikely(data_race(file->tr->options) &
			(TRACE_OPT_STACKTRACE | TRACE_OPT_USERSTACKTRACE)) ||
	       static_branch_unlikely(&trace_export_event_key);
}

#endif /* _TRACE_EVENTS_QUICK_H */
