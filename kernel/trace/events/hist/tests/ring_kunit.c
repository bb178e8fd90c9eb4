// SPDX-License-Identifier: GPL-2.0
/* Tables of a histogram by interval: hits and readers close them, and others are made meanwhile. */
#include <kunit/test.h>
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/srcu.h>
#include <linux/tracepoint.h>

#include "events/hist/ring.h"
#include "lib/long_hit.h"
#include "lib/wait.h"

#define RING_SHOWN	16	/* tables */
#define RING_ALIVE	7	/* tables of a ring that keeps two, while none is freed */

struct ring_env {
	struct hist_ring	*ring;
	u64			begin[RING_SHOWN];
	u64			end[RING_SHOWN];
	u64			hits[RING_SHOWN];
	unsigned int		nr;		/* of tables that are kept */
	u64			gone;		/* tables that are not */
	u64			sum;		/* hits of all */
};

static const struct trace_map_shape ring_shape = {
	.key_size = 8, .values = 1, .maxima = 1, .spreads = 1, .groups = 64, .size = 16,
	.synchronize = synchronize_rcu,
};

static void ring_end(void *data)
{
	/* There are no hits any more. */
	synchronize_rcu();
	trace_hist_ring_put(data);
}

static struct ring_env *ring_make(struct kunit *test, u64 interval, unsigned int keep)
{
	struct ring_env *env = kunit_kzalloc(test, sizeof(*env), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, env);
	env->ring = trace_hist_ring_create(&ring_shape, interval, keep);
	KUNIT_ASSERT_NOT_NULL(test, env->ring);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, ring_end, env->ring), 0);
	return env;
}

static void ring_hit(struct hist_ring *ring, u64 now)
{
	u64 key = now % 3;

	guard(preempt)();
	trace_map_hit_folds(trace_hist_ring_hit(ring, now), &key, (u64[]) { now, now, now });
}

/* Read the ring as of @now. */
static void ring_read(struct kunit *test, struct ring_env *env, u64 now)
{
	struct hist_ring_sum sum;
	struct hist_ring_table **held;
	unsigned int going;

	held = trace_hist_ring_hold(env->ring, now, &sum, &going);
	KUNIT_ASSERT_FALSE(test, IS_ERR(held));
	env->nr = 0;
	env->sum = sum.books.seen;
	env->gone = sum.tables + going;
	for (unsigned int i = 0; held[i]; i++) {
		struct trace_map_reading *r = trace_map_read(held[i]->map);

		KUNIT_ASSERT_FALSE(test, IS_ERR(r));
		trace_map_reading_trim(r);
		env->sum += r->seen;
		KUNIT_EXPECT_EQ(test, r->seen, r->counted);
		if (i >= going && env->nr < RING_SHOWN) {
			env->begin[env->nr] = atomic64_read(&held[i]->begin);
			env->end[env->nr] = trace_hist_ring_end(env->ring, held[i]);
			env->hits[env->nr++] = r->seen;
		}
		trace_map_reading_free(r);
	}
	KUNIT_EXPECT_GT(test, sum.bytes, 0);
	trace_hist_ring_release(held);
	trace_hist_rings_flush();
}

static void ring_expect(struct kunit *test, const struct ring_env *env, unsigned int i, u64 begin,
			u64 end, u64 hits)
{
	KUNIT_EXPECT_LT(test, i, env->nr);
	KUNIT_EXPECT_EQ_MSG(test, env->begin[i], begin, "table %u", i);
	KUNIT_EXPECT_EQ_MSG(test, env->end[i], end, "table %u", i);
	KUNIT_EXPECT_EQ_MSG(test, env->hits[i], hits, "table %u", i);
}

