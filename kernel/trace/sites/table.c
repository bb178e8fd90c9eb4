// SPDX-License-Identifier: GPL-2.0
/*
 * The records of the kernel: the records that the build made are adopted, or the table that it
 * left in the kernel becomes sets of records, its calls NOPs; the set of init text is freed
 * together with that text. module.c makes the records of modules. Nothing here changes text
 * that may be executed.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/gfp.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include <asm/sections.h>

#include "lib/wait.h"
#include "sites/arch.h"
#include "sites/internal.h"
#include "sites/table.h"

static u64 boot_ns;

struct built_sites ftrace_built_sites __initdata;

/* scripts/recordmcount-link.h has it too. */
static_assert(FTRACE_SITE_INIT == 0x400000);

/*
 * A set that the build made is a part of the image. Any other set is a slab object if it is
 * smaller than a page, and exact pages otherwise.
 */
static bool table_set_has_pages(const struct site_set *set)
{
	return !set->built && set->count * sizeof(*set->sites) >= PAGE_SIZE;
}

static size_t table_set_bytes(const struct site_set *set)
{
	size_t bytes = set->count * sizeof(*set->sites);

	if (set->built)
		return bytes;
	return table_set_has_pages(set) ? PAGE_ALIGN(bytes) : kmalloc_size_roundup(bytes);
}

static struct site_set *table_set_alloc(struct module *mod, unsigned long count, bool init)
{
	struct site_set *set = kzalloc(sizeof(*set), GFP_KERNEL);
	size_t bytes = count * sizeof(*set->sites);

	if (!set)
		return NULL;
	INIT_LIST_HEAD(&set->list);
	set->mod = mod;
	set->init = init;
	set->count = count;
	if (table_set_has_pages(set))
		set->sites = alloc_pages_exact(bytes, GFP_KERNEL | __GFP_ZERO);
	else
		set->sites = kzalloc(bytes, GFP_KERNEL);
	if (!set->sites) {
		kfree(set);
		return NULL;
	}
	return set;
}

static void table_set_free(struct site_set *set)
{
	site_names_free(&set->names);
	kfree(set->spans);
	if (!set->built)
		kfree(set->sources);
	if (table_set_has_pages(set))
		free_pages_exact(set->sites, set->count * sizeof(*set->sites));
	else if (!set->built)
		kfree(set->sites);
	kfree(set);
}

static void site_table_set_free_cb(struct rcu_head *rcu)
{
	table_set_free(container_of(rcu, struct site_set, rcu));
}

/* Readers of a list that held @set may still see it. */
void site_set_free_rcu(struct site_set *set)
{
	call_rcu(&set->rcu, site_table_set_free_cb);
}

