// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of a CPU: its memory, and its beginning.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "buffer/internal.h"

/*
 * Bound the number of sub-buffers by the index field of a slot word, and by a quarter of
 * LONG_MAX bytes: rb_write_reader_follow() relies on reader and writer being less than half the
 * range of a position apart.
 */
static unsigned long rb_ring_max_subs(unsigned int shift)
{
	return min(RB_SLOT_ID, (LONG_MAX / 4) >> shift) - 1;
}

/* How many sub-buffers hold @size bytes of data? */
unsigned int rb_nr_for(unsigned long size, unsigned int order)
{
	unsigned long room = (PAGE_SIZE << order) - RB_HDR;
	unsigned long nr = size / room + !!(size % room);

	return clamp_t(unsigned long, nr, RB_MIN_SUBS, rb_ring_max_subs(PAGE_SHIFT + order));
}

/* @sub may be NULL.  Context: task, may sleep. */
void rb_ring_sub_free(struct rb_sub *sub, unsigned int order)
{
	if (!sub)
		return;
	free_pages((unsigned long)sub->page, order);
	kfree(sub);
	/* A ring may have millions of them. */
	cond_resched();
}

static struct rb_sub *rb_ring_sub_alloc(unsigned int order, int cpu)
{
	struct rb_sub *sub;

	sub = kzalloc_node(ALIGN(sizeof(*sub), cache_line_size()), GFP_KERNEL,
			   cpu_to_node(cpu));
	if (!sub)
		return NULL;
	sub->page = rb_page_alloc(order, cpu);
	if (!sub->page) {
		kfree(sub);
		return NULL;
	}
	return sub;
}

/* Let go of @ring, but not of the descriptors that @keep has as well. */
static void rb_ring_free(struct rb_ring *ring, const struct rb_ring *keep)
{
	unsigned int id;

	for (id = 0; ring->subs && id < ring->ids; id++) {
		if (id >= keep->ids || ring->subs[id] != keep->subs[id])
			rb_ring_sub_free(ring->subs[id], ring->order);
	}
	kvfree(ring->subs);
	kvfree(ring->slots);
}

/* Descriptors for @ring until it has @nr + 1; the new ones are in the last slots. */
static int rb_ring_fill(struct rb_ring *ring, unsigned int have, int cpu)
{
	unsigned int id, slot = have ? have - 1 : 0;
	bool user = current->mm;
	int ret = 0;

	if (user)
		set_current_oom_origin();
	for (id = 0; have <= ring->nr && !ret; id++) {
		if (ring->subs[id])
			continue;
		ring->subs[id] = rb_ring_sub_alloc(ring->order, cpu);
		if (!ring->subs[id] || (user && fatal_signal_pending(current))) {
			ret = -ENOMEM;
		} else {
			ring->subs[id]->id = id;
			if (slot < ring->nr)
				atomic_long_set(&ring->slots[slot++], id);
			have++;
		}
		cond_resched();
	}
	if (user)
		clear_current_oom_origin();
	return ret;
}

/**
 * rb_ring_alloc - make a ring, or all that another one lacks to become it
 * @ring: the ring; its first slots are not set if there is an old one
 * @old: the ring that there is, whose descriptors @ring has, too; without any, all
 *	is new
 * @nr: slots
 * @order: of the memory
 * @cpu: whose
 *
 * Context: task.
 * Return: 0 or -ENOMEM.
 */
int rb_ring_alloc(struct rb_ring *ring, const struct rb_ring *old, unsigned int nr,
		  unsigned int order, int cpu)
{
	unsigned int have = old->subs ? old->nr + 1 : 0;

	*ring = (struct rb_ring) { .nr = nr, .order = order, .ids = max(nr + 1, old->ids) };
	/* A buffer that cannot be had at all should not wake the OOM killer. */
	if (have <= nr && (long)(nr + 1 - have) << order > si_mem_available())
		return -ENOMEM;
	ring->slots = kvcalloc(nr, sizeof(*ring->slots), GFP_KERNEL);
	ring->subs = kvcalloc(ring->ids, sizeof(*ring->subs), GFP_KERNEL);
	if (ring->subs && old->subs)
		memcpy(ring->subs, old->subs, old->ids * sizeof(*old->subs));
	if (ring->slots && ring->subs && !rb_ring_fill(ring, have, cpu))
		return 0;
	rb_ring_free(ring, old);
	return -ENOMEM;
}

/* The present ring of @cb. */
struct rb_ring rb_cpu_ring(struct rb_cpu *cb)
{
	return (struct rb_ring) {
		.slots = cb->slots, .subs = cb->subs, .nr = cb->nr, .ids = cb->ids,
		.order = cb->order,
	};
}

void rb_ring_exchange(struct rb_cpu *cb, struct rb_ring *ring)
{
	unsigned int nr = cb->nr;

	swap(cb->slots, ring->slots);
	swap(cb->subs, ring->subs);
	swap(cb->ids, ring->ids);
	swap(cb->order, ring->order);
	/* Some readers load these without a lock. */
	WRITE_ONCE(cb->nr, ring->nr);
	WRITE_ONCE(cb->shift, PAGE_SHIFT + cb->order);
	WRITE_ONCE(cb->size, 1U << cb->shift);
	ring->nr = nr;
}

