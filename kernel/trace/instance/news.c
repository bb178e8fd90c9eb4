// SPDX-License-Identifier: GPL-2.0
/*
 * News of an instance: its ring buffers and snapshots ask for an interrupt, which tells probes.
 *
 * While a CPU tells probes, what happens on it asks for nothing. So a probe that fills the next
 * sub-buffer, or takes a snapshot, is not called for that, and there is no end to wait for.
 */
#include <linux/atomic.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/slab.h>

#include "instance/buffers.h"
#include "instance/internal.h"
#include "instance/news.h"
#include "lib/request.h"

/**
 * struct trace_news - the news of an instance
 * @tr:		the instance
 * @request:	the interrupt
 * @data:	of the probe of each kind; NULL: there is none
 * @snapshots:	how many were taken since they were told
 * @watch:	of both ring buffers, while somebody wants to know of them
 */
struct trace_news {
	struct trace_array		*tr;			/* constant */
	struct trace_request		request;
	void				*data[TRACE_NEWS_KINDS]; /* events mutex, READ_ONCE() */
	atomic_long_t			snapshots;
	struct ring_buffer_watch	watch;			/* has an element per CPU */
};

static DEFINE_TRACE_SLOT(news_slot);

/* Set once, before an instance has a probe. */
static trace_news_probe_t news_probes[TRACE_NEWS_KINDS];

/* This CPU tells probes. */
static DEFINE_PER_CPU(bool, news_telling);

static struct trace_news *news_of(const struct trace_array *tr)
{
	return trace_slot_data(tr, &news_slot);
}

static void news_raise(struct trace_news *news)
{
	if (!this_cpu_read(news_telling))
		trace_request_raise(&news->request);
}

/* ring_buffer_watch::notify */
static void news_notify(struct ring_buffer_watch *watch)
{
	news_raise(container_of(watch, struct trace_news, watch));
}

static void news_tell(struct trace_news *news, enum trace_news_kind kind,
		      const struct trace_news_told *told)
{
	/* Pairs with smp_store_release() in trace_news_set_probe(). */
	void *data = smp_load_acquire(&news->data[kind]);

	if (data && (told->number || told->dropped))
		news_probes[kind](data, told);
}

static void news_tell_cpu(struct trace_news *news, int cpu)
{
	struct ring_buffer_news *of = &news->watch.news[cpu];
	struct trace_news_told told = { .cpu = cpu };

	/* Loads first: nearly all CPUs have no news. */
	if (!atomic_long_read(&of->pages) && !atomic_long_read(&of->overwritten) &&
	    !atomic_long_read(&of->dropped))
		return;
	told.number = atomic_long_xchg(&of->pages, 0);
	news_tell(news, TRACE_NEWS_PAGE, &told);
	told.number = atomic_long_xchg(&of->overwritten, 0);
	told.dropped = atomic_long_xchg(&of->dropped, 0);
	news_tell(news, TRACE_NEWS_LOST, &told);
}

/* trace_request::func; on PREEMPT_RT in a thread. */
static void news_tell_all(struct trace_request *request)
{
	struct trace_news *news = container_of(request, struct trace_news, request);
	struct trace_news_told told = { };
	int cpu;

	preempt_disable_notrace();
	this_cpu_write(news_telling, true);
	barrier();
	for_each_possible_cpu(cpu)
		news_tell_cpu(news, cpu);
	told.cpu = raw_smp_processor_id();
	told.number = atomic_long_xchg(&news->snapshots, 0);
	news_tell(news, TRACE_NEWS_SNAPSHOT, &told);
	barrier();
	this_cpu_write(news_telling, false);
	preempt_enable_notrace();
}

/**
 * trace_news_snapshot - a snapshot was taken
 * @tr: the instance
 *
 * Context: any but NMI, interrupts off.
 */
void trace_news_snapshot(struct trace_array *tr)
{
	struct trace_news *news = news_of(tr);

	if (!news || !READ_ONCE(news->data[TRACE_NEWS_SNAPSHOT]))
		return;
	atomic_long_inc(&news->snapshots);
	news_raise(news);
}

/* Watch the ring buffers as long as there is a probe for what they tell. */
static void news_watch(struct trace_news *news)
{
	bool wanted = news->data[TRACE_NEWS_PAGE] || news->data[TRACE_NEWS_LOST];
	struct trace_buffer **buffer;

	for_each_trace_buffer(news->tr, buffer)
		ring_buffer_set_watch(*buffer, wanted ? &news->watch : NULL);
}

/* Nothing that was before the first probe is told. */
static void news_forget(struct trace_news *news, enum trace_news_kind kind)
{
	int cpu;

	if (kind == TRACE_NEWS_SNAPSHOT)
		atomic_long_set(&news->snapshots, 0);
	for_each_possible_cpu(cpu) {
		struct ring_buffer_news *of = &news->watch.news[cpu];

		if (kind == TRACE_NEWS_PAGE)
			atomic_long_set(&of->pages, 0);
		if (kind != TRACE_NEWS_LOST)
			continue;
		atomic_long_set(&of->overwritten, 0);
		atomic_long_set(&of->dropped, 0);
	}
}

/**
 * trace_news_set_probe - have news of an instance told
 * @tr:		the instance
 * @kind:	which
 * @probe:	is told; of all instances the same
 * @data:	for the probe; it stays until a grace period of RCU is over after the next call.
 *		NULL: no more
 *
 * Context: task; the caller orders its calls.
 */
void trace_news_set_probe(struct trace_array *tr, enum trace_news_kind kind,
			  trace_news_probe_t probe, void *data)
{
	struct trace_news *news = news_of(tr);

	news_probes[kind] = probe;
	if (data)
		news_forget(news, kind);
	/* The interrupt that finds @data finds the probe: pairs with news_tell(). */
	smp_store_release(&news->data[kind], data);
	news_watch(news);
}

static int news_create(struct trace_array *tr)
{
	struct trace_news *news = kvzalloc(struct_size(news, watch.news, nr_cpu_ids), GFP_KERNEL);

	if (!news || trace_request_init(&news->request, news_tell_all)) {
		kvfree(news);
		return -ENOMEM;
	}
	news->tr = tr;
	news->watch.notify = news_notify;
	trace_slot_set_data(tr, &news_slot, news);
	return 0;
}

/* There are no probes since a grace period, and so no writer knows the watch. */
static void news_release(struct trace_array *tr)
{
	struct trace_news *news = news_of(tr);

	if (!news)
		return;
	trace_request_end(&news->request);
	trace_slot_set_data(tr, &news_slot, NULL);
	kvfree(news);
}

struct trace_component trace_news_component __ro_after_init = {
	.name		= "news",
	.slot		= &news_slot,
	.create		= news_create,
	.release	= news_release,
};
