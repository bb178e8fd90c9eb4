/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Synthetic events: users say which fields an event has, and a histogram's trace(), or code of
 * the kernel, says when one is recorded and with which values.
 *
 *	guard(trace_events)();
 *	event = trace_synth_event_find("wakeup_latency");
 *	if (!event)
 *		return -EINVAL;
 *	ret = trace_event_call_keep(trace_synth_event_call(event));
 *
 * An event that is kept cannot be removed; trace_event_call_unkeep() under the events mutex ends
 * that. In between, on each hit:
 *
 *	if (trace_synth_event_is_on(event))
 *		trace_synth_record(event, vals);
 *
 * Each field takes a value of 64 bits. It is a number, of which the field takes as many bytes
 * as it has, or the address of what is copied: of a string with its NUL, or of addresses of code
 * behind the last of which is a 0, unless there are TRACE_SYNTH_STACK_MAX of them.
 */
#ifndef _TRACE_EVENTS_SYNTH_H
#define _TRACE_EVENTS_SYNTH_H

#include <linux/types.h>

struct trace_event_call;
struct trace_synth_event;

#define TRACE_SYNTH_SYSTEM	"synthetic"
#define TRACE_SYNTH_FIELDS_MAX	64
/* The longest char[N]; what is longer in a char[] is cut, too. */
#define TRACE_SYNTH_STRING_MAX	256
#define TRACE_SYNTH_TEXT_MAX	1024
#define TRACE_SYNTH_STACK_MAX	64

/* Kinds of values of a field. */
enum trace_synth_value {
	TRACE_SYNTH_NUMBER,
	TRACE_SYNTH_STRING,
	TRACE_SYNTH_STACK,
};

/**
 * struct trace_synth_field - a field of a synthetic event
 * @name:	its name
 * @type:	its type as users see it: "u64", "char[16]", "char[]", "unsigned long[]"
 * @shown:	its type in the format file, with "__data_loc" if @is_dynamic
 * @fmt:	how printf() prints it
 * @value:	what the value is
 * @is_dynamic:	the record has a location word, and the data behind its fixed part
 * @is_signed:	as the format file says
 * @size:	bytes in the fixed part of the record
 * @offset:	from the start of the record
 */
struct trace_synth_field {
	const char		*name;
	const char		*type;
	const char		*shown;
	const char		*fmt;
	enum trace_synth_value	value;
	bool			is_dynamic;
	bool			is_signed;
	unsigned int		size;
	unsigned int		offset;
};

/* event.c; the events mutex is held, or the event is kept. */
struct trace_synth_event *trace_synth_event_find(const char *name);
struct trace_event_call *trace_synth_event_call(struct trace_synth_event *event);
unsigned int trace_synth_event_fields(const struct trace_synth_event *event);
const struct trace_synth_field *
trace_synth_event_field(const struct trace_synth_event *event, unsigned int i);

/* record.c; the event is kept. */
bool trace_synth_event_is_on(const struct trace_synth_event *event);
void trace_synth_record(struct trace_synth_event *event, const u64 *vals);

/* synth_file.c: boot.c calls it */
#ifdef CONFIG_SYNTH_EVENTS
void trace_synth_init(void);
#else
static inline void trace_synth_init(void) { }
#endif

#endif /* _TRACE_EVENTS_SYNTH_H */
