/* SPDX-License-Identifier: GPL-2.0 */
/*
 * buffer/ inside: the ring of a CPU's sub-buffers, which its writers and its readers share.
 * slots.h has its words.
 *
 * READERS of a CPU's buffer exclude each other by reader_lock.  A change of
 * structure (size, order, reset) holds it too and runs on the CPU in question
 * in hard irq, when no writer is active there: see rb_quiesced_call().
 *
 * BARRIERS, by the label that stands at both sides:
 *
 *	WC	smp_store_release(commit_pos) in commit pairs with RC,
 *	RC	smp_load_acquire(commit_pos) in readers: a reader of it sees all
 *		that lies below.
 *	WO	the cmpxchg of the slot in overwriting (full barrier), before the
 *		first write into the memory, pairs with IV.
 *	IV	smp_rmb() of an iterator between copying an event and looking
 *		at the slot again: a word that did not change means that the
 *		copy is good.
 *	RB	smp_store_release(rb_cpu::reader) in taking pairs with smp_load_acquire()
 *		of a CPU that looks without the lock.  If that loads the new rb_cpu::reader, it
 *		also sees its reader_begin and read_bytes, and does not combine it with
 *		those of the old one.  If it loads the old pointer, it finds data beyond
 *		that sub-buffer, so it does not take the buffer for empty.
 *	RT	the cmpxchg of the slot in taking (full barrier) pairs with the
 *		address dependency from slot to memory in step (A) of a crossing,
 *		and with the cmpxchg there: the reader's loads from the spare are
 *		done before a writer finds it.
 *
 * object.h has the barrier of a new CPU, wait.c those of waiters and writers, stats.c
 * those of counting what was written, map.c those of a mapped page's flag.
 *
 * LIFETIME: descriptors are freed after a grace period.  With preemption off and
 * without rb_cpu::reader_lock one may follow a slot, rb_cpu::reader or
 * rb_writer::commit_sub to a descriptor; it may hold another sub-buffer by then.
 * Its memory may not be followed: a reader gives it away, and it is freed at once.
 */
#ifndef _TRACE_BUFFER_RING_H
#define _TRACE_BUFFER_RING_H

#include <linux/spinlock.h>

#include "buffer/buffer.h"
#include "buffer/format.h"
#include "buffer/slots.h"
#include "buffer/writer.h"

/**
 * struct rb_cpu - the buffer of one CPU; writer.h tells what the words beside members mean
 * @w: the writers' part; the first, so that it has the address of all
 * @slots: the ring; writers and readers change its words by cmpxchg
 * @subs: descriptors by id, @nr + 1 of them; others are NULL
 * @nr: slots
 * @ids: length of @subs
 * @size: bytes of a sub-buffer, header included; a power of two pages
 * @shift: its binary logarithm
 * @order: its order in pages
 * @cpu: whose buffer this is
 * @reader_lock: excludes readers; irqsave, tried only in NMI
 * @reader: the sub-buffer taken last
 * @reader_begin: @read_bytes when it was taken
 * @reader_end: what @read_bytes will be when all is consumed that the reader has seen to be
 *	committed in it; never less than @read_bytes
 * @reader_base: address of its data, less @reader_begin: the next record is at @reader_base
 *	plus @read_bytes
 * @reader_stamp: time at @read_bytes
 * @reader_first: @read_events when it was taken
 * @lost_events: gap before the next event, not yet reported
 * @last_stamp: time of the event consumed last; 0 if it is not known
 * @seen_dropped: rb_sub::dropped of the last sub-buffer taken
 * @read_events: events consumed
 * @read_bytes: bytes consumed; less @reader_begin, where the reader is in @reader
 * @shrunk_bytes: bytes that went with the slots of a ring that was made smaller
 * @epoch: changes when iterators must start again, which compare it without a lock
 * @resize_disabled: iterators and mappings that forbid a resize; -1: a resize is
 *	going on, and no iterator may begin
 * @free_pages: pages of @order, kept for ring_buffer_alloc_read_page()
 * @nr_free_pages: length of @free_pages
 * @mapped: mappings into user space
 * @meta: their meta page, which user space reads; NULL: there is no mapping
 * @map_lost: events lost before the sub-buffer that they read
 * @map_flags: what the writer adds to the length of @reader in its page
 */
struct rb_cpu {
	struct rb_writer	w;
	atomic_long_t		*slots;			/* quiesced */
	struct rb_sub		**subs;			/* quiesced */
	unsigned int		nr;			/* quiesced */
	unsigned int		ids;			/* quiesced */
	unsigned int		size;			/* quiesced */
	unsigned int		shift;			/* quiesced */
	unsigned int		order;			/* quiesced */
	int			cpu;			/* constant */

