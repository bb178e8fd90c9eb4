// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of structure: the number of sub-buffers, their order, and emptying.
 * Each is prepared outside, and then done on the CPU that writes with no
 * writer active there; what takes long, as the ring is long, is done before or
 * afterwards.
 */
#include <linux/cpu.h>
#include <linux/gfp.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "buffer/internal.h"

/**
 * struct rb_resize - a change of one CPU's ring
 * @buffer: the ring buffer
 * @cb: the CPU's buffer
 * @ring: what it gets; afterwards what it had
 * @start: first slot of the part of the old ring that does not stay
 * @drop: how many slots that is
 * @unread: how many of them held nothing that was to be read
 * @free_pages: pages for readers, of the old order
 * @nr_free_pages: how many
 * @gone: the descriptors that are in no ring any more
 * @nr_gone: how many
 */
struct rb_resize {
	struct trace_buffer	*buffer;
	struct rb_cpu		*cb;
	struct rb_ring		ring;
	unsigned int		start;
	unsigned int		drop;
	unsigned int		unread;
	struct buffer_data_page	*free_pages[RB_FREE_PAGES];
	unsigned int		nr_free_pages;
	struct rb_sub		**gone;
	unsigned int		nr_gone;
};

/**
 * struct rb_resizes - a change of some CPUs' rings
 * @free: frees what is not used any more
 * @nr: how many
 * @cpu: the changes
 */
struct rb_resizes {
	struct rcu_work		free;
	unsigned int		nr;
	struct rb_resize	cpu[];
};

/*
 * Count the sub-buffers that nobody has read yet.  The reader may be further behind than what the
 * ring has: the slots that came when the ring grew are empty until a writer comes to them,
 * and in the one behind the tail a writer may have opened the next sub-buffer in place of
 * the oldest, and given up.  That one becomes empty.
 */
static unsigned int rb_resize_unread_subs(struct rb_cpu *cb)
{
	struct rb_sub *tail = cb->w.tail;
	atomic_long_t *behind = &cb->slots[rb_next_slot(cb, tail->slot)];
	unsigned long word = atomic_long_read(behind);
	unsigned long behind_reader = (tail->base - cb->reader->base) >> cb->shift;
	unsigned int unread = min(behind_reader, cb->nr);

	if (rb_slot_holds(cb, word, tail->base + cb->size))
		atomic_long_set(behind, word & RB_SLOT_ID);
	for (; unread; unread--) {
		unsigned long before = unread - 1;	/* the tail */

		word = atomic_long_read(&cb->slots[(tail->slot + cb->nr - before) % cb->nr]);
		if (rb_slot_holds(cb, word, tail->base - (before << cb->shift)))
			break;
	}
	return unread;
}

/*
 * Quiesced: copy the slots into the new ring, so that the tail is the last of
 * them, and have that.  The oldest slots go if they are too many.  A descriptor
 * keeps its id, so the words stay what they are.  rb_sub::slot has to be true for
 * the tail, which is the only one not complete, and for the reader's.
 */
static void rb_resize_cpu(struct rb_cpu *cb, void *arg)
{
	struct rb_resize *resize = arg;
	struct rb_ring *ring = &resize->ring;
	struct rb_sub *tail = cb->w.tail, *reader = cb->reader;
	unsigned int drop = cb->nr > ring->nr ? cb->nr - ring->nr : 0;
	unsigned int keep = cb->nr - drop, from, part;
	unsigned int unread = rb_resize_unread_subs(cb);
	unsigned long gap = (tail->base - reader->base) >> cb->shift;

	resize->start = rb_next_slot(cb, tail->slot);
	resize->drop = drop;
	resize->unread = min(drop, cb->nr - unread);
	from = (resize->start + drop) % cb->nr;
	if (drop > resize->unread) {
		unsigned int oldest = (resize->start + resize->unread) % cb->nr;

		local_add(rb_slot_sub(cb, atomic_long_read(&cb->slots[from]))->first -
			  rb_slot_sub(cb, atomic_long_read(&cb->slots[oldest]))->first,
			  &cb->w.overrun);
	}
	part = min(keep, cb->nr - from);
	memcpy(ring->slots, cb->slots + from, part * sizeof(*ring->slots));
	memcpy(ring->slots + part, cb->slots, (keep - part) * sizeof(*ring->slots));
	rb_ring_exchange(cb, ring);

	tail->slot = keep - 1;
	reader->slot = (keep - 1 + cb->nr - gap % cb->nr) % cb->nr;
	WRITE_ONCE(cb->epoch, cb->epoch + 1);
}

