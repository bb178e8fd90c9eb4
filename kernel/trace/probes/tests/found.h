/* SPDX-License-Identifier: GPL-2.0 */
/* For the tests of probes: run lines of dynamic_events, and find what the probes record. */
#ifndef _TRACE_PROBES_TESTS_FOUND_H
#define _TRACE_PROBES_TESTS_FOUND_H

#include <kunit/test.h>
#include <linux/trace_events.h>

#include "probes/hit.h"

#define FOUND_RECORD	256

struct found {
	unsigned int	nr;			/* of records */
	union {
		struct trace_entry	head;
		u8			record[FOUND_RECORD];	/* the last one */
	};
};

int found_run(const char *line);
int found_switch(struct trace_array *tr, const char *event, bool on);
struct trace_event_call *found_call(const char *event);
struct trace_probe *found_probe(struct kunit *test, const char *event);
struct found *found_records(struct kunit *test, struct trace_array *tr, const char *event);
void found_are_equal(struct kunit *test, const struct found *found, const struct found *other);
u64 found_value(struct kunit *test, const struct found *found, const char *event,
		const char *field);
const char *found_text(struct kunit *test, const struct found *found, const char *event,
		       const char *field);
char *found_line(struct kunit *test, const char *event);
unsigned long found_missed(struct trace_probe *probe, enum trace_probe_miss why);
struct trace_array *found_instance(struct kunit *test);
int found_clear(void);

#endif /* _TRACE_PROBES_TESTS_FOUND_H */
