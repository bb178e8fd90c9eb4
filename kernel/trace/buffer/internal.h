/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Inside of the ring buffer: its structures, and why it is right.  Not for
 * other folders.
 *
 * POSITIONS
 * ---------
 * What a CPU writes is one endless stream of sub-buffers of the same size.  A
 * position is a byte in that stream, so it tells the sub-buffer and the offset
 * in it; the data of a sub-buffer starts behind its page header.  Positions
 * only grow (an event that its writer discards may be taken back within its
 * sub-buffer), and are compared as differences, so they may wrap.
 *
 *	pos		where the next event goes; moved by writers with one
 *			local cmpxchg, which is the reservation
 *	commit_pos	everything below is complete; moved by the outermost
 *			writer of the CPU only
 *
 * SLOTS
 * -----
 * The ring is an array of slots.  The sub-buffer at base position B has the
 * slot behind that of the sub-buffer before it.  A slot is one word: which
 * descriptor (and with it which memory) it holds, whether that holds data, and
 * the low bits of the sub-buffer's sequence number, its generation:
 *
 *	EMPTY(d)	d is free for the next sub-buffer of this slot
 *	DATA(d, g)	d holds sub-buffer g, being written or complete
 *
 *	EMPTY(d)   -> DATA(d, g)	writer opens g
 *	DATA(d, g) -> DATA(d, g + nr)	writer overwrites the oldest; its
 *					events are counted as lost here
 *	DATA(d, g) -> EMPTY(spare)	reader takes g and leaves its spare
 *
 * Each is one cmpxchg on the slot, so the CPU's writers and a reader
 * elsewhere agree who has g.  The reader takes what holds committed data
 * only, in order, and may take the sub-buffer that is still being written:
 * the writer stays in the memory it is in, and finds the spare when it comes
 * around.  What the reader has taken is its own until it takes the next; then
 * it is the spare.
 *
 * WRITERS
 * -------
 * A CPU's buffer is written on that CPU only.  A softirq, an interrupt or an
 * NMI may write at any instruction of another writer, and is done before that
 * one goes on.  rb_cpu::context has a bit per active writer; the writer that
 * clears the last one is the outermost.  Sample writer:
 *
 *	pos = cb->pos				  (1)
 *	after = write_stamp, before = before_stamp
 *	ts = clock()
 *	before_stamp = ts			  (2)
 *	cmpxchg(cb->pos, pos, pos + length)	  (3) or start again
 *	write_stamp = ts			  (4)
 *	... fill in header and data ...
 *	if outermost: commit_pos = pos		  (5) release
 *
 * Nobody wrote between (1) and (3), or (3) fails: stamps in the buffer are in
 * the order in which the clock was read.  A writer that interrupts between (2)
 * and (4) sees before != after and cannot know what the interrupted one got to;
 * it writes an absolute stamp instead of a delta.  If it was between (3) and
 * (4), (4) leaves before != after behind, and the next event is absolute too.
 * Both have the writer's level beside the time: a writer that was interrupted
 * before (2) and then stores the very time of who interrupted it is told apart.
 *
 * CROSSING into the next sub-buffer has steps of which each may be
 * interrupted by a writer that crosses as well:
 *
 *	slot: EMPTY or old DATA -> DATA(d, next)  (A) the first one does it
 *	d->base, d->slot = ...			  (B) same values whoever writes
 *	cmpxchg(cb->pos, pos, first of next)	  (C) one wins
 *	header of d, end of the old one		  (D) by the winner
 *	cb->tail: old -> d			  (E) by the winner or a helper
 *
 * Between (C) and (E) `pos` lies beyond the tail; a writer that sees it
 * does (E) first.  What (D) writes is looked at only when commit_pos is past
 * the sub-buffer's base, and the winner is done before the outermost commits.
 * The writers may not come around to what is not committed: then the event is
 * dropped and counted as commit overrun.
 *
 * The counter of events in a descriptor is never set back: each use of it
 * starts at entries_base, which is the counter's value at the end of the use
 * before.  This value stands still while nobody writes, so whoever
 * stores it, stores the same.
 *
 * COMMIT: if nothing has been crossed, commit_pos = pos is all.  Else
 * the outermost walks the crossed sub-buffers in order and numbers them:
 * rb_sub::first is how many events were written before its first.  From that a
 * reader knows exactly how many it did not see.  It also tells each page how
 * long it is, from what (D) left in the descriptor.
 *
 * BARRIERS
 * --------
 *	WC	smp_store_release(commit_pos), pairs with RC.  Everything below
 *		is visible to who reads it.
 *	RC	smp_load_acquire(commit_pos).
 *	WO	cmpxchg of the slot in overwriting (full barrier), before the
 *		first write into the memory; pairs with IV.
 *	IV	smp_rmb() of an iterator between copying an event and looking
 *		at the slot again: a word that did not change means that the
 *		copy is good.
 *	RT	cmpxchg of the slot in taking (full barrier): the reader's
 *		loads from the spare are done before a writer finds it there;
 *		pairs with the address dependency from slot to memory in (A)
 *		and the cmpxchg there.
 *	WK	waiter sets its flag, smp_mb, looks for data; the writer
 *		publishes, then looks at the flag without a barrier, which would
 *		cost each event.  The waiter has a lazy irq_work look once more
 *		instead, when any such store is long visible.
 *
 * READERS of a CPU's buffer exclude each other by reader_lock.  A change of
 * structure (size, order, reset) holds it too and runs on the CPU in question
 * in hard irq, when no writer is active there: see rb_quiesced_call().
 */