/* Quiesced: no writer comes in from now on, until rb_resize_open_cpu(). */
static void rb_resize_close_cpu(struct rb_cpu *cb, void *unused)
{
	atomic_add(RB_CPU_QUIESCED, &cb->w.disabled);
}

static void rb_resize_open_cpu(struct rb_cpu *cb)
{
	unsigned long limit = rb_writer_settle(cb, cb->w.tail);

	/* Events that were turned away meanwhile count as dropped before. */
	WRITE_ONCE(cb->w.limit, READ_ONCE(cb->w.crossed) ? RB_LIMIT_CROSSED : limit);
	local_set(&cb->w.dropped, 0);
	barrier();
	atomic_sub(RB_CPU_QUIESCED, &cb->w.disabled);
}

/* Quiesced, closed: have the new ring, and forget what was in the old one. */
static void rb_resize_cpu_reorder(struct rb_cpu *cb, void *arg)
{
	struct rb_resize *resize = arg;

	rb_ring_exchange(cb, &resize->ring);
	swap(cb->nr_free_pages, resize->nr_free_pages);
	memcpy(resize->free_pages, cb->free_pages, sizeof(cb->free_pages));
	rb_cpu_restart(cb, cb->subs[0], 0, cb->subs[cb->nr]);
	rb_resize_open_cpu(cb);
}

/* Take the descriptors of the slots that went out of the new ring's table. */
static void rb_resize_forget_dropped(struct rb_resize *resize)
{
	struct rb_ring *old = &resize->ring;
	struct rb_cpu *cb = resize->cb;
	unsigned long bytes = 0;
	unsigned int i;

	for (i = 0; i < resize->drop; i++) {
		unsigned int slot = (resize->start + i) % old->nr;
		unsigned int id = atomic_long_read(&old->slots[slot]) & RB_SLOT_ID;

		if (i >= resize->unread)
			bytes += rb_page_len(cb->subs[id]->page);
		cb->subs[id] = NULL;
	}
	WRITE_ONCE(cb->shrunk_bytes, cb->shrunk_bytes + bytes);
}

/* Note which descriptors were prepared and not used, or are not in the new ring. */
static void rb_resize_note_gone(struct rb_resize *resize)
{
	const struct rb_ring keep = rb_cpu_ring(resize->cb), *ring = &resize->ring;
	unsigned int id;

	for (id = 0; id < ring->ids; id++) {
		if (id < keep.ids && ring->subs[id] == keep.subs[id])
			continue;
		/* Without memory for the list, the ring was not used. */
		if (resize->gone)
			resize->gone[resize->nr_gone++] = ring->subs[id];
		else
			rb_ring_sub_free(ring->subs[id], ring->order);
	}
}

static void rb_resize_free(struct rb_resize *resize)
{
	unsigned int order = resize->ring.order;

	while (resize->nr_free_pages)
		free_pages((unsigned long)resize->free_pages[--resize->nr_free_pages], order);
	while (resize->nr_gone)
		rb_ring_sub_free(resize->gone[--resize->nr_gone], order);
	kvfree(resize->gone);
	kvfree(resize->ring.subs);
	kvfree(resize->ring.slots);
}

static void rb_resizes_free(struct rb_resizes *all)
{
	unsigned int i;

	for (i = 0; i < all->nr; i++)
		rb_resize_free(&all->cpu[i]);
	kvfree(all);
}

static void rb_resizes_free_fn(struct work_struct *work)
{
	rb_resizes_free(container_of(to_rcu_work(work), struct rb_resizes, free));
}

/*
 * Free the memory of a change. Counters are read without a lock, and may use old rings and their
 * descriptors for a grace period after the change. The caller may hold locks that others need, so
 * it does not wait.
 */
static void rb_resizes_end(struct rb_resizes *all, bool changed)
{
	unsigned int i;

	for (i = 0; i < all->nr; i++)
		rb_resize_note_gone(&all->cpu[i]);
	/* In early boot there is no work queue, one CPU, and no counter is being read. */
	if (!changed || !system_unbound_wq) {
		rb_resizes_free(all);
		return;
	}
	INIT_RCU_WORK(&all->free, rb_resizes_free_fn);
	queue_rcu_work(system_unbound_wq, &all->free);
}

