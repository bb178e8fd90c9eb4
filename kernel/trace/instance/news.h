/* SPDX-License-Identifier: GPL-2.0 */
/*
 * News of an instance: a sub-buffer is full, records were lost, a snapshot was taken. A probe is
 * told of them in an interrupt soon after, at most once per tick, so each number may stand for
 * several.
 *
 * A probe may do whatever a hit of an event may. It makes no news itself: the records that it
 * writes are counted, and told with the next news that comes from elsewhere.
 */
#ifndef _TRACE_INSTANCE_NEWS_H
#define _TRACE_INSTANCE_NEWS_H

#include "instance/component.h"

enum trace_news_kind {
	TRACE_NEWS_PAGE,
	TRACE_NEWS_LOST,
	TRACE_NEWS_SNAPSHOT,
	TRACE_NEWS_KINDS
};

/**
 * struct trace_news_told - what a probe is told
 * @cpu:	the CPU whose buffer it is about; of a snapshot: the CPU that tells
 * @number:	of sub-buffers, of records that were overwritten, or of snapshots
 * @dropped:	of records for which there was no place
 */
struct trace_news_told {
	int		cpu;
	unsigned long	number;
	unsigned long	dropped;
};

/* Preemption is off. */
typedef void (*trace_news_probe_t)(void *data, const struct trace_news_told *told);

extern struct trace_component trace_news_component;

void trace_news_set_probe(struct trace_array *tr, enum trace_news_kind kind,
			  trace_news_probe_t probe, void *data);

#endif /* _TRACE_INSTANCE_NEWS_H */
