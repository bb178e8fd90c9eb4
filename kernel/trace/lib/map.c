// SPDX-License-Identifier: GPL-2.0
/*
 * A map that aggregates; map.h tells what for.
 *
 * A table has ELEMENTS, which all CPUs share, and COUNTERS, of which each CPU has its own. An
 * element is a key and the number of the next element in its bucket. It does not change after
 * it has been put into the bucket, and stays there as long as the table. So a hit on a key that
 * is known reads the element, and writes its CPU's counters of that element only.
 *
 * INSERTION. A bucket is a list to whose front elements are added:
 *
 *	n = a free element					(1)
 *	head = bucket						(2) acquire
 *	is the key in an element from head on?  give n back	(3)
 *	n->key = key, n->next = head
 *	cmpxchg(bucket, head, n)				(4) full, or again from (2)
 *
 * Only complete elements can be found: there is no state of an element for which anybody could
 * have to wait. (4) fails if another element came into the bucket since (2), and then the search
 * of (3) goes on from the new head to the one that was looked at before. It may be that an
 * interrupt has inserted the same key meanwhile. So a key has one element at most, and each
 * repetition means that another hit has got on: an insertion is lock-free, and repeats at most
 * as often as there are elements. The acquire of (2), in a search as well, pairs with (4) of the
 * newest element; those before it are covered by the acquire of the CPU that added it.
 *
 * FREE ELEMENTS. The next one that was never taken comes from a counter, which does not move any
 * more when all are taken. An element that is given back was never in a bucket, so nobody else
 * looks at it; its bit in a bitmap tells that it is free. Elements on the way between (1) and (3)
 * are not free: a hit on a new key that comes then may find none, is dropped, and counted. A hit on
 * a key that is in its bucket is never dropped, as it does not look for a free element; and one
 * that finds none looks at the bucket once more.
 *
 * BOOKS. A hit counts itself as seen first, then for its element or as dropped. There are two
 * sets of counters. The offset of the open set is read once by each hit, which then counts
 * everything in that set. READING closes a set:
 *
 *	open = the other set, which is all zero			(a) release
 *	wait for hits that have begun				(b)
 *	closed += each CPU's closed set, which becomes zero	(c)
 *
 * After (b) nobody writes the closed set. So each hit is in it as a whole or not at all, and its
 * books balance: seen = counted + full. The hits go on meanwhile. The release of (a) pairs with the
 * dependency from the offset to the counters in a hit, which so finds the zeros of (c).
 *
 * CLEARING puts a new table in the place of the old one, which is freed when the hits that
 * have begun are done with it. Their hits are cleared as well. A reading has a reference to its
 * table and a mutex of the table, so that clearing waits for no reader.
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/workqueue.h>

#include <asm/local64.h>

#include "lib/map.h"

/* An element; constant once it is in a bucket. Elements have numbers from 1, 0 is none. */
struct map_element {
	u32	hash;
	u32	next;
	u64	key[];
};

/*
 * The first counters of a set; the caller's books follow, and those of element n: its hits, and
 * the sums.
 */
enum {
	MAP_SEEN,
	MAP_FULL,
	MAP_BOOKS,
};

/*
 * A table. Beside a member that is not constant stands how it changes. An insertion writes to
 * other cache lines than those that each hit reads.
 */
struct map_table {
	struct trace_map_shape	shape;
	unsigned int		words;		/* u64 of a key */
	unsigned int		stride;		/* bytes from an element to the next */
	unsigned int		sums;		/* of an element */
	unsigned int		mask;		/* of buckets */
	unsigned int		first;		/* counters before those of elements */
	unsigned int		set;		/* counters of a set */
	unsigned int		open;		/* mutex, READ_ONCE(); offset of a set */
	u64			seed;
	u32			*buckets;	/* smp_load_acquire(), cmpxchg() */
	void			*elements;
	void			*data;		/* the caller's */
	unsigned long		*spares;	/* atomic bits: given back */
	unsigned long		*refused;	/* atomic bits: hashes of keys that did not fit */
	u64			*closed;	/* mutex; sums of the closed sets */
	size_t			bytes;
	refcount_t		ref;		/* of the map, of readings */
	struct mutex		mutex;		/* one reading at a time */
	spinlock_t		seen_lock;	/* MAP_SEEN of a closed set moves to the sums */
	struct work_struct	retire;
	atomic_t		taken ____cacheline_aligned_in_smp;
	atomic_t		nr_spares;
	local64_t		*cpus[] ____cacheline_aligned_in_smp;	/* own CPU: both sets */
};

