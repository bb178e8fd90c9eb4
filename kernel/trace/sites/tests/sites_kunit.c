// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of sites/: the records of the running kernel against its text,
 * its symbols and each other. They change nothing, so they may run at any
 * time; "text_agrees" is the check that no site was left patched or lost.
 */
#include <kunit/test.h>

#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include <asm/sections.h>

#include "sites/arch.h"
#include "sites/names.h"
#include "sites/table.h"

#define MANY	600	/* names at once */

/* Calls @fn for each site under the lock; returns how many it said yes to. */
static unsigned long count_sites(bool (*fn)(struct dyn_ftrace *site, void *data), void *data)
{
	struct ftrace_site_iter iter;
	struct dyn_ftrace *site;
	unsigned long n = 0;

	ftrace_names_prepare(NULL);
	guard(ftrace_lock)();
	for_each_ftrace_site(site, &iter)
		n += fn(site, data);
	return n;
}

static bool any_site(struct dyn_ftrace *site, void *data)
{
	return true;
}

static bool not_found_by_address(struct dyn_ftrace *site, void *data)
{
	unsigned long ip = ftrace_site_ip(site);

	return ftrace_site_find(ip) != site || ftrace_location(ip) != ip ||
	       ftrace_site_find_range(ip - 1, ip + 1) != site ||
	       ftrace_site_find_range(ip, ULONG_MAX) != site ||
	       ftrace_site_find(ip - 1) || ftrace_site_find(ip + 1);
}

static void sites_are_found(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, count_sites(not_found_by_address, NULL), 0);
	KUNIT_EXPECT_NULL(test, ftrace_site_find(0));
	KUNIT_EXPECT_NULL(test, ftrace_site_find(ULONG_MAX));
	KUNIT_EXPECT_NULL(test, ftrace_site_find((unsigned long)test));
}

static bool out_of_order(struct dyn_ftrace *site, void *data)
{
	unsigned long *last = data, ip = ftrace_site_ip(site);
	bool wrong;

	/* Modules follow in order of loading. */
	if (!core_kernel_text(ip))
		return false;
	wrong = ip <= *last;
	*last = ip;
	return wrong;
}

static void sites_are_sorted(struct kunit *test)
{
	unsigned long last = 0;

	KUNIT_EXPECT_EQ(test, count_sites(out_of_order, &last), 0);
	KUNIT_EXPECT_NE(test, last, 0);
}

/* CONFIG_FTRACE_SORT_STARTUP_TEST relies on site_records_in_order() to find disorder. */
static void disorder_is_found(struct kunit *test)
{
	static const struct dyn_ftrace records[] = {
		{ .text = 16 }, { .text = 32 }, { .text = 48 }, { .text = 48 }, { .text = 40 },
	};

	KUNIT_EXPECT_EQ(test, site_records_in_order(records, 0), 0);
	KUNIT_EXPECT_EQ(test, site_records_in_order(records, 3), 3);
	KUNIT_EXPECT_EQ(test, site_records_in_order(records, 5), 3);
	KUNIT_EXPECT_EQ(test, site_records_in_order(&records[3], 2), 1);
}

static void totals_agree(struct kunit *test)
{
	unsigned long n = count_sites(any_site, NULL), pos, wrong = 0;
	struct ftrace_site_iter walk, seek;
	struct ftrace_site_totals totals;
	struct dyn_ftrace *site;

	ftrace_lock();
	ftrace_sites_totals(&totals);
	site = ftrace_site_first(&walk);
	for (pos = 0; site; pos++, site = ftrace_site_next(&walk)) {
		if (pos % 97 == 0 || pos + 1 == totals.sites)
			wrong += ftrace_site_seek(&seek, pos) != site || walk.pos != pos;
	}
	wrong += !!ftrace_site_seek(&seek, pos);
	ftrace_unlock();

	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_EQ(test, totals.sites, n);
	KUNIT_EXPECT_EQ(test, pos, n);
	KUNIT_EXPECT_GE(test, totals.bytes, n * sizeof(struct dyn_ftrace));
	KUNIT_EXPECT_LE(test, totals.bytes, totals.pages * PAGE_SIZE);
}

struct text_check {
	unsigned long	hooked;
	unsigned long	first_bad;
};

