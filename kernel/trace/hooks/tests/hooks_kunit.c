// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: ops on functions of the test: registration, sets, the list,
 * IPMODIFY, recursion, kernel.ftrace_enabled, trampolines, what is retired. Direct
 * calls are in direct_kunit.c, filters in filter_kunit.c, hashes in hash_kunit.c.
 */
#include <linux/completion.h>
#include <linux/context_tracking.h>
#include <linux/delay.h>
#include <linux/kallsyms.h>
#include <linux/kthread.h>
#include <linux/sched/clock.h>

#include "hooks/tests/support.h"
#include "sites/names.h"

static void test_register(struct kunit *test)
{
	static struct counter c;
	unsigned long site = ftrace_location((unsigned long)hooks_target_1);

	KUNIT_ASSERT_NE(test, 0, site);
	KUNIT_EXPECT_EQ(test, 0, target_dispatch(1));
	counter_init(test, &c, 0, 1, 1);
	KUNIT_EXPECT_EQ(test, -EBUSY, unregister_ftrace_function(&c.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	KUNIT_EXPECT_EQ(test, -EBUSY, register_ftrace_function(&c.ops));

	KUNIT_EXPECT_EQ(test, 42, hooks_targets[1](41));
	KUNIT_EXPECT_EQ(test, 1, c.hits);
	KUNIT_EXPECT_EQ(test, site, c.ip);
	KUNIT_EXPECT_EQ(test, ARG(41), c.arg);
	KUNIT_EXPECT_FALSE(test, c.regs);
	KUNIT_EXPECT_EQ(test, 41, hooks_targets[0](41));
	KUNIT_EXPECT_EQ(test, 1, c.hits);
	KUNIT_EXPECT_EQ(test, 1, target_info(1).count);
	KUNIT_EXPECT_PTR_EQ(test, &c.ops, target_info(1).ops);
	KUNIT_EXPECT_EQ(test, 1, sites_hooked_by(&c.ops));
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());

	counter_done(test, &c);
	KUNIT_EXPECT_EQ(test, 0, target_dispatch(1));
	KUNIT_EXPECT_EQ(test, 42, hooks_targets[1](41));
	KUNIT_EXPECT_EQ(test, 1, c.hits);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
}

/* The site of the weak function would be in the middle of the function that won at the link. */
static void test_replaced_weak(struct kunit *test)
{
	static struct counter c;

	counter_init(test, &c, 0, 0, 0);
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&c.ops, (unsigned long)hooks_replaced_weak,
						      0, 0));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	KUNIT_EXPECT_EQ(test, 5, hooks_replaced_weak(2, 3));
	KUNIT_EXPECT_EQ(test, 1, c.hits);
	KUNIT_EXPECT_EQ(test, 1, sites_hooked_by(&c.ops));
	counter_done(test, &c);
}

static void test_flags(struct kunit *test)
{
	static struct counter regs, rcu, stub, deleted, soft;

	counter_init(test, &regs, FL_REGS, 1, 1);
	counter_init(test, &rcu, FTRACE_OPS_FL_RCU, 1, 1);
	counter_init(test, &stub, FTRACE_OPS_FL_STUB, 1, 1);
	counter_init(test, &soft, FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED, 2, 1);
	counter_init(test, &deleted, FTRACE_OPS_FL_DELETED, 1, 1);

	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&regs.ops));
	KUNIT_EXPECT_EQ(test, HAVE_REGS, target_info(1).regs);
	hooks_targets[1](7);
	KUNIT_EXPECT_EQ(test, HAVE_REGS, regs.regs);
	KUNIT_EXPECT_EQ(test, ARG(7), regs.arg);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&rcu.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&stub.ops));
	KUNIT_EXPECT_EQ(test, 3, target_info(1).count);
	hooks_targets[1](8);
	KUNIT_EXPECT_EQ(test, ARG(8), regs.arg);
	KUNIT_EXPECT_EQ(test, ARG(8), rcu.arg);
	KUNIT_EXPECT_EQ(test, 0, stub.hits);
	KUNIT_EXPECT_EQ(test, -EINVAL, register_ftrace_function(&deleted.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&soft.ops));
	hooks_targets[2](9);
	KUNIT_EXPECT_EQ(test, HAVE_REGS, soft.regs);

	counter_done(test, &soft);
	counter_done(test, &stub);
	counter_done(test, &rcu);
	counter_done(test, &regs);
	ftrace_free_filter(&deleted.ops);
}

static unsigned long clobbered;

