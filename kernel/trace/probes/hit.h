/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probes/ inside: hits of probes. A front end fills in a struct trace_probe_hit,
 * and the core counts the hit, and makes a record of it for each instance that has the event on
 * and for perf, and runs the programs of BPF.
 */
#ifndef _TRACE_PROBES_HIT_H
#define _TRACE_PROBES_HIT_H

#include <linux/context_tracking.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

#include "probes/counts.h"
#include "probes/probe.h"

/* The longest record that any buffer takes, rounded down. */
#define TRACE_PROBE_RECORD_MAX	4000

/*
 * The most event probes on top of each other. A hit is made inside of the hit of the event below
 * it, and each that has strings needs a place to make its record in.
 */
#define TRACE_EPROBE_DEPTH_MAX	4

/**
 * struct trace_probe_users - what the hits of an event are for; constant
 * @rcu:	frees it
 * @only:	the event of the only instance, if nobody else has it on and records are short and
 *		without strings; or NULL
 * @copies:	there is @only, and all arguments are words that are copied as they are
 * @perf:	perf has the event
 * @nr:		of @file
 * @file:	the event of each instance that has it on
 */
struct trace_probe_users {
	struct rcu_head		rcu;
	struct trace_event_file	*only;
	bool			copies;
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
 * Does RCU keep what a hit uses: the users of the event, its files, the instances' buffers? RCU
 * watches neither an idle CPU nor one that is about to be offline, or not quite there. Tracepoints
 * ask that themselves; functions may be hooked and probed there. Any context, preemption is off.
 */
static __always_inline bool trace_probe_may_hit(void)
{
	if (unlikely(!cpu_online(raw_smp_processor_id())))
		return false;
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	/* As rcu_is_watching(), without a call. */
	return likely(rcu_is_watching_curr_cpu());
#else
	return rcu_is_watching();
#endif
}

/*
 * hit.c. Any context, NMI included, with preemption off. True: a program has changed
 * hit->regs so that the probed instruction is not to be executed.
 */
bool trace_probe_hit(const struct trace_probe_hit *hit);
bool trace_probe_hit_at(struct trace_probe *probe, struct pt_regs *regs, unsigned long at);
void trace_probe_hit_record(struct trace_probe *probe, const struct trace_probe_users *users,
			    struct pt_regs *regs, const void *record);
bool trace_probe_hit_record_copies(struct trace_probe *probe,
				   const struct trace_probe_users *users, const void *record);
int trace_probe_hit_prepare(const struct trace_fetch *args);

/*
 * For carriers that hit in a task which may sleep, so that no other one waits for it: fetch into
 * memory of its own, and give the record to the users with preemption off.
 */
bool trace_probe_hit_copies(const struct trace_probe_hit *hit);
unsigned int trace_probe_hit_fetch(const struct trace_probe_hit *hit, void *record,
				   unsigned int room);
void trace_probe_hit_made(const struct trace_probe_hit *hit, const void *record,
			  unsigned int len, bool perf);

/* For users.c, when a struct trace_probe_users is complete. */
void trace_probe_users_settle(struct trace_probe_users *users, const struct trace_fetch *args);

static inline void trace_probe_missed(const struct trace_probe *probe, enum trace_probe_miss why)
{
	this_cpu_inc(probe->counts->missed[why]);
}

#endif /* _TRACE_PROBES_HIT_H */
