// SPDX-License-Identifier: GPL-2.0
/*
 * The filters of ops: which sites they name, from addresses or from patterns.
 * The files of tracefs that show and take them are in functions/.
 *
 * Several ops can have one pair of filters (func_hash); a change then concerns
 * every one of them that is registered.
 */
#include <linux/ctype.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "hooks/change.h"
#include "hooks/internal.h"
#include "hooks/share.h"
#include "sites/names.h"

/* The top instance's filters, which others may share. Never registered. */
static struct ftrace_ops global_filters;

static struct ftrace_hash *filter_ops_hash(struct ftrace_ops *ops, bool exclude)
{
	ftrace_assert_locked();
	if (exclude)
		return rcu_dereference_raw(ops->func_hash->notrace_hash);
	return rcu_dereference_raw(ops->func_hash->filter_hash);
}

/**
 * ftrace_ops_filter_get - copy a filter of an ops
 * @ops: the ops
 * @exclude: the sites that it leaves out instead of those it takes
 *
 * Context: task; takes ftrace_lock().
 * Return: the copy, empty for "all sites" (of the others: "none"); NULL without memory.
 */
struct ftrace_hash *ftrace_ops_filter_get(struct ftrace_ops *ops, bool exclude)
{
	guard(ftrace_lock)();
	ftrace_ops_init(ops);
	return ftrace_hash_dup(filter_ops_hash(ops, exclude));
}

/* Put @new in the place of a filter; consumes it. */
static int filter_replace(struct ftrace_ops *ops, struct ftrace_hash *new, bool exclude)
{
	struct ftrace_hash *old = filter_ops_hash(ops, exclude);
	struct ftrace_ops_hash *filters = ops->func_hash;
	struct ftrace_scope from = ftrace_ops_scope(ops), to = from;
	struct ftrace_change change;
	struct ftrace_dispatch *own;
	int ret = ftrace_sites_dead() ? -ENODEV : 0;

	if (!new->count && (exclude || !new->nothing)) {
		ftrace_hash_free(new);
		new = NULL;
	}
	*(exclude ? &to.exclude : &to.filter) = new;

	list_for_each_entry(own, &ftrace_registered, list) {
		if (!ret && own->calls[0].ops->func_hash == filters)
			ret = ftrace_ops_check(own->calls[0].ops, &to, &from);
	}
	if (ret) {
		ftrace_hash_free(new);
		return ret;
	}

	if (new)
		ftrace_hash_install(new);
	/* Pairs with rcu_dereference_raw() in scope_of(): readers see all addresses. */
	if (exclude)
		rcu_assign_pointer(filters->notrace_hash, new);
	else
		rcu_assign_pointer(filters->filter_hash, new);
	ftrace_change_begin(&change);
	list_for_each_entry(own, &ftrace_registered, list) {
		if (own->calls[0].ops->func_hash == filters)
			ret = ftrace_update_ops(&change, own->calls[0].ops, &from, &to) ?: ret;
	}
	ftrace_change_end(&change);
	ftrace_hash_retire(old);
	return ret;
}

/*
 * How a filter changes: it is copied, edited and installed without anybody else
 * changing it in between.
 */
struct filter_edit {
	bool			exclude;	/* the filter of sites that are left out */
	bool			reset;		/* begin with an empty one */
	/* Add or remove what is asked for, under ftrace_lock(). */
	int			(*apply)(struct ftrace_hash *hash, void *data);
	void			*data;
};

/* The filter that @edit makes of the present one, or ERR_PTR(). */
static struct ftrace_hash *filter_edited(struct ftrace_ops *ops, const struct filter_edit *edit)
{
	struct ftrace_hash *hash = edit->reset ? ftrace_hash_alloc() :
						 ftrace_hash_dup(filter_ops_hash(ops,
										 edit->exclude));
	int ret;

	if (!hash)
		return ERR_PTR(-ENOMEM);
	ret = edit->apply ? edit->apply(hash, edit->data) : 0;
	if (!ret)
		return hash;
	ftrace_hash_free(hash);
	return ERR_PTR(ret);
}

/* Do owners of direct calls have to agree to a change of the filter? */
static bool filter_is_shared(const struct ftrace_ops *ops, bool exclude)
{
	return ops->flags & FTRACE_OPS_FL_IPMODIFY && ops->flags & FTRACE_OPS_FL_ENABLED &&
	       !exclude;
}

