// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of lib/map.h: sums, keys of each width, tables filled to the last element, chains
 * of colliding keys, readings and clearing while tasks and a timer's interrupt go on hitting.
 */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/rcupdate.h>
#include <linux/sort.h>

#include "lib/map.h"
#include "lib/spread.h"

static void map_free_action(void *map)
{
	synchronize_rcu();
	trace_map_free(map);
}

static struct trace_map *map_create(struct kunit *test, struct trace_map_shape shape)
{
	struct trace_map *map;

	shape.synchronize = synchronize_rcu;
	map = trace_map_create(&shape);
	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, map_free_action, map), 0);
	return map;
}

static bool map_hit(struct trace_map *map, u64 key, u64 value)
{
	guard(preempt)();
	return trace_map_hit(map, &key, &value);
}

static void map_reading_action(void *reading)
{
	trace_map_reading_free(reading);
}

/* A reading whose books balance. */
static struct trace_map_reading *map_read(struct kunit *test, struct trace_map *map)
{
	struct trace_map_reading *r = trace_map_read(map);
	u64 counted = 0;

	KUNIT_ASSERT_FALSE(test, IS_ERR(r));
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, map_reading_action, r), 0);
	for (unsigned int i = 0; i < r->nr; i++)
		counted += r->rows[i].sums[0];
	KUNIT_EXPECT_EQ(test, r->counted, counted);
	KUNIT_EXPECT_EQ(test, r->seen, r->counted + r->full);
	return r;
}

/* The row of a key of one word; there is one at most. */
static const struct trace_map_row *map_row(struct kunit *test, const struct trace_map_reading *r,
					   u64 key)
{
	const struct trace_map_row *found = NULL;

	for (unsigned int i = 0; i < r->nr; i++) {
		if (*(const u64 *)r->rows[i].key != key)
			continue;
		KUNIT_EXPECT_NULL(test, found);
		found = &r->rows[i];
	}
	return found;
}

static void counts_and_adds(struct kunit *test)
{
	struct trace_map *map = map_create(test, (struct trace_map_shape) {
		.key_size = 8, .values = 1, .size = 16 });
	struct trace_map_reading *r = map_read(test, map);

	KUNIT_EXPECT_EQ(test, r->nr, 0);
	KUNIT_EXPECT_EQ(test, r->seen, 0);
	for (u64 i = 0; i < 30; i++)
		KUNIT_EXPECT_TRUE(test, map_hit(map, i % 3, i));
	/* A reading takes nothing away, and the next one goes on. */
	for (unsigned int round = 0; round < 3; round++) {
		r = map_read(test, map);
		KUNIT_EXPECT_EQ(test, r->nr, 3);
		KUNIT_EXPECT_EQ(test, r->seen, 30 + round);
		for (u64 key = 0; key < 3; key++) {
			const struct trace_map_row *row = map_row(test, r, key);

			KUNIT_ASSERT_NOT_NULL(test, row);
			KUNIT_EXPECT_EQ(test, row->sums[0], 10 + (key ? 0 : round));
			KUNIT_EXPECT_EQ(test, row->sums[1], 135 + 10 * key + (key ? 0 : round));
		}
		KUNIT_EXPECT_TRUE(test, map_hit(map, 0, 1));
	}
	KUNIT_EXPECT_GT(test, trace_map_bytes(map), 16 * 2 * sizeof(u64));
}

/* The last word of a key counts, however long it is; values are none, or many. */
static void keys_of_each_width(struct kunit *test)
{
	static const unsigned int sizes[] = { 8, 16, 24, 256, TRACE_MAP_KEY_MAX };
	u64 *key = kunit_kzalloc(test, TRACE_MAP_KEY_MAX, GFP_KERNEL);
	u64 values[5] = { 1, 2, 3, 4, 5 };

	KUNIT_ASSERT_NOT_NULL(test, key);
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct trace_map *map = map_create(test, (struct trace_map_shape) {
			.key_size = sizes[i], .values = i, .size = 4, .buckets = 1 });
		unsigned int last = sizes[i] / 8 - 1;
		struct trace_map_reading *r;

		for (u64 n = 0; n < 8; n++) {
			key[last] = n % 4;
			guard(preempt)();
			trace_map_hit(map, key, values);
		}
		key[last] = 0;
		r = map_read(test, map);
		KUNIT_ASSERT_EQ(test, r->nr, 4);
		for (unsigned int n = 0; n < 4; n++) {
			KUNIT_EXPECT_EQ(test, ((const u64 *)r->rows[n].key)[last], n);
			KUNIT_EXPECT_EQ(test, r->rows[n].sums[0], 2);
			for (unsigned int v = 0; v < i; v++)
				KUNIT_EXPECT_EQ(test, r->rows[n].sums[v + 1], 2 * values[v]);
		}
	}
}

