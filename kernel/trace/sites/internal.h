/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sites/ inside: the sets that hold the records, and what the files of this
 * folder share. Nobody else includes it.
 *
 *   sites.c   the list of sets: lookup, iteration
 *   table.c   from the kernel's table to sets; memory of sets
 *   module.c  sets of modules
 *   names.c   names and matching
 *   index.c   the index of names
 *   symbols.c exact names without an index
 *   sources.c source files
 *   freed.c   names of modules that outlive their text
 *   patch.c   changing the text, the bug report
 */
#ifndef _TRACE_SITES_INTERNAL_H
#define _TRACE_SITES_INTERNAL_H

#include <linux/list.h>
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "sites/index.h"
#include "sites/names.h"

#ifndef FTRACE_MCOUNT_MAX_OFFSET
#define FTRACE_MCOUNT_MAX_OFFSET	0
#endif

/*
 * Some compilers put the site behind the prologue. Then the first site behind a symbol may
 * belong to a later function: the symbol's own function has none.
 */
#define SITES_BEHIND_PROLOGUES	(FTRACE_MCOUNT_MAX_OFFSET > 2 * MCOUNT_INSN_SIZE)

/* Where the function of a site begins, against the site, and its size. */
struct site_span {
	u32	before;
	u32	size;
};

/* The sites from @first on, up to the next of these, are of the source @path of a pool. */
struct site_source {
	u32	first;
	u32	path;		/* 1 + where the pool has it, 0: not known */
};

/*
 * The sites of one piece of text: the kernel's, its init text's, a module's,
 * a module's init text's. Sets do not overlap.
 */
struct site_set {
	struct list_head	list;		/* RCU; in site_sets */
	struct list_head	freed;		/* RCU; once the text is freed */
	struct rcu_head		rcu;
	struct module		*mod;		/* constant; NULL: the kernel */
	bool			init;		/* constant; freed after init */
	bool			coming;		/* ftrace_lock(); they are not ready */
	bool			built;		/* constant; part of the kernel's image */
	unsigned long		count;		/* constant; never 0 */
	unsigned long		first;		/* constant; address of the first site */
	unsigned long		last;		/* constant; and of the last */
	struct dyn_ftrace	*sites;		/* constant; by address */
	struct site_names	names;		/* ftrace_lock(); RCU once the text is freed */
	struct site_span	*spans;		/* RCU; once the text is freed */
	const struct site_source *sources;	/* constant; by site */
	unsigned int		nr_sources;	/* constant; 0: none is known */
	const char		*source_pool;	/* constant; goes with @sources */
};

extern struct list_head site_sets;

struct dyn_ftrace *site_set_find_range(const struct site_set *set,
				       unsigned long start, unsigned long end);
bool site_is_of_symbol(const struct dyn_ftrace *site, unsigned long addr);
void site_set_drop(struct site_set *set);
void site_set_free_rcu(struct site_set *set);

const char *site_set_source(const struct site_set *set, unsigned long index);

int site_symbols_match(const char *name, int (*fn)(void *data, unsigned long addr), void *data);

int site_names_build(struct site_set *set);
void site_names_lock(void);
void site_names_unlock(void);

int freed_set_prepare(struct site_set *set);
void freed_set_add(struct site_set *set);
void freed_sets_release(struct module *mod);

#ifdef CONFIG_MODULES
int freed_get_kallsym(unsigned int *symnum, unsigned long *value, char *type,
		      char *name, char *module_name);

/* The name of its module, NULL: the kernel. */
static inline const char *site_set_module(const struct site_set *set)
{
	return set->mod ? set->mod->name : NULL;
}
#else
static inline int freed_get_kallsym(unsigned int *symnum, unsigned long *value, char *type,
				    char *name, char *module_name)
{
	return -ERANGE;
}

static inline const char *site_set_module(const struct site_set *set)
{
	return NULL;
}
#endif

const struct ftrace_sites_ops *sites_asks(void);

bool sites_hooked(void);
void sites_forget_hooked(const struct site_set *set);

static inline const char *site_set_name(const struct site_set *set, unsigned long index,
					size_t *len)
{
	return site_names_get(&set->names, index, len);
}

#endif /* _TRACE_SITES_INTERNAL_H */