static int table_cmp_ips(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

static bool table_is_text(unsigned long ip, struct module *mod)
{
	return mod ? within_module(ip, mod) : core_kernel_text(ip);
}

/*
 * Order the table, without what cannot be a site. Returns how many are left; @src
 * is filled for the caller to end it.
 */
unsigned long site_table_sort(unsigned long *ips, unsigned long count, struct module *mod,
			      struct table_sources *src)
{
	unsigned long i, n = 0;
	bool sorted = true;

	table_sources_begin(src, ips, count);
	for (i = 0; i < count; i++) {
		unsigned long ip = ips[i], words;

		words = src->keys ? table_sources_read(src, &ips[i], count - i) : 0;
		if (words) {
			i += words - 1;
			continue;
		}
		/*
		 * A pointer that the linker discarded is 0, plus an offset with KASLR: there is
		 * no text.
		 */
		if (!table_is_text(ip, mod))
			continue;
		/* This may look at the text. */
		ip = ftrace_call_adjust(ip);
		if (!ip)
			continue;
		if ((s32)(ip - (unsigned long)_stext) != (long)(ip - (unsigned long)_stext))
			continue;
		if (n && ips[n - 1] > ip)
			sorted = false;
		if (src->keys)
			table_sources_add(src, ip);
		ips[n++] = ip;
	}
	if (src->keys)
		table_sources_sort(src, ips);
	else if (!sorted)
		sort(ips, n, sizeof(*ips), table_cmp_ips, NULL);
	return n;
}

/*
 * Drop the sites that belong to no symbol, which are left from a weak function that lost at the
 * link. Symbols are in order of addresses, and ones like _etext follow the last site. The
 * kernel's symbols are walked once, together with the sites.
 */
static unsigned long __init table_drop_unnamed(unsigned long *ips, unsigned long count)
{
	unsigned long i, n = 0, last = 0, sym = 0, next = kallsyms_sym_address(0);
	int at = 0;

	for (i = 0; i < count; i++) {
		while (next <= ips[i]) {
			sym = next;
			next = kallsyms_sym_address(++at);
		}
		/* A function has one site. */
		if (sym > last && ips[i] - sym <= FTRACE_MCOUNT_MAX_OFFSET)
			ips[n++] = ips[i];
		last = ips[i];
	}
	return n;
}

/*
 * Turn the calls of a sorted table into NOPs. Drops duplicates and what is
 * not the compiler's call; returns how many are left.
 */
unsigned long site_table_make_nops(unsigned long *ips, unsigned long count, struct module *mod)
{
	unsigned long i, n = 0, bad = 0, first = 0;

	for (i = 0; i < count; i++) {
		if (n && ips[n - 1] == ips[i])
			continue;
		if (!arch_ftrace_site_init(ips[i], mod))
			ips[n++] = ips[i];
		else if (!bad++)
			first = ips[i];
	}
	if (bad)
		pr_info("%lu entries without a call, first: %pS: %*phC\n", bad,
			(void *)first, MCOUNT_INSN_SIZE, (void *)first);
	return n;
}

static bool table_is_init_text(unsigned long ip, struct module *mod)
{
	if (mod)
		return within_module_init(ip, mod);
	return init_section_contains((void *)ip, 1);
}

/* A set of the sites of a table that are in init text, or of the others. */
int site_table_to_set(const unsigned long *ips, unsigned long count, struct module *mod,
		      bool init, const struct table_sources *src)
{
	unsigned long i, n = 0;
	struct site_set *set;

	for (i = 0; i < count; i++)
		n += table_is_init_text(ips[i], mod) == init;
	if (!n)
		return 0;
	set = table_set_alloc(mod, n, init);
	if (!set)
		return -ENOMEM;

	for (i = 0, n = 0; i < count; i++) {
		if (table_is_init_text(ips[i], mod) != init)
			continue;
		set->sites[n].text = ips[i] - (unsigned long)_stext;
		set->sites[n++].state = (init ? FTRACE_SITE_INIT : 0) |
					(mod ? FTRACE_SITE_COMING : 0);
	}
	set->coming = mod;
	set->first = ftrace_site_ip(&set->sites[0]);
	set->last = ftrace_site_ip(&set->sites[n - 1]);
	site_set_add_sources(set, src);
	list_add_tail_rcu(&set->list, &site_sets);
	return 0;
}

/* Add up the instructions at the records: a few thousand loads, no more than that. */
static u32 __init table_built_sum(const struct dyn_ftrace *sites, u32 count)
{
	const void *text = _stext;
	u32 i, sum = 0;

#pragma GCC unroll 8
	for (i = 0; i < count; i++)
		sum += *(const u32 *)(text + sites[i].text);
	return sum;
}

/* Did the link make the records, and for this text? */
static bool __init table_built_is_good(void)
{
	const struct built_sites *built = &ftrace_built_sites;
	const struct dyn_ftrace *sites = __start_ftrace_sites;

	if (!IS_ENABLED(CONFIG_FTRACE_MCOUNT_NOPS) || !built->count)
		return false;
	if (!core_kernel_text(ftrace_site_ip(&sites[0])) ||
	    !core_kernel_text(ftrace_site_ip(&sites[built->count - 1])))
		return false;
	return table_built_sum(sites, built->count) +
	       table_built_sum(__start_ftrace_init_sites, built->init_count) == built->sum;
}

/**
 * site_records_in_order - are records in the order of their addresses, without doubles?
 * @sites: the records
 * @count: how many
 *
 * Return: @count if they are; else the first that is not behind the one before it.
 */
unsigned long site_records_in_order(const struct dyn_ftrace *sites, unsigned long count)
{
	unsigned long i;

	for (i = 1; i < count; i++) {
		if (ftrace_site_ip(&sites[i - 1]) >= ftrace_site_ip(&sites[i]))
			return i;
	}
	return count;
}

/* CONFIG_FTRACE_SORT_STARTUP_TEST: lookups search by halves in what the build has sorted. */
static void __init site_table_sets_test_order(void)
{
	unsigned long count = 0;
	struct site_set *set;

	list_for_each_entry(set, &site_sets, list) {
		unsigned long i = site_records_in_order(set->sites, set->count);

		if (WARN(i < set->count, "ftrace: the record of %pS comes before that of %pS\n",
			 (void *)ftrace_site_ip(&set->sites[i - 1]),
			 (void *)ftrace_site_ip(&set->sites[i])))
			return;
		count += set->count;
	}
	pr_info("%lu records are in order\n", count);
}

static int __init table_adopt_set(struct dyn_ftrace *sites, unsigned long count,
				  unsigned int sources, const char *source_pool, bool init)
{
	struct site_set *set;

	if (!count)
		return 0;
	set = kzalloc(sizeof(*set), GFP_KERNEL);
	if (!set)
		return -ENOMEM;
	set->built = true;
	set->init = init;
	set->sites = sites;
	set->count = count;
	set->first = ftrace_site_ip(&sites[0]);
	set->last = ftrace_site_ip(&sites[count - 1]);
	set->sources = (const struct site_source *)&sites[count];
	set->nr_sources = sources;
	set->source_pool = source_pool;
	list_add_tail_rcu(&set->list, &site_sets);
	return 0;
}

static int __init table_adopt_built(const struct built_sites *built)
{
	const void *sources = &__start_ftrace_sites[built->count];
	const char *pool = sources + built->sources * sizeof(struct site_source);

	return table_adopt_set(__start_ftrace_sites, built->count, built->sources, pool, false) ?:
	       table_adopt_set(__start_ftrace_init_sites, built->init_count, built->init_sources,
			       pool, true);
}

/* The records from the table of calls, the calls from the compiler. */
static unsigned long __init table_convert_calls(unsigned long *ips, unsigned long count,
						struct table_sources *src)
{
	count = site_table_sort(ips, count, NULL, src);
	/* Of the addresses behind one symbol, first drop those that are no calls. */
	count = site_table_make_nops(ips, count, NULL);
	count = table_drop_unnamed(ips, count);
	arch_ftrace_sites_ready();
	return count;
}

/* With the time that it took, if sched_clock() runs already. */
static void __init table_tell_entries(unsigned long count)
{
	unsigned long pages = DIV_ROUND_UP(count * sizeof(struct dyn_ftrace), PAGE_SIZE);

	if (boot_ns)
		pr_info("allocating %lu entries in %lu pages, %llu ns\n", count, pages, boot_ns);
	else
		pr_info("allocating %lu entries in %lu pages\n", count, pages);
}

/**
 * ftrace_init - make the records of the kernel's sites, and NOPs of the sites
 *
 * Context: start_kernel(), after poking_init(): one CPU, interrupts off, text
 * still writable.
 */
void __init ftrace_init(void)
{
	unsigned long *ips = __start_mcount_loc;
	unsigned long count = __stop_mcount_loc - __start_mcount_loc;
	const struct built_sites *built = &ftrace_built_sites;
	struct ftrace_site_totals totals;
	struct table_sources src = {};
	u64 start = sched_clock();
	bool good;
	int err;

	if (!count) {
		pr_info("No functions to be traced?\n");
		return;
	}
	WARN_ON_ONCE(!irqs_disabled());
	good = table_built_is_good();
	if (IS_ENABLED(CONFIG_FTRACE_MCOUNT_NOPS) && !good)
		pr_warn("the records of the build are not those of this text\n");
	count = good ? built->count + built->init_count : table_convert_calls(ips, count, &src);
	ftrace_lock();
	if (good)
		err = table_adopt_built(built);
	else
		err = site_table_to_set(ips, count, NULL, false, &src) ?:
		      site_table_to_set(ips, count, NULL, true, &src);
	table_sources_end(&src);
	if (IS_ENABLED(CONFIG_FTRACE_SORT_STARTUP_TEST))
		site_table_sets_test_order();
	if (err) {
		/* The text stands; functions without a record are never patched. */
		pr_err("no memory for the records of all functions\n");
	}
	boot_ns = sched_clock() - start;
	ftrace_sites_totals(&totals);
	ftrace_unlock();
	table_tell_entries(count);
	pr_info("allocated %lu pages with %lu groups\n", totals.pages, totals.groups);
}

/**
 * ftrace_sites_totals - count records and their memory
 * @totals: is filled
 *
 * Context: task, ftrace_lock().
 */
void ftrace_sites_totals(struct ftrace_site_totals *totals)
{
	size_t small = 0;
	struct site_set *set;

	ftrace_assert_locked();
	*totals = (struct ftrace_site_totals){ .boot_ns = boot_ns };
	list_for_each_entry(set, &site_sets, list) {
		size_t bytes = table_set_bytes(set);

		totals->groups++;
		totals->sites += set->count;
		totals->bytes += bytes;
		if (table_set_has_pages(set))
			totals->pages += bytes / PAGE_SIZE;
		else
			small += bytes;
	}
	totals->pages += DIV_ROUND_UP(small, PAGE_SIZE);
}

/* The text of @set is about to go; it is on a list that readers may walk. */
void site_set_drop(struct site_set *set)
{
	ftrace_assert_locked();
	sites_asks()->gone(set->sites, set->count);
	sites_forget_hooked(set);
	list_del_rcu(&set->list);
}

/**
 * ftrace_free_init_mem - forget the sites of the kernel's init text
 *
 * Sites that call something keep the call, which nobody executes any more.
 *
 * Context: task, before the text is freed, in SYSTEM_FREEING_INITMEM.
 */
void ftrace_free_init_mem(void)
{
	struct site_set *set, *next;
	bool wait = false;

	site_names_lock();
	ftrace_lock();
	list_for_each_entry_safe(set, next, &site_sets, list) {
		if (set->mod || !set->init)
			continue;
		site_set_drop(set);
		wait |= set->built;
		site_set_free_rcu(set);
	}
	ftrace_unlock();
	site_names_unlock();
	/* Built records are in the memory that is about to go. */
	if (wait)
		trace_wait_rcu();
}
