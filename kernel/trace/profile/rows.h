/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile/ inside: the counters become rows to be shown: the records of one function are added
 * up, and distributions become a few figures.
 */
#ifndef _TRACE_PROFILE_ROWS_H
#define _TRACE_PROFILE_ROWS_H

#include "profile/store.h"

/* The percentiles of a row. */
enum {
	PROFILE_P50,
	PROFILE_P90,
	PROFILE_P99,
	PROFILE_PERCENTILES
};

/**
 * struct profile_row - a function
 * @ip: its address
 * @hits: calls that have begun
 * @calls: those of them that have returned; all that follows is about these
 * @time: as the options want it
 * @variance: of @time, in thousands of square nanoseconds
 * @total: from entry to return
 * @self: see struct profile_times
 * @slept: the same
 * @interrupted: the same
 * @longest: the same
 * @percentiles: of the time from entry to return
 */
struct profile_row {
	unsigned long	ip;
	u64		hits;
	u64		calls;
	u64		time;
	u64		variance;
	u64		total;
	u64		self;
	u64		slept;
	u64		interrupted;
	u64		longest;
	u64		percentiles[PROFILE_PERCENTILES];
};

/* The rows of a file, in order. */
struct profile_rows {
	size_t			nr;
	struct profile_row	rows[] __counted_by(nr);
};

#define PROFILE_ALL_CPUS	(-1)

struct profile_rows *trace_profile_rows_alloc(const struct profile_store *store, int cpu,
					      int (*compare)(const void *a, const void *b));
void trace_profile_rows_free(struct profile_rows *rows);

/* For tests. */
u64 trace_profile_class_longest(unsigned int class);
u64 trace_profile_percentile(const u64 *classes, unsigned int percent, u64 longest);
u64 trace_profile_variance(u64 calls, u64 time, u64 square_high, u64 square_low);

#endif /* _TRACE_PROFILE_ROWS_H */