static bool text_differs(struct dyn_ftrace *site, void *data)
{
	struct text_check *check = data;

	check->hooked += !!ftrace_site_dispatch(site);
	if (!arch_ftrace_site_check(site, ftrace_site_target(site)))
		return false;
	if (!check->first_bad)
		check->first_bad = ftrace_site_ip(site);
	return true;
}

static void text_agrees(struct kunit *test)
{
	struct text_check check = {};
	unsigned long bad = count_sites(text_differs, &check);

	if (bad)
		kunit_err(test, "the first is %pS\n", (void *)check.first_bad);
	KUNIT_EXPECT_EQ(test, bad, 0);
	KUNIT_EXPECT_FALSE(test, ftrace_sites_dead());
	kunit_info(test, "%lu sites are hooked\n", check.hooked);
}

static void location_of_function(struct kunit *test)
{
	unsigned long func = (unsigned long)vfs_read, ip = ftrace_location(func);
	void *site = (void *)ip;

	/* objtool shall not see addresses in the middle of it, which nobody may call. */
	OPTIMIZER_HIDE_VAR(func);

	KUNIT_ASSERT_NE(test, ip, 0);
	KUNIT_EXPECT_LE(test, ip, func + FTRACE_MCOUNT_MAX_OFFSET);
	KUNIT_EXPECT_EQ(test, ftrace_location_range(func, func + 64), ip);
	KUNIT_EXPECT_EQ(test, ftrace_location(ip + 1), 0);
	KUNIT_EXPECT_EQ(test, ftrace_location_range(ip + 1, ip + 1), 0);
	if (ip != func)
		KUNIT_EXPECT_EQ(test, ftrace_location(func + 1), 0);
	/* This folder is not traced. */
	KUNIT_EXPECT_EQ(test, ftrace_location((unsigned long)location_of_function), 0);

	KUNIT_EXPECT_EQ(test, ftrace_text_reserved(site, site), 1);
	KUNIT_EXPECT_EQ(test, ftrace_text_reserved(site + MCOUNT_INSN_SIZE - 1,
						   site + MCOUNT_INSN_SIZE - 1), 1);
	KUNIT_EXPECT_EQ(test, ftrace_text_reserved(site + MCOUNT_INSN_SIZE,
						   site + MCOUNT_INSN_SIZE), 0);
	KUNIT_EXPECT_EQ(test, ftrace_text_reserved(site - 1, site - 1), 0);
	KUNIT_EXPECT_EQ(test, ftrace_text_reserved(site - 1, site), 1);
}

static bool name_differs(struct dyn_ftrace *site, void *data)
{
	const char *module, *name = ftrace_site_name(site, &module);
	unsigned long size, offset;
	char *modname, *buf = data;

	if (!kallsyms_lookup(ftrace_site_ip(site), &size, &offset, &modname, buf))
		return true;
	if (!name || strcmp(name, buf) || !module != !modname)
		return true;
	return module && strcmp(module, modname);
}

static void names_are_kallsyms(struct kunit *test)
{
	char *buf = kunit_kzalloc(test, KSYM_NAME_LEN, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, buf);
	KUNIT_EXPECT_EQ(test, count_sites(name_differs, buf), 0);
}

/* The sites that a pattern found. */
struct found {
	unsigned long	count;
	unsigned long	last;		/* address */
	bool		sorted;
	int		stop;		/* value to return */
};

static int note_match(struct dyn_ftrace *site, void *data)
{
	unsigned long ip = ftrace_site_ip(site);
	struct found *found = data;

	if (core_kernel_text(ip) && ip <= found->last)
		found->sorted = false;
	found->last = ip;
	found->count++;
	return found->stop;
}

static long match_where(const char *pattern, const char *module, const char *source,
			struct found *found)
{
	char text[64], modtext[64], srctext[64];
	struct trace_glob glob, mod, src;

	strscpy(text, pattern);
	trace_glob_parse(&glob, text);
	strscpy(modtext, module ?: "");
	trace_glob_parse(&mod, modtext);
	strscpy(srctext, source ?: "");
	trace_glob_parse(&src, srctext);
	if (ftrace_names_prepare(&glob))
		return -ENOMEM;
	guard(ftrace_lock)();
	return ftrace_sites_match(&glob, module ? &mod : NULL, source ? &src : NULL,
				  note_match, found);
}

