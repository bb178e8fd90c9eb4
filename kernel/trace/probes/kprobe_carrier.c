// SPDX-License-Identifier: GPL-2.0
/*
 * The carriers of probes in the kernel: kprobes and kretprobes, which are registered as long as
 * the probe is in its place, and enabled as long as its event is on.
 *
 * The events mutex is held wherever a carrier changes.
 */
#include <linux/kprobes.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "probes/hit.h"
#include "probes/kprobe.h"

/* So many carriers are unregistered together if there is no memory for more. */
#define CARRIER_FEW	16

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

/* A function is entered: keep the arguments that the return shows. */
static int kprobe_carrier_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct trace_kprobe *kprobe = kprobe_carrier_of(ri);
	struct trace_fetch_source source = { .regs = regs };

	if (!kprobe)
		return -ENOENT;
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
	if (kprobe->probe.args->entry_size) {
		kprobe->rp.entry_handler = kprobe_carrier_entry;
		kprobe->rp.data_size = kprobe->probe.args->entry_size;
	}
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
 * trace_kprobe_join - register a carrier, which is disabled
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
	return kprobe->joined && !kprobe_gone((struct kprobe *)&kprobe->rp.kp);
}

/**
 * trace_kprobe_arm - enable carriers
 * @probes: a set of probes
 *
 * Probes that wait for their module are left out.
 *
 * Context: task, may sleep; the events mutex is held.
 * Return: 0, or the errno of enable_kprobe(): then none is enabled.
 */
int trace_kprobe_arm(struct list_head *probes)
{
	struct trace_probe *probe;
	int ret;

	for_each_trace_probe(probe, probes) {
		struct trace_kprobe *kprobe = trace_kprobe_of(probe);

		if (!kprobe_carrier_is_there(kprobe))
			continue;
		ret = enable_kprobe(&kprobe->rp.kp);
		if (!ret)
			continue;
		list_for_each_entry_continue_reverse(probe, probes, set) {
			if (kprobe_carrier_is_there(trace_kprobe_of(probe)))
				disable_kprobe(&trace_kprobe_of(probe)->rp.kp);
		}
		return ret;
	}
	return 0;
}

/**
 * trace_kprobe_disarm - disable carriers
 * @probes: a set of probes, which may hit for a grace period
 *
 * Context: task, may sleep; the events mutex is held.
 */
void trace_kprobe_disarm(struct list_head *probes)
{
	struct trace_probe *probe;

	for_each_trace_probe(probe, probes) {
		if (kprobe_carrier_is_there(trace_kprobe_of(probe)))
			disable_kprobe(&trace_kprobe_of(probe)->rp.kp);
	}
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

/* After a carrier was unregistered: count what it has missed, as it begins anew at 0. */
static void kprobe_carrier_end(struct trace_kprobe *kprobe)
{
	struct kprobe *kp = &kprobe->rp.kp;

	kprobe->missed_before[TRACE_PROBE_MISS_NESTED] += kp->nmissed;
	kprobe->missed_before[TRACE_PROBE_MISS_RETURN] += kprobe_carrier_missed_returns(kprobe);
	kp->nmissed = 0;
	kprobe->rp.nmissed = 0;
	kprobe->joined = false;
	if (kp->symbol_name)
		kp->addr = NULL;
}

static void kprobe_carrier_leave_some(struct list_head *probes, struct carrier_batch *batch)
{
	struct trace_probe *probe;

	for_each_trace_probe(probe, probes) {
		struct trace_kprobe *kprobe = trace_kprobe_of(probe);

		if (kprobe->joined && trace_kprobe_is_return(kprobe) == batch->is_return)
			kprobe_carrier_batch_add(batch, kprobe);
	}
	if (batch->nr)
		kprobe_carrier_batch_end(batch);
}

/**
 * trace_kprobe_leave - unregister carriers
 * @probes: a set of probes, none of which hits when this returns
 *
 * All wait for one grace period together, and returns for another one.
 *
 * Context: task, may sleep; the events mutex is held.
 */
void trace_kprobe_leave(struct list_head *probes)
{
	size_t nr = list_count_nodes(probes);
	void *few[CARRIER_FEW];
	struct carrier_batch batch = { .carrier = few, .size = CARRIER_FEW };
	struct trace_probe *probe;
	void **many = NULL;

	if (nr > CARRIER_FEW)
		many = kvmalloc_array(nr, sizeof(*many), GFP_KERNEL);
	if (many) {
		batch.carrier = many;
		batch.size = nr;
	}
	kprobe_carrier_leave_some(probes, &batch);
	batch.is_return = true;
	kprobe_carrier_leave_some(probes, &batch);
	kvfree(many);
	for_each_trace_probe(probe, probes) {
		if (trace_kprobe_of(probe)->joined)
			kprobe_carrier_end(trace_kprobe_of(probe));
	}
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

	for (int i = 0; i < TRACE_PROBE_MISSES; i++)
		counts->missed[i] += kprobe->missed_before[i];
	if (!kprobe->joined)
		return;
	counts->missed[TRACE_PROBE_MISS_NESTED] += READ_ONCE(kprobe->rp.kp.nmissed);
	if (trace_kprobe_is_return(kprobe))
		counts->missed[TRACE_PROBE_MISS_RETURN] += kprobe_carrier_missed_returns(kprobe);
}