static noinline unsigned long clobber(unsigned long a, unsigned long b, unsigned long c,
				      unsigned long d, unsigned long e, unsigned long f,
				      unsigned long g, unsigned long h)
{
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

/* Overwrite all registers that pass arguments. */
static void clobber_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			 struct ftrace_regs *fregs)
{
	clobbered = clobber(ip, ip + 1, ip + 2, ip + 4, ip + 8, ip + 16, ip + 32, ip + 64) | 1;
}

static void ops_done(struct kunit *test, struct ftrace_ops *ops)
{
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(ops));
	ftrace_free_filter(ops);
}

/* A function has its arguments, whichever way its call goes. */
static void test_arguments(struct kunit *test)
{
	static const unsigned long flags[] = {
		FTRACE_OPS_FL_VIEW, FTRACE_OPS_FL_VIEW | FL_REGS, FTRACE_OPS_FL_NO_FREGS, 0,
		FL_REGS,
	};
	static struct ftrace_ops ops[ARRAY_SIZE(flags)];
	unsigned long ip = (unsigned long)hooks_arguments;
	int i, together;

	for (together = 0; together < 2; together++) {
		for (i = 0; i < ARRAY_SIZE(flags); i++) {
			ops[i] = (struct ftrace_ops) { .func = clobber_func, .flags = flags[i] };
			KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&ops[i], ip, 0, 0));
			KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&ops[i]));
			clobbered = 0;
			KUNIT_EXPECT_EQ_MSG(test, 123456789,
					    hooks_arguments(1, 2, 3, 4, 5, 6, 7, 8, 9),
					    "flags %#lx, together %d", flags[i], together);
			KUNIT_EXPECT_NE(test, 0, clobbered);
			if (!together)
				ops_done(test, &ops[i]);
		}
	}
	for (i = 0; i < ARRAY_SIZE(flags); i++)
		ops_done(test, &ops[i]);
}

/* The arguments of each callback of a pair. */
static struct {
	unsigned long		ip, parent_ip;
	long			arg;
	struct ftrace_ops	*ops;
	struct ftrace_regs	*fregs;
} pair[2];
static unsigned int pair_calls;
static unsigned long pair_return;

/* The first leaves another return address behind, as graph/ does. The second puts it back. */
static void pair_hook_return(unsigned int nr, struct ftrace_regs *fregs)
{
#ifdef CONFIG_FTRACE_GRAPH
	unsigned long *retp = fregs ? arch_ftrace_retp(fregs) : NULL;

	if (!retp)
		return;
	if (!nr)
		pair_return = *retp;
	*retp = nr ? pair_return : (unsigned long)pair_hook_return;
#endif
}

static void pair_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		      struct ftrace_regs *fregs)
{
	unsigned int nr = pair_calls++;
	char text[64];

	if (nr < ARRAY_SIZE(pair)) {
		pair[nr].ip = ip;
		pair[nr].parent_ip = parent_ip;
		pair[nr].ops = ops;
		pair[nr].fregs = fregs;
		pair[nr].arg = fregs ? ARG((long)ftrace_regs_get_argument(fregs, 0)) : 0;
		pair_hook_return(nr, fregs);
	}
	/* It has other values in all registers then. */
	snprintf(text, sizeof(text), "%lx %pS %pS", ip, (void *)parent_ip, ops);
	clobber_func(ip, parent_ip, ops, fregs);
}

/* Both of two callbacks are given the same, each with its own ops, whatever the first does. */
static void pair_with(struct kunit *test, unsigned long flags)
{
	static struct ftrace_ops ops[2];
	unsigned long ip = (unsigned long)hooks_arguments;
	int i;

	for (i = 0; i < 2; i++) {
		ops[i] = (struct ftrace_ops) { .func = pair_func, .flags = flags };
		KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&ops[i], ip, 0, 0));
		KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&ops[i]));
	}
	memset(pair, 0, sizeof(pair));
	pair_calls = 0;
	KUNIT_EXPECT_EQ(test, 123456789, hooks_arguments(1, 2, 3, 4, 5, 6, 7, 8, 9));
	KUNIT_EXPECT_EQ(test, 2, pair_calls);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_PTR_EQ(test, &ops[1 - i], pair[i].ops);
		KUNIT_EXPECT_EQ(test, ftrace_location(ip), pair[i].ip);
		KUNIT_EXPECT_EQ(test, pair[0].parent_ip, pair[i].parent_ip);
		KUNIT_EXPECT_PTR_EQ(test, pair[0].fregs, pair[i].fregs);
		KUNIT_EXPECT_EQ(test, pair[0].fregs ? ARG(1) : 0, pair[i].arg);
	}
	KUNIT_EXPECT_TRUE(test, __kernel_text_address(pair[0].parent_ip));
	if (!(flags & FTRACE_OPS_FL_NO_FREGS))
		KUNIT_EXPECT_EQ(test, HAVE_ARGS, !!pair[0].fregs);
	for (i = 0; i < 2; i++)
		ops_done(test, &ops[i]);
}

