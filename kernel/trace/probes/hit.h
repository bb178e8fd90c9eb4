/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probes/ inside: hits of probes. A front end fills in a struct trace_probe_hit,
 * and the core counts the hit, and makes a record of it for each instance that has the event on
 * and for perf, and runs the programs of BPF.
 */
#ifndef _TRACE_PROBES_HIT_H
#define _TRACE_PROBES_HIT_H

#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "probes/probe.h"

/* The longest record that any buffer takes, rounded down. */
#define TRACE_PROBE_RECORD_MAX	4000

/* Why a hit was no record. */
enum trace_probe_miss {
	TRACE_PROBE_MISS_NESTED,	/* a probe was at work on this CPU, or probes were off */
	TRACE_PROBE_MISS_RETURN,	/* no place to keep the return address */
	TRACE_PROBE_MISS_ROOM,		/* no place to fetch the arguments to */
	TRACE_PROBE_MISSES
};

/* The hits and misses of a probe on a CPU. */
struct trace_probe_counts {
	unsigned long	hits;
	unsigned long	missed[TRACE_PROBE_MISSES];
};

/**
 * struct trace_probe_users - what the hits of an event are for; constant
 * @rcu:	frees it
 * @perf:	perf has the event
 * @nr:		of @file
 * @file:	the event of each instance that has it on
 */
struct trace_probe_users {
	struct rcu_head		rcu;
	bool			perf;
	unsigned int		nr;
	struct trace_event_file	*file[] __counted_by(nr);
};

/**
 * struct trace_probe_hit - a hit of a probe
 * @probe:	the probe
 * @regs:	for programs of BPF, samples of perf and stacks; NULL: there are none
 * @source:	where trace_fetch_store() finds the arguments
 * @at:		the addresses of the record, as many as the shape has; of a return first the
 *		function, then where it returns to
 */
struct trace_probe_hit {
	struct trace_probe		*probe;
	struct pt_regs			*regs;
	struct trace_fetch_source	source;
	unsigned long			at[2];
};

/*
 * hit.c. Any context, NMI included, with preemption off. True: a program has changed
 * hit->regs so that the probed instruction is not to be executed.
 */
bool trace_probe_hit(const struct trace_probe_hit *hit);
void trace_probe_hit_users(const struct trace_probe_hit *hit,
			   const struct trace_probe_users *users);
int trace_probe_hit_prepare(const struct trace_fetch *args);

/*
 * For carriers that hit in a task which may sleep, so that no other one waits for it: fetch into
 * memory of its own, and give the record to the users with preemption off.
 */
unsigned int trace_probe_hit_fetch(const struct trace_probe_hit *hit, void *record,
				   unsigned int room);
void trace_probe_hit_made(const struct trace_probe_hit *hit, const void *record,
			  unsigned int len, bool perf);

static inline void trace_probe_missed(const struct trace_probe *probe, enum trace_probe_miss why)
{
	this_cpu_inc(probe->counts->missed[why]);
}

#endif /* _TRACE_PROBES_HIT_H */