/* Each interval with hits has a table, and only some closed ones are kept. */
static void tables_by_interval(struct kunit *test)
{
	struct ring_env *env = ring_make(test, 10, 2);

	ring_read(test, env, 3);
	KUNIT_EXPECT_EQ(test, env->nr, 1);
	KUNIT_EXPECT_EQ(test, env->begin[0], HIST_RING_UNSET);
	ring_hit(env->ring, 25);
	ring_hit(env->ring, 27);
	ring_hit(env->ring, 30);
	/* The stamp of a hit that comes late is before the open table. */
	ring_hit(env->ring, 29);
	ring_read(test, env, 39);
	KUNIT_EXPECT_EQ(test, env->nr, 2);
	ring_expect(test, env, 0, 20, 30, 2);
	ring_expect(test, env, 1, 30, 40, 2);
	ring_hit(env->ring, 58);
	ring_read(test, env, 59);
	ring_hit(env->ring, 60);
	ring_read(test, env, 60);
	KUNIT_EXPECT_EQ(test, env->nr, 3);
	ring_expect(test, env, 0, 30, 40, 2);
	ring_expect(test, env, 1, 50, 60, 1);
	ring_expect(test, env, 2, 60, 70, 1);
	KUNIT_EXPECT_EQ(test, env->gone, 1);
	KUNIT_EXPECT_EQ(test, env->sum, 6);
	for (u64 now = 100; now < 1000; now += 10) {
		ring_hit(env->ring, now);
		ring_read(test, env, now);
		KUNIT_EXPECT_LE(test, env->nr, 3);
	}
	KUNIT_EXPECT_EQ(test, env->sum, 96);
	KUNIT_EXPECT_EQ(test, trace_hist_ring_seen(env->ring), 96);
}

/* A reader closes a table of which the interval is over; the next one begins with a hit. */
static void readers_close(struct kunit *test)
{
	struct ring_env *env = ring_make(test, 10, 4);

	ring_hit(env->ring, 5);
	ring_read(test, env, 9);
	KUNIT_EXPECT_EQ(test, env->nr, 1);
	ring_read(test, env, 10);
	KUNIT_EXPECT_EQ(test, env->nr, 2);
	ring_expect(test, env, 0, 0, 10, 1);
	KUNIT_EXPECT_EQ(test, env->begin[1], HIST_RING_UNSET);
	/* Intervals without hits have no table. */
	ring_read(test, env, 77);
	KUNIT_EXPECT_EQ(test, env->nr, 2);
	ring_hit(env->ring, 81);
	ring_read(test, env, 82);
	KUNIT_EXPECT_EQ(test, env->nr, 2);
	ring_expect(test, env, 1, 80, 90, 1);
	ring_read(test, env, 90);
	/* No table begins before the end of another one. */
	ring_hit(env->ring, 85);
	ring_read(test, env, 91);
	KUNIT_EXPECT_EQ(test, env->nr, 3);
	ring_expect(test, env, 2, 90, 100, 1);
}

/*
 * While the CPU does nothing else, its hits keep tables from being freed, so that no more than
 * RING_ALIVE are made, by whichever CPU and however fast. No hit is lost, and the last table tells
 * which intervals it has.
 */
static void nobody_makes_tables(struct kunit *test)
{
	struct ring_env *env = ring_make(test, 10, 2);
	unsigned int last;

	scoped_guard(preempt) {
		for (u64 now = 0; now < 1000; now += 10)
			ring_hit(env->ring, now + 5);
	}
	ring_read(test, env, 999);
	KUNIT_EXPECT_EQ(test, env->sum, 100);
	KUNIT_EXPECT_LE(test, env->nr, 3);
	/* If another one is ready by now, the reader has closed it. */
	last = env->nr - 1;
	if (last && env->begin[last] == HIST_RING_UNSET)
		last--;
	KUNIT_EXPECT_LE(test, env->gone + last + 1, RING_ALIVE);
	KUNIT_EXPECT_EQ(test, env->end[last], 1000);
	/* It goes on as before. */
	ring_hit(env->ring, 1003);
	ring_read(test, env, 1004);
	KUNIT_EXPECT_EQ(test, env->sum, 101);
	ring_expect(test, env, env->nr - 1, 1000, 1010, 1);
}

#define RING_THREADS	3
#define RING_HITS	20000	/* of a thread */

struct ring_thread {
	struct hist_ring	*ring;
	atomic64_t		*now;
	struct completion	done;
};

