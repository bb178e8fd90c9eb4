// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: a site whose bytes are not what its record says, met when an ops comes,
 * when one goes, when a direct call is modified, and when a module is loaded; and owners
 * of ops and of direct calls, which go after ftrace has stopped. It stops for good, so each
 * needs a boot of its own and is asked for on the command line: fault_kunit.at=attach,
 * detach, modify, literal, load, owners, sets, direct or kprobe, or later, for owners in user
 * space, by writing the parameter and running the suite again. harness/vm/fault looks for the
 * report in the log, has freed memory overwritten, and loads the module.
 */
#include <kunit/test.h>

#include <linux/fprobe.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "hooks/tests/support.h"
#if defined(CONFIG_KPROBES) && defined(CONFIG_MODULES)
#include "hooks/tests/coming.h"
#endif
#include "record/kind.h"

static char *fault_at;
module_param_named(at, fault_at, charp, 0644);
MODULE_PARM_DESC(at, "what meets the site with wrong bytes, or goes after that did");

static void fault_needs(struct kunit *test, const char *at)
{
	/* A case that was skipped once cannot be run again, so it ends here and has passed. */
	if (fault_at && !strcmp(fault_at, "later"))
		kunit_try_catch_throw(&test->try_catch);
	if (!fault_at || strcmp(fault_at, at))
		kunit_skip(test, "it leaves ftrace dead: fault_kunit.at=%s asks for it", at);
}

/* Nothing is patched any more, and everybody is told. */
static void ftrace_is_dead(struct kunit *test)
{
	static struct counter other;

	KUNIT_EXPECT_TRUE(test, ftrace_sites_dead());
	memset(&other, 0, sizeof(other));
	other.ops.func = counter_func;
	KUNIT_EXPECT_EQ(test, -ENODEV, register_ftrace_function(&other.ops));
	KUNIT_EXPECT_EQ(test, -ENODEV, ftrace_set_filter_ip(&other.ops,
							    (unsigned long)hooks_targets[3],
							    0, 0));
	KUNIT_EXPECT_EQ(test, -ENODEV, ftrace_hooks_set_enabled(false));
	KUNIT_EXPECT_FALSE(test, ftrace_hooks_enabled());
}

/* The functions do what they should. */
static void call_targets(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < HOOKS_TARGETS; i++)
		KUNIT_EXPECT_EQ(test, i + 1, hooks_targets[i](1));
}

static void expect_not_called(struct kunit *test, const struct counter *c)
{
	unsigned int before = c->hits;

	call_targets(test);
	KUNIT_EXPECT_EQ(test, before, c->hits);
}

/* Let ftrace meet wrong bytes at target 8, and stop. */
static void kill_ftrace(struct kunit *test)
{
	static struct counter killer;
	const struct ftrace_target *target;
	u8 insn[MCOUNT_INSN_SIZE];

	counter_init(test, &killer, 0, 8, 1);
	scoped_guard(ftrace_lock)
		target = ftrace_site_target(target_site(8));
	KUNIT_ASSERT_EQ(test, 0, arch_ftrace_site_insn(target_site(8), target, insn));
	site_write(target_site(8), site_wrong_insn);
	KUNIT_EXPECT_EQ(test, -ENODEV, register_ftrace_function(&killer.ops));
	site_write(target_site(8), insn);
	KUNIT_EXPECT_TRUE(test, ftrace_sites_dead());
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	ftrace_free_filter(&killer.ops);
}

/* Wait until RCU and ftrace have freed what they were given. */
static void wait_for_frees(void)
{
	rcu_barrier();
	ftrace_hooks_drain();
}

/* The sites before the bad one have been patched already; they are taken back. */
static void attach_meets_wrong_bytes(struct kunit *test)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	u8 insn[MCOUNT_INSN_SIZE];
	unsigned int i;

	fault_needs(test, "attach");
	KUNIT_ASSERT_NOT_NULL(test, c);
	KUNIT_ASSERT_EQ(test, 0, arch_ftrace_site_insn(target_site(8), NULL, insn));
	counter_init(test, c, FTRACE_OPS_FL_RECURSION, 0, HOOKS_TARGETS);
	site_write(target_site(8), site_wrong_insn);
	KUNIT_EXPECT_EQ(test, -ENODEV, register_ftrace_function(&c->ops));
	for (i = 0; i < HOOKS_TARGETS; i++) {
		KUNIT_EXPECT_EQ(test, i + 1, hooks_targets[i](1));
		KUNIT_EXPECT_EQ(test, 0, target_dispatch(i));
	}
	KUNIT_EXPECT_EQ(test, 0, c->hits);
	KUNIT_EXPECT_FALSE(test, c->ops.flags & FTRACE_OPS_FL_ENABLED);
	site_write(target_site(8), insn);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	ftrace_free_filter(&c->ops);
	ftrace_is_dead(test);
}

