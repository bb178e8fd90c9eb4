// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of structure: memory, the number of sub-buffers, their order, and
 * emptying.  Each is prepared outside, and then done on the CPU that writes
 * with no writer active there.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "buffer/internal.h"

/* What a slot's word and a position's difference can hold. */
static unsigned long max_subs(unsigned int shift)
{
	return min(RB_SLOT_ID, LONG_MAX >> shift) - 1;
}

struct buffer_data_page *rb_page_alloc(unsigned int order, int cpu)
{
	struct page *page;

	page = alloc_pages_node(cpu_to_node(cpu), GFP_KERNEL | __GFP_RETRY_MAYFAIL |
				__GFP_NOWARN | __GFP_COMP | __GFP_ZERO, order);
	return page ? page_address(page) : NULL;
}

/**
 * struct rb_ring - what a CPU's buffer consists of, to be exchanged as a whole
 * @slots: array of @nr words
 * @subs: array of @nr + 1 descriptors, each with its memory
 * @nr: slots
 * @order: of the memory
 */
struct rb_ring {
	atomic_long_t	*slots;
	struct rb_sub	**subs;
	unsigned int	nr;
	unsigned int	order;
};

static void sub_free(struct rb_sub *sub, unsigned int order)
{
	if (!sub)
		return;
	free_pages((unsigned long)sub->page, order);
	kfree(sub);
}

static void ring_free(struct rb_ring *ring)
{
	unsigned int i;

	for (i = 0; ring->subs && i <= ring->nr; i++)
		sub_free(ring->subs[i], ring->order);
	kvfree(ring->subs);
	kvfree(ring->slots);
}

static struct rb_sub *sub_alloc(unsigned int order, int cpu)
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

/*
 * Memory for @nr slots; descriptors from @have on are new, those below come from
 * the ring that is there.
 */
static int ring_alloc(struct rb_ring *ring, unsigned int nr, unsigned int order,
		      unsigned int have, int cpu)
{
	bool user = current->mm;
	unsigned int i;
	int ret = 0;

	*ring = (struct rb_ring) { .nr = nr, .order = order };
	/* A buffer that cannot be had at all should not wake the OOM killer. */
	if (have <= nr && (long)(nr + 1 - have) << order > si_mem_available())
		return -ENOMEM;
	ring->slots = kvcalloc(nr, sizeof(*ring->slots), GFP_KERNEL);
	ring->subs = kvcalloc(nr + 1, sizeof(*ring->subs), GFP_KERNEL);
	if (!ring->slots || !ring->subs)
		goto nomem;
	if (user)
		set_current_oom_origin();
	for (i = have; i <= nr && !ret; i++) {
		ring->subs[i] = sub_alloc(order, cpu);
		if (!ring->subs[i] || (user && fatal_signal_pending(current)))
			ret = -ENOMEM;
		cond_resched();
	}
	if (user)
		clear_current_oom_origin();
	if (!ret)
		return 0;
nomem:
	ring_free(ring);
	return -ENOMEM;
}

/**
 * struct quiesced_call - a function that needs the CPU's writers out
 * @cb: the buffer
 * @func: the function
 * @arg: its argument
 * @done: it ran
 */
struct quiesced_call {
	struct rb_cpu	*cb;
	void		(*func)(struct rb_cpu *cb, void *arg);
	void		*arg;
	bool		done;
};

/*
 * Runs on the CPU in hard irq, or on any if the CPU is not running.  A writer
 * of this CPU can only be one that is interrupted (then try again) or an NMI,
 * which is turned away by RB_CPU_QUIESCED, and counted.
 */
static void try_quiesced(void *data)
{
	struct quiesced_call *call = data;
	struct rb_cpu *cb = call->cb;

	lockdep_assert_irqs_disabled();
	raw_spin_lock(&cb->reader_lock);
	atomic_add(RB_CPU_QUIESCED, &cb->w.disabled);
	barrier();
	if (!cb->w.context && !cb->w.nested) {
		call->func(cb, call->arg);
		call->done = true;
	}
	barrier();
	atomic_sub(RB_CPU_QUIESCED, &cb->w.disabled);
	raw_spin_unlock(&cb->reader_lock);
}

/*
 * Call @func with @cb's writers and readers out.  @func must be short.
 * Context: task; the caller holds rb_object(buffer)->mutex.
 */
