// SPDX-License-Identifier: GPL-2.0
/*
 * Probes of functions' entries and returns at the functions' sites. The kernel calls such kprobes
 * by ftrace already; these do without a struct kprobe in between. /sys/kernel/debug/kprobes shows
 * them, and switches them, as if there was one.
 *
 * One ops has the sites of all such probes that are on and want the same, and its table tells
 * which probes a site has. So any number of probes is switched by one change of hooks, and there
 * is one trampoline.
 *
 * A table has a slot for each address, found by hashing; a slot keeps its address when its
 * last probe is switched off. Writers hold the events mutex:
 *
 *	add a slot	write @first, then @ip with release: a reader that sees the address sees
 *			its probes
 *	add a probe	write its @next, then @first of its slot with release
 *	take one out	write the pointer to it; it leads on to the others for a grace period
 *	grow		fill a new table, publish it, free the old one after a grace period of hooks
 *
 * A reader is a hit, with preemption off. The ops and its callback are there for good, and a task
 * that comes late from the trampoline finds no probe in the table. So a probe may be freed after a
 * grace period of RCU, and nobody has to wait until tasks have left the trampoline. RCU does not
 * watch a CPU that is about to be offline, or not quite online, and such a CPU may hit all the
 * same. A task that removes a probe waits for it by cpus_read_lock().
 *
 * While a probe is at work, current_kprobe is its own, as with other kprobes: the hits of any
 * kprobe within are misses, and programs of BPF learn from it where they are.
 *
 * This file is about sites. Its functions begin with site_.
 */
#include <linux/cpu.h>
#include <linux/error-injection.h>
#include <linux/fprobe.h>
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "events/batch.h"
#include "events/calls.h"
#include "hooks/hooks.h"
#include "lib/wait.h"
#include "probes/hit.h"
#include "probes/kprobe_return.h"
#include "probes/kprobe_site.h"
#include "sites/names.h"

/* A new table has so many slots, a power of two. */
#define SITE_SLOTS_MIN	64

/**
 * struct site_slot - the probes of a site
 * @ip: the site; 0: the slot is free; RCU
 * @first: of its probes, by their @next; NULL: none is on; RCU
 */
struct site_slot {
	unsigned long		ip;
	struct trace_kprobe	*first;
};

/**
 * struct site_table - all of them; at least half of the slots are free
 * @retired: frees it
 * @shift: so far is a hash moved to the right for the number of a slot; constant
 * @mask: the number of slots - 1; constant
 * @used: slots that are not free; events mutex
 * @slot: at the hash of the address, or behind it
 */
struct site_table {
	struct ftrace_retired	retired;
	unsigned int		shift;
	unsigned int		used;
	unsigned long		mask;
	struct site_slot	slot[];
};

/* The ways in which probes use their sites. */
enum site_want {
	SITE_VIEW,	/* to be told of entries */
	SITE_MODIFY,	/* likewise, and programs of BPF may have the function replaced */
	SITE_RETURN,	/* to await returns */
	SITE_WANTS
};

/**
 * struct site_hooks - the sites of all probes that want the same
 * @ops: whose filter has the sites
 * @table: tells their probes; RCU; written under the events mutex. It is there before the first
 *	site is hooked, for good
 * @nr: how many sites have a probe that is on; events mutex
 */
struct site_hooks {
	struct ftrace_ops	ops;
	struct site_table	*table;
	unsigned int		nr;
};

static struct site_hooks site_hooks[SITE_WANTS];

static LIST_HEAD(site_probes);	/* all that have a site, by @others; events mutex */

/* Probes to be switched, by @waits: at once, or at the end of a batch; events mutex. */
static LIST_HEAD(site_wait_on);
static LIST_HEAD(site_wait_off);
static bool site_in_batch;	/* events mutex */

/* The slot of an address, or the free one where it would be. */
static __always_inline struct site_slot *site_slot_find(struct site_table *table, unsigned long ip)
{
	struct site_slot *slot = &table->slot[ip * GOLDEN_RATIO_64 >> table->shift];
	unsigned long is;

	for (;;) {
		/* Pairs with the release in site_table_put(). */
		is = smp_load_acquire(&slot->ip);
		if (likely(is == ip) || !is)
			return slot;
		slot = &table->slot[(slot - table->slot + 1) & table->mask];
	}
}

