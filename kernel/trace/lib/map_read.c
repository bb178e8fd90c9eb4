// SPDX-License-Identifier: GPL-2.0
/*
 * Readings of a map, as map.c explains them: copies of what all CPUs have counted, and quantiles.
 * Its functions begin with map_.
 */
#include <linux/bitmap.h>
#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "lib/map_table.h"

/* The elements that have been taken are the first ones. A hit that is done has one of them. */
static unsigned int map_taken(const struct map_table *t)
{
	return min_t(unsigned int, atomic_read(&t->free.taken), t->shape.size);
}

/* The groups that have been taken are the first ones, too. */
static unsigned int map_groups_taken(const struct map_table *t)
{
	return min_t(unsigned int, atomic_read(&t->free_groups.taken), t->free_groups.size);
}

/* Counters of a set that a reading copies and adds: @nr from the first on, and @buckets. */
struct map_part {
	unsigned int	nr;
	unsigned int	buckets;
};

/* Copy what a CPU has counted in a set. False: a hit came in between, or is not done. */
static bool map_copy(const struct map_table *t, u64 *copy, struct map_part *part,
		     const local64_t *set)
{
	unsigned int first = t->groups_0 + TRACE_SPREAD_BUCKETS;

	copy[MAP_DONE] = local64_read(&set[MAP_DONE]);		/* (b) */
	/* (c) Pairs with the smp_wmb() of (6). */
	smp_rmb();
	part->nr = t->first + (copy[MAP_DONE] ? map_taken(t) * t->sums : 0);
	part->buckets = copy[MAP_DONE] ? map_groups_taken(t) * TRACE_SPREAD_BUCKETS : 0;
	for (unsigned int i = MAP_DONE + 1; i < part->nr; i++)
		copy[i] = local64_read(&set[i]);
	for (unsigned int i = first; i < first + part->buckets; i++)
		copy[i] = local64_read(&set[i]);
	/* (d) Pairs with the smp_wmb() of (5). */
	smp_rmb();
	copy[MAP_SEEN] = local64_read(&set[MAP_SEEN]);
	return copy[MAP_SEEN] == copy[MAP_DONE];
}

/* Of a maximum, add as much as it is larger by. */
static void map_add_maxima(struct map_reading *r, const struct map_table *t, unsigned int nr)
{
	for (unsigned int at = t->first + 1 + t->shape.values; at < nr; at += t->sums) {
		for (unsigned int i = at; i < at + t->shape.maxima; i++)
			r->copy[i] = max(r->copy[i], r->sums[i]) - r->sums[i];
	}
}

static void map_add_range(struct map_reading *r, unsigned int first, unsigned int nr)
{
	for (unsigned int i = first; i < first + nr; i++)
		r->sums[i] += r->copy[i];
}

static void map_add(struct map_reading *r, const struct map_table *t, const struct map_part *part)
{
	unsigned int first = t->groups_0 + TRACE_SPREAD_BUCKETS;

	map_add_maxima(r, t, part->nr);
	map_add_range(r, 0, part->nr);
	map_add_range(r, first, part->buckets);
}

/* Add what all CPUs have counted in the set that is closed. The table's mutex is held. */
static void map_add_closed(struct map_reading *r, const struct map_table *t)
{
	unsigned int closed = t->open ? 0 : t->set, cpu;
	struct map_part part;

	for_each_possible_cpu(cpu) {
		/* A hit has preemption off, so it is done soon. */
		while (!map_copy(t, r->copy, &part, t->cpus[cpu] + closed))
			usleep_range(10, 50);
		map_add(r, t, &part);
		cond_resched();
	}
}

static struct map_reading *map_reading_create(const struct map_table *t)
{
	struct map_reading *r = kzalloc(sizeof(*r), GFP_KERNEL);

	if (!r)
		return NULL;
	r->reading.rows = trace_map_memory(t->shape.size, sizeof(*r->reading.rows), NUMA_NO_NODE);
	r->sums = trace_map_memory(t->set, sizeof(u64), NUMA_NO_NODE);
	r->copy = trace_map_memory(t->set, sizeof(u64), NUMA_NO_NODE);
	if (r->reading.rows && r->sums && r->copy)
		return r;
	trace_map_reading_free(&r->reading);
	return NULL;
}

