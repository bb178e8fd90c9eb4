// SPDX-License-Identifier: GPL-2.0
/*
 * The names of sites. An index is built on first use by one walk over the
 * symbols that runs along the sites, and kept with each set. Patterns look at
 * the index only. An exact name of the kernel is found there by its hash, if there
 * is an index; otherwise symbols.c finds it, at a price that is that of the index
 * after some hundred names.
 *
 * The walk over all symbols of the kernel takes long, and patching, kprobes and
 * the module loader wait for ftrace_lock(). So ftrace_names_prepare() builds the
 * indexes of the kernel's sets under site_names_mutex alone, which is taken before
 * ftrace_lock() and keeps the sets from being freed, and publishes them under
 * ftrace_lock(). The symbols of one module are few: its index is built under
 * ftrace_lock(), with module_mutex inside of it, when it is asked for. index.c makes an index.
 */
#include <linux/bsearch.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/module_symbol.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/stringhash.h>

#include "sites/internal.h"

/* With this many names, walking all symbols is cheaper than looking each up. */
#define LOOKUP_EACH_MAX	512

/* With this many exact names, the index has cost less than looking each up. */
#define INDEX_PAYS		1200

/* Where there is an index without its hash, as after a listing, the hash costs so much less. */
#define HASH_SHARE		6

/*
 * Exact names that were looked up, or would be soon; each counts HASH_SHARE times if only the
 * hash is lacking. Written under ftrace_lock().
 */
static unsigned long exact_names;

static DEFINE_MUTEX(site_names_mutex);

/* ftrace_site_name() returns it. Written under ftrace_lock(). */
static char site_name[KSYM_NAME_LEN];

/*
 * Make sure that @set has its names. The names of a module are built here. The names of the
 * kernel are not, as that takes long: -ENOMEM if ftrace_names_prepare() has not built them.
 */
int site_names_build(struct site_set *set)
{
	struct site_names names;
	int ret;

	ftrace_assert_locked();
	if (set->names.lens)
		return 0;
	if (!set->mod)
		return -ENOMEM;
	ret = site_names_collect(set, &names);
	if (!ret)
		ret = site_names_add_hash(&names, set->count, SITE_HASH_NARROW);
	if (ret)
		site_names_free(&names);
	else
		set->names = names;
	return ret;
}

/* The first of the kernel's sets without an index, or without its hash if that is asked for. */
static struct site_set *names_first_missing(bool hash)
{
	struct site_set *set;

	ftrace_assert_locked();
	list_for_each_entry(set, &site_sets, list) {
		if (!set->mod && (!set->names.lens || (hash && !set->names.hash.ids)))
			return set;
	}
	return NULL;
}

/* For how many an exact name counts that is found without an index. */
static unsigned long names_exact_weight(void)
{
	return names_first_missing(false) ? 1 : HASH_SHARE;
}

/* Make what the index of one of the kernel's sets lacks. */
static int names_complete(struct site_set *set, bool hash)
{
	struct site_names names;
	int ret = 0;

	lockdep_assert_held(&site_names_mutex);
	/* Only this function writes it. */
	names = set->names;
	if (!names.lens)
		ret = site_names_collect(set, &names);
	if (!ret && hash)
		ret = site_names_add_hash(&names, set->count, SITE_HASH_NARROW);
	/* The index is good without a hash. */
	if (names.lens) {
		scoped_guard(ftrace_lock)
			set->names = names;
	}
	return ret;
}

/**
 * ftrace_names_prepare - make what questions for names will need
 * @glob: the pattern that ftrace_sites_match() will be asked for; NULL: names of
 *	  many sites will be asked for
 *
 * Context: task, not under ftrace_lock(), which it takes.
 * Return: 0 or -ENOMEM.
 */
int ftrace_names_prepare(const struct trace_glob *glob)
{
	struct site_set *set;
	int ret = 0;

	if (glob && glob->type == TRACE_GLOB_EXACT && READ_ONCE(exact_names) < INDEX_PAYS)
		return 0;
	guard(mutex)(&site_names_mutex);
	while (!ret) {
		scoped_guard(ftrace_lock)
			set = names_first_missing(glob);
		if (!set)
			break;
		ret = names_complete(set, glob);
	}
	return ret;
}

/* Keep ftrace_names_prepare() away from sets that are about to be freed. */
void site_names_lock(void)
{
	mutex_lock(&site_names_mutex);
}

/* Undo site_names_lock(). */
void site_names_unlock(void)
{
	mutex_unlock(&site_names_mutex);
}

static struct site_set *site_name_set_of(const struct dyn_ftrace *site)
{
	struct site_set *set;

	list_for_each_entry(set, &site_sets, list) {
		if (site >= set->sites && site < set->sites + set->count)
			return set;
	}
	return NULL;
}

/**
 * ftrace_site_text - the name that listings show for a site, without a NUL behind it
 * @site: the record
 * @len: is set to the length of the name
 * @module: is set to the name of its module, or NULL for the kernel
 *
 * Context: task, ftrace_lock(). The text lives until the next call of this function, or
 * ftrace_unlock(). A caller that asks for many names calls ftrace_names_prepare() before.
 * Return: the name, or NULL for a site that belongs to no function.
 */
