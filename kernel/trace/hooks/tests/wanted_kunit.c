// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: compare the calls of each site of the running kernel with the registered ops and their
 * filters. It changes nothing, so it may run at any time, between the changes of a test that
 * does.
 */
#include <kunit/test.h>

#include "hooks/dispatch.h"
#include "hooks/dispatch.h"
#include "hooks/internal.h"

/* Does @site call other ops than those that want it? */
static bool calls_differ(struct dyn_ftrace *site)
{
	struct ftrace_dispatch *dispatch = ftrace_dispatch_of(site), *own;
	unsigned long ip = ftrace_site_ip(site);
	unsigned int nr = 0;

	if (!ftrace_hooks_on)
		return dispatch != &ftrace_dispatch_nop;
	list_for_each_entry(own, &ftrace_registered, list) {
		struct ftrace_ops *ops = own->calls[0].ops;

		if (!ftrace_ops_traces(ops, ip))
			continue;
		/* A list looks into the filters itself. */
		if (!(dispatch->flags & FTRACE_DISPATCH_LIST) &&
		    (nr >= dispatch->nr || dispatch->calls[nr].ops != ops))
			return true;
		if (ops->flags & FTRACE_OPS_FL_SAVE_REGS &&
		    !(dispatch->target.flags & FTRACE_OPS_FL_SAVE_REGS))
			return true;
		nr++;
	}
	return dispatch->flags & FTRACE_DISPATCH_LIST ? nr < 2 : nr != dispatch->nr;
}

static void sites_call_who_wants_them(struct kunit *test)
{
	unsigned long bad = 0, first = 0;
	struct ftrace_site_iter iter;
	struct dyn_ftrace *site;

	guard(ftrace_lock)();
	for_each_ftrace_site(site, &iter) {
		if (!calls_differ(site))
			continue;
		first = first ?: ftrace_site_ip(site);
		bad++;
	}
	if (bad)
		kunit_err(test, "the first is %pS\n", (void *)first);
	KUNIT_EXPECT_EQ(test, bad, 0);
}

/* A dispatch that says it has fewer sites than call it would be freed too early. */
static void sites_are_counted(struct kunit *test)
{
	struct ftrace_site_iter iter;
	struct dyn_ftrace *site;
	unsigned long bad = 0;

	guard(ftrace_lock)();
	for_each_ftrace_site(site, &iter)
		ftrace_dispatch_of(site)->sites--;
	for_each_ftrace_site(site, &iter) {
		struct ftrace_dispatch *dispatch = ftrace_dispatch_of(site);

		bad += dispatch != &ftrace_dispatch_nop && dispatch->sites;
	}
	for_each_ftrace_site(site, &iter)
		ftrace_dispatch_of(site)->sites++;
	KUNIT_EXPECT_EQ(test, bad, 0);
}

static struct kunit_case wanted_cases[] = {
	KUNIT_CASE(sites_call_who_wants_them),
	KUNIT_CASE(sites_are_counted),
	{}
};

static struct kunit_suite wanted_suite = {
	.name = "trace_sites_wanted",
	.test_cases = wanted_cases,
};

kunit_test_suite(wanted_suite);