/* Owners agree to the new filter, so it is made under ftrace_direct_mutex, which they wait for. */
static int filter_change_shared(struct ftrace_ops *ops, const struct filter_edit *edit)
{
	struct ftrace_hash *hash;
	struct ftrace_share share;
	unsigned int tries = 0;
	int ret;

	do {
		ftrace_share_begin(&share);
		scoped_guard(ftrace_lock)
			hash = filter_edited(ops, edit);
		ret = PTR_ERR_OR_ZERO(hash) ?: ftrace_share_join(&share, ops, hash);
		if (!ret) {
			scoped_guard(ftrace_lock)
				ret = filter_replace(ops, hash, edit->exclude);
		} else if (!IS_ERR(hash)) {
			ftrace_hash_free(hash);
		}
		ftrace_share_end(&share);
	} while (ftrace_share_again(ret, &tries));
	return ret;
}

static int filter_change(struct ftrace_ops *ops, const struct filter_edit *edit)
{
	struct ftrace_hash *hash;

	if (filter_is_shared(ops, edit->exclude))
		return filter_change_shared(ops, edit);
	guard(ftrace_lock)();
	hash = filter_edited(ops, edit);
	return PTR_ERR_OR_ZERO(hash) ?: filter_replace(ops, hash, edit->exclude);
}

/* Copy the sites of the hash that @data points to. */
static int filter_edit_take_over(struct ftrace_hash *hash, void *data)
{
	return ftrace_hash_copy(hash, data);
}

/**
 * ftrace_ops_filter_set - give an ops another filter
 * @ops: the ops
 * @hash: the sites; is consumed, also on error
 * @exclude: the sites that it leaves out instead of those it takes
 *
 * The filter of before is lost, so callers that copy and edit it have to exclude each other.
 *
 * Context: task; takes ftrace_lock().
 * Return: 0; -ENOMEM; -ENODEV: ftrace is dead; -EBUSY, -EINVAL: the sites do not go with
 * IPMODIFY or a direct call; -EAGAIN: the owner of a direct call is busy. Nothing has
 * changed then, unless ftrace has died of this change: the filter is the new one, and an
 * unknown part of the sites follows it.
 */
int ftrace_ops_filter_set(struct ftrace_ops *ops, struct ftrace_hash *hash, bool exclude)
{
	struct filter_edit edit = {
		.exclude = exclude, .reset = true, .apply = filter_edit_take_over, .data = hash,
	};
	int ret;

	ftrace_ops_init(ops);
	if (filter_is_shared(ops, exclude)) {
		ret = filter_change_shared(ops, &edit);
		ftrace_hash_free(hash);
		return ret;
	}
	guard(ftrace_lock)();
	return filter_replace(ops, hash, exclude);
}

/*
 * Add a site or take it out in place, at a cost that does not depend on their number.
 * Return: -EAGAIN if the filter has to be copied instead: there is none, it is shared with
 * another ops, it would name no site afterwards, or the ops has IPMODIFY or a direct call.
 */
static int filter_edit_one(struct ftrace_ops *ops, unsigned long ip, bool remove)
{
	struct ftrace_hash *hash = filter_ops_hash(ops, false), *except = filter_ops_hash(ops,
											  true);

	if (ops->func_hash != &ops->local_hash || !hash || !hash->count ||
	    ops->flags & (FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_DIRECT))
		return -EAGAIN;
	if (ftrace_sites_dead())
		return -ENODEV;
	if (ftrace_hash_has(hash, ip) != remove)
		return remove ? -ENOENT : 0;
	if (remove && hash->count == 1)
		return -EAGAIN;
	if (remove)
		ftrace_hash_del(hash, ip);
	else if (ftrace_hash_add(hash, ip))
		return -ENOMEM;
	if (!(ops->flags & FTRACE_OPS_FL_ENABLED) || (except && ftrace_hash_has(except, ip)))
		return 0;
	return ftrace_update_ip(ops, ip, !remove);
}

/* Sites to be added or taken out. */
struct edit_ips {
	const unsigned long	*ips;
	unsigned int		cnt;
	bool			remove;
	bool			lax;		/* an address that is taken out need not be there */
};

static int filter_edit_apply_ips(struct ftrace_hash *hash, void *data)
{
	const struct edit_ips *edit = data;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < edit->cnt; i++) {
		if (!edit->remove)
			ret = ftrace_hash_add(hash, edit->ips[i]);
		else
			ret = ftrace_hash_del(hash, edit->ips[i]) || edit->lax ? 0 : -ENOENT;
	}
	/* Sites may have gone with their text, so that none is left: that is not all sites. */
	if (edit->lax)
		ftrace_hash_set_nothing(hash, !ftrace_hash_count(hash));
	return ret;
}