void rb_quiesced_call(struct rb_cpu *cb, void (*func)(struct rb_cpu *, void *), void *arg)
{
	struct quiesced_call call = { .cb = cb, .func = func, .arg = arg };

	lockdep_assert_held(&rb_object(cb->w.buffer)->mutex);
	while (!call.done) {
		if (early_boot_irqs_disabled) {
			/* One CPU, and nothing to interrupt it. */
			try_quiesced(&call);
			continue;
		}
		if (!smp_call_function_single(cb->cpu, try_quiesced, &call, true)) {
			/* Writers are not preempted, so the next try is not far. */
			cond_resched();
			continue;
		}
		/* Not running.  Should it come up now, its writers stay out. */
		atomic_inc(&cb->w.disabled);
		synchronize_rcu();
		local_irq_disable();
		try_quiesced(&call);
		local_irq_enable();
		atomic_dec(&cb->w.disabled);
	}
}

/* Empty @cb.  It is quiesced, or not known to anybody yet. */
static void cpu_reset(struct rb_cpu *cb, void *unused)
{
	unsigned int i;

	for (i = 0; i <= cb->nr; i++) {
		struct rb_sub *sub = cb->subs[i];

		sub->id = i;
		sub->entries_base = local_read(&sub->entries);
		sub->first = 0;
		sub->dropped = 0;
		local_set(&sub->page->commit, 0);
		if (i < cb->nr)
			atomic_long_set(&cb->slots[i], i);
	}
	/* The writer is in sub-buffer 0, the reader at the end of -1. */
	cb->w.tail = cb->subs[0];
	cb->w.tail->base = 0;
	cb->w.tail->slot = 0;
	cb->w.tail->page->time_stamp = 0;
	atomic_long_set(&cb->slots[0], rb_slot_word(cb, cb->w.tail->id, 0));
	cb->reader = cb->subs[cb->nr];
	cb->reader->base = -(unsigned long)cb->size;
	cb->reader->slot = cb->nr - 1;

	local_set(&cb->w.pos, RB_HDR);
	cb->w.commit_pos = RB_HDR;
	cb->w.commit_sub = cb->w.tail;
	cb->w.limit = cb->size;
	cb->w.crossed = cb->w.follow;
	/* Not the same: the first event is special. */
	cb->w.before_stamp = ~0ULL;
	cb->w.write_stamp = 0;
	cb->w.prefix_pos = 0;
	cb->w.closed_events = 0;
	cb->w.closed_bytes = 0;
	local_set(&cb->w.overrun, 0);
	local_set(&cb->w.lost_bytes, 0);
	local_set(&cb->w.commit_overrun, 0);
	local_set(&cb->w.dropped, 0);
	cb->reader_off = 0;
	cb->reader_stamp = 0;
	cb->reader_took = 0;
	cb->lost_events = 0;
	cb->last_stamp = 0;
	cb->seen_dropped = 0;
	cb->read_events = 0;
	cb->read_bytes = 0;
	cb->map_lost = 0;
	cb->map_flags = 0;
	cb->epoch++;
	if (cb->meta)
		rb_map_update(cb);
}

/* Empty a ring that nobody knows yet. */
void rb_ring_reset(struct rb_cpu *cb)
{
	cpu_reset(cb, NULL);
}

static void ring_exchange(struct rb_cpu *cb, struct rb_ring *ring)
{
	swap(cb->slots, ring->slots);
	swap(cb->subs, ring->subs);
	swap(cb->nr, ring->nr);
	swap(cb->order, ring->order);
	cb->shift = PAGE_SHIFT + cb->order;
	cb->size = 1U << cb->shift;
}

/**
 * struct resize - a change of one CPU's ring
 * @cb: the CPU's buffer
 * @ring: what it gets; what is to be freed afterwards
 */
struct resize {
	struct rb_cpu	*cb;
	struct rb_ring	ring;
};

/*
 * Move the newest sub-buffers that are not read, up to the tail, into the
 * first slots of @ring, and count the older as overrun.  Returns how many.
 */