#ifndef _TRACE_BUFFER_INTERNAL_H
#define _TRACE_BUFFER_INTERNAL_H

#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <asm/local.h>

#include "buffer/buffer.h"

/* Header of each sub-buffer, as header_page tells to user space. */
struct buffer_data_page {
	u64		time_stamp;
	local_t		commit;
	unsigned char	data[];
};

#define RB_HDR			offsetof(struct buffer_data_page, data)

/* In buffer_data_page::commit of a page that is handed out. */
#define RB_MISSED_EVENTS	BIT(31)
#define RB_MISSED_STORED	BIT(30)
#define RB_COMMIT_MASK		(RB_MISSED_STORED - 1)

/* Events */
#define RB_EVENT_HDR		4U
#define RB_STAMP_LEN		8U
#define RB_MAX_SMALL		(4U * RINGBUF_TYPE_DATA_TYPE_LEN_MAX)
#define RB_DELTA_BITS		27
#define RB_DELTA_MASK		((1U << RB_DELTA_BITS) - 1)
#define RB_STAMP_MASK		((1ULL << 59) - 1)

#ifdef CONFIG_HAVE_64BIT_ALIGNED_ACCESS
# define RB_ALIGN		8U
# define RB_ALWAYS_LONG		true
#else
# define RB_ALIGN		4U
# define RB_ALWAYS_LONG		false
#endif

/* A slot's word: descriptor's index, generation, DATA or EMPTY. */
#define RB_SLOT_DATA		BIT(BITS_PER_LONG / 2 - 1)
#define RB_SLOT_ID		(RB_SLOT_DATA - 1)
#define RB_SLOT_GEN_SHIFT	(BITS_PER_LONG / 2)

/**
 * struct rb_sub - descriptor of a sub-buffer's memory
 * @page: the memory
 * @base: position of its first byte, header included
 * @entries: events ever reserved in this memory and not discarded
 * @entries_base: @entries when the present use began
 * @first: number of the first event, counted from the last reset
 * @dropped: events the CPU's buffer had dropped when this was opened
 * @slot: index of the slot it was opened in
 * @id: index in rb_cpu::subs
 * @map_id: number of the memory in the mapping
 * @end: bytes of data it was closed with; goes into the page in commit
 */
struct rb_sub {
	struct buffer_data_page	*page;
	unsigned long		base;
	local_t			entries;
	unsigned long		entries_base;
	unsigned long		first;
	unsigned long		dropped;
	unsigned int		slot;
	unsigned int		id;
	unsigned int		map_id;
	unsigned int		end;
};

static_assert(sizeof(struct rb_sub) <= 64);

/**
 * struct rb_wait - those who wait for data of a CPU, or of any
 * @work: looks whether there is something, and wakes; lazy, so one tick's
 *	writes wake once
 * @any: wait for any data
 * @full: wait for a share of the sub-buffers
 * @seq: grows with each explicit wakeup
 * @any_waits: somebody is in @any, or about to
 * @full_min: smallest share somebody in @full waits for, in percent; 0: none
 */
struct rb_wait {
	struct irq_work		work;
	wait_queue_head_t	any;
	wait_queue_head_t	full;
	atomic_t		seq;
	bool			any_waits;
	int			full_min;
};

