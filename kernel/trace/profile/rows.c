// SPDX-License-Identifier: GPL-2.0
/*
 * Make rows of the profiler's records, see rows.h.
 */
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sort.h>

#include "profile/rows.h"

/* A record, while those of a function are brought together. */
struct row_ref {
	unsigned long			ip;
	const struct profile_record	*rec;
};

/* The sums of the records of a function. */
struct row_sum {
	struct profile_row	row;
	u64			square_high;
	u64			square_low;
	u64			classes[PROFILE_CLASSES];
};

/* The longest duration of a class. There is none for the last class, which has no upper bound. */
u64 trace_profile_class_longest(unsigned int class)
{
	if (class < 4)
		return ((class + 1ULL) << (PROFILE_CLASS_LINEAR - 2)) - 1;
	return ((class % 4 + 5ULL) << (class / 4 + PROFILE_CLASS_LINEAR - 3)) - 1;
}

/**
 * trace_profile_percentile - how long did the given part of the calls take at most?
 * @classes: calls by duration
 * @percent: the part
 * @longest: what the longest of them took
 *
 * The answer is the upper end of a class. It is not less than the duration that is asked
 * for, and greater by less than a quarter of that, or by less than 16 ns.
 *
 * Context: any.
 * Return: nanoseconds; 0: there was no call.
 */
u64 trace_profile_percentile(const u64 *classes, unsigned int percent, u64 longest)
{
	u64 calls = 0, wanted, rest;
	unsigned int i;

	for (i = 0; i < PROFILE_CLASSES; i++)
		calls += classes[i];
	/* Rounded up, without a product that has no room. */
	wanted = div64_u64_rem(calls, 100, &rest) * percent + div_u64(rest * percent + 99, 100);
	for (i = 0, calls = 0; i < PROFILE_CLASSES - 1; i++) {
		calls += classes[i];
		if (calls && calls >= wanted)
			return min(trace_profile_class_longest(i), longest);
	}
	return longest;
}

/* 128 bits, which 32-bit machines have no type for. */
struct profile_wide {
	u64	high;
	u64	low;
};

static struct profile_wide row_wide_mul(u64 a, u64 b)
{
	return (struct profile_wide) { .high = mul_u64_u64_shr(a, b, 64), .low = a * b };
}

static void row_wide_add(struct profile_wide *to, struct profile_wide more)
{
	to->low += more.low;
	to->high += more.high + (to->low < more.low);
}

/* Returns false, and takes nothing away, if nothing would be left. */
static bool row_wide_sub(struct profile_wide *from, struct profile_wide less)
{
	if (from->high < less.high || (from->high == less.high && from->low <= less.low))
		return false;
	from->high -= less.high + (from->low < less.low);
	from->low -= less.low;
	return true;
}

/**
 * trace_profile_variance - of the sums of durations, and of their squares
 * @calls: how many
 * @time: their sum
 * @square_high: the upper half of the sum of their squares
 * @square_low: the lower half
 *
 * Context: any.
 * Return: thousands of square nanoseconds, cut off at what has room.
 */
