// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the index of names: it has all that kallsyms has, names of any length, and ids
 * of both sizes.
 */
#include <kunit/test.h>

#include <linux/kallsyms.h>
#include <linux/string.h>
#include <linux/stringify.h>

#include "sites/internal.h"
#include "sites/tests/targets.h"

/* A search for the name of a site. */
struct wanted {
	struct dyn_ftrace	*site;
	unsigned int		times;		/* found so often */
};

static int index_note(struct dyn_ftrace *site, void *data)
{
	struct wanted *wanted = data;

	wanted->times += site == wanted->site;
	return 0;
}

/* How often does the search for @name find @site? ftrace_lock() is held. */
static unsigned int index_times(const char *name, struct dyn_ftrace *site)
{
	const struct trace_glob glob = {
		.type = TRACE_GLOB_EXACT, .text = (char *)name, .len = strlen(name),
	};
	struct wanted wanted = { .site = site };

	if (ftrace_sites_match(&glob, NULL, NULL, index_note, &wanted) < 0)
		return 0;
	return wanted.times;
}

/* Prepare for exact names of the kernel, however few are looked for. */
static int index_prepare(void)
{
	const struct trace_glob glob = {
		.type = TRACE_GLOB_MIDDLE, .text = "any", .len = 3,
	};

	return ftrace_names_prepare(&glob);
}

struct all_symbols {
	unsigned long	seen;
	unsigned long	missed;
};

static int index_symbol(void *data, const char *name, unsigned long addr)
{
	struct dyn_ftrace *site = ftrace_site_of_symbol(addr);
	struct all_symbols *all = data;

	if (site) {
		all->seen++;
		all->missed += index_times(name, site) != 1;
	}
	return 0;
}

static void index_has_kallsyms(struct kunit *test)
{
	struct all_symbols all = { };

	KUNIT_ASSERT_EQ(test, index_prepare(), 0);
	scoped_guard(ftrace_lock)
		kallsyms_on_each_symbol(index_symbol, &all);
	KUNIT_EXPECT_EQ(test, all.missed, 0);
	KUNIT_EXPECT_GT(test, all.seen, 1000);
}

/* The function at @func has @name, is found by it, and by @alias if that is not NULL. */
static void index_expect(struct kunit *test, int (*func)(int x), const char *name,
			 const char *alias)
{
	const char *module, *text;
	struct dyn_ftrace *site;
	size_t len;

	KUNIT_ASSERT_EQ(test, index_prepare(), 0);
	guard(ftrace_lock)();
	site = ftrace_site_find(ftrace_location((unsigned long)func));
	if (!site) {
		KUNIT_FAIL(test, "no site");
		return;
	}
	text = ftrace_site_text(site, &len, &module);
	KUNIT_EXPECT_EQ(test, len, strlen(name));
	KUNIT_EXPECT_TRUE(test, text && len == strlen(name) && !memcmp(text, name, len));
	KUNIT_EXPECT_STREQ(test, ftrace_site_name(site, NULL), name);
	KUNIT_EXPECT_EQ(test, index_times(name, site), 1);
	if (alias)
		KUNIT_EXPECT_EQ(test, index_times(alias, site), 1);
}

static void index_has_long_names(struct kunit *test)
{
	static_assert(sizeof(__stringify(SITE_INDEX_254)) == 255);
	static_assert(sizeof(__stringify(SITE_INDEX_256)) == 257);

	index_expect(test, SITE_INDEX_254, __stringify(SITE_INDEX_254), NULL);
	index_expect(test, SITE_INDEX_255, __stringify(SITE_INDEX_255), NULL);
	index_expect(test, SITE_INDEX_256, __stringify(SITE_INDEX_256), NULL);
}

/* The symbol table tells which of two names at one address comes first. */
static void index_has_long_aliases(struct kunit *test)
{
	const char *name = "site_index_short", *alias = __stringify(SITE_INDEX_300);
	char *first = kunit_kzalloc(test, KSYM_NAME_LEN, GFP_KERNEL);
	unsigned long size, offset;

	KUNIT_ASSERT_NOT_NULL(test, first);
	KUNIT_ASSERT_NOT_NULL(test, kallsyms_lookup((unsigned long)site_index_short, &size,
						    &offset, NULL, first));
	if (strcmp(first, name))
		swap(name, alias);
	index_expect(test, site_index_short, name, alias);
}

