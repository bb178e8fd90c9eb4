/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event that no code of the kernel raises, for the tests: its reg() only
 * notes what it was asked.
 */
#ifndef _TRACE_EVENTS_TESTS_FAKE_EVENT_H
#define _TRACE_EVENTS_TESTS_FAKE_EVENT_H

#include <kunit/test.h>

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

struct fake_event {
	struct trace_event_class	class;
	struct trace_event_call		call;
	unsigned int			on;	/* instances that have it on */
	int				error;	/* result of reg() */
	bool				early;	/* record once before reg() fails */
	bool				late;	/* record once more while the probe goes */
	struct trace_event_file		*file;	/* of the last reg() */
};

#define FAKE_FIELD(_type, _name) {					\
	.type = #_type, .name = #_name, .size = sizeof(_type),		\
	.align = __alignof__(_type), .is_signed = is_signed_type(_type) }

#define FAKE_FIELD_NUM	FAKE_FIELD(s32, num)

extern struct trace_event_fields fake_fields[];

struct fake_event *fake_add(struct kunit *test, const char *system, const char *name);
struct fake_event *fake_add_fields(struct kunit *test, const char *system, const char *name,
				   struct trace_event_fields *fields);
void fake_remove(void *fake);
bool fake_record(struct trace_event_file *file, int num);
struct trace_array *fake_instance(struct kunit *test);

#endif /* _TRACE_EVENTS_TESTS_FAKE_EVENT_H */