/*
 * Levels of writers, innermost first: bits of rb_cpu::context, which moves up
 * by RB_LEVELS in ring_buffer_nest_start().
 */
enum rb_level {
	RB_LEVEL_TRANSITION,	/* irq that preempt_count does not know yet */
	RB_LEVEL_NMI,
	RB_LEVEL_IRQ,
	RB_LEVEL_SOFTIRQ,
	RB_LEVEL_TASK,
	RB_LEVELS
};

#define RB_LEVEL_BITS		3

#define RB_NEST_MAX		4

/* As many as a pipe takes: what one splice() has freed, the next one uses. */
#define RB_FREE_PAGES		16

/**
 * struct rb_cpu - the buffer of one CPU
 *
 * Letters tell who writes: w the CPU's writers, c its outermost writer in
 * commit, r who holds reader_lock, q only in rb_quiesced_call(), a anybody.
 *
 * @pos: (w) where the next event goes
 * @tail: (w) sub-buffer of @pos; may lag behind while a crossing is interrupted
 * @before_stamp: (w) stamp of the last event that somebody tried to reserve, and
 *	the level of its writer
 * @write_stamp: (w) the same of the last event reserved
 * @context: (w) a bit per active writer
 * @limit: (w) an event must end at or below this offset, or cross; 0 when
 *	events were dropped, so that the gap lies between two sub-buffers
 * @crossed: (w) @pos has left the sub-buffer of @commit_pos, or @follow, or nobody
 *	has committed since a swap
 * @follow: (q) tell the length of the open sub-buffer in its page, always
 * @wake: (a) somebody waits for any data; a byte of its own
 * @disabled: (a) recording off if not zero
 * @commit_pos: (c) all below is complete
 * @commit_sub: (c) sub-buffer of @commit_pos
 * @closed_events: (c) events in sub-buffers that lie before @commit_sub
 * @closed_bytes: (c) bytes of data there
 * @event_stamp: (w) stamp of the event being written, per context
 * @nested: (w) depth of ring_buffer_nest_start()
 * @outer_stamp: (w) event_stamp of the outer event for each depth
 * @prefix_pos: (w) position of the last event with a stamp record before it
 * @overrun: (w) events overwritten
 * @lost_bytes: (w) bytes overwritten
 * @commit_overrun: (w) events dropped, the ring being full of uncommitted ones
 * @dropped: (w) events dropped, the ring being full and not to be overwritten
 * @buffer: (q) whose it is
 * @slots: (q) the ring; its words (w, r)
 * @subs: (q) descriptors by id, @nr + 1 of them
 * @nr: (q) slots
 * @size: (q) bytes of a sub-buffer, header included; a power of two pages
 * @shift: (q) its binary logarithm
 * @order: (q) its order in pages
 * @cpu: which
 * @reader_lock: excludes readers; irqsave, tried only in NMI
 * @reader: (r) the sub-buffer taken last
 * @reader_off: (r) bytes of its data consumed
 * @reader_stamp: (r) time at @reader_off
 * @reader_took: (r) events consumed of it
 * @lost_events: (r) gap before the next event, not yet reported
 * @last_stamp: (r) time of the event consumed last; 0 if it is not known
 * @seen_dropped: (r) rb_sub::dropped of the last sub-buffer taken
 * @read_events: (r) events consumed
 * @read_bytes: (r) bytes consumed
 * @epoch: (q) changes when iterators must start again
 * @resize_disabled: (a) iterators and mappings that forbid a resize; -1: one is
 *	going on, no iterator may begin
 * @free_pages: (r) pages kept for ring_buffer_alloc_read_page(), of @order
 * @nr_free_pages: (r) how many
 * @mapped: mappings into user space; under trace_buffer::mutex
 * @meta: (r) page that tells them how things are; NULL: there is no mapping
 * @map_lost: (r) events lost before the sub-buffer that they read
 * @map_flags: (r) what the writer adds to the length of @reader in its page
 * @wait: those who wait for data of this CPU
 */
struct rb_cpu {
	local_t			pos;
	struct rb_sub		*tail;
	u64			before_stamp;
	u64			write_stamp;
	unsigned int		context;
	unsigned int		limit;
	u8			crossed;
	u8			follow;
	u8			wake;
	atomic_t		disabled;
	unsigned long		commit_pos;
	struct rb_sub		*commit_sub;
	unsigned long		closed_events;
	unsigned long		closed_bytes;
	struct trace_buffer	*buffer;
	u64			event_stamp[RB_LEVELS];