u64 trace_profile_variance(u64 calls, u64 time, u64 square_high, u64 square_low)
{
	struct profile_wide sum = { .high = square_high, .low = square_low }, twice = {};
	u64 mean, quotient;
	unsigned int shift;

	if (calls < 2)
		return 0;
	/* The squares of distances from the mean, which is rounded to a nanosecond. */
	mean = div64_u64(time, calls);
	row_wide_add(&sum, row_wide_mul(mean * calls, mean));
	row_wide_add(&twice, row_wide_mul(mean, time));
	row_wide_add(&twice, row_wide_mul(mean, time));
	if (!row_wide_sub(&sum, twice))
		return 0;
	for (shift = 0; sum.high; shift++) {
		sum.low = sum.low >> 1 | sum.high << 63;
		sum.high >>= 1;
	}
	quotient = div64_u64(sum.low, (calls - 1) * 1000);
	return shift && quotient >> (64 - shift) ? U64_MAX : quotient << shift;
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

static void row_sum_add_times(struct row_sum *sum, const struct profile_times *times)
{
	struct profile_row *row = &sum->row;
	u64 low = local64_read(&times->square_low);
	int i;

	row->calls += local64_read(&times->calls);
	row->time += local64_read(&times->time);
	row->total += local64_read(&times->total);
	row->self += local64_read(&times->self);
	row->slept += local64_read(&times->slept);
	row->interrupted += local64_read(&times->interrupted);
	row->longest = max_t(u64, row->longest, local64_read(&times->longest));
	sum->square_low += low;
	sum->square_high += local64_read(&times->square_high) + (sum->square_low < low);
	for (i = 0; i < PROFILE_CLASSES; i++)
		sum->classes[i] += local64_read(&times->classes[i]);
}

static void row_sum_finish(struct row_sum *sum)
{
	static const unsigned int percents[PROFILE_PERCENTILES] = { 50, 90, 99 };
	struct profile_row *row = &sum->row;
	int i;

	row->variance = trace_profile_variance(row->calls, row->time, sum->square_high,
					       sum->square_low);
	for (i = 0; i < PROFILE_PERCENTILES; i++)
		row->percentiles[i] = trace_profile_percentile(sum->classes, percents[i],
							       row->longest);
}

static void row_sum_add(struct row_sum *sum, const struct profile_record *rec)
{
	sum->row.hits += local64_read(&rec->hits);
	row_sum_add_times(sum, &rec->times);
}

#else

static void row_sum_finish(struct row_sum *sum) { }

static void row_sum_add(struct row_sum *sum, const struct profile_record *rec)
{
	sum->row.hits += local64_read(&rec->hits);
}

#endif

static size_t row_cpu_refs(const struct profile_cpu *cpu, struct row_ref *refs, size_t room)
{
	u32 i, count = trace_profile_store_count(cpu);
	size_t nr = 0;

	for (i = 0; i < count && nr < room; i++) {
		refs[nr].rec = trace_profile_record(cpu, i);
		refs[nr].ip = READ_ONCE(refs[nr].rec->ip);
		if (refs[nr].ip)
			nr++;
	}
	return nr;
}

static int row_ref_compare(const void *a, const void *b)
{
	const struct row_ref *x = a, *y = b;

	return x->ip < y->ip ? -1 : x->ip > y->ip;
}

/* The records of one CPU, or of all, by function. Functions may come while they are read. */
static struct row_ref *row_refs_alloc(const struct profile_store *store, int cpu, size_t *nr)
{
	struct row_ref *refs;
	size_t room = 0;
	int i;

	for_each_possible_cpu(i) {
		if (cpu == PROFILE_ALL_CPUS || cpu == i)
			room += trace_profile_store_count(per_cpu_ptr(store->cpus, i));
	}
	refs = kvmalloc_array(max_t(size_t, room, 1), sizeof(*refs), GFP_KERNEL);
	if (!refs)
		return NULL;
	*nr = 0;
	for_each_possible_cpu(i) {
		if (cpu == PROFILE_ALL_CPUS || cpu == i)
			*nr += row_cpu_refs(per_cpu_ptr(store->cpus, i), refs + *nr, room - *nr);
	}
	sort(refs, *nr, sizeof(*refs), row_ref_compare, NULL);
	return refs;
}

static void rows_fill(struct profile_rows *rows, const struct row_ref *refs, size_t nr,
		      struct row_sum *sum)
{
	size_t i = 0, n = 0;

	while (i < nr) {
		memset(sum, 0, sizeof(*sum));
		sum->row.ip = refs[i].ip;
		for (; i < nr && refs[i].ip == sum->row.ip; i++)
			row_sum_add(sum, refs[i].rec);
		row_sum_finish(sum);
		if (sum->row.hits || sum->row.calls)
			rows->rows[n++] = sum->row;
	}
	rows->nr = n;
}

/**
 * trace_profile_rows_alloc - make rows of what a store has counted by now
 * @store: the store, which stays; NULL: there is none, and no row
 * @cpu: the CPU, or PROFILE_ALL_CPUS
 * @compare: for sort(): the order of the rows
 *
 * Context: task, may sleep.
 * Return: the rows, or NULL without memory.
 */
struct profile_rows *trace_profile_rows_alloc(const struct profile_store *store, int cpu,
					      int (*compare)(const void *a, const void *b))
{
	struct row_sum *sum = kmalloc(sizeof(*sum), GFP_KERNEL);
	struct row_ref *refs = NULL;
	struct profile_rows *rows;
	size_t nr = 0;

	if (store)
		refs = row_refs_alloc(store, cpu, &nr);
	rows = kvzalloc(struct_size(rows, rows, nr), GFP_KERNEL);
	if (!sum || !rows || (store && !refs)) {
		kvfree(rows);
		rows = NULL;
	} else {
		rows->nr = nr;
		rows_fill(rows, refs, nr, sum);
		sort(rows->rows, rows->nr, sizeof(*rows->rows), compare, NULL);
	}
	kvfree(refs);
	kfree(sum);
	return rows;
}

/**
 * trace_profile_rows_free - free rows
 * @rows: the rows
 *
 * Context: task.
 */
void trace_profile_rows_free(struct profile_rows *rows)
{
	kvfree(rows);
}
