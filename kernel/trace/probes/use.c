// SPDX-License-Identifier: GPL-2.0
/*
 * Probes that are on, with an fprobe as their carrier, and their counts. use.h tells why each
 * use of a probe counts by itself.
 *
 * When no handler of a use runs any more, its counts are added to those of the probe, and it is
 * freed. The work queue of hooks does that, with use_lock, and without the events mutex, under
 * which others wait for hooks.
 */
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "events/calls.h"
#include "probes/use.h"

/* The lists of uses, and the counts of uses that have ended. */
static DEFINE_SPINLOCK(use_lock);

/* Add what an fprobe has missed. */
static void use_add_missed(struct fprobe *fp, struct trace_probe_counts *counts)
{
	static const enum trace_probe_miss why[FPROBE_MISS_NR] = {
		[FGRAPH_MISS_NO_STACK]	= TRACE_PROBE_MISS_RETURN,
		[FGRAPH_MISS_FULL]	= TRACE_PROBE_MISS_RETURN,
		[FGRAPH_MISS_RECURSION]	= TRACE_PROBE_MISS_NESTED,
		[FGRAPH_MISS_PAUSED]	= TRACE_PROBE_MISS_RETURN,
		[FGRAPH_MISS_LEFT]	= TRACE_PROBE_MISS_LEFT,
		[FPROBE_MISS_ACTIVE]	= TRACE_PROBE_MISS_RETURN,
		[FPROBE_MISS_KPROBE]	= TRACE_PROBE_MISS_NESTED,
	};

	for (int i = 0; i < FPROBE_MISS_NR; i++)
		counts->missed[why[i]] += fprobe_missed(fp, i);
}

static bool use_counts_itself(const struct trace_probe_use *use)
{
	return use->fp.exit_handler;
}

/* Add what a use has counted. Its misses are read before its entries, as calls go on. */
static void use_count(struct trace_probe_use *use, struct trace_probe_counts *counts)
{
	use_add_missed(&use->fp, counts);
	if (use_counts_itself(use))
		trace_probe_counts_add(counts, use->probe.counts);
}

static void use_free(struct trace_probe_use *use)
{
	if (use_counts_itself(use))
		trace_probe_counts_free(use->probe.counts);
	kfree(use);
}

/* Add the counts of a use to those of its probe. Nobody is told of calls that have not returned. */
static void use_fold(struct trace_probe_use *use)
{
	struct trace_probe_counts counts = {};

	lockdep_assert_held(&use_lock);
	list_del(&use->list);
	use_count(use, &counts);
	if (use_counts_itself(use))
		counts.missed[TRACE_PROBE_MISS_OFF] += trace_probe_counts_flying(&counts);
	trace_probe_counts_fold(&use->of->past, &counts);
}

/* No handler runs any more. */
static void use_end(struct ftrace_retired *retired)
{
	struct trace_probe_use *use = container_of(retired, struct trace_probe_use, retired);

	scoped_guard(spinlock, &use_lock) {
		if (!use->gone)
			use_fold(use);
	}
	use_free(use);
}

/* The entry of a function whose return is probed: keep the arguments that the return shows. */
static int use_keep(struct fprobe *fp, unsigned long ip, unsigned long ret, struct pt_regs *regs,
		    void *data)
{
	const struct trace_fetch_source source = { .regs = regs };

	trace_fetch_store_entry(trace_probe_use_of(fp)->probe.args, &source, data);
	return 0;
}

NOKPROBE_SYMBOL(use_keep);

/* Let an fprobe keep and count what returns need. 0 or -ENOMEM. */
static int use_await(struct trace_probe_use *use, unsigned int max_active)
{
	unsigned int size = use->probe.args->entry_size;

	use->probe.counts = trace_probe_counts_alloc();
	if (!use->probe.counts)
		return -ENOMEM;
	use->fp.entered = &use->probe.counts->entered;
	use->fp.nr_maxactive = max_active;
	use->fp.entry_handler = size ? use_keep : NULL;
	use->fp.entry_data_size = size;
	return 0;
}

/**
 * trace_probe_use_make - make what hits while a probe is on
 * @probe: the probe, which is about to be switched on
 * @max_active: how many calls may await their return; 0: any number
 *
 * The caller sets the handler, and then, unless the fprobe cannot be registered, has the use
 * retired when it has taken the fprobe away.
 *
 * Context: task, may sleep; the events mutex is held.
 * Return: the use; NULL: no memory.
 */
struct trace_probe_use *trace_probe_use_make(struct trace_probe *probe, unsigned int max_active)
{
	struct trace_probe_use *use = kzalloc(sizeof(*use), GFP_KERNEL);

	trace_events_assert_locked();

	if (!use)
		return NULL;
	use->probe = *probe;
	use->of = probe;
	use->retired.free = use_end;
	if (probe->shape == TRACE_PROBE_RETURN && use_await(use, max_active)) {
		kfree(use);
		return NULL;
	}
	guard(spinlock)(&use_lock);
	list_add(&use->list, &probe->uses);
	return use;
}

/**
 * trace_probe_use_drop - undo trace_probe_use_make()
 * @use: whose fprobe was not registered
 *
 * Context: task; the events mutex is held.
 */
void trace_probe_use_drop(struct trace_probe_use *use)
{
	scoped_guard(spinlock, &use_lock)
		list_del(&use->list);
	use_free(use);
}

/**
 * trace_probe_uses_forget - a probe goes, and its uses are not to know it any more
 * @probe: the probe, which is off
 *
 * Context: task.
 * Return: true: there are some, whose handlers may know it for a grace period of hooks.
 */
bool trace_probe_uses_forget(struct trace_probe *probe)
{
	struct trace_probe_use *use, *next;
	bool some = false;

	guard(spinlock)(&use_lock);
	list_for_each_entry_safe(use, next, &probe->uses, list) {
		list_del(&use->list);
		use->gone = true;
		some = true;
	}
	return some;
}

/**
 * trace_probe_uses_count - add what the uses of a probe have counted
 * @probe: the probe
 * @counts: where to
 *
 * Context: task; the events mutex is held.
 */
void trace_probe_uses_count(const struct trace_probe *probe, struct trace_probe_counts *counts)
{
	struct trace_probe_use *use;

	guard(spinlock)(&use_lock);
	trace_probe_counts_fold(counts, &probe->past);
	list_for_each_entry(use, &probe->uses, list)
		use_count(use, counts);
}