/*
 * Hits
 */

/* The probes of a site cannot be told of a hit, as another kprobe is at work on this CPU. */
static noinline void site_missed(struct trace_kprobe *kprobe)
{
	for (; kprobe; kprobe = READ_ONCE(kprobe->next))
		trace_probe_missed(&kprobe->probe, TRACE_PROBE_MISS_NESTED);
}

NOKPROBE_SYMBOL(site_missed);

/*
 * Tell a probe of a hit. The registers are those of a breakpoint on the first instruction
 * meanwhile. Another ops of the site may have changed where the function goes on, and that is
 * heeded behind this one.
 */
static __always_inline bool site_tell(struct trace_kprobe *kprobe, unsigned long ip,
				      struct pt_regs *regs)
{
	unsigned long behind = regs->ip;
	bool moved;

	__this_cpu_write(current_kprobe, &kprobe->rp.kp);
	__this_cpu_write(kprobe_ctlblk.kprobe_status, KPROBE_HIT_ACTIVE);
	regs->ip = ip + sizeof(kprobe_opcode_t);
	moved = trace_probe_hit_at(&kprobe->probe, regs, ip);
	__this_cpu_write(current_kprobe, NULL);
	if (likely(!moved))
		regs->ip = behind;
	return moved;
}

/* Tell several probes, until a program of BPF has the function replaced. */
static noinline void site_tell_all(struct trace_kprobe *kprobe, unsigned long ip,
				   struct pt_regs *regs)
{
	while (kprobe && !site_tell(kprobe, ip, regs))
		kprobe = READ_ONCE(kprobe->next);
}

NOKPROBE_SYMBOL(site_tell_all);

/* The probes of a site that is hit. */
static __always_inline struct trace_kprobe *site_hit_probes(enum site_want want, unsigned long ip)
{
	return READ_ONCE(site_slot_find(READ_ONCE(site_hooks[want].table), ip)->first);
}