/* Not the instruction is wrong, but the literal in front of the function. */
static void literal_meets_wrong_bytes(struct kunit *test)
{
	static struct counter c, other;
	unsigned long literal;

	fault_needs(test, "literal");
	counter_init(test, &c, 0, 0, HOOKS_TARGETS);
	counter_init(test, &other, 0, 8, 1);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	if (!site_write_literal(target_site(8), (unsigned long)&literal, &literal))
		kunit_skip(test, "there are no literals");
	KUNIT_EXPECT_EQ(test, -ENODEV, register_ftrace_function(&other.ops));
	KUNIT_EXPECT_TRUE(test, site_write_literal(target_site(8), literal, &literal));
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	KUNIT_EXPECT_EQ(test, HOOKS_TARGETS, counter_hit_all(&c));
	KUNIT_EXPECT_EQ(test, 0, other.hits);
	ftrace_is_dead(test);
}

/* Sites may have entries of the ops for good, but these call nothing. */
static void detach_meets_wrong_bytes(struct kunit *test)
{
	static struct counter c;
	u8 insn[MCOUNT_INSN_SIZE];

	fault_needs(test, "detach");
	counter_init(test, &c, 0, 0, HOOKS_TARGETS);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	KUNIT_ASSERT_EQ(test, 0, arch_ftrace_site_insn(target_site(8),
						       &c.ops.dispatch->target, insn));
	site_write(target_site(8), site_wrong_insn);
	KUNIT_EXPECT_NE(test, 0, unregister_ftrace_function(&c.ops));
	site_write(target_site(8), insn);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	expect_not_called(test, &c);
	KUNIT_EXPECT_FALSE(test, c.ops.flags & FTRACE_OPS_FL_ENABLED);
	KUNIT_EXPECT_NE(test, 0, target_dispatch(11));
	KUNIT_EXPECT_EQ(test, 0, target_info(11).count);
	KUNIT_EXPECT_EQ(test, -ENODEV, unregister_ftrace_function(&c.ops));
	ftrace_free_filter(&c.ops);
	memset(&c, 0x6b, sizeof(c));
	call_targets(test);
	ftrace_is_dead(test);
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
#define A	((unsigned long)hooks_direct_a)
#define B	((unsigned long)hooks_direct_b)

/*
 * The sites before the bad one call the new address already, and are taken back: the owner is
 * told that nothing has changed. The set of target 0 goes on to call the old address, too.
 */
static void modify_meets_wrong_bytes(struct kunit *test)
{
	static struct ftrace_ops ops;
	static struct counter c;
	u8 insn[MCOUNT_INSN_SIZE];
	unsigned int i;

	fault_needs(test, "modify");
	counter_init(test, &c, 0, 0, 1);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	for (i = 0; i < HOOKS_TARGETS; i++)
		KUNIT_ASSERT_EQ(test, 0,
				ftrace_set_filter_ip(&ops, (unsigned long)hooks_targets[i], 0, 0));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_direct(&ops, A));
	KUNIT_ASSERT_EQ(test, 0, arch_ftrace_site_insn(target_site(8), &ops.dispatch->target,
						       insn));
	site_write(target_site(8), site_wrong_insn);
	KUNIT_EXPECT_EQ(test, -ENODEV, modify_ftrace_direct(&ops, B));
	site_write(target_site(8), insn);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	hooks_direct_a_hits = 0;
	hooks_direct_b_hits = 0;
	for (i = 0; i < HOOKS_TARGETS; i++)
		KUNIT_EXPECT_EQ(test, i + 1, hooks_targets[i](1));
	KUNIT_EXPECT_EQ(test, HOOKS_TARGETS, hooks_direct_a_hits);
	KUNIT_EXPECT_EQ(test, 0, hooks_direct_b_hits);
	KUNIT_EXPECT_EQ(test, 1, c.hits);
	KUNIT_EXPECT_EQ(test, A, target_info(0).direct_addr);
	KUNIT_EXPECT_EQ(test, A, target_info(1).direct_addr);
	ftrace_is_dead(test);
}
#endif

