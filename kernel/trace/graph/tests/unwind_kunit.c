// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit: a stack is the same whether the returns of its functions are hooked or not, by
 * whom of graph/'s users, fprobes and kretprobes, and in which order.
 */
#include <kunit/test.h>

#include <linux/completion.h>
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/rethook.h>
#include <linux/sched/task.h>
#include <linux/stacktrace.h>

#include "graph/internal.h"
#include "graph/tests/targets.h"
#include "graph/tests/watch.h"
#include "hooks/hooks.h"

#define WALK_ENTRIES	64

struct walk {
	unsigned long	entries[WALK_ENTRIES];
	int		nr;
};

/*
 * Each order names the users that hook the returns, in the order of registration: g is a user
 * of graph/, f is an fprobe, k is two kretprobes, since a kretprobe has one function. In the
 * first order there is no user.
 */
static const char * const orders[] = {
	"", "g", "f", "k", "gf", "fg", "gk", "kg", "fk", "kf",
	"gfk", "gkf", "fgk", "fkg", "kgf", "kfg",
};

/* The users that are registered now, and the results of their handlers. */
struct unwind_hooks {
	struct graph_watch	*watch;
	struct fprobe		fp;
	struct fprobe		entry_fp;	/* of entries alone */
	struct told {
		unsigned long	to[4][8];	/* where calls return to, as handlers are told */
		unsigned int	nr[4];
	}			told;
	struct kretprobe	call;
	struct kretprobe	jump;
	struct kretprobe	then;
	struct walk		inside;		/* of the last handler of a return */
	unsigned int		returns;	/* that handlers were told of */
	unsigned int		bad;		/* walks with a handler's address */
};

/* A kretprobe's handler does not get to know more than the probe. */
static struct unwind_hooks *unwind;

static noinline void walk_here(struct walk *walk)
{
	walk->nr = stack_trace_save(walk->entries, WALK_ENTRIES, 0);
}

static bool walk_has_handler(const struct walk *walk)
{
	int i;

	for (i = 0; i < walk->nr; i++) {
		if (walk->entries[i] == (unsigned long)return_to_handler)
			return true;
		if (IS_ENABLED(CONFIG_RETHOOK) && is_rethook_trampoline(walk->entries[i]))
			return true;
	}
	return false;
}

/* From a handler at a return. */
static void look_around(void)
{
	unwind->returns++;
	walk_here(&unwind->inside);
	unwind->bad += walk_has_handler(&unwind->inside);
}

static void watch_return(struct graph_watch *watch, struct ftrace_graph_ret *trace)
{
	look_around();
}

#ifdef CONFIG_KRETPROBES
static int kretprobe_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	look_around();
	return 0;
}

static void begin_kretprobe(struct kunit *test, struct kretprobe *probe, const char *symbol)
{
	memset(probe, 0, sizeof(*probe));
	probe->kp.symbol_name = symbol;
	probe->handler = kretprobe_return;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(probe));
}

static void begin_kretprobes(struct kunit *test)
{
	begin_kretprobe(test, &unwind->call, "graph_target_call");
	begin_kretprobe(test, &unwind->jump, "graph_target_call_jump");
	begin_kretprobe(test, &unwind->then, "graph_target_call_then_jump");
}

static void end_kretprobes(void)
{
	unregister_kretprobe(&unwind->call);
	unregister_kretprobe(&unwind->jump);
	unregister_kretprobe(&unwind->then);
}
#else
static void begin_kretprobes(struct kunit *test) { }
static void end_kretprobes(void) { }
#endif

#ifdef CONFIG_FPROBE
/* A handler of the kind @by is told that a call returns to @to. */
static void told_of(unsigned int by, unsigned long to)
{
	struct told *told = &unwind->told;

	if (told->nr[by] < ARRAY_SIZE(told->to[by]))
		told->to[by][told->nr[by]++] = to;
}

static void fprobe_return(struct fprobe *fp, unsigned long ip, unsigned long ret,
			  struct pt_regs *regs, void *data)
{
	told_of(0, ret);
	told_of(1, instruction_pointer(regs));
	look_around();
}

static int fprobe_entry(struct fprobe *fp, unsigned long ip, unsigned long ret,
			struct pt_regs *regs, void *data)
{
	told_of(fp == &unwind->fp ? 2 : 3, ret);
	return 0;
}

