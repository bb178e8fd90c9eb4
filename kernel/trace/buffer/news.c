// SPDX-License-Identifier: GPL-2.0
/*
 * News of a ring buffer: sub-buffers that were completed, and events that were lost. Somebody may
 * watch them. A writer counts them where it does something rare anyway, and tells the watch in its
 * commit, so without a watch they cost a load there, and an event costs nothing.
 *
 * A writer sets rb_writer::wake, with which the outermost writer commits the long way, and comes
 * to rb_writer_wakes().
 */
#include "buffer/internal.h"

/* This CPU's counts, NULL: nobody watches. The CPU's writers call it. */
static struct ring_buffer_news *news_here(struct rb_cpu *cb)
{
	struct ring_buffer_watch *watch = READ_ONCE(rb_object(cb->w.buffer)->watch);

	return watch ? &watch->news[raw_smp_processor_id()] : NULL;
}

/* @bytes of sub-buffers were completed. */
void rb_news_crossed(struct rb_cpu *cb, unsigned long bytes)
{
	struct ring_buffer_news *news = news_here(cb);

	if (likely(!news))
		return;
	atomic_long_add(bytes >> cb->shift, &news->pages);
	WRITE_ONCE(cb->w.wake, 1);
}

/* @events were overwritten. */
void rb_news_overwritten(struct rb_cpu *cb, unsigned int events)
{
	struct ring_buffer_news *news = news_here(cb);

	local_add(events, &cb->w.overrun);
	if (likely(!news) || !events)
		return;
	atomic_long_add(events, &news->overwritten);
	WRITE_ONCE(cb->w.wake, 1);
}

/* An event was dropped, for the reason that @counter has. */
void rb_news_dropped(struct rb_cpu *cb, local_t *counter)
{
	struct ring_buffer_news *news = news_here(cb);

	local_inc(counter);
	if (likely(!news))
		return;
	atomic_long_inc(&news->dropped);
	WRITE_ONCE(cb->w.wake, 1);
}

/* The watch that a CPU has something to tell, or NULL. Preemption is off. */
static struct ring_buffer_watch *news_watch_of(struct rb_object *object, unsigned int cpu)
{
	struct ring_buffer_watch *watch = READ_ONCE(object->watch);
	struct ring_buffer_news *news;

	if (likely(!watch))
		return NULL;
	news = &watch->news[cpu];
	return atomic_long_read(&news->pages) || atomic_long_read(&news->overwritten) ||
	       atomic_long_read(&news->dropped) ? watch : NULL;
}

/* The watch that this CPU has something to tell, or NULL. */
struct ring_buffer_watch *rb_news_watch(struct rb_cpu *cb)
{
	return news_watch_of(rb_object(cb->w.buffer), raw_smp_processor_id());
}

/*
 * @cpu has come or is dead, and has told nothing meanwhile, as it would have had to queue an
 * irq_work: tell for it.  Context: task.
 */
void rb_news_cpu_changed(struct rb_object *object, unsigned int cpu)
{
	struct ring_buffer_watch *watch;

	/* The watch stays until a grace period is over. */
	guard(preempt_notrace)();
	watch = news_watch_of(object, cpu);
	if (watch)
		watch->notify(watch);
}

/**
 * ring_buffer_set_watch - have sub-buffers that are completed, and losses, told
 * @buffer: the ring buffer
 * @watch: is told; NULL: nobody any more. It may be called until a grace period of RCU is over
 *
 * Context: any; the caller orders its calls.
 */
void ring_buffer_set_watch(struct trace_buffer *buffer, struct ring_buffer_watch *watch)
{
	/* Writers find what is in it: they depend on the address. */
	smp_store_release(&rb_object(buffer)->watch, watch);
}
