// SPDX-License-Identifier: GPL-2.0
/*
 * events/ftrace/: the formats of the records that the tracing core and its
 * tracers write themselves (see instance/instance.h), so that user space can
 * decode them. They are not events: they cannot be switched on here.
 *
 * Field names, types and print formats are interface.
 */
#include <linux/init.h>

#include "events/internal.h"

#define FIELD(_struct, _type, _name, _member) {				\
	.type = #_type, .name = #_name,					\
	.size = sizeof_field(_struct, _member),				\
	.align = __alignof__(((_struct *)0)->_member),			\
	.is_signed = is_signed_type(_type), .filter_type = FILTER_OTHER }

/* An array that ends the record. */
#define TAIL(_type, _name) {						\
	.type = #_type "[]", .name = #_name, .size = 0,			\
	.align = __alignof__(_type),					\
	.is_signed = is_signed_type(_type), .filter_type = FILTER_OTHER }

#define ARRAY(_type, _name, _len) {					\
	.type = #_type "[" __stringify(_len) "]", .name = #_name,	\
	.size = sizeof(_type) * (_len), .align = __alignof__(_type),	\
	.is_signed = is_signed_type(_type), .filter_type = FILTER_OTHER, \
	.len = _len }

#define BUILTIN(_name, _type, _print, _fields...)			\
static struct trace_event_fields fields_##_name[] = { _fields, { } };	\
static struct trace_event_class class_##_name = {			\
	.system		= "ftrace",					\
	.fields_array	= fields_##_name,				\
	.fields		= LIST_HEAD_INIT(class_##_name.fields),		\
};									\
static struct trace_event_call call_##_name = {				\
	.class		= &class_##_name,				\
	.name		= #_name,					\
	.event.type	= _type,					\
	.print_fmt	= _print,					\
	.flags		= TRACE_EVENT_FL_IGNORE_ENABLE,			\
}

/* User space is told of eight callers; "size" says how many there are. */
#define STACK_PRINT(args)						\
	"\"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" "			\
	"\"\\t=> %ps\\n\\t=> %ps\\n\\t=> %ps\\n\" "			\
	"\"\\t=> %ps\\n\\t=> %ps\\n\", " args
#define CALLERS(c)	c(0) ", " c(1) ", " c(2) ", " c(3) ", " c(4) ", " \
			c(5) ", " c(6) ", " c(7)
#define CALLER(n)	"(void *)REC->caller[" #n "]"

static_assert(offsetof(struct trace_stack_entry, caller) == 16 || BITS_PER_LONG == 32);
static_assert(TRACE_USER_STACK_DEPTH == 8);

BUILTIN(function, TRACE_FN,
	"\" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip",
	FIELD(struct trace_function_entry, unsigned long, ip, ip),
	FIELD(struct trace_function_entry, unsigned long, parent_ip, parent_ip));

BUILTIN(kernel_stack, TRACE_STACK, STACK_PRINT(CALLERS(CALLER)),
	FIELD(struct trace_stack_entry, int, size, size),
	ARRAY(unsigned long, caller, 8));

BUILTIN(user_stack, TRACE_USER_STACK, STACK_PRINT(CALLERS(CALLER)),
	FIELD(struct trace_userstack_entry, unsigned int, tgid, tgid),
	ARRAY(unsigned long, caller, 8));

BUILTIN(bprint, TRACE_BPRINT, "\"%ps: %s\", (void *)REC->ip, REC->fmt",
	FIELD(struct trace_bprint_entry, unsigned long, ip, ip),
	FIELD(struct trace_bprint_entry, const char *, fmt, fmt),
	TAIL(u32, buf));

BUILTIN(print, TRACE_PRINT, "\"%ps: %s\", (void *)REC->ip, REC->buf",
	FIELD(struct trace_print_entry, unsigned long, ip, ip),
	TAIL(char, buf));

BUILTIN(raw_data, TRACE_RAW_DATA, "\"id:%04x %08x\", REC->id, (int)REC->buf[0]",
	FIELD(struct trace_raw_data_entry, unsigned int, id, id),
	TAIL(char, buf));

BUILTIN(bputs, TRACE_BPUTS, "\"%ps: %s\", (void *)REC->ip, REC->str",
	FIELD(struct trace_bputs_entry, unsigned long, ip, ip),
	FIELD(struct trace_bputs_entry, const char *, str, str));

#define REPEATS_DELTA	"(((u64)(REC)->top_delta_ts << 32) | (REC)->bottom_delta_ts)"
#define REPEATS_ARGS	"(void *)REC->ip, (void *)REC->parent_ip, REC->count, " REPEATS_DELTA

BUILTIN(func_repeats, TRACE_FUNC_REPEATS,
	"\" %ps <-%ps\\t(repeats:%u  delta: -%llu)\", " REPEATS_ARGS,
	FIELD(struct trace_func_repeats_entry, unsigned long, ip, ip),
	FIELD(struct trace_func_repeats_entry, unsigned long, parent_ip, parent_ip),
	FIELD(struct trace_func_repeats_entry, u16, count, count),
	FIELD(struct trace_func_repeats_entry, u16, top_delta_ts, top_delta_ts),
	FIELD(struct trace_func_repeats_entry, u32, bottom_delta_ts, bottom_delta_ts));

static struct trace_event_call * const builtin_calls[] = {
	&call_function, &call_kernel_stack, &call_user_stack, &call_bprint, &call_print,
	&call_raw_data, &call_bputs, &call_func_repeats,
};

/* The format of a record type, NULL: there is none. Any context. */
struct trace_event_call *trace_event_builtin(int type)
{
	for (int i = 0; i < ARRAY_SIZE(builtin_calls); i++)
		if (builtin_calls[i]->event.type == type)
			return builtin_calls[i];
	return NULL;
}

/* At boot, before the kernel's events are registered. */
void __init trace_event_builtin_init(void)
{
	trace_events_assert_locked();

	for (int i = 0; i < ARRAY_SIZE(builtin_calls); i++) {
		if (!trace_event_fields_create(builtin_calls[i]))
			trace_event_call_publish(builtin_calls[i]);
	}
}