static unsigned int owner_calls;

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
static int owner_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	owner_calls++;
	return 1;
}

static void owner_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	owner_calls++;
}

static struct fgraph_ops *owner_graph(struct kunit *test)
{
	struct fgraph_ops *gops = kzalloc(sizeof(*gops), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, gops);
	gops->entryfunc = owner_entry;
	gops->retfunc = owner_return;
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&gops->ops,
						      (unsigned long)hooks_targets[1], 0, 0));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_graph(gops));
	return gops;
}

static void owner_graph_goes(struct fgraph_ops *gops)
{
	unregister_ftrace_graph(gops);
	ftrace_free_filter(&gops->ops);
	kfree(gops);
}
#else
struct fgraph_ops;

static struct fgraph_ops *owner_graph(struct kunit *test)
{
	return NULL;
}

static void owner_graph_goes(struct fgraph_ops *gops)
{
}
#endif

#ifdef CONFIG_FPROBE
static int owner_fprobe_entry(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			      struct pt_regs *regs, void *data)
{
	owner_calls++;
	return 0;
}

static void owner_fprobe_exit(struct fprobe *fp, unsigned long ip, unsigned long ret_ip,
			      struct pt_regs *regs, void *data)
{
	owner_calls++;
}

/* @returns: of the returns, as kprobe.multi and events of probes may be; else of the entries */
static struct fprobe *owner_fprobe(struct kunit *test, bool returns)
{
	struct fprobe *fp = kzalloc(sizeof(*fp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fp);
	if (returns)
		fp->exit_handler = owner_fprobe_exit;
	else
		fp->entry_handler = owner_fprobe_entry;
	KUNIT_ASSERT_EQ(test, 0, register_fprobe(fp, "hooks_target_[12]", NULL));
	return fp;
}

static void owner_fprobe_goes(struct kunit *test, struct fprobe *fp)
{
	KUNIT_EXPECT_EQ(test, -ENODEV, unregister_fprobe(fp));
	kfree(fp);
}
#else
struct fprobe;

static struct fprobe *owner_fprobe(struct kunit *test, bool returns)
{
	return NULL;
}

static void owner_fprobe_goes(struct kunit *test, struct fprobe *fp)
{
}
#endif

#ifdef CONFIG_PERF_EVENTS
/* ftrace:function, which calls of all functions count in. */
static struct perf_event *owner_perf(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = TRACE_FN,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	return event;
}

static void owner_perf_goes(struct perf_event *event)
{
	perf_event_release_kernel(event);
}
#else
struct perf_event;

static struct perf_event *owner_perf(struct kunit *test)
{
	return NULL;
}

static void owner_perf_goes(struct perf_event *event)
{
}
#endif

/* After ftrace has stopped, the owners of ops go, with their memory: no site calls it. */
static void owners_go_after_wrong_bytes(struct kunit *test)
{
	struct fprobe *fp, *returns;
	struct perf_event *perf;
	struct fgraph_ops *gops;
	struct counter *c;

	fault_needs(test, "owners");
	c = kzalloc(sizeof(*c), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, c);
	counter_init(test, c, FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU, 0, 4);
	gops = owner_graph(test);
	fp = owner_fprobe(test, false);
	returns = owner_fprobe(test, true);
	perf = owner_perf(test);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c->ops));
	kill_ftrace(test);

	/* They go on until they are unregistered. */
	owner_calls = 0;
	call_targets(test);
	KUNIT_EXPECT_GT(test, c->hits, 0);
	if (gops || fp)
		KUNIT_EXPECT_GT(test, owner_calls, 0);

	KUNIT_EXPECT_EQ(test, -ENODEV, unregister_ftrace_function(&c->ops));
	expect_not_called(test, c);
	ftrace_free_filter(&c->ops);
	kfree(c);
	if (perf)
		owner_perf_goes(perf);
	if (fp)
		owner_fprobe_goes(test, fp);
	if (returns)
		owner_fprobe_goes(test, returns);
	if (gops)
		owner_graph_goes(gops);
	wait_for_frees();
	owner_calls = 0;
	call_targets(test);
	KUNIT_EXPECT_EQ(test, 0, owner_calls);
	ftrace_is_dead(test);
}