static void test_pair(struct kunit *test)
{
	pair_with(test, 0);
	pair_with(test, FL_REGS);
	pair_with(test, FTRACE_OPS_FL_VIEW);
	pair_with(test, FTRACE_OPS_FL_NO_FREGS);
}

#define SET_OPS	10

/* Ops on one function are called once each, the last one registered first. */
static void set_check(struct kunit *test, struct counter *c, unsigned int nr)
{
	unsigned int i, turn = 0, hits[SET_OPS];

	for (i = 0; i < nr; i++)
		hits[i] = c[i].hits;
	KUNIT_EXPECT_EQ(test, 10, hooks_targets[4](6));
	for (i = nr; i-- > 0;) {
		KUNIT_EXPECT_EQ(test, hits[i] + 1, c[i].hits);
		KUNIT_EXPECT_EQ(test, ARG(6), c[i].arg);
		KUNIT_EXPECT_GT(test, c[i].turn, turn);
		turn = c[i].turn;
	}
	KUNIT_EXPECT_EQ(test, nr, target_info(4).count);
	KUNIT_EXPECT_EQ(test, nr == 1 && IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS),
			target_info(4).literal);
}

static void sets_run(struct kunit *test)
{
	struct counter *c = kunit_kcalloc(test, SET_OPS, sizeof(*c), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	for (i = 0; i < SET_OPS; i++) {
		counter_init(test, &c[i], i % 3 ? 0 : FTRACE_OPS_FL_RECURSION, 4, i % 2 ? 2 : 1);
		KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c[i].ops));
		set_check(test, c, i + 1);
	}
	/* The even ones are not on target 5. */
	KUNIT_EXPECT_EQ(test, SET_OPS / 2, target_info(5).count);
	hooks_targets[5](0);
	KUNIT_EXPECT_EQ(test, SET_OPS, c[0].hits);
	KUNIT_EXPECT_EQ(test, SET_OPS, c[1].hits);
	/* One from the middle goes and comes back as the first to be called. */
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(&c[4].ops));
	KUNIT_EXPECT_EQ(test, SET_OPS - 1, target_info(4).count);
	KUNIT_EXPECT_EQ(test, 0, register_ftrace_function(&c[4].ops));
	hooks_targets[4](0);
	KUNIT_EXPECT_LT(test, c[4].turn, c[SET_OPS - 1].turn);
	/*
	 * An ops that joins by a change of its filter takes the place of its registration in
	 * the order.
	 */
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&c[2].ops, (unsigned long)hooks_targets[5],
						      0, 0));
	hooks_targets[5](0);
	KUNIT_EXPECT_LT(test, c[2].turn, c[1].turn);
	KUNIT_EXPECT_GT(test, c[2].turn, c[3].turn);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	for (i = 0; i < SET_OPS; i++)
		counter_done(test, &c[i]);
	KUNIT_EXPECT_EQ(test, 0, target_dispatch(4));
	KUNIT_EXPECT_EQ(test, 0, target_dispatch(5));
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
}

static void test_sets(struct kunit *test)
{
	sets_run(test);
}

/* Sites with the same ops share a set; one that no site calls goes. */
static void test_sets_shared(struct kunit *test)
{
	static struct counter a, b;
	unsigned long tramp;

	counter_init(test, &a, 0, 4, 4);
	counter_init(test, &b, FL_REGS, 4, 3);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&a.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&b.ops));
	KUNIT_EXPECT_EQ(test, target_dispatch(4), target_dispatch(5));
	KUNIT_EXPECT_EQ(test, target_dispatch(4), target_dispatch(6));
	KUNIT_EXPECT_NE(test, target_dispatch(4), target_dispatch(7));
	KUNIT_EXPECT_PTR_EQ(test, &a.ops, target_info(7).ops);
	/* Registers for one of them are there for all. */
	KUNIT_EXPECT_EQ(test, HAVE_REGS, target_info(4).regs);
	KUNIT_EXPECT_FALSE(test, target_info(7).regs);
	hooks_targets[4](0);
	KUNIT_EXPECT_EQ(test, HAVE_REGS, b.regs);
	tramp = target_info(4).target;
	KUNIT_EXPECT_EQ(test, targets_have_code(), is_ftrace_trampoline(tramp));
	counter_done(test, &b);
	KUNIT_EXPECT_EQ(test, target_dispatch(4), target_dispatch(7));
	hooks_targets[4](0);
	KUNIT_EXPECT_FALSE(test, a.regs);
	counter_done(test, &a);
	ftrace_hooks_drain();
	KUNIT_EXPECT_FALSE(test, is_ftrace_trampoline(tramp));
}