static int ring_thread(void *data)
{
	struct ring_thread *t = data;

	for (unsigned int i = 0; i < RING_HITS; i++) {
		ring_hit(t->ring, atomic64_inc_return(t->now));
		if (!(i % 64))
			cond_resched();
	}
	complete(&t->done);
	return 0;
}

/* Tasks hit while another one reads: at the end, each hit is in one table, or in the books. */
static void hits_go_on(struct kunit *test)
{
	struct ring_thread *t = kunit_kcalloc(test, RING_THREADS, sizeof(*t), GFP_KERNEL);
	struct ring_env *env = ring_make(test, 50, 3);
	atomic64_t *now = kunit_kzalloc(test, sizeof(*now), GFP_KERNEL);
	u64 last = 0;

	KUNIT_ASSERT_NOT_NULL(test, t);
	KUNIT_ASSERT_NOT_NULL(test, now);
	for (unsigned int i = 0; i < RING_THREADS; i++) {
		t[i].ring = env->ring;
		t[i].now = now;
		init_completion(&t[i].done);
		KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(ring_thread, &t[i], "kunit_ring")));
	}
	for (unsigned int i = 0; i < RING_THREADS; i++) {
		while (!wait_for_completion_timeout(&t[i].done, 1)) {
			ring_read(test, env, atomic64_read(now));
			KUNIT_EXPECT_GE(test, env->sum, last);
			last = env->sum;
		}
	}
	ring_read(test, env, atomic64_read(now));
	KUNIT_EXPECT_EQ(test, env->sum, RING_THREADS * RING_HITS);
	KUNIT_EXPECT_LE(test, env->nr, 4);
	for (unsigned int i = 1; i < env->nr; i++) {
		if (env->begin[i] != HIST_RING_UNSET)
			KUNIT_EXPECT_GT_MSG(test, env->begin[i], env->begin[i - 1], "table %u", i);
	}
}

#define RING_MANY	8

/* Hit a ring in three of its intervals, and read it, so that tables leave it. */
static void ring_pass(struct hist_ring *ring)
{
	struct hist_ring_sum sum;
	unsigned int going;

	for (u64 now = 5; now < 30; now += 10)
		ring_hit(ring, now);
	trace_hist_ring_release(trace_hist_ring_hold(ring, 26, &sum, &going));
}

/* Take tables of many rings off while a hit goes on. True: they have waited for hits together. */
static bool ring_many_wait(struct kunit *test)
{
	struct ring_env *env[RING_MANY];
	unsigned long before, wait, waited;

	for (unsigned int i = 0; i < RING_MANY; i++)
		env[i] = ring_make(test, 10, 1);
	trace_hist_rings_flush();
	before = get_state_synchronize_srcu(&tracepoint_srcu);
	trace_wait_probes();
	wait = get_state_synchronize_srcu(&tracepoint_srcu) - before;
	KUNIT_EXPECT_NE(test, wait, 0);
	before += wait;
	long_hit_begin(test);
	for (unsigned int i = 0; i < RING_MANY; i++)
		ring_pass(env[i]->ring);
	long_hit_end();
	trace_hist_rings_flush();
	waited = get_state_synchronize_srcu(&tracepoint_srcu) - before;
	for (unsigned int i = 0; i < RING_MANY; i++) {
		ring_read(test, env[i], 26);
		KUNIT_EXPECT_EQ(test, env[i]->gone, 1);
		KUNIT_EXPECT_EQ(test, env[i]->sum, 3);
	}
	return waited < RING_MANY * wait;
}

/*
 * Tables of many rings wait for hits together, some of them perhaps once more. Others have waits
 * counted as well, but not each time.
 */
static void rings_wait_together(struct kunit *test)
{
	bool together = false;

	for (int i = 0; i < 20 && !together; i++)
		together = ring_many_wait(test);
	KUNIT_EXPECT_TRUE(test, together);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(hits_go_on),
	KUNIT_CASE(tables_by_interval),
	KUNIT_CASE(readers_close),
	KUNIT_CASE(nobody_makes_tables),
	KUNIT_CASE(rings_wait_together),
	{}
};

static struct kunit_suite ring_suite = {
	.name		= "trace-event-hist-ring",
	.test_cases	= ring_cases,
};

kunit_test_suite(ring_suite);