/*
 * Keep iterators and swaps from all of them, or from none: CPUs must not come to
 * differ in the order of their sub-buffers.  Mappings begin under rb_object::mutex.
 */
static int rb_resize_claim_rings(struct rb_resize *resize, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct rb_cpu *cb = resize[i].cb;

		if (!atomic_cmpxchg(&cb->resize_disabled, 0, -1)) {
			/* A swap may have exchanged it before resize_disabled was set. */
			if (rb_cpu_at(resize[i].buffer, cb->cpu) == cb)
				continue;
			atomic_set(&cb->resize_disabled, 0);
		}
		while (i--)
			atomic_set(&resize[i].cb->resize_disabled, 0);
		return -EBUSY;
	}
	return 0;
}

/* Give each of them the ring of the same order that was prepared. */
static int rb_resize_apply(struct rb_resize *resize, unsigned int n)
{
	unsigned int i;
	int ret;

	for (i = 0; i < n; i++) {
		ret = rb_quiesced_call(resize[i].buffer, resize[i].cb->cpu, rb_resize_cpu,
				       &resize[i]);
		if (ret)
			return ret;
		rb_resize_forget_dropped(&resize[i]);
	}
	return 0;
}

/* Give all of them the ring of another order, or none. */
static int rb_resize_apply_order(struct rb_resize *resize, unsigned int n)
{
	unsigned int i;
	int ret;

	for (i = 0; i < n; i++) {
		ret = rb_quiesced_call(resize[i].buffer, resize[i].cb->cpu, rb_resize_close_cpu,
				       NULL);
		if (!ret)
			continue;
		while (i--)
			atomic_sub(RB_CPU_QUIESCED, &resize[i].cb->w.disabled);
		return ret;
	}
	/* Writers are turned away, so none can keep rb_quiesced_call() from succeeding. */
	for (i = 0; i < n; i++)
		WARN_ON_ONCE(rb_quiesced_call(resize[i].buffer, resize[i].cb->cpu,
					      rb_resize_cpu_reorder, &resize[i]));
	return 0;
}

/* Have the rings that one or all CPUs of @buffer lack, behind those that @all has. */
static int rb_resize_prepare_rings(struct trace_buffer *buffer, int cpu_id, unsigned long size,
				   unsigned int order, struct rb_resizes *all)
{
	bool reorder = order != buffer->order;
	const struct rb_ring none = {};
	int cpu, ret;

	lockdep_assert_held(&rb_object(buffer)->mutex);
	for_each_cpu(cpu, rb_object(buffer)->cpumask) {
		struct rb_cpu *cb = rb_cpu_at(buffer, cpu);
		unsigned long bytes = size ?: (unsigned long)cb->nr * (cb->size - RB_HDR);
		struct rb_ring old = reorder ? none : rb_cpu_ring(cb);
		unsigned int nr = rb_nr_for(bytes, order);
		struct rb_resize *resize = &all->cpu[all->nr];

		if (cpu_id != RING_BUFFER_ALL_CPUS && cpu != cpu_id)
			continue;
		if (atomic_read(&cb->resize_disabled))
			return -EBUSY;
		if (nr == cb->nr && !reorder)
			continue;
		ret = rb_ring_alloc(&resize->ring, &old, nr, order, cpu);
		if (ret)
			return ret;
		resize->buffer = buffer;
		resize->cb = cb;
		all->nr++;
		/* One of the two rings is freed but for what it shares with the other. */
		resize->gone = kvcalloc(max(cb->ids, resize->ring.ids), sizeof(*resize->gone),
					GFP_KERNEL);
		if (!resize->gone)
			return -ENOMEM;
	}
	return 0;
}

/*
 * Change one or all CPUs' rings to @order, and to @size bytes, or about as many
 * as they have if that is 0; those of @other, too, if not NULL, which has the order of
 * @buffer.  All memory is there before anything changes.
 */
