/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring buffer's whole interface: the kernel's public header, plus what
 * only the layers above need.  Documentation/trace/ring-buffer-design.rst tells
 * how it works; writer.h, ring.h and write.c tell why it is right.
 *
 * CPUs come through trace_rb_cpu_prepare() and trace_rb_cpu_online(), and go through
 * trace_rb_cpu_dead(): trace_rb_hotplug_init() registers them before anybody allocates a
 * buffer; without that an allocation fails.
 */
#ifndef _TRACE_BUFFER_BUFFER_H
#define _TRACE_BUFFER_BUFFER_H

#include <linux/atomic.h>
#include <linux/ring_buffer.h>

int trace_rb_cpu_online(unsigned int cpu, struct hlist_node *node);
int trace_rb_cpu_dead(unsigned int cpu, struct hlist_node *node);
int trace_rb_hotplug_init(void);

/*
 * Reserve and commit for callers that run with preemption off already, such
 * as the callback of the function tracer.  A reservation of one pair must not
 * be committed by the other.
 */
struct ring_buffer_event *
ring_buffer_reserve_nopreempt(struct trace_buffer *buffer, unsigned long length);
void ring_buffer_commit_nopreempt(struct trace_buffer *buffer);

/* ring_buffer_event_data() for who reserved or read @event, without a call. */
static __always_inline void *ring_buffer_event_body(struct ring_buffer_event *event)
{
	return event->type_len ? &event->array[0] : &event->array[1];
}

/* For a consumer that is not alone: the event is copied, and taken if it is still there. */
unsigned int ring_buffer_peek_copy(struct trace_buffer *buffer, int cpu, void *data,
				   unsigned int size, u64 *ts, unsigned long *lost_events);
bool ring_buffer_consume_at(struct trace_buffer *buffer, int cpu, u64 ts);

/* Between which times events were lost: since these, until that of the event. */
u64 ring_buffer_read_stamp(struct trace_buffer *buffer, int cpu);
void ring_buffer_iter_extend(struct ring_buffer_iter *iter);
unsigned long ring_buffer_iter_lost(struct ring_buffer_iter *iter, u64 *since);

/* Change the sub-buffers' size in both of two buffers, or in none of them. */
int ring_buffer_subbuf_order_set_both(struct trace_buffer *a, struct trace_buffer *b, int order);

/* Have @func swap the buffers of @cpu on @cpu, where no writer is interrupted by that. */
int ring_buffer_swap_call(struct trace_buffer *buffer_a, struct trace_buffer *buffer_b, int cpu,
			  int (*func)(void *arg), void *arg);

bool ring_buffer_mapped(struct trace_buffer *buffer, int cpu);

/* A buffer of __ring_buffer_alloc_range(): sub-buffers of the last boot. */
bool ring_buffer_persist_stats(struct trace_buffer *buffer, unsigned int *kept,
			       unsigned int *dropped);

/**
 * struct ring_buffer_places - how a CPU's part of a persistent buffer is used
 * @size: bytes of a sub-buffer
 * @head: number of the oldest sub-buffer but the reader's
 * @commit: number of the one that is written to
 * @nr: how many there are
 * @ids: their numbers, which are their places in memory: first the reader's, then
 *	in the order of the ring
 */
struct ring_buffer_places {
	unsigned int	size;
	unsigned int	head;
	unsigned int	commit;
	unsigned int	nr;
	unsigned int	ids[];
};

struct ring_buffer_places *ring_buffer_persist_places(struct trace_buffer *buffer, int cpu);

/**
 * struct ring_buffer_news - what has happened on a CPU since somebody has looked
 * @pages: sub-buffers that were completed
 * @overwritten: events that were lost because newer ones took their place
 * @dropped: events for which there was no place
 */
struct ring_buffer_news {
	atomic_long_t	pages;
	atomic_long_t	overwritten;
	atomic_long_t	dropped;
};

/**
 * struct ring_buffer_watch - is told that there are news
 * @notify: called by a writer in its commit, in any context, NMI included. It may queue an
 *	irq_work, and nothing else: no function that it calls writes into the buffer. Of a CPU
 *	that has come, or is dead, it is called by a task with preemption off
 * @news: of each CPU, nr_cpu_ids of them; the caller takes them by atomic_long_xchg()
 */
struct ring_buffer_watch {
	void			(*notify)(struct ring_buffer_watch *watch);
	struct ring_buffer_news	news[];
};

void ring_buffer_set_watch(struct trace_buffer *buffer, struct ring_buffer_watch *watch);

/* How many events this CPU's buffer has ever been given, lost ones included. */
unsigned long ring_buffer_written_cpu(struct trace_buffer *buffer, int cpu);

#endif /* _TRACE_BUFFER_BUFFER_H */