static void begin_fprobe(struct kunit *test)
{
	memset(&unwind->fp, 0, sizeof(unwind->fp));
	unwind->fp.exit_handler = fprobe_return;
	unwind->fp.entry_handler = fprobe_entry;
	KUNIT_ASSERT_EQ(test, 0, register_fprobe(&unwind->fp, "graph_target_call*", NULL));
	memset(&unwind->entry_fp, 0, sizeof(unwind->entry_fp));
	unwind->entry_fp.entry_handler = fprobe_entry;
	KUNIT_ASSERT_EQ(test, 0, register_fprobe(&unwind->entry_fp, "graph_target_call*", NULL));
}

static void end_fprobe(void)
{
	unregister_fprobe(&unwind->fp);
	unregister_fprobe(&unwind->entry_fp);
}
#else
static void begin_fprobe(struct kunit *test) { }
static void end_fprobe(void) { }
#endif

static bool order_is_possible(const char *order)
{
	return (IS_ENABLED(CONFIG_KRETPROBES) || !strchr(order, 'k')) &&
	       (IS_ENABLED(CONFIG_FPROBE) || !strchr(order, 'f'));
}

static void begin_in_order(struct kunit *test, const char *order)
{
	for (; *order; order++) {
		if (*order == 'g')
			graph_watch_begin(test, unwind->watch);
		else if (*order == 'f')
			begin_fprobe(test);
		else
			begin_kretprobes(test);
	}
}

static void end_in_order(const char *order)
{
	for (; *order; order++) {
		if (*order == 'g')
			graph_watch_end(unwind->watch);
		else if (*order == 'f')
			end_fprobe();
		else
			end_kretprobes();
	}
}

static long walk_inside(void *walk)
{
	walk_here(walk);
	return 0;
}

static long walk_deeper(void *walk)
{
	return graph_target_call(walk_inside, walk);
}

/* Each walk begins at the same instruction, so the addresses are the same. */
static void test_own(struct kunit *test)
{
	struct walk *walks = kunit_kcalloc(test, 4, sizeof(*walks), GFP_KERNEL), *walk;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, walks);
	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		if (!order_is_possible(orders[i]))
			continue;
		walk = i ? &walks[2] : walks;
		unwind->returns = 0;
		unwind->bad = 0;
		begin_in_order(test, orders[i]);
		graph_target_call(walk_deeper, &walk[0]);
		graph_target_call_jump(walk_deeper, &walk[1]);
		end_in_order(orders[i]);
		/* Five calls, by who is told of them. */
		KUNIT_EXPECT_EQ_MSG(test, 5 * strlen(orders[i]), unwind->returns, "%s", orders[i]);
		KUNIT_EXPECT_EQ_MSG(test, 0, unwind->bad, "%s", orders[i]);
		KUNIT_EXPECT_EQ_MSG(test, walks[0].nr, walk[0].nr, "%s", orders[i]);
		KUNIT_EXPECT_EQ_MSG(test, walks[1].nr, walk[1].nr, "%s", orders[i]);
		KUNIT_EXPECT_MEMEQ_MSG(test, walks[0].entries, walk[0].entries,
				       sizeof(walk->entries), "%s", orders[i]);
		KUNIT_EXPECT_MEMEQ_MSG(test, walks[1].entries, walk[1].entries,
				       sizeof(walk->entries), "%s", orders[i]);
	}
	KUNIT_EXPECT_GE(test, walks[0].nr, 5);
}

static void expect_told(struct kunit *test, const struct told *alone, const char *order)
{
	const struct told *told = &unwind->told;
	unsigned int by, i;

	for (by = 0; by < ARRAY_SIZE(told->nr); by++) {
		KUNIT_ASSERT_EQ_MSG(test, alone->nr[by], told->nr[by], "%s: %u", order, by);
		for (i = 0; i < min(told->nr[by], ARRAY_SIZE(told->to[by])); i++)
			KUNIT_EXPECT_EQ_MSG(test, alone->to[by][i], told->to[by][i],
					    "%s: %u: %u: %pS", order, by, i,
					    (void *)told->to[by][i]);
	}
}

/*
 * The handlers of fprobes are told where functions return to, which is the same address whoever
 * has hooked the return besides, and never that of a handler.
 */
static void test_told(struct kunit *test)
{
	struct told *alone = NULL;
	struct walk walk;
	int i;

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		if (!order_is_possible(orders[i]) || !strchr(orders[i], 'f'))
			continue;
		memset(&unwind->told, 0, sizeof(unwind->told));
		begin_in_order(test, orders[i]);
		graph_target_call(walk_deeper, &walk);
		graph_target_call_jump(walk_deeper, &walk);
		end_in_order(orders[i]);
		/* The first order with a probe is that of the probe alone. */
		if (!alone) {
			KUNIT_EXPECT_EQ(test, 5, unwind->told.nr[0]);
			alone = kunit_kzalloc(test, sizeof(*alone), GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, alone);
			*alone = unwind->told;
		}
		expect_told(test, alone, orders[i]);
	}
}

