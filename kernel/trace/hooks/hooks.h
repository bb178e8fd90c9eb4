/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hooks/: ftrace_ops and their filters, dispatches (the calls that a site makes), trampolines,
 * direct calls.
 *
 * The interface for the rest of the kernel is <linux/ftrace.h>; this header is
 * for the layers of kernel/trace above.
 */
#ifndef _TRACE_HOOKS_H
#define _TRACE_HOOKS_H

#include <linux/ftrace.h>

#include "hooks/hash.h"
#include "hooks/parent.h"
#include "hooks/retire.h"
#include "sites/names.h"
#include "sites/sites.h"

#ifdef CONFIG_FUNCTION_TRACER

/*
 * Apply one pattern of set_ftrace_filter's language to @hash: "name", globs,
 * an index number, with a leading '!' removal; @module and @source (may be NULL)
 * are the arguments of ":mod:" and ":src:". Takes ftrace_lock(). Returns the
 * number of sites that matched (0: the caller says -EINVAL), or -ENOMEM, or
 * -EOPNOTSUPP when sources are asked for and none is known.
 * The text is changed while it is parsed.
 */
long ftrace_hash_apply(struct ftrace_hash *hash, char *pattern, char *module, char *source);

/* Call @fn for the sites that such a pattern names, without a module, without making a filter. */
long ftrace_pattern_match(char *pattern, ftrace_site_fn fn, void *data);

/*
 * The filters of an ops. ftrace_ops_filter_get() returns a private copy (an
 * empty hash when there is none). ftrace_ops_filter_set() consumes @hash
 * (also on error) and brings all sites up to date in one transaction when the
 * ops is registered. filter.c lists its errors.
 */
struct ftrace_hash *ftrace_ops_filter_get(struct ftrace_ops *ops, bool exclude);
int ftrace_ops_filter_set(struct ftrace_ops *ops, struct ftrace_hash *hash, bool exclude);
int ftrace_ops_filter_ips(struct ftrace_ops *ops, const unsigned long *ips, unsigned int cnt,
			  bool remove);
bool ftrace_ops_filter_empty(struct ftrace_ops *ops, bool exclude);
/* Does the filter of @ops (not a copy) name this site? Under ftrace_lock(). */
bool ftrace_ops_filter_has(struct ftrace_ops *ops, unsigned long ip, bool exclude);
/* @ops, which was not used before, has the filters of @owner from now on, if there are any. */
#ifdef CONFIG_DYNAMIC_FTRACE
void ftrace_ops_share_filters(struct ftrace_ops *ops, struct ftrace_ops *owner);
#else
static inline void ftrace_ops_share_filters(struct ftrace_ops *ops, struct ftrace_ops *owner) { }
#endif
/* Would @ops be called at @ip? Any context, RCU. */
bool ftrace_ops_traces(struct ftrace_ops *ops, unsigned long ip);

/* CPUs may run the old callback until ftrace_hooks_synchronize() has returned. */
void ftrace_ops_set_func(struct ftrace_ops *ops, ftrace_func_t func);

/*
 * For an ops whose memory and callback stay (those of tracers): CPUs may run the
 * callback until ftrace_hooks_synchronize() has returned.
 */
int ftrace_ops_unregister_nowait(struct ftrace_ops *ops);

/* The data that enabled_functions shows of a site. Under ftrace_lock(). */
struct ftrace_site_info {
	unsigned int		count;		/* of callbacks */
	bool			regs;		/* shown as "R": a callback gets all registers */
	bool			ipmodify;	/* shown as "I": a callback may change the IP */
	bool			direct;		/* shown as "D": there is a direct call */
	bool			literal;	/* shown as "O": a literal names the only ops */
	unsigned long		direct_addr;
	unsigned long		target;		/* address that the site calls */
	struct ftrace_ops	*ops;		/* the only one, or NULL */
};

void ftrace_site_info(const struct dyn_ftrace *site, struct ftrace_site_info *info);
/* Calls @fn for each ops that is called at @site. Under ftrace_lock(). */
typedef void (*ftrace_site_ops_fn)(struct ftrace_ops *ops, void *data);
void ftrace_site_for_each_ops(const struct dyn_ftrace *site,
			      ftrace_site_ops_fn fn, void *data);

/* kernel.ftrace_enabled; -EBUSY when a permanent ops is registered. */
int ftrace_hooks_set_enabled(bool on);
bool ftrace_hooks_enabled(void);

/*
 * How often sites were told to call their ops again, after they had called nothing. It changes,
 * under ftrace_lock(), before the first site does: an ops that notes the number at one site
 * sees at another one whether it may have missed calls in between.
 */
extern u32 ftrace_hooks_resumed;

#endif /* CONFIG_FUNCTION_TRACER */

/* Called once, by the composition root. */
#ifdef CONFIG_DYNAMIC_FTRACE
void ftrace_hooks_init(void);
#else
static inline void ftrace_hooks_init(void) { }
#endif

#endif /* _TRACE_HOOKS_H */
