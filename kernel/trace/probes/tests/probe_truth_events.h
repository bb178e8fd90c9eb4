/* SPDX-License-Identifier: GPL-2.0 */
/* The event of probe_truth.c. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM probe_truth

#if !defined(_PROBE_TRUTH_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _PROBE_TRUTH_EVENTS_H

#include <linux/string.h>
#include <linux/tracepoint.h>

#include "probes/tests/probe_truth.h"

TRACE_EVENT(probe_truth_call,

	TP_PROTO(struct probe_truth *data, unsigned long number, const char *text, s32 minus,
		 u8 letter, unsigned long user, unsigned long func, long pid),

	TP_ARGS(data, number, text, minus, letter, user, func, pid),

	TP_STRUCT__entry(
		__field(struct probe_truth *, data)
		__field(unsigned long, number)
		__field(const char *, text)
		__field(s32, minus)
		__field(u8, letter)
		__field(u16, half)
		__field(s8, small)
		__array(char, name, TRUTH_NAME)
		__array(u32, words, TRUTH_WORDS)
		__string(string, text)
		__dynamic_array(u32, more, TRUTH_WORDS)
	),

	TP_fast_assign(
		__entry->data = data;
		__entry->number = number;
		__entry->text = text;
		__entry->minus = minus;
		__entry->letter = letter;
		__entry->half = data->half;
		__entry->small = data->small;
		memcpy(__entry->name, data->name, TRUTH_NAME);
		memcpy(__entry->words, data->words, sizeof(data->words));
		__assign_str(string);
		memcpy(__get_dynamic_array(more), data->words, sizeof(data->words));
	),

	TP_printk("number=%lx string=%s", __entry->number, __get_str(string))
);

#endif /* _PROBE_TRUTH_EVENTS_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH probes/tests
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE probe_truth_events
#include <trace/define_trace.h>