	unsigned int		nested;
	u64			outer_stamp[RB_NEST_MAX];
	unsigned long		prefix_pos;
	local_t			overrun;
	local_t			lost_bytes;
	local_t			commit_overrun;
	local_t			dropped;
	atomic_long_t		*slots;
	struct rb_sub		**subs;
	unsigned int		nr;
	unsigned int		size;
	unsigned int		shift;
	unsigned int		order;
	int			cpu;

	raw_spinlock_t		reader_lock ____cacheline_aligned_in_smp;
	struct rb_sub		*reader;
	unsigned int		reader_off;
	u64			reader_stamp;
	unsigned long		reader_took;
	unsigned long		lost_events;
	u64			last_stamp;
	unsigned long		seen_dropped;
	unsigned long		read_events;
	unsigned long		read_bytes;
	unsigned int		epoch;
	atomic_t		resize_disabled;
	struct buffer_data_page	*free_pages[RB_FREE_PAGES];
	unsigned int		nr_free_pages;
	unsigned int		mapped;
	struct trace_buffer_meta *meta;
	unsigned long		map_lost;
	unsigned long		map_flags;
	struct rb_wait		wait;
};

/* trace_buffer::state: a count of who disabled it, and reasons to go slow. */
#define RB_STATE_COUNT		(BIT(20) - 1)
#define RB_STATE_OFF		BIT(20)
#define RB_STATE_CLOCK		BIT(21)
#define RB_STATE_ABS		BIT(22)
#define RB_STATE_DISABLED	(RB_STATE_COUNT | RB_STATE_OFF)

/* rb_cpu::disabled beside its count: a change of structure is going on. */
#define RB_CPU_QUIESCED		BIT(20)

/**
 * struct trace_buffer - a ring buffer: one rb_cpu per CPU
 * @state: zero if recording is on and nothing special is wanted
 * @overwrite: lose the oldest events rather than the newest
 * @order: order of a sub-buffer in pages
 * @clock: reads the time
 * @mutex: serializes changes of structure
 * @node: for CPU hotplug
 * @wait: those who wait for any CPU
 * @cpumask: CPUs that have an rb_cpu
 * @reader_key: lock class of all reader_locks
 * @persist: the memory is not ours, see persist.c; NULL: it is
 * @cpus: per CPU; set before the CPU runs, and never cleared
 */
struct trace_buffer {
	atomic_t		state;
	bool			overwrite;
	unsigned int		order;
	u64			(*clock)(void);
	struct mutex		mutex;	/* changes of structure */
	struct hlist_node	node;
	struct rb_wait		wait;
	cpumask_var_t		cpumask;
	struct lock_class_key	*reader_key;
	struct rb_persist	*persist;
	struct rb_cpu		*cpus[];
};

static __always_inline unsigned long
rb_slot_word(struct rb_cpu *cb, struct rb_sub *sub, unsigned long base)
{
	return ((base >> cb->shift) << RB_SLOT_GEN_SHIFT) | RB_SLOT_DATA | sub->id;
}

static inline struct rb_sub *rb_slot_sub(struct rb_cpu *cb, unsigned long word)
{
	return cb->subs[word & RB_SLOT_ID];
}

static inline bool rb_slot_holds(struct rb_cpu *cb, unsigned long word,
				 unsigned long base)
{
	return word == rb_slot_word(cb, rb_slot_sub(cb, word), base);
}

static inline unsigned int rb_next_slot(struct rb_cpu *cb, unsigned int slot)
{
	return slot + 1 == cb->nr ? 0 : slot + 1;
}

/* Events in the present use of @sub; stands still once it is committed. */
static inline unsigned long rb_sub_entries(struct rb_sub *sub)
{
	return local_read(&sub->entries) - sub->entries_base;
}

/* Bytes of data in a sub-buffer that has been closed. */
static inline unsigned int rb_page_len(struct buffer_data_page *page)
{
	return local_read(&page->commit) & RB_COMMIT_MASK;
}

/* Is position @pos in the sub-buffer at @base?  Its very end belongs to it. */
static inline bool rb_within(struct rb_cpu *cb, unsigned long pos, unsigned long base)
{
	return pos - base <= cb->size;
}