/* Make the rows of the elements that have been hit; the keys stay in the table. */
static void map_reading_fill(struct map_reading *r, const struct map_table *t)
{
	struct trace_map_reading *reading = &r->reading;

	for (unsigned int i = 1; i <= map_taken(t); i++) {
		const u64 *sums = &r->sums[map_sums(t, i)];
		struct trace_map_row *row = &reading->rows[reading->nr];

		if (!sums[0])
			continue;
		row->key = map_element(t, i)->key;
		row->data = map_data(t, i);
		row->sums = sums;
		reading->counted += sums[0];
		reading->nr++;
	}
	reading->seen = r->sums[MAP_SEEN];
	reading->full = r->sums[MAP_FULL];
	reading->coarse = r->sums[MAP_COARSE];
	reading->groups = map_groups_taken(t);
	memcpy(reading->books, &r->sums[MAP_BOOKS], t->shape.books * sizeof(u64));
	/* A key may have been refused after the set was closed. */
	if (reading->full)
		reading->refused = bitmap_weight(t->refused, t->shape.size);
	WARN_ON_ONCE(reading->seen != reading->counted + reading->full);
}

/**
 * trace_map_read - all that a map has counted
 * @map: the map
 *
 * Hits go on meanwhile. A hit that has not returned before is in this reading or in the next one.
 *
 * Context: task, may sleep; waits for hits that have begun.
 * Return: the reading, for trace_map_reading_free(); ERR_PTR(-ENOMEM): nothing is lost.
 */
struct trace_map_reading *trace_map_read(struct trace_map *map)
{
	struct map_table *t = trace_map_get(map);
	struct map_reading *r = map_reading_create(t);

	if (!r) {
		trace_map_table_put(t);
		return ERR_PTR(-ENOMEM);
	}
	scoped_guard(mutex, &t->mutex) {
		map_add_closed(r, t);
		WRITE_ONCE(t->open, t->open ? 0 : t->set);	/* (a) */
		map_add_closed(r, t);
	}
	map_reading_fill(r, t);
	r->groups_0 = r->sums + t->groups_0;
	kvfree(r->copy);
	r->copy = NULL;
	/* A reading keeps the table. */
	r->table = t;
	return &r->reading;
}

/**
 * trace_map_reading_trim - let a reading have no more memory than it needs
 * @reading: the reading, which may be kept for some time, beside others
 *
 * Context: task, may sleep. Without memory for a copy, the reading stays as it is.
 */
void trace_map_reading_trim(struct trace_map_reading *reading)
{
	struct map_reading *r = container_of(reading, struct map_reading, reading);
	const struct map_table *t = r->table;
	size_t nr = t->first + (size_t)map_taken(t) * t->sums;
	size_t buckets = (size_t)reading->groups * TRACE_SPREAD_BUCKETS;
	size_t bytes = (reading->nr + 1) * sizeof(*reading->rows);
	struct trace_map_row *rows = kvmalloc(bytes, GFP_KERNEL);
	u64 *sums = kvmalloc_array(nr + buckets, sizeof(*sums), GFP_KERNEL);

	if (!rows || !sums) {
		kvfree(rows);
		kvfree(sums);
		return;
	}
	memcpy(rows, reading->rows, reading->nr * sizeof(*rows));
	memcpy(sums, r->sums, nr * sizeof(*sums));
	memcpy(sums + nr, r->groups_0 + TRACE_SPREAD_BUCKETS, buckets * sizeof(*sums));
	for (unsigned int i = 0; i < reading->nr; i++)
		rows[i].sums = sums + (rows[i].sums - r->sums);
	kvfree(r->sums);
	kvfree(reading->rows);
	r->sums = sums;
	reading->rows = rows;
	r->groups_0 = sums + nr - TRACE_SPREAD_BUCKETS;
}

/**
 * trace_map_books_add - add the books of a reading to those of others
 * @to: their sum
 * @from: the reading
 *
 * Context: any.
 */
void trace_map_books_add(struct trace_map_reading *to, const struct trace_map_reading *from)
{
	to->seen += from->seen;
	to->counted += from->counted;
	to->full += from->full;
	to->refused += from->refused;
	to->coarse += from->coarse;
	for (unsigned int i = 0; i < TRACE_MAP_BOOKS_MAX; i++)
		to->books[i] += from->books[i];
}

