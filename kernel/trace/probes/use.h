/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probes/ inside: a probe that is on, and whose carrier is an fprobe. For fprobe_event.c and
 * kprobe_return.c.
 */
#ifndef _TRACE_PROBES_USE_H
#define _TRACE_PROBES_USE_H

#include "probes/hit.h"

#ifdef CONFIG_FPROBE
#include <linux/fprobe.h>

#include "hooks/hooks.h"

/**
 * struct trace_probe_use - a probe, from switching it on until no handler runs any more
 * @fp:		the fprobe
 * @probe:	a copy of the probe for hits, which counts by itself if returns are probed
 * @of:		the probe; constant, and there for handlers
 * @gone:	@of is not to be looked at by others; use_lock
 * @retired:	until no handler runs
 * @list:	of @of->uses; use_lock
 *
 * The uses of a probe overlap, as it may be on again while a handler of the use before still
 * runs. Each has counts of its own. So when no handler runs any more, the calls of that use which
 * are still in flight are known. They are misses from then on, since nobody awaits their returns.
 */
struct trace_probe_use {
	struct fprobe		fp;
	struct trace_probe	probe;
	struct trace_probe	*of;
	bool			gone;
	struct ftrace_retired	retired;
	struct list_head	list;
};

static inline struct trace_probe_use *trace_probe_use_of(struct fprobe *fp)
{
	return container_of(fp, struct trace_probe_use, fp);
}

/* use.c; the events mutex is held, unless a probe is forgotten. */
struct trace_probe_use *trace_probe_use_make(struct trace_probe *probe, unsigned int max_active);
void trace_probe_use_drop(struct trace_probe_use *use);
bool trace_probe_uses_forget(struct trace_probe *probe);
void trace_probe_uses_count(const struct trace_probe *probe, struct trace_probe_counts *counts);

#else /* !CONFIG_FPROBE */

static inline bool trace_probe_uses_forget(struct trace_probe *probe) { return false; }
static inline void trace_probe_uses_count(const struct trace_probe *probe,
					  struct trace_probe_counts *counts) { }

#endif

#endif /* _TRACE_PROBES_USE_H */
