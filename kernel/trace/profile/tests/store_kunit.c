// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: the profiler's tables and figures, without functions that are hooked.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/preempt.h>
#include <linux/time64.h>

#include "profile/rows.h"
#include "profile/store.h"

static void store_free(void *store)
{
	trace_profile_store_free(store);
}

static struct profile_store *store_new(struct kunit *test, unsigned long functions)
{
	struct profile_store *store = trace_profile_store_alloc(functions);

	KUNIT_ASSERT_NOT_NULL(test, store);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, store_free, store));
	return store;
}

/* Where the calls of function @nr are counted on this CPU. */
static struct profile_record *store_hit(struct profile_store *store, unsigned int nr)
{
	struct profile_record *rec = trace_profile_store_find(store, (nr + 1) * 16);

	if (rec)
		local64_inc(&rec->hits);
	return rec;
}

static u64 store_lost(const struct profile_store *store)
{
	u64 lost, untimed;

	trace_profile_store_missed(store, &lost, &untimed);
	return lost;
}

static void store_finish_work(struct profile_store *store)
{
	irq_work_sync(&store->irq);
	flush_delayed_work(&store->work);
}

static void store_finds(struct kunit *test)
{
	struct profile_store *store = store_new(test, 0);
	struct profile_record *a, *b;

	/* On PREEMPT_RT no thread of a CPU that goes offline would run it. */
	KUNIT_EXPECT_TRUE(test, irq_work_is_hard(&store->irq));
	preempt_disable();
	a = store_hit(store, 1);
	b = store_hit(store, 2);
	KUNIT_EXPECT_PTR_EQ(test, store_hit(store, 1), a);
	KUNIT_EXPECT_PTR_NE(test, a, b);
	preempt_enable();
	KUNIT_ASSERT_NOT_NULL(test, a);
	KUNIT_ASSERT_NOT_NULL(test, b);
	KUNIT_EXPECT_EQ(test, local64_read(&a->hits), 2);
	KUNIT_EXPECT_EQ(test, local64_read(&b->hits), 1);
	KUNIT_EXPECT_EQ(test, a->ip, 32);
}

/* While it cannot be given more, a CPU has as many as are spare, and counts the others. */
static void store_loses(struct kunit *test)
{
	struct profile_store *store = store_new(test, 4 * PROFILE_SPARES);
	unsigned int i, found = 0;

	/* The work item, which any CPU may run, is not queued before. */
	local_irq_disable();
	for (i = 0; i < PROFILE_SPARES + 5; i++)
		found += !!store_hit(store, i);
	/* A function that was found once is found again. */
	found += !!store_hit(store, 0);
	/* The work item is asked for, and by none of the lost calls again, until it has looked. */
	KUNIT_EXPECT_EQ(test, atomic_read(&store->asked), 1);
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, found, PROFILE_SPARES + 1);
	KUNIT_EXPECT_EQ(test, store_lost(store), 5);
	store_finish_work(store);
	KUNIT_EXPECT_EQ(test, atomic_read(&store->asked), 0);
	preempt_disable();
	KUNIT_EXPECT_NOT_NULL(test, store_hit(store, PROFILE_SPARES));
	preempt_enable();
	KUNIT_EXPECT_EQ(test, store_lost(store), 5);
}

/* All that there can be, and no more; each function keeps its own record. */
static void store_fills(struct kunit *test)
{
	struct profile_store *store = store_new(test, 1000);
	struct profile_record *rec;
	unsigned int i, wrong = 0;

	/* Each CPU has records of its own. */
	migrate_disable();
	for (i = 0; i < store->max; i++) {
		preempt_disable();
		rec = store_hit(store, i);
		preempt_enable();
		KUNIT_EXPECT_NOT_NULL_MSG(test, rec, "function %u of %u", i, store->max);
		if (i % 128 == 127)
			store_finish_work(store);
	}
	preempt_disable();
	KUNIT_EXPECT_NULL(test, store_hit(store, store->max));
	for (i = 0; i < store->max; i++) {
		rec = store_hit(store, i);
		wrong += !rec || rec->ip != (i + 1) * 16 || local64_read(&rec->hits) != 2;
	}
	preempt_enable();
	migrate_enable();
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_EQ(test, store_lost(store), 1);
}

static int rows_by_hits(const void *a, const void *b)
{
	const struct profile_row *x = a, *y = b;

	return x->hits > y->hits ? -1 : x->hits < y->hits;
}

