// SPDX-License-Identifier: GPL-2.0
/*
 * Probes of the returns of functions that can be hooked. kprobe_site.c hooks the entries; the
 * returns are awaited by an fprobe without an ops of its own, in frames on the tasks' stacks. So
 * there is no pool of instances that could be empty: as many calls as there is room for may be
 * under way, or as many as the line says.
 *
 * A probe that is on has a struct trace_probe_use. When it is switched off, that is freed after a
 * grace period of hooks, and calls that have not returned yet are not told.
 */
#include <linux/kprobes.h>

#include "events/calls.h"
#include "graph/graph.h"
#include "hooks/hooks.h"
#include "probes/kprobe_return.h"
#include "probes/use.h"

/* The return. While the probe is at work, its kprobe is the current one, as at an entry. */
static void kprobe_return_hit(struct fprobe *fp, unsigned long ip, unsigned long ret,
			      struct pt_regs *regs, void *data)
{
	struct trace_probe_use *use = trace_probe_use_of(fp);
	const struct trace_probe_hit hit = {
		.probe	= &use->probe,
		.regs	= regs,
		.source	= { .regs = regs, .entry = data },
		.at	= { ip, ret },
	};

	if (unlikely(kprobe_running())) {
		trace_probe_missed(&use->probe, TRACE_PROBE_MISS_NESTED);
		return;
	}
	__this_cpu_write(current_kprobe, &trace_kprobe_of(use->of)->rp.kp);
	__this_cpu_write(kprobe_ctlblk.kprobe_status, KPROBE_HIT_ACTIVE);
	trace_probe_hit(&hit);
	__this_cpu_write(current_kprobe, NULL);
}

NOKPROBE_SYMBOL(kprobe_return_hit);

/**
 * trace_kprobe_return_begin - begin to await the returns of a probe
 * @kprobe: the probe, which is about to be switched on
 *
 * Context: task, may sleep; the events mutex is held.
 * Return: 0, -ENOMEM, or -ENODEV: ftrace is dead.
 */
int trace_kprobe_return_begin(struct trace_kprobe *kprobe)
{
	struct trace_probe_use *back = trace_probe_use_make(&kprobe->probe, kprobe->rp.maxactive);
	int ret;

	if (!back)
		return -ENOMEM;
	back->fp.exit_handler = kprobe_return_hit;
	ret = fprobe_begin_alone(&back->fp);
	if (ret)
		trace_probe_use_drop(back);
	else
		WRITE_ONCE(kprobe->back, back);
	return ret;
}

/**
 * trace_kprobe_return_end - await returns no more
 * @kprobe: the probe; no entry finds it any more, but one that has found it
 *
 * Its handlers may run for a grace period of RCU.
 *
 * Context: task, may sleep; the events mutex is held.
 */
void trace_kprobe_return_end(struct trace_kprobe *kprobe)
{
	struct trace_probe_use *back = kprobe->back;

	trace_events_assert_locked();

	/* An entry that has found the probe may read it still. */
	WRITE_ONCE(kprobe->back, NULL);
	fprobe_end_alone(&back->fp, &back->retired);
}

/**
 * trace_kprobe_return_entered - the function of a probe is entered
 * @kprobe: the probe
 * @ip: the function's site
 * @parent_ip: where it returns to, or a handler of returns
 * @fregs: all registers
 *
 * Context: the callback of an ops, with preemption disabled.
 */
void trace_kprobe_return_entered(struct trace_kprobe *kprobe, unsigned long ip,
				 unsigned long parent_ip, struct ftrace_regs *fregs)
{
	struct trace_probe_use *back = READ_ONCE(kprobe->back);

	if (likely(back))
		fprobe_hit_alone(&back->fp, ip, parent_ip, fregs);
}

NOKPROBE_SYMBOL(trace_kprobe_return_entered);

/**
 * trace_kprobe_return_is_forbidden - does a function return in a way of its own?
 * @ip: its site
 *
 * Context: task.
 * Return: true if kretprobes must not be put there.
 */
bool trace_kprobe_return_is_forbidden(unsigned long ip)
{
	for (int i = 0; i < kretprobe_blacklist_size; i++) {
		if (kretprobe_blacklist[i].name &&
		    ip - (unsigned long)kretprobe_blacklist[i].addr <= FTRACE_MCOUNT_MAX_OFFSET)
			return true;
	}
	return false;
}