static int rb_resize_change_rings(struct trace_buffer *buffer, struct trace_buffer *other,
				  int cpu_id,
				  unsigned long size, unsigned int order)
{
	bool changed, reorder = order != buffer->order;
	struct rb_resizes *all;
	struct rb_resize *cpu;
	int ret;

	all = kvcalloc(1, struct_size(all, cpu, other ? 2 * nr_cpu_ids : nr_cpu_ids), GFP_KERNEL);
	if (!all)
		return -ENOMEM;
	ret = rb_resize_prepare_rings(buffer, cpu_id, size, order, all);
	if (!ret && other)
		ret = rb_resize_prepare_rings(other, cpu_id, size, order, all);
	if (!ret)
		ret = rb_resize_claim_rings(all->cpu, all->nr);
	changed = !ret && all->nr;
	if (changed)
		ret = reorder ? rb_resize_apply_order(all->cpu, all->nr) :
				rb_resize_apply(all->cpu, all->nr);
	for (cpu = all->cpu; changed && cpu < all->cpu + all->nr; cpu++) {
		atomic_set_release(&cpu->cb->resize_disabled, 0);
		/* A smaller ring may now hold the share that somebody waits for. */
		rb_wait_look_again(&rb_object(cpu->buffer)->cpu_wait[cpu->cb->cpu].wait);
	}
	rb_resizes_end(all, changed);
	return ret;
}

/**
 * ring_buffer_resize - change the size while it is in use
 * @buffer: the ring buffer
 * @size: bytes of data for each CPU; rounded up to sub-buffers, two at least
 * @cpu_id: which CPU, or RING_BUFFER_ALL_CPUS
 *
 * Events stay, the oldest ones excepted if they do not fit: these count as
 * overrun.
 *
 * Context: task, not within a reservation.
 * Return: 0; -EBUSY if an iterator, a mapping or a swap needs the size as it is;
 * -ENOMEM.  Sizes are unchanged then.  -EBUSY also if somebody never commits an event:
 * then CPUs with a lower number may have the new size.
 */
int ring_buffer_resize(struct trace_buffer *buffer, unsigned long size, int cpu_id)
{
	if (!buffer || (cpu_id != RING_BUFFER_ALL_CPUS && !rb_cpu_get(buffer, cpu_id)))
		return 0;
	guard(cpus_read_lock)();
	guard(mutex)(&rb_object(buffer)->mutex);
	return rb_resize_change_rings(buffer, NULL, cpu_id, size ?: 1, buffer->order);
}
EXPORT_SYMBOL_GPL(ring_buffer_resize);

/**
 * ring_buffer_subbuf_order_set - change the size of sub-buffers
 * @buffer: the ring buffer
 * @order: pages of a sub-buffer as a power of two
 *
 * The buffer is emptied; its size stays about what it is.
 *
 * Context: task, not within a reservation.
 * Return: 0; -EINVAL for an order that cannot be; -EBUSY and -ENOMEM as
 * ring_buffer_resize(), and no CPU has the new order then.
 */
int ring_buffer_subbuf_order_set(struct trace_buffer *buffer, int order)
{
	int ret;

	if (!buffer || order < 0 || order > MAX_PAGE_ORDER)
		return -EINVAL;
	guard(cpus_read_lock)();
	guard(mutex)(&rb_object(buffer)->mutex);
	if (order == buffer->order)
		return 0;
	ret = rb_resize_change_rings(buffer, NULL, RING_BUFFER_ALL_CPUS, 0, order);
	if (!ret)
		WRITE_ONCE(buffer->order, order);
	return ret;
}
EXPORT_SYMBOL_GPL(ring_buffer_subbuf_order_set);

/**
 * ring_buffer_subbuf_order_set_both - change the size of sub-buffers in two ring buffers
 * @a: a ring buffer
 * @b: another, whose sub-buffers have the same size
 * @order: pages of a sub-buffer as a power of two
 *
 * As ring_buffer_subbuf_order_set(): both have the new order afterwards, or none.
 *
 * Context: task, not within a reservation; nobody else has another call with one of the
 * two under way.
 * Return: as ring_buffer_subbuf_order_set(); also -EINVAL if the orders differ.
 */
int ring_buffer_subbuf_order_set_both(struct trace_buffer *a, struct trace_buffer *b, int order)
{
	int ret = 0;

	if (order < 0 || order > MAX_PAGE_ORDER)
		return -EINVAL;
	guard(cpus_read_lock)();
	guard(mutex)(&rb_object(a)->mutex);
	mutex_lock_nested(&rb_object(b)->mutex, SINGLE_DEPTH_NESTING);
	if (a->order != b->order)
		ret = -EINVAL;
	else if (order != a->order)
		ret = rb_resize_change_rings(a, b, RING_BUFFER_ALL_CPUS, 0, order);
	if (!ret) {
		WRITE_ONCE(a->order, order);
		WRITE_ONCE(b->order, order);
	}
	mutex_unlock(&rb_object(b)->mutex);
	return ret;
}