static inline struct rb_cpu *rb_cpu_get(struct trace_buffer *buffer, int cpu)
{
	/* The number is a caller's, and no mask is longer than this. */
	if ((unsigned int)cpu >= nr_cpu_ids || !cpumask_test_cpu(cpu, buffer->cpumask))
		return NULL;
	return buffer->cpus[cpu];
}

/* Bytes of data that an event can have in a sub-buffer of @size bytes. */
static inline unsigned long rb_max_event_size(struct trace_buffer *buffer, unsigned int size)
{
	unsigned long room = size - RB_HDR - RB_EVENT_HDR - sizeof(u32);

	return atomic_read(&buffer->state) & RB_STATE_ABS ? room - RB_STAMP_LEN : room;
}

/* Size of @event in the buffer, its own header included. */
static inline unsigned int rb_event_size(struct ring_buffer_event *event)
{
	switch (event->type_len) {
	case 0:
	case RINGBUF_TYPE_PADDING:
		return event->array[0] + RB_EVENT_HDR;
	case RINGBUF_TYPE_TIME_EXTEND:
	case RINGBUF_TYPE_TIME_STAMP:
		return RB_STAMP_LEN;
	default:
		return event->type_len * 4 + RB_EVENT_HDR;
	}
}

static inline bool rb_is_data(struct ring_buffer_event *event)
{
	return event->type_len <= RINGBUF_TYPE_DATA_TYPE_LEN_MAX;
}

/* startup_test.c: has it found a ring buffer that cannot be trusted? */
#ifdef CONFIG_RING_BUFFER_STARTUP_TEST
DECLARE_STATIC_KEY_FALSE(rb_broken);
# define rb_is_broken()	static_branch_unlikely(&rb_broken)
#else
# define rb_is_broken()	false
#endif

/* read.c */
unsigned long rb_reader_lock(struct rb_cpu *cb, bool *locked);
void rb_reader_unlock(struct rb_cpu *cb, unsigned long flags, bool locked);
unsigned int rb_committed(struct rb_cpu *cb, struct rb_sub *sub);
bool rb_oldest_after(struct rb_cpu *cb, unsigned long *base, unsigned int *slot);
u64 rb_stamp_after(struct ring_buffer_event *event, u64 stamp);
bool rb_cpu_empty(struct rb_cpu *cb);
bool rb_reader_has_data(struct rb_cpu *cb);
unsigned int rb_consume(struct rb_cpu *cb, unsigned int committed, size_t len);
void rb_consume_closed(struct rb_cpu *cb, unsigned int committed);

/* Is the reader's sub-buffer still written to?  If not, its events stand still. */
static inline bool rb_reader_open(struct rb_cpu *cb)
{
	/* RC */
	return rb_within(cb, smp_load_acquire(&cb->commit_pos), cb->reader->base);
}

/* page.c */
void rb_drop_free_pages(struct rb_cpu *cb, unsigned int order);

/* map.c */
void rb_map_update(struct rb_cpu *cb);

/* resize.c */
int rb_ring_init(struct rb_cpu *cb, unsigned int nr, unsigned int order);
void rb_ring_free(struct rb_cpu *cb);
void rb_quiesced_call(struct rb_cpu *cb, void (*func)(struct rb_cpu *, void *), void *arg);
unsigned int rb_nr_for(unsigned long size, unsigned int order);
struct buffer_data_page *rb_page_alloc(unsigned int order, int cpu);
void rb_ring_reset(struct rb_cpu *cb);

#define RB_MIN_SUBS	2

/* persist.c */
struct rb_persist;
struct rb_persist *rb_persist_open(unsigned long start, unsigned long size, int order);
struct rb_cpu *rb_persist_cpu(struct trace_buffer *buffer, int cpu);
void rb_persist_cpu_free(struct rb_cpu *cb);

/* wait.c */
void rb_wait_init(struct rb_wait *wait, void (*look)(struct irq_work *work));
void rb_look_cpu(struct irq_work *work);
void rb_look_buffer(struct irq_work *work);
void rb_wait_exit(struct rb_wait *wait);
void rb_writer_wakes(struct rb_cpu *cb);
void rb_writer_crossed(struct rb_cpu *cb);
size_t rb_dirty_subs(struct rb_cpu *cb);

#endif /* _TRACE_BUFFER_INTERNAL_H */
