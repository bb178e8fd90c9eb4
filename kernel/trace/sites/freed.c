// SPDX-License-Identifier: GPL-2.0
/*
 * Names that outlive their text: the init functions of modules, whose entries
 * stand in the trace buffer when their text is gone already. kallsyms asks
 * here last. A set comes here only while something is traced.
 *
 * The list is read with preemption disabled, in any context; it is written
 * under ftrace_lock(), and sets are freed after a grace period.
 */
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "sites/internal.h"

static LIST_HEAD(freed_sets);

/* Copy the names and sizes of the functions of @set, which kallsyms still knows. */
int freed_set_prepare(struct site_set *set)
{
	unsigned long i, size, offset;
	struct site_span *spans;
	int err;

	ftrace_assert_locked();
	err = site_names_build(set);
	if (err)
		return err;
	spans = kcalloc(set->count, sizeof(*spans), GFP_KERNEL);
	if (!spans)
		return -ENOMEM;
	for (i = 0; i < set->count; i++) {
		if (!kallsyms_lookup_size_offset(ftrace_site_ip(&set->sites[i]), &size, &offset))
			continue;
		spans[i].before = offset;
		spans[i].size = size;
	}
	/* Readers find the set by freed_set_add(), which publishes this. */
	set->spans = spans;
	return 0;
}

/* After freed_set_prepare(); @set is on no other list that is walked from its head. */
void freed_set_add(struct site_set *set)
{
	ftrace_assert_locked();
	list_add_tail_rcu(&set->freed, &freed_sets);
}

/* Free the names of @mod's init functions: the module goes away. */
void freed_sets_release(struct module *mod)
{
	struct site_set *set, *next;

	ftrace_assert_locked();
	list_for_each_entry_safe(set, next, &freed_sets, freed) {
		if (set->mod != mod)
			continue;
		list_del_rcu(&set->freed);
		site_set_free_rcu(set);
	}
}

static unsigned long freed_start(const struct site_set *set, unsigned long index)
{
	return ftrace_site_ip(&set->sites[index]) - set->spans[index].before;
}

/* The function of @set that @addr is in: the number of its site, or -1. */
static long freed_set_find(const struct site_set *set, unsigned long addr)
{
	const struct dyn_ftrace *site = site_set_find_range(set, addr, ULONG_MAX);
	long i = site ? site - set->sites : set->count;

	/* The site is behind the function's start, so @addr may be before it or behind. */
	if (!site || freed_start(set, i) > addr)
		i--;
	if (i < 0 || addr - freed_start(set, i) >= set->spans[i].size)
		return -1;
	return i;
}

/* Copy a name that has no NUL behind it to a buffer of KSYM_NAME_LEN bytes. Return its length. */
static int freed_copy(char *to, const char *name, size_t len)
{
	len = min_t(size_t, len, KSYM_NAME_LEN - 1);
	memcpy(to, name, len);
	to[len] = 0;
	return len;
}

/**
 * ftrace_mod_address_lookup - the name of a freed init function of a module
 * @addr: an address in it
 * @size: is set to the function's size, may be NULL
 * @off: is set to the offset of @addr in it, may be NULL
 * @modname: is set to the module's name, may be NULL
 * @modbuildid: is set to the module's build id, may be NULL
 * @sym: buffer of KSYM_NAME_LEN bytes for the name
 *
 * Context: any. Where the module may go away, under RCU for @modname.
 * Return: the length of the name, 0 when there is none.
 */
int ftrace_mod_address_lookup(unsigned long addr, unsigned long *size, unsigned long *off,
			      char **modname, const unsigned char **modbuildid, char *sym)
{
	struct site_set *set;
	const char *name;
	size_t len;
	long i;

	guard(preempt_notrace)();
	list_for_each_entry_lockless(set, &freed_sets, freed) {
		i = freed_set_find(set, addr);
		name = i < 0 ? NULL : site_set_name(set, i, &len);
		if (!name)
			continue;
		if (size)
			*size = set->spans[i].size;
		if (off)
			*off = addr - freed_start(set, i);
		if (modname)
			*modname = set->mod->name;
		if (modbuildid)
			*modbuildid = module_buildid(set->mod);
		return freed_copy(sym, name, len);
	}
	return 0;
}

/* The @symnum-th name; -ERANGE, and @symnum less their number, past the last. */
int freed_get_kallsym(unsigned int *symnum, unsigned long *value, char *type,
		      char *name, char *module_name)
{
	struct site_set *set;
	const char *text;
	size_t len;

	guard(preempt_notrace)();
	list_for_each_entry_lockless(set, &freed_sets, freed) {
		if (*symnum >= set->count) {
			*symnum -= set->count;
			continue;
		}
		text = site_set_name(set, *symnum, &len);
		freed_copy(name, text, text ? len : 0);
		strscpy(module_name, set->mod->name, MODULE_NAME_LEN);
		*value = freed_start(set, *symnum);
		*type = 'T';
		return 0;
	}
	return -ERANGE;
}