static long match(const char *pattern, const char *module, struct found *found, int stop)
{
	*found = (struct found){ .sorted = true, .stop = stop };
	return match_where(pattern, module, NULL, found);
}

static long match_source(const char *pattern, const char *source, struct found *found)
{
	*found = (struct found){ .sorted = true };
	return match_where(pattern, NULL, source, found);
}

static bool name_has(struct dyn_ftrace *site, void *data)
{
	const char *module, *name = ftrace_site_name(site, &module);

	return name && strstr(name, data);
}

static bool name_begins(struct dyn_ftrace *site, void *data)
{
	const char *module, *name = ftrace_site_name(site, &module);

	return name && str_has_prefix(name, data);
}

static bool is_kernels(struct dyn_ftrace *site, void *data)
{
	const char *module;

	return ftrace_site_name(site, &module) && !module;
}

static void patterns_match(struct kunit *test)
{
	unsigned long all = count_sites(any_site, NULL);
	struct found found;

	KUNIT_EXPECT_EQ(test, match("*sched*", NULL, &found, 0),
			count_sites(name_has, "sched"));
	KUNIT_EXPECT_EQ(test, found.count, count_sites(name_has, "sched"));
	KUNIT_EXPECT_GT(test, found.count, 10);
	KUNIT_EXPECT_TRUE(test, found.sorted);
	KUNIT_EXPECT_EQ(test, match("vfs_*", NULL, &found, 0),
			count_sites(name_begins, "vfs_"));
	KUNIT_EXPECT_EQ(test, match("*", NULL, &found, 0), all);
	KUNIT_EXPECT_EQ(test, match("*no such function*", NULL, &found, 0), 0);
	/* With a module pattern the kernel stays out; a negated one lets it in. */
	KUNIT_EXPECT_EQ(test, match("*", "*", &found, 0),
			all - count_sites(is_kernels, NULL));
	KUNIT_EXPECT_EQ(test, match("*", "!*", &found, 0), count_sites(is_kernels, NULL));
	KUNIT_EXPECT_EQ(test, match("vfs_*", "no_such_module", &found, 0), 0);
	/* The callback's error ends the search. */
	KUNIT_EXPECT_EQ(test, match("*sched*", NULL, &found, -EBUSY), -EBUSY);
	KUNIT_EXPECT_EQ(test, found.count, 1);
}

static void exact_names_match(struct kunit *test)
{
	unsigned long ip = ftrace_location((unsigned long)vfs_read);
	struct found found;

	KUNIT_EXPECT_EQ(test, match("vfs_read", NULL, &found, 0), 1);
	KUNIT_EXPECT_EQ(test, found.last, ip);
	KUNIT_EXPECT_EQ(test, match("vfs_rea", NULL, &found, 0), 0);
	KUNIT_EXPECT_EQ(test, match("vfs_read", "*", &found, 0), 0);
	KUNIT_EXPECT_EQ(test, match("vfs_read", NULL, &found, -ENOMEM), -ENOMEM);
	/* A symbol without a site. */
	KUNIT_EXPECT_EQ(test, match("ftrace_stub", NULL, &found, 0), 0);
}

struct exact {
	unsigned long	seen;
	unsigned long	last;		/* address */
	long		kallsyms;
	long		index;
};

static int count_address(void *data, unsigned long addr)
{
	struct dyn_ftrace *site = ftrace_site_of_symbol(addr);
	struct exact *exact = data;

	if (!site || ftrace_site_ip(site) == exact->last)
		return 0;
	exact->last = ftrace_site_ip(site);
	exact->kallsyms++;
	return 0;
}

static int count_kernel_site(struct dyn_ftrace *site, void *data)
{
	struct exact *exact = data;

	exact->index += core_kernel_text(ftrace_site_ip(site));
	return 0;
}

/* Do the index and kallsyms find a different number of sites for the name of @site? */
static bool exact_differs(struct dyn_ftrace *site, void *data)
{
	const char *module, *name = ftrace_site_name(site, &module);
	struct exact *exact = data;
	char text[KSYM_NAME_LEN];
	struct trace_glob glob;

	if (!name || module || exact->seen++ % 19)
		return false;
	exact->last = 0;
	exact->kallsyms = 0;
	exact->index = 0;
	kallsyms_on_each_match_symbol(count_address, name, exact);
	strscpy(text, name);
	trace_glob_parse(&glob, text);
	return ftrace_sites_match(&glob, NULL, NULL, count_kernel_site, exact) < 0 ||
	       !exact->kallsyms || exact->index != exact->kallsyms;
}