/* As sets_run(), when no set may have a trampoline of its own: all are guests of one entry. */
static void test_guests(struct kunit *test)
{
	unsigned int max = ftrace_sets_max;
	static struct counter a, b, c;
	unsigned long entry;
	u32 guest;

	if (!targets_have_code())
		kunit_skip(test, "there is no limit to sets without code");
	scoped_guard(ftrace_lock)
		ftrace_sets_max = 0;
	sets_run(test);

	counter_init(test, &a, 0, 4, 2);
	counter_init(test, &b, 0, 4, 3);
	counter_init(test, &c, 0, 5, 2);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&a.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&b.ops));
	guest = target_dispatch(4);
	KUNIT_EXPECT_EQ(test, guest, target_dispatch(5));
	KUNIT_EXPECT_PTR_EQ(test, &b.ops, target_info(6).ops);
	/* Of different sets each site finds its own by its address. */
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	entry = target_info(4).target;
	KUNIT_EXPECT_EQ(test, entry, target_info(5).target);
	KUNIT_EXPECT_EQ(test, entry, target_info(6).target);
	KUNIT_EXPECT_NE(test, guest, target_dispatch(5));
	KUNIT_EXPECT_NE(test, target_dispatch(5), target_dispatch(6));
	KUNIT_EXPECT_EQ(test, 2, counter_hit_all(&a));
	KUNIT_EXPECT_EQ(test, 3, counter_hit_all(&b));
	KUNIT_EXPECT_EQ(test, 2, counter_hit_all(&c));
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());

	/* All leave the shared entry with the next change after there is room. */
	scoped_guard(ftrace_lock)
		ftrace_sets_max = max;
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&a.ops, (unsigned long)hooks_targets[7],
						      0, 0));
	KUNIT_EXPECT_NE(test, entry, target_info(4).target);
	KUNIT_EXPECT_NE(test, entry, target_info(5).target);
	KUNIT_EXPECT_NE(test, entry, target_info(6).target);
	KUNIT_EXPECT_NE(test, target_info(4).target, target_info(5).target);
	KUNIT_EXPECT_EQ(test, 3, counter_hit_all(&a));
	KUNIT_EXPECT_EQ(test, 3, counter_hit_all(&b));
	KUNIT_EXPECT_EQ(test, 2, counter_hit_all(&c));
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	counter_done(test, &c);
	counter_done(test, &a);
	KUNIT_EXPECT_EQ(test, 3, counter_hit_all(&b));
	KUNIT_EXPECT_PTR_EQ(test, &b.ops, target_info(5).ops);
	counter_done(test, &b);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
}

static void replace_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			 struct ftrace_regs *fregs)
{
	counter_func(ip, parent_ip, ops, fregs);
	ftrace_regs_set_instruction_pointer(fregs, (unsigned long)hooks_target_replaced);
}

#define FL_MODIFY	(FTRACE_OPS_FL_IPMODIFY | FL_REGS)

