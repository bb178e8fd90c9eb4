// SPDX-License-Identifier: GPL-2.0
/*
 * The carriers of probes in the kernel: kprobes and kretprobes, which are registered as long as
 * the probe is in its place, and enabled as long as its event is on. The entry of a function that
 * can be hooked has none: kprobe_site.c hooks it.
 *
 * The events mutex is held wherever a carrier is registered, enabled or disabled. Unregistering it
 * waits for all CPUs, so that happens without. It is done by the task that removes the probe, or by
 * the task that unloads the module of the text, which may find the same probe at the same time:
 * kprobe_leave_mutex is held until it is known that the carrier is gone.
 */
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/calls.h"
#include "lib/wait.h"
#include "probes/hit.h"
#include "probes/kprobe_return.h"
#include "probes/kprobe_site.h"

/* So many carriers are unregistered together if there is no memory for more. */
#define CARRIER_FEW	16

static DEFINE_MUTEX(kprobe_leave_mutex);

static int kprobe_carrier_hit(struct kprobe *kp, struct pt_regs *regs)
{
	struct trace_kprobe *kprobe = container_of(kp, struct trace_kprobe, rp.kp);
	struct trace_probe_hit hit = {
		.probe	= &kprobe->probe,
		.regs	= regs,
		.source	= { .regs = regs },
		.at	= { (unsigned long)kp->addr },
	};

	return trace_probe_hit(&hit);
}

NOKPROBE_SYMBOL(kprobe_carrier_hit);

#ifdef CONFIG_KRETPROBES
/* The probe; NULL: it is being unregistered. */
static struct trace_kprobe *kprobe_carrier_of(struct kretprobe_instance *ri)
{
	struct kretprobe *rp = get_kretprobe(ri);

	return rp ? container_of(rp, struct trace_kprobe, rp) : NULL;
}

NOKPROBE_SYMBOL(kprobe_carrier_of);

/* A function is entered: count that, and keep the arguments that the return shows. */
static int kprobe_carrier_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct trace_kprobe *kprobe = kprobe_carrier_of(ri);
	struct trace_fetch_source source = { .regs = regs };

	if (!kprobe)
		return -ENOENT;
	this_cpu_inc(kprobe->probe.counts->entered);
	trace_fetch_store_entry(kprobe->probe.args, &source, (unsigned long *)ri->data);
	return 0;
}

NOKPROBE_SYMBOL(kprobe_carrier_entry);

static int kprobe_carrier_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct trace_kprobe *kprobe = kprobe_carrier_of(ri);
	struct trace_probe_hit hit;

	if (!kprobe)
		return 0;
	hit = (struct trace_probe_hit) {
		.probe	= &kprobe->probe,
		.regs	= regs,
		.source	= { .regs = regs, .entry = (unsigned long *)ri->data },
		.at	= { (unsigned long)kprobe->rp.kp.addr, get_kretprobe_retaddr(ri) },
	};
	/* A return goes on where it goes to, whatever a program has changed. */
	trace_probe_hit(&hit);
	return 0;
}

NOKPROBE_SYMBOL(kprobe_carrier_return);

static void kprobe_carrier_init_return(struct trace_kprobe *kprobe)
{
	kprobe->rp.handler = kprobe_carrier_return;
	kprobe->rp.entry_handler = kprobe_carrier_entry;
	kprobe->rp.data_size = kprobe->probe.args->entry_size;
}

static unsigned long kprobe_carrier_missed_returns(const struct trace_kprobe *kprobe)
{
	return READ_ONCE(kprobe->rp.nmissed);
}
#else
static void kprobe_carrier_init_return(struct trace_kprobe *kprobe)
{
}

static unsigned long kprobe_carrier_missed_returns(const struct trace_kprobe *kprobe)
{
	return 0;
}
#endif

/**
 * trace_kprobe_carrier_init - say what the hits of a carrier are for
 * @kprobe: the probe, whose arguments have been read
 *
 * Context: any.
 */
void trace_kprobe_carrier_init(struct trace_kprobe *kprobe)
{
	if (trace_kprobe_is_return(kprobe))
		kprobe_carrier_init_return(kprobe);
	else
		kprobe->rp.kp.pre_handler = kprobe_carrier_hit;
}

/**
 * trace_kprobe_join - register a carrier, which is disabled, or find the site
 * @kprobe: the probe
 *
 * Context: task, may sleep; the events mutex is held.
 * Return: 0; -EPERM: the kernel is locked down; -EINVAL: nothing can be probed there; -EILSEQ: no
 * instruction begins there; -ENOENT: the symbol is not known; -ENOMEM.
 */