const char *ftrace_site_text(const struct dyn_ftrace *site, size_t *len, const char **module)
{
	struct site_set *set = site_name_set_of(site);
	unsigned long size, offset;

	ftrace_assert_locked();
	*module = set ? site_set_module(set) : NULL;
	if (!set)
		return NULL;
	if (!site_names_build(set))
		return site_set_name(set, site - set->sites, len);
	/* Without an index: the slow way. */
	if (!kallsyms_lookup(ftrace_site_ip(site), &size, &offset, NULL, site_name))
		return NULL;
	*len = strlen(site_name);
	return offset <= FTRACE_MCOUNT_MAX_OFFSET ? site_name : NULL;
}

/**
 * ftrace_site_name - the name that listings show for a site
 * @site: the record
 * @module: is set to the name of its module, or NULL for the kernel; may be
 *	    NULL
 *
 * Context: as ftrace_site_text().
 * Return: the name, or NULL for a site that belongs to no function. The string lives as long as
 * the text of ftrace_site_text().
 */
const char *ftrace_site_name(const struct dyn_ftrace *site, const char **module)
{
	const char *text, *of;
	size_t len;

	text = ftrace_site_text(site, &len, &of);
	if (module)
		*module = of;
	if (!text)
		return NULL;
	/* The symbols of a module may be of any length. */
	len = min_t(size_t, len, KSYM_NAME_LEN - 1);
	memmove(site_name, text, len);
	site_name[len] = 0;
	return site_name;
}

/**
 * ftrace_site_source - the source file that a site comes from
 * @site: the record
 *
 * Context: task, ftrace_lock(). The string lives until ftrace_unlock().
 * Return: its path within the kernel's tree, or NULL when the recorder of the
 * sites did not tell.
 */
const char *ftrace_site_source(const struct dyn_ftrace *site)
{
	struct site_set *set = site_name_set_of(site);

	ftrace_assert_locked();
	return set ? site_set_source(set, site - set->sites) : NULL;
}

/* The state of a match: the patterns, the function to call, and the number of matches. */
struct names_match {
	const struct trace_glob	*glob;
	const struct trace_glob	*source;
	ftrace_site_fn		fn;
	void			*data;
	struct dyn_ftrace	*last;
	long			count;
	u8			skip[256];
};

/*
 * "*middle*" is what people write most, and looks at every character of all
 * names unless it skips: by how much, each character of a name tells that
 * stands where the last one of the pattern would.
 */
static void name_middle_prepare(struct names_match *m)
{
	const struct trace_glob *glob = m->glob;
	size_t i;

	memset(m->skip, min_t(size_t, glob->len, U8_MAX), sizeof(m->skip));
	for (i = 0; i + 1 < glob->len; i++)
		m->skip[(u8)glob->text[i]] = min_t(size_t, glob->len - 1 - i, U8_MAX);
}

static bool name_middle_match(const struct names_match *m, const char *name, size_t len)
{
	size_t last = m->glob->len - 1, at = last;
	const char *text = m->glob->text;

	while (at < len) {
		if (name[at] == text[last] && !memcmp(name + at - last, text, last))
			return true;
		at += m->skip[(u8)name[at]];
	}
	return false;
}

static bool name_match_source(const struct names_match *m, const struct dyn_ftrace *site)
{
	const char *path;

	if (!m->source)
		return true;
	path = ftrace_site_source(site);
	return path && trace_glob_match(m->source, path, strlen(path)) != m->source->negate;
}

static int name_match_found(struct names_match *m, struct dyn_ftrace *site)
{
	int ret;

	/* Two symbols of one name and address are one match. */
	if (site == m->last || !name_match_source(m, site))
		return 0;
	m->last = site;
	ret = m->fn(site, m->data);
	if (ret < 0)
		return ret;
	m->count++;
	return 0;
}

static int name_match_kernel_address(void *data, unsigned long addr)
{
	struct dyn_ftrace *site = ftrace_site_of_symbol(addr);

	ftrace_assert_locked();
	return site ? name_match_found(data, site) : 0;
}

static int name_match_exact(struct names_match *m, struct site_set *set)
{
	struct site_search search;
	int ret = 0;
	long i;

	site_names_search(&set->names, m->glob->text, m->glob->len, &search);
	while (!ret && (i = site_names_found(&set->names, set->count, &search)) >= 0)
		ret = name_match_found(m, &set->sites[i]);
	return ret;
}

static int name_match_pattern(struct names_match *m, struct site_set *set)
{
	bool middle = m->glob->type == TRACE_GLOB_MIDDLE;
	const char *next = set->names.pool;
	unsigned long i;
	int ret = 0;
	size_t len;

	for (i = 0; !ret && i < set->count; i++) {
		const char *name = site_names_next(&set->names, i, &next, &len);

		if (!len)
			continue;
		if (middle ? name_middle_match(m, name, len) : trace_glob_match(m->glob, name, len))
			ret = name_match_found(m, &set->sites[i]);
	}
	return ret;
}

