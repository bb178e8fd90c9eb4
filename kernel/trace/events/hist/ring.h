/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/hist/ inside: the tables of a histogram with "interval=", one for each interval that has
 * hits. ring.c explains them.
 */
#ifndef _TRACE_EVENTS_HIST_RING_H
#define _TRACE_EVENTS_HIST_RING_H

#include <linux/list.h>
#include <linux/refcount.h>

#include "lib/map.h"

#define HIST_KEEP_MAX		1024
#define HIST_KEEP		8	/* closed tables, unless a number is given */

/* No hit has come, so it is not known when it begins. */
#define HIST_RING_UNSET		U64_MAX

struct hist_ring;

/**
 * struct hist_ring_table - a table
 * @map:	its sums; constant
 * @seq:	its number in the ring; constant
 * @begin:	stamp of its begin, or HIST_RING_UNSET; atomic, set once
 * @late:	0, or the end of the last interval of which it has hits; atomic
 * @ref:	of the ring, of readers
 * @list:	of those that are not kept any more; the ring's lock
 */
struct hist_ring_table {
	struct trace_map	*map;
	u64			seq;
	atomic64_t		begin;
	atomic64_t		late;
	refcount_t		ref;
	struct list_head	list;
};

/**
 * struct hist_ring_sum - the books of a ring
 * @tables:	that have gone
 * @bytes:	of the tables that there are
 * @books:	those of the hits of these tables
 */
struct hist_ring_sum {
	u64				tables;
	size_t				bytes;
	struct trace_map_reading	books;
};

/* Task, may sleep. */
struct hist_ring *trace_hist_ring_create(const struct trace_map_shape *shape, u64 interval,
					 unsigned int keep);
void trace_hist_ring_put(struct hist_ring *ring);
void trace_hist_ring_retire(struct hist_ring *ring);
int trace_hist_rings_settle(void);
struct hist_ring *trace_hist_ring_get(struct hist_ring *const *from);
struct hist_ring_table **trace_hist_ring_hold(struct hist_ring *ring, u64 now,
					      struct hist_ring_sum *gone, unsigned int *nr_going);
void trace_hist_ring_release(struct hist_ring_table **tables);
u64 trace_hist_ring_end(const struct hist_ring *ring, struct hist_ring_table *table);
u64 trace_hist_ring_seen(struct hist_ring *ring);
size_t trace_hist_ring_bytes(struct hist_ring *ring);
struct hist_ring *trace_hist_ring_again(const struct hist_ring *ring);
void trace_hist_rings_flush(void);
int trace_hist_rings_init(void);

/* Any context, NMI included, preemption is off. */
struct trace_map *trace_hist_ring_hit(struct hist_ring *ring, u64 now);

#endif /* _TRACE_EVENTS_HIST_RING_H */
