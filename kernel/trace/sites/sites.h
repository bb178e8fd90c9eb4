/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sites/: the call sites of the kernel and its modules: one 8-byte record
 * each, their names, and the patching of their instructions.
 *
 * A site knows an address and which dispatch it calls, as a number that only
 * hooks/ can explain. It does not know ops, filters or tracers.
 */
#ifndef _TRACE_SITES_H
#define _TRACE_SITES_H

#include <linux/ftrace.h>
#include <linux/types.h>

#include "lib/lib.h"

struct module;

/*
 * One call site.
 *
 * @text:  distance of the call instruction from _stext
 * @state: FTRACE_SITE_DISPATCH: the dispatch the site calls (0: it is a NOP);
 *	   FTRACE_SITE_*: flags
 *
 * Both are read without a lock; they are written under ftrace_lock().
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

unsigned long ftrace_site_ip(const struct dyn_ftrace *site);

static inline u32 ftrace_site_dispatch(const struct dyn_ftrace *site)
{
	return READ_ONCE(site->state) & FTRACE_SITE_DISPATCH;
}

/*
 * One mutex covers records, dispatches, ops and their filters. Order: after
 * event and instance locks and after cpus_read_lock(), before text_mutex.
 */
void ftrace_lock(void);
void ftrace_unlock(void);
void ftrace_assert_locked(void);
DEFINE_LOCK_GUARD_0(ftrace_lock, ftrace_lock(), ftrace_unlock())

/*
 * Set for good when patching failed: nothing is patched any more, the machine
 * lives on. ftrace_kill() and a failed patch set it.
 */
bool ftrace_sites_dead(void);

/*
 * Lookup: any context, RCU. The record stays while its module does. A range
 * includes both ends and gives its first site. The sites of a module are found
 * from ftrace_module_enable() on, when they can be patched.
 */
struct dyn_ftrace *ftrace_site_find(unsigned long ip);
struct dyn_ftrace *ftrace_site_find_range(unsigned long start, unsigned long end);

/*
 * Iteration in address order within the kernel, then module by module.
 * Under ftrace_lock(). @pos counts sites and is valid over lock breaks as
 * long as no module came or went.
 */
struct ftrace_site_iter {
	void			*group;
	unsigned long		index;
	unsigned long		pos;
};

struct dyn_ftrace *ftrace_site_first(struct ftrace_site_iter *iter);
struct dyn_ftrace *ftrace_site_next(struct ftrace_site_iter *iter);
struct dyn_ftrace *ftrace_site_seek(struct ftrace_site_iter *iter, unsigned long pos);
#define for_each_ftrace_site(site, iter)				\
	for ((site) = ftrace_site_first(iter); (site);			\
	     (site) = ftrace_site_next(iter))

struct ftrace_site_totals {
	unsigned long	sites;
	unsigned long	pages;
	unsigned long	groups;
	unsigned long	bytes;	/* what the pages hold */
	u64		boot_ns;	/* time the boot conversion took */
};

void ftrace_sites_totals(struct ftrace_site_totals *totals);

/*
 * Names. Under ftrace_lock(). The names of a module's functions are
 * "name [module]" only in listings; patterns match the bare name.
 *
 * ftrace_site_name(): the name that listings show, NULL for a site that
 * belongs to no function (and must not be listed). The string lives until
 * ftrace_unlock(). @module is NULL for the kernel's own.
 *
 * ftrace_sites_match(): calls @fn for each site whose function (or, for an
 * exact name, any alias at its address) matches @glob, and, with @module not
 * NULL, lives in a module whose name matches @module ("*": any module; the
 * kernel itself is left out; a negated @module: all but the modules that match).
 * With @source not NULL, the path of the source must match it (or, when it is
 * negated, must not); sites whose source is not known never do.
 * Returns the number of matches, or the first negative value of @fn;
 * -EOPNOTSUPP: no source is known.
 *
 * ftrace_site_source(): that path, as kernel/fork.c, or NULL.
 */
