// SPDX-License-Identifier: GPL-2.0
/*
 * The call sites of the kernel and its modules: the list of their sets,
 * lookup by address, iteration. How sets come and go is in table.c.
 *
 * Readers of the list only have preemption disabled, so that they may run in
 * any context, NMI and idle included; writers hold ftrace_lock() and free a
 * set after a grace period. A lookup also finds the sites of a module that is
 * being loaded, so that nobody puts a breakpoint on one; an iteration leaves
 * them out.
 *
 * The entry of a list (hooks/dispatch.c) looks its site up before anything protects the hit
 * against recursion, so there must be no kprobe in what this needs.
 */
#include <linux/export.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/rculist.h>

#include <asm/sections.h>

#include "sites/internal.h"

/* The kernel's sets, then the modules' in the order of loading. */
LIST_HEAD(site_sets);

/* Set once, in early boot, before the first module is loaded. */
static const struct ftrace_sites_ops *sites_ops __ro_after_init;

/**
 * ftrace_sites_set_ops - tell sites/ whom to ask
 * @ops: is kept
 *
 * Context: early boot, one CPU.
 */
void __init ftrace_sites_set_ops(const struct ftrace_sites_ops *ops)
{
	sites_ops = ops;
}

/* The functions that sites/ calls in hooks/, see struct ftrace_sites_ops. */
const struct ftrace_sites_ops *sites_asks(void)
{
	return sites_ops;
}

/**
 * ftrace_site_target - what a site calls
 * @site: the record
 *
 * Context: task, ftrace_lock().
 * Return: the target, NULL when it calls nothing.
 */
const struct ftrace_target *ftrace_site_target(const struct dyn_ftrace *site)
{
	u32 dispatch = ftrace_site_dispatch(site);

	ftrace_assert_locked();
	return dispatch ? sites_ops->target(dispatch) : NULL;
}

/* The first site of @set in [@start, @end]. */
struct dyn_ftrace *site_set_find_range(const struct site_set *set,
				       unsigned long start, unsigned long end)
{
	unsigned long low = 0, high = set->count;
	long key;

	if (start > set->last || end < set->first)
		return NULL;
	if (start < set->first)
		start = set->first;
	key = start - (unsigned long)_stext;
	while (low < high) {
		unsigned long mid = (low + high) / 2;

		if (set->sites[mid].text < key)
			low = mid + 1;
		else
			high = mid;
	}
	/* start is not past the last site, so there is one. */
	return ftrace_site_ip(&set->sites[low]) <= end ? &set->sites[low] : NULL;
}

NOKPROBE_SYMBOL(site_set_find_range);

/* The first site in [@start, @end]. Preemption is off, or ftrace_lock() is held. */
static __always_inline struct dyn_ftrace *sites_find_range(unsigned long start, unsigned long end)
{
	struct dyn_ftrace *found = NULL;
	struct site_set *set;

	list_for_each_entry_lockless(set, &site_sets, list) {
		struct dyn_ftrace *site = site_set_find_range(set, start, end);

		/* Modules are not in the order of their addresses. */
		if (site && (!found || site->text < found->text))
			found = site;
	}
	return found;
}

/**
 * ftrace_site_find_range - the first site in a range of addresses
 * @start: first address of the range
 * @end: last address of the range
 *
 * The record is freed a grace period after its module has gone. A caller that neither holds
 * ftrace_lock() nor keeps the module must not read the record: it may be preempted in here, and
 * the record may be freed before it returns. ftrace_location_range() reads the address in time.
 *
 * Context: any.
 * Return: the record, or NULL.
 */
struct dyn_ftrace *ftrace_site_find_range(unsigned long start, unsigned long end)
{
	struct dyn_ftrace *found;

	preempt_disable_notrace();
	found = sites_find_range(start, end);
	preempt_enable_notrace();
	return found;
}

NOKPROBE_SYMBOL(ftrace_site_find_range);

/**
 * ftrace_site_find - the site at an address
 * @ip: address of the call instruction
 *
 * Context: any. ftrace_site_find_range() tells which callers may read the record.
 * Return: the record, or NULL.
 */
struct dyn_ftrace *ftrace_site_find(unsigned long ip)
{
	return ftrace_site_find_range(ip, ip);
}

NOKPROBE_SYMBOL(ftrace_site_find);

/* Does @site belong to the function at @addr? No other symbol may be between them. */
bool site_is_of_symbol(const struct dyn_ftrace *site, unsigned long addr)
{
	unsigned long ip = ftrace_site_ip(site), size, offset;

	return !SITES_BEHIND_PROLOGUES ||
	       (kallsyms_lookup_size_offset(ip, &size, &offset) && ip - offset == addr);
}