static void test_ipmodify(struct kunit *test)
{
	static struct counter a, b, c, all;

	counter_init(test, &all, FL_MODIFY, 0, 0);
	KUNIT_EXPECT_EQ(test, -EINVAL, register_ftrace_function(&all.ops));

	counter_init(test, &a, FL_MODIFY, 3, 2);
	a.ops.func = replace_func;
	if (!HAVE_ARGS && !HAVE_REGS) {
		KUNIT_EXPECT_EQ(test, -EINVAL, register_ftrace_function(&a.ops));
		ftrace_free_filter(&a.ops);
		return;
	}
	counter_init(test, &b, FL_MODIFY, 4, 2);
	counter_init(test, &c, FTRACE_OPS_FL_VIEW, 3, 1);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&a.ops));
	KUNIT_EXPECT_TRUE(test, target_info(3).ipmodify);
	KUNIT_EXPECT_EQ(test, 9, hooks_targets[3](10));
	KUNIT_EXPECT_EQ(test, -EBUSY, register_ftrace_function(&b.ops));
	KUNIT_EXPECT_EQ(test, 0, target_dispatch(5));
	/* Together with ops of another kind. */
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	KUNIT_EXPECT_EQ(test, 9, hooks_targets[3](10));
	KUNIT_EXPECT_EQ(test, 1, c.hits);

	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&b.ops, (unsigned long)hooks_targets[4],
						      1, 0));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&b.ops));
	KUNIT_EXPECT_EQ(test, -EBUSY, ftrace_set_filter_ip(&b.ops,
							   (unsigned long)hooks_targets[3], 0, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, ftrace_set_filter(&b.ops, NULL, 0, 1));
	KUNIT_EXPECT_EQ(test, 1, sites_hooked_by(&b.ops));
	/* Not even while nothing is called. */
	KUNIT_ASSERT_EQ(test, 0, ftrace_hooks_set_enabled(false));
	KUNIT_EXPECT_EQ(test, -EBUSY, ftrace_set_filter_ip(&b.ops,
							   (unsigned long)hooks_targets[3], 0, 0));
	KUNIT_ASSERT_EQ(test, 0, ftrace_hooks_set_enabled(true));
	counter_done(test, &b);
	counter_done(test, &c);
	counter_done(test, &a);
	KUNIT_EXPECT_EQ(test, 13, hooks_targets[3](10));
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
}

static unsigned int recursion_depth;

static void recurse_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			 struct ftrace_regs *fregs)
{
	counter_func(ip, parent_ip, ops, fregs);
	if (recursion_depth++ < 2)
		hooks_target_1(0);
}

static void test_recursion(struct kunit *test)
{
	static struct counter safe, bare, other;

	counter_init(test, &safe, FTRACE_OPS_FL_RECURSION, 1, 2);
	safe.ops.func = recurse_func;
	counter_init(test, &bare, 0, 1, 2);
	bare.ops.func = recurse_func;
	counter_init(test, &other, FTRACE_OPS_FL_RECURSION, 2, 1);

	recursion_depth = 0;
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&bare.ops));
	hooks_target_2(0);
	KUNIT_EXPECT_EQ(test, 3, bare.hits);
	counter_done(test, &bare);

	recursion_depth = 0;
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&safe.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&other.ops));
	hooks_target_2(0);
	/* One more is let through: it could be an interrupt whose context is not told yet. */
	KUNIT_EXPECT_EQ(test, 2, safe.hits);
	KUNIT_EXPECT_EQ(test, 1, other.hits);
	counter_done(test, &other);
	counter_done(test, &safe);
}

/* As in the idle loop. */
static void hit_without_rcu(void)
{
	unsigned long flags;

	local_irq_save(flags);
	ct_idle_enter();
	hooks_target_1(0);
	hooks_target_2(0);
	ct_idle_exit();
	local_irq_restore(flags);
}

/* Alone on a function, and beside others. */
static void test_rcu(struct kunit *test)
{
	static struct counter alone, any, watching, both;

	counter_init(test, &alone, FTRACE_OPS_FL_RCU, 1, 1);
	counter_init(test, &any, 0, 2, 1);
	counter_init(test, &watching, FTRACE_OPS_FL_RCU, 2, 1);
	counter_init(test, &both, FTRACE_OPS_FL_RCU | FTRACE_OPS_FL_RECURSION, 2, 1);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&alone.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&any.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&watching.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&both.ops));
	hit_without_rcu();
	KUNIT_EXPECT_EQ(test, 0, alone.hits);
	KUNIT_EXPECT_EQ(test, 1, any.hits);
	KUNIT_EXPECT_EQ(test, 0, watching.hits);
	KUNIT_EXPECT_EQ(test, 0, both.hits);
	hooks_target_1(0);
	hooks_target_2(0);
	KUNIT_EXPECT_EQ(test, 1, alone.hits);
	KUNIT_EXPECT_EQ(test, 2, any.hits);
	KUNIT_EXPECT_EQ(test, 1, watching.hits);
	KUNIT_EXPECT_EQ(test, 1, both.hits);
	counter_done(test, &both);
	counter_done(test, &watching);
	counter_done(test, &any);
	counter_done(test, &alone);
}