const char *ftrace_site_name(const struct dyn_ftrace *site, const char **module);
const char *ftrace_site_source(const struct dyn_ftrace *site);

typedef int (*ftrace_site_fn)(struct dyn_ftrace *site, void *data);
long ftrace_sites_match(const struct trace_glob *glob, const struct trace_glob *module,
			const struct trace_glob *source, ftrace_site_fn fn, void *data);
/* About so many exact names come: a matter of cost only. */
void ftrace_sites_expect(unsigned long names);

/*
 * Patching. Under ftrace_lock(): begin, any number of sites, end. The text is
 * written in batches, the last of them by ftrace_patch_end(): until then a
 * site calls what it called before or what it will call. Cheapest with sites
 * in address order. The record's dispatch number becomes @dispatch at once.
 * text_mutex is held from begin to end: no sleeping allocation in between.
 * Errors: a site whose instruction is not what the record says stops
 * everything: ftrace_bug() reports it, ftrace_sites_dead() becomes true, and
 * ftrace_patch_end() returns the error; sites already queued are still
 * written, so that records and text agree.
 */
void ftrace_patch_begin(void);
void ftrace_patch_site(struct dyn_ftrace *site, u32 dispatch);
int ftrace_patch_end(void);

/*
 * What sites/ asks of hooks/, which defines these. Under ftrace_lock().
 *
 * ftrace_dispatch_target(): the address that a site at @ip calls for
 * @dispatch, 0 for a NOP. Never changes during the life of a dispatch.
 *
 * ftrace_dispatch_wanted(): the dispatch for a site that has just become
 * ready (its module is loaded, boot is done); takes a reference.
 *
 * ftrace_dispatch_gone(): @count sites at @first go away with their text;
 * drops their references and takes them out of every filter.
 *
 * ftrace_trampoline_kallsym(): the @n-th trampoline for /proc/kallsyms, -ERANGE
 * past the last; any context that may read /proc (task).
 */
unsigned long ftrace_dispatch_target(u32 dispatch, unsigned long ip);
u32 ftrace_dispatch_wanted(unsigned long ip);
void ftrace_dispatch_gone(struct dyn_ftrace *first, unsigned long count);
int ftrace_trampoline_kallsym(unsigned int n, unsigned long *value, char *type,
			      char *name, char *module_name, int *exported);

/*
 * What sites/ asks of the architecture (arch/ARCH/kernel/ftrace/), beside the
 * trampolines of hooks/hooks.h.
 *
 * arch_ftrace_init_site(): text that nobody executes yet: check for the
 * compiler's call and make it a NOP. -ENOENT: no call is here (a weak
 * function that lost), the site is dropped in silence.
 * arch_ftrace_init_finish(): the kernel's own sites are done (boot, one CPU,
 * interrupts off).
 * arch_ftrace_patch_prepare/finish(): around a batch; take text_mutex.
 * arch_ftrace_patch(): check that @ip calls @old (0: NOP), queue the change to
 * @new (0: NOP). -EFAULT: the text cannot be read, -EINVAL: it is not what
 * @old makes, -ERANGE: @new is too far away for a call.
 * arch_ftrace_insn(): the bytes that call @target (0: NOP) at @ip.
 * arch_ftrace_read_site(): decode: 0 and *target (0: NOP), or -EINVAL.
 */
int arch_ftrace_init_site(unsigned long ip, struct module *mod);
void arch_ftrace_init_finish(void);
void arch_ftrace_patch_prepare(void);
int arch_ftrace_patch(unsigned long ip, unsigned long old, unsigned long new);
void arch_ftrace_patch_finish(void);
int arch_ftrace_insn(unsigned long ip, unsigned long target, u8 insn[MCOUNT_INSN_SIZE]);
int arch_ftrace_read_site(unsigned long ip, unsigned long *target);

#endif /* _TRACE_SITES_H */
