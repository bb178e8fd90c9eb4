/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event that no code of the kernel raises, for the tests: its reg() only
 * notes what it was asked.
 */
#ifndef _TRACE_EVENTS_TESTS_FAKE_EVENT_H
#define _TRACE_EVENTS_TESTS_FAKE_EVENT_H

#include "events/internal.h"

struct fake_record {
	struct trace_entry	ent;
	char			name[16];
	u8			a, b, c, d;
	s32			num;
	u64			wide;
	unsigned long		ip;
	const char		*str;
	u32			loc;		/* __data_loc char[] */
	u32			rel;		/* __rel_loc char[] */
	u32			cpus;		/* __data_loc cpumask_t */
	char			data[];
};

#define FAKE_FIELD(_type, _name) {					\
	.type = #_type, .name = #_name, .size = sizeof(_type),		\
	.align = __alignof__(_type), .is_signed = is_signed_type(_type) }

#define FAKE_LOC(_type, _name) {					\
	.type = _type, .name = #_name, .size = 4, .align = 4 }

static struct trace_event_fields fake_fields[] = {
	{ .type = "char[TASK_COMM_LEN]", .name = "name", .size = 16, .align = 1, .len = 16 },
	FAKE_FIELD(u8, a),
	FAKE_FIELD(u8, b),
	FAKE_FIELD(u8, c),
	FAKE_FIELD(u8, d),
	FAKE_FIELD(s32, num),
	FAKE_FIELD(u64, wide),
	FAKE_FIELD(unsigned long, ip),
	FAKE_FIELD(const char *, str),
	FAKE_LOC("__data_loc char[]", loc),
	FAKE_LOC("__rel_loc char[]", rel),
	FAKE_LOC("__data_loc cpumask_t", cpus),
	{ }
};

#endif /* _TRACE_EVENTS_TESTS_FAKE_EVENT_H */