static int filter_set_ips(struct ftrace_ops *ops, const unsigned long *ips, unsigned int cnt,
			  bool remove, bool reset)
{
	struct edit_ips edit_ips = { .ips = ips, .cnt = cnt, .remove = remove };
	struct filter_edit edit = {
		.reset = reset, .apply = filter_edit_apply_ips, .data = &edit_ips,
	};
	int ret;

	if (!reset && cnt == 1) {
		scoped_guard(ftrace_lock)
			ret = filter_edit_one(ops, ips[0], remove);
		if (ret != -EAGAIN)
			return ret;
	}
	return filter_change(ops, &edit);
}

/**
 * ftrace_ops_filter_ips - add sites to the filter of an ops, or take them out
 * @ops: the ops, whose filter is set by this function alone
 * @ips: the sites
 * @cnt: how many
 * @remove: take them out; one may have gone with its module. Without any, the ops has no site
 *
 * All of them are one change.
 *
 * Context: task; takes ftrace_lock().
 * Return: as ftrace_ops_filter_set().
 */
int ftrace_ops_filter_ips(struct ftrace_ops *ops, const unsigned long *ips, unsigned int cnt,
			  bool remove)
{
	struct edit_ips edit_ips = { .ips = ips, .cnt = cnt, .remove = remove, .lax = true };
	struct filter_edit edit = { .apply = filter_edit_apply_ips, .data = &edit_ips };
	int ret = -EAGAIN;

	ftrace_ops_init(ops);
	if (cnt == 1) {
		scoped_guard(ftrace_lock)
			ret = filter_edit_one(ops, ips[0], remove);
	}
	if (ret == -EAGAIN)
		ret = filter_change(ops, &edit);
	return ret == -ENOENT ? 0 : ret;
}

/**
 * ftrace_set_filter_ips - add functions to the filter of an ops, by address
 * @ops: the ops
 * @ips: addresses of functions or of their call sites; NULL: none, whatever @cnt says
 * @cnt: how many
 * @remove: take them out instead
 * @reset: the filter is empty before
 *
 * Context: task; takes ftrace_lock().
 * Return: 0; -EINVAL: no call site is there; -ENOENT: nothing to remove; errors
 * of ftrace_ops_filter_set(). Nothing has changed then.
 */
int ftrace_set_filter_ips(struct ftrace_ops *ops, unsigned long *ips, unsigned int cnt,
			  int remove, int reset)
{
	unsigned long one, *sites = &one;
	unsigned int i;
	int ret = -EINVAL;

	ftrace_ops_init(ops);
	if (!ips)
		cnt = 0;
	if (cnt > 1) {
		sites = kvmalloc_array(cnt, sizeof(*sites), GFP_KERNEL);
		if (!sites)
			return -ENOMEM;
	}
	for (i = 0; i < cnt; i++) {
		sites[i] = ftrace_location(ips[i]);
		if (!sites[i])
			goto out;
	}
	ret = filter_set_ips(ops, sites, cnt, remove, reset);
out:
	if (sites != &one)
		kvfree(sites);
	return ret;
}
EXPORT_SYMBOL_GPL(ftrace_set_filter_ips);

/**
 * ftrace_set_filter_ip - add a function to the filter of an ops, by address
 * @ops: the ops
 * @ip: address of a function or of its call site
 * @remove: take it out instead
 * @reset: the filter is empty before
 *
 * Context: as ftrace_set_filter_ips().
 * Return: as ftrace_set_filter_ips().
 */
int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, int remove, int reset)
{
	return ftrace_set_filter_ips(ops, &ip, 1, remove, reset);
}
EXPORT_SYMBOL_GPL(ftrace_set_filter_ip);

/*
 * Patterns
 */

/* A line of set_ftrace_filter, less what belongs to commands. */
struct filter_pattern {
	struct trace_glob	glob, module, source;
	bool			has_module, has_source;
	bool			remove;
	bool			empty;		/* names nothing */
	unsigned long		line;		/* of available_filter_functions; 0: the glob */
	char			any[2][2];	/* the texts of globs for everything */
	struct ftrace_hash	*hash;		/* while it is applied */
};

