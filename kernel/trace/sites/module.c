// SPDX-License-Identifier: GPL-2.0
/*
 * The sites of modules: records are made while nobody runs the module and can be
 * found from then on, are hooked from the moment when it is about to run, and
 * forgotten with its init text and itself. The module loader calls.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/bitmap.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/module_symbol.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "sites/internal.h"
#include "sites/table.h"

static unsigned long module_table_lower_bound(const unsigned long *ips, unsigned long count,
					      unsigned long ip)
{
	unsigned long low = 0, high = count;

	while (low < high) {
		unsigned long mid = (low + high) / 2;

		if (ips[mid] < ip)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/*
 * Drop the sites that belong to no symbol, which are left from a weak function that lost at the
 * link. The module is unformed still: nobody else knows its symbols.
 */
static unsigned long module_drop_unnamed(struct module *mod, unsigned long *ips,
					 unsigned long count)
{
	unsigned long *named = bitmap_zalloc(count, GFP_KERNEL);
	struct mod_kallsyms *syms;
	unsigned long n = 0, j;
	unsigned int i;

	if (!named)
		return count;
	syms = rcu_dereference_protected(mod->kallsyms, mod->state == MODULE_STATE_UNFORMED);
	for (i = 1; i < syms->num_symtab; i++) {
		const Elf_Sym *sym = &syms->symtab[i];
		const char *name = syms->strtab + sym->st_name;

		if (sym->st_shndx == SHN_UNDEF || !*name || is_mapping_symbol(name))
			continue;
		j = module_table_lower_bound(ips, count, sym->st_value);
		if (j < count && ips[j] <= sym->st_value + FTRACE_MCOUNT_MAX_OFFSET)
			__set_bit(j, named);
	}
	for_each_set_bit(j, named, count)
		ips[n++] = ips[j];
	bitmap_free(named);
	return n;
}

/**
 * ftrace_module_init - make the records of a module's sites
 * @mod: the module, MODULE_STATE_UNFORMED, its text still writable
 *
 * Context: task.
 */
void ftrace_module_init(struct module *mod)
{
	unsigned long *ips = mod->ftrace_callsites, count;
	struct table_sources src;

	if (!mod->num_ftrace_callsites)
		return;
	WARN_ON_ONCE(mod->state != MODULE_STATE_UNFORMED);
	count = site_table_sort(ips, mod->num_ftrace_callsites, mod, &src);
	count = site_table_make_nops(ips, count, mod);
	count = module_drop_unnamed(mod, ips, count);

	ftrace_lock();
	if (site_table_to_set(ips, count, mod, false, &src) ||
	    site_table_to_set(ips, count, mod, true, &src))
		pr_warn("%s: no memory for the records of all functions\n", mod->name);
	ftrace_unlock();
	table_sources_end(&src);
}

/* Without memory, this many sites are patched at a time. */
#define ENABLE_FEW	32

/*
 * Let @n sites call what hooks/ says. It is asked about all of them first, as that may make
 * trampolines. @wanted has room for the answers.
 */
static void sites_module_enable(struct dyn_ftrace *sites, unsigned long n, u32 *wanted)
{
	const struct ftrace_sites_ops *ops = sites_asks();
	struct ftrace_patch patch;
	bool any = false;
	unsigned long i;

	for (i = 0; i < n; i++) {
		wanted[i] = ops->wanted(ftrace_site_ip(&sites[i]));
		any |= wanted[i];
	}
	if (!any)
		return;
	ftrace_patch_begin(&patch);
	for (i = 0; i < n; i++) {
		if (wanted[i])
			ftrace_patch_sites(&patch, &sites[i], 1, NULL, wanted[i],
					   ops->target(wanted[i]));
	}
	ftrace_patch_end(&patch);
}

/*
 * The sites of @set may be hooked from now on. They are patched in one transaction, as each one
 * interrupts all CPUs.
 */
static void site_module_set_enable(struct site_set *set)
{
	u32 few[ENABLE_FEW], *wanted;
	unsigned long first, i, n;

	set->coming = false;
	for (i = 0; i < set->count; i++)
		WRITE_ONCE(set->sites[i].state, set->sites[i].state & ~FTRACE_SITE_COMING);
	/* Patching has stopped, so no site may take a reference of a dispatch. */
	if (ftrace_sites_dead())
		return;
	wanted = kvmalloc_array(set->count, sizeof(*wanted), GFP_KERNEL | __GFP_NOWARN);
	for (first = 0; first < set->count; first += n) {
		n = wanted ? set->count : min(set->count - first, ARRAY_SIZE(few));
		sites_module_enable(&set->sites[first], n, wanted ?: few);
	}
	kvfree(wanted);
}

/**
 * ftrace_module_enable - let the sites of a module be hooked
 * @mod: the module, formed, about to run
 *
 * Hooks that want its functions are called from its first instruction on.
 *
 * Context: task.
 */
void ftrace_module_enable(struct module *mod)
{
	struct site_set *set;

	guard(ftrace_lock)();
	list_for_each_entry(set, &site_sets, list) {
		if (set->mod == mod && set->coming)
			site_module_set_enable(set);
	}
}

/**
 * ftrace_free_mem - forget the sites of a module's init text
 * @mod: the module
 * @start: where the text begins
 * @end: its end
 *
 * While anything is traced, the names of the functions are kept for as long
 * as the module stays: records that name them may be read later.
 *
 * Context: task, before the text is freed.
 */
void ftrace_free_mem(struct module *mod, void *start, void *end)
{
	struct site_set *set, *next;
	bool keep;

	ftrace_lock();
	list_for_each_entry_safe(set, next, &site_sets, list) {
		if (set->mod != mod || !set->init)
			continue;
		WARN_ON_ONCE(set->first < (unsigned long)start ||
			     set->last >= (unsigned long)end);
		keep = sites_hooked() && !freed_set_prepare(set);
		site_set_drop(set);
		if (keep)
			freed_set_add(set);
		else
			site_set_free_rcu(set);
	}
	ftrace_unlock();
}

/**
 * ftrace_release_mod - forget the sites of a module
 * @mod: the module, which nobody executes any more
 *
 * May be called for a module that has none, or again.
 *
 * Context: task, before the text is freed.
 */
void ftrace_release_mod(struct module *mod)
{
	struct site_set *set, *next;

	ftrace_lock();
	list_for_each_entry_safe(set, next, &site_sets, list) {
		if (set->mod != mod)
			continue;
		site_set_drop(set);
		site_set_free_rcu(set);
	}
	freed_sets_release(mod);
	ftrace_unlock();
}
