/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lib/ inside: a table of a map, which map.c explains. Hits write to it (map.c), and readings copy
 * it (map_read.c). Its functions begin with map_.
 */
#ifndef _TRACE_LIB_MAP_TABLE_H
#define _TRACE_LIB_MAP_TABLE_H

#include <linux/atomic.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <asm/local64.h>

#include "lib/map.h"
#include "lib/spread.h"

/* An element; constant once it is in a bucket. Elements have numbers from 1, 0 is none. */
struct map_element {
	u32	hash;
	u32	next;
	u64	key[];
};

/*
 * The first counters of a set; the caller's books follow, those of element n: its hits, the sums
 * and the maxima; and those of group n: its buckets.
 */
enum {
	MAP_SEEN,
	MAP_DONE,
	MAP_FULL,
	MAP_COARSE,
	MAP_BOOKS,
};

/* Numbers from 1 to @size, which hits take and seldom give back. */
struct map_pool {
	atomic_t	taken ____cacheline_aligned_in_smp;
	atomic_t	nr_spares;
	unsigned int	size;
	unsigned long	*spares;	/* atomic bits: given back */
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
	int			sums_0;		/* where element 0 would have its counters */
	unsigned int		set;		/* counters of a set */
	int			groups_0;	/* where group 0 would have its counters */
	unsigned int		places;		/* words for groups of a spread */
	unsigned int		open;		/* mutex, READ_ONCE(); offset of a set */
	u64			seed;
	u32			*buckets;	/* smp_load_acquire(), cmpxchg() */
	void			*elements;
	unsigned long		element_0;	/* where element 0 would be, which there is not */
	void			*data;		/* the caller's */
	u32			*groups;	/* smp_load_acquire(), cmpxchg(); of elements */
	unsigned long		*refused;	/* atomic bits: hashes of keys that did not fit */
	size_t			bytes;
	refcount_t		ref;		/* of the map, of readings */
	struct mutex		mutex;		/* one reading at a time */
	struct work_struct	retire;
	struct map_pool		free;		/* elements */
	struct map_pool		free_groups;
	local64_t		*cpus[] ____cacheline_aligned_in_smp;	/* own CPU: both sets */
};

struct trace_map {
	struct map_table	*table;		/* lock, smp_load_acquire() */
	size_t			bytes;		/* constant; of a table, all are of one shape */
	spinlock_t		lock;
};

/*
 * A reading with its memory; trace_map_read() returns the first member. @sums: counters as a set
 * has them, of all CPUs; @copy: of one CPU's set; @groups_0: where group 0 would have its buckets.
 */
struct map_reading {
	struct trace_map_reading	reading;
	struct map_table		*table;		/* has the keys */
	u64				*sums;
	u64				*copy;
	const u64			*groups_0;
};

void *trace_map_memory(size_t n, size_t size, int node);
struct map_table *trace_map_get(struct trace_map *map);
void trace_map_table_put(struct map_table *t);

static inline struct map_element *map_element(const struct map_table *t, u32 n)
{
	return (void *)(t->element_0 + (size_t)n * t->stride);
}

/* The caller's data at an element. */
static inline void *map_data(const struct map_table *t, u32 n)
{
	return t->data + (size_t)(n - 1) * t->shape.data_size;
}

/* The counters of an element in a set. */
static inline size_t map_sums(const struct map_table *t, u32 n)
{
	return t->sums_0 + (size_t)n * t->sums;
}

/* The words for groups of a spread of an element. */
static inline u32 *map_places(const struct map_table *t, u32 n, unsigned int spread)
{
	return &t->groups[((size_t)(n - 1) * t->shape.spreads + spread) * t->places];
}

#endif /* _TRACE_LIB_MAP_TABLE_H */
