// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU's buffer mapped into user space: all sub-buffers, to be read in place,
 * behind a page that tells which one is the reader's and what was lost, as
 * <linux/trace_mmap.h> describes it.
 *
 * While it is mapped its memory stays: no resize, no exchange, and pages that
 * are read otherwise are copied.  Each mapping counts in rb_cpu::mapped, under
 * rb_object::mutex, which is taken inside of mmap_lock.  cpus_read_lock() is not: see
 * rb_map_keep_cpus().
 *
 * BARRIERS of the length that a page tells user space, and of the flag beside it that events
 * are missing before the reader's sub-buffer, while that is open:
 *
 *	ME	The writer stores the events, then the length (smp_wmb() in
 *		rb_write_tell_length()).  A process that loads the length from the mapping with
 *		acquire, and without a call of the kernel, finds the events below it.
 *	MF	rb_cpu::map_flags is 0 before a sub-buffer becomes the reader's
 *		(smp_store_release() in rb_reader_begin(), smp_rmb() in rb_write_tell_length()).
 *	ML	The reader sets map_flags, then the flag in the page; the writer stores
 *		the page's word, then loads map_flags again; both have a full
 *		barrier between.  So either the reader's flag is the last, or the
 *		writer adds it.  Between the two stores of such a writer the page has the
 *		length without the flag.  A process that looks at the page of an open
 *		sub-buffer in this moment does not see the flag yet;
 *		trace_buffer_meta::reader.lost_events tells the number from the start.
 */
#include <linux/cacheflush.h>
#include <linux/cpu.h>
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "buffer/internal.h"

/* CPUs come and go, one after the other, and mmap() waits for a pause. */
#define RB_MAP_TICKS	(10 * HZ)

/*
 * Give each descriptor the number that its memory has in the mapping: the reader's
 * is 0, the others follow in the order in which they will be read.  The numbers stay
 * as long as there is a mapping, since nothing changes the memory of a descriptor then.
 */
static void map_number_subs(struct rb_cpu *cb)
{
	unsigned long base = cb->reader->base + cb->size;
	unsigned int slot = rb_next_slot(cb, cb->reader->slot);
	unsigned int i;

	lockdep_assert_held(&cb->reader_lock);
	rb_oldest_after(cb, &base, &slot);
	cb->reader->map_id = 0;
	for (i = 1; i <= cb->nr; i++, slot = rb_next_slot(cb, slot))
		rb_slot_sub(cb, atomic_long_read(&cb->slots[slot]))->map_id = i;
}

/* User space may know the memory by an address that has other cache lines. */
static void rb_map_flush(void *memory)
{
	if (ARCH_IMPLEMENTS_FLUSH_DCACHE_PAGE)
		flush_dcache_folio(virt_to_folio(memory));
}

/* Update the meta page.  The caller holds rb_cpu::reader_lock. */
void rb_map_update(struct rb_cpu *cb)
{
	struct trace_buffer_meta *meta = cb->meta;

	WRITE_ONCE(meta->entries, rb_written(cb));
	WRITE_ONCE(meta->overrun, local_read(&cb->w.overrun));
	WRITE_ONCE(meta->read, cb->read_events);
	WRITE_ONCE(meta->reader.id, cb->reader->map_id);
	WRITE_ONCE(meta->reader.read, rb_reader_off(cb));
	WRITE_ONCE(meta->reader.lost_events, cb->map_lost);
	rb_map_flush(meta);
}

/* Quiesced: from now on writers tell how long the open sub-buffer is. */
static void rb_map_cpu(struct rb_cpu *cb, void *meta)
{
	struct rb_sub *tail = cb->w.tail;

	atomic_inc(&cb->resize_disabled);
	map_number_subs(cb);
	cb->map_lost = 0;
	cb->map_flags = 0;
	local_set(&tail->page->commit, READ_ONCE(cb->w.pos) - tail->base - RB_HDR);
	cb->w.follow = 1;
	cb->w.crossed = 1;
	atomic_or(RB_CPU_FOLLOW, &cb->w.disabled);
	cb->meta = meta;
	rb_map_update(cb);
}

/*
 * Let no CPU come or go until cpus_read_unlock().  mmap() holds mmap_lock, and whoever moves
 * a task to another cpuset takes mmap_lock within cpus_read_lock().  So waiting for that here
 * could end in a deadlock.  Returns false if CPUs come and go for too long.
 */
static bool rb_map_keep_cpus(void)
{
	unsigned long end = jiffies + RB_MAP_TICKS;

	while (!cpus_read_trylock()) {
		if (time_after(jiffies, end) || fatal_signal_pending(current))
			return false;
		schedule_timeout_uninterruptible(1);
	}
	return true;
}

