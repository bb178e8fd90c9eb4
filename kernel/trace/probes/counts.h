/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probes/ inside: the counts of a probe. Each call of a function whose return is probed is
 * counted when it is entered, and once more as a hit or as a miss, for its reason. Until then it
 * is in flight. So there is a law for these probes:
 *
 *	entries = hits + misses + calls in flight
 *
 * Each CPU has counts of its own, which are added up when they are read, the entries last. So a
 * call that begins meanwhile is in flight.
 */
#ifndef _TRACE_PROBES_COUNTS_H
#define _TRACE_PROBES_COUNTS_H

#include <linux/types.h>

struct trace_probe;

/* Why a hit was no record. */
enum trace_probe_miss {
	TRACE_PROBE_MISS_NESTED,	/* a probe was at work on this CPU, or probes were off */
	TRACE_PROBE_MISS_RETURN,	/* no place to keep the return address */
	TRACE_PROBE_MISS_ROOM,		/* no place to fetch the arguments to */
	TRACE_PROBE_MISS_IDLE,		/* RCU did not watch the CPU */
	TRACE_PROBE_MISS_OFF,		/* the event was switched off before the return */
	TRACE_PROBE_MISS_LEFT,		/* the call was left without a return, or its task ended */
	TRACE_PROBE_MISSES
};

/**
 * struct trace_probe_counts - the counts of a probe, on a CPU or on all
 * @entered: calls whose return is probed; 0 of other probes
 * @hits: hits with a record
 * @missed: the others
 */
struct trace_probe_counts {
	unsigned long	entered;
	unsigned long	hits;
	unsigned long	missed[TRACE_PROBE_MISSES];
};

/* counts.c */
struct trace_probe_counts __percpu *trace_probe_counts_alloc(void);
void trace_probe_counts_free(struct trace_probe_counts __percpu *counts);
void trace_probe_counts_add(struct trace_probe_counts *sum,
			    const struct trace_probe_counts __percpu *counts);
void trace_probe_counts_fold(struct trace_probe_counts *sum,
			     const struct trace_probe_counts *part);
unsigned long trace_probe_counts_missed(const struct trace_probe_counts *counts);
unsigned long trace_probe_counts_flying(const struct trace_probe_counts *counts);

/* probe.c; the events mutex is held. */
void trace_probe_count(const struct trace_probe *probe, struct trace_probe_counts *counts);

#endif /* _TRACE_PROBES_COUNTS_H */
