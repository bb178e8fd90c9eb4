/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of the ring buffer offer each other. Not for other folders.
 */
#ifndef _TRACE_BUFFER_INTERNAL_H
#define _TRACE_BUFFER_INTERNAL_H

#include <linux/cleanup.h>
#include <linux/irqflags.h>
#include <linux/kgdb.h>
#include <linux/preempt.h>
#include <linux/trace_recursion.h>

#include "buffer/object.h"

/* A writer at @ip came from within another one of its context, and is refused. */
#ifdef CONFIG_RING_BUFFER_RECORD_RECURSION
# define rb_note_recursion(ip, parent_ip)	do_ftrace_record_recursion(ip, parent_ip)
#else
static inline void rb_note_recursion(unsigned long ip, unsigned long parent_ip) { }
#endif

/* Bytes of data that an event can have in a sub-buffer of @size bytes. */
static inline unsigned long rb_max_event_size(struct trace_buffer *buffer, unsigned int size)
{
	unsigned long room = size - RB_HDR - RB_EVENT_HDR - sizeof(u32);

	return atomic_read(&buffer->state) & RB_STATE_ABS ? room - RB_STAMP_LEN : room;
}

/* read.c */

/**
 * struct rb_reading - a reader of a CPU's buffer, others being out
 * @cb: whose
 * @flags: of the interrupts, which are off
 * @alone: it has rb_cpu::reader_lock; false: it goes on without, in an NMI or in kdb
 */
struct rb_reading {
	struct rb_cpu	*cb;
	unsigned long	flags;
	bool		alone;
};

bool rb_reader_lock_nmi(struct rb_cpu *cb);

static inline struct rb_reading rb_reading_begin(struct rb_cpu *cb)
{
	struct rb_reading reading = { .cb = cb, .alone = true };

	local_irq_save(reading.flags);
	/*
	 * Without SMP the lock has no state: an NMI always gets it. On arm64, kdb is entered
	 * by a breakpoint, which is no NMI, but may have interrupted the lock's owner as well.
	 */
	if (IS_ENABLED(CONFIG_SMP) && unlikely(in_nmi() || in_dbg_master()))
		reading.alone = rb_reader_lock_nmi(cb);
	else
		raw_spin_lock(&cb->reader_lock);
	return reading;
}

static inline void rb_reading_end(struct rb_reading *reading)
{
	if (likely(reading->alone))
		raw_spin_unlock(&reading->cb->reader_lock);
	local_irq_restore(reading->flags);
}

/* guard(rb_reading)(cb): until the end of the block. */
DEFINE_CLASS(rb_reading, struct rb_reading, rb_reading_end(&_T), rb_reading_begin(cb),
	     struct rb_cpu *cb)

unsigned int rb_committed(struct rb_cpu *cb, struct rb_sub *sub);
bool rb_oldest_after(struct rb_cpu *cb, unsigned long *base, unsigned int *slot);
u64 rb_stamp_record(struct ring_buffer_event *event, u64 stamp);
bool rb_cpu_empty(struct rb_cpu *cb);
void rb_reader_begin(struct rb_cpu *cb, struct rb_sub *sub, unsigned int off);
bool rb_reader_looks_again(struct rb_cpu *cb);
unsigned int rb_consume(struct rb_cpu *cb, unsigned int committed, size_t len);
void rb_consume_closed(struct rb_cpu *cb, unsigned int committed);

/* The time after @event, if it was @stamp before. */
static inline u64 rb_stamp_after(struct ring_buffer_event *event, u64 stamp)
{
	if (likely(event->type_len < RINGBUF_TYPE_TIME_EXTEND))
		return stamp + event->time_delta;
	return rb_stamp_record(event, stamp);
}

/* Is there committed data to consume?  Takes the next sub-buffer when this one has none. */
static inline bool rb_reader_has_data(struct rb_cpu *cb)
{
	return likely(cb->read_bytes != cb->reader_end) || rb_reader_looks_again(cb);
}

/* The record at which the reader is.  Only after rb_reader_has_data(). */
static inline struct ring_buffer_event *rb_reader_event(struct rb_cpu *cb)
{
	return (void *)(cb->reader_base + cb->read_bytes);
}