/**
 * ftrace_site_of_symbol - the site of the function that begins at an address
 * @addr: address of a symbol
 *
 * Context: any. ftrace_site_find_range() tells which callers may read the record.
 * Return: the record, or NULL.
 */
struct dyn_ftrace *ftrace_site_of_symbol(unsigned long addr)
{
	struct dyn_ftrace *site;

	guard(preempt_notrace)();
	site = sites_find_range(addr, addr + FTRACE_MCOUNT_MAX_OFFSET);
	return site && site_is_of_symbol(site, addr) ? site : NULL;
}

/**
 * ftrace_location_range - the address of the first site in a range
 * @start: first address of the range
 * @end: last address of the range
 *
 * The caller needs no reference of the module: it may be about to take one.
 *
 * Context: any.
 * Return: the site's address, or 0.
 */
unsigned long ftrace_location_range(unsigned long start, unsigned long end)
{
	struct dyn_ftrace *site;

	guard(preempt_notrace)();
	site = sites_find_range(start, end);
	return site ? ftrace_site_ip(site) : 0;
}

/**
 * ftrace_location - the site that belongs to an address
 * @ip: address of a site, or of the function that it belongs to
 *
 * Context: any.
 * Return: the site's address, or 0 when @ip is neither.
 */
unsigned long ftrace_location(unsigned long ip)
{
	unsigned long loc, size, offset;

	loc = ftrace_location_range(ip, ip + FTRACE_MCOUNT_MAX_OFFSET);
	if (!loc || loc == ip)
		return loc;
	/* A site is near; it counts when @ip is where a function begins. */
	if (!kallsyms_lookup_size_offset(ip, &size, &offset) || offset)
		return 0;
	return loc < ip + size ? loc : 0;
}

/**
 * ftrace_text_reserved - does a piece of text hold a site?
 * @start: its first byte
 * @end: its last byte
 *
 * Context: any.
 * Return: 1 when a site's instruction overlaps the text, else 0.
 */
int ftrace_text_reserved(const void *start, const void *end)
{
	unsigned long first = (unsigned long)start - (MCOUNT_INSN_SIZE - 1);

	return !!ftrace_site_find_range(first, (unsigned long)end);
}

/* The first set at @pos or behind it in the list whose sites are ready, NULL: none. */
static struct site_set *site_set_ready_from(struct list_head *pos)
{
	struct site_set *set;

	for (; pos != &site_sets; pos = pos->next) {
		set = list_entry(pos, struct site_set, list);
		if (!set->coming)
			return set;
	}
	return NULL;
}

/* Go to a site of @set, which is NULL past the end. */
static struct dyn_ftrace *site_iter_enter(struct ftrace_site_iter *iter, struct site_set *set,
					  unsigned long index)
{
	iter->group = set;
	iter->site = set ? &set->sites[index] : NULL;
	iter->end = set ? &set->sites[set->count] : NULL;
	return iter->site;
}

/**
 * ftrace_site_seek - put an iterator at a position
 * @iter: the iterator
 * @pos: number of the site, from 0
 *
 * Context: task, ftrace_lock().
 * Return: the site there, or NULL past the end.
 */
struct dyn_ftrace *ftrace_site_seek(struct ftrace_site_iter *iter, unsigned long pos)
{
	struct site_set *set = site_set_ready_from(site_sets.next);
	unsigned long index = pos;

	ftrace_assert_locked();
	while (set && index >= set->count) {
		index -= set->count;
		set = site_set_ready_from(set->list.next);
	}
	iter->pos = pos;
	return site_iter_enter(iter, set, index);
}

/**
 * ftrace_site_first - begin an iteration over all sites
 * @iter: the iterator
 *
 * Context: task, ftrace_lock().
 * Return: the first site, or NULL when there is none.
 */
struct dyn_ftrace *ftrace_site_first(struct ftrace_site_iter *iter)
{
	return ftrace_site_seek(iter, 0);
}

/**
 * ftrace_site_next_group - ftrace_site_next() past the last site of a group
 * @iter: the iterator
 *
 * Context: task, ftrace_lock().
 * Return: the next site, or NULL past the end.
 */
struct dyn_ftrace *ftrace_site_next_group(struct ftrace_site_iter *iter)
{
	struct site_set *set = iter->group;

	ftrace_assert_locked();
	if (!set)
		return NULL;
	return site_iter_enter(iter, site_set_ready_from(set->list.next), 0);
}