static int filter_pattern_parse(struct filter_pattern *pat, char *text, char *module, char *source)
{
	bool number;

	*pat = (struct filter_pattern) {
		.has_module = module, .has_source = source, .remove = *text == '!',
		.any = { "*", "*" },
	};
	text += pat->remove;
	if (module)
		trace_glob_parse(&pat->module, *module ? module : pat->any[0]);
	if (source)
		trace_glob_parse(&pat->source, source);
	/* ":mod:NAME" alone names all functions of the module, ":src:PATH" of the source. */
	if (!*text && !module && !source) {
		pat->empty = true;
		return 0;
	}
	trace_glob_parse(&pat->glob, *text ? text : pat->any[1]);
	/* Only one '!' means removal. */
	if (pat->glob.negate)
		pat->empty = true;
	number = pat->glob.type == TRACE_GLOB_EXACT && isdigit(pat->glob.text[0]) && !source;
	if (number && (kstrtoul(pat->glob.text, 0, &pat->line) || !pat->line))
		pat->empty = true;
	return pat->empty ? 0 : ftrace_names_prepare(number ? NULL : &pat->glob);
}

static int filter_pattern_apply_site(struct dyn_ftrace *site, void *data)
{
	struct filter_pattern *pat = data;

	if (!pat->remove)
		return ftrace_hash_add(pat->hash, ftrace_site_ip(site));
	ftrace_hash_del(pat->hash, ftrace_site_ip(site));
	return 0;
}

static long filter_pattern_match_line(const struct filter_pattern *pat, ftrace_site_fn fn,
				      void *data)
{
	unsigned long line = pat->line;
	struct ftrace_site_iter iter;
	struct dyn_ftrace *site;
	const char *module;
	size_t len;

	for_each_ftrace_site(site, &iter) {
		if (ftrace_site_text(site, &len, &module) && !--line)
			return min(fn(site, data), 0) ?: 1;
	}
	return 0;
}

/* Call @fn for each site that matches. How many do, or an error, also that of @fn. */
static long filter_pattern_match(const struct filter_pattern *pat, ftrace_site_fn fn, void *data)
{
	ftrace_assert_locked();
	if (pat->empty)
		return 0;
	if (pat->line)
		return filter_pattern_match_line(pat, fn, data);
	return ftrace_sites_match(&pat->glob, pat->has_module ? &pat->module : NULL,
				  pat->has_source ? &pat->source : NULL, fn, data);
}

/* How many sites match, or an error. */
static long filter_pattern_apply(struct filter_pattern *pat, struct ftrace_hash *hash)
{
	pat->hash = hash;
	return filter_pattern_match(pat, filter_pattern_apply_site, pat);
}

/**
 * ftrace_hash_apply - let a pattern name sites
 * @hash: they are added here, or with a leading '!' taken out
 * @pattern: a name, a glob or the number of a line of
 *	available_filter_functions; changed while it is parsed
 * @module: what follows ":mod:", or NULL; changed as well
 * @source: what follows ":src:", or NULL; changed as well
 *
 * Context: task; takes ftrace_lock().
 * Return: number of sites that match, -ENOMEM, or -EOPNOTSUPP when there is a
 * @source, but none is known of any site.
 */
long ftrace_hash_apply(struct ftrace_hash *hash, char *pattern, char *module, char *source)
{
	struct filter_pattern pat;
	int ret = filter_pattern_parse(&pat, pattern, module, source);

	if (ret)
		return ret;
	guard(ftrace_lock)();
	return filter_pattern_apply(&pat, hash);
}

/**
 * ftrace_pattern_match - find sites by a pattern of set_ftrace_filter
 * @pattern: a name, a glob or the number of a line of available_filter_functions;
 *	changed while it is parsed
 * @fn: called for each site that matches, under ftrace_lock(); a negative value stops
 * @data: for @fn
 *
 * Context: task; takes ftrace_lock().
 * Return: number of sites that match, the value of @fn that stopped, or -ENOMEM.
 */
long ftrace_pattern_match(char *pattern, ftrace_site_fn fn, void *data)
{
	struct filter_pattern pat;
	int ret = filter_pattern_parse(&pat, pattern, NULL, NULL);

	if (ret)
		return ret;
	/* The caller has taken the '!' of a removal. */
	if (pat.remove)
		return 0;
	guard(ftrace_lock)();
	return filter_pattern_match(&pat, fn, data);
}

static int filter_edit_apply_pattern(struct ftrace_hash *hash, void *data)
{
	long ret = filter_pattern_apply(data, hash);

	return ret > 0 ? 0 : ret ?: -EINVAL;
}