struct trace_map {
	struct map_table	*table;		/* lock, smp_load_acquire() */
	spinlock_t		lock;
};

/* A reading with its memory; trace_map_read() returns the first member. */
struct map_reading {
	struct trace_map_reading	reading;
	struct map_table		*table;		/* has the keys */
	u64				*sums;
};

static struct map_element *map_element(const struct map_table *t, u32 n)
{
	return t->elements + (size_t)(n - 1) * t->stride;
}

static u32 map_hash(const struct map_table *t, const u64 *key)
{
	u64 hash = t->seed;

	for (unsigned int i = 0; i < t->words; i++) {
		hash = (hash ^ key[i]) * GOLDEN_RATIO_64;
		hash ^= hash >> 32;
	}
	return hash;
}

static bool map_is_key(const struct map_table *t, const struct map_element *element,
		       const u64 *key)
{
	for (unsigned int i = 0; i < t->words; i++) {
		if (element->key[i] != key[i])
			return false;
	}
	return true;
}

/* The element of a key in a bucket from element @n up to, without it, @end; 0: there is none. */
static u32 map_search(const struct map_table *t, u32 n, u32 end, const u64 *key, u32 hash)
{
	while (n != end) {
		const struct map_element *element = map_element(t, n);

		if (element->hash == hash && map_is_key(t, element, key))
			return n;
		n = element->next;
	}
	return 0;
}

/* A free element, 0: there is none. */
static u32 map_take(struct map_table *t)
{
	unsigned long i;
	unsigned int n;

	/* Each context of each CPU may add one too many, once. */
	if (atomic_read(&t->taken) < t->shape.size) {
		n = atomic_fetch_inc(&t->taken);
		if (n < t->shape.size)
			return n + 1;
	}
	if (!atomic_read(&t->nr_spares))
		return 0;
	for_each_set_bit(i, t->spares, t->shape.size) {
		if (test_and_clear_bit(i, t->spares)) {
			atomic_dec(&t->nr_spares);
			return i + 1;
		}
	}
	return 0;
}

static void map_give_back(struct map_table *t, u32 n)
{
	set_bit(n - 1, t->spares);
	atomic_inc(&t->nr_spares);
}

/* Put a key into its bucket, of which the search has seen what @seen begins. 0: no place. */
static noinline u32 map_insert(struct map_table *t, u32 *bucket, u32 seen, const u64 *key, u32 hash)
{
	struct map_element *element;
	u32 n = map_take(t), head, found;

	if (!n) {
		/* Pairs with the cmpxchg() of another insertion. */
		head = smp_load_acquire(bucket);
		return map_search(t, head, seen, key, hash);
	}
	element = map_element(t, n);
	element->hash = hash;
	memcpy(element->key, key, t->shape.key_size + t->shape.note_size);
	do {
		/* Pairs with the cmpxchg() of another insertion. */
		head = smp_load_acquire(bucket);
		found = map_search(t, head, seen, key, hash);
		if (found) {
			map_give_back(t, n);
			return found;
		}
		seen = head;
		element->next = head;
	} while (cmpxchg(bucket, head, n) != head);
	return n;
}

/* A key did not fit: count the hit, and note the key. The bit is seldom written twice. */
static noinline void map_refuse(struct map_table *t, local64_t *set, u32 hash)
{
	unsigned int bit = hash % t->shape.size;

	local64_inc(&set[MAP_FULL]);
	if (!test_bit(bit, t->refused))
		set_bit(bit, t->refused);
}

/* The caller's data at an element. */
static void *map_data(const struct map_table *t, u32 n)
{
	return t->data + (size_t)(n - 1) * t->shape.data_size;
}

/* The counters of an element in a set. */
static size_t map_sums(const struct map_table *t, u32 n)
{
	return t->first + (size_t)(n - 1) * t->sums;
}

/**
 * trace_map_hit_data - count a hit, and add its values
 * @map: the map
 * @key: the key, with zeros where it is shorter than the map's keys; its note behind it
 * @values: as many as the map has
 *
 * Context: any, NMI included; preemption is off, so that the map's synchronize() can wait.
 * Return: the caller's data at the key; NULL: the key is new and has no place. The hit is counted
 * as such.
 */