static struct profile_rows *rows_of(struct kunit *test, struct profile_store *store, int cpu)
{
	struct profile_rows *rows = trace_profile_rows_alloc(store, cpu, rows_by_hits);

	KUNIT_ASSERT_NOT_NULL(test, rows);
	return rows;
}

/* Function 1 is called once on each CPU, function 2 three times on the first. */
static void store_rows(struct kunit *test)
{
	int cpu, first = cpumask_first(cpu_possible_mask), cpus = num_possible_cpus();
	struct profile_store *store = store_new(test, 0);
	struct profile_record *rec;
	struct profile_rows *rows;

	for_each_possible_cpu(cpu) {
		rec = trace_profile_store_add(store, per_cpu_ptr(store->cpus, cpu), 16);
		local64_inc(&rec->hits);
	}
	rec = trace_profile_store_add(store, per_cpu_ptr(store->cpus, first), 32);
	local64_set(&rec->hits, cpus + 1);
	/* Nobody has called it. */
	trace_profile_store_add(store, per_cpu_ptr(store->cpus, first), 48);

	rows = rows_of(test, store, PROFILE_ALL_CPUS);
	KUNIT_EXPECT_EQ(test, rows->nr, 2);
	KUNIT_EXPECT_EQ(test, rows->rows[0].ip, 32);
	KUNIT_EXPECT_EQ(test, rows->rows[0].hits, cpus + 1);
	KUNIT_EXPECT_EQ(test, rows->rows[1].ip, 16);
	KUNIT_EXPECT_EQ(test, rows->rows[1].hits, cpus);
	trace_profile_rows_free(rows);
	rows = rows_of(test, store, first);
	KUNIT_EXPECT_EQ(test, rows->nr, 2);
	KUNIT_EXPECT_EQ(test, rows->rows[1].hits, 1);
	trace_profile_rows_free(rows);
	rows = rows_of(test, NULL, PROFILE_ALL_CPUS);
	KUNIT_EXPECT_EQ(test, rows->nr, 0);
	trace_profile_rows_free(rows);
}

/* Classes follow each other without a gap, and are as narrow as is promised. */
static void figures_classes(struct kunit *test)
{
	u64 first = 0, last;
	unsigned int i;

	for (i = 0; i < PROFILE_CLASSES - 1; i++, first = last + 1) {
		last = trace_profile_class_longest(i);
		KUNIT_EXPECT_EQ(test, trace_profile_class(first), i);
		KUNIT_EXPECT_EQ(test, trace_profile_class(last), i);
		KUNIT_EXPECT_LT_MSG(test, last - first, max(first / 4, 16), "class %u", i);
	}
	KUNIT_EXPECT_EQ(test, first, BIT_ULL(PROFILE_CLASS_END));
	KUNIT_EXPECT_EQ(test, trace_profile_class(first), PROFILE_CLASSES - 1);
	KUNIT_EXPECT_EQ(test, trace_profile_class(U64_MAX), PROFILE_CLASSES - 1);
}

/* Calls of @i us, @i times each. */
static void figures_percentiles(struct kunit *test)
{
	/* Of the 5050 calls up to 100 us, so many percent take no longer. */
	static const struct {
		unsigned int	percent;
		u64		us;
	} wanted[] = { { 1, 10 }, { 50, 71 }, { 90, 95 }, { 99, 100 }, { 100, 100 } };
	u64 *classes = kunit_kcalloc(test, PROFILE_CLASSES, sizeof(*classes), GFP_KERNEL);
	u64 longest = 100 * NSEC_PER_USEC, got, us;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, classes);
	KUNIT_EXPECT_EQ(test, trace_profile_percentile(classes, 50, 0), 0);
	for (us = 1; us <= 100; us++)
		classes[trace_profile_class(us * NSEC_PER_USEC)] += us;
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		u64 exact = wanted[i].us * NSEC_PER_USEC;

		got = trace_profile_percentile(classes, wanted[i].percent, longest);
		KUNIT_EXPECT_GE_MSG(test, got, exact, "p%u", wanted[i].percent);
		KUNIT_EXPECT_LT_MSG(test, got, exact + exact / 4, "p%u", wanted[i].percent);
		KUNIT_EXPECT_LE(test, got, longest);
	}
	/* One of a hundred is beyond what has a class. */
	memset(classes, 0, PROFILE_CLASSES * sizeof(*classes));
	classes[3] = 99;
	classes[PROFILE_CLASSES - 1] = 1;
	KUNIT_EXPECT_EQ(test, trace_profile_percentile(classes, 99, U64_MAX), 63);
	KUNIT_EXPECT_EQ(test, trace_profile_percentile(classes, 100, U64_MAX), U64_MAX);
	/* Counts that are as great as can be. */
	classes[3] = U64_MAX / 2;
	classes[5] = U64_MAX / 2;
	KUNIT_EXPECT_EQ(test, trace_profile_percentile(classes, 99, U64_MAX),
			trace_profile_class_longest(5));
}

