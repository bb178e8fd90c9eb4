/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sites/: the call sites of the kernel and its modules: one 8-byte record
 * each, their names (sites/names.h), and the patching of their instructions.
 *
 * A site knows an address and the number of the dispatch that it calls, which
 * only hooks/ can explain. It knows no ops, filter or tracer. sites/ asks hooks/ through struct
 * ftrace_sites_ops, and the architecture through sites/arch.h.
 */
#ifndef _TRACE_SITES_H
#define _TRACE_SITES_H

#include <linux/ftrace.h>
#include <linux/types.h>

#include <asm/sections.h>

struct ftrace_target;

/*
 * A flag of an ops, and of the target that calls it: the callback does not look at
 * fregs, which may be NULL then. The entry saves less.
 */
#define FTRACE_OPS_FL_NO_FREGS	BIT(31)

/*
 * Another flag of an ops and its target: the callback does nothing while
 * task_struct::graph_inside is 0. The entry may look at that before it saves anything, and need
 * not.
 */
#define FTRACE_OPS_FL_INSIDE	BIT(30)

/*
 * Another flag of an ops and its target: the callback changes nothing in fregs and asks for no
 * direct call. The entry need not look there on its way out.
 */
#define FTRACE_OPS_FL_VIEW	BIT(29)

/* A flag of a target and its entry: the two calls of ftrace_target.pair are made. */
#define FTRACE_OPS_FL_PAIR	BIT(28)

/*
 * "RCU" beside members in the headers of sites/ and hooks/: written under ftrace_lock(), and read
 * with preemption disabled.
 */

/**
 * struct dyn_ftrace - one call site
 * @text:  distance of the call instruction from _stext; constant
 * @state: under RCU. FTRACE_SITE_DISPATCH: the dispatch that the site calls (0: it calls
 *	   nothing); FTRACE_SITE_*: flags
 */
struct dyn_ftrace {
	s32	text;
	u32	state;
};

static_assert(sizeof(struct dyn_ftrace) == 8);

#define FTRACE_SITE_DISPATCH	GENMASK(19, 0)	/* index of a dispatch */
#define FTRACE_SITE_TOUCHED	BIT(20)		/* was hooked since boot */
#define FTRACE_SITE_MODIFIED	BIT(21)		/* had IPMODIFY or DIRECT */
#define FTRACE_SITE_INIT	BIT(22)		/* in text freed after init */
#define FTRACE_SITE_COMING	BIT(23)		/* its module is not ready: not to be patched */

/* The address of a site. Any context. */
static inline unsigned long ftrace_site_ip(const struct dyn_ftrace *site)
{
	return (unsigned long)_stext + site->text;
}

/* The number of the dispatch that a site calls. Any context. */
static inline u32 ftrace_site_dispatch(const struct dyn_ftrace *site)
{
	return READ_ONCE(site->state) & FTRACE_SITE_DISPATCH;
}

/* May hooks be put on the site? Any context; it changes under ftrace_lock(). */
static inline bool ftrace_site_ready(const struct dyn_ftrace *site)
{
	return !(READ_ONCE(site->state) & FTRACE_SITE_COMING);
}

/*
 * One mutex covers records, dispatches, ops and their filters. It is taken after
 * the locks of events, instances and CPU hotplug, and before text_mutex.
 */
void ftrace_lock(void);
void ftrace_unlock(void);
void ftrace_assert_locked(void);
DEFINE_LOCK_GUARD_0(ftrace_lock, ftrace_lock(), ftrace_unlock())

bool ftrace_sites_dead(void);

/* Lookup by address. */
struct dyn_ftrace *ftrace_site_find(unsigned long ip);
struct dyn_ftrace *ftrace_site_find_range(unsigned long start, unsigned long end);
struct dyn_ftrace *ftrace_site_of_symbol(unsigned long addr);

/*
 * Iteration over the sites that are ready: in the order of addresses within the
 * kernel, then module by module. Under ftrace_lock(). @pos counts sites and stays
 * valid when the lock is given up in between, unless a module comes or goes.
 */
struct ftrace_site_iter {
	void			*group;
	struct dyn_ftrace	*site, *end;	/* of the group */
	unsigned long		pos;
};

struct dyn_ftrace *ftrace_site_first(struct ftrace_site_iter *iter);
struct dyn_ftrace *ftrace_site_next_group(struct ftrace_site_iter *iter);
struct dyn_ftrace *ftrace_site_seek(struct ftrace_site_iter *iter, unsigned long pos);

/* Go on, from a site. NULL past the end. Under ftrace_lock(). */
static inline struct dyn_ftrace *ftrace_site_next(struct ftrace_site_iter *iter)
{
	iter->pos++;
	return likely(++iter->site < iter->end) ? iter->site : ftrace_site_next_group(iter);
}

#define for_each_ftrace_site(site, iter)				\
	for ((site) = ftrace_site_first(iter); (site);			\
	     (site) = ftrace_site_next(iter))

struct ftrace_site_totals {
	unsigned long	sites;
	unsigned long	pages;
	unsigned long	groups;
	unsigned long	bytes;		/* that the pages hold */
	u64		boot_ns;	/* time the conversion at boot took */
};

void ftrace_sites_totals(struct ftrace_site_totals *totals);

/*
 * Patching: begin, any number of sites, end. Under ftrace_lock(). The text is
 * written in batches, the last of them by ftrace_patch_end(): until then a site
 * calls what it called before or what it will call. It is cheapest with sites in
 * the order of their addresses. text_mutex may be held from begin to end, so
 * nothing in between allocates or makes targets.
 */
struct ftrace_patch {
	bool				held;	/* the architecture has begun */
	bool				forced;	/* patching has stopped: go on past errors */
	int				err;	/* the first error */
	struct dyn_ftrace		*site;	/* and where it was, NULL: nowhere */
	const struct ftrace_target	*from;
	const struct ftrace_target	*to;
};

void ftrace_patch_begin(struct ftrace_patch *patch);
void ftrace_patch_forced(struct ftrace_patch *patch);
unsigned long ftrace_patch_sites(struct ftrace_patch *patch, struct dyn_ftrace *first,
				 unsigned long nr, const struct ftrace_target *from,
				 u32 dispatch, const struct ftrace_target *to);
int ftrace_patch_end(struct ftrace_patch *patch);

/**
 * struct ftrace_sites_ops - what sites/ asks of hooks/
 *
 * @target:	what dispatch number @dispatch is for the text; NULL for 0.
 *		It does not change during the life of a dispatch.
 * @wanted:	the number of the dispatch for a site that has just become ready,
 *		because its module is about to run; takes a reference of it.
 * @gone:	@count sites at @first go away with their text: let them call nothing,
 *		drop their references, and take them out of every filter. The kernel's
 *		init text is not written any more.
 * @kallsym:	the @n-th trampoline for /proc/kallsyms, -ERANGE past the last.
 *
 * All but @kallsym run in task context under ftrace_lock() and may sleep; @kallsym
 * runs in task context.
 */
struct ftrace_sites_ops {
	const struct ftrace_target *(*target)(u32 dispatch);
	u32 (*wanted)(unsigned long ip);
	void (*gone)(struct dyn_ftrace *first, unsigned long count);
	int (*kallsym)(unsigned int n, unsigned long *value, char *type, char *name,
		       char *module_name, int *exported);
};

void ftrace_sites_set_ops(const struct ftrace_sites_ops *ops);
const struct ftrace_target *ftrace_site_target(const struct dyn_ftrace *site);

#endif /* _TRACE_SITES_H */