void *trace_map_hit_data(struct trace_map *map, const u64 *key, const u64 *values)
{
	/* Pairs with the smp_store_release() in trace_map_clear(). */
	struct map_table *t = smp_load_acquire(&map->table);
	/* Pairs with the smp_store_release() in map_close(), by the dependency. */
	local64_t *set = t->cpus[raw_smp_processor_id()] + READ_ONCE(t->open), *sum;
	u32 hash = map_hash(t, key), *bucket = &t->buckets[hash & t->mask];
	/* Pairs with the cmpxchg() in map_insert(). */
	u32 head = smp_load_acquire(bucket), n;

	local64_inc(&set[MAP_SEEN]);
	n = map_search(t, head, 0, key, hash);
	if (unlikely(!n)) {
		n = map_insert(t, bucket, head, key, hash);
		if (!n) {
			map_refuse(t, set, hash);
			return NULL;
		}
	}
	sum = &set[map_sums(t, n)];
	local64_inc(sum);
	for (unsigned int i = 0; i < t->shape.values; i++)
		local64_add(values[i], &sum[i + 1]);
	return map_data(t, n);
}

/**
 * trace_map_find - find a key without a hit
 * @map: the map
 * @key: the key, as trace_map_hit_data() takes it; there need not be a note behind it
 *
 * Context: any, NMI included; preemption is off.
 * Return: the caller's data at the key; NULL: the map does not know the key.
 */
void *trace_map_find(struct trace_map *map, const u64 *key)
{
	/* Pairs with the smp_store_release() in trace_map_clear(). */
	struct map_table *t = smp_load_acquire(&map->table);
	u32 hash = map_hash(t, key);
	/* Pairs with the cmpxchg() in map_insert(). */
	u32 n = map_search(t, smp_load_acquire(&t->buckets[hash & t->mask]), 0, key, hash);

	return n ? map_data(t, n) : NULL;
}

/**
 * trace_map_count - add one to a counter of the caller
 * @map: the map
 * @book: which, below the shape's books
 *
 * Context: any, NMI included; preemption is off.
 */
void trace_map_count(struct trace_map *map, unsigned int book)
{
	/* Pairs with the smp_store_release() in trace_map_clear(). */
	struct map_table *t = smp_load_acquire(&map->table);

	/* Pairs with the smp_store_release() in map_close(), by the dependency. */
	local64_inc(t->cpus[raw_smp_processor_id()] + READ_ONCE(t->open) + MAP_BOOKS + book);
}

static void map_table_free(struct map_table *t)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		kvfree(t->cpus[cpu]);
	kvfree(t->closed);
	kvfree(t->refused);
	kvfree(t->spares);
	kvfree(t->data);
	kvfree(t->elements);
	kvfree(t->buckets);
	kvfree(t);
}

static void map_table_put(struct map_table *t)
{
	if (refcount_dec_and_test(&t->ref))
		map_table_free(t);
}

/* The table has been replaced: wait for hits, where nobody waits for this. */
static void map_retire(struct work_struct *work)
{
	struct map_table *t = container_of(work, struct map_table, retire);

	t->shape.synchronize();
	map_table_put(t);
}

static void *map_alloc(struct map_table *t, size_t n, size_t size, int node)
{
	size_t bytes = array_size(n, size);

	if (bytes == SIZE_MAX)
		return NULL;
	t->bytes += bytes;
	return kvzalloc_node(bytes, GFP_KERNEL, node);
}

/* All memory that hits need. */
static bool map_table_fill(struct map_table *t)
{
	unsigned int size = t->shape.size, cpu;

	t->buckets = map_alloc(t, t->mask + 1, sizeof(u32), NUMA_NO_NODE);
	t->elements = map_alloc(t, size, t->stride, NUMA_NO_NODE);
	/* With no data, an address is still told from NULL. */
	t->data = map_alloc(t, size, t->shape.data_size ?: 1, NUMA_NO_NODE);
	t->spares = map_alloc(t, BITS_TO_LONGS(size), sizeof(long), NUMA_NO_NODE);
	t->refused = map_alloc(t, BITS_TO_LONGS(size), sizeof(long), NUMA_NO_NODE);
	t->closed = map_alloc(t, t->set, sizeof(u64), NUMA_NO_NODE);
	if (!t->buckets || !t->elements || !t->data || !t->spares || !t->refused || !t->closed)
		return false;
	for_each_possible_cpu(cpu) {
		t->cpus[cpu] = map_alloc(t, 2 * t->set, sizeof(local64_t), cpu_to_node(cpu));
		if (!t->cpus[cpu])
			return false;
	}
	return true;
}