/* How many sites of @set are not found by their names in @names, which have a hash? */
static unsigned long index_not_found(const struct site_set *set, const struct site_names *names)
{
	unsigned long i, missed = 0;
	struct site_search search;

	for (i = 0; i < set->count; i++) {
		const char *name;
		size_t len;
		long at;

		name = site_names_get(names, i, &len);
		if (!name)
			continue;
		site_names_search(names, name, len, &search);
		do {
			at = site_names_found(names, set->count, &search);
		} while (at >= 0 && at != i);
		missed += at < 0;
	}
	return missed;
}

/* Ids of 16 and of 32 bits find the same. */
static void index_ids_of_both_sizes(struct kunit *test)
{
	struct site_names names = { };
	struct site_set *set;

	set = list_first_entry(&site_sets, struct site_set, list);
	KUNIT_ASSERT_NULL(test, set->mod);
	KUNIT_ASSERT_EQ(test, site_names_collect(set, &names), 0);
	KUNIT_EXPECT_EQ(test, site_names_add_hash(&names, set->count, ULONG_MAX), 0);
	if (names.hash.ids)
		KUNIT_EXPECT_FALSE(test, names.hash.wide);
	if (names.hash.ids && set->count + names.nr_aliases <= SITE_HASH_NARROW)
		KUNIT_EXPECT_EQ(test, index_not_found(set, &names), 0);
	kvfree(names.hash.ids);
	KUNIT_EXPECT_EQ(test, site_names_add_hash(&names, set->count, 0), 0);
	if (names.hash.ids) {
		KUNIT_EXPECT_TRUE(test, names.hash.wide);
		KUNIT_EXPECT_EQ(test, index_not_found(set, &names), 0);
	}
	site_names_free(&names);
}

/* Addresses that a search for a name gave. */
struct matched {
	unsigned int	nr;
	unsigned long	sum;
};

static int index_add_address(void *data, unsigned long addr)
{
	struct matched *matched = data;

	matched->sum += ++matched->nr * addr;
	return 0;
}

/* Do symbols.c and kallsyms find the same symbols of a name, in one order? */
static bool index_matches_kallsyms(const char *name)
{
	struct matched ours = { }, theirs = { };

	site_symbols_match(name, index_add_address, &ours);
	kallsyms_on_each_match_symbol(index_add_address, name, &theirs);
	return ours.nr == theirs.nr && ours.sum == theirs.sum;
}

/* Each so many symbols one is looked for, and names that are nearly its own. */
#define SYMBOL_STEP	37

struct searches {
	unsigned long	seen;
	unsigned long	differ;
};

static int index_search(void *data, const char *name, unsigned long addr)
{
	struct searches *searches = data;
	char text[KSYM_NAME_LEN + 1];
	size_t len = strlen(name);

	if (searches->seen++ % SYMBOL_STEP || !len)
		return 0;
	searches->differ += !index_matches_kallsyms(name);
	strscpy(text, name);
	text[len] = '~';
	text[len + 1] = '\0';
	searches->differ += !index_matches_kallsyms(text);
	text[len - 1] = '\0';
	searches->differ += !index_matches_kallsyms(text);
	return 0;
}

static void index_symbols_are_found(struct kunit *test)
{
	struct searches searches = { };

	kallsyms_on_each_symbol(index_search, &searches);
	KUNIT_EXPECT_EQ(test, searches.differ, 0);
	KUNIT_EXPECT_GT(test, searches.seen, 1000);
	KUNIT_EXPECT_TRUE(test, index_matches_kallsyms(""));
	KUNIT_EXPECT_TRUE(test, index_matches_kallsyms("\x01"));
	KUNIT_EXPECT_TRUE(test, index_matches_kallsyms("\xff"));
}

static int index_stop(void *data, unsigned long addr)
{
	return ++*(int *)data;
}

static void index_search_is_stopped(struct kunit *test)
{
	int calls = 0;

	KUNIT_EXPECT_EQ(test, site_symbols_match("schedule", index_stop, &calls), 1);
	KUNIT_EXPECT_EQ(test, calls, 1);
	KUNIT_EXPECT_EQ(test, site_symbols_match("schedul", index_stop, &calls), 0);
	KUNIT_EXPECT_EQ(test, calls, 1);
}

static struct kunit_case index_cases[] = {
	KUNIT_CASE(index_has_kallsyms),
	KUNIT_CASE(index_has_long_names),
	KUNIT_CASE(index_has_long_aliases),
	KUNIT_CASE(index_ids_of_both_sizes),
	KUNIT_CASE(index_symbols_are_found),
	KUNIT_CASE(index_search_is_stopped),
	{}
};

static struct kunit_suite index_suite = {
	.name = "trace_sites_index",
	.test_cases = index_cases,
};

kunit_test_suites(&index_suite);

MODULE_DESCRIPTION("Tests of the index of names of call sites");
MODULE_LICENSE("GPL");