static void exact_names_are_kallsyms(struct kunit *test)
{
	struct exact exact = { };

	KUNIT_EXPECT_EQ(test, count_sites(exact_differs, &exact), 0);
	KUNIT_EXPECT_GT(test, exact.seen, 1000);
}

/* Names that kallsyms lists second at their address find the site too. */
static void aliases_match(struct kunit *test)
{
	unsigned long addr = kallsyms_lookup_name("__x64_sys_getppid");
	struct found found;

	if (!addr || !ftrace_location(addr))
		kunit_skip(test, "no such system call here");
	KUNIT_EXPECT_EQ(test, match("__x64_sys_getppid", NULL, &found, 0), 1);
	KUNIT_EXPECT_EQ(test, found.last, ftrace_location(addr));
}

static bool source_unknown(struct dyn_ftrace *site, void *data)
{
	return !ftrace_site_source(site);
}

static bool kernel_source_unknown(struct dyn_ftrace *site, void *data)
{
	return is_kernels(site, data) && source_unknown(site, data);
}

static bool source_is(struct dyn_ftrace *site, void *data)
{
	const char *source = ftrace_site_source(site);

	return source && !strcmp(source, data);
}

static bool source_begins(struct dyn_ftrace *site, void *data)
{
	const char *source = ftrace_site_source(site);

	return source && str_has_prefix(source, data);
}

static bool function_is_of(unsigned long func, const char *source)
{
	guard(ftrace_lock)();
	return source_is(ftrace_site_find(ftrace_location(func)), (void *)source);
}

static void need_sources(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_FTRACE_MCOUNT_SOURCES))
		kunit_skip(test, "the recorder of the sites does not tell sources");
}

static void sources_are_known(struct kunit *test)
{
	need_sources(test);
	KUNIT_EXPECT_EQ(test, count_sites(kernel_source_unknown, NULL), 0);
	KUNIT_EXPECT_TRUE(test, function_is_of((unsigned long)vfs_read, "fs/read_write.c"));
	KUNIT_EXPECT_TRUE(test, function_is_of((unsigned long)kernel_read, "fs/read_write.c"));
	KUNIT_EXPECT_TRUE(test, function_is_of((unsigned long)schedule, "kernel/sched/core.c"));
	KUNIT_EXPECT_TRUE(test, function_is_of((unsigned long)kfree, "mm/slub.c"));
}

static void sources_match(struct kunit *test)
{
	unsigned long known, in_fs, in_file;
	struct found found;

	need_sources(test);
	known = count_sites(any_site, NULL) - count_sites(source_unknown, NULL);
	in_fs = count_sites(source_begins, "fs/");
	in_file = count_sites(source_is, "fs/read_write.c");
	KUNIT_EXPECT_GT(test, in_fs, in_file);
	KUNIT_EXPECT_GT(test, in_file, 10);
	KUNIT_EXPECT_EQ(test, match_source("*", "fs/read_write.c", &found), in_file);
	KUNIT_EXPECT_EQ(test, found.count, in_file);
	KUNIT_EXPECT_TRUE(test, found.sorted);
	KUNIT_EXPECT_EQ(test, match_source("*", "*/read_write.c", &found), in_file);
	KUNIT_EXPECT_EQ(test, match_source("*", "fs/*", &found), in_fs);
	KUNIT_EXPECT_EQ(test, match_source("*", "!fs/*", &found), known - in_fs);
	KUNIT_EXPECT_EQ(test, match_source("*", "*", &found), known);
	KUNIT_EXPECT_EQ(test, match_source("*", "no/such/file.c", &found), 0);
	/* With a name, both must be right. */
	KUNIT_EXPECT_EQ(test, match_source("vfs_read", "fs/*", &found), 1);
	KUNIT_EXPECT_EQ(test, match_source("vfs_read", "!fs/*", &found), 0);
	KUNIT_EXPECT_EQ(test, match_source("vfs_read", "fs/open.c", &found), 0);
	KUNIT_EXPECT_GT(test, match_source("vfs_*", "*/read_write.c", &found), 1);
}