static struct map_table *map_table_create(const struct trace_map_shape *shape)
{
	size_t bytes = struct_size_t(struct map_table, cpus, nr_cpu_ids);
	struct map_table *t = kvzalloc(bytes, GFP_KERNEL);

	if (!t)
		return NULL;
	t->bytes = bytes;
	t->shape = *shape;
	t->words = shape->key_size / sizeof(u64);
	t->stride = sizeof(struct map_element) + shape->key_size + shape->note_size;
	t->sums = 1 + shape->values;
	t->mask = (shape->buckets ?: roundup_pow_of_two(shape->size)) - 1;
	/* Whole cache lines, so that the hits of the two sets share none. */
	t->first = MAP_BOOKS + shape->books;
	t->set = ALIGN(t->first + shape->size * t->sums, SMP_CACHE_BYTES / sizeof(u64));
	t->seed = get_random_u64();
	refcount_set(&t->ref, 1);
	mutex_init(&t->mutex);
	spin_lock_init(&t->seen_lock);
	INIT_WORK(&t->retire, map_retire);
	if (!map_table_fill(t)) {
		map_table_free(t);
		return NULL;
	}
	return t;
}

static bool map_shape_is_good(const struct trace_map_shape *shape)
{
	return shape->key_size && shape->key_size <= TRACE_MAP_KEY_MAX &&
	       IS_ALIGNED(shape->key_size | shape->note_size, sizeof(u64)) &&
	       shape->note_size <= TRACE_MAP_KEY_MAX && shape->values <= TRACE_MAP_VALUES_MAX &&
	       shape->data_size <= TRACE_MAP_DATA_MAX &&
	       IS_ALIGNED(shape->data_size, sizeof(u64)) && shape->books <= TRACE_MAP_BOOKS_MAX &&
	       shape->size && shape->size <= TRACE_MAP_SIZE_MAX &&
	       (!shape->buckets || is_power_of_2(shape->buckets)) && shape->synchronize;
}

/**
 * trace_map_create - make a map
 * @shape: what for; it is copied
 *
 * Context: task, may sleep.
 * Return: the map; ERR_PTR(): -EINVAL or -ENOMEM.
 */
struct trace_map *trace_map_create(const struct trace_map_shape *shape)
{
	struct trace_map *map;

	if (WARN_ON_ONCE(!map_shape_is_good(shape)))
		return ERR_PTR(-EINVAL);
	map = kzalloc(sizeof(*map), GFP_KERNEL);
	if (!map)
		return ERR_PTR(-ENOMEM);
	spin_lock_init(&map->lock);
	map->table = map_table_create(shape);
	if (!map->table) {
		kfree(map);
		return ERR_PTR(-ENOMEM);
	}
	return map;
}

/**
 * trace_map_free - undo trace_map_create()
 * @map: the map; NULL or an error: nothing is done. Readings of it stay
 *
 * Context: task, may sleep; each hit has returned, and nobody reads or clears the map.
 */
void trace_map_free(struct trace_map *map)
{
	if (IS_ERR_OR_NULL(map))
		return;
	map_table_put(map->table);
	kfree(map);
}

/**
 * trace_map_bytes - the memory of a map
 * @map: the map
 *
 * Context: task.
 * Return: bytes. While a map is cleared, it has them twice.
 */
size_t trace_map_bytes(const struct trace_map *map)
{
	/* Tables of a map are all of one shape. */
	return sizeof(*map) + data_race(map->table->bytes);
}

/* Get a reference to the table. */
static struct map_table *map_get(struct trace_map *map)
{
	guard(spinlock)(&map->lock);
	refcount_inc(&map->table->ref);
	return map->table;
}

/* Close the open set of a table, see above. The table's mutex is held. */
static void map_close(struct map_table *t)
{
	unsigned int was = t->open, cpu;

	/* (a) Pairs with the dependency in trace_map_hit_data(). */
	smp_store_release(&t->open, was ? 0 : t->set);
	t->shape.synchronize();				/* (b) */
	for_each_possible_cpu(cpu) {			/* (c) */
		local64_t *set = t->cpus[cpu] + was;

		scoped_guard(spinlock, &t->seen_lock) {
			t->closed[MAP_SEEN] += local64_read(&set[MAP_SEEN]);
			local64_set(&set[MAP_SEEN], 0);
		}
		for (unsigned int i = MAP_SEEN + 1; i < t->set; i++) {
			u64 count = local64_read(&set[i]);

			if (!count)
				continue;
			t->closed[i] += count;
			local64_set(&set[i], 0);
		}
		cond_resched();
	}
}