/* The last element is used, hits that come then are counted as dropped, and old keys count on. */
static void full_to_the_last_element(struct kunit *test)
{
	static const unsigned int sizes[] = { 1, 2, 63, 64, 65, 1000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		unsigned int size = sizes[i];
		struct trace_map *map = map_create(test, (struct trace_map_shape) {
			.key_size = 8, .values = 1, .size = size, .buckets = i % 2 ? 1 : 0 });
		struct trace_map_reading *r;

		for (u64 key = 0; key < size; key++)
			KUNIT_EXPECT_TRUE(test, map_hit(map, key, 1));
		for (u64 key = size; key < size + 10; key++)
			KUNIT_EXPECT_FALSE(test, map_hit(map, key, 1));
		for (u64 key = 0; key < size; key++)
			KUNIT_EXPECT_TRUE(test, map_hit(map, key, 1));
		r = map_read(test, map);
		KUNIT_EXPECT_EQ(test, r->nr, size);
		KUNIT_EXPECT_EQ(test, r->full, 10);
		KUNIT_EXPECT_EQ(test, r->seen, 2 * size + 10);
		KUNIT_EXPECT_GE(test, r->refused, 1);
		KUNIT_EXPECT_LE(test, r->refused, 10);
		for (u64 key = 0; key < size; key++)
			KUNIT_EXPECT_EQ(test, map_row(test, r, key)->sums[0], 2);
	}
}

static void cleared(struct kunit *test)
{
	struct trace_map *map = map_create(test, (struct trace_map_shape) {
		.key_size = 8, .values = 1, .size = 2 });
	struct trace_map_reading *before, *after;

	for (u64 key = 0; key < 3; key++)
		map_hit(map, key, 5);
	before = map_read(test, map);
	KUNIT_EXPECT_EQ(test, trace_map_clear(map), 0);
	after = map_read(test, map);
	KUNIT_EXPECT_EQ(test, after->seen, 0);
	KUNIT_EXPECT_EQ(test, after->refused, 0);
	/* The place of the old keys is free, and a reading has its keys in any case. */
	KUNIT_EXPECT_TRUE(test, map_hit(map, 7, 1));
	KUNIT_EXPECT_TRUE(test, map_hit(map, 8, 1));
	KUNIT_EXPECT_FALSE(test, map_hit(map, 0, 1));
	KUNIT_EXPECT_EQ(test, map_row(test, before, 1)->sums[1], 5);
	after = map_read(test, map);
	KUNIT_EXPECT_EQ(test, after->nr, 2);
	KUNIT_EXPECT_EQ(test, after->full, 1);
}

/* Writers: tasks, and a timer's interrupt. The last one is the timer. */
#define WRITERS		4
#define TASKS		(WRITERS - 1)
#define KEYS		64
#define TIMER_US	50

struct map_writer {
	struct map_load		*load;
	struct rnd_state	rnd;
	struct task_struct	*task;
	u64			hits[KEYS];	/* that were counted */
	u64			sums[KEYS];
	u64			refused;
};

struct map_load {
	struct trace_map	*map;
	unsigned int		keys;
	struct map_writer	writer[WRITERS];
	struct hrtimer		timer;
	DECLARE_BITMAP(counted, KEYS);		/* keys that have an element */
	bool			lost;		/* a key with an element was refused */
	bool			stop;
};

static void writer_hit(struct map_writer *w)
{
	struct map_load *load = w->load;
	u32 dice = prandom_u32_state(&w->rnd);
	u64 key = dice % load->keys, value = dice >> 16;
	bool known = test_bit(key, load->counted);

	if (map_hit(load->map, key, value)) {
		set_bit(key, load->counted);
		w->hits[key]++;
		w->sums[key] += value;
	} else {
		WRITE_ONCE(w->refused, w->refused + 1);
		if (known)
			WRITE_ONCE(load->lost, true);
	}
}

