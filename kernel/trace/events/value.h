/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of the fields of a record: numbers, strings, bytes, and elements of arrays. Filters
 * compare them; keys, variables, arguments of probes and records that are injected are made of
 * them.
 *
 * A record is one that a probe has filled in, in the ring buffer or outside of it. It is trusted:
 * its location words point into it. Nothing here takes a lock or faults, so any context will do,
 * with preemption off where a value is one of this CPU.
 */
#ifndef _TRACE_EVENTS_VALUE_H
#define _TRACE_EVENTS_VALUE_H

#include <linux/types.h>

#include "events/field.h"

/* A number of 1, 2, 4 or 8 bytes, extended with its sign if it has one. */
static inline u64 trace_value_number_at(const void *p, unsigned int size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? (s64)*(s8 *)p : *(u8 *)p;
	case 2:
		return is_signed ? (s64)*(s16 *)p : *(u16 *)p;
	case 4:
		return is_signed ? (s64)*(s32 *)p : *(u32 *)p;
	default:
		return *(u64 *)p;
	}
}

/*
 * The data that a location word points to, and its length. @base: the record for __data_loc;
 * what follows the word for __rel_loc.
 */
static inline const void *trace_value_located(const void *base, const void *word,
					      unsigned int *len)
{
	u32 loc = *(const u32 *)word;

	*len = loc >> 16;
	return base + (loc & 0xffff);
}

long trace_value_copy_string(char *to, size_t size, const void *from, bool user);

bool trace_event_value_number(const struct trace_event_field *f, const void *record, u64 *val);
const void *trace_event_value_bytes(const struct trace_event_field *f, const void *record,
				    unsigned int record_len, unsigned int *len);
long trace_event_value_string(const struct trace_event_field *f, const void *record,
			      char *to, size_t size, bool user);
unsigned int trace_event_value_elements(const struct trace_event_field *f, const void *record);
bool trace_event_value_element(const struct trace_event_field *f, const void *record,
			       unsigned int i, u64 *val);

#endif /* _TRACE_EVENTS_VALUE_H */