/* Of the ops of a set, and of a guest, which wants all registers, one goes. The others stay. */
static void sets_lose_after_wrong_bytes(struct kunit *test)
{
	unsigned int max = ftrace_sets_max;
	static struct counter stay[2];
	struct counter *gone[2];
	int i;

	fault_needs(test, "sets");
	for (i = 0; i < 2; i++) {
		scoped_guard(ftrace_lock)
			ftrace_sets_max = i ? 0 : max;
		gone[i] = kzalloc(sizeof(*gone[i]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, gone[i]);
		counter_init(test, gone[i], i ? FL_REGS : 0, 4 + i, 1);
		counter_init(test, &stay[i], 0, 4 + i, 1);
		KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&gone[i]->ops));
		KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&stay[i].ops));
	}
	kill_ftrace(test);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, 2, target_info(4 + i).count);
		KUNIT_EXPECT_EQ(test, -ENODEV, unregister_ftrace_function(&gone[i]->ops));
		ftrace_free_filter(&gone[i]->ops);
		kfree(gone[i]);
		KUNIT_EXPECT_EQ(test, 1, counter_hit_all(&stay[i]));
		KUNIT_EXPECT_PTR_EQ(test, &stay[i].ops, target_info(4 + i).ops);
		KUNIT_EXPECT_EQ(test, -ENODEV, unregister_ftrace_function(&stay[i].ops));
		expect_not_called(test, &stay[i]);
		ftrace_free_filter(&stay[i].ops);
	}
	ftrace_is_dead(test);
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
static void direct_init(struct kunit *test, struct ftrace_ops *ops, unsigned int first,
			unsigned int nr)
{
	unsigned int i;

	memset(ops, 0, sizeof(*ops));
	for (i = first; i < first + nr; i++)
		KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(ops,
							      (unsigned long)hooks_targets[i],
							      0, 0));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_direct(ops, A));
}

/* Of the sites of a direct call that goes, one has wrong bytes. The others are patched. */
static void direct_meets_more_wrong_bytes(struct kunit *test, struct ftrace_ops *ops,
					  unsigned int bad)
{
	u8 insn[MCOUNT_INSN_SIZE];

	KUNIT_ASSERT_EQ(test, 0, arch_ftrace_site_insn(target_site(bad), &ops->dispatch->target,
						       insn));
	site_write(target_site(bad), site_wrong_insn);
	KUNIT_EXPECT_EQ(test, -ENODEV, unregister_ftrace_direct(ops, A, true));
	site_write(target_site(bad), insn);
	KUNIT_EXPECT_NE(test, 0, target_dispatch(bad));
	KUNIT_EXPECT_EQ(test, 0, target_dispatch(bad + 1));
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
}

/*
 * After ftrace has stopped, a direct call can lead elsewhere, and it can go: nothing else keeps
 * its functions from code that its owner frees. Target 2 calls a set.
 */
static void direct_goes_after_wrong_bytes(struct kunit *test)
{
	static struct ftrace_ops ops[2], other;
	static struct counter c;
	int i;

	fault_needs(test, "direct");
	counter_init(test, &c, 0, 2, 1);
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&c.ops));
	for (i = 0; i < 2; i++)
		direct_init(test, &ops[i], 1 + i, 1);
	direct_init(test, &other, 4, 2);
	kill_ftrace(test);
	direct_meets_more_wrong_bytes(test, &other, 4);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, 0, modify_ftrace_direct(&ops[i], B));
	hooks_direct_a_hits = 0;
	hooks_direct_b_hits = 0;
	call_targets(test);
	KUNIT_EXPECT_EQ(test, 1, hooks_direct_a_hits);
	KUNIT_EXPECT_EQ(test, 2, hooks_direct_b_hits);

	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_direct(&ops[i], B, true));
		KUNIT_EXPECT_EQ(test, -EINVAL, unregister_ftrace_direct(&ops[i], B, true));
	}
	memset(ops, 0x6b, sizeof(ops));
	call_targets(test);
	KUNIT_EXPECT_EQ(test, 2, hooks_direct_b_hits);
	KUNIT_EXPECT_EQ(test, 0, target_dispatch(1));
	KUNIT_EXPECT_PTR_EQ(test, &c.ops, target_info(2).ops);
	KUNIT_EXPECT_GE(test, c.hits, 2);
	KUNIT_EXPECT_EQ(test, 0, sites_wrong());
	ftrace_is_dead(test);
}
#endif

