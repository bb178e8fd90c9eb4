/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lib/spread.h: log-linear buckets of numbers, of which percentiles are told. A number below 32
 * has a bucket of its own, and from there on, the numbers from one power of two to the next have
 * TRACE_SPREAD_BUCKETS of the same width. So a bucket is no wider than a sixteenth of its lowest
 * number, and its middle is off from each of its numbers by a 32nd of the number at most.
 *
 * Buckets come in groups, the first of numbers below 16, the second of those below 32, and so on.
 * With a sign, groups of negative numbers stand before these, so that the order of the groups,
 * and of the buckets in a group, is the order of the numbers.
 */
#ifndef _TRACE_LIB_SPREAD_H
#define _TRACE_LIB_SPREAD_H

#include <linux/bitops.h>
#include <linux/types.h>

#define TRACE_SPREAD_SHIFT	4
#define TRACE_SPREAD_BUCKETS	16	/* of a group */
#define TRACE_SPREAD_GROUPS	61	/* of numbers without a sign; twice as many with one */

/* 0 to TRACE_SPREAD_GROUPS - 1 */
static inline unsigned int trace_spread_group(u64 number)
{
	return fls64(number >> TRACE_SPREAD_SHIFT);
}

static inline unsigned int trace_spread_bucket(u64 number, unsigned int group)
{
	return (number >> (group - !!group)) % TRACE_SPREAD_BUCKETS;
}

/* The bucket of a number; *@group is its group. */
static inline unsigned int trace_spread_find(u64 number, bool is_signed, unsigned int *group)
{
	bool negative = is_signed && (s64)number < 0;
	unsigned int bucket;

	if (negative)
		number = ~number;
	*group = trace_spread_group(number);
	bucket = trace_spread_bucket(number, *group);
	if (negative) {
		*group = TRACE_SPREAD_GROUPS - 1 - *group;
		return TRACE_SPREAD_BUCKETS - 1 - bucket;
	}
	*group += is_signed ? TRACE_SPREAD_GROUPS : 0;
	return bucket;
}

/* The middle of a bucket. */
static inline u64 trace_spread_middle(unsigned int group, unsigned int bucket, bool is_signed)
{
	bool negative = is_signed && group < TRACE_SPREAD_GROUPS;
	unsigned int shift;
	u64 number;

	if (negative) {
		group = TRACE_SPREAD_GROUPS - 1 - group;
		bucket = TRACE_SPREAD_BUCKETS - 1 - bucket;
	} else if (is_signed) {
		group -= TRACE_SPREAD_GROUPS;
	}
	shift = group - !!group;
	number = (u64)(bucket + (group ? TRACE_SPREAD_BUCKETS : 0)) << shift;
	number += BIT_ULL(shift) >> 1;
	return negative ? ~number : number;
}

#endif /* _TRACE_LIB_SPREAD_H */