/**
 * struct rb_reset - a reset of one CPU's buffer
 * @cb: what the ring buffer had for the CPU when the reset began
 * @opened: sub-buffers that writers have opened since the reset before
 */
struct rb_reset {
	struct rb_cpu	*cb;
	unsigned long	opened;
};

/*
 * Quiesced: readers find nothing from now on, and writers are turned away until
 * rb_resize_reset_end().  The reader's descriptor stays the reader's.
 */
static void rb_resize_reset_begin(struct rb_cpu *cb, void *arg)
{
	struct rb_sub *reader = cb->reader, *tail = cb->w.tail;
	unsigned int slot = tail->slot;
	struct rb_reset *reset = arg;

	reset->cb = cb;
	/* A position of 32 bits may have wrapped, so it does not tell. */
	reset->opened = IS_ENABLED(CONFIG_64BIT) ? tail->base >> cb->shift : cb->nr;
	/* If the tail is the reader's descriptor as well, its slot has the spare. */
	if (tail == reader)
		tail = rb_slot_sub(cb, atomic_long_read(&cb->slots[slot]));
	rb_resize_close_cpu(cb, NULL);
	rb_cpu_restart(cb, tail, slot, reader);
}

/* Quiesced */
static void rb_resize_reset_end(struct rb_cpu *cb, void *unused)
{
	rb_resize_open_cpu(cb);
}

static void rb_resize_reset_slot(struct rb_cpu *cb, unsigned int slot)
{
	unsigned long id = atomic_long_read(&cb->slots[slot]) & RB_SLOT_ID;

	rb_sub_reset(cb->subs[id]);
	atomic_long_set(&cb->slots[slot], id);
}

/*
 * Nobody looks into the slots now: a reader not before something is committed.
 * The sub-buffers that were opened since the reset before have the slots up to the
 * tail's, which rb_cpu_restart() has done.  In the slot behind it a writer may have
 * opened one and given up.  The other slots are as a reset leaves them: a resize
 * keeps the order of those that stay, and puts new ones behind the tail.
 */
static void rb_resize_reset_slots(struct rb_reset *reset)
{
	struct rb_cpu *cb = reset->cb;
	unsigned int slot = cb->w.tail->slot, n;

	rb_resize_reset_slot(cb, rb_next_slot(cb, slot));
	for (n = min(reset->opened, cb->nr - 1UL); n; n--) {
		slot = slot ? slot - 1 : cb->nr - 1;
		rb_resize_reset_slot(cb, slot);
		cond_resched();
	}
}

/**
 * ring_buffer_reset_cpu - empty a CPU's buffer
 * @buffer: the ring buffer
 * @cpu: which
 *
 * Counters go to zero as well.  If somebody never commits an event, the buffer
 * stays as it is, and the kernel's log tells.
 *
 * Context: task, not within a reservation.
 */
void ring_buffer_reset_cpu(struct trace_buffer *buffer, int cpu)
{
	struct rb_reset reset;

	if (!rb_cpu_get(buffer, cpu))
		return;
	guard(cpus_read_lock)();
	guard(mutex)(&rb_object(buffer)->mutex);
	if (rb_quiesced_call(buffer, cpu, rb_resize_reset_begin, &reset))
		return;
	/* @cb is closed, which keeps a swap from exchanging it. */
	rb_resize_reset_slots(&reset);
	/* On the CPU, so that its writers find the slots as they are now. */
	WARN_ON_ONCE(rb_quiesced_call(buffer, cpu, rb_resize_reset_end, NULL));
}
EXPORT_SYMBOL_GPL(ring_buffer_reset_cpu);

/**
 * ring_buffer_reset - empty all buffers
 * @buffer: the ring buffer
 *
 * Context: as ring_buffer_reset_cpu().
 */
void ring_buffer_reset(struct trace_buffer *buffer)
{
	int cpu;

	for_each_cpu(cpu, rb_object(buffer)->cpumask)
		ring_buffer_reset_cpu(buffer, cpu);
}
EXPORT_SYMBOL_GPL(ring_buffer_reset);
