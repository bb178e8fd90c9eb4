/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probes/ inside: probes of tracepoints, and how a tracepoint calls them. Either a function of
 * ours takes whatever the tracepoint passes (tprobe_call.c), or, where the kernel checks that a
 * function is called as what it is, the function that the tracepoint has for such probes is
 * hooked (tprobe_stub.c).
 */
#ifndef _TRACE_PROBES_TPROBE_H
#define _TRACE_PROBES_TPROBE_H

#include <linux/list.h>
#include <linux/tracepoint.h>

#include "probes/hit.h"

/* The parameters of TP_PROTO(), and the stack pointer. */
#define TPROBE_WORDS	(TRACE_FETCH_WORDS + 1)

struct tprobe_stub;

/**
 * struct tprobe - a probe of a tracepoint
 * @probe:	the probe, whose place is the name of the tracepoint
 * @list:	of all; events mutex
 * @tp:		the tracepoint; NULL: it waits for a module; events mutex
 * @at:		the address in records: the function that the tracepoint has for such probes;
 *		constant while @hits
 * @hits:	the tracepoint calls it; events mutex
 * @has_hit:	it may have a hit that goes on; events mutex
 * @stub:	for tprobe_stub.c; events mutex
 */
struct tprobe {
	struct trace_probe	probe;
	struct list_head	list;
	struct tracepoint	*tp;
	unsigned long		at;
	bool			hits;
	bool			has_hit;
	struct tprobe_stub	*stub;
};

/*
 * tprobe_call.c or tprobe_stub.c; the events mutex is held. trace_tprobe_synchronize() returns
 * when the hits have ended of those that were unregistered before.
 */
int trace_tprobe_register(struct tprobe *tprobe);
void trace_tprobe_unregister(struct tprobe *tprobe);
void trace_tprobe_synchronize(void);

/* A hit with what the tracepoint has passed, TPROBE_WORDS words. */
static __always_inline void tprobe_record(struct tprobe *tprobe, const unsigned long *words)
{
	const struct trace_probe_hit hit = {
		.probe	= &tprobe->probe,
		.source	= { .args = words },
		.at	= { tprobe->at },
	};

	trace_probe_hit(&hit);
}

#endif /* _TRACE_PROBES_TPROBE_H */