/*
 * Ops that are told the parents of calls. Their entries save registers for the callback, or none,
 * and protect it, or do not.
 */
#define PARENT_CALLS	4

struct parent_watch {
	struct ftrace_ops	ops;
	struct task_struct	*caller;
	unsigned long		parents[PARENT_CALLS];
	unsigned int		nr;
};

static struct parent_watch parent_watches[2];

static void parent_called(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			  struct ftrace_regs *fregs)
{
	struct parent_watch *watch = container_of(ops, struct parent_watch, ops);

	if (current == READ_ONCE(watch->caller) && watch->nr < PARENT_CALLS)
		watch->parents[watch->nr++] = parent_ip;
}

static void parents_begin(struct kunit *test, struct task_struct *caller)
{
	static const unsigned long flags[] = {
		FTRACE_OPS_FL_NO_FREGS, FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU,
	};
	unsigned long sites[] = {
		graph_watch_site(graph_target_call), graph_watch_site(graph_target_add),
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(parent_watches); i++) {
		struct ftrace_ops *ops = &parent_watches[i].ops;

		memset(&parent_watches[i], 0, sizeof(parent_watches[i]));
		parent_watches[i].caller = caller;
		ops->func = parent_called;
		ops->flags = flags[i] | FTRACE_OPS_FL_PARENT;
		KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ips(ops, sites, 2, 0, 0));
		KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(ops));
	}
}

static void parents_end(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(parent_watches); i++) {
		unregister_ftrace_function(&parent_watches[i].ops);
		ftrace_free_filter(&parent_watches[i].ops);
	}
}

/* The ops were told of @nr calls, by @parents; if @first, @parents becomes what they were told. */
static void parents_expect(struct kunit *test, unsigned long *parents, unsigned int nr, bool first,
			   const char *order)
{
	unsigned int i, call;

	for (i = 0; i < ARRAY_SIZE(parent_watches); i++) {
		KUNIT_ASSERT_EQ_MSG(test, nr, parent_watches[i].nr, "%s: %u", order, i);
		for (call = 0; call < nr; call++) {
			if (first && !i)
				parents[call] = parent_watches[i].parents[call];
			KUNIT_EXPECT_EQ_MSG(test, parents[call], parent_watches[i].parents[call],
					    "%s: %u: %u: %pS", order, i, call,
					    (void *)parent_watches[i].parents[call]);
		}
	}
}

static long do_nothing(void *arg)
{
	return 0;
}

/* Calls from the same places, however the compiler copies the calls of this. */
static noinline void make_jumps(void)
{
	graph_target_call_jump(do_nothing, NULL);
	graph_target_call_then_jump(do_nothing, NULL);
	barrier();
}

/* A function that others jump to has the same parent whoever has hooked the returns of those. */
static void test_parents(struct kunit *test)
{
	unsigned long parents[PARENT_CALLS];
	int i, turn;

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		if (!order_is_possible(orders[i]))
			continue;
		for (turn = 0; turn < 2; turn++) {
			if (turn)
				begin_in_order(test, orders[i]);
			parents_begin(test, current);
			if (!turn)
				begin_in_order(test, orders[i]);
			make_jumps();
			end_in_order(orders[i]);
			parents_expect(test, parents, 2, !i && !turn, orders[i]);
			parents_end();
		}
	}
}

/* Handlers find the way out from where the function has returned to: this one's callers. */
static void test_at_return(struct kunit *test)
{
	struct walk *here = kunit_kzalloc(test, sizeof(*here), GFP_KERNEL);
	int i, callers;

	KUNIT_ASSERT_NOT_NULL(test, here);
	walk_here(here);
	/* Without walk_here() and this function. */
	callers = here->nr - 2;
	KUNIT_ASSERT_GE(test, callers, 1);
	for (i = 1; i < ARRAY_SIZE(orders); i++) {
		if (!order_is_possible(orders[i]))
			continue;
		unwind->bad = 0;
		begin_in_order(test, orders[i]);
		graph_target_call_jump(walk_inside, &unwind->inside);
		end_in_order(orders[i]);
		KUNIT_EXPECT_EQ_MSG(test, 0, unwind->bad, "%s", orders[i]);
		KUNIT_ASSERT_GT_MSG(test, unwind->inside.nr, callers, "%s", orders[i]);
		KUNIT_EXPECT_MEMEQ_MSG(test, &here->entries[2],
				       &unwind->inside.entries[unwind->inside.nr - callers],
				       callers * sizeof(here->entries[0]), "%s", orders[i]);
	}
}

