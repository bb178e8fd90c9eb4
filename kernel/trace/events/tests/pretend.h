/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An event as a layer above events/ will make it at run time, from public headers: it has its
 * own fields, it can be kept, and it is removed if nobody uses it.
 */
#ifndef _TRACE_EVENTS_TESTS_PRETEND_H
#define _TRACE_EVENTS_TESTS_PRETEND_H

#include <kunit/test.h>
#include <linux/trace_events.h>

#include "events/calls.h"
#include "events/file.h"
#include "instance/instance.h"

#define PRETENDED_TEXT	32

struct pretended_record {
	struct trace_entry	ent;
	s32			num;
	u32			text;		/* __data_loc char[] */
	char			data[];
};

struct pretended {
	struct trace_event_class	class;
	struct trace_event_call		call;
	struct list_head		fields;
	unsigned int			on;		/* instances that have it on */
	int				init_error;	/* result of raw_init() */
};

void pretend(struct pretended *p, const char *system, const char *name);
int pretend_add(struct pretended *p);
int pretend_remove(struct pretended *p);
bool pretended_goes(struct trace_event_call *call, void *data);
struct pretended *pretend_added(struct kunit *test, const char *system, const char *name);
struct trace_event_file *pretended_file(struct trace_array *tr, struct pretended *p);
int pretended_switch(struct pretended *p, bool on);
bool pretended_hit(struct trace_event_file *file, int num, size_t size);
unsigned long pretended_records(struct trace_array *tr);

#endif /* _TRACE_EVENTS_TESTS_PRETEND_H */