/* There are @more mappings than before; ring_buffer_mapped() looks without the mutex. */
static void rb_map_count(struct rb_cpu *cb, int more)
{
	WRITE_ONCE(cb->mapped, cb->mapped + more);
}

/* The first mapping. */
static int rb_map_begin(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *cb = rb_cpu_at(buffer, cpu);
	struct trace_buffer_meta *meta;
	unsigned int order = cb->order;
	int ret;

	/* As large as a sub-buffer, so that the sub-buffers behind it are aligned. */
	meta = (void *)rb_page_alloc(order, cpu);
	if (!meta)
		return -ENOMEM;
	/* A swap may exchange the CPU's buffer until rb_map_cpu(), for one of this size. */
	meta->meta_page_size = cb->size;
	meta->meta_struct_len = sizeof(*meta);
	meta->subbuf_size = cb->size;
	meta->nr_subbufs = cb->nr + 1;
	ret = rb_quiesced_call(buffer, cpu, rb_map_cpu, meta);
	if (ret)
		free_pages((unsigned long)meta, order);
	return ret;
}

/*
 * The last mapping is gone.  A writer that loaded rb_writer::follow before this may
 * store the length of the open sub-buffer once more: nobody reads it from the page
 * before the sub-buffer is closed, and then the writer stores it again.
 */
static void rb_map_end(struct rb_cpu *cb)
{
	struct trace_buffer_meta *meta = cb->meta;
	struct rb_reading reading = rb_reading_begin(cb);

	/* A swap looks without the lock. */
	WRITE_ONCE(cb->meta, NULL);
	WRITE_ONCE(cb->w.follow, 0);
	atomic_andnot(RB_CPU_FOLLOW, &cb->w.disabled);
	WRITE_ONCE(cb->map_flags, 0);
	rb_reading_end(&reading);
	free_pages((unsigned long)meta, cb->order);
	atomic_dec(&cb->resize_disabled);
}

/* Insert the pages of @cb that @vma wants to see. */
static int rb_map_insert(struct rb_cpu *cb, struct vm_area_struct *vma)
{
	unsigned long count = vma_pages(vma), nr = count, i;
	struct buffer_data_page **memory;
	struct page **pages;
	int ret = -ENOMEM;

	memory = kvmalloc_array(cb->nr + 2, sizeof(*memory), GFP_KERNEL);
	pages = kvmalloc_array(count, sizeof(*pages), GFP_KERNEL);
	if (memory && pages) {
		memory[0] = (void *)cb->meta;
		for (i = 0; i < cb->ids; i++) {
			if (cb->subs[i])
				memory[1 + cb->subs[i]->map_id] = cb->subs[i]->page;
		}
		for (i = 0; i < count; i++) {
			unsigned long at = vma->vm_pgoff + i;

			pages[i] = virt_to_page(memory[at >> cb->order]) +
				   (at & ((1UL << cb->order) - 1));
		}
		ret = vm_insert_pages(vma, vma->vm_start, pages, &nr);
	}
	kvfree(pages);
	kvfree(memory);
	return ret;
}

/* ring_buffer_map() after its checks.  Holds cpus_read_lock(). */
static int rb_map(struct trace_buffer *buffer, int cpu, struct vm_area_struct *vma)
{
	struct rb_cpu *cb;
	unsigned long all;
	int ret = 0;

	guard(mutex)(&rb_object(buffer)->mutex);
	cb = rb_cpu_at(buffer, cpu);
	all = ((unsigned long)cb->nr + 2) << cb->order;
	if (!IS_ALIGNED(vma->vm_pgoff, 1UL << cb->order) || vma->vm_pgoff >= all ||
	    vma_pages(vma) > all - vma->vm_pgoff)
		return -EINVAL;
	if (!cb->mapped)
		ret = rb_map_begin(buffer, cpu);
	if (ret)
		return ret;
	/* A swap may have exchanged it before rb_map_cpu() forbade that. */
	cb = rb_cpu_at(buffer, cpu);
	rb_map_count(cb, 1);
	ret = rb_map_insert(cb, vma);
	if (!ret)
		return 0;
	rb_map_count(cb, -1);
	if (!cb->mapped)
		rb_map_end(cb);
	return ret;
}