	raw_spinlock_t		reader_lock ____cacheline_aligned_in_smp;
	struct rb_sub		*reader;		/* reader_lock */
	unsigned long		reader_begin;		/* reader_lock */
	unsigned long		reader_end;		/* reader_lock */
	unsigned long		reader_base;		/* reader_lock */
	u64			reader_stamp;		/* reader_lock */
	unsigned long		reader_first;		/* reader_lock */
	unsigned long		lost_events;		/* reader_lock */
	u64			last_stamp;		/* reader_lock */
	unsigned long		seen_dropped;		/* reader_lock */
	unsigned long		read_events;		/* reader_lock */
	unsigned long		read_bytes;		/* reader_lock */
	unsigned long		shrunk_bytes;		/* mutex */
	unsigned int		epoch;			/* quiesced */
	atomic_t		resize_disabled;	/* atomic */
	struct buffer_data_page	*free_pages[RB_FREE_PAGES]; /* reader_lock */
	unsigned int		nr_free_pages;		/* reader_lock */
	unsigned int		mapped;			/* mutex */
	struct trace_buffer_meta *meta;			/* quiesced */
	unsigned long		map_lost;		/* reader_lock */
	unsigned long		map_flags;		/* reader_lock */
};

static_assert(!offsetof(struct rb_cpu, w));

static __always_inline struct rb_cpu *rb_cpu_of(struct rb_writer *writer)
{
	return container_of(writer, struct rb_cpu, w);
}

/* The word of the slot that holds the sub-buffer at @base in descriptor @id. */
static __always_inline unsigned long
rb_slot_word(struct rb_cpu *cb, unsigned int id, unsigned long base)
{
	return ((base >> cb->shift) << RB_SLOT_GEN_SHIFT) | RB_SLOT_DATA | id;
}

static inline struct rb_sub *rb_slot_sub(struct rb_cpu *cb, unsigned long word)
{
	return cb->subs[word & RB_SLOT_ID];
}

/*
 * Does the slot with @word hold the sub-buffer at @base, of which something is committed?
 *
 * 16 bits of generation are the same again after 65536 sub-buffers, which are 256 MiB of
 * pages.  So on 32 bits the descriptor's base is compared as well, which has all bits of the
 * position.  The writer stores it after the cmpxchg of the slot (B), and before it publishes
 * anything in there, so a reader that has seen that published (RC) sees the base.  Where a
 * writer has opened the descriptor anew since then, the base is of that use or of one in
 * between, and differs in any case.
 */
static inline bool rb_slot_holds(struct rb_cpu *cb, unsigned long word,
				 unsigned long base)
{
	if (word != rb_slot_word(cb, word & RB_SLOT_ID, base))
		return false;
	return IS_ENABLED(CONFIG_64BIT) || READ_ONCE(rb_slot_sub(cb, word)->base) == base;
}

static inline unsigned int rb_next_slot(struct rb_cpu *cb, unsigned int slot)
{
	return slot + 1 == cb->nr ? 0 : slot + 1;
}

/* Is position @pos in the sub-buffer at @base?  Its very end belongs to it. */
static inline bool rb_within(struct rb_cpu *cb, unsigned long pos, unsigned long base)
{
	return pos - base <= READ_ONCE(cb->size);
}

/* The end of @sub, which rb_writer::limit is while the writers are in it. */
static inline unsigned long rb_sub_limit(struct rb_cpu *cb, struct rb_sub *sub)
{
	return sub->base + cb->size;
}

/*
 * How many bytes of the reader's sub-buffer are consumed.  A caller without
 * rb_cpu::reader_lock loads rb_cpu::reader first (RB).
 */
static inline unsigned int rb_reader_off(struct rb_cpu *cb)
{
	return READ_ONCE(cb->read_bytes) - READ_ONCE(cb->reader_begin);
}

/* Why recording is off for the CPU, as in rb_writer::disabled; 0: it is on. */
static inline int rb_cpu_disabled(struct rb_cpu *cb)
{
	return atomic_read(&cb->w.disabled) & ~RB_CPU_FOLLOW;
}

/* How many events were ever reserved in the memory of @sub and not discarded; it may wrap. */
static inline unsigned int rb_sub_all(struct rb_sub *sub)
{
	return (unsigned int)local_read(&sub->entries) + READ_ONCE(sub->short_entries);
}

/* Events in the present use of @sub; stands still once it is committed. */
static inline unsigned long rb_sub_entries(struct rb_sub *sub)
{
	return rb_sub_all(sub) - READ_ONCE(sub->entries_base);
}

#endif /* _TRACE_BUFFER_RING_H */