int trace_kprobe_join(struct trace_kprobe *kprobe)
{
	struct kprobe *kp = &kprobe->rp.kp;
	int ret = security_locked_down(LOCKDOWN_KPROBES);

	if (ret)
		return ret;
	ret = trace_kprobe_site_join(kprobe);
	kprobe->joined = !ret;
	if (ret != -ENOENT)
		return ret;
	if (trace_kprobe_is_forbidden(kprobe)) {
		pr_warn("trace probes: %s must not be traced\n", kprobe->probe.place);
		return -EINVAL;
	}
	kp->flags = KPROBE_FLAG_DISABLED;
	INIT_HLIST_NODE(&kp->hlist);
	if (trace_kprobe_is_return(kprobe))
		ret = register_kretprobe(&kprobe->rp);
	else
		ret = register_kprobe(kp);
	kprobe->joined = !ret;
	/* It is looked up again by its name. */
	if (ret && kp->symbol_name)
		kp->addr = NULL;
	return ret;
}

/* Is there a carrier whose text is still there? */
static bool kprobe_carrier_is_there(const struct trace_kprobe *kprobe)
{
	return kprobe->joined && !kprobe->site && !kprobe_gone((struct kprobe *)&kprobe->rp.kp);
}

/* Disable the carriers of @probes that come before @probe. */
static void kprobe_carrier_disable(struct list_head *probes, struct trace_probe *probe)
{
	list_for_each_entry_continue_reverse(probe, probes, set) {
		if (kprobe_carrier_is_there(trace_kprobe_of(probe)))
			disable_kprobe(&trace_kprobe_of(probe)->rp.kp);
	}
}

/**
 * trace_kprobe_arm - let probes hit
 * @probes: a set of probes
 *
 * Probes that wait for their module are left out.
 *
 * Context: task, may sleep; the events mutex is held.
 * Return: 0, or the errno of enable_kprobe() or of the sites: then none hits.
 */
int trace_kprobe_arm(struct list_head *probes)
{
	struct trace_probe *probe;
	int ret;

	for_each_trace_probe(probe, probes) {
		struct trace_kprobe *kprobe = trace_kprobe_of(probe);

		ret = kprobe_carrier_is_there(kprobe) ? enable_kprobe(&kprobe->rp.kp) : 0;
		if (ret) {
			kprobe_carrier_disable(probes, probe);
			return ret;
		}
	}
	ret = trace_kprobe_site_arm(probes);
	if (ret)
		kprobe_carrier_disable(probes, probe);
	return ret;
}

/**
 * trace_kprobe_disarm - let probes hit no more
 * @probes: a set of probes, which may hit for a grace period
 *
 * Context: task, may sleep; the events mutex is held.
 */
void trace_kprobe_disarm(struct list_head *probes)
{
	/* Behind the last one. */
	kprobe_carrier_disable(probes, list_entry(probes, struct trace_probe, set));
	trace_kprobe_site_disarm(probes);
}

/* Carriers that are unregistered together. */
struct carrier_batch {
	void		**carrier;	/* struct kprobe, or struct kretprobe */
	unsigned int	nr;
	unsigned int	size;
	bool		is_return;
};

/* Unregister what is in the batch, and wait for a grace period once. */
static void kprobe_carrier_batch_end(struct carrier_batch *batch)
{
	trace_may_wait();
	if (batch->is_return)
		unregister_kretprobes((struct kretprobe **)batch->carrier, batch->nr);
	else
		unregister_kprobes((struct kprobe **)batch->carrier, batch->nr);
	batch->nr = 0;
}

static void kprobe_carrier_batch_add(struct carrier_batch *batch, struct trace_kprobe *kprobe)
{
	if (batch->nr == batch->size)
		kprobe_carrier_batch_end(batch);
	if (batch->is_return)
		batch->carrier[batch->nr++] = &kprobe->rp;
	else
		batch->carrier[batch->nr++] = &kprobe->rp.kp;
}

/* Add the misses that kprobes has counted. It counts calls whose return would be awaited, too. */
static void kprobe_carrier_add_missed(const struct trace_kprobe *kprobe,
				      struct trace_probe_counts *counts)
{
	unsigned long nested = READ_ONCE(kprobe->rp.kp.nmissed), returns;