static unsigned int move_data(struct rb_cpu *cb, struct rb_ring *ring)
{
	struct rb_sub *tail = cb->w.tail;
	unsigned int i, slot, kept = 0;
	unsigned long have, base;

	if (tail == cb->reader)
		return 0;
	have = (tail->base - cb->reader->base) >> cb->shift;
	have = min(have, cb->nr);
	base = tail->base - ((have - 1) << cb->shift);
	slot = (tail->slot + cb->nr - (have - 1)) % cb->nr;
	for (i = 0; i < have; i++, base += cb->size, slot = rb_next_slot(cb, slot)) {
		unsigned long word = atomic_long_read(&cb->slots[slot]);
		struct rb_sub *sub = rb_slot_sub(cb, word);

		/* A writer opened the next in place of the oldest, and gave up. */
		if (!rb_slot_holds(cb, word, base))
			continue;
		if (have - i > ring->nr) {
			local_add(rb_sub_entries(sub), &cb->w.overrun);
			local_add(rb_page_len(sub->page), &cb->w.lost_bytes);
			continue;
		}
		ring->subs[kept++] = sub;
	}
	return kept;
}

/* Quiesced: give @cb the new ring, with the data that fits in it. */
static void cpu_resize(struct rb_cpu *cb, void *arg)
{
	struct resize *resize = arg;
	struct rb_ring *ring = &resize->ring;
	unsigned int old = min(cb->nr, ring->nr);
	unsigned int kept, i, n;
	unsigned long gap;

	kept = move_data(cb, ring);
	/* Places 0 to old are for the old descriptors, the last for the reader's. */
	ring->subs[old] = cb->reader;
	for (i = 0; i < kept; i++)
		cb->subs[ring->subs[i]->id] = NULL;
	cb->subs[cb->reader->id] = NULL;
	for (i = 0, n = kept; i <= cb->nr && n < old; i++) {
		if (cb->subs[i])
			ring->subs[n++] = cb->subs[i];
		cb->subs[i] = NULL;
	}
	ring_exchange(cb, ring);

	for (i = 0; i <= cb->nr; i++) {
		struct rb_sub *sub = cb->subs[i];
		unsigned int slot = i < old ? i : i - 1;

		sub->id = i;
		if (i < kept) {
			sub->slot = slot;
			atomic_long_set(&cb->slots[slot], rb_slot_word(cb, sub->id, sub->base));
		} else if (i != old) {
			sub->entries_base = local_read(&sub->entries);
			atomic_long_set(&cb->slots[slot], sub->id);
		}
	}
	/* The reader's slot is as far before 0 as what it reads next is after it. */
	gap = kept ? (cb->subs[0]->base - cb->reader->base) >> cb->shift : 1;
	cb->reader->slot = (cb->nr - gap % cb->nr) % cb->nr;
	cb->epoch++;
}

/* Quiesced: give @cb the new ring, and forget what was in the old one. */
static void cpu_reorder(struct rb_cpu *cb, void *arg)
{
	struct resize *resize = arg;

	ring_exchange(cb, &resize->ring);
	rb_drop_free_pages(cb, resize->ring.order);
	cpu_reset(cb, NULL);
}

/* How many sub-buffers hold @size bytes of data? */
unsigned int rb_nr_for(unsigned long size, unsigned int order)
{
	unsigned long room = (PAGE_SIZE << order) - RB_HDR;
	unsigned long nr = size / room + !!(size % room);

	return clamp_t(unsigned long, nr, RB_MIN_SUBS, max_subs(PAGE_SHIFT + order));
}

/* The first ring of a new buffer. */
int rb_ring_init(struct rb_cpu *cb, unsigned int nr, unsigned int order)
{
	struct rb_ring ring;
	int ret;

	ret = ring_alloc(&ring, nr, order, 0, cb->cpu);
	if (ret)
		return ret;
	ring_exchange(cb, &ring);
	cpu_reset(cb, NULL);
	return 0;
}

void rb_ring_free(struct rb_cpu *cb)
{
	struct rb_ring ring = { cb->slots, cb->subs, cb->nr, cb->order };

	ring_free(&ring);
	rb_drop_free_pages(cb, cb->order);
}

/*
 * Keep iterators from all of them, or from none: CPUs must not come to differ in
 * the order of their sub-buffers.  Mappings begin under rb_object(buffer)->mutex.
 */
static int rb_claim_rings(struct resize *resize, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (atomic_cmpxchg(&resize[i].cb->resize_disabled, 0, -1)) {
			while (i--)
				atomic_set(&resize[i].cb->resize_disabled, 0);
			return -EBUSY;
		}
	}
	return 0;
}

