// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of a histogram with "interval=T:keep=N". Time is cut into intervals, at multiples of
 * T. The hits of an interval count in a table of their own, which is a map. There is one open
 * table, before it in the ring are N closed ones at most, and behind it some that are ready:
 *
 *	gone ... | closed  closed  closed | open | ready  ready |
 *
 * A table is CLOSED by the hit that finds that its interval is over, or by a reader of the file
 * "hist", whichever comes first. If there are neither hits nor readers, nobody misses a table, so
 * no timer and no task is needed for it. An interval without hits has no table.
 *
 *	s = open					(1)
 *	t = table s					has it this number? if not, again from (1)
 *	now - t->begin < T?				count in it
 *	n = table s + 1, is it ready?			(2) acquire
 *	cmpxchg(n->begin, UNSET, begin of now's interval)
 *	cmpxchg(open, s, s + 1)				(3)
 *
 * A hit waits for nobody: if another one was faster at a cmpxchg(), it has done the same. A reader
 * leaves out the line before (3), so the first hit says when the table begins. The order of tables
 * is never changed. A hit with a stamp before the begin of the open table, as of a CPU that was
 * late, counts in the open one.
 *
 * Tables are MADE by a work item, on any CPU, which (3) asks for, and by readers. They take the
 * oldest table off if more than N are closed, and make the next ones ready. They may not come: all
 * CPUs may be busy, or the one that began to work. Then (2) finds none, and hits go on in the open
 * table until one is ready, so none is lost. The table's end says which intervals it has. The next
 * table may have hits of the last one of these, too.
 *
 * A table that was taken off is looked at when hits that have found it before are done, by another
 * work item; then its books are added to those of the ring, and it is freed. As long as
 * RING_GOING_MAX of them wait for that, no more are made ready, so a ring has N + 1 +
 * RING_READY + RING_GOING_MAX tables at most.
 *
 * CLEARING puts a new ring in the place of the old one, as map.c does with a table.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "events/hist/ring.h"
#include "lib/request.h"
#include "lib/wait.h"

#define RING_READY	2	/* tables */
#define RING_GOING_MAX	2	/* tables that wait for hits before no more are made */
#define RING_RETIRED_MAX 8	/* rings that wait for hits before those who clear wait */

/**
 * struct hist_ring - the tables
 * @open:	the number of the open one; atomic
 * @interval:	T; constant
 * @keep:	N; constant
 * @mask:	of a number, for its place in @table; constant
 * @shape:	of all maps; constant
 * @lock:	of the tables and their books
 * @first:	number of the oldest table; lock
 * @ready:	number of the last one; lock
 * @nr_going:	tables that were taken off; lock
 * @going:	their list; lock
 * @settled:	the last one of @going that no hit is in any more; ring_drop
 * @gone:	the books of those that are freed; lock
 * @ref:	of its histogram, of readers, of work
 * @list:	of all rings; ring_lock
 * @retired:	of those that were replaced; ring_lock
 * @rcu:	frees it
 * @table:	lock, smp_load_acquire(); NULL: there is none of this number yet
 */
struct hist_ring {
	atomic64_t			open;
	u64				interval;
	unsigned int			keep;
	unsigned int			mask;
	struct trace_map_shape		shape;
	spinlock_t			lock;		/* the tables and their books */
	u64				first;
	u64				ready;
	unsigned int			nr_going;
	struct list_head		going;
	struct hist_ring_table		*settled;
	struct hist_ring_sum		gone;
	refcount_t			ref;
	struct list_head		list;
	struct list_head		retired;
	struct rcu_head			rcu;
	struct hist_ring_table		*table[];
};

static DEFINE_SPINLOCK(ring_lock);
static LIST_HEAD(ring_list);		/* ring_lock */
static LIST_HEAD(ring_retired);		/* ring_lock */
static atomic_t ring_nr_retired = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(ring_settled);

static struct trace_request ring_request;

static void ring_make_work(struct work_struct *work);
static void ring_drop_work(struct work_struct *work);
static DECLARE_WORK(ring_make, ring_make_work);
static DECLARE_WORK(ring_drop, ring_drop_work);

static struct hist_ring_table *ring_table(struct hist_ring *ring, u64 seq)
{
	/* (2) Pairs with the smp_store_release() of ring_link(). */
	struct hist_ring_table *t = smp_load_acquire(&ring->table[seq & ring->mask]);

	/* While the caller did not run, the ring may have come round. */
	return t && t->seq == seq ? t : NULL;
}

/* The interval of a stamp begins at the stamp or before. */
static u64 ring_begin(const struct hist_ring *ring, u64 now)
{
	u64 into;

	div64_u64_rem(now, ring->interval, &into);
	return now - into;
}

/* The first hit of a table says when it begins: not before the end of the table before it. */
static void ring_set_begin(struct hist_ring *ring, struct hist_ring_table *t, u64 now)
{
	struct hist_ring_table *before = ring_table(ring, t->seq - 1);
	u64 begin = ring_begin(ring, now), end;

	end = before ? atomic64_read(&before->begin) + ring->interval : begin;
	if ((s64)(end - begin) > 0)
		begin = end;
	atomic64_cmpxchg(&t->begin, HIST_RING_UNSET, begin);
}

static bool ring_is_over(const struct hist_ring *ring, u64 begin, u64 now)
{
	return (s64)(now - begin) >= (s64)ring->interval;
}

/* No table is ready: note which interval the hit is of. */
static void ring_is_late(struct hist_ring *ring, struct hist_ring_table *t, u64 now)
{
	u64 end = ring_begin(ring, now) + ring->interval;
	s64 old = atomic64_read(&t->late);

	do {
		if ((s64)(end - old) <= 0 && old)
			break;
	} while (!atomic64_try_cmpxchg(&t->late, &old, end));
	trace_request_raise(&ring_request);
}

/*
 * Open the next table, if there is one. False: there is none. @hit: a hit is going to count in it.
 */
static bool ring_next(struct hist_ring *ring, struct hist_ring_table *t, u64 now, bool hit)
{
	struct hist_ring_table *next = ring_table(ring, t->seq + 1);

	if (!next)
		return false;
	if (hit)
		ring_set_begin(ring, next, now);
	/* (3) */
	if (atomic64_cmpxchg(&ring->open, t->seq, t->seq + 1) == t->seq)
		trace_request_raise(&ring_request);
	return true;
}

/* The open table has no begin yet, or its interval is over, or the ring has come round. */
static noinline struct trace_map *ring_over(struct hist_ring *ring, u64 now)
{
	for (;;) {
		struct hist_ring_table *t = ring_table(ring, atomic64_read_acquire(&ring->open));
		u64 begin;

		if (!t)
			continue;
		begin = atomic64_read(&t->begin);
		if (begin == HIST_RING_UNSET) {
			ring_set_begin(ring, t, now);
			continue;
		}
		if (!ring_is_over(ring, begin, now))
			return t->map;
		if (!ring_next(ring, t, now, true)) {
			/* It may have become the closed one of a number that is open again. */
			if (atomic64_read(&ring->open) != t->seq)
				continue;
			ring_is_late(ring, t, now);
			return t->map;
		}
	}
}

/**
 * trace_hist_ring_hit - the table of a hit
 * @ring: the ring
 * @now: the stamp of the hit
 *
 * Context: any, NMI included, preemption is off.
 * Return: the map, which stays as long as preemption is off.
 */
struct trace_map *trace_hist_ring_hit(struct hist_ring *ring, u64 now)
{
	struct hist_ring_table *t = ring_table(ring, atomic64_read_acquire(&ring->open));
	u64 begin = t ? atomic64_read(&t->begin) : HIST_RING_UNSET;

	if (likely(begin != HIST_RING_UNSET && !ring_is_over(ring, begin, now)))
		return t->map;
	return ring_over(ring, now);
}

/* A reader closes a table whose interval is over. */
static void ring_close(struct hist_ring *ring, u64 now)
{
	struct hist_ring_table *t;
	u64 begin;

	guard(preempt_notrace)();
	t = ring_table(ring, atomic64_read_acquire(&ring->open));
	begin = t ? atomic64_read(&t->begin) : HIST_RING_UNSET;
	if (begin != HIST_RING_UNSET && ring_is_over(ring, begin, now))
		ring_next(ring, t, now, false);
}

static void ring_table_put(struct hist_ring_table *t)
{
	if (!refcount_dec_and_test(&t->ref))
		return;
	trace_map_free(t->map);
	kfree(t);
}

static struct hist_ring_table *ring_table_create(const struct hist_ring *ring)
{
	struct hist_ring_table *t = kzalloc(sizeof(*t), GFP_KERNEL);

	if (!t)
		return NULL;
	t->map = trace_map_create(&ring->shape);
	if (IS_ERR(t->map)) {
		kfree(t);
		return NULL;
	}
	atomic64_set(&t->begin, HIST_RING_UNSET);
	refcount_set(&t->ref, 1);
	return t;
}

/* Is another table to be made ready? The lock is held, or a moment later it may be otherwise. */
static bool ring_wants(const struct hist_ring *ring)
{
	return READ_ONCE(ring->ready) < atomic64_read(&ring->open) + RING_READY &&
	       READ_ONCE(ring->nr_going) < RING_GOING_MAX;
}

/* Take off tables that are not kept any more. The lock is held. */
static void ring_unlink(struct hist_ring *ring)
{
	for (; ring->first + ring->keep < atomic64_read(&ring->open); ring->first++) {
		struct hist_ring_table **at = &ring->table[ring->first & ring->mask];

		list_add_tail(&(*at)->list, &ring->going);
		WRITE_ONCE(*at, NULL);
		WRITE_ONCE(ring->nr_going, ring->nr_going + 1);
	}
}

/*
 * Put a table behind the last one. False: there is enough. The places of @keep tables, of the open
 * one, and of those that are ready suffice, as the oldest ones are taken off first.
 */
static bool ring_link(struct hist_ring *ring, struct hist_ring_table *t)
{
	guard(spinlock)(&ring->lock);
	if (!ring_wants(ring))
		return false;
	ring_unlink(ring);
	t->seq = ring->ready + 1;
	/* Pairs with (2). */
	smp_store_release(&ring->table[t->seq & ring->mask], t);
	WRITE_ONCE(ring->ready, t->seq);
	return true;
}

/* Let a ring have what is kept and what is ready. Task, may sleep. -ENOMEM: none was made. */
static int ring_keep(struct hist_ring *ring)
{
	int ret = 0;

	scoped_guard(spinlock, &ring->lock)
		ring_unlink(ring);
	while (!ret && ring_wants(ring)) {
		struct hist_ring_table *t = ring_table_create(ring);

		if (!t)
			ret = -ENOMEM;
		else if (!ring_link(ring, t))
			ring_table_put(t);
	}
	if (READ_ONCE(ring->nr_going))
		trace_wait_queue(&ring_drop);
	return ret;
}

/* The next ring behind one, with a reference; that of the one is given back. NULL: the last one. */
static struct hist_ring *ring_after(struct hist_ring *ring)
{
	struct hist_ring *next;

	scoped_guard(spinlock, &ring_lock) {
		next = list_prepare_entry(ring, &ring_list, list);
		list_for_each_entry_continue(next, &ring_list, list) {
			if (refcount_inc_not_zero(&next->ref))
				break;
		}
		if (list_entry_is_head(next, &ring_list, list))
			next = NULL;
	}
	if (ring)
		trace_hist_ring_put(ring);
	return next;
}

static void ring_make_work(struct work_struct *work)
{
	struct hist_ring *ring;

	for (ring = ring_after(NULL); ring; ring = ring_after(ring))
		ring_keep(ring);
}

/* Hits that found the table are done: its books are complete. */
static void ring_account(struct hist_ring *ring, struct hist_ring_table *t)
{
	struct hist_ring_sum one = {};

	trace_map_add_books(t->map, &one.books);
	scoped_guard(spinlock, &ring->lock) {
		trace_map_books_add(&ring->gone.books, &one.books);
		ring->gone.tables++;
		WRITE_ONCE(ring->nr_going, ring->nr_going - 1);
		list_del(&t->list);
	}
	ring_table_put(t);
}

/* Tables of a ring up to @last, of which hits are done. */
static void ring_drop_going(struct hist_ring *ring, const struct hist_ring_table *last)
{
	struct hist_ring_table *t;

	do {
		scoped_guard(spinlock, &ring->lock)
			t = list_first_entry(&ring->going, struct hist_ring_table, list);
		ring_account(ring, t);
	} while (t != last);
}

/* The last table that was taken off; NULL: there is none. */
static struct hist_ring_table *ring_last_going(struct hist_ring *ring)
{
	guard(spinlock)(&ring->lock);
	return list_empty(&ring->going) ? NULL :
	       list_last_entry(&ring->going, struct hist_ring_table, list);
}

static void ring_drop_retired(struct list_head *retired)
{
	struct hist_ring *ring, *next;

	list_for_each_entry_safe(ring, next, retired, retired) {
		list_del_init(&ring->retired);
		trace_hist_ring_put(ring);
		atomic_dec(&ring_nr_retired);
	}
	wake_up_all(&ring_settled);
}

/* Wait for the hits that have found tables or rings which were taken off. False: there are none. */
static bool ring_settle(struct list_head *retired)
{
	struct hist_ring *ring;
	bool some;

	scoped_guard(spinlock, &ring_lock)
		list_splice_init(&ring_retired, retired);
	some = !list_empty(retired);
	for (ring = ring_after(NULL); ring; ring = ring_after(ring)) {
		ring->settled = ring_last_going(ring);
		some |= !!ring->settled;
	}
	if (some)
		trace_wait_probes();
	return some;
}

/* One work item at a time does this, and holds nothing that others need while it waits. */
static void ring_drop_work(struct work_struct *work)
{
	struct hist_ring *ring;
	LIST_HEAD(retired);

	if (!ring_settle(&retired))
		return;
	ring_drop_retired(&retired);
	for (ring = ring_after(NULL); ring; ring = ring_after(ring)) {
		if (!ring->settled)
			continue;
		ring_drop_going(ring, ring->settled);
		ring->settled = NULL;
		/* Some may not have been made because of these. */
		ring_keep(ring);
	}
}

/**
 * trace_hist_ring_create - make a ring
 * @shape: of its maps
 * @interval: T, at least 1
 * @keep: N, 1 to HIST_KEEP_MAX
 *
 * Context: task, may sleep.
 * Return: the ring, NULL: there is no memory.
 */
struct hist_ring *trace_hist_ring_create(const struct trace_map_shape *shape, u64 interval,
					 unsigned int keep)
{
	unsigned int size = roundup_pow_of_two(keep + 2 + RING_READY);
	struct hist_ring *ring = kvzalloc(struct_size(ring, table, size), GFP_KERNEL);

	if (!ring)
		return NULL;
	ring->interval = interval;
	ring->keep = keep;
	ring->mask = size - 1;
	ring->shape = *shape;
	/* The table before the first one has no place, as any that has gone. */
	ring->first = 1;
	atomic64_set(&ring->open, 1);
	spin_lock_init(&ring->lock);
	INIT_LIST_HEAD(&ring->going);
	INIT_LIST_HEAD(&ring->retired);
	refcount_set(&ring->ref, 1);
	scoped_guard(spinlock, &ring_lock)
		list_add_tail(&ring->list, &ring_list);
	if (!ring_keep(ring))
		return ring;
	trace_hist_ring_put(ring);
	return NULL;
}

/**
 * trace_hist_ring_put - give back a reference to a ring
 * @ring: the ring; with the last reference, there are no hits of it any more
 *
 * Context: task.
 */
void trace_hist_ring_put(struct hist_ring *ring)
{
	struct hist_ring_table *t, *next;

	if (!refcount_dec_and_test(&ring->ref))
		return;
	scoped_guard(spinlock, &ring_lock)
		list_del(&ring->list);
	list_for_each_entry_safe(t, next, &ring->going, list)
		ring_table_put(t);
	for (unsigned int i = 0; i <= ring->mask; i++) {
		if (ring->table[i])
			ring_table_put(ring->table[i]);
	}
	/* trace_hist_ring_get() may be looking at it. */
	kvfree_rcu(ring, rcu);
}

/**
 * trace_hist_ring_retire - give back the reference to a ring that hits may still find
 * @ring: the ring, which has been replaced
 *
 * Context: task; nobody waits.
 */
void trace_hist_ring_retire(struct hist_ring *ring)
{
	atomic_inc(&ring_nr_retired);
	scoped_guard(spinlock, &ring_lock)
		list_add_tail(&ring->retired, &ring_retired);
	trace_wait_queue(&ring_drop);
}

/**
 * trace_hist_rings_settle - wait until not too many rings that were cleared wait for hits
 *
 * Context: task, may sleep; no lock is held that a hit, or its end, may need.
 * Return: 0; -ERESTARTSYS: the task is being killed.
 */
int trace_hist_rings_settle(void)
{
	if (system_state < SYSTEM_SCHEDULING)
		return 0;
	return wait_event_killable(ring_settled,
				   atomic_read(&ring_nr_retired) <= RING_RETIRED_MAX);
}

/**
 * trace_hist_ring_get - get a reference to the ring of a histogram, which may be replaced
 * @from: where it is
 *
 * Context: task.
 * Return: the ring; NULL: there is none.
 */
struct hist_ring *trace_hist_ring_get(struct hist_ring *const *from)
{
	struct hist_ring *ring;

	guard(rcu)();
	do {
		ring = READ_ONCE(*from);
	} while (ring && !refcount_inc_not_zero(&ring->ref));
	return ring;
}

/* The tables of a ring. The lock is held. */
static size_t ring_bytes(const struct hist_ring *ring)
{
	size_t bytes = trace_map_bytes(ring->table[ring->first & ring->mask]->map);

	return bytes * (ring->ready - ring->first + 1 + ring->nr_going);
}

/**
 * trace_hist_ring_hold - get references to all tables of a ring
 * @ring: the ring
 * @now: a stamp of now; a table whose interval is over is closed
 * @gone: gets the books of the tables that have gone
 * @nr_going: gets how many of the first tables are not kept any more, and count in the books only
 *
 * Context: task, may sleep.
 * Return: the tables that are going, those that are closed, the open one, then NULL, for
 * trace_hist_ring_release(); ERR_PTR(-ENOMEM).
 */
struct hist_ring_table **trace_hist_ring_hold(struct hist_ring *ring, u64 now,
					      struct hist_ring_sum *gone, unsigned int *nr_going)
{
	unsigned int size = ring->keep + RING_READY + RING_GOING_MAX + 8, nr = 0;
	struct hist_ring_table **tables, *t;
	u64 open;

	ring_close(ring, now);
	/* A reader does what the work item may not have come to. */
	ring_keep(ring);
	tables = kvcalloc(size, sizeof(*tables), GFP_KERNEL);
	if (!tables)
		return ERR_PTR(-ENOMEM);
	guard(spinlock)(&ring->lock);
	*gone = ring->gone;
	gone->bytes = ring_bytes(ring);
	/* Tables up to the open one have been linked, and are not taken off now. */
	open = atomic64_read(&ring->open);
	list_for_each_entry(t, &ring->going, list) {
		if (nr < size - 1)
			tables[nr++] = t;
	}
	*nr_going = nr;
	for (u64 seq = ring->first; seq <= open && nr < size - 1; seq++) {
		tables[nr++] = ring->table[seq & ring->mask];
		/* More may be closed than are kept, until they are taken off. */
		*nr_going += seq + ring->keep < open;
	}
	for (unsigned int i = 0; i < nr; i++)
		refcount_inc(&tables[i]->ref);
	return tables;
}

/* Undo trace_hist_ring_hold(). Task. */
void trace_hist_ring_release(struct hist_ring_table **tables)
{
	for (struct hist_ring_table **t = tables; *t; t++)
		ring_table_put(*t);
	kvfree(tables);
}

/* Where the interval of a table ends, or the last one of which it has hits. */
u64 trace_hist_ring_end(const struct hist_ring *ring, struct hist_ring_table *table)
{
	u64 end = atomic64_read(&table->begin) + ring->interval, late = atomic64_read(&table->late);

	return late && (s64)(late - end) > 0 ? late : end;
}

/**
 * trace_hist_ring_seen - how many hits a ring has seen so far
 * @ring: the ring
 *
 * Context: task.
 * Return: the number.
 */
u64 trace_hist_ring_seen(struct hist_ring *ring)
{
	struct hist_ring_table *t;
	u64 seen;

	guard(spinlock)(&ring->lock);
	seen = ring->gone.books.seen;
	list_for_each_entry(t, &ring->going, list)
		seen += trace_map_seen(t->map);
	for (u64 seq = ring->first; seq <= ring->ready; seq++)
		seen += trace_map_seen(ring->table[seq & ring->mask]->map);
	return seen;
}

/**
 * trace_hist_ring_bytes - the memory of a ring's tables
 * @ring: the ring
 *
 * Context: task.
 * Return: bytes.
 */
size_t trace_hist_ring_bytes(struct hist_ring *ring)
{
	guard(spinlock)(&ring->lock);
	return ring_bytes(ring);
}

/**
 * trace_hist_ring_again - make a ring as another one is, without hits
 * @ring: the other one
 *
 * Context: task, may sleep.
 * Return: the ring; NULL: there is no memory.
 */
struct hist_ring *trace_hist_ring_again(const struct hist_ring *ring)
{
	return trace_hist_ring_create(&ring->shape, ring->interval, ring->keep);
}

/**
 * trace_hist_rings_flush - wait until tables are made and freed that a reader has found wanting
 *
 * Tests have the same tables each time.
 *
 * Context: task, may sleep; waits for hits.
 */
void trace_hist_rings_flush(void)
{
	trace_may_wait();
	flush_work(&ring_make);
	flush_work(&ring_drop);
}

static void ring_requested(struct trace_request *request)
{
	queue_work(system_unbound_wq, &ring_make);
}

/* Boot, before there are histograms. */
int __init trace_hist_rings_init(void)
{
	return trace_request_init(&ring_request, ring_requested);
}