/**
 * trace_map_add_books - add the books of a map, without its rows
 * @map: the map, of which no hits go on
 * @to: gets them
 *
 * Context: task; needs no memory.
 */
void trace_map_add_books(struct trace_map *map, struct trace_map_reading *to)
{
	struct map_table *t = trace_map_get(map);
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		for (unsigned int i = 0; i < 2; i++) {
			const local64_t *set = t->cpus[cpu] + i * t->set;

			to->seen += local64_read(&set[MAP_SEEN]);
			to->full += local64_read(&set[MAP_FULL]);
			to->coarse += local64_read(&set[MAP_COARSE]);
			for (unsigned int j = 0; j < t->shape.books; j++)
				to->books[j] += local64_read(&set[MAP_BOOKS + j]);
		}
	}
	to->counted = to->seen - to->full;
	to->refused += bitmap_weight(t->refused, t->shape.size);
	trace_map_table_put(t);
}

/*
 * The values in a group that a word has. Hits go on, and may have got the group behind the reading,
 * which has no copy of it.
 */
static const u64 *map_group_sums(const struct map_reading *r, u32 n)
{
	return n && n <= r->reading.groups ? r->groups_0 + (size_t)n * TRACE_SPREAD_BUCKETS : NULL;
}

/**
 * trace_map_quantile - of how many values a row's spread is, and which one stands where
 * @reading: the reading
 * @row: a row of it
 * @spread: which, below the shape's spreads
 * @ppm: at least so many millionths of the values, 1000000 at most, are not larger
 * @nr: how many values there are
 *
 * Context: task.
 * Return: the middle of the bucket that has the smallest such value; 0: there are none.
 */
u64 trace_map_quantile(const struct trace_map_reading *reading, const struct trace_map_row *row,
		       unsigned int spread, u32 ppm, u64 *nr)
{
	const struct map_reading *r = container_of(reading, struct map_reading, reading);
	const struct map_table *t = r->table;
	u32 n = ((unsigned long)row->key - sizeof(struct map_element) - t->element_0) / t->stride;
	const u32 *places = map_places(t, n, spread);
	u64 rank;

	*nr = 0;
	for (unsigned int i = 0; i < t->places; i++) {
		const u64 *sums = map_group_sums(r, READ_ONCE(places[i]));

		for (unsigned int j = 0; sums && j < TRACE_SPREAD_BUCKETS; j++)
			*nr += sums[j];
	}
	/* Rounded up, and the first at least. */
	rank = max(*nr - mul_u64_u32_div(*nr, 1000000 - ppm, 1000000), 1ULL);
	for (unsigned int i = 0; i < t->places; i++) {
		const u64 *sums = map_group_sums(r, READ_ONCE(places[i]));

		for (unsigned int j = 0; sums && j < TRACE_SPREAD_BUCKETS; j++) {
			if (sums[j] >= rank)
				return trace_spread_middle(i, j, t->shape.signed_spreads &
								 BIT(spread));
			rank -= sums[j];
		}
	}
	return 0;
}

/**
 * trace_map_seen - how many hits a map has seen so far
 * @map: the map
 *
 * Context: task; does not wait for hits or readings.
 * Return: the number.
 */
u64 trace_map_seen(struct trace_map *map)
{
	struct map_table *t = trace_map_get(map);
	unsigned int cpu;
	u64 seen = 0;

	for_each_possible_cpu(cpu)
		seen += local64_read(t->cpus[cpu] + MAP_SEEN) +
			local64_read(t->cpus[cpu] + t->set + MAP_SEEN);
	trace_map_table_put(t);
	return seen;
}

/**
 * trace_map_reading_free - undo trace_map_read()
 * @reading: what it returned
 *
 * Context: task, may sleep.
 */
void trace_map_reading_free(struct trace_map_reading *reading)
{
	struct map_reading *r = container_of(reading, struct map_reading, reading);

	if (r->table)
		trace_map_table_put(r->table);
	kvfree(r->copy);
	kvfree(r->sums);
	kvfree(reading->rows);
	kfree(r);
}