/*
 * Change one or all CPUs' rings to @order, and to @size bytes, or about as many
 * as they have if that is 0.  All memory is there before anything changes.
 */
static int rb_change_rings(struct trace_buffer *buffer, int cpu_id, unsigned long size,
			   unsigned int order)
{
	bool reorder = order != buffer->order;
	struct resize *resize;
	unsigned int n = 0, i;
	int cpu, ret = 0;

	lockdep_assert_held(&rb_object(buffer)->mutex);
	resize = kvcalloc(nr_cpu_ids, sizeof(*resize), GFP_KERNEL);
	if (!resize)
		return -ENOMEM;
	for_each_cpu(cpu, rb_object(buffer)->cpumask) {
		struct rb_cpu *cb = rb_cpu_at(buffer, cpu);
		unsigned long bytes = size ?: (unsigned long)cb->nr * (cb->size - RB_HDR);
		unsigned int nr = rb_nr_for(bytes, order);

		if (cpu_id != RING_BUFFER_ALL_CPUS && cpu != cpu_id)
			continue;
		if (atomic_read(&cb->resize_disabled)) {
			ret = -EBUSY;
			break;
		}
		if (nr == cb->nr && !reorder)
			continue;
		ret = ring_alloc(&resize[n].ring, nr, order,
				 reorder ? 0 : min(nr, cb->nr) + 1, cpu);
		if (ret)
			break;
		resize[n++].cb = cb;
	}
	if (!ret)
		ret = rb_claim_rings(resize, n);
	for (i = 0; i < n; i++) {
		if (!ret) {
			rb_quiesced_call(resize[i].cb, reorder ? cpu_reorder : cpu_resize,
					 &resize[i]);
			atomic_set_release(&resize[i].cb->resize_disabled, 0);
		}
		/* New descriptors that were not used, or old ones. */
		ring_free(&resize[i].ring);
	}
	kvfree(resize);
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
 * Return: 0; -EBUSY if an iterator or a mapping needs the size as it is; -ENOMEM.
 * Sizes are unchanged if an error is returned.
 */
int ring_buffer_resize(struct trace_buffer *buffer, unsigned long size, int cpu_id)
{
	int ret;

	if (!buffer || (cpu_id != RING_BUFFER_ALL_CPUS && !rb_cpu_get(buffer, cpu_id)))
		return 0;
	mutex_lock(&rb_object(buffer)->mutex);
	ret = rb_change_rings(buffer, cpu_id, size ?: 1, buffer->order);
	mutex_unlock(&rb_object(buffer)->mutex);
	return ret;
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
 * ring_buffer_resize().
 */
int ring_buffer_subbuf_order_set(struct trace_buffer *buffer, int order)
{
	int ret = 0;

	if (!buffer || order < 0 || order > MAX_PAGE_ORDER)
		return -EINVAL;
	mutex_lock(&rb_object(buffer)->mutex);
	if (order != buffer->order) {
		ret = rb_change_rings(buffer, RING_BUFFER_ALL_CPUS, 0, order);
		if (!ret)
			buffer->order = order;
	}
	mutex_unlock(&rb_object(buffer)->mutex);
	return ret;
}
EXPORT_SYMBOL_GPL(ring_buffer_subbuf_order_set);

/**
 * ring_buffer_reset_cpu - empty a CPU's buffer
 * @buffer: the ring buffer
 * @cpu: which
 *
 * Counters go to zero as well.
 *
 * Context: task, not within a reservation.
 */
void ring_buffer_reset_cpu(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);

	if (!cb)
		return;
	mutex_lock(&rb_object(buffer)->mutex);
	rb_quiesced_call(cb, cpu_reset, NULL);
	mutex_unlock(&rb_object(buffer)->mutex);
}
EXPORT_SYMBOL_GPL(ring_buffer_reset_cpu);

/**
 * ring_buffer_reset_online_cpus - empty the buffers of CPUs that run
 * @buffer: the ring buffer
 *
 * Context: as ring_buffer_reset_cpu().
 */
void ring_buffer_reset_online_cpus(struct trace_buffer *buffer)
{
	int cpu;

	for_each_online_cpu(cpu)
		ring_buffer_reset_cpu(buffer, cpu);
}

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