static void test_enabled(struct kunit *test)
{
	static struct counter a, b, keep;

	counter_init(test, &a, 0, 1, 1);
	counter_init(test, &b, 0, 1, 2);
	counter_init(test, &keep, FTRACE_OPS_FL_PERMANENT, 3, 1);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&a.ops));
	KUNIT_ASSERT_EQ(test, 0, ftrace_hooks_set_enabled(false));
	KUNIT_EXPECT_FALSE(test, ftrace_hooks_enabled());
	KUNIT_EXPECT_EQ(test, 0, counter_hit_all(&a));
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	KUNIT_EXPECT_EQ(test, 0, register_ftrace_function(&b.ops));
	KUNIT_EXPECT_EQ(test, 0, counter_hit_all(&b));
	KUNIT_EXPECT_EQ(test, -EBUSY, register_ftrace_function(&keep.ops));
	KUNIT_ASSERT_EQ(test, 0, ftrace_hooks_set_enabled(true));
	KUNIT_EXPECT_EQ(test, 1, counter_hit_all(&a));
	KUNIT_EXPECT_EQ(test, 2, counter_hit_all(&b));
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());

	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&keep.ops));
	KUNIT_EXPECT_EQ(test, -EBUSY, ftrace_hooks_set_enabled(false));
	KUNIT_EXPECT_EQ(test, 1, counter_hit_all(&keep));
	counter_done(test, &keep);
	counter_done(test, &b);
	counter_done(test, &a);
}

static void test_trampoline(struct kunit *test)
{
	char name[KSYM_NAME_LEN], module[MODULE_NAME_LEN], type;
	unsigned long tramp, value;
	struct ftrace_ops *found;
	static struct counter c;
	bool listed = false;
	int exported;
	unsigned int i;

	if (!targets_have_code())
		kunit_skip(test, "all targets share an entry");
	counter_init(test, &c, FL_REGS, 1, 1);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	tramp = target_info(1).target;
	KUNIT_EXPECT_EQ(test, tramp, c.ops.dispatch->target.entry);
	KUNIT_EXPECT_TRUE(test, is_ftrace_trampoline(tramp));
	KUNIT_EXPECT_TRUE(test, is_ftrace_trampoline(tramp + c.ops.dispatch->target.size - 1));
	KUNIT_EXPECT_FALSE(test, is_ftrace_trampoline(tramp + c.ops.dispatch->target.size));
	KUNIT_EXPECT_FALSE(test, is_ftrace_trampoline(tramp - 1));
	KUNIT_EXPECT_FALSE(test, is_ftrace_trampoline((unsigned long)test));
	scoped_guard(preempt) {
		found = ftrace_ops_trampoline(tramp + 1);
		KUNIT_EXPECT_EQ(test, tramp, found ? found->trampoline : 0);
		KUNIT_EXPECT_EQ(test, FL_REGS, found ? found->flags & FTRACE_OPS_FL_SAVE_REGS : 0);
	}
	for (i = 0; !ftrace_tramp_kallsym(i, &value, &type, name, module, &exported); i++) {
		KUNIT_EXPECT_STREQ(test, "ftrace_trampoline", name);
		listed |= value == tramp;
	}
	KUNIT_EXPECT_TRUE(test, listed);

	/* A static ops may be called until the grace period ends; its trampoline stays. */
	KUNIT_EXPECT_EQ(test, 0, ftrace_ops_unregister_nowait(&c.ops));
	KUNIT_EXPECT_EQ(test, 0, register_ftrace_function(&c.ops));
	KUNIT_EXPECT_NE(test, tramp, c.ops.dispatch->target.entry);
	hooks_targets[1](0);
	KUNIT_EXPECT_EQ(test, 1, c.hits);
	ftrace_hooks_drain();
	/* Removed from the tables, and a grace period later freed. */
	KUNIT_EXPECT_FALSE(test, is_ftrace_trampoline(tramp));
	counter_done(test, &c);
}

/* A callback that stays inside for a while, and what is retired meanwhile. */
struct stayer {
	struct ftrace_ops	ops;
	struct ftrace_retired	retired;
	struct completion	inside;
	bool			go;
	bool			gave_up;	/* nobody said go */
	bool			left;		/* the callback is about to return */
	bool			freed;
	bool			freed_late;	/* when it had left */
};

static void stayer_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			struct ftrace_regs *fregs)
{
	struct stayer *stayer = container_of(ops, struct stayer, ops);
	u64 start = local_clock();

	preempt_disable();
	complete(&stayer->inside);
	/* If ftrace_retire() waits for this callback, it has to end by itself. */
	while (!READ_ONCE(stayer->go) && !stayer->gave_up) {
		stayer->gave_up = local_clock() - start > 10ULL * NSEC_PER_SEC;
		cpu_relax();
	}
	/* If ftrace_retire() did not wait for callbacks, stayer_free() would have run by now. */
	mdelay(50);
	WRITE_ONCE(stayer->left, true);
	preempt_enable();
}