/*
 * Bytes of the reader's sub-buffer that are committed.  @open says whether it is
 * still written to; if not, its length and its events stay as they are.
 */
static inline unsigned int rb_reader_committed(struct rb_cpu *cb, bool *open)
{
	unsigned long pos = smp_load_acquire(&cb->w.commit_pos);	/* RC */

	*open = rb_within(cb, pos, cb->reader->base);
	return *open ? pos - cb->reader->base - RB_HDR : READ_ONCE(cb->reader->end);
}

/* write.c */
/* The bits in rb_writer::context while the outermost writer queues an irq_work, see wait.c. */
#define RB_CONTEXT_QUEUES	(BIT(RB_LEVEL_TRANSITION) | BIT(RB_LEVEL_IRQ) |	\
				 BIT(RB_LEVEL_SOFTIRQ) | BIT(RB_LEVEL_TASK))

unsigned int rb_depth_any(unsigned int context);

/* How many writers has the innermost one interrupted?  Mostly none. */
static __always_inline unsigned int rb_depth(struct rb_cpu *cb)
{
	unsigned int context = cb->w.context;

	return likely(context == BIT(RB_LEVEL_TASK)) ? 0 : rb_depth_any(context);
}

/* Is nobody writing, or about to number what was written?  On the CPU, in hard irq. */
static inline bool rb_no_writer(struct rb_cpu *cb)
{
	return !cb->w.context && !cb->w.nested &&
	       READ_ONCE(cb->w.pos) == READ_ONCE(cb->w.commit_pos);
}

/* stats.c */
unsigned long rb_written(struct rb_cpu *cb);

/* page.c */
void rb_drop_free_pages(struct rb_cpu *cb, unsigned int order);

/* map.c */
void rb_map_update(struct rb_cpu *cb);

/* quiesce.c */

/* A writer that is still active by then is stuck. */
#define RB_QUIESCE_TICKS	HZ

/* Most calls need one try. This many let writers in between. */
#define RB_QUIESCE_OPEN_TRIES	16

typedef void (*rb_quiesced_func)(struct rb_cpu *cb, void *arg);
int rb_quiesced_call(struct trace_buffer *buffer, int cpu, rb_quiesced_func func, void *arg);

/**
 * struct rb_ring - what a CPU's buffer consists of
 * @slots: array of @nr words
 * @subs: array of @ids descriptors with their memory, @nr + 1 of them not NULL
 * @nr: slots
 * @ids: length of @subs
 * @order: of the memory
 */
struct rb_ring {
	atomic_long_t	*slots;
	struct rb_sub	**subs;
	unsigned int	nr;
	unsigned int	ids;
	unsigned int	order;
};

/* ring.c */
unsigned int rb_nr_for(unsigned long size, unsigned int order);
struct buffer_data_page *rb_page_alloc(unsigned int order, int cpu);
int rb_ring_alloc(struct rb_ring *ring, const struct rb_ring *old, unsigned int nr,
		  unsigned int order, int cpu);
void rb_ring_sub_free(struct rb_sub *sub, unsigned int order);
void rb_ring_exchange(struct rb_cpu *cb, struct rb_ring *ring);
struct rb_ring rb_cpu_ring(struct rb_cpu *cb);
int rb_cpu_ring_init(struct rb_cpu *cb, unsigned int nr, unsigned int order);
void rb_cpu_ring_free(struct rb_cpu *cb);
unsigned long rb_writer_settle(struct rb_cpu *cb, struct rb_sub *tail);
void rb_keep_stamp(struct rb_cpu *cb);
void rb_sub_reset(struct rb_sub *sub);
void rb_cpu_restart(struct rb_cpu *cb, struct rb_sub *tail, unsigned int slot,
		    struct rb_sub *reader);

/* persist.c */
struct rb_persist;
struct rb_persist *rb_persist_open(unsigned long start, unsigned long size, int order);
struct rb_cpu *rb_persist_cpu(struct trace_buffer *buffer, int cpu);
void rb_persist_cpu_free(struct rb_cpu *cb);

#endif /* _TRACE_BUFFER_INTERNAL_H */