/**
 * ring_buffer_map - map a CPU's buffer into user space
 * @buffer: the ring buffer
 * @cpu: whose
 * @vma: where to; offset 0 is the meta page
 *
 * Each success is followed by a ring_buffer_unmap().
 *
 * Context: task, in mmap().
 * Return: 0; -ENODEV if the buffer is persistent; -EINVAL if there is no such
 * part of the buffer or no such CPU; -EPERM if the mapping is not shared, or may
 * be written or executed; -EBUSY if somebody never commits an event, or if CPUs come
 * and go without a pause for RB_MAP_TICKS; -ENOMEM.
 */
int ring_buffer_map(struct trace_buffer *buffer, int cpu, struct vm_area_struct *vma)
{
	int ret;

	/* The platform owns the memory of a persistent buffer. */
	if (rb_object(buffer)->persist)
		return -ENODEV;
	if (!rb_cpu_get(buffer, cpu))
		return -EINVAL;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC) || !(vma->vm_flags & VM_MAYSHARE))
		return -EPERM;
	/* A child that inherited it would consume what its parent is to read. */
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE);

	if (!rb_map_keep_cpus())
		return -EBUSY;
	ret = rb_map(buffer, cpu, vma);
	cpus_read_unlock();
	return ret;
}

/**
 * ring_buffer_map_dup - there is one more mapping
 * @buffer: the ring buffer
 * @cpu: whose, mapped already
 *
 * Context: task.
 */
void ring_buffer_map_dup(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);

	if (WARN_ON_ONCE(!cb))
		return;
	guard(mutex)(&rb_object(buffer)->mutex);
	if (!WARN_ON_ONCE(!cb->mapped))
		rb_map_count(cb, 1);
}

/**
 * ring_buffer_unmap - a mapping is gone
 * @buffer: the ring buffer
 * @cpu: whose
 *
 * Context: task.
 * Return: 0, or -ENODEV if nothing was mapped.
 */
int ring_buffer_unmap(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);

	if (!cb)
		return -EINVAL;
	guard(mutex)(&rb_object(buffer)->mutex);
	if (!cb->mapped)
		return -ENODEV;
	rb_map_count(cb, -1);
	if (!cb->mapped)
		rb_map_end(cb);
	return 0;
}

/* Is @cpu's buffer mapped?  A moment's view.  Context: any. */
bool ring_buffer_mapped(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);

	return cb && READ_ONCE(cb->mapped);
}

/*
 * Store in the reader's page that events are missing before it, and how many, if
 * there is room.  While the sub-buffer is @open its writer stores the length in the
 * same word, and the next event where the number would be: the writer adds the flag
 * from rb_cpu::map_flags, and the page has no number.
 */
static void map_tell_lost(struct rb_cpu *cb, bool open)
{
	struct buffer_data_page *page = cb->reader->page;
	unsigned int len;

	if (!cb->map_lost)
		return;
	if (open) {
		WRITE_ONCE(cb->map_flags, RB_MISSED_EVENTS);
		smp_mb();	/* ML */
		rb_set_missed(page, RB_MISSED_EVENTS);
		return;
	}
	len = rb_page_len(page);
	if (cb->size - RB_HDR - len >= sizeof(cb->map_lost)) {
		memcpy(&page->data[len], &cb->map_lost, sizeof(cb->map_lost));
		rb_set_missed(page, RB_MISSED_EVENTS | RB_MISSED_STORED);
	} else {
		rb_set_missed(page, RB_MISSED_EVENTS);
	}
}

/**
 * ring_buffer_map_get_reader - consume what the reader's sub-buffer has
 * @buffer: the ring buffer
 * @cpu: whose
 *
 * If it had been consumed before, the next sub-buffer is the reader's.  The meta
 * page tells the rest.
 *
 * Context: task.
 * Return: 0, data or not; -ENODEV if it is not mapped, -EINVAL without buffer.
 */
int ring_buffer_map_get_reader(struct trace_buffer *buffer, int cpu)
{
	struct rb_cpu *cb = rb_cpu_get(buffer, cpu);
	struct rb_sub *old;

	if (!cb)
		return -EINVAL;
	guard(rb_reading)(cb);
	if (!cb->meta)
		return -ENODEV;
	old = cb->reader;
	if (rb_reader_has_data(cb)) {
		unsigned int committed;
		bool open;

		if (cb->reader != old)
			cb->map_lost = 0;
		cb->map_lost += cb->lost_events;
		cb->lost_events = 0;
		committed = rb_reader_committed(cb, &open);
		if (open)
			rb_consume(cb, committed, cb->size);
		else
			rb_consume_closed(cb, committed);
		map_tell_lost(cb, open);
		rb_map_flush(cb->reader->page);
	}
	rb_map_update(cb);
	return 0;
}
