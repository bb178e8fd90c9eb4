/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events/trigger/ inside: which of the hits of a trigger count, where not all of them do.
 *
 *	after=N		not the first N
 *	every=N		of those behind them the first, and then each Nth
 *	ratelimit=T	of these no more than one in the time T, "10ms"
 *
 * and when such a hit has its effect, see delay.h:
 *
 *	delay=T		the time T later
 */
#ifndef _TRACE_EVENTS_TRIGGER_PACE_H
#define _TRACE_EVENTS_TRIGGER_PACE_H

#include <linux/atomic.h>
#include <linux/types.h>

struct seq_file;

/**
 * struct trace_pace - how often a trigger acts
 * @after:	hits that are passed over first
 * @every:	it acts at one of so many; 0 and 1: at all
 * @gap:	ns from one action to the next; 0: none
 * @delay:	ns from a hit that counts to the action; 0: none
 * @seen:	hits so far
 * @next:	no action before this time
 */
struct trace_pace {
	unsigned long	after;		/* constant */
	unsigned long	every;		/* constant */
	u64		gap;		/* constant */
	u64		delay;		/* constant */
	atomic_long_t	seen;		/* atomic */
	atomic64_t	next;		/* atomic */
};

int trace_pace_parse(struct trace_pace *pace, char *text);
bool trace_pace_take(struct trace_pace *pace, u64 now);
void trace_pace_show(struct seq_file *m, const struct trace_pace *pace);

/* Does each hit count? */
static inline bool trace_pace_is_any(const struct trace_pace *pace)
{
	return !pace->after && pace->every <= 1 && !pace->gap;
}

#endif /* _TRACE_EVENTS_TRIGGER_PACE_H */