static void stayer_free(struct ftrace_retired *retired)
{
	struct stayer *stayer = container_of(retired, struct stayer, retired);

	stayer->freed_late = READ_ONCE(stayer->left);
	stayer->freed = true;
}

static int stayer_main(void *arg)
{
	return hooks_targets[1](41);
}

/* Retire something while @stayer is inside on another CPU. Return: false: there is none. */
static bool stayer_run(struct kunit *test, struct stayer *stayer)
{
	unsigned int cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	struct task_struct *task;

	if (cpu >= nr_cpu_ids)
		return false;
	task = kthread_run_on_cpu(stayer_main, NULL, cpu, "hooks_stayer/%u");
	KUNIT_EXPECT_FALSE(test, IS_ERR(task));
	if (IS_ERR(task))
		return true;
	wait_for_completion(&stayer->inside);
	scoped_guard(ftrace_lock)
		ftrace_retire(&stayer->retired);
	WRITE_ONCE(stayer->go, true);
	ftrace_hooks_drain();
	KUNIT_EXPECT_FALSE(test, stayer->gave_up);
	KUNIT_EXPECT_TRUE(test, stayer->freed);
	KUNIT_EXPECT_TRUE(test, stayer->freed_late);
	return true;
}

/* Memory that a callback may be using is not freed before the callback has returned. */
static void test_retire(struct kunit *test)
{
	static struct stayer stayer;
	bool ran;

	memset(&stayer, 0, sizeof(stayer));
	stayer.ops.func = stayer_func;
	stayer.retired.free = stayer_free;
	init_completion(&stayer.inside);
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&stayer.ops,
						      (unsigned long)hooks_targets[1], 0, 0));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&stayer.ops));
	/* This task is not to wait for the CPU that the callback keeps. */
	migrate_disable();
	ran = stayer_run(test, &stayer);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(&stayer.ops));
	ftrace_free_filter(&stayer.ops);
	if (!ran)
		kunit_skip(test, "there is one CPU");
}

static void second_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			struct ftrace_regs *fregs)
{
	container_of(ops, struct counter, ops)->hits += 100;
}

static void test_set_func(struct kunit *test)
{
	static struct counter a, safe, b;

	counter_init(test, &a, 0, 1, 2);
	counter_init(test, &safe, FTRACE_OPS_FL_RECURSION, 1, 2);
	counter_init(test, &b, 0, 1, 1);
	ftrace_ops_set_func(&b.ops, second_func);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&a.ops));
	ftrace_ops_set_func(&a.ops, second_func);
	hooks_targets[1](0);
	KUNIT_EXPECT_EQ(test, 100, a.hits);
	ftrace_ops_set_func(&a.ops, counter_func);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&b.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&safe.ops));
	hooks_targets[1](0);
	KUNIT_EXPECT_EQ(test, 101, a.hits);
	KUNIT_EXPECT_EQ(test, 100, b.hits);
	KUNIT_EXPECT_EQ(test, 1, safe.hits);
	ftrace_ops_set_func(&a.ops, second_func);
	ftrace_ops_set_func(&safe.ops, second_func);
	hooks_targets[1](0);
	hooks_targets[2](0);
	KUNIT_EXPECT_EQ(test, 301, a.hits);
	KUNIT_EXPECT_EQ(test, 201, safe.hits);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	counter_done(test, &b);
	counter_done(test, &safe);
	counter_done(test, &a);
}

/* Every function of the kernel, alone and with another ops on some. */
static void test_all_sites(struct kunit *test)
{
	unsigned char pattern[] = "hooks_target_*";
	static struct ftrace_ops all = { .func = ftrace_stub };
	struct ftrace_site_totals totals;
	static struct counter c;

	scoped_guard(ftrace_lock)
		ftrace_sites_totals(&totals);
	counter_init(test, &c, 0, 0, HOOKS_TARGETS);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&all));
	KUNIT_EXPECT_EQ(test, totals.sites, sites_hooked_by(&all));
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	KUNIT_EXPECT_EQ(test, HOOKS_TARGETS, counter_hit_all(&c));
	KUNIT_EXPECT_EQ(test, 2, target_info(3).count);
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter(&all, pattern, strlen(pattern), 1));
	KUNIT_EXPECT_EQ(test, HOOKS_TARGETS + 1, sites_hooked_by(&all));
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter(&all, NULL, 0, 1));
	KUNIT_EXPECT_EQ(test, totals.sites, sites_hooked_by(&all));
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(&all));
	KUNIT_EXPECT_EQ(test, 0, sites_hooked_by(&all));
	KUNIT_EXPECT_EQ(test, HOOKS_TARGETS, counter_hit_all(&c));
	/* Sites that call something before stand between those that call nothing. */
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&all));
	KUNIT_EXPECT_EQ(test, totals.sites, sites_hooked_by(&all));
	KUNIT_EXPECT_EQ(test, 2, target_info(3).count);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(&all));
	counter_done(test, &c);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
}

