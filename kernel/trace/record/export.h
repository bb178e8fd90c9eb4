/* SPDX-License-Identifier: GPL-2.0 */
/*
 * record/export.h: the writer of a record hands a copy to the modules that asked for its kind
 * with register_ftrace_export().
 */
#ifndef _TRACE_RECORD_EXPORT_H
#define _TRACE_RECORD_EXPORT_H

#include <linux/jump_label.h>
#include <linux/ring_buffer.h>
#include <linux/trace.h>

/*
 * On while a module asks for records of functions, of events, of markers. The key of events is on
 * as well while the console gets them.
 */
DECLARE_STATIC_KEY_FALSE(trace_export_function_key);
DECLARE_STATIC_KEY_FALSE(trace_export_event_key);
DECLARE_STATIC_KEY_FALSE(trace_export_marker_key);

void trace_export_record(struct ring_buffer_event *event, int flag);

/**
 * trace_export - hand out copies of a record, if anybody wants one
 * @event: the record, reserved and filled, not committed
 * @flag: one TRACE_EXPORT_*, a constant
 *
 * Context: any, with preemption off as it is behind a reservation.
 */
static __always_inline void trace_export(struct ring_buffer_event *event, int flag)
{
	if ((flag == TRACE_EXPORT_FUNCTION &&
	     static_branch_unlikely(&trace_export_function_key)) ||
	    (flag == TRACE_EXPORT_EVENT &&
	     static_branch_unlikely(&trace_export_event_key)) ||
	    (flag == TRACE_EXPORT_MARKER &&
	     static_branch_unlikely(&trace_export_marker_key)))
		trace_export_record(event, flag);
}

void trace_export_listen(void (*function_changed)(void));

#endif /* _TRACE_RECORD_EXPORT_H */