/* The elements that have been hit. */
static unsigned int map_used(const struct map_table *t)
{
	unsigned int used = 0;

	for (unsigned int i = 1; i <= t->shape.size; i++)
		used += !!t->closed[map_sums(t, i)];
	return used;
}

static struct map_reading *map_reading_create(const struct map_table *t, unsigned int nr)
{
	struct map_reading *r = kzalloc(sizeof(*r), GFP_KERNEL);

	if (!r)
		return NULL;
	r->reading.rows = kvcalloc(nr + 1, sizeof(*r->reading.rows), GFP_KERNEL);
	r->sums = kvcalloc((size_t)nr * t->sums + 1, sizeof(u64), GFP_KERNEL);
	if (r->reading.rows && r->sums)
		return r;
	trace_map_reading_free(&r->reading);
	return NULL;
}

/* Copy the sums of what has been closed; the keys stay in the table. */
static void map_reading_fill(struct map_reading *r, struct map_table *t)
{
	struct trace_map_reading *reading = &r->reading;
	u64 *to = r->sums;

	for (unsigned int i = 1; i <= t->shape.size; i++) {
		const u64 *sums = &t->closed[map_sums(t, i)];
		struct trace_map_row *row = &reading->rows[reading->nr];

		if (!sums[0])
			continue;
		row->key = map_element(t, i)->key;
		row->data = map_data(t, i);
		row->sums = memcpy(to, sums, t->sums * sizeof(u64));
		to += t->sums;
		reading->counted += sums[0];
		reading->nr++;
	}
	reading->seen = t->closed[MAP_SEEN];
	reading->full = t->closed[MAP_FULL];
	memcpy(reading->books, &t->closed[MAP_BOOKS], t->shape.books * sizeof(u64));
	/* A key may have been refused after the set was closed. */
	if (reading->full)
		reading->refused = bitmap_weight(t->refused, t->shape.size);
	WARN_ON_ONCE(reading->seen != reading->counted + reading->full);
	r->table = t;
}

/**
 * trace_map_read - all that a map has counted
 * @map: the map
 *
 * Hits go on meanwhile, and are in the next reading.
 *
 * Context: task, may sleep; waits for hits that have begun.
 * Return: the reading, for trace_map_reading_free(); ERR_PTR(-ENOMEM): nothing is lost.
 */
struct trace_map_reading *trace_map_read(struct trace_map *map)
{
	struct map_table *t = map_get(map);
	struct map_reading *r;

	scoped_guard(mutex, &t->mutex) {
		map_close(t);
		r = map_reading_create(t, map_used(t));
		if (r)
			map_reading_fill(r, t);
	}
	/* A reading keeps the table. */
	if (r)
		return &r->reading;
	map_table_put(t);
	return ERR_PTR(-ENOMEM);
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
	struct map_table *t = map_get(map);
	unsigned int cpu;
	u64 seen;

	scoped_guard(spinlock, &t->seen_lock) {
		seen = t->closed[MAP_SEEN];
		for_each_possible_cpu(cpu)
			seen += local64_read(t->cpus[cpu] + MAP_SEEN) +
				local64_read(t->cpus[cpu] + t->set + MAP_SEEN);
	}
	map_table_put(t);
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
		map_table_put(r->table);
	kvfree(r->sums);
	kvfree(reading->rows);
	kfree(r);
}

/**
 * trace_map_clear - forget all keys and counts
 * @map: the map
 *
 * Hits go on meanwhile. A hit that has begun is forgotten as well, or is the first one that
 * counts again.
 *
 * Context: task, may sleep; does not wait for hits or readings. The caller has the map cleared by
 * one task at a time.
 * Return: 0; -ENOMEM: the map is as it was.
 */
int trace_map_clear(struct trace_map *map)
{
	/* Tables of a map are all of one shape. */
	struct map_table *old = map->table, *t = map_table_create(&old->shape);

	if (!t)
		return -ENOMEM;
	scoped_guard(spinlock, &map->lock) {
		/* Pairs with the smp_load_acquire() in trace_map_hit_data(). */
		smp_store_release(&map->table, t);
	}
	queue_work(system_unbound_wq, &old->retire);
	return 0;
}