/* A filter whose functions have gone names nothing, not everything. */
static void test_sites_gone(struct kunit *test)
{
	unsigned long site = ftrace_location((unsigned long)hooks_target_1);
	static struct counter c;

	counter_init(test, &c, 0, 1, 1);
	scoped_guard(ftrace_lock)
		ftrace_hashes_forget(ftrace_site_find(site), 1);
	KUNIT_EXPECT_FALSE(test, ftrace_ops_filter_empty(&c.ops, false));
	KUNIT_EXPECT_FALSE(test, ftrace_ops_traces(&c.ops, site));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	KUNIT_EXPECT_EQ(test, 0, sites_hooked_by(&c.ops));
	KUNIT_EXPECT_EQ(test, 0, counter_hit_all(&c));
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&c.ops, site, 0, 0));
	KUNIT_EXPECT_EQ(test, 1, counter_hit_all(&c));
	counter_done(test, &c);
}

/* A function of a module that goes may still be called: it calls nothing of ours then. */
static void test_text_gone(struct kunit *test)
{
	static struct counter c, other;

	counter_init(test, &c, 0, 1, 2);
	counter_init(test, &other, 0, 1, 1);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&other.ops));
	scoped_guard(ftrace_lock) {
		ftrace_update_gone(target_site(1), 1);
		KUNIT_EXPECT_EQ(test, 0, arch_ftrace_site_check(target_site(1), NULL));
	}
	KUNIT_EXPECT_EQ(test, 0, target_dispatch(1));
	KUNIT_EXPECT_EQ(test, 1, counter_hit_all(&c));
	KUNIT_EXPECT_EQ(test, 0, other.hits);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	counter_done(test, &other);
	counter_done(test, &c);
}

/* A site whose module is not ready can be found and named, and is patched when it is. */
static void test_site_coming(struct kunit *test)
{
	unsigned long site = ftrace_location((unsigned long)hooks_target_1);
	struct dyn_ftrace *record = target_site(1);
	static struct counter c;

	counter_init(test, &c, 0, 2, 1);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	scoped_guard(ftrace_lock)
		WRITE_ONCE(record->state, record->state | FTRACE_SITE_COMING);
	KUNIT_EXPECT_EQ(test, site, ftrace_location(site));
	KUNIT_EXPECT_EQ(test, 0, ftrace_set_filter_ip(&c.ops, site, 0, 0));
	KUNIT_EXPECT_EQ(test, 0, target_dispatch(1));
	KUNIT_EXPECT_TRUE(test, ftrace_ops_traces(&c.ops, site));
	scoped_guard(ftrace_lock)
		WRITE_ONCE(record->state, record->state & ~FTRACE_SITE_COMING);
	counter_done(test, &c);
}

static struct kunit_case hooks_cases[] = {
	KUNIT_CASE(test_register),
	KUNIT_CASE(test_replaced_weak),
	KUNIT_CASE(test_flags),
	KUNIT_CASE(test_arguments),
	KUNIT_CASE(test_pair),
	KUNIT_CASE_SLOW(test_sets),
	KUNIT_CASE(test_sets_shared),
	KUNIT_CASE_SLOW(test_guests),
	KUNIT_CASE(test_ipmodify),
	KUNIT_CASE(test_recursion),
	KUNIT_CASE(test_rcu),
	KUNIT_CASE(test_enabled),
	KUNIT_CASE(test_trampoline),
	KUNIT_CASE(test_retire),
	KUNIT_CASE(test_set_func),
	KUNIT_CASE_SLOW(test_all_sites),
	KUNIT_CASE(test_sites_gone),
	KUNIT_CASE(test_text_gone),
	KUNIT_CASE(test_site_coming),
	{}
};

static struct kunit_suite hooks_suite = {
	.name = "ftrace_hooks",
	.test_cases = hooks_cases,
};

kunit_test_suite(hooks_suite);