	counts->missed[TRACE_PROBE_MISS_NESTED] += nested;
	if (!trace_kprobe_is_return(kprobe))
		return;
	returns = kprobe_carrier_missed_returns(kprobe);
	counts->missed[TRACE_PROBE_MISS_RETURN] += returns;
	counts->entered += nested + returns;
}

/*
 * After a carrier was unregistered: keep its counts, as it begins anew at 0. Calls that have not
 * returned are told to nobody.
 */
static void kprobe_carrier_end(struct trace_kprobe *kprobe)
{
	struct kprobe *kp = &kprobe->rp.kp;
	struct trace_probe_counts counts;

	kprobe_carrier_add_missed(kprobe, &kprobe->before);
	kp->nmissed = 0;
	kprobe->rp.nmissed = 0;
	kprobe->joined = false;
	if (kp->symbol_name)
		kp->addr = NULL;
	if (!trace_kprobe_is_return(kprobe))
		return;
	trace_probe_count(&kprobe->probe, &counts);
	kprobe->before.missed[TRACE_PROBE_MISS_OFF] += trace_probe_counts_flying(&counts);
}

static void kprobe_carrier_leave_some(struct list_head *leaving, struct carrier_batch *batch)
{
	struct trace_kprobe *kprobe;

	list_for_each_entry(kprobe, leaving, leaving) {
		if (trace_kprobe_is_return(kprobe) == batch->is_return)
			kprobe_carrier_batch_add(batch, kprobe);
	}
	if (batch->nr)
		kprobe_carrier_batch_end(batch);
}

/* Unregister some carriers. All wait for a grace period together, and returns for another one. */
static void kprobe_carrier_leave(struct list_head *leaving)
{
	size_t nr = list_count_nodes(leaving);
	void *few[CARRIER_FEW];
	struct carrier_batch batch = { .carrier = few, .size = CARRIER_FEW };
	struct trace_kprobe *kprobe;
	void **many = NULL;

	lockdep_assert_held(&kprobe_leave_mutex);
	if (nr > CARRIER_FEW)
		many = kvmalloc_array(nr, sizeof(*many), GFP_KERNEL);
	if (many) {
		batch.carrier = many;
		batch.size = nr;
	}
	kprobe_carrier_leave_some(leaving, &batch);
	batch.is_return = true;
	kprobe_carrier_leave_some(leaving, &batch);
	kvfree(many);
	guard(trace_events)();
	list_for_each_entry(kprobe, leaving, leaving)
		kprobe_carrier_end(kprobe);
}

/**
 * trace_kprobe_settle - unregister carriers, and wait for hits at sites
 * @probes: a set of probes that have left, none of which hits when this returns
 *
 * Context: task, may sleep; takes kprobe_leave_mutex and the events mutex.
 */
void trace_kprobe_settle(struct list_head *probes)
{
	struct trace_probe *probe;
	LIST_HEAD(leaving);

	trace_kprobe_site_settle(probes);
	guard(mutex)(&kprobe_leave_mutex);
	for_each_trace_probe(probe, probes) {
		if (trace_kprobe_of(probe)->joined)
			list_add_tail(&trace_kprobe_of(probe)->leaving, &leaving);
	}
	kprobe_carrier_leave(&leaving);
}

/**
 * trace_kprobe_module_goes - unregister the carriers in a module that goes
 * @mod: the module; kprobes knows that its text goes, and enables no carrier in it
 * @collect: lists the probes in it that have joined; the events mutex is held
 *
 * Context: task, may sleep; takes kprobe_leave_mutex and the events mutex.
 */
void trace_kprobe_module_goes(const struct module *mod,
			      void (*collect)(const struct module *mod, struct list_head *leaving))
{
	LIST_HEAD(leaving);

	/* A task that removes one of them waits for the mutex in trace_kprobe_settle(). */
	guard(mutex)(&kprobe_leave_mutex);
	scoped_guard(trace_events)
		collect(mod, &leaving);
	if (!list_empty(&leaving))
		kprobe_carrier_leave(&leaving);
}

/**
 * trace_kprobe_missed - add the misses that carriers have counted
 * @probe: the probe
 * @counts: where to
 *
 * Context: task; the events mutex is held.
 */
void trace_kprobe_missed(const struct trace_probe *probe, struct trace_probe_counts *counts)
{
	const struct trace_kprobe *kprobe = trace_kprobe_of(probe);

	trace_probe_counts_fold(counts, &kprobe->before);
	if (kprobe->joined && !kprobe->site)
		kprobe_carrier_add_missed(kprobe, counts);
}