static void unknown_sources_are_told(struct kunit *test)
{
	struct found found;

	if (IS_ENABLED(CONFIG_FTRACE_MCOUNT_SOURCES))
		kunit_skip(test, "sources are known");
	KUNIT_EXPECT_EQ(test, count_sites(source_unknown, NULL), count_sites(any_site, NULL));
	KUNIT_EXPECT_EQ(test, match_source("*", "*", &found), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, found.count, 0);
}

static int cmp_names(const void *a, const void *b)
{
	return strcmp(*(const char **)a, *(const char **)b);
}

static void few_symbols_are_found(struct kunit *test)
{
	unsigned long addrs[3] = { 1, 1, 1 };
	const char *names[3];

	names[0] = "no_such_function_a";
	names[1] = "schedule";
	names[2] = "vfs_read";
	KUNIT_EXPECT_EQ(test, ftrace_lookup_symbols(names, 3, addrs), -ESRCH);
	KUNIT_EXPECT_EQ(test, addrs[0], 0);
	KUNIT_EXPECT_PTR_EQ(test, (void *)addrs[1], (void *)schedule);
	KUNIT_EXPECT_PTR_EQ(test, (void *)addrs[2], (void *)vfs_read);
	KUNIT_EXPECT_EQ(test, ftrace_lookup_symbols(names + 1, 2, addrs), 0);
}

struct pick {
	struct kunit	*test;
	const char	**names;
	unsigned long	count;
	unsigned long	seen;
};

static bool pick_name(struct dyn_ftrace *site, void *data)
{
	const char *module, *name = ftrace_site_name(site, &module);
	struct pick *pick = data;

	if (!name || module || pick->count == MANY || pick->seen++ % 7)
		return false;
	pick->names[pick->count] = kunit_kstrdup(pick->test, name, GFP_KERNEL);
	pick->count += !!pick->names[pick->count];
	return true;
}

static void many_symbols_are_found(struct kunit *test)
{
	struct pick pick = { .test = test };
	unsigned long *addrs, i, n, wrong = 0;
	char *buf;

	pick.names = kunit_kcalloc(test, MANY, sizeof(*pick.names), GFP_KERNEL);
	addrs = kunit_kcalloc(test, MANY, sizeof(*addrs), GFP_KERNEL);
	buf = kunit_kzalloc(test, KSYM_NAME_LEN, GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, pick.names && addrs && buf);
	count_sites(pick_name, &pick);
	KUNIT_ASSERT_EQ(test, pick.count, MANY);
	sort(pick.names, MANY, sizeof(*pick.names), cmp_names, NULL);
	for (i = n = 1; i < MANY; i++) {
		if (strcmp(pick.names[i], pick.names[n - 1]))
			pick.names[n++] = pick.names[i];
	}

	KUNIT_EXPECT_EQ(test, ftrace_lookup_symbols(pick.names, n, addrs), 0);
	for (i = 0; i < n; i++) {
		unsigned long size, offset;

		wrong += !ftrace_location(addrs[i]) ||
			 !kallsyms_lookup(addrs[i], &size, &offset, NULL, buf) ||
			 strcmp(buf, pick.names[i]);
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

static struct kunit_case sites_cases[] = {
	KUNIT_CASE(sites_are_found),
	KUNIT_CASE(sites_are_sorted),
	KUNIT_CASE(disorder_is_found),
	KUNIT_CASE(totals_agree),
	KUNIT_CASE(text_agrees),
	KUNIT_CASE(location_of_function),
	KUNIT_CASE(names_are_kallsyms),
	KUNIT_CASE(patterns_match),
	KUNIT_CASE(exact_names_match),
	KUNIT_CASE(exact_names_are_kallsyms),
	KUNIT_CASE(aliases_match),
	KUNIT_CASE(sources_are_known),
	KUNIT_CASE(sources_match),
	KUNIT_CASE(unknown_sources_are_told),
	KUNIT_CASE(few_symbols_are_found),
	KUNIT_CASE(many_symbols_are_found),
	{}
};

static struct kunit_suite sites_suite = {
	.name = "trace_sites",
	.test_cases = sites_cases,
};

kunit_test_suites(&sites_suite);

MODULE_DESCRIPTION("Tests of the records of call sites");
MODULE_LICENSE("GPL");