static enum hrtimer_restart load_timer(struct hrtimer *timer)
{
	struct map_load *load = container_of(timer, struct map_load, timer);

	for (unsigned int i = 0; i < 4; i++)
		writer_hit(&load->writer[TASKS]);
	hrtimer_forward_now(timer, ns_to_ktime(TIMER_US * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static int load_task(void *data)
{
	struct map_writer *w = data;

	while (!READ_ONCE(w->load->stop)) {
		for (unsigned int i = 0; i < 500; i++)
			writer_hit(w);
		cond_resched();
		/* On one CPU without preemption the others want to run, too. */
		usleep_range(50, 100);
	}
	while (!kthread_should_stop())
		usleep_range(50, 100);
	return 0;
}

static void load_start(struct kunit *test, struct map_load *load)
{
	for (unsigned int i = 0; i < WRITERS; i++) {
		load->writer[i].load = load;
		prandom_seed_state(&load->writer[i].rnd, i + 1);
	}
	hrtimer_init(&load->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	load->timer.function = load_timer;
	for (unsigned int i = 0; i < TASKS; i++) {
		struct task_struct *task;

		task = kthread_create(load_task, &load->writer[i], "map_kunit/%u", i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(task));
		load->writer[i].task = task;
	}
	for (unsigned int i = 0; i < TASKS; i++)
		wake_up_process(load->writer[i].task);
	hrtimer_start(&load->timer, ns_to_ktime(TIMER_US * NSEC_PER_USEC), HRTIMER_MODE_REL_HARD);
}

static void load_stop(struct map_load *load)
{
	WRITE_ONCE(load->stop, true);
	for (unsigned int i = 0; i < TASKS; i++)
		kthread_stop(load->writer[i].task);
	hrtimer_cancel(&load->timer);
}

static struct map_load *load_create(struct kunit *test, unsigned int size, unsigned int buckets)
{
	struct map_load *load = kunit_kzalloc(test, sizeof(*load), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, load);
	load->keys = KEYS;
	load->map = map_create(test, (struct trace_map_shape) {
		.key_size = 8, .values = 1, .size = size, .buckets = buckets });
	return load;
}

/* The map has the sums that the writers have counted. */
static void load_check(struct kunit *test, struct map_load *load)
{
	struct trace_map_reading *r = map_read(test, load->map);
	u64 refused = 0, nr = 0;

	for (u64 key = 0; key < load->keys; key++) {
		const struct trace_map_row *row = map_row(test, r, key);
		u64 hits = 0, sums = 0;

		for (unsigned int i = 0; i < WRITERS; i++) {
			hits += load->writer[i].hits[key];
			sums += load->writer[i].sums[key];
		}
		nr += !!hits;
		KUNIT_EXPECT_EQ(test, row ? row->sums[0] : 0, hits);
		KUNIT_EXPECT_EQ(test, row ? row->sums[1] : 0, sums);
	}
	for (unsigned int i = 0; i < WRITERS; i++)
		refused += load->writer[i].refused;
	KUNIT_EXPECT_EQ(test, r->nr, nr);
	KUNIT_EXPECT_EQ(test, r->full, refused);
	KUNIT_EXPECT_FALSE(test, load->lost);
}

static void read_while_hit(struct kunit *test)
{
	struct map_load *load = load_create(test, KEYS, 4);
	u64 seen = 0;

	load_start(test, load);
	for (unsigned int i = 0; i < 30; i++) {
		struct trace_map_reading *r = map_read(test, load->map);

		KUNIT_EXPECT_GE(test, r->seen, seen);
		seen = r->seen;
		usleep_range(500, 1000);
	}
	load_stop(load);
	load_check(test, load);
}

/* Wait until a hit is refused, since the map is full. Keys are random, so one will be. */
static void load_until_full(const struct map_load *load)
{
	for (unsigned int i = 0; !READ_ONCE(load->writer[i].refused); i = (i + 1) % WRITERS)
		usleep_range(200, 300);
}

/* More keys than elements, in one bucket and in many: a key that has an element counts on. */
static void full_while_hit(struct kunit *test)
{
	for (unsigned int round = 0; round < 20; round++) {
		struct map_load *load = load_create(test, KEYS / 2, round % 2 ? 1 : 0);

		load_start(test, load);
		load_until_full(load);
		load_stop(load);
		load_check(test, load);
		KUNIT_EXPECT_EQ(test, map_read(test, load->map)->nr, KEYS / 2);
	}
}

/* The map has all hits after the last clearing, and no others. */
static void cleared_while_hit(struct kunit *test)
{
	struct map_load *load = load_create(test, KEYS, 0);
	struct trace_map_reading *r;

	load_start(test, load);
	for (unsigned int i = 0; i < 50; i++) {
		KUNIT_EXPECT_EQ(test, trace_map_clear(load->map), 0);
		usleep_range(200, 300);
		if (i % 10 == 0)
			map_read(test, load->map);
	}
	load_stop(load);
	KUNIT_EXPECT_EQ(test, trace_map_clear(load->map), 0);
	r = map_read(test, load->map);
	KUNIT_EXPECT_EQ(test, r->seen, 0);
	KUNIT_EXPECT_TRUE(test, map_hit(load->map, 1, 1));
	KUNIT_EXPECT_EQ(test, map_read(test, load->map)->seen, 1);
}

/* A map goes while it is hit, in the way that owners have. */
static struct trace_map *hit_map;

static enum hrtimer_restart removed_timer(struct hrtimer *timer)
{
	struct trace_map *map = READ_ONCE(hit_map);

	if (map)
		map_hit(map, (unsigned long)map, 1);
	hrtimer_forward_now(timer, ns_to_ktime(TIMER_US * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static void removed_while_hit(struct kunit *test)
{
	struct trace_map_shape shape = {
		.key_size = 8, .values = 1, .size = 8, .synchronize = synchronize_rcu };
	struct hrtimer timer;

	hrtimer_init_on_stack(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	timer.function = removed_timer;
	hrtimer_start(&timer, ns_to_ktime(TIMER_US * NSEC_PER_USEC), HRTIMER_MODE_REL_HARD);
	for (unsigned int i = 0; i < 50; i++) {
		struct trace_map *map = trace_map_create(&shape);

		KUNIT_EXPECT_FALSE(test, IS_ERR(map));
		if (IS_ERR(map))
			break;
		WRITE_ONCE(hit_map, map);
		usleep_range(200, 300);
		if (i % 2)
			KUNIT_EXPECT_EQ(test, trace_map_clear(map), 0);
		WRITE_ONCE(hit_map, NULL);
		synchronize_rcu();
		trace_map_free(map);
	}
	hrtimer_cancel(&timer);
	destroy_hrtimer_on_stack(&timer);
}

/* Each key has memory of the caller, which is found without a hit, and goes when it is cleared. */
static void data_of_the_caller(struct kunit *test)
{
	struct trace_map *map = map_create(test, (struct trace_map_shape){
		.key_size = 8, .size = 16, .data_size = 16, .books = 2 });
	struct trace_map_reading *r;
	u64 key = 7, *data;

	scoped_guard(preempt) {
		KUNIT_EXPECT_NULL(test, trace_map_find(map, &key));
		data = trace_map_hit_data(map, &key, NULL);
		KUNIT_ASSERT_NOT_NULL(test, data);
		KUNIT_EXPECT_EQ(test, data[0] | data[1], 0);
		data[1] = 5;
		KUNIT_EXPECT_PTR_EQ(test, trace_map_find(map, &key), (void *)data);
		KUNIT_EXPECT_PTR_EQ(test, trace_map_hit_data(map, &key, NULL), (void *)data);
		key = 8;
		KUNIT_EXPECT_NULL(test, trace_map_find(map, &key));
		trace_map_count(map, 1);
		trace_map_count(map, 1);
	}
	KUNIT_EXPECT_EQ(test, trace_map_seen(map), 2);
	r = map_read(test, map);
	KUNIT_EXPECT_EQ(test, trace_map_seen(map), 2);
	KUNIT_EXPECT_EQ(test, r->seen, 2);
	KUNIT_EXPECT_EQ(test, r->books[0], 0);
	KUNIT_EXPECT_EQ(test, r->books[1], 2);
	KUNIT_ASSERT_EQ(test, r->nr, 1);
	KUNIT_EXPECT_EQ(test, ((u64 *)r->rows[0].data)[1], 5);
	KUNIT_EXPECT_EQ(test, trace_map_clear(map), 0);
	KUNIT_EXPECT_EQ(test, trace_map_seen(map), 0);
	key = 7;
	scoped_guard(preempt)
		KUNIT_EXPECT_NULL(test, trace_map_find(map, &key));
	KUNIT_EXPECT_EQ(test, map_read(test, map)->books[1], 0);
}

/* Keys of one word, which are counted on a way of their own, are those of trace_map_hit(). */
static void keys_of_one_word(struct kunit *test)
{
	struct trace_map *map = map_create(test, (struct trace_map_shape){
		.key_size = 8, .values = 1, .size = 3, .buckets = 1 });
	struct trace_map *bare = map_create(test, (struct trace_map_shape){
		.key_size = 8, .size = 3, .buckets = 1 });
	u64 value = 3, key = 1;
	struct trace_map_reading *r, *b;

	scoped_guard(preempt) {
		for (u64 word = 0; word < 4; word++) {
			trace_map_hit_word_sum(map, word, value);
			trace_map_hit_word(bare, word);
		}
		KUNIT_EXPECT_TRUE(test, trace_map_hit(map, &key, &value));
		KUNIT_EXPECT_TRUE(test, trace_map_hit(bare, &key, NULL));
		trace_map_hit_word_sum(map, key, value);
		trace_map_hit_word(bare, key);
	}
	r = map_read(test, map);
	b = map_read(test, bare);
	KUNIT_EXPECT_EQ(test, r->seen, 6);
	KUNIT_EXPECT_EQ(test, b->seen, 6);
	KUNIT_EXPECT_EQ(test, r->full, 1);
	KUNIT_EXPECT_EQ(test, b->full, 1);
	KUNIT_ASSERT_EQ(test, r->nr, 3);
	KUNIT_ASSERT_EQ(test, b->nr, 3);
	for (key = 0; key < 3; key++) {
		const struct trace_map_row *row = map_row(test, r, key);

		KUNIT_ASSERT_NOT_NULL(test, row);
		KUNIT_EXPECT_EQ(test, row->sums[0], key == 1 ? 3 : 1);
		KUNIT_EXPECT_EQ(test, row->sums[1], row->sums[0] * 3);
		row = map_row(test, b, key);
		KUNIT_ASSERT_NOT_NULL(test, row);
		KUNIT_EXPECT_EQ(test, row->sums[0], key == 1 ? 3 : 1);
	}
}

/* Hits of the sets that a reading opens and closes in turn are all in the next one. */
static void reading_after_reading(struct kunit *test)
{
	struct trace_map *map = map_create(test, (struct trace_map_shape){
		.key_size = 8, .values = 1, .size = 64, .books = 1 });

	for (u64 i = 1; i <= 40; i++) {
		struct trace_map_reading *r;

		/* A key comes with each round, and an old one is hit. */
		KUNIT_EXPECT_TRUE(test, map_hit(map, i, i));
		KUNIT_EXPECT_TRUE(test, map_hit(map, 1, 1));
		scoped_guard(preempt)
			trace_map_count(map, 0);
		r = map_read(test, map);
		KUNIT_EXPECT_EQ(test, r->seen, 2 * i);
		KUNIT_EXPECT_EQ(test, trace_map_seen(map), 2 * i);
		KUNIT_EXPECT_EQ(test, r->books[0], i);
		KUNIT_EXPECT_EQ(test, r->nr, i);
		KUNIT_EXPECT_EQ(test, map_row(test, r, 1)->sums[1], i + 1);
	}
}

static DECLARE_COMPLETION(map_period_ends);

/* A grace period that does not end before the test says so. */
static void map_wait_for_test(void)
{
	wait_for_completion(&map_period_ends);
}

/* Neither a reading nor the clearing of a map waits for a grace period. */
static void no_wait_for_a_period(struct kunit *test)
{
	struct trace_map_shape shape = { .key_size = 8, .size = 16,
					 .synchronize = map_wait_for_test };
	struct trace_map *map = trace_map_create(&shape);
	struct trace_map_reading *r;

	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	reinit_completion(&map_period_ends);
	KUNIT_EXPECT_TRUE(test, map_hit(map, 1, 0));
	r = trace_map_read(map);
	KUNIT_ASSERT_FALSE(test, IS_ERR(r));
	KUNIT_EXPECT_EQ(test, r->seen, 1);
	KUNIT_EXPECT_EQ(test, trace_map_clear(map), 0);
	KUNIT_EXPECT_EQ(test, trace_map_seen(map), 0);
	KUNIT_EXPECT_EQ(test, *(const u64 *)r->rows[0].key, 1);
	trace_map_reading_free(r);
	complete_all(&map_period_ends);
	trace_map_free(map);
}

static DECLARE_COMPLETION(map_hits_end);
static atomic_t map_cleared;

static void map_wait_for_hits(void)
{
	wait_for_completion(&map_hits_end);
}

static int map_clear_often(void *map)
{
	for (int i = 0; i < 40; i++) {
		if (trace_map_clear(map) || trace_maps_settle())
			break;
		atomic_inc(&map_cleared);
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* While a hit goes on, tables are not replaced without end. */
static void clearing_has_a_bound(struct kunit *test)
{
	struct trace_map_shape shape = { .key_size = 8, .size = 16,
					 .synchronize = map_wait_for_hits };
	struct trace_map *map = trace_map_create(&shape);
	struct task_struct *task;

	KUNIT_ASSERT_FALSE(test, IS_ERR(map));
	reinit_completion(&map_hits_end);
	atomic_set(&map_cleared, 0);
	task = kthread_run(map_clear_often, map, "kunit_map");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	schedule_timeout_uninterruptible(HZ / 5);
	KUNIT_EXPECT_LT(test, atomic_read(&map_cleared), 20);
	complete_all(&map_hits_end);
	while (atomic_read(&map_cleared) < 40)
		schedule_timeout_uninterruptible(1);
	kthread_stop(task);
	KUNIT_EXPECT_EQ(test, trace_maps_settle(), 0);
	trace_map_free(map);
}

/* A map that is larger than all memory takes none from others. */
static void too_large_is_refused(struct kunit *test)
{
	static const struct trace_map_shape shape = {
		.key_size = 8, .size = TRACE_MAP_SIZE_MAX, .data_size = TRACE_MAP_DATA_MAX,
		.synchronize = synchronize_rcu,
	};

	if (totalram_pages() >> (34 - PAGE_SHIFT))
		kunit_skip(test, "it would fit");
	KUNIT_EXPECT_EQ(test, PTR_ERR(trace_map_create(&shape)), -ENOMEM);
}

static bool map_hit_folds(struct trace_map *map, u64 key, const u64 *values)
{
	guard(preempt)();
	return trace_map_hit_folds(map, &key, values);
}

/* The middle of a number's bucket is off by a 32nd at most, and buckets have the numbers' order. */
static void buckets_are_near(struct kunit *test)
{
	unsigned int at = 0, last = 0;

	for (unsigned int shift = 5; shift < 64; shift++) {
		for (unsigned int i = 0; i < 64; i++) {
			u64 unit = BIT_ULL(shift) / 64;
			u64 number = unit ? unit * (64 + i) + (i % 2 ? unit - 1 : 0) : i;
			unsigned int group, bucket = trace_spread_find(number, false, &group);
			u64 middle = trace_spread_middle(group, bucket, false);
			u64 off = middle > number ? middle - number : number - middle;

			KUNIT_EXPECT_LT(test, group, TRACE_SPREAD_GROUPS);
			KUNIT_EXPECT_LE_MSG(test, off, number / 32, "%llu", number);
			at = group * TRACE_SPREAD_BUCKETS + bucket;
			KUNIT_EXPECT_GE_MSG(test, at, last, "%llu", number);
			last = at;
			if (number > S64_MAX)
				continue;
			/* With a sign, the order goes on below 0. */
			bucket = trace_spread_find(-number, true, &group);
			KUNIT_EXPECT_LT(test, group, 2 * TRACE_SPREAD_GROUPS);
			middle = -trace_spread_middle(group, bucket, true);
			off = middle > number ? middle - number : number - middle;
			KUNIT_EXPECT_LE_MSG(test, off, number / 32 + !!number, "-%llu", number);
		}
	}
	KUNIT_EXPECT_EQ(test, at, TRACE_SPREAD_GROUPS * TRACE_SPREAD_BUCKETS - 1);
}

static int map_compare_u64(const void *a, const void *b)
{
	u64 left = *(const u64 *)a, right = *(const u64 *)b;

	return left < right ? -1 : left > right;
}

static int map_compare_s64(const void *a, const void *b)
{
	s64 left = *(const s64 *)a, right = *(const s64 *)b;

	return left < right ? -1 : left > right;
}

#define MAP_NUMBERS	3000

/* Percentiles are near those that are told from all numbers. */
static void quantiles_are_near(struct kunit *test)
{
	static const u32 ppms[] = {
		1, 10000, 250000, 500000, 900000, 990000, 999000, 999999, 1000000,
	};
	struct trace_map *map = map_create(test, (struct trace_map_shape) {
		.key_size = 8, .values = 1, .maxima = 1, .spreads = 2, .signed_spreads = BIT(1),
		.groups = 256, .size = 16 });
	u64 *numbers = kunit_kcalloc(test, MAP_NUMBERS, sizeof(*numbers), GFP_KERNEL), sum = 0, nr;
	s64 *others = kunit_kcalloc(test, MAP_NUMBERS, sizeof(*others), GFP_KERNEL);
	const struct trace_map_row *row = NULL;
	struct trace_map_reading *r = NULL;
	struct rnd_state rnd;

	KUNIT_ASSERT_NOT_NULL(test, numbers);
	KUNIT_ASSERT_NOT_NULL(test, others);
	prandom_seed_state(&rnd, 35);
	for (unsigned int i = 0; i < MAP_NUMBERS; i++) {
		/* Sizes of all orders */
		numbers[i] = ((u64)prandom_u32_state(&rnd) << 20) >> (i % 50);
		others[i] = (s64)(prandom_u32_state(&rnd) >> (i % 30)) * (i % 3 ? 1 : -1);
		sum += numbers[i];
		KUNIT_EXPECT_TRUE(test, map_hit_folds(map, 7, (u64[]) {
			numbers[i], numbers[i], numbers[i], others[i] }));
		KUNIT_EXPECT_TRUE(test, map_hit_folds(map, 8, (u64[]) { 1, 5, i % 100, -1 }));
		/* The second of three is the first one that a half does not exceed. */
		if (i < 3)
			map_hit_folds(map, 9, (u64[]) { 1, 1, 10 * i, 10 * i });
		/* Both sets have some of them. */
		if (i % 1000 == 10)
			r = map_read(test, map);
	}
	sort(numbers, MAP_NUMBERS, sizeof(*numbers), map_compare_u64, NULL);
	sort(others, MAP_NUMBERS, sizeof(*others), map_compare_s64, NULL);
	r = map_read(test, map);
	/* It is the same reading with less memory. */
	trace_map_reading_trim(r);
	row = map_row(test, r, 7);
	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_EXPECT_EQ(test, row->sums[1], sum);
	KUNIT_EXPECT_EQ(test, row->sums[2], numbers[MAP_NUMBERS - 1]);
	for (unsigned int i = 0; i < ARRAY_SIZE(ppms); i++) {
		u64 rank = max(DIV_ROUND_UP_ULL((u64)MAP_NUMBERS * ppms[i], 1000000), 1ULL);
		u64 exact = numbers[rank - 1];
		s64 other = others[rank - 1];
		u64 told = trace_map_quantile(r, row, 0, ppms[i], &nr);

		KUNIT_EXPECT_EQ(test, nr, MAP_NUMBERS);
		KUNIT_EXPECT_LE_MSG(test, abs((s64)(told - exact)), (s64)exact / 32,
				    "%u: %llu, not %llu", ppms[i], told, exact);
		told = trace_map_quantile(r, row, 1, ppms[i], &nr);
		KUNIT_EXPECT_LE_MSG(test, abs((s64)told - other), abs(other) / 32 + (other < 0),
				    "%u: %lld, not %lld", ppms[i], (s64)told, other);
	}
	row = map_row(test, r, 8);
	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_EXPECT_EQ(test, row->sums[2], 5);
	KUNIT_EXPECT_EQ(test, trace_map_quantile(r, row, 0, 250000, &nr), 24);
	KUNIT_EXPECT_EQ(test, (s64)trace_map_quantile(r, row, 1, 500000, &nr), -1);
	row = map_row(test, r, 9);
	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_EXPECT_EQ(test, trace_map_quantile(r, row, 0, 333333, &nr), 0);
	KUNIT_EXPECT_EQ(test, trace_map_quantile(r, row, 0, 500000, &nr), 10);
	KUNIT_EXPECT_EQ(test, trace_map_quantile(r, row, 0, 666667, &nr), 20);
	KUNIT_EXPECT_EQ(test, r->coarse, 0);
}

/* Hits that come behind a reading get groups that it has no memory for. */
static void quantiles_of_a_moment(struct kunit *test)
{
	struct trace_map *map = map_create(test, (struct trace_map_shape) {
		.key_size = 8, .spreads = 1, .groups = 64, .size = 4 });
	const struct trace_map_row *row;
	struct trace_map_reading *r;
	u64 nr, value = 5;

	KUNIT_EXPECT_TRUE(test, map_hit_folds(map, 1, &value));
	r = map_read(test, map);
	trace_map_reading_trim(r);
	row = map_row(test, r, 1);
	KUNIT_ASSERT_NOT_NULL(test, row);
	for (unsigned int i = 4; i < 64; i++) {
		value = 1ULL << i;
		KUNIT_EXPECT_TRUE(test, map_hit_folds(map, 1, &value));
	}
	KUNIT_EXPECT_EQ(test, trace_map_quantile(r, row, 0, 1000000, &nr), 5);
	KUNIT_EXPECT_EQ(test, nr, 1);
	r = map_read(test, map);
	row = map_row(test, r, 1);
	KUNIT_ASSERT_NOT_NULL(test, row);
	trace_map_quantile(r, row, 0, 1000000, &nr);
	KUNIT_EXPECT_EQ(test, nr, 61);
	KUNIT_EXPECT_EQ(test, r->groups, 61);
}

/* Numbers that find no bucket are told, and their hits are counted. */
static void groups_run_out(struct kunit *test)
{
	struct trace_map *map = map_create(test, (struct trace_map_shape) {
		.key_size = 8, .spreads = 1, .groups = 3, .size = 4 });
	const struct trace_map_row *row;
	struct trace_map_reading *r;
	u64 nr, value;

	for (u64 i = 0; i < 10; i++) {
		value = 1ULL << (4 * i);
		KUNIT_EXPECT_TRUE(test, map_hit_folds(map, 1, &value));
		KUNIT_EXPECT_TRUE(test, map_hit_folds(map, 1, &value));
	}
	r = map_read(test, map);
	KUNIT_EXPECT_EQ(test, r->coarse, 14);
	KUNIT_EXPECT_EQ(test, r->groups, 3);
	row = map_row(test, r, 1);
	KUNIT_ASSERT_NOT_NULL(test, row);
	KUNIT_EXPECT_EQ(test, row->sums[0], 20);
	KUNIT_EXPECT_EQ(test, trace_map_quantile(r, row, 0, 500000, &nr), 16);
	KUNIT_EXPECT_EQ(test, nr, 6);
	/* Clearing gives all of them back. */
	KUNIT_ASSERT_EQ(test, trace_map_clear(map), 0);
	value = 1ULL << 60;
	KUNIT_EXPECT_TRUE(test, map_hit_folds(map, 1, &value));
	r = map_read(test, map);
	KUNIT_EXPECT_EQ(test, r->coarse, 0);
	KUNIT_EXPECT_EQ(test, r->groups, 1);
}

static struct kunit_case map_cases[] = {
	KUNIT_CASE(counts_and_adds),
	KUNIT_CASE(keys_of_each_width),
	KUNIT_CASE(full_to_the_last_element),
	KUNIT_CASE(cleared),
	KUNIT_CASE(data_of_the_caller),
	KUNIT_CASE(clearing_has_a_bound),
	KUNIT_CASE(too_large_is_refused),
	KUNIT_CASE(keys_of_one_word),
	KUNIT_CASE(reading_after_reading),
	KUNIT_CASE(no_wait_for_a_period),
	KUNIT_CASE_SLOW(read_while_hit),
	KUNIT_CASE_SLOW(full_while_hit),
	KUNIT_CASE_SLOW(cleared_while_hit),
	KUNIT_CASE_SLOW(removed_while_hit),
	KUNIT_CASE(buckets_are_near),
	KUNIT_CASE(quantiles_are_near),
	KUNIT_CASE(quantiles_of_a_moment),
	KUNIT_CASE(groups_run_out),
	{}
};

static struct kunit_suite map_suite = {
	.name = "trace-lib-map",
	.test_cases = map_cases,
};

kunit_test_suite(map_suite);