static int filter_set_pattern(struct ftrace_ops *ops, const unsigned char *buf, int len,
			      bool reset, bool exclude)
{
	struct filter_edit edit = { .exclude = exclude, .reset = reset };
	struct filter_pattern pat;
	char *text = NULL;
	int ret = 0;

	ftrace_ops_init(ops);
	if (buf) {
		text = kmemdup_nul((const char *)buf, len, GFP_KERNEL);
		if (!text)
			return -ENOMEM;
		ret = filter_pattern_parse(&pat, text, NULL, NULL);
		edit.apply = filter_edit_apply_pattern;
		edit.data = &pat;
	}
	ret = ret ?: filter_change(ops, &edit);
	kfree(text);
	return ret;
}

/**
 * ftrace_set_filter - add functions to the filter of an ops, by pattern
 * @ops: the ops
 * @buf: a name or glob, or NULL; changed while it is read
 * @len: its length
 * @reset: the filter is empty before
 *
 * Context: task; takes ftrace_lock().
 * Return: 0; -EINVAL: no function matches; errors of ftrace_ops_filter_set().
 */
int ftrace_set_filter(struct ftrace_ops *ops, unsigned char *buf, int len, int reset)
{
	return filter_set_pattern(ops, buf, len, reset, false);
}
EXPORT_SYMBOL_GPL(ftrace_set_filter);

/**
 * ftrace_set_notrace - add functions that an ops leaves out, by pattern
 * @ops: the ops
 * @buf: a name or glob, or NULL
 * @len: its length
 * @reset: none is left out before
 *
 * Context: as ftrace_set_filter().
 * Return: as ftrace_set_filter().
 */
int ftrace_set_notrace(struct ftrace_ops *ops, unsigned char *buf, int len, int reset)
{
	return filter_set_pattern(ops, buf, len, reset, true);
}
EXPORT_SYMBOL_GPL(ftrace_set_notrace);

/**
 * ftrace_set_global_filter - ftrace_set_filter() of the top instance
 * @buf: a name or glob
 * @len: its length
 * @reset: the filter is empty before
 *
 * Context: task; takes ftrace_lock(). A pattern that names nothing changes nothing.
 */
void ftrace_set_global_filter(unsigned char *buf, int len, int reset)
{
	filter_set_pattern(&global_filters, buf, len, reset, false);
}
EXPORT_SYMBOL_GPL(ftrace_set_global_filter);

/**
 * ftrace_set_global_notrace - ftrace_set_notrace() of the top instance
 * @buf: a name or glob
 * @len: its length
 * @reset: none is left out before
 *
 * Context: task; takes ftrace_lock(). A pattern that names nothing changes nothing.
 */
void ftrace_set_global_notrace(unsigned char *buf, int len, int reset)
{
	filter_set_pattern(&global_filters, buf, len, reset, true);
}
EXPORT_SYMBOL_GPL(ftrace_set_global_notrace);

/**
 * ftrace_ops_set_global_filter - let an ops follow the top instance's filters
 * @ops: an ops that was not used before; of another one nothing changes
 *
 * Context: task.
 */
void ftrace_ops_set_global_filter(struct ftrace_ops *ops)
{
	if (ops->flags & FTRACE_OPS_FL_INITIALIZED)
		return;
	ftrace_ops_init(&global_filters);
	ftrace_ops_init(ops);
	ops->func_hash = &global_filters.local_hash;
}
EXPORT_SYMBOL_GPL(ftrace_ops_set_global_filter);

/**
 * ftrace_ops_share_filters - let an ops follow the filters of another one
 * @ops: an ops that was not used before
 * @owner: whose filters; they are changed by ftrace_ops_filter_set() only, and freed
 *	when @ops is not registered any more
 *
 * Context: task; takes ftrace_lock().
 */
void ftrace_ops_share_filters(struct ftrace_ops *ops, struct ftrace_ops *owner)
{
	guard(ftrace_lock)();
	ftrace_ops_init(owner);
	ftrace_ops_init(ops);
	ops->func_hash = owner->func_hash;
}

/**
 * ftrace_free_filter - free the filters of an ops that is not registered
 * @ops: the ops; its memory may go afterwards
 *
 * Context: task; takes ftrace_lock().
 */
void ftrace_free_filter(struct ftrace_ops *ops)
{
	guard(ftrace_lock)();
	ftrace_ops_init(ops);
	if (WARN_ON_ONCE(ops->flags & FTRACE_OPS_FL_ENABLED))
		return;
	ftrace_hash_retire(rcu_replace_pointer(ops->local_hash.filter_hash, NULL, true));
	ftrace_hash_retire(rcu_replace_pointer(ops->local_hash.notrace_hash, NULL, true));
}
EXPORT_SYMBOL_GPL(ftrace_free_filter);