/* No program may change the registers. One probe at a site is the usual case. */
static void site_hit_view(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			  struct ftrace_regs *fregs)
{
	struct pt_regs *regs = &arch_ftrace_regs(fregs)->regs;
	struct trace_kprobe *kprobe;

	preempt_disable_notrace();
	kprobe = site_hit_probes(SITE_VIEW, ip);
	if (unlikely(kprobe_running()))
		site_missed(kprobe);
	else if (unlikely(!kprobe || READ_ONCE(kprobe->next)))
		site_tell_all(kprobe, ip, regs);
	else
		site_tell(kprobe, ip, regs);
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(site_hit_view);

static void site_hit_modify(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			    struct ftrace_regs *fregs)
{
	struct trace_kprobe *kprobe;

	preempt_disable_notrace();
	kprobe = site_hit_probes(SITE_MODIFY, ip);
	if (unlikely(kprobe_running()))
		site_missed(kprobe);
	else
		site_tell_all(kprobe, ip, &arch_ftrace_regs(fregs)->regs);
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(site_hit_modify);

/* The probes await the return. */
static void site_hit_return(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			    struct ftrace_regs *fregs)
{
	struct trace_kprobe *kprobe;

	preempt_disable_notrace();
	kprobe = site_hit_probes(SITE_RETURN, ip);
	for (; kprobe; kprobe = READ_ONCE(kprobe->next))
		trace_kprobe_return_entered(kprobe, ip, parent_ip, fregs);
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(site_hit_return);

static const ftrace_func_t site_hit_func[] = {
	[SITE_VIEW]	= site_hit_view,
	[SITE_MODIFY]	= site_hit_modify,
	[SITE_RETURN]	= site_hit_return,
};

#define SITE_OPS(_func, _flags)							\
	{ .ops = { .func = _func, .flags = FTRACE_OPS_FL_SAVE_REGS | (_flags) } }

static struct site_hooks site_hooks[] = {
	[SITE_VIEW]	= SITE_OPS(site_hit_view, FTRACE_OPS_FL_VIEW),
	[SITE_MODIFY]	= SITE_OPS(site_hit_modify, 0),
	[SITE_RETURN]	= SITE_OPS(site_hit_return, FTRACE_OPS_FL_VIEW),
};

/*
 * The table
 */

/* Add an address to a table that has room. */
static void site_table_put(struct site_table *table, unsigned long ip, struct trace_kprobe *first)
{
	struct site_slot *slot = site_slot_find(table, ip);

	if (!slot->ip)
		table->used++;
	/* The probe is complete before it is found; pairs with dependent reads. */
	smp_store_release(&slot->first, first);
	/* A hit sees both, or no address. Pairs with the acquire in site_slot_find(). */
	smp_store_release(&slot->ip, ip);
}

static unsigned int site_table_live(const struct site_table *table)
{
	unsigned int nr = 0;

	for (unsigned long i = 0; table && i <= table->mask; i++)
		nr += !!table->slot[i].first;
	return nr;
}

static void site_table_free(struct ftrace_retired *retired)
{
	kvfree(container_of(retired, struct site_table, retired));
}

static void site_table_retire(struct site_table *table)
{
	table->retired.free = site_table_free;
	guard(ftrace_lock)();
	ftrace_retire(&table->retired);
}

/* Have room for @more addresses. 0 or -ENOMEM. */
static int site_table_reserve(struct site_hooks *hooks, unsigned int more)
{
	struct site_table *old = hooks->table, *table;
	unsigned int slots;

	if (old && 2 * (old->used + more) <= old->mask + 1)
		return 0;
	slots = roundup_pow_of_two(max(4 * (site_table_live(old) + more), SITE_SLOTS_MIN));
	table = kvzalloc(struct_size(table, slot, slots), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	table->shift = 64 - ilog2(slots);
	table->mask = slots - 1;
	for (unsigned long i = 0; old && i <= old->mask; i++) {
		if (old->slot[i].first)
			site_table_put(table, old->slot[i].ip, old->slot[i].first);
	}
	/* Pairs with the dependent reads of site_hit_probes(). */
	smp_store_release(&hooks->table, table);
	if (old)
		site_table_retire(old);
	return 0;
}

/* Let a probe be found. True: it is the first one of its site. There is room. */
static bool site_table_add(struct site_hooks *hooks, struct trace_kprobe *kprobe)
{
	struct trace_kprobe *others = site_slot_find(hooks->table, kprobe->site)->first;

	WRITE_ONCE(kprobe->next, others);
	site_table_put(hooks->table, kprobe->site, kprobe);
	kprobe->armed = true;
	return !others;
}

/* Let a probe not be found any more. True: it was the last one of its site. */
static bool site_table_del(struct site_hooks *hooks, struct trace_kprobe *kprobe)
{
	struct site_slot *slot = site_slot_find(hooks->table, kprobe->site);
	struct trace_kprobe **at = &slot->first;

	while (*at && *at != kprobe)
		at = &(*at)->next;
	if (!WARN_ON_ONCE(!*at))
		WRITE_ONCE(*at, kprobe->next);
	kprobe->armed = false;
	return !slot->first;
}

/*
 * Switching
 */

static struct site_hooks *site_hooks_of(const struct trace_kprobe *kprobe)
{
	if (trace_kprobe_is_return(kprobe))
		return &site_hooks[SITE_RETURN];
	return &site_hooks[kprobe->modify ? SITE_MODIFY : SITE_VIEW];
}

/* Let @nr more sites call an ops: all or none. */
static int site_hooks_add(struct site_hooks *hooks, const unsigned long *ips, unsigned int nr)
{
	int ret;

	if (!nr)
		return 0;
	ret = ftrace_ops_filter_ips(&hooks->ops, ips, nr, false);
	if (!ret && !hooks->nr)
		ret = register_ftrace_function(&hooks->ops);
	if (!ret)
		hooks->nr += nr;
	else if (!hooks->nr)
		ftrace_free_filter(&hooks->ops);
	return ret;
}

/* Let @nr sites call an ops no more. A site where that fails finds no probe. */
static void site_hooks_del(struct site_hooks *hooks, const unsigned long *ips, unsigned int nr)
{
	if (!nr)
		return;
	hooks->nr -= nr;
	if (hooks->nr) {
		ftrace_ops_filter_ips(&hooks->ops, ips, nr, true);
	} else {
		ftrace_ops_unregister_nowait(&hooks->ops);
		ftrace_free_filter(&hooks->ops);
	}
}

/* Take the probes of one ops out of its table. Sets @ips to the sites that have none any more. */
static unsigned int site_hide(struct site_hooks *hooks, struct list_head *probes,
			      unsigned long *ips)
{
	struct trace_kprobe *kprobe;
	unsigned int nr = 0;

	list_for_each_entry(kprobe, probes, waits) {
		if (site_hooks_of(kprobe) != hooks || !kprobe->armed)
			continue;
		if (site_table_del(hooks, kprobe))
			ips[nr++] = kprobe->site;
		if (trace_kprobe_is_return(kprobe))
			trace_kprobe_return_end(kprobe);
		kprobe->left = get_state_synchronize_rcu();
	}
	return nr;
}

/* Let the probes of one ops hit: all or none. A probe is found when its site is hooked. */
static int site_show(struct site_hooks *hooks, struct list_head *probes, unsigned long *ips)
{
	struct trace_kprobe *kprobe;
	unsigned int nr = 0;
	int ret;

	list_for_each_entry(kprobe, probes, waits)
		nr += site_hooks_of(kprobe) == hooks;
	if (!nr)
		return 0;
	ret = site_table_reserve(hooks, nr);
	nr = 0;
	list_for_each_entry(kprobe, probes, waits) {
		if (ret || site_hooks_of(kprobe) != hooks)
			continue;
		if (trace_kprobe_is_return(kprobe))
			ret = trace_kprobe_return_begin(kprobe);
		if (!ret && site_table_add(hooks, kprobe))
			ips[nr++] = kprobe->site;
	}
	ret = ret ?: site_hooks_add(hooks, ips, nr);
	if (ret)
		site_hide(hooks, probes, ips);
	return ret;
}

static void site_forget(struct list_head *probes)
{
	while (!list_empty(probes))
		list_del_init(probes->next);
}

/* Switch the probes off that wait for that, by one change of hooks for each ops. */
static void site_settle_off(struct list_head *probes)
{
	unsigned int nr = list_count_nodes(probes);
	unsigned long *ips;

	if (!nr)
		return;
	ips = kvmalloc_array(nr, sizeof(*ips), GFP_KERNEL | __GFP_NOFAIL);
	for (unsigned int i = 0; i < SITE_WANTS; i++)
		site_hooks_del(&site_hooks[i], ips, site_hide(&site_hooks[i], probes, ips));
	kvfree(ips);
	site_forget(probes);
}

/* Switch the probes on that wait for that: all of them or none. */
static int site_settle_on(struct list_head *probes)
{
	unsigned long *ips __free(kvfree) = NULL;
	unsigned int nr = list_count_nodes(probes);
	int ret;

	if (!nr)
		return 0;
	ips = kvmalloc_array(nr, sizeof(*ips), GFP_KERNEL);
	ret = ips ? 0 : -ENOMEM;
	for (unsigned int i = 0; !ret && i < SITE_WANTS; i++)
		ret = site_show(&site_hooks[i], probes, ips);
	if (ret)
		site_settle_off(probes);
	site_forget(probes);
	return ret;
}

/* Let the probes at sites of a set wait to be switched, if they are @armed, or if they are not. */
static void site_wait(struct list_head *probes, bool armed, struct list_head *waits)
{
	struct trace_probe *probe;

	trace_events_assert_locked();

	for_each_trace_probe(probe, probes) {
		struct trace_kprobe *kprobe = trace_kprobe_of(probe);

		if (!kprobe->joined || !kprobe->site)
			continue;
		if (!list_empty(&kprobe->waits))
			list_del_init(&kprobe->waits);
		if (kprobe->armed == armed)
			list_add_tail(&kprobe->waits, waits);
	}
}

/**
 * trace_kprobe_site_arm - let probes at sites hit
 * @probes: a set of probes, of which others are left out
 *
 * Context: task, may sleep; the events mutex is held.
 * Return: 0; or -ENOMEM, or an errno of hooks, and none hits. Within a batch, its end tells.
 */
int trace_kprobe_site_arm(struct list_head *probes)
{
	site_wait(probes, false, &site_wait_on);
	return site_in_batch ? 0 : site_settle_on(&site_wait_on);
}

/**
 * trace_kprobe_site_disarm - let probes at sites hit no more
 * @probes: a set of probes, of which others are left out. They may hit for a grace period, and
 *	to the end of the batch if there is one
 *
 * Context: task, may sleep; the events mutex is held.
 */
void trace_kprobe_site_disarm(struct list_head *probes)
{
	site_wait(probes, true, &site_wait_off);
	if (!site_in_batch)
		site_settle_off(&site_wait_off);
}

/*
 * Must kprobes not probe the function of a site? The parts of one that must not be probed are not
 * on the list of kprobes, which finds them by their names, "FUNCTION.PART". That takes long, and
 * most functions have no such name.
 */
static bool site_is_forbidden(unsigned long ip)
{
	const char *name = NULL, *module;
	struct dyn_ftrace *site;
	bool is_part;
	size_t len;

	scoped_guard(ftrace_lock) {
		site = ftrace_site_find(ip);
		if (site)
			name = ftrace_site_text(site, &len, &module);
		is_part = !name || memchr(name, '.', len);
	}
	return is_part ? within_kprobe_blacklist(ip) : ftrace_kprobes_refuse(ip);
}

/**
 * trace_kprobe_site_join - find the site of a probe
 * @kprobe: the probe; its symbol, if it has one, is looked up
 *
 * Context: task, may sleep; the events mutex is held.
 * Return: 0; -ENOENT: it has none, and a kprobe may do; -EINVAL: it must not be probed.
 */
int trace_kprobe_site_join(struct trace_kprobe *kprobe)
{
	unsigned long ip = trace_kprobe_find_site(kprobe);

	if (!ip || (trace_kprobe_is_return(kprobe) && !TRACE_KPROBE_RETURNS))
		return -ENOENT;
	if (site_is_forbidden(ip) ||
	    (trace_kprobe_is_return(kprobe) && trace_kprobe_return_is_forbidden(ip)))
		return -EINVAL;
	if (kprobe->probe.args->entry_size > FPROBE_MAX_DATA_SIZE)
		return -ENOENT;
	kprobe->site = ip;
	kprobe->modify = IS_ENABLED(CONFIG_BPF_KPROBE_OVERRIDE) && within_error_injection_list(ip);
	kprobe->left = get_completed_synchronize_rcu();
	kprobe->rp.kp.addr = (kprobe_opcode_t *)ip;
	kprobe->rp.kp.flags = KPROBE_FLAG_FTRACE | KPROBE_FLAG_ON_FUNC_ENTRY;
	list_add_tail(&kprobe->others, &site_probes);
	return 0;
}

/**
 * trace_kprobe_site_leave - take probes from their sites
 * @probes: a set of probes, of which others are left out. They may hit until
 *	trace_kprobe_site_settle() has returned
 *
 * Context: task, may sleep; the events mutex is held.
 */
void trace_kprobe_site_leave(struct list_head *probes)
{
	struct trace_probe *probe;

	trace_kprobe_site_disarm(probes);
	site_settle_off(&site_wait_off);
	for_each_trace_probe(probe, probes) {
		struct trace_kprobe *kprobe = trace_kprobe_of(probe);

		if (!kprobe->joined || !kprobe->site)
			continue;
		list_del(&kprobe->others);
		kprobe->joined = false;
	}
}

/* Wait for CPUs that RCU does not watch, see above. */
static void site_wait_for_cpus(void)
{
	cpus_read_lock();
	cpus_read_unlock();
}

/* The probe has left, and is in no hit. */
static void site_part(struct trace_kprobe *kprobe)
{
	kprobe->site = 0;
	if (kprobe->rp.kp.symbol_name)
		kprobe->rp.kp.addr = NULL;
}

/**
 * trace_kprobe_site_settle - wait until probes that were at sites hit no more
 * @probes: a set of probes that have left, of which others are left out
 *
 * They wait for one grace period together, unless that is over since they were switched off.
 *
 * Context: task, may sleep; no lock is held.
 */
void trace_kprobe_site_settle(struct list_head *probes)
{
	struct trace_probe *probe;

	site_wait_for_cpus();
	for_each_trace_probe(probe, probes) {
		struct trace_kprobe *kprobe = trace_kprobe_of(probe);

		if (kprobe->joined || !kprobe->site)
			continue;
		trace_may_wait();
		cond_synchronize_rcu(kprobe->left);
		site_part(kprobe);
	}
}

/**
 * trace_kprobe_site_module_goes - the text of a module goes
 * @mod: the module
 * @init: only what it has begun with
 *
 * A probe need not name the module, and may be one of perf. It does not come again with it then.
 * Nobody executes the text any more, so no hit is waited for.
 *
 * Context: task, may sleep; the events mutex is held.
 */
void trace_kprobe_site_module_goes(const struct module *mod, bool init)
{
	struct trace_kprobe *kprobe;
	struct trace_probe *probe;
	LIST_HEAD(probes);

	list_for_each_entry(kprobe, &site_probes, others) {
		if (init ? within_module_init(kprobe->site, mod) : within_module(kprobe->site, mod))
			list_add_tail(&kprobe->probe.set, &probes);
	}
	trace_kprobe_site_leave(&probes);
	for_each_trace_probe(probe, &probes)
		site_part(trace_kprobe_of(probe));
}

static void site_batch_begin(void)
{
	site_in_batch = true;
}

static int site_batch_end(void)
{
	site_in_batch = false;
	site_settle_off(&site_wait_off);
	return site_settle_on(&site_wait_on);
}

static struct trace_event_batch site_batch = {
	.begin	= site_batch_begin,
	.end	= site_batch_end,
};

/**
 * trace_kprobe_site_init - have probes at sites
 *
 * Context: boot, before there are files.
 */
void __init trace_kprobe_site_init(void)
{
	trace_event_batch_register(&site_batch);
}

/*
 * For kernel/kprobes.c
 */

/**
 * ftrace_kprobes_switch - kprobes are switched on or off altogether
 * @on: on; off: probes at sites do nothing, and count nothing
 *
 * Context: task, may sleep; kprobe_mutex is held.
 */
void ftrace_kprobes_switch(bool on)
{
	for (unsigned int i = 0; i < SITE_WANTS; i++)
		ftrace_ops_set_func(&site_hooks[i].ops, on ? site_hit_func[i] : ftrace_stub);
}

static void site_list_show(struct seq_file *m, const struct trace_kprobe *kprobe)
{
	bool may_know = kallsyms_show_value(m->file->f_cred);
	char name[KSYM_NAME_LEN], *module = NULL;
	unsigned long offset = 0;
	const char *symbol;

	symbol = kallsyms_lookup(kprobe->site, NULL, &offset, &module, name);
	seq_printf(m, "%0*lx  %c  %s+0x%lx  %s %s[FTRACE]\n", (int)(2 * sizeof(long)),
		   may_know ? kprobe->site : 0, trace_kprobe_is_return(kprobe) ? 'r' : 'k',
		   symbol ?: "?", offset, module ?: " ", kprobe->armed ? "" : "[DISABLED]");
}

/**
 * ftrace_kprobes_show - show the probes at sites, in the format of debugfs' kprobes/list
 * @m: the file
 *
 * Context: task, may sleep; takes the events mutex.
 */
void ftrace_kprobes_show(struct seq_file *m)
{
	struct trace_kprobe *kprobe;

	guard(trace_events)();
	list_for_each_entry(kprobe, &site_probes, others)
		site_list_show(m, kprobe);
}