/* A task that sleeps in hooked functions. */
struct unwind_sleeper {
	struct completion	inside;
	struct completion	go_on;
};

static long sleep_inside(void *arg)
{
	struct unwind_sleeper *sleeper = arg;

	complete(&sleeper->inside);
	wait_for_completion(&sleeper->go_on);
	return 0;
}

static struct task_struct *sleeper_start(struct kunit *test, struct unwind_sleeper *sleeper,
					 int (*main)(void *arg))
{
	struct task_struct *task;

	init_completion(&sleeper->inside);
	init_completion(&sleeper->go_on);
	task = kthread_create(main, sleeper, "graph_sleeper");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	wait_for_completion(&sleeper->inside);
	return task;
}

static int jumper_main(void *arg)
{
	return graph_target_call_then_jump(sleep_inside, arg);
}

/* The parent is also right when the hooks have gone, while their returns are still awaited. */
static void test_parents_later(struct kunit *test)
{
	unsigned long parents[PARENT_CALLS];
	struct unwind_sleeper sleeper;
	struct task_struct *task;
	int i, turn;

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		if (!order_is_possible(orders[i]))
			continue;
		for (turn = 0; turn < 2; turn++) {
			begin_in_order(test, orders[i]);
			task = sleeper_start(test, &sleeper, jumper_main);
			if (turn)
				parents_begin(test, task);
			end_in_order(orders[i]);
			ftrace_hooks_drain();
			if (!turn)
				parents_begin(test, task);
			complete(&sleeper.go_on);
			KUNIT_EXPECT_EQ(test, 2, kthread_stop_put(task));
			parents_expect(test, parents, 1, !i && !turn, orders[i]);
			parents_end();
		}
	}
}

#ifdef CONFIG_HAVE_RELIABLE_STACKTRACE
static long sleep_deeper(void *arg)
{
	return graph_target_call_jump(sleep_inside, arg);
}

static int sleeper_main(void *arg)
{
	return graph_target_call(sleep_deeper, arg);
}

static void walk_sleeper(struct kunit *test, struct walk *walk, const char *order)
{
	struct unwind_sleeper sleeper;
	struct task_struct *task = sleeper_start(test, &sleeper, sleeper_main);

	/* It is about to sleep. */
	while (!wait_task_inactive(task, TASK_UNINTERRUPTIBLE))
		cond_resched();
	walk->nr = stack_trace_save_tsk_reliable(task, walk->entries, WALK_ENTRIES);
	/* It sleeps there when those who hooked it go. */
	end_in_order(order);
	complete(&sleeper.go_on);
	KUNIT_EXPECT_EQ(test, 2, kthread_stop_put(task));
}

/* Livepatch asks for the stack of a task that sleeps in hooked functions. */
static void test_reliable(struct kunit *test)
{
	struct walk *walks = kunit_kcalloc(test, 2, sizeof(*walks), GFP_KERNEL), *walk;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, walks);
	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		if (!order_is_possible(orders[i]))
			continue;
		walk = i ? &walks[1] : walks;
		begin_in_order(test, orders[i]);
		walk_sleeper(test, walk, orders[i]);
		KUNIT_EXPECT_EQ_MSG(test, walks[0].nr, walk->nr, "%s", orders[i]);
		KUNIT_EXPECT_MEMEQ_MSG(test, walks[0].entries, walk->entries,
				       sizeof(walk->entries), "%s", orders[i]);
	}
	KUNIT_EXPECT_GE(test, walks[0].nr, 5);
}
#endif

static int unwind_test_init(struct kunit *test)
{
	unwind = kunit_kzalloc(test, sizeof(*unwind), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, unwind);
	unwind->watch = graph_watch_alloc(test, graph_target_call, graph_target_call_jump,
					  graph_target_call_then_jump, NULL);
	unwind->watch->ret = watch_return;
	return graph_watch_init(test);
}

static struct kunit_case unwind_cases[] = {
	KUNIT_CASE(test_own),
	KUNIT_CASE(test_told),
	KUNIT_CASE(test_at_return),
	KUNIT_CASE(test_parents),
	KUNIT_CASE(test_parents_later),
#ifdef CONFIG_HAVE_RELIABLE_STACKTRACE
	KUNIT_CASE(test_reliable),
#endif
	{}
};

static struct kunit_suite unwind_suite = {
	.name = "ftrace_graph_unwind",
	.init = unwind_test_init,
	.test_cases = unwind_cases,
};

kunit_test_suite(unwind_suite);