#ifdef CONFIG_KPROBES_ON_FTRACE
static int fault_kprobe_hit(struct kprobe *kp, struct pt_regs *regs)
{
	owner_calls++;
	return 0;
}

/*
 * The last kprobe at a site meets wrong bytes there when it goes. It goes all the same: the table
 * of kprobes does not have it any more, as the owner frees its memory.
 */
static void kprobe_meets_wrong_bytes(struct kunit *test)
{
	struct kprobe *kp[2], *found;
	kprobe_opcode_t *addr[2];
	u8 insn[MCOUNT_INSN_SIZE];
	int i;

	fault_needs(test, "kprobe");
	for (i = 0; i < 2; i++) {
		kp[i] = kzalloc(sizeof(*kp[i]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, kp[i]);
		kp[i]->addr = (kprobe_opcode_t *)hooks_targets[7 + i];
		kp[i]->pre_handler = fault_kprobe_hit;
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(kp[i]));
		KUNIT_ASSERT_TRUE(test, kprobe_ftrace(kp[i]));
		addr[i] = kp[i]->addr;
	}
	unregister_kprobe(kp[0]);
	call_targets(test);
	KUNIT_EXPECT_EQ(test, 1, owner_calls);
	scoped_guard(ftrace_lock)
		memcpy(insn, (void *)ftrace_site_ip(target_site(8)), sizeof(insn));
	site_write(target_site(8), site_wrong_insn);
	unregister_kprobe(kp[1]);
	site_write(target_site(8), insn);
	KUNIT_EXPECT_TRUE(test, ftrace_sites_dead());
	for (i = 0; i < 2; i++) {
		scoped_guard(preempt)
			found = get_kprobe(addr[i]);
		KUNIT_EXPECT_NULL(test, found);
		kfree(kp[i]);
	}
	wait_for_frees();
	owner_calls = 0;
	call_targets(test);
	KUNIT_EXPECT_EQ(test, 0, owner_calls);
	ftrace_is_dead(test);
}
#endif

#if defined(CONFIG_KPROBES) && defined(CONFIG_MODULES)
/* The module's site has become a NOP, and is about to become a call. */
static void enable_wrong_bytes(struct module *mod)
{
	unsigned long ip = ftrace_location(kallsyms_lookup_name("hooks_module_target"));

	site_write(ftrace_site_find(ip), site_wrong_insn);
	coming_enable(mod);
}

/* The module that is loaded from user space later will meet them. */
static void load_meets_wrong_bytes(struct kunit *test)
{
	fault_needs(test, "load");
	KUNIT_ASSERT_EQ(test, 0, coming_watch(enable_wrong_bytes));
}
#endif

static struct kunit_case fault_cases[] = {
	KUNIT_CASE(attach_meets_wrong_bytes),
	KUNIT_CASE(literal_meets_wrong_bytes),
	KUNIT_CASE(detach_meets_wrong_bytes),
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	KUNIT_CASE(modify_meets_wrong_bytes),
	KUNIT_CASE(direct_goes_after_wrong_bytes),
#endif
	KUNIT_CASE(owners_go_after_wrong_bytes),
#ifdef CONFIG_KPROBES_ON_FTRACE
	KUNIT_CASE(kprobe_meets_wrong_bytes),
#endif
	KUNIT_CASE(sets_lose_after_wrong_bytes),
#if defined(CONFIG_KPROBES) && defined(CONFIG_MODULES)
	KUNIT_CASE(load_meets_wrong_bytes),
#endif
	{}
};

static struct kunit_suite fault_suite = {
	.name = "ftrace_fault",
	.test_cases = fault_cases,
};

kunit_test_suite(fault_suite);
