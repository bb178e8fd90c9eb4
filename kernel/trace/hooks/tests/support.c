// SPDX-License-Identifier: GPL-2.0
/*
 * Support for the suites of hooks/: an ops that counts, and questions about sites.
 */
#include "hooks/tests/support.h"

unsigned int counter_turn;

void counter_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		  struct ftrace_regs *fregs)
{
	struct counter *counter = container_of(ops, struct counter, ops);

	counter->hits++;
	counter->turn = ++counter_turn;
	counter->ip = ip;
	counter->parent_ip = parent_ip;
	counter->arg = ARG((long)ftrace_regs_get_argument(fregs, 0));
	counter->regs = ftrace_get_regs(fregs);
}

void counter_init(struct kunit *test, struct counter *counter, unsigned long flags,
		  unsigned int first, unsigned int nr)
{
	unsigned int i;

	memset(counter, 0, sizeof(*counter));
	counter->ops.func = counter_func;
	counter->ops.flags = flags;
	for (i = 0; i < nr; i++)
		KUNIT_ASSERT_EQ(test, 0,
				ftrace_set_filter_ip(&counter->ops,
						     (unsigned long)hooks_targets[first + i],
						     0, 0));
}

void counter_done(struct kunit *test, struct counter *counter)
{
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(&counter->ops));
	ftrace_free_filter(&counter->ops);
}

unsigned int counter_hit_all(struct counter *counter)
{
	unsigned int before = counter->hits, i;

	for (i = 0; i < HOOKS_TARGETS; i++)
		hooks_targets[i](0);
	return counter->hits - before;
}

struct dyn_ftrace *target_site(unsigned int target)
{
	return ftrace_site_find(ftrace_location((unsigned long)hooks_targets[target]));
}

struct ftrace_site_info target_info(unsigned int target)
{
	struct ftrace_site_info info;

	guard(ftrace_lock)();
	ftrace_site_info(target_site(target), &info);
	return info;
}

u32 target_dispatch(unsigned int target)
{
	return ftrace_site_dispatch(target_site(target));
}

bool targets_have_code(void)
{
	struct ftrace_target target = { .func = ftrace_stub };

	guard(ftrace_lock)();
	if (arch_ftrace_target_init(&target))
		return true;
	arch_ftrace_target_exit(&target);
	return target.size;
}

unsigned long sites_wrong(void)
{
	struct ftrace_site_iter iter;
	struct dyn_ftrace *site;
	unsigned long wrong = 0;

	guard(ftrace_lock)();
	for_each_ftrace_site(site, &iter)
		wrong += !!arch_ftrace_site_check(site, ftrace_site_target(site));
	return wrong;
}

struct hooked {
	struct ftrace_ops	*ops;
	unsigned long		nr;
};

static void hooked_fn(struct ftrace_ops *ops, void *data)
{
	struct hooked *hooked = data;

	hooked->nr += ops == hooked->ops;
}

unsigned long sites_hooked_by(struct ftrace_ops *ops)
{
	struct hooked hooked = { .ops = ops };
	struct ftrace_site_iter iter;
	struct dyn_ftrace *site;

	guard(ftrace_lock)();
	for_each_ftrace_site(site, &iter)
		ftrace_site_for_each_ops(site, hooked_fn, &hooked);
	return hooked.nr;
}