/* Nothing in @sub counts any more. */
void rb_sub_reset(struct rb_sub *sub)
{
	WRITE_ONCE(sub->entries_base, rb_sub_all(sub));
	WRITE_ONCE(sub->first, 0);
	WRITE_ONCE(sub->dropped, 0);
	WRITE_ONCE(sub->end, 0);
	local_set(&sub->page->commit, 0);
}

/**
 * rb_cpu_restart - begin anew, at position 0
 * @cb: the buffer; quiesced, or nobody knows it yet
 * @tail: where the writer is
 * @slot: the slot that @tail has
 * @reader: what the reader has; it is at its end
 *
 * Until something is committed no reader looks at another slot.
 */
void rb_cpu_restart(struct rb_cpu *cb, struct rb_sub *tail, unsigned int slot,
		    struct rb_sub *reader)
{
	struct rb_writer *w = &cb->w;
	unsigned long limit;

	rb_sub_reset(tail);
	WRITE_ONCE(tail->base, 0);
	tail->slot = slot;
	tail->page->time_stamp = 0;
	atomic_long_set(&cb->slots[slot], rb_slot_word(cb, tail->id, 0));
	rb_sub_reset(reader);
	WRITE_ONCE(reader->base, -(unsigned long)cb->size);
	reader->slot = slot ? slot - 1 : cb->nr - 1;

	WRITE_ONCE(w->pos, RB_HDR);
	w->tail = tail;
	WRITE_ONCE(w->commit_pos, RB_HDR);
	smp_store_release(&w->commit_sub, tail);	/* CS */
	limit = rb_writer_settle(cb, tail);
	w->limit = w->swapped ? RB_LIMIT_CROSSED : limit;
	w->crossed = w->follow | w->swapped;
	w->left = 0;
	/* The two stamps differ, so the first event takes the long way and is stamped in full. */
	w->before_stamp = rb_stamp_mark(0, RB_MARK_BEFORE);
	w->write_stamp = 0;
	trace_clock_copy_init(&w->clock);
	w->prefix_pos = 0;
	w->closed_events = 0;
	WRITE_ONCE(w->closed_bytes, 0);
	local_set(&w->overrun, 0);
	local_set(&w->lost_bytes, 0);
	local_set(&w->commit_overrun, 0);
	local_set(&w->dropped, 0);
	WRITE_ONCE(cb->read_bytes, 0);
	rb_reader_begin(cb, reader, 0);
	cb->reader_stamp = 0;
	cb->reader_first = 0;
	cb->lost_events = 0;
	cb->last_stamp = 0;
	cb->seen_dropped = 0;
	WRITE_ONCE(cb->read_events, 0);
	WRITE_ONCE(cb->shrunk_bytes, 0);
	cb->map_lost = 0;
	cb->map_flags = 0;
	WRITE_ONCE(cb->epoch, cb->epoch + 1);
	if (cb->meta)
		rb_map_update(cb);
}

/*
 * Have the writers that find the limit open write to @tail.  Return that limit, which the caller
 * stores next, if nothing forbids it.
 */
unsigned long rb_writer_settle(struct rb_cpu *cb, struct rb_sub *tail)
{
	WRITE_ONCE(cb->w.open, tail);
	WRITE_ONCE(cb->w.origin, (unsigned long)tail->page - tail->base);
	barrier();
	return rb_sub_limit(cb, tail);
}

/*
 * For a writer that may have interrupted another one, see JUMP BACK in write.c: if before_stamp
 * and write_stamp differ, since it has stored one of them after a writer had interrupted it, have
 * the later time in both.  The marks keep them different, so the next event is absolute.  On 32
 * bits the interrupted writer may have stored half of a word.
 */
void rb_keep_stamp(struct rb_cpu *cb)
{
	unsigned long pos;
	u64 before, last;

	if (!IS_ENABLED(CONFIG_64BIT))
		return;
	do {
		pos = READ_ONCE(cb->w.pos);
		barrier();
		last = READ_ONCE(cb->w.write_stamp);
		before = READ_ONCE(cb->w.before_stamp);
		if (rb_stamp_time(before) < rb_stamp_time(last))
			WRITE_ONCE(cb->w.before_stamp, rb_stamp_mark(last, RB_MARK_BEFORE));
		else if (rb_stamp_time(last) < rb_stamp_time(before))
			WRITE_ONCE(cb->w.write_stamp, rb_stamp_mark(before, RB_MARK_WRITE));
		barrier();
	} while (READ_ONCE(cb->w.pos) != pos);
}

/* The first ring of a new buffer. */
int rb_cpu_ring_init(struct rb_cpu *cb, unsigned int nr, unsigned int order)
{
	const struct rb_ring none = {};
	struct rb_ring ring;
	int ret;

	ret = rb_ring_alloc(&ring, &none, nr, order, cb->cpu);
	if (ret)
		return ret;
	rb_ring_exchange(cb, &ring);
	rb_cpu_restart(cb, cb->subs[0], 0, cb->subs[nr]);
	return 0;
}

void rb_cpu_ring_free(struct rb_cpu *cb)
{
	struct rb_ring ring = rb_cpu_ring(cb);
	const struct rb_ring none = {};

	rb_ring_free(&ring, &none);
	rb_drop_free_pages(cb, cb->order);
}