static bool name_match_module(const struct site_set *set, const struct trace_glob *module)
{
	const char *name = site_set_module(set);

	if (!module)
		return true;
	if (!name)
		return module->negate;
	return trace_glob_match(module, name, strlen(name)) != module->negate;
}

static bool name_any_source_known(void)
{
	struct site_set *set;

	list_for_each_entry(set, &site_sets, list) {
		if (set->nr_sources)
			return true;
	}
	return false;
}

/**
 * ftrace_sites_match - find sites by name
 * @glob: pattern for the names; @glob->negate is the caller's business
 * @module: pattern for the name of the module, NULL: any, and the kernel
 * @source: pattern for the path of the source, NULL: any, and those not known
 * @fn: called for each site that matches; a negative value stops
 * @data: for @fn
 *
 * A site matches when the name of its function does or, for an exact name, any
 * alias at its address. With @module, the kernel's own sites match only when that is
 * negated. With @source, sites whose source is not known never match.
 *
 * Context: task, ftrace_lock(), after ftrace_names_prepare().
 * Return: the number of matches, the value of @fn that stopped, -ENOMEM, or
 * -EOPNOTSUPP when no source is known.
 */
long ftrace_sites_match(const struct trace_glob *glob, const struct trace_glob *module,
			const struct trace_glob *source, ftrace_site_fn fn, void *data)
{
	struct names_match m = { .glob = glob, .source = source, .fn = fn, .data = data };
	bool exact = glob->type == TRACE_GLOB_EXACT, lookup = false;
	struct site_set *set;
	int ret = 0;

	ftrace_assert_locked();
	if (source && !name_any_source_known())
		return -EOPNOTSUPP;
	if (glob->type == TRACE_GLOB_MIDDLE)
		name_middle_prepare(&m);
	if (exact && (!module || module->negate)) {
		lookup = names_first_missing(true);
		WRITE_ONCE(exact_names, exact_names + lookup * names_exact_weight());
		if (lookup)
			ret = site_symbols_match(glob->text, name_match_kernel_address, &m);
	}

	list_for_each_entry(set, &site_sets, list) {
		if (ret)
			break;
		if (set->coming || !name_match_module(set, module) || (lookup && !set->mod))
			continue;
		ret = site_names_build(set);
		if (ret)
			break;
		ret = exact ? name_match_exact(&m, set) : name_match_pattern(&m, set);
	}
	return ret ?: m.count;
}

/**
 * ftrace_names_expect - many names will be looked for
 * @names: about how many exact names ftrace_sites_match() will be asked for soon
 *
 * Only the cost depends on it.
 *
 * Context: task; takes ftrace_lock().
 */
void ftrace_names_expect(unsigned long names)
{
	guard(ftrace_lock)();
	names = min_t(unsigned long, names, INDEX_PAYS) * names_exact_weight();
	WRITE_ONCE(exact_names, exact_names + names);
}

/* Looking up many names. */
struct names_lookup {
	const char	**names;
	size_t		count;
	unsigned long	*addrs;
	size_t		found;
};

static int name_lookup_one_address(void *data, unsigned long addr)
{
	unsigned long *found = data;

	if (!*found && ftrace_location(addr))
		*found = addr;
	return 0;
}

static int name_cmp(const void *a, const void *b)
{
	return strcmp(*(const char **)a, *(const char **)b);
}

static int name_lookup_symbol(void *data, const char *name, unsigned long addr)
{
	struct names_lookup *l = data;
	const char **hit = bsearch(&name, l->names, l->count, sizeof(*l->names), name_cmp);
	unsigned long *found = hit ? &l->addrs[hit - l->names] : NULL;

	if (!found || *found || !ftrace_location(addr))
		return 0;
	*found = addr;
	return ++l->found == l->count;
}

/**
 * ftrace_lookup_symbols - the addresses of functions that can be hooked
 * @sorted_syms: their names, sorted as by strcmp()
 * @cnt: how many
 * @addrs: is filled with their addresses, 0: not found
 *
 * Of several functions of one name, the first in kallsyms is taken.
 *
 * Context: task.
 * Return: 0, or -ESRCH when not all were found.
 */
int ftrace_lookup_symbols(const char **sorted_syms, size_t cnt, unsigned long *addrs)
{
	struct names_lookup l = { .names = sorted_syms, .count = cnt, .addrs = addrs };
	size_t i;

	memset(addrs, 0, cnt * sizeof(*addrs));
	if (cnt <= LOOKUP_EACH_MAX) {
		for (i = 0; i < cnt; i++) {
			site_symbols_match(sorted_syms[i], name_lookup_one_address, &addrs[i]);
			l.found += !!addrs[i];
		}
	} else {
		kallsyms_on_each_symbol(name_lookup_symbol, &l);
	}
	if (l.found < cnt)
		module_kallsyms_on_each_symbol(NULL, name_lookup_symbol, &l);
	return l.found == cnt ? 0 : -ESRCH;
}