static u64 variance_of(struct kunit *test, const u64 *ns, unsigned int nr)
{
	struct profile_times *times = kunit_kzalloc(test, sizeof(*times), GFP_KERNEL);
	struct profile_call call = {};
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, times);
	for (i = 0; i < nr; i++) {
		call.time = ns[i];
		trace_profile_times_add(times, &call);
	}
	return trace_profile_variance(local64_read(&times->calls), local64_read(&times->time),
				      local64_read(&times->square_high),
				      local64_read(&times->square_low));
}

static void figures_variance(struct kunit *test)
{
	static const u64 usual[] = { 2000, 4000, 4000, 4000, 5000, 5000, 7000, 9000 };
	static const u64 same[] = { 1ULL << 50, 1ULL << 50, 1ULL << 50 };
	static const u64 far[] = { 0, 2ULL << 40 };
	static const u64 odd[] = { 1, 2 };

	/* The squares of their distances from 5000 are 32 million in all. */
	KUNIT_EXPECT_EQ(test, variance_of(test, usual, ARRAY_SIZE(usual)), 32000000 / 7 / 1000);
	KUNIT_EXPECT_EQ(test, variance_of(test, usual, 1), 0);
	KUNIT_EXPECT_EQ(test, variance_of(test, same, ARRAY_SIZE(same)), 0);
	KUNIT_EXPECT_EQ(test, variance_of(test, odd, ARRAY_SIZE(odd)), 0);
	/* 2^81, which has no room, in thousands has none either. */
	KUNIT_EXPECT_EQ(test, variance_of(test, far, ARRAY_SIZE(far)), U64_MAX);
}

static void figures_times(struct kunit *test)
{
	struct profile_times *times = kunit_kzalloc(test, sizeof(*times), GFP_KERNEL);
	static const struct profile_call calls[] = {
		{ .time = 1, .total = 100, .self = 10, .slept = 20, .interrupted = 30 },
		{ .time = 2, .total = 300, .self = 40 },
		{ .time = 4, .total = 200, .slept = 5 },
	};
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, times);
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		trace_profile_times_add(times, &calls[i]);
	KUNIT_EXPECT_EQ(test, local64_read(&times->calls), 3);
	KUNIT_EXPECT_EQ(test, local64_read(&times->time), 7);
	KUNIT_EXPECT_EQ(test, local64_read(&times->square_low), 21);
	KUNIT_EXPECT_EQ(test, local64_read(&times->square_high), 0);
	KUNIT_EXPECT_EQ(test, local64_read(&times->total), 600);
	KUNIT_EXPECT_EQ(test, local64_read(&times->self), 50);
	KUNIT_EXPECT_EQ(test, local64_read(&times->slept), 25);
	KUNIT_EXPECT_EQ(test, local64_read(&times->interrupted), 30);
	KUNIT_EXPECT_EQ(test, local64_read(&times->longest), 300);
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		unsigned int class = trace_profile_class(calls[i].total);

		KUNIT_EXPECT_EQ(test, local64_read(&times->classes[class]), 1);
	}
}

static struct kunit_case store_cases[] = {
	KUNIT_CASE(store_finds),
	KUNIT_CASE(store_loses),
	KUNIT_CASE(store_fills),
	KUNIT_CASE(store_rows),
	KUNIT_CASE(figures_classes),
	KUNIT_CASE(figures_percentiles),
	KUNIT_CASE(figures_variance),
	KUNIT_CASE(figures_times),
	{}
};

static struct kunit_suite store_suite = {
	.name		= "trace_profile_store",
	.test_cases	= store_cases,
};

kunit_test_suite(store_suite);

MODULE_DESCRIPTION("KUnit test of the profiler's tables and figures");
MODULE_LICENSE("GPL");
