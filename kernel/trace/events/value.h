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

#include <linux/bits.h>
#include <linux/kconfig.h>
#include <linux/types.h>
#include <linux/unaligned.h>

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

/**
 * struct trace_value_place - where a record has a number, for trace_value_load()
 * @offset:	of the eight bytes at whose lower end the number is
 * @mask:	its bits
 * @sign:	the highest one of these, if it has a sign; 0
 */
struct trace_value_place {
	unsigned int	offset;
	u64		mask;
	u64		sign;
};

/* Loading a number of a record may read so many bytes behind the record. */
#define TRACE_VALUE_SLACK	sizeof(u64)

/* @offset + @size is 8 at least. */
static inline void trace_value_place_set(struct trace_value_place *place, unsigned int offset,
					 unsigned int size, bool is_signed)
{
	unsigned int top = size * BITS_PER_BYTE - 1;

	place->offset = IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? offset + size - sizeof(u64) : offset;
	place->mask = GENMASK_ULL(top, 0);
	place->sign = is_signed ? BIT_ULL(top) : 0;
}

/* The number plus @sign of its place. */
static __always_inline u64 trace_value_load_raised(const struct trace_value_place *place,
						   const void *record)
{
	return (get_unaligned((const u64 *)(record + place->offset)) & place->mask) ^ place->sign;
}

/* trace_value_number_at() without a branch. */
static __always_inline u64 trace_value_load(const struct trace_value_place *place,
					    const void *record)
{
	return trace_value_load_raised(place, record) - place->sign;
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
